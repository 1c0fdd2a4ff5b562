/* The broad phases: each fills an output with all overlapping pairs of an array of boxes, each pair once, in any order. A new
 * method is a function here and a row in the table of broad.c. */
#ifndef BROAD_METHOD_H
#define BROAD_METHOD_H

#include "broad/pair_list.h"

ct_status ct_broad_brute_force(const ct_box *boxes, size_t count, ct_pair_output *out);
ct_status ct_broad_tree(const ct_box *boxes, size_t count, ct_pair_output *out);

/* The pairs of a tree's own leaves, by user value; users are distinct. */
ct_status ct_tree_pairs(const ct_tree *tree, ct_pair_output *out);

/* Boxes at most: what a tree may have for leaves. */
#define CT_BROAD_BOXES_MAX (1u << 30)
/* Up to this many boxes every pair is tested: building anything costs more. Measured on random boxes: at 256 brute force takes 34
 * us, the tree 42 us; at 512 the tree is twice as fast. */
#define CT_BROAD_BRUTE_FORCE_MAX 256

#endif
