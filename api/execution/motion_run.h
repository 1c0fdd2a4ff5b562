/* Runs queries over moving bodies: sweeps and timelines. */
#ifndef API_EXECUTION_MOTION_RUN_H
#define API_EXECUTION_MOTION_RUN_H

#include "execution/range_run.h"

ct_status api_plan_motion(const api_plan *plan, api_task *task, bool shared);
/* Runs items [begin, end) of a query of mode MOTION. If task->motion is not prepared, the query has
 * a single range, which prepares its own and runs all items. */
void api_run_motion(api_range_run *run, size_t begin, size_t end);

#endif
