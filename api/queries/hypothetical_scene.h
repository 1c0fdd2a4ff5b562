/* Hypothetical scenes of queries: the scene with added bodies and other filters. The result is an
 * unpublished revision, made like a write; unchanged chunks of columns and the tree are shared with
 * the scene. */
#ifndef API_QUERIES_HYPOTHETICAL_SCENE_H
#define API_QUERIES_HYPOTHETICAL_SCENE_H

#include "json/fields.h"

/* Greatest number of rows of all hypothetical scenes of one batch: each has its own tree and
 * filters. */
#define API_HYPOTHETICAL_ROWS_MAX 4000000

/* The members add and filters in two locations: of the batch, and of the query. Each may be
 * absent. */
typedef struct api_hypotheses {
  const api_field *add[2];
  const api_field *filters[2]; /* replace the scene's; the last one present wins */
} api_hypotheses;

bool api_has_hypotheses(const api_hypotheses *suppositions);

/* The hypothetical scene, owned by the caller; NULL with a fault. DUPLICATE_ID: an id of the scene
 * or earlier in the request; UNKNOWN_ID: a material, or a body in filters; LIMIT_EXCEEDED. O(rows /
 * 1000 + additions), plus the tree. */
const ct_scene *api_make_hypothetical_scene(api_reader *reader, const api_hypotheses *suppositions,
                                            const ct_scene *scene);

typedef struct api_variant_scene api_variant_scene;

/* The same for one variant. Stores bodies and filters in *own, which is zeroed before and released
 * in any case. */
const ct_scene *api_apply_variant_hypotheses(api_reader *reader, const api_field *add,
                                             const api_field *filters, const ct_scene *scene,
                                             api_variant_scene *own);

#endif
