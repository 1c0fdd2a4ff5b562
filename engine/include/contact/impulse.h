/* Collision impulses: of one contact with dry friction, of many at once; restitution; energy.
 */
#ifndef CONTACT_IMPULSE_H
#define CONTACT_IMPULSE_H

#include <contact/linkage.h>
#include <contact/mechanics.h>

CT_DECLARATIONS_BEGIN

/* How one contact with friction is resolved. ALGEBRAIC: stick, or slide along the initial direction; where that jams or the sliding
 * turns round, as INTEGRATED. INTEGRATED: friction followed through the impact, the normal impulse as its time (Routh; Mirtich
 * 1996), restitution by Poisson. ENERGETIC: the same, by the work of the normal impulse (Stronge). POINT_MASS: the slide's rule:
 * velocity change of a point along the tangent is at most mu times that along the normal; the impulse is then what it is on the
 * bodies, whose rotation the rule leaves out. */
#define CT_IMPULSE_LAW_MAP(X)                                                                                                      \
  X(ALGEBRAIC, "algebraic")                                                                                                        \
  X(INTEGRATED, "integrated")                                                                                                      \
  X(ENERGETIC, "energetic")                                                                                                        \
  X(POINT_MASS, "pointMass")

typedef enum ct_impulse_law {
#define CT_IMPULSE_LAW_ENUM(name, word) CT_IMPULSE_##name,
  CT_IMPULSE_LAW_MAP(CT_IMPULSE_LAW_ENUM)
#undef CT_IMPULSE_LAW_ENUM
      CT_IMPULSE_LAW_COUNT
} ct_impulse_law;

/* How many contacts are resolved. NEWTON, POISSON: at once, with that law of restitution (with friction: exact cones, NEWTON's
 * targets or POISSON's two phases: compression, then normal impulses of at least restitution times those, with friction against the
 * slip that is then). One coefficient of friction counts for a contact, the static one where it does not slip before. SEQUENTIAL:
 * one after the other in the set's order by the law of one contact, again and again, until none approaches faster than the velocity
 * tolerance or round-off. The three may differ, each by its own right: a cradle of balls. */
#define CT_SIMULTANEITY_MAP(X)                                                                                                     \
  X(NEWTON, "newton")                                                                                                              \
  X(POISSON, "poisson")                                                                                                            \
  X(SEQUENTIAL, "sequential")

typedef enum ct_simultaneity {
#define CT_SIMULTANEITY_ENUM(name, word) CT_SIMULTANEITY_##name,
  CT_SIMULTANEITY_MAP(CT_SIMULTANEITY_ENUM)
#undef CT_SIMULTANEITY_ENUM
      CT_SIMULTANEITY_COUNT
} ct_simultaneity;

typedef struct ct_impulse_options {
  ct_impulse_law law;           /* of an island with one contact, and of SEQUENTIAL */
  ct_simultaneity simultaneity; /* of more */
  bool frictionless;            /* materials' friction does not count */
  bool energy_guard;            /* where energy would grow, the impulse is drawn back towards the plastic one */
  double velocity_tolerance;    /* m/s: approaches slower are none */
  double rest_velocity;         /* m/s: approaches slower have restitution 0; >= 0 */
  double tolerance;             /* of the solvers, relative; 0: theirs */
  uint64_t iterations_max;      /* 0: theirs; sweeps of SEQUENTIAL: 1,000 */
  const ct_cancel *cancel;
} ct_impulse_options;
/* Defaults: zeros: ALGEBRAIC, NEWTON; tolerance and iterations of the solvers. */
ct_impulse_options ct_impulse_options_default(void);

/* What became of a contact. */
#define CT_IMPULSE_OUTCOME_MAP(X)                                                                                                  \
  X(NONE, "none")   /* separating or resting, and nothing drives it */                                                             \
  X(STICK, "stick") /* no slip afterwards */                                                                                       \
  X(SLIDE, "slide")                                                                                                                \
  X(REVERSE, "reverse") /* slip stopped and began anew in another direction */                                                     \
  X(JAM, "jam")         /* friction alone would press the bodies together: held at the sticking rate */                            \
  X(FRICTIONLESS, "frictionless")                                                                                                  \
  X(IMMOVABLE, "immovable") /* nothing can move either body */

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
  ct_vec3 after; /* relative velocity, m/s */
  double normal_after;
  double restitution; /* that was in force */
  ct_impulse_outcome outcome;
} ct_contact_impulse;

/* What happened to the energy guard, which counts what kinematic bodies put in. PASSED: energy and that work did not grow.
 * SKIPPED_KINEMATIC: these ask for what no impulses give, so none were given. */
#define CT_ENERGY_GUARD_MAP(X)                                                                                                     \
  X(OFF, "off")                                                                                                                    \
  X(PASSED, "passed")                                                                                                              \
  X(APPLIED, "applied")                                                                                                            \
  X(SKIPPED_KINEMATIC, "skippedKinematic")

typedef enum ct_energy_guard {
#define CT_ENERGY_GUARD_ENUM(name, word) CT_GUARD_##name,
  CT_ENERGY_GUARD_MAP(CT_ENERGY_GUARD_ENUM)
#undef CT_ENERGY_GUARD_ENUM
} ct_energy_guard;

typedef struct ct_impulse_result {
  ct_contact_impulse *contacts;       /* [count] the caller's */
  ct_velocity *velocities;            /* [body_count] the caller's: after the impulses; immovable bodies as they were */
  double energy_before, energy_after; /* kinetic, of the dynamic bodies, J */
  double work;                        /* by kinematic bodies, J */
  ct_energy_guard guard;
  double guard_theta;    /* part of the way from the plastic impulse that was taken; 1 unless applied; SEQUENTIAL: the least */
  bool converged;        /* false too where K is singular in doubles (a long lever of a tiny, heavy body): no friction then */
  bool infeasible;       /* restitution could not be had: it was left out, converged tells of what was solved then */
  bool contradictory;    /* kinematic bodies press others into each other: no impulses are right, none were given */
  double *certificate;   /* [count] the caller's, or NULL: where contradictory y >= 0 that adds up to nothing on every dynamic body
                          * (along the normals), while gaps, so weighted, close; else 0 */
  bool rotation_ignored; /* POINT_MASS, though the impulse turns a body: the velocities of points come out otherwise than it says */
  double residual; /* of the law that was solved, before the guard; relative: to the velocities, or as the solver's header says */
  uint64_t iterations;
  const char *law; /* name of what was solved: "frictionless", or a word of the maps above; static */
} ct_impulse_result;

/* Impulses of one island. Momentum changes by round-off alone; the impulse on a is minus that on b, bit for bit. With restitution
 * <= 1 and the guard, energy_after <= energy_before + work but for round-off. Cost: one contact O(1); many O(contacts^3), or
 * sweeps. CT_OUT_OF_MEMORY, CT_CANCELLED, CT_LIMIT (also: a touch without a
 * normal, or not of two bodies of the set). Theory: seed 004 slides 30-60; Mirtich 1996; Stronge 1990; Anitescu, Potra
 * 1997. */
ct_status ct_impulse_solve(const ct_contact_set *set, const ct_impulse_options *options, ct_arena *arena,
                           ct_impulse_result *result);

CT_DECLARATIONS_END

#endif
