/* Removes points that are certainly interior before a hull is built. */
#ifndef HULL_HULL_CULL_POINTS_H
#define HULL_HULL_CULL_POINTS_H

#include <contact/base.h>
#include <contact/vec.h>

/* Removes the points that are certainly strictly inside the hull of all, and keeps the order of the
 * others. Input: *count points in the exactness range, flushed by ct_flush_points. Output: *count
 * is the number of remaining points, at least 1; kept[i] is the input index of remaining point i
 * (`kept` has room for all). CT_OUT_OF_MEMORY. Cost: about 20 ns per point. */
ct_status ct_hull_cull(ct_vec3 *points, uint32_t *count, uint32_t *kept);

#endif
