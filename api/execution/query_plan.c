/* Builds plans: prepares the queries, estimates their cost, divides tasks into ranges, and
 * schedules the ranges. */
#include "execution/cost_estimate.h"
#include "execution/range_run.h"

#include <assert.h>
#include <stdlib.h>

/* Target duration of a range, ns: long compared with its scheduling, short compared with a
 * deadline. */
#define RANGE_NS 100000.0
/* Greatest number of ranges of a task. */
#define RANGES_MAX 4096
/* Greatest number of ranges over islands. */
#define FORCE_RANGES 256
/* Greatest number of explicit pairs sampled for their cost. */
#define PAIR_SAMPLES 32
/* Ranges share a prepared query while rows x queries of a batch stay below this. Beyond, each query
 * is one range that prepares itself, so that memory does not grow with the batch. */
#define SHARED_ROWS_MAX 4000000
/* Complete ranges beyond the prefix may use this share of a request's memory (1 / n). Then no range
 * is scheduled until the slow one before them completes. */
#define AHEAD_SHARE 4

/* ---- building plans ------------------------------------------------------------------------- */

api_plan *api_plan_create(const api_call *call, size_t task_count) {
  api_plan *plan = calloc(1, sizeof *plan);
  if (!plan) return NULL;
  plan->limits = &call->service->limits;
  plan->cancel = call->input.cancel;
  plan->tasks = calloc(task_count ? task_count : 1, sizeof *plan->tasks);
  plan->task_count = task_count;
  if (plan->tasks) return plan;
  free(plan);
  return NULL;
}

static void free_range(api_range *range) {
  api_buffer_free(&range->text);
  api_buffer_free(&range->frames);
  free(range->marks);
  free(range->variants);
  api_buffer_free(&range->removed);
  api_buffer_free(&range->sums);
}

void api_plan_destroy(api_plan *plan) {
  if (!plan) return;
  for (size_t t = 0; t < plan->task_count; t++) {
    api_task *task = &plan->tasks[t];
    for (size_t r = 0; task->ranges && r < task->range_count; r++) free_range(&task->ranges[r]);
    free(task->ranges);
    if (task->query) ct_query_destroy(task->query);
    ct_probe_destroy(task->probe);
    ct_motion_destroy(task->motion);
    ct_mechanics_destroy(task->mechanics);
    free(task->after);
    api_buffer_free(&task->problem);
    api_query_release(&task->question);
  }
  free(plan->tasks);
  if (plan->supposed) ct_scene_release(plan->supposed);
  free(plan);
}

/* Items per range for a duration of about RANGE_NS. */
static size_t choose_range_step(size_t items, double cost) {
  double each = items > 0 ? cost / (double)items : 0.0;
  double fit = each > 0.0 ? RANGE_NS / each : (double)items;
  size_t least = items / RANGES_MAX + 1;
  size_t step = fit < (double)least ? least : fit > (double)items ? items : (size_t)fit;
  return step > 0 ? step : 1;
}

/* Variants per range; whole blocks if state is reused between variants. */
static size_t choose_variants_step(const api_query *q, size_t step) {
  if (!api_reuses_planes(q) && !api_reuses_pair_lists(q)) return step;
  return (step + API_VARIANTS_BLOCK - 1) / API_VARIANTS_BLOCK * API_VARIANTS_BLOCK;
}

/* Estimates the cost of explicit pairs from a sample. */
static double estimate_pairs_cost(const api_query *q) {
  const ct_query_options *o = &q->options;
  size_t stride = o->pair_count / PAIR_SAMPLES + 1, seen = 0;
  double sum = 0.0;
  for (size_t k = 0; k < o->pair_count; k += stride, seen++)
    sum += ct_query_pair_cost(o->kind, ct_scene_body(q->scene, o->pairs[k].a),
                              ct_scene_body(q->scene, o->pairs[k].b));
  return seen ? sum / (double)seen * (double)o->pair_count : 0.0;
}

/* Prepares a pair query. Variants are prepared within ranges; their cost is estimated from the
 * query's scene, plus pairs that overlap only in a variant. */
static ct_status prepare_pairs(api_task *task, bool shared) {
  api_query *q = &task->question;
  size_t rows = ct_scene_rows(q->scene);
  task->items = q->mode == API_MODE_VARIANTS ? q->variant_count
                : q->options.explicit_pairs  ? q->options.pair_count
                                             : rows;
  if (!shared) {
    task->cost = q->options.explicit_pairs ? estimate_pairs_cost(q) : API_ROW_NS * (double)rows;
    return CT_OK;
  }
  ct_status status = ct_query_prepare(q->scene, &q->options, &task->query);
  if (status != CT_OK) return status;
  task->cost = ct_query_cost(task->query);
  task->broadphase = ct_query_broadphase(task->query);
  if (q->mode != API_MODE_VARIANTS) {
    task->items = ct_query_items(task->query);
    return CT_OK;
  }
  task->cost = (task->cost + api_estimate_variants_cost(q->options.kind, q->scene) +
                API_BOX_NS * (double)rows) *
                   (double)q->variant_count +
               API_ROW_NS * (double)rows * (double)q->own_scenes;
  ct_query_destroy(task->query);
  task->query = NULL;
  return CT_OK;
}

/* Prepares a probe. Without preparation, its items are those of the request, or all rows for a
 * region. */
static ct_status prepare_probe_task(api_task *task, bool shared) {
  const api_query *q = &task->question;
  size_t rows = ct_scene_rows(q->scene);
  task->items = q->probe.kind == CT_PROBE_REGION ? rows : q->probe.count;
  task->cost = API_ROW_NS * (double)(rows + task->items);
  if (!shared) return CT_OK;
  ct_status status = ct_probe_prepare(q->scene, &q->probe, &task->probe);
  if (status != CT_OK) return status;
  task->items = ct_probe_items(task->probe);
  task->cost = ct_probe_cost(task->probe);
  return CT_OK;
}

/* Estimates zero crossings; bodies apart in the scene may overlap in a variant. */
static ct_status prepare_crossings_task(api_task *task) {
  api_query *q = &task->question;
  task->items = q->mode == API_MODE_VARIANTS ? q->variant_count : 1;
  double each;
  ct_status status = api_estimate_contacts_cost(q->scene, q->crossings.state, &q->options, &each);
  if (status != CT_OK) return status;
  if (q->mode == API_MODE_VARIANTS) each += api_estimate_variants_cost(q->options.kind, q->scene);
  task->cost = each * (double)task->items;
  return CT_OK;
}

bool api_runs_in_one_range(const api_query *q) {
  return q->mode == API_MODE_MOTION && (q->motions.options.timeline || q->motions.options.earliest);
}

/* Prepares a motion query. Without preparation, its items are the explicit pairs, or the
 * maximum. */
static ct_status prepare_motion_task(const api_plan *plan, api_task *task, bool shared) {
  const api_query *q = &task->question;
  bool whole = api_runs_in_one_range(q);
  task->items = whole ? 1 : q->options.explicit_pairs ? q->options.pair_count : CT_PAIRS_MAX;
  task->cost = API_ROW_NS * (double)ct_scene_rows(q->scene);
  if (!shared) return CT_OK;
  ct_status status = ct_motion_prepare(q->scene, &q->motions.options, &task->motion);
  if (status != CT_OK) return status;
  if (ct_motion_candidates(task->motion) > plan->limits->pairs) return CT_PAIR_LIMIT;
  if (!whole) task->items = ct_motion_items(task->motion);
  task->cost = ct_motion_cost(task->motion);
  return CT_OK;
}

/* Divides a force query. The first range finds contacts and islands; the others share the islands,
 * of which there are at most as many as rows. */
static ct_status prepare_force_task(api_task *task, bool shared) {
  const api_query *q = &task->question;
  const ct_mechanics_options *o = &q->force.mechanics;
  size_t rows = ct_scene_rows(q->scene);
  task->items = 1;
  /* The elastic law costs little compared with the search for contacts. */
  if (shared && q->kind != API_KIND_COMPLIANT_FORCES)
    task->items += rows < FORCE_RANGES ? rows : FORCE_RANGES;
  task->cost = API_ISLAND_NS * (double)(rows + o->given_count);
  if (o->only_given) return CT_OK;
  double finding;
  ct_query_options contact_query = q->options;
  contact_query.kind = CT_QUERY_CONTACTS;
  contact_query.clearance = o->contact_tolerance;
  ct_status status = api_estimate_contacts_cost(q->scene, NULL, &contact_query, &finding);
  task->cost += finding;
  return status;
}

static ct_status divide_task(const api_plan *plan, api_task *task, bool shared) {
  api_query *q = &task->question;
  ct_status status = CT_OK;
  if (q->kind == API_KIND_OVERLAP && q->method.kind != API_METHOD_AUTO)
    q->options.overlap_test = api_overlap_by_method;
  switch (q->mode) {
  case API_MODE_SCENE:
  case API_MODE_VARIANTS:
    status = q->kind == API_KIND_ZERO_CROSSINGS ? prepare_crossings_task(task)
                                                : prepare_pairs(task, shared);
    break;
  case API_MODE_STATE: status = prepare_crossings_task(task); break;
  case API_MODE_PROBE: status = prepare_probe_task(task, shared); break;
  case API_MODE_MOTION: status = prepare_motion_task(plan, task, shared); break;
  case API_MODE_FORCE: status = prepare_force_task(task, shared); break;
  case API_MODE_MASS:
    task->items = q->scene ? q->row_count : q->body_count;
    task->cost = (q->put_hulls ? API_HULLS_NS : API_MASS_NS) * (double)task->items;
    break;
  case API_MODE_PAIR:
    task->items = 1;
    task->cost =
        ct_query_pair_cost(q->kind == API_KIND_OVERLAP ? CT_QUERY_OVERLAP : CT_QUERY_DISTANCE,
                           q->bodies[0].body, q->bodies[1].body);
    break;
  case API_MODE_BOXES:
    task->items = 1;
    task->cost = API_BOX_NS * (double)q->box_count * (double)(1 + q->frame_count);
    break;
  }
  if (status != CT_OK) return status;
  /* Items before the start belong to earlier pages, unless each page repeats the query. */
  bool whole = api_runs_in_one_range(q) || q->mode == API_MODE_FORCE || q->mode == API_MODE_BOXES;
  uint64_t from = q->mode == API_MODE_VARIANTS ? q->from.variant : whole ? 0 : q->from.item;
  task->start = from < task->items ? (size_t)from : task->items;
  size_t left = task->items - task->start;
  /* One range per task if it prepares its own query. */
  bool alone = !shared && (q->mode == API_MODE_SCENE || q->mode == API_MODE_PROBE ||
                           q->mode == API_MODE_MOTION);
  /* Sparsification and `closest` compare pairs with each other. */
  if (q->mode == API_MODE_SCENE && (q->options.sparsify || q->options.nearest)) alone = true;
  task->step = alone ? left : q->mode == API_MODE_FORCE ? 1 : choose_range_step(left, task->cost);
  if (q->mode == API_MODE_VARIANTS) task->step = choose_variants_step(q, task->step);
  task->range_count = left > 0 ? (left - 1) / task->step + 1 : 0;
  task->ranges = calloc(task->range_count ? task->range_count : 1, sizeof *task->ranges);
  return task->ranges ? CT_OK : CT_OUT_OF_MEMORY;
}

bool api_plan_cut(api_plan *plan, api_faults *faults) {
  size_t rows = 0;
  for (size_t t = 0; t < plan->task_count; t++)
    if (plan->tasks[t].question.scene) rows += ct_scene_rows(plan->tasks[t].question.scene);
  bool shared = plan->task_count == 1 || rows <= SHARED_ROWS_MAX;
  for (size_t t = 0; t < plan->task_count; t++) {
    api_task *task = &plan->tasks[t];
    task->first = plan->range_count;
    if (task->status != 0) continue;
    ct_status status = divide_task(plan, task, shared);
    if (status == CT_CANCELLED) api_fault_cancelled(faults);
    else if (status == CT_PAIR_LIMIT) api_pair_fault(plan, task, faults);
    else if (status != CT_OK) api_fault_memory(faults);
    if (status != CT_OK) return false;
    plan->range_count += task->range_count;
  }
  return true;
}

double api_plan_cost(const api_plan *plan) {
  double cost = 0.0;
  for (size_t t = 0; t < plan->task_count; t++) cost += plan->tasks[t].cost;
  return cost;
}

/* ---- scheduling ----------------------------------------------------------------------------- */

long api_plan_next(api_plan *plan) {
  while (plan->current < plan->task_count) {
    api_task *task = &plan->tasks[plan->current];
    if (task->enough || task->next >= task->range_count) {
      plan->current++;
      continue;
    }
    if (plan->running > 0 && plan->ahead_bytes > plan->limits->request_memory_bytes / AHEAD_SHARE)
      return -1;
    /* Islands exist once the first range is complete. */
    if (task->question.mode == API_MODE_FORCE && task->next > 0 && task->prefix == 0) return -1;
    plan->running++;
    task->ranges[task->next].counts_only = task->prefix_results > task->question.limit;
    return (long)(task->first + task->next++);
  }
  return -1;
}

api_task *api_plan_task(api_plan *plan, size_t range) {
  size_t low = 0, high = plan->task_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (plan->tasks[middle].first <= range) low = middle;
    else high = middle;
  }
  return &plan->tasks[low];
}

/* Marks a range complete and decides whether further ranges are needed: until the page is full and
 * one more result is known, or all if the total is counted, or until a range fails. Text beyond the
 * page is freed and not counted. */
void api_plan_done(api_plan *plan, size_t range) {
  api_task *task = api_plan_task(plan, range);
  assert(plan->running > 0);
  plan->running--;
  task->ranges[range - task->first].complete = true;
  plan->ahead_bytes += task->ranges[range - task->first].text.length;
  while (task->prefix < task->range_count && task->ranges[task->prefix].complete) {
    api_range *r = &task->ranges[task->prefix++];
    /* Extend the prefix of complete ranges; ranges beyond the page only count. */
    bool beyond = task->prefix_results > task->question.limit;
    task->prefix_results += r->count;
    task->prefix_candidates += r->statistics.candidates;
    plan->ahead_bytes -= r->text.length;
    if (beyond) api_buffer_free(&r->text);
    else
      task->prefix_bytes += r->text.length + r->frames.length + r->removed.length + r->sums.length;
    bool pairs =
        task->question.mode == API_MODE_SCENE && task->prefix_candidates > plan->limits->pairs;
    bool full = task->prefix_results > task->question.limit;
    /* The range that fills the page has text beyond the page, which does not count. */
    bool large = !full && task->prefix_bytes > plan->limits->request_memory_bytes;
    bool last = full && !api_needs_total(&task->question);
    if (r->status != CT_OK || r->memory || pairs || large || last) task->enough = true;
  }
}

void api_plan_complete(api_plan *plan) {
  api_scratch *scratch = NULL;
  for (long range = api_plan_next(plan); range >= 0; range = api_plan_next(plan)) {
    if (!scratch) scratch = api_scratch_create();
    if (scratch) api_plan_run(plan, (size_t)range, scratch);
    else
      api_plan_task(plan, (size_t)range)
          ->ranges[(size_t)range - api_plan_task(plan, (size_t)range)->first]
          .memory = true;
    api_plan_done(plan, (size_t)range);
  }
  api_scratch_destroy(scratch);
}
