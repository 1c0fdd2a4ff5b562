/* POST /v1/scenes/{s}/advance: simulates a scene over a duration. The handler reads the request,
 * each range runs one step, and finish writes the final state. The simulation runs on a snapshot of
 * the scene while other writes continue; its result becomes a revision only if there was no such
 * write. */
#ifndef API_HANDLERS_ADVANCE_H
#define API_HANDLERS_ADVANCE_H

#include "calls/call.h"
#include "execution/scratch.h"

api_step api_advance_post(api_call *call);

#endif
