/* Motion of a scene in time over HTTP: the handler reads the request, ranges are steps, and finish writes where everything is then.
 * The work is on a snapshot: other writes go on meanwhile, and only where there was none does the result become a revision. */
#ifndef API_HANDLERS_ADVANCE_H
#define API_HANDLERS_ADVANCE_H

#include "calls/call.h"
#include "execution/scratch.h"

api_step api_advance_post(api_call *call);
double api_advance_cost(const api_advance *advance); /* ns on one core */
/* 0 while there is time left, then -1. */
long api_advance_next(const api_advance *advance);
void api_advance_run(api_advance *advance, api_scratch *scratch);
void api_advance_finish(api_call *call);
const char *api_advance_progress_lines(api_advance *advance, size_t *length);
/* How far it has come, as a sentence after another; at most API_HINT_MAX bytes. Not while a worker is at it. */
void api_advance_hint(const api_advance *advance, char *out);
void api_advance_destroy(api_advance *advance); /* NULL is allowed */

#endif
