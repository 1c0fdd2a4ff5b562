/* Triangulated hull of many points. The arrays and the join of coplanar triangles are in hull_faces.h. */
#ifndef HULL_QUICKHULL_H
#define HULL_QUICKHULL_H

#include "hull/hull_builder.h"
#include <contact/cancel.h>

/* Reads coordinates as zero that are below 2^-260 of `largest`, their largest magnitude (and at least 2^-300): sizes inside the
 * limits then lie in the exactness range. The factor is a power of two, so that scaling the points by one changes no bit. */
void ct_flush_points(ct_vec3 *points, size_t count, double largest);

/* Hull of `count` points (in the exactness range of base/predicates.h) into *grow, which must be zeroed or used before. Every point
 * is on it or inside it, exactly. *rank is the affine dimension found, by exact predicates; CT_DEGENERATE_HULL below 3. Points that
 * lie on a face without being its corner may or may not be vertices. CT_CANCELLED. The caller frees *grow in any case. */
ct_status ct_quickhull(const ct_vec3 *points, uint32_t count, const ct_cancel *cancel, ct_hull_builder *grow, int *rank);

#endif
