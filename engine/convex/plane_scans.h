/* Depths by evaluating every candidate plane: a point or a segment in a hull; a polytope and a
 * tapered capsule.
 *
 * Point or segment in a hull: the faces of the Minkowski difference are the hull's faces and, for a
 * segment, the planes through a hull edge and parallel to the segment (separating axes: Gottschalk,
 * Lin, Manocha 1996). Hulls with thousands of nearly coplanar faces need no iterations, where EPA
 * reaches its limit.
 *
 * Polytope and tapered capsule: GJK (convex/gjk.h) is faster for separated bodies, but fails where
 * overlap makes the optimum non-convex. The candidates are the normals of faces, of edges and
 * vertices against either end ball, and of edges and vertices against the cone between the balls.
 * Each candidate gives a certified lower bound, and the optimum is among them: the greatest value
 * is the signed distance.
 *
 * Both take two passes, and O(vertices + edges + faces) of the polytope.
 */
#ifndef CONVEX_PLANE_SCANS_H
#define CONVEX_PLANE_SCANS_H

#include "convex/epa.h"

/* Computes depth and normal from `inner`, a point or an untapered segment, to the hull. Requires
 * cores that overlap, or touch to round-off. Returns false, with an unusable *result, if the
 * hull's own face planes do not bound the hull to round-off: nearly coplanar input planes can
 * build such a hull. Cancelled: returns true with CT_PAIR_ITERATION_LIMIT and a valid bound.
 * `cancel` may be NULL. */
bool ct_hull_segment_depth(const ct_convex_proxy *inner, const ct_convex_proxy *hull,
                           const ct_cancel *cancel, ct_epa_result *result);

typedef struct ct_tangent {
  ct_vec3 normal; /* unit, from the polytope to the segment; the greatest normal of those that tie
                     to round-off */
  double value;   /* signed distance along `normal`: a lower bound */
  ct_vec3 first_normal; /* normal of the greatest value before ties are broken, and that value: the
                           distance */
  double first_value;
  bool several;   /* another normal ties to round-off */
  bool cancelled; /* cancelled: `value` is still a valid lower bound; the distance is at most the
               bodies' size */
} ct_tangent;

/* Computes the signed distance of a box or hull core, without its rounding, to a tapered segment.
 * `cancel` may be NULL. */
ct_tangent ct_polytope_capsule_separation(const ct_convex_proxy *polytope,
                                          const ct_convex_proxy *segment, const ct_cancel *cancel);

#endif
