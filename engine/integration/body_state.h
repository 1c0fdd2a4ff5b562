/* The state of one moving body, and its motion without contacts: impulses, drift (uniform
 * translation and torque-free rotation). Dynamic bodies have mass and momenta, kinematic ones a
 * prescribed acceleration. */
#ifndef INTEGRATION_BODY_STATE_H
#define INTEGRATION_BODY_STATE_H

#include <contact/advance.h>

/* The cached support force of a sleeping island, stored in the first of its bodies. */
typedef struct ct_sleeping_support {
  ct_vec3 force;           /* force of the immovable bodies on the island, N */
  size_t contacts, acting; /* number of contacts with immovable bodies, and number of those with a
                              force */
} ct_sleeping_support;

/* State of a row of the scene that moves. Between steps the angular velocity of a dynamic body is
 * inertia^-1 angular_momentum. */
typedef struct ct_body_state {
  uint32_t row;
  bool is_dynamic; /* false: kinematic */
  double mass;
  ct_vec3 center;   /* centre of mass, body frame */
  double radius;    /* radius of a ball about the centre that contains the body, rounding radii and
                       margins included, m; infinite for half-spaces */
  ct_vec3 moments;  /* principal moments of inertia about the centre, kg m^2 */
  ct_quat axes;     /* rotation from the principal axes to the body frame */
  ct_vec3 position; /* position of the centre of mass, world, m */
  ct_pose pose;     /* pose of the body frame */
  ct_velocity velocity;     /* velocity of the centre of mass, and angular velocity; world */
  ct_vec3 angular_momentum; /* about the centre of mass, world; dynamic bodies only */
  bool asleep; /* asleep since an earlier step; stays so while contacts and loads of its island do
                  not change */
  bool is_corrected;                    /* the last step of time stepping corrected its position */
  ct_sleeping_support sleeping_support; /* used by the event-driven integrator only */
  ct_acceleration acceleration;         /* prescribed; kinematic bodies only */
  /* Used within a step: */
  ct_velocity before;               /* velocity before the impulses */
  ct_vec3 force, torque;            /* loads without gravity, world; torque about the centre of
                                       mass */
  ct_velocity free;                 /* velocity after loads and before contacts */
  ct_vec3 free_momentum;            /* angular momentum after loads and before contacts; dynamic
                                       bodies only */
  ct_mat3 inverse_inertia;          /* inverse inertia, world axes; dynamic bodies only */
  uint32_t place;                   /* position in the list of bodies of its island, from 1; dynamic
                                       bodies only */
  ct_vec3 impulse, angular_impulse; /* sums of the contact impulses and of their moments about the
                                       centre of mass, so far */
} ct_body_state;

static inline bool ct_is_zero_vec(ct_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }
/* True if the body is dynamic. NULL, which stands for a row that does not move, gives false. */
static inline bool ct_body_state_is_dynamic(const ct_body_state *state) {
  return state && state->is_dynamic;
}
/* Returns the velocity of the body's point if its motion is `velocity`; world, m/s. */
static inline ct_vec3 ct_body_state_point_velocity(const ct_body_state *state, ct_velocity velocity,
                                                   ct_vec3 point) {
  return ct_add(velocity.linear, ct_cross(velocity.angular, ct_sub(point, state->position)));
}
/* Adds a contact impulse at a point to the sums of a dynamic body; no other body has sums. */
static inline void ct_body_state_sum_impulse(ct_body_state *state, ct_vec3 point, ct_vec3 impulse) {
  if (!ct_body_state_is_dynamic(state)) return;
  state->impulse = ct_add(state->impulse, impulse);
  state->angular_impulse =
      ct_add(state->angular_impulse, ct_cross(ct_sub(point, state->position), impulse));
}

/* Sets the state of a row that moves from its pose, velocity and mass properties in the scene.
 * False: a dynamic body without a mass or with a zero moment of inertia. */
bool ct_body_state_set(ct_body_state *state, const ct_scene *scene, uint32_t row,
                       const ct_motion *motion);

/* Moves the body without forces for the duration `time`, s: constant linear velocity and
 * torque-free rotation, which conserve momenta and energy. A kinematic body keeps its angular
 * velocity. */
void ct_body_state_drift(ct_body_state *state, double time);
/* Rotates the body about its centre of mass for the duration `time`, with an angular velocity that
 * is constant in the world. */
void ct_body_state_rotate(ct_body_state *state, ct_vec3 angular, double time);
void ct_body_state_translate(ct_body_state *state, ct_vec3 displacement);
/* Returns the angular velocity, world, that the angular momentum gives at the present pose. */
ct_vec3 ct_body_state_angular_velocity(const ct_body_state *state);
/* Returns the inverse inertia at the present pose, in world axes. */
ct_mat3 ct_body_state_inverse_inertia(const ct_body_state *state);
/* Returns the product of the inertia at the present pose and v, in world axes. */
ct_vec3 ct_body_state_inertia(const ct_body_state *state, ct_vec3 v);
/* True if linear and angular velocity are exactly zero. */
bool ct_body_state_is_fixed(const ct_body_state *state);
/* Adds an impulse and an angular impulse (about the centre of mass) to the momenta, and updates the
 * velocity. Dynamic bodies only. */
void ct_body_state_apply_impulse(ct_body_state *state, ct_vec3 impulse, ct_vec3 angular_impulse);
/* Returns the torque of a load about the centre of mass, including that of a force applied at a
 * point. */
static inline ct_vec3 ct_body_state_load_torque(const ct_body_state *state, const ct_load *load) {
  return load->has_at
             ? ct_add(load->torque, ct_cross(ct_sub(load->at, state->position), load->force))
             : load->torque;
}

#endif
