/* The growing, sorted list of pairs. */
#include "broad/pair_list.h"

#include "base/heap_sort.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64
/* With fewer than one pair in this many indices counting passes cost more than a heap sort. */
#define FEW_SHARE 16
/* Pairs moved between two looks at the cancel flag: 1 ms out of the cache. */
#define PAIRS_PER_POLL 65536

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

/* What the counting passes share. */
typedef struct sorting {
  size_t pairs, count;
  size_t *starts; /* [count + 1] */
  const ct_cancel *cancel;
} sorting;

/* Stable counting pass by j (second = true) or by i. False: cancelled. */
static bool scatter(const sorting *s, const ct_pair_index *from, ct_pair_index *to, bool second) {
  size_t *starts = s->starts;
  memset(starts, 0, (s->count + 1) * sizeof *starts);
  for (size_t k = 0; k < s->pairs; k++) {
    if (k % PAIRS_PER_POLL == 0 && ct_cancel_raised(s->cancel)) return false;
    starts[(second ? from[k].j : from[k].i) + 1]++;
  }
  for (size_t k = 0; k < s->count; k++) starts[k + 1] += starts[k];
  for (size_t k = 0; k < s->pairs; k++) {
    if (k % PAIRS_PER_POLL == 0 && ct_cancel_raised(s->cancel)) return false;
    to[starts[second ? from[k].j : from[k].i]++] = from[k];
  }
  return true;
}

static bool before(const void *items, const void *by, size_t i, size_t j) {
  (void)by;
  ct_pair_index a = ((const ct_pair_index *)items)[i], b = ((const ct_pair_index *)items)[j];
  return a.i < b.i || (a.i == b.i && a.j < b.j);
}

static void swap(void *items, size_t i, size_t j) {
  ct_pair_index *item = items, moved = item[i];
  item[i] = item[j];
  item[j] = moved;
}

ct_status ct_pair_index_sort(ct_pair_index *items, size_t pairs, size_t count, const ct_cancel *cancel) {
  if (pairs < count / FEW_SHARE) return ct_heap_sort(items, pairs, NULL, before, swap, cancel) ? CT_OK : CT_CANCELLED;
  if (pairs < 2) return CT_OK;
  ct_pair_index *other = malloc(pairs * sizeof *other);
  sorting s = {pairs, count, malloc((count + 1) * sizeof *s.starts), cancel};
  ct_status status = other && s.starts ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK && !(scatter(&s, items, other, true) && scatter(&s, other, items, false))) status = CT_CANCELLED;
  free(other);
  free(s.starts);
  return status;
}
