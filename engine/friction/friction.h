/* Shared by the friction solvers: the problem in blocks of 3 x 3, and the interface of a solver.
 *
 * The copy is scaled by powers of two: the greatest entries of W and of q are in [1/2, 1).
 * Products and squares stay in the range of doubles, and the same problem in other units takes the
 * same steps. Plane contacts have a second tangent without coupling or load. A solver improves `r`
 * and stores in `best` the evaluated iterate with the least residual.
 */
#ifndef FRICTION_FRICTION_H
#define FRICTION_FRICTION_H

#include "linear/arena.h"
#include <contact/friction.h>

#include <assert.h>
#include <math.h>

/* Normal and two tangential components of a contact. */
typedef struct ct_triple {
  double n, s, t;
} ct_triple;

typedef struct ct_block {
  double m[9]; /* row by row */
} ct_block;

typedef struct ct_friction_work {
  size_t contacts;
  unsigned dimension;
  const size_t *starts;    /* [contacts + 1] first off-diagonal block of each row */
  const uint32_t *columns; /* ascending within a row */
  const ct_block *blocks;
  const ct_block *diagonal; /* [contacts] */
  const ct_triple *q;       /* [contacts] */
  const double *mu;         /* [contacts] the caller's coefficients of friction */
  const double *rho;        /* [contacts] 1 / |W_ii|; for zero blocks the greatest of the others */
  double size_max;          /* upper limit of the force size that residuals are divided by */
  ct_triple *r;             /* [contacts] the iterate; always within the cones */
  ct_triple *best;          /* [contacts] */
  double best_residual;
  ct_friction_method method, best_method; /* the running method; the method that found `best` */
  int matrix_exponent;                    /* W = the caller's W / 2^matrix_exponent */
  int r_exponent;                         /* the caller's r = r 2^r_exponent */
  double tolerance;
  uint64_t iterations, iterations_max; /* sweeps or steps so far, and their limit */
  double multiplied; /* entries of W multiplied in sweeps and gradient steps so far */
  double eliminated; /* multiplications in Newton steps so far */
  /* [contacts] infeasibility proof of the frictionless problem, or NULL */
  const double *certificate;
  ct_arena *arena;
  const ct_cancel *cancel;
} ct_friction_work;

/* Copies and scales the problem into `work`. Returns CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_friction_prepare(const ct_friction_problem *problem,
                              const ct_friction_options *options, ct_friction_work *work);

static inline ct_triple ct_block_times(const ct_block *b, ct_triple x) {
  return (ct_triple){b->m[0] * x.n + b->m[1] * x.s + b->m[2] * x.t,
                     b->m[3] * x.n + b->m[4] * x.s + b->m[5] * x.t,
                     b->m[6] * x.n + b->m[7] * x.s + b->m[8] * x.t};
}
static inline ct_triple ct_triple_add(ct_triple a, ct_triple b) {
  return (ct_triple){a.n + b.n, a.s + b.s, a.t + b.t};
}
static inline ct_triple ct_triple_sub(ct_triple a, ct_triple b) {
  return (ct_triple){a.n - b.n, a.s - b.s, a.t - b.t};
}
static inline ct_triple ct_triple_scale(ct_triple a, double s) {
  return (ct_triple){s * a.n, s * a.s, s * a.t};
}
static inline double ct_triple_norm2(ct_triple a) { return a.n * a.n + a.s * a.s + a.t * a.t; }

/* Euclidean length of (s, t) without overflow. Scaling by a power of two scales the result
 * exactly. */
static inline double ct_length2(double s, double t) {
  double most = fmax(fabs(s), fabs(t)), least = fmin(fabs(s), fabs(t));
  if (!(most > 0.0)) return 0.0;
  double part = least / most;
  return most * sqrt(1.0 + part * part);
}

/* The nearest point of the cone |r_t| <= mu r_n. */
ct_triple ct_cone_nearest(ct_triple x, double mu);
/* Shortens the tangential part of r, if necessary, so that r is within the cone in exact
 * arithmetic. */
ct_triple ct_cone_contains(ct_triple r, double mu);

/* q_i + sum of W_ij r_j over the other contacts. */
static inline ct_triple ct_friction_sum_others(const ct_friction_work *w, const ct_triple *r,
                                               size_t i) {
  assert(i < w->contacts);
  ct_triple b = w->q[i];
  for (size_t k = w->starts[i]; k < w->starts[i + 1]; k++)
    b = ct_triple_add(b, ct_block_times(&w->blocks[k], r[w->columns[k]]));
  return b;
}

/* Entries of all blocks: multiplications of one product with W. */
static inline double ct_friction_entries(const ct_friction_work *w) {
  return 9.0 * (double)(w->starts[w->contacts] + w->contacts);
}

/* Defect r - P(r - rho (u + mu |u_t| n)) of one contact. Raises *size to at least |r| and |P(..)|.
 */
ct_triple ct_friction_defect(ct_triple r, ct_triple u, double mu, double rho, double *size);

/* Lower limit of a residual if the greatest force `size` exceeds `size_max`. Round-off of such
 * forces exceeds the velocities that they change, and an infeasible problem would appear solved. */
static inline double ct_friction_roundoff(double size, double size_max) {
  return size > size_max && size_max > 0.0 ? CT_UNIT_ROUNDOFF * (size / size_max) : 0.0;
}

/* Computes the residual of w->r as defined in contact/friction.h. Copies w->r to `best` if it is
 * better. */
double ct_friction_evaluate(ct_friction_work *w);

/* At most `sweeps` Gauss-Seidel sweeps; ends early at the tolerance or without progress. Returns
 * CT_CANCELLED. */
ct_status ct_friction_nsgs(ct_friction_work *w, uint64_t sweeps);

/* At most `steps` Newton steps; ends early at the tolerance or without progress, and at once if
 * the elimination exceeds its limits. Returns CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_friction_newton(ct_friction_work *w, uint64_t steps);

/* At most `steps` accelerated gradient steps; ends early at the tolerance or without progress.
 * Returns CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_friction_apgd(ct_friction_work *w, uint64_t steps);

/* Solves in the velocities of the bodies until the tolerance is reached, progress stops, or a work
 * limit of some seconds is reached. Requires dimension 3 and a symmetric W. Returns
 * CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_friction_by_bodies(ct_friction_work *w, const ct_friction_bodies *bodies);

/* Searches for a proof that no forces in the cones separate all contacts: y >= 0 with (y'W)_j r_j
 * <= 0 for all r_j in the cones and q'y < 0. The candidate y is taken from the frictionless
 * problem. `proof` says whether to search. Returns CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_friction_prove_infeasible(const ct_friction_work *w, ct_friction_proof proof,
                                       bool *contradicts);

/* Solves the problem with pyramids instead of cones. Sets `best` and all of the result except r
 * and u. Without friction the solution of least norm is returned; otherwise Lemke's method is
 * used. Returns CT_OUT_OF_MEMORY, CT_CANCELLED, CT_LIMIT. */
ct_status ct_friction_polyhedral(ct_friction_work *w, const ct_friction_options *options,
                                 ct_friction_result *result);

#endif
