/* Summaries of variants: a boolean, a number or a pair instead of a list of results. */
#ifndef API_EXECUTION_VARIANT_SUMMARY_H
#define API_EXECUTION_VARIANT_SUMMARY_H

#include "execution/range_run.h"
#include "queries/query_request.h"

/* Members that affect summaries. */
typedef struct api_summary_fields {
  const api_field *summary, *limit, *closest, *include, *cache, *method, *triangles;
} api_summary_fields;

/* Reads `summary` and adapts the query, after its variants. Without variants a single one with the
 * query's poses is made. */
bool api_read_summary(api_reader *reader, const api_summary_fields *fields, api_query *out);

/* Accumulated summary of a variant's hits. */
typedef struct api_variant_summary {
  uint64_t count;          /* number of results */
  ct_distance_hit closest; /* CLOSEST, once count is 1 */
} api_variant_summary;

/* Adds a hit; `distance`: of a distance query, else NULL. False: the summary is complete. */
bool api_summarize_hit(api_range_run *run, const ct_distance_hit *distance);
/* Writes the run's summary as the only result of variant `index`. */
void api_put_summary(api_range_run *run, size_t index);

const char *api_summary_word(api_summary summary);

#endif
