/* Kind compliantForces: the elastic law at every contact, and what it comes to for each body. */
#ifndef API_EXECUTION_COMPLIANT_FORCES_RUN_H
#define API_EXECUTION_COMPLIANT_FORCES_RUN_H

#include "execution/range_run.h"

/* All of it, in the task's one range: a result for each contact, the bodies' sums beside them. */
void api_run_compliant(api_range_run *run);
/* The law's numbers in force and, where all contacts are in the reply, the sums. */
void api_put_compliant_members(api_buffer *out, const api_task *task, const api_page *page);

#endif
