/* Exact intersection test for triangles whose vertices are double-doubles. */
#ifndef TRIANGLE_TRIANGLE_DOUBLE_DOUBLE_H
#define TRIANGLE_TRIANGLE_DOUBLE_DOUBLE_H

#include "base/double_double.h"

typedef struct ct_wide_triangle {
  ct_dd3 v[3];
} ct_wide_triangle;

/* True if the closed triangles share a point. Both must have an area. Exact if coordinate
 * differences fit the 106 bits of a double-double, as for doubles translated by one double. Takes a
 * few us. */
bool ct_wide_triangles_meet(const ct_wide_triangle *a, const ct_wide_triangle *b);

#endif
