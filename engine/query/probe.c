/* Probes of a scene (ray casts, nearest bodies, bodies that contain points, bodies in a region):
 * preparation, cost estimate and evaluation of ranges of items. An item is one ray, one point, or
 * one body whose AABB intersects that of the region. */
#include "query/probe.h"
#include "shape/shape_validity.h"

#include <stdlib.h>

/* Costs in ns on one core of 2020, to within a factor of three. ITEM_NS: one ray or point.
 * LEVEL_NS: one level of the scene's AABB tree, per ray or point. UNBOUNDED_NS: one body that is
 * not in the tree. REGION_NS: one candidate body of a region, without its pairs of colliders. */
#define ITEM_NS 2000.0
#define LEVEL_NS 60.0
#define UNBOUNDED_NS 300.0
#define REGION_NS 2500.0
/* Cost of transforming one collider of a body for an item, ns. */
#define COLLIDER_NS 50.0
/* Number of bodies sampled for the cost estimate. */
#define SAMPLES 32

/* ---- preparation ----------------------------------------------------------------------------- */

/* True if every ray has a nonzero direction, or if the region's shape is valid. */
static bool can_probe(const ct_probe_options *o) {
  if (o->kind == CT_PROBE_REGION) return ct_shape_is_valid(&o->region);
  for (size_t k = 0; o->kind == CT_PROBE_RAYCAST && k < o->count; k++)
    if (ct_max_abs(o->rays[k].direction) == 0.0) return false;
  return true;
}

static ct_status prepare_probe(ct_probe *probe) {
  const ct_probe_options *o = &probe->options;
  /* A probe always queries a tree; a method that lists pairs of boxes is replaced by the tree. */
  bool listed = o->broadphase != CT_BROADPHASE_AUTO && o->broadphase != CT_BROADPHASE_BRUTE_FORCE;
  ct_query_options boxes = {.broadphase = listed ? CT_BROADPHASE_TREE : o->broadphase,
                            .overrides = o->overrides,
                            .override_count = o->override_count,
                            .cancel = o->cancel};
  ct_status status = ct_query_prepare_pairs(probe->scene, &boxes, NULL, &probe->query);
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
  ct_status status = prepare_probe(probe);
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

/* Estimates the cost of testing the region for overlap and containment against its candidate
 * bodies, ns, from a sample of them. */
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

/* Returns the largest number of colliders of any body in a sample of the scene. */
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
    return (item + UNBOUNDED_NS * (double)query->scene->rows) * items;
  double unbounded =
      (double)query->derived->unbounded_count + (double)query->options.override_count;
  return (item + LEVEL_NS * (double)ct_tree_height(query->derived->tree) +
          UNBOUNDED_NS * unbounded) *
         items;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

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
  ct_probe_range run = ct_probe_range_start(probe, workspace);
  ct_status status = CT_OK;
  bool wanted = true;
  ct_workspace_watch(workspace, probe->options.cancel);
  ct_workspace_out_of_memory(workspace); /* reset the flag, which an earlier query may have set */
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
