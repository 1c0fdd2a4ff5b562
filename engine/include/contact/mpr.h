/* One pair of convex bodies by Minkowski portal refinement: a method asked for by name, beside ct_pair_distance.
 *
 * A ray from an interior point of the Minkowski difference to the origin is followed through triangles of support points, portals,
 * until a portal is on the surface; the portal tells the signed distance. The sign is that of the exact distance. Apart, the answer
 * is no less than the exact distance; in depth, no less deep; equal to it where the foot of the origin is inside the portal. All to
 * the tolerance. The bounds hold the exact distance, always.
 * Conventions as in pair.h: the normal is unit and points from a to b, distance < 0 is penetration, world frame, m; a swap mirrors
 * the answer bit for bit. Snethen 2008 (XenoCollide); Neumayr, Otter 2017 (distances, tolerance).
 */
#ifndef CONTACT_MPR_H
#define CONTACT_MPR_H

#include <contact/linkage.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

/* Flags of an answer, beside those of pair.h. */
enum {
  /* The tolerance was not reached: the answer is the best portal's, and tolerance_reached tells how good it is. */
  CT_FLAG_TOLERANCE_RAISED = 1 << 8,
  /* The interior points are one to round-off: no ray. The answer is the least of six depths, along the axes of the frame of the
   * body that comes first by content. Of two balls the depth is right and the normal arbitrary. */
  CT_FLAG_CENTRES_COINCIDE = 1 << 9,
  /* The Minkowski difference is flat to round-off, or the search for a portal ended without one: only the bounds are to be trusted.
   */
  CT_FLAG_PLANAR_MINKOWSKI = 1 << 10
};

typedef struct ct_mpr_options {
  double tolerance;        /* relative to the largest component of the first portal; 0: CT_MPR_TOLERANCE */
  uint32_t iterations_max; /* of the search for a portal, and again of its refinement; 0: CT_MPR_ITERATIONS */
} ct_mpr_options;
/* Defaults: CT_MPR_TOLERANCE and CT_MPR_ITERATIONS. */
ct_mpr_options ct_mpr_options_default(void);

typedef struct ct_mpr_result {
  double distance; /* as the portal tells */
  /* Certified, round-off included: the exact distance is between them. The lower one is the best plane seen; the upper one is the
   * distance where it is positive, else 0. In depth `distance` itself may be below both. */
  double lower_bound, upper_bound;
  ct_vec3 normal;       /* of the portal */
  ct_vec3 normal_exact; /* point_b - point_a = distance * normal_exact, to the tolerance; of points that are one, `normal` */
  /* On a and b where the portal was used as it is. A ball or an ellipsoid has its point at its own support along the normal, and
   * opposite a body of another kind that body's point is distance along the normal from it; so is the second body's (by content) of
   * an answer that is only a bound (CENTRES_COINCIDE, PLANAR_MINKOWSKI). */
  ct_vec3 point_a, point_b;
  double tolerance_reached; /* relative, as the tolerance; 0 for closed forms */
  ct_pair_status status;    /* ITERATION_LIMIT: a limit ended a phase; DEGENERATE: flags tell; UNSUPPORTED: not two convex bodies */
  uint32_t flags, iterations;         /* iterations: supports taken */
  uint32_t support_count;             /* 3, the portal's; 1 where one support lies on the ray or the normal; 0 for closed forms */
  ct_vec3 support_a[3], support_b[3]; /* the points of a and b that the portal's corners are made of */
} ct_mpr_result;

/* Is the kind one that has a portal: bounded and convex? Its rounding and margin count as part of the body. */
bool ct_mpr_is_supported(ct_kind kind);

/* Never fails on finite input; trouble is in result->status and flags. Of other kinds than ct_mpr_is_supported allows nothing but
 * the status is told. No allocation. Cost: about 15 supports, three per decade of the tolerance for bodies that are round. */
void ct_pair_mpr(ct_placed a, ct_placed b, const ct_mpr_options *options, ct_mpr_result *result);

/* Writes what a portal found into a pair's result: distance, bounds, normal, points, status, flags and iterations; touching where
 * the size of the distance is at most the tolerance, m. A pair that penetrates keeps a relation of containment that it had. */
void ct_mpr_write_result(const ct_mpr_result *portal, double tolerance, ct_pair_result *result);

CT_DECLARATIONS_END

#endif
