/* Handlers of posted shapes: /v1/shapes and /v1/shapes/{id}. */
#ifndef API_HANDLERS_SHAPES_H
#define API_HANDLERS_SHAPES_H

#include "calls/call.h"

api_step api_shapes_list(api_call *call);
api_step api_shapes_post(api_call *call);
api_step api_shape_read(api_call *call);
api_step api_shape_delete(api_call *call);

/* Reads the URL parameter deadlineMs if present and valid, before anything else: it limits the
 * whole call. */
void api_shapes_deadline(const char *query, const api_limits *limits, uint64_t *deadline_ms);

#endif
