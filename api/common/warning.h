/* Warnings: what was done with a request's data, or should make its sender look twice, though nothing is wrong. */
#ifndef API_COMMON_WARNING_H
#define API_COMMON_WARNING_H

#include "common/problem.h"

/* Warnings told; of those beyond only the number. */
#define API_WARNINGS_KEPT 20

typedef struct api_warning {
  const char *type; /* "degenerateTriangles"; static */
  char pointer[256];
  char detail[256];
  bool has_pointer;
  uint64_t count; /* of what the warning is about; 0: not told */
} api_warning;

/* No memory of its own: about 11 KiB. `count` 0 is empty; the items need not be cleared. */
typedef struct api_warnings {
  size_t count; /* raised; the first API_WARNINGS_KEPT are kept */
  api_warning items[API_WARNINGS_KEPT];
} api_warnings;

/* warnings NULL: nobody wants to know. at NULL: no place in a document. */
__attribute__((format(printf, 5, 6))) void api_warn(api_warnings *warnings, const char *type, const api_pointer *at, uint64_t count,
                                                    const char *detail, ...);

/* Puts the member warnings: [{pointer?, type, detail, count?}, ...], and warningsOmitted where there were more. Nothing if there
 * are none and not `always`. */
void api_put_warnings(api_buffer *buffer, const api_warnings *warnings, bool always);

#endif
