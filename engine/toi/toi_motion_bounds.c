/* One side of a pair: how far its points are from the pivot and from the axis that it turns about.
 */
#include "shape/sharp_shape.h"
#include "toi/toi.h"

/* Rounding of lengths, a few operations each. */
#define LENGTH_WIDENING (16.0 * CT_UNIT_ROUNDOFF)
/* Frame of the collider in one whose origin is the pivot, and the axis there. */
typedef struct turn {
  ct_frame frame;
  bool steady;
  ct_vec3 axis; /* unit; body frame */
} turn;

/* Distance of a point, seen from the pivot, from the axis, or from the pivot where there is no
 * axis. */
static double arm_of(const turn *t, ct_vec3 p, bool about_axis) {
  return about_axis ? ct_norm(ct_cross(t->axis, p)) : ct_norm(p);
}

static double arm_at(const turn *t, double x, double y, double z, bool about_axis) {
  return arm_of(t, ct_to_parent(t->frame, ct_vec(x, y, z)), about_axis);
}

static double box_arm(const turn *t, ct_vec3 half, bool about_axis) {
  double most = 0.0;
  for (int i = 0; i < 8; i++)
    most = ct_max2(most, arm_at(t, i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                                i & 4 ? half.z : -half.z, about_axis));
  return most;
}

/* A disc across the shape's axis: from the pivot its rim's farthest point; from another axis its
 * centre's distance and its radius, or less where the disc's own axis is the same. */
static double disc_arm(const turn *t, double z, double radius, bool about_axis) {
  ct_vec3 center = ct_to_parent(t->frame, ct_vec(0.0, 0.0, z));
  if (about_axis) return arm_of(t, center, true) + radius;
  ct_vec3 normal = ct_mat_mul(t->frame.rotation, ct_vec(0.0, 0.0, 1.0));
  return ct_norm(ct_vec(ct_dot(center, normal), ct_norm(ct_cross(normal, center)) + radius, 0.0));
}

static double ball_arm(const turn *t, const ct_shape *shape, bool about_axis) {
  ct_vec3 center;
  double radius;
  ct_shape_ball(shape, &center, &radius);
  return arm_at(t, center.x, center.y, center.z, about_axis) + radius;
}

static double hull_arm(const turn *t, const ct_shape *shape, bool about_axis) {
  const ct_hull_view *h = ct_hull_get(shape->hull);
  if (h->vertex_count > CT_TOI_VERTICES_MAX) return ball_arm(t, shape, about_axis);
  double most = 0.0;
  for (uint32_t i = 0; i < h->vertex_count; i++)
    most = ct_max2(most, arm_at(t, h->x[i], h->y[i], h->z[i], about_axis));
  return most;
}

static double mesh_arm(const turn *t, const ct_shape *shape, bool about_axis) {
  const ct_mesh_view *m = ct_mesh_get(shape->mesh);
  if (m->point_count > CT_TOI_VERTICES_MAX) return ball_arm(t, shape, about_axis);
  double most = 0.0;
  for (uint32_t i = 0; i < m->point_count; i++)
    most = ct_max2(most, arm_of(t, ct_to_parent(t->frame, m->vertices[m->points[i]]), about_axis));
  return most;
}

static double sharp_arm(const turn *t, const ct_shape *s, bool about_axis) {
  switch (s->kind) {
  case CT_KIND_SPHERE: return arm_at(t, 0.0, 0.0, 0.0, about_axis) + s->sphere.radius;
  case CT_KIND_BOX: return box_arm(t, s->box.half, about_axis);
  case CT_KIND_CAPSULE:
    return ct_max2(arm_at(t, 0.0, 0.0, -s->capsule.half_length, about_axis) +
                       s->capsule.radius_bottom,
                   arm_at(t, 0.0, 0.0, s->capsule.half_length, about_axis) + s->capsule.radius_top);
  case CT_KIND_CYLINDER:
    return ct_max2(disc_arm(t, -s->cylinder.half_length, s->cylinder.radius, about_axis),
                   disc_arm(t, s->cylinder.half_length, s->cylinder.radius, about_axis));
  case CT_KIND_CONE:
    return ct_max2(disc_arm(t, -s->cone.half_length, s->cone.radius_bottom, about_axis),
                   disc_arm(t, s->cone.half_length, s->cone.radius_top, about_axis));
  case CT_KIND_CONVEX: return hull_arm(t, s, about_axis);
  case CT_KIND_MESH:
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH: return mesh_arm(t, s, about_axis);
  case CT_KIND_PLANE: return INFINITY;
  default: return ball_arm(t, s, about_axis);
  }
}

ct_toi_side ct_toi_side_start(ct_moving_body mover) {
  ct_toi_side side = {.body = mover.body, .path = mover.path};
  side.pivot = ct_path_pivot(mover.path);
  side.acceleration = ct_path_acceleration(mover.path);
  side.spin = ct_path_spin(mover.path, &side.axis, &side.steady);
  side.moves = ct_path_kind_of(mover.path) != CT_PATH_REST;
  return side;
}

ct_toi_side ct_toi_side_of(ct_moving_body mover, uint32_t index) {
  ct_toi_side side = ct_toi_side_start(mover);
  side.index = index;
  side.shape = ct_body_shape(mover.body, index);

  ct_frame body = ct_frame_of(ct_path_pose(mover.path, 0.0));
  ct_frame identity = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};
  turn t = {ct_body_shape_frame(mover.body, index, &identity), side.steady,
            ct_mat_tmul(body.rotation, side.axis)};
  ct_vec3 center;
  ct_shape_ball(side.shape, &center, &side.radius);
  side.ball = ct_to_parent(t.frame, center);
  t.frame.position = ct_sub(t.frame.position, side.pivot);
  ct_vec3 to = ct_sub(side.ball, side.pivot);
  side.ball_arm = arm_of(&t, to, side.steady) + LENGTH_WIDENING * ct_norm(to);
  if (side.shape->kind == CT_KIND_PLANE) {
    side.reach = side.arm = INFINITY;
    return side;
  }
  ct_sharp_shape inner = ct_shape_sharp(side.shape);
  if (inner.center_z != 0.0)
    t.frame.position = ct_to_parent(t.frame, ct_vec(0.0, 0.0, inner.center_z));
  double widening = 1.0 + LENGTH_WIDENING;
  side.reach = (sharp_arm(&t, &inner.shape, false) + inner.radius) * widening;
  side.arm = side.reach;
  if (inner.shape.kind == CT_KIND_SPHERE) {
    /* A ball goes where its centre goes. */
    side.arm = side.ball_arm;
    return side;
  }
  /* The cross product with the axis loses what is along it. */
  if (side.steady)
    side.arm = ct_min2(side.reach, (sharp_arm(&t, &inner.shape, true) + inner.radius) * widening +
                                       LENGTH_WIDENING * side.reach);
  return side;
}
