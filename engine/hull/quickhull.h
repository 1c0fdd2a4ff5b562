/* Triangulated convex hull of many points. Joining of coplanar triangles and assembly:
 * hull_faces.h. */
#ifndef HULL_QUICKHULL_H
#define HULL_QUICKHULL_H

#include "hull/hull_builder.h"
#include <contact/base.h>

/* Sets coordinates below max(2^-260 `largest`, 2^-300) to zero, where `largest` is their largest
 * magnitude: valid sizes are then in the exactness range. The factor is a power of two, so
 * scaling by a power of two changes no bit. */
void ct_flush_points(ct_vec3 *points, size_t count, double largest);

/* Hull of `count` points (in the exactness range of base/predicates.h) into *grow, which is
 * zeroed or reused. Every point is on or inside it, exactly. *rank is the exact affine
 * dimension; CT_DEGENERATE_HULL below 3. Points on a face that are no corners may or may not be
 * vertices. CT_OUT_OF_MEMORY, CT_CANCELLED. The caller frees *grow in any case. */
ct_status ct_quickhull(const ct_vec3 *points, uint32_t count, const ct_cancel *cancel,
                       ct_hull_builder *grow, int *rank);

#endif
