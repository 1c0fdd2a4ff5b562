/* Lists of the posted shapes that scenes name. */
#ifndef API_RECORDS_RECORD_SHAPE_NAMES_H
#define API_RECORDS_RECORD_SHAPE_NAMES_H

#include "common/buffer.h"

/* Names borrowed from bodies. A zeroed list is empty. */
typedef struct api_record_names {
  ct_text *items;
  size_t count, capacity;
  bool failed; /* out of memory */
} api_record_names;

void api_record_names_free(api_record_names *names);
/* Adds the shapes that the body's colliders name; body NULL: none. */
void api_record_names_add(api_record_names *names, const ct_body *body);
/* Sorts the list and removes duplicates. */
void api_record_names_sort(api_record_names *names);
/* True if both bodies name the same shapes in the same order, or both are NULL. O(colliders) */
bool api_record_names_equal(const ct_body *a, const ct_body *b);

/* Puts the ids of all shapes that the scene names, ascending, each once and ended by a zero.
 * O(colliders) */
void api_record_put_names(api_buffer *out, const ct_scene *scene);
/* True if the scene names all shapes that are in `names` and not in `others`; both lists are
 * sorted. O(names), plus colliders until all of these are found. */
bool api_record_names_all(const ct_scene *scene, const api_record_names *names,
                          const api_record_names *others);

#endif
