/* Probes: preparing, the walk over rows by distance, and running a range. */
#include "query/probe.h"
#include "broad/aabb_tree.h"
#include "shape/shape_validity.h"

#include <stdlib.h>

/* Steps between two looks at the cancel flag: a step is a box or a placed collider, some ns. */
#define STEPS_PER_POLL 4096
/* Nanoseconds on one core of 2020, to within a factor of three: an item, each level of the tree, a
 * body out of the tree, a body in a region before its pairs. */
#define ITEM_NS 2000.0
#define LEVEL_NS 60.0
#define LOOSE_NS 300.0
#define REGION_NS 2500.0
/* A collider of a body that is placed for an item. */
#define COLLIDER_NS 50.0
/* Bodies looked at for the cost. */
#define SAMPLES 32

/* ---- preparing ------------------------------------------------------------------------------ */

/* Has each ray a direction, and the region a form? */
static bool can_probe(const ct_probe_options *o) {
  if (o->kind == CT_PROBE_REGION) return ct_shape_is_valid(&o->region);
  for (size_t k = 0; o->kind == CT_PROBE_RAYCAST && k < o->count; k++)
    if (ct_max_abs(o->rays[k].direction) == 0.0) return false;
  return true;
}

static ct_status prepare(ct_probe *probe) {
  const ct_probe_options *o = &probe->options;
  /* Methods that find pairs of boxes have nothing to find here: the tree is asked. */
  bool listed = o->broadphase != CT_BROADPHASE_AUTO && o->broadphase != CT_BROADPHASE_BRUTE_FORCE;
  ct_query_options boxes = {.kind = CT_QUERY_PAIRS,
                            .broadphase = listed ? CT_BROADPHASE_TREE : o->broadphase,
                            .overrides = o->overrides,
                            .override_count = o->override_count,
                            .cancel = o->cancel};
  ct_status status = ct_query_prepare(probe->scene, &boxes, &probe->query);
  if (status != CT_OK) return status;
  probe->items = o->count;
  if (o->kind != CT_PROBE_REGION) return CT_OK;
  probe->region_frame = ct_frame_of(o->region_pose);
  probe->region_box = ct_shape_aabb(&o->region, &probe->region_frame);
  return ct_probe_find_rows(probe);
}

ct_status ct_probe_prepare(const ct_scene *scene, const ct_probe_options *options, ct_probe **out) {
  if (!can_probe(options)) return CT_LIMIT;
  ct_probe *probe = calloc(1, sizeof *probe);
  if (!probe) return CT_OUT_OF_MEMORY;
  probe->scene = scene;
  probe->options = *options;
  if (options->nearest == 0) probe->options.nearest = 1;
  ct_status status = prepare(probe);
  if (status == CT_OK) *out = probe;
  else ct_probe_destroy(probe);
  return status;
}

void ct_probe_destroy(ct_probe *probe) {
  if (!probe) return;
  ct_query_destroy(probe->query);
  free(probe->rows);
  free(probe);
}

size_t ct_probe_items(const ct_probe *probe) { return probe->items; }

/* Overlap and distance with each body, from some of them. */
static double region_cost(const ct_probe *probe) {
  size_t stride = probe->items / SAMPLES + 1, seen = 0;
  double sum = 0.0;
  for (size_t k = 0; k < probe->items; k += stride, seen++) {
    const ct_body *body = ct_scene_body_at(probe->scene, probe->rows[k]);
    sum += ct_shape_body_cost(CT_QUERY_OVERLAP, &probe->options.region, body) +
           ct_shape_body_cost(CT_QUERY_DISTANCE, &probe->options.region, body);
  }
  return seen ? (REGION_NS + sum / (double)seen) * (double)probe->items : 0.0;
}

/* Most colliders of some of the bodies. */
static double most_colliders(const ct_probe *probe) {
  uint32_t rows = ct_scene_rows(probe->scene), stride = rows / SAMPLES + 1;
  size_t most = 0;
  for (uint32_t row = 0; row < rows; row += stride) {
    const ct_body *body = ct_scene_body(probe->scene, row);
    size_t count = body ? ct_body_collider_count(body) : 0;
    most = count > most ? count : most;
  }
  return (double)most;
}

double ct_probe_cost(const ct_probe *probe) {
  double items = (double)probe->items;
  if (probe->options.kind == CT_PROBE_REGION) return region_cost(probe);
  double item = ITEM_NS + COLLIDER_NS * most_colliders(probe);
  const ct_query *query = probe->query;
  if (query->source == CT_SOURCE_BOXES)
    return (item + LOOSE_NS * (double)query->scene->rows) * items;
  double loose = (double)query->derived->loose_count + (double)query->options.override_count;
  return (item + LEVEL_NS * (double)ct_tree_height(query->derived->tree) + LOOSE_NS * loose) *
         items;
}

/* ---- for the kinds -------------------------------------------------------------------------- */

ct_probe_hit *ct_probe_add(ct_probe_range *run) {
  if (run->count == run->capacity) {
    size_t capacity = run->capacity ? 2 * run->capacity : 16;
    ct_probe_hit *hits = realloc(run->hits, capacity * sizeof *hits);
    if (!hits) return NULL;
    run->hits = hits;
    run->capacity = capacity;
  }
  return &run->hits[run->count++];
}

bool ct_probe_place(ct_probe_range *run, uint32_t row) {
  if (run->placed_row == row) return true;
  const ct_query *query = run->probe->query;
  run->placed_row = row;
  return ct_placed_body_set(&run->placed, ct_scene_body_at(query->scene, row),
                            ct_query_pose(query, row));
}

bool ct_probe_cancelled(ct_probe_range *run, uint32_t steps) {
  run->steps += steps;
  if (run->steps < STEPS_PER_POLL) return false;
  run->steps = 0;
  return ct_cancel_raised(run->probe->options.cancel);
}

/* ---- the walk ------------------------------------------------------------------------------- */

typedef struct walk {
  ct_probe_range *run;
  ct_probe_bound bound;
  ct_probe_visit visit;
} walk;

static bool matters(const walk *w, double bound) {
  return bound < INFINITY && bound <= w->run->limit;
}

static ct_status visit_row(const walk *w, uint32_t row, const ct_aabb *box) {
  const uint8_t *where = w->run->probe->options.where;
  if (where && !where[row]) return CT_OK;
  if (ct_probe_cancelled(w->run, 1)) return CT_CANCELLED;
  return matters(w, w->bound(w->run, box)) ? w->visit(w->run, row) : CT_OK;
}

/* A node that waits, and its bound. */
typedef struct waiting_node {
  uint32_t node;
  double bound;
} waiting_node;

/* The nearer child first; one that has fallen behind the limit meanwhile is left out. */
static ct_status walk_tree(const walk *w, const ct_tree *tree) {
  waiting_node stack[CT_TREE_HEIGHT_MAX + 2];
  int top = 0;
  if (tree->root == CT_TREE_NULL) return CT_OK;
  stack[top++] = (waiting_node){tree->root, w->bound(w->run, &tree->nodes[tree->root].box)};
  while (top > 0) {
    waiting_node at = stack[--top];
    if (!matters(w, at.bound)) continue;
    const ct_tree_node *node = &tree->nodes[at.node];
    if (node->height == 0) {
      uint32_t row = node->child[1];
      ct_status status =
          ct_query_overridden(w->run->probe->query, row) ? CT_OK : visit_row(w, row, &node->box);
      if (status != CT_OK) return status;
      continue;
    }
    if (ct_probe_cancelled(w->run, 2)) return CT_CANCELLED;
    waiting_node c = {node->child[0], w->bound(w->run, &tree->nodes[node->child[0]].box)};
    waiting_node d = {node->child[1], w->bound(w->run, &tree->nodes[node->child[1]].box)};
    bool swap = d.bound < c.bound;
    stack[top++] = swap ? c : d;
    stack[top++] = swap ? d : c;
  }
  return CT_OK;
}

static ct_status walk_boxes(const walk *w) {
  const ct_query *query = w->run->probe->query;
  ct_status status = CT_OK;
  for (uint32_t row = 0; row < query->scene->rows && status == CT_OK; row++) {
    ct_aabb box;
    if (ct_query_aabb(query, row, &box)) status = visit_row(w, row, &box);
  }
  return status;
}

ct_status ct_probe_walk(ct_probe_range *run, ct_probe_bound bound, ct_probe_visit visit) {
  const ct_query *query = run->probe->query;
  walk w = {run, bound, visit};
  if (query->source == CT_SOURCE_BOXES) return walk_boxes(&w);
  ct_status status = CT_OK;
  for (uint32_t k = 0; k < query->derived->loose_count && status == CT_OK; k++) {
    const ct_unbounded_body *loose = &query->derived->loose[k];
    if (!ct_query_overridden(query, loose->row)) status = visit_row(&w, loose->row, &loose->box);
  }
  for (size_t k = 0; k < query->options.override_count && status == CT_OK; k++) {
    ct_aabb box;
    uint32_t row = query->options.overrides[k].row;
    if (ct_query_aabb(query, row, &box)) status = visit_row(&w, row, &box);
  }
  return status == CT_OK ? walk_tree(&w, query->derived->tree) : status;
}

/* ---- running -------------------------------------------------------------------------------- */

static ct_status run_item(ct_probe_range *run, size_t item) {
  const ct_probe *probe = run->probe;
  run->item = (uint32_t)item;
  run->count = 0;
  switch (probe->options.kind) {
  case CT_PROBE_RAYCAST: return ct_probe_item_ray(run);
  case CT_PROBE_NEAREST:
  case CT_PROBE_POINT: return ct_probe_item_point(run);
  case CT_PROBE_REGION: break;
  }
  return ct_probe_item_region(run);
}

ct_status ct_probe_run(const ct_probe *probe, const ct_query_range *range, ct_workspace *workspace,
                       ct_probe_sink sink, void *context) {
  ct_probe_range run = {.probe = probe, .workspace = workspace, .placed_row = CT_NO_ROW};
  ct_status status = CT_OK;
  bool wanted = true;
  ct_workspace_watch(workspace, probe->options.cancel);
  ct_workspace_out_of_memory(workspace); /* what came before is not this probe's */
  for (size_t item = range->begin; item < range->end && status == CT_OK && wanted; item++) {
    status = ct_cancel_raised(probe->options.cancel) ? CT_CANCELLED : run_item(&run, item);
    if (status == CT_OK && ct_workspace_out_of_memory(workspace)) status = CT_OUT_OF_MEMORY;
    size_t first = item == range->begin && range->after != CT_NO_ROW ? (size_t)range->after + 1 : 0;
    for (size_t k = first; k < run.count && status == CT_OK && wanted; k++) {
      run.hits[k].item = run.item;
      run.hits[k].rank = (uint32_t)k;
      wanted = sink(context, &run.hits[k]);
    }
  }
  ct_workspace_watch(workspace, NULL);
  free(run.hits);
  free(run.crossings);
  ct_placed_body_free(&run.placed);
  return status;
}
