/* The operations of all kinds of queries, in the order of API_KIND_MAP. */
#ifndef API_KINDS_KINDS_H
#define API_KINDS_KINDS_H

#include "queries/query_request.h"

extern const api_kind_operations *const api_kinds[API_KIND_COUNT];

#endif
