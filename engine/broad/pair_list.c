/* The growing, sorted list of pairs. */
#include "broad/pair_list.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64

void ct_pair_list_free(ct_pair_list *list) {
  free(list->items);
  *list = (ct_pair_list){NULL, 0, 0};
}

static ct_status grow(ct_pair_output *out) {
  ct_pair_list *list = out->list;
  size_t capacity = list->capacity ? list->capacity * 2 : FIRST_CAPACITY;
  if (capacity > out->limit) capacity = out->limit;
  if (capacity > SIZE_MAX / sizeof *list->items) return CT_OUT_OF_MEMORY;
  ct_pair_index *items = realloc(list->items, capacity * sizeof *items);
  if (!items) return CT_OUT_OF_MEMORY;
  list->items = items;
  list->capacity = capacity;
  return CT_OK;
}

ct_status ct_pair_output_add(ct_pair_output *out, uint32_t i, uint32_t j) {
  ct_pair_list *list = out->list;
  if (list->count == list->capacity) {
    if (list->count >= out->limit) return CT_PAIR_LIMIT;
    ct_status status = grow(out);
    if (status != CT_OK) return status;
  }
  list->items[list->count++] = i < j ? (ct_pair_index){i, j} : (ct_pair_index){j, i};
  return CT_OK;
}

/* Stable counting pass by j (second = true) or by i. starts has room for count + 1. */
static void scatter(const ct_pair_index *from, ct_pair_index *to, size_t pairs, bool second, size_t *starts, size_t count) {
  memset(starts, 0, (count + 1) * sizeof *starts);
  for (size_t k = 0; k < pairs; k++) starts[(second ? from[k].j : from[k].i) + 1]++;
  for (size_t k = 0; k < count; k++) starts[k + 1] += starts[k];
  for (size_t k = 0; k < pairs; k++) to[starts[second ? from[k].j : from[k].i]++] = from[k];
}

ct_status ct_pair_list_sort(ct_pair_list *list, size_t count) {
  if (list->count < 2) return CT_OK;
  ct_pair_index *other = malloc(list->count * sizeof *other);
  size_t *starts = malloc((count + 1) * sizeof *starts);
  bool had = other && starts;
  if (had) {
    scatter(list->items, other, list->count, true, starts, count);
    scatter(other, list->items, list->count, false, starts, count);
  }
  free(other);
  free(starts);
  return had ? CT_OK : CT_OUT_OF_MEMORY;
}
