/* Distance of two cores: descent over simplices of the Minkowski difference with a certified bracket.
 *
 * Each step takes the support along the present normal; its value is a true lower bound, the value over the simplex an upper one.
 * Gilbert, Johnson, Keerthi 1988; sub-problem in convex/simplex.h. Not here: depth, radii of untapered bodies.
 */
#ifndef CONVEX_GJK_H
#define CONVEX_GJK_H

#include "convex/simplex.h"

typedef enum ct_gjk_outcome {
  CT_GJK_SEPARATED, /* lower <= distance of the cores <= value, closed to round-off */
  CT_GJK_BEYOND,    /* lower > threshold by more than round-off: stopped early */
  CT_GJK_WITHIN,    /* value < enough: stopped early, the bodies overlap whatever the exact distance is */
  CT_GJK_INSIDE,    /* the cores overlap or touch to round-off; tapered: the optimum is not a tangent plane */
  CT_GJK_STALLED    /* the bracket is true but wider than round-off */
} ct_gjk_outcome;

typedef struct ct_gjk {
  const ct_convex_proxy *a, *b;
  double threshold; /* stop once lower > threshold beyond round-off; INFINITY for never */
  double enough;    /* stop once value < enough; -INFINITY for never */
  ct_vec3 first;    /* first direction to look along, or zero */

  ct_simplex simplex;   /* where it ended: normal, value and the vertices that carry it */
  double lower;         /* certified: the distance (of tapered bodies: signed) is not below it */
  ct_vec3 lower_normal; /* the normal that certifies it */
  uint32_t supports;
  bool exact; /* did it need grid points and exact cross products? */

  bool weighed; /* are these the weights of the simplex as it is? */
  double weights[4];
} ct_gjk;

/* The Minkowski vertex of least normal.w - radius. The indices in *near are where hulls climb from, and are overwritten. */
ct_minkowski_vertex ct_minkowski_support(const ct_convex_proxy *a, const ct_convex_proxy *b, ct_vec3 normal, uint32_t near[2]);

/* Bound of |w| over all Minkowski vertices. */
double ct_minkowski_size(const ct_convex_proxy *a, const ct_convex_proxy *b);

/* Round-off of a pair of cores at this distance: CT_ROUNDOFF_FACTOR u (L + |distance|). */
double ct_roundoff(const ct_convex_proxy *a, const ct_convex_proxy *b, double distance);

ct_gjk_outcome ct_gjk_run(ct_gjk *gjk);

/* A point on each core, and the radius of its ball there. */
typedef struct ct_proxy_points {
  ct_vec3 a, b;
  double radius_a, radius_b;
} ct_proxy_points;

/* The points of the cores that the normal joins, after CT_GJK_SEPARATED. */
ct_proxy_points ct_gjk_points(const ct_gjk *gjk);

/* The closest points of the cores that the simplex shows, wherever the descent ended; reduces the simplex. */
ct_proxy_points ct_gjk_nearest(ct_gjk *gjk);

#endif
