/* Running questions about motions. */
#ifndef API_EXECUTION_MOTION_RUN_H
#define API_EXECUTION_MOTION_RUN_H

#include "execution/range_run.h"

/* Items [begin, end) of a question of mode MOTION; a task that shares no preparation has one range, which makes its own. */
void api_run_motion(api_range_run *run, size_t begin, size_t end);

#endif
