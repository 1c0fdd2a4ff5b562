/* Materials: of a scene, of pairs, of one contact; gravity; which of a scene's materials colliders name. */
#ifndef API_DOCUMENTS_MATERIAL_JSON_H
#define API_DOCUMENTS_MATERIAL_JSON_H

#include "documents/body_json.h"

/* Greatest absolute component of gravity, m/s^2. */
#define API_GRAVITY_MAX 1e6
/* Greatest coefficient of friction and of rolling friction, and greatest Young's modulus, Pa. */
#define API_FRICTION_MAX 1000.0
#define API_MODULUS_MAX 1e15

/* Sides of a friction pyramid where nothing else is said. */
#define API_SIDES 8

/* Members of a scene's settings, in this order. */
#define API_MATERIALS_MEMBERS                                                                                                      \
  {.name = "gravity"}, {.name = "materials"}, { .name = "materialPairs" }
enum { API_MATERIALS_MEMBER_COUNT = 3 };

typedef struct api_materials {
  bool has_gravity;
  ct_vec3 gravity;
  ct_materials materials; /* in the arena and the tree */
} api_materials;

bool api_read_materials(api_reader *reader, const api_field members[API_MATERIALS_MEMBER_COUNT], api_materials *out);
/* Into the draft; `at` is the place of the settings. UNKNOWN_ID: a pair names a material that is not there. MATERIAL_IN_USE: a
 * collider of the draft's bodies names one that would go. O(bodies) where there were materials. */
bool api_apply_materials(api_reader *reader, const api_pointer *at, const api_materials *matter, ct_draft *draft);
/* Puts "gravity", "materials" and "materialPairs", each where it is set. */
void api_put_materials(api_buffer *buffer, const ct_scene *scene);

/* Does the draft have the materials that the colliders of the body at the place name? UNKNOWN_ID. */
bool api_check_materials(api_reader *reader, const api_pointer *body_at, const ct_body *body, const ct_draft *draft);
/* The same of a body given without a scene, which can name none. */
bool api_reject_material_names(api_reader *reader, const api_field *field, const ct_body *body);

/* The four values of what acts between two surfaces; one kind of friction left out is the other, what is not given stays as it
 * is. */
bool api_read_pair_material(api_reader *reader, const api_field *field, ct_pair_material *out);
/* Sides of a friction pyramid: 4 to 64, even, so that each has its opposite. */
bool api_read_sides(api_reader *reader, const api_field *field, unsigned *out);
/* Young's modulus above 0, Poisson's ratio between 0 and 1, each where it is given. */
bool api_read_moduli(api_reader *reader, const api_field *youngs, const api_field *poisson, double *modulus, double *ratio);

#endif
