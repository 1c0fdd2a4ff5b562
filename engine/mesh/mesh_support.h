/* Support function of a mesh, by a traversal of its BVH. */
#ifndef MESH_MESH_SUPPORT_H
#define MESH_MESH_SUPPORT_H

#include <contact/mesh.h>

/* Returns the maximum of direction.p over the vertices of live triangles, in doubles; the products
 * of x, y and z are added in this order. */
double ct_mesh_support_value(const ct_mesh_view *view, ct_vec3 direction);

/* Returns a vertex that attains the maximum; the lowest index among equals. */
ct_vec3 ct_mesh_support(const ct_mesh_view *view, ct_vec3 direction);

/* Returns the index of a leaf node with a vertex that attains the maximum; *reach is the
 * maximum. */
uint32_t ct_mesh_support_leaf(const ct_mesh_view *view, ct_vec3 direction, double *reach);

#endif
