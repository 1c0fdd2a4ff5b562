/* Broad phase methods. Each adds every overlapping pair of an array of AABBs to an output, once,
 * in any order. A new method is a function here and a row in the table of broad.c. */
#ifndef BROAD_BROAD_METHODS_H
#define BROAD_BROAD_METHODS_H

#include "broad/pair_list.h"

ct_status ct_broad_sweep(const ct_aabb *boxes, size_t count, ct_pair_output *out);
ct_status ct_broad_sweep_single(const ct_aabb *boxes, size_t count, ct_pair_output *out);
ct_status ct_broad_hybrid(const ct_aabb *boxes, size_t count, ct_pair_output *out);
ct_status ct_broad_grid(const ct_aabb *boxes, size_t count, ct_pair_output *out);

/* Hybrid method with a given cutoff between splits and scans. The result is the same for any
 * cutoff; tests use small ones. */
ct_status ct_broad_hybrid_cut(const ct_aabb *boxes, size_t count, size_t cutoff,
                              ct_pair_output *out);

/* Adds the differences of two sorted lists to `begun` and `ended`, sorted. CT_OUT_OF_MEMORY. */
ct_status ct_pair_changes(const ct_pair_list *before, const ct_pair_list *after,
                          ct_pair_list *begun, ct_pair_list *ended);

/* Pairs of overlapping leaves of a tree, by user value. Requires distinct users. */
ct_status ct_tree_pairs(const ct_tree *tree, ct_pair_output *out);

/* Largest number of boxes: the limit of tree leaves. */
#define CT_BROAD_BOXES_MAX (1u << 30)
/* Largest number of boxes for brute force; building a structure costs more. Measured on random
 * boxes. */
#define CT_BROAD_BRUTE_FORCE_MAX 64
/* Limits for switching to sweep: number of boxes, and tests per box in the last frame. Measured
 * on 1000 boxes: sizes over 1:1000 that move by a hundredth of them (50 tests a box) take 0.32
 * ms by sweep and 0.39 ms by grid; boxes of similar size (7 tests a box) 0.20 ms and 0.14 ms. More
 * boxes take too long to sort in the first frame. */
#define CT_BROAD_SWEEP_MAX 2000
#define CT_BROAD_SWEEP_TESTS 32

#endif
