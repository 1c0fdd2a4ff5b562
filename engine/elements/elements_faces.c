/* Shared and outer faces of an element mesh.
 *
 * Faces are grouped by their lowest node and sorted by all nodes (base/group_sort.h). Two equal
 * faces must have opposite orientation. Faults: three or more equal faces, equal orientation, and a
 * triangle against a quadrilateral.
 */
#include "base/group_sort.h"
#include "elements/elements_build.h"

#include <stdlib.h>

/* Nodes of a face in the element's order, from the lowest one on. The last entry of a triangle
 * is 0; the largest node of a quadrilateral never is. */
typedef struct node_loop {
  uint32_t count, node[CT_ELEMENT_FACE_CORNERS_MAX];
} node_loop;

/* True if the face number exists for its element. */
static bool is_element_face(const ct_elements_view *view, uint32_t face) {
  return face % view->face_stride < ct_elements_form(view, face / view->face_stride)->faces;
}

static node_loop get_face_loop(const ct_elements *elements, uint32_t face) {
  const ct_elements_view *view = &elements->view;
  uint32_t element = face / view->face_stride, number = face % view->face_stride, first = 0;
  const ct_element_form *form = ct_elements_form(view, element);
  const uint32_t *nodes = elements->nodes + (size_t)element * view->corner_stride,
                 *corner = form->face[number];
  node_loop l = {form->face_corners[number], {0}};
  for (uint32_t k = 1; k < l.count; k++)
    if (nodes[corner[k]] < nodes[corner[first]]) first = k;
  for (uint32_t k = 0; k < l.count; k++) l.node[k] = nodes[corner[(first + k) % l.count]];
  return l;
}

/* As get_face_loop, with the nodes in ascending order. */
static node_loop get_sorted_loop(const ct_elements *elements, uint32_t face) {
  node_loop l = get_face_loop(elements, face);
  for (uint32_t k = 2; k < l.count; k++) {
    uint32_t node = l.node[k], i = k;
    for (; i > 1 && l.node[i - 1] > node; i--) l.node[i] = l.node[i - 1];
    l.node[i] = node;
  }
  return l;
}

static int compare_loops(const node_loop *a, const node_loop *b) {
  for (uint32_t k = 0; k < CT_ELEMENT_FACE_CORNERS_MAX; k++)
    if (a->node[k] != b->node[k]) return a->node[k] < b->node[k] ? -1 : 1;
  return 0;
}

static uint32_t find_face_group(const void *data, uint32_t face) {
  const ct_elements *elements = data;
  return is_element_face(&elements->view, face) ? get_face_loop(elements, face).node[0]
                                                : CT_GROUP_NONE;
}

static bool precedes_as_face(const void *data, uint32_t a, uint32_t b) {
  node_loop p = get_sorted_loop(data, a), q = get_sorted_loop(data, b);
  int order = compare_loops(&p, &q);
  return order < 0 || (order == 0 && a < b);
}

/* True if the two faces have opposite orientation. */
static bool are_opposed(const ct_elements *elements, uint32_t a, uint32_t b) {
  node_loop p = get_face_loop(elements, a), q = get_face_loop(elements, b);
  for (uint32_t k = 1; k < p.count; k++)
    if (p.node[k] != q.node[p.count - k]) return false;
  return true;
}

/* Reports a fault at `own`, which comes after `other`. An earlier element's fault has priority. */
static void report_first_fault(const ct_elements *elements, ct_element_fault fault, uint32_t own,
                               uint32_t other, ct_elements_report *report) {
  uint32_t n = elements->view.face_stride, element = own / n, face = own % n;
  if (report->fault != CT_ELEMENT_SOUND &&
      (report->element < element || (report->element == element && report->face <= face)))
    return;
  report->fault = fault;
  report->element = element;
  report->face = face;
  report->other = other / n;
}

/* Matches faces with equal nodes, in ascending order. */
static void match_equal_faces(ct_elements *elements, const uint32_t *faces, uint32_t count,
                              ct_elements_report *report) {
  uint32_t n = elements->view.face_stride;
  if (count == 1) return;
  if (count > 2) report_first_fault(elements, CT_ELEMENT_CROWDED, faces[2], faces[0], report);
  else if (!are_opposed(elements, faces[0], faces[1]))
    report_first_fault(elements, CT_ELEMENT_ONE_SIDE, faces[1], faces[0], report);
  if (count != 2) return;
  elements->across[faces[0]] = faces[1] / n;
  elements->across[faces[1]] = faces[0] / n;
}

/* Matches all faces. False: cancelled. */
static bool match_all_faces(ct_elements *elements, const ct_groups *groups, const ct_cancel *cancel,
                            ct_elements_report *report) {
  for (uint32_t i = 0, end; i < groups->count; i = end) {
    node_loop first = get_sorted_loop(elements, groups->items[i]);
    for (end = i + 1; end < groups->count; end++) {
      node_loop next = get_sorted_loop(elements, groups->items[end]);
      if (ct_mesh_cancelled(end, cancel)) return false;
      if (compare_loops(&first, &next) != 0) break;
    }
    match_equal_faces(elements, groups->items + i, end - i, report);
  }
  return true;
}

/* First face with these sorted nodes, by binary search, or CT_NO_ELEMENT. */
static uint32_t find_face(const ct_elements *elements, const ct_groups *groups,
                          const node_loop *nodes) {
  uint32_t low = 0, high = groups->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    node_loop there = get_sorted_loop(elements, groups->items[middle]);
    if (compare_loops(&there, nodes) < 0) low = middle + 1;
    else high = middle;
  }
  if (low == groups->count) return CT_NO_ELEMENT;
  node_loop there = get_sorted_loop(elements, groups->items[low]);
  return compare_loops(&there, nodes) == 0 ? groups->items[low] : CT_NO_ELEMENT;
}

/* Reports a triangle on three corners of the quadrilateral, at the later element. */
static void report_split(const ct_elements *elements, const ct_groups *groups, uint32_t face,
                         ct_elements_report *report) {
  node_loop all = get_sorted_loop(elements, face);
  for (uint32_t without = 0; all.count == 4 && without < 4; without++) {
    node_loop three = {3, {0}};
    for (uint32_t k = 0, n = 0; k < 4; k++)
      if (k != without) three.node[n++] = all.node[k];
    uint32_t triangle = find_face(elements, groups, &three);
    if (triangle == CT_NO_ELEMENT) continue;
    bool later = triangle > face;
    report_first_fault(elements, CT_ELEMENT_SPLIT, later ? triangle : face, later ? face : triangle,
                       report);
  }
}

/* Reports quadrilaterals with a triangle of another element. False: cancelled. */
static bool report_splits(const ct_elements *elements, const ct_groups *groups,
                          const ct_cancel *cancel, ct_elements_report *report) {
  for (uint32_t i = 0; elements->view.type == CT_MIXED_ELEMENTS && i < groups->count; i++) {
    if (ct_mesh_cancelled(i, cancel)) return false;
    report_split(elements, groups, groups->items[i], report);
  }
  return true;
}

static ct_status collect_outer_faces(ct_elements *elements, uint32_t faces) {
  const ct_elements_view *view = &elements->view;
  uint32_t count = 0;
  for (uint32_t f = 0; f < faces; f++)
    count += is_element_face(view, f) && elements->across[f] == CT_NO_ELEMENT;
  elements->view.outer_count = count;
  elements->outer = malloc(((size_t)count + 1) * sizeof *elements->outer);
  if (!elements->outer) return CT_OUT_OF_MEMORY;
  count = 0;
  for (uint32_t f = 0; f < faces; f++)
    if (is_element_face(view, f) && elements->across[f] == CT_NO_ELEMENT)
      elements->outer[count++] = f;
  return CT_OK;
}

ct_status ct_elements_match(ct_elements *elements, const ct_cancel *cancel,
                            ct_elements_report *report) {
  const ct_elements_view *view = &elements->view;
  uint32_t faces = view->element_count * view->face_stride;
  ct_grouping by_nodes = {elements, find_face_group, precedes_as_face, faces, view->vertex_count};
  ct_groups groups;
  elements->across = malloc(faces * sizeof *elements->across);
  if (!elements->across) return CT_OUT_OF_MEMORY;
  for (uint32_t f = 0; f < faces; f++) elements->across[f] = CT_NO_ELEMENT;
  ct_status status = ct_group_sort(&by_nodes, cancel, &groups);
  if (status != CT_OK) return status;
  if (!match_all_faces(elements, &groups, cancel, report) ||
      !report_splits(elements, &groups, cancel, report))
    status = CT_CANCELLED;
  ct_groups_free(&groups);
  if (status == CT_OK && report->fault != CT_ELEMENT_SOUND) status = CT_BAD_ELEMENT;
  if (status == CT_OK) status = collect_outer_faces(elements, faces);
  report->outer_faces = status == CT_OK ? view->outer_count : 0;
  return status;
}
