/* Calls that ask questions: one (POST .../query/{kind}) or a batch (POST .../query), of a scene or stateless. */
#ifndef API_HANDLERS_QUERY_CALL_H
#define API_HANDLERS_QUERY_CALL_H

#include "calls/call.h"
#include "execution/query_run.h"

api_step api_query_one(api_call *call);
api_step api_query_batch(api_call *call); /* query_batch.c */

/* Lays together the answer of the call's plan. */
void api_query_finish(api_call *call);
void api_batch_finish(api_call *call); /* query_batch.c */

/* Seed of the hash that binds cursors to the scene that is asked. */
uint64_t api_query_seed(const api_call *call);
/* WORK if the plan has ranges; else the answer is made here. */
api_step api_query_start(api_call *call);
/* Puts the members of a task's result object; false: a fault. Pins the revision for a cursor. */
bool api_put_task_members(api_call *call, api_task *task, api_buffer *out, api_faults *faults);
/* Puts a task's result object; false: a fault, and nothing is put. Pins the revision for a cursor. */
bool api_put_task_result(api_call *call, api_task *task, api_buffer *out, api_faults *faults);

#endif
