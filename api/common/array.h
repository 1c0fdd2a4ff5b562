/* Growth of arrays from malloc: checked sizes, amortised O(1) for each item, nothing changed on
 * failure.
 *
 *   if (!api_array_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
 *     return false;
 *
 * `array` is the address of the array's pointer, of any object type; the pointer is NULL while the
 * capacity is 0. It is copied as bytes, so no pointer is read through another type.
 */
#ifndef API_COMMON_ARRAY_H
#define API_COMMON_ARRAY_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Least capacity of the first allocation, in items. */
#define API_ARRAY_FIRST 8

/* Reallocates the array to `count` items of `size` bytes and sets *capacity. False: out of memory,
 * or more than SIZE_MAX bytes; array and *capacity are then unchanged. */
static inline bool api_array_resize(void *array, size_t *capacity, size_t count, size_t size) {
  assert(array && count > 0 && size > 0);
  if (count > SIZE_MAX / size) return false;
  void *old;
  memcpy(&old, array, sizeof old);
  assert((old != NULL) == (*capacity > 0));
  void *resized = realloc(old, count * size);
  if (!resized) return false;
  memcpy(array, &resized, sizeof resized);
  *capacity = count;
  return true;
}

/* Reserves space for `count` items of `size` bytes, so that *capacity >= count: the capacity grows
 * by half or to `count`, whichever is more. False: as api_array_resize. */
static inline bool api_array_reserve(void *array, size_t *capacity, size_t count, size_t size) {
  if (count <= *capacity) return true;
  size_t larger = *capacity ? *capacity + *capacity / 2 : API_ARRAY_FIRST;
  return api_array_resize(array, capacity, larger < count ? count : larger, size);
}

#endif
