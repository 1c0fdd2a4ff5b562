/* Forces of resting contacts, with and without friction; accelerations of the bodies; stability of
 * an island.
 *
 * Baraff 1994; Cottle, Pang, Stone 2009; Acary, Brogliato 2008. */
#ifndef CONTACT_RESTING_H
#define CONTACT_RESTING_H

#include <contact/base.h>
#include <contact/friction.h>
#include <contact/lcp.h>
#include <contact/mechanics.h>

CT_DECLARATIONS_BEGIN

/* Friction model. NONE: normal forces f >= 0 alone, such that gap'' = A f + b >= 0
 * (ct_resting_system). CONE: exact Coulomb cones. POLYHEDRAL: pyramids instead of cones; an LCP,
 * solved by Lemke's method. */
#define CT_RESTING_FRICTION_MAP(X)                                                                 \
  X(NONE, "none")                                                                                  \
  X(CONE, "cone")                                                                                  \
  X(POLYHEDRAL, "polyhedral")

/* Largest numbers of contacts and of dynamic bodies of an island for exact refinement; see
 * ct_resting_solve. */
#define CT_RESTING_CONTACTS_EXACT 170
#define CT_RESTING_BODIES_EXACT 85
/* Default number of sides of a friction pyramid. */
#define CT_RESTING_DIRECTIONS 8

typedef enum ct_resting_friction {
#define CT_RESTING_FRICTION_ENUM(name, word) CT_RESTING_FRICTION_##name,
  CT_RESTING_FRICTION_MAP(CT_RESTING_FRICTION_ENUM)
#undef CT_RESTING_FRICTION_ENUM
} ct_resting_friction;

typedef struct ct_resting_options {
  ct_resting_friction friction;
  /* true: friction acts on accelerations: the direction of friction at sliding contacts is known,
   * and a solution may not exist. false: friction acts on the velocities at the end of time_step,
   * and a solution always exists. */
  bool acceleration_level;
  double time_step; /* duration of the step for friction at velocity level, s, > 0 */
  /* m/s: contacts are separating, resting or colliding by their normal velocity relative to this,
   * and slide if they slip faster. Separating contacts are excluded; colliding ones are reported
   * and treated as resting. */
  double velocity_tolerance;
  ct_lcp_method lcp_method;           /* for friction NONE */
  ct_friction_method friction_method; /* for friction CONE */
  /* choice among several solutions: NONE, and CONE if its solver ends with several solutions */
  ct_lcp_tie tie;
  /* POLYHEDRAL: number of sides of the pyramid, even, >= 4; 0: CT_RESTING_DIRECTIONS */
  unsigned directions;
  bool circumscribed;
  double tolerance;        /* relative tolerance of the solvers; 0: their defaults */
  uint64_t iterations_max; /* 0: the solvers' defaults */
  bool stability;          /* also determine the stability of the island (ct_stability) */
  const ct_cancel *cancel;
} ct_resting_options;
/* Defaults: friction NONE, directions CT_RESTING_DIRECTIONS, tolerance and iterations_max 0, that
 * is the solvers' defaults. `time_step` has to be set for friction at velocity level. */
ct_resting_options ct_resting_options_default(void);

#define CT_RESTING_STATUS_MAP(X)                                                                   \
  X(OK, "ok")                                                                                      \
  X(INFEASIBLE, "infeasible")       /* no forces keep the contacts apart: kinematic squeeze */     \
  X(INCONSISTENT, "inconsistent")   /* acceleration level: no solution (Painleve) */               \
  X(INDETERMINATE, "indeterminate") /* acceleration level: several accelerations are solutions */  \
  X(NOT_CONVERGED, "notConverged")

typedef enum ct_resting_status {
#define CT_RESTING_STATUS_ENUM(name, word) CT_RESTING_STATUS_##name,
  CT_RESTING_STATUS_MAP(CT_RESTING_STATUS_ENUM)
#undef CT_RESTING_STATUS_ENUM
} ct_resting_status;

typedef struct ct_contact_force {
  ct_vec3 force; /* force on b, N; the opposite force acts on a */
  double normal; /* normal component of the force, >= 0, N */
  ct_vec3 tangential;
  double acceleration;             /* second time derivative of the gap, m/s^2 */
  ct_vec3 tangential_acceleration; /* tangential acceleration of b's point relative to a's, m/s^2 */
  ct_contact_velocity velocity;    /* current relative velocity */
  /* true if the contact is part of the problem, that is, not separating */
  bool takes_part;
  /* true if friction is at its limit and the points slip, or are about to */
  bool sliding;
} ct_contact_force;

typedef struct ct_body_acceleration {
  ct_vec3 linear, angular;
  /* sum of loads and contact forces, N, N m, which is 0 in equilibrium. The torque is about the
   * centre, without gyroscopic torque */
  ct_vec3 residual_force, residual_torque;
} ct_body_acceleration;

/* Stability of an island. It is always determined with exact cones, because inscribed pyramids may
 * release stable bodies and circumscribed ones may hold unstable bodies.
 * - STAYS: contact forces within the cones balance the loads; `holding` are such forces.
 * - FALLS: no such forces exist; `motion`, from Gauss' principle, is a direction of motion along
 *   which the loads do work, while no contact force within the cones does work against it.
 * - MOVING: the bodies already move.
 * - UNDECIDED: within round-off of the limit between STAYS and FALLS, or not converged. */
typedef enum ct_stability {
  CT_STABILITY_NOT_REQUESTED,
  CT_STABILITY_STAYS,
  CT_STABILITY_FALLS,
  CT_STABILITY_MOVING,
  CT_STABILITY_UNDECIDED
} ct_stability;

typedef struct ct_resting_result {
  ct_contact_force *contacts;   /* [count] caller's array */
  ct_body_acceleration *bodies; /* [body_count] caller's array */
  /* [count] caller's array, or NULL: if STAYS, contact forces on b that prove it, N */
  ct_vec3 *holding;
  /* [body_count] caller's array, or NULL: if FALLS, a motion that proves it, as accelerations;
   * m/s^2, rad/s^2 */
  ct_velocity *motion;
  /* [count] caller's array, or NULL: if INFEASIBLE, the proof, a Farkas vector over the contacts */
  double *certificate;
  ct_resting_status status;
  ct_stability stability;
  /* residual of the best equilibrium forces, relative to the loads; 0: the forces are in
   * equilibrium */
  double stability_margin;
  bool converged;
  /* As in ct_lcp_result or ct_friction_result. Friction NONE: equilibrium forces also count as
   * converged if the residual is within their round-off, and at most 1e-6 (1 + max |b|). */
  double residual, complementarity;
  /* worst violations: max of -gap'', and max of -f, over the contacts; 0 if none is violated */
  double primal, dual;
  double cone_error; /* POLYHEDRAL */
  size_t rank;       /* friction NONE: rank of A, valid if rank_known */
  bool rank_known;
  ct_tristate unique;
  /* method that solved the problem; "equilibrium": forces in equilibrium were found directly;
   * "none": there are no contacts. Static storage */
  const char *method;
  uint64_t iterations;
} ct_resting_result;

/* Forces of one island, written to *result: all members of contacts and bodies are set. INFEASIBLE:
 * forces are 0. Not converged: the best forces found. Deterministic; exchanging a and b of a
 * contact negates its force, bit for bit.
 *
 * Friction CONE with method AUTO: bodies at rest that some contact forces keep at rest do stay at
 * rest, under the forces of least norm (tie), even if other solutions exist. Other solutions are
 * refined to round-off by Newton's method, for at most CT_RESTING_CONTACTS_EXACT contacts. The
 * stability limit has a relative error of 1e-11, for at most CT_RESTING_BODIES_EXACT dynamic
 * bodies; larger islands are accurate to about seven digits and UNDECIDED more often. The work for
 * more than CT_LCP_DIRECT_MAX contacts is limited, to about ten seconds, if iterations_max is 0. If
 * their system exceeds the memory limit and the methods are AUTO, the result is the forces that
 * balance the loads best; they count as converged if they are a solution.
 *
 * Cost: without friction as ct_lcp_solve. With friction O(n^3) up to those sizes; beyond,
 * O(Delassus blocks) for each of some hundred iterations.
 * CT_LIMIT: such a system with another method, pyramids or at acceleration level; a contact without
 * a normal or not between two bodies of the set; a missing time step. CT_OUT_OF_MEMORY,
 * CT_CANCELLED. On errors the result is not set. */
ct_status ct_resting_solve(const ct_contact_set *set, const ct_resting_options *options,
                           ct_arena *arena, ct_resting_result *result);

/* Writes the dense matrix A [count * count], 1/kg, and the vector b [count], m/s^2, of gap'' = A f
 * + b, over all contacts of the set, including separating ones; either may be NULL. A is symmetric
 * bit for bit, and positive semidefinite. O(count^2). */
void ct_resting_system(const ct_contact_set *set, double *matrix, double *b);

CT_DECLARATIONS_END

#endif
