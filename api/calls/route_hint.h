/* What a path that no route has may have been meant to be. */
#ifndef API_CALLS_ROUTE_HINT_H
#define API_CALLS_ROUTE_HINT_H

#include <stddef.h>

/* Longest path that is suggested, terminator and all. */
#define API_ROUTE_HINT_BYTES 400

/* Writes the path of the nearest route, with the ids of the given one in it; "" where none is near. Near is: the same number of
 * segments, each fixed one like the route's, behind "/v1" where that is missing and without slashes at the end. */
void api_route_hint(const char *path, char out[API_ROUTE_HINT_BYTES]);

#endif
