/* The depth of two overlapping boxes by separating axes: three face normals of each and nine products of edges.
 *
 * Where the boxes overlap, or touch to round-off, the least overlap over these axes is the depth. Gottschalk, Lin, Manocha 1996.
 */
#ifndef PRIMITIVES_BOX_CELLS_H
#define PRIMITIVES_BOX_CELLS_H

#include "convex/epa.h"
#include "pair/pair_cell.h"

void ct_box_box_depth(const ct_convex_proxy *a, const ct_convex_proxy *b, ct_epa_result *result);

#endif
