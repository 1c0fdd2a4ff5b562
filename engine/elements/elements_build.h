/* Element meshes under construction: nodes and orientation (elements_check.c), the object and its
 * faces (elements.c). */
#ifndef ELEMENTS_ELEMENTS_BUILD_H
#define ELEMENTS_ELEMENTS_BUILD_H

#include "mesh/mesh_build.h"
#include <contact/elements.h>
#include <stdatomic.h>

/* The view's pointers refer to the arrays that are owned through the members below. */
struct ct_elements {
  ct_elements_view view;
  atomic_uint_least64_t references;
  size_t bytes;
  /* digest of vertices and corners, by which element meshes are ordered */
  ct_digest digest;
  ct_elements_report report; /* report of the creation */
  double tree_cost;          /* ct_tree_cost of the tree when it was built */
  /* reference to the elements that own the shared connectivity and for whose vertices the trees
   * were built; NULL: these elements do */
  const ct_elements *origin;
  uint8_t *corner_counts;
  uint32_t *corners, *nodes, *across, *outer, *triangle_outer, *surface_ids;
  ct_mesh *surface;
  ct_hull **hulls;
  ct_aabb *boxes;
  ct_tree *tree;
};

/* Writes the outward triangles of a face as corners of the element: one triangle, or for a
 * quadrilateral two that share its lowest node. nodes: the nodes of the element's corners. Returns
 * the number of triangles. */
uint32_t ct_element_triangles(const ct_element_form *form, const uint32_t *nodes, uint32_t face,
                              uint32_t out[2][3]);

/* Computes elements->nodes and checks each element. Requires type, counts and corners, and that the
 * vertices are open in `parts`. CT_BAD_ELEMENT, CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_elements_check(ct_elements *elements, ct_mesh_parts *parts,
                            ct_elements_report *report);

/* Checks each element: distinct corners, positive orientation. Requires elements->nodes.
 * CT_BAD_ELEMENT, CT_CANCELLED. */
ct_status ct_elements_check_each(const ct_elements *elements, const ct_mesh_parts *parts,
                                 ct_elements_report *report);

#endif
