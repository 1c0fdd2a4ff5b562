/* Two triangles: their distance with the nearest points, and whether they share a point, decided exactly.
 *
 * Corners are in one frame. Triangles may be needles; one that was placed with rounding may even have become a segment or a point.
 * Not here: trees, meshes.
 */
#ifndef TRIANGLE_TRIANGLE_DISTANCE_H
#define TRIANGLE_TRIANGLE_DISTANCE_H

#include <contact/limits.h>
#include <contact/vec.h>

typedef struct ct_triangle {
  ct_vec3 v[3];
} ct_triangle;

/* The nearest points of two sets, and the direction from the first to the second. */
typedef struct ct_gap {
  double distance; /* 0: the sets meet */
  ct_vec3 a, b;
  ct_vec3 normal; /* unit; b - a = distance normal to round-off; of sets that meet: of the axis along which they overlap least */
  double overlap; /* of sets that meet: by how much they overlap along the normal, >= 0; else 0 */
} ct_gap;

/* Nearest point of a triangle to p, right to some u for needles too. Ericson 2005 by projections that do not cancel. */
ct_vec3 ct_triangle_foot(const ct_triangle *t, ct_vec3 p);

/* (b - a) x (c - a), right to some u for needles too. */
ct_vec3 ct_triangle_cross(const ct_triangle *t);

/* Distance of two triangles unless it is above `limit` beyond round-off: then false and *gap is as it was. Zero exactly when they
 * share a point. Larsen, Gottschalk, Lin, Manocha 1999: the pairs of edges, each with the test that shows it to be the best one. */
bool ct_triangles_gap(const ct_triangle *a, const ct_triangle *b, double limit, ct_gap *gap);

/* The same for a segment and a triangle, and for a point and one. */
bool ct_segment_gap(const ct_vec3 segment[2], const ct_triangle *t, double limit, ct_gap *gap);
bool ct_point_gap(ct_vec3 point, const ct_triangle *t, double limit, ct_gap *gap);

/* Do two triangles share a point, as closed sets? Exact. *point (may be NULL), when they do: a point of both, to round-off. */
bool ct_triangles_meet(const ct_triangle *a, const ct_triangle *b, ct_vec3 *point);

/* Does the segment from p to q share a point with the triangle? Exact. *at (may be NULL): where, 0 at p and 1 at q. */
bool ct_segment_meets(ct_vec3 p, ct_vec3 q, const ct_triangle *t, double *at);

#endif
