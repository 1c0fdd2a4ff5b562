/* Lists of the posted shapes to which scenes refer. */
#ifndef API_RECORDS_RECORD_SHAPE_NAMES_H
#define API_RECORDS_RECORD_SHAPE_NAMES_H

#include "common/buffer.h"

/* Names of posted shapes, borrowed from bodies. A zeroed list is empty. */
typedef struct api_record_names {
  ct_text *items;
  size_t count, capacity;
  bool failed; /* out of memory */
} api_record_names;

void api_record_names_free(api_record_names *names);
/* Adds the names of the posted shapes to which the body's colliders refer; body NULL: none. */
void api_record_names_add(api_record_names *names, const ct_body *body);
/* Sorts the names and removes duplicates. */
void api_record_names_sort(api_record_names *names);
/* True if both bodies refer to the same posted shapes in the same order, or both are NULL.
 * O(colliders). */
bool api_record_names_equal(const ct_body *a, const ct_body *b);

/* Puts the ids of all posted shapes to which the scene refers, ascending, each once and followed by
 * a zero byte. O(colliders). */
void api_record_put_names(api_buffer *out, const ct_scene *scene);
/* True if the scene refers to every shape that is in `names` and not in `others`; both lists must
 * be sorted. O(names), and the colliders up to the one that refers to the last of these shapes. */
bool api_record_names_all(const ct_scene *scene, const api_record_names *names,
                          const api_record_names *others);

#endif
