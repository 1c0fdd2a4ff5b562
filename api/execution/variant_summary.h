/* Summaries of variants: one boolean, number or pair instead of a list of results. */
#ifndef API_EXECUTION_VARIANT_SUMMARY_H
#define API_EXECUTION_VARIANT_SUMMARY_H

#include "execution/range_run.h"
#include "queries/query_request.h"

/* Members that a summary concerns. */
typedef struct api_summary_fields {
  const api_field *summary, *limit, *closest, *include, *cache, *method, *triangles;
} api_summary_fields;

/* Reads the member and sets up the query for it; the variants are read. Without variants there is one, of the query's own poses. */
bool api_read_summary(api_reader *reader, const api_summary_fields *fields, api_query *out);

/* What a variant's hits come to so far. */
typedef struct api_variant_summary {
  uint64_t count; /* results that a list would have */
  ct_hit closest; /* CLOSEST, once count is 1 */
} api_variant_summary;

/* Takes a hit in. False: the summary is known. */
bool api_summarize_hit(api_range_run *run, const ct_hit *hit);
/* Puts the run's summary as the one result of variant `index`. */
void api_put_summary(api_range_run *run, size_t index);

const char *api_summary_word(api_summary summary);

#endif
