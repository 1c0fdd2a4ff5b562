/* Distance of two convex cores by the Gilbert-Johnson-Keerthi algorithm (GJK 1988) with a
 * certified bracket.
 *
 * Each iteration evaluates the support along the simplex's normal. The support value is a lower
 * bound of the distance, the value over the simplex an upper bound. The sub-problem on the simplex
 * is in convex/simplex.h.
 *
 * Not here: penetration depth (convex/epa.h), radii of untapered bodies.
 */
#ifndef CONVEX_GJK_H
#define CONVEX_GJK_H

#include "convex/simplex.h"

typedef enum ct_gjk_outcome {
  CT_GJK_SEPARATED, /* lower <= distance of the cores <= value, closed to round-off */
  CT_GJK_BEYOND,    /* lower > threshold by more than round-off: early out */
  CT_GJK_WITHIN, /* value < enough: early out, the bodies overlap for any distance in the bracket */
  CT_GJK_INSIDE, /* the cores overlap or touch to round-off; tapered: the optimum is no tangent
                    plane */
  CT_GJK_STALLED /* the bracket is valid but wider than round-off */
} ct_gjk_outcome;

typedef struct ct_gjk {
  const ct_convex_proxy *a, *b;
  double threshold; /* early-out above this lower bound, beyond round-off, m; INFINITY: never */
  double enough;    /* early-out below this value, m; -INFINITY: never */
  ct_vec3 first;    /* initial direction, or zero */

  ct_simplex simplex;   /* final simplex: normal, value and the vertices that support them */
  double lower;         /* certified lower bound of the distance; signed for tapered bodies */
  ct_vec3 lower_normal; /* the normal that certifies `lower` */
  uint32_t supports;
  bool exact; /* true if grid points and exact cross products were needed */

  bool has_weights; /* true if `weights` belong to the current simplex */
  double weights[4];
} ct_gjk;

/* Returns the Minkowski vertex of least normal.w - radius. hint[2]: start vertices of hill
 * climbing; receives the support vertices. */
ct_minkowski_vertex ct_minkowski_support(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                         ct_vec3 normal, uint32_t hint[2]);

/* Upper bound of |w| over all Minkowski vertices. */
double ct_minkowski_size(const ct_convex_proxy *a, const ct_convex_proxy *b);

/* Round-off bound of a pair's distance: CT_ROUNDOFF_FACTOR u (L + |distance|), L the pair's length
 * scale. */
double ct_roundoff(const ct_convex_proxy *a, const ct_convex_proxy *b, double distance);

/* Runs GJK from the inputs a, b, threshold, enough and first; sets the other members. At most
 * CT_GJK_ITERATIONS_MAX iterations. */
ct_gjk_outcome ct_gjk_run(ct_gjk *gjk);

/* A point on each core and the radius of the body's ball there. */
typedef struct ct_proxy_points {
  ct_vec3 a, b;
  double radius_a, radius_b;
} ct_proxy_points;

/* After CT_GJK_SEPARATED: the witness points of the cores. */
ct_proxy_points ct_gjk_points(const ct_gjk *gjk);

/* The closest points of the cores over the final simplex, after any outcome. Reduces the
 * simplex. */
ct_proxy_points ct_gjk_nearest(ct_gjk *gjk);

#endif
