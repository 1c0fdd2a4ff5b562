/* Query calls: one query (POST .../query/{kind}) or a batch (POST .../query), of a scene or
 * stateless. */
#ifndef API_HANDLERS_QUERY_CALL_H
#define API_HANDLERS_QUERY_CALL_H

#include "calls/call.h"
#include "execution/query_run.h"

api_step api_query_one(api_call *call);
api_step api_query_batch(api_call *call); /* query_batch.c */

/* Composes the reply from the plan's ranges. */
void api_query_finish(api_call *call);
void api_batch_finish(api_call *call); /* query_batch.c */

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
