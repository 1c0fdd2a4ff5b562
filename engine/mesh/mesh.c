/* Creation of a mesh from its parts, and its lifetime.
 *
 * Steps of build_mesh: merge vertices and drop duplicates (mesh_merge_vertices.c), classify edges
 * (mesh_edges.c), integrate (mesh_mass.c), build the BVH (mesh_bvh.c), and write all arrays into
 * one block of memory. Meshes are immutable and reference counted. Limits: CT_MESH_VERTICES_MAX,
 * CT_MESH_TRIANGLES_MAX, and coordinates in the exactness range of base/predicates.h. */
#include "base/double_double.h"
#include "base/predicates.h"
#include "mesh/mesh_build.h"

#include <stdlib.h>
#include <string.h>

/* Alignment of arrays: a pair of sibling nodes fills one aligned block of this size. */
#define ALIGNMENT 128u
/* Relative increase of the bounding radius; covers the round-off of a distance (4 u). */
#define RADIUS_WIDENING (8.0 * CT_UNIT_ROUNDOFF)

static void *carve_block(char *block, size_t *at, size_t bytes) {
  void *piece = block ? block + *at : NULL;
  *at += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return piece;
}

/* Assigns the arrays of the block and returns its size. If `block` is NULL, only computes the
 * size. */
static size_t lay_out_mesh(ct_mesh_layout *l, char *block, const ct_mesh_counts *counts) {
  const ct_mesh_counts none = {0}, *own = counts->shared ? &none : counts;
  size_t at = 0, live = own->live;
  l->mesh = carve_block(block, &at, sizeof *l->mesh);
  l->nodes = carve_block(block, &at, counts->nodes * sizeof *l->nodes);
  l->corners = carve_block(block, &at, live * sizeof *l->corners);
  l->vertices = carve_block(block, &at, counts->vertices * sizeof *l->vertices);
  l->order = carve_block(block, &at, live * sizeof *l->order);
  l->across = carve_block(block, &at, live * sizeof *l->across);
  l->triangles = carve_block(block, &at, own->triangles * sizeof *l->triangles);
  l->points = carve_block(block, &at, own->points * sizeof *l->points);
  l->component_vertex = carve_block(block, &at, own->components * sizeof *l->component_vertex);
  l->first = carve_block(block, &at, own->vertices * sizeof *l->first);
  l->normals =
      counts->normals ? carve_block(block, &at, counts->vertices * sizeof *l->normals) : NULL;
  return at;
}

bool ct_mesh_allocate(ct_mesh_layout *l, const ct_mesh_counts *counts) {
  /* Compute the size, allocate, then assign the arrays. */
  size_t bytes = lay_out_mesh(l, NULL, counts);
  char *block = aligned_alloc(ALIGNMENT, bytes);
  if (!block) return false;
  lay_out_mesh(l, block, counts);
  *l->mesh = (ct_mesh){.view = {.vertex_count = counts->vertices,
                                .triangle_count = counts->triangles,
                                .vertices = l->vertices,
                                .normals = l->normals,
                                .triangles = (const uint32_t(*)[3])l->triangles,
                                .live_count = counts->live,
                                .order = l->order,
                                .corners = (const uint32_t(*)[3])l->corners,
                                .across = (const uint32_t(*)[3])l->across,
                                .nodes = l->nodes,
                                .node_count = counts->nodes,
                                .point_count = counts->points,
                                .points = l->points,
                                .component_count = counts->components,
                                .component_vertex = l->component_vertex},
                       .first = l->first,
                       .bytes = bytes};
  atomic_init(&l->mesh->references, 1);
  return true;
}

/* State of a mesh under construction, before its block is allocated. */
typedef struct mesh_plan {
  ct_mesh_parts parts;
  ct_mesh_sums sums;
  uint32_t *order, *position; /* triangles with an area, in the order of the BVH's leaves;
                                 [triangle_count] the inverse of this order */
  ct_mesh_branch *branches;
  uint32_t branch_count;
} mesh_plan;

void ct_mesh_parts_free(ct_mesh_parts *m) {
  free(m->first);
  free(m->state);
  free(m->across);
  free(m->parent);
}

static void free_mesh_plan(mesh_plan *p) {
  ct_mesh_parts_free(&p->parts);
  free(p->order);
  free(p->position);
  free(p->branches);
}

static void write_mesh_vertices(ct_mesh_layout *l, const ct_mesh_parts *m) {
  uint32_t points = 0, components = 0;
  for (uint32_t v = 0; v < m->vertex_count; v++) {
    l->vertices[v] = ct_mesh_point(m, v);
    if (m->parent[v] != CT_NO_TRIANGLE) l->points[points++] = v;
    if (m->parent[v] == v) l->component_vertex[components++] = v;
  }
  memcpy(l->triangles, m->triangles, m->triangle_count * sizeof *l->triangles);
  memcpy(l->first, m->first, m->vertex_count * sizeof *l->first);
  if (m->normals) memcpy(l->normals, m->normals, m->vertex_count * sizeof *l->normals);
}

/* Writes vertices and adjacency of the triangles in the order of the leaves. If `flipped`, a
 * triangle has the corners 0, 2, 1, and the edges that begin there are the edges 2, 1, 0. False:
 * cancelled. */
static bool write_mesh_triangles(ct_mesh_layout *l, const mesh_plan *p, bool flipped) {
  static const uint32_t corner_of[2][3] = {{0, 1, 2}, {0, 2, 1}},
                        edge_of[2][3] = {{0, 1, 2}, {2, 1, 0}};
  const ct_mesh_parts *m = &p->parts;
  for (uint32_t i = 0; i < m->live_count; i++) p->position[p->order[i]] = i;
  for (uint32_t i = 0; i < m->live_count; i++) {
    if (ct_mesh_cancelled(i, m->cancel)) return false;
    uint32_t t = p->order[i];
    l->order[i] = t;
    for (uint32_t k = 0; k < 3; k++) {
      uint32_t beyond = m->across[3 * t + edge_of[flipped][k]];
      l->corners[i][k] = ct_mesh_corner(m, 3 * t + corner_of[flipped][k]);
      l->across[i][k] = beyond == CT_NO_TRIANGLE ? CT_NO_TRIANGLE : p->position[beyond / 3];
    }
  }
  return true;
}

static double find_mesh_radius(const ct_mesh_view *view, ct_vec3 centre) {
  double radius = 0.0;
  for (uint32_t i = 0; i < view->point_count; i++)
    radius = ct_max2(radius, ct_norm(ct_sub(view->vertices[view->points[i]], centre)));
  return radius * (1.0 + RADIUS_WIDENING);
}

/* Digests vertices and triangles: meshes with bit-equal arrays have equal digests. False:
 * cancelled. */
static bool digest_mesh(const ct_mesh_view *view, const ct_cancel *cancel, ct_digest *digest) {
  ct_digest_state state;
  ct_digest_open(&state, cancel);
  if (!ct_digest_doubles(&state, &view->vertices[0].x, 3 * (size_t)view->vertex_count) ||
      !ct_digest_indices(&state, view->triangles[0], 3 * (size_t)view->triangle_count))
    return false;
  *digest = ct_digest_close(&state);
  return true;
}

bool ct_mesh_write_numbers(ct_mesh *mesh, const ct_mesh_sums *sums, const ct_mesh_report *report,
                           const ct_cancel *cancel) {
  ct_mesh_view *view = &mesh->view;
  mesh->report = *report;
  view->flipped = report->flipped;
  view->solid = report->solid;
  view->centroid = report->solid ? sums->volume_centroid : sums->area_centroid;
  view->volume = report->solid ? report->volume : 0.0;
  view->inertia =
      report->solid ? sums->inertia : (ct_mat3){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  view->box = report->box;
  view->radius = find_mesh_radius(view, view->centroid);
  return digest_mesh(view, cancel, &mesh->digest);
}

/* Allocates the mesh and fills it from the complete plan. */
static ct_status assemble_mesh(mesh_plan *p, const ct_mesh_report *report, ct_mesh **out) {
  ct_mesh_parts *m = &p->parts;
  ct_mesh_layout l;
  const ct_mesh_counts counts = {.vertices = m->vertex_count,
                                 .triangles = m->triangle_count,
                                 .live = m->live_count,
                                 .points = report->vertices,
                                 .components = report->components,
                                 .nodes = p->branch_count,
                                 .normals = m->normals != NULL};
  p->position = malloc((size_t)m->triangle_count * sizeof *p->position);
  if (!p->position || !ct_mesh_allocate(&l, &counts)) return CT_OUT_OF_MEMORY;
  /* Write the arrays, then the boxes of the tree, then the values that depend on both. */
  write_mesh_vertices(&l, m);
  for (uint32_t i = 0; i < p->branch_count; i++)
    l.nodes[i] = (ct_mesh_node){.first = p->branches[i].first, .count = p->branches[i].count};
  if (!write_mesh_triangles(&l, p, report->flipped) ||
      !ct_mesh_fit(&l.mesh->view, l.nodes, m->cancel) ||
      !ct_mesh_write_numbers(l.mesh, &p->sums, report, m->cancel)) {
    free(l.mesh);
    return CT_CANCELLED;
  }
  l.mesh->tree_cost = ct_mesh_tree_cost(&l.mesh->view);
  l.mesh->view.repeats = m->repeats;
  *out = l.mesh;
  return CT_OK;
}

ct_status ct_mesh_classify(const ct_mesh_sums *sums, ct_mesh_reading reading,
                           ct_mesh_report *report) {
  bool encloses = report->closed && report->oriented && sums->volume != 0.0;
  report->flipped = sums->volume < 0.0;
  report->volume = fabs(sums->volume);
  report->solid = encloses && reading != CT_MESH_SURFACE;
  return reading == CT_MESH_SOLID && !encloses ? CT_OPEN_MESH : CT_OK;
}

bool ct_mesh_open_vertices(ct_mesh_parts *m) {
  double largest = 0.0;
  for (uint32_t v = 0; v < m->vertex_count; v++) {
    double size = ct_max_abs(m->vertices[v]);
    if (!(size <= CT_EXACT_MAX) ||
        !isfinite(m->vertices[v].x + m->vertices[v].y + m->vertices[v].z))
      return false;
    largest = ct_max2(largest, size);
  }
  m->flush = ct_max2(CT_EXACT_FLUSH_FRACTION * largest, CT_EXACT_MIN);
  return true;
}

static ct_status build_mesh(mesh_plan *p, ct_mesh_reading reading, ct_mesh_report *report,
                            ct_mesh **out) {
  ct_status status = ct_mesh_join(&p->parts, report);
  if (status == CT_OK) status = ct_mesh_edges(&p->parts, report);
  if (status == CT_OK && !ct_mesh_measure(&p->parts, report, &p->sums)) status = CT_CANCELLED;
  if (status == CT_OK) status = ct_mesh_classify(&p->sums, reading, report);
  if (status == CT_OK)
    status = ct_mesh_branches(&p->parts, &report->box, &p->order, &p->branches, &p->branch_count);
  return status == CT_OK ? assemble_mesh(p, report, out) : status;
}

ct_status ct_mesh_create_parts(const ct_mesh_parts *parts, ct_mesh_reading reading, ct_mesh **out,
                               ct_mesh_report *report) {
  mesh_plan p = {.parts = *parts};
  ct_mesh_report own = {.bad_triangle = CT_NO_TRIANGLE};
  if (!ct_mesh_open_vertices(&p.parts)) return CT_LIMIT;
  ct_status status = build_mesh(&p, reading, &own, out);
  free_mesh_plan(&p);
  if (report && (status == CT_OK || status == CT_OPEN_MESH || status == CT_DEGENERATE_MESH))
    *report = own;
  return status;
}

ct_status ct_mesh_create(const ct_mesh_data *data, ct_mesh_reading reading, const ct_cancel *cancel,
                         ct_mesh **out, ct_mesh_report *report) {
  if (data->vertex_count > CT_MESH_VERTICES_MAX || data->triangle_count > CT_MESH_TRIANGLES_MAX)
    return CT_LIMIT;
  ct_mesh_parts parts = ct_mesh_parts_of(data, cancel);
  return ct_mesh_create_parts(&parts, reading, out, report);
}

const ct_mesh *ct_mesh_retain(const ct_mesh *mesh) {
  ct_mesh *own = (ct_mesh *)(uintptr_t)mesh;
  atomic_fetch_add_explicit(&own->references, 1, memory_order_relaxed);
  return mesh;
}

void ct_mesh_release(const ct_mesh *mesh) {
  if (!mesh) return;
  ct_mesh *own = (ct_mesh *)(uintptr_t)mesh;
  if (atomic_fetch_sub_explicit(&own->references, 1, memory_order_acq_rel) != 1) return;
  ct_mesh_release(own->origin);
  free(own);
}

const ct_mesh_view *ct_mesh_get(const ct_mesh *mesh) { return &mesh->view; }

size_t ct_mesh_bytes(const ct_mesh *mesh) { return mesh->bytes; }

const ct_mesh *ct_mesh_origin(const ct_mesh *mesh) { return mesh->origin; }

ct_vec3 ct_mesh_normal(const ct_mesh *mesh, uint32_t triangle) {
  const ct_mesh_view *view = &mesh->view;
  const uint32_t *t = view->triangles[triangle];
  ct_vec3 a = view->vertices[t[0]], b = view->vertices[t[view->flipped ? 2 : 1]],
          c = view->vertices[t[view->flipped ? 1 : 2]];
  ct_dd3 p = ct_dd3_sub(b, a), q = ct_dd3_sub(c, a), cross = ct_dd3_cross(&p, &q);
  return ct_unit_or(ct_dd3_value(&cross), (ct_vec3){0.0, 0.0, 1.0});
}
