/* Growth of arrays on the heap: checked for overflow, amortised O(1) for each item. */
#ifndef API_COMMON_ARRAY_H
#define API_COMMON_ARRAY_H

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

/* Capacity of an array after its first allocation, items. */
#define API_ARRAY_FIRST 8

/* Resizes the array to `wanted` items of item_size bytes. NULL: out of memory, or more bytes than
 * an object can have; the array and *capacity are then unchanged. */
static inline void *api_array_resize(void *items, size_t *capacity, size_t wanted,
                                     size_t item_size) {
  assert(item_size > 0 && wanted > 0);
  if (wanted > SIZE_MAX / item_size) return NULL;
  void *resized = realloc(items, wanted * item_size);
  if (resized) *capacity = wanted;
  return resized;
}

/* Returns the array with room for at least `needed` items. If *capacity is too small, it grows by
 * half or to `needed`, whichever is more. NULL: as api_array_resize. */
static inline void *api_array_reserve(void *items, size_t *capacity, size_t needed,
                                      size_t item_size) {
  assert((items != NULL) == (*capacity > 0) && needed > 0);
  if (needed <= *capacity) return items;
  size_t wanted = *capacity ? *capacity + *capacity / 2 : API_ARRAY_FIRST;
  return api_array_resize(items, capacity, wanted < needed ? needed : wanted, item_size);
}

#endif
