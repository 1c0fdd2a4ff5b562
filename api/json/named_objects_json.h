/* Common form of groups and materials in JSON: objects with names as keys, and lists of distinct
 * pairs of names. */
#ifndef API_JSON_NAMED_OBJECTS_JSON_H
#define API_JSON_NAMED_OBJECTS_JSON_H

#include "json/fields.h"

/* Allocates in the reader's arena; NULL after a fault. */
void *api_reader_alloc(api_reader *reader, size_t count, size_t size);

/* Description of an object of named values. */
typedef struct api_named {
  const char *one, *many; /* "material", "materials" */
  size_t most;
  size_t size; /* of a value's destination */
  bool (*read)(api_reader *reader, const api_field *field, ct_text name, void *out);
} api_named;

/* Reads all members of an object into the arena, in their order. Absent: true, *out is unchanged.
 * BAD_VALUE: an invalid name; LIMIT_EXCEEDED: too many. */
bool api_read_named(api_reader *reader, const api_field *field, const api_named *named, void **out,
                    size_t *count);

/* An unordered pair of names. */
typedef struct api_name_pair {
  ct_text a, b;
} api_name_pair;

/* Refuses a repeated pair: DUPLICATE_ID at its first repetition, with the text. O(n log n). */
bool api_reject_repeated(api_reader *reader, const api_field *field, const api_name_pair *pairs,
                         size_t count, const char *text);

#endif
