/* An order of points in which neighbours in space are near in memory, for large hulls. */
#ifndef HULL_MORTON_ORDER_H
#define HULL_MORTON_ORDER_H

#include <contact/vec.h>

/* Writes the indices of the points sorted along a Morton curve over their box; equal cells keep their order. `spare` holds
 * 3 count words. Cost O(count). Morton 1966. */
void ct_spatial_order(const ct_vec3 *points, uint32_t count, uint32_t *order, uint32_t *spare);

#endif
