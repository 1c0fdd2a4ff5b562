/* Table of the configurable limits: default, range, and the text that GET /v1/limits shows. */
#ifndef API_COMMON_LIMITS_H
#define API_COMMON_LIMITS_H

#include <api/api.h>

typedef struct api_limit {
  const char *name; /* "jsonBytes" */
  uint64_t standard, least, greatest;
  const char *unit; /* "" for counts */
  const char *text;
  size_t offset; /* offset of the limit's uint64_t in api_limits */
} api_limit;

size_t api_limit_count(void);
const api_limit *api_limit_get(size_t index); /* in the order of API_LIMIT_MAP */
uint64_t api_limit_value(const api_limits *limits, const api_limit *limit);

void api_limits_default(api_limits *limits);
/* Returns the first limit that is outside its range, or NULL. The limits pageMax and deadlineMaxMs
 * must also not be below page and deadlineMs; if they are, pageMax or deadlineMaxMs is returned. */
const api_limit *api_limits_fault(const api_limits *limits);

#endif
