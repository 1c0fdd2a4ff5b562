/* Sort by a group number, then by the caller's order inside each group. Near-linear for small
 * groups, O(n log n) for any input. No recursion; the result depends only on the two functions. */
#ifndef BASE_GROUP_SORT_H
#define BASE_GROUP_SORT_H

#include <contact/base.h>
#include <stddef.h>
#include <stdint.h>

/* Group of items that are left out. */
#define CT_GROUP_NONE UINT32_MAX

typedef struct ct_grouping {
  const void *data;
  uint32_t (*group)(const void *data, uint32_t item); /* below `groups`, or CT_GROUP_NONE */
  bool (*before)(const void *data, uint32_t item,
                 uint32_t than); /* strict and total within a group */
  uint32_t items, groups;
} ct_grouping;

/* Sorted items; group g is items[start[g]] to items[start[g + 1] - 1]. Owns its arrays. */
typedef struct ct_groups {
  uint32_t *items, *start;
  uint32_t count; /* number of items in groups */
} ct_groups;

/* Sorts into *out, whose previous content is ignored. CT_OUT_OF_MEMORY, CT_CANCELLED: *out is
 * zeroed. */
ct_status ct_group_sort(const ct_grouping *grouping, const ct_cancel *cancel, ct_groups *out);
void ct_groups_free(ct_groups *groups);

#endif
