/* What a scene's groups and materials have alike in JSON: objects whose keys are names, and lists of pairs, each pair once. */
#ifndef API_JSON_NAMED_OBJECTS_JSON_H
#define API_JSON_NAMED_OBJECTS_JSON_H

#include "json/fields.h"

/* Room in the reader's arena; NULL after a fault. */
void *api_reader_alloc(api_reader *reader, size_t count, size_t size);

/* What the names are of, at most so many. */
typedef struct api_named {
  const char *one, *many; /* "material", "materials" */
  size_t most;
  size_t size; /* of what each is read into, bytes */
  bool (*read)(api_reader *reader, const api_field *field, ct_text name, void *out);
} api_named;

/* All members of an object: *out is in the arena, in their order. Absent: true, and nothing is set. A name that is none: BAD_VALUE;
 * too many: LIMIT_EXCEEDED. */
bool api_read_named(api_reader *reader, const api_field *field, const api_named *named, void **out, size_t *count);

/* Two names, without regard to order. */
typedef struct api_name_pair {
  ct_text a, b;
} api_name_pair;

/* The first pair that stands in the list before: DUPLICATE_ID at its element, with the text. O(n log n). */
bool api_reject_repeated(api_reader *reader, const api_field *field, const api_name_pair *pairs, size_t count, const char *text);

#endif
