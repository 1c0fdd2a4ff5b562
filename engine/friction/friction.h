/* Common to the friction solvers: the problem in blocks of 3 x 3, and the interface of a solver.
 * Notation: W, q, r, u, mu, rho as in contact/friction.h; P is the projection onto a contact's
 * cone.
 *
 * The solvers work on a copy scaled by powers of two, in which the greatest entries of W and of q
 * are in [1/2, 1). So products and squares stay in the range of doubles, and the same problem in
 * other units takes the same steps. Planar contacts get a second tangent without coupling or load.
 * A solver improves `r`, and stores the evaluated iterate with the least residual in `best`. */
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
  /* [contacts + 1] index of the first off-diagonal block of each row of blocks */
  const size_t *starts;
  const uint32_t *columns; /* contact of each block's column, ascending within a row */
  const ct_block *blocks;
  const ct_block *diagonal; /* [contacts] */
  const ct_triple *q;       /* [contacts] */
  const double *mu;         /* [contacts] the caller's friction coefficients */
  const double *rho;        /* [contacts] 1 / |W_ii|; for zero blocks the greatest of the others */
  /* residuals are relative to the greatest force, or to size_max if that is less */
  double size_max;
  ct_triple *r; /* [contacts] contact forces of the present iterate, scaled; always within the
                   friction cones */
  /* [contacts] the iterate with the least residual (best_residual) of those whose residual was
   * evaluated */
  ct_triple *best;
  double best_residual;
  ct_friction_method method, best_method; /* the running method, and the method that found `best` */
  int matrix_exponent;                    /* scaling: W of this struct = the caller's W /
                                             2^matrix_exponent */
  int r_exponent;                         /* scaling: the caller's r = r of this struct *
                                             2^r_exponent */
  double tolerance;
  uint64_t iterations, iterations_max; /* sweeps or steps so far, and their limit */
  /* number of multiplications with entries of W in sweeps and gradient steps so far */
  double multiplied;
  double eliminated; /* number of multiplications in Newton steps so far */
  /* [contacts] infeasibility proof of the problem without friction, or NULL */
  const double *certificate;
  ct_arena *arena;
  const ct_cancel *cancel;
} ct_friction_work;

/* Copies and scales the problem and the start into `work`. CT_OUT_OF_MEMORY, CT_CANCELLED. */
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

/* Euclidean length of (s, t), without overflow. Scaling both by a power of two scales the result
 * exactly. */
static inline double ct_length2(double s, double t) {
  double most = fmax(fabs(s), fabs(t)), least = fmin(fabs(s), fabs(t));
  if (!(most > 0.0)) return 0.0;
  double part = least / most;
  return most * sqrt(1.0 + part * part);
}

/* Returns the point of the cone |r_t| <= mu r_n closest to x. */
ct_triple ct_cone_nearest(ct_triple x, double mu);
/* Shortens the tangential part of r, if necessary, so that r is within the cone in exact
 * arithmetic. */
ct_triple ct_cone_contains(ct_triple r, double mu);

/* Returns the relative velocity at contact i without its own force: q_i + sum of W_ij r_j over the
 * other contacts j. */
static inline ct_triple ct_friction_sum_others(const ct_friction_work *w, const ct_triple *r,
                                               size_t i) {
  assert(i < w->contacts);
  ct_triple b = w->q[i];
  for (size_t k = w->starts[i]; k < w->starts[i + 1]; k++)
    b = ct_triple_add(b, ct_block_times(&w->blocks[k], r[w->columns[k]]));
  return b;
}

/* Number of entries of all blocks, that is, of multiplications in one product with W. */
static inline double ct_friction_entries(const ct_friction_work *w) {
  return 9.0 * (double)(w->starts[w->contacts] + w->contacts);
}

/* Returns the defect r - P(r - rho (u + mu |u_t| n)) of one contact; it is 0 for a solution. Raises
 * *size to at least |r| and |P(..)|. */
ct_triple ct_friction_defect(ct_triple r, ct_triple u, double mu, double rho, double *size);

/* Lower limit of the residual of forces with the greatest size `size`: 0 up to `size_max`. The
 * round-off of greater forces exceeds the velocities that they change, and an infeasible problem
 * would seem to be solved. */
static inline double ct_friction_roundoff(double size, double size_max) {
  return size > size_max && size_max > 0.0 ? CT_UNIT_ROUNDOFF * (size / size_max) : 0.0;
}

/* Returns the residual of w->r as defined in contact/friction.h. Copies w->r to `best` if its
 * residual is the least so far. */
double ct_friction_evaluate(ct_friction_work *w);

/* Makes at most `sweeps` Gauss-Seidel sweeps; ends early at the tolerance or without progress.
 * CT_CANCELLED. */
ct_status ct_friction_nsgs(ct_friction_work *w, uint64_t sweeps);

/* Makes at most `steps` Newton steps; ends early at the tolerance or without progress, and
 * immediately if the elimination would exceed its limits. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_friction_newton(ct_friction_work *w, uint64_t steps);

/* Makes at most `steps` accelerated gradient steps; ends early at the tolerance or without
 * progress. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_friction_apgd(ct_friction_work *w, uint64_t steps);

/* Solves the problem in the velocities of the bodies, until the tolerance is reached, progress
 * stops, or a work limit of some seconds is reached. Requires dimension 3 and a symmetric W.
 * CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_friction_by_bodies(ct_friction_work *w, const ct_friction_bodies *bodies);

/* Searches for a proof that no forces in the cones separate all contacts: y >= 0 with (y'W)_j r_j
 * <= 0 for all r_j in the cones, and q'y < 0. The candidate y is from the problem without friction.
 * proof: when to search. *contradicts: set to true if a proof was found. CT_OUT_OF_MEMORY,
 * CT_CANCELLED. */
ct_status ct_friction_prove_infeasible(const ct_friction_work *w, ct_friction_proof proof,
                                       bool *contradicts);

/* Solves the problem with pyramids instead of cones. Sets w->best and all of the result except r
 * and u. Without friction the solution of least norm is returned; otherwise Lemke's method is used.
 * CT_OUT_OF_MEMORY, CT_CANCELLED, CT_LIMIT. */
ct_status ct_friction_polyhedral(ct_friction_work *w, const ct_friction_options *options,
                                 ct_friction_result *result);

#endif
