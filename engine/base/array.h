/* Growth of arrays from malloc: doubled capacity, checked sizes, nothing changed on failure.
 *
 *   if (!ct_array_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
 *     return CT_OUT_OF_MEMORY;
 *
 * `array` is the address of the array's pointer, of any object type; the pointer is NULL while the
 * capacity is 0. It is copied as bytes, so no pointer is read through another type.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Capacity of the first allocation, in items. */
#define CT_ARRAY_FIRST 64

/* Reallocates the array to `count` items of `size` bytes. False: out of memory, or more than
 * SIZE_MAX bytes; the array is then unchanged. */
static inline bool ct_array_resize(void *array, size_t count, size_t size) {
  assert(array && count > 0 && size > 0);
  if (count > SIZE_MAX / size) return false;
  void *old;
  memcpy(&old, array, sizeof old);
  void *resized = realloc(old, count * size);
  if (!resized) return false;
  memcpy(array, &resized, sizeof resized);
  return true;
}

/* Returns a capacity of at least `count` items: the old capacity, doubled as often as needed. */
static inline size_t ct_array_capacity(size_t capacity, size_t count) {
  size_t larger = capacity ? capacity : CT_ARRAY_FIRST;
  while (larger < count && larger <= SIZE_MAX / 2) larger *= 2;
  return larger < count ? count : larger;
}

/* Reserves space for `count` items of `size` bytes, so that *capacity >= count. False: out of
 * memory. Amortised cost: one copy per item. */
static inline bool ct_array_reserve(void *array, size_t *capacity, size_t count, size_t size) {
  if (count <= *capacity) return true;
  size_t larger = ct_array_capacity(*capacity, count);
  if (!ct_array_resize(array, larger, size)) return false;
  *capacity = larger;
  assert(*capacity >= count);
  return true;
}

/* As ct_array_reserve, for arrays with 32-bit counts. False also if the capacity would exceed
 * UINT32_MAX. */
static inline bool ct_array_reserve32(void *array, uint32_t *capacity, uint32_t count,
                                      size_t size) {
  if (count <= *capacity) return true;
  size_t larger = ct_array_capacity(*capacity, count);
  if (larger > UINT32_MAX) larger = UINT32_MAX;
  if (!ct_array_resize(array, larger, size)) return false;
  *capacity = (uint32_t)larger;
  assert(*capacity >= count);
  return true;
}

#endif
