/* Element mesh with moved vertices: connectivity and tree topology are shared with the original.
 * The surface is refitted (mesh_refit.c); orientation is checked again exactly; hulls and boxes are
 * recomputed.
 *
 * The elements are rebuilt if equal vertices change, or if one of the trees would exceed
 * CT_MESH_REFIT_COST times its original cost. Both trees thus always have the same origin.
 */
#include "elements/elements_build.h"

#include <stdlib.h>

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

/* Allocates moved elements that share the origin's lists. NULL: out of memory. */
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

/* CT_LIMIT: the surface was given a tree of its own. */
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
                 : ct_elements_add_hull(moved, e, vertices, from->hulls[e], cancel, report);
  return status;
}

/* CT_LIMIT: the refitted tree would cost too much. */
static ct_status refit_element_tree(const ct_elements *from, ct_elements *moved) {
  moved->tree = ct_tree_clone(from->tree);
  if (!moved->tree) return CT_OUT_OF_MEMORY;
  ct_tree_fit(moved->tree, moved->boxes);
  return ct_tree_cost(moved->tree) > CT_MESH_REFIT_COST * moved->tree_cost ? CT_LIMIT : CT_OK;
}

/* CT_LIMIT: the elements need to be rebuilt. */
static ct_status refit_elements(const ct_elements *elements, const ct_mesh_parts *parts,
                                ct_elements **out, ct_elements_report *report) {
  ct_elements *moved = share_element_lists(elements);
  if (!moved) return CT_OUT_OF_MEMORY;
  *report = elements->report;
  ct_status status = ct_elements_check_each(moved, parts, report);
  if (status == CT_OK) status = refit_surface(elements, parts, moved, report);
  if (status == CT_OK) status = refit_hulls(elements, moved, parts->cancel, report);
  if (status == CT_OK) status = refit_element_tree(elements, moved);
  if (status != CT_OK) {
    ct_elements_release(moved);
    return status;
  }
  ct_elements_close(moved, report);
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
