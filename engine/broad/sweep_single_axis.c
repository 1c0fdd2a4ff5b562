/* Sweep and prune on one axis, the one with the largest variance of box centres (Baraff 1992,
 * single-axis variant).
 *
 * Boxes are sorted by their lower ends. Each is tested on the other two axes against later boxes
 * that start before it ends: the same pairs as with an active list, each once.
 */
#include "broad/broad_methods.h"
#include "broad/endpoint.h"

#include <stdlib.h>

/* Tests between two polls of the cancel flag: a few microseconds. */
#define TESTS_PER_POLL 4096

/* A box in sorted order, with its number. */
typedef struct swept_box {
  ct_aabb box;
  uint32_t id;
} swept_box;

static ct_status scan_sorted(const swept_box *items, size_t count, int axis, ct_pair_output *out) {
  uint64_t next_poll = 0;
  for (size_t i = 0; i < count; i++) {
    double end = ct_axis_of(items[i].box.max, axis);
    if (out->box_tests >= next_poll) {
      if (ct_cancel_raised(out->cancel)) return CT_CANCELLED;
      next_poll = out->box_tests + TESTS_PER_POLL;
    }
    for (size_t j = i + 1; j < count && ct_axis_of(items[j].box.min, axis) <= end; j++) {
      out->box_tests++;
      if (!ct_aabb_overlap(&items[i].box, &items[j].box)) continue;
      ct_status status = ct_pair_output_add(out, items[i].id, items[j].id);
      if (status != CT_OK) return status;
    }
  }
  return CT_OK;
}

ct_status ct_broad_sweep_single(const ct_aabb *boxes, size_t count, ct_pair_output *out) {
  if (ct_cancel_raised(out->cancel)) return CT_CANCELLED;
  if (count < 2) return CT_OK;
  ct_endpoint *ends = malloc(2 * count * sizeof *ends);
  swept_box *items = malloc(count * sizeof *items);
  ct_status status = ends && items ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    int axis = ct_widest_axis(boxes, count);
    for (size_t i = 0; i < count; i++)
      ends[i] = (ct_endpoint){ct_axis_of(boxes[i].min, axis), (uint32_t)i, 0};
    if (ct_endpoint_sort(ends, ends + count, count, out->cancel)) {
      for (size_t k = 0; k < count; k++) items[k] = (swept_box){boxes[ends[k].tag], ends[k].tag};
      status = scan_sorted(items, count, axis, out);
    } else {
      status = CT_CANCELLED;
    }
  }
  free(ends);
  free(items);
  return status;
}
