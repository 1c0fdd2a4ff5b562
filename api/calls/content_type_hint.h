/* Hints for mesh files that were sent as JSON, the default content type of curl -d. */
#ifndef API_CALLS_CONTENT_TYPE_HINT_H
#define API_CALLS_CONTENT_TYPE_HINT_H

#include "calls/call.h"

/* If a body is not valid JSON: appends how to send a file, if the body looks like one or the route
 * accepts files. */
void api_suggest_content_type(api_call *call);

/* "STL" or "OBJ" if the bytes look like such a file, else NULL. */
const char *api_file_kind(const char *bytes, size_t length);

#endif
