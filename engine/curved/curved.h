/* Pairs with a curved core: distance and depth of cylinders, cones, frustums, ellipsoids and
 * tapered capsules.
 *
 * The signed distance is the maximum of s(n) = min over b of n.x - max over a of n.x, over unit
 * normals n. Every normal is therefore a certified lower bound. GJK (cores apart) or EPA (cores
 * overlapping) approaches the best normal. Newton's method on s, restricted to the normals of
 * nearby flat features, refines it to round-off. Witness points along the normal certify the upper
 * bound of a separated pair; the polytope, or a search over rings of normals, certifies that of a
 * depth.
 *
 * See curved/README.md.
 */
#ifndef CURVED_CURVED_H
#define CURVED_CURVED_H

#include "convex/gjk.h"
#include "pair/pair_cell.h"

/* State of one pair query. Points and values are those of the cores; the radii of equal end balls
 * are subtracted from the result. */
typedef struct ct_curved {
  const ct_convex_proxy *a, *b;
  double scale;            /* size of the pair, m */
  double roundoff;         /* CT_ROUNDOFF_FACTOR u scale, m */
  double stiff;            /* lower bound of the ratio of second derivatives */
  uint32_t hint[2];        /* start vertices of hill climbing */
  const ct_cancel *cancel; /* polled between steps; may be NULL */
  uint32_t supports;
} ct_curved;

/* Returns the vertex of the Minkowski difference b - a with the least n.w, for a unit normal n. */
ct_minkowski_vertex ct_curved_support(ct_curved *c, ct_vec3 normal);

/* A normal, its value, and its witness points. */
typedef struct ct_curved_answer {
  ct_vec3 normal;
  double value;  /* s(normal) */
  bool matched;  /* true if the members below are set */
  ct_vec3 a, b;  /* witness points of the cores */
  double defect; /* length of b - a across the normal, m */
  double upper;  /* |b - a| */
} ct_curved_answer;

/* Finds the best normal near a start normal: Newton's method with and without the features whose
 * normals are within `angle` (rad) of it. The value is never less than at the start. The witness
 * points are set. */
ct_curved_answer ct_curved_newton(ct_curved *c, double angle, ct_vec3 start);

/* The point of a frustum's or ellipsoid's surface, without its rounding radius, that is closest to
 * a given point. */
typedef struct ct_curved_closest {
  double distance;       /* signed, negative inside, m */
  ct_vec3 normal, point; /* outward unit normal, and the surface point */
  bool several;          /* other surface points are equally close, to round-off */
} ct_curved_closest;
/* Among equally close points the one with the greatest normal is returned (ct_normal_greater); -1
 * for `sense` compares the opposite normals. */
ct_curved_closest ct_curved_closest_point(const ct_convex_proxy *proxy, ct_vec3 p, double sense);

/* Computes a ball against a frustum or ellipsoid in closed form. Returns false, and writes nothing,
 * for other pairs. */
bool ct_curved_ball(const ct_cell_input *in, ct_cell_result *result);

/* Depth of bodies of revolution about parallel axes. */
typedef struct ct_curved_ring {
  ct_vec3 normal; /* of least depth, to about 1e-8 rad */
  double least;   /* lower bound of the depth, m */
  bool several;   /* the axes coincide: all normals of a ring have the least depth */
} ct_curved_ring;
/* Returns false for other pairs. */
bool ct_curved_parallel_axes(const ct_curved *c, ct_curved_ring *ring);

/* Result of a search over the normals around an axis. */
typedef struct ct_curved_bound {
  int normals_max;    /* input: limit of evaluated normals */
  double least;       /* lower bound of the depth, m; valid if the search returned true */
  double least_found; /* least depth of the evaluated normals, to round-off, */
  ct_vec3 normal;     /* and its normal */
} ct_curved_bound;
/* Tries to prove that the depth is at most `width` below a known depth, by sectors of normals
 * around the axis of a (of b if `second`). Returns false if there is no proof: the body is not one
 * of revolution, a lesser depth was found, or the limit of normals was reached. */
bool ct_curved_search_ring(ct_curved *c, bool second, double known, double width,
                           ct_curved_bound *bound);

/* True if the axes of both bodies nearly coincide: a search over rings then usually ends at once.
 */
bool ct_curved_coaxial(const ct_curved *c);

/* A point, and an upper bound of its distance outside of two bodies. */
typedef struct ct_curved_common {
  ct_vec3 point;
  double outside; /* m; not below 0 */
  ct_vec3 normal; /* at the last iterate; if the bodies are apart, about the normal of the gap */
  bool apart;     /* the bodies were found to be apart; then */
  ct_vec3 a, b;   /* closest points of both bodies */
} ct_curved_common;

/* Finds a point common to two overlapping bodies, starting at a point near both, with the pair's
 * normal. Returns the iterate that is least outside; ends once that is at most `enough` outside. */
ct_curved_common ct_curved_project(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                   ct_vec3 start, ct_vec3 normal, double enough);

/* Signed distance of a point from a body, rounding radius included, and the outward unit normal
 * there. Returns false, and sets neither, if the body is a polytope that contains the point to
 * round-off. */
bool ct_proxy_point_distance(const ct_convex_proxy *body, ct_vec3 p, double *distance,
                             ct_vec3 *normal);

/* Distance, overlap and common point of pairs for which ct_proxies_are_curved is true, with the
 * contracts of ct_cell_convex_convex, ct_convex_overlap and ct_convex_common_point. */
void ct_curved_distance(const ct_cell_input *in, ct_cell_result *result);
bool ct_curved_overlap(const ct_cell_input *in, ct_vec3 *common);
ct_vec3 ct_curved_common_point(const ct_cell_input *in);

#endif
