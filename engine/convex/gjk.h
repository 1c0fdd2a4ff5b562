/* Distance of two convex cores by the Gilbert-Johnson-Keerthi algorithm (GJK 1988) with a
 * certified bracket.
 *
 * Each iteration evaluates the support along the simplex's normal. The support value is a lower
 * bound of the distance, the value over the simplex an upper bound. The sub-problem on the simplex
 * is in convex/simplex.h.
 *
 * Not here: penetration depth (convex/epa.h), and constant radii, which the caller subtracts from
 * the distance. The radii of tapered capsules are part of their support function.
 */
#ifndef CONVEX_GJK_H
#define CONVEX_GJK_H

#include "convex/simplex.h"

typedef enum ct_gjk_outcome {
  /* lower <= distance of the cores <= value of the simplex, equal up to round-off */
  CT_GJK_SEPARATED,
  CT_GJK_BEYOND, /* early-out: lower exceeds the threshold by more than round-off */
  /* early-out: value < enough, so the bodies overlap; the exact distance is not needed */
  CT_GJK_WITHIN,
  /* the cores overlap, or touch within round-off; tapered: or no tangent plane is the optimum */
  CT_GJK_INSIDE,
  CT_GJK_STALLED /* the bounds are valid, but differ by more than round-off */
} ct_gjk_outcome;

typedef struct ct_gjk {
  const ct_convex_proxy *a, *b;
  /* GJK ends early if the lower bound of the distance exceeds this by more than round-off, m;
   * INFINITY: never */
  double threshold;
  double enough; /* GJK ends early if the value of the simplex, an upper bound, is below this, m;
                    -INFINITY: never */
  ct_vec3 first; /* initial direction; zero: choose one */

  /* final simplex: its normal and value, and the vertices that determine them */
  ct_simplex simplex;
  /* certified lower bound of the distance of the cores, m; signed for tapered bodies */
  double lower;
  ct_vec3 lower_normal; /* normal along which `lower` was found */
  uint32_t supports;
  bool exact; /* true if points on a grid and exact cross products were needed */

  bool has_weights; /* true if `weights` belong to the current simplex */
  double weights[4];
} ct_gjk;

/* Returns the Minkowski vertex that minimises normal.w - radius. hint[2]: vertices of a and b at
 * which hill climbing starts; set to the support vertices. */
ct_minkowski_vertex ct_minkowski_support(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                         ct_vec3 normal, uint32_t hint[2]);

/* Returns an upper bound of |w| over all vertices of the Minkowski difference, m. */
double ct_minkowski_size(const ct_convex_proxy *a, const ct_convex_proxy *b);

/* Returns an upper bound of the round-off of a pair's distance, CT_ROUNDOFF_FACTOR u (L +
 * |distance|), m, where L is the pair's length scale (ct_proxy_scale). */
double ct_roundoff(const ct_convex_proxy *a, const ct_convex_proxy *b, double distance);

/* Runs GJK. Inputs: a, b, threshold, enough and first; the other members are set. At most
 * CT_GJK_ITERATIONS_MAX iterations. */
ct_gjk_outcome ct_gjk_run(ct_gjk *gjk);

/* A point on each core, and the radius of the ball around it that belongs to the body. */
typedef struct ct_proxy_points {
  ct_vec3 a, b;
  double radius_a, radius_b;
} ct_proxy_points;

/* Returns the witness points of the cores; only after CT_GJK_SEPARATED. */
ct_proxy_points ct_gjk_points(const ct_gjk *gjk);

/* Returns the closest points of the cores over the final simplex, after any outcome. Reduces the
 * simplex to the vertices that determine them. */
ct_proxy_points ct_gjk_nearest(ct_gjk *gjk);

#endif
