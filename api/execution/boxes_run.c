/* Runs queries over raw boxes with the incremental broadphase of ct_frames. */
#include "execution/boxes_run.h"

#include <assert.h>

#include "results/result_json.h"

/* Pairs written between two polls of the cancel flag. */
#define PAIRS_PER_POLL 65536

/* Puts the pairs as [i,j],[i,j]. False: cancelled. */
static bool put_index_pairs(api_buffer *out, const ct_pair_index *pairs, size_t count,
                            const ct_cancel *cancel) {
  for (size_t k = 0; k < count; k++) {
    if (k % PAIRS_PER_POLL == 0 && ct_cancel_raised(cancel)) return false;
    api_put_raw(out, k ? ",[" : "[");
    api_put_unsigned(out, pairs[k].i);
    api_put_byte(out, ',');
    api_put_unsigned(out, pairs[k].j);
    api_put_byte(out, ']');
  }
  return true;
}

void api_put_boxes_statistics(api_buffer *out, const ct_frame_pairs *found) {
  api_put_key(out, "statistics");
  api_put_byte(out, '{');
  api_put_member_unsigned(out, "boxTests", found->box_tests);
  api_put_member_unsigned(out, "treeHeight", found->tree_height);
  api_put_member_unsigned(out, "swaps", found->swaps);
  api_put_member_unsigned(out, "fullSorts", found->full_sorts);
  api_put_member_unsigned(out, "pairs", found->pair_count);
  api_put_member_unsigned(out, "begun", found->begun_count);
  api_put_member_unsigned(out, "ended", found->ended_count);
  api_put_byte(out, '}');
}

static bool put_pair_list(api_buffer *out, const char *key, const ct_pair_index *pairs,
                          size_t count, const ct_cancel *cancel) {
  api_put_key(out, key);
  api_put_byte(out, '[');
  bool whole = put_index_pairs(out, pairs, count, cancel);
  api_put_byte(out, ']');
  return whole;
}

static bool put_boxes_frame(api_buffer *out, const ct_frame_pairs *found, bool changes,
                            const ct_cancel *cancel) {
  api_put_item(out);
  api_put_byte(out, '{');
  api_put_member_unsigned(out, "count", found->pair_count);
  api_put_member_string(out, "broadphase", api_text(api_broadphase_word(found->method)));
  api_put_boxes_statistics(out, found);
  bool whole = put_pair_list(out, "pairs", found->pairs, found->pair_count, cancel);
  if (changes) {
    whole = whole && put_pair_list(out, "begun", found->begun, found->begun_count, cancel);
    whole = whole && put_pair_list(out, "ended", found->ended, found->ended_count, cancel);
  }
  api_put_byte(out, '}');
  return whole;
}

/* Puts one page of the first frame's pairs into the range's text. Each page of a query finds all
 * pairs again. */
static bool put_pair_page(const api_plan *plan, const api_query *q, const ct_frame_pairs *found,
                          api_range *range) {
  size_t from = q->from.item < found->pair_count ? (size_t)q->from.item : found->pair_count,
         left = found->pair_count - from;
  range->count = left < q->limit ? left : (size_t)q->limit;
  assert(from + range->count <= found->pair_count);
  range->found = left;
  return put_index_pairs(&range->text, found->pairs + from, range->count, plan->cancel);
}

/* Pages divide the pairs of the first frame. The first page also has all other frames; it stops
 * once its text exceeds the request's memory limit, which api_task_page then reports. */
void api_run_boxes(const api_plan *plan, api_task *task, api_range *range) {
  const api_query *q = &task->question;
  assert(q->mode == API_MODE_BOXES && range == &task->ranges[0]);
  size_t frame_count = q->resumed ? 0 : q->frame_count;
  ct_broad_options options = {q->options.broadphase, plan->limits->pairs, plan->cancel};
  ct_frames *frames = ct_frames_create(q->box_count);
  range->memory = !frames;
  for (size_t f = 0; frames && f <= frame_count && range->status == CT_OK && !range->memory; f++) {
    ct_frame_pairs found;
    range->status = ct_frames_next(frames, q->boxes + f * q->box_count, &options, &found);
    if (range->status != CT_OK) break;
    api_buffer *out = f ? &range->frames : &range->text;
    bool whole = f ? put_boxes_frame(out, &found, q->changes, plan->cancel)
                   : put_pair_page(plan, q, &found, range);
    if (!whole) range->status = CT_CANCELLED;
    range->memory = out->failed;
    if (f == 0) {
      task->broadphase = found.method;
      range->boxes = found;
      range->boxes.pairs = range->boxes.begun = range->boxes.ended = NULL;
    }
    if (range->frames.length + range->text.length > plan->limits->request_memory_bytes) break;
  }
  if (range->status != CT_OK) range->count = range->found = 0;
  range->statistics.box_tests = range->boxes.box_tests;
  ct_frames_destroy(frames);
}

void api_put_boxes_frames(api_buffer *out, const api_task *task) {
  if (!task->question.has_frames || task->question.resumed) return;
  api_put_key(out, "frames");
  api_put_byte(out, '[');
  if (task->range_count > 0)
    api_put_bytes(out, task->ranges[0].frames.bytes, task->ranges[0].frames.length);
  api_put_byte(out, ']');
}
