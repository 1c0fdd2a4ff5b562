/* Growth of arrays from malloc: doubled capacity, checked sizes, nothing changed on failure.
 *
 *   if (!ct_array_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
 *     return CT_OUT_OF_MEMORY;
 *
 * `array` is the address of the array's pointer, of any object type; while the capacity is 0, the
 * pointer is NULL or an allocation of any size. It is copied as bytes, so no pointer is read
 * through another type.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Least capacity of the first allocation, in items. */
#define CT_ARRAY_FIRST 16
/* Largest capacity of an array with 32-bit counts: one more than its count does not wrap around. */
#define CT_ARRAY_MAX32 (UINT32_MAX - 1)

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

/* Returns the capacity to which an array grows for `count` items: twice the old capacity, or
 * `count` if that is more. malloc returns at most SIZE_MAX / 2 bytes, so the double does not wrap
 * around. */
static inline size_t ct_array_capacity(size_t capacity, size_t count) {
  assert(count > capacity);
  size_t larger = capacity ? 2 * capacity : CT_ARRAY_FIRST;
  return larger < count ? count : larger;
}

/* As ct_array_capacity, for arrays with 32-bit counts. Less than `count` if that is more than
 * CT_ARRAY_MAX32. */
static inline uint32_t ct_array_capacity32(uint32_t capacity, size_t count) {
  size_t larger = ct_array_capacity(capacity, count);
  return larger > CT_ARRAY_MAX32 ? CT_ARRAY_MAX32 : (uint32_t)larger;
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

/* As ct_array_reserve, for arrays with 32-bit counts. False also if count > CT_ARRAY_MAX32. */
static inline bool ct_array_reserve32(void *array, uint32_t *capacity, size_t count, size_t size) {
  if (count <= *capacity) return true;
  uint32_t larger = ct_array_capacity32(*capacity, count);
  if (larger < count || !ct_array_resize(array, larger, size)) return false;
  *capacity = larger;
  assert(*capacity >= count);
  return true;
}

#endif
