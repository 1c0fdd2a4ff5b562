/* Motions of a scene: preparing, and running a range of pairs. */
#include "toi/toi_query.h"
#include "toi/toi.h"

#include <stdlib.h>
#include <string.h>

/* Distances that an impact and a timeline take, in the middle of what was seen, where no more than
 * CT_TOI_ITERATIONS are asked for, else those too; and what a slice of swept boxes costs, ns. */
#define IMPACT_DISTANCES 12.0
#define TIMELINE_DISTANCES 60.0
#define SLICES_NS 500.0
/* Pairs looked at for the cost. */
#define SAMPLES 32

/* ---- preparing ------------------------------------------------------------------------------ */

/* Poses, boxes and filters of rows as they start; `where` is put in afterwards: it is asked pair by
 * pair. */
static ct_status prepare_still(ct_motion_query *query) {
  const ct_motion_options *o = &query->options;
  ct_query_options still = {.kind = CT_QUERY_PAIRS,
                            .broadphase = CT_BROADPHASE_TREE,
                            .overrides = o->overrides,
                            .override_count = o->override_count,
                            .cancel = o->cancel};
  ct_status status = ct_query_prepare(query->scene, &still, &query->still);
  if (status != CT_OK) return status;
  query->still->options.where_a = o->where_a;
  query->still->options.where_b = o->where_b;
  return CT_OK;
}

/* A path for a row that stays. */
static ct_status rest(ct_motion_query *query, uint32_t row) {
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

/* One for each row that stays and is asked for. */
static ct_status rest_all(ct_motion_query *query) {
  size_t pairs = ct_motion_candidates(query), most = 2 * pairs;
  if (most > query->scene->rows) most = query->scene->rows;
  query->own = malloc((most + 1) * sizeof *query->own);
  ct_status status = query->own ? CT_OK : CT_OUT_OF_MEMORY;
  for (size_t k = 0; k < pairs && status == CT_OK; k++) {
    ct_row_pair pair = ct_motion_pair(query, k);
    status = rest(query, pair.a);
    if (status == CT_OK) status = rest(query, pair.b);
    if (status == CT_OK && ct_cancel_raised(query->options.cancel)) status = CT_CANCELLED;
  }
  return status;
}

/* Do the times fit all paths, and do movers and explicit pairs name bodies of the scene? */
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
  if (status == CT_OK) status = rest_all(query);
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
  size_t pairs = ct_motion_candidates(query), stride = pairs / SAMPLES + 1, seen = 0;
  double sum = 0.0;
  for (size_t k = 0; k < pairs; k += stride, seen++) {
    ct_row_pair pair = ct_motion_pair(query, k);
    sum += ct_query_pair_cost(CT_QUERY_DISTANCE, ct_scene_body_at(query->scene, pair.a),
                              ct_scene_body_at(query->scene, pair.b));
  }
  double distances = query->options.timeline ? TIMELINE_DISTANCES : IMPACT_DISTANCES;
  uint32_t asked = query->options.impact.iterations_max;
  if (asked > CT_TOI_ITERATIONS) distances += (double)(asked - CT_TOI_ITERATIONS);
  return seen ? (distances * sum / (double)seen + SLICES_NS) * (double)pairs : 0.0;
}

/* ---- running -------------------------------------------------------------------------------- */

static ct_moving_body mover(const ct_motion_query *query, uint32_t row) {
  return (ct_moving_body){ct_scene_body_at(query->scene, row), query->paths[row]};
}

/* A pair of large meshes may have been cut short. */
static ct_status after_pair(const ct_motion_query *query, ct_workspace *workspace,
                            ct_status status) {
  if (status == CT_OK && ct_workspace_out_of_memory(workspace)) return CT_OUT_OF_MEMORY;
  return status == CT_OK && ct_cancel_raised(query->options.cancel) ? CT_CANCELLED : status;
}

ct_status ct_motion_toi(const ct_motion_query *query, ct_row_pair pair, double end,
                        ct_workspace *workspace, ct_toi *impact) {
  ct_toi_options options = query->options.impact;
  options.end = end;
  ct_status status =
      ct_body_toi(mover(query, pair.a), mover(query, pair.b), &options, workspace, impact);
  return after_pair(query, workspace, status);
}

/* What goes through the items of a range. */
typedef struct range_run {
  const ct_motion_query *query;
  ct_workspace *workspace;
  ct_motion_sink sink;
  void *context;
  ct_timeline timeline;
  bool stopped; /* by the sink */
} range_run;

/* Lists the grazes of the pair, of which `first` has the first one: the search begins again behind
 * each. Its end is where nothing is known any more, or the impact is. */
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
    status =
        ct_body_toi(mover(query, pair.a), mover(query, pair.b), &options, run->workspace, &next);
    status = after_pair(query, run->workspace, status);
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
  ct_status status =
      ct_body_timeline(mover(query, pair.a), mover(query, pair.b), &query->options.impact,
                       query->options.changes_max, run->workspace, &run->timeline);
  status = after_pair(query, run->workspace, status);
  bool eventful =
      t->count > 0 || t->graze_count > 0 || t->in_contact || t->status != CT_TIMELINE_COMPLETE;
  bool reported = query->options.explicit_pairs || eventful;
  if (status != CT_OK || !reported) return status;
  const ct_motion_hit hit = {.a = pair.a, .b = pair.b, .item = item, .timeline = t};
  run->stopped = !run->sink(run->context, &hit);
  return CT_OK;
}

static ct_status run_items(range_run *run, size_t begin, size_t end) {
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
  ct_workspace_out_of_memory(workspace); /* what came before is not this query's */
  ct_status status = CT_OK;
  size_t searched;
  if (!query->options.earliest) status = run_items(&run, begin, end);
  else if (begin == 0 && end > 0)
    status = ct_motion_earliest(query, workspace, sink, context, &searched);
  ct_workspace_watch(workspace, NULL);
  ct_toi_retain_colliders(workspace, false);
  ct_timeline_free(&run.timeline);
  return status;
}
