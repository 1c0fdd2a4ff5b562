/* Points in a scene: the nearest bodies, and those that hold the point. */
#include "pair/pair_order.h"
#include "query/probe.h"
#include "ray/exact_frame.h"

#include <stdlib.h>

/* Rounding of distances against that of boxes, relative to the coordinates. */
#define BOX_SLACK (CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)

/* Signed distance of the point to a closed box: from within, how far out the nearest side is. */
static double box_distance(const ct_aabb *box, ct_vec3 p) {
  ct_vec3 d = {ct_max2(box->min.x - p.x, p.x - box->max.x),
               ct_max2(box->min.y - p.y, p.y - box->max.y),
               ct_max2(box->min.z - p.z, p.z - box->max.z)};
  double side = ct_max2(d.x, ct_max2(d.y, d.z));
  if (side <= 0.0) return side;
  return ct_norm(ct_vec(ct_max2(d.x, 0.0), ct_max2(d.y, 0.0), ct_max2(d.z, 0.0)));
}

/* A solid within a box is no nearer, and the point no deeper in it. */
static double bound_of_box(const ct_probe_range *run, const ct_aabb *box) {
  double distance = box_distance(box, run->point);
  return distance - BOX_SLACK * (ct_max_abs(run->point) + ct_aabb_magnitude(box));
}

/* The same of a collider, from its bounding ball. */
static double bound_of_ball(const ct_probe_range *run, ct_placed placed) {
  ct_vec3 center;
  double radius;
  ct_shape_ball(placed.shape, &center, &radius);
  if (!(radius < INFINITY)) return -INFINITY;
  double apart = ct_norm(ct_sub(ct_to_parent(*placed.frame, center), run->point));
  return apart - radius - BOX_SLACK * (ct_max_abs(run->point) + apart + radius);
}

/* Signed distance of the point to a collider, as far as the limit: sets all of the hit but row and
 * collider. */
static bool measure(const ct_probe_range *run, ct_placed solid, double limit, ct_probe_hit *hit) {
  const ct_shape point = {.kind = CT_KIND_SPHERE, .sphere = {0.0}};
  const ct_frame at = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, run->point};
  ct_pair_options options = {.threshold = ct_max2(limit, 0.0)};
  ct_pair_result r;
  ct_pair_distance_within((ct_placed){&point, &at}, solid, &options, run->workspace, &r);
  *hit = (ct_probe_hit){.distance = r.distance,
                        .position = r.point_b,
                        .normal = ct_vec(0.0 - r.normal.x, 0.0 - r.normal.y, 0.0 - r.normal.z),
                        .triangle = r.triangle_b,
                        .status = r.status,
                        .flags = r.flags};
  return r.distance <= limit;
}

/* The same of a mesh: the foot on its surface, and whether the point is inside, which no rounding
 * decides. */
static bool measure_mesh(const ct_probe_range *run, ct_placed solid, double limit,
                         ct_probe_hit *hit) {
  const ct_mesh *mesh = solid.shape->mesh;
  double growth = solid.shape->rounding + solid.shape->margin;
  ct_vec3 p = ct_to_local(*solid.frame, run->point);
  bool inside = ct_mesh_contains(mesh, p);
  double wide = (ct_max2(limit, 0.0) + growth) * (1.0 + BOX_SLACK);
  ct_mesh_foot foot;
  if (!ct_mesh_nearest(mesh, p, inside ? INFINITY : wide, &foot)) return false;
  ct_vec3 face = ct_mesh_normal(mesh, foot.triangle);
  ct_vec3 out = ct_unit_or(inside ? ct_sub(foot.point, p) : ct_sub(p, foot.point), face);
  double distance = (inside ? -foot.distance : foot.distance) - growth;
  ct_vec3 on = ct_to_parent(*solid.frame, ct_add_scaled(foot.point, out, growth));
  ct_vec3 normal = ct_mat_mul(solid.frame->rotation, out);
  *hit = (ct_probe_hit){.distance = distance + 0.0,
                        .position = ct_vec(on.x + 0.0, on.y + 0.0, on.z + 0.0),
                        .normal = ct_vec(normal.x + 0.0, normal.y + 0.0, normal.z + 0.0),
                        .triangle = foot.triangle,
                        .status = CT_PAIR_OK};
  return distance <= limit;
}

/* A sheet without thickness holds no point. */
static bool is_sheet(const ct_shape *shape) {
  return ct_kind_is_mesh(shape->kind) && !ct_mesh_get(shape->mesh)->solid &&
         shape->rounding + shape->margin == 0.0;
}

/* The body's collider of least distance, if that is not above the limit: the first among equals. */
static ct_status nearest_collider(ct_probe_range *run, uint32_t row, ct_probe_hit *hit,
                                  bool *found) {
  if (!ct_probe_place(run, row)) return CT_OUT_OF_MEMORY;
  const ct_placed_body *placed = &run->placed;
  bool holders = run->probe->options.kind == CT_PROBE_POINT;
  double limit = run->limit;
  *found = false;
  for (uint32_t i = 0; i < placed->count; i++) {
    const ct_frame frame = ct_frame_exact(&placed->frames[i]);
    ct_placed solid = {ct_body_shape(placed->body, i), &frame};
    if (ct_probe_cancelled(run, 1)) return CT_CANCELLED;
    if ((holders && is_sheet(solid.shape)) ||
        (placed->count > 1 && bound_of_ball(run, solid) > limit))
      continue;
    ct_probe_hit one;
    bool near = ct_kind_is_mesh(solid.shape->kind) ? measure_mesh(run, solid, limit, &one)
                                                   : measure(run, solid, limit, &one);
    if (ct_cancel_raised(run->probe->options.cancel))
      return CT_CANCELLED; /* the pair may have been cut short */
    if (!near || (*found && one.distance >= hit->distance)) continue;
    limit = one.distance;
    *found = true;
    *hit = one;
    hit->row = row;
    hit->collider = i;
  }
  return CT_OK;
}

/* Every body that holds the point. */
static ct_status keep_holder(ct_probe_range *run, uint32_t row) {
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
static ct_status keep_nearest(ct_probe_range *run, uint32_t row) {
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

ct_status ct_probe_item_point(ct_probe_range *run) {
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
