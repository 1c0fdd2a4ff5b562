/* The common measure of penetration: the exact distance of all pairs, from the poses alone. */
#include "shapes.h"

#include <contact/broad.h>
#include <contact/pair.h>

#include <math.h>
#include <stdlib.h>

/* Placed bodies; the last one is the floor. */
typedef struct placed {
  ct_shape shapes[HEAPS_SHAPES_MAX + 1];
  uint32_t *shape; /* [count] */
  ct_frame *frames;
  ct_aabb *boxes;
  uint32_t count;
} placed;

static bool place_bodies(const heaps_scene *scene, const heaps_body *bodies, double hull_margin,
                         placed *p) {
  const heaps_shape floor = {.half = {HEAPS_FLOOR_HALF, HEAPS_FLOOR_HALF, HEAPS_FLOOR_DEPTH}};
  p->count = scene->count + 1;
  p->shape = calloc(p->count, sizeof *p->shape);
  p->frames = calloc(p->count, sizeof *p->frames);
  p->boxes = calloc(p->count, sizeof *p->boxes);
  if (!p->shape || !p->frames || !p->boxes) return false;
  for (uint32_t i = 0; i <= scene->shape_count; i++) {
    const heaps_shape *shape = i < scene->shape_count ? &scene->shapes[i] : &floor;
    if (!heaps_contact_shape(shape, &p->shapes[i])) return false;
    if (shape->is_hull) p->shapes[i].margin = hull_margin;
  }
  for (uint32_t i = 0; i < p->count; i++) {
    ct_pose pose = {{0.0, 0.0, -HEAPS_FLOOR_DEPTH}, {0.0, 0.0, 0.0, 1.0}};
    p->shape[i] = scene->shape_count;
    if (i < scene->count) {
      const double *x = bodies[i].position, *q = bodies[i].rotation;
      pose = (ct_pose){{x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}};
      p->shape[i] = bodies[i].shape;
    }
    p->frames[i] = ct_frame_of(pose);
    p->boxes[i] = ct_shape_aabb(&p->shapes[p->shape[i]], &p->frames[i]);
  }
  return true;
}

static double deepest_pair(const placed *p, ct_workspace *workspace) {
  const ct_broad_options all = ct_broad_options_default();
  const ct_pair_options overlapping = {.threshold = CT_PAIR_THRESHOLD_MIN};
  ct_pair_list list = {NULL, 0, 0};
  double depth = 0.0;
  if (ct_broad_pairs(p->boxes, p->count, &all, &list, NULL) != CT_OK) return NAN;
  for (size_t k = 0; k < list.count; k++) {
    uint32_t i = list.items[k].i, j = list.items[k].j;
    ct_pair_result result;
    ct_pair_distance((ct_placed){&p->shapes[p->shape[i]], &p->frames[i]},
                     (ct_placed){&p->shapes[p->shape[j]], &p->frames[j]}, &overlapping, workspace,
                     &result);
    if (result.distance < -depth) depth = -result.distance;
  }
  ct_pair_list_free(&list);
  return depth;
}

double heaps_penetration(const heaps_scene *scene, const heaps_body *bodies, double hull_margin) {
  placed p = {.count = 0};
  ct_workspace *workspace = ct_workspace_create();
  double depth = NAN;
  if (workspace && place_bodies(scene, bodies, hull_margin, &p))
    depth = deepest_pair(&p, workspace);
  for (uint32_t i = 0; i <= scene->shape_count; i++) ct_shape_release(&p.shapes[i]);
  free(p.shape);
  free(p.frames);
  free(p.boxes);
  ct_workspace_destroy(workspace);
  return depth;
}
