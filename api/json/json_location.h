/* Places in a JSON text: line and column of a byte, and the JSON pointer of the value that begins there. */
#ifndef API_JSON_JSON_LOCATION_H
#define API_JSON_JSON_LOCATION_H

#include "common/problem.h"

typedef struct api_text_location {
  size_t line, column, byte; /* from 1; columns count characters */
} api_text_location;

/* The place of the byte at `offset` in a text whose first line has the number first_line (0: 1). O(offset) */
api_text_location api_text_locate(const char *bytes, size_t offset, size_t first_line);

/* Offset after the string whose opening quote is at `at`; `length` where it does not end. */
size_t api_text_skip_string(const char *bytes, size_t length, size_t at);

/* Goes through a text towards values whose places are wanted. */
typedef struct api_pointer_walk api_pointer_walk;

/* bytes[0..length) is JSON as far as places in it are asked for, nested at most `depth` levels; borrowed. `base` is the place of
 * the whole text. NULL: out of memory. */
api_pointer_walk *api_pointer_walk_create(const char *bytes, size_t length, size_t depth, const api_pointer *base);
/* The place of the value whose first byte is at `offset`, or of the member whose name begins there. Offsets must ascend from call
 * to call. The result belongs to the walk and is valid until the next call; NULL: out of memory. O(bytes since the last call) */
const api_pointer *api_pointer_walk_to(api_pointer_walk *walk, size_t offset);
void api_pointer_walk_destroy(api_pointer_walk *walk); /* NULL is allowed */

#endif
