/* Topology of a mesh: whether it is closed, oriented and manifold, and its connected components.
 *
 * Corners are sorted by edge. A mesh is closed if every edge has an even number of triangles, and
 * oriented if as many triangles run along each edge in one direction as in the other. A vertex is
 * pinched if its triangles form more than one fan (union-find of corners). Collinear triangles are
 * counted only if they close the mesh. */
#include "mesh/mesh_build.h"

#include <stdlib.h>
#include <string.h>

/* Uses path halving; the root is the lowest member of its set. */
uint32_t ct_mesh_find_root(uint32_t *parent, uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

void ct_mesh_unite(uint32_t *parent, uint32_t a, uint32_t b) {
  a = ct_mesh_find_root(parent, a);
  b = ct_mesh_find_root(parent, b);
  if (a < b) parent[b] = a;
  else parent[a] = b;
}

ct_mesh_ends ct_mesh_edge_ends(const ct_mesh_parts *m, uint32_t corner) {
  uint32_t a = ct_mesh_corner(m, corner), b = ct_mesh_corner(m, ct_mesh_next_corner(corner));
  return a < b ? (ct_mesh_ends){a, b} : (ct_mesh_ends){b, a};
}

static uint32_t find_edge_group(const void *data, uint32_t corner) {
  const ct_mesh_parts *m = data;
  return ct_mesh_triangle_closes_edges(m, corner / 3) ? ct_mesh_edge_ends(m, corner).low
                                                      : CT_GROUP_NONE;
}

static bool precedes_as_edge(const void *data, uint32_t a, uint32_t b) {
  const ct_mesh_parts *m = data;
  uint32_t p = ct_mesh_edge_ends(m, a).high, q = ct_mesh_edge_ends(m, b).high;
  return p < q || (p == q && a < b);
}

uint32_t ct_mesh_corner_at(const ct_mesh_parts *m, uint32_t corner, uint32_t vertex) {
  return ct_mesh_corner(m, corner) == vertex ? corner : ct_mesh_next_corner(corner);
}

ct_status ct_mesh_group_edges(const ct_mesh_parts *m, ct_groups *out) {
  ct_grouping by_edge = {m, find_edge_group, precedes_as_edge, 3 * m->triangle_count,
                         m->vertex_count};
  return ct_group_sort(&by_edge, m->cancel, out);
}

uint32_t ct_mesh_edge_end(const ct_mesh_parts *m, const ct_groups *groups, uint32_t first) {
  ct_mesh_ends e = ct_mesh_edge_ends(m, groups->items[first]);
  uint32_t end = first + 1;
  for (; end < groups->count; end++) {
    ct_mesh_ends next = ct_mesh_edge_ends(m, groups->items[end]);
    if (next.low != e.low || next.high != e.high) break;
  }
  return end;
}

typedef struct edge_walk {
  ct_mesh_parts *m;
  ct_mesh_report *report;
  uint32_t *fan;       /* [3 triangle_count] union-find parent of corners at the same vertex whose
                          triangles share an edge there */
  uint32_t bad_corner; /* lowest corner that begins a defective edge, or CT_NO_TRIANGLE */
  bool odd;            /* an edge has an odd number of triangles */
} edge_walk;

/* Classifies one edge, given its corners in ascending order: counts defects, unites the corners of
 * fans, and sets `across`. */
static void classify_edge(edge_walk *w, const uint32_t *corners, uint32_t count) {
  ct_mesh_parts *m = w->m;
  ct_mesh_ends e = ct_mesh_edge_ends(m, corners[0]);
  int64_t balance = 0;
  for (uint32_t i = 0; i < count; i++) {
    balance += ct_mesh_corner(m, corners[i]) == e.low ? 1 : -1;
    m->across[corners[i]] = CT_NO_TRIANGLE;
    if (i == 0) continue;
    ct_mesh_unite(w->fan, ct_mesh_corner_at(m, corners[0], e.low),
                  ct_mesh_corner_at(m, corners[i], e.low));
    ct_mesh_unite(w->fan, ct_mesh_corner_at(m, corners[0], e.high),
                  ct_mesh_corner_at(m, corners[i], e.high));
  }
  bool inconsistent = llabs(balance) > (int64_t)(count % 2);
  w->report->open_edges += count == 1;
  w->report->crowded_edges += count > 2;
  w->report->inconsistent_edges += inconsistent;
  if (count % 2) w->odd = true;
  if ((count != 2 || inconsistent) && corners[0] < w->bad_corner) w->bad_corner = corners[0];
  if (count == 2 && m->state[corners[0] / 3] == CT_MESH_LIVE &&
      m->state[corners[1] / 3] == CT_MESH_LIVE) {
    m->across[corners[0]] = corners[1];
    m->across[corners[1]] = corners[0];
  }
}

static ct_status classify_all_edges(edge_walk *w) {
  ct_mesh_parts *m = w->m;
  ct_groups groups;
  ct_status status = ct_mesh_group_edges(m, &groups);
  if (status != CT_OK) return status;
  for (uint32_t i = 0, end; i < groups.count && status == CT_OK; i = end) {
    end = ct_mesh_edge_end(m, &groups, i);
    classify_edge(w, groups.items + i, end - i);
    if (i / CT_MESH_POLL != end / CT_MESH_POLL && ct_cancel_raised(m->cancel))
      status = CT_CANCELLED;
  }
  ct_groups_free(&groups);
  return status;
}

/* Counts the vertices with more than one fan. Uses m->parent as scratch. False: cancelled. */
static bool count_pinched_vertices(const edge_walk *w) {
  const ct_mesh_parts *m = w->m;
  uint32_t *fans = m->parent;
  w->report->pinched_vertices = 0;
  memset(fans, 0, m->vertex_count * sizeof *fans);
  for (uint32_t c = 0; c < 3 * m->triangle_count; c++) {
    if (ct_mesh_cancelled(c, m->cancel)) return false;
    if (ct_mesh_triangle_closes_edges(m, c / 3) && w->fan[c] == c)
      w->report->pinched_vertices += ++fans[ct_mesh_corner(m, c)] == 2;
  }
  return true;
}

/* Classifies all edges, with the collinear triangles if m->lines is set. */
static ct_status classify_mesh_edges(ct_mesh_parts *m, ct_mesh_report *report) {
  edge_walk w = {.m = m, .report = report, .bad_corner = CT_NO_TRIANGLE};
  report->open_edges = report->crowded_edges = report->inconsistent_edges = 0;
  w.fan = malloc(3 * (size_t)m->triangle_count * sizeof *w.fan);
  if (!w.fan) return CT_OUT_OF_MEMORY;
  for (uint32_t c = 0; c < 3 * m->triangle_count; c++) w.fan[c] = c;
  ct_status status = classify_all_edges(&w);
  if (status == CT_OK && !count_pinched_vertices(&w)) status = CT_CANCELLED;
  free(w.fan);
  report->closed = !w.odd;
  report->oriented = report->inconsistent_edges == 0;
  report->manifold = report->crowded_edges == 0 && report->pinched_vertices == 0;
  report->watertight = report->closed && report->oriented && report->manifold;
  report->bad_triangle = w.bad_corner == CT_NO_TRIANGLE ? CT_NO_TRIANGLE : w.bad_corner / 3;
  report->bad_edge[0] = report->bad_edge[1] = 0;
  if (w.bad_corner != CT_NO_TRIANGLE) {
    uint32_t next = ct_mesh_next_corner(w.bad_corner);
    report->bad_edge[0] = m->triangles[w.bad_corner / 3][w.bad_corner % 3];
    report->bad_edge[1] = m->triangles[next / 3][next % 3];
  }
  return status;
}

/* Finds the connected components, which are connected by shared vertices, and counts them and the
 * unused vertices. False: cancelled. */
static bool find_components(ct_mesh_parts *m, ct_mesh_report *report) {
  uint32_t *parent = m->parent, unused = 0;
  for (uint32_t v = 0; v < m->vertex_count; v++) parent[v] = CT_NO_TRIANGLE;
  for (uint32_t t = 0; t < m->triangle_count; t++) {
    if (ct_mesh_cancelled(t, m->cancel)) return false;
    if (m->state[t] != CT_MESH_LIVE) continue;
    for (uint32_t k = 0; k < 3; k++) {
      uint32_t v = ct_mesh_corner(m, 3 * t + k);
      if (parent[v] == CT_NO_TRIANGLE) parent[v] = v;
    }
    ct_mesh_unite(parent, ct_mesh_corner(m, 3 * t), ct_mesh_corner(m, 3 * t + 1));
    ct_mesh_unite(parent, ct_mesh_corner(m, 3 * t), ct_mesh_corner(m, 3 * t + 2));
  }
  report->vertices = report->components = 0;
  for (uint32_t v = 0; v < m->vertex_count; v++) {
    if (ct_mesh_cancelled(v, m->cancel)) return false;
    unused += parent[m->first[v]] == CT_NO_TRIANGLE;
    report->vertices += parent[v] != CT_NO_TRIANGLE;
    report->components += parent[v] == v;
  }
  report->unused_vertices = unused;
  return true;
}

ct_status ct_mesh_edges(ct_mesh_parts *m, ct_mesh_report *report) {
  m->across = malloc(3 * (size_t)m->triangle_count * sizeof *m->across);
  m->parent = malloc((size_t)m->vertex_count * sizeof *m->parent);
  if (!m->across || !m->parent) return CT_OUT_OF_MEMORY;
  bool has_lines = false;
  for (uint32_t t = 0; t < m->triangle_count && !has_lines; t++)
    has_lines = m->state[t] == CT_MESH_LINE;
  /* Collinear triangles are included if the mesh is open without them, and excluded again if it
   * stays open. */
  ct_status status = classify_mesh_edges(m, report);
  if (status == CT_OK && has_lines && !(report->closed && report->oriented)) {
    m->lines = true;
    status = classify_mesh_edges(m, report);
    if (status == CT_OK && !(report->closed && report->oriented)) {
      m->lines = false;
      status = classify_mesh_edges(m, report);
    }
  }
  if (status == CT_OK && !find_components(m, report)) status = CT_CANCELLED;
  return status;
}
