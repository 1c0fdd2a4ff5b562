/* The interface between ct_lcp_solve and its methods.
 *
 * A method is one function and one row of the table in lcp.c. It receives a job and writes these
 * members of the result: `z` (every entry >= 0; on failure the best one found), `status`,
 * `iterations`, `unique` if known and, with INFEASIBLE, `certificate`, which is never NULL here.
 * It allocates from the job's arena; lcp.c enters and leaves the arena.
 *
 * lcp.c computes the rest for all methods: w, residual, complementarity and `converged`. It
 * verifies certificates (an invalid one becomes RAY). With CT_LCP_TIE_MIN_NORM and a symmetric
 * positive semidefinite M of up to CT_LCP_DIRECT_MAX rows it finds the least |z|, the rank, and
 * whether z is the only solution.
 *
 * A method returns CT_OK, CT_OUT_OF_MEMORY or CT_CANCELLED; numerical difficulties are reported in
 * the status. It polls the cancel flag once per pivot or sweep, and makes at most the job's number
 * of iterations.
 */
#ifndef LCP_LCP_JOB_H
#define LCP_LCP_JOB_H

#include "linear/arena.h"
#include <contact/lcp.h>

#include <math.h>

typedef struct ct_lcp_job {
  const ct_matrix *matrix;    /* the caller's matrix */
  const double *dense;        /* [n n] for methods whose table row requires it; else NULL */
  const uint32_t *low, *high; /* [n] with `dense`: row i is 0 outside of columns low[i] .. high[i] -
                                 1, and low[i] <= i < high[i] */
  const double *roots;        /* [n] with `dense`: sqrt of the diagonal, 0 where that is negative */
  const double *q;
  size_t size;             /* n */
  double target;           /* converged: residual <= target */
  double bound;            /* residuals up to this may be caused by the round-off of z alone */
  double q_max;            /* |q|max */
  uint64_t iterations_max; /* from the options, or the method's table row */
  bool symmetric;          /* M = M' to round-off */
  bool exactly_symmetric;  /* M = M' */
  bool semidefinite;       /* from the options */
  const ct_lcp_options *options;
  ct_arena *arena;
} ct_lcp_job;

/* Pivots of dependent rows of a positive semidefinite M are at most this part of the diagonal
 * entry. */
static inline double ct_lcp_dependent(const ct_lcp_job *job) {
  return 64.0 * CT_UNIT_ROUNDOFF * (double)job->size;
}

/* Round-off of w_i, or M_ii z_i, that is 0 for a positive semidefinite M: |M_ij| <= roots_i
 * roots_j. */
static inline double ct_lcp_roundoff(const ct_lcp_job *job, size_t i, double terms) {
  return 16.0 * CT_UNIT_ROUNDOFF * (fabs(job->q[i]) + job->roots[i] * terms);
}
static inline double ct_lcp_terms(const ct_lcp_job *job, const double *z) {
  double terms = 0.0;
  for (size_t i = 0; i < job->size; i++) terms += job->roots[i] * fabs(z[i]);
  return terms;
}

/* True if z with this residual is a solution, or one except for the round-off of z. */
bool ct_lcp_is_near(const ct_lcp_job *job, const double *z, double residual);

/* Round-off of a certificate's products, relative to the sums of their absolute terms. */
static inline double ct_lcp_proof_roundoff(size_t n) { return 8.0 * CT_UNIT_ROUNDOFF * (double)n; }

ct_status ct_lcp_block(const ct_lcp_job *job, ct_lcp_result *result);
/* After a solve with status OK, symmetric M and `dense`: replaces the solution by the least z (z,
 * w, residual), and sets `rank` and `unique`. If M proves not to be positive semidefinite, nothing
 * changes. */
ct_status ct_lcp_least_norm(const ct_lcp_job *job, ct_lcp_result *result);
/* Replaces a z near a solution, with `dense`, by nearby doubles with a smaller residual (z, w,
 * residual), down to the target if possible. */
ct_status ct_lcp_reduce_roundoff(const ct_lcp_job *job, ct_lcp_result *result);

ct_status ct_lcp_pgs(const ct_lcp_job *job, ct_lcp_result *result);
ct_status ct_lcp_mprgp(const ct_lcp_job *job, ct_lcp_result *result);
ct_status ct_lcp_dantzig(const ct_lcp_job *job, ct_lcp_result *result);
ct_status ct_lcp_enumerate(const ct_lcp_job *job, ct_lcp_result *result);
ct_status ct_lcp_lemke(const ct_lcp_job *job, ct_lcp_result *result);

#endif
