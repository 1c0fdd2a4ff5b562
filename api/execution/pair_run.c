/* Runs queries about pairs of bodies: in a scene, of two given bodies, or of raw boxes. Evaluates
 * the pairs with the engine and writes their results. */
#include "execution/pair_run.h"

#include <assert.h>

#include "execution/boxes_run.h"
#include "execution/cost_estimate.h"
#include "execution/variant_summary.h"
#include "queries/motion_path_json.h"

/* Greatest number of explicit pairs sampled for their cost. */
#define PAIR_SAMPLES 32

/* Pose of the body in a row of the scene, in the current query: its overriding pose, else the
 * scene's. */
static ct_pose find_row_pose(const api_range_run *run, uint32_t row) {
  const ct_query_options *o = run->options;
  return ct_override_pose(run->scene, o->overrides, o->override_count, row);
}

/* The centre of mass in the body frame. */
static ct_vec3 find_center(api_range_run *run, int side, uint32_t row, const ct_body *body) {
  assert(side == 0 || side == 1);
  api_center *known = &run->centers[side];
  if (known->row != row) *known = (api_center){row, api_motion_center(body)};
  return known->center;
}

static ct_velocity find_velocity(const api_range_run *run, uint32_t row) {
  const api_query *q = &run->task->question;
  const api_velocities *lists[] = {run->velocities, &q->velocities[0], &q->velocities[1]};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    const ct_velocity *given = lists[i] ? api_velocity_of(lists[i], row) : NULL;
    if (given) return *given;
  }
  return ct_scene_velocity(run->scene, row);
}

static void set_moving_body(api_range_run *run, int side, uint32_t row, ct_mass_body *out) {
  const ct_scene *scene = run->scene;
  const ct_body *body = ct_scene_body(scene, row);
  *out = (ct_mass_body){.mobility = CT_FIXED};
  if (!ct_body_motion(body)) return;
  ct_pose pose = find_row_pose(run, row);
  out->mobility = CT_KINEMATIC; /* forces do not matter here */
  out->center = ct_to_parent(ct_frame_of(pose), find_center(run, side, row, body));
  out->velocity = find_velocity(run, row);
}

/* Sets the moving bodies of a hit and the tolerance. A velocity is the variant's, else the query's
 * poses', else the scene's. */
static void find_contact_velocity(api_range_run *run, const api_pair_hit *hit,
                                  api_contact_velocity *out) {
  set_moving_body(run, 0, hit->a, &out->bodies[0]);
  set_moving_body(run, 1, hit->b, &out->bodies[1]);
  out->tolerance = run->task->question.force.velocity_tolerance;
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
  assert(!cache || run->caches);
  if (cache) api_plane_caches_count(run->caches, cache);
}

/* Evaluates the hit's pair of colliders by the query's method. */
static void query_pair_by_method(api_range_run *run, const api_pair_hit *hit,
                                 ct_pair_result *result) {
  const api_query *q = &run->task->question;
  const ct_collider a = ct_body_collider(ct_scene_body(run->scene, hit->a), hit->collider_a);
  const ct_collider b = ct_body_collider(ct_scene_body(run->scene, hit->b), hit->collider_b);
  const ct_frame frame_a = compute_collider_frame(find_row_pose(run, hit->a), &a),
                 frame_b = compute_collider_frame(find_row_pose(run, hit->b), &b);
  const ct_placed pair[2] = {{&a.shape, &frame_a}, {&b.shape, &frame_b}};
  const ct_collider_pair which = {hit->a, hit->b, hit->collider_a, hit->collider_b};
  const api_method_memory memory = find_method_memory(run, &which, pair);
  api_apply_method(&q->method, pair, q->evaluation.tolerance, &memory, result, &run->method_answer);
  count_plane_use(run, memory.cache);
}

bool api_overlap_by_method(void *context, const ct_collider_pair *which, ct_placed a, ct_placed b,
                           ct_workspace *workspace, ct_vec3 *witness) {
  api_range_run *run = context;
  const ct_placed pair[2] = {a, b};
  api_method_memory memory = find_method_memory(run, which, pair);
  memory.workspace = workspace;
  bool overlap =
      api_test_overlap(&run->task->question.method, pair, &memory, witness, &run->method_answer);
  count_plane_use(run, memory.cache);
  return overlap;
}

/* True if the method's last result belongs to this hit. For separated compounds it tested several
 * pairs. */
static bool is_method_result_of(const api_pair_hit *hit, const ct_body *a, const ct_body *b) {
  return hit->overlap || (ct_body_collider_count(a) == 1 && ct_body_collider_count(b) == 1);
}

/* Adds the answer of the query's method. */
static void set_method_answer(api_range_run *run, api_pair_answer *answer) {
  answer->method = &run->task->question.method;
  answer->by_method = &run->method_answer;
}

void api_add_distance_method(api_range_run *run, const api_pair_hit *hit, ct_pair_result *own,
                             api_pair_answer *answer) {
  *own = *hit->result;
  query_pair_by_method(run, hit, own);
  answer->result = own;
  answer->gradient = answer->gradient && run->method_answer.by != API_METHOD_MPR;
  set_method_answer(run, answer);
}

void api_add_overlap_method(api_range_run *run, const api_pair_hit *hit, ct_pair_result *own,
                            api_pair_answer *answer) {
  (void)own;
  if (is_method_result_of(hit, answer->a, answer->b)) set_method_answer(run, answer);
}

/* Writes the sums of the hit's collider pair beside the results, once per page. */
static void write_pair_sums(api_range_run *run, const ct_volume_hit *hit) {
  const ct_collider_pair *last = &run->summed,
                         pair = {hit->a, hit->b, hit->collider_a, hit->collider_b};
  bool known = run->has_summed && last->a == pair.a && last->b == pair.b &&
               last->collider_a == pair.collider_a && last->collider_b == pair.collider_b;
  if (!hit->total || (known && run->summed_item == hit->position.item)) return;
  const ct_scene *scene = run->scene;
  api_buffer *text = &run->range->sums;
  run->summed = pair;
  run->summed_item = hit->position.item;
  run->has_summed = true;
  api_put_item(text);
  api_put_volume_sums(text, ct_scene_body(scene, hit->a), ct_scene_body(scene, hit->b), hit);
  run->range->memory = run->range->memory || text->failed;
}

/* Writes a volume contact. Removed contacts are listed beside the results and do not count for the
 * page. */
static bool write_volume_hit(void *context, const ct_volume_hit *hit) {
  api_range_run *run = context;
  const api_query *q = &run->task->question;
  api_range *range = run->range;
  bool removed = hit->sparsified != CT_KEPT;
  if (run->summary) return removed || api_summarize_hit(run, NULL);
  if (api_range_is_full(run)) return removed || api_count_result(run);
  const ct_body *a = ct_scene_body(run->scene, hit->a), *b = ct_scene_body(run->scene, hit->b);
  api_buffer *text = removed ? &range->removed : &range->text;
  api_put_item(text);
  if (removed) api_put_removed(text, a, b, hit);
  else api_put_volume_answer(text, a, b, hit);
  write_pair_sums(run, hit);
  if (!removed)
    return api_mark_result(run, (api_mark){.candidates = hit->position.candidates,
                                           .item = (uint32_t)hit->position.item,
                                           .after = q->options.explicit_pairs ? CT_NO_ROW : hit->b,
                                           .part = hit->position.part});
  range->memory = range->memory || text->failed;
  if (text->length > run->plan->limits->request_memory_bytes) range->status = CT_LIMIT;
  return !range->memory && range->status == CT_OK;
}

/* True if a previous page or range has reported the hit. */
static bool was_reported(const api_range_run *run, const api_pair_hit *hit) {
  const api_cursor *from = &run->task->question.from;
  if (run->silent) return true;
  return run->skips &&
         (hit->position.item < from->item ||
          (hit->position.item == from->item && from->after != CT_NO_ROW && hit->b <= from->after));
}

static bool write_pair_hit(api_range_run *run, const api_pair_hit *hit) {
  const api_query *q = &run->task->question;
  const api_pair_operations *kind = q->kind->pair;
  if (q->mode == API_MODE_SCENE && api_range_is_full(run)) return api_count_result(run);
  bool given = q->options.explicit_pairs;
  api_pair_answer answer = {.a = ct_scene_body(run->scene, hit->a),
                            .b = ct_scene_body(run->scene, hit->b),
                            .collider_a = hit->collider_a,
                            .collider_b = hit->collider_b,
                            .explicit_pair = given,
                            .overlap = hit->overlap,
                            .gradient = q->gradient,
                            .result = hit->result};
  assert(answer.a && answer.b && kind->put_answer);
  if (hit->contacts) {
    answer.points = hit->contacts->points;
    answer.point_count = hit->contacts->point_count;
  }
  if (hit->feature) {
    answer.feature = hit->feature->feature;
    answer.features_status = hit->feature->status;
  }
  if (kind->uses_poses) {
    answer.pose_a = find_row_pose(run, hit->a);
    answer.pose_b = find_row_pose(run, hit->b);
  }
  ct_pair_result own;
  assert(q->method.kind == API_METHOD_AUTO || kind->add_method);
  if (q->method.kind != API_METHOD_AUTO) kind->add_method(run, hit, &own, &answer);
  api_contact_velocity motion;
  if (q->put_velocity) {
    find_contact_velocity(run, hit, &motion);
    answer.motion = &motion;
  }
  if (was_reported(run, hit)) return true;
  api_put_item(&run->range->text);
  kind->put_answer(&run->range->text, &answer);
  return api_mark_result(run, (api_mark){.candidates = hit->position.candidates,
                                         .item = (uint32_t)hit->position.item,
                                         .after = given ? CT_NO_ROW : hit->b,
                                         .part = kind->in_parts ? hit->position.part : 0});
}

/* ---- the engine's query of each kind ------------------------------------------------------- */

static bool write_box_pair(void *context, const ct_pair_hit *hit) {
  api_range_run *run = context;
  if (run->summary) return api_summarize_hit(run, NULL);
  return write_pair_hit(
      run, &(api_pair_hit){
               .a = hit->a, .b = hit->b, .overlap = hit->overlap, .position = hit->position});
}

static bool write_overlap(void *context, const ct_overlap_hit *hit) {
  api_range_run *run = context;
  if (run->summary) return api_summarize_hit(run, NULL);
  return write_pair_hit(run, &(api_pair_hit){.a = hit->a,
                                             .b = hit->b,
                                             .collider_a = hit->collider_a,
                                             .collider_b = hit->collider_b,
                                             .overlap = hit->overlap,
                                             .result = &hit->result,
                                             .position = hit->position});
}

static bool write_distance(void *context, const ct_distance_hit *hit) {
  api_range_run *run = context;
  if (run->summary) return api_summarize_hit(run, hit);
  return write_pair_hit(run, &(api_pair_hit){.a = hit->a,
                                             .b = hit->b,
                                             .collider_a = hit->collider_a,
                                             .collider_b = hit->collider_b,
                                             .overlap = hit->overlap,
                                             .result = &hit->result,
                                             .position = hit->position});
}

static bool write_contacts(void *context, const ct_contacts_hit *hit) {
  api_range_run *run = context;
  if (run->summary) return api_summarize_hit(run, NULL);
  return write_pair_hit(run, &(api_pair_hit){.a = hit->a,
                                             .b = hit->b,
                                             .collider_a = hit->collider_a,
                                             .collider_b = hit->collider_b,
                                             .overlap = hit->overlap,
                                             .result = &hit->result,
                                             .contacts = hit,
                                             .position = hit->position});
}

static bool write_feature(void *context, const ct_feature_hit *hit) {
  api_range_run *run = context;
  if (run->summary) return api_summarize_hit(run, NULL);
  return write_pair_hit(run, &(api_pair_hit){.a = hit->a,
                                             .b = hit->b,
                                             .collider_a = hit->collider_a,
                                             .collider_b = hit->collider_b,
                                             .feature = hit,
                                             .position = hit->position});
}

ct_status api_prepare_pairs(const api_query *q, const ct_scene *scene,
                            const ct_query_options *options, ct_query_frames *frames,
                            ct_query **out) {
  (void)q;
  return ct_query_prepare_pairs(scene, options, frames, out);
}

ct_status api_run_pairs_items(api_range_run *run, const ct_query *query,
                              const ct_query_range *items) {
  return ct_query_run_pairs(query, items, write_box_pair, run, &run->range->statistics);
}

ct_status api_prepare_overlaps(const api_query *q, const ct_scene *scene,
                               const ct_query_options *options, ct_query_frames *frames,
                               ct_query **out) {
  assert(!frames);
  (void)frames;
  return ct_query_prepare_overlaps(
      scene, options,
      &(ct_query_overlap_options){q->evaluation.tolerance, q->evaluation.overlap_test}, out);
}

ct_status api_run_overlaps_items(api_range_run *run, const ct_query *query,
                                 const ct_query_range *items) {
  return ct_query_run_overlaps(query, items, run->workspace, write_overlap, run,
                               &run->range->statistics);
}

ct_status api_prepare_distances(const api_query *q, const ct_scene *scene,
                                const ct_query_options *options, ct_query_frames *frames,
                                ct_query **out) {
  assert(!frames);
  (void)frames;
  return ct_query_prepare_distances(
      scene, options, &(ct_query_distance_options){q->evaluation.tolerance, q->evaluation.nearest},
      out);
}

ct_status api_run_distances_items(api_range_run *run, const ct_query *query,
                                  const ct_query_range *items) {
  return ct_query_run_distances(query, items, run->workspace, write_distance, run,
                                &run->range->statistics);
}

ct_status api_prepare_contacts(const api_query *q, const ct_scene *scene,
                               const ct_query_options *options, ct_query_frames *frames,
                               ct_query **out) {
  assert(!frames);
  (void)frames;
  return ct_query_prepare_contacts(
      scene, options, &(ct_query_contacts_options){q->evaluation.tolerance, q->evaluation.detail},
      out);
}

ct_status api_run_contacts_items(api_range_run *run, const ct_query *query,
                                 const ct_query_range *items) {
  return ct_query_run_contacts(query, items, run->workspace, write_contacts, run,
                               &run->range->statistics);
}

ct_status api_prepare_volumes(const api_query *q, const ct_scene *scene,
                              const ct_query_options *options, ct_query_frames *frames,
                              ct_query **out) {
  assert(!frames);
  (void)frames;
  return ct_query_prepare_volumes(scene, options,
                                  &(ct_query_volume_options){q->volume.options,
                                                             q->evaluation.tolerance,
                                                             api_volume_sparsification(&q->volume)},
                                  out);
}

ct_status api_run_volumes_items(api_range_run *run, const ct_query *query,
                                const ct_query_range *items) {
  return ct_query_run_volumes(query, items, run->workspace, write_volume_hit, run,
                              &run->range->statistics);
}

ct_status api_prepare_features(const api_query *q, const ct_scene *scene,
                               const ct_query_options *options, ct_query_frames *frames,
                               ct_query **out) {
  assert(!frames);
  (void)frames;
  return ct_query_prepare_features(scene, options, &q->evaluation.features, out);
}

ct_status api_run_features_items(api_range_run *run, const ct_query *query,
                                 const ct_query_range *items) {
  return ct_query_run_features(query, items, run->workspace, write_feature, run,
                               &run->range->statistics);
}

void api_run_items(api_range_run *run, const ct_query *query, const ct_query_range *items) {
  ct_status status = run->task->question.kind->pair->run_items(run, query, items);
  if (status != CT_OK) run->range->status = status;
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
  ct_status status = q->kind->pair->prepare(q, q->scene, &q->options, NULL, &own);
  if (status != CT_OK) {
    run->range->status = status;
    return;
  }
  /* Only a task with a single range reaches this line. */
  assert(task->range_count == 1);
  task->broadphase = ct_query_broadphase(own);
  items.end = ct_query_items(own);
  api_run_items(run, own, &items);
  ct_query_destroy(own);
}

void api_evaluate_overlap(api_range_run *run, const ct_placed pair[2], ct_pair_result *result,
                          api_pair_answer *answer) {
  const api_method *method = &run->task->question.method;
  const api_method_memory memory = {run->workspace, NULL};
  if (method->kind == API_METHOD_AUTO) {
    answer->overlap = ct_pair_overlap(pair[0], pair[1], run->workspace, &result->point_a);
    return;
  }
  answer->overlap = api_test_overlap(method, pair, &memory, &result->point_a, &run->method_answer);
  set_method_answer(run, answer);
}

void api_evaluate_distance(api_range_run *run, const ct_placed pair[2], ct_pair_result *result,
                           api_pair_answer *answer) {
  const api_query *q = &run->task->question;
  const api_method_memory memory = {run->workspace, NULL};
  ct_pair_options options = {.tolerance = q->evaluation.tolerance, .threshold = INFINITY};
  ct_pair_distance(pair[0], pair[1], &options, run->workspace, result);
  if (q->method.kind == API_METHOD_AUTO) return;
  api_apply_method(&q->method, pair, q->evaluation.tolerance, &memory, result, &run->method_answer);
  answer->gradient = answer->gradient && run->method_answer.by != API_METHOD_MPR;
  set_method_answer(run, answer);
}

/* Runs a query of two given bodies with one collider each, without a scene. */
static void run_given_pair(api_range_run *run) {
  const api_query *q = &run->task->question;
  const ct_collider collider[2] = {ct_body_collider(q->bodies[0].body, 0),
                                   ct_body_collider(q->bodies[1].body, 0)};
  const ct_frame frame[2] = {compute_collider_frame(q->bodies[0].pose, &collider[0]),
                             compute_collider_frame(q->bodies[1].pose, &collider[1])};
  ct_pair_result result = {0};
  api_pair_answer answer = {.a = q->bodies[0].body,
                            .b = q->bodies[1].body,
                            .gradient = q->gradient,
                            .pose_a = q->bodies[0].pose,
                            .pose_b = q->bodies[1].pose,
                            .result = &result};
  ct_workspace_watch(run->workspace, run->plan->cancel);
  ct_workspace_out_of_memory(run->workspace); /* clears the state of earlier pairs */
  const ct_placed pair[2] = {{&collider[0].shape, &frame[0]}, {&collider[1].shape, &frame[1]}};
  q->kind->pair->evaluate(run, pair, &result, &answer);
  ct_workspace_watch(run->workspace, NULL);
  run->range->memory = ct_workspace_out_of_memory(run->workspace);
  /* the evaluation may be incomplete */
  if (ct_cancel_raised(run->plan->cancel)) run->range->status = CT_CANCELLED;
  if (run->range->memory || run->range->status != CT_OK) return;
  q->kind->pair->put_answer(&run->range->text, &answer);
  api_mark_result(run, (api_mark){.after = CT_NO_ROW});
}

/* ---- the work of pair queries --------------------------------------------------------------- */

/* Estimates the cost of explicit pairs from a sample. */
static double estimate_pairs_cost(const api_query *q) {
  const ct_query_options *o = &q->options;
  size_t stride = o->pair_count / PAIR_SAMPLES + 1, seen = 0;
  double sum = 0.0;
  for (size_t k = 0; k < o->pair_count; k += stride, seen++)
    sum += ct_query_pair_cost(q->kind->pair->engine, ct_scene_body(q->scene, o->pairs[k].a),
                              ct_scene_body(q->scene, o->pairs[k].b));
  return seen ? sum / (double)seen * (double)o->pair_count : 0.0;
}

/* Prepares a pair query of a scene. Variants are prepared within ranges; their cost is estimated
 * from the query's scene, plus pairs that overlap only in a variant. */
static ct_status plan_scene_pairs(api_task *task, bool shared) {
  api_query *q = &task->question;
  size_t rows = ct_scene_rows(q->scene);
  task->items = q->mode == API_MODE_VARIANTS ? q->variant_count
                : q->options.explicit_pairs  ? q->options.pair_count
                                             : rows;
  if (!shared) {
    task->cost = q->options.explicit_pairs ? estimate_pairs_cost(q) : API_ROW_NS * (double)rows;
    return CT_OK;
  }
  ct_status status = q->kind->pair->prepare(q, q->scene, &q->options, NULL, &task->query);
  if (status != CT_OK) return status;
  task->cost = ct_query_cost(task->query);
  task->broadphase = ct_query_broadphase(task->query);
  if (q->mode != API_MODE_VARIANTS) {
    task->items = ct_query_items(task->query);
    return CT_OK;
  }
  task->cost = (task->cost + api_estimate_variants_cost(q->kind->pair->engine, q->scene) +
                API_BOX_NS * (double)rows) *
                   (double)q->variant_count +
               API_ROW_NS * (double)rows * (double)q->own_scenes;
  ct_query_destroy(task->query);
  task->query = NULL;
  return CT_OK;
}

ct_status api_plan_pairs(const api_plan *plan, api_task *task, bool shared) {
  const api_query *q = &task->question;
  (void)plan;
  task->items = 1;
  switch (q->mode) {
  case API_MODE_PAIR:
    task->cost = ct_query_pair_cost(q->kind->pair->engine, q->bodies[0].body, q->bodies[1].body);
    return CT_OK;
  case API_MODE_BOXES:
    task->cost = API_BOX_NS * (double)q->box_count * (double)(1 + q->frame_count);
    return CT_OK;
  default: return plan_scene_pairs(task, shared);
  }
}

void api_run_pairs(api_range_run *run, size_t begin, size_t end) {
  switch (run->task->question.mode) {
  case API_MODE_PAIR: run_given_pair(run); break;
  case API_MODE_BOXES: api_run_boxes(run->plan, run->task, run->range); break;
  default: run_scene_query(run, begin, end);
  }
}
