/* Depth of two overlapping boxes by the separating axis test: three face normals of each and nine
 * edge cross products (Gottschalk, Lin, Manocha 1996).
 *
 * For boxes that overlap, or touch to round-off, the least overlap over these axes is the depth.
 * For separated boxes it is not the distance.
 */
#ifndef PRIMITIVES_BOX_CELLS_H
#define PRIMITIVES_BOX_CELLS_H

#include "convex/epa.h"
#include "pair/pair_cell.h"

/* Writes depth and normal of two box cores, without rounding; ties give the greater normal. */
void ct_box_box_depth(const ct_convex_proxy *a, const ct_convex_proxy *b, ct_epa_result *result);

#endif
