/* Output of every broad phase method: a growing list of pairs with a limit, and its sort. */
#ifndef BROAD_PAIR_LIST_H
#define BROAD_PAIR_LIST_H

#include <contact/broad.h>

typedef struct ct_pair_output {
  ct_pair_list *list;
  size_t limit;            /* largest number of pairs */
  const ct_cancel *cancel; /* may be NULL */
  uint64_t box_tests;
  uint32_t tree_height;
  uint32_t full_sorts;
} ct_pair_output;

/* Adds the pair {i, j}, given in either order. CT_PAIR_LIMIT, CT_OUT_OF_MEMORY. */
ct_status ct_pair_output_add(ct_pair_output *out, uint32_t i, uint32_t j);

/* Adds pairs that have i < j. CT_PAIR_LIMIT, CT_OUT_OF_MEMORY: some of the pairs may have been
 * added. */
ct_status ct_pair_output_add_many(ct_pair_output *out, const ct_pair_index *pairs, size_t count);

/* Sorts pairs by (i, j); all indices are below `count`. Counting passes, O(pairs + count), or a
 * heap sort if there are few pairs. CT_OUT_OF_MEMORY; CT_CANCELLED: the content of items is
 * undefined. */
ct_status ct_pair_index_sort(ct_pair_index *items, size_t pairs, size_t count,
                             const ct_cancel *cancel);

#endif
