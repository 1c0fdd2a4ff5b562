/* Places on a line: its crossings with vertices, edge interiors and triangle interiors, and their
 * exact order along the line. */
#ifndef TRIANGLE_LINE_CROSSING_H
#define TRIANGLE_LINE_CROSSING_H

#include <contact/vec.h>

/* A place on a line: the line passes exactly through a vertex, or through the interior of an edge
 * or triangle that is not parallel to it. Coordinates and line must be in the exactness range of
 * base/predicates.h. */
typedef struct ct_line_place {
  ct_vec3 corner[3];
  int count; /* number of vertices: 1 vertex, 2 edge, 3 triangle */
} ct_line_place;

/* Returns the exact sign of t(a) - t(b), where place x is at origin + t(x) direction. Cost: a few
 * ns for equal vertices or edges; otherwise two determinants and ct_ratio_compare. */
int ct_line_place_compare(ct_vec3 origin, ct_vec3 direction, const ct_line_place *a,
                          const ct_line_place *b);

/* Returns the exact sign of the place's t; for a vertex or an edge only. */
int ct_line_place_sign(ct_vec3 origin, ct_vec3 direction, const ct_line_place *place);

/* Returns t of a vertex or an edge. Its error is a few unit round-offs of t; for an edge, also a
 * few unit round-offs of its distance from the origin. */
double ct_line_place_at(ct_vec3 origin, ct_vec3 direction, const ct_line_place *place);

#endif
