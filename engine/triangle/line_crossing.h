/* Places on a line: its crossings with vertices, edge interiors and triangle interiors, and
 * their exact order. */
#ifndef TRIANGLE_LINE_CROSSING_H
#define TRIANGLE_LINE_CROSSING_H

#include <contact/vec.h>

/* The line passes exactly through the interior of the corners' span: a point, or an edge or
 * triangle that is not parallel to it. Coordinates and line are in the exactness range of
 * base/predicates.h. */
typedef struct ct_line_place {
  ct_vec3 corner[3];
  int count; /* corners: 1, 2 or 3 */
} ct_line_place;

/* Sign of t(a) - t(b) on origin + t direction, exact. Cost: a few ns for equal vertices or
 * edges; else two determinants and ct_ratio_compare. */
int ct_line_place_compare(ct_vec3 origin, ct_vec3 direction, const ct_line_place *a,
                          const ct_line_place *b);

/* Exact sign of t for a vertex or an edge. */
int ct_line_place_sign(ct_vec3 origin, ct_vec3 direction, const ct_line_place *place);

/* t of a vertex or an edge. Error: a few u of t; for an edge also a few u of its distance from
 * the origin. */
double ct_line_place_at(ct_vec3 origin, ct_vec3 direction, const ct_line_place *place);

#endif
