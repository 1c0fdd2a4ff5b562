/* Warnings of a request: changes made to its data, and valid but suspicious input. */
#ifndef API_COMMON_WARNING_H
#define API_COMMON_WARNING_H

#include "common/problem.h"

/* Stored warnings; further ones are only counted. */
#define API_WARNINGS_KEPT 20

typedef struct api_warning {
  const char *type; /* "degenerateTriangles"; static */
  char pointer[256];
  char detail[256];
  bool has_pointer;
  uint64_t count; /* affected items; 0: not reported */
} api_warning;

/* About 11 KiB; allocates nothing. `count` 0 is empty; the items need not be cleared. */
typedef struct api_warnings {
  size_t count; /* warnings added; the first API_WARNINGS_KEPT are stored */
  api_warning items[API_WARNINGS_KEPT];
} api_warnings;

/* Adds a warning. warnings NULL: no effect. at NULL: without a location. */
__attribute__((format(printf, 5, 6))) void api_warn(api_warnings *warnings, const char *type,
                                                    const api_pointer *at, uint64_t count,
                                                    const char *detail, ...);

/* Puts the member warnings: [{pointer?, type, detail, count?}, ...], and warningsOmitted if some
 * were not stored. Without warnings: nothing, or an empty array if `always`. */
void api_put_warnings(api_buffer *buffer, const api_warnings *warnings, bool always);

#endif
