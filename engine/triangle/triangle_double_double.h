/* Do triangles share a point, whose corners are known to more digits than a double has?
 */
#ifndef TRIANGLE_TRIANGLE_DOUBLE_DOUBLE_H
#define TRIANGLE_TRIANGLE_DOUBLE_DOUBLE_H

#include "base/double_double.h"

typedef struct ct_wide_triangle {
  ct_dd3 v[3];
} ct_wide_triangle;

/* As closed sets; both have an area. Exact where differences of coordinates fit the 106 bits of a pair, as those of doubles that
 * were moved by one double do. Some us. */
bool ct_wide_triangles_meet(const ct_wide_triangle *a, const ct_wide_triangle *b);

#endif
