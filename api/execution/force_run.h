/* Running questions about forces: contacts and islands first, then each island by itself. */
#ifndef API_EXECUTION_FORCE_RUN_H
#define API_EXECUTION_FORCE_RUN_H

#include "execution/range_run.h"

/* Range `index` of the task: the first finds the islands, the others take as many each. */
void api_run_force(api_range_run *run, size_t index);
/* What stands beside the results: tolerances in force and, of a page that is complete, what holds of all islands. */
void api_put_force_members(api_buffer *out, const api_task *task, const api_page *page);

#endif
