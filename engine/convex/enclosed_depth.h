/* Depth of a point or a segment inside a convex hull, by a scan over all candidate planes.
 *
 * The faces of the Minkowski difference are the hull's faces and, for a segment, the planes
 * through a hull edge and parallel to the segment (separating axes: Gottschalk, Lin, Manocha
 * 1996). Two passes evaluate each plane once, so hulls with thousands of nearly coplanar faces
 * need no iterations, where EPA reaches its limit. Cost: O(vertices + edges + faces) of the hull.
 */
#ifndef CONVEX_ENCLOSED_DEPTH_H
#define CONVEX_ENCLOSED_DEPTH_H

#include "convex/epa.h"

/* Computes depth and normal from `inner`, a point or an untapered segment, to the hull. Requires
 * cores that overlap, or touch to round-off. Returns false, with an unusable *result, if the
 * hull's own face planes do not bound the hull to round-off: nearly coplanar input planes can
 * build such a hull. Cancelled: returns true with CT_PAIR_ITERATION_LIMIT and a valid bound.
 * `cancel` may be NULL. */
bool ct_hull_segment_depth(const ct_convex_proxy *inner, const ct_convex_proxy *hull,
                           const ct_cancel *cancel, ct_epa_result *result);

#endif
