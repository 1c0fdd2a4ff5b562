/* Runs queries of motions: sweeps and timelines. */
#ifndef API_EXECUTION_MOTION_RUN_H
#define API_EXECUTION_MOTION_RUN_H

#include "execution/range_run.h"

ct_status api_plan_motion(const api_plan *plan, api_task *task, bool shared);
/* Runs items [begin, end) of a query of mode MOTION. A task without shared preparation has one
 * range, which prepares itself. */
void api_run_motion(api_range_run *run, size_t begin, size_t end);

#endif
