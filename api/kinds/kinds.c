/* The table of the operations of all kinds of queries. */
#include "kinds/kinds.h"

const api_kind_operations *const api_kinds[API_KIND_COUNT] = {
#define KIND_ENTRY(name, row, word, routes) [API_KIND_##name] = &api_kind_##row,
    API_KIND_MAP(KIND_ENTRY)
#undef KIND_ENTRY
};
