/* Creation of element meshes, their lifetime, and element meshes with moved vertices.
 *
 * Steps of build_elements: check each element (elements_check.c), match shared faces, create the
 * surface as a solid mesh, a hull and a box per element, and the AABB tree. Faces are grouped by
 * their lowest node and sorted by all their nodes (base/group_sort.h); two faces with equal nodes
 * must have opposite orientations. Faults are three or more faces with equal nodes, two with equal
 * orientation, and a triangle with three nodes of a quadrilateral.
 *
 * Moved vertices: connectivity and tree topology are shared with the original. The surface is
 * refitted (mesh_refit.c), the orientations are checked again exactly, hulls and boxes are
 * recomputed. The elements are rebuilt instead if other vertices coincide than before, or if one of
 * the trees would exceed CT_MESH_REFIT_COST times its original cost. So both trees always have the
 * same origin.
 *
 * Element meshes are immutable and reference counted. Limits: CT_MESH_VERTICES_MAX,
 * CT_ELEMENTS_MAX. */
#include "base/group_sort.h"
#include "elements/elements_build.h"

#include <contact/limits.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Nodes of a face in the element's order, beginning with the lowest one. The fourth entry of a
 * triangle is 0, which distinguishes it from a quadrilateral, because only the lowest node can be
 * 0. */
typedef struct node_loop {
  uint32_t count, node[CT_ELEMENT_FACE_CORNERS_MAX];
} node_loop;

/* True if the element of this face index has so many faces; face: element * face_stride + face
 * number. */
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

/* As get_face_loop, but with the nodes in ascending order. */
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

/* True if two faces with the same nodes have opposite orientations. */
static bool are_opposed(const ct_elements *elements, uint32_t a, uint32_t b) {
  node_loop p = get_face_loop(elements, a), q = get_face_loop(elements, b);
  for (uint32_t k = 1; k < p.count; k++)
    if (p.node[k] != q.node[p.count - k]) return false;
  return true;
}

/* Records a fault at the face `own`, where `other` is an earlier face. A fault that is already
 * recorded at an earlier face stays. */
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

/* Matches the faces with equal nodes, listed in ascending order: two opposed faces become
 * neighbours, other cases are faults. */
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

/* Returns the first face with these nodes in ascending order, by binary search; CT_NO_ELEMENT:
 * none. */
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

/* Reports each triangle whose nodes are three of a quadrilateral's nodes, as a fault of the later
 * element. */
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

/* Reports all quadrilaterals for which report_split finds a triangle. False: cancelled. */
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

/* Computes `across`, `outer` and the number of outer faces. CT_BAD_ELEMENT, CT_OUT_OF_MEMORY,
 * CT_CANCELLED. */
static ct_status match_element_faces(ct_elements *elements, const ct_cancel *cancel,
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

static void free_lists(ct_elements *elements) {
  free(elements->surface_ids);
  free(elements->triangle_outer);
  free(elements->outer);
  free(elements->across);
  free(elements->nodes);
  free(elements->corners);
  free(elements->corner_counts);
}

static void destroy_elements(ct_elements *elements) {
  for (uint32_t e = 0; elements->hulls && e < elements->view.element_count; e++)
    ct_hull_release(elements->hulls[e]);
  free(elements->hulls);
  ct_mesh_release(elements->surface);
  if (elements->tree) ct_tree_destroy(elements->tree);
  free(elements->boxes);
  if (elements->origin) ct_elements_release(elements->origin);
  else free_lists(elements);
  free(elements);
}

/* Returns a copy of an array; NULL if it is empty. *bad: set to true if out of memory. */
static void *copy_array(const void *items, size_t bytes, bool *bad) {
  if (!items || bytes == 0) return NULL;
  void *copy = malloc(bytes);
  if (copy) memcpy(copy, items, bytes);
  else *bad = true;
  return copy;
}

/* False: the number of corners of some element fits no element type; the report then has the
 * fault. */
static bool has_valid_counts(const ct_elements_data *data, ct_elements_report *report) {
  if (data->type != CT_MIXED_ELEMENTS) return true;
  for (size_t e = 0; e < data->element_count; e++) {
    if (data->corner_counts && ct_element_form_of_corners(data->corner_counts[e])) continue;
    report->fault = CT_ELEMENT_CORNERS;
    report->element = (uint32_t)e;
    return false;
  }
  return true;
}

/* Copies corner counts and corners; each element's corners are padded to the stride of the view.
 * False: out of memory. */
static bool copy_corners(ct_elements *elements, const ct_elements_data *data) {
  const ct_elements_view *view = &elements->view;
  size_t stride = view->corner_stride, count = data->element_count;
  elements->corner_counts = malloc(count);
  elements->corners = malloc(count * stride * sizeof *elements->corners);
  if (!elements->corner_counts || !elements->corners) return false;
  elements->view.corner_counts = elements->corner_counts;
  const uint32_t *from = data->corners;
  uint32_t *to = elements->corners;
  for (size_t e = 0; e < count; e++, to += stride) {
    size_t own = data->type == CT_MIXED_ELEMENTS ? data->corner_counts[e] : stride;
    elements->corner_counts[e] = (uint8_t)own;
    memcpy(to, from, own * sizeof *to);
    for (size_t c = own; c < stride; c++) to[c] = CT_NO_VERTEX;
    from += data->corner_stride ? data->corner_stride : own;
  }
  return true;
}

static ct_elements *allocate_elements(const ct_elements_data *data) {
  ct_elements *elements = calloc(1, sizeof *elements);
  if (!elements) return NULL;
  bool bad = false;
  ct_elements_view *view = &elements->view;
  view->type = data->type;
  view->corner_stride = ct_element_form_of(data->type)->corners;
  view->face_stride = ct_element_form_of(data->type)->faces;
  view->vertex_count = (uint32_t)data->vertex_count;
  view->element_count = (uint32_t)data->element_count;
  elements->surface_ids =
      copy_array(data->surface_ids, data->surface_id_count * sizeof *data->surface_ids, &bad);
  atomic_init(&elements->references, 1);
  if (!bad && copy_corners(elements, data)) return elements;
  destroy_elements(elements);
  return NULL;
}

/* Lists the triangles of the outer faces in order, at most two per face, and in triangle_outer the
 * face of each. Returns the number of triangles. */
static size_t list_triangles(const ct_elements *elements, uint32_t (*triangles)[3]) {
  const ct_elements_view *view = &elements->view;
  size_t count = 0;
  for (uint32_t i = 0; i < view->outer_count; i++) {
    uint32_t element = elements->outer[i] / view->face_stride,
             face = elements->outer[i] % view->face_stride, local[2][3];
    size_t first = (size_t)element * view->corner_stride;
    uint32_t each =
        ct_element_triangles(ct_elements_form(view, element), elements->nodes + first, face, local);
    for (uint32_t t = 0; t < each; t++, count++) {
      elements->triangle_outer[count] = i;
      for (int k = 0; k < 3; k++) triangles[count][k] = elements->corners[first + local[t][k]];
    }
  }
  return count;
}

/* Creates the surface as a solid mesh of all vertices. */
static ct_status create_surface(ct_elements *elements, const ct_elements_data *data,
                                const ct_cancel *cancel, ct_elements_report *report) {
  size_t most = 2 * (size_t)elements->view.outer_count + 1;
  uint32_t(*triangles)[3] = malloc(most * sizeof *triangles);
  elements->triangle_outer = malloc(most * sizeof *elements->triangle_outer);
  ct_status status = CT_OUT_OF_MEMORY;
  if (triangles && elements->triangle_outer) {
    size_t count = list_triangles(elements, triangles);
    assert(count < most);
    ct_mesh_data surface = {data->vertices, data->vertex_count, (const uint32_t(*)[3])triangles,
                            count, data->normals};
    status = ct_mesh_create(&surface, CT_MESH_SOLID, cancel, &elements->surface, &report->surface);
  }
  free(triangles);
  if (status != CT_OPEN_MESH && status != CT_DEGENERATE_MESH) return status;
  report->fault = CT_ELEMENT_OPEN;
  return CT_BAD_ELEMENT;
}

/* Creates the hull and the box of an element. like: a hull whose faces may be reused
 * (ct_hull_from_moved_points), or NULL. */
static ct_status add_element_hull(ct_elements *elements, uint32_t element, const ct_vec3 *vertices,
                                  const ct_hull *like, const ct_cancel *cancel,
                                  ct_elements_report *report) {
  uint32_t corners = elements->view.corner_counts[element];
  const uint32_t *corner = elements->corners + (size_t)element * elements->view.corner_stride;
  ct_vec3 points[CT_ELEMENT_CORNERS_MAX];
  for (uint32_t c = 0; c < corners; c++) points[c] = vertices[corner[c]];
  ct_hull **hull = &elements->hulls[element];
  ct_status status = like ? ct_hull_from_moved_points(like, points, corners, cancel, hull)
                          : ct_hull_from_points(points, corners, cancel, hull, NULL);
  if (status != CT_OK) return status;
  const ct_hull_view *view = ct_hull_get(*hull);
  elements->boxes[element] = view->box;
  elements->bytes += ct_hull_bytes(*hull);
  report->least_volume = element == 0 ? view->volume : ct_min2(report->least_volume, view->volume);
  report->greatest_volume =
      element == 0 ? view->volume : ct_max2(report->greatest_volume, view->volume);
  return CT_OK;
}

/* Creates hulls and boxes of all elements, from the vertices of the surface, in which tiny
 * coordinates are already 0. */
static ct_status create_hulls(ct_elements *elements, const ct_cancel *cancel,
                              ct_elements_report *report) {
  const ct_elements_view *view = &elements->view;
  const ct_vec3 *vertices = ct_mesh_get(elements->surface)->vertices;
  elements->hulls = calloc(view->element_count, sizeof *elements->hulls);
  elements->boxes = malloc(view->element_count * sizeof *elements->boxes);
  ct_status status = elements->hulls && elements->boxes ? CT_OK : CT_OUT_OF_MEMORY;
  for (uint32_t e = 0; status == CT_OK && e < view->element_count; e++)
    status = add_element_hull(elements, e, vertices, NULL, cancel, report);
  return status;
}

static ct_status build_element_tree(ct_elements *elements, const ct_cancel *cancel) {
  elements->tree = ct_tree_create();
  if (!elements->tree) return CT_OUT_OF_MEMORY;
  ct_status status = ct_tree_build(elements->tree, elements->boxes, NULL,
                                   elements->view.element_count, NULL, cancel);
  if (status == CT_OK) elements->tree_cost = ct_tree_cost(elements->tree);
  return status;
}

/* False: cancelled. */
static bool digest_elements(ct_elements *elements, const ct_cancel *cancel) {
  const ct_elements_view *view = &elements->view;
  ct_digest_state state;
  ct_digest_open(&state, cancel);
  if (!ct_digest_doubles(&state, &view->vertices[0].x, 3 * (size_t)view->vertex_count) ||
      !ct_digest_indices(&state, view->corners, (size_t)view->element_count * view->corner_stride))
    return false;
  elements->digest = ct_digest_close(&state);
  return true;
}

/* Completes the object: view, digest and memory size. Requires that all parts have been built.
 * CT_CANCELLED. */
static ct_status complete_elements(ct_elements *elements, const ct_elements_report *report,
                                   const ct_cancel *cancel) {
  elements->report = *report;
  ct_elements_view *view = &elements->view;
  const ct_mesh_view *surface = ct_mesh_get(elements->surface);
  view->vertices = surface->vertices;
  view->corners = elements->corners;
  view->nodes = elements->nodes;
  view->across = elements->across;
  view->outer = elements->outer;
  view->triangle_outer = elements->triangle_outer;
  view->surface_ids = elements->surface_ids;
  view->normals = surface->normals;
  view->surface = elements->surface;
  view->hulls = (const ct_hull *const *)elements->hulls;
  view->boxes = elements->boxes;
  view->tree = elements->tree;
  view->volume = surface->volume;
  if (!digest_elements(elements, cancel)) return CT_CANCELLED;
  /* Memory: the arrays of this object, plus the lists it owns, or else the origin's memory. */
  const ct_elements *from = elements->origin;
  size_t words = 2 * (size_t)view->corner_stride + view->face_stride, count = view->element_count;
  size_t lists = count * (1 + words * sizeof(uint32_t)) +
                 view->outer_count * sizeof(uint32_t) * (elements->surface_ids ? 4 : 3);
  elements->bytes += sizeof *elements + ct_mesh_bytes(elements->surface) +
                     ct_tree_bytes(elements->tree) +
                     count * (sizeof *elements->boxes + sizeof *elements->hulls) +
                     (from ? from->bytes - ct_mesh_bytes(from->surface) : lists);
  return CT_OK;
}

static ct_status build_elements(ct_elements *elements, const ct_elements_data *data,
                                const ct_cancel *cancel, ct_elements_report *report) {
  ct_mesh_parts parts = {
      .vertices = data->vertices, .vertex_count = (uint32_t)data->vertex_count, .cancel = cancel};
  ct_status status = ct_mesh_open_vertices(&parts) ? CT_OK : CT_LIMIT;
  if (status == CT_OK) status = ct_elements_check(elements, &parts, report);
  free(parts.first);
  if (status == CT_OK) status = match_element_faces(elements, cancel, report);
  if (status == CT_OK && data->surface_ids &&
      data->surface_id_count != elements->view.outer_count) {
    report->fault = CT_ELEMENT_IDS;
    status = CT_BAD_ELEMENT;
  }
  if (status == CT_OK) status = create_surface(elements, data, cancel, report);
  if (status == CT_OK) status = create_hulls(elements, cancel, report);
  if (status == CT_OK) status = build_element_tree(elements, cancel);
  return status;
}

ct_status ct_elements_create(const ct_elements_data *data, const ct_cancel *cancel,
                             ct_elements **out, ct_elements_report *report) {
  ct_elements_report own = {.element = CT_NO_ELEMENT, .other = CT_NO_ELEMENT};
  if (data->vertex_count > CT_MESH_VERTICES_MAX || data->element_count == 0 ||
      data->element_count > CT_ELEMENTS_MAX)
    return CT_LIMIT;
  if (!has_valid_counts(data, &own)) {
    if (report) *report = own;
    return CT_BAD_ELEMENT;
  }
  ct_elements *elements = allocate_elements(data);
  if (!elements) return CT_OUT_OF_MEMORY;
  ct_status status = build_elements(elements, data, cancel, &own);
  if (status == CT_OK) status = complete_elements(elements, &own, cancel);
  if (report && (status == CT_OK || status == CT_BAD_ELEMENT)) *report = own;
  if (status != CT_OK) {
    destroy_elements(elements);
    return status;
  }
  *out = elements;
  return CT_OK;
}

const ct_elements *ct_elements_retain(const ct_elements *elements) {
  ct_elements *own = (ct_elements *)(uintptr_t)elements;
  atomic_fetch_add_explicit(&own->references, 1, memory_order_relaxed);
  return elements;
}

void ct_elements_release(const ct_elements *elements) {
  if (!elements) return;
  ct_elements *own = (ct_elements *)(uintptr_t)elements;
  if (atomic_fetch_sub_explicit(&own->references, 1, memory_order_acq_rel) == 1)
    destroy_elements(own);
}

const ct_elements_view *ct_elements_get(const ct_elements *elements) { return &elements->view; }

const ct_elements *ct_elements_origin(const ct_elements *elements) { return elements->origin; }

size_t ct_elements_bytes(const ct_elements *elements) { return elements->bytes; }

static ct_status recreate_elements(const ct_elements *elements, const ct_mesh_parts *parts,
                                   ct_elements **out, ct_elements_report *report) {
  const ct_elements_view *view = &elements->view;
  const ct_elements_data data = {.type = view->type,
                                 .vertices = parts->vertices,
                                 .vertex_count = view->vertex_count,
                                 .corners = view->corners,
                                 .element_count = view->element_count,
                                 .normals = parts->normals,
                                 .surface_ids = view->surface_ids,
                                 .surface_id_count = view->surface_ids ? view->outer_count : 0,
                                 .corner_counts = view->corner_counts,
                                 .corner_stride = view->corner_stride};
  return ct_elements_create(&data, parts->cancel, out, report);
}

/* Allocates moved elements that share the lists of the origin. NULL: out of memory. */
static ct_elements *share_element_lists(const ct_elements *from) {
  ct_elements *moved = calloc(1, sizeof *moved);
  if (!moved) return NULL;
  atomic_init(&moved->references, 1);
  moved->view = from->view;
  moved->corner_counts = from->corner_counts;
  moved->corners = from->corners;
  moved->nodes = from->nodes;
  moved->across = from->across;
  moved->outer = from->outer;
  moved->triangle_outer = from->triangle_outer;
  moved->surface_ids = from->surface_ids;
  moved->tree_cost = from->tree_cost;
  moved->origin = ct_elements_retain(from->origin ? from->origin : from);
  return moved;
}

/* Moves the surface mesh. CT_LIMIT: it had to be given a tree of its own, so all elements have to
 * be rebuilt. */
static ct_status refit_surface(const ct_elements *from, const ct_mesh_parts *parts,
                               ct_elements *moved, ct_elements_report *report) {
  ct_status status = ct_mesh_move(from->surface, parts->vertices, parts->normals, parts->cancel,
                                  &moved->surface, &report->surface);
  if (status == CT_OPEN_MESH || status == CT_DEGENERATE_MESH) {
    report->fault = CT_ELEMENT_OPEN;
    return CT_BAD_ELEMENT;
  }
  return status == CT_OK && !ct_mesh_origin(moved->surface) ? CT_LIMIT : status;
}

static ct_status refit_hulls(const ct_elements *from, ct_elements *moved, const ct_cancel *cancel,
                             ct_elements_report *report) {
  uint32_t count = from->view.element_count;
  const ct_vec3 *vertices = ct_mesh_get(moved->surface)->vertices;
  moved->hulls = calloc(count, sizeof *moved->hulls);
  moved->boxes = malloc(count * sizeof *moved->boxes);
  ct_status status = moved->hulls && moved->boxes ? CT_OK : CT_OUT_OF_MEMORY;
  for (uint32_t e = 0; status == CT_OK && e < count; e++)
    status = ct_mesh_cancelled(e, cancel)
                 ? CT_CANCELLED
                 : add_element_hull(moved, e, vertices, from->hulls[e], cancel, report);
  return status;
}

/* Refits a copy of the AABB tree to the new boxes. CT_LIMIT: its search cost would be too high. */
static ct_status refit_element_tree(const ct_elements *from, ct_elements *moved) {
  moved->tree = ct_tree_clone(from->tree);
  if (!moved->tree) return CT_OUT_OF_MEMORY;
  ct_tree_fit(moved->tree, moved->boxes);
  return ct_tree_cost(moved->tree) > CT_MESH_REFIT_COST * moved->tree_cost ? CT_LIMIT : CT_OK;
}

/* Moves the elements without rebuilding them. CT_LIMIT: they have to be rebuilt. */
static ct_status refit_elements(const ct_elements *elements, const ct_mesh_parts *parts,
                                ct_elements **out, ct_elements_report *report) {
  ct_elements *moved = share_element_lists(elements);
  if (!moved) return CT_OUT_OF_MEMORY;
  *report = elements->report;
  ct_status status = ct_elements_check_each(moved, parts, report);
  if (status == CT_OK) status = refit_surface(elements, parts, moved, report);
  if (status == CT_OK) status = refit_hulls(elements, moved, parts->cancel, report);
  if (status == CT_OK) status = refit_element_tree(elements, moved);
  if (status == CT_OK) status = complete_elements(moved, report, parts->cancel);
  if (status != CT_OK) {
    ct_elements_release(moved);
    return status;
  }
  *out = moved;
  return CT_OK;
}

ct_status ct_elements_move(const ct_elements *elements, const ct_vec3 *vertices,
                           const ct_vec3 *normals, const ct_cancel *cancel, ct_elements **out,
                           ct_elements_report *report) {
  ct_elements_report own = {.element = CT_NO_ELEMENT, .other = CT_NO_ELEMENT};
  ct_mesh_parts parts = {.vertices = vertices,
                         .normals = normals,
                         .vertex_count = elements->view.vertex_count,
                         .cancel = cancel};
  bool out_of_memory = false;
  if (!ct_mesh_open_vertices(&parts)) return CT_LIMIT;
  bool kept = ct_mesh_keeps_points(elements->surface, &parts, &out_of_memory);
  if (out_of_memory) return CT_OUT_OF_MEMORY;
  ct_status status = kept ? refit_elements(elements, &parts, out, &own) : CT_LIMIT;
  if (status == CT_LIMIT) return recreate_elements(elements, &parts, out, report);
  if (report && (status == CT_OK || status == CT_BAD_ELEMENT)) *report = own;
  return status;
}
