/* Depths by evaluating every candidate plane, for two kinds of pairs: a point or a segment in a
 * hull; a polytope and a tapered capsule.
 *
 * Point or segment in a hull: the faces of the Minkowski difference are the hull's faces and, for a
 * segment, the planes through a hull edge and parallel to the segment (separating axes: Gottschalk,
 * Lin, Manocha 1996). The scan needs no iterations on hulls with thousands of nearly coplanar
 * faces, for which EPA reaches its limit.
 *
 * Polytope and tapered capsule: GJK (convex/gjk.h) is faster for separated bodies, but fails if
 * overlap makes the optimum non-convex. The candidates are the normals of faces, the normals
 * between edges or vertices and either end ball, and the normals between edges or vertices and the
 * cone that connects the balls. Each candidate is a certified lower bound of the signed distance.
 * The optimum is among them, so the greatest value is the signed distance.
 *
 * Each scan takes two passes, and O(vertices + edges + faces) of the polytope. */
#ifndef CONVEX_PLANE_SCANS_H
#define CONVEX_PLANE_SCANS_H

#include "convex/epa.h"

/* Computes depth and normal from `inner`, a point or an untapered segment, to the hull. Requires
 * that the cores overlap, or touch within round-off. Returns false, with an unusable *result, if
 * the hull's own face planes do not bound the hull up to round-off, as may happen if a hull is
 * built from nearly coplanar planes. Cancelled: returns true with CT_PAIR_ITERATION_LIMIT and a
 * valid bound. `cancel` may be NULL. */
bool ct_hull_segment_depth(const ct_convex_proxy *inner, const ct_convex_proxy *hull,
                           const ct_cancel *cancel, ct_epa_result *result);

typedef struct ct_tangent {
  /* unit, from the polytope to the segment; of normals that tie within round-off, the
   * lexicographically greatest */
  ct_vec3 normal;
  double value; /* signed distance along `normal`, m: a lower bound of the distance */
  /* first normal with the greatest value, also if others tie with it, and this value: the signed
   * distance, m */
  ct_vec3 first_normal;
  double first_value;
  bool several; /* true if another normal ties within round-off */
  /* true if cancelled: `value` is still a valid lower bound, but the distance may be as large as
   * the bodies' size */
  bool cancelled;
} ct_tangent;

/* Computes the signed distance of a box or hull core, without its rounding radius, to a segment
 * with tapered radii, radii included. `cancel` may be NULL. */
ct_tangent ct_polytope_capsule_separation(const ct_convex_proxy *polytope,
                                          const ct_convex_proxy *segment, const ct_cancel *cancel);

#endif
