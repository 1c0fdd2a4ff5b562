/* The interface between ct_lcp_solve and its methods.
 *
 * A method is one function and one row of the table in lcp.c. It receives a job and writes these
 * members of the result: `z` (every entry >= 0; on failure the best one found), `status`,
 * `iterations`, `unique` if the method determines it and, with INFEASIBLE, `certificate`, which is
 * never NULL here. It allocates from the job's arena; lcp.c enters and leaves the arena.
 *
 * lcp.c computes the other members for all methods: w, residual, complementarity and `converged`.
 * It verifies certificates (with an invalid one the status becomes RAY). With CT_LCP_TIE_MIN_NORM
 * and a symmetric positive semidefinite M of up to CT_LCP_DIRECT_MAX rows it finds the least |z|,
 * the rank, and whether z is the only solution.
 *
 * A method returns CT_OK, CT_OUT_OF_MEMORY or CT_CANCELLED; numerical difficulties are reported in
 * the status. It polls the cancel flag once per pivot or sweep, and makes at most iterations_max
 * iterations. */
#ifndef LCP_LCP_JOB_H
#define LCP_LCP_JOB_H

#include "linear/arena.h"
#include <contact/lcp.h>

#include <math.h>

typedef struct ct_lcp_job {
  const ct_matrix *matrix;    /* the caller's matrix */
  const double *dense;        /* [n n] the matrix M; NULL if the method does not require a dense
                                 matrix (table of methods in lcp.c) */
  const uint32_t *low, *high; /* [n] set with `dense`: row i is 0 outside of the columns low[i] to
                                 high[i] - 1, and low[i] <= i < high[i] */
  const double *roots;        /* [n] set with `dense`: square roots of the diagonal entries; 0 for
                                 negative ones */
  const double *q;
  size_t size;             /* n */
  double target;           /* a solution has converged if its residual is at most this */
  double bound;            /* upper bound of the residual that the round-off of z alone may cause */
  double q_max;            /* largest |q_i| */
  uint64_t iterations_max; /* limit of iterations: that of the options or, if 0 there, that of the
                              table of methods in lcp.c */
  bool symmetric;          /* M equals M' to round-off */
  bool exactly_symmetric;  /* M equals M' exactly */
  bool semidefinite;       /* the caller states that M is positive semidefinite */
  const ct_lcp_options *options;
  ct_arena *arena;
} ct_lcp_job;

/* Greatest pivot, as a fraction of the diagonal entry, that a dependent row of a positive
 * semidefinite M has by round-off. */
static inline double ct_lcp_dependent(const ct_lcp_job *job) {
  return 64.0 * CT_UNIT_ROUNDOFF * (double)job->size;
}

/* Bound of the round-off of w_i, or of M_ii z_i, where the exact value is 0. `terms` is from
 * ct_lcp_terms. Valid for a positive semidefinite M, where |M_ij| <= roots_i roots_j. */
static inline double ct_lcp_roundoff(const ct_lcp_job *job, size_t i, double terms) {
  return 16.0 * CT_UNIT_ROUNDOFF * (fabs(job->q[i]) + job->roots[i] * terms);
}
static inline double ct_lcp_terms(const ct_lcp_job *job, const double *z) {
  double terms = 0.0;
  for (size_t i = 0; i < job->size; i++) terms += job->roots[i] * fabs(z[i]);
  return terms;
}

/* True if the residual is within the target, or is so small that the round-off of z alone may cause
 * it. */
bool ct_lcp_is_near(const ct_lcp_job *job, const double *z, double residual);

/* Bound of the round-off of M'y and q'y for a certificate y, relative to the sums of the absolute
 * values of their terms. */
static inline double ct_lcp_proof_roundoff(size_t n) { return 8.0 * CT_UNIT_ROUNDOFF * (double)n; }

ct_status ct_lcp_block(const ct_lcp_job *job, ct_lcp_result *result);
/* Call after a method with status OK, for a symmetric M with `dense`. Replaces the solution by the
 * one with the least |z| (members z, w, residual), and sets `rank` and `unique`. If M turns out not
 * to be positive semidefinite, the result is unchanged. */
ct_status ct_lcp_least_norm(const ct_lcp_job *job, ct_lcp_result *result);
/* Replaces a z near a solution by nearby doubles with a smaller residual, down to the target if
 * possible (members z, w, residual). Requires `dense`. */
ct_status ct_lcp_reduce_roundoff(const ct_lcp_job *job, ct_lcp_result *result);

ct_status ct_lcp_pgs(const ct_lcp_job *job, ct_lcp_result *result);
ct_status ct_lcp_mprgp(const ct_lcp_job *job, ct_lcp_result *result);
ct_status ct_lcp_dantzig(const ct_lcp_job *job, ct_lcp_result *result);
ct_status ct_lcp_enumerate(const ct_lcp_job *job, ct_lcp_result *result);
ct_status ct_lcp_lemke(const ct_lcp_job *job, ct_lcp_result *result);

#endif
