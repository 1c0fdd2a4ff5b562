/* Summaries of variants: a boolean, a number or the closest pair instead of a list of results. */
#ifndef API_EXECUTION_VARIANT_SUMMARY_H
#define API_EXECUTION_VARIANT_SUMMARY_H

#include "execution/range_run.h"
#include "queries/query_request.h"

/* Members of the request that `summary` changes or excludes. */
typedef struct api_summary_fields {
  const api_field *summary, *limit, *closest, *include, *cache, *method, *triangles;
} api_summary_fields;

/* Reads `summary` and adapts the query, whose variants have been read. A query without variants
 * becomes one with a single variant in the query's poses. */
bool api_read_summary(api_reader *reader, const api_summary_fields *fields, api_query *out);

/* Summary of a variant, accumulated over the results of the variant. */
typedef struct api_variant_summary {
  uint64_t count;          /* number of results */
  ct_distance_hit closest; /* summary CLOSEST: the closest pair; valid if count is 1, that is, if
                              there is any pair */
} api_variant_summary;

/* Adds a result to the summary; `distance`: the result of a distance query, else NULL. False: the
 * summary is complete, and no further results are needed. */
bool api_summarize_hit(api_range_run *run, const ct_distance_hit *distance);
/* Puts the summary as the only result of variant `index`. */
void api_put_summary(api_range_run *run, size_t index);

const char *api_summary_word(api_summary summary);

#endif
