/* Sorts items by a group number, and within each group in an order that the caller defines.
 * Near-linear for small groups, O(n log n) for any input. No recursion; the result depends only on
 * the two functions in ct_grouping. */
#ifndef BASE_GROUP_SORT_H
#define BASE_GROUP_SORT_H

#include <contact/base.h>
#include <stddef.h>
#include <stdint.h>

/* Group number of items that are left out of the result. */
#define CT_GROUP_NONE UINT32_MAX

typedef struct ct_grouping {
  const void *data;
  /* group number of an item, below `groups`, or CT_GROUP_NONE */
  uint32_t (*group)(const void *data, uint32_t item);
  bool (*before)(const void *data, uint32_t item,
                 uint32_t than); /* strict and total within a group */
  uint32_t items, groups;
} ct_grouping;

/* The sorted items; those of group g are items[start[g]] to items[start[g + 1] - 1]. Owns its
 * arrays. */
typedef struct ct_groups {
  uint32_t *items, *start;
  uint32_t count; /* number of sorted items, those of CT_GROUP_NONE not included */
} ct_groups;

/* Sorts the items 0 .. grouping->items - 1 into *out, whose previous content is ignored.
 * CT_OUT_OF_MEMORY, CT_CANCELLED: *out is zeroed. */
ct_status ct_group_sort(const ct_grouping *grouping, const ct_cancel *cancel, ct_groups *out);
void ct_groups_free(ct_groups *groups);

#endif
