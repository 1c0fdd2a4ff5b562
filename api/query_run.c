/* Handing out and running ranges, and the page that complete ranges make. */
#include "query_run.h"

#include <stdlib.h>
#include <string.h>

#include "probe_json.h"
#include "result_json.h"

/* A range is to take about this long, ns: long against handing it out, short against a deadline's grain. */
#define RANGE_NS 100000.0
/* Ranges of one task at most. */
#define RANGES_MAX 4096
/* Rough costs, ns: mass properties of a body, a pair of simple bodies, a box (with its share of a tree). */
#define MASS_NS 500.0
#define PAIR_NS 2000.0
#define BOX_NS 500.0
/* Explicit pairs looked at for their cost. */
#define PAIR_SAMPLES 32
/* A body of a scene in a question that is not prepared yet. */
#define ROW_NS 10000.0
/* A batch's questions share their preparation among ranges only while rows x questions stay below this; beyond, each question is
 * one range that prepares itself, so that memory does not grow with the batch. */
#define SHARED_ROWS_MAX 4000000
/* Pairs of boxes written between two looks at the cancel flag: some 100 us. */
#define PAIRS_PER_POLL 4096
/* Complete ranges beyond a prefix may hold this share of a request's memory (1 / n) before no more are handed out: a slow first
 * range must not make the rest fill it. */
#define AHEAD_SHARE 4

/* ---- making a plan --------------------------------------------------------------------------------------------------- */

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

static void range_free(api_range *range) {
  api_buffer_free(&range->text);
  free(range->marks);
  free(range->variant_counts);
}

void api_plan_destroy(api_plan *plan) {
  if (!plan) return;
  for (size_t t = 0; t < plan->task_count; t++) {
    api_task *task = &plan->tasks[t];
    for (size_t r = 0; task->ranges && r < task->range_count; r++) range_free(&task->ranges[r]);
    free(task->ranges);
    if (task->query) ct_query_destroy(task->query);
    ct_probe_destroy(task->probe);
    api_buffer_free(&task->problem);
    api_question_release(&task->question);
  }
  free(plan->tasks);
  free(plan);
}

/* Items per range such that a range takes about RANGE_NS. */
static size_t step_for(size_t items, double cost) {
  double each = items > 0 ? cost / (double)items : 0.0;
  double fit = each > 0.0 ? RANGE_NS / each : (double)items;
  size_t least = items / RANGES_MAX + 1;
  size_t step = fit < (double)least ? least : fit > (double)items ? items : (size_t)fit;
  return step > 0 ? step : 1;
}

/* Cost of the explicit pairs, from some of them. */
static double pairs_cost(const api_question *q) {
  const ct_query_options *o = &q->options;
  size_t stride = o->pair_count / PAIR_SAMPLES + 1, seen = 0;
  double sum = 0.0;
  for (size_t k = 0; k < o->pair_count; k += stride, seen++)
    sum += ct_query_pair_cost(o->kind, ct_scene_body(q->scene, o->pairs[k].a), ct_scene_body(q->scene, o->pairs[k].b));
  return seen ? sum / (double)seen * (double)o->pair_count : 0.0;
}

/* Variants are prepared one by one within ranges; the bare scene's query tells their cost. */
static ct_status prepare(api_task *task, bool shared) {
  api_question *q = &task->question;
  size_t rows = ct_scene_rows(q->scene);
  task->items = q->mode == API_MODE_VARIANTS ? q->variant_count : q->options.explicit_pairs ? q->options.pair_count : rows;
  if (!shared) {
    task->cost = q->options.explicit_pairs ? pairs_cost(q) : ROW_NS * (double)rows;
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
  task->cost = (task->cost + BOX_NS * (double)rows) * (double)q->variant_count;
  ct_query_destroy(task->query);
  task->query = NULL;
  return CT_OK;
}

/* Until a probe is prepared, its items are what the request names, or as many as the region may reach. */
static ct_status prepare_probe(api_task *task, bool shared) {
  const api_question *q = &task->question;
  size_t rows = ct_scene_rows(q->scene);
  task->items = q->probe.kind == CT_PROBE_REGION ? rows : q->probe.count;
  task->cost = ROW_NS * (double)(rows + task->items);
  if (!shared) return CT_OK;
  ct_status status = ct_probe_prepare(q->scene, &q->probe, &task->probe);
  if (status != CT_OK) return status;
  task->items = ct_probe_items(task->probe);
  task->cost = ct_probe_cost(task->probe);
  return CT_OK;
}

static ct_status cut_task(api_task *task, bool shared) {
  api_question *q = &task->question;
  ct_status status = CT_OK;
  switch (q->mode) {
  case API_MODE_SCENE:
  case API_MODE_VARIANTS: status = prepare(task, shared); break;
  case API_MODE_PROBE: status = prepare_probe(task, shared); break;
  case API_MODE_MASS:
    task->items = q->scene ? q->row_count : q->body_count;
    task->cost = MASS_NS * (double)task->items;
    break;
  case API_MODE_PAIR:
    task->items = 1;
    task->cost = PAIR_NS;
    break;
  case API_MODE_BOXES:
    task->items = 1;
    task->cost = BOX_NS * (double)q->box_count;
    break;
  }
  if (status != CT_OK) return status;
  uint64_t from = q->mode == API_MODE_VARIANTS ? q->from.variant : q->from.item;
  task->start = from < task->items ? (size_t)from : task->items;
  size_t left = task->items - task->start;
  bool alone = !shared && (q->mode == API_MODE_SCENE || q->mode == API_MODE_PROBE);
  task->step = alone ? left : step_for(left, task->cost);
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
    ct_status status = cut_task(task, shared);
    if (status == CT_CANCELLED) api_fault_cancelled(faults);
    else if (status == CT_PAIR_LIMIT) api_fault_plain(faults, API_PROBLEM_PAIR_LIMIT, "The question has too many candidate pairs.");
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

/* ---- handing out ----------------------------------------------------------------------------------------------------- */

long api_plan_next(api_plan *plan) {
  while (plan->current < plan->task_count) {
    api_task *task = &plan->tasks[plan->current];
    if (task->enough || task->next >= task->range_count) {
      plan->current++;
      continue;
    }
    if (plan->running > 0 && plan->ahead_bytes > plan->limits->request_memory_bytes / AHEAD_SHARE) return -1;
    plan->running++;
    return (long)(task->first + task->next++);
  }
  return -1;
}

/* The task that a range of the plan belongs to. */
static api_task *task_of(api_plan *plan, size_t range) {
  size_t low = 0, high = plan->task_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (plan->tasks[middle].first <= range) low = middle;
    else high = middle;
  }
  return &plan->tasks[low];
}

/* Ranges are needed until the page is full with one more result seen, or something has gone wrong in what it takes. */
void api_plan_done(api_plan *plan, size_t range) {
  api_task *task = task_of(plan, range);
  plan->running--;
  task->ranges[range - task->first].complete = true;
  plan->ahead_bytes += task->ranges[range - task->first].text.length;
  while (task->prefix < task->range_count && task->ranges[task->prefix].complete) {
    const api_range *r = &task->ranges[task->prefix++];
    task->prefix_results += r->count;
    task->prefix_candidates += r->statistics.candidates;
    task->prefix_bytes += r->text.length;
    plan->ahead_bytes -= r->text.length;
    bool pairs = task->question.mode == API_MODE_SCENE && task->prefix_candidates > plan->limits->pairs;
    bool large = task->prefix_bytes > plan->limits->request_memory_bytes;
    if (r->status != CT_OK || r->memory || pairs || large || task->prefix_results > task->question.limit) task->enough = true;
  }
}

void api_plan_complete(api_plan *plan) {
  ct_workspace *workspace = NULL;
  for (long range = api_plan_next(plan); range >= 0; range = api_plan_next(plan)) {
    if (!workspace) workspace = ct_workspace_create();
    if (workspace) api_plan_run(plan, (size_t)range, workspace);
    else task_of(plan, (size_t)range)->ranges[(size_t)range - task_of(plan, (size_t)range)->first].memory = true;
    api_plan_done(plan, (size_t)range);
  }
  if (workspace) ct_workspace_destroy(workspace);
}

/* ---- running --------------------------------------------------------------------------------------------------------- */

typedef struct range_run {
  const api_plan *plan;
  api_task *task;
  api_range *range;
  ct_workspace *workspace;
  const ct_query_options *options; /* of the query being run: a variant has its own */
} range_run;

/* Marks the end of the result just written; its end is set here. False: the range has seen enough, or memory is out. */
static bool mark_result(range_run *run, api_mark mark) {
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
  range->marks[range->count++] = mark;
  range->memory = range->text.failed;
  if (range->text.length > run->plan->limits->request_memory_bytes) range->status = CT_LIMIT;
  return !range->memory && range->status == CT_OK && range->count <= run->task->question.limit;
}

/* Where a row's frame is in the query being run. */
static ct_vec3 origin_of(const range_run *run, uint32_t row) {
  const ct_query_options *o = run->options;
  size_t low = 0, high = o->override_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (o->overrides[middle].row < row) low = middle + 1;
    else high = middle;
  }
  if (low < o->override_count && o->overrides[low].row == row) return o->overrides[low].pose.position;
  return ct_scene_pose(run->task->question.scene, row).position;
}

static bool take_hit(void *context, const ct_hit *hit) {
  range_run *run = context;
  const api_question *q = &run->task->question;
  bool given = q->options.explicit_pairs;
  api_pair_answer answer = {.kind = q->kind,
                            .a = ct_scene_body(q->scene, hit->a),
                            .b = ct_scene_body(q->scene, hit->b),
                            .collider_a = hit->collider_a,
                            .collider_b = hit->collider_b,
                            .explicit_pair = given,
                            .overlap = hit->overlap,
                            .gradient = q->gradient,
                            .result = &hit->result,
                            .points = hit->points,
                            .point_count = hit->point_count};
  if (q->gradient) {
    answer.origin_a = origin_of(run, hit->a);
    answer.origin_b = origin_of(run, hit->b);
  }
  api_put_item(&run->range->text);
  api_put_pair_answer(&run->range->text, &answer);
  return mark_result(run, (api_mark){.candidates = hit->candidates,
                                     .item = (uint32_t)hit->item,
                                     .after = given ? CT_NO_ROW : hit->b,
                                     .part = q->kind == API_KIND_CONTACTS ? hit->part : 0});
}

static bool range_open(const range_run *run) {
  const api_range *range = run->range;
  return range->status == CT_OK && !range->memory && range->count <= run->task->question.limit;
}

/* Items of a prepared query. */
static void run_items(range_run *run, const ct_query *query, const ct_query_range *items) {
  api_range *range = run->range;
  ct_status status = ct_query_run(query, items, run->workspace, take_hit, run, &range->statistics);
  if (status != CT_OK) range->status = status;
}

static void run_scene(range_run *run, size_t begin, size_t end) {
  api_task *task = run->task;
  const api_question *q = &task->question;
  ct_query_range items = {begin, end, CT_NO_ROW, 0};
  if (q->resumed && begin == task->start) {
    items.after = q->from.after;
    items.part = q->from.part;
  }
  if (task->query) {
    run_items(run, task->query, &items);
    return;
  }
  ct_query *own;
  ct_status status = ct_query_prepare(q->scene, &q->options, &own);
  if (status != CT_OK) {
    run->range->status = status;
    return;
  }
  /* Only the task's one range comes here. */
  task->broadphase = ct_query_broadphase(own);
  items.end = ct_query_items(own);
  run_items(run, own, &items);
  ct_query_destroy(own);
}

/* The question's poses with the variant's over them, in scratch memory of base + variant items. */
static size_t lay_over(const ct_query_options *base, const api_variant *variant, ct_override *out) {
  size_t b = 0, v = 0, count = 0;
  while (b < base->override_count || v < variant->count) {
    bool from_base = v == variant->count || (b < base->override_count && base->overrides[b].row < variant->items[v].row);
    if (!from_base && b < base->override_count && base->overrides[b].row == variant->items[v].row) b++;
    out[count++] = from_base ? base->overrides[b++] : variant->items[v++];
  }
  return count;
}

static void run_variant(range_run *run, size_t index, ct_override *scratch) {
  const api_question *q = &run->task->question;
  ct_query_options options = q->options;
  options.override_count = lay_over(&q->options, &q->variants[index], scratch);
  options.overrides = scratch;
  run->options = &options;
  ct_query *query;
  ct_status status = ct_query_prepare(q->scene, &options, &query);
  if (status != CT_OK) {
    run->range->status = status;
    return;
  }
  bool resumed = q->resumed && index == run->task->start;
  ct_query_range items = {0, ct_query_items(query), CT_NO_ROW, 0};
  if (resumed) items = (ct_query_range){(size_t)q->from.item, items.end, q->from.after, q->from.part};
  uint64_t before = run->range->statistics.candidates;
  if (items.begin < items.end) run_items(run, query, &items);
  ct_query_destroy(query);
  if (run->range->statistics.candidates - before > run->plan->limits->pairs) run->range->status = CT_PAIR_LIMIT;
}

static void run_variants(range_run *run, size_t begin, size_t end) {
  const api_question *q = &run->task->question;
  size_t most = 0;
  for (size_t i = begin; i < end; i++) most = q->variants[i].count > most ? q->variants[i].count : most;
  ct_override *scratch = malloc((most + q->options.override_count + 1) * sizeof *scratch);
  run->range->variant_counts = calloc(end - begin, sizeof *run->range->variant_counts);
  run->range->memory = !scratch || !run->range->variant_counts;
  for (size_t i = begin; i < end && range_open(run); i++) {
    size_t before = run->range->count;
    run_variant(run, i, scratch);
    run->range->variant_counts[i - begin] = (uint32_t)(run->range->count - before);
    run->range->variant_count = i - begin + 1;
  }
  free(scratch);
}

static void run_mass(range_run *run, size_t begin, size_t end) {
  const api_question *q = &run->task->question;
  for (size_t i = begin; i < end && range_open(run); i++) {
    if (ct_cancel_raised(run->plan->cancel)) {
      run->range->status = CT_CANCELLED;
      return;
    }
    api_put_item(&run->range->text);
    api_put_mass_answer(&run->range->text, q->scene ? ct_scene_body(q->scene, q->rows[i]) : q->bodies[i].body);
    mark_result(run, (api_mark){.item = (uint32_t)i, .after = CT_NO_ROW});
  }
}

static bool is_identity(const ct_pose *pose) {
  const ct_vec3 *p = &pose->position;
  const ct_quat *q = &pose->rotation;
  return p->x == 0.0 && p->y == 0.0 && p->z == 0.0 && q->x == 0.0 && q->y == 0.0 && q->z == 0.0 && q->w == 1.0;
}

static bool take_probe_hit(void *context, const ct_probe_hit *hit) {
  range_run *run = context;
  const api_question *q = &run->task->question;
  api_put_item(&run->range->text);
  api_put_probe_answer(&run->range->text, q->probe.kind, ct_scene_body(q->scene, hit->row), hit);
  return mark_result(run, (api_mark){.item = hit->item, .after = hit->rank});
}

/* Items [begin, end) of a probe; a task that shares none has one range, which makes its own. */
static void run_probe(range_run *run, size_t begin, size_t end) {
  const api_task *task = run->task;
  const api_question *q = &task->question;
  ct_query_range items = {.begin = begin, .end = end, .after = CT_NO_ROW};
  if (q->resumed && begin == task->start) items.after = q->from.after;
  ct_probe *own = NULL;
  ct_status status = task->probe ? CT_OK : ct_probe_prepare(q->scene, &q->probe, &own);
  if (own) items.end = ct_probe_items(own);
  if (status == CT_OK) status = ct_probe_run(own ? own : task->probe, &items, run->workspace, take_probe_hit, run);
  ct_probe_destroy(own);
  if (status != CT_OK) run->range->status = status;
}

/* Two bodies of one collider each, without a scene. */
static void run_pair(range_run *run) {
  const api_question *q = &run->task->question;
  ct_collider collider[2];
  ct_frame frame[2];
  for (int i = 0; i < 2; i++) {
    collider[i] = ct_body_collider(q->bodies[i].body, 0);
    frame[i] = ct_frame_of(q->bodies[i].pose);
    if (!is_identity(&collider[i].pose)) frame[i] = ct_frame_mul(frame[i], ct_frame_of(collider[i].pose));
  }
  ct_pair_result result = {0};
  api_pair_answer answer = {.kind = q->kind,
                            .a = q->bodies[0].body,
                            .b = q->bodies[1].body,
                            .gradient = q->gradient,
                            .origin_a = q->bodies[0].pose.position,
                            .origin_b = q->bodies[1].pose.position,
                            .result = &result};
  ct_workspace_starved(run->workspace); /* what came before is not this pair's */
  if (q->kind == API_KIND_OVERLAP) {
    answer.overlap = ct_pair_overlap((ct_placed){&collider[0].shape, &frame[0]}, (ct_placed){&collider[1].shape, &frame[1]},
                                     run->workspace, &result.point_a);
  } else {
    ct_pair_options options = {.tolerance = q->options.tolerance, .threshold = INFINITY};
    ct_pair_distance((ct_placed){&collider[0].shape, &frame[0]}, (ct_placed){&collider[1].shape, &frame[1]}, &options,
                     run->workspace, &result);
  }
  run->range->memory = ct_workspace_starved(run->workspace);
  if (run->range->memory) return;
  api_put_pair_answer(&run->range->text, &answer);
  mark_result(run, (api_mark){.after = CT_NO_ROW});
}

/* Raw boxes are never paged: the list is the range's text, "[i,j],[i,j]". */
static void run_boxes(range_run *run) {
  api_task *task = run->task;
  const api_question *q = &task->question;
  api_range *range = run->range;
  ct_pair_list list = {0};
  ct_broad_statistics statistics = {0};
  ct_broad_options options = {q->options.broadphase, run->plan->limits->pairs, run->plan->cancel};
  range->status = ct_broad_pairs(q->boxes, q->box_count, &options, &list, &statistics);
  task->broadphase = statistics.method;
  for (size_t i = 0; range->status == CT_OK && i < list.count; i++) {
    if (i % PAIRS_PER_POLL == 0 && ct_cancel_raised(run->plan->cancel)) range->status = CT_CANCELLED;
    api_put_raw(&range->text, i ? ",[" : "[");
    api_put_unsigned(&range->text, list.items[i].i);
    api_put_byte(&range->text, ',');
    api_put_unsigned(&range->text, list.items[i].j);
    api_put_byte(&range->text, ']');
  }
  range->memory = range->text.failed;
  range->count = range->status == CT_OK ? list.count : 0;
  range->statistics.box_tests = statistics.box_tests;
  range->tree_height = statistics.tree_height;
  ct_pair_list_free(&list);
}

void api_plan_run(api_plan *plan, size_t range, ct_workspace *workspace) {
  api_task *task = task_of(plan, range);
  size_t index = range - task->first;
  size_t begin = task->start + index * task->step;
  size_t end = task->items - begin > task->step ? begin + task->step : task->items;
  range_run run = {
      .plan = plan, .task = task, .range = &task->ranges[index], .workspace = workspace, .options = &task->question.options};
  if (ct_cancel_raised(plan->cancel)) {
    run.range->status = CT_CANCELLED;
    return;
  }
  switch (task->question.mode) {
  case API_MODE_SCENE: run_scene(&run, begin, end); break;
  case API_MODE_VARIANTS: run_variants(&run, begin, end); break;
  case API_MODE_MASS: run_mass(&run, begin, end); break;
  case API_MODE_PAIR: run_pair(&run); break;
  case API_MODE_BOXES: run_boxes(&run); break;
  case API_MODE_PROBE: run_probe(&run, begin, end); break;
  }
}

/* ---- the page -------------------------------------------------------------------------------------------------------- */

/* enough: the page ends in this range, before what else may have gone wrong in it. */
static bool range_fault(const api_range *range, bool enough, api_faults *faults) {
  if (range->memory || range->status == CT_OUT_OF_MEMORY) api_fault_memory(faults);
  else if (range->status == CT_CANCELLED || !range->complete) api_fault_cancelled(faults);
  else if (range->status == CT_LIMIT && !enough)
    api_fault_plain(faults, API_PROBLEM_LIMIT_EXCEEDED, "The answer needs more than requestMemoryBytes: ask for a smaller limit.");
  return api_faults_any(faults);
}

/* Position after the last result of the page, which is result `local` of `range`, or the last of an earlier range. */
static void page_end(const api_task *task, size_t range, size_t local, api_page *page) {
  while (local == 0 && range > 0) local = task->ranges[--range].count;
  const api_range *r = &task->ranges[range];
  const api_mark *mark = &r->marks[local - 1];
  page->next = (api_cursor){.item = mark->item, .after = mark->after, .part = mark->part};
  /* Where the item has no more results of its own, the next page starts at the next one. */
  if (mark->after == CT_NO_ROW && mark->part == 0) page->next.item++;
  if (task->question.mode == API_MODE_VARIANTS) {
    size_t variant = 0;
    for (size_t sum = 0; variant < r->variant_count; variant++) {
      sum += r->variant_counts[variant];
      if (sum >= local) break;
    }
    page->variants = range * task->step + variant + 1;
    page->next.variant = task->start + page->variants - 1;
  }
  if (task->question.reports_revision) page->next.revision = ct_scene_revision(task->question.scene);
}

static bool pair_fault(const api_plan *plan, api_faults *faults) {
  uint64_t limit = plan->limits->pairs;
  api_fault *fault = api_fault_plain(faults, API_PROBLEM_PAIR_LIMIT, "The question has more than %llu candidate pairs.",
                                     (unsigned long long)limit);
  fault->has_limit = true;
  fault->limit = (double)limit;
  return false;
}

bool api_task_page(const api_plan *plan, const api_task *task, api_page *page, api_faults *faults) {
  const api_question *q = &task->question;
  bool boxes = q->mode == API_MODE_BOXES;
  uint64_t limit = boxes ? UINT64_MAX : q->limit, bytes = 0, candidates = 0;
  *page = (api_page){.variants = task->items - task->start};
  for (size_t r = 0; r < task->range_count && !page->truncated; r++) {
    const api_range *range = &task->ranges[r];
    page->truncated = page->count + range->count > limit;
    if (range->status == CT_PAIR_LIMIT && !page->truncated) return pair_fault(plan, faults);
    if (range_fault(range, page->truncated, faults)) return false;
    page->statistics.candidates += range->statistics.candidates;
    page->statistics.box_tests += range->statistics.box_tests;
    /* What a truncated page needs is counted up to the first result beyond it: where ranges begin and end does not matter. */
    uint64_t needed = candidates;
    if (page->truncated) needed += range->marks[limit - page->count].candidates;
    else if (q->mode == API_MODE_SCENE) needed += range->statistics.candidates;
    if (needed > plan->limits->pairs) return pair_fault(plan, faults);
    if (q->mode == API_MODE_SCENE) candidates = needed;
    page->ranges = r + 1;
    size_t taken = page->truncated ? (size_t)(limit - page->count) : range->count;
    if (page->truncated) page_end(task, r, taken, page);
    bytes += taken == 0 ? 0 : boxes ? range->text.length : range->marks[taken - 1].end;
    page->count += taken;
    if (bytes > plan->limits->request_memory_bytes) {
      api_fault_plain(faults, API_PROBLEM_LIMIT_EXCEEDED,
                      "The answer needs more than requestMemoryBytes: ask for a smaller limit.");
      return false;
    }
  }
  return true;
}
