/* Output of every broad phase: a growing list of pairs with a limit, sorted at the end. */
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

/* Adds {i, j}, in either order. CT_PAIR_LIMIT, CT_OUT_OF_MEMORY. */
ct_status ct_pair_output_add(ct_pair_output *out, uint32_t i, uint32_t j);

/* Adds pairs with i < j. CT_PAIR_LIMIT, CT_OUT_OF_MEMORY: some of them may have been added. */
ct_status ct_pair_output_add_many(ct_pair_output *out, const ct_pair_index *pairs, size_t count);

/* Sorts by (i, j); indices are below count. Counting passes, O(pairs + count), or a heap sort
 * for few pairs. CT_OUT_OF_MEMORY; CT_CANCELLED: the pairs are undefined. */
ct_status ct_pair_index_sort(ct_pair_index *items, size_t pairs, size_t count,
                             const ct_cancel *cancel);

#endif
