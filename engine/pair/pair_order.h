/* Content order of a pair (an order of its bodies by their data), and pair distances by the
 * dispatch table. */
#ifndef PAIR_PAIR_ORDER_H
#define PAIR_PAIR_ORDER_H

#include <contact/pair.h>

/* True if b precedes a in content order: by kind, parameters, then pose. Cost: a few comparisons;
 * for equal hulls or meshes a comparison of their vertices. */
bool ct_pair_is_swapped(ct_placed a, ct_placed b);

/* The same for bodies with equal shapes: by pose only. */
bool ct_frames_are_swapped(const ct_frame *a, const ct_frame *b);

/* ct_pair_distance, except that a threshold of 0 is not replaced by INFINITY: it permits an
 * early-out for separated pairs. */
void ct_pair_distance_within(ct_placed a, ct_placed b, const ct_pair_options *options,
                             ct_workspace *workspace, ct_pair_result *result);
/* The same without the closed forms of primitive_pairs.h. */
void ct_pair_distance_by_matrix(ct_placed a, ct_placed b, const ct_pair_options *options,
                                ct_workspace *workspace, ct_pair_result *result);

#endif
