/* Runs kind compliantForces: the elastic force law at every contact, and the sums per body. */
#ifndef API_EXECUTION_COMPLIANT_FORCES_RUN_H
#define API_EXECUTION_COMPLIANT_FORCES_RUN_H

#include "execution/range_run.h"

/* Runs the task's only range: one result per contact, the sums of the bodies beside them. */
void api_run_compliant(api_range_run *run);
/* Writes the effective parameters of the law and, if the reply has all contacts, the sums. */
void api_put_compliant_members(api_buffer *out, const api_task *task, const api_page *page);

#endif
