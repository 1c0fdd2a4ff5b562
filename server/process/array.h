/* Growth of arrays from malloc: doubled capacity, checked sizes, nothing changed on failure.
 *
 *   if (!srv_array_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items, 8))
 *     return false;
 *
 * `array` is the address of the array's pointer, of any object type; the pointer is NULL while the
 * capacity is 0. It is copied as bytes, so no pointer is read through another type.
 */
#ifndef SRV_PROCESS_ARRAY_H
#define SRV_PROCESS_ARRAY_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Reallocates the array to `count` items of `size` bytes and sets *capacity. False: out of memory,
 * or more than SIZE_MAX bytes; array and *capacity are then unchanged. */
static inline bool srv_array_resize(void *array, size_t *capacity, size_t count, size_t size) {
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

/* Returns the capacity to which an array grows for `count` items: twice the old capacity, or
 * `least` for the first allocation, or `count` if that is more. malloc returns at most SIZE_MAX / 2
 * bytes, so the double does not wrap around. */
static inline size_t srv_array_capacity(size_t capacity, size_t count, size_t least) {
  assert(count > capacity && least > 0);
  size_t larger = capacity ? 2 * capacity : least;
  return larger < count ? count : larger;
}

/* Reserves space for `count` items of `size` bytes, so that *capacity >= count. least: capacity of
 * the first allocation. False: as srv_array_resize. Amortised cost: one copy per item. */
static inline bool srv_array_reserve(void *array, size_t *capacity, size_t count, size_t size,
                                     size_t least) {
  if (count <= *capacity) return true;
  return srv_array_resize(array, capacity, srv_array_capacity(*capacity, count, least), size);
}

#endif
