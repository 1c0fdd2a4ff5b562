/* Continuation of a stored query: a request with a cursor and at most limit and deadlineMs repeats
 * the query that issued the cursor. */
#ifndef API_QUERIES_CONTINUED_QUERY_H
#define API_QUERIES_CONTINUED_QUERY_H

#include "calls/call.h"

/* True if the object has a cursor and no members but limit and deadlineMs. */
bool api_is_cursor_alone(const json_t *object);
/* If the cursor belongs to a stored query: replaces *root and call->json by that query with this
 * request's cursor, limit and deadlineMs. Otherwise changes nothing. False: out of memory, or a
 * fault in the stored text. */
bool api_continue_query(api_call *call, api_field *root);

#endif
