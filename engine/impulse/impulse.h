/* Shared by the files of impulses: one contact in its own frame, its solution, and the state of
 * one call. A frame is the contact's normal and two tangents. If a and b are exchanged, the frame
 * does not change and the signs of a and b do, so that the mirrored problem has the same bits.
 * Vectors in a frame are (normal, tangent, tangent). */
#ifndef IMPULSE_IMPULSE_H
#define IMPULSE_IMPULSE_H

#include <contact/impulse.h>

typedef struct ct_impulse_frame {
  ct_vec3 normal, t1, t2;
  double sign; /* 1: normal is the contact's, the impulse acts on b; -1: both reversed */
} ct_impulse_frame;

/* The frame of a normal. Its first component that is not 0 is made positive. */
ct_impulse_frame ct_impulse_frame_of(ct_vec3 normal);
/* Transforms a world vector, such as the velocity of b relative to a, to the frame and back. */
void ct_impulse_to_frame(const ct_impulse_frame *frame, ct_vec3 v, double out[3]);
ct_vec3 ct_impulse_to_world(const ct_impulse_frame *frame, const double p[3]);
/* Transforms a coupling block to the frames: rows to that of `a`, columns to that of `b`. For one
 * contact the result is exactly symmetric. */
void ct_impulse_block(const ct_impulse_frame *a, const ct_impulse_frame *b, const ct_mat3 *coupling,
                      double out[3][3]);

typedef struct ct_impulse_point {
  double k[3][3]; /* symmetric, positive definite */
  double u[3];    /* u[0] < 0 */
  double static_friction, dynamic_friction, restitution;
  double slip_tolerance; /* slip velocities up to this have no direction */
  double inverse_mass;   /* sum for both bodies, without rotation */
} ct_impulse_point;

typedef struct ct_impulse_answer {
  double p[3];
  ct_impulse_outcome outcome;
  bool integrated; /* the algebraic law had no solution; friction was integrated through the impact
                    */
  bool rotation_ignored; /* POINT_MASS was applied to bodies that can rotate */
  bool converged;
  bool guarded; /* the energy would have increased */
  double theta; /* if guarded: fraction of the way from the plastic impulse */
  double residual;
  uint64_t steps; /* integration steps */
} ct_impulse_answer;

/* Solves one approaching contact, with friction or without (both coefficients 0). */
void ct_impulse_at_point(const ct_impulse_point *point, ct_impulse_law law, bool guard,
                         ct_impulse_answer *answer);

/* The greatest t in [0, 1] with c + b t + a t^2 <= 0, if that is exceeded at t = 1; a >= 0, c <=
 * 0. */
double ct_impulse_theta(double a, double b, double c);

static inline double ct_dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- sets of contacts ------------------------------------------------------------------------ */

/* State of a contact in all modes. */
typedef struct ct_impulse_contact {
  ct_impulse_frame frame;
  ct_contact_velocity before;
  double static_friction, dynamic_friction, restitution; /* values in force */
  bool movable;                                          /* at least one body is dynamic */
  double p[3];                                           /* computed impulse, in the frame */
  ct_impulse_outcome outcome;
} ct_impulse_contact;

/* State of one call. Memory comes from the arena; `reported` becomes the caller's result on
 * success. */
typedef struct ct_impulse_work {
  const ct_contact_set *set;
  const ct_impulse_options *options;
  ct_arena *arena;
  ct_impulse_contact *contacts; /* [set->count] */
  double speed;                 /* greatest relative velocity before the impact, m/s */
  ct_impulse_result reported;
} ct_impulse_work;

/* True if a body of the set is kinematic. */
bool ct_impulse_any_driven(const ct_contact_set *set);
/* Resolves all contacts simultaneously, by NEWTON or POISSON. */
ct_status ct_impulse_at_once(ct_impulse_work *work, bool friction);
/* Reports an infeasible set: kinematic bodies press others together, and no impulses separate the
 * contacts. */
ct_status ct_impulse_find_infeasible(ct_impulse_work *work);

#endif
