/* The state of one moving body, and its motion without contacts: drift as a free top, impulses,
 * rotation and translation. Dynamic bodies have mass and momenta, kinematic ones a prescribed
 * acceleration. */
#ifndef INTEGRATION_BODY_STATE_H
#define INTEGRATION_BODY_STATE_H

#include <contact/advance.h>

/* The cached support force of a sleeping island, in the first of its bodies. */
typedef struct ct_sleeping_support {
  ct_vec3 force;           /* force of the immovable bodies on the island, N */
  size_t contacts, acting; /* number of contacts, and of those with a force */
} ct_sleeping_support;

/* A moving row. Between steps its velocity results from its momenta: angular = inertia^-1
 * angular_momentum. */
typedef struct ct_body_state {
  uint32_t row;
  bool is_dynamic; /* else kinematic */
  double mass;
  ct_vec3 center;   /* centre of mass, body frame */
  double radius;    /* radius of the bounding ball about the centre, m; infinite for half-spaces */
  ct_vec3 moments;  /* principal, about the centre */
  ct_quat axes;     /* rotation from the principal axes to the body frame */
  ct_vec3 position; /* of the centre, world */
  ct_pose pose;     /* pose of the body frame */
  ct_velocity velocity;     /* of the centre */
  ct_vec3 angular_momentum; /* about the centre; dynamic */
  bool asleep; /* asleep since an earlier step; stays so while contacts and loads of its island do
                  not change */
  ct_sleeping_support sleeping_support; /* EVENT-DRIVEN */
  ct_acceleration acceleration;         /* prescribed; kinematic */
  /* Within a step: */
  ct_velocity before;               /* velocity before the impulses */
  ct_vec3 force, torque;            /* loads without gravity, torque about the centre */
  ct_velocity free;                 /* velocity after loads and before contacts */
  ct_vec3 free_momentum;            /* angular momentum after loads and before contacts; dynamic */
  ct_mat3 inverse_inertia;          /* world axes; dynamic */
  uint32_t place;                   /* number in its island, from 1; dynamic */
  ct_vec3 impulse, angular_impulse; /* sum of the contact impulses so far */
} ct_body_state;

static inline bool ct_is_zero_vec(ct_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }
/* False for NULL, a row that does not move. */
static inline bool ct_body_state_is_dynamic(const ct_body_state *state) {
  return state && state->is_dynamic;
}

/* The state of a row with a motion at its pose and velocity in the scene. False: a dynamic body
 * without a mass. */
bool ct_body_state_set(ct_body_state *state, const ct_scene *scene, uint32_t row,
                       const ct_motion *motion);

/* Moves the body for a time without forces: constant linear velocity and torque-free rotation,
 * which conserve momenta and energy. A kinematic body keeps its angular velocity. */
void ct_body_state_drift(ct_body_state *state, double time);
/* Rotates the body about its centre with an angular velocity that is constant in the world. */
void ct_body_state_rotate(ct_body_state *state, ct_vec3 angular, double time);
void ct_body_state_translate(ct_body_state *state, ct_vec3 displacement);
/* Angular velocity of the angular momentum at the present pose. */
ct_vec3 ct_body_state_angular_velocity(const ct_body_state *state);
/* World axes, at the present pose. */
ct_mat3 ct_body_state_inverse_inertia(const ct_body_state *state);
/* Product of the inertia and v, world axes. */
ct_vec3 ct_body_state_inertia(const ct_body_state *state, ct_vec3 v);
/* True if its velocity is zero. */
bool ct_body_state_is_fixed(const ct_body_state *state);
/* Changes the momenta and the velocity accordingly. */
void ct_body_state_apply_impulse(ct_body_state *state, ct_vec3 impulse, ct_vec3 angular_impulse);
/* The torque of a load about the centre. */
static inline ct_vec3 ct_body_state_load_torque(const ct_body_state *state, const ct_load *load) {
  return load->has_at
             ? ct_add(load->torque, ct_cross(ct_sub(load->at, state->position), load->force))
             : load->torque;
}

#endif
