/* Hierarchy of uniform grids, filled by counting sort: one level per range of box sizes.
 *
 * A level has boxes of similar size and cells as large as its largest box. A box is stored in the
 * cell of its lower corner and reaches at most into the next cell. Overlapping boxes of a level are
 * therefore in neighbouring cells. Boxes of a coarser level that overlap a box start at most one
 * cell below its first cell.
 *
 * Boxes without a level, such as infinite ones, are tested against all while they are few. If cells
 * are too crowded (clusters, many boxes without a level), the hybrid method starts over.
 */
#include "broad/grid.h"

#include <stdlib.h>

#include "broad/broad_methods.h"

/* Tests boxes without a level against all boxes, and against each other. */
static ct_status find_wide_overlaps(ct_grid_run *g) {
  for (size_t i = 0, next = 0; i < g->count && g->wide_count > 0; i++) {
    bool is_wide = next < g->wide_count && g->wide[next] == i;
    next += is_wide;
    size_t most = is_wide ? next - 1 : g->wide_count;
    for (size_t w = 0; w < most; w++) {
      if (!ct_aabb_overlap(&g->boxes[g->wide[w]], &g->boxes[i])) continue;
      ct_status status = ct_pair_output_add(g->out, g->wide[w], (uint32_t)i);
      if (status != CT_OK) return status;
    }
    g->out->box_tests += most;
    ct_status status = ct_grid_time_to_poll(g) ? ct_grid_poll(g) : CT_OK;
    if (status != CT_OK || g->crowded) return status;
  }
  return CT_OK;
}

static ct_status find_grid_pairs(ct_grid_run *g) {
  if (!ct_grid_choose_levels(g)) return CT_OUT_OF_MEMORY;
  ct_status status = ct_cancel_raised(g->out->cancel) ? CT_CANCELLED : ct_grid_fill(g);
  if (status == CT_OK) status = find_wide_overlaps(g);
  if (status == CT_OK && !g->crowded) status = ct_grid_find_overlaps(g);
  return status;
}

ct_status ct_broad_grid(const ct_aabb *boxes, size_t count, ct_pair_output *out) {
  if (ct_cancel_raised(out->cancel)) return CT_CANCELLED;
  if (count < 2) return CT_OK;
  ct_grid_run g = {.boxes = boxes, .count = count, .out = out};
  ct_status status = find_grid_pairs(&g);
  free(g.wide);
  free(g.members);
  free(g.starts);
  if (status != CT_OK || !g.crowded) return status;
  out->list->count = 0;
  return ct_broad_hybrid(boxes, count, out);
}
