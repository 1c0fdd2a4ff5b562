/* Incremental sweep and prune on three axes (Baraff 1992).
 *
 * The boxes change between frames. A frame either sorts all endpoints and finds the pairs with an
 * active list, or sorts the endpoints of the previous order by insertion, so that swaps of
 * endpoints yield the pairs that changed. A frame is committed completely or not at all. */
#include "base/array.h"
#include "base/poll.h"
#include "broad/broad_methods.h"
#include "broad/endpoint.h"
#include "broad/pair_list.h"
#include <contact/broad.h>

#include <assert.h>
#include <stdlib.h>

typedef enum ct_sweep_pair_state {
  CT_SWEEP_PAIR_NONE,
  CT_SWEEP_PAIR_ADDED,
  CT_SWEEP_PAIR_KEPT,
  CT_SWEEP_PAIR_REMOVED
} ct_sweep_pair_state;

struct ct_sweep {
  ct_aabb *boxes;  /* [used] boxes of the next frame */
  ct_aabb *before; /* [used] boxes of the previous frame; empty boxes for new ones */
  uint8_t *state;  /* [used] ct_sweep_pair_state */
  uint32_t capacity, used;
  /* number of boxes, including those added since the previous frame */
  uint32_t count;
  uint32_t added, removed_count; /* numbers of boxes added and removed since the previous frame */
  uint32_t lowest_free;          /* lowest box number that may be free: all lower numbers are in
                                    use */
  ct_endpoint
      /* [end_count] endpoints on each axis of all boxes in the frame; undefined after a failed
       * frame */
      *ends[3];
  ct_endpoint *spare;
  size_t end_count, end_capacity;
  /* true: the endpoints are sorted as in the previous frame; false: sort from scratch */
  bool sorted;
  ct_pair_list pairs, begun, ended;
};

/* The update to the next frame; its lists replace those of the sweep only if it succeeds. */
typedef struct ct_sweep_update_run {
  ct_sweep *sweep;
  const ct_sweep_options *options;
  ct_sweep_frame *frame;
  ct_pair_list pairs, begun, ended;
  /* limit of endpoint swaps of one update; after more, the endpoints are sorted from scratch */
  uint64_t swaps_most;
  bool too_many; /* swaps_most was exceeded */
} ct_sweep_update_run;

/* Box tests or sorted endpoints between two polls of the cancel flag: a few microseconds. */
#define STEPS_PER_POLL 4096

static double get_endpoint_value(const ct_aabb *boxes, uint32_t tag, int axis) {
  const ct_aabb *box = &boxes[tag & ~CT_ENDPOINT_END];
  return ct_axis_of(tag & CT_ENDPOINT_END ? box->max : box->min, axis);
}

/* Appends both endpoints of each box that has the state, in order of box numbers, after the first
 * `count` endpoints of the axis. Returns the new number of endpoints. */
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
  uint32_t *boxes, *place; /* active boxes, unordered; for each box number, its index in `boxes` */
  size_t count;
} active_list;

static void remove_active(active_list *active, uint32_t box) {
  assert(active->count > 0 && active->boxes[active->place[box]] == box);
  uint32_t last = active->boxes[--active->count];
  active->boxes[active->place[box]] = last;
  active->place[last] = active->place[box];
}

/* Adds a box that starts to the active list. It overlaps all active boxes on the axis of the sweep;
 * a pair is found if it overlaps an active box on the other two axes too. */
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
  ct_poll poll = ct_poll_start(s->options->cancel, STEPS_PER_POLL);
  for (size_t k = 0; k < s->sweep->end_count; k++) {
    if (ct_poll_cancelled_at(&poll, s->frame->box_tests + k)) return CT_CANCELLED;
    ct_status status = CT_OK;
    if (ct_endpoint_ends(ends[k])) remove_active(active, ct_endpoint_box(ends[k]));
    else status = add_active(s, active, ct_endpoint_box(ends[k]), &out);
    if (status != CT_OK) return status;
  }
  return ct_pair_index_sort(s->pairs.items, s->pairs.count, s->sweep->used, s->options->cancel);
}

/* Sorts the endpoints from scratch, and finds all pairs with an active list. Sets s->pairs,
 * sorted. */
static ct_status rebuild_sweep_lists(ct_sweep_update_run *s) {
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

/* Handles the swap of two endpoints, of which `moved` is now below `other`. If a lower end moved
 * below an upper end, the boxes begin to overlap on this axis: a pair begins if they now overlap on
 * all axes and did not before. If an upper end moved below a lower end, the pair ends, if the boxes
 * were a pair. */
static ct_status handle_swap(ct_sweep_update_run *s, ct_endpoint moved, ct_endpoint other) {
  if (ct_endpoint_ends(moved) == ct_endpoint_ends(other)) return CT_OK;
  const ct_sweep *sweep = s->sweep;
  uint32_t a = ct_endpoint_box(moved), b = ct_endpoint_box(other);
  bool begins = !ct_endpoint_ends(moved);
  s->frame->box_tests++;
  /* `before` is valid only for boxes that were in the previous frame. */
  bool were_in = sweep->state[a] == CT_SWEEP_PAIR_KEPT && sweep->state[b] == CT_SWEEP_PAIR_KEPT;
  if (begins && !ct_aabb_overlap(&sweep->boxes[a], &sweep->boxes[b])) return CT_OK;
  bool was = were_in && ct_aabb_overlap(&sweep->before[a], &sweep->before[b]);
  if (begins == was) return CT_OK;
  ct_pair_output out = {.list = begins ? &s->begun : &s->ended, .limit = SIZE_MAX};
  return ct_pair_output_add(&out, a, b);
}

/* Insertion sort; handles each swap. Ends early, with s->too_many, after more than s->swaps_most
 * swaps. */
static ct_status sort_with_swaps(ct_sweep_update_run *s, ct_endpoint *ends, size_t count) {
  ct_poll poll = ct_poll_start(s->options->cancel, STEPS_PER_POLL);
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
    if (ct_poll_cancelled_at(&poll, s->frame->swaps + k)) return CT_CANCELLED;
  }
  return CT_OK;
}

/* Updates the endpoints of an axis: drops those of removed boxes, sets the current coordinates,
 * appends those of new boxes. Returns the number of endpoints. */
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

/* Updates the sorted endpoints of the previous frame. Sets s->begun and s->ended, unsorted and with
 * repetitions; leaves them empty if s->too_many. */
static ct_status update_sweep_lists(ct_sweep_update_run *s) {
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

/* The endpoints are sorted from scratch if more than 1 / CHANGED_SHARE of the boxes were added or
 * removed. */
#define CHANGED_SHARE 10
/* The endpoints are sorted from scratch after more than n^2 / SWAPS_SHARE swaps in one frame. */
#define SWAPS_SHARE 8

ct_sweep *ct_sweep_create(void) { return calloc(1, sizeof(ct_sweep)); }

void ct_sweep_destroy(ct_sweep *sweep) {
  if (!sweep) return;
  free(sweep->boxes);
  free(sweep->before);
  free(sweep->state);
  for (int axis = 0; axis < 3; axis++) free(sweep->ends[axis]);
  free(sweep->spare);
  ct_pair_list_free(&sweep->pairs);
  ct_pair_list_free(&sweep->begun);
  ct_pair_list_free(&sweep->ended);
  free(sweep);
}

static bool reserve_boxes(ct_sweep *s) {
  if (s->used < s->capacity) return true;
  uint32_t capacity = ct_array_capacity32(s->capacity, (size_t)s->used + 1);
  bool good = ct_array_resize(&s->boxes, capacity, sizeof *s->boxes) &&
              ct_array_resize(&s->before, capacity, sizeof *s->before) &&
              ct_array_resize(&s->state, capacity, sizeof *s->state);
  if (good) s->capacity = capacity;
  return good;
}

ct_status ct_sweep_add(ct_sweep *s, const ct_aabb *box, uint32_t *number) {
  uint32_t free_one = s->lowest_free;
  while (free_one < s->used && s->state[free_one] != CT_SWEEP_PAIR_NONE) free_one++;
  s->lowest_free = free_one;
  if (free_one == s->used) {
    if (s->used == CT_BROAD_BOXES_MAX) return CT_LIMIT;
    if (!reserve_boxes(s)) return CT_OUT_OF_MEMORY;
    s->used++;
  }
  assert(free_one < s->used && s->used <= s->capacity);
  s->boxes[free_one] = *box;
  s->before[free_one] = ct_aabb_empty();
  s->state[free_one] = CT_SWEEP_PAIR_ADDED;
  s->lowest_free = free_one + 1;
  s->count++;
  s->added++;
  if (number) *number = free_one;
  return CT_OK;
}

/* A box that no frame contains yet is removed at once, others with the next frame. */
void ct_sweep_remove(ct_sweep *s, uint32_t number) {
  assert(number < s->used && s->count > 0);
  assert(s->state[number] == CT_SWEEP_PAIR_ADDED || s->state[number] == CT_SWEEP_PAIR_KEPT);
  s->count--;
  if (s->state[number] == CT_SWEEP_PAIR_ADDED) {
    s->state[number] = CT_SWEEP_PAIR_NONE;
    s->added--;
    if (number < s->lowest_free) s->lowest_free = number;
    return;
  }
  s->state[number] = CT_SWEEP_PAIR_REMOVED;
  s->removed_count++;
}

void ct_sweep_move(ct_sweep *s, uint32_t number, const ct_aabb *box) {
  assert(number < s->used && s->state[number] != CT_SWEEP_PAIR_NONE);
  s->boxes[number] = *box;
}

size_t ct_sweep_count(const ct_sweep *s) { return s->count; }

/* ---- a frame -------------------------------------------------------------------------------- */

static bool reserve_ends(ct_sweep *s) {
  size_t most = s->end_count + 2 * (size_t)s->count + 2;
  if (most <= s->end_capacity) return true;
  bool good = ct_array_resize(&s->spare, most, sizeof *s->spare);
  for (int axis = 0; axis < 3 && good; axis++)
    good = ct_array_resize(&s->ends[axis], most, sizeof *s->ends[axis]);
  if (good) s->end_capacity = most;
  return good;
}

static bool is_less_pair(ct_pair_index a, ct_pair_index b) {
  return a.i < b.i || (a.i == b.i && a.j < b.j);
}

static ct_status sort_unique(ct_pair_list *list, const ct_sweep_update_run *s) {
  ct_status status =
      ct_pair_index_sort(list->items, list->count, s->sweep->used, s->options->cancel);
  size_t kept = 0;
  for (size_t k = 0; k < list->count && status == CT_OK; k++)
    if (kept == 0 || is_less_pair(list->items[kept - 1], list->items[k]))
      list->items[kept++] = list->items[k];
  list->count = kept;
  return status;
}

static ct_status append_pair(ct_pair_list *list, ct_pair_index pair, size_t limit) {
  ct_pair_output out = {.list = list, .limit = limit};
  return ct_pair_output_add(&out, pair.i, pair.j);
}

/* Ends the pairs of removed boxes, because these boxes cause no swaps. */
static ct_status end_removed_pairs(ct_sweep_update_run *s) {
  const ct_sweep *sweep = s->sweep;
  ct_status status = CT_OK;
  for (size_t k = 0; k < sweep->pairs.count && sweep->removed_count > 0 && status == CT_OK; k++) {
    ct_pair_index p = sweep->pairs.items[k];
    if (sweep->state[p.i] == CT_SWEEP_PAIR_REMOVED || sweep->state[p.j] == CT_SWEEP_PAIR_REMOVED)
      status = append_pair(&s->ended, p, SIZE_MAX);
  }
  return status;
}

/* Sets s->pairs to the previous pairs minus s->ended plus s->begun, all sorted. */
static ct_status apply_changes(ct_sweep_update_run *s) {
  ct_status status = end_removed_pairs(s);
  if (status == CT_OK) status = sort_unique(&s->begun, s);
  if (status == CT_OK) status = sort_unique(&s->ended, s);
  const ct_pair_list *before = &s->sweep->pairs;
  size_t b = 0, e = 0;
  for (size_t k = 0; k <= before->count && status == CT_OK; k++) {
    bool last = k == before->count;
    while (b < s->begun.count && (last || is_less_pair(s->begun.items[b], before->items[k])) &&
           status == CT_OK)
      status = append_pair(&s->pairs, s->begun.items[b++], s->options->limit);
    if (last || status != CT_OK) break;
    bool ends = e < s->ended.count && !is_less_pair(before->items[k], s->ended.items[e]);
    e += ends;
    if (!ends) status = append_pair(&s->pairs, before->items[k], s->options->limit);
  }
  return status;
}

ct_status ct_pair_changes(const ct_pair_list *before, const ct_pair_list *after,
                          ct_pair_list *begun, ct_pair_list *ended) {
  size_t b = 0, a = 0;
  ct_status status = CT_OK;
  while ((b < before->count || a < after->count) && status == CT_OK) {
    if (a == after->count || (b < before->count && is_less_pair(before->items[b], after->items[a])))
      status = append_pair(ended, before->items[b++], SIZE_MAX);
    else if (b == before->count || is_less_pair(after->items[a], before->items[b]))
      status = append_pair(begun, after->items[a++], SIZE_MAX);
    else a++, b++;
  }
  return status;
}

static ct_status update_frame(ct_sweep_update_run *s) {
  ct_sweep *sweep = s->sweep;
  if (ct_cancel_raised(s->options->cancel)) return CT_CANCELLED;
  if (!reserve_ends(sweep)) return CT_OUT_OF_MEMORY;
  bool many = (uint64_t)(sweep->added + sweep->removed_count) * CHANGED_SHARE > sweep->count;
  bool go_on = sweep->sorted && (s->options->keep_order || !many);
  sweep->sorted = false;
  ct_status status = go_on ? update_sweep_lists(s) : CT_OK;
  if (status == CT_OK && go_on && !s->too_many) return apply_changes(s);
  if (status == CT_OK) status = rebuild_sweep_lists(s);
  return status == CT_OK ? ct_pair_changes(&sweep->pairs, &s->pairs, &s->begun, &s->ended) : status;
}

static void replace_pairs(ct_pair_list *old, ct_pair_list *fresh) {
  ct_pair_list_free(old);
  *old = *fresh;
}

static void commit_frame(ct_sweep_update_run *s) {
  ct_sweep *sweep = s->sweep;
  for (uint32_t k = 0; k < sweep->used; k++) {
    sweep->before[k] = sweep->boxes[k];
    if (sweep->state[k] == CT_SWEEP_PAIR_ADDED) sweep->state[k] = CT_SWEEP_PAIR_KEPT;
    if (sweep->state[k] == CT_SWEEP_PAIR_REMOVED) sweep->state[k] = CT_SWEEP_PAIR_NONE;
    if (sweep->state[k] == CT_SWEEP_PAIR_NONE && k < sweep->lowest_free) sweep->lowest_free = k;
  }
  sweep->added = sweep->removed_count = 0;
  sweep->sorted = true;
  replace_pairs(&sweep->pairs, &s->pairs);
  replace_pairs(&sweep->begun, &s->begun);
  replace_pairs(&sweep->ended, &s->ended);
}

ct_status ct_sweep_update(ct_sweep *sweep, const ct_sweep_options *options, ct_sweep_frame *frame) {
  ct_sweep_frame found = {0};
  uint64_t count = sweep->count;
  ct_sweep_update_run s = {.sweep = sweep, .options = options, .frame = &found};
  s.swaps_most = options->keep_order ? UINT64_MAX : count * count / SWAPS_SHARE;
  ct_status status = update_frame(&s);
  if (status != CT_OK) {
    ct_pair_list_free(&s.pairs);
    ct_pair_list_free(&s.begun);
    ct_pair_list_free(&s.ended);
    return status;
  }
  commit_frame(&s);
  found.pairs = sweep->pairs.items;
  found.pair_count = sweep->pairs.count;
  found.begun = sweep->begun.items;
  found.begun_count = sweep->begun.count;
  found.ended = sweep->ended.items;
  found.ended_count = sweep->ended.count;
  *frame = found;
  return CT_OK;
}

/* Broad phase method SWEEP for a single array of boxes: the first frame of a sweep. */
ct_status ct_broad_sweep(const ct_aabb *boxes, size_t count, ct_pair_output *out) {
  ct_sweep *sweep = ct_sweep_create();
  ct_status status = sweep ? CT_OK : CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < count && status == CT_OK; i++)
    status = ct_sweep_add(sweep, &boxes[i], NULL);
  ct_sweep_options options = {out->limit, false, out->cancel};
  ct_sweep_frame frame;
  if (status == CT_OK) status = ct_sweep_update(sweep, &options, &frame);
  if (status == CT_OK) {
    replace_pairs(out->list, &sweep->pairs);
    sweep->pairs = (ct_pair_list){NULL, 0, 0};
    out->box_tests = frame.box_tests;
    out->full_sorts = frame.full_sorts;
  }
  ct_sweep_destroy(sweep);
  return status;
}
