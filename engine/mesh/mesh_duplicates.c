/* Duplicate triangles that a mesh needs to be closed: in a union of closed parts, a shared face is
 * given once per part.
 *
 * Copies are examined in order: all second copies, then third ones, up to CT_MESH_COPIES_MAX.
 * Duplicates on both sides of an edge without a third duplicate form a patch. A patch that is
 * balanced at all edges is a part given twice and is dropped. Other patches are retained if the
 * mesh is balanced with them at all their edges.
 */
#include "mesh/mesh_build.h"

#include <stdlib.h>

enum { PATCH_BORDERED = 1, PATCH_MISFIT = 2 };

typedef struct patches {
  ct_mesh_parts *m;
  uint32_t *parent; /* [triangle_count] union-find of duplicates */
  int32_t *balance; /* [triangle_count] balance of the roots at the current edge; else 0 */
  uint8_t *bits;    /* [triangle_count] of the roots */
} patches;

static bool is_duplicate_corner(const ct_mesh_parts *m, uint32_t corner) {
  return m->state[corner / 3] == CT_MESH_DUPLICATE;
}

/* Two duplicates at an edge belong to one patch if no third duplicate has that edge. */
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

/* Marks patches that are unbalanced at the edge as bordered. Passes: sum, mark, reset. */
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

/* Marks bordered patches as misfits if the edge is unbalanced with them. */
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

/* False: cancelled. */
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

/* Starts the examination of the copies with this state. False: no such copies, hence no later
 * ones. */
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

ct_status ct_mesh_keep_duplicates(ct_mesh_parts *m, ct_mesh_report *report) {
  patches p = {.m = m};
  if (report->duplicate_triangles == 0) return CT_OK;
  p.parent = malloc((size_t)m->triangle_count * sizeof *p.parent);
  p.balance = calloc(m->triangle_count, sizeof *p.balance);
  p.bits = malloc(m->triangle_count);
  ct_status status = p.parent && p.balance && p.bits ? CT_OK : CT_OUT_OF_MEMORY;
  for (uint32_t copy = 0;
       copy < CT_MESH_COPIES_MAX && status == CT_OK && start_copy(&p, CT_MESH_COPY + copy);
       copy++) {
    /* Examine one generation of copies against the mesh so far. */
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
