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
 * - ALGEBRAIC: assumes that the contact sticks, or slides along its initial direction. If this jams
 *   or the sliding reverses, INTEGRATED is used.
 * - INTEGRATED: integrates friction through the impact, with the normal impulse as the independent
 *   variable (Routh; Mirtich 1996); Poisson restitution.
 * - ENERGETIC: as INTEGRATED, but restitution is defined by the work of the normal impulse
 *   (Stronge).
 * - POINT_MASS: the change of the tangential velocity of a point is at most mu times that of the
 *   normal velocity. The impulse computed so is then applied to the bodies, although the rule
 *   ignores their rotation. */
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

/* Resolution of several contacts of one island.
 * - NEWTON, POISSON: all contacts simultaneously, with that restitution law and exact friction
 *   cones. NEWTON prescribes the normal velocities after the impact. POISSON has two phases:
 *   compression, then normal impulses of at least restitution times those of compression, with
 *   friction against the remaining slip. Each contact has one friction coefficient: the static one
 *   if it does not slip before the impact.
 * - SEQUENTIAL: one contact after the other, in the set's order, by the single-contact law;
 *   repeated until no contact approaches faster than the velocity tolerance or round-off.
 *
 * The three may legitimately yield different results, as for Newton's cradle. */
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
  /* law of a single contact, for islands with one contact and for SEQUENTIAL */
  ct_impulse_law law;
  ct_simultaneity simultaneity; /* how islands with several contacts are solved */
  bool frictionless;            /* ignore the materials' friction */
  /* if kinetic energy would grow, the impulse is moved towards the plastic impulse until it does
   * not */
  bool energy_guard;
  double velocity_tolerance; /* speed, m/s: contacts that approach more slowly have no impact */
  double rest_velocity;      /* speed, m/s, >= 0: contacts that approach more slowly have
                                restitution 0 */
  double tolerance;          /* relative tolerance of the solvers; 0: their defaults */
  /* largest number of iterations; 0: the solvers' defaults, SEQUENTIAL 1,000 sweeps */
  uint64_t iterations_max;
  const ct_cancel *cancel;
} ct_impulse_options;
/* Defaults: all members 0, that is law ALGEBRAIC, simultaneity NEWTON, and the solvers' own
 * tolerance and iteration limit. */
ct_impulse_options ct_impulse_options_default(void);

/* What a contact did during the impact. */
#define CT_IMPULSE_OUTCOME_MAP(X)                                                                  \
  X(NONE, "none")   /* the contact separates or rests, and has no impulse */                       \
  X(STICK, "stick") /* no slip after the impact */                                                 \
  X(SLIDE, "slide")                                                                                \
  X(REVERSE, "reverse") /* slip stopped, and restarted in another direction */                     \
  X(JAM, "jam")         /* friction alone would press the bodies together; the contact sticks */   \
  X(FRICTIONLESS, "frictionless")                                                                  \
  X(IMMOVABLE, "immovable") /* neither body is dynamic, so the contact has no impulse */

typedef enum ct_impulse_outcome {
#define CT_IMPULSE_OUTCOME_ENUM(name, word) CT_IMPULSE_OUTCOME_##name,
  CT_IMPULSE_OUTCOME_MAP(CT_IMPULSE_OUTCOME_ENUM)
#undef CT_IMPULSE_OUTCOME_ENUM
} ct_impulse_outcome;

typedef struct ct_contact_impulse {
  ct_vec3 impulse; /* impulse on b, N s; the opposite impulse acts on a */
  double normal;   /* normal component of the impulse, >= 0, N s */
  ct_vec3 tangential;
  ct_contact_velocity before;
  ct_vec3 after;       /* relative velocity of b's point after the impact, m/s */
  double normal_after; /* normal component of `after`, m/s */
  double restitution;  /* coefficient of restitution used */
  ct_impulse_outcome outcome;
} ct_contact_impulse;

/* Result of the energy guard, which compares the growth of kinetic energy with the work of
 * kinematic bodies. PASSED: energy minus that work did not grow. APPLIED: impulses were scaled.
 * SKIPPED_KINEMATIC: no impulses are compatible with the kinematic bodies' motion, so none were
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
  ct_contact_impulse *contacts; /* [count] caller's array: result of each contact */
  /* [body_count] caller's array: velocities after the impulses; immovable bodies unchanged */
  ct_velocity *velocities;
  /* kinetic energy of the dynamic bodies before and after the impulses, J */
  double energy_before, energy_after;
  double work; /* work of kinematic bodies, J */
  ct_energy_guard guard;
  /* if APPLIED: fraction in [0, 1] of the way from the plastic impulse to the solved one that was
   * applied, SEQUENTIAL: the least over the contacts; else 1 */
  double guard_theta;
  /* the solver reached its tolerance. Also false if the collision matrix K of a single contact is
   * singular in doubles (a long lever of a tiny, heavy body); the impulse is then without
   * friction */
  bool converged;
  /* restitution was infeasible and omitted; `converged` refers to the problem without
   * restitution */
  bool infeasible;
  /* true: kinematic squeeze, so no impulses are feasible and none were applied */
  bool contradictory;
  /* [count] caller's array, or NULL. If contradictory, a proof of infeasibility: y >= 0 such that
   * the normal impulses y cancel on every dynamic body, while the sum of the gaps weighted by y
   * decreases; else 0 */
  double *certificate;
  /* true if law POINT_MASS was used and the impulse rotates a body, so that point velocities
   * deviate from the law */
  bool rotation_ignored;
  /* residual of the solved law before the guard, relative to the velocities or as defined in the
   * solver's header */
  double residual;
  uint64_t iterations;
  /* word for the solved law: "frictionless", or a word of the maps above; static storage */
  const char *law;
} ct_impulse_result;

/* Computes the impulses of one island; fills *result and its arrays. Momentum changes by round-off
 * alone, and the impulse on a is minus that on b bit for bit. With restitution <= 1 and the guard,
 * energy_after <= energy_before + work up to round-off. Cost: O(1) for one contact; O(contacts^3),
 * or sweeps, for several.
 * CT_LIMIT: too many contacts for the solvers; a contact without a normal or not between two bodies
 * of the set. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_impulse_solve(const ct_contact_set *set, const ct_impulse_options *options,
                           ct_arena *arena, ct_impulse_result *result);

CT_DECLARATIONS_END

#endif
