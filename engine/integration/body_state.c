/* The state of one body: mass properties from the scene, drift without forces, impulses.
 *
 * Torque-free rotation is exact (path/torque_free_rotation.h), except that rotations below
 * SMALL_TURN use the midpoint rule. */
#include "integration/body_state.h"
#include "base/trigonometry.h"
#include "path/torque_free_rotation.h"

#include <assert.h>

/* Angle, rad, below which the midpoint rule gives a torque-free rotation to round-off: its error is
 * of third order in the angle. */
#define SMALL_TURN 1e-5
/* Greatest angle, rad, by which a trial step rotates a body; larger angles occur only in steps that
 * are rejected. Between CT_TURN_MAX and the limit of base/trigonometry.h. */
#define TRIED_TURN_MAX 3e6

/* Returns the rotation from the principal axes to the world. */
static ct_mat3 principal_axes(const ct_body_state *m) {
  return ct_quat_matrix(ct_quat_mul(m->pose.rotation, m->axes));
}

ct_vec3 ct_body_state_angular_velocity(const ct_body_state *m) {
  assert(m->is_dynamic);
  ct_mat3 axes = principal_axes(m);
  ct_vec3 l = ct_mat_tmul(axes, m->angular_momentum);
  return ct_mat_mul(axes, ct_vec(l.x / m->moments.x, l.y / m->moments.y, l.z / m->moments.z));
}

ct_mat3 ct_body_state_inverse_inertia(const ct_body_state *m) {
  assert(m->is_dynamic);
  ct_mat3 axes = principal_axes(m), back = ct_mat_transpose(axes);
  back.rx = ct_scale(back.rx, 1.0 / m->moments.x);
  back.ry = ct_scale(back.ry, 1.0 / m->moments.y);
  back.rz = ct_scale(back.rz, 1.0 / m->moments.z);
  return ct_mat_mat(axes, back);
}

ct_vec3 ct_body_state_inertia(const ct_body_state *m, ct_vec3 v) {
  ct_mat3 axes = principal_axes(m);
  ct_vec3 w = ct_mat_tmul(axes, v);
  return ct_mat_mul(axes, ct_vec(w.x * m->moments.x, w.y * m->moments.y, w.z * m->moments.z));
}

void ct_body_state_apply_impulse(ct_body_state *m, ct_vec3 impulse, ct_vec3 angular_impulse) {
  assert(m->is_dynamic && m->mass > 0.0);
  m->velocity.linear = ct_add_scaled(m->velocity.linear, impulse, 1.0 / m->mass);
  m->angular_momentum = ct_add(m->angular_momentum, angular_impulse);
  m->velocity.angular = ct_body_state_angular_velocity(m);
}

bool ct_body_state_is_fixed(const ct_body_state *m) {
  return ct_is_zero_vec(m->velocity.linear) && ct_is_zero_vec(m->velocity.angular);
}

static ct_quat normalised_quat(ct_quat q) {
  double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return (ct_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

/* False if the angle exceeds TRIED_TURN_MAX, as trial forces may cause. The rotation is then
 * skipped, and ct_integration_is_within_limits rejects the step because the velocity is beyond the
 * limits. */
static bool can_turn(ct_vec3 angular, double time) {
  return fabs(time) * ct_norm(angular) <= TRIED_TURN_MAX;
}

/* Returns the rotation after a time with an angular velocity that is constant in the world. */
static ct_quat rotate_by(ct_quat rotation, ct_vec3 angular, double time) {
  if (!can_turn(angular, time)) return rotation;
  ct_dd angle = ct_dd_mul(ct_turn_rate(angular), ct_dd_of(time));
  return normalised_quat(
      ct_quat_mul(ct_turn_about(ct_unit_or(angular, ct_vec(0, 0, 1)), angle), rotation));
}

/* Rotates a free top by the angular velocity at the middle of the time. */
static void rotate_by_midpoint(ct_body_state *m, double time) {
  ct_quat start = m->pose.rotation;
  m->pose.rotation = rotate_by(start, m->velocity.angular, 0.5 * time);
  ct_vec3 half = ct_body_state_angular_velocity(m);
  m->pose.rotation = rotate_by(start, half, time);
  m->velocity.angular = ct_body_state_angular_velocity(m);
}

static void rotate_free_top(ct_body_state *m, double time) {
  ct_vec3 angular = m->velocity.angular;
  bool round = m->moments.x == m->moments.y && m->moments.y == m->moments.z;
  ct_free_top top;
  if (!can_turn(angular, time)) return;
  if (!m->is_dynamic || round) {
    m->pose.rotation = rotate_by(m->pose.rotation, angular, time);
  } else if (time * ct_norm(angular) < SMALL_TURN) {
    rotate_by_midpoint(m, time);
  } else if (ct_free_top_set(
                 &top, &(ct_free_top_options){m->pose.rotation, m->moments, m->axes, angular})) {
    m->pose.rotation =
        normalised_quat(ct_quat_mul(ct_free_top_turn(&top, time, &angular), m->pose.rotation));
    m->velocity.angular = ct_body_state_angular_velocity(m);
  } else {
    m->pose.rotation = rotate_by(m->pose.rotation, angular, time);
  }
}

static void update_pose(ct_body_state *m) {
  m->pose.position = ct_sub(m->position, ct_mat_mul(ct_quat_matrix(m->pose.rotation), m->center));
}

void ct_body_state_rotate(ct_body_state *m, ct_vec3 angular, double time) {
  if (!ct_is_zero_vec(angular)) m->pose.rotation = rotate_by(m->pose.rotation, angular, time);
  update_pose(m);
}

void ct_body_state_translate(ct_body_state *m, ct_vec3 displacement) {
  if (ct_is_zero_vec(displacement)) return;
  m->position = ct_add(m->position, displacement);
  update_pose(m);
}

void ct_body_state_drift(ct_body_state *m, double time) {
  bool moves = !ct_is_zero_vec(m->velocity.linear), turns = !ct_is_zero_vec(m->velocity.angular);
  if (!moves && !turns) return; /* a body at rest keeps its pose to the bit */
  m->position = ct_add_scaled(m->position, m->velocity.linear, time);
  if (turns) rotate_free_top(m, time);
  update_pose(m);
}

/* ---- initial state --------------------------------------------------------------------------- */

static bool set_body_mass(ct_body_state *moved, const ct_body *body) {
  ct_mass_properties mass;
  bool overlap_ignored;
  if (!ct_body_mass(body, &mass, &overlap_ignored)) return false;
  moved->mass = mass.mass;
  moved->center = mass.center;
  ct_inertia_principal(&mass.inertia, &moved->moments, &moved->axes);
  double least = ct_min2(ct_min2(moved->moments.x, moved->moments.y), moved->moments.z);
  return mass.mass > 0.0 && least > 0.0 && isfinite(1.0 / least);
}

/* Returns the radius of a ball about `point` (body frame) that contains all colliders, rounding
 * radii and margins included. */
static double radius_about(const ct_body *body, ct_vec3 point) {
  double radius = 0.0;
  for (size_t i = 0; i < ct_body_collider_count(body); i++) {
    ct_collider collider = ct_body_collider(body, i);
    ct_vec3 center;
    double own;
    ct_shape_ball(&collider.shape, &center, &own);
    center = ct_to_parent(ct_frame_of(collider.pose), center);
    radius = ct_max2(radius, ct_norm(ct_sub(center, point)) + own + collider.shape.rounding +
                                 collider.shape.margin);
  }
  return radius;
}

bool ct_body_state_set(ct_body_state *moved, const ct_scene *scene, uint32_t row,
                       const ct_motion *motion) {
  *moved = (ct_body_state){.row = row, .is_dynamic = !motion->is_kinematic};
  moved->pose = ct_scene_pose(scene, row);
  moved->velocity = ct_scene_velocity(scene, row);
  if (moved->is_dynamic && !set_body_mass(moved, ct_scene_body(scene, row))) return false;
  if (!moved->is_dynamic) {
    moved->center = motion->has_center ? motion->center : ct_vec(0, 0, 0);
    if (motion->acceleration) moved->acceleration = *motion->acceleration;
  }
  moved->radius = radius_about(ct_scene_body(scene, row), moved->center);
  moved->position = ct_to_parent(ct_frame_of(moved->pose), moved->center);
  if (moved->is_dynamic)
    moved->angular_momentum = ct_body_state_inertia(moved, moved->velocity.angular);
  return true;
}
