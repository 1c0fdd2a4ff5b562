/* Surface ids of a hull: the caller's ids of its faces, and their transfer to a copy of the
 * hull. */
#include "hull/hull_faces.h"

#include <stdlib.h>
#include <string.h>

ct_status ct_hull_set_surfaces(ct_hull *hull, const uint32_t *ids) {
  size_t bytes = hull->view.face_count * sizeof *ids;
  uint32_t *own = malloc(bytes);
  if (!own) return CT_OUT_OF_MEMORY;
  memcpy(own, ids, bytes);
  if (!hull->surface_ids) hull->bytes += bytes;
  free(hull->surface_ids);
  hull->view.surface_ids = hull->surface_ids = own;
  return CT_OK;
}

/* Face left of the edge from u to v, by binary search; UINT32_MAX if the edge does not exist. */
static uint32_t find_face_of_edge(const ct_hull_view *view, uint32_t u, uint32_t v) {
  uint32_t first = u < v ? u : v, second = u < v ? v : u, low = 0, high = view->edge_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const uint32_t *edge = view->edge_vertices[middle];
    if (edge[0] < first || (edge[0] == first && edge[1] < second)) low = middle + 1;
    else high = middle;
  }
  if (low == view->edge_count || view->edge_vertices[low][0] != first ||
      view->edge_vertices[low][1] != second)
    return UINT32_MAX;
  return view->edge_faces[low][u < v ? 0 : 1];
}

static bool has_face_vertex(const ct_hull_view *view, uint32_t face, uint32_t v) {
  for (uint32_t i = view->face_start[face]; i < view->face_start[face + 1]; i++) {
    if (view->face_loop[i] == v) return true;
  }
  return false;
}

/* Face of `from` that contains a face of the copy: the face left of a common edge, else the face
 * with its first three vertices. */
static uint32_t find_source_face(const ct_hull_view *from, const ct_hull_view *to, uint32_t face) {
  uint32_t begin = to->face_start[face], end = to->face_start[face + 1], v[3];
  for (uint32_t i = begin; i < end; i++) {
    uint32_t next = i + 1 < end ? i + 1 : begin;
    uint32_t found = find_face_of_edge(from, to->vertex_input[to->face_loop[i]],
                                       to->vertex_input[to->face_loop[next]]);
    if (found != UINT32_MAX) return found;
  }
  for (uint32_t k = 0; k < 3; k++) v[k] = to->vertex_input[to->face_loop[begin + k]];
  for (uint32_t f = 0; f < from->face_count; f++) {
    if (has_face_vertex(from, f, v[0]) && has_face_vertex(from, f, v[1]) &&
        has_face_vertex(from, f, v[2]))
      return f;
  }
  return 0;
}

ct_status ct_hull_copy_surfaces(ct_hull *hull, const ct_hull *from) {
  if (!from->surface_ids) return CT_OK;
  uint32_t *ids = malloc(hull->view.face_count * sizeof *ids);
  if (!ids) return CT_OUT_OF_MEMORY;
  for (uint32_t f = 0; f < hull->view.face_count; f++)
    ids[f] = from->surface_ids[find_source_face(&from->view, &hull->view, f)];
  ct_status status = ct_hull_set_surfaces(hull, ids);
  free(ids);
  return status;
}
