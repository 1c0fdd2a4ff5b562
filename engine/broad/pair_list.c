/* Growing list of pairs with a limit, and its sort: radix sort by (i, j), or heap sort for few
 * pairs. */
#include "broad/pair_list.h"

#include "base/array.h"
#include "base/heap_sort.h"

#include <stdlib.h>
#include <string.h>

/* A heap sort is cheaper than counting passes if there are fewer pairs than indices divided by this
 * number. */
#define HEAP_SORT_SHARE 16
/* Number of pairs moved between two polls of the cancel flag: 1 ms if they are not in the cache. */
#define PAIRS_PER_POLL 65536

void ct_pair_list_free(ct_pair_list *list) {
  free(list->items);
  *list = (ct_pair_list){NULL, 0, 0};
}

static ct_status grow_pair_list(ct_pair_output *out) {
  ct_pair_list *list = out->list;
  size_t capacity = ct_array_capacity(list->capacity, list->capacity + 1);
  if (capacity > out->limit) capacity = out->limit;
  if (!ct_array_resize(&list->items, capacity, sizeof *list->items)) return CT_OUT_OF_MEMORY;
  list->capacity = capacity;
  return CT_OK;
}

ct_status ct_pair_output_add(ct_pair_output *out, uint32_t i, uint32_t j) {
  ct_pair_list *list = out->list;
  if (list->count == list->capacity) {
    if (list->count >= out->limit) return CT_PAIR_LIMIT;
    ct_status status = grow_pair_list(out);
    if (status != CT_OK) return status;
  }
  list->items[list->count++] = i < j ? (ct_pair_index){i, j} : (ct_pair_index){j, i};
  return CT_OK;
}

ct_status ct_pair_output_add_many(ct_pair_output *out, const ct_pair_index *pairs, size_t count) {
  ct_pair_list *list = out->list;
  while (count > list->capacity - list->count) {
    if (list->capacity >= out->limit) return CT_PAIR_LIMIT;
    ct_status status = grow_pair_list(out);
    if (status != CT_OK) return status;
  }
  if (count > 0) memcpy(list->items + list->count, pairs, count * sizeof *pairs);
  list->count += count;
  return CT_OK;
}

static bool precedes_as_pair(const void *items, const void *by, size_t i, size_t j) {
  (void)by;
  ct_pair_index a = ((const ct_pair_index *)items)[i], b = ((const ct_pair_index *)items)[j];
  return a.i < b.i || (a.i == b.i && a.j < b.j);
}

static void swap_pair_items(void *items, size_t i, size_t j) {
  ct_pair_index *item = items, moved = item[i];
  item[i] = item[j];
  item[j] = moved;
}

/* Sorts the pairs by two counting passes: by j, storing only i in by_j; then by i, back into the
 * pairs. starts: zeroed scratch memory for 2 (count + 1) numbers. False: cancelled. */
static bool sort_pairs_by_counting(ct_pair_index *items, uint32_t pairs, size_t count,
                                   uint32_t *by_j, uint32_t *starts, const ct_cancel *cancel) {
  uint32_t *start_i = starts, *start_j = starts + count + 1;
  for (uint32_t k = 0; k < pairs; k++) {
    start_i[items[k].i + 1]++;
    start_j[items[k].j + 1]++;
  }
  for (size_t v = 0; v < count; v++) {
    start_i[v + 1] += start_i[v];
    start_j[v + 1] += start_j[v];
  }
  for (uint32_t k = 0; k < pairs; k++) {
    if (k % PAIRS_PER_POLL == 0 && ct_cancel_raised(cancel)) return false;
    by_j[start_j[items[k].j]++] = items[k].i;
  }
  /* The first pass has advanced start_j[v] to the end of the pairs with j = v. */
  for (uint32_t v = 0, k = 0; v < count; v++) {
    if (v % PAIRS_PER_POLL == 0 && ct_cancel_raised(cancel)) return false;
    for (; k < start_j[v]; k++) items[start_i[by_j[k]]++] = (ct_pair_index){by_j[k], v};
  }
  return true;
}

ct_status ct_pair_index_sort(ct_pair_index *items, size_t pairs, size_t count,
                             const ct_cancel *cancel) {
  if (ct_cancel_raised(cancel)) return CT_CANCELLED;
  if (pairs < count / HEAP_SORT_SHARE || pairs > UINT32_MAX)
    return ct_heap_sort(items, pairs, NULL, precedes_as_pair, swap_pair_items, cancel)
               ? CT_OK
               : CT_CANCELLED;
  if (pairs < 2) return CT_OK;
  uint32_t *by_j = malloc(pairs * sizeof *by_j), *starts = calloc(2 * (count + 1), sizeof *starts);
  ct_status status = by_j && starts ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK &&
      !sort_pairs_by_counting(items, (uint32_t)pairs, count, by_j, starts, cancel))
    status = CT_CANCELLED;
  free(by_j);
  free(starts);
  return status;
}
