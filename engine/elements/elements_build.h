/* Element meshes under construction: nodes and orientation (elements_check.c), the object and its
 * faces (elements.c). */
#ifndef ELEMENTS_ELEMENTS_BUILD_H
#define ELEMENTS_ELEMENTS_BUILD_H

#include "mesh/mesh_build.h"
#include <contact/elements.h>
#include <stdatomic.h>

/* Owns its arrays through these pointers; the view exposes them. */
struct ct_elements {
  ct_elements_view view;
  atomic_uint_least64_t references;
  size_t bytes;
  ct_digest digest;          /* of vertices and corners; defines the order of element meshes */
  ct_elements_report report; /* report of the creation */
  double tree_cost;          /* ct_tree_cost of the tree when it was built */
  const ct_elements *origin; /* reference to the elements that own the connectivity; the trees were
                                built for their vertices; NULL: these */
  uint8_t *corner_counts;
  uint32_t *corners, *nodes, *across, *outer, *triangle_outer, *surface_ids;
  ct_mesh *surface;
  ct_hull **hulls;
  ct_aabb *boxes;
  ct_tree *tree;
};

/* Outward triangles of a face, as corners of the element: one, or two from the face's lowest
 * node on. Returns their number. */
uint32_t ct_element_triangles(const ct_element_form *form, const uint32_t *nodes, uint32_t face,
                              uint32_t out[2][3]);

/* Computes `nodes` and checks each element by itself. Requires form, counts, corners, and
 * vertices opened in `parts`. CT_BAD_ELEMENT, CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_elements_check(ct_elements *elements, ct_mesh_parts *parts,
                            ct_elements_report *report);

/* Checks each element by itself. Requires `nodes`. CT_BAD_ELEMENT, CT_CANCELLED. */
ct_status ct_elements_check_each(const ct_elements *elements, const ct_mesh_parts *parts,
                                 ct_elements_report *report);

#endif
