/* Incremental sweep and prune: its boxes, and its frames, which are computed, compared and
 * committed whole or not at all. */
#include "broad/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "broad/broad_methods.h"

#define FIRST_CAPACITY 64
/* The lists are sorted again if more than one box in this number was added or removed. */
#define CHANGED_SHARE 10
/* They are also sorted again after more than n^2 / SWAPS_SHARE swaps. */
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

/* Reallocates an array; `items` is the address of its pointer, of any type. False: out of
 * memory, nothing changed. */
static bool resize_sweep_array(void *items, size_t count, size_t size) {
  void *old;
  memcpy(&old, items, sizeof old);
  void *more = realloc(old, count * size);
  if (more) memcpy(items, &more, sizeof more);
  return more;
}

static bool reserve_boxes(ct_sweep *s) {
  if (s->used < s->capacity) return true;
  uint32_t capacity = s->capacity ? 2 * s->capacity : FIRST_CAPACITY;
  bool good = resize_sweep_array(&s->boxes, capacity, sizeof *s->boxes) &&
              resize_sweep_array(&s->before, capacity, sizeof *s->before) &&
              resize_sweep_array(&s->state, capacity, sizeof *s->state);
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
  s->boxes[free_one] = *box;
  s->before[free_one] = ct_aabb_empty();
  s->state[free_one] = CT_SWEEP_PAIR_ADDED;
  s->lowest_free = free_one + 1;
  s->count++;
  s->added++;
  if (number) *number = free_one;
  return CT_OK;
}

/* A box that is in no frame yet is removed at once; others with the next frame. */
void ct_sweep_remove(ct_sweep *s, uint32_t number) {
  s->count--;
  if (s->state[number] == CT_SWEEP_PAIR_ADDED) {
    s->state[number] = CT_SWEEP_PAIR_NONE;
    s->added--;
    if (number < s->lowest_free) s->lowest_free = number;
    return;
  }
  s->state[number] = CT_SWEEP_PAIR_REMOVED;
  s->gone++;
}

void ct_sweep_move(ct_sweep *s, uint32_t number, const ct_aabb *box) { s->boxes[number] = *box; }

size_t ct_sweep_count(const ct_sweep *s) { return s->count; }

/* ---- a frame -------------------------------------------------------------------------------- */

static bool reserve_ends(ct_sweep *s) {
  size_t most = s->end_count + 2 * (size_t)s->count + 2;
  if (most <= s->end_capacity) return true;
  bool good = resize_sweep_array(&s->spare, most, sizeof *s->spare);
  for (int axis = 0; axis < 3 && good; axis++)
    good = resize_sweep_array(&s->ends[axis], most, sizeof *s->ends[axis]);
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

/* Ends the pairs of removed boxes, which pass no endpoint. */
static ct_status end_removed_pairs(ct_sweep_update_run *s) {
  const ct_sweep *sweep = s->sweep;
  ct_status status = CT_OK;
  for (size_t k = 0; k < sweep->pairs.count && sweep->gone > 0 && status == CT_OK; k++) {
    ct_pair_index p = sweep->pairs.items[k];
    if (sweep->state[p.i] == CT_SWEEP_PAIR_REMOVED || sweep->state[p.j] == CT_SWEEP_PAIR_REMOVED)
      status = append_pair(&s->ended, p, SIZE_MAX);
  }
  return status;
}

/* pairs = previous pairs - ended + begun, all sorted. */
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
  bool many = (uint64_t)(sweep->added + sweep->gone) * CHANGED_SHARE > sweep->count;
  bool go_on = sweep->sorted && (s->options->keep_order || !many);
  sweep->sorted = false;
  ct_status status = go_on ? ct_sweep_update_incremental(s) : CT_OK;
  if (status == CT_OK && go_on && !s->too_many) return apply_changes(s);
  if (status == CT_OK) status = ct_sweep_rebuild(s);
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
  sweep->added = sweep->gone = 0;
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

/* Broad phase method: the first frame of a sweep. */
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
