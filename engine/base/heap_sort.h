/* Heap sort (Williams 1964, Floyd 1964): in place and O(n log n) for any input.
 *
 * Not stable: the order must be total. Inline, so that the comparison is inlined into the loop.
 */
#ifndef BASE_HEAP_SORT_H
#define BASE_HEAP_SORT_H

#include <assert.h>
#include <contact/base.h>
#include <stddef.h>

/* Heap operations between two polls of the cancel flag: less than a millisecond. */
#define CT_HEAP_SORT_POLL 8192u

/* True if item i comes before item j in a strict total order; `by` is the caller's context. */
typedef bool ct_heap_before(const void *items, const void *by, size_t i, size_t j);
typedef void ct_heap_swap(void *items, size_t i, size_t j);

/* Sorts the items 0 .. count - 1 in ascending order. False: cancelled, the order is arbitrary.
 * `cancel` may be NULL. */
static inline bool ct_heap_sort(void *items, size_t count, const void *by, ct_heap_before *before,
                                ct_heap_swap *swap, const ct_cancel *cancel) {
  size_t steps = 0;
  for (size_t heap = count / 2, end = count; end > 1;) {
    /* Build the heap down to item 0, then repeatedly move its first item to the end. */
    if (heap > 0) heap--;
    else swap(items, 0, --end);
    assert(heap < end && end <= count);
    size_t at = heap;
    for (size_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
      if (child + 1 < end && before(items, by, child, child + 1)) child++;
      if (!before(items, by, at, child)) break;
      swap(items, at, child);
      at = child;
    }
    if (++steps % CT_HEAP_SORT_POLL == 0 && ct_cancel_raised(cancel)) return false;
  }
  return true;
}

#endif
