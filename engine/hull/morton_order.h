/* Spatial order of points: neighbours in space are near in memory, which helps large hulls. */
#ifndef HULL_MORTON_ORDER_H
#define HULL_MORTON_ORDER_H

#include <contact/vec.h>

/* Writes the indices of the points sorted along a Morton curve over their box; points in one
 * cell keep their order. `spare` has 3 count words. O(count). Morton 1966. */
void ct_spatial_order(const ct_vec3 *points, uint32_t count, uint32_t *order, uint32_t *spare);

#endif
