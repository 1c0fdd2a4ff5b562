/* Contacts that cannot be kept apart, and the proof: y >= 0 whose forces along the normals add up
 * to nothing on every body that can be moved, while the gaps, so weighted, close. As nothing moves
 * by y, friction changes nothing of it.
 */
#include "mechanics/mechanics.h"
#include "resting/resting_problem.h"

ct_status ct_resting_certify(ct_resting *resting, const double *y, double *q, unsigned parts,
                             bool *proves) {
  size_t all = resting->set->count;
  double *reported = resting->result->certificate, closing = 0.0, margin;
  ct_arena_mark mark = ct_arena_enter(resting->arena);
  double *spread = ct_arena_alloc_doubles(resting->arena, all + 1);
  *proves = false;
  for (size_t i = 0; spread && i < all; i++) spread[i] = 0.0;
  for (size_t i = 0; spread && i < resting->count; i++) {
    spread[resting->active[i]] = y[i];
    closing -= y[i] * q[i * parts];
  }
  ct_status status = spread ? ct_normals_margin(resting->set, spread, CT_RATE_ACCELERATION,
                                                resting->arena, &margin)
                            : CT_OUT_OF_MEMORY;
  *proves = status == CT_OK && closing > margin;
  for (size_t i = 0; reported && *proves && i < all; i++) reported[i] = spread[i];
  for (size_t i = 0; status == CT_OK && !*proves && i < resting->count; i++)
    q[i * parts] += ct_contact_rate_roundoff(
        resting->set, &resting->set->contacts[resting->active[i]], CT_RATE_ACCELERATION);
  ct_arena_leave(resting->arena, mark);
  return status;
}

bool ct_resting_is_driven(const ct_resting *resting) {
  for (size_t i = 0; i < resting->set->body_count; i++) {
    const ct_mass_body *x = &resting->set->bodies[i];
    if (x->mobility != CT_KINEMATIC) continue;
    const ct_vec3 all[] = {x->linear_acceleration, x->angular_acceleration, x->velocity.linear,
                           x->velocity.angular};
    for (size_t k = 0; k < 4; k++)
      if (ct_max_abs(all[k]) > 0.0) return true;
  }
  return false;
}

static void tell(ct_resting *resting, const ct_lcp_result *solved) {
  ct_resting_result *reported = resting->result;
  reported->status = CT_RESTING_STATUS_INFEASIBLE;
  reported->converged = false;
  reported->method = ct_resting_lcp_word(solved->method);
  reported->iterations = solved->iterations;
  for (size_t i = 0; i < resting->count * CT_RESTING_PARTS; i++) resting->forces[i] = 0.0;
}

ct_status ct_resting_check_infeasible(ct_resting *resting, double *q, bool *squeezed,
                                      bool *raised) {
  size_t n = resting->count;
  bool claimed = resting->result->status == CT_RESTING_STATUS_INFEASIBLE;
  *squeezed = *raised = false;
  if (claimed) resting->result->status = CT_RESTING_STATUS_NOT_CONVERGED;
  if (n > CT_LCP_DIRECT_MAX) return CT_OK;
  ct_arena_mark mark = ct_arena_enter(resting->arena);
  double *memory = ct_arena_alloc_doubles(resting->arena, 4 * n + 1);
  ct_lcp problem = {.q = memory};
  ct_lcp_options options = {.tie = CT_LCP_TIE_ANY, .cancel = resting->options->cancel};
  ct_status status = memory ? ct_resting_matrix(resting, 1, &problem.matrix) : CT_OUT_OF_MEMORY;
  bool open = status == CT_OK;
  /* Once more where only round-off has been found: behind it there may be a squeeze. */
  for (int pass = 0; pass < 2 && open; pass++) {
    for (size_t i = 0; i < n; i++) memory[i] = q[i * CT_RESTING_PARTS];
    for (size_t i = 0; i < n; i++) memory[3 * n + i] = 0.0;
    ct_lcp_result solved = {.z = memory + n, .w = memory + 2 * n, .certificate = memory + 3 * n};
    status = ct_lcp_solve(&problem, &options, resting->arena, &solved);
    bool none = status == CT_OK && ct_lcp_may_have_none(&solved);
    if (none)
      status = ct_resting_certify(resting, solved.certificate, q, CT_RESTING_PARTS, squeezed);
    *raised = *raised || (none && !*squeezed);
    if (*squeezed) tell(resting, &solved);
    open = status == CT_OK && none && !*squeezed;
  }
  ct_arena_leave(resting->arena, mark);
  return status;
}
