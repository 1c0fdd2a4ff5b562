/* Coulomb friction at many contacts: u = W r + q; for each contact r in K = { |r_t| <= mu r_n }, u + mu |u_t| n in the dual cone,
 * r'(u + mu |u_t| n) = 0. So: a contact that opens has no impulse, one that sticks has u = 0, one that slides has r_t against u_t
 * on the border of the cone. Units are the caller's (impulses and velocities, or forces and accelerations). De Saxce, Feng 1998;
 * Acary, Bremond, Huber 2018 (comparison of solvers); Stewart, Trinkle 1996; Anitescu, Potra 1997 (POLYHEDRAL).
 */
#ifndef CONTACT_FRICTION_H
#define CONTACT_FRICTION_H

#include <contact/arena.h>
#include <contact/linkage.h>

CT_DECLARATIONS_BEGIN

/* NSGS: contacts one after the other, each solved exactly. NEWTON: semismooth Newton on all contacts at once, after some sweeps.
 * GRADIENT: accelerated projected gradient on the convex problem with a fixed de Saxce term, again and again. POLYHEDRAL: the cone
 * as a pyramid of `directions` sides, a linear complementarity problem by Lemke's method. AUTO: by size, then whichever is best;
 * without any friction the linear complementarity problem that it is, told as POLYHEDRAL, whose forces are those of the least norm.
 */
#define CT_FRICTION_METHOD_MAP(X)                                                                                                  \
  X(AUTO, "auto")                                                                                                                  \
  X(NSGS, "nsgs")                                                                                                                  \
  X(NEWTON, "newton")                                                                                                              \
  X(GRADIENT, "gradient")                                                                                                          \
  X(POLYHEDRAL, "polyhedral")

typedef enum ct_friction_method {
#define CT_FRICTION_METHOD_ENUM(name, word) CT_FRICTION_##name,
  CT_FRICTION_METHOD_MAP(CT_FRICTION_METHOD_ENUM)
#undef CT_FRICTION_METHOD_ENUM
      CT_FRICTION_METHOD_COUNT
} ct_friction_method;

#define CT_FRICTION_STATUS_MAP(X)                                                                                                  \
  X(OK, "ok")                                                                                                                      \
  X(INFEASIBLE, "infeasible")                                                                                                      \
  X(RAY, "ray")                                                                                                                    \
  X(ITERATION_LIMIT, "iterationLimit")

typedef enum ct_friction_status {
#define CT_FRICTION_STATUS_ENUM(name, word) CT_FRICTION_STATUS_##name,
  CT_FRICTION_STATUS_MAP(CT_FRICTION_STATUS_ENUM)
#undef CT_FRICTION_STATUS_ENUM
} ct_friction_status;

typedef struct ct_friction_problem {
  ct_matrix matrix; /* W: size = contacts dimension; each contact's rows normal first */
  const double *q;  /* [contacts dimension] */
  const double *mu; /* [contacts] >= 0; 0: frictionless */
  size_t contacts;
  unsigned dimension; /* 3, or 2 for plane problems */
} ct_friction_problem;

/* W = scale G'G, where it is known what contacts do to bodies: `levers` hold the columns of G, over `count` bodies, with the roots
 * of masses in them. The engine's own (friction/cone_active_set.h). */
typedef struct ct_friction_bodies {
  const struct ct_cone *levers; /* [contacts] */
  size_t count;
  double scale;
} ct_friction_bodies;

/* When a result that has not converged is followed by a proof that there is no solution, which may take several times as long.
 * WHEN_INDICATED: where some iterations on the normal forces alone find none that part all contacts. ALWAYS. NEVER: where the
 * caller knows that there is a solution. */
typedef enum ct_friction_proof {
  CT_FRICTION_PROOF_WHEN_INDICATED,
  CT_FRICTION_PROOF_ALWAYS,
  CT_FRICTION_PROOF_NEVER
} ct_friction_proof;

/* Sides of pyramids where nothing else is set. */
#define CT_FRICTION_DIRECTIONS 8u

typedef struct ct_friction_options {
  ct_friction_method method;
  double tolerance;                 /* converged: residual <= tolerance; 0: CT_FRICTION_TOLERANCE */
  uint64_t iterations_max;          /* sweeps or steps; 0: the method's own limit */
  unsigned directions;              /* POLYHEDRAL: sides of the pyramid, even, >= 4; 0: CT_FRICTION_DIRECTIONS. The first: along
                                     * the first tangent */
  bool circumscribed;               /* POLYHEDRAL: the pyramid around the cone, not in it */
  const ct_friction_bodies *bodies; /* AUTO, dimension 3: many contacts are then solved by way of their bodies; NULL: not known */
  const double *start;              /* [contacts dimension] r to begin from; NULL: 0 */
  ct_friction_proof proof;          /* not of POLYHEDRAL, nor of AUTO without friction: these always prove */
  const ct_cancel *cancel;
} ct_friction_options;
/* Defaults: AUTO, CT_FRICTION_TOLERANCE, directions 8; iterations_max stays 0: that of the method. */
ct_friction_options ct_friction_options_default(void);

typedef struct ct_friction_result {
  double *r, *u; /* [contacts dimension] the caller's. |r_t| <= mu r_n holds for the doubles as real numbers (POLYHEDRAL: r is in
                  * the pyramids, to rounding); u = W r + q */
  ct_friction_status status;
  ct_friction_method method; /* that gave the answer; never AUTO */
  bool converged;            /* residual within the tolerance: never told otherwise */
  double tolerance;          /* in force: the option, or CT_FRICTION_TOLERANCE */
  double residual;   /* of the exact cone: 2-norm over contacts of r - P(r - rho (u + mu |u_t| n)), rho = 1 / |W_ii| (by entries),
                      * divided by the greatest |r| or |P(..)| of a contact: r = 0 has none of it, or one at least, in any units.
                      * But at most by CT_FRICTION_GROWTH times the greatest rho |q_n| (where all are 0, rho |q|): forces that grow
                      * without end solve nothing, and it is no less than their round-off then. 0 where all are 0.
                      * Of a block of zeros rho is the greatest of the others.
                      * POLYHEDRAL: of the pyramids' problem, |min(z, w)| with W and q scaled to 1, divided likewise: how far the
                      * pyramids are from the cones is told by cone_error alone (ct_friction_residual tells the cones') */
  double cone_error; /* POLYHEDRAL: 1 - cos(pi / directions), the part of the strength that the worst direction lacks (or,
                        circumscribed, has too much of); else 0 */
  uint64_t iterations;
} ct_friction_result;

/* CT_OUT_OF_MEMORY, CT_CANCELLED, CT_LIMIT (a dimension that is neither 2 nor 3; contacts without a matrix; more than
 * CT_LCP_ITERATIVE_MAX rows; POLYHEDRAL: contacts
 * (directions + 2) more than CT_LCP_DIRECT_MAX). W, q and mu are finite; W need be neither
 * symmetric nor definite. INFEASIBLE: normal
 * forces prove that no forces in the cones part or hold all contacts (Farkas; looked for among up to 256, when `proof` says so).
 * Where the tolerance is not reached the answer is the best iterate that was seen, by its residual. The same input gives the same
 * bits; scaling W and q by powers of two scales r and u and changes nothing else. Memory grows with the entries of W that are not
 * zero; a sweep costs some 10 ns each. */
ct_status ct_friction_solve(const ct_friction_problem *problem, const ct_friction_options *options, ct_arena *arena,
                            ct_friction_result *result);

/* The residual above of any r; u (may be NULL) gets W r + q. */
double ct_friction_residual(const ct_friction_problem *problem, const double *r, double *u);

CT_DECLARATIONS_END

#endif
