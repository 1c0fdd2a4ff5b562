/* Sweep and prune on three axes (Baraff 1992): full sort with an active list, or insertion sort
 * of the previous order, in which swapped endpoints give the changed pairs. */
#include "broad/broad_methods.h"
#include "broad/sweep.h"

#include <stdlib.h>

/* Tests or sorted endpoints between two polls of the cancel flag: a few microseconds. */
#define STEPS_PER_POLL 4096

static double get_endpoint_value(const ct_aabb *boxes, uint32_t tag, int axis) {
  const ct_aabb *box = &boxes[tag & ~CT_ENDPOINT_END];
  return ct_axis_of(tag & CT_ENDPOINT_END ? box->max : box->min, axis);
}

/* Appends both endpoints of the boxes with a state, in order of their numbers, after `count`
 * endpoints. Returns the new count. */
static size_t append_endpoints(const ct_sweep *sweep, int axis, uint8_t state, size_t count) {
  ct_endpoint *ends = sweep->ends[axis];
  for (uint32_t k = 0; k < sweep->used; k++) {
    if (sweep->state[k] != state) continue;
    ends[count++] = (ct_endpoint){ct_axis_of(sweep->boxes[k].min, axis), k, 0};
    ends[count++] = (ct_endpoint){ct_axis_of(sweep->boxes[k].max, axis), k | CT_ENDPOINT_END, 0};
  }
  return count;
}

/* ---- full sort ------------------------------------------------------------------------------ */

typedef struct active_list {
  uint32_t *boxes, *place; /* active boxes, unordered; the index of each in `boxes` */
  size_t count;
} active_list;

static void remove_active(active_list *active, uint32_t box) {
  uint32_t last = active->boxes[--active->count];
  active->boxes[active->place[box]] = last;
  active->place[last] = active->place[box];
}

/* Adds a box that starts. It overlaps all active boxes on the axis; pairs also overlap on the
 * other two axes. */
static ct_status add_active(ct_sweep_update_run *s, active_list *active, uint32_t box,
                            ct_pair_output *out) {
  const ct_aabb *boxes = s->sweep->boxes, own = boxes[box];
  for (size_t k = 0; k < active->count; k++) {
    if (!ct_aabb_overlap(&own, &boxes[active->boxes[k]])) continue;
    ct_status status = ct_pair_output_add(out, box, active->boxes[k]);
    if (status != CT_OK) return status;
  }
  s->frame->box_tests += active->count;
  active->place[box] = (uint32_t)active->count;
  active->boxes[active->count++] = box;
  if (active->count > s->frame->longest_active) s->frame->longest_active = (uint32_t)active->count;
  return CT_OK;
}

static ct_status sweep_endpoints(ct_sweep_update_run *s, active_list *active, int axis) {
  const ct_endpoint *ends = s->sweep->ends[axis];
  ct_pair_output out = {.list = &s->pairs, .limit = s->options->limit};
  uint64_t next_poll = 0;
  for (size_t k = 0; k < s->sweep->end_count; k++) {
    if (s->frame->box_tests + k >= next_poll) {
      if (ct_cancel_raised(s->options->cancel)) return CT_CANCELLED;
      next_poll = s->frame->box_tests + k + STEPS_PER_POLL;
    }
    ct_status status = CT_OK;
    if (ct_endpoint_ends(ends[k])) remove_active(active, ct_endpoint_box(ends[k]));
    else status = add_active(s, active, ct_endpoint_box(ends[k]), &out);
    if (status != CT_OK) return status;
  }
  return ct_pair_index_sort(s->pairs.items, s->pairs.count, s->sweep->used, s->options->cancel);
}

ct_status ct_sweep_rebuild(ct_sweep_update_run *s) {
  ct_sweep *sweep = s->sweep;
  s->frame->full_sorts = 1;
  for (int axis = 0; axis < 3; axis++) {
    sweep->end_count = append_endpoints(sweep, axis, CT_SWEEP_PAIR_KEPT, 0);
    sweep->end_count = append_endpoints(sweep, axis, CT_SWEEP_PAIR_ADDED, sweep->end_count);
    if (!ct_endpoint_sort(sweep->ends[axis], sweep->spare, sweep->end_count, s->options->cancel))
      return CT_CANCELLED;
  }
  active_list active = {malloc(((size_t)sweep->used + 1) * sizeof(uint32_t)),
                        malloc(((size_t)sweep->used + 1) * sizeof(uint32_t)), 0};
  ct_status status = CT_OUT_OF_MEMORY;
  if (active.boxes && active.place)
    status = sweep_endpoints(s, &active, ct_widest_axis(sweep->boxes, sweep->used));
  free(active.boxes);
  free(active.place);
  return status;
}

/* ---- incremental update --------------------------------------------------------------------- */

/* Handles a swap: an endpoint moved below another. A start below an end starts an overlap on
 * this axis, and a pair if the boxes overlap on all axes now and did not before. An end below a
 * start ends the pair, if it was one. */
static ct_status handle_swap(ct_sweep_update_run *s, ct_endpoint moved, ct_endpoint other) {
  if (ct_endpoint_ends(moved) == ct_endpoint_ends(other)) return CT_OK;
  const ct_sweep *sweep = s->sweep;
  uint32_t a = ct_endpoint_box(moved), b = ct_endpoint_box(other);
  bool begins = !ct_endpoint_ends(moved);
  s->frame->box_tests++;
  /* `before` is valid only for boxes of the previous frame. */
  bool were_in = sweep->state[a] == CT_SWEEP_PAIR_KEPT && sweep->state[b] == CT_SWEEP_PAIR_KEPT;
  if (begins && !ct_aabb_overlap(&sweep->boxes[a], &sweep->boxes[b])) return CT_OK;
  bool was = were_in && ct_aabb_overlap(&sweep->before[a], &sweep->before[b]);
  if (begins == was) return CT_OK;
  ct_pair_output out = {.list = begins ? &s->begun : &s->ended, .limit = SIZE_MAX};
  return ct_pair_output_add(&out, a, b);
}

/* Insertion sort; each pair of endpoints out of order is swapped once. */
static ct_status sort_with_swaps(ct_sweep_update_run *s, ct_endpoint *ends, size_t count) {
  uint64_t next_poll = 0;
  for (size_t k = 1; k < count; k++) {
    ct_endpoint moved = ends[k];
    size_t to = k;
    for (; to > 0 && ct_endpoint_before(moved, ends[to - 1]); to--) {
      ct_status status = handle_swap(s, moved, ends[to - 1]);
      if (status != CT_OK) return status;
      ends[to] = ends[to - 1];
    }
    ends[to] = moved;
    s->frame->swaps += k - to;
    if (s->frame->swaps > s->swaps_most) {
      s->too_many = true;
      return CT_OK;
    }
    if (s->frame->swaps + k < next_poll) continue;
    if (ct_cancel_raised(s->options->cancel)) return CT_CANCELLED;
    next_poll = s->frame->swaps + k + STEPS_PER_POLL;
  }
  return CT_OK;
}

/* Updates the list: removed boxes dropped, values refreshed, new boxes appended. Returns the
 * count. */
static size_t update_endpoints(const ct_sweep *sweep, int axis, size_t count) {
  ct_endpoint *ends = sweep->ends[axis];
  size_t kept = 0;
  for (size_t k = 0; k < count; k++) {
    uint32_t tag = ends[k].tag;
    if (sweep->state[tag & ~CT_ENDPOINT_END] == CT_SWEEP_PAIR_KEPT)
      ends[kept++] = (ct_endpoint){get_endpoint_value(sweep->boxes, tag, axis), tag, 0};
  }
  return append_endpoints(sweep, axis, CT_SWEEP_PAIR_ADDED, kept);
}

ct_status ct_sweep_update_incremental(ct_sweep_update_run *s) {
  ct_sweep *sweep = s->sweep;
  size_t before = sweep->end_count;
  ct_status status = CT_OK;
  for (int axis = 0; axis < 3 && status == CT_OK && !s->too_many; axis++) {
    sweep->end_count = update_endpoints(sweep, axis, before);
    status = sort_with_swaps(s, sweep->ends[axis], sweep->end_count);
  }
  if (s->too_many) s->begun.count = s->ended.count = 0;
  return status;
}
