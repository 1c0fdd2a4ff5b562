/* Forces of resting contacts: which keep bodies apart, and with friction hold them; accelerations; whether a heap stays.
 */
#ifndef CONTACT_RESTING_H
#define CONTACT_RESTING_H

#include <contact/friction.h>
#include <contact/lcp.h>
#include <contact/linkage.h>
#include <contact/mechanics.h>

CT_DECLARATIONS_BEGIN

/* NONE: normal forces alone, gap'' = A f + b >= 0. CONE: exact Coulomb cones. POLYHEDRAL: pyramids, by Lemke's method. */
#define CT_RESTING_FRICTION_MAP(X)                                                                                                 \
  X(NONE, "none")                                                                                                                  \
  X(CONE, "cone")                                                                                                                  \
  X(POLYHEDRAL, "polyhedral")

/* See ct_resting_solve. */
#define CT_RESTING_CONTACTS_EXACT 170
#define CT_RESTING_BODIES_EXACT 85
/* Sides of pyramids where nothing else is said. */
#define CT_RESTING_DIRECTIONS 8

typedef enum ct_resting_friction {
#define CT_RESTING_FRICTION_ENUM(name, word) CT_RESTING_FRICTION_##name,
  CT_RESTING_FRICTION_MAP(CT_RESTING_FRICTION_ENUM)
#undef CT_RESTING_FRICTION_ENUM
} ct_resting_friction;

typedef struct ct_resting_options {
  ct_resting_friction friction;
  bool acceleration_level;   /* friction: contacts that slide have a friction of known direction, and an answer may not exist; else
                              * velocities at the end of time_step are what friction acts on: there is always one */
  double time_step;          /* s, > 0; of friction at the level of velocities alone */
  double velocity_tolerance; /* m/s: which contacts rest, which slide. Separating ones take no part; colliding ones are told, and
                              * take part as if they rested */
  ct_lcp_method lcp_method;  /* NONE */
  ct_friction_method friction_method; /* CONE */
  ct_lcp_tie tie;                     /* NONE: and of CONE where the solver ends with more than one answer */
  unsigned directions;                /* POLYHEDRAL: even, >= 4; 0: CT_RESTING_DIRECTIONS */
  bool circumscribed;
  double tolerance;        /* of the solvers, relative; 0: theirs */
  uint64_t iterations_max; /* 0: theirs */
  bool stability;          /* ask whether the island stays */
  const ct_cancel *cancel;
} ct_resting_options;
/* Defaults: without friction; directions CT_RESTING_DIRECTIONS; tolerance and iterations of the solvers.
 * `time_step` has to be set for friction at the level of velocities. */
ct_resting_options ct_resting_options_default(void);

#define CT_RESTING_STATUS_MAP(X)                                                                                                   \
  X(OK, "ok")                                                                                                                      \
  X(INFEASIBLE, "infeasible")       /* the contacts cannot be kept apart: bodies that are moved squeeze them */                    \
  X(INCONSISTENT, "inconsistent")   /* acceleration level: no forces do it (Painleve) */                                           \
  X(INDETERMINATE, "indeterminate") /* acceleration level: several accelerations do */                                             \
  X(NOT_CONVERGED, "notConverged")

typedef enum ct_resting_status {
#define CT_RESTING_STATUS_ENUM(name, word) CT_RESTING_STATUS_##name,
  CT_RESTING_STATUS_MAP(CT_RESTING_STATUS_ENUM)
#undef CT_RESTING_STATUS_ENUM
} ct_resting_status;

typedef struct ct_contact_force {
  ct_vec3 force; /* on b, N; -force on a */
  double normal; /* force.n >= 0 */
  ct_vec3 tangential;
  double acceleration;             /* of the gap, m/s^2 */
  ct_vec3 tangential_acceleration; /* of b's point against a's */
  ct_contact_velocity velocity;    /* now */
  bool takes_part;                 /* not separating */
  bool sliding;                    /* friction is at its limit and the points slip, or will */
} ct_contact_force;

typedef struct ct_body_acceleration {
  ct_vec3 linear, angular;
  ct_vec3 residual_force, residual_torque; /* loads + contacts: what accelerates the body (0 in equilibrium); torque about the
                                            * centre, without the gyroscopic one */
} ct_body_acceleration;

/* Will it stay? It is asked of the exact cones, of friction POLYHEDRAL too, whatever the pyramids' forces do: inscribed they may
 * let bodies go that stay, circumscribed hold some that fall. STAYS: some forces within the cones hold every dynamic body where it
 * is: `holding` are such. FALLS: none do: `motion` is the way of Gauss' principle along which the loads do work whatever the
 * contacts give. MOVING: bodies move already. UNDECIDED: within round-off of the limit, or the solver did not end. */
typedef enum ct_stability {
  CT_STABILITY_NOT_REQUESTED,
  CT_STABILITY_STAYS,
  CT_STABILITY_FALLS,
  CT_STABILITY_MOVING,
  CT_STABILITY_UNDECIDED
} ct_stability;

typedef struct ct_resting_result {
  ct_contact_force *contacts;   /* [count] the caller's */
  ct_body_acceleration *bodies; /* [body_count] the caller's */
  ct_vec3 *holding;             /* [count] the caller's, or NULL: forces on b that prove STAYS */
  ct_velocity *motion; /* [body_count] the caller's, or NULL: direction that proves FALLS, as accelerations; m/s^2, rad/s^2 */
  double *certificate; /* [count] the caller's, or NULL: Farkas vector over the contacts, where INFEASIBLE */
  ct_resting_status status;
  ct_stability stability;
  double stability_margin; /* residual of the best forces, relative to the loads: 0 holds */
  bool converged;
  double residual, complementarity; /* as in ct_lcp_result or ct_friction_result; NONE: forces that hold all bodies have converged
                                     * too where it is their rounding, up to 1e-6 (1 + max |b|) */
  double primal, dual;              /* max(0, -gap''), max(0, -f): the worst */
  double cone_error;                /* POLYHEDRAL */
  size_t rank;                      /* NONE: of A, where rank_known */
  bool rank_known;
  ct_tristate unique;
  const char *method; /* word of the method that answered, "equilibrium" where forces that hold all bodies do, "none" without
                       * contacts; static */
  uint64_t iterations;
} ct_resting_result;

/* Forces of one island: of touches and bodies everything is set; forces are 0 where INFEASIBLE; those of a result that has not
 * converged are the best that were found. Friction CONE with the method AUTO: bodies at rest that some forces hold are held, by the
 * shortest of them (tie), whatever else might solve the problem too; other answers are taken to the last digits by Newton's method
 * where there are at most CT_RESTING_CONTACTS_EXACT contacts. Whether an island stays is found to 1e-11, relative, of the limit,
 * where it has at most CT_RESTING_BODIES_EXACT dynamic bodies; of larger ones to some seven digits, and more often not at all. More
 * contacts than CT_LCP_DIRECT_MAX are given bounded work, some ten seconds of it, where iterations_max is 0; where their system
 * would be larger than is kept and the methods are AUTO, the answer is the forces that come nearest to holding all bodies,
 * converged where these are right. CT_LIMIT: such a system with another method, with pyramids or at acceleration level. The same
 * input gives the same bits; with a and b of one contact exchanged its force turns round, bit for bit. CT_OUT_OF_MEMORY,
 * CT_CANCELLED, CT_LIMIT (also: a touch without a normal, or not of two bodies of the set; no time
 * step where one is needed): the result is not set. Cost: without friction that of ct_lcp_solve;
 * with it some n^3 up to those numbers,
 * beyond O(couplings) for each of some hundred steps. Baraff 1994; Cottle, Pang, Stone 2009; Acary, Brogliato 2008. */
ct_status ct_resting_solve(const ct_contact_set *set, const ct_resting_options *options, ct_arena *arena,
                           ct_resting_result *result);

/* A (dense, [count count]) and b [count] of gap'' = A f + b over the contacts of the set, separating ones included; either may be
 * NULL. kg^-1, m/s^2. A is symmetric, bit for bit, and positive semidefinite. O(count^2). */
void ct_resting_system(const ct_contact_set *set, double *matrix, double *b);

CT_DECLARATIONS_END

#endif
