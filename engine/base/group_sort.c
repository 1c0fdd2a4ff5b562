/* Counting sort into groups, then insertion sort in small groups and heap sort in large ones.
 * O(n) for bounded groups, O(n log n) at worst. */
#include "base/group_sort.h"

#include "base/heap_sort.h"
#include "base/poll.h"

#include <assert.h>
#include <stdlib.h>

/* Largest group for insertion sort. */
#define INSERTION_MAX 12u
/* Number of items between two polls of the cancel flag: less than a millisecond. */
#define POLL 8192u

static bool poll_sort(uint32_t step, const ct_cancel *cancel) {
  return step % POLL == 0 && ct_cancel_raised(cancel);
}

/* Counts and scatters the items into their groups, in ascending order within each group. False:
 * cancelled. */
static bool scatter_to_groups(const ct_grouping *g, const ct_cancel *cancel, ct_groups *out) {
  for (uint32_t i = 0; i < g->items; i++) {
    if (poll_sort(i, cancel)) return false;
    uint32_t group = g->group(g->data, i);
    if (group == CT_GROUP_NONE) continue;
    assert(group < g->groups);
    out->start[group + 1]++;
    out->count++;
  }
  for (uint32_t k = 0; k < g->groups; k++) out->start[k + 1] += out->start[k];
  for (uint32_t i = 0; i < g->items; i++) {
    if (poll_sort(i, cancel)) return false;
    uint32_t group = g->group(g->data, i);
    if (group != CT_GROUP_NONE) out->items[out->start[group]++] = i;
  }
  /* Scattering has advanced start[k] to the end of group k, which is the start of group k + 1. */
  for (uint32_t k = g->groups; k > 0; k--) out->start[k] = out->start[k - 1];
  out->start[0] = 0;
  assert(out->start[g->groups] == out->count);
  return true;
}

static void sort_by_insertion(const ct_grouping *g, uint32_t *items, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    uint32_t item = items[i], j = i;
    for (; j > 0 && g->before(g->data, item, items[j - 1]); j--) items[j] = items[j - 1];
    items[j] = item;
  }
}

static bool precedes_in_group(const void *items, const void *by, size_t i, size_t j) {
  const ct_grouping *g = by;
  const uint32_t *item = items;
  return g->before(g->data, item[i], item[j]);
}

static void swap_group_items(void *items, size_t i, size_t j) {
  uint32_t *item = items, moved = item[i];
  item[i] = item[j];
  item[j] = moved;
}

/* Sorts each group in the caller's order. False: cancelled. */
static bool sort_each_group(const ct_grouping *g, const ct_cancel *cancel, ct_groups *out) {
  ct_poll poll = ct_poll_start(cancel, POLL);
  for (uint32_t k = 0; k < g->groups; k++) {
    assert(out->start[k] <= out->start[k + 1]);
    uint32_t begin = out->start[k], size = out->start[k + 1] - begin;
    if (ct_poll_cancelled(&poll, 1 + size)) return false;
    if (size <= INSERTION_MAX) sort_by_insertion(g, out->items + begin, size);
    else if (!ct_heap_sort(out->items + begin, size, g, precedes_in_group, swap_group_items,
                           cancel))
      return false;
  }
  return true;
}

ct_status ct_group_sort(const ct_grouping *g, const ct_cancel *cancel, ct_groups *out) {
  *out = (ct_groups){.items = malloc(((size_t)g->items + 1) * sizeof *out->items),
                     .start = calloc((size_t)g->groups + 1, sizeof *out->start)};
  ct_status status = CT_OK;
  if (!out->items || !out->start) status = CT_OUT_OF_MEMORY;
  else if (!scatter_to_groups(g, cancel, out) || !sort_each_group(g, cancel, out))
    status = CT_CANCELLED;
  if (status != CT_OK) ct_groups_free(out);
  return status;
}

void ct_groups_free(ct_groups *groups) {
  free(groups->items);
  free(groups->start);
  *groups = (ct_groups){0};
}
