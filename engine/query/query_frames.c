/* Frames of a scene: the boxes' frames beneath, and the accepted pairs of the frame before. */
#include "query/query.h"

#include <contact/sweep.h>

#include <assert.h>
#include <stdlib.h>

#include "broad/broad_methods.h"

struct ct_query_frames {
  ct_frames *boxes;                 /* NULL before the first frame */
  size_t count;                     /* boxes in a frame */
  ct_pair_list pairs, begun, ended; /* accepted */
  ct_query_frame last;
};

ct_query_frames *ct_query_frames_create(void) { return calloc(1, sizeof(ct_query_frames)); }

void ct_query_frames_destroy(ct_query_frames *frames) {
  if (!frames) return;
  ct_frames_destroy(frames->boxes);
  ct_pair_list_free(&frames->pairs);
  ct_pair_list_free(&frames->begun);
  ct_pair_list_free(&frames->ended);
  free(frames);
}

const ct_query_frame *ct_query_frames_last(const ct_query_frames *frames) { return &frames->last; }

ct_status ct_query_frames_pairs(ct_query_frames *frames, const ct_aabb *boxes, size_t count,
                                const ct_broad_options *options, ct_pair_list *list,
                                ct_broad_statistics *statistics) {
  bool first = !frames->boxes;
  if (first) frames->boxes = ct_frames_create(count);
  if (!frames->boxes) return CT_OUT_OF_MEMORY;
  if (first) frames->count = count;
  assert(count == frames->count);
  ct_frame_pairs found;
  ct_status status = ct_frames_next(frames->boxes, boxes, options, &found);
  if (status != CT_OK) return status;
  frames->last = (ct_query_frame){.method = found.method,
                                  .swaps = found.swaps,
                                  .box_tests = found.box_tests,
                                  .full_sorts = found.full_sorts,
                                  .tree_height = found.tree_height};
  *list = (ct_pair_list){(ct_pair_index *)found.pairs, found.pair_count, found.pair_count};
  *statistics =
      (ct_broad_statistics){found.method, found.tree_height, found.full_sorts, found.box_tests};
  return CT_OK;
}

void ct_query_frames_rebuilt(ct_query_frames *frames, ct_broadphase method, uint64_t box_tests) {
  frames->last = (ct_query_frame){.method = method, .box_tests = box_tests};
}

ct_status ct_query_frames_record(ct_query_frames *frames, const ct_pair_index *accepted,
                                 size_t count) {
  ct_pair_list pairs = {NULL, 0, 0};
  ct_pair_output out = {.list = &pairs, .limit = SIZE_MAX};
  ct_status status = CT_OK;
  for (size_t k = 0; k < count && status == CT_OK; k++)
    status = ct_pair_output_add(&out, accepted[k].i, accepted[k].j);
  ct_pair_list_free(&frames->begun);
  ct_pair_list_free(&frames->ended);
  frames->begun = frames->ended = (ct_pair_list){NULL, 0, 0};
  if (status == CT_OK)
    status = ct_pair_changes(&frames->pairs, &pairs, &frames->begun, &frames->ended);
  if (status != CT_OK) {
    ct_pair_list_free(&pairs);
    return status;
  }
  ct_pair_list_free(&frames->pairs);
  frames->pairs = pairs;
  frames->last.pairs = count;
  frames->last.begun = frames->begun.items;
  frames->last.begun_count = frames->begun.count;
  frames->last.ended = frames->ended.items;
  frames->last.ended_count = frames->ended.count;
  return CT_OK;
}
