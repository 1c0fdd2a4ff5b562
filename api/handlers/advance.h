/* POST /v1/scenes/{s}/advance: simulates a scene in time. The handler reads the request, each range
 * is one step, and finish writes the final state. The simulation runs on a snapshot while other
 * writes continue; its result becomes a revision only if there were none. */
#ifndef API_HANDLERS_ADVANCE_H
#define API_HANDLERS_ADVANCE_H

#include "calls/call.h"
#include "execution/scratch.h"

api_step api_advance_post(api_call *call);

#endif
