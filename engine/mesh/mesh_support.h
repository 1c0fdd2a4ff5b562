/* Support function of a mesh, from its BVH. */
#ifndef MESH_MESH_SUPPORT_H
#define MESH_MESH_SUPPORT_H

#include <contact/mesh.h>

/* Maximum of direction.p over the corners of live triangles, in doubles: x, y and z products
 * summed in this order. */
double ct_mesh_support_value(const ct_mesh_view *view, ct_vec3 direction);

/* A corner that attains the maximum; the lowest vertex number among equals. */
ct_vec3 ct_mesh_support(const ct_mesh_view *view, ct_vec3 direction);

/* Node number of a leaf that attains the maximum, and the maximum in *reach. */
uint32_t ct_mesh_support_leaf(const ct_mesh_view *view, ct_vec3 direction, double *reach);

#endif
