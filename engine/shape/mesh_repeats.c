/* Duplicate triangles that a mesh needs to be closed: where closed parts of a union share a face,
 * it is given once for each.
 *
 * Duplicates that share edges form a patch, so no edge is of two patches. A patch without a border
 * is a part given twice, and is dropped. One with a border is kept if at each of its border edges
 * the other triangles are out of balance by just its own.
 */
#include "shape/mesh_parts.h"

#include <stdlib.h>

enum { PATCH_BORDERED = 1, PATCH_MISFIT = 2 };

typedef struct patches {
  ct_mesh_parts *m;
  uint32_t *parent; /* [triangle_count] sets of duplicates */
  uint8_t *bits;    /* [triangle_count] of the roots */
} patches;

static bool is_repeated(const ct_mesh_parts *m, uint32_t corner) {
  return m->state[corner / 3] == CT_MESH_REPEATED;
}

static void unite_edge(patches *p, const uint32_t *corners, uint32_t count) {
  uint32_t first = CT_NO_TRIANGLE;
  for (uint32_t i = 0; i < count; i++) {
    if (!is_repeated(p->m, corners[i])) continue;
    if (first == CT_NO_TRIANGLE) first = corners[i] / 3;
    else ct_mesh_unite(p->parent, first, corners[i] / 3);
  }
}

/* What the edge tells of the patch that has it, if one has. */
static void judge_edge(patches *p, const uint32_t *corners, uint32_t count) {
  int64_t others = 0, own = 0;
  uint32_t triangle = CT_NO_TRIANGLE, low = ct_mesh_edge_ends(p->m, corners[0]).low;
  for (uint32_t i = 0; i < count; i++) {
    int sense = ct_mesh_corner(p->m, corners[i]) == low ? 1 : -1;
    if (is_repeated(p->m, corners[i])) {
      own += sense;
      triangle = corners[i] / 3;
    } else {
      others += sense;
    }
  }
  if (triangle == CT_NO_TRIANGLE || own == 0) return;
  p->bits[ct_mesh_find_root(p->parent, triangle)] |=
      others + own == 0 ? PATCH_BORDERED : PATCH_BORDERED | PATCH_MISFIT;
}

/* False: cancelled. */
static bool judge_patches(patches *p, const ct_groups *edges) {
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0, end; i < edges->count; i = end) {
      end = ct_mesh_edge_end(p->m, edges, i);
      if (pass == 0) unite_edge(p, edges->items + i, end - i);
      else judge_edge(p, edges->items + i, end - i);
      if (i / CT_MESH_POLL != end / CT_MESH_POLL && ct_cancel_raised(p->m->cancel)) return false;
    }
  }
  return true;
}

static void decide_patches(patches *p, ct_mesh_report *report) {
  ct_mesh_parts *m = p->m;
  for (uint32_t t = 0; t < m->triangle_count; t++) {
    if (m->state[t] != CT_MESH_REPEATED) continue;
    bool kept = p->bits[ct_mesh_find_root(p->parent, t)] == PATCH_BORDERED;
    m->state[t] = kept ? CT_MESH_LIVE : CT_MESH_DROPPED;
    report->duplicate_triangles -= kept;
  }
}

ct_status ct_mesh_keep_repeats(ct_mesh_parts *m, ct_mesh_report *report) {
  patches p = {.m = m};
  ct_groups edges = {0};
  if (report->duplicate_triangles == 0) return CT_OK;
  p.parent = malloc((size_t)m->triangle_count * sizeof *p.parent);
  p.bits = calloc(m->triangle_count, 1);
  ct_status status = p.parent && p.bits ? ct_mesh_group_edges(m, &edges) : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    for (uint32_t t = 0; t < m->triangle_count; t++) p.parent[t] = t;
    if (judge_patches(&p, &edges)) decide_patches(&p, report);
    else status = CT_CANCELLED;
    ct_groups_free(&edges);
  }
  free(p.parent);
  free(p.bits);
  return status;
}
