/* Linear complementarity problem w = M z + q, z >= 0, w >= 0, z'w = 0: the table of methods, the
 * order in which CT_LCP_AUTO tries them, and the evaluation of each solution from M, q and z alone.
 * The methods are in lcp_*.c; lcp_job.h describes what a method must provide. */
#include "lcp/lcp_job.h"

#include "lcp/lcp_farkas.h"
#include "lcp/lcp_uniqueness.h"
#include "linear/dense.h"
#include "linear/matrix.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Greatest |M_ij - M_ji|, relative to the largest |M_ij|, up to which M counts as symmetric:
 * round-off of its assembly. Methods for a symmetric M read only one triangle; the residual
 * includes the error. */
#define SYMMETRIC 1e-9

/* Limit of the entries of a dense M that one method reads before AUTO tries the next method: a few
 * seconds. */
#define AUTO_WORK UINT64_C(2000000000)
/* A residual up to this many times the target may be caused by the round-off of z alone. Other
 * doubles near z are then tried. */
#define ROUNDOFF_ROOM 1e4
/* A residual that is, with its round-off, below this fraction of the target is not computed more
 * accurately. */
#define FAR_BELOW 0.01
/* Greatest number of rows for which all complementary bases are compared to find another solution:
 * less than a millisecond. */
#define COMPARED_ROWS_MAX 8

typedef struct lcp_method {
  ct_status (*solve)(const ct_lcp_job *job, ct_lcp_result *result);
  size_t rows_max;
  bool dense;              /* reads job->dense */
  bool symmetric;          /* requires a symmetric M */
  double tolerance;        /* tolerance if the options have none */
  uint64_t per_row, least; /* limit of iterations: least + per_row * size */
} lcp_method;

/* Indexed by ct_lcp_method. */
static const lcp_method lcp_methods[CT_LCP_METHOD_COUNT] = {
    [CT_LCP_BLOCK_PIVOTING] = {ct_lcp_block, CT_LCP_DIRECT_MAX, true, true, CT_LCP_TOLERANCE, 50,
                               150},
    [CT_LCP_DANTZIG] = {ct_lcp_dantzig, CT_LCP_DIRECT_MAX, true, true, CT_LCP_TOLERANCE, 50, 100},
    [CT_LCP_LEMKE] = {ct_lcp_lemke, CT_LCP_DIRECT_MAX, true, false, CT_LCP_TOLERANCE, 250, 25000},
    [CT_LCP_ENUMERATION] = {ct_lcp_enumerate, CT_LCP_ENUMERATION_MAX, true, false, CT_LCP_TOLERANCE,
                            0, 1u << CT_LCP_ENUMERATION_MAX},
    [CT_LCP_PGS] = {ct_lcp_pgs, CT_LCP_ITERATIVE_MAX, false, false, CT_LCP_PGS_TOLERANCE, 0, 10000},
    [CT_LCP_QUADRATIC] = {ct_lcp_mprgp, CT_LCP_ITERATIVE_MAX, false, true, CT_LCP_PGS_TOLERANCE, 0,
                          10000},
};

/* Methods in the order in which AUTO tries them: for a symmetric M, and for others. */
static const ct_lcp_method order_for_symmetric[] = {
    CT_LCP_BLOCK_PIVOTING, CT_LCP_LEMKE, CT_LCP_ENUMERATION, CT_LCP_QUADRATIC, CT_LCP_PGS};
static const ct_lcp_method order_for_others[] = {CT_LCP_LEMKE, CT_LCP_ENUMERATION,
                                                 CT_LCP_BLOCK_PIVOTING, CT_LCP_PGS};

/* Computes w and returns the residual of z: in doubles if their round-off is insignificant compared
 * with the target, else in double-doubles. */
static double compute_residual(const ct_lcp *problem, const ct_lcp_job *job, const double *z,
                               double *w) {
  if (!job->roots || !job->symmetric) return ct_lcp_residual(problem, z, w);
  double terms = ct_lcp_terms(job, z), most = 0.0, unsure = 0.0;
  for (size_t i = 0; i < job->size; i++) {
    size_t low = job->low[i];
    w[i] = job->q[i] + ct_dense_dot(job->dense + i * job->size + low, z + low, job->high[i] - low);
    double off = fabs(w[i] < z[i] ? w[i] : z[i]), within = ct_lcp_roundoff(job, i, terms);
    if (!(off <= most)) most = off;
    unsure = within > unsure ? within : unsure;
  }
  return most + unsure <= FAR_BELOW * job->target ? most : ct_lcp_residual(problem, z, w);
}

/* Computes w and residual from M, q and z alone. A status OK becomes ITERATION_LIMIT if the
 * residual exceeds the tolerance. */
static void evaluate_solution(const ct_lcp *problem, const ct_lcp_job *job, ct_lcp_result *result) {
  result->residual = compute_residual(problem, job, result->z, result->w);
  bool finite = isfinite(result->residual);
  for (size_t i = 0; i < job->size && finite; i++) finite = isfinite(result->w[i]);
  if (!finite) {
    /* Products overflow: evaluate z = 0 instead. */
    memset(result->z, 0, job->size * sizeof *result->z);
    result->residual = ct_lcp_residual(problem, result->z, result->w);
    result->status = CT_LCP_STATUS_ITERATION_LIMIT;
  }
  bool within = ct_lcp_is_near(job, result->z, result->residual);
  if (result->status == CT_LCP_STATUS_OK && !within) result->status = CT_LCP_STATUS_ITERATION_LIMIT;
}

/* Replaces the solution by the least one if the solutions form a polyhedron, and determines the
 * rank and whether another solution exists. If the options state that M is semidefinite, its
 * entries are rounded products; rounding makes dependent rows independent, so proofs that treat the
 * entries as exact are not attempted, and the rank beyond round-off is used. */
static ct_status refine_and_compare(const ct_lcp_job *job, ct_lcp_result *result) {
  if (job->semidefinite) return ct_lcp_least_norm(job, result);
  bool definite = false;
  ct_status status = ct_lcp_is_definite(job, &definite);
  if (status != CT_OK) return status;
  if (definite) {
    result->rank = job->size;
    result->rank_known = true;
    result->unique = CT_YES;
    return CT_OK;
  }
  size_t most = result->method == CT_LCP_ENUMERATION ? CT_LCP_ENUMERATION_MAX : COMPARED_ROWS_MAX;
  if (job->symmetric) status = ct_lcp_least_norm(job, result);
  if (status != CT_OK || result->unique != CT_UNKNOWN || job->size > most) return status;
  return ct_lcp_compare_bases(job, result);
}

/* Completes the result of a method. For a solution within round-off, computes the least z, and
 * moves z to other doubles if its residual exceeds the target. */
static ct_status finish_result(const ct_lcp_job *job, ct_lcp_result *result) {
  bool near = result->status == CT_LCP_STATUS_OK;
  ct_arena_mark mark = ct_arena_enter(job->arena);
  ct_status status = CT_OK;
  if (near && job->options->tie == CT_LCP_TIE_MIN_NORM && lcp_methods[result->method].dense)
    status = refine_and_compare(job, result);
  ct_arena_leave(job->arena, mark);
  mark = ct_arena_enter(job->arena);
  if (status == CT_OK && near && result->residual > job->target)
    status = ct_lcp_reduce_roundoff(job, result);
  ct_arena_leave(job->arena, mark);
  if (near && !(result->residual <= job->target)) {
    result->status = CT_LCP_STATUS_ITERATION_LIMIT;
    result->rank_known = false;
    result->rank = 0;
    result->unique = CT_UNKNOWN;
  }
  result->converged = result->status == CT_LCP_STATUS_OK;
  result->complementarity = 0.0;
  for (size_t i = 0; i < job->size; i++) {
    /* A product of finite numbers may overflow. */
    double product = fmin(fabs(result->z[i] * result->w[i]), DBL_MAX);
    if (product > result->complementarity) result->complementarity = product;
  }
  return status;
}

/* Prepares the dense copy of M, the range of nonzero entries of each row, and the square roots of
 * the diagonal. */
static ct_status prepare_dense_rows(ct_lcp_job *job) {
  assert(job->size <= CT_LCP_DIRECT_MAX);
  if (job->roots) return CT_OK;
  size_t n = job->size;
  uint32_t *low = ct_arena_alloc(job->arena, 2 * n, sizeof *low);
  double *roots = ct_arena_alloc_doubles(job->arena, n), *spread = NULL;
  if (!low || !roots) return CT_OUT_OF_MEMORY;
  job->dense = job->matrix->dense;
  if (!job->dense) {
    job->dense = spread = ct_arena_alloc_doubles(job->arena, n * n);
    if (!spread) return CT_OUT_OF_MEMORY;
    ct_matrix_spread(job->matrix, spread);
  }
  ct_matrix_ranges(job->dense, n, low, low + n);
  for (size_t i = 0; i < n; i++) {
    double diagonal = job->dense[i * n + i];
    roots[i] = diagonal > 0.0 ? sqrt(diagonal) : 0.0;
  }
  job->low = low;
  job->high = low + n;
  job->roots = roots;
  return CT_OK;
}

static uint64_t choose_iteration_limit(const ct_lcp_job *job, const lcp_method *m) {
  if (job->options->iterations_max) return job->options->iterations_max;
  uint64_t own = m->least + m->per_row * job->size, most = AUTO_WORK / (job->size * job->size) + 1;
  return job->options->method == CT_LCP_AUTO && job->size <= CT_LCP_DIRECT_MAX && most < own ? most
                                                                                             : own;
}

static ct_status run_method(const ct_lcp *problem, ct_lcp_job *job, ct_lcp_method which,
                            ct_lcp_result *result) {
  assert(which < CT_LCP_METHOD_COUNT && lcp_methods[which].solve);
  assert(job->size > 0 && job->size <= lcp_methods[which].rows_max);
  const lcp_method *m = &lcp_methods[which];
  const ct_lcp_options *options = job->options;
  ct_arena *arena = job->arena;
  /* With AUTO, a problem small enough for direct methods must be solved to their tolerance by every
   * method. */
  bool direct = options->method == CT_LCP_AUTO && job->size <= CT_LCP_DIRECT_MAX;
  double own = direct ? CT_LCP_TOLERANCE : m->tolerance;
  double tolerance = options->tolerance > 0.0 ? options->tolerance : own;
  job->target = tolerance * (direct || m->dense ? job->q_max : 1.0 + job->q_max);
  job->bound = ROUNDOFF_ROOM * job->target;
  job->iterations_max = choose_iteration_limit(job, m);
  result->method = which;
  result->tolerance = tolerance;
  result->iterations = 0;
  result->rank_known = false;
  result->rank = 0;
  result->unique = CT_UNKNOWN;
  result->status = CT_LCP_STATUS_ITERATION_LIMIT;
  memset(result->z, 0, job->size * sizeof *result->z);
  ct_status status = m->dense ? prepare_dense_rows(job) : CT_OK;
  if (status != CT_OK) return status;
  ct_arena_mark mark = ct_arena_enter(arena);
  double *caller = result->certificate, *alternative = result->alternative,
         *scratch = ct_arena_alloc_doubles(arena, 4 * job->size);
  status = scratch ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    if (!caller) result->certificate = scratch;
    status = m->solve(job, result);
    if (status == CT_OK && result->status == CT_LCP_STATUS_INFEASIBLE) {
      if (!ct_lcp_farkas_is_valid(job, result->certificate, scratch + job->size))
        result->status = CT_LCP_STATUS_RAY;
      else if (caller && job->dense) ct_lcp_farkas_round(job, caller, scratch + job->size);
    }
    result->certificate = caller;
  }
  if (status == CT_OK) {
    if (!alternative) result->alternative = scratch + 3 * job->size;
    evaluate_solution(problem, job, result);
    status = finish_result(job, result);
    result->alternative = alternative;
  }
  ct_arena_leave(arena, mark);
  return status;
}

/* True if the method found a solution within the tolerance, a proof of infeasibility, or that no
 * basis has a solution. */
static bool is_final(const ct_lcp_result *r) {
  return r->converged || r->status == CT_LCP_STATUS_INFEASIBLE ||
         r->status == CT_LCP_STATUS_EXHAUSTED;
}

/* Tries the methods in order until one has a final result. If none has, returns the result with the
 * least residual. */
static ct_status run_methods_in_order(const ct_lcp *problem, ct_lcp_job *job,
                                      ct_lcp_result *result) {
  const ct_lcp_method *order = job->symmetric ? order_for_symmetric : order_for_others;
  size_t count = job->symmetric ? sizeof order_for_symmetric / sizeof *order_for_symmetric
                                : sizeof order_for_others / sizeof *order_for_others;
  double *best_z = ct_arena_alloc_doubles(job->arena, 2 * job->size), *best_w = best_z + job->size;
  if (!best_z) return CT_OUT_OF_MEMORY;
  memset(result->z, 0, job->size * sizeof *result->z);
  ct_lcp_result best = *result;
  bool some = false;
  for (size_t k = 0; k < count; k++) {
    if (!lcp_methods[order[k]].solve || job->size > lcp_methods[order[k]].rows_max) continue;
    ct_status status = run_method(problem, job, order[k], result);
    if (status != CT_OK || is_final(result)) return status;
    if (some && result->residual >= best.residual) continue;
    some = true;
    best = *result;
    memcpy(best_z, result->z, job->size * sizeof *best_z);
    memcpy(best_w, result->w, job->size * sizeof *best_w);
  }
  *result = best;
  memcpy(result->z, best_z, job->size * sizeof *best_z);
  memcpy(result->w, best_w, job->size * sizeof *best_w);
  return CT_OK;
}

ct_status ct_lcp_solve(const ct_lcp *problem, const ct_lcp_options *options, ct_arena *arena,
                       ct_lcp_result *result) {
  assert(options->method < CT_LCP_METHOD_COUNT);
  /* Check the limits, and treat the empty problem. */
  size_t n = problem->matrix.size;
  bool chosen = options->method != CT_LCP_AUTO;
  if (n > (chosen ? lcp_methods[options->method].rows_max : CT_LCP_ITERATIVE_MAX)) return CT_LIMIT;
  if (n > 0 && ((!problem->matrix.dense && !problem->matrix.starts) || !problem->q))
    return CT_LIMIT;
  if (n == 0) {
    *result = (ct_lcp_result){.z = result->z,
                              .w = result->w,
                              .certificate = result->certificate,
                              .alternative = result->alternative};
    result->method = chosen ? options->method : order_for_symmetric[0];
    result->tolerance =
        options->tolerance > 0.0 ? options->tolerance : lcp_methods[result->method].tolerance;
    result->converged = result->rank_known = true;
    result->unique = CT_YES;
    return CT_OK;
  }
  /* Determine the properties of M and q, then run the methods. */
  ct_lcp_job job = {
      .matrix = &problem->matrix, .q = problem->q, .size = n, .options = options, .arena = arena};
  for (size_t i = 0; i < n; i++)
    job.q_max = fabs(problem->q[i]) > job.q_max ? fabs(problem->q[i]) : job.q_max;
  double largest;
  result->asymmetry = ct_matrix_asymmetry(&problem->matrix, &largest);
  job.symmetric = result->asymmetry <= SYMMETRIC * largest;
  job.exactly_symmetric = result->asymmetry == 0.0;
  job.semidefinite = options->semidefinite;
  result->asymmetry = fmin(result->asymmetry, DBL_MAX);
  ct_arena_mark mark = ct_arena_enter(arena);
  ct_status status = chosen ? run_method(problem, &job, options->method, result)
                            : run_methods_in_order(problem, &job, result);
  ct_arena_leave(arena, mark);
  return status;
}
