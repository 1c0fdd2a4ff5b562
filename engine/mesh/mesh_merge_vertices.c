/* Merges bit-equal vertices, and detects degenerate and duplicate triangles.
 *
 * Vertices are grouped by a hash of their coordinates, triangles by their lowest vertex, and each
 * group is sorted (base/group_sort.h). Expected cost O(n); for adversarial input O(n log n).
 *
 * A mesh may need duplicates to be closed: in a union of closed parts, a shared face is given once
 * per part. Copies are examined in order: all second copies first, then the third ones, up to
 * CT_MESH_COPIES_MAX. Two duplicates on the sides of an edge belong to one patch if the edge has no
 * third duplicate. A patch that is balanced at all its edges (as many triangles in either
 * direction) is a part given twice and is dropped. Any other patch is retained if the mesh with it
 * is balanced at all edges of the patch. */
#include "base/group_sort.h"
#include "base/predicates.h"
#include "mesh/mesh_build.h"

#include <stdlib.h>
#include <string.h>

enum { PATCH_BORDERED = 1, PATCH_MISFIT = 2 };

typedef struct patches {
  ct_mesh_parts *m;
  uint32_t *parent; /* [triangle_count] union-find parent of duplicates in the same patch */
  int32_t *balance; /* [triangle_count] balance of each patch at the edge being examined, stored at
                       its root; else 0 */
  uint8_t *bits;    /* [triangle_count] PATCH_BORDERED and PATCH_MISFIT of each patch, stored at its
                       root */
} patches;

static bool is_duplicate_corner(const ct_mesh_parts *m, uint32_t corner) {
  return m->state[corner / 3] == CT_MESH_DUPLICATE;
}

/* Unites the two duplicates at an edge to one patch if there is no third duplicate. */
static void unite_duplicates_at_edge(patches *p, const uint32_t *corners, uint32_t count) {
  uint32_t found[2], repeated = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!is_duplicate_corner(p->m, corners[i])) continue;
    if (repeated < 2) found[repeated] = corners[i] / 3;
    repeated++;
  }
  if (repeated == 2) ct_mesh_unite(p->parent, found[0], found[1]);
}

static int find_sense(const patches *p, uint32_t corner) {
  return ct_mesh_corner(p->m, corner) == ct_mesh_edge_ends(p->m, corner).low ? 1 : -1;
}

/* Marks the patches that are not balanced at the edge as bordered. The three passes sum the
 * balances, mark, and reset the sums. */
static void mark_borders(patches *p, const uint32_t *corners, uint32_t count) {
  for (int pass = 0; pass < 3; pass++) {
    for (uint32_t i = 0; i < count; i++) {
      if (!is_duplicate_corner(p->m, corners[i])) continue;
      uint32_t root = ct_mesh_find_root(p->parent, corners[i] / 3);
      if (pass == 0) p->balance[root] += find_sense(p, corners[i]);
      else if (pass == 1 && p->balance[root] != 0) p->bits[root] |= PATCH_BORDERED;
      else if (pass == 2) p->balance[root] = 0;
    }
  }
}

/* Marks the patches at the edge as misfits if the mesh together with all bordered patches is not
 * balanced there. */
static void mark_misfits(patches *p, const uint32_t *corners, uint32_t count) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    bool counts = !is_duplicate_corner(p->m, corners[i]) ||
                  (p->bits[ct_mesh_find_root(p->parent, corners[i] / 3)] & PATCH_BORDERED);
    if (counts) sum += find_sense(p, corners[i]);
  }
  for (uint32_t i = 0; sum != 0 && i < count; i++)
    if (is_duplicate_corner(p->m, corners[i]))
      p->bits[ct_mesh_find_root(p->parent, corners[i] / 3)] |= PATCH_MISFIT;
}

/* Determines which patches are bordered and which are misfits. False: cancelled. */
static bool classify_patches(patches *p, const ct_groups *edges) {
  static void (*const passes[])(patches *, const uint32_t *,
                                uint32_t) = {unite_duplicates_at_edge, mark_borders, mark_misfits};
  for (size_t pass = 0; pass < sizeof passes / sizeof passes[0]; pass++) {
    for (uint32_t i = 0, end; i < edges->count; i = end) {
      end = ct_mesh_edge_end(p->m, edges, i);
      passes[pass](p, edges->items + i, end - i);
      if (i / CT_MESH_POLL != end / CT_MESH_POLL && ct_cancel_raised(p->m->cancel)) return false;
    }
  }
  return true;
}

static void apply_patches(patches *p, ct_mesh_report *report) {
  ct_mesh_parts *m = p->m;
  for (uint32_t t = 0; t < m->triangle_count; t++) {
    if (m->state[t] != CT_MESH_DUPLICATE) continue;
    bool kept = p->bits[ct_mesh_find_root(p->parent, t)] == PATCH_BORDERED;
    m->state[t] = kept ? CT_MESH_LIVE : CT_MESH_DROPPED;
    report->duplicate_triangles -= kept;
  }
}

/* Makes the copies with this state the duplicates to be examined. False: there are none, and hence
 * no later copies. */
static bool start_copy(patches *p, uint32_t state) {
  ct_mesh_parts *m = p->m;
  bool any = false;
  for (uint32_t t = 0; t < m->triangle_count; t++) {
    p->parent[t] = t;
    p->bits[t] = 0;
    if (m->state[t] != state) continue;
    m->state[t] = CT_MESH_DUPLICATE;
    any = true;
  }
  return any;
}

/* Decides which duplicates (state >= CT_MESH_COPY) become live: those in patches without which the
 * mesh would be open. The others are dropped. CT_OUT_OF_MEMORY, CT_CANCELLED. */
static ct_status keep_closing_duplicates(ct_mesh_parts *m, ct_mesh_report *report) {
  patches p = {.m = m};
  if (report->duplicate_triangles == 0) return CT_OK;
  p.parent = malloc((size_t)m->triangle_count * sizeof *p.parent);
  p.balance = calloc(m->triangle_count, sizeof *p.balance);
  p.bits = malloc(m->triangle_count);
  ct_status status = p.parent && p.balance && p.bits ? CT_OK : CT_OUT_OF_MEMORY;
  for (uint32_t copy = 0;
       copy < CT_MESH_COPIES_MAX && status == CT_OK && start_copy(&p, CT_MESH_COPY + copy);
       copy++) {
    /* Examine all k-th copies against the mesh with the copies retained so far. */
    ct_groups edges;
    status = ct_mesh_group_edges(m, &edges);
    if (status != CT_OK) break;
    if (classify_patches(&p, &edges)) apply_patches(&p, report);
    else status = CT_CANCELLED;
    ct_groups_free(&edges);
  }
  free(p.parent);
  free(p.balance);
  free(p.bits);
  return status;
}

/* Odd multipliers without structure: the fractional parts of the golden ratio, of sqrt(2) and of
 * sqrt(3), times 2^64. */
#define MIX_X 0x9e3779b97f4a7c15u
#define MIX_Y 0x6a09e667f3bcc909u
#define MIX_Z 0xbb67ae8584caa73bu

static uint64_t get_bits(double x) {
  uint64_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}

/* Returns the group of a vertex by a hash. Groups only distribute the work: colliding points cost a
 * sort of one group. */
static uint32_t hash_vertex(const void *data, uint32_t vertex) {
  const ct_mesh_parts *m = data;
  ct_vec3 p = ct_mesh_point(m, vertex);
  /* 0 + -0 is 0, so both zeros have the same hash. */
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
  for (uint32_t i = 0; i < groups.count && status == CT_OK; i++) {
    if (ct_mesh_cancelled(i, m->cancel)) status = CT_CANCELLED;
    uint32_t vertex = groups.items[i];
    bool same =
        i > 0 && order_points(ct_mesh_point(m, vertex), ct_mesh_point(m, groups.items[i - 1])) == 0;
    m->first[vertex] = same ? m->first[groups.items[i - 1]] : vertex;
    report->merged_vertices += same;
  }
  ct_groups_free(&groups);
  return status;
}

/* Sets the state of each triangle to live, line or dropped, and counts the degenerate ones. False:
 * cancelled. */
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

/* Vertices of a triangle in ascending order. `odd`: sorting reverses the orientation. */
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

/* Keeps the first triangle of each orientation with the same vertices; later ones are marked as
 * duplicates and counted. */
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
    /* Triangles with other vertices begin here. */
    if (i == 0 || !has_same_corners(&own, &leader)) {
      leader = own;
      seen[0] = seen[1] = 0;
    }
    /* A duplicate: it may be retained later to close the mesh, or is dropped. */
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
  if (status == CT_OK && m->repeats) status = keep_closing_duplicates(m, report);
  if (status != CT_OK) return status;
  for (uint32_t t = 0; t < m->triangle_count; t++) m->live_count += m->state[t] == CT_MESH_LIVE;
  report->triangles = m->live_count;
  return m->live_count ? CT_OK : CT_DEGENERATE_MESH;
}
