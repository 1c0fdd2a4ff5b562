/* Elements in the making: nodes and sides (elements_check.c), faces (elements_faces.c), the object (elements.c). */
#ifndef ELEMENTS_ELEMENTS_BUILD_H
#define ELEMENTS_ELEMENTS_BUILD_H

#include "mesh/mesh_build.h"
#include <contact/elements.h>
#include <stdatomic.h>

/* Owns its arrays, by these pointers; the view shows them. */
struct ct_elements {
  ct_elements_view view;
  atomic_uint_least64_t references;
  size_t bytes;
  ct_digest digest; /* of vertices and corners: the content by which elements are ordered */
  ct_elements_report report; /* of what they were made of */
  double tree_cost;          /* ct_tree_cost of the tree when it was built */
  const ct_elements *origin; /* a reference to the elements that own the lists of connectivity and for whose vertices the trees
                                were built; NULL: these */
  uint8_t *corner_counts;
  uint32_t *corners, *nodes, *across, *outer, *triangle_outer, *surface_ids;
  ct_mesh *surface;
  ct_hull **hulls;
  ct_aabb *boxes;
  ct_tree *tree;
};

/* The triangles of a face by its corners in the element, outward: one, or two from the face's lowest node on. Returns how many. */
uint32_t ct_element_triangles(const ct_element_form *form, const uint32_t *nodes, uint32_t face, uint32_t out[2][3]);

/* Fills `nodes` of elements whose form, counts and corners are there, from vertices that `parts` has opened, and looks at each
 * element alone. CT_BAD_ELEMENT, CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_elements_check(ct_elements *elements, ct_mesh_parts *parts, ct_elements_report *report);

/* Checks each element by itself; `nodes` is filled. CT_BAD_ELEMENT, CT_CANCELLED. */
ct_status ct_elements_check_each(const ct_elements *elements, const ct_mesh_parts *parts, ct_elements_report *report);

/* Adds the hull and the box of an element whose corners are at the points, to arrays that are there. like: a hull that it may have
 * the faces of, or NULL. */
ct_status ct_elements_add_hull(ct_elements *elements, uint32_t element, const ct_vec3 *vertices, const ct_hull *like,
                               const ct_cancel *cancel, ct_elements_report *report);

/* The view, the digest and the bytes, when all parts are there. */
void ct_elements_close(ct_elements *elements, const ct_elements_report *report);

/* Fills `across`, `outer` and their count. CT_BAD_ELEMENT, CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_elements_match(ct_elements *elements, const ct_cancel *cancel, ct_elements_report *report);

#endif
