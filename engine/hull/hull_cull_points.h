/* Culling of strictly interior points before a hull is built. */
#ifndef HULL_HULL_CULL_POINTS_H
#define HULL_HULL_CULL_POINTS_H

#include <contact/base.h>
#include <contact/vec.h>

/* Compacts the points that are not certainly strictly inside the hull, in their order. Input:
 * `count` points in the exactness range, flushed as in quickhull.h. Output: *count is their
 * number, at least 1; kept[i] is the previous index of point i, with room for all.
 * CT_OUT_OF_MEMORY. Cost: about 20 ns per point. */
ct_status ct_hull_cull(ct_vec3 *points, uint32_t *count, uint32_t *kept);

#endif
