/* Successive frames of AABBs by any broad phase method, with the pairs that begin and end
 * between frames. */
#include <contact/broad.h>

#include <stdlib.h>

#include "broad/broad_methods.h"

struct ct_frames {
  size_t count;   /* number of boxes in each frame */
  uint64_t tests; /* number of box tests in the last frame that used another method than the
                     sweep */
  /* number of endpoint swaps in the last frame that updated the sweep's sorted order; 0: there was
   * no such frame */
  uint64_t swaps;
  ct_sweep *sweep; /* state of the sweep method; NULL until a frame uses that method */
  ct_pair_list pairs, begun, ended;
};

ct_frames *ct_frames_create(size_t count) {
  ct_frames *frames = calloc(1, sizeof *frames);
  if (frames) frames->count = count;
  return frames;
}

void ct_frames_destroy(ct_frames *frames) {
  if (!frames) return;
  ct_sweep_destroy(frames->sweep);
  ct_pair_list_free(&frames->pairs);
  ct_pair_list_free(&frames->begun);
  ct_pair_list_free(&frames->ended);
  free(frames);
}

static ct_status create_sweep(ct_frames *frames, const ct_aabb *boxes) {
  ct_sweep *sweep = ct_sweep_create();
  if (!sweep) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < frames->count; i++) {
    ct_status status = ct_sweep_add(sweep, &boxes[i], NULL);
    if (status == CT_OK) continue;
    ct_sweep_destroy(sweep);
    return status;
  }
  frames->sweep = sweep;
  return CT_OK;
}

static ct_status copy_pairs(const ct_pair_index *items, size_t count, ct_pair_list *to) {
  ct_pair_output out = {.list = to, .limit = SIZE_MAX};
  ct_status status = CT_OK;
  for (size_t k = 0; k < count && status == CT_OK; k++)
    status = ct_pair_output_add(&out, items[k].i, items[k].j);
  return status;
}

static ct_status update_sweep(ct_frames *frames, const ct_aabb *boxes,
                              const ct_broad_options *options, ct_frame_pairs *found,
                              ct_pair_list *pairs) {
  ct_status status = CT_OK;
  if (!frames->sweep) status = create_sweep(frames, boxes);
  for (uint32_t i = 0; status == CT_OK && i < frames->count; i++)
    ct_sweep_move(frames->sweep, i, &boxes[i]);
  ct_sweep_options own = {options->limit, false, options->cancel};
  ct_sweep_frame frame = {0};
  if (status == CT_OK) status = ct_sweep_update(frames->sweep, &own, &frame);
  if (status == CT_OK) status = copy_pairs(frame.pairs, frame.pair_count, pairs);
  found->swaps = frame.swaps;
  found->full_sorts = frame.full_sorts;
  found->box_tests = frame.box_tests;
  return status;
}

static ct_status find_pairs_anew(ct_frames *frames, const ct_aabb *boxes,
                                 const ct_broad_options *options, ct_frame_pairs *found,
                                 ct_pair_list *pairs) {
  ct_broad_statistics statistics = {0};
  ct_status status = ct_broad_pairs(boxes, frames->count, options, pairs, &statistics);
  found->method = statistics.method;
  found->box_tests = statistics.box_tests;
  found->full_sorts = statistics.full_sorts;
  found->tree_height = statistics.tree_height;
  return status;
}

/* True if AUTO should use the sweep: there are few boxes, the last frame by another method needed
 * many tests per box, and the last sweep needed no more swaps than that. */
static bool prefers_sweep(const ct_frames *frames) {
  bool hard = frames->tests > CT_BROAD_SWEEP_TESTS * (uint64_t)frames->count;
  return hard && frames->count <= CT_BROAD_SWEEP_MAX && frames->swaps <= frames->tests;
}

static void replace_list(ct_pair_list *old, ct_pair_list fresh) {
  ct_pair_list_free(old);
  *old = fresh;
}

ct_status ct_frames_next(ct_frames *frames, const ct_aabb *boxes, const ct_broad_options *options,
                         ct_frame_pairs *found) {
  /* Choose the method, find the pairs, and compare them with the previous frame. */
  ct_broadphase method = options->method;
  if (method == CT_BROADPHASE_AUTO && prefers_sweep(frames)) method = CT_BROADPHASE_SWEEP;
  ct_frame_pairs next = {.method = method};
  ct_pair_list pairs = {NULL, 0, 0}, begun = {NULL, 0, 0}, ended = {NULL, 0, 0};
  ct_status status = method == CT_BROADPHASE_SWEEP
                         ? update_sweep(frames, boxes, options, &next, &pairs)
                         : find_pairs_anew(frames, boxes, options, &next, &pairs);
  if (status == CT_OK) status = ct_pair_changes(&frames->pairs, &pairs, &begun, &ended);
  if (status != CT_OK) {
    ct_pair_list_free(&pairs);
    ct_pair_list_free(&begun);
    ct_pair_list_free(&ended);
    return status;
  }
  replace_list(&frames->pairs, pairs);
  replace_list(&frames->begun, begun);
  replace_list(&frames->ended, ended);
  /* Update the statistics by which AUTO chooses the method of the next frame. */
  if (method == CT_BROADPHASE_SWEEP) frames->swaps = next.full_sorts ? frames->swaps : next.swaps;
  else frames->tests = next.box_tests;
  next.pairs = pairs.items;
  next.pair_count = pairs.count;
  next.begun = begun.items;
  next.begun_count = begun.count;
  next.ended = ended.items;
  next.ended_count = ended.count;
  *found = next;
  return CT_OK;
}
