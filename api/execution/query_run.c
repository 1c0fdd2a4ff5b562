/* Runs ranges: evaluates their items with the engine and writes results as text with their
 * marks. */
#include "execution/query_run.h"

#include <stdlib.h>

#include "execution/boxes_run.h"
#include "execution/contact_velocity.h"
#include "execution/force_run.h"
#include "execution/motion_run.h"
#include "execution/range_run.h"
#include "execution/variant_summary.h"
#include "results/probe_json.h"
#include "results/result_json.h"

bool api_needs_total(const api_query *q) {
  bool counted =
      q->mode == API_MODE_SCENE || q->mode == API_MODE_PROBE || q->mode == API_MODE_MOTION;
  return counted && !q->without_total && !q->resumed && !q->writes;
}

bool api_range_is_full(const api_range_run *run) {
  const api_range *range = run->range;
  return range->counts_only || range->overflow || range->count > run->task->question.limit;
}

bool api_count_result(api_range_run *run) {
  run->range->found++;
  return run->range->status == CT_OK && !run->range->memory &&
         api_needs_total(&run->task->question);
}

bool api_mark_result(api_range_run *run, api_mark mark) {
  api_range *range = run->range;
  if (range->count == range->capacity) {
    size_t capacity = range->capacity ? 2 * range->capacity : 8;
    api_mark *marks = realloc(range->marks, capacity * sizeof *marks);
    if (!marks) {
      range->memory = true;
      return false;
    }
    range->marks = marks;
    range->capacity = capacity;
  }
  mark.end = range->text.length;
  mark.removed = range->removed.length;
  mark.sums = range->sums.length;
  range->marks[range->count++] = mark;
  range->found++;
  range->memory = range->memory || range->text.failed;
  bool counts = api_needs_total(&run->task->question);
  if (range->text.length + range->removed.length + range->sums.length >
      run->plan->limits->request_memory_bytes) {
    range->overflow = true;
    if (!counts) range->status = CT_LIMIT;
  }
  return !range->memory && range->status == CT_OK &&
         (counts || range->count <= run->task->question.limit);
}

/* Pose of the row in the current query: its override, else the scene's. */
static ct_pose find_row_pose(const api_range_run *run, uint32_t row) {
  const ct_query_options *o = run->options;
  return ct_override_pose(run->scene, o->overrides, o->override_count, row);
}

static bool is_identity_pose(const ct_pose *pose) {
  const ct_vec3 *p = &pose->position;
  const ct_quat *q = &pose->rotation;
  return p->x == 0.0 && p->y == 0.0 && p->z == 0.0 && q->x == 0.0 && q->y == 0.0 && q->z == 0.0 &&
         q->w == 1.0;
}

static ct_frame compute_collider_frame(ct_pose body, const ct_collider *collider) {
  ct_frame frame = ct_frame_of(body);
  return is_identity_pose(&collider->pose) ? frame
                                           : ct_frame_mul(frame, ct_frame_of(collider->pose));
}

/* The thread's memory, and the cached plane of two colliders. */
static api_method_memory find_method_memory(api_range_run *run, const ct_collider_pair *which,
                                            const ct_placed pair[2]) {
  api_method_memory memory = {run->workspace, NULL};
  bool have_planes =
      ct_mpr_is_supported(pair[0].shape->kind) && ct_mpr_is_supported(pair[1].shape->kind);
  if (run->caches && have_planes) memory.cache = api_plane_cache(run->caches, which);
  return memory;
}

static void count_plane_use(api_range_run *run, ct_plane_cache *cache) {
  if (cache) api_plane_caches_count(run->caches, cache);
}

/* Evaluates the hit's pair of colliders by the query's method. */
static void query_pair_by_method(api_range_run *run, const ct_hit *hit, ct_pair_result *result) {
  const api_query *q = &run->task->question;
  const ct_collider a = ct_body_collider(ct_scene_body(run->scene, hit->a), hit->collider_a);
  const ct_collider b = ct_body_collider(ct_scene_body(run->scene, hit->b), hit->collider_b);
  const ct_frame frame_a = compute_collider_frame(find_row_pose(run, hit->a), &a),
                 frame_b = compute_collider_frame(find_row_pose(run, hit->b), &b);
  const ct_placed pair[2] = {{&a.shape, &frame_a}, {&b.shape, &frame_b}};
  const ct_collider_pair which = {hit->a, hit->b, hit->collider_a, hit->collider_b};
  const api_method_memory memory = find_method_memory(run, &which, pair);
  api_ask_method(&q->method, pair, q->options.tolerance, &memory, result, &run->method_answer);
  count_plane_use(run, memory.cache);
}

bool api_overlap_by_method(void *context, const ct_collider_pair *which, ct_placed a, ct_placed b,
                           ct_workspace *workspace, ct_vec3 *witness) {
  api_range_run *run = context;
  const ct_placed pair[2] = {a, b};
  api_method_memory memory = find_method_memory(run, which, pair);
  memory.workspace = workspace;
  bool overlap =
      api_ask_overlap(&run->task->question.method, pair, &memory, witness, &run->method_answer);
  count_plane_use(run, memory.cache);
  return overlap;
}

/* True if the method's last result belongs to this hit. For separated compounds it tested several
 * pairs. */
static bool is_method_result_of(const ct_hit *hit, const ct_body *a, const ct_body *b) {
  return hit->overlap || (ct_body_collider_count(a) == 1 && ct_body_collider_count(b) == 1);
}

/* Adds the results of the query's method to the answer about a hit. */
static void add_method_result(api_range_run *run, const ct_hit *hit, ct_pair_result *own,
                              api_pair_answer *answer) {
  const api_query *q = &run->task->question;
  if (q->method.kind == API_METHOD_AUTO) return;
  if (q->kind == API_KIND_DISTANCE) {
    *own = hit->result;
    query_pair_by_method(run, hit, own);
    answer->result = own;
    answer->gradient = answer->gradient && run->method_answer.by != API_METHOD_MPR;
  }
  if (q->kind == API_KIND_OVERLAP && !is_method_result_of(hit, answer->a, answer->b)) return;
  answer->method = &q->method;
  answer->by_method = &run->method_answer;
}

/* Writes the sums of the hit's collider pair beside the results, once per page. */
static void write_pair_sums(api_range_run *run, const ct_hit *hit) {
  const ct_collider_pair *last = &run->summed,
                         pair = {hit->a, hit->b, hit->collider_a, hit->collider_b};
  bool known = run->has_summed && last->a == pair.a && last->b == pair.b &&
               last->collider_a == pair.collider_a && last->collider_b == pair.collider_b;
  if (!hit->total || (known && run->summed_item == hit->item)) return;
  const ct_scene *scene = run->scene;
  api_buffer *text = &run->range->sums;
  run->summed = pair;
  run->summed_item = hit->item;
  run->has_summed = true;
  api_put_item(text);
  api_put_volume_sums(text, ct_scene_body(scene, hit->a), ct_scene_body(scene, hit->b), hit);
  run->range->memory = run->range->memory || text->failed;
}

/* Writes a volume contact. Removed contacts are listed beside the results and do not count for the
 * page. */
static bool write_volume_hit(api_range_run *run, const ct_hit *hit) {
  const api_query *q = &run->task->question;
  api_range *range = run->range;
  bool removed = hit->sparsified != CT_KEPT;
  if (api_range_is_full(run)) return removed || api_count_result(run);
  const ct_body *a = ct_scene_body(run->scene, hit->a), *b = ct_scene_body(run->scene, hit->b);
  api_buffer *text = removed ? &range->removed : &range->text;
  api_put_item(text);
  if (removed) api_put_removed(text, a, b, hit);
  else api_put_volume_answer(text, a, b, hit);
  write_pair_sums(run, hit);
  if (!removed)
    return api_mark_result(run, (api_mark){.candidates = hit->candidates,
                                           .item = (uint32_t)hit->item,
                                           .after = q->options.explicit_pairs ? CT_NO_ROW : hit->b,
                                           .part = hit->part});
  range->memory = range->memory || text->failed;
  if (text->length > run->plan->limits->request_memory_bytes) range->status = CT_LIMIT;
  return !range->memory && range->status == CT_OK;
}

/* True if a previous page or range has reported the hit. */
static bool was_reported(const api_range_run *run, const ct_hit *hit) {
  const api_cursor *from = &run->task->question.from;
  if (run->silent) return true;
  return run->skips &&
         (hit->item < from->item ||
          (hit->item == from->item && from->after != CT_NO_ROW && hit->b <= from->after));
}

static bool write_hit(void *context, const ct_hit *hit) {
  api_range_run *run = context;
  const api_query *q = &run->task->question;
  if (run->summary) return api_summarize_hit(run, hit);
  if (q->kind == API_KIND_VOLUME) return write_volume_hit(run, hit);
  if (q->mode == API_MODE_SCENE && api_range_is_full(run)) return api_count_result(run);
  bool given = q->options.explicit_pairs;
  api_pair_answer answer = {.kind = q->kind,
                            .a = ct_scene_body(run->scene, hit->a),
                            .b = ct_scene_body(run->scene, hit->b),
                            .collider_a = hit->collider_a,
                            .collider_b = hit->collider_b,
                            .explicit_pair = given,
                            .overlap = hit->overlap,
                            .gradient = q->gradient,
                            .result = &hit->result,
                            .points = hit->points,
                            .point_count = hit->point_count,
                            .feature = hit->feature,
                            .features_status = hit->features_status};
  if (q->kind == API_KIND_DISTANCE || q->kind == API_KIND_CONTACTS) {
    answer.pose_a = find_row_pose(run, hit->a);
    answer.pose_b = find_row_pose(run, hit->b);
  }
  ct_pair_result own;
  add_method_result(run, hit, &own, &answer);
  api_contact_velocity motion;
  if (q->put_velocity) {
    api_contact_velocity_of(run, hit, &motion);
    answer.motion = &motion;
  }
  if (was_reported(run, hit)) return true;
  api_put_item(&run->range->text);
  api_put_pair_answer(&run->range->text, &answer);
  return api_mark_result(
      run,
      (api_mark){.candidates = hit->candidates,
                 .item = (uint32_t)hit->item,
                 .after = given ? CT_NO_ROW : hit->b,
                 .part =
                     q->kind == API_KIND_CONTACTS || q->kind == API_KIND_FEATURES ? hit->part : 0});
}

bool api_range_open(const api_range_run *run) {
  const api_range *range = run->range;
  return range->status == CT_OK && !range->memory && range->count <= run->task->question.limit;
}

void api_run_items(api_range_run *run, const ct_query *query, const ct_query_range *items) {
  api_range *range = run->range;
  ct_status status = ct_query_run(query, items, run->workspace, write_hit, run, &range->statistics);
  if (status != CT_OK) range->status = status;
}

static void run_scene_query(api_range_run *run, size_t begin, size_t end) {
  api_task *task = run->task;
  const api_query *q = &task->question;
  ct_query_range items = {begin, end, CT_NO_ROW, 0};
  if (q->resumed && begin == task->start) {
    items.after = q->from.after;
    items.part = q->from.part;
  }
  if (task->query) {
    api_run_items(run, task->query, &items);
    return;
  }
  ct_query *own;
  ct_status status = ct_query_prepare(q->scene, &q->options, &own);
  if (status != CT_OK) {
    run->range->status = status;
    return;
  }
  /* Only a task with a single range reaches this line. */
  task->broadphase = ct_query_broadphase(own);
  items.end = ct_query_items(own);
  api_run_items(run, own, &items);
  ct_query_destroy(own);
}

static void run_mass_properties(api_range_run *run, size_t begin, size_t end) {
  const api_query *q = &run->task->question;
  for (size_t i = begin; i < end && api_range_open(run); i++) {
    if (ct_cancel_raised(run->plan->cancel)) {
      run->range->status = CT_CANCELLED;
      return;
    }
    const ct_body *body = q->scene ? ct_scene_body(q->scene, q->rows[i]) : q->bodies[i].body;
    api_put_item(&run->range->text);
    if (!api_put_mass_answer(&run->range->text, body, q->put_hulls)) {
      run->range->status = CT_OUT_OF_MEMORY;
      return;
    }
    api_mark_result(run, (api_mark){.item = (uint32_t)i, .after = CT_NO_ROW});
  }
}

static bool write_probe_hit(void *context, const ct_probe_hit *hit) {
  api_range_run *run = context;
  if (api_range_is_full(run)) return api_count_result(run);
  const api_query *q = &run->task->question;
  api_put_item(&run->range->text);
  const ct_pose pose =
      ct_override_pose(q->scene, q->probe.overrides, q->probe.override_count, hit->row);
  api_put_probe_answer(&run->range->text, q->probe.kind, ct_scene_body(q->scene, hit->row), pose,
                       hit);
  return api_mark_result(run, (api_mark){.item = hit->item, .after = hit->rank});
}

/* Runs items [begin, end) of a probe. A task without shared preparation has one range, which
 * prepares itself. */
static void run_probe_query(api_range_run *run, size_t begin, size_t end) {
  const api_task *task = run->task;
  const api_query *q = &task->question;
  ct_query_range items = {.begin = begin, .end = end, .after = CT_NO_ROW};
  if (q->resumed && begin == task->start) items.after = q->from.after;
  ct_probe *own = NULL;
  ct_status status = task->probe ? CT_OK : ct_probe_prepare(q->scene, &q->probe, &own);
  if (own) items.end = ct_probe_items(own);
  if (status == CT_OK)
    status = ct_probe_run(own ? own : task->probe, &items, run->workspace, write_probe_hit, run);
  ct_probe_destroy(own);
  if (status != CT_OK) run->range->status = status;
}

/* Evaluates two placed colliders by the query's kind and method. */
static void evaluate_placed_pair(api_range_run *run, const ct_placed pair[2],
                                 ct_pair_result *result, api_pair_answer *answer) {
  const api_query *q = &run->task->question;
  bool by_method = q->method.kind != API_METHOD_AUTO;
  const api_method_memory memory = {run->workspace, NULL};
  if (q->kind == API_KIND_OVERLAP) {
    answer->overlap =
        by_method
            ? api_ask_overlap(&q->method, pair, &memory, &result->point_a, &run->method_answer)
            : ct_pair_overlap(pair[0], pair[1], run->workspace, &result->point_a);
  } else {
    ct_pair_options options = {.tolerance = q->options.tolerance, .threshold = INFINITY};
    ct_pair_distance(pair[0], pair[1], &options, run->workspace, result);
    if (by_method)
      api_ask_method(&q->method, pair, q->options.tolerance, &memory, result, &run->method_answer);
  }
  if (!by_method) return;
  answer->method = &q->method;
  answer->by_method = &run->method_answer;
  answer->gradient = answer->gradient && run->method_answer.by != API_METHOD_MPR;
}

/* Runs a query of two given bodies with one collider each, without a scene. */
static void run_given_pair(api_range_run *run) {
  const api_query *q = &run->task->question;
  ct_collider collider[2];
  ct_frame frame[2];
  for (int i = 0; i < 2; i++) {
    collider[i] = ct_body_collider(q->bodies[i].body, 0);
    frame[i] = compute_collider_frame(q->bodies[i].pose, &collider[i]);
  }
  ct_pair_result result = {0};
  api_pair_answer answer = {.kind = q->kind,
                            .a = q->bodies[0].body,
                            .b = q->bodies[1].body,
                            .gradient = q->gradient,
                            .pose_a = q->bodies[0].pose,
                            .pose_b = q->bodies[1].pose,
                            .result = &result};
  ct_workspace_watch(run->workspace, run->plan->cancel);
  ct_workspace_out_of_memory(run->workspace); /* clears the state of earlier pairs */
  evaluate_placed_pair(
      run, (const ct_placed[2]){{&collider[0].shape, &frame[0]}, {&collider[1].shape, &frame[1]}},
      &result, &answer);
  ct_workspace_watch(run->workspace, NULL);
  run->range->memory = ct_workspace_out_of_memory(run->workspace);
  /* the evaluation may be incomplete */
  if (ct_cancel_raised(run->plan->cancel)) run->range->status = CT_CANCELLED;
  if (run->range->memory || run->range->status != CT_OK) return;
  api_put_pair_answer(&run->range->text, &answer);
  api_mark_result(run, (api_mark){.after = CT_NO_ROW});
}

void api_plan_run(api_plan *plan, size_t range, api_scratch *scratch) {
  api_task *task = api_plan_task(plan, range);
  size_t index = range - task->first;
  size_t begin = task->start + index * task->step;
  size_t end = task->items - begin > task->step ? begin + task->step : task->items;
  api_range_run run = {.plan = plan,
                       .task = task,
                       .range = &task->ranges[index],
                       .workspace = scratch->workspace,
                       .arena = scratch->arena,
                       .solved = &scratch->solved,
                       .scene = task->question.scene,
                       .centers = {{.row = CT_NO_ROW}, {.row = CT_NO_ROW}},
                       .options = &task->question.options};
  if (ct_cancel_raised(plan->cancel)) {
    run.range->status = CT_CANCELLED;
    return;
  }
  switch (task->question.mode) {
  case API_MODE_SCENE: run_scene_query(&run, begin, end); break;
  case API_MODE_VARIANTS: api_run_variants(&run, begin, end); break;
  case API_MODE_MASS: run_mass_properties(&run, begin, end); break;
  case API_MODE_PAIR: run_given_pair(&run); break;
  case API_MODE_BOXES: api_run_boxes(plan, task, run.range); break;
  case API_MODE_PROBE: run_probe_query(&run, begin, end); break;
  case API_MODE_MOTION: api_run_motion(&run, begin, end); break;
  case API_MODE_FORCE: api_run_force(&run, index); break;
  case API_MODE_STATE:
    api_run_crossings(&run, run.options->overrides, run.options->override_count);
    break;
  }
}
