/* Runs the variants of a query in sequence. Variants of one block reuse box lists and separating
 * planes of the variant before. So that results do not depend on ranges and pages, a run first
 * repeats the earlier variants of the block on which its own variants depend, without reporting
 * them, and for `changes` also the variant before the block. */
#include "execution/variants_run.h"

#include <assert.h>
#include <stdlib.h>

#include "execution/boxes_run.h"
#include "execution/pair_run.h"
#include "execution/variant_summary.h"
#include "queries/variant_scene.h"
#include "results/result_json.h"

void api_put_plane_counts(api_buffer *out, const api_plane_counts *counts) {
  api_put_key(out, "statistics");
  api_put_byte(out, '{');
  api_put_member_unsigned(out, "hits", counts->hits);
  api_put_member_unsigned(out, "repairs", counts->repairs);
  api_put_member_unsigned(out, "searches", counts->searches);
  api_put_byte(out, '}');
}

/* Merges the variant's poses with the query's, both sorted by row, into `out`, which has room for
 * all of them; for a row in both, the variant's pose is taken. Returns the number of poses. */
static size_t merge_variant_poses(const ct_query_options *base, const api_variant *variant,
                                  ct_override *out) {
  size_t b = 0, v = 0, count = 0;
  while (b < base->override_count || v < variant->count) {
    bool from_base = v == variant->count ||
                     (b < base->override_count && base->overrides[b].row < variant->items[v].row);
    if (!from_base && b < base->override_count && base->overrides[b].row == variant->items[v].row)
      b++;
    out[count++] = from_base ? base->overrides[b++] : variant->items[v++];
  }
  assert(count <= base->override_count + variant->count);
  return count;
}

/* State that is carried from variant to variant of a range. */
typedef struct variants_run {
  api_range_run *run;
  bool was_own; /* the previous variant had a scene of its own, with added bodies or other
                   filters */
  ct_override *scratch;
  ct_query_frames *frames; /* box lists of the previous variant; NULL: not reused */
} variants_run;

/* Prepares the pair query of a variant. NULL: the range has a status other than CT_OK. */
static ct_query *prepare_variant(const variants_run *v, size_t index, ct_query_options *options) {
  const api_query *q = &v->run->task->question;
  *options = q->options;
  options->override_count = merge_variant_poses(&q->options, &q->variants[index], v->scratch);
  options->overrides = v->scratch;
  v->run->options = options;
  v->run->velocities = &q->variants[index].velocities;
  const api_variant_scene *own = q->variants[index].own;
  if (own) {
    options->where_a = own->where_a;
    options->where_b = own->where_b;
    options->pairs = own->pairs;
    options->pair_count = own->pair_count;
  }
  ct_query *query = NULL;
  ct_status status = q->kind->pair->prepare(q, v->run->scene, options, v->frames, &query);
  if (status != CT_OK) v->run->range->status = status;
  return query;
}

/* Runs a variant of a kind with one result per variant, unless that result is already on the
 * previous page. */
static void run_variant_poses(const variants_run *v, size_t index) {
  const api_query *q = &v->run->task->question;
  if (q->resumed && index == v->run->task->start && q->from.item > 0) return;
  q->kind->run_poses(v->run, v->scratch,
                     merge_variant_poses(&q->options, &q->variants[index], v->scratch));
}

/* Runs a variant's query and puts the summary of its results. The query is destroyed. */
static void summarize_variant(const variants_run *v, ct_query *query, size_t index) {
  api_range_run *run = v->run;
  const ct_query_range items = {0, ct_query_items(query), CT_NO_ROW, 0};
  uint64_t before = run->range->statistics.candidates;
  assert(!run->summary);
  api_variant_summary summary = {.count = 0};
  run->summary = &summary;
  if (!run->silent) api_run_items(run, query, &items);
  if (run->range->statistics.candidates - before > run->plan->limits->pairs)
    run->range->status = CT_PAIR_LIMIT;
  if (!run->silent && run->range->status == CT_OK) api_put_summary(run, index);
  run->summary = NULL;
  ct_query_destroy(query);
}

static void run_variant_query(const variants_run *v, size_t index) {
  api_range_run *run = v->run;
  const api_query *q = &run->task->question;
  if (q->kind->run_poses) {
    run_variant_poses(v, index);
    return;
  }
  ct_query_options options;
  ct_query *query = prepare_variant(v, index, &options);
  if (!query) return;
  if (q->summary != API_SUMMARY_NONE) {
    summarize_variant(v, query, index);
    return;
  }
  bool resumed = q->resumed && index == run->task->start && !run->silent;
  ct_query_range items = {0, ct_query_items(query), CT_NO_ROW, 0};
  /* Cached planes also depend on the variant's results before the page: evaluate these results
   * again, but skip them. */
  run->skips = resumed && run->caches;
  if (resumed && !run->caches)
    items = (ct_query_range){(size_t)q->from.item, items.end, q->from.after, q->from.part};
  uint64_t before = run->range->statistics.candidates;
  if (items.begin < items.end && !(run->silent && v->frames)) api_run_items(run, query, &items);
  run->skips = false;
  ct_query_destroy(query);
  if (run->range->statistics.candidates - before > run->plan->limits->pairs)
    run->range->status = CT_PAIR_LIMIT;
}

/* Puts the member `key`, a list of pairs [a, b] of ids. */
static void put_pair_changes(api_buffer *out, const char *key, const ct_scene *scene,
                             const ct_pair_index *pairs, size_t count) {
  api_put_key(out, key);
  api_put_byte(out, '[');
  for (size_t k = 0; k < count; k++) {
    api_put_item(out);
    api_put_byte(out, '[');
    api_put_string(out, ct_body_id(ct_scene_body(scene, pairs[k].i)));
    api_put_byte(out, ',');
    api_put_string(out, ct_body_id(ct_scene_body(scene, pairs[k].j)));
    api_put_byte(out, ']');
  }
  api_put_byte(out, ']');
}

static void put_query_frame(api_buffer *out, const api_query *q, const ct_scene *scene,
                            const ct_query_frame *f) {
  const ct_frame_pairs found = {.swaps = f->swaps,
                                .box_tests = f->box_tests,
                                .full_sorts = f->full_sorts,
                                .tree_height = f->tree_height,
                                .pair_count = f->pairs,
                                .begun_count = f->begun_count,
                                .ended_count = f->ended_count};
  api_put_member_string(out, "broadphase", api_text(api_broadphase_word(f->method)));
  api_put_boxes_statistics(out, &found);
  if (!q->changes) return;
  put_pair_changes(out, "begun", scene, f->begun, f->begun_count);
  put_pair_changes(out, "ended", scene, f->ended, f->ended_count);
}

/* Puts the members that a variant has beside its results into the range's `frames`, without a
 * leading comma. */
static void put_variant_members(const variants_run *v, const api_plane_counts *before) {
  api_range_run *run = v->run;
  api_buffer more = {.bytes = NULL};
  if (v->frames)
    put_query_frame(&more, &run->task->question, run->scene, ct_query_frames_last(v->frames));
  if (run->caches) {
    const api_plane_counts *now = &run->caches->counts;
    const api_plane_counts own = {now->hits - before->hits, now->repairs - before->repairs,
                                  now->searches - before->searches};
    api_put_plane_counts(&more, &own);
    run->range->planes.hits += own.hits;
    run->range->planes.repairs += own.repairs;
    run->range->planes.searches += own.searches;
  }
  api_put_bytes(&run->range->frames, more.bytes, more.length);
  run->range->memory = run->range->memory || more.failed || run->range->frames.failed;
  api_buffer_free(&more);
  if (run->range->frames.length > run->plan->limits->request_memory_bytes)
    run->range->status = CT_LIMIT;
}

/* Discards the box lists and the separating planes of previous variants. */
static void discard_variant_state(variants_run *v) {
  api_range_run *run = v->run;
  if (run->caches) api_plane_caches_clear(run->caches);
  if (!api_reuses_pair_lists(&run->task->question)) return;
  ct_query_frames_destroy(v->frames);
  v->frames = ct_query_frames_create();
  run->range->memory = run->range->memory || !v->frames;
}

/* Runs the variant in its own scene, or in the query's scene if it has none. */
static void run_in_variant_scene(variants_run *v, size_t index, const api_plane_counts *counts) {
  api_range_run *run = v->run;
  const api_query *q = &run->task->question;
  /* The rows of a variant's own scene may be other bodies than those of the previous variant:
   * discard what was carried over. */
  bool is_own = q->variants[index].own != NULL;
  if (is_own || v->was_own) {
    discard_variant_state(v);
    run->centers[0].row = run->centers[1].row = CT_NO_ROW;
  }
  v->was_own = is_own;
  run->scene = api_variant_scene_make(q, index);
  run->range->memory = run->range->memory || !run->scene;
  if (!run->range->memory) {
    run_variant_query(v, index);
    if (run->caches && run->caches->failed) run->range->memory = true;
    if (!run->silent && api_range_open(run) && q->summary == API_SUMMARY_NONE)
      put_variant_members(v, counts);
  }
  if (run->scene) ct_scene_release(run->scene);
  run->scene = q->scene;
}

/* Returns the first variant that must be evaluated for results from `begin` on. Box lists of an
 * explicit broadphase method depend on the previous variant only; the choice of method by `auto`
 * and the planes depend on all previous variants of the block. */
static size_t find_first_variant(const api_query *q, size_t begin) {
  size_t block = begin / API_VARIANTS_BLOCK * API_VARIANTS_BLOCK;
  if (api_reuses_planes(q)) return block;
  if (!api_reuses_pair_lists(q)) return begin;
  size_t first = q->options.broadphase == CT_BROADPHASE_AUTO ? block : begin;
  return first > 0 ? first - 1 : 0;
}

/* Runs variants [begin, end) of one block and reports those from `begin` on; entry 0 of
 * range->variants belongs to variant first_reported. */
static void run_variant_block(variants_run *v, size_t begin, size_t end, size_t first_reported) {
  assert(first_reported <= begin && begin < end);
  assert(begin / API_VARIANTS_BLOCK == (end - 1) / API_VARIANTS_BLOCK);
  api_range_run *run = v->run;
  for (size_t i = find_first_variant(&run->task->question, begin); i < end && api_range_open(run);
       i++) {
    run->silent = i < begin;
    run->has_summed = false;
    size_t before = run->range->count;
    const api_plane_counts counts = run->caches ? run->caches->counts : (api_plane_counts){0, 0, 0};
    run_in_variant_scene(v, i, &counts);
    if (run->silent) continue;
    api_range *range = run->range;
    range->variants[i - first_reported] =
        (api_variant_extent){(uint32_t)(range->count - before), range->frames.length,
                             range->removed.length, range->sums.length};
    run->range->variant_count = i - first_reported + 1;
  }
}

/* Runs the variants [begin, end) block by block; each block starts without state of earlier
 * variants. */
static void run_variant_blocks(variants_run *v, size_t begin, size_t end) {
  api_range_run *run = v->run;
  for (size_t from = begin, to; from < end && api_range_open(run); from = to) {
    to = (from / API_VARIANTS_BLOCK + 1) * API_VARIANTS_BLOCK;
    if (to > end) to = end;
    discard_variant_state(v);
    v->was_own = false;
    run_variant_block(v, from, to, begin);
  }
}

void api_run_variants(api_range_run *run, size_t begin, size_t end) {
  const api_query *q = &run->task->question;
  assert(q->mode == API_MODE_VARIANTS && begin < end && end <= q->variant_count);
  variants_run v = {.run = run};
  api_plane_caches caches = {.entries = NULL};
  size_t overrides_max = 0;
  if (api_reuses_planes(q)) run->caches = &caches;
  for (size_t i = find_first_variant(q, begin); i < end; i++)
    overrides_max = q->variants[i].count > overrides_max ? q->variants[i].count : overrides_max;
  v.scratch = malloc((overrides_max + q->options.override_count + 1) * sizeof *v.scratch);
  run->range->variants = calloc(end - begin, sizeof *run->range->variants);
  run->range->memory = !v.scratch || !run->range->variants;
  run_variant_blocks(&v, begin, end);
  ct_query_frames_destroy(v.frames);
  api_plane_caches_free(&caches);
  run->caches = NULL;
  free(v.scratch);
}
