/* Motion queries of a scene: preparation, the pairs that come into contact first, and the
 * evaluation of a range of pairs. */
#include "toi/toi_query.h"
#include "toi/toi.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the first contacts of a scene ----------------------------------------------------------- */

/* The pairs of a scene that come into contact first.
 *
 * The motion is divided into slices of time. In each slice, the pairs whose swept boxes overlap are
 * searched once, no farther than the best contact so far; the other pairs wait for the next slice.
 * The search ends with the slice that contains the best contact. The pairs that may be first are
 * then searched again over the whole motion, so that their results do not depend on other pairs. */

/* Number of slices of time. */
#define SLICES 8
/* Pairs are searched beyond the best bracket by this fraction of the motion; the second search
 * decides which pairs are first. */
#define SEARCH_MARGIN 1e-9

/* A pair that may be the first to come into contact. */
typedef struct first_candidate {
  size_t index;
  double from; /* certainly no contact before this time, s */
} first_candidate;

typedef struct first_search {
  const ct_motion_query *query;
  ct_workspace *workspace;
  size_t *pending; /* [pending_count] indices of pairs not yet searched, ascending */
  size_t pending_count;
  ct_aabb *swept;              /* [moving_count] boxes swept in the slice */
  first_candidate *candidates; /* [candidate_count] */
  size_t candidate_count;
  double best_time, best_upper; /* least time, and least upper end of a bracket, of the contacts
                                   found so far, s; INFINITY: none */
  size_t searched;
} first_search;

/* ---- slices --------------------------------------------------------------------------------- */

static double slice_time(const ct_toi_options *o, int slice) {
  assert(slice >= 0 && slice <= SLICES);
  return slice == SLICES ? o->end : o->begin + (o->end - o->begin) * ((double)slice / SLICES);
}

static ct_status sweep_slice(first_search *s, int slice) {
  const ct_motion_query *query = s->query;
  const ct_toi_options *o = &query->options.impact;
  for (size_t m = 0; m < query->options.moving_count; m++) {
    if (ct_cancel_raised(query->options.cancel)) return CT_CANCELLED;
    s->swept[m] = ct_motion_swept(query, m, slice_time(o, slice), slice_time(o, slice + 1));
  }
  return CT_OK;
}

static ct_aabb slice_box(const first_search *s, uint32_t row) {
  size_t mover;
  ct_aabb box;
  if (ct_motion_find_moving_body(s->query, row, &mover)) return s->swept[mover];
  return ct_query_aabb(s->query->still, row, &box) ? box : ct_aabb_empty();
}

static bool are_apart_in_slice(const first_search *s, ct_row_pair pair) {
  ct_aabb a = slice_box(s, pair.a), b = slice_box(s, pair.b);
  double slack =
      CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF * (ct_aabb_magnitude(&a) + ct_aabb_magnitude(&b));
  a = ct_aabb_expand(a, slack);
  return !ct_aabb_overlap(&a, &b);
}

/* ---- the search ----------------------------------------------------------------------------- */

/* True for a contact, also at the start, unless the bodies separate at the start. */
static bool is_contact_event(const ct_toi *impact) {
  return impact->event == CT_TOI_CONTACT ||
         (impact->event == CT_TOI_INITIAL && !(impact->flags & CT_TOI_FLAG_SEPARATING_AT_START));
}

/* Returns the time at which the search of a pair ends. Bisection always covers the whole motion,
 * since its result depends on the end. */
static double first_search_end(const first_search *s) {
  const ct_toi_options *o = &s->query->options.impact;
  if (o->method == CT_TOI_BISECTION || !(s->best_upper < INFINITY)) return o->end;
  return ct_min2(o->end, s->best_upper + o->time_tolerance + SEARCH_MARGIN * (o->end - o->begin));
}

static void update_best_bracket(first_search *s, const ct_toi *impact) {
  if (!is_contact_event(impact)) return;
  s->best_time = ct_min2(s->best_time, impact->time);
  s->best_upper = ct_min2(s->best_upper, ct_max2(impact->upper, impact->time));
}

static ct_status search_first_pair(first_search *s, size_t index) {
  ct_toi impact;
  s->searched++;
  ct_status status = ct_motion_toi(s->query, ct_motion_pair(s->query, index), first_search_end(s),
                                   s->workspace, &impact);
  if (status != CT_OK || !(is_contact_event(&impact) || impact.event == CT_TOI_UNDECIDED))
    return status;
  update_best_bracket(s, &impact);
  s->candidates[s->candidate_count++] =
      (first_candidate){index, impact.event == CT_TOI_UNDECIDED ? impact.free_until : impact.lower};
  return CT_OK;
}

/* Searches the pairs whose swept boxes overlap in the slice; the others remain in `pending`, in
 * order. */
static ct_status search_slice(first_search *s) {
  size_t left = 0;
  ct_status status = CT_OK;
  for (size_t k = 0; k < s->pending_count && status == CT_OK; k++) {
    if (ct_cancel_raised(s->query->options.cancel)) return CT_CANCELLED;
    if (are_apart_in_slice(s, ct_motion_pair(s->query, s->pending[k])))
      s->pending[left++] = s->pending[k];
    else status = search_first_pair(s, s->pending[k]);
  }
  assert(left <= s->pending_count);
  s->pending_count = left;
  return status;
}

static ct_status search_slices(first_search *s) {
  const ct_motion_options *o = &s->query->options;
  size_t count = ct_motion_candidates(s->query);
  s->pending = malloc((count + 1) * sizeof *s->pending);
  s->candidates = malloc((count + 1) * sizeof *s->candidates);
  s->swept = malloc((o->moving_count + 1) * sizeof *s->swept);
  if (!s->pending || !s->candidates || !s->swept) return CT_OUT_OF_MEMORY;
  for (; s->pending_count < count; s->pending_count++)
    s->pending[s->pending_count] = s->pending_count;
  ct_status status = CT_OK;
  for (int slice = 0; slice < SLICES && status == CT_OK && s->pending_count > 0; slice++) {
    if (slice_time(&o->impact, slice) > first_search_end(s)) break;
    status = sweep_slice(s, slice);
    if (status == CT_OK) status = search_slice(s);
  }
  return status;
}

static int compare_index(const void *a, const void *b) {
  const first_candidate *x = a, *y = b;
  return (x->index > y->index) - (x->index < y->index);
}

/* True if no other pair is certainly earlier. An undecided pair may be first if it is not certainly
 * apart until the best bracket ends. */
static bool may_be_first(const first_search *s, const ct_toi *impact) {
  double tolerance = s->query->options.impact.time_tolerance;
  if (impact->event == CT_TOI_UNDECIDED) return impact->free_until <= s->best_upper + tolerance;
  if (!is_contact_event(impact)) return false;
  return impact->lower <= s->best_upper || impact->time - s->best_time <= tolerance;
}

static ct_status emit_first_pairs(first_search *s, ct_motion_sink sink, void *context) {
  ct_status status = CT_OK;
  size_t item = 0;
  bool continues = true;
  qsort(s->candidates, s->candidate_count, sizeof *s->candidates, compare_index);
  double end = first_search_end(s);
  for (size_t k = 0; k < s->candidate_count && status == CT_OK && continues; k++) {
    if (s->candidates[k].from > end) continue;
    ct_row_pair pair = ct_motion_pair(s->query, s->candidates[k].index);
    ct_toi impact;
    s->searched++;
    status = ct_motion_toi(s->query, pair, s->query->options.impact.end, s->workspace, &impact);
    if (status != CT_OK || !may_be_first(s, &impact)) continue;
    const ct_motion_hit hit = {.a = pair.a, .b = pair.b, .item = item++, .impact = &impact};
    continues = sink(context, &hit);
  }
  return status;
}

ct_status ct_motion_earliest(const ct_motion_query *query, ct_workspace *workspace,
                             ct_motion_sink sink, void *context, size_t *searched) {
  first_search s = {
      .query = query, .workspace = workspace, .best_time = INFINITY, .best_upper = INFINITY};
  ct_status status = search_slices(&s);
  if (status == CT_OK) status = emit_first_pairs(&s, sink, context);
  free(s.pending);
  free(s.candidates);
  free(s.swept);
  *searched = s.searched;
  return status;
}

/* Median number of distance queries of an impact and of a timeline, if iterations_max is at most
 * CT_TOI_ITERATIONS; above, the excess is added. SLICES_NS: cost of the swept boxes of a pair,
 * ns. */
#define IMPACT_DISTANCES 12.0
#define TIMELINE_DISTANCES 60.0
#define SLICES_NS 500.0
/* Number of pairs sampled to estimate the cost. */
#define COST_SAMPLES 32

/* ---- preparing ------------------------------------------------------------------------------ */

/* Prepares poses, boxes and filters of the rows at the start, as a query of all pairs. where_a and
 * where_b are set afterwards, because they are evaluated per pair. */
static ct_status prepare_still(ct_motion_query *query) {
  const ct_motion_options *o = &query->options;
  ct_query_options still = {.broadphase = CT_BROADPHASE_TREE,
                            .overrides = o->overrides,
                            .override_count = o->override_count,
                            .cancel = o->cancel};
  ct_status status = ct_query_prepare_pairs(query->scene, &still, NULL, &query->still);
  if (status != CT_OK) return status;
  query->still->options.where_a = o->where_a;
  query->still->options.where_b = o->where_b;
  return CT_OK;
}

/* Adds a path at rest for a row that has no path. */
static ct_status add_rest_path(ct_motion_query *query, uint32_t row) {
  assert(row < query->scene->rows);
  if (query->paths[row]) return CT_OK;
  ct_path_options options = {.kind = CT_PATH_REST,
                             .start = *ct_query_pose(query->still, row),
                             .end = *ct_query_pose(query->still, row),
                             .inertia_orientation = ct_quat_identity()};
  options.duration = query->options.impact.end > 0.0 ? query->options.impact.end : 1.0;
  if (query->options.moving_count > 0)
    options.duration = ct_path_duration(query->options.moving[0].path);
  ct_path *path;
  ct_status status = ct_path_create(&options, &path);
  if (status != CT_OK) return status;
  query->own[query->own_count++] = path;
  query->paths[row] = path;
  return CT_OK;
}

/* Adds a path at rest for each row of a candidate pair that does not move. */
static ct_status add_rest_paths(ct_motion_query *query) {
  size_t pairs = ct_motion_candidates(query), most = 2 * pairs;
  if (most > query->scene->rows) most = query->scene->rows;
  query->own = malloc((most + 1) * sizeof *query->own);
  ct_status status = query->own ? CT_OK : CT_OUT_OF_MEMORY;
  for (size_t k = 0; k < pairs && status == CT_OK; k++) {
    ct_row_pair pair = ct_motion_pair(query, k);
    status = add_rest_path(query, pair.a);
    if (status == CT_OK) status = add_rest_path(query, pair.b);
    if (status == CT_OK && ct_cancel_raised(query->options.cancel)) status = CT_CANCELLED;
  }
  return status;
}

/* True if the times are within all paths, and moving rows and explicit pairs refer to bodies of the
 * scene. */
static bool can_move(const ct_scene *scene, const ct_motion_options *o) {
  double duration = CT_DURATION_MAX;
  for (size_t k = 0; k < o->moving_count; k++) {
    const ct_row_motion *m = &o->moving[k];
    if (!m->path || m->row >= scene->rows || !ct_scene_body(scene, m->row)) return false;
    duration = ct_min2(duration, ct_path_duration(m->path));
  }
  if (!ct_toi_is_within(&o->impact, duration)) return false;
  return !o->explicit_pairs || ct_query_pairs_are_valid(scene, o->pairs, o->pair_count);
}

ct_status ct_motion_prepare(const ct_scene *scene, const ct_motion_options *options,
                            ct_motion_query **out) {
  if (!can_move(scene, options)) return CT_LIMIT;
  ct_motion_query *query = calloc(1, sizeof *query);
  if (!query) return CT_OUT_OF_MEMORY;
  query->scene = scene;
  query->options = *options;
  query->options.impact.cancel = options->cancel;
  query->options.impact.list_grazes = options->timeline && options->grazes;
  query->paths = calloc((size_t)scene->rows + 1, sizeof *query->paths);
  ct_status status = query->paths ? prepare_still(query) : CT_OUT_OF_MEMORY;
  if (status == CT_OK) status = ct_motion_list(query);
  if (status == CT_OK) status = add_rest_paths(query);
  if (status == CT_OK) *out = query;
  else ct_motion_destroy(query);
  return status;
}

void ct_motion_destroy(ct_motion_query *query) {
  if (!query) return;
  for (size_t k = 0; k < query->own_count; k++) ct_path_destroy(query->own[k]);
  ct_query_destroy(query->still);
  free(query->own);
  free(query->paths);
  free(query->reach);
  free(query->swept);
  free(query->listed);
  free(query);
}

ct_row_pair ct_motion_pair(const ct_motion_query *query, size_t index) {
  assert(index < ct_motion_candidates(query));
  if (query->options.explicit_pairs) return query->options.pairs[index];
  return (ct_row_pair){query->listed[index].i, query->listed[index].j};
}

size_t ct_motion_candidates(const ct_motion_query *query) {
  return query->options.explicit_pairs ? query->options.pair_count : query->listed_count;
}

size_t ct_motion_items(const ct_motion_query *query) {
  return query->options.earliest ? 1 : ct_motion_candidates(query);
}

double ct_motion_cost(const ct_motion_query *query) {
  size_t pairs = ct_motion_candidates(query), stride = pairs / COST_SAMPLES + 1, seen = 0;
  double sum = 0.0;
  for (size_t k = 0; k < pairs; k += stride, seen++) {
    ct_row_pair pair = ct_motion_pair(query, k);
    sum += ct_query_pair_cost(CT_QUERY_DISTANCE, ct_scene_body_at(query->scene, pair.a),
                              ct_scene_body_at(query->scene, pair.b));
  }
  double distances = query->options.timeline ? TIMELINE_DISTANCES : IMPACT_DISTANCES;
  uint32_t iterations = query->options.impact.iterations_max;
  if (iterations > CT_TOI_ITERATIONS) distances += (double)(iterations - CT_TOI_ITERATIONS);
  return seen ? (distances * sum / (double)seen + SLICES_NS) * (double)pairs : 0.0;
}

/* ---- running -------------------------------------------------------------------------------- */

static ct_moving_body moving_body_of(const ct_motion_query *query, uint32_t row) {
  return (ct_moving_body){ct_scene_body_at(query->scene, row), query->paths[row]};
}

/* Returns the status after the evaluation of a pair, which the cancel flag or lack of memory may
 * have ended early. */
static ct_status status_after_pair(const ct_motion_query *query, ct_workspace *workspace,
                                   ct_status status) {
  if (status == CT_OK && ct_workspace_out_of_memory(workspace)) return CT_OUT_OF_MEMORY;
  return status == CT_OK && ct_cancel_raised(query->options.cancel) ? CT_CANCELLED : status;
}

ct_status ct_motion_toi(const ct_motion_query *query, ct_row_pair pair, double end,
                        ct_workspace *workspace, ct_toi *impact) {
  ct_toi_options options = query->options.impact;
  options.end = end;
  ct_status status = ct_body_toi(moving_body_of(query, pair.a), moving_body_of(query, pair.b),
                                 &options, workspace, impact);
  return status_after_pair(query, workspace, status);
}

/* State of the evaluation of a range of pairs. */
typedef struct range_run {
  const ct_motion_query *query;
  ct_workspace *workspace;
  ct_motion_sink sink;
  void *context;
  ct_timeline timeline;
  bool stopped; /* by the sink */
} range_run;

/* Lists the grazes of the pair; *first is the result with the first one. The search is repeated
 * from the end of each graze until a result has none. */
static ct_status list_grazes(range_run *run, ct_row_pair pair, ct_toi *first) {
  const ct_motion_query *query = run->query;
  ct_toi_options options = query->options.impact;
  ct_toi next = *first;
  ct_status status = CT_OK;
  run->timeline.graze_count = 0;
  while (status == CT_OK && next.flags & CT_TOI_FLAG_GRAZE) {
    status = ct_timeline_append_graze(&run->timeline, &next);
    if (status != CT_OK || !(next.graze_end > options.begin) || !(next.graze_end < options.end))
      break;
    options.begin = next.graze_end;
    status = ct_body_toi(moving_body_of(query, pair.a), moving_body_of(query, pair.b), &options,
                         run->workspace, &next);
    status = status_after_pair(query, run->workspace, status);
    if (status == CT_OK) first->iterations += next.iterations;
  }
  return status;
}

static ct_status run_impact(range_run *run, ct_row_pair pair, size_t item) {
  const ct_motion_query *query = run->query;
  ct_toi impact;
  ct_status status = ct_motion_toi(query, pair, query->options.impact.end, run->workspace, &impact);
  bool grazes = query->options.grazes && impact.flags & CT_TOI_FLAG_GRAZE;
  if (status != CT_OK || (impact.event == CT_TOI_NONE && !grazes && !query->options.explicit_pairs))
    return status;
  ct_motion_hit hit = {.a = pair.a, .b = pair.b, .item = item, .impact = &impact};
  if (grazes) {
    status = list_grazes(run, pair, &impact);
    if (status != CT_OK) return status;
    hit.grazes = run->timeline.grazes;
    hit.graze_count = run->timeline.graze_count;
  }
  run->stopped = !run->sink(run->context, &hit);
  return CT_OK;
}

static ct_status run_timeline(range_run *run, ct_row_pair pair, size_t item) {
  const ct_motion_query *query = run->query;
  const ct_timeline *t = &run->timeline;
  ct_status status = ct_body_timeline(moving_body_of(query, pair.a), moving_body_of(query, pair.b),
                                      &query->options.impact, query->options.changes_max,
                                      run->workspace, &run->timeline);
  status = status_after_pair(query, run->workspace, status);
  bool eventful =
      t->count > 0 || t->graze_count > 0 || t->in_contact || t->status != CT_TIMELINE_COMPLETE;
  bool reported = query->options.explicit_pairs || eventful;
  if (status != CT_OK || !reported) return status;
  const ct_motion_hit hit = {.a = pair.a, .b = pair.b, .item = item, .timeline = t};
  run->stopped = !run->sink(run->context, &hit);
  return CT_OK;
}

static ct_status run_motion_items(range_run *run, size_t begin, size_t end) {
  const ct_motion_query *query = run->query;
  ct_status status = CT_OK;
  for (size_t item = begin; item < end && status == CT_OK && !run->stopped; item++) {
    ct_row_pair pair = ct_motion_pair(query, item);
    if (ct_cancel_raised(query->options.cancel)) status = CT_CANCELLED;
    else
      status =
          query->options.timeline ? run_timeline(run, pair, item) : run_impact(run, pair, item);
  }
  return status;
}

ct_status ct_motion_run(const ct_motion_query *query, size_t begin, size_t end,
                        ct_workspace *workspace, ct_motion_sink sink, void *context) {
  range_run run = {.query = query, .workspace = workspace, .sink = sink, .context = context};
  ct_workspace_watch(workspace, query->options.cancel);
  ct_toi_retain_colliders(workspace, true);
  ct_workspace_out_of_memory(workspace); /* clear the flag of earlier queries */
  ct_status status = CT_OK;
  size_t searched;
  if (!query->options.earliest) status = run_motion_items(&run, begin, end);
  else if (begin == 0 && end > 0)
    status = ct_motion_earliest(query, workspace, sink, context, &searched);
  ct_workspace_watch(workspace, NULL);
  ct_toi_retain_colliders(workspace, false);
  ct_timeline_free(&run.timeline);
  return status;
}
