/* Locations in a JSON text: line and column of a byte, and the JSON pointer (RFC 6901) of the value
 * at a byte. */
#ifndef API_JSON_JSON_LOCATION_H
#define API_JSON_JSON_LOCATION_H

#include "common/problem.h"

typedef struct api_text_location {
  size_t line, column, byte; /* each from 1; a column is a character, not a byte */
} api_text_location;

/* Returns the location of the byte at `offset`. first_line: the number of the text's first line; 0
 * means 1. O(offset). */
api_text_location api_text_locate(const char *bytes, size_t offset, size_t first_line);

/* Returns the offset after the string whose opening quote is at `at`; `length` if the string is not
 * terminated. */
static inline size_t api_text_skip_string(const char *bytes, size_t length, size_t at) {
  for (size_t i = at + 1; i < length; i++) {
    if (bytes[i] == '\\') i++;
    else if (bytes[i] == '"') return i + 1;
  }
  return length;
}

/* A single forward pass over a text that yields the JSON pointers of ascending offsets. */
typedef struct api_pointer_walk api_pointer_walk;

/* Starts a pass over bytes[0..length), which is borrowed and must be valid JSON up to the last
 * offset that is queried, with at most `depth` levels of nesting. `base`: the location of the whole
 * text. NULL: out of memory. */
api_pointer_walk *api_pointer_walk_create(const char *bytes, size_t length, size_t depth,
                                          const api_pointer *base);
/* Returns the pointer of the value that begins at `offset`, or of the member whose name begins
 * there. Offsets must ascend from call to call. The result is owned by the walk and valid until the
 * next call. NULL: out of memory. O(bytes since the last call). */
const api_pointer *api_pointer_walk_to(api_pointer_walk *walk, size_t offset);
void api_pointer_walk_destroy(api_pointer_walk *walk); /* NULL is allowed */

#endif
