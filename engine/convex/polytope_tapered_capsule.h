/* Best separating normal of a polytope (box or hull) and a tapered capsule, by evaluating every
 * pair of features.
 *
 * GJK (convex/gjk.h) is faster for separated bodies, but fails where overlap makes the optimum
 * non-convex. The candidates are the normals of faces, of edges and vertices against either end
 * ball, and of edges and vertices against the cone between the balls. Each candidate gives a
 * certified lower bound, and the optimum is among them: the greatest value is the signed distance.
 *
 * Cost: O(vertices + edges + faces) of the polytope.
 */
#ifndef CONVEX_POLYTOPE_TAPERED_CAPSULE_H
#define CONVEX_POLYTOPE_TAPERED_CAPSULE_H

#include "pair/convex_proxy.h"
#include <contact/cancel.h>

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
