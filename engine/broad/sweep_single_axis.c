/* Sweep and prune on one axis, along which the box centres have the largest variance (Baraff 1992,
 * single-axis variant), and functions common to all sweeps: the merge sort of endpoints and the
 * choice of the axis.
 *
 * Boxes are sorted by their lower ends. Each box is tested on the other two axes against the later
 * boxes that start before it ends. These are the same pairs that an active list would yield, each
 * once. */
#include "base/poll.h"
#include "broad/broad_methods.h"
#include "broad/endpoint.h"

#include <stdlib.h>
#include <string.h>

/* Number of endpoints in the runs that are sorted by insertion, because that is cheaper than
 * merging. */
#define RUN_LENGTH 8

static void sort_short_run(ct_endpoint *items, size_t count) {
  for (size_t i = 1; i < count; i++) {
    ct_endpoint moved = items[i];
    size_t to = i;
    for (; to > 0 && ct_endpoint_before(moved, items[to - 1]); to--) items[to] = items[to - 1];
    items[to] = moved;
  }
}

static void merge_runs(const ct_endpoint *from, size_t middle, size_t end, ct_endpoint *to) {
  size_t a = 0, b = middle, k = 0;
  while (a < middle && b < end) {
    bool second = ct_endpoint_before(from[b], from[a]);
    to[k++] = from[second ? b : a];
    b += second;
    a += !second;
  }
  memcpy(to + k, from + a, (middle - a) * sizeof *to);
  k += middle - a;
  memcpy(to + k, from + b, (end - b) * sizeof *to);
}

bool ct_endpoint_sort(ct_endpoint *items, ct_endpoint *spare, size_t count,
                      const ct_cancel *cancel) {
  for (size_t at = 0; at < count; at += RUN_LENGTH)
    sort_short_run(items + at, count - at < RUN_LENGTH ? count - at : RUN_LENGTH);
  ct_endpoint *from = items, *to = spare;
  for (size_t width = RUN_LENGTH; width < count; width *= 2) {
    if (ct_cancel_raised(cancel)) return false;
    for (size_t at = 0; at < count; at += 2 * width) {
      size_t left = count - at;
      merge_runs(from + at, left < width ? left : width, left < 2 * width ? left : 2 * width,
                 to + at);
    }
    ct_endpoint *other = from;
    from = to;
    to = other;
  }
  if (from != items && count > 0) memcpy(items, from, count * sizeof *items);
  return true;
}

int ct_widest_axis(const ct_aabb *boxes, size_t count) {
  int widest = 0;
  double most = -1.0;
  for (int axis = 0; axis < 3; axis++) {
    double mean = 0.0, squares = 0.0, seen = 0.0;
    for (size_t i = 0; i < count; i++) {
      double middle = 0.5 * ct_axis_of(boxes[i].min, axis) + 0.5 * ct_axis_of(boxes[i].max, axis);
      if (!(fabs(middle) < INFINITY)) continue;
      /* The running variance (Welford 1962) avoids the difference of large sums. */
      seen += 1.0;
      double step = middle - mean;
      mean += step / seen;
      squares += step * (middle - mean);
    }
    if (squares > most) {
      most = squares;
      widest = axis;
    }
  }
  return widest;
}

/* Tests between two polls of the cancel flag: a few microseconds. */
#define TESTS_PER_POLL 4096

/* A box in the order of the sweep, with its original number. */
typedef struct swept_box {
  ct_aabb box;
  uint32_t id;
} swept_box;

static ct_status scan_sorted(const swept_box *items, size_t count, int axis, ct_pair_output *out) {
  ct_poll poll = ct_poll_start(out->cancel, TESTS_PER_POLL);
  for (size_t i = 0; i < count; i++) {
    double end = ct_axis_of(items[i].box.max, axis);
    if (ct_poll_cancelled_at(&poll, out->box_tests)) return CT_CANCELLED;
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
