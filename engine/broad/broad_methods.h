/* The broad phases: each fills an output with all overlapping pairs of an array of boxes, each pair once, in any order. A new
 * method is a function here and a row in the table of broad.c. */
#ifndef BROAD_BROAD_METHODS_H
#define BROAD_BROAD_METHODS_H

#include "broad/pair_list.h"

ct_status ct_broad_brute_force(const ct_aabb *boxes, size_t count, ct_pair_output *out);
ct_status ct_broad_tree(const ct_aabb *boxes, size_t count, ct_pair_output *out);
ct_status ct_broad_sweep(const ct_aabb *boxes, size_t count, ct_pair_output *out);
ct_status ct_broad_sweep_single(const ct_aabb *boxes, size_t count, ct_pair_output *out);
ct_status ct_broad_hybrid(const ct_aabb *boxes, size_t count, ct_pair_output *out);
ct_status ct_broad_grid(const ct_aabb *boxes, size_t count, ct_pair_output *out);

/* The hybrid with another cutoff between splits and scans: the list is the same, which tests show with small ones. */
ct_status ct_broad_hybrid_cut(const ct_aabb *boxes, size_t count, size_t cutoff, ct_pair_output *out);

/* What two sorted lists differ in, added to `begun` and `ended`, sorted. CT_OUT_OF_MEMORY. */
ct_status ct_pair_changes(const ct_pair_list *before, const ct_pair_list *after, ct_pair_list *begun, ct_pair_list *ended);

/* The pairs of a tree's own leaves, by user value; users are distinct. */
ct_status ct_tree_pairs(const ct_tree *tree, ct_pair_output *out);

/* Boxes at most: what a tree may have for leaves. */
#define CT_BROAD_BOXES_MAX (1u << 30)
/* Up to this many boxes every pair is tested: building anything costs more. Measured on random boxes. */
#define CT_BROAD_BRUTE_FORCE_MAX 64
/* Up to this many boxes, of which each took more than so many tests, the next frame is swept: of 1000 boxes whose sizes are spread
 * over 1:1000 and that move by a hundredth of them (50 tests a box) a frame takes 0.32 ms by the sweep and 0.39 ms by the grid; of
 * boxes of like size (7 tests a box) 0.20 ms and 0.14 ms. More boxes take too long to sort in the first frame. */
#define CT_BROAD_SWEEP_MAX 2000
#define CT_BROAD_SWEEP_TESTS 32

#endif
