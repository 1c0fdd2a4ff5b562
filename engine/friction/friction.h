/* Shared by the friction solvers: the problem as blocks of 3 x 3, and the interface of a solver.
 *
 * The copy is scaled by powers of two, so that neither products nor squares leave the range of
 * doubles and the same problem in other units takes the same steps: the greatest entry of W and of
 * q lies in [1/2, 1). Plane contacts have a second tangent that nothing moves. A solver improves
 * `r` and leaves in `best` the evaluated iterate of least residual.
 */
#ifndef FRICTION_FRICTION_H
#define FRICTION_FRICTION_H

#include "linear/arena.h"
#include <contact/friction.h>

#include <math.h>

/* A contact's three numbers: normal, two tangents. */
typedef struct ct_triple {
  double n, s, t;
} ct_triple;

typedef struct ct_block {
  double m[9]; /* row by row */
} ct_block;

typedef struct ct_friction_work {
  size_t contacts;
  unsigned dimension;
  const size_t *starts;    /* [contacts + 1] of the blocks beside the diagonal in each row */
  const uint32_t *columns; /* ascending in each row */
  const ct_block *blocks;
  const ct_block *diagonal; /* [contacts] */
  const ct_triple *q;       /* [contacts] */
  const double *mu;         /* [contacts] the caller's */
  const double *rho; /* [contacts] 1 / |W_ii|, of blocks that are zero the greatest of the others */
  double size_max;   /* the most that a residual is divided by */
  ct_triple *r;      /* [contacts] the iterate; always in the cones */
  ct_triple *best;   /* [contacts] */
  double best_residual;
  ct_friction_method method, best_method; /* at work; that found `best` */
  int matrix_exponent;                    /* W here is the caller's divided by two to that power */
  int r_exponent;                         /* the caller's r is this one times two to that power */
  double tolerance;
  uint64_t iterations, iterations_max; /* sweeps or steps made, and allowed */
  double multiplied;                   /* by sweeps and descents so far: entries of W */
  double eliminated;                   /* by Newton steps so far: multiplications */
  const double *certificate; /* [contacts] of the problem without friction, where that has no
                                solution; else NULL */
  ct_arena *arena;
  const ct_cancel *cancel;
} ct_friction_work;

/* CT_OUT_OF_MEMORY, CT_CANCELLED. Memory comes from the arena. */
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

/* Length of two numbers, whatever their size; scales with powers of two to the bit. */
static inline double ct_length2(double s, double t) {
  double most = fmax(fabs(s), fabs(t)), least = fmin(fabs(s), fabs(t));
  if (!(most > 0.0)) return 0.0;
  double part = least / most;
  return most * sqrt(1.0 + part * part);
}

/* The nearest point of the cone |r_t| <= mu r_n. */
ct_triple ct_cone_nearest(ct_triple x, double mu);
/* r with its tangential part shortened, where need be, so that it lies in the cone also in exact
 * arithmetic. */
ct_triple ct_cone_contains(ct_triple r, double mu);

/* q_i + sum of W_ij r_j over the other contacts. */
static inline ct_triple ct_friction_sum_others(const ct_friction_work *w, const ct_triple *r,
                                               size_t i) {
  ct_triple b = w->q[i];
  for (size_t k = w->starts[i]; k < w->starts[i + 1]; k++)
    b = ct_triple_add(b, ct_block_times(&w->blocks[k], r[w->columns[k]]));
  return b;
}

/* Entries of the blocks: what one product with W multiplies. */
static inline double ct_friction_entries(const ct_friction_work *w) {
  return 9.0 * (double)(w->starts[w->contacts] + w->contacts);
}

/* r - P(r - rho (u + mu |u_t| n)) of one contact; *size is at least |r| and |P(..)|. */
ct_triple ct_friction_defect(ct_triple r, ct_triple u, double mu, double rho, double *size);

/* What a residual is at least, from the greatest force and what it may be at most. Greater ones
 * swallow the velocities that they are to change, and would seem to solve what has no solution. */
static inline double ct_friction_roundoff(double size, double size_max) {
  return size > size_max && size_max > 0.0 ? CT_UNIT_ROUNDOFF * (size / size_max) : 0.0;
}

/* The residual as contact/friction.h says it, of w->r, which becomes `best` where it is better. */
double ct_friction_evaluate(ct_friction_work *w);

/* Up to `sweeps` sweeps, fewer where the tolerance is reached or nothing gets better. CT_CANCELLED.
 */
ct_status ct_friction_nsgs(ct_friction_work *w, uint64_t sweeps);

/* Up to `steps` steps, fewer where the tolerance is reached or they do not help; none where the
 * equations are too many for their elimination. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_friction_newton(ct_friction_work *w, uint64_t steps);

/* Up to `steps` steps, fewer where the tolerance is reached or nothing gets better. Same failures.
 */
ct_status ct_friction_apgd(ct_friction_work *w, uint64_t steps);

/* By way of the bodies, as far as that comes: until the tolerance is reached, nothing gets better
 * or the work, some seconds, is done. Dimension 3, W symmetric. CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_friction_by_bodies(ct_friction_work *w, const ct_friction_bodies *bodies);

/* Whether normal forces y >= 0 prove that no forces in the cones part all contacts: y'W takes no
 * force in a cone apart, but q'y < 0. Looks for them without friction, when `proof` says so.
 * CT_OUT_OF_MEMORY, CT_CANCELLED. */
ct_status ct_friction_prove_infeasible(const ct_friction_work *w, ct_friction_proof proof,
                                       bool *contradicts);

/* The pyramids' problem: `best` and all of the result but r and u. Without friction by the method
 * that suits it, with the least norm; else by Lemke's. CT_OUT_OF_MEMORY, CT_CANCELLED, CT_LIMIT. */
ct_status ct_friction_polyhedral(ct_friction_work *w, const ct_friction_options *options,
                                 ct_friction_result *result);

#endif
