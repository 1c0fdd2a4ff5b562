/* Query calls: one query (POST .../query/{kind}) or a batch (POST .../query), of a scene or
 * stateless. */
#ifndef API_HANDLERS_QUERY_CALL_H
#define API_HANDLERS_QUERY_CALL_H

#include "calls/call.h"
#include "execution/query_plan.h"

api_step api_query_one(api_call *call);
api_step api_query_batch(api_call *call);   /* query_batch.c */
api_step api_impulses_post(api_call *call); /* apply_impulses.c: writes the resulting velocities */

/* Makes the call's plan; work->finish writes the reply once its ranges have run. False: out of
 * memory. */
bool api_query_plan(api_call *call, const api_work_operations *work, size_t task_count);
/* Seed of the hash that binds cursors to the queried scene. */
uint64_t api_query_seed(const api_call *call);
/* Divides the plan into ranges: WORK if it has any, else replies at once. */
api_step api_query_start(api_call *call);
/* Writes the members of a task's result object. False: a fault. Pins the revision for a cursor. */
bool api_put_task_members(api_call *call, api_task *task, api_buffer *out, api_faults *faults);
/* Writes a task's result object. False: a fault, and nothing is written. Pins the revision for a
 * cursor. */
bool api_put_task_result(api_call *call, api_task *task, api_buffer *out, api_faults *faults);

#endif
