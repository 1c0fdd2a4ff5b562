/* Sets aside points that are strictly inside the hull, before it is grown. */
#ifndef HULL_HULL_CULL_POINTS_H
#define HULL_HULL_CULL_POINTS_H

#include <contact/status.h>
#include <contact/vec.h>

/* Moves up those of `count` points (in the exactness range, above the flush of quickhull.h) that are not certainly strictly inside
 * the hull of all, in their order; *count becomes their number, at least 1, and kept[i], for which there is room for all, the index
 * that point i had. CT_OUT_OF_MEMORY. Cost: some 20 ns a point. */
ct_status ct_hull_cull(ct_vec3 *points, uint32_t *count, uint32_t *kept);

#endif
