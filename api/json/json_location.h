/* Locations in a JSON text: line and column of a byte, and the JSON pointer (RFC 6901) of the value
 * at a byte. */
#ifndef API_JSON_JSON_LOCATION_H
#define API_JSON_JSON_LOCATION_H

#include "common/problem.h"

typedef struct api_text_location {
  size_t line, column, byte; /* from 1; a column is a character */
} api_text_location;

/* Location of the byte at `offset`; the first line has the number first_line (0: 1). O(offset). */
api_text_location api_text_locate(const char *bytes, size_t offset, size_t first_line);

/* Offset after the string with its opening quote at `at`; `length` if it is not terminated. */
static inline size_t api_text_skip_string(const char *bytes, size_t length, size_t at) {
  for (size_t i = at + 1; i < length; i++) {
    if (bytes[i] == '\\') i++;
    else if (bytes[i] == '"') return i + 1;
  }
  return length;
}

/* A forward pass over a text that computes the pointers of given offsets. */
typedef struct api_pointer_walk api_pointer_walk;

/* Starts a pass. bytes[0..length) is borrowed, valid JSON up to the last queried offset, and nested
 * at most `depth` levels. `base` is the location of the whole text. NULL: out of memory. */
api_pointer_walk *api_pointer_walk_create(const char *bytes, size_t length, size_t depth,
                                          const api_pointer *base);
/* Pointer of the value, or of the member's name, that begins at `offset`. Offsets must ascend from
 * call to call. The result belongs to the walk and is valid until the next call; NULL: out of
 * memory. O(bytes since the last call). */
const api_pointer *api_pointer_walk_to(api_pointer_walk *walk, size_t offset);
void api_pointer_walk_destroy(api_pointer_walk *walk); /* NULL is allowed */

#endif
