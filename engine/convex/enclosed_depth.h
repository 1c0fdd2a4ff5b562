/* The depth of a point or a segment in a hull: one scan over the planes that can hold it.
 *
 * The faces of their Minkowski difference are the faces of the hull and, for a segment, the planes that hold an edge of the hull
 * and the direction of the segment. The scan takes each once, so hulls of thousands of nearly equal faces cost no rounds, where a
 * growing polytope runs out of them. Cost: vertices + edges + faces of the hull. Gottschalk, Lin, Manocha 1996, for these kinds.
 */
#ifndef CONVEX_ENCLOSED_DEPTH_H
#define CONVEX_ENCLOSED_DEPTH_H

#include "convex/epa.h"

/* Depth and normal from `inner`, a point or an untapered segment, to the hull; the cores overlap, or touch to round-off. False, and
 * nothing of use in *result, where the hull's own planes do not bound it to round-off: a hull made from planes that meet at
 * hair's breadth. Cancelled: CT_PAIR_ITERATION_LIMIT and a true bound. */
bool ct_hull_segment_depth(const ct_convex_proxy *inner, const ct_convex_proxy *hull, const ct_cancel *cancel,
                           ct_epa_result *result);

#endif
