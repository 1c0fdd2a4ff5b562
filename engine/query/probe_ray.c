/* Rays through a scene: the bodies whose boxes the ray reaches, nearest first, until what is found
 * is nearer than what is left. */
#include "query/probe.h"
#include "ray/ray_convex.h"

#include <stdlib.h>

/* Rounding of a box's slabs, relative to the coordinates: boxes must leave out nothing that the
 * narrow phase would hit. */
#define BOX_SLACK (CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF)

/* A ray against a shape, in steps of the cancel flag. */
#define RAY_STEPS 8

/* Where the line is between two planes across an axis; false: nowhere. */
static bool cut_slab(double low, double high, double origin, double direction, double *in,
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
  if (!cut_slab(b.min.x, b.max.x, o->x, d->x, &in, &out) ||
      !cut_slab(b.min.y, b.max.y, o->y, d->y, &in, &out) ||
      !cut_slab(b.min.z, b.max.z, o->z, d->z, &in, &out) || in > out)
    return INFINITY;
  return in * run->length * (1.0 - BOX_SLACK);
}

/* By distance; what is left at one distance before what is entered there; row, collider. */
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

/* Keeps every hit, or the first alone. */
static ct_status keep(ct_probe_range *run, const ct_probe_hit *hit) {
  bool first = !run->probe->options.all;
  if (first && run->count == 1) {
    if (compare_hits(hit, run->hits) < 0) run->hits[0] = *hit;
  } else {
    ct_probe_hit *place = ct_probe_add(run);
    if (!place) return CT_OUT_OF_MEMORY;
    *place = *hit;
  }
  if (first) run->limit = run->ray.reach = run->hits[0].distance;
  return CT_OK;
}

/* The crossings of a collider, in run->crossings; SIZE_MAX: out of memory. */
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
  if (!ct_probe_place(run, row)) return CT_OUT_OF_MEMORY;
  const ct_placed_body *placed = &run->placed;
  for (uint32_t i = 0; i < placed->count; i++) {
    if (ct_probe_cancelled(run, RAY_STEPS)) return CT_CANCELLED;
    size_t count =
        cross_collider(run, (ct_placed){ct_body_shape(placed->body, i), &placed->frames[i]});
    if (count == SIZE_MAX) return CT_OUT_OF_MEMORY;
    for (size_t k = 0; k < count; k++) {
      ct_probe_hit hit = hit_of(&run->crossings[k], row, i);
      ct_status status = keep(run, &hit);
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
  ct_status status = ct_probe_walk(run, entry_of_box, cross_body);
  if (run->count > 1) qsort(run->hits, run->count, sizeof *run->hits, compare_hits);
  return status;
}
