/* Samples of one pair: reach and arm of each side, poses at a time, and bounds of the signed
 * distance that include the round-off of poses and distance. */
#include "pair/pair_order.h"
#include "shape/sharp_shape.h"
#include "toi/toi.h"

#include <assert.h>

/* ---- reach of a side ------------------------------------------------------------------------- */

/* Relative round-off of lengths, each computed in a few operations. */
#define LENGTH_WIDENING (16.0 * CT_UNIT_ROUNDOFF)
/* Frame of the collider relative to the pivot, and the axis of rotation, in the body frame. */
typedef struct turn_frame {
  ct_frame frame;
  bool steady;
  ct_vec3 axis; /* unit; body frame */
} turn_frame;

/* Returns the distance of a point p, given relative to the pivot, from the axis or from the
 * pivot. */
static double point_arm(const turn_frame *t, ct_vec3 p, bool about_axis) {
  return about_axis ? ct_norm(ct_cross(t->axis, p)) : ct_norm(p);
}

static double local_point_arm(const turn_frame *t, double x, double y, double z, bool about_axis) {
  return point_arm(t, ct_to_parent(t->frame, ct_vec(x, y, z)), about_axis);
}

static double box_arm(const turn_frame *t, ct_vec3 half, bool about_axis) {
  double most = 0.0;
  for (int i = 0; i < 8; i++)
    most = ct_max2(most, local_point_arm(t, i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                                         i & 4 ? half.z : -half.z, about_axis));
  return most;
}

/* Returns the arm of a disc perpendicular to the shape's axis. From the pivot: distance of the
 * farthest point of its rim. From the axis of rotation, an upper bound: distance of the disc's
 * centre plus its radius. */
static double disc_arm(const turn_frame *t, double z, double radius, bool about_axis) {
  ct_vec3 center = ct_to_parent(t->frame, ct_vec(0.0, 0.0, z));
  if (about_axis) return point_arm(t, center, true) + radius;
  ct_vec3 normal = ct_mat_mul(t->frame.rotation, ct_vec(0.0, 0.0, 1.0));
  return ct_norm(ct_vec(ct_dot(center, normal), ct_norm(ct_cross(normal, center)) + radius, 0.0));
}

static double ball_arm(const turn_frame *t, const ct_shape *shape, bool about_axis) {
  ct_vec3 center;
  double radius;
  ct_shape_ball(shape, &center, &radius);
  return local_point_arm(t, center.x, center.y, center.z, about_axis) + radius;
}

static double hull_arm(const turn_frame *t, const ct_shape *shape, bool about_axis) {
  const ct_hull_view *h = ct_hull_get(shape->hull);
  if (h->vertex_count > CT_TOI_VERTICES_MAX) return ball_arm(t, shape, about_axis);
  double most = 0.0;
  for (uint32_t i = 0; i < h->vertex_count; i++)
    most = ct_max2(most, local_point_arm(t, h->x[i], h->y[i], h->z[i], about_axis));
  return most;
}

static double mesh_arm(const turn_frame *t, const ct_shape *shape, bool about_axis) {
  const ct_mesh_view *m = ct_mesh_get(shape->mesh);
  if (m->point_count > CT_TOI_VERTICES_MAX) return ball_arm(t, shape, about_axis);
  double most = 0.0;
  for (uint32_t i = 0; i < m->point_count; i++)
    most =
        ct_max2(most, point_arm(t, ct_to_parent(t->frame, m->vertices[m->points[i]]), about_axis));
  return most;
}

static double sharp_arm(const turn_frame *t, const ct_shape *s, bool about_axis) {
  switch (s->kind) {
  case CT_KIND_SPHERE: return local_point_arm(t, 0.0, 0.0, 0.0, about_axis) + s->sphere.radius;
  case CT_KIND_BOX: return box_arm(t, s->box.half, about_axis);
  case CT_KIND_CAPSULE:
    return ct_max2(local_point_arm(t, 0.0, 0.0, -s->capsule.half_length, about_axis) +
                       s->capsule.radius_bottom,
                   local_point_arm(t, 0.0, 0.0, s->capsule.half_length, about_axis) +
                       s->capsule.radius_top);
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
  turn_frame t = {ct_body_shape_frame(mover.body, index, &identity), side.steady,
                  ct_mat_tmul(body.rotation, side.axis)};
  ct_vec3 center;
  ct_shape_ball(side.shape, &center, &side.radius);
  side.ball = ct_to_parent(t.frame, center);
  t.frame.position = ct_sub(t.frame.position, side.pivot);
  ct_vec3 to = ct_sub(side.ball, side.pivot);
  side.ball_arm = point_arm(&t, to, side.steady) + LENGTH_WIDENING * ct_norm(to);
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
    /* Rotation about its centre does not displace a ball. */
    side.arm = side.ball_arm;
    return side;
  }
  /* The round-off of the cross product is relative to the reach, not to the result. */
  if (side.steady)
    side.arm = ct_min2(side.reach, (sharp_arm(&t, &inner.shape, true) + inner.radius) * widening +
                                       LENGTH_WIDENING * side.reach);
  return side;
}

/* ---- a pair at a time ------------------------------------------------------------------------ */

/* Upper bounds of the round-off of a transformed point, in unit round-offs, as path.h promises.
 * POSITION_SLACK: of the pivot's coordinates and displacement. TURN_SLACK: of the reach, for
 * rotation matrices (23 each, 9 for their product) and sums. ANGLE_SLACK: of the reach, per radian
 * turned. */
#define POSITION_SLACK 16.0
#define TURN_SLACK 64.0
#define ANGLE_SLACK 8.0
/* Error of the orientation of TORQUE_FREE paths, as path.h promises: in rad, and in rad per radian
 * turned. */
#define TORQUE_FREE_ANGLE 2e-14
#define TORQUE_FREE_SLACK 1e-14

static void pose_side(const ct_toi_side *side, double time, ct_toi_side_pose *out) {
  out->body = ct_frame_of(ct_path_pose(side->path, time));
  out->shape = ct_body_shape_frame(side->body, side->index, &out->body);
  out->pivot = ct_to_parent(out->body, side->pivot);
  out->velocity = ct_path_velocity(side->path, time);
}

/* Returns an upper bound of the pose round-off of the side's points, m. reach: largest distance
 * from the pivot of the points that matter; for a half-space, those near the other side. */
static double bound_pose_roundoff(const ct_toi_side *side, const ct_toi_side_pose *at, double time,
                                  double reach) {
  double slack = 0.0;
  if (side->group || ct_body_shape_pose(side->body, side->index))
    slack +=
        TURN_SLACK * CT_UNIT_ROUNDOFF * (reach + ct_norm(at->pivot) + ct_norm(at->shape.position));
  if (!side->moves || time == 0.0) return slack;
  double turned = side->spin * time;
  double displacement =
      time * (ct_norm(at->velocity.linear) + 1.5 * time * ct_norm(side->acceleration));
  ct_vec3 start = ct_path_pose(side->path, 0.0).position;
  slack += POSITION_SLACK * CT_UNIT_ROUNDOFF *
           (ct_norm(at->pivot) + ct_norm(start) + ct_norm(side->pivot) + displacement);
  slack += (TURN_SLACK + ANGLE_SLACK * turned) * CT_UNIT_ROUNDOFF * reach;
  return side->steady ? slack : slack + (TORQUE_FREE_ANGLE + TORQUE_FREE_SLACK * turned) * reach;
}

/* Returns the reach of the shape; for a half-space, the largest distance of the other side's points
 * from its pivot. */
static double reach_within(const ct_toi_side *side, const ct_toi_side *other, double offset) {
  return side->reach < INFINITY    ? side->reach
         : other->reach < INFINITY ? offset + other->reach
                                   : offset;
}

void ct_toi_place_pair(const ct_toi_pair *pair, double time, ct_toi_sample *sample) {
  assert(pair->a.path && pair->b.path);
  sample->time = time;
  sample->collider_a = pair->a.index;
  sample->collider_b = pair->b.index;
  pose_side(&pair->a, time, &sample->a);
  pose_side(&pair->b, time, &sample->b);
  double offset = ct_norm(ct_sub(sample->b.pivot, sample->a.pivot));
  double slack_a =
      bound_pose_roundoff(&pair->a, &sample->a, time, reach_within(&pair->a, &pair->b, offset));
  double slack_b =
      bound_pose_roundoff(&pair->b, &sample->b, time, reach_within(&pair->b, &pair->a, offset));
  sample->slack = (pair->a.group ? CT_TOI_GROUP_SLACK : 1.0) * slack_a +
                  (pair->b.group ? CT_TOI_GROUP_SLACK : 1.0) * slack_b;
  assert(sample->slack >= 0.0);
}

double ct_toi_support(const ct_toi_side *side, const ct_toi_side_pose *at, ct_vec3 direction) {
  ct_vec3 p = ct_shape_support(side->shape, ct_mat_tmul(at->shape.rotation, direction));
  return ct_dot(direction,
                ct_add(ct_mat_mul(at->shape.rotation, p), ct_sub(at->shape.position, at->pivot)));
}

static double bound_support_growth(const ct_toi_side *side, double extent) {
  if (!(side->reach < INFINITY)) return INFINITY;
  return ct_max2(0.0, side->reach - extent) + ALONG_SLACK * CT_UNIT_ROUNDOFF * side->reach;
}

/* Computes `along`, the gap between the planes across the normal, and the growth of the supports
 * that rotation can cause. */
static void find_plane_gap(const ct_toi_pair *pair, ct_toi_sample *s) {
  bool plane_a = pair->a.shape->kind == CT_KIND_PLANE,
       plane_b = pair->b.shape->kind == CT_KIND_PLANE;
  bool mesh = ct_kind_is_mesh(pair->a.shape->kind) || ct_kind_is_mesh(pair->b.shape->kind);
  ct_vec3 n = s->result.normal;
  s->has_plane_gap = true;
  s->along = s->lower;
  s->growth_a = s->growth_b = INFINITY;
  if (plane_a || plane_b) {
    /* The boundary plane of the half-space separates the pair; the distance is measured along its
     * normal. */
    s->growth_a = bound_support_growth(&pair->a, ct_dot(n, ct_sub(s->result.point_a, s->a.pivot)));
    s->growth_b = bound_support_growth(&pair->b, ct_dot(n, ct_sub(s->b.pivot, s->result.point_b)));
    return;
  }
  ct_vec3 offset = ct_sub(s->b.pivot, s->a.pivot);
  double reach_a = ct_toi_support(&pair->a, &s->a, n),
         reach_b = ct_toi_support(&pair->b, &s->b, ct_neg(n));
  double size = (pair->a.reach + pair->b.reach) + ct_norm(offset);
  s->along =
      ct_dot(n, offset) - (reach_a + reach_b) - ALONG_SLACK * CT_UNIT_ROUNDOFF * size - s->slack;
  s->growth_a = bound_support_growth(&pair->a, reach_a);
  s->growth_b = bound_support_growth(&pair->b, reach_b);
  /* The convex hulls of meshes may overlap although the meshes are apart. */
  s->has_plane_gap = !mesh || s->along > 0.0;
}

static ct_vec3 side_point_velocity(const ct_toi_side_pose *at, ct_vec3 point) {
  return ct_add(at->velocity.linear, ct_cross(at->velocity.angular, ct_sub(point, at->pivot)));
}

ct_vec3 ct_toi_relative_velocity(const ct_toi_sample *s, ct_vec3 point_a, ct_vec3 point_b) {
  return ct_sub(side_point_velocity(&s->b, point_b), side_point_velocity(&s->a, point_a));
}

void ct_toi_measure(const ct_toi_pair *pair, double time, const ct_pair_options *options,
                    ct_workspace *workspace, ct_toi_sample *s) {
  ct_toi_place_pair(pair, time, s);
  const ct_placed a = {pair->a.shape, &s->a.shape}, b = {pair->b.shape, &s->b.shape};
  ct_pair_distance_within(a, b, options, workspace, &s->result);
  s->lower = s->result.lower_bound - s->slack;
  s->upper = s->result.upper_bound + s->slack;
  s->rate =
      ct_dot(s->result.normal, ct_toi_relative_velocity(s, s->result.point_a, s->result.point_b));
  s->turn = ct_vec(0.0, 0.0, 0.0);
  find_plane_gap(pair, s);
  /* The gap of the separating planes is also a lower bound of the distance, often a larger one. */
  if (s->has_plane_gap && s->result.distance > 0.0) s->lower = ct_max2(s->lower, s->along);
}
