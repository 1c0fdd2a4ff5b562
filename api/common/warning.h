/* Warnings of a request: changes that the daemon made to the data, and valid but suspicious
 * input. */
#ifndef API_COMMON_WARNING_H
#define API_COMMON_WARNING_H

#include "common/problem.h"

/* Number of warnings that are stored; further ones are only counted. */
#define API_WARNINGS_KEPT 20

typedef struct api_warning {
  const char *type; /* "degenerateTriangles"; static */
  char pointer[256];
  char detail[256];
  bool has_pointer;
  uint64_t count; /* number of places in the input that the warning concerns, such as triangles or
                     edges; 0: the reply states no number */
} api_warning;

/* Warnings of a request, approximately 11 KiB; nothing is allocated. A list with `count` 0 is
 * empty; its items may contain anything. */
typedef struct api_warnings {
  size_t count; /* number of warnings added, of which only the first API_WARNINGS_KEPT are stored in
                   `items` */
  api_warning items[API_WARNINGS_KEPT];
} api_warnings;

/* Adds a warning. warnings NULL: no effect. at NULL: the warning has no location. */
__attribute__((format(printf, 5, 6))) void api_warn(api_warnings *warnings, const char *type,
                                                    const api_pointer *at, uint64_t count,
                                                    const char *detail, ...);

/* Puts the member warnings: [{pointer?, type, detail, count?}, ...], and warningsOmitted if some
 * were not stored. If there are no warnings, puts an empty array if `always`, else nothing. */
void api_put_warnings(api_buffer *buffer, const api_warnings *warnings, bool always);

#endif
