/* The order in which a pair is computed, and its answer by the matrix. */
#ifndef PAIR_PAIR_ORDER_H
#define PAIR_PAIR_ORDER_H

#include <contact/pair.h>

/* Does b come before a by content: kind, parameters, pose? Cost: a few comparisons; of equal hulls or meshes their vertices. */
bool ct_pair_is_swapped(ct_placed a, ct_placed b);

/* The same of equal shapes, by pose alone. */
bool ct_frames_are_swapped(const ct_frame *a, const ct_frame *b);

/* ct_pair_distance with a threshold of 0 taken as it is: pairs that are apart may be answered early. */
void ct_pair_distance_within(ct_placed a, ct_placed b, const ct_pair_options *options, ct_workspace *workspace,
                             ct_pair_result *result);
/* The same without the short forms of primitive_pairs.h. */
void ct_pair_distance_by_matrix(ct_placed a, ct_placed b, const ct_pair_options *options, ct_workspace *workspace,
                                ct_pair_result *result);

#endif
