/* Cores: placing, vertices, supports. */
#include "narrow/core.h"

#include "shape/capsule.h"

/* Neighbours looked at for one feature; a face with more edges still shows two of its directions early. */
#define FEATURE_NEIGHBOURS_MAX 1024

static ct_vec3 column(const ct_mat3 *m, int i) {
  return i == 0   ? ct_vec(m->rx.x, m->ry.x, m->rz.x)
         : i == 1 ? ct_vec(m->rx.y, m->ry.y, m->rz.y)
                  : ct_vec(m->rx.z, m->ry.z, m->rz.z);
}

static ct_vec3 axis_of(const ct_frame *frame, int i, double length) {
  ct_vec3 unit = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
  return ct_scale(frame ? column(&frame->rotation, i) : unit, length);
}

static void place_hull(const ct_shape *shape, const ct_frame *frame, ct_core *core) {
  core->kind = CT_CORE_HULL;
  core->hull = shape->hull;
  core->view = ct_hull_get(shape->hull);
  core->turned = frame != NULL;
  core->middle = frame ? ct_to_parent(*frame, core->view->centroid) : core->view->centroid;
  core->size = core->view->radius;
  core->extent = ct_norm(core->view->centroid) + core->size;
}

void ct_core_place(const ct_shape *shape, const ct_frame *frame, ct_core *core) {
  *core = (ct_core){.center = frame ? frame->position : ct_vec(0.0, 0.0, 0.0)};
  core->rotation = frame ? frame->rotation : (ct_mat3){{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  core->middle = core->center;
  double center_z = 0.0, radius = 0.0;
  if (ct_shape_is_ball(shape, &center_z, &radius)) {
    core->kind = CT_CORE_POINT;
    if (center_z != 0.0) core->center = ct_add(core->center, axis_of(frame, 2, center_z));
    core->middle = core->center;
    core->radius[0] = core->radius[1] = radius;
    core->extent = fabs(center_z) + radius;
  } else if (shape->kind == CT_KIND_CAPSULE) {
    core->kind = CT_CORE_SEGMENT;
    core->axis[2] = axis_of(frame, 2, shape->capsule.half_length);
    core->radius[0] = shape->capsule.radius_bottom;
    core->radius[1] = shape->capsule.radius_top;
    core->size = shape->capsule.half_length;
    core->extent = core->size + ct_max2(core->radius[0], core->radius[1]);
  } else if (shape->kind == CT_KIND_BOX) {
    core->kind = CT_CORE_BOX;
    core->half = shape->box.half;
    core->axis[0] = axis_of(frame, 0, shape->box.half.x);
    core->axis[1] = axis_of(frame, 1, shape->box.half.y);
    core->axis[2] = axis_of(frame, 2, shape->box.half.z);
    core->size = core->extent = ct_norm(shape->box.half);
  } else {
    place_hull(shape, frame, core);
  }
}

ct_core ct_core_moved(const ct_core *core, ct_vec3 by) {
  ct_core moved = *core;
  moved.center = ct_add(core->center, by);
  moved.middle = ct_add(core->middle, by);
  moved.turned = true;
  return moved;
}

uint32_t ct_core_vertex_count(const ct_core *core) {
  switch (core->kind) {
  case CT_CORE_POINT: return 1;
  case CT_CORE_SEGMENT: return 2;
  case CT_CORE_BOX: return 8;
  case CT_CORE_HULL: break;
  }
  return core->view->vertex_count;
}

ct_vec3 ct_core_vertex(const ct_core *core, uint32_t index) {
  ct_vec3 p = core->center;
  switch (core->kind) {
  case CT_CORE_POINT: return p;
  case CT_CORE_SEGMENT: return index ? ct_add(p, core->axis[2]) : ct_sub(p, core->axis[2]);
  case CT_CORE_BOX: {
    double x = index & 1 ? 1.0 : -1.0, y = index & 2 ? 1.0 : -1.0, z = index & 4 ? 1.0 : -1.0;
    ct_vec3 arm = ct_add_scaled(ct_add_scaled(ct_scale(core->axis[0], x), core->axis[1], y), core->axis[2], z);
    return ct_add(p, arm);
  }
  case CT_CORE_HULL: break;
  }
  ct_vec3 v = {core->view->x[index], core->view->y[index], core->view->z[index]};
  return core->turned ? ct_add(ct_mat_mul(core->rotation, v), p) : v;
}

uint32_t ct_core_support(const ct_core *core, ct_vec3 direction, uint32_t start) {
  switch (core->kind) {
  case CT_CORE_POINT: return 0;
  case CT_CORE_SEGMENT: return 2.0 * ct_dot(direction, core->axis[2]) + (core->radius[1] - core->radius[0]) >= 0.0 ? 1 : 0;
  case CT_CORE_BOX:
    return (ct_dot(direction, core->axis[0]) >= 0.0 ? 1u : 0u) | (ct_dot(direction, core->axis[1]) >= 0.0 ? 2u : 0u) |
           (ct_dot(direction, core->axis[2]) >= 0.0 ? 4u : 0u);
  case CT_CORE_HULL: break;
  }
  return ct_hull_support(core->hull, core->turned ? ct_mat_tmul(core->rotation, direction) : direction, start);
}

double ct_core_reach(const ct_core *core, ct_vec3 direction) {
  uint32_t i = ct_core_support(core, direction, 0);
  return ct_dot(direction, ct_core_vertex(core, i)) + ct_core_vertex_radius(core, i);
}

/* Adds d to the span unless it lies in it already; directions are compared to 1e-6 rad, the documented meaning of parallel. */
static int add_span(ct_vec3 span[2], int rank, ct_vec3 d) {
  ct_vec3 unit = ct_unit_or(d, ct_vec(0.0, 0.0, 0.0));
  if (rank == 0) {
    span[0] = unit;
    return ct_max_abs(unit) > 0.0 ? 1 : 0;
  }
  if (rank == 1 && ct_norm(ct_cross(span[0], unit)) > 1e-6) {
    span[1] = unit;
    return 2;
  }
  return rank;
}

static int hull_feature(const ct_core *core, ct_vec3 direction, double slack, ct_vec3 span[2]) {
  const ct_hull_view *view = core->view;
  uint32_t top = ct_core_support(core, direction, 0);
  ct_vec3 p = ct_core_vertex(core, top);
  int rank = 0;
  uint32_t first = view->neighbour_start[top], end = view->neighbour_start[top + 1];
  if (end - first > FEATURE_NEIGHBOURS_MAX) end = first + FEATURE_NEIGHBOURS_MAX;
  for (uint32_t i = first; i < end && rank < 2; i++) {
    ct_vec3 edge = ct_sub(ct_core_vertex(core, view->neighbour[i]), p);
    if (fabs(ct_dot(direction, edge)) <= slack * ct_norm(edge)) rank = add_span(span, rank, edge);
  }
  return rank;
}

int ct_core_feature(const ct_core *core, ct_vec3 direction, double slack, ct_vec3 span[2]) {
  if (core->kind == CT_CORE_HULL) return hull_feature(core, direction, slack, span);
  int rank = 0;
  for (int i = core->kind == CT_CORE_BOX ? 0 : 2; i < 3 && core->kind != CT_CORE_POINT && rank < 2; i++) {
    double level = 2.0 * ct_dot(direction, core->axis[i]) + (core->radius[1] - core->radius[0]);
    if (fabs(level) <= 2.0 * slack * ct_norm(core->axis[i])) rank = add_span(span, rank, core->axis[i]);
  }
  return rank;
}
