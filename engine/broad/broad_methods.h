/* Broad phase methods. Each adds every overlapping pair of an array of AABBs to an output, exactly
 * once, in any order. To add a method, declare a function here and add a row to the table of
 * broad.c. */
#ifndef BROAD_BROAD_METHODS_H
#define BROAD_BROAD_METHODS_H

#include "broad/pair_list.h"

ct_status ct_broad_sweep(const ct_aabb *boxes, size_t count, ct_pair_output *out);
ct_status ct_broad_sweep_single(const ct_aabb *boxes, size_t count, ct_pair_output *out);
ct_status ct_broad_hybrid(const ct_aabb *boxes, size_t count, ct_pair_output *out);
ct_status ct_broad_grid(const ct_aabb *boxes, size_t count, ct_pair_output *out);

/* The hybrid method with a given number of intervals or points below which it scans instead of
 * splitting. The result is the same for any cutoff; tests use small ones. */
ct_status ct_broad_hybrid_cut(const ct_aabb *boxes, size_t count, size_t cutoff,
                              ct_pair_output *out);

/* Compares two sorted lists of pairs: appends the pairs that are only in `after` to `begun`,
 * and those only in `before` to `ended`, both sorted. CT_OUT_OF_MEMORY. */
ct_status ct_pair_changes(const ct_pair_list *before, const ct_pair_list *after,
                          ct_pair_list *begun, ct_pair_list *ended);

/* Adds the pairs of overlapping leaves of a tree, as pairs of user values. Each leaf must have
 * its own user value. */
ct_status ct_tree_pairs(const ct_tree *tree, ct_pair_output *out);

/* Largest number of boxes: the limit of tree leaves. */
#define CT_BROAD_BOXES_MAX (1u << 30)
/* Largest number of boxes for which AUTO uses brute force, because building any structure costs
 * more. Measured on random boxes. */
#define CT_BROAD_BRUTE_FORCE_MAX 64
/* AUTO switches to the sweep for at most SWEEP_MAX boxes if the last frame needed more than
 * SWEEP_TESTS tests per box. Measured on 1000 boxes: with sizes over 1:1000 that move by a
 * hundredth of their size (50 tests per box), a frame takes 0.32 ms by sweep and 0.39 ms by grid;
 * with boxes of similar size (7 tests per box) 0.20 ms and 0.14 ms. For more boxes the sort of the
 * first frame takes too long. */
#define CT_BROAD_SWEEP_MAX 2000
#define CT_BROAD_SWEEP_TESTS 32

#endif
