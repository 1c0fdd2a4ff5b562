/* Reads the members of scene queries that select bodies, pairs and poses. Each may be absent;
 * arrays are allocated in the reader's arena. */
#ifndef API_QUERIES_QUERY_MEMBERS_H
#define API_QUERIES_QUERY_MEMBERS_H

#include "queries/query_request.h"

/* Reads where: {"a": selection, "b": selection} into the masks of the options. Adds a warning to
 * the query if a side is empty. */
bool api_read_body_masks(api_reader *reader, const api_field *field, const ct_scene *scene,
                         ct_query_options *options, api_query *query);
/* Reads pairs: [["id", "id"], ...] into the options; the bodies must be valid for the kind of
 * `query`. */
bool api_read_row_pairs(api_reader *reader, const api_field *field, const ct_scene *scene,
                        ct_query_options *options, const api_query *query);
/* Reads hypothetical poses into the overrides of the query's options. They take precedence over the
 * poses of the batch, with which they are merged. */
bool api_read_what_if(api_reader *reader, const api_field *field, const api_query_context *context,
                      api_query *out);
/* Members that make the scene hypothetical, and the location of the query. */
typedef struct api_hypothesis_fields {
  const api_field *add, *filters;
  const api_pointer *question;
} api_hypothesis_fields;

/* If the query or its batch adds bodies or has filters, replaces the query's scene by the
 * hypothetical scene. */
bool api_apply_query_hypotheses(api_reader *reader, const api_hypothesis_fields *fields,
                                const api_query_context *context, api_query *out);
/* Merges the velocities of the query's poses with those of the batch's poses into one list in the
 * arena, sorted by row. Those of the query take precedence. */
bool api_merge_velocities(api_reader *reader, const api_query *question, ct_row_velocity **out,
                          size_t *count);

#endif
