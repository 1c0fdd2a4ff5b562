/* Ray cast against a mesh: finds the crossings of a ray with its surface. */
#ifndef RAY_RAY_MESH_H
#define RAY_RAY_MESH_H

#include "ray/ray_local.h"

/* Finds the crossings of the ray with a mesh; arguments and result as for ct_ray_cross.
 * Precondition: the line intersects the bounding ball. */
size_t ct_ray_cross_mesh(const ct_ray *ray, ct_placed shape, const ct_local_ray *local,
                         ct_workspace *workspace, ct_ray_crossing *out, size_t capacity);

#endif
