/* Validity of single elements: distinct corners and positive orientation.
 *
 * An element is divided into tetrahedra from its lowest node (Dompierre, Labbe, Vallet, Camarero
 * 1999). Exact predicates determine their orientation. */
#include "base/predicates.h"
#include "elements/elements_build.h"

#include <float.h>
#include <stdlib.h>

/* Forms by type. For mixed elements only the strides, which are those of the largest type. */
static const ct_element_form forms[] = {
    [CT_TETRAHEDRA] = {4, 4, {3, 3, 3, 3}, {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}}},
    [CT_HEXAHEDRA] =
        {8,
         6,
         {4, 4, 4, 4, 4, 4},
         {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}}},
    [CT_PYRAMIDS] = {5,
                     5,
                     {4, 3, 3, 3, 3},
                     {{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}},
    [CT_WEDGES] = {6,
                   5,
                   {3, 3, 4, 4, 4},
                   {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
    [CT_MIXED_ELEMENTS] = {CT_ELEMENT_CORNERS_MAX, CT_ELEMENT_FACES_MAX, {0}, {{0}}},
};

const ct_element_form *ct_element_form_of(ct_element_type type) { return &forms[type]; }

const ct_element_form *ct_element_form_of_corners(uint32_t corners) {
  static const ct_element_form *const of[CT_ELEMENT_CORNERS_MAX + 1] = {[4] = &forms[CT_TETRAHEDRA],
                                                                        [5] = &forms[CT_PYRAMIDS],
                                                                        [6] = &forms[CT_WEDGES],
                                                                        [8] = &forms[CT_HEXAHEDRA]};
  return corners <= CT_ELEMENT_CORNERS_MAX ? of[corners] : NULL;
}

uint32_t ct_element_triangles(const ct_element_form *form, const uint32_t *nodes, uint32_t face,
                              uint32_t out[2][3]) {
  const uint32_t *corner = form->face[face];
  uint32_t first = 0, count = form->face_corners[face];
  for (uint32_t k = 1; count == 4 && k < 4; k++)
    if (nodes[corner[k]] < nodes[corner[first]]) first = k;
  for (uint32_t t = 0; t + 2 < count; t++) {
    out[t][0] = corner[first];
    out[t][1] = corner[(first + t + 1) % count];
    out[t][2] = corner[(first + t + 2) % count];
  }
  return count - 2;
}

static bool has_face_corner(const ct_element_form *form, uint32_t face, uint32_t corner) {
  for (uint32_t k = 0; k < form->face_corners[face]; k++)
    if (form->face[face][k] == corner) return true;
  return false;
}

/* Returns the second of two corners with equal nodes; the number of corners if all nodes are
 * distinct. */
static uint32_t find_repeated_corner(const ct_element_form *form, const uint32_t *nodes) {
  for (uint32_t c = 1; c < form->corners; c++)
    for (uint32_t d = 0; d < c; d++)
      if (nodes[c] == nodes[d]) return c;
  return form->corners;
}

/* Volume of a tetrahedron in VTK's order, m^3, with the sign of its exact orientation `side`. */
static double compute_signed_volume(const ct_vec3 p[4], int side) {
  double volume =
      ct_dot(ct_cross(ct_sub(p[1], p[0]), ct_sub(p[2], p[0])), ct_sub(p[3], p[0])) / 6.0;
  return side * ct_max2(fabs(volume), DBL_TRUE_MIN);
}

/* Returns the exact orientation of one tetrahedron: +1, 0 or -1. Of tetrahedra that are not
 * positive, the one of least volume is recorded in the report. */
static int measure_tetrahedron(const uint32_t corner[4], const uint32_t *nodes,
                               const ct_mesh_parts *parts, ct_elements_report *report) {
  ct_vec3 p[4];
  for (int k = 0; k < 4; k++) p[k] = ct_mesh_point(parts, nodes[corner[k]]);
  int side = ct_orient3d(p[0], p[1], p[2], p[3]);
  if (side > 0) return side;
  double volume = compute_signed_volume(p, side);
  if (volume >= report->tetrahedron_volume) return side;
  report->tetrahedron_volume = volume;
  for (int k = 0; k < 4; k++) report->tetrahedron[k] = corner[k];
  return side;
}

/* Classifies the element by the orientations of the tetrahedra from its lowest node over the faces
 * without this node. */
static ct_element_fault classify_element(const ct_element_form *form, const uint32_t *nodes,
                                         const ct_mesh_parts *parts, ct_elements_report *report) {
  report->tetrahedron_volume = INFINITY;
  uint32_t apex = 0, positive = 0, negative = 0, count = 0, triangle[2][3];
  for (uint32_t c = 1; c < form->corners; c++)
    if (nodes[c] < nodes[apex]) apex = c;
  for (uint32_t f = 0; f < form->faces; f++) {
    if (has_face_corner(form, f, apex)) continue;
    uint32_t triangles = ct_element_triangles(form, nodes, f, triangle);
    for (uint32_t t = 0; t < triangles; t++) {
      const uint32_t corner[4] = {triangle[t][0], triangle[t][2], triangle[t][1], apex};
      int side = measure_tetrahedron(corner, nodes, parts, report);
      positive += side > 0;
      negative += side < 0;
      count++;
    }
  }
  if (positive == count) return CT_ELEMENT_SOUND;
  if (negative == count) return CT_ELEMENT_INVERTED;
  return negative > 0 && form->corners > 4 ? CT_ELEMENT_TWISTED : CT_ELEMENT_FLAT;
}

/* True if the element is valid; otherwise the report has the fault. */
static bool check_element(const ct_elements *elements, const ct_mesh_parts *parts, uint32_t element,
                          ct_elements_report *report) {
  const ct_element_form *form = ct_elements_form(&elements->view, element);
  const uint32_t *nodes = elements->nodes + (size_t)element * elements->view.corner_stride;
  uint32_t repeated = find_repeated_corner(form, nodes);
  report->fault =
      repeated < form->corners ? CT_ELEMENT_REPEATED : classify_element(form, nodes, parts, report);
  if (report->fault == CT_ELEMENT_SOUND) return true;
  report->element = element;
  if (repeated < form->corners) report->corner = repeated;
  return false;
}

/* Counts the nodes that elements use, and the vertices at points that no element uses.
 * CT_OUT_OF_MEMORY. */
static ct_status count_used_nodes(const ct_elements *elements, const ct_mesh_parts *parts,
                                  ct_elements_report *report) {
  const ct_elements_view *view = &elements->view;
  uint8_t *used = calloc((size_t)view->vertex_count + 1, 1);
  if (!used) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < (size_t)view->element_count * view->corner_stride; i++)
    if (elements->nodes[i] != CT_NO_VERTEX) used[elements->nodes[i]] = 1;
  for (uint32_t v = 0; v < view->vertex_count; v++) {
    report->nodes += used[v];
    report->unused_vertices += !used[parts->first[v]];
  }
  free(used);
  return CT_OK;
}

ct_status ct_elements_check_each(const ct_elements *elements, const ct_mesh_parts *parts,
                                 ct_elements_report *report) {
  for (uint32_t e = 0; e < elements->view.element_count; e++) {
    if (ct_mesh_cancelled(e, parts->cancel)) return CT_CANCELLED;
    if (!check_element(elements, parts, e, report)) return CT_BAD_ELEMENT;
  }
  return CT_OK;
}

ct_status ct_elements_check(ct_elements *elements, ct_mesh_parts *parts,
                            ct_elements_report *report) {
  const ct_elements_view *view = &elements->view;
  size_t corners = (size_t)view->element_count * view->corner_stride;
  elements->nodes = malloc(corners * sizeof *elements->nodes);
  if (!elements->nodes) return CT_OUT_OF_MEMORY;
  ct_mesh_report joined = {0};
  ct_status status = ct_mesh_join_vertices(parts, &joined);
  if (status != CT_OK) return status;
  for (size_t i = 0; i < corners; i++) {
    uint32_t vertex = elements->corners[i];
    elements->nodes[i] = vertex == CT_NO_VERTEX ? CT_NO_VERTEX : parts->first[vertex];
  }
  status = ct_elements_check_each(elements, parts, report);
  return status == CT_OK ? count_used_nodes(elements, parts, report) : status;
}

bool ct_elements_adjacent(const ct_elements_view *view, uint32_t i, uint32_t j) {
  const uint32_t *p = view->nodes + (size_t)i * view->corner_stride,
                 *q = view->nodes + (size_t)j * view->corner_stride;
  for (uint32_t c = 0; c < view->corner_counts[i]; c++)
    for (uint32_t d = 0; d < view->corner_counts[j]; d++)
      if (p[c] == q[d]) return true;
  return false;
}

uint32_t ct_elements_hull_face(const ct_elements_view *view, uint32_t element, uint32_t hull_face) {
  const ct_hull_view *hull = ct_hull_get(view->hulls[element]);
  const ct_element_form *form = ct_elements_form(view, element);
  for (uint32_t f = 0; f < form->faces; f++) {
    bool within = true;
    for (uint32_t i = hull->face_start[hull_face]; within && i < hull->face_start[hull_face + 1];
         i++)
      within = has_face_corner(form, f, hull->vertex_input[hull->face_loop[i]]);
    if (within) return f;
  }
  return CT_NO_ELEMENT;
}
