/* A body that nothing touches. */
#include "advance/advance.h"
#include "base/trigonometry.h"
#include "path/torque_free_rotation.h"

/* Turn, rad, below which the rule of the midpoint gives the motion of a free top to round-off: its
 * error is the cube. */
#define SMALL_TURN 1e-5
/* Turn, rad, that a step tries but never makes: it lies between CT_TURN_MAX and what
 * base/trigonometry.h can turn by. */
#define TRIED_TURN_MAX 3e6

/* Principal axes to the world. */
static ct_mat3 principal_axes(const ct_body_state *m) {
  return ct_quat_matrix(ct_quat_mul(m->pose.rotation, m->axes));
}

ct_vec3 ct_body_state_angular_velocity(const ct_body_state *m) {
  ct_mat3 axes = principal_axes(m);
  ct_vec3 l = ct_mat_tmul(axes, m->angular_momentum);
  return ct_mat_mul(axes, ct_vec(l.x / m->moments.x, l.y / m->moments.y, l.z / m->moments.z));
}

ct_mat3 ct_body_state_inverse_inertia(const ct_body_state *m) {
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
  m->velocity.linear = ct_add_scaled(m->velocity.linear, impulse, 1.0 / m->mass);
  m->angular_momentum = ct_add(m->angular_momentum, angular_impulse);
  m->velocity.angular = ct_body_state_angular_velocity(m);
}

static bool is_zero(ct_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

bool ct_body_state_is_fixed(const ct_body_state *m) {
  return is_zero(m->velocity.linear) && is_zero(m->velocity.angular);
}

static ct_quat unit_quat(ct_quat q) {
  double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return (ct_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

/* False where forces that are only tried make a body so fast that it is no turn any more. It is
 * left out then, so the velocity that is beyond the limits stays, by which
 * ct_advance_is_within_limits refuses the step. */
static bool can_turn(ct_vec3 angular, double time) {
  return fabs(time) * ct_norm(angular) <= TRIED_TURN_MAX;
}

/* The rotation after a turn with the angular velocity, constant in the world. */
static ct_quat turned(ct_quat rotation, ct_vec3 angular, double time) {
  if (!can_turn(angular, time)) return rotation;
  ct_dd angle = ct_dd_mul(ct_turn_rate(angular), ct_dd_of(time));
  return unit_quat(
      ct_quat_mul(ct_turn_about(ct_unit_or(angular, ct_vec(0, 0, 1)), angle), rotation));
}

/* By the angular velocity halfway. */
static void turn_little(ct_body_state *m, double time) {
  ct_quat start = m->pose.rotation;
  m->pose.rotation = turned(start, m->velocity.angular, 0.5 * time);
  ct_vec3 half = ct_body_state_angular_velocity(m);
  m->pose.rotation = turned(start, half, time);
  m->velocity.angular = ct_body_state_angular_velocity(m);
}

static void turn(ct_body_state *m, double time) {
  ct_vec3 angular = m->velocity.angular;
  bool round = m->moments.x == m->moments.y && m->moments.y == m->moments.z;
  ct_free_top top;
  if (!can_turn(angular, time)) return;
  if (!m->is_dynamic || round) {
    m->pose.rotation = turned(m->pose.rotation, angular, time);
  } else if (time * ct_norm(angular) < SMALL_TURN) {
    turn_little(m, time);
  } else if (ct_free_top_set(
                 &top, &(ct_free_top_options){m->pose.rotation, m->moments, m->axes, angular})) {
    m->pose.rotation =
        unit_quat(ct_quat_mul(ct_free_top_turn(&top, time, &angular), m->pose.rotation));
    m->velocity.angular = ct_body_state_angular_velocity(m);
  } else {
    m->pose.rotation = turned(m->pose.rotation, angular, time);
  }
}

static void place_pose(ct_body_state *m) {
  m->pose.position = ct_sub(m->position, ct_mat_mul(ct_quat_matrix(m->pose.rotation), m->center));
}

void ct_body_state_rotate(ct_body_state *m, ct_vec3 angular, double time) {
  if (!is_zero(angular)) m->pose.rotation = turned(m->pose.rotation, angular, time);
  place_pose(m);
}

void ct_body_state_translate(ct_body_state *m, ct_vec3 way) {
  if (is_zero(way)) return;
  m->position = ct_add(m->position, way);
  place_pose(m);
}

void ct_body_state_drift(ct_body_state *m, double time) {
  bool moves = !is_zero(m->velocity.linear), turns = !is_zero(m->velocity.angular);
  if (!moves && !turns) return; /* what rests keeps its pose bit for bit */
  m->position = ct_add_scaled(m->position, m->velocity.linear, time);
  if (turns) turn(m, time);
  place_pose(m);
}
