/* Shared by the files of impulses: one contact in its own frame, its answer, and the work of one
 * call.
 *
 * A frame is the contact's normal and two tangents. If a and b are exchanged, the frame stays and
 * the signs of a and b change, so that the mirrored problem has the same bits. Vectors in a frame
 * are (normal, tangent, tangent).
 */
#ifndef IMPULSE_IMPULSE_H
#define IMPULSE_IMPULSE_H

#include <contact/impulse.h>

typedef struct ct_impulse_frame {
  ct_vec3 normal, t1, t2;
  double sign; /* 1: normal is the contact's, the impulse acts on b; -1: both the other way */
} ct_impulse_frame;

/* Normals of which the first number that is not 0 is positive are their own frame's. */
ct_impulse_frame ct_impulse_frame_of(ct_vec3 normal);
/* A vector of the world, such as the velocity of b relative to a, in the frame; and back. */
void ct_impulse_to_frame(const ct_impulse_frame *frame, ct_vec3 v, double out[3]);
ct_vec3 ct_impulse_to_world(const ct_impulse_frame *frame, const double p[3]);
/* The rows of `a`, and the columns of `b`, of a coupling of the two contacts; of one contact
 * symmetric to the bit. */
void ct_impulse_block(const ct_impulse_frame *a, const ct_impulse_frame *b, const ct_mat3 *coupling,
                      double out[3][3]);

typedef struct ct_impulse_point {
  double k[3][3]; /* symmetric, positive definite */
  double u[3];    /* u[0] < 0 */
  double static_friction, dynamic_friction, restitution;
  double slip_tolerance; /* slip up to this has no direction that counts */
  double inverse_mass;   /* of both bodies, without rotation */
} ct_impulse_point;

typedef struct ct_impulse_answer {
  double p[3];
  ct_impulse_outcome outcome;
  bool integrated; /* the algebraic law did not do, friction was followed through the impact */
  bool rotation_ignored; /* POINT_MASS, of bodies that turn */
  bool converged;
  bool guarded; /* the energy would have grown */
  double theta; /* then, the part of the way from the plastic impulse */
  double residual;
  uint64_t steps; /* of the integration */
} ct_impulse_answer;

/* One contact that approaches, with friction or without (both coefficients 0). */
void ct_impulse_at_point(const ct_impulse_point *point, ct_impulse_law law, bool guard,
                         ct_impulse_answer *answer);

/* The greatest part of the way from 0 to 1 at which c + b t + a t^2 <= 0, where it is not at 1; a
 * >= 0, c <= 0. */
double ct_impulse_theta(double a, double b, double c);

static inline double ct_dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- of a set ------------------------------------------------------------------------------- */

/* A contact as all modes use it. */
typedef struct ct_impulse_contact {
  ct_impulse_frame frame;
  ct_contact_velocity before;
  double static_friction, dynamic_friction, restitution; /* in force */
  bool movable;                                          /* either body is dynamic */
  double p[3];                                           /* what was found, in the frame */
  ct_impulse_outcome outcome;
} ct_impulse_contact;

/* One call. Memory comes from the arena; `reported` becomes the caller's result where all went
 * well. */
typedef struct ct_impulse_work {
  const ct_contact_set *set;
  const ct_impulse_options *options;
  ct_arena *arena;
  ct_impulse_contact *contacts; /* [set->count] */
  double speed;                 /* the greatest relative velocity before, m/s */
  ct_impulse_result reported;
} ct_impulse_work;

/* True if a body of the set is kinematic. */
bool ct_impulse_any_driven(const ct_contact_set *set);
/* All of them together, by NEWTON or POISSON. */
ct_status ct_impulse_at_once(ct_impulse_work *work, bool friction);
/* Reports a contradiction if bodies with prescribed motion admit no impulses. */
ct_status ct_impulse_find_squeeze(ct_impulse_work *work);

#endif
