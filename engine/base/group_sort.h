/* Items sorted by a group number, and within a group by an order of the caller's: near-linear where groups are small, O(n log n)
 * whatever they are. No recursion, and the result depends on nothing but the two functions. */
#ifndef BASE_GROUP_SORT_H
#define BASE_GROUP_SORT_H

#include <contact/cancel.h>
#include <contact/status.h>
#include <stddef.h>
#include <stdint.h>

/* An item that belongs to no group is left out. */
#define CT_GROUP_NONE UINT32_MAX

typedef struct ct_grouping {
  const void *data;
  uint32_t (*group)(const void *data, uint32_t item);             /* below `groups`, or CT_GROUP_NONE */
  bool (*before)(const void *data, uint32_t item, uint32_t than); /* strict and total within a group */
  uint32_t items, groups;
} ct_grouping;

/* Items in order; group g has those from start[g] to start[g + 1]. Owns its arrays. */
typedef struct ct_groups {
  uint32_t *items, *start;
  uint32_t count; /* of items that are in a group */
} ct_groups;

/* Fills *out, which holds nothing; frees nothing it was not given. CT_OUT_OF_MEMORY, CT_CANCELLED: *out is zeroed. */
ct_status ct_group_sort(const ct_grouping *grouping, const ct_cancel *cancel, ct_groups *out);
void ct_groups_free(ct_groups *groups);

#endif
