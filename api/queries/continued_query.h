/* A request that has a cursor and nothing else, but for limit and deadlineMs, continues a query that the server has kept. */
#ifndef API_QUERIES_CONTINUED_QUERY_H
#define API_QUERIES_CONTINUED_QUERY_H

#include "calls/call.h"

/* Does the object hold a cursor, and of a query no more than it may hold beside one that continues alone? */
bool api_is_cursor_alone(const json_t *object);
/* Puts the kept query, with this request's cursor, limit and deadlineMs, in the place of *root and of call->json, where the cursor
 * is one of it. Else nothing changes. False: memory, or a fault in the text that was kept. */
bool api_continue_query(api_call *call, api_field *root);

#endif
