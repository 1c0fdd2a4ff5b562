/* Handlers of posted shapes: /v1/shapes and /v1/shapes/{id}. */
#ifndef API_HANDLERS_SHAPES_H
#define API_HANDLERS_SHAPES_H

#include "calls/call.h"

api_step api_shapes_list(api_call *call);
api_step api_shapes_post(api_call *call);
api_step api_shape_read(api_call *call);
api_step api_shape_delete(api_call *call);

#endif
