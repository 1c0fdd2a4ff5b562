/* Configurable limits as a table: defaults, ranges, and the texts that GET /v1/limits shows. */
#ifndef API_COMMON_LIMITS_H
#define API_COMMON_LIMITS_H

#include <api/api.h>

typedef struct api_limit {
  const char *name; /* "jsonBytes" */
  uint64_t standard, least, greatest;
  const char *unit; /* "" for counts */
  const char *text;
  size_t offset; /* of the uint64_t in api_limits */
} api_limit;

size_t api_limit_count(void);
const api_limit *api_limit_get(size_t index); /* in the order of API_LIMIT_MAP */
uint64_t api_limit_value(const api_limits *limits, const api_limit *limit);

void api_limits_default(api_limits *limits);
/* The first limit outside its range, or NULL. pageMax < page and deadlineMaxMs < deadlineMs are
 * faults of the first-named limit. */
const api_limit *api_limits_fault(const api_limits *limits);

#endif
