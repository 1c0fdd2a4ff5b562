/* Runs queries over moving bodies. A sweep puts its results pair by pair. A timeline collects the
 * changes of all pairs, again for each page, and puts them in order of time. */
#include "execution/motion_run.h"

#include <assert.h>
#include <stdlib.h>

#include "common/array.h"
#include "execution/cost_estimate.h"
#include "results/motion_result.h"

/* A change of contact of the bodies in rows a and b, and its index in the order in which the engine
 * reported it. */
typedef struct gathered {
  uint32_t a, b;
  size_t number;
  ct_contact_change change;
} gathered;

/* A graze of the bodies in rows a and b. */
typedef struct gathered_graze {
  uint32_t a, b;
  ct_graze graze;
} gathered_graze;

typedef struct gathering {
  api_range_run *run;
  gathered *changes;
  size_t count, capacity;
  gathered_graze *grazes;
  size_t graze_count, graze_capacity;
  api_buffer initial, incomplete; /* JSON of the elements of the reply's arrays initialContacts and
                                     incomplete */
} gathering;

static const ct_body *body_at_row(const api_range_run *run, uint32_t row) {
  assert(row < ct_scene_rows(run->task->question.scene));
  return ct_scene_body(run->task->question.scene, row);
}

/* Puts an impact. For option `earliest` a run finds the earliest impacts of all pairs at once, on
 * each page again, so that results of previous pages are skipped. */
static bool write_impact(void *context, const ct_motion_hit *hit) {
  api_range_run *run = context;
  const api_query *q = &run->task->question;
  if (q->motions.options.earliest && hit->item < q->from.item) return true;
  if (api_range_is_full(run)) return api_count_result(run);
  api_put_item(&run->range->text);
  api_put_time_of_impact(&run->range->text, body_at_row(run, hit->a), body_at_row(run, hit->b),
                         hit);
  return api_mark_result(run, (api_mark){.item = (uint32_t)hit->item, .after = CT_NO_ROW});
}

/* ---- timelines ------------------------------------------------------------------------------ */

static bool reserve_changes(gathering *g, size_t more) {
  assert(g->count <= g->capacity);
  if (g->count + more <= g->capacity) return true;
  size_t capacity = 2 * g->capacity > g->count + more ? 2 * g->capacity : g->count + more;
  if (capacity * sizeof *g->changes > g->run->plan->limits->request_memory_bytes) {
    g->run->range->status = CT_LIMIT;
    return false;
  }
  if (api_array_resize(&g->changes, &g->capacity, capacity, sizeof *g->changes)) return true;
  g->run->range->memory = true;
  return false;
}

static bool gather_grazes(gathering *g, const ct_motion_hit *hit) {
  assert(g->graze_count <= g->graze_capacity);
  const ct_timeline *t = hit->timeline;
  if (t->graze_count == 0) return true;
  if (g->graze_count + t->graze_count > g->graze_capacity) {
    size_t capacity = 2 * (g->graze_count + t->graze_count);
    if (capacity * sizeof *g->grazes > g->run->plan->limits->request_memory_bytes) {
      g->run->range->status = CT_LIMIT;
      return false;
    }
    if (!api_array_resize(&g->grazes, &g->graze_capacity, capacity, sizeof *g->grazes)) {
      g->run->range->memory = true;
      return false;
    }
  }
  for (size_t k = 0; k < t->graze_count; k++)
    g->grazes[g->graze_count++] = (gathered_graze){hit->a, hit->b, t->grazes[k]};
  return true;
}

/* Puts {"a", "b", "surface"?, "knownUntil"?}. */
static void put_timeline_pair(api_buffer *out, const ct_body *a, const ct_body *b,
                              const double *known_until) {
  api_put_item(out);
  api_put_byte(out, '{');
  api_put_id(out, "a", ct_body_id(a));
  api_put_id(out, "b", ct_body_id(b));
  api_put_surface(out, a, b);
  if (known_until) api_put_member_number(out, "knownUntil", *known_until);
  api_put_byte(out, '}');
}

static bool gather_timeline(void *context, const ct_motion_hit *hit) {
  gathering *g = context;
  const ct_timeline *t = hit->timeline;
  const ct_body *a = body_at_row(g->run, hit->a), *b = body_at_row(g->run, hit->b);
  if (t->in_contact) put_timeline_pair(&g->initial, a, b, NULL);
  if (t->status != CT_TIMELINE_COMPLETE) put_timeline_pair(&g->incomplete, a, b, &t->known_until);
  if (!gather_grazes(g, hit) || !reserve_changes(g, t->count)) return false;
  for (size_t k = 0; k < t->count; k++, g->count++)
    g->changes[g->count] = (gathered){hit->a, hit->b, g->count, t->changes[k]};
  return true;
}

static int order_rows(uint32_t x, uint32_t y) { return (x > y) - (x < y); }

/* Orders changes by time, then ends before begins, then by rows, then as reported. */
static int compare_changes(const void *x, const void *y) {
  const gathered *g = x, *h = y;
  if (g->change.time != h->change.time) return g->change.time < h->change.time ? -1 : 1;
  if (g->change.began != h->change.began) return g->change.began ? 1 : -1;
  if (g->a != h->a) return order_rows(g->a, h->a);
  if (g->b != h->b) return order_rows(g->b, h->b);
  return (g->number > h->number) - (g->number < h->number);
}

/* Orders grazes by time, then by rows. */
static int compare_grazes(const void *x, const void *y) {
  const gathered_graze *g = x, *h = y;
  if (g->graze.time != h->graze.time) return g->graze.time < h->graze.time ? -1 : 1;
  return g->a != h->a ? order_rows(g->a, h->a) : order_rows(g->b, h->b);
}

/* Puts the member grazes, [{"a", "b", "time", "distance"}], in order of time. */
static void put_grazes(api_buffer *out, gathering *g) {
  if (g->graze_count > 1) qsort(g->grazes, g->graze_count, sizeof *g->grazes, compare_grazes);
  api_put_key(out, "grazes");
  api_put_byte(out, '[');
  for (size_t k = 0; k < g->graze_count; k++) {
    const gathered_graze *graze = &g->grazes[k];
    api_put_item(out);
    api_put_byte(out, '{');
    api_put_id(out, "a", ct_body_id(body_at_row(g->run, graze->a)));
    api_put_id(out, "b", ct_body_id(body_at_row(g->run, graze->b)));
    api_put_member_number(out, "time", graze->graze.time);
    api_put_member_number(out, "distance", graze->graze.distance);
    api_put_byte(out, '}');
  }
  api_put_byte(out, ']');
}

static void put_timeline_list(api_buffer *out, const char *key, const api_buffer *list) {
  api_put_key(out, key);
  api_put_byte(out, '[');
  api_put_bytes(out, list->bytes, list->length);
  api_put_byte(out, ']');
}

static void write_timeline(gathering *g) {
  api_range_run *run = g->run;
  api_range *range = run->range;
  if (g->count > 1) qsort(g->changes, g->count, sizeof *g->changes, compare_changes);
  put_timeline_list(&range->frames, "initialContacts", &g->initial);
  if (run->task->question.motions.options.grazes) put_grazes(&range->frames, g);
  if (g->incomplete.length > 0) put_timeline_list(&range->frames, "incomplete", &g->incomplete);
  range->memory = g->initial.failed || g->incomplete.failed || range->frames.failed;
  bool wanted = !range->memory;
  for (size_t k = (size_t)run->task->question.from.item; k < g->count && wanted; k++) {
    const gathered *c = &g->changes[k];
    if (api_range_is_full(run)) {
      wanted = api_count_result(run);
      continue;
    }
    api_put_item(&range->text);
    api_put_contact_change(&range->text, body_at_row(run, c->a), body_at_row(run, c->b),
                           &c->change);
    wanted = api_mark_result(run, (api_mark){.item = (uint32_t)k, .after = CT_NO_ROW});
  }
}

static ct_status run_whole_timeline(api_range_run *run, const ct_motion_query *query) {
  gathering g = {.run = run};
  ct_status status =
      ct_motion_run(query, 0, ct_motion_items(query), run->workspace, gather_timeline, &g);
  if (status == CT_OK && run->range->status == CT_OK && !run->range->memory) write_timeline(&g);
  free(g.changes);
  free(g.grazes);
  api_buffer_free(&g.initial);
  api_buffer_free(&g.incomplete);
  return status;
}

/* Sets the number of items and the cost of a motion query; prepares the query if `shared`. If it is
 * not prepared, the number of items is that of the explicit pairs, or the greatest possible one. */
ct_status api_plan_motion(const api_plan *plan, api_task *task, bool shared) {
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

void api_run_motion(api_range_run *run, size_t begin, size_t end) {
  const api_query *q = &run->task->question;
  ct_motion_query *own = NULL;
  ct_status status =
      run->task->motion ? CT_OK : ct_motion_prepare(q->scene, &q->motions.options, &own);
  const ct_motion_query *query = own ? own : run->task->motion;
  if (own && ct_motion_candidates(own) > run->plan->limits->pairs) status = CT_PAIR_LIMIT;
  if (own) end = ct_motion_items(own);
  assert(query || status != CT_OK);
  if (status == CT_OK && q->motions.options.timeline) status = run_whole_timeline(run, query);
  else if (status == CT_OK)
    status = ct_motion_run(query, begin, end, run->workspace, write_impact, run);
  ct_motion_destroy(own);
  if (status != CT_OK) run->range->status = status;
}
