/* Handlers of posted shapes. */
#ifndef API_HANDLERS_SHAPES_H
#define API_HANDLERS_SHAPES_H

#include "calls/call.h"

api_step api_shapes_list(api_call *call);
api_step api_shapes_post(api_call *call);
api_step api_shape_read(api_call *call);
api_step api_shape_delete(api_call *call);

/* The parameter deadlineMs of a URL, if it is there and good: the call's deadline holds before anything else of it is read. */
void api_shapes_deadline(const char *query, const api_limits *limits, uint64_t *deadline_ms);

#endif
