/* Regions: the bodies that share a point with a placed shape, and those that it holds. */
#include "pair/pair_order.h"
#include "query/probe.h"

#include <stdlib.h>

/* Rounding of distances against that of boxes, relative to the coordinates. */
#define BOX_SLACK (CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)

/* Rows that the walk finds, kept as hits until all are known. */
static ct_status keep_row(ct_probe_range *run, uint32_t row) {
  ct_probe_hit *hit = ct_probe_add(run);
  if (!hit) return CT_OUT_OF_MEMORY;
  hit->row = row;
  return CT_OK;
}

static double bound_of_box(const ct_probe_range *run, const ct_aabb *box) {
  const ct_aabb *region = &run->probe->region_box;
  ct_aabb grown =
      ct_aabb_expand(*region, BOX_SLACK * (ct_aabb_magnitude(region) + ct_aabb_magnitude(box)));
  return ct_aabb_overlap(&grown, box) ? 0.0 : INFINITY;
}

static int compare_rows(const void *a, const void *b) {
  uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  return (p > q) - (p < q);
}

ct_status ct_probe_find_rows(ct_probe *probe) {
  ct_probe_range run = {.probe = probe, .placed_row = CT_NO_ROW};
  ct_status status = ct_probe_walk(&run, bound_of_box, keep_row);
  uint32_t *rows = status == CT_OK ? malloc((run.count + 1) * sizeof *rows) : NULL;
  if (status == CT_OK && !rows) status = CT_OUT_OF_MEMORY;
  for (size_t k = 0; rows && k < run.count; k++) rows[k] = run.hits[k].row;
  if (rows) qsort(rows, run.count, sizeof *rows, compare_rows);
  probe->rows = rows;
  probe->items = run.count;
  free(run.hits);
  return status;
}

/* Does the region hold all of the body's colliders? */
static ct_status holds_all(ct_probe_range *run, bool *inside) {
  const ct_probe *probe = run->probe;
  const ct_placed_body *placed = &run->placed;
  *inside = true;
  for (uint32_t i = 0; i < placed->count && *inside; i++) {
    ct_pair_options options = {.threshold = 0.0};
    ct_pair_result r;
    ct_pair_distance_within((ct_placed){&probe->options.region, &probe->region_frame},
                            (ct_placed){ct_body_shape(placed->body, i), &placed->frames[i]},
                            &options, run->workspace, &r);
    if (ct_cancel_raised(probe->options.cancel))
      return CT_CANCELLED; /* the pair may have been cut short */
    *inside = r.relation == CT_CONTAINING;
  }
  return CT_OK;
}

ct_status ct_probe_item_region(ct_probe_range *run) {
  const ct_probe *probe = run->probe;
  uint32_t row = probe->rows[run->item], i = 0;
  if (!ct_probe_place(run, row)) return CT_OUT_OF_MEMORY;
  const ct_placed_body *placed = &run->placed;
  ct_placed region = {&probe->options.region, &probe->region_frame};
  for (; i < placed->count; i++) {
    const ct_shape *shape = ct_body_shape(placed->body, i);
    bool overlap =
        ct_pair_overlap(region, (ct_placed){shape, &placed->frames[i]}, run->workspace, NULL);
    if (ct_cancel_raised(probe->options.cancel))
      return CT_CANCELLED; /* the pair may have been cut short */
    if (overlap) break;
  }
  if (i == placed->count) return CT_OK;
  bool inside;
  ct_status status = holds_all(run, &inside);
  if (status != CT_OK || (probe->options.inside && !inside)) return status;
  ct_probe_hit *hit = ct_probe_add(run);
  if (!hit) return CT_OUT_OF_MEMORY;
  *hit = (ct_probe_hit){.row = row, .collider = i, .inside = inside, .triangle = CT_NO_TRIANGLE};
  return CT_OK;
}
