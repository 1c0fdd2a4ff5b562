/* POST /v1/scenes/{s}/advance: simulates a scene in time. The handler reads the request, each range
 * is one step, and finish writes the final state. The simulation runs on a snapshot while other
 * writes continue; its result becomes a revision only if there were none. */
#ifndef API_HANDLERS_ADVANCE_H
#define API_HANDLERS_ADVANCE_H

#include "calls/call.h"
#include "execution/scratch.h"

api_step api_advance_post(api_call *call);
double api_advance_cost(const api_advance *advance); /* ns on one core */
/* 0 until the duration is simulated, then -1. */
long api_advance_next(const api_advance *advance);
void api_advance_run(api_advance *advance, api_scratch *scratch);
void api_advance_finish(api_call *call);
const char *api_advance_progress_lines(api_advance *advance, size_t *length);
/* Progress as a sentence to append, at most API_HINT_MAX bytes. Call only while no worker runs a
 * step. */
void api_advance_hint(const api_advance *advance, char *out);
void api_advance_destroy(api_advance *advance); /* NULL is allowed */

#endif
