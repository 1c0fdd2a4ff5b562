/* A pair query by given methods instead of those of the dispatch table. */
#ifndef DISPATCH_PAIR_QUERY_H
#define DISPATCH_PAIR_QUERY_H

#include "pair/pair_cell.h"

/* Computes ct_pair_distance of two valid shapes with frames by the cell and the relation in
 * *methods. The threshold is used as it is: 0 is a threshold of 0. */
void ct_pair_distance_by_methods(ct_placed a, ct_placed b, const ct_pair_options *options,
                                 ct_workspace *workspace, const ct_pair_methods *methods,
                                 ct_pair_result *result);

/* Decides ct_pair_overlap of two valid shapes with frames by the cell or the overlap test in
 * *methods. */
bool ct_pair_overlap_by_methods(ct_placed a, ct_placed b, ct_workspace *workspace,
                                const ct_pair_methods *methods, ct_vec3 *witness);

#endif
