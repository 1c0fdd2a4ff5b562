/* POST /v1/scenes/{s}/impulses: computes the impulses of all collisions and writes the resulting
 * velocities. */
#ifndef API_HANDLERS_APPLY_IMPULSES_H
#define API_HANDLERS_APPLY_IMPULSES_H

#include "handlers/query_call.h"

api_step api_impulses_post(api_call *call);
/* True if the call writes the velocities of its plan. */
bool api_call_writes_impulses(const api_call *call);
/* Writes the result and the new revision. */
void api_impulses_finish(api_call *call);

#endif
