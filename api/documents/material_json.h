/* Materials in JSON: of a scene, of pairs of materials and of single contacts; gravity; references
 * of colliders to materials. */
#ifndef API_DOCUMENTS_MATERIAL_JSON_H
#define API_DOCUMENTS_MATERIAL_JSON_H

#include "documents/body_json.h"

/* Greatest absolute component of gravity, m/s^2. */
#define API_GRAVITY_MAX 1e6
/* Greatest coefficients of friction and of rolling friction, and greatest Young's modulus, Pa. */
#define API_FRICTION_MAX 1000.0
#define API_MODULUS_MAX 1e15

/* Default number of sides of a friction pyramid. */
#define API_SIDES 8

/* Entries of an object's member list for gravity and materials, in this order. */
#define API_MATERIALS_MEMBERS                                                                      \
  {.name = "gravity"}, {.name = "materials"}, { .name = "materialPairs" }
enum { API_MATERIALS_MEMBER_COUNT = 3 };

typedef struct api_materials {
  bool has_gravity;
  ct_vec3 gravity;
  ct_materials materials; /* allocated in the arena; texts borrowed from the JSON value */
} api_materials;

bool api_read_materials(api_reader *reader, const api_field members[API_MATERIALS_MEMBER_COUNT],
                        api_materials *out);
/* Sets the draft's materials and gravity; `at` is the location of the settings. UNKNOWN_ID: a pair
 * names an unknown material. MATERIAL_IN_USE: a collider of the draft uses a material that is
 * absent now. O(bodies) if the draft had materials before. */
bool api_apply_materials(api_reader *reader, const api_pointer *at, const api_materials *matter,
                         ct_draft *draft);
/* Puts gravity, materials and materialPairs, each only if it is set. */
void api_put_materials(api_buffer *buffer, const ct_scene *scene);

/* Checks that the draft has the materials of the body's colliders. False with UNKNOWN_ID. */
bool api_check_materials(api_reader *reader, const api_pointer *body_at, const ct_body *body,
                         const ct_draft *draft);

/* Reads the contact parameters of a pair. If only one of static and dynamic friction is given, it
 * applies to both; other absent values are unchanged. */
bool api_read_pair_material(api_reader *reader, const api_field *field, ct_pair_material *out);
/* Reads the number of sides of a friction pyramid: an even number from 4 to 64, so that each
 * direction has its opposite. */
bool api_read_sides(api_reader *reader, const api_field *field, unsigned *out);
/* Reads Young's modulus (> 0) and Poisson's ratio (between 0 and 1), each if present. */
bool api_read_moduli(api_reader *reader, const api_field *youngs, const api_field *poisson,
                     double *modulus, double *ratio);

#endif
