/* Distance and nearest points of two triangles, and exact intersection tests.
 *
 * All vertices are in one frame. Triangles may be needles; rounding in a transformation may even
 * have collapsed them to a segment or a point. */
#ifndef TRIANGLE_TRIANGLE_DISTANCE_H
#define TRIANGLE_TRIANGLE_DISTANCE_H

#include <contact/limits.h>
#include <contact/vec.h>

typedef struct ct_triangle {
  ct_vec3 v[3];
} ct_triangle;

/* Nearest points a and b of two sets, and the direction from the first set to the second. */
typedef struct ct_gap {
  double distance; /* m; 0 if and only if the sets intersect */
  ct_vec3 a, b;
  ct_vec3 normal; /* unit; b - a = distance * normal up to round-off; for intersecting sets, the
                     axis of least overlap */
  double overlap; /* overlap of intersecting sets along the normal, m, >= 0; else 0 */
} ct_gap;

/* Returns the point of a triangle nearest to p, accurate to a few unit round-offs for needles too:
 * Ericson 2005, with projections that do not cancel. */
ct_vec3 ct_triangle_foot(const ct_triangle *t, ct_vec3 p);

/* Returns (b - a) x (c - a) for the triangle's vertices a, b, c, accurate to a few unit round-offs
 * for needles too. */
ct_vec3 ct_triangle_cross(const ct_triangle *t);

/* Computes the distance of two triangles, which is zero if and only if they share a point. False:
 * it exceeds `limit` by more than round-off, and *gap is unchanged. Larsen, Gottschalk, Lin,
 * Manocha 1999: all pairs of edges, with an early exit for a pair that is proven nearest. */
bool ct_triangles_gap(const ct_triangle *a, const ct_triangle *b, double limit, ct_gap *gap);

/* As ct_triangles_gap, for a segment against a triangle, and for a point against a triangle. */
bool ct_segment_gap(const ct_vec3 segment[2], const ct_triangle *t, double limit, ct_gap *gap);
bool ct_point_gap(ct_vec3 point, const ct_triangle *t, double limit, ct_gap *gap);

/* True if two closed triangles share a point. Exact. *point is then a common point, up to
 * round-off; point may be NULL. */
bool ct_triangles_meet(const ct_triangle *a, const ct_triangle *b, ct_vec3 *point);

/* True if the segment pq shares a point with the triangle. Exact. *at is then the parameter of a
 * common point, 0 at p and 1 at q; at may be NULL. */
bool ct_segment_meets(ct_vec3 p, ct_vec3 q, const ct_triangle *t, double *at);

#endif
