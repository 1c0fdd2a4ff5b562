/* Resting contacts without friction: 0 <= f, gap'' = A f + b >= 0, and no force where a gap opens (Baraff 1994). */
#include "force/resting_parts.h"

/* Contacts from which on gradients are tried before direct methods, and how far they go. */
#define GRADIENTS_FROM 128
#define GRADIENTS_TOLERANCE 1e-12

void ct_resting_system(const ct_contact_set *set, double *matrix, double *b) {
  for (size_t i = 0; matrix && i < set->count; i++) {
    const ct_touch *touch = &set->touches[i];
    for (size_t j = i; j < set->count; j++) {
      const ct_touch *cause = &set->touches[j];
      double value = ct_touch_coupling_along(set, touch, touch->normal, cause, cause->normal);
      matrix[i * set->count + j] = matrix[j * set->count + i] = value;
    }
  }
  for (size_t i = 0; b && i < set->count; i++) b[i] = ct_touch_free_acceleration(set, &set->touches[i], NULL);
}

const char *ct_resting_lcp_word(ct_lcp_method method) {
  static const char *const words[] = {
#define WORD(name, word) word,
      CT_LCP_METHOD_MAP(WORD)
#undef WORD
  };
  return words[method];
}

/* What the solver said, in the island's words. A certificate is spread over all contacts, zero where they take no part. */
static void tell_solver(ct_resting *resting, const ct_lcp_result *solved) {
  ct_resting_result *result = resting->result;
  bool none = solved->status == CT_LCP_STATUS_INFEASIBLE;
  result->status = none ? CT_RESTING_STATUS_INFEASIBLE : solved->converged ? CT_RESTING_STATUS_OK : CT_RESTING_STATUS_NOT_CONVERGED;
  result->converged = solved->converged;
  result->residual = solved->residual;
  result->complementarity = solved->complementarity;
  result->rank = solved->rank;
  result->rank_known = solved->rank_known;
  result->unique = solved->unique;
  result->method = ct_resting_lcp_word(solved->method);
  result->iterations = solved->iterations;
  for (size_t i = 0; none && result->certificate && i < resting->count; i++)
    result->certificate[resting->active[i]] = solved->certificate[i];
  for (size_t i = 0; i < resting->count; i++) resting->forces[i * CT_RESTING_PARTS] = none ? 0.0 : solved->z[i];
}

/* Heaps of many contacts, more than their bodies need, are soon solved by gradients, and to more digits than are asked for. */
static ct_status by_gradients(const ct_lcp *problem, const ct_lcp_options *options, ct_solver *solver, ct_lcp_result *solved,
                              bool *done) {
  double most = 0.0, wanted = options->tolerance > 0.0 ? options->tolerance : CT_LCP_TOLERANCE;
  for (size_t i = 0; i < problem->matrix.size; i++) most = fmax(most, fabs(problem->q[i]));
  ct_lcp_options closer = *options;
  closer.method = CT_LCP_QUADRATIC;
  closer.tolerance = fmin(GRADIENTS_TOLERANCE, wanted);
  ct_status status = ct_lcp_solve(problem, &closer, solver, solved);
  *done = status == CT_OK && solved->residual <= wanted * (1.0 + most);
  if (!*done) return status;
  solved->status = CT_LCP_STATUS_OK;
  solved->converged = true;
  return status;
}

ct_status ct_resting_normal(ct_resting *resting) {
  size_t n = resting->count;
  ct_solver_mark mark = ct_solver_enter(resting->solver);
  double *memory = ct_solver_doubles(resting->solver, 4 * n);
  ct_lcp problem = {.q = memory};
  ct_status status = memory ? ct_resting_matrix(resting, 1, &problem.matrix) : CT_OUT_OF_MEMORY;
  const ct_resting_options *from = resting->options;
  ct_lcp_options options = {.method = from->lcp_method,
                            .tie = from->tie,
                            .tolerance = from->tolerance,
                            .iterations_max = from->iterations_max,
                            .cancel = from->cancel};
  ct_lcp_result solved = {.z = memory + n, .w = memory + 2 * n, .certificate = memory + 3 * n};
  for (size_t i = 0; status == CT_OK && i < n; i++)
    memory[i] = ct_touch_free_acceleration(resting->set, &resting->set->touches[resting->active[i]], NULL);
  bool done = false;
  if (status == CT_OK && from->lcp_method == CT_LCP_AUTO && n > GRADIENTS_FROM)
    status = by_gradients(&problem, &options, resting->solver, &solved, &done);
  if (status == CT_OK && !done) status = ct_lcp_solve(&problem, &options, resting->solver, &solved);
  if (status == CT_OK) tell_solver(resting, &solved);
  ct_solver_leave(resting->solver, mark);
  return status;
}
