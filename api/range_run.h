/* A range at work: what the runners of its items share. */
#ifndef API_RANGE_RUN_H
#define API_RANGE_RUN_H

#include "query_run.h"

typedef struct api_range_run {
  const api_plan *plan;
  api_task *task;
  api_range *range;
  ct_workspace *workspace;
  const ct_query_options *options; /* of the query being run: a variant has its own */
  api_method_answer told;          /* OVERLAP by a method: of the pair that was asked last */
} api_range_run;

/* Does the range still want results? */
bool api_range_open(const api_range_run *run);
/* Items of a prepared query. */
void api_run_items(api_range_run *run, const ct_query *query, const ct_query_range *items);

/* Variants [begin, end) of a question of mode VARIANTS. */
void api_run_variants(api_range_run *run, size_t begin, size_t end);

#endif
