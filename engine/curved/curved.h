/* Pairs with a curved core: distance and depth of frustums, ellipsoids, and of capsules of two
 * radii against them.
 *
 * The signed distance is the greatest s(n) = min of n.b - max of n.a over unit normals n, so every
 * normal gives a certified lower bound. A descent over supports (apart) or a growing polytope
 * (overlapping) comes close to the best normal; Newton steps on s, restricted to the normals of the
 * flat features that are near, bring it to round-off (curved_newton.c); points that lie one above
 * the other along it close the bracket of a pair that is apart (curved_newton.c), the polytope
 * that of a depth.
 */
#ifndef CURVED_CURVED_H
#define CURVED_CURVED_H

#include "convex/gjk.h"
#include "pair/pair_cell.h"

/* A pair in the making. Points and values are those of the cores: the balls of equal radii come off
 * at the end. */
typedef struct ct_curved {
  const ct_convex_proxy *a, *b;
  double scale;    /* of the pair, m */
  double roundoff; /* CT_ROUNDOFF_FACTOR u scale, m */
  double stiff;    /* of the greatest second derivative: what the least one is taken for where it is
                      less */
  uint32_t near[2];        /* where hulls climb from */
  const ct_cancel *cancel; /* looked at now and then; may be NULL */
  uint32_t supports;
} ct_curved;

/* The Minkowski point of least n.w; n unit. */
ct_minkowski_vertex ct_curved_support(ct_curved *c, ct_vec3 normal);

/* A normal with what belongs to it. */
typedef struct ct_curved_answer {
  ct_vec3 normal;
  double value;  /* s(normal) */
  bool matched;  /* are the following set? */
  ct_vec3 a, b;  /* points of both cores that lie one above the other along the normal */
  double defect; /* by how much they do not: the length of b - a across the normal, m */
  double upper;  /* |b - a| */
} ct_curved_answer;

/* The best normal in the neighbourhood of a start: Newton from it with and without the features
 * whose normals are within `angle` (rad) of it. Its value is never less than at the start; matched.
 */
ct_curved_answer ct_curved_newton(ct_curved *c, double angle, ct_vec3 start);

/* The place of the surface of a frustum or ellipsoid, without its radius, that is nearest to a
 * point. */
typedef struct ct_curved_closest {
  double distance;       /* signed: below zero inside, m */
  ct_vec3 normal, point; /* outward unit normal there, and the place */
  bool several;          /* other places are as near to round-off */
} ct_curved_closest;
/* Of several normals n the one whose sense * n is the greatest (sense is 1 or -1). */
ct_curved_closest ct_curved_closest_point(const ct_convex_proxy *proxy, ct_vec3 p, double sense);

/* A ball and a frustum or ellipsoid, in closed form; false, and nothing written, for other pairs.
 */
bool ct_curved_ball(const ct_cell_input *in, ct_cell_result *result);

/* The depth of bodies of revolution about parallel axes. */
typedef struct ct_curved_ring {
  ct_vec3 normal; /* the best, to about 1e-8 rad */
  double least;   /* the depth is not below it, m */
  bool several;   /* the axes are one: a ring of normals is as good */
} ct_curved_ring;
/* False for other pairs. */
bool ct_curved_parallel_axes(const ct_curved *c, ct_curved_ring *ring);

/* What is known of a depth after a look around an axis. */
typedef struct ct_curved_bound {
  int looks;      /* given: at how many normals it may look */
  double least;   /* the depth is not below it, m; if all was seen */
  double seen;    /* the least depth of the normals looked at, to round-off, */
  ct_vec3 normal; /* and that normal */
} ct_curved_bound;
/* Shows that the depth is not more than `width` below one that is known: around the axis of a
 * (second: of b). False: not shown, as the body is not one of revolution, as a lesser depth was
 * seen, or as it would take too long. */
bool ct_curved_search_ring(ct_curved *c, bool second, double known, double width,
                           ct_curved_bound *bound);

/* Are the axes of both bodies nearly one, so that a look around them is likely to show a depth at
 * once? */
bool ct_curved_coaxial(const ct_curved *c);

/* A point, and how far it is outside of two bodies at most. */
typedef struct ct_curved_common {
  ct_vec3 point;
  double outside; /* m; not below 0 */
  ct_vec3 normal; /* at the end of the way; of bodies that are apart after all, about theirs */
  bool apart;     /* they are: */
  ct_vec3 a, b;   /* the places of both that are nearest to each other */
} ct_curved_common;

/* A point of two bodies that overlap, from one that is near both, and the normal of the pair; of
 * those on the way the one least outside, which ends as soon as it is not more than `enough`
 * outside. */
ct_curved_common ct_curved_project(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                   ct_vec3 start, ct_vec3 normal, double enough);

/* Signed distance of a point from a body, radius and all, and the outward unit normal there. False:
 * a polytope that holds the point to round-off; neither is set. */
bool ct_proxy_point_distance(const ct_convex_proxy *body, ct_vec3 p, double *distance,
                             ct_vec3 *normal);

/* Distance, depth and overlap like ct_cell_convex_convex and ct_convex_overlap, for
 * ct_proxies_are_curved pairs. */
void ct_curved_distance(const ct_cell_input *in, ct_cell_result *result);
bool ct_curved_overlap(const ct_cell_input *in, ct_vec3 *common);
ct_vec3 ct_curved_common_point(const ct_cell_input *in);

#endif
