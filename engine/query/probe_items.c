/* Evaluates the items of a probe: a ray, a point, or a body that is a candidate for a region.
 *
 * Rays and points visit the rows by depth-first descent of the scene's AABB tree, nearer child
 * first, with a lower bound of each box's distance; the limit decreases as hits are found. Rays:
 * entries and exits of the colliders whose boxes the ray intersects. Points: signed distances,
 * bounded by boxes and bounding balls. Regions: bodies that share a point with the region's shape,
 * and bodies inside it. */
#include "base/array.h"
#include "broad/aabb_tree.h"
#include "pair/pair_order.h"
#include "query/probe.h"
#include "ray/exact_frame.h"
#include "ray/ray_convex.h"

#include <stdlib.h>

/* Error of a computed distance relative to the coordinates; the bounds from boxes are lowered by
 * it. */
#define BOX_SLACK (CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)

/* Returns a lower bound of the distance of a box's contents; INFINITY: the contents cannot be a
 * hit. Monotone: the bound of a box inside `box` is never smaller. */
typedef double (*bound_box)(const ct_probe_range *run, const ct_aabb *box);
typedef ct_status (*visit_body)(ct_probe_range *run, uint32_t row);

/* Appends an uninitialised hit to run->hits and returns it. NULL: out of memory. */
static ct_probe_hit *add_probe_hit(ct_probe_range *run) {
  if (!ct_array_reserve(&run->hits, &run->capacity, run->count + 1, sizeof *run->hits)) return NULL;
  return &run->hits[run->count++];
}

/* Places the colliders of the body in a row of the scene in run->placed. False: out of memory. */
static bool place_probed_body(ct_probe_range *run, uint32_t row) {
  if (run->placed_row == row) return true;
  const ct_query *query = run->probe->query;
  run->placed_row = row;
  return ct_placed_body_set(&run->placed, ct_scene_body_at(query->scene, row),
                            ct_query_pose(query, row));
}

/* ---- traversal ------------------------------------------------------------------------------- */

typedef struct traversal {
  ct_probe_range *run;
  bound_box bound;
  visit_body visit;
} traversal;

static bool is_within_limit(const traversal *w, double bound) {
  return bound < INFINITY && bound <= w->run->limit;
}

static ct_status visit_probed_row(const traversal *w, uint32_t row, const ct_aabb *box) {
  const uint8_t *where = w->run->probe->options.where;
  if (where && !where[row]) return CT_OK;
  if (ct_poll_cancelled(&w->run->poll, 1)) return CT_CANCELLED;
  return is_within_limit(w, w->bound(w->run, box)) ? w->visit(w->run, row) : CT_OK;
}

/* A tree node still to visit, and the lower bound of its box's distance. */
typedef struct pending_node {
  uint32_t node;
  double bound;
} pending_node;

/* Visits the bodies in the tree, nearer child first. A pending node whose bound exceeds the limit
 * is skipped when it is popped; the limit may have decreased since it was pushed. */
static ct_status traverse_tree(const traversal *w, const ct_tree *tree) {
  pending_node stack[CT_TREE_HEIGHT_MAX + 2];
  int top = 0;
  if (tree->root == CT_TREE_NULL) return CT_OK;
  stack[top++] = (pending_node){tree->root, w->bound(w->run, &tree->nodes[tree->root].box)};
  while (top > 0) {
    pending_node at = stack[--top];
    if (!is_within_limit(w, at.bound)) continue;
    const ct_tree_node *node = &tree->nodes[at.node];
    if (node->height == 0) {
      uint32_t row = node->child[1];
      ct_status status = ct_query_overridden(w->run->probe->query, row)
                             ? CT_OK
                             : visit_probed_row(w, row, &node->box);
      if (status != CT_OK) return status;
      continue;
    }
    if (ct_poll_cancelled(&w->run->poll, 2)) return CT_CANCELLED;
    pending_node c = {node->child[0], w->bound(w->run, &tree->nodes[node->child[0]].box)};
    pending_node d = {node->child[1], w->bound(w->run, &tree->nodes[node->child[1]].box)};
    bool swap = d.bound < c.bound;
    stack[top++] = swap ? c : d;
    stack[top++] = swap ? d : c;
  }
  return CT_OK;
}

static ct_status traverse_boxes(const traversal *w) {
  const ct_query *query = w->run->probe->query;
  ct_status status = CT_OK;
  for (uint32_t row = 0; row < query->scene->rows && status == CT_OK; row++) {
    ct_aabb box;
    if (ct_query_aabb(query, row, &box)) status = visit_probed_row(w, row, &box);
  }
  return status;
}

/* Visits every body that `where` selects and whose AABB has a lower distance bound of at most
 * run->limit: bodies outside the tree first, then overridden ones, then the tree, nearer child
 * first. A visit may lower the limit. */
static ct_status traverse_rows(ct_probe_range *run, bound_box bound, visit_body visit) {
  const ct_query *query = run->probe->query;
  traversal w = {run, bound, visit};
  if (query->source == CT_SOURCE_BOXES) return traverse_boxes(&w);
  ct_status status = CT_OK;
  for (uint32_t k = 0; k < query->derived->unbounded_count && status == CT_OK; k++) {
    const ct_unbounded_body *unbounded = &query->derived->unbounded[k];
    if (!ct_query_overridden(query, unbounded->row))
      status = visit_probed_row(&w, unbounded->row, &unbounded->box);
  }
  for (size_t k = 0; k < query->options.override_count && status == CT_OK; k++) {
    ct_aabb box;
    uint32_t row = query->options.overrides[k].row;
    if (ct_query_aabb(query, row, &box)) status = visit_probed_row(&w, row, &box);
  }
  return status == CT_OK ? traverse_tree(&w, query->derived->tree) : status;
}

/* ---- rays -------------------------------------------------------------------------------- */

/* Number of steps counted for intersecting a ray with one shape. */
#define RAY_STEPS 8

/* Restricts [*in, *out] to the parameters at which the line is between two planes normal to an
 * axis. False: the line is parallel to the planes and not between them. */
static bool clip_line_to_slab(double low, double high, double origin, double direction, double *in,
                              double *out) {
  if (direction == 0.0) return low <= origin && origin <= high;
  double s = (low - origin) / direction, t = (high - origin) / direction;
  *in = ct_max2(*in, ct_min2(s, t));
  *out = ct_min2(*out, ct_max2(s, t));
  return true;
}

static double entry_of_box(const ct_probe_range *run, const ct_aabb *box) {
  const ct_vec3 *o = &run->ray.origin, *d = &run->direction;
  double in = 0.0, out = INFINITY;
  ct_aabb b = ct_aabb_expand(*box, BOX_SLACK * (run->size + ct_aabb_magnitude(box)));
  if (!clip_line_to_slab(b.min.x, b.max.x, o->x, d->x, &in, &out) ||
      !clip_line_to_slab(b.min.y, b.max.y, o->y, d->y, &in, &out) ||
      !clip_line_to_slab(b.min.z, b.max.z, o->z, d->z, &in, &out) || in > out)
    return INFINITY;
  return in * run->length * (1.0 - BOX_SLACK);
}

/* Orders hits by distance, then exits before entries, then by row, collider and triangle. */
static int compare_hits(const void *a, const void *b) {
  const ct_probe_hit *p = a, *q = b;
  if (p->distance != q->distance) return p->distance < q->distance ? -1 : 1;
  if (p->entering != q->entering) return p->entering ? 1 : -1;
  if (p->row != q->row) return p->row < q->row ? -1 : 1;
  if (p->collider != q->collider) return p->collider < q->collider ? -1 : 1;
  return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

static ct_probe_hit hit_of(const ct_ray_crossing *c, uint32_t row, uint32_t collider) {
  return (ct_probe_hit){.row = row,
                        .collider = collider,
                        .distance = c->distance,
                        .position = c->position,
                        .normal = c->normal,
                        .entering = c->entering,
                        .triangle = c->triangle,
                        .status = c->status};
}

/* Adds the hit if all hits are requested; otherwise replaces the only hit if the new one is before
 * it, and lowers the limit to its distance. */
static ct_status keep_ray_hit(ct_probe_range *run, const ct_probe_hit *hit) {
  bool first = !run->probe->options.all;
  if (first && run->count == 1) {
    if (compare_hits(hit, run->hits) < 0) run->hits[0] = *hit;
  } else {
    ct_probe_hit *place = add_probe_hit(run);
    if (!place) return CT_OUT_OF_MEMORY;
    *place = *hit;
  }
  if (first) run->limit = run->ray.reach = run->hits[0].distance;
  return CT_OK;
}

/* Writes the crossings of the ray with a collider to run->crossings and returns their number.
 * SIZE_MAX: out of memory. */
static size_t cross_collider(ct_probe_range *run, ct_placed collider) {
  size_t enough = run->probe->options.all ? 2 : 1;
  for (;;) {
    if (run->crossing_room < enough) {
      ct_ray_crossing *crossings = realloc(run->crossings, enough * sizeof *crossings);
      if (!crossings) return SIZE_MAX;
      run->crossings = crossings;
      run->crossing_room = enough;
    }
    size_t count =
        ct_ray_cross(&run->ray, collider, run->workspace, run->crossings, run->crossing_room);
    if (count == SIZE_MAX) return SIZE_MAX;
    if (count <= run->crossing_room || !run->probe->options.all)
      return count < run->crossing_room ? count : run->crossing_room;
    enough = count;
  }
}

static ct_status cross_body(ct_probe_range *run, uint32_t row) {
  if (!place_probed_body(run, row)) return CT_OUT_OF_MEMORY;
  const ct_placed_body *placed = &run->placed;
  for (uint32_t i = 0; i < placed->count; i++) {
    if (ct_poll_cancelled(&run->poll, RAY_STEPS)) return CT_CANCELLED;
    size_t count =
        cross_collider(run, (ct_placed){ct_body_shape(placed->body, i), &placed->frames[i]});
    if (count == SIZE_MAX) return CT_OUT_OF_MEMORY;
    for (size_t k = 0; k < count; k++) {
      ct_probe_hit hit = hit_of(&run->crossings[k], row, i);
      ct_status status = keep_ray_hit(run, &hit);
      if (status != CT_OK) return status;
    }
  }
  return CT_OK;
}

ct_status ct_probe_item_ray(ct_probe_range *run) {
  run->ray = run->probe->options.rays[run->item];
  run->direction = ct_ray_scaled(run->ray.direction);
  run->length = ct_norm(run->direction);
  run->size = ct_max_abs(run->ray.origin);
  run->limit = run->ray.reach;
  ct_status status = traverse_rows(run, entry_of_box, cross_body);
  if (run->count > 1) qsort(run->hits, run->count, sizeof *run->hits, compare_hits);
  return status;
}

/* ---- points ------------------------------------------------------------------------------ */

/* Returns the signed distance of the point from a closed box: inside, minus the distance to the
 * nearest side. */
static double point_box_distance(const ct_aabb *box, ct_vec3 p) {
  ct_vec3 d = {ct_max2(box->min.x - p.x, p.x - box->max.x),
               ct_max2(box->min.y - p.y, p.y - box->max.y),
               ct_max2(box->min.z - p.z, p.z - box->max.z)};
  double side = ct_max2(d.x, ct_max2(d.y, d.z));
  if (side <= 0.0) return side;
  return ct_norm(ct_vec(ct_max2(d.x, 0.0), ct_max2(d.y, 0.0), ct_max2(d.z, 0.0)));
}

/* Returns a lower bound of the signed distance from the point to any solid inside the box: a solid
 * in the box is no nearer than the box, and the point is no deeper in it than in the box. */
static double bound_point_distance(const ct_probe_range *run, const ct_aabb *box) {
  double distance = point_box_distance(box, run->point);
  return distance - BOX_SLACK * (ct_max_abs(run->point) + ct_aabb_magnitude(box));
}

/* Returns a lower bound of the distance from the point to a collider, by its bounding ball. */
static double bound_ball_distance(const ct_probe_range *run, ct_placed placed) {
  ct_vec3 center;
  double radius;
  ct_shape_ball(placed.shape, &center, &radius);
  if (!(radius < INFINITY)) return -INFINITY;
  double apart = ct_norm(ct_sub(ct_to_parent(*placed.frame, center), run->point));
  return apart - radius - BOX_SLACK * (ct_max_abs(run->point) + apart + radius);
}

/* Computes the signed distance of the point to a convex collider, and sets all members of the hit
 * but row and collider. False: the distance exceeds the limit. */
static bool measure_point_distance(const ct_probe_range *run, ct_placed solid, double limit,
                                   ct_probe_hit *hit) {
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

/* Computes the signed distance of the point to a mesh: distance to the closest surface point, and
 * an exact test whether the point is inside. Sets the members of the hit as
 * measure_point_distance. */
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

/* True for a surface mesh without rounding radius and margin: it has no volume and contains no
 * point. */
static bool is_sheet(const ct_shape *shape) {
  return ct_kind_is_mesh(shape->kind) && !ct_mesh_get(shape->mesh)->solid &&
         shape->rounding + shape->margin == 0.0;
}

/* Finds the body's collider of least signed distance to the point; among equals the first one.
 * *found: the distance is at most run->limit, and *hit is set. */
static ct_status nearest_collider(ct_probe_range *run, uint32_t row, ct_probe_hit *hit,
                                  bool *found) {
  if (!place_probed_body(run, row)) return CT_OUT_OF_MEMORY;
  const ct_placed_body *placed = &run->placed;
  bool holders = run->probe->options.kind == CT_PROBE_POINT;
  double limit = run->limit;
  *found = false;
  for (uint32_t i = 0; i < placed->count; i++) {
    const ct_frame frame = ct_frame_exact(&placed->frames[i]);
    ct_placed solid = {ct_body_shape(placed->body, i), &frame};
    if (ct_poll_cancelled(&run->poll, 1)) return CT_CANCELLED;
    if ((holders && is_sheet(solid.shape)) ||
        (placed->count > 1 && bound_ball_distance(run, solid) > limit))
      continue;
    ct_probe_hit one;
    bool near = ct_kind_is_mesh(solid.shape->kind)
                    ? measure_mesh(run, solid, limit, &one)
                    : measure_point_distance(run, solid, limit, &one);
    if (ct_cancel_raised(run->probe->options.cancel))
      return CT_CANCELLED; /* the evaluation may be incomplete */
    if (!near || (*found && one.distance >= hit->distance)) continue;
    limit = one.distance;
    *found = true;
    *hit = one;
    hit->row = row;
    hit->collider = i;
  }
  return CT_OK;
}

/* Adds the body to the hits if it contains the point. */
static ct_status record_containing_body(ct_probe_range *run, uint32_t row) {
  ct_probe_hit hit;
  bool found;
  ct_status status = nearest_collider(run, row, &hit, &found);
  if (status != CT_OK || !found) return status;
  ct_probe_hit *place = add_probe_hit(run);
  if (!place) return CT_OUT_OF_MEMORY;
  *place = hit;
  return CT_OK;
}

static int compare_hit_rows(const void *a, const void *b) {
  const ct_probe_hit *p = a, *q = b;
  return (p->row > q->row) - (p->row < q->row);
}

static bool is_nearer(const ct_probe_hit *a, const ct_probe_hit *b) {
  return a->distance != b->distance ? a->distance < b->distance : a->row < b->row;
}

/* Inserts the hit of the body in this row into the list of the nearest hits, ascending. Once the
 * list has the requested number, the distance of its last hit becomes the limit. */
static ct_status record_nearest(ct_probe_range *run, uint32_t row) {
  const ct_probe_options *o = &run->probe->options;
  ct_probe_hit hit;
  bool found;
  ct_status status = nearest_collider(run, row, &hit, &found);
  if (status != CT_OK || !found) return status;
  bool full = run->count == o->nearest;
  if (full && !is_nearer(&hit, &run->hits[run->count - 1])) return CT_OK;
  if (!full && !add_probe_hit(run)) return CT_OUT_OF_MEMORY;
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
    return traverse_rows(run, bound_point_distance, record_nearest);
  }
  run->limit = 0.0;
  ct_status status = traverse_rows(run, bound_point_distance, record_containing_body);
  if (run->count > 1) qsort(run->hits, run->count, sizeof *run->hits, compare_hit_rows);
  return status;
}

/* ---- regions ----------------------------------------------------------------------------- */

/* Adds a hit that has only the row; ct_probe_find_rows collects the candidate rows of a region this
 * way. */
static ct_status add_row(ct_probe_range *run, uint32_t row) {
  ct_probe_hit *hit = add_probe_hit(run);
  if (!hit) return CT_OUT_OF_MEMORY;
  hit->row = row;
  return CT_OK;
}

static double bound_region_box(const ct_probe_range *run, const ct_aabb *box) {
  const ct_aabb *region = &run->probe->region_box;
  ct_aabb grown =
      ct_aabb_expand(*region, BOX_SLACK * (ct_aabb_magnitude(region) + ct_aabb_magnitude(box)));
  return ct_aabb_overlap(&grown, box) ? 0.0 : INFINITY;
}

static int compare_row_numbers(const void *a, const void *b) {
  uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  return (p > q) - (p < q);
}

ct_status ct_probe_find_rows(ct_probe *probe) {
  ct_probe_range run = ct_probe_range_start(probe, NULL);
  ct_status status = traverse_rows(&run, bound_region_box, add_row);
  uint32_t *rows = status == CT_OK ? malloc((run.count + 1) * sizeof *rows) : NULL;
  if (status == CT_OK && !rows) status = CT_OUT_OF_MEMORY;
  for (size_t k = 0; rows && k < run.count; k++) rows[k] = run.hits[k].row;
  if (rows) qsort(rows, run.count, sizeof *rows, compare_row_numbers);
  probe->rows = rows;
  probe->items = run.count;
  free(run.hits);
  return status;
}

/* Sets *inside to true if the region contains all of the body's colliders. */
static ct_status contains_all_colliders(ct_probe_range *run, bool *inside) {
  const ct_probe *probe = run->probe;
  const ct_placed_body *placed = &run->placed;
  *inside = true;
  for (uint32_t i = 0; i < placed->count && *inside; i++) {
    ct_pair_options options = {.threshold = 0.0};
    ct_pair_result r;
    ct_pair_distance_within((ct_placed){&probe->options.region, &probe->region_frame},
                            (ct_placed){ct_body_shape(placed->body, i), &placed->frames[i]},
                            &options, run->workspace, &r);
    if (ct_cancel_raised(probe->options.cancel))
      return CT_CANCELLED; /* the evaluation may be incomplete */
    *inside = r.relation == CT_CONTAINING;
  }
  return CT_OK;
}

ct_status ct_probe_item_region(ct_probe_range *run) {
  const ct_probe *probe = run->probe;
  uint32_t row = probe->rows[run->item], i = 0;
  if (!place_probed_body(run, row)) return CT_OUT_OF_MEMORY;
  const ct_placed_body *placed = &run->placed;
  ct_placed region = {&probe->options.region, &probe->region_frame};
  for (; i < placed->count; i++) {
    const ct_shape *shape = ct_body_shape(placed->body, i);
    bool overlap =
        ct_pair_overlap(region, (ct_placed){shape, &placed->frames[i]}, run->workspace, NULL);
    if (ct_cancel_raised(probe->options.cancel))
      return CT_CANCELLED; /* the evaluation may be incomplete */
    if (overlap) break;
  }
  if (i == placed->count) return CT_OK;
  bool inside;
  ct_status status = contains_all_colliders(run, &inside);
  if (status != CT_OK || (probe->options.inside && !inside)) return status;
  ct_probe_hit *hit = add_probe_hit(run);
  if (!hit) return CT_OUT_OF_MEMORY;
  *hit = (ct_probe_hit){.row = row, .collider = i, .inside = inside, .triangle = CT_NO_TRIANGLE};
  return CT_OK;
}
