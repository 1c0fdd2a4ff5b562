/* Runs queries of motions: sweeps and timelines. */
#ifndef API_EXECUTION_MOTION_RUN_H
#define API_EXECUTION_MOTION_RUN_H

#include "execution/range_run.h"

/* Runs items [begin, end) of a query of mode MOTION. A task without shared preparation has one
 * range, which prepares itself. */
void api_run_motion(api_range_run *run, size_t begin, size_t end);

#endif
