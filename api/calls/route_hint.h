/* Suggestion for a path that matches no route. */
#ifndef API_CALLS_ROUTE_HINT_H
#define API_CALLS_ROUTE_HINT_H

#include <stddef.h>

/* Buffer of a suggested path, NUL included. */
#define API_ROUTE_HINT_BYTES 400

/* Writes the path of the nearest route, with the given ids; "" if none is near. A near route has
 * the same number of segments and similar fixed segments; a missing "/v1" and trailing slashes are
 * ignored. */
void api_route_hint(const char *path, char out[API_ROUTE_HINT_BYTES]);

#endif
