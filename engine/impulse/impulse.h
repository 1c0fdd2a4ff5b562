/* Internal types of the impulse solver: one contact in its own frame, the impulse at it, and the
 * state of one call. A frame consists of the contact's normal and two tangents. If bodies a and b
 * are exchanged, the frame stays the same and only `sign` changes, so the exchanged problem has the
 * same bits. Vectors in a frame are (normal, tangent 1, tangent 2). */
#ifndef IMPULSE_IMPULSE_H
#define IMPULSE_IMPULSE_H

#include <contact/impulse.h>

typedef struct ct_impulse_frame {
  ct_vec3 normal, t1, t2;
  double sign; /* 1: the frame has the contact's normal, and impulses act on b; -1: both are
                  reversed */
} ct_impulse_frame;

/* Returns the frame of a contact normal, after reversing the normal if its first nonzero component
 * is negative. */
ct_impulse_frame ct_impulse_frame_of(ct_vec3 normal);
/* Transforms a vector for the contact, such as the velocity of b relative to a, from world axes to
 * the frame, and back; includes the frame's sign. */
void ct_impulse_to_frame(const ct_impulse_frame *frame, ct_vec3 v, double out[3]);
ct_vec3 ct_impulse_to_world(const ct_impulse_frame *frame, const double p[3]);
/* Transforms a coupling block to the frames of its contacts: rows to the frame of contact `a`,
 * columns to that of contact `b`. For a == b the result is exactly symmetric. */
void ct_impulse_block(const ct_impulse_frame *a, const ct_impulse_frame *b, const ct_mat3 *coupling,
                      double out[3][3]);

typedef struct ct_impulse_point {
  double k[3][3]; /* Delassus block K (velocity per impulse) in the frame: symmetric, positive
                     definite */
  double u[3];    /* velocity of b relative to a before the impact, in the frame, m/s; approaching:
                     u[0] < 0 */
  double static_friction, dynamic_friction, restitution;
  double slip_tolerance; /* slip velocity, m/s, up to which a slip counts as having no direction */
  double inverse_mass;   /* sum of both bodies' 1/mass, 1/kg, without rotation */
} ct_impulse_point;

typedef struct ct_impulse_answer {
  double p[3];
  ct_impulse_outcome outcome;
  bool integrated; /* friction was integrated through the impact; for the algebraic law: because it
                      had no solution */
  bool rotation_ignored; /* POINT_MASS was applied although rotation couples the bodies' velocities
                            at the contact */
  bool converged;
  bool guarded; /* the energy guard changed the impulse because the energy would have increased */
  double theta; /* if `guarded`: fraction of the way from the plastic impulse (0) to the law's
                   impulse (1); else 1 */
  double residual;
  uint64_t steps; /* number of integration steps */
} ct_impulse_answer;

/* Computes the impulse at one approaching contact by the given law. Without friction both
 * coefficients are 0. `guard`: limits the impulse so that the energy does not increase. */
void ct_impulse_at_point(const ct_impulse_point *point, ct_impulse_law law, bool guard,
                         ct_impulse_answer *answer);

/* Returns the greatest t in [0, 1] with c + b t + a t^2 <= 0, for a >= 0 and c <= 0, given that the
 * expression is positive at t = 1. */
double ct_impulse_theta(double a, double b, double c);

static inline double ct_dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- sets of contacts ------------------------------------------------------------------------ */

/* State of one contact, for sets of any size and in all modes. */
typedef struct ct_impulse_contact {
  ct_impulse_frame frame;
  ct_contact_velocity before;
  double static_friction, dynamic_friction, restitution; /* coefficients used: 0 if switched off */
  bool movable;                                          /* false: neither body is dynamic, and the
                                                            impulse stays zero */
  double p[3];                                           /* impulse computed so far, in the frame, N
                                                            s */
  ct_impulse_outcome outcome;
} ct_impulse_contact;

/* State of one call. Memory is allocated from the arena; on success `reported` is copied to the
 * caller's result. */
typedef struct ct_impulse_work {
  const ct_contact_set *set;
  const ct_impulse_options *options;
  ct_arena *arena;
  ct_impulse_contact *contacts; /* [set->count] */
  double speed;                 /* greatest approach or slip velocity before the impact, m/s */
  ct_impulse_result reported;
} ct_impulse_work;

/* True if a body of the set is kinematic. */
bool ct_impulse_any_driven(const ct_contact_set *set);
/* Resolves all contacts simultaneously, by the mode NEWTON or POISSON of the options. `friction`: a
 * contact has friction. */
ct_status ct_impulse_at_once(ct_impulse_work *work, bool friction);
/* Tests whether the set is infeasible, that is whether kinematic bodies press others together so
 * that no impulses separate the contacts, and reports it in work->reported. */
ct_status ct_impulse_find_infeasible(ct_impulse_work *work);

#endif
