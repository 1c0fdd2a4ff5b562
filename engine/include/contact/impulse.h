/* Collision impulses of one contact with dry friction, or of many contacts at once; restitution;
 * energy guard.
 *
 * Single contacts: Routh; Mirtich 1996; Stronge 1990. Simultaneous contacts with friction:
 * Anitescu, Potra 1997. */
#ifndef CONTACT_IMPULSE_H
#define CONTACT_IMPULSE_H

#include <contact/base.h>
#include <contact/mechanics.h>

CT_DECLARATIONS_BEGIN

/* Impact law of a single contact with friction.
 * - ALGEBRAIC: stick, or slide along the initial direction. If this jams or the sliding reverses,
 *   as INTEGRATED.
 * - INTEGRATED: integrates friction through the impact, with the normal impulse as time (Routh;
 *   Mirtich 1996); Poisson restitution.
 * - ENERGETIC: as INTEGRATED, with restitution by the work of the normal impulse (Stronge).
 * - POINT_MASS: the tangential velocity change of a point is at most mu times the normal one. The
 *   impulse is then applied to the bodies, although the rule ignores their rotation. */
#define CT_IMPULSE_LAW_MAP(X)                                                                      \
  X(ALGEBRAIC, "algebraic")                                                                        \
  X(INTEGRATED, "integrated")                                                                      \
  X(ENERGETIC, "energetic")                                                                        \
  X(POINT_MASS, "pointMass")

typedef enum ct_impulse_law {
#define CT_IMPULSE_LAW_ENUM(name, word) CT_IMPULSE_##name,
  CT_IMPULSE_LAW_MAP(CT_IMPULSE_LAW_ENUM)
#undef CT_IMPULSE_LAW_ENUM
      CT_IMPULSE_LAW_COUNT
} ct_impulse_law;

/* Resolution of several contacts.
 * - NEWTON, POISSON: simultaneous, with that restitution law. With friction: exact cones, with
 *   NEWTON's target velocities or POISSON's two phases. The phases are compression, then normal
 *   impulses of at least restitution times those, with friction against the remaining slip. Each
 *   contact has one friction coefficient, the static one if it does not slip before.
 * - SEQUENTIAL: one contact after the other in the set's order by the single-contact law, repeated
 *   until none approaches faster than the velocity tolerance or round-off.
 *
 * The three may differ legitimately, as for Newton's cradle. */
#define CT_SIMULTANEITY_MAP(X)                                                                     \
  X(NEWTON, "newton")                                                                              \
  X(POISSON, "poisson")                                                                            \
  X(SEQUENTIAL, "sequential")

typedef enum ct_simultaneity {
#define CT_SIMULTANEITY_ENUM(name, word) CT_SIMULTANEITY_##name,
  CT_SIMULTANEITY_MAP(CT_SIMULTANEITY_ENUM)
#undef CT_SIMULTANEITY_ENUM
      CT_SIMULTANEITY_COUNT
} ct_simultaneity;

typedef struct ct_impulse_options {
  ct_impulse_law law;           /* for islands with one contact, and for SEQUENTIAL */
  ct_simultaneity simultaneity; /* for islands with several contacts */
  bool frictionless;            /* ignore the materials' friction */
  bool energy_guard;         /* if energy would grow, scale the impulse towards the plastic one */
  double velocity_tolerance; /* m/s: slower approaches are no impacts */
  double rest_velocity;      /* m/s, >= 0: slower approaches have restitution 0 */
  double tolerance;          /* of the solvers, relative; 0: their defaults */
  uint64_t iterations_max;   /* 0: the solvers' defaults; SEQUENTIAL: 1,000 sweeps */
  const ct_cancel *cancel;
} ct_impulse_options;
/* Defaults: zeros: ALGEBRAIC, NEWTON; tolerance and iterations of the solvers. */
ct_impulse_options ct_impulse_options_default(void);

/* Outcome of a contact. */
#define CT_IMPULSE_OUTCOME_MAP(X)                                                                  \
  X(NONE, "none")   /* separating or resting, without a driving impulse */                         \
  X(STICK, "stick") /* no slip after the impact */                                                 \
  X(SLIDE, "slide")                                                                                \
  X(REVERSE, "reverse") /* slip stopped and restarted in another direction */                      \
  X(JAM, "jam") /* friction alone would press the bodies together; held at the sticking rate */    \
  X(FRICTIONLESS, "frictionless")                                                                  \
  X(IMMOVABLE, "immovable") /* neither body can move */

typedef enum ct_impulse_outcome {
#define CT_IMPULSE_OUTCOME_ENUM(name, word) CT_IMPULSE_OUTCOME_##name,
  CT_IMPULSE_OUTCOME_MAP(CT_IMPULSE_OUTCOME_ENUM)
#undef CT_IMPULSE_OUTCOME_ENUM
} ct_impulse_outcome;

typedef struct ct_contact_impulse {
  ct_vec3 impulse; /* on b, N s; -impulse on a */
  double normal;   /* impulse.n >= 0 */
  ct_vec3 tangential;
  ct_contact_velocity before;
  ct_vec3 after; /* relative velocity after the impact, m/s */
  double normal_after;
  double restitution; /* coefficient used */
  ct_impulse_outcome outcome;
} ct_contact_impulse;

/* Result of the energy guard, which accounts for the work of kinematic bodies. PASSED: energy minus
 * that work did not grow. SKIPPED_KINEMATIC: no impulses satisfy the kinematic bodies, so none were
 * applied. */
#define CT_ENERGY_GUARD_MAP(X)                                                                     \
  X(OFF, "off")                                                                                    \
  X(PASSED, "passed")                                                                              \
  X(APPLIED, "applied")                                                                            \
  X(SKIPPED_KINEMATIC, "skippedKinematic")

typedef enum ct_energy_guard {
#define CT_ENERGY_GUARD_ENUM(name, word) CT_GUARD_##name,
  CT_ENERGY_GUARD_MAP(CT_ENERGY_GUARD_ENUM)
#undef CT_ENERGY_GUARD_ENUM
} ct_energy_guard;

typedef struct ct_impulse_result {
  ct_contact_impulse *contacts; /* [count] caller's array */
  /* [body_count] caller's array: velocities after the impulses; immovable bodies unchanged */
  ct_velocity *velocities;
  double energy_before, energy_after; /* kinetic energy of the dynamic bodies, J */
  double work;                        /* work of kinematic bodies, J */
  ct_energy_guard guard;
  /* fraction of the step from the plastic impulse; 1 unless APPLIED; SEQUENTIAL: the least */
  double guard_theta;
  /* also false if K is singular in doubles (a long lever of a tiny, heavy body); then without
   * friction */
  bool converged;
  /* restitution was infeasible and omitted; `converged` refers to the problem without it */
  bool infeasible;
  bool contradictory; /* kinematic squeeze: no impulses are feasible, and none were applied */
  /* [count] caller's array, or NULL. If contradictory: y >= 0; as normal impulses, y cancels on
   * every dynamic body while the weighted gaps close (infeasibility proof); else 0 */
  double *certificate;
  /* POINT_MASS, and the impulse rotates a body: point velocities deviate from the rule */
  bool rotation_ignored;
  /* of the solved law before the guard; relative to the velocities, or as the solver's header says
   */
  double residual;
  uint64_t iterations;
  /* name of the solved law: "frictionless", or a word of the maps above; static storage */
  const char *law;
} ct_impulse_result;

/* Impulses of one island; fills *result and its arrays. Momentum changes by round-off alone, and
 * the impulse on a is minus that on b bit for bit. With restitution <= 1 and the guard,
 * energy_after <= energy_before + work up to round-off. Cost: one contact O(1); several
 * O(contacts^3), or sweeps.
 * CT_LIMIT: too many contacts for the solvers; a contact without a normal or not between two bodies
 * of the set. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_impulse_solve(const ct_contact_set *set, const ct_impulse_options *options,
                           ct_arena *arena, ct_impulse_result *result);

CT_DECLARATIONS_END

#endif
