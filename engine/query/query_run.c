/* Running a range of a query's items: candidate pairs in order, each through the narrow phase, hits
 * to the sink. */
#include "query/query.h"

#include <stdlib.h>

typedef struct range_run {
  const ct_query *query;
  const ct_query_range *range;
  ct_workspace *workspace;
  ct_hit_sink sink;
  void *context;
  ct_range_statistics *statistics;
  uint64_t candidates; /* in this range */
  ct_placed_body a, b;
  uint32_t placed_a; /* row that a stands for, or CT_NO_ROW */
  bool stopped;      /* by the sink */
  size_t item;       /* at work */
  uint32_t part;     /* hits of the next pair that are left out */
  ct_row_finder finder;
} range_run;

/* Boxes of a pair of rows at the query's poses: the answer of kind `pairs` for an explicit pair. */
static bool boxes_meet(const range_run *run, uint32_t a, uint32_t b, double clearance) {
  const ct_query *query = run->query;
  ct_frame frame_a = ct_frame_of(*ct_query_pose(query, a)),
           frame_b = ct_frame_of(*ct_query_pose(query, b));
  ct_aabb box_a = ct_body_aabb(ct_scene_body_at(query->scene, a), &frame_a);
  ct_aabb box_b = ct_body_aabb(ct_scene_body_at(query->scene, b), &frame_b);
  /* The lower row's box grows, as in ct_query_accepts. */
  ct_aabb grown = ct_aabb_expand(a < b ? box_a : box_b, clearance);
  return ct_aabb_overlap(&grown, a < b ? &box_b : &box_a);
}

static bool place_pair(range_run *run, uint32_t a, uint32_t b) {
  const ct_query *query = run->query;
  const ct_body *body_a = ct_scene_body_at(query->scene, a),
                *body_b = ct_scene_body_at(query->scene, b);
  if (run->placed_a != a && !ct_placed_body_set(&run->a, body_a, ct_query_pose(query, a)))
    return false;
  run->placed_a = a;
  return ct_placed_body_set(&run->b, body_b, ct_query_pose(query, b));
}

/* The narrow phase of one pair; hits go to the sink. */
static ct_status test_pair(range_run *run, uint32_t a, uint32_t b) {
  const ct_query *query = run->query;
  const ct_query_options *o = &query->options;
  bool given = query->source == CT_SOURCE_EXPLICIT, all = given && !o->hits_only, found = true;
  ct_hit hit = {.a = a, .b = b, .item = run->item, .candidates = run->candidates};
  if (ct_cancel_raised(o->cancel)) return CT_CANCELLED;
  if (o->kind == CT_QUERY_PAIRS) {
    hit.overlap = given ? boxes_meet(run, a, b, all ? 0.0 : o->clearance) : true;
    found = all || hit.overlap;
  } else {
    if (!place_pair(run, a, b)) return CT_OUT_OF_MEMORY;
    ct_body_pair pair = {.a = &run->a,
                         .b = &run->b,
                         .limit = all ? INFINITY : o->clearance,
                         .tolerance = o->tolerance,
                         .cancel = o->cancel,
                         .workspace = run->workspace,
                         .overlap_test = o->overlap_test,
                         .context = run->context};
    if (o->kind == CT_QUERY_CONTACTS) {
      pair.limit = o->clearance;
      ct_contact_walk walk = {o->detail, run->part, all, run->sink, run->context};
      return ct_body_pair_contacts(&pair, &walk, &hit, &run->stopped);
    }
    if (o->kind == CT_QUERY_VOLUME) {
      pair.limit = o->clearance;
      ct_contact_walk walk = {
          .part = run->part, .all = all, .sink = run->sink, .context = run->context};
      return ct_body_pair_volume(&pair, &o->volume, &walk, &hit, &run->stopped);
    }
    if (o->kind == CT_QUERY_FEATURES) {
      ct_feature_pair_visit walk = {&o->features, run->part, run->sink, run->context,
                                    &run->statistics->doubled};
      return ct_body_pair_features(&pair, &walk, &hit, &run->stopped);
    }
    ct_status status = o->kind == CT_QUERY_OVERLAP ? ct_body_pair_overlap(&pair, &hit, &found)
                                                   : ct_body_pair_distance(&pair, &hit, &found);
    if (status != CT_OK) return status;
    if (ct_workspace_out_of_memory(run->workspace)) return CT_OUT_OF_MEMORY;
    /* A pair of large meshes may have been cut short. */
    if (ct_cancel_raised(o->cancel)) return CT_CANCELLED;
  }
  hit.item = run->item;
  hit.part = 1;
  hit.candidates = run->candidates;
  if (found && !run->sink(run->context, &hit)) run->stopped = true;
  return CT_OK;
}

static ct_status test_candidate(range_run *run, uint32_t i, uint32_t j) {
  if (run->candidates == CT_PAIRS_MAX) return CT_PAIR_LIMIT;
  run->candidates++;
  run->item = i;
  run->part = i == run->range->begin && j == run->range->after ? run->range->part : 0;
  return test_pair(run, i, j);
}

static ct_status run_explicit(range_run *run, const ct_query_range *range) {
  ct_status status = CT_OK;
  for (size_t k = range->begin; k < range->end && status == CT_OK && !run->stopped; k++) {
    run->candidates++;
    run->item = k;
    run->part = k == range->begin ? range->part : 0;
    status = test_pair(run, run->query->options.pairs[k].a, run->query->options.pairs[k].b);
  }
  return status;
}

/* First listed pair whose row is at least `row`. */
static size_t listed_from(const ct_query *query, size_t row) {
  size_t low = 0, high = query->listed_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (query->listed[middle].i < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The first partner of item `begin` that is wanted, where the range resumes inside it. */
static uint32_t first_wanted(const ct_query_range *range) {
  return range->part > 0 ? range->after : range->after + 1;
}

static ct_status run_listed(range_run *run, const ct_query_range *range) {
  const ct_query *query = run->query;
  ct_status status = CT_OK;
  if (range->begin == 0 && range->end > 0) run->statistics->box_tests += query->listed_tests;
  for (size_t k = listed_from(query, range->begin);
       k < query->listed_count && status == CT_OK && !run->stopped; k++) {
    ct_pair_index pair = query->listed[k];
    if (pair.i >= range->end) break;
    if (pair.i == range->begin && range->after != CT_NO_ROW && pair.j < first_wanted(range))
      continue;
    status = test_candidate(run, pair.i, pair.j);
  }
  return status;
}

/* Pairs (row, j), j >= low, of boxes kept in an array. */
static ct_status run_boxes(range_run *run, const ct_row_view *view, uint32_t low) {
  const ct_query *query = run->query;
  ct_aabb asked = ct_query_expanded_aabb(query, view);
  ct_status status = CT_OK;
  for (uint32_t j = low; j < query->scene->rows && status == CT_OK && !run->stopped; j++) {
    run->statistics->box_tests++;
    if (ct_aabb_overlap(&asked, &query->boxes[j]) && ct_query_accepts(query, view, j))
      status = test_candidate(run, view->row, j);
  }
  return status;
}

static ct_status run_row(range_run *run, uint32_t row, uint32_t low) {
  ct_row_view view;
  if (ct_cancel_raised(run->query->options.cancel)) return CT_CANCELLED;
  if (!ct_row_view_set(&run->finder, row, &view)) return CT_OK;
  if (run->query->source == CT_SOURCE_BOXES) return run_boxes(run, &view, low);
  uint64_t nodes = 0;
  ct_status status = ct_query_find(&run->finder, &view, low, &nodes);
  run->statistics->box_tests += run->finder.count;
  for (size_t k = 0; k < run->finder.count && status == CT_OK && !run->stopped; k++)
    if (ct_query_accepts(run->query, &view, run->finder.rows[k]))
      status = test_candidate(run, row, run->finder.rows[k]);
  return status;
}

static ct_status run_items(range_run *run, const ct_query_range *range) {
  if (run->query->source == CT_SOURCE_EXPLICIT) return run_explicit(run, range);
  if (run->query->source == CT_SOURCE_LISTED) return run_listed(run, range);
  ct_status status = CT_OK;
  for (size_t row = range->begin; row < range->end && status == CT_OK && !run->stopped; row++) {
    bool inside = row == range->begin && range->after != CT_NO_ROW && range->after > row;
    status = run_row(run, (uint32_t)row, inside ? first_wanted(range) : (uint32_t)row + 1);
  }
  return status;
}

ct_status ct_query_run(const ct_query *query, const ct_query_range *range, ct_workspace *workspace,
                       ct_hit_sink sink, void *context, ct_range_statistics *statistics) {
  if (query->options.kind == CT_QUERY_VOLUME && query->options.sparsify)
    return ct_query_run_sparse(query, range, workspace, sink, context, statistics);
  if (query->options.kind == CT_QUERY_DISTANCE && query->options.nearest)
    return ct_query_run_nearest(query, range, workspace, sink, context);
  range_run *run = calloc(1, sizeof *run);
  if (!run) return CT_OUT_OF_MEMORY;
  ct_range_statistics own = {0};
  run->query = query;
  run->range = range;
  run->workspace = workspace;
  run->sink = sink;
  run->context = context;
  run->statistics = &own;
  run->placed_a = CT_NO_ROW;
  ct_row_finder_init(&run->finder, query);
  ct_workspace_watch(workspace, query->options.cancel);
  ct_workspace_out_of_memory(workspace); /* what came before is not this query's */
  ct_status status = run_items(run, range);
  ct_workspace_watch(workspace, NULL);
  if (statistics) {
    statistics->candidates += run->candidates;
    statistics->box_tests += own.box_tests;
    statistics->doubled += own.doubled;
  }
  ct_row_finder_free(&run->finder);
  ct_placed_body_free(&run->a);
  ct_placed_body_free(&run->b);
  free(run);
  return status;
}
