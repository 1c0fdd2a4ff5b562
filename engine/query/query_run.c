/* Evaluates a range of a query's items: finds the candidate pairs in order, evaluates each by the
 * function of the query's kind, and passes the hits to the sink. */
#include "query/query.h"

#include <stdlib.h>

/* The caller's sink; the member of the query's kind is set. */
typedef union ct_query_sink {
  ct_pair_sink pairs;
  ct_overlap_sink overlaps;
  ct_distance_sink distances;
  ct_contacts_sink contacts;
  ct_volume_sink volumes;
  ct_feature_sink features;
} ct_query_sink;

typedef struct range_run {
  const ct_query *query;
  const ct_query_range *range;
  ct_workspace *workspace;
  ct_query_sink sink;
  void *context; /* of the sink */
  ct_range_statistics *statistics;
  uint64_t candidates; /* number of candidate pairs evaluated so far in this range */
  ct_placed_body a, b;
  uint32_t placed_a; /* row of the body in `a`, or CT_NO_ROW */
  bool stopped;      /* by the sink */
  size_t item;       /* current item */
  uint32_t part;     /* number of hits of the next pair that are skipped */
  ct_row_finder finder;
} range_run;

/* Tests the boxes of two rows at the query's poses, which are computed here: explicit pairs have no
 * stored boxes. */
static bool boxes_meet(const range_run *run, uint32_t a, uint32_t b, double clearance) {
  const ct_query *query = run->query;
  ct_frame frame_a = ct_frame_of(*ct_query_pose(query, a)),
           frame_b = ct_frame_of(*ct_query_pose(query, b));
  ct_aabb box_a = ct_body_aabb(ct_scene_body_at(query->scene, a), &frame_a);
  ct_aabb box_b = ct_body_aabb(ct_scene_body_at(query->scene, b), &frame_b);
  /* The lower row's box is expanded, as in ct_query_accepts. */
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

/* Returns the position of a hit that is the only one of its pair. */
static ct_hit_position make_single_position(const range_run *run) {
  return (ct_hit_position){run->item, 1, run->candidates};
}

/* Reports a pair of kind `pairs`. `all`: every explicit pair is a hit, with the result of the box
 * test. */
static void test_boxes(range_run *run, uint32_t a, uint32_t b, bool all) {
  bool given = run->query->source == CT_SOURCE_EXPLICIT;
  bool overlap = !given || boxes_meet(run, a, b, all ? 0.0 : run->query->options.clearance);
  ct_pair_hit hit = {a, b, overlap, make_single_position(run)};
  if ((all || overlap) && !run->sink.pairs(run->context, &hit)) run->stopped = true;
}

/* Returns the status after a pair was evaluated; a cancelled evaluation of large meshes returns
 * CT_OK with an incomplete result. */
static ct_status check_pair_status(const range_run *run, ct_status status) {
  if (status != CT_OK) return status;
  if (ct_workspace_out_of_memory(run->workspace)) return CT_OUT_OF_MEMORY;
  return ct_cancel_raised(run->query->options.cancel) ? CT_CANCELLED : CT_OK;
}

static ct_status test_overlap_of(range_run *run, const ct_body_pair *pair, uint32_t a, uint32_t b) {
  ct_overlap_hit hit = {.a = a, .b = b};
  bool found;
  ct_status status = check_pair_status(run, ct_body_pair_overlap(pair, &hit, &found));
  if (status != CT_OK || !found) return status;
  hit.position = make_single_position(run);
  if (!run->sink.overlaps(run->context, &hit)) run->stopped = true;
  return CT_OK;
}

static ct_status test_distance_of(range_run *run, const ct_body_pair *pair, uint32_t a,
                                  uint32_t b) {
  ct_distance_hit hit = {.a = a, .b = b};
  bool found;
  ct_status status = check_pair_status(run, ct_body_pair_distance(pair, &hit, &found));
  if (status != CT_OK || !found) return status;
  hit.position = make_single_position(run);
  if (!run->sink.distances(run->context, &hit)) run->stopped = true;
  return CT_OK;
}

/* Evaluates contacts, volumes or features of a pair, which have any number of hits. The clearance
 * is the limit for explicit pairs too, except for features. */
static ct_status test_colliders(range_run *run, const ct_body_pair *pair, uint32_t a, uint32_t b,
                                bool all) {
  const ct_query_question *question = &run->query->question;
  ct_body_pair_run each = {.pair = pair,
                           .a = a,
                           .b = b,
                           .position = {run->item, 0, run->candidates},
                           .part = run->part,
                           .all = all,
                           .context = run->context};
  ct_status status = CT_OK;
  if (question->kind == CT_QUERY_CONTACTS)
    status = ct_body_pair_contacts(&each, question->contacts.detail, run->sink.contacts);
  else if (question->kind == CT_QUERY_VOLUME)
    status = ct_body_pair_volumes(&each, &question->volume.volume, run->sink.volumes);
  else
    status = ct_body_pair_features(&each, &question->features, run->sink.features,
                                   &run->statistics->doubled);
  run->stopped = each.stopped;
  return status;
}

static double get_tolerance(const ct_query_question *question) {
  switch (question->kind) {
  case CT_QUERY_OVERLAP: return question->overlap.tolerance;
  case CT_QUERY_DISTANCE: return question->distance.tolerance;
  case CT_QUERY_CONTACTS: return question->contacts.tolerance;
  case CT_QUERY_VOLUME: return question->volume.tolerance;
  case CT_QUERY_PAIRS:
  case CT_QUERY_FEATURES: break;
  }
  return 0.0;
}

/* Evaluates one candidate pair and passes its hits to the sink. */
static ct_status test_pair(range_run *run, uint32_t a, uint32_t b) {
  const ct_query *query = run->query;
  const ct_query_options *o = &query->options;
  const ct_query_kind kind = query->question.kind;
  bool all = query->source == CT_SOURCE_EXPLICIT && !o->hits_only;
  if (ct_cancel_raised(o->cancel)) return CT_CANCELLED;
  /* Boxes only. */
  if (kind == CT_QUERY_PAIRS) {
    test_boxes(run, a, b, all);
    return CT_OK;
  }
  /* Set the bodies up for the narrow phase, by kind of query. */
  if (!place_pair(run, a, b)) return CT_OUT_OF_MEMORY;
  bool limited = !all || kind == CT_QUERY_CONTACTS || kind == CT_QUERY_VOLUME;
  const ct_body_pair pair = {.a = &run->a,
                             .b = &run->b,
                             .limit = limited ? o->clearance : INFINITY,
                             .tolerance = get_tolerance(&query->question),
                             .cancel = o->cancel,
                             .workspace = run->workspace,
                             .overlap_test = query->question.overlap.test,
                             .context = run->context};
  if (kind == CT_QUERY_OVERLAP) return test_overlap_of(run, &pair, a, b);
  if (kind == CT_QUERY_DISTANCE) return test_distance_of(run, &pair, a, b);
  return test_colliders(run, &pair, a, b, all);
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

/* Returns the index of the first listed pair whose lower row is at least `row`. */
static size_t listed_from(const ct_query *query, size_t row) {
  size_t low = 0, high = query->listed_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (query->listed[middle].i < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Returns the lowest partner row to evaluate in item range->begin. range->part > 0: the range
 * resumes within the pair with row range->after. */
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

/* Evaluates the pairs (view->row, j) with j >= low by testing the row's box against every box. */
static ct_status run_boxes(range_run *run, const ct_row_view *view, uint32_t low) {
  const ct_query *query = run->query;
  ct_aabb expanded = ct_query_expanded_aabb(query, view);
  ct_status status = CT_OK;
  for (uint32_t j = low; j < query->scene->rows && status == CT_OK && !run->stopped; j++) {
    run->statistics->box_tests++;
    if (ct_aabb_overlap(&expanded, &query->boxes[j]) && ct_query_accepts(query, view, j))
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

static ct_status run_range(const ct_query *query, const ct_query_range *range,
                           ct_workspace *workspace, ct_query_sink sink, void *context,
                           ct_range_statistics *statistics) {
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
  ct_workspace_out_of_memory(workspace); /* reset the flag, which an earlier query may have set */
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

ct_status ct_query_run_pairs(const ct_query *query, const ct_query_range *range, ct_pair_sink sink,
                             void *context, ct_range_statistics *statistics) {
  if (query->question.kind != CT_QUERY_PAIRS) return CT_LIMIT;
  return run_range(query, range, NULL, (ct_query_sink){.pairs = sink}, context, statistics);
}

ct_status ct_query_run_overlaps(const ct_query *query, const ct_query_range *range,
                                ct_workspace *workspace, ct_overlap_sink sink, void *context,
                                ct_range_statistics *statistics) {
  if (query->question.kind != CT_QUERY_OVERLAP) return CT_LIMIT;
  return run_range(query, range, workspace, (ct_query_sink){.overlaps = sink}, context, statistics);
}

ct_status ct_query_run_distances(const ct_query *query, const ct_query_range *range,
                                 ct_workspace *workspace, ct_distance_sink sink, void *context,
                                 ct_range_statistics *statistics) {
  if (query->question.kind != CT_QUERY_DISTANCE) return CT_LIMIT;
  if (query->question.distance.nearest)
    return ct_query_run_nearest(query, range, workspace, sink, context);
  return run_range(query, range, workspace, (ct_query_sink){.distances = sink}, context,
                   statistics);
}

ct_status ct_query_run_contacts(const ct_query *query, const ct_query_range *range,
                                ct_workspace *workspace, ct_contacts_sink sink, void *context,
                                ct_range_statistics *statistics) {
  if (query->question.kind != CT_QUERY_CONTACTS) return CT_LIMIT;
  return run_range(query, range, workspace, (ct_query_sink){.contacts = sink}, context, statistics);
}

ct_status ct_query_run_volumes(const ct_query *query, const ct_query_range *range,
                               ct_workspace *workspace, ct_volume_sink sink, void *context,
                               ct_range_statistics *statistics) {
  if (query->question.kind != CT_QUERY_VOLUME) return CT_LIMIT;
  if (query->question.volume.sparsify)
    return ct_query_run_sparse(query, range, workspace, sink, context, statistics);
  return run_range(query, range, workspace, (ct_query_sink){.volumes = sink}, context, statistics);
}

ct_status ct_query_run_features(const ct_query *query, const ct_query_range *range,
                                ct_workspace *workspace, ct_feature_sink sink, void *context,
                                ct_range_statistics *statistics) {
  if (query->question.kind != CT_QUERY_FEATURES) return CT_LIMIT;
  return run_range(query, range, workspace, (ct_query_sink){.features = sink}, context, statistics);
}
