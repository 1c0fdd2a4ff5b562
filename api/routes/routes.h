/* The route table: one row per operation states all differences before the handler runs (target,
 * body, URL parameters). */
#ifndef API_ROUTES_ROUTES_H
#define API_ROUTES_ROUTES_H

#include "calls/route.h"

extern const api_route api_routes[];
extern const size_t api_route_count;

#endif
