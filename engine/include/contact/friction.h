/* Coulomb friction at many contacts: finds impulses r and relative velocities u = W r + q, such
 * that for each contact: r is in the friction cone K = { |r_t| <= mu r_n }, u + mu |u_t| n is in
 * the dual cone of K, and r'(u + mu |u_t| n) = 0. Subscript n: component along the contact normal
 * n; t: tangential part.
 *
 * So a contact that opens has no impulse, a sticking one has u = 0, and a sliding one has r_t
 * opposite to u_t on the boundary of the cone. Units are the caller's: impulses and velocities, or
 * forces and accelerations.
 * De Saxce, Feng 1998; Acary, Bremond, Huber 2018 (comparison of solvers); Stewart, Trinkle 1996
 * and Anitescu, Potra 1997 (POLYHEDRAL). */
#ifndef CONTACT_FRICTION_H
#define CONTACT_FRICTION_H

#include <contact/arena.h>
#include <contact/base.h>

CT_DECLARATIONS_BEGIN

/* Solvers.
 * - NSGS: nonsmooth Gauss-Seidel; the problem of each contact is solved exactly, in turn.
 * - NEWTON: semismooth Newton method on all contacts, after some Gauss-Seidel sweeps.
 * - GRADIENT: accelerated projected gradient on the convex problem in which the De Saxce term mu
 *   |u_t| is fixed; repeated with updated terms.
 * - POLYHEDRAL: each cone is replaced by a pyramid with `directions` sides; the resulting LCP is
 *   solved by Lemke's method.
 * - AUTO: tries methods chosen by size and returns the best result. If all mu are 0, it solves the
 *   LCP of the normal forces, reported as POLYHEDRAL, and returns the forces of least norm. */
#define CT_FRICTION_METHOD_MAP(X)                                                                  \
  X(AUTO, "auto")                                                                                  \
  X(NSGS, "nsgs")                                                                                  \
  X(NEWTON, "newton")                                                                              \
  X(GRADIENT, "gradient")                                                                          \
  X(POLYHEDRAL, "polyhedral")

typedef enum ct_friction_method {
#define CT_FRICTION_METHOD_ENUM(name, word) CT_FRICTION_##name,
  CT_FRICTION_METHOD_MAP(CT_FRICTION_METHOD_ENUM)
#undef CT_FRICTION_METHOD_ENUM
      CT_FRICTION_METHOD_COUNT
} ct_friction_method;

#define CT_FRICTION_STATUS_MAP(X)                                                                  \
  X(OK, "ok")                                                                                      \
  X(INFEASIBLE, "infeasible")                                                                      \
  X(RAY, "ray")                                                                                    \
  X(ITERATION_LIMIT, "iterationLimit")

typedef enum ct_friction_status {
#define CT_FRICTION_STATUS_ENUM(name, word) CT_FRICTION_STATUS_##name,
  CT_FRICTION_STATUS_MAP(CT_FRICTION_STATUS_ENUM)
#undef CT_FRICTION_STATUS_ENUM
} ct_friction_status;

typedef struct ct_friction_problem {
  /* Delassus matrix W, of size contacts * dimension; the first row of each contact is its normal */
  ct_matrix matrix;
  const double *q;  /* [contacts * dimension] relative velocities without impulses */
  const double *mu; /* [contacts] friction coefficients, >= 0; 0: frictionless */
  size_t contacts;
  unsigned dimension; /* 3, or 2 for planar problems */
} ct_friction_problem;

/* The factor G of W = scale G'G, if the effect of the contacts on the bodies is known. `levers` has
 * the columns of G over the momenta of `count` bodies, with square roots of masses included.
 * Internal to the engine (friction/cone_active_set.h). */
typedef struct ct_friction_bodies {
  const struct ct_cone *levers; /* [contacts] */
  size_t count;
  double scale;
} ct_friction_bodies;

/* When an unconverged result is followed by the search for a proof of infeasibility, which may take
 * several times as long as the solution. WHEN_INDICATED: if some iterations on the normal forces
 * alone find none that separate all contacts. NEVER is for callers that know that a solution
 * exists. */
typedef enum ct_friction_proof {
  CT_FRICTION_PROOF_WHEN_INDICATED,
  CT_FRICTION_PROOF_ALWAYS,
  CT_FRICTION_PROOF_NEVER
} ct_friction_proof;

/* Default number of sides of a friction pyramid. */
#define CT_FRICTION_DIRECTIONS 8u

typedef struct ct_friction_options {
  ct_friction_method method;
  /* a result with residual <= tolerance counts as converged; 0: CT_FRICTION_TOLERANCE */
  double tolerance;
  uint64_t iterations_max; /* largest number of sweeps or steps; 0: the method's limit */
  /* POLYHEDRAL: number of sides of the pyramid, even, >= 4; the first side faces the first tangent;
   * 0: CT_FRICTION_DIRECTIONS */
  unsigned directions;
  /* POLYHEDRAL: the pyramid contains the cone (circumscribed) instead of being contained in it */
  bool circumscribed;
  /* AUTO, dimension 3: factors of W, with which many contacts are solved faster; NULL: unknown */
  const ct_friction_bodies *bodies;
  const double *start; /* [contacts * dimension] initial r (warm start); NULL: 0 */
  /* when infeasibility is proven; ignored by POLYHEDRAL, and by AUTO without friction, whose LCP
   * solvers always prove it */
  ct_friction_proof proof;
  const ct_cancel *cancel;
} ct_friction_options;
/* Defaults: AUTO, tolerance CT_FRICTION_TOLERANCE, directions CT_FRICTION_DIRECTIONS;
 * iterations_max 0, that is the method's limit. */
ct_friction_options ct_friction_options_default(void);

typedef struct ct_friction_result {
  /* [contacts * dimension] caller's arrays; u = W r + q. The doubles of r satisfy |r_t| <= mu r_n
   * exactly (POLYHEDRAL: r is in the pyramids up to round-off) */
  double *r, *u;
  ct_friction_status status;
  ct_friction_method method; /* the method used; never AUTO */
  bool converged;            /* true only if residual <= tolerance */
  double tolerance;          /* the tolerance used */
  /* Residual of the exact cones: the 2-norm over all contacts of the defect r - P(r - rho (u + mu
   * |u_t| n)), where P projects onto the cone and rho = 1 / |W_ii| (2-norm of the block's entries;
   * a zero block uses the greatest rho of the others). It is divided by the greatest |r| or |P(..)|
   * of a contact, so that r = 0 has residual 0, or at least 1, in any units. The divisor is at most
   * CT_FRICTION_GROWTH times the greatest rho |q_n| (rho |q| if all q_n are 0), because diverging
   * forces are no solution; the residual of greater forces is at least their round-off. 0 if all
   * defects are 0. POLYHEDRAL: |min(z, w)| of the LCP of the pyramids, with W and q scaled to 1,
   * divided likewise; it does not measure the distance between pyramids and cones (see cone_error,
   * ct_friction_residual). */
  double residual;
  /* POLYHEDRAL: 1 - cos(pi / directions), by which friction in the worst direction is too small
   * (circumscribed: too large), relative; else 0 */
  double cone_error;
  uint64_t iterations;
} ct_friction_result;

/* Solves the friction problem; fills *result and its arrays. W, q and mu are finite; W may be
 * unsymmetric and indefinite. If the tolerance is not reached, the result is the iterate of least
 * residual. Status INFEASIBLE: proven (Farkas) that no forces in the cones separate all contacts or
 * keep them closed; the proof is searched for up to 256 contacts if `proof` says so. Deterministic;
 * scaling W and q by powers of two scales r and u and changes nothing else. Memory grows with the
 * nonzeros of W; a sweep costs some 10 ns per nonzero.
 * CT_LIMIT: a dimension other than 2 and 3; contacts without a matrix; more than
 * CT_LCP_ITERATIVE_MAX rows; POLYHEDRAL: contacts * (directions + 2) > CT_LCP_DIRECT_MAX.
 * CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_friction_solve(const ct_friction_problem *problem, const ct_friction_options *options,
                            ct_arena *arena, ct_friction_result *result);

/* Returns the residual of the exact cones, as ct_friction_result.residual, for any r. u (may be
 * NULL): set to W r + q. */
double ct_friction_residual(const ct_friction_problem *problem, const double *r, double *u);

CT_DECLARATIONS_END

#endif
