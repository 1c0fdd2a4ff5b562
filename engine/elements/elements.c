/* Creation of element meshes, and their lifetime.
 *
 * Steps of build_elements: check each element (elements_check.c), match shared faces
 * (elements_faces.c), create the surface as a solid mesh, a hull and a box per element, and the
 * AABB tree. Element meshes are immutable and reference counted. Limits: CT_MESH_VERTICES_MAX,
 * CT_ELEMENTS_MAX.
 */
#include "elements/elements_build.h"
#include <contact/limits.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

/* Returns a copy, or NULL for an empty array. Sets *bad if out of memory. */
static void *copy_array(const void *items, size_t bytes, bool *bad) {
  if (!items || bytes == 0) return NULL;
  void *copy = malloc(bytes);
  if (copy) memcpy(copy, items, bytes);
  else *bad = true;
  return copy;
}

/* False: an element has a corner count without an element type. */
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

/* Copies corner counts, and corners at the view's stride. False: out of memory. */
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

/* Lists the triangles of the outer faces in order, at most two per face, and the face of each.
 * Returns their number. */
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

ct_status ct_elements_add_hull(ct_elements *elements, uint32_t element, const ct_vec3 *vertices,
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

/* Creates the hulls. Uses the surface's vertices, which are flushed to the exactness range. */
static ct_status create_hulls(ct_elements *elements, const ct_cancel *cancel,
                              ct_elements_report *report) {
  const ct_elements_view *view = &elements->view;
  const ct_vec3 *vertices = ct_mesh_get(elements->surface)->vertices;
  elements->hulls = calloc(view->element_count, sizeof *elements->hulls);
  elements->boxes = malloc(view->element_count * sizeof *elements->boxes);
  ct_status status = elements->hulls && elements->boxes ? CT_OK : CT_OUT_OF_MEMORY;
  for (uint32_t e = 0; status == CT_OK && e < view->element_count; e++)
    status = ct_elements_add_hull(elements, e, vertices, NULL, cancel, report);
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

static ct_digest digest_elements(const ct_elements_view *view) {
  ct_digest_state state;
  ct_digest_open(&state);
  ct_digest_doubles(&state, &view->vertices[0].x, 3 * (size_t)view->vertex_count);
  ct_digest_indices(&state, view->corners, (size_t)view->element_count * view->corner_stride);
  return ct_digest_close(&state);
}

void ct_elements_close(ct_elements *elements, const ct_elements_report *report) {
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
  elements->digest = digest_elements(view);
  /* Memory: own arrays, plus the shared lists or the origin's memory. */
  const ct_elements *from = elements->origin;
  size_t words = 2 * (size_t)view->corner_stride + view->face_stride, count = view->element_count;
  size_t lists = count * (1 + words * sizeof(uint32_t)) +
                 view->outer_count * sizeof(uint32_t) * (elements->surface_ids ? 4 : 3);
  elements->bytes += sizeof *elements + ct_mesh_bytes(elements->surface) +
                     ct_tree_bytes(elements->tree) +
                     count * (sizeof *elements->boxes + sizeof *elements->hulls) +
                     (from ? from->bytes - ct_mesh_bytes(from->surface) : lists);
}

static ct_status build_elements(ct_elements *elements, const ct_elements_data *data,
                                const ct_cancel *cancel, ct_elements_report *report) {
  ct_mesh_parts parts = {
      .vertices = data->vertices, .vertex_count = (uint32_t)data->vertex_count, .cancel = cancel};
  ct_status status = ct_mesh_open_vertices(&parts) ? CT_OK : CT_LIMIT;
  if (status == CT_OK) status = ct_elements_check(elements, &parts, report);
  free(parts.first);
  if (status == CT_OK) status = ct_elements_match(elements, cancel, report);
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
  if (report && (status == CT_OK || status == CT_BAD_ELEMENT)) *report = own;
  if (status != CT_OK) {
    destroy_elements(elements);
    return status;
  }
  ct_elements_close(elements, &own);
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
