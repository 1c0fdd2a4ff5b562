/* Normal forces of resting contacts without friction: a linear complementarity problem at
 * acceleration level. Gaps do not close, forces push, and no force acts where a gap opens (Baraff
 * 1994).
 *
 * Infeasible contacts are reported only with a proof (Farkas): weights y >= 0 such that normal
 * forces y add up to zero on every dynamic body, while the sum of the gap accelerations weighted by
 * y closes. Such forces accelerate no body, so the proof is also valid with friction. */
#include "mechanics/mechanics.h"
#include "resting/resting_problem.h"

#include <assert.h>

/* GRADIENTS_FROM: number of contacts above which conjugate gradients are tried before direct
 * methods. GRADIENTS_TOLERANCE: upper bound of their tolerance. */
#define GRADIENTS_FROM 128
#define GRADIENTS_TOLERANCE 1e-12
/* Problems too large for direct methods: the default iteration limit of conjugate gradients is
 * GRADIENTS_WORK (some seconds) divided by the number of matrix entries, but at least
 * GRADIENTS_LEAST. */
#define GRADIENTS_WORK 2e9
#define GRADIENTS_LEAST 800.0

/* Forces that balance all bodies are accepted as a solution if its LCP residual (gap accelerations,
 * and forces at opening gaps) is at most this times 1 + the largest free acceleration. */
#define BALANCED_RESIDUAL 1e-10
/* The corresponding limit if all gap accelerations are within the round-off of the forces, as for
 * very light bodies below very heavy ones. */
#define BALANCED_ROUNDING 1e-6

/* ---- proofs of infeasibility ----------------------------------------------------------------- */

ct_status ct_resting_certify(ct_resting *resting, const double *y, double *q, unsigned parts,
                             bool *proves) {
  assert(parts == 1 || parts == CT_RESTING_PARTS);
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

static void write_infeasible(ct_resting *resting, const ct_lcp_result *solved) {
  ct_resting_result *reported = resting->result;
  reported->status = CT_RESTING_STATUS_INFEASIBLE;
  reported->converged = false;
  reported->method = ct_resting_lcp_word(solved->method);
  reported->iterations = solved->iterations;
  for (size_t i = 0; i < resting->count * CT_RESTING_PARTS; i++) resting->forces[i] = 0.0;
}

ct_status ct_resting_check_infeasible(ct_resting *resting, double *q, bool *infeasible,
                                      bool *raised) {
  size_t n = resting->count;
  bool claimed = resting->result->status == CT_RESTING_STATUS_INFEASIBLE;
  *infeasible = *raised = false;
  if (claimed) resting->result->status = CT_RESTING_STATUS_NOT_CONVERGED;
  if (n > CT_LCP_DIRECT_MAX) return CT_OK;
  ct_arena_mark mark = ct_arena_enter(resting->arena);
  double *memory = ct_arena_alloc_doubles(resting->arena, 4 * n + 1);
  ct_lcp problem = {.q = memory};
  ct_lcp_options options = {.tie = CT_LCP_TIE_ANY, .cancel = resting->options->cancel};
  ct_status status = memory ? ct_resting_matrix(resting, 1, &problem.matrix) : CT_OUT_OF_MEMORY;
  bool open = status == CT_OK;
  /* If the gaps close only by round-off, repeat once with q raised by it: the problem may still be
   * infeasible. */
  for (int pass = 0; pass < 2 && open; pass++) {
    for (size_t i = 0; i < n; i++) memory[i] = q[i * CT_RESTING_PARTS];
    for (size_t i = 0; i < n; i++) memory[3 * n + i] = 0.0;
    ct_lcp_result solved = {.z = memory + n, .w = memory + 2 * n, .certificate = memory + 3 * n};
    status = ct_lcp_solve(&problem, &options, resting->arena, &solved);
    bool none = status == CT_OK && ct_lcp_may_be_infeasible(&solved);
    if (none)
      status = ct_resting_certify(resting, solved.certificate, q, CT_RESTING_PARTS, infeasible);
    *raised = *raised || (none && !*infeasible);
    if (*infeasible) write_infeasible(resting, &solved);
    open = status == CT_OK && none && !*infeasible;
  }
  ct_arena_leave(resting->arena, mark);
  return status;
}

/* ---- normal forces --------------------------------------------------------------------------- */

void ct_resting_system(const ct_contact_set *set, double *matrix, double *b) {
  for (size_t i = 0; matrix && i < set->count; i++) {
    const ct_contact *contact = &set->contacts[i];
    for (size_t j = i; j < set->count; j++) {
      const ct_contact *cause = &set->contacts[j];
      double value = ct_delassus_along(set, contact, contact->normal, cause, cause->normal);
      matrix[i * set->count + j] = matrix[j * set->count + i] = value;
    }
  }
  for (size_t i = 0; b && i < set->count; i++)
    b[i] = ct_contact_free_acceleration(set, &set->contacts[i], NULL);
}

/* Writes the result and the forces of an LCP solver. none: the problem is proven infeasible, and
 * the forces are zero. */
static void write_lcp_result(ct_resting *resting, const ct_lcp_result *solved, bool none) {
  ct_resting_result *result = resting->result;
  result->status = none                ? CT_RESTING_STATUS_INFEASIBLE
                   : solved->converged ? CT_RESTING_STATUS_OK
                                       : CT_RESTING_STATUS_NOT_CONVERGED;
  result->converged = solved->converged;
  result->residual = solved->residual;
  result->complementarity = solved->complementarity;
  result->rank = solved->rank;
  result->rank_known = solved->rank_known;
  result->unique = solved->unique;
  result->method = ct_resting_lcp_word(solved->method);
  result->iterations = solved->iterations;
  for (size_t i = 0; i < resting->count; i++)
    resting->forces[i * CT_RESTING_PARTS] = none ? 0.0 : solved->z[i];
}

/* Solves the LCP by conjugate gradients, which converge fast, to less than the tolerance, for piles
 * with more contacts than balance requires. *done: converged, or the problem is too large for
 * direct methods and the result is final. */
static ct_status solve_by_gradients(const ct_lcp *problem, const ct_lcp_options *options,
                                    ct_arena *arena, ct_lcp_result *solved, bool *done) {
  bool alone = problem->matrix.size > CT_LCP_DIRECT_MAX;
  double most = 0.0, wanted = options->tolerance;
  if (!(wanted > 0.0)) wanted = alone ? CT_LCP_PGS_TOLERANCE : CT_LCP_TOLERANCE;
  for (size_t i = 0; i < problem->matrix.size; i++) most = fmax(most, fabs(problem->q[i]));
  ct_lcp_options closer = *options;
  closer.method = CT_LCP_QUADRATIC;
  closer.tolerance = fmin(GRADIENTS_TOLERANCE, wanted);
  if (alone && options->iterations_max == 0)
    closer.iterations_max = (uint64_t)fmax(
        GRADIENTS_LEAST, GRADIENTS_WORK / (double)problem->matrix.starts[problem->matrix.size]);
  ct_status status = ct_lcp_solve(problem, &closer, arena, solved);
  bool right = status == CT_OK && solved->status != CT_LCP_STATUS_INFEASIBLE &&
               solved->residual <= wanted * (1.0 + most);
  *done = right || alone;
  if (!right) return status;
  solved->status = CT_LCP_STATUS_OK;
  solved->converged = true;
  return status;
}

/* True if each gap acceleration is within the round-off of the sum of |accelerations| that the
 * single forces cause. */
static bool is_within_rounding(const ct_lcp *problem, const ct_lcp_result *balanced) {
  const ct_matrix *m = &problem->matrix;
  for (size_t i = 0; i < m->size; i++) {
    double size = fabs(problem->q[i]);
    if (m->dense) {
      for (size_t j = 0; j < m->size; j++) size += fabs(m->dense[i * m->size + j] * balanced->z[j]);
    } else {
      for (size_t e = m->starts[i]; e < m->starts[i + 1]; e++)
        size += fabs(m->values[e] * balanced->z[m->columns[e]]);
    }
    if (fabs(balanced->w[i]) > CT_RESTING_BALANCE_TOLERANCE * size) return false;
  }
  return true;
}

/* Uses forces that balance all bodies as the solution: then all contact points of a pile at rest
 * remain at rest, and such forces are found fast. *done: the forces are written. last: the other
 * methods failed, as for extreme mass ratios; the forces are then used anyway, and count as
 * converged if the accelerations are within round-off. */
static ct_status solve_by_equilibrium(ct_resting *resting, const ct_lcp *problem, bool last,
                                      bool *done) {
  size_t n = resting->count;
  ct_status status = ct_resting_solve_equilibrium(resting);
  if (status != CT_OK || resting->equilibrium.status != CT_CONE_FIT_BALANCED) return status;
  ct_arena_mark mark = ct_arena_enter(resting->arena);
  double *memory = ct_arena_alloc_doubles(resting->arena, 2 * n), most = 0.0;
  ct_lcp_result balanced = {.z = memory, .w = memory + n};
  for (size_t i = 0; memory && i < n; i++) {
    balanced.z[i] = resting->equilibrium.forces[i * CT_RESTING_PARTS];
    most = fmax(most, fabs(problem->q[i]));
  }
  /* Evaluate the balancing forces as a solution of the LCP. */
  if (memory) balanced.residual = ct_lcp_residual(problem, balanced.z, balanced.w);
  balanced.converged = memory && balanced.residual <= BALANCED_RESIDUAL * (1.0 + most);
  bool small = memory && balanced.residual <= BALANCED_ROUNDING * (1.0 + most);
  if (last && small && !balanced.converged)
    balanced.converged = is_within_rounding(problem, &balanced);
  *done = memory && (balanced.converged || last);
  for (size_t i = 0; *done && i < n; i++)
    balanced.complementarity = fmax(balanced.complementarity, fabs(balanced.z[i] * balanced.w[i]));
  if (*done) {
    write_lcp_result(resting, &balanced, false);
    resting->result->method = "equilibrium";
  }
  ct_arena_leave(resting->arena, mark);
  return memory ? status : CT_OUT_OF_MEMORY;
}

/* Solves the LCP. *none: infeasible, with a proof that depends on neither masses nor round-off. If
 * gaps close only by the round-off of q, solves again with q raised by it. */
static ct_status solve_certified(ct_resting *resting, const ct_lcp *problem, double *q,
                                 const ct_lcp_options *options, ct_lcp_result *solved, bool *none) {
  ct_status status = CT_OK;
  bool open = true;
  *none = false;
  for (int pass = 0; pass < 3 && open; pass++) {
    for (size_t i = 0; i < problem->matrix.size; i++) solved->certificate[i] = 0.0;
    status = ct_lcp_solve(problem, options, resting->arena, solved);
    open = status == CT_OK && pass < 2 && ct_lcp_may_be_infeasible(solved);
    if (open) status = ct_resting_certify(resting, solved->certificate, q, 1, none);
    bool soon =
        problem->matrix.size <= GRADIENTS_FROM || solved->status == CT_LCP_STATUS_INFEASIBLE;
    open = open && status == CT_OK && !*none && soon;
  }
  return status;
}

/* Solves the LCP by the chosen method; AUTO tries equilibrium (large islands), conjugate gradients,
 * then direct methods, until one succeeds. */
static ct_status solve_normals(ct_resting *resting, const ct_lcp *problem, double *q,
                               const ct_lcp_options *options, ct_lcp_result *solved) {
  bool chosen = options->method != CT_LCP_AUTO, done = false, none = false;
  ct_status status = CT_OK;
  if (!chosen && resting->count > CT_LCP_DIRECT_MAX)
    status = solve_by_equilibrium(resting, problem, false, &done);
  if (status != CT_OK || done) return status;
  if (!chosen && resting->count > GRADIENTS_FROM)
    status = solve_by_gradients(problem, options, resting->arena, solved, &done);
  if (status == CT_OK && !done)
    status = solve_certified(resting, problem, q, options, solved, &none);
  if (status != CT_OK) return status;
  write_lcp_result(resting, solved, none);
  bool wanting = !chosen && resting->result->status == CT_RESTING_STATUS_NOT_CONVERGED;
  return wanting && resting->equilibrium.blocks
             ? solve_by_equilibrium(resting, problem, true, &done)
             : CT_OK;
}

ct_status ct_resting_normal(ct_resting *resting) {
  assert(resting->options->friction == CT_RESTING_FRICTION_NONE);
  size_t n = resting->count;
  ct_arena_mark mark = ct_arena_enter(resting->arena);
  double *memory = ct_arena_alloc_doubles(resting->arena, 4 * n);
  ct_lcp problem = {.q = memory};
  ct_status status = memory ? ct_resting_matrix(resting, 1, &problem.matrix) : CT_OUT_OF_MEMORY;
  const ct_resting_options *from = resting->options;
  ct_lcp_options options = {.method = from->lcp_method,
                            .tie = from->tie,
                            .tolerance = from->tolerance,
                            .iterations_max = from->iterations_max,
                            .semidefinite = true,
                            .cancel = from->cancel};
  ct_lcp_result solved = {.z = memory + n, .w = memory + 2 * n, .certificate = memory + 3 * n};
  for (size_t i = 0; status == CT_OK && i < n; i++)
    memory[i] = ct_contact_free_acceleration(resting->set,
                                             &resting->set->contacts[resting->active[i]], NULL);
  if (status == CT_OK) status = solve_normals(resting, &problem, memory, &options, &solved);
  ct_arena_leave(resting->arena, mark);
  return status;
}
