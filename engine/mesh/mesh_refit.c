/* A mesh with moved vertices: connectivity and the topology of the BVH are shared with the
 * original; boxes, mass properties and digest are recomputed.
 *
 * Connectivity depends on positions in two ways: bit-equal vertices are merged, and triangles
 * without area are excluded. If either differs, the mesh is created again. A tree whose
 * surface-area cost has grown too much (CT_MESH_REFIT_COST) is rebuilt. */
#include "base/predicates.h"
#include "mesh/mesh_build.h"

#include <stdlib.h>
#include <string.h>

/* Odd multipliers without structure: the fractional parts of the golden ratio, of sqrt(2) and of
 * sqrt(3), times 2^64. */
#define HASH_X 0x9e3779b97f4a7c15u
#define HASH_Y 0x6a09e667f3bcc909u
#define HASH_Z 0xbb67ae8584caa73bu
/* Greatest number of probes in the hash table. Only adversarial points exceed it; the mesh is then
 * created again. */
#define PROBES_MAX 64

static bool is_equal_point(ct_vec3 a, ct_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static uint64_t hash_point(ct_vec3 p) {
  uint64_t bits[3];
  p = ct_vec(0.0 + p.x, 0.0 + p.y, 0.0 + p.z); /* 0 + -0 is 0, so both zeros have the same hash */
  memcpy(bits, &p, sizeof bits);
  uint64_t h = bits[0] * HASH_X;
  h = (h ^ h >> 32 ^ bits[1]) * HASH_Y;
  h = (h ^ h >> 32 ^ bits[2]) * HASH_Z;
  return h ^ h >> 29;
}

/* True if vertices with distinct points still have distinct points. `table` contains the vertices
 * visited so far. */
static bool has_distinct_points(const ct_mesh *mesh, const ct_mesh_parts *m, uint32_t *table,
                                uint32_t mask) {
  for (uint32_t v = 0; v < m->vertex_count; v++) {
    if (mesh->first[v] != v) continue;
    ct_vec3 p = ct_mesh_point(m, v);
    uint32_t at = (uint32_t)hash_point(p) & mask, probes = 0;
    for (; table[at] != CT_NO_TRIANGLE; at = (at + 1) & mask)
      if (++probes > PROBES_MAX || is_equal_point(ct_mesh_point(m, table[at]), p)) return false;
    table[at] = v;
  }
  return true;
}

bool ct_mesh_keeps_points(const ct_mesh *mesh, const ct_mesh_parts *m, bool *out_of_memory) {
  for (uint32_t v = 0; v < m->vertex_count; v++)
    if (mesh->first[v] != v &&
        !is_equal_point(ct_mesh_point(m, v), ct_mesh_point(m, mesh->first[v])))
      return false;
  /* Hash table with a load factor of at most 1/2. */
  uint32_t size = 1;
  while (size < 2 * (uint64_t)m->vertex_count) size *= 2;
  uint32_t *table = malloc(size * sizeof *table);
  *out_of_memory = !table;
  if (!table) return false;
  memset(table, 0xff, size * sizeof *table);
  bool distinct = has_distinct_points(mesh, m, table, size - 1);
  free(table);
  return distinct;
}

/* True if every triangle had an area before, and has one with the new vertices. */
static bool has_same_triangles(const ct_mesh *mesh, const ct_mesh_parts *m) {
  if (mesh->view.live_count != mesh->view.triangle_count) return false;
  for (uint32_t t = 0; t < m->triangle_count; t++) {
    const uint32_t *c = m->triangles[t];
    if (ct_collinear(ct_mesh_point(m, c[0]), ct_mesh_point(m, c[1]), ct_mesh_point(m, c[2])))
      return false;
  }
  return true;
}

/* ---- the moved mesh ------------------------------------------------------------------------- */

static ct_mesh_counts count_arrays(const ct_mesh_view *view, uint32_t nodes, bool normals) {
  return (ct_mesh_counts){.vertices = view->vertex_count,
                          .triangles = view->triangle_count,
                          .live = view->live_count,
                          .points = view->point_count,
                          .components = view->component_count,
                          .nodes = nodes,
                          .normals = normals};
}

/* Makes the new mesh refer to the connectivity of the original, and copies the topology of the
 * tree. */
static void share_mesh_lists(const ct_mesh_layout *l, const ct_mesh *mesh) {
  const ct_mesh_view *from = &mesh->view;
  ct_mesh_view *view = &l->mesh->view;
  view->triangles = from->triangles;
  view->order = from->order;
  view->corners = from->corners;
  view->across = from->across;
  view->points = from->points;
  view->component_vertex = from->component_vertex;
  l->mesh->first = mesh->first;
  l->mesh->origin = ct_mesh_retain(mesh->origin ? mesh->origin : mesh);
  l->mesh->bytes += l->mesh->origin->bytes;
  l->mesh->tree_cost = mesh->tree_cost;
  for (uint32_t i = 0; i < from->node_count; i++)
    l->nodes[i] = (ct_mesh_node){.first = from->nodes[i].first, .count = from->nodes[i].count};
}

/* Copies the arrays that do not depend on the tree. */
static void copy_lists(const ct_mesh_layout *l, const ct_mesh *mesh) {
  const ct_mesh_view *view = &mesh->view;
  memcpy(l->triangles, view->triangles, view->triangle_count * sizeof *l->triangles);
  memcpy(l->points, view->points, view->point_count * sizeof *l->points);
  memcpy(l->component_vertex, view->component_vertex,
         view->component_count * sizeof *l->component_vertex);
  memcpy(l->first, mesh->first, view->vertex_count * sizeof *l->first);
}

/* Copies the triangles in the order of another tree's leaves. `position` is scratch for the inverse
 * order. */
static void copy_reordered(const ct_mesh_layout *l, const ct_mesh_view *view, const uint32_t *order,
                           uint32_t *position) {
  memcpy(l->order, order, view->live_count * sizeof *l->order);
  for (uint32_t i = 0; i < view->live_count; i++) position[order[i]] = i;
  for (uint32_t i = 0; i < view->live_count; i++) {
    uint32_t to = position[view->order[i]];
    for (int k = 0; k < 3; k++) {
      uint32_t beyond = view->across[i][k];
      l->corners[to][k] = view->corners[i][k];
      l->across[to][k] = beyond == CT_NO_TRIANGLE ? beyond : position[view->order[beyond]];
    }
  }
}

static void copy_positions(const ct_mesh_layout *l, const ct_mesh_parts *m) {
  for (uint32_t v = 0; v < m->vertex_count; v++) l->vertices[v] = ct_mesh_point(m, v);
  if (m->normals) memcpy(l->normals, m->normals, m->vertex_count * sizeof *l->normals);
}

/* Creates the moved mesh with the topology of the original tree, fitted to the new vertices. */
static ct_status refit_tree(const ct_mesh *mesh, const ct_mesh_parts *m, ct_mesh **out) {
  ct_mesh_layout l;
  ct_mesh_counts counts = count_arrays(&mesh->view, mesh->view.node_count, m->normals != NULL);
  counts.shared = true;
  if (!ct_mesh_allocate(&l, &counts)) return CT_OUT_OF_MEMORY;
  share_mesh_lists(&l, mesh);
  copy_positions(&l, m);
  *out = l.mesh;
  return ct_mesh_fit(&l.mesh->view, l.nodes, m->cancel) ? CT_OK : CT_CANCELLED;
}

/* Creates the moved mesh with a tree that is built from the new vertices. */
static ct_status rebuild_tree(const ct_mesh *mesh, const ct_mesh_parts *m, const ct_aabb *box,
                              ct_mesh **out) {
  uint32_t *order, count, *position = malloc(m->triangle_count * sizeof *position);
  ct_mesh_branch *branches;
  ct_mesh_layout l;
  if (!position) return CT_OUT_OF_MEMORY;
  ct_status status = ct_mesh_branches(m, box, &order, &branches, &count);
  const ct_mesh_counts counts = count_arrays(&mesh->view, count, m->normals != NULL);
  if (status == CT_OK && !ct_mesh_allocate(&l, &counts)) status = CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    copy_lists(&l, mesh);
    copy_reordered(&l, &mesh->view, order, position);
    copy_positions(&l, m);
    for (uint32_t i = 0; i < count; i++)
      l.nodes[i] = (ct_mesh_node){.first = branches[i].first, .count = branches[i].count};
    *out = l.mesh;
    if (!ct_mesh_fit(&l.mesh->view, l.nodes, m->cancel)) status = CT_CANCELLED;
    else l.mesh->tree_cost = ct_mesh_tree_cost(&l.mesh->view);
  }
  free(position);
  free(order);
  free(branches);
  return status;
}

static bool is_degraded(const ct_mesh *moved) {
  return ct_mesh_tree_cost(&moved->view) > CT_MESH_REFIT_COST * moved->tree_cost;
}

static ct_status assemble_refitted(const ct_mesh *mesh, const ct_mesh_parts *m, const ct_aabb *box,
                                   ct_mesh **out) {
  ct_mesh *moved = NULL;
  ct_status status = refit_tree(mesh, m, &moved);
  if (status == CT_OK && is_degraded(moved)) {
    ct_mesh *rebuilt = NULL;
    status = rebuild_tree(moved, m, box, &rebuilt);
    ct_mesh_release(moved);
    moved = rebuilt;
  }
  if (status == CT_OK) {
    moved->view.repeats = mesh->view.repeats;
    *out = moved;
  } else {
    ct_mesh_release(moved);
  }
  return status;
}

/* ---- the parts of a moved mesh -------------------------------------------------------------- */

/* Sets the members of *m that ct_mesh_measure reads, for a mesh without dropped triangles. False:
 * out of memory. */
static bool allocate_live_parts(const ct_mesh *mesh, ct_mesh_parts *m) {
  m->state = calloc(m->triangle_count, 1);
  m->parent = malloc(m->vertex_count * sizeof *m->parent);
  if (!m->state || !m->parent) return false;
  memset(m->parent, 0xff, m->vertex_count * sizeof *m->parent);
  for (uint32_t i = 0; i < mesh->view.point_count; i++)
    m->parent[mesh->view.points[i]] = mesh->view.points[i];
  m->first = (uint32_t *)(uintptr_t)mesh->first; /* read only */
  m->live_count = m->triangle_count;
  return true;
}

static ct_status recreate_mesh(const ct_mesh *mesh, const ct_mesh_parts *m, ct_mesh **out,
                               ct_mesh_report *report) {
  const ct_mesh_data data = {m->vertices, m->vertex_count, m->triangles, m->triangle_count,
                             m->normals};
  ct_mesh_parts parts = ct_mesh_parts_of(&data, m->cancel);
  parts.repeats = mesh->view.repeats;
  return ct_mesh_create_parts(&parts, mesh->view.solid ? CT_MESH_SOLID : CT_MESH_SURFACE, out,
                              report);
}

/* Moves the vertices if the topology is the same. CT_LIMIT: the orientation has changed. */
static ct_status refit_same_topology(const ct_mesh *mesh, ct_mesh_parts *m, ct_mesh **out,
                                     ct_mesh_report *report) {
  ct_mesh_sums sums;
  *report = mesh->report;
  if (!allocate_live_parts(mesh, m)) return CT_OUT_OF_MEMORY;
  if (!ct_mesh_measure(m, report, &sums)) return CT_CANCELLED;
  ct_status status =
      ct_mesh_classify(&sums, mesh->view.solid ? CT_MESH_SOLID : CT_MESH_SURFACE, report);
  if (status != CT_OK) return status;
  if (report->flipped != mesh->view.flipped) return CT_LIMIT;
  status = assemble_refitted(mesh, m, &report->box, out);
  if (status != CT_OK || ct_mesh_write_numbers(*out, &sums, report, m->cancel)) return status;
  ct_mesh_release(*out);
  *out = NULL;
  return CT_CANCELLED;
}

ct_status ct_mesh_move(const ct_mesh *mesh, const ct_vec3 *vertices, const ct_vec3 *normals,
                       const ct_cancel *cancel, ct_mesh **out, ct_mesh_report *report) {
  ct_mesh_report own = {.bad_triangle = CT_NO_TRIANGLE};
  ct_mesh_parts m = {.vertices = vertices,
                     .triangles = mesh->view.triangles,
                     .normals = normals,
                     .vertex_count = mesh->view.vertex_count,
                     .triangle_count = mesh->view.triangle_count,
                     .cancel = cancel};
  if (!ct_mesh_open_vertices(&m)) return CT_LIMIT;
  bool out_of_memory = false;
  if (!has_same_triangles(mesh, &m) || !ct_mesh_keeps_points(mesh, &m, &out_of_memory))
    return out_of_memory ? CT_OUT_OF_MEMORY : recreate_mesh(mesh, &m, out, report);
  ct_status status = refit_same_topology(mesh, &m, out, &own);
  free(m.state);
  free(m.parent);
  if (status == CT_LIMIT) return recreate_mesh(mesh, &m, out, report);
  if (report && (status == CT_OK || status == CT_OPEN_MESH)) *report = own;
  return status;
}
