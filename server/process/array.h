/* Growable arrays: capacity doubles, so that n additions copy O(n) items. */
#ifndef SRV_PROCESS_ARRAY_H
#define SRV_PROCESS_ARRAY_H

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

/* Reallocates an array for at least `needed` items of `size` bytes and updates *capacity. least:
 * capacity of the first allocation. Returns the array. NULL: out of memory, nothing has changed. */
static inline void *srv_array_reserve(void *items, size_t *capacity, size_t needed, size_t size,
                                      size_t least) {
  assert(size > 0 && (items != NULL) == (*capacity > 0));
  if (needed <= *capacity) return items;
  size_t larger = *capacity ? 2 * *capacity : least;
  if (larger < needed) larger = needed;
  void *grown = realloc(items, larger * size);
  if (grown) *capacity = larger;
  return grown;
}

#endif
