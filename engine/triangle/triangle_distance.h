/* Distance of two triangles with nearest points, and exact intersection tests.
 *
 * All corners are in one frame. Triangles may be needles; a rounded transformation may even have
 * collapsed them to a segment or a point.
 */
#ifndef TRIANGLE_TRIANGLE_DISTANCE_H
#define TRIANGLE_TRIANGLE_DISTANCE_H

#include <contact/limits.h>
#include <contact/vec.h>

typedef struct ct_triangle {
  ct_vec3 v[3];
} ct_triangle;

/* Nearest points of two sets, and the direction from the first to the second. */
typedef struct ct_gap {
  double distance; /* m; 0: the sets intersect */
  ct_vec3 a, b;
  ct_vec3 normal; /* unit; b - a = distance * normal to round-off; for intersecting sets the axis of
                     least overlap */
  double overlap; /* overlap of intersecting sets along the normal, m, >= 0; else 0 */
} ct_gap;

/* Point of a triangle nearest to p, accurate to a few u for needles too. Ericson 2005, with
 * projections that do not cancel. */
ct_vec3 ct_triangle_foot(const ct_triangle *t, ct_vec3 p);

/* (b - a) x (c - a), accurate to a few u for needles too. */
ct_vec3 ct_triangle_cross(const ct_triangle *t);

/* Distance of two triangles. False, with *gap unchanged, if it is above `limit` beyond
 * round-off. Zero if and only if they share a point. Larsen, Gottschalk, Lin, Manocha 1999:
 * pairs of edges, with an early exit for a pair proven nearest. */
bool ct_triangles_gap(const ct_triangle *a, const ct_triangle *b, double limit, ct_gap *gap);

/* As ct_triangles_gap, for a segment or a point against a triangle. */
bool ct_segment_gap(const ct_vec3 segment[2], const ct_triangle *t, double limit, ct_gap *gap);
bool ct_point_gap(ct_vec3 point, const ct_triangle *t, double limit, ct_gap *gap);

/* True if two closed triangles share a point. Exact. *point (may be NULL): a common point, to
 * round-off. */
bool ct_triangles_meet(const ct_triangle *a, const ct_triangle *b, ct_vec3 *point);

/* True if the segment from p to q shares a point with the triangle. Exact. *at (may be NULL):
 * its parameter, 0 at p and 1 at q. */
bool ct_segment_meets(ct_vec3 p, ct_vec3 q, const ct_triangle *t, double *at);

#endif
