/* Volumetric contacts: members of a query, and results as JSON. contact/volume.h and
 * contact/sparsify.h define the values. */
#ifndef API_RESULTS_VOLUME_JSON_H
#define API_RESULTS_VOLUME_JSON_H

#include <contact/query.h>

#include "common/buffer.h"
#include "json/fields.h"

typedef struct api_volume {
  ct_volume_options options;
  ct_query_sparsify sparsify;
  bool sparsifies;
  bool has_epsilon, has_min_distance; /* given by the query; else the scene's value applies */
  api_field present;                  /* `present` of sparsify, decoded later with the scene */
} api_volume;

typedef struct api_volume_fields {
  const api_field *weighting, *method, *epsilon, *triangles, *sparsify, *include;
} api_volume_fields;

bool api_read_volume(api_reader *reader, const api_volume_fields *fields, api_volume *out);
/* Reads a geometric epsilon, m. */
bool api_read_epsilon(api_reader *reader, const api_field *field, double *out);

/* Reads the names in sparsify's `present`, if given. Faults: UNKNOWN_ID, MISSING_MEMBER, ... */
bool api_read_present(api_reader *reader, const ct_scene *scene, api_volume *volume);

/* Completes the epsilons from the scene if none was given, and sets the clearance that the method
 * requires. *warning: a sentence if the epsilon is large against the scene's bodies; else
 * unchanged.
 */
void api_resolve_volume(api_volume *volume, const ct_scene *scene, double *clearance,
                        const char **warning);

/* The sparsification of the query's contacts, borrowed from `volume`; NULL: none. */
static inline const ct_query_sparsify *api_volume_sparsification(const api_volume *volume) {
  return volume->sparsifies ? &volume->sparsify : NULL;
}

/* Puts the effective tolerances: epsilon if it is used, and those of sparsify. */
void api_put_volume_tolerances(api_buffer *buffer, const api_volume *volume);

/* Puts one result; a and b are the bodies of the hit's rows. */
void api_put_volume_answer(api_buffer *buffer, const ct_body *a, const ct_body *b,
                           const ct_volume_hit *hit);
/* Puts the sums over the contacts of the hit's pair of colliders; hit->total is not NULL. */
void api_put_volume_sums(api_buffer *buffer, const ct_body *a, const ct_body *b,
                         const ct_volume_hit *hit);
/* Puts a contact removed by sparsification, and the reason. */
void api_put_removed(api_buffer *buffer, const ct_body *a, const ct_body *b,
                     const ct_volume_hit *hit);

#endif
