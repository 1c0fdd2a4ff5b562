/* Steps in time: what an advance holds, for the files of this room. */
#ifndef FORCE_ADVANCE_H
#define FORCE_ADVANCE_H

#include <contact/advance.h>

/* A row that moves. Between two steps its velocity is that of its momenta, angular = inertia^-1 angular_momentum. */
typedef struct ct_moved {
  uint32_t row;
  bool is_dynamic; /* else kinematic */
  double mass;
  ct_vec3 center;               /* of mass, body frame */
  ct_vec3 moments;              /* principal, about the centre */
  ct_quat axes;                 /* of the principal axes in the body frame */
  ct_vec3 position;             /* of the centre, world */
  ct_pose pose;                 /* of the body frame */
  ct_velocity velocity;         /* of the centre */
  ct_velocity before;           /* the impulses of the step, in its middle */
  ct_vec3 angular_momentum;     /* about the centre; dynamic */
  ct_acceleration acceleration; /* prescribed; kinematic */
  ct_vec3 force, torque;        /* loads without gravity, about the centre where the step looks at them */
} ct_moved;

struct ct_advance {
  const ct_scene *scene;
  ct_advance_options options; /* its loads are ours */
  ct_load *loads;
  size_t load_count, load_room;
  ct_moved *now, *next; /* [moved_count] ascending in rows; a step works on `next`, and fails without a trace */
  size_t moved_count;
  uint32_t *moved_of; /* [rows] index into both; CT_NO_ROW: stays */
  uint64_t steps_whole;
  double step_rest; /* s, the last step; 0: there is none but whole ones */
  ct_advance_state state;
};

/* Energies and momenta of `now` into the state. */
void ct_advance_sum(ct_advance *advance);

/* Lets the body go on for a time without any force: with constant velocity, and turning as a free top, whose momenta and energy
 * stay. A kinematic body keeps its angular velocity. */
void ct_moved_drift(ct_moved *moved, double time);
/* Angular velocity of the angular momentum, at the pose. */
ct_vec3 ct_moved_angular(const ct_moved *moved);
/* inertia v, world axes. */
ct_vec3 ct_moved_inertia(const ct_moved *moved, ct_vec3 v);
/* Changes the momenta, and the velocity with them. */
void ct_moved_push(ct_moved *moved, ct_vec3 impulse, ct_vec3 angular_impulse);

#endif
