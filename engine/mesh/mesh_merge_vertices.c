/* Merging of bit-equal vertices, and detection of degenerate and duplicate triangles.
 *
 * Vertices are grouped by a hash of their coordinates, triangles by their lowest vertex, and each
 * group is sorted (base/group_sort.h). Expected cost O(n); adversarial input O(n log n).
 */
#include "base/group_sort.h"
#include "base/predicates.h"
#include "mesh/mesh_build.h"

#include <stdlib.h>
#include <string.h>

/* Odd multipliers without structure: fractions of the golden ratio, of sqrt(2) and of sqrt(3). */
#define MIX_X 0x9e3779b97f4a7c15u
#define MIX_Y 0x6a09e667f3bcc909u
#define MIX_Z 0xbb67ae8584caa73bu

static uint64_t get_bits(double x) {
  uint64_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}

/* Groups only distribute the work: colliding points cost a sort of one group. */
static uint32_t hash_vertex(const void *data, uint32_t vertex) {
  const ct_mesh_parts *m = data;
  ct_vec3 p = ct_mesh_point(m, vertex);
  /* 0 + -0 is 0: both zeros are one coordinate. */
  uint64_t h = get_bits(0.0 + p.x) * MIX_X;
  h = (h ^ h >> 32 ^ get_bits(0.0 + p.y)) * MIX_Y;
  h = (h ^ h >> 32 ^ get_bits(0.0 + p.z)) * MIX_Z;
  h ^= h >> 29;
  return (uint32_t)((h >> 32) * MIX_X >> 32) % m->vertex_count;
}

static int order_points(ct_vec3 a, ct_vec3 b) {
  if (a.x != b.x) return a.x < b.x ? -1 : 1;
  if (a.y != b.y) return a.y < b.y ? -1 : 1;
  if (a.z != b.z) return a.z < b.z ? -1 : 1;
  return 0;
}

static bool precedes_as_point(const void *data, uint32_t a, uint32_t b) {
  const ct_mesh_parts *m = data;
  int order = order_points(ct_mesh_point(m, a), ct_mesh_point(m, b));
  return order < 0 || (order == 0 && a < b);
}

ct_status ct_mesh_join_vertices(ct_mesh_parts *m, ct_mesh_report *report) {
  ct_grouping by_point = {m, hash_vertex, precedes_as_point, m->vertex_count, m->vertex_count};
  ct_groups groups;
  m->first = malloc(((size_t)m->vertex_count + 1) * sizeof *m->first);
  if (!m->first) return CT_OUT_OF_MEMORY;
  ct_status status = ct_group_sort(&by_point, m->cancel, &groups);
  if (status != CT_OK) return status;
  for (uint32_t i = 0; i < groups.count; i++) {
    uint32_t vertex = groups.items[i];
    bool same =
        i > 0 && order_points(ct_mesh_point(m, vertex), ct_mesh_point(m, groups.items[i - 1])) == 0;
    m->first[vertex] = same ? m->first[groups.items[i - 1]] : vertex;
    report->merged_vertices += same;
  }
  ct_groups_free(&groups);
  return CT_OK;
}

/* False: cancelled. */
static bool mark_degenerate(ct_mesh_parts *m, ct_mesh_report *report) {
  for (uint32_t t = 0; t < m->triangle_count; t++) {
    if (ct_mesh_cancelled(t, m->cancel)) return false;
    uint32_t a = ct_mesh_corner(m, 3 * t), b = ct_mesh_corner(m, 3 * t + 1),
             c = ct_mesh_corner(m, 3 * t + 2);
    if (a == b || b == c || c == a) m->state[t] = CT_MESH_DROPPED;
    else if (ct_collinear(ct_mesh_point(m, a), ct_mesh_point(m, b), ct_mesh_point(m, c)))
      m->state[t] = CT_MESH_LINE;
    else m->state[t] = CT_MESH_LIVE;
    report->degenerate_triangles += m->state[t] != CT_MESH_LIVE;
  }
  return true;
}

/* Vertices of a triangle in ascending order; `odd` if sorting reverses the orientation. */
typedef struct corner_set {
  uint32_t low, middle, high;
  bool odd;
} corner_set;

static corner_set sort_corners_of_triangle(const ct_mesh_parts *m, uint32_t t) {
  uint32_t a = ct_mesh_corner(m, 3 * t), b = ct_mesh_corner(m, 3 * t + 1),
           c = ct_mesh_corner(m, 3 * t + 2);
  if (a < b && a < c) return b < c ? (corner_set){a, b, c, false} : (corner_set){a, c, b, true};
  if (b < a && b < c) return c < a ? (corner_set){b, c, a, false} : (corner_set){b, a, c, true};
  return a < b ? (corner_set){c, a, b, false} : (corner_set){c, b, a, true};
}

static uint32_t find_triangle_group(const void *data, uint32_t t) {
  const ct_mesh_parts *m = data;
  return m->state[t] == CT_MESH_DROPPED ? CT_GROUP_NONE : sort_corners_of_triangle(m, t).low;
}

static bool precedes_as_triangle(const void *data, uint32_t a, uint32_t b) {
  const ct_mesh_parts *m = data;
  corner_set p = sort_corners_of_triangle(m, a), q = sort_corners_of_triangle(m, b);
  if (p.middle != q.middle) return p.middle < q.middle;
  if (p.high != q.high) return p.high < q.high;
  return a < b;
}

static bool has_same_corners(const corner_set *a, const corner_set *b) {
  return a->low == b->low && a->middle == b->middle && a->high == b->high;
}

/* The first triangle of each orientation is retained; later ones are duplicates. */
static ct_status mark_duplicate_triangles(ct_mesh_parts *m, ct_mesh_report *report) {
  ct_grouping by_corners = {m, find_triangle_group, precedes_as_triangle, m->triangle_count,
                            m->vertex_count};
  ct_groups groups;
  ct_status status = ct_group_sort(&by_corners, m->cancel, &groups);
  if (status != CT_OK) return status;
  corner_set leader = {0};
  uint32_t seen[2] = {0, 0};
  for (uint32_t i = 0; i < groups.count; i++) {
    uint32_t t = groups.items[i];
    corner_set own = sort_corners_of_triangle(m, t);
    bool live = m->state[t] == CT_MESH_LIVE;
    /* A new set of vertices starts. */
    if (i == 0 || !has_same_corners(&own, &leader)) {
      leader = own;
      seen[0] = seen[1] = 0;
    }
    /* A duplicate: a later candidate for closing the mesh, or dropped. */
    if (seen[own.odd] > 0) {
      bool waits = m->repeats && live && seen[own.odd] <= CT_MESH_COPIES_MAX;
      m->state[t] = waits ? (uint8_t)(CT_MESH_COPY + seen[own.odd] - 1) : CT_MESH_DROPPED;
      report->duplicate_triangles += live;
    } else {
      report->opposed_triangles += live && seen[!own.odd] > 0;
    }
    seen[own.odd]++;
  }
  ct_groups_free(&groups);
  return CT_OK;
}

ct_status ct_mesh_join(ct_mesh_parts *m, ct_mesh_report *report) {
  if (m->vertex_count == 0) m->triangle_count = 0;
  ct_status status = ct_mesh_join_vertices(m, report);
  if (status != CT_OK) return status;
  m->state = malloc((size_t)m->triangle_count + 1);
  if (!m->state) return CT_OUT_OF_MEMORY;
  if (!mark_degenerate(m, report)) return CT_CANCELLED;
  status = mark_duplicate_triangles(m, report);
  if (status == CT_OK && m->repeats) status = ct_mesh_keep_duplicates(m, report);
  if (status != CT_OK) return status;
  for (uint32_t t = 0; t < m->triangle_count; t++) m->live_count += m->state[t] == CT_MESH_LIVE;
  report->triangles = m->live_count;
  return m->live_count ? CT_OK : CT_DEGENERATE_MESH;
}
