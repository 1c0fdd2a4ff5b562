/* Files of triangles that were sent as JSON, which is what curl does by default. */
#ifndef API_CALLS_CONTENT_TYPE_HINT_H
#define API_CALLS_CONTENT_TYPE_HINT_H

#include "calls/call.h"

/* For a body that is no JSON: explains how a file is sent, where the body looks like one or the call takes files. */
void api_suggest_content_type(api_call *call);

/* "STL" or "OBJ" where the bytes look like such a file; NULL: like neither. */
const char *api_file_kind(const char *bytes, size_t length);

#endif
