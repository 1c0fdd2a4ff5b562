/* Projected Gauss-Seidel: one row after the other is solved for its own z, which stays >= 0. For
 * symmetric positive semidefinite M the energy z'Mz / 2 + q'z falls with every row. Cryer 1971;
 * Mangasarian 1977 (relaxation).
 */
#include "lcp/lcp.h"
#include "linear/matrix.h"

#include <string.h>

/* One pass; how far rows were from a solution when their turn came. */
static double sweep(const ct_lcp_job *job, const double *diagonal, double relaxation, double *z) {
  double most = 0.0;
  for (size_t i = 0; i < job->size; i++) {
    double w = job->q[i] + ct_matrix_row(job->matrix, i, z), off = fabs(w < z[i] ? w : z[i]);
    most = off > most ? off : most;
    if (!(diagonal[i] > 0.0)) continue;
    double next = z[i] - relaxation * w / diagonal[i];
    z[i] = next > 0.0 ? next : 0.0;
  }
  return most;
}

/* A row of zeros whose q is negative: of a semidefinite M, one with 0 on the diagonal. */
static bool hopeless(const ct_lcp_job *job, const double *diagonal, double *certificate) {
  for (size_t i = 0; i < job->size && job->symmetric; i++) {
    if (diagonal[i] != 0.0 || !(job->q[i] < 0.0)) continue;
    memset(certificate, 0, job->size * sizeof *certificate);
    certificate[i] = 1.0;
    return true;
  }
  return false;
}

ct_status ct_lcp_pgs(const ct_lcp_job *job, ct_lcp_result *result) {
  double *diagonal = ct_arena_alloc_doubles(job->arena, job->size),
         relaxation = job->options->relaxation;
  if (!diagonal) return CT_OUT_OF_MEMORY;
  if (relaxation == 0.0) relaxation = 1.0;
  for (size_t i = 0; i < job->size; i++) {
    diagonal[i] = ct_matrix_entry(job->matrix, i, i);
    result->z[i] = job->options->start ? fmax(job->options->start[i], 0.0) : 0.0;
  }
  result->status = CT_LCP_STATUS_INFEASIBLE;
  if (hopeless(job, diagonal, result->certificate)) return CT_OK;
  result->status = CT_LCP_STATUS_ITERATION_LIMIT;
  const ct_lcp problem = {*job->matrix, job->q};
  while (result->iterations < job->iterations_max) {
    if (ct_cancel_raised(job->options->cancel)) return CT_CANCELLED;
    result->iterations++;
    /* Rows change under each other: the residual has the last word. */
    if (!(sweep(job, diagonal, relaxation, result->z) <= job->target)) continue;
    if (ct_lcp_residual(&problem, result->z, NULL) > job->target) continue;
    result->status = CT_LCP_STATUS_OK;
    break;
  }
  return CT_OK;
}
