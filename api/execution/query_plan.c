/* Builds plans: prepares the queries, estimates their cost, divides tasks into ranges, schedules
 * the ranges, and records their results. */
#include "execution/range_run.h"

#include <assert.h>
#include <stdlib.h>

#include "common/array.h"

/* Target duration of a range, ns: long compared with its scheduling, short compared with a
 * deadline. */
#define RANGE_NS 100000.0
/* Greatest number of ranges of a task. */
#define RANGES_MAX 4096
/* The ranges of a query share one prepared query as long as (rows of the scene) x (queries of the
 * batch) is below this. Beyond, each query is a single range that prepares the query itself, so
 * that memory does not grow with the batch. */
#define SHARED_ROWS_MAX 4000000
/* Complete ranges that follow an incomplete one may use 1 / AHEAD_SHARE of a request's memory. At
 * this limit no range is scheduled until the incomplete one completes. */
#define AHEAD_SHARE 4

/* ---- building plans ------------------------------------------------------------------------- */

api_plan *api_plan_create(const api_limits *limits, const ct_cancel *cancel, size_t task_count) {
  api_plan *plan = calloc(1, sizeof *plan);
  if (!plan) return NULL;
  plan->limits = limits;
  plan->cancel = cancel;
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

static ct_status divide_task(const api_plan *plan, api_task *task, bool shared) {
  api_query *q = &task->question;
  ct_status status = q->kind->plan(plan, task, shared);
  if (status != CT_OK) return status;
  assert(task->cost >= 0.0 && !task->ranges);
  /* Items before the start belong to earlier pages, unless each page repeats the query. */
  bool whole = api_runs_in_one_range(q) || q->mode == API_MODE_FORCE || q->mode == API_MODE_BOXES;
  uint64_t from = q->mode == API_MODE_VARIANTS ? q->from.variant : whole ? 0 : q->from.item;
  task->start = from < task->items ? (size_t)from : task->items;
  size_t left = task->items - task->start;
  /* One range per task if it prepares its own query. */
  bool alone = !shared && (q->mode == API_MODE_SCENE || q->mode == API_MODE_PROBE ||
                           q->mode == API_MODE_MOTION);
  /* Sparsification and `closest` compare pairs with each other. */
  if (q->mode == API_MODE_SCENE && (q->volume.sparsifies || q->evaluation.nearest)) alone = true;
  task->step = alone ? left : q->mode == API_MODE_FORCE ? 1 : choose_range_step(left, task->cost);
  if (q->mode == API_MODE_VARIANTS) task->step = choose_variants_step(q, task->step);
  assert(left == 0 || task->step > 0);
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

double api_plan_cost(const api_call *call) {
  const api_plan *plan = call->plan;
  double cost = 0.0;
  for (size_t t = 0; t < plan->task_count; t++) cost += plan->tasks[t].cost;
  return cost;
}

/* ---- results of a running range -------------------------------------------------------------- */

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
  assert(range->count <= range->capacity && !range->complete);
  assert(range->count == 0 || range->marks[range->count - 1].end <= range->text.length);
  if (!api_array_reserve(&range->marks, &range->capacity, range->count + 1, sizeof *range->marks)) {
    range->memory = true;
    return false;
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

bool api_range_open(const api_range_run *run) {
  const api_range *range = run->range;
  return range->status == CT_OK && !range->memory && range->count <= run->task->question.limit;
}

/* ---- scheduling and running ------------------------------------------------------------------ */

static long schedule_plan_range(api_plan *plan) {
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

static api_task *find_task(api_plan *plan, size_t range) {
  assert(range < plan->range_count);
  size_t low = 0, high = plan->task_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (plan->tasks[middle].first <= range) low = middle;
    else high = middle;
  }
  assert(range - plan->tasks[low].first < plan->tasks[low].range_count);
  return &plan->tasks[low];
}

static void run_plan_range(api_plan *plan, size_t range, api_scratch *scratch) {
  api_task *task = find_task(plan, range);
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
  assert(begin < end && end <= task->items);
  task->question.kind->run(&run, begin, end);
}

/* Marks a range complete and decides whether further ranges are needed: until the page is full and
 * one more result is known, or all if the total is counted, or until a range fails. Text beyond the
 * page is freed and not counted. */
static void complete_plan_range(api_plan *plan, size_t range) {
  api_task *task = find_task(plan, range);
  assert(plan->running > 0);
  assert(!task->ranges[range - task->first].complete);
  plan->running--;
  task->ranges[range - task->first].complete = true;
  plan->ahead_bytes += task->ranges[range - task->first].text.length;
  while (task->prefix < task->range_count && task->ranges[task->prefix].complete) {
    api_range *r = &task->ranges[task->prefix++];
    /* Extend the prefix of complete ranges; ranges beyond the page only count. */
    bool beyond = task->prefix_results > task->question.limit;
    task->prefix_results += r->count;
    task->prefix_candidates += r->statistics.candidates;
    assert(r->text.length <= plan->ahead_bytes);
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

/* ---- the plan as work of a call ------------------------------------------------------------- */

long api_plan_next(api_call *call) { return schedule_plan_range(call->plan); }

void api_plan_run(api_call *call, long range, api_scratch *scratch) {
  run_plan_range(call->plan, (size_t)range, scratch);
}

void api_plan_done(api_call *call, long range) { complete_plan_range(call->plan, (size_t)range); }

void api_plan_run_serially(api_call *call, api_scratch *scratch) {
  for (long range; (range = schedule_plan_range(call->plan)) >= 0;) {
    run_plan_range(call->plan, (size_t)range, scratch);
    complete_plan_range(call->plan, (size_t)range);
  }
}

void api_plan_free(api_call *call) { api_plan_destroy(call->plan); }
