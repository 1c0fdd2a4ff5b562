/* Handlers of documents about the daemon: limits, version, problem types and the OpenAPI
 * document. */
#ifndef API_HANDLERS_SERVICE_INFO_H
#define API_HANDLERS_SERVICE_INFO_H

#include "calls/call.h"

api_step api_meta_limits(api_call *call);
api_step api_meta_version(api_call *call);
api_step api_meta_openapi(api_call *call);
api_step api_meta_problem(api_call *call);

#endif
