/* Members of questions to a scene: which bodies, which pairs, at which poses. Each may be absent; arrays are in the reader's arena.
 */
#ifndef API_QUERIES_QUERY_MEMBERS_H
#define API_QUERIES_QUERY_MEMBERS_H

#include "queries/query_request.h"

/* where: {"a": selection, "b": selection} of bodies of the scene, into the masks of the options; warns in the query of a side that
 * selects nothing. */
bool api_read_body_masks(api_reader *reader, const api_field *field, const ct_scene *scene, ct_query_options *options,
                         api_query *query);
/* pairs: [["id", "id"], ...] of bodies of the scene, into the options of a query of the same kind as `query`. */
bool api_read_row_pairs(api_reader *reader, const api_field *field, const ct_scene *scene, ct_query_options *options,
                        const api_query *query);
/* poses: over those of the batch, into the options' overrides. */
bool api_read_what_if(api_reader *reader, const api_field *field, const api_query_context *asking, api_query *out);
/* Members that change the scene that a query is about, and the query. */
typedef struct api_hypothesis_fields {
  const api_field *add, *filters;
  const api_pointer *question;
} api_hypothesis_fields;

/* Do filters decide what a query of the kind is about? */
bool api_kind_uses_filters(api_kind kind);
/* The scene with what the query and its batch suppose takes the place of the query's revision. */
bool api_apply_query_hypotheses(api_reader *reader, const api_hypothesis_fields *fields, const api_query_context *asking,
                                api_query *out);
/* The velocities of poses, own before the batch's, in one list in the arena. */
bool api_merge_velocities(api_reader *reader, const api_query *question, ct_row_velocity **out, size_t *count);

#endif
