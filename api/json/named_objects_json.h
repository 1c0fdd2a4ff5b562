/* Common form of groups and materials in JSON: objects whose keys are names, and lists of distinct
 * pairs of names. */
#ifndef API_JSON_NAMED_OBJECTS_JSON_H
#define API_JSON_NAMED_OBJECTS_JSON_H

#include "json/fields.h"

/* Allocates `count` items of `size` bytes in the reader's arena. NULL: a fault was added. */
void *api_reader_alloc(api_reader *reader, size_t count, size_t size);

/* How the values of an object with names as keys are read. */
typedef struct api_named {
  const char *one, *many; /* words for messages: "material", "materials" */
  size_t most;            /* greatest number of members */
  size_t size;            /* size of the item that `read` fills, bytes */
  bool (*read)(api_reader *reader, const api_field *field, ct_text name, void *out);
} api_named;

/* Reads all members of an object into an array in the arena, in their order. If the field is
 * absent, *out is unchanged and true is returned. BAD_VALUE: an invalid name. LIMIT_EXCEEDED: too
 * many members. */
bool api_read_named(api_reader *reader, const api_field *field, const api_named *named, void **out,
                    size_t *count);

/* An unordered pair of names. */
typedef struct api_name_pair {
  ct_text a, b;
} api_name_pair;

/* Refuses a list in which a pair occurs twice: DUPLICATE_ID with the detail `text` at the first
 * repetition. O(n log n). */
bool api_reject_repeated(api_reader *reader, const api_field *field, const api_name_pair *pairs,
                         size_t count, const char *text);

#endif
