/* Points in a scene: the nearest bodies, and those that hold the point. */
#include "scene/probe.h"

#include <stdlib.h>

/* Rounding of distances against that of boxes, relative to the coordinates. */
#define BOX_SLACK (CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)
/* A narrow phase in steps of the cancel flag. */
#define PAIR_STEPS 128

/* Signed distance of the point to a closed box: from within, how far out the nearest side is. */
static double box_distance(const ct_box *box, ct_vec3 p) {
  ct_vec3 d = {ct_max2(box->min.x - p.x, p.x - box->max.x), ct_max2(box->min.y - p.y, p.y - box->max.y),
               ct_max2(box->min.z - p.z, p.z - box->max.z)};
  double side = ct_max2(d.x, ct_max2(d.y, d.z));
  if (side <= 0.0) return side;
  return ct_norm(ct_vec(ct_max2(d.x, 0.0), ct_max2(d.y, 0.0), ct_max2(d.z, 0.0)));
}

/* A solid within a box is no nearer, and the point no deeper in it. */
static double bound_of_box(const ct_probing *run, const ct_box *box) {
  double distance = box_distance(box, run->point);
  return distance - BOX_SLACK * (ct_max_abs(run->point) + ct_box_magnitude(box));
}

/* The same of a collider, from its bounding ball. */
static double bound_of_ball(const ct_probing *run, ct_placed placed) {
  ct_vec3 center;
  double radius;
  ct_shape_ball(placed.shape, &center, &radius);
  if (!(radius < INFINITY)) return -INFINITY;
  double apart = ct_norm(ct_sub(ct_to_parent(*placed.frame, center), run->point));
  return apart - radius - BOX_SLACK * (ct_max_abs(run->point) + apart + radius);
}

/* The body's collider of least distance, if that is not above the limit: the first among equals. */
static ct_status nearest_collider(ct_probing *run, uint32_t row, ct_probe_hit *hit, bool *found) {
  if (!ct_probe_place(run, row)) return CT_OUT_OF_MEMORY;
  const ct_placed_body *placed = &run->placed;
  const ct_shape point = {.kind = CT_KIND_SPHERE, .sphere = {0.0}};
  const ct_frame at = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, run->point};
  double limit = run->limit;
  *found = false;
  for (uint32_t i = 0; i < placed->count; i++) {
    ct_placed solid = {ct_body_shape(placed->body, i), &placed->frames[i]};
    if (ct_probe_cancelled(run, 1)) return CT_CANCELLED;
    if (placed->count > 1 && bound_of_ball(run, solid) > limit) continue;
    ct_pair_options options = {.threshold = ct_max2(limit, 0.0)};
    ct_pair_result r;
    ct_pair_distance((ct_placed){&point, &at}, solid, &options, run->workspace, &r);
    if (ct_probe_cancelled(run, PAIR_STEPS)) return CT_CANCELLED;
    if (r.distance > limit || (*found && r.distance >= hit->distance)) continue;
    limit = r.distance;
    *found = true;
    *hit = (ct_probe_hit){.row = row,
                          .collider = i,
                          .distance = r.distance,
                          .position = r.point_b,
                          .normal = ct_vec(0.0 - r.normal.x, 0.0 - r.normal.y, 0.0 - r.normal.z),
                          .triangle = r.triangle_b,
                          .status = r.status,
                          .flags = r.flags};
  }
  return CT_OK;
}

/* Every body that holds the point. */
static ct_status keep_holder(ct_probing *run, uint32_t row) {
  ct_probe_hit hit;
  bool found;
  ct_status status = nearest_collider(run, row, &hit, &found);
  if (status != CT_OK || !found) return status;
  ct_probe_hit *place = ct_probe_add(run);
  if (!place) return CT_OUT_OF_MEMORY;
  *place = hit;
  return CT_OK;
}

static int compare_rows(const void *a, const void *b) {
  const ct_probe_hit *p = a, *q = b;
  return (p->row > q->row) - (p->row < q->row);
}

static bool is_nearer(const ct_probe_hit *a, const ct_probe_hit *b) {
  return a->distance != b->distance ? a->distance < b->distance : a->row < b->row;
}

/* The nearest ones so far stand in order; when there are enough, the last one sets the limit. */
static ct_status keep_nearest(ct_probing *run, uint32_t row) {
  const ct_probe_options *o = &run->probe->options;
  ct_probe_hit hit;
  bool found;
  ct_status status = nearest_collider(run, row, &hit, &found);
  if (status != CT_OK || !found) return status;
  bool full = run->count == o->nearest;
  if (full && !is_nearer(&hit, &run->hits[run->count - 1])) return CT_OK;
  if (!full && !ct_probe_add(run)) return CT_OUT_OF_MEMORY;
  size_t k = run->count - 1;
  for (; k > 0 && is_nearer(&hit, &run->hits[k - 1]); k--) run->hits[k] = run->hits[k - 1];
  run->hits[k] = hit;
  if (run->count == o->nearest) run->limit = run->hits[run->count - 1].distance;
  return CT_OK;
}

ct_status ct_probe_item_point(ct_probing *run) {
  const ct_probe_options *o = &run->probe->options;
  run->point = o->points[run->item];
  if (o->kind == CT_PROBE_NEAREST) {
    run->limit = o->reach;
    return ct_probe_walk(run, bound_of_box, keep_nearest);
  }
  run->limit = 0.0;
  ct_status status = ct_probe_walk(run, bound_of_box, keep_holder);
  if (run->count > 1) qsort(run->hits, run->count, sizeof *run->hits, compare_rows);
  return status;
}
