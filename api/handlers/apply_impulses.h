/* POST /v1/scenes/{s}/impulses: impulses of the scene's collisions, and the velocities after them written. */
#ifndef API_HANDLERS_APPLY_IMPULSES_H
#define API_HANDLERS_APPLY_IMPULSES_H

#include "handlers/query_call.h"

api_step api_impulses_post(api_call *call);
/* Is the call's plan one whose velocities are written? */
bool api_call_writes_impulses(const api_call *call);
/* The answer of the question, and the new revision. */
void api_impulses_finish(api_call *call);

#endif
