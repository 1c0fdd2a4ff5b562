/* What a query supposes of its scene for its own answer: bodies that are added, and other filters. The supposed scene is a revision
 * that nobody else sees, made as a write makes one; chunks of columns and the tree are shared with the scene. */
#ifndef API_QUERIES_HYPOTHETICAL_SCENE_H
#define API_QUERIES_HYPOTHETICAL_SCENE_H

#include "json/fields.h"

/* Rows that the supposed scenes of one batch's queries may have together: each has a tree and filters of its own. */
#define API_HYPOTHETICAL_ROWS_MAX 4000000

/* Two places of the same two members: beside the queries of a batch, and in a query. Each may be absent. */
typedef struct api_hypotheses {
  const api_field *add[2];
  const api_field *filters[2]; /* in place of the scene's; the last one present counts */
} api_hypotheses;

bool api_has_hypotheses(const api_hypotheses *suppositions);

/* The scene with what is supposed; NULL with a fault: DUPLICATE_ID at an id that the scene or the request has already, UNKNOWN_ID
 * for materials, and for bodies of filters, LIMIT_EXCEEDED. The caller owns it. O(rows / 1000 + what is added) besides its tree. */
const ct_scene *api_make_hypothetical_scene(api_reader *reader, const api_hypotheses *suppositions, const ct_scene *scene);

typedef struct api_variant_scene api_variant_scene;

/* The same for one variant; keeps the bodies and the filters in *own, which is zeroed and is released in any case. */
const ct_scene *api_apply_variant_hypotheses(api_reader *reader, const api_field *add, const api_field *filters,
                                             const ct_scene *scene, api_variant_scene *own);

#endif
