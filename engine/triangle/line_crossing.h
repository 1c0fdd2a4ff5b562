/* Places on a line: where it passes a vertex, the inside of an edge or the inside of a triangle,
 * and the exact order of such places.
 */
#ifndef TRIANGLE_LINE_CROSSING_H
#define TRIANGLE_LINE_CROSSING_H

#include <contact/vec.h>

/* The line passes exactly through the inside of what the corners span: a point, an edge that is not
 * parallel to it, or a triangle that is not. Coordinates and the line are in the exactness range of
 * base/predicates.h. */
typedef struct ct_line_place {
  ct_vec3 corner[3];
  int count; /* corners: 1, 2 or 3 */
} ct_line_place;

/* Sign of t(a) - t(b) on origin + t direction, exact. Cost: some ns where both are the same vertex
 * or edge; else two determinants and ct_ratio_compare. */
int ct_line_place_compare(ct_vec3 origin, ct_vec3 direction, const ct_line_place *a,
                          const ct_line_place *b);

/* Sign of t, exact, of a vertex or an edge. */
int ct_line_place_sign(ct_vec3 origin, ct_vec3 direction, const ct_line_place *place);

/* t of a vertex or an edge: errs by some u of itself, and for an edge of its distance from the
 * origin. */
double ct_line_place_at(ct_vec3 origin, ct_vec3 direction, const ct_line_place *place);

#endif
