/* How far a mesh reaches in a direction, by its tree. */
#ifndef MESH_MESH_SUPPORT_H
#define MESH_MESH_SUPPORT_H

#include <contact/mesh.h>

/* The greatest direction.p over the corners of live triangles, as rounded: x, y and z products summed in this order. */
double ct_mesh_support_value(const ct_mesh_view *view, ct_vec3 direction);

/* A corner of a live triangle that reaches so far; the lowest number among equals. */
ct_vec3 ct_mesh_support(const ct_mesh_view *view, ct_vec3 direction);

/* A leaf that reaches so far, by its number among the nodes, and *reach, how far. */
uint32_t ct_mesh_support_leaf(const ct_mesh_view *view, ct_vec3 direction, double *reach);

#endif
