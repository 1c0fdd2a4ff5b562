/* Hypothetical scenes of queries: a scene with added bodies and other filters. The result is an
 * unpublished revision, made like a write. It shares unchanged chunks of the columns and the
 * bounding volume tree with the scene. */
#ifndef API_QUERIES_HYPOTHETICAL_SCENE_H
#define API_QUERIES_HYPOTHETICAL_SCENE_H

#include "json/fields.h"

/* Greatest number of bodies of all hypothetical scenes of one batch together, because each of these
 * scenes has an AABB tree and filters of its own. */
#define API_HYPOTHETICAL_ROWS_MAX 4000000

/* The members add and filters of a batch and of a query: entry 0 and entry 1, or only entry 0 if
 * there is only one level. An entry may be NULL or absent. */
typedef struct api_hypotheses {
  const api_field *add[2];
  const api_field *filters[2]; /* replace the scene's filters; if both are present, those of the
                                  last entry apply */
} api_hypotheses;

bool api_has_hypotheses(const api_hypotheses *suppositions);

/* Makes the hypothetical scene, which the caller owns. NULL: a fault was added. DUPLICATE_ID: an
 * added id exists in the scene or was added before. UNKNOWN_ID: a material, or a body in filters.
 * LIMIT_EXCEEDED: too many bodies. O(rows / 1000 + additions), and the update of the tree. */
const ct_scene *api_make_hypothetical_scene(api_reader *reader, const api_hypotheses *suppositions,
                                            const ct_scene *scene);

typedef struct api_variant_scene api_variant_scene;

/* Makes the hypothetical scene of one variant, as api_make_hypothetical_scene. Also stores the
 * added bodies and the filters in *own, which must be zeroed before and released even after a
 * failure. */
const ct_scene *api_apply_variant_hypotheses(api_reader *reader, const api_field *add,
                                             const api_field *filters, const ct_scene *scene,
                                             api_variant_scene *own);

#endif
