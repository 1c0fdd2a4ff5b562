/* Runs queries of forces: the first range finds contacts and islands, the others solve islands
 * independently. */
#ifndef API_EXECUTION_FORCE_RUN_H
#define API_EXECUTION_FORCE_RUN_H

#include "execution/range_run.h"

/* Runs range `index` of the task: the first finds the islands, the others solve equal shares of
 * them. */
void api_run_force(api_range_run *run, size_t index);
/* Writes members beside the results: effective tolerances and, if the page has all islands, their
 * convergence and stability. */
void api_put_force_members(api_buffer *out, const api_task *task, const api_page *page);

#endif
