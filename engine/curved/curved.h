/* Pairs with a curved core: distance and depth of cylinders, cones, frustums, ellipsoids and
 * tapered capsules.
 *
 * The signed distance is the maximum, over unit normals n, of the separation s(n) = (min of n.x
 * over b) - (max of n.x over a). So the separation along any normal is a certified lower bound. GJK
 * (separated cores) or EPA (overlapping cores) approaches the best normal. Newton's method on s,
 * without kinks and on the kinks of nearby flat features, refines it to round-off. Witness points
 * along the normal certify the upper bound of a distance. The lower bound of a depth is certified
 * by the profile of two parallel axes, a point of one body inside the other, the polytope of EPA,
 * or a search over rings of normals.
 *
 * See curved/README.md.
 */
#ifndef CURVED_CURVED_H
#define CURVED_CURVED_H

#include "convex/gjk.h"
#include "pair/pair_cell.h"

/* State of one pair query. Points and values are those of the cores; the constant radii of
 * untapered bodies are subtracted only from the result. */
typedef struct ct_curved {
  const ct_convex_proxy *a, *b;
  double scale;    /* length scale of the pair, m */
  double roundoff; /* CT_ROUNDOFF_FACTOR u scale, m */
  /* least ratio of the second derivatives that Newton's method uses; see curved.c */
  double stiff;
  uint32_t hint[2];        /* vertices of a and b at which hill climbing starts */
  const ct_cancel *cancel; /* polled between steps; may be NULL */
  uint32_t supports;
} ct_curved;

/* Returns the vertex of the Minkowski difference b - a with the least n.w, for a unit normal n. */
ct_minkowski_vertex ct_curved_support(ct_curved *c, ct_vec3 normal);

/* A normal, its value, and its witness points. */
typedef struct ct_curved_answer {
  ct_vec3 normal;
  double value;  /* s(normal), the separation of the cores along it, m */
  bool matched;  /* true if the witness points and the members below are set */
  ct_vec3 a, b;  /* witness points of the cores */
  double defect; /* length of the component of b - a across the normal, m */
  double upper;  /* |b - a|, an upper bound of the cores' distance, m */
} ct_curved_answer;

/* Finds the best normal near a start normal by Newton's method, without kinks and on the kinks of
 * both bodies whose normals are within `angle` (rad) of `start`. Its value is never less than that
 * of `start`. The witness points are set. */
ct_curved_answer ct_curved_newton(ct_curved *c, double angle, ct_vec3 start);

/* The point of a frustum's or ellipsoid's surface, without its rounding radius, that is closest to
 * a given point. */
typedef struct ct_curved_closest {
  double distance;       /* signed, negative inside, m */
  ct_vec3 normal, point; /* outward unit normal, and the surface point */
  bool several;          /* true if other surface points are equally close, up to round-off */
} ct_curved_closest;
/* Returns the closest surface point. Of equally close points the one with the greatest normal is
 * returned (ct_normal_greater); with sense = -1 the opposite normals are compared. */
ct_curved_closest ct_curved_closest_point(const ct_convex_proxy *proxy, ct_vec3 p, double sense);

/* Computes the distance of a ball from a frustum or ellipsoid, from the closest surface point to
 * the ball's centre. Returns false, and writes nothing, for other pairs. */
bool ct_curved_ball(const ct_cell_input *in, ct_cell_result *result);

/* Depth of two bodies of revolution with parallel axes. */
typedef struct ct_curved_ring {
  ct_vec3 normal; /* direction of least depth, with an error of about 1e-8 rad */
  double least;   /* lower bound of the depth, m */
  /* true if the axes coincide, so that all normals of a ring have the least depth */
  bool several;
} ct_curved_ring;
/* Computes the depth of two bodies of revolution with parallel axes. False: a body is not one of
 * revolution, or the axes are not parallel. */
bool ct_curved_parallel_axes(const ct_curved *c, ct_curved_ring *ring);

/* Result of a search over the normals around an axis. */
typedef struct ct_curved_bound {
  int normals_max;    /* input: largest number of evaluated normals */
  double least;       /* lower bound of the depth, m; valid if the search returned true */
  double least_found; /* least depth of the evaluated normals, m, up to round-off */
  ct_vec3 normal;     /* the evaluated normal with the depth least_found */
} ct_curved_bound;
/* Tries to prove that the depth is at most `width` less than the known depth of one normal, by
 * sectors of normals around the axis of a (of b if `second`). Returns false if there is no proof:
 * the body is not one of revolution, a lesser depth was found, or the limit of normals was
 * reached. */
bool ct_curved_search_ring(ct_curved *c, bool second, double known, double width,
                           ct_curved_bound *bound);

/* True if the axes of both bodies nearly coincide; the search over rings of normals is then usually
 * short. */
bool ct_curved_coaxial(const ct_curved *c);

/* A point near both bodies, and an upper bound of its distance outside of them. */
typedef struct ct_curved_common {
  ct_vec3 point;
  double outside; /* upper bound of the point's distance from the farther body, m; >= 0 */
  /* unit, from a to b: surface normal at the last iterate (not at `point`); if `apart`,
   * approximates the direction from closest point a to closest point b */
  ct_vec3 normal;
  bool apart;   /* true if the bodies were found to be separated */
  ct_vec3 a, b; /* if `apart`: closest points of both bodies */
} ct_curved_common;

/* Finds a point common to two overlapping bodies, rounding radii included. start: a point near
 * both; normal: the pair's normal. Returns the iterate with the least `outside`; ends as soon as
 * that is at most `enough`. */
ct_curved_common ct_curved_project(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                   ct_vec3 start, ct_vec3 normal, double enough);

/* Computes the signed distance of a point from a body, rounding radius included, and the outward
 * unit normal there. Returns false, and sets neither, if the body is a polytope whose core contains
 * the point up to round-off. */
bool ct_proxy_point_distance(const ct_convex_proxy *body, ct_vec3 p, double *distance,
                             ct_vec3 *normal);

/* Distance, overlap and common point of pairs for which ct_proxies_are_curved is true, with the
 * contracts of ct_cell_convex_convex, ct_convex_overlap and ct_convex_common_point. */
void ct_curved_distance(const ct_cell_input *in, ct_cell_result *result);
bool ct_curved_overlap(const ct_cell_input *in, ct_vec3 *common);
ct_vec3 ct_curved_common_point(const ct_cell_input *in);

#endif
