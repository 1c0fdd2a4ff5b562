/* The best separating normal of a polytope (box or hull) and a tapered capsule that overlap, by looking at every pair of features.
 *
 * Where the bodies are apart convex/gjk.h finds it faster; it stops where the optimum is no convex one. The normals tried are those
 * of faces, of edges and vertices against either ball, and of edges and vertices against the cone between the balls; each gives a
 * certified bound and the true optimum is among them, so the greatest of their values is the distance. Cost: vertices + edges +
 * faces of the polytope.
 */
#ifndef CONVEX_POLYTOPE_TAPERED_CAPSULE_H
#define CONVEX_POLYTOPE_TAPERED_CAPSULE_H

#include "pair/convex_proxy.h"
#include <contact/cancel.h>

typedef struct ct_tangent {
  ct_vec3 normal;       /* unit, from the polytope to the segment; of those as good as the best to round-off the greatest */
  double value;         /* signed distance along it: a lower bound */
  ct_vec3 first_normal; /* the best by value alone, and its value: the distance itself */
  double most;
  bool several; /* another normal is as good to round-off */
  bool cut;     /* cancelled: value is a true bound all the same, the distance is not above the bodies' size */
} ct_tangent;

/* `cancel`: may be NULL. */
ct_tangent ct_polytope_capsule_separation(const ct_convex_proxy *polytope, const ct_convex_proxy *segment, const ct_cancel *cancel);

#endif
