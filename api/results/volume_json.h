/* Volumetric contacts: members of a query, and results as JSON. The values are defined in
 * contact/volume.h and contact/sparsify.h. */
#ifndef API_RESULTS_VOLUME_JSON_H
#define API_RESULTS_VOLUME_JSON_H

#include <contact/query.h>

#include "common/buffer.h"
#include "json/fields.h"

typedef struct api_volume {
  ct_volume_options options;
  ct_query_sparsify sparsify;
  bool sparsifies;
  bool has_epsilon,
      has_min_distance; /* the query has the value; otherwise the scene's value applies */
  api_field present;    /* member `present` of sparsify, which is read once the scene is known */
} api_volume;

typedef struct api_volume_fields {
  const api_field *weighting, *method, *epsilon, *triangles, *sparsify, *include;
} api_volume_fields;

bool api_read_volume(api_reader *reader, const api_volume_fields *fields, api_volume *out);
/* Reads the geometric epsilon, m. */
bool api_read_epsilon(api_reader *reader, const api_field *field, double *out);

/* Reads the contacts of the previous step in sparsify's member `present`, if it is given. Faults:
 * UNKNOWN_ID, MISSING_MEMBER and others. */
bool api_read_present(api_reader *reader, const ct_scene *scene, api_volume *volume);

/* Sets epsilons that the query does not give to those of the scene, and *clearance to the distance,
 * m, up to which the method needs pairs. *warning: set to a sentence if epsilon is large compared
 * with the scene's bodies, else unchanged. */
void api_resolve_volume(api_volume *volume, const ct_scene *scene, double *clearance,
                        const char **warning);

/* Returns the options of sparsification, borrowed from `volume`. NULL: the query does not request
 * it. */
static inline const ct_query_sparsify *api_volume_sparsification(const api_volume *volume) {
  return volume->sparsifies ? &volume->sparsify : NULL;
}

/* Puts the tolerances in effect: epsilon if it is used, and those of sparsification. */
void api_put_volume_tolerances(api_buffer *buffer, const api_volume *volume);

/* Puts one contact, or a pair without contact; a and b are the bodies in the rows of the hit. */
void api_put_volume_answer(api_buffer *buffer, const ct_body *a, const ct_body *b,
                           const ct_volume_hit *hit);
/* Puts the sums over all contacts of the hit's two colliders; hit->total must not be NULL. */
void api_put_volume_sums(api_buffer *buffer, const ct_body *a, const ct_body *b,
                         const ct_volume_hit *hit);
/* Puts a contact that sparsification removed, with the reason. */
void api_put_removed(api_buffer *buffer, const ct_body *a, const ct_body *b,
                     const ct_volume_hit *hit);

#endif
