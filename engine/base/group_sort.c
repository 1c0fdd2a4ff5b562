/* A counting sort into groups, then insertion in small groups and heap sort in large ones. */
#include "base/group_sort.h"

#include "base/heap_sort.h"

#include <stdlib.h>

/* Groups up to this size are sorted by insertion. */
#define INSERTION_MAX 12u
/* Items between two looks at the cancel flag: below a millisecond. */
#define POLL 8192u

static bool cancelled(uint32_t step, const ct_cancel *cancel) { return step % POLL == 0 && ct_cancel_raised(cancel); }

/* Items in the order of their groups, ascending within each. False: cancelled. */
static bool scatter(const ct_grouping *g, const ct_cancel *cancel, ct_groups *out) {
  for (uint32_t i = 0; i < g->items; i++) {
    if (cancelled(i, cancel)) return false;
    uint32_t group = g->group(g->data, i);
    if (group == CT_GROUP_NONE) continue;
    out->start[group + 1]++;
    out->count++;
  }
  for (uint32_t k = 0; k < g->groups; k++) out->start[k + 1] += out->start[k];
  for (uint32_t i = 0; i < g->items; i++) {
    if (cancelled(i, cancel)) return false;
    uint32_t group = g->group(g->data, i);
    if (group != CT_GROUP_NONE) out->items[out->start[group]++] = i;
  }
  /* Each start has moved to its group's end, which is the next one's start. */
  for (uint32_t k = g->groups; k > 0; k--) out->start[k] = out->start[k - 1];
  out->start[0] = 0;
  return true;
}

static void insert(const ct_grouping *g, uint32_t *items, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    uint32_t item = items[i], j = i;
    for (; j > 0 && g->before(g->data, item, items[j - 1]); j--) items[j] = items[j - 1];
    items[j] = item;
  }
}

static bool before(const void *items, const void *by, size_t i, size_t j) {
  const ct_grouping *g = by;
  const uint32_t *item = items;
  return g->before(g->data, item[i], item[j]);
}

static void swap(void *items, size_t i, size_t j) {
  uint32_t *item = items, moved = item[i];
  item[i] = item[j];
  item[j] = moved;
}

/* False: cancelled. */
static bool sort_groups(const ct_grouping *g, const ct_cancel *cancel, ct_groups *out) {
  for (uint32_t k = 0; k < g->groups; k++) {
    uint32_t begin = out->start[k], size = out->start[k + 1] - begin;
    if (cancelled(k, cancel)) return false;
    if (size <= INSERTION_MAX) insert(g, out->items + begin, size);
    else if (!ct_heap_sort(out->items + begin, size, g, before, swap, cancel)) return false;
  }
  return true;
}

ct_status ct_group_sort(const ct_grouping *g, const ct_cancel *cancel, ct_groups *out) {
  *out = (ct_groups){.items = malloc(((size_t)g->items + 1) * sizeof *out->items),
                     .start = calloc((size_t)g->groups + 1, sizeof *out->start)};
  ct_status status = CT_OK;
  if (!out->items || !out->start) status = CT_OUT_OF_MEMORY;
  else if (!scatter(g, cancel, out) || !sort_groups(g, cancel, out)) status = CT_CANCELLED;
  if (status != CT_OK) ct_groups_free(out);
  return status;
}

void ct_groups_free(ct_groups *groups) {
  free(groups->items);
  free(groups->start);
  *groups = (ct_groups){0};
}
