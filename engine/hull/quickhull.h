/* Triangulated convex hull of many points. hull_faces.h joins its coplanar triangles and assembles
 * the ct_hull. */
#ifndef HULL_QUICKHULL_H
#define HULL_QUICKHULL_H

#include "hull/hull_builder.h"
#include <contact/base.h>

/* Sets coordinates with a magnitude below max(2^-260 `largest`, 2^-300) to zero; `largest` is the
 * largest magnitude among all. The others are then in the exactness range of base/predicates.h. The
 * factor is a power of two, so that scaling the input by a power of two changes no bit. */
void ct_flush_points(ct_vec3 *points, size_t count, double largest);

/* Computes the hull of `count` points (in the exactness range of base/predicates.h) into *grow,
 * which is zeroed or reused. Every point is exactly on or inside it. *rank is the exact affine
 * dimension of the points; CT_DEGENERATE_HULL if it is below 3. Points inside a facet or an edge
 * may or may not be vertices of the triangulation. CT_OUT_OF_MEMORY, CT_CANCELLED. The caller frees
 * *grow in any case. */
ct_status ct_quickhull(const ct_vec3 *points, uint32_t count, const ct_cancel *cancel,
                       ct_hull_builder *grow, int *rank);

#endif
