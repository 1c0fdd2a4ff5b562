/* Members of scene queries that select bodies, pairs and poses. Each may be absent; arrays are in
 * the reader's arena. */
#ifndef API_QUERIES_QUERY_MEMBERS_H
#define API_QUERIES_QUERY_MEMBERS_H

#include "queries/query_request.h"

/* Reads where: {"a": selection, "b": selection} into the masks of the options; warns in the query
 * of an empty side. */
bool api_read_body_masks(api_reader *reader, const api_field *field, const ct_scene *scene,
                         ct_query_options *options, api_query *query);
/* Reads pairs: [["id", "id"], ...] into the options of a query of the same kind as `query`. */
bool api_read_row_pairs(api_reader *reader, const api_field *field, const ct_scene *scene,
                        ct_query_options *options, const api_query *query);
/* Reads poses into the options' overrides; they take precedence over the batch's. */
bool api_read_what_if(api_reader *reader, const api_field *field, const api_query_context *context,
                      api_query *out);
/* Members that make the scene hypothetical, and the query's location. */
typedef struct api_hypothesis_fields {
  const api_field *add, *filters;
  const api_pointer *question;
} api_hypothesis_fields;

/* Replaces the query's scene by the hypothetical scene of the query and its batch, if there is
 * one. */
bool api_apply_query_hypotheses(api_reader *reader, const api_hypothesis_fields *fields,
                                const api_query_context *context, api_query *out);
/* Merges the velocities of the query's poses with the batch's into one list in the arena, sorted by
 * row; the query's take precedence. */
bool api_merge_velocities(api_reader *reader, const api_query *question, ct_row_velocity **out,
                          size_t *count);

#endif
