/* Distance of one pair of convex bodies by Minkowski portal refinement (MPR): an alternative to
 * ct_pair_distance, on request.
 *
 * A ray from an interior point of the Minkowski difference to the origin is followed through
 * triangles of support points (portals), until a portal is on the surface. That portal determines
 * the signed distance. The sign is the exact distance's. Apart, the distance is not less than the
 * exact one; in penetration, it is not less deep. It is equal if the projection of the origin is
 * inside the portal. All statements are up to the tolerance; the bounds always contain the exact
 * distance.
 * Conventions as in pair.h: unit normal from a to b, distance < 0 is penetration, world frame, m;
 * swapping a and b mirrors the result bit for bit. Snethen 2008 (XenoCollide); Neumayr, Otter 2017
 * (distances, tolerance). */
#ifndef CONTACT_MPR_H
#define CONTACT_MPR_H

#include <contact/linkage.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

/* Flags of a result, in addition to those of pair.h. */
enum {
  /* The tolerance was not reached: the result is the best portal's; tolerance_reached is its
   * quality. */
  CT_FLAG_TOLERANCE_RAISED = 1 << 8,
  /* The interior points coincide up to round-off, so there is no ray. The result is the least of
   * six depths, along the axes of the body that is first by content. For two balls the depth is
   * exact and the normal arbitrary. */
  CT_FLAG_CENTRES_COINCIDE = 1 << 9,
  /* The Minkowski difference is flat up to round-off, or no portal was found: only the bounds are
   * reliable. */
  CT_FLAG_PLANAR_MINKOWSKI = 1 << 10
};

typedef struct ct_mpr_options {
  double tolerance; /* relative to the largest component of the first portal; 0: CT_MPR_TOLERANCE */
  /* of the portal search, and again of its refinement; 0: CT_MPR_ITERATIONS */
  uint32_t iterations_max;
} ct_mpr_options;
/* Defaults: CT_MPR_TOLERANCE and CT_MPR_ITERATIONS. */
ct_mpr_options ct_mpr_options_default(void);

typedef struct ct_mpr_result {
  double distance; /* of the portal, m */
  /* Certified, round-off included: the exact distance is between these bounds. Lower: the best
   * plane found; upper: the distance if positive, else 0. In penetration `distance` may be below
   * both. */
  double lower_bound, upper_bound;
  ct_vec3 normal; /* of the portal */
  /* point_b - point_a = distance * normal_exact, up to the tolerance; if the points coincide,
   * `normal` */
  ct_vec3 normal_exact;
  /* Points on a and b, if the portal was used unchanged. A ball or ellipsoid has its own support
   * point along the normal; against another kind, the other body's point is `distance` along the
   * normal from it. The same applies to the second body (by content) if the result is only a bound
   * (CENTRES_COINCIDE, PLANAR_MINKOWSKI). */
  ct_vec3 point_a, point_b;
  double tolerance_reached; /* relative, like the tolerance; 0 for closed forms */
  /* ITERATION_LIMIT: a limit ended a phase; DEGENERATE: see flags; UNSUPPORTED: not two convex
   * bodies */
  ct_pair_status status;
  uint32_t flags, iterations; /* iterations: support evaluations */
  /* 3: the portal's; 1: one support point is on the ray or normal; 0: closed forms */
  uint32_t support_count;
  ct_vec3 support_a[3], support_b[3]; /* points of a and b that form the portal's corners */
} ct_mpr_result;

/* True if MPR supports the kind: bounded and convex. Rounding and margin belong to the body. */
bool ct_mpr_is_supported(ct_kind kind);

/* MPR of two placed shapes, written to *result. Never fails on finite input; status and flags
 * report numerical trouble. Unsupported kinds only set the status. No allocation. Cost: about 15
 * supports; round bodies three more per decade of the tolerance. */
void ct_pair_mpr(ct_placed a, ct_placed b, const ct_mpr_options *options, ct_mpr_result *result);

/* Copies an MPR result to a pair result: distance, bounds, normal, points, status, flags,
 * iterations. The relation is TOUCHING if |distance| <= tolerance, m. An existing containment
 * relation of a penetrating pair is preserved. */
void ct_mpr_write_result(const ct_mpr_result *portal, double tolerance, ct_pair_result *result);

CT_DECLARATIONS_END

#endif
