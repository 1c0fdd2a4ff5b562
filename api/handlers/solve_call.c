/* Handles calls of /v1/solve, from the request to the reply. */
#include "handlers/solve.h"

#include <assert.h>

/* Estimated times on one core, ns, for n rows. They are rather too high: work below 25 us runs in
 * the thread that receives requests. One complementary basis in double-double arithmetic: BASIS_NS
 * + BASIS_ROWS_NS n^2. One elimination: ELIMINATION_NS n^3. One sweep of an iterative method:
 * ENTRY_NS for each stored matrix entry, CONTACT_NS for each contact; SWEEPS sweeps are assumed. */
#define BASIS_ROWS_NS 25.0
#define BASIS_NS 200.0
#define ELIMINATION_NS 10.0
#define ENTRY_NS 2.0
#define CONTACT_NS 300.0
#define SWEEPS 1000.0
/* Greatest number of rows of a matrix solved in the thread's scratch memory, which the thread
 * retains: approximately 10 MiB. Larger problems use memory of their own. */
#define KEPT_ROWS 256

static double count_matrix_entries(const ct_matrix *m) {
  return m->dense      ? (double)m->size * (double)m->size
         : m->size > 0 ? (double)m->starts[m->size]
                       : 0.0;
}

/* Estimates the cost of a linear complementarity problem. For a small one, every basis may have to
 * be tried after another method failed; a requested number of iterations may be used up. */
static double estimate_lcp_cost(const ct_lcp *problem, const ct_lcp_options *options) {
  double n = (double)problem->matrix.size;
  double iterations = (double)options->iterations_max;
  if (iterations > SWEEPS)
    return iterations * ENTRY_NS * (n + count_matrix_entries(&problem->matrix));
  if (problem->matrix.size <= CT_LCP_ENUMERATION_MAX)
    return (double)(1u << problem->matrix.size) * (BASIS_NS + BASIS_ROWS_NS * n * n);
  if (problem->matrix.size <= CT_LCP_DIRECT_MAX) return ELIMINATION_NS * n * n * n;
  return SWEEPS * ENTRY_NS * count_matrix_entries(&problem->matrix);
}

static double estimate_friction_cost(const ct_friction_problem *problem) {
  return SWEEPS * (ENTRY_NS * count_matrix_entries(&problem->matrix) +
                   CONTACT_NS * (double)problem->contacts);
}

static double solve_cost(const api_call *call) { return call->solve->cost; }

static long next_solve(api_call *call) {
  api_solve *solve = call->solve;
  if (solve->handed_out) return -1;
  solve->handed_out = true;
  return 0;
}

static void count_solved_problem(const api_solve *solve, api_solver_counts *solved) {
  const ct_friction_result *f = &solve->friction_result;
  const ct_lcp_result *l = &solve->lcp_result;
  if (solve->friction)
    api_solver_counts_add(solved, f->iterations,
                          !f->converged && f->status != CT_FRICTION_STATUS_INFEASIBLE);
  else
    api_solver_counts_add(solved, l->iterations,
                          !l->converged && l->status != CT_LCP_STATUS_INFEASIBLE);
}

static void run_solve(api_call *call, long range, api_scratch *scratch) {
  api_solve *solve = call->solve;
  assert(range == 0 && !solve->complete);
  (void)range;
  size_t rows = solve->friction ? solve->problem.matrix.size : solve->lcp.matrix.size;
  ct_arena *arena = rows <= KEPT_ROWS ? scratch->arena : ct_arena_create();
  if (!arena) solve->status = CT_OUT_OF_MEMORY;
  else if (solve->friction)
    solve->status = ct_friction_solve(&solve->problem, &solve->friction_options, arena,
                                      &solve->friction_result);
  else solve->status = ct_lcp_solve(&solve->lcp, &solve->lcp_options, arena, &solve->lcp_result);
  if (arena != scratch->arena) ct_arena_destroy(arena);
  if (solve->status == CT_OK) count_solved_problem(solve, &scratch->solved);
  solve->complete = true;
}

/* Adds the fault for pyramids with too many sides, the only limit that is not checked before the
 * problem is solved. */
static void add_pyramid_fault(api_faults *faults, const ct_friction_problem *problem,
                              const ct_friction_options *options) {
  const api_pointer root = {0}, at = api_pointer_member(&root, "W");
  size_t sides = problem->dimension == 2 ? 2 : options->directions;
  api_fault *fault =
      api_fault_at(faults, API_PROBLEM_LIMIT_EXCEEDED, &at,
                   "Pyramids of %zu sides make a problem of more than %d rows: %zu for each "
                   "contact with friction. Use fewer directions, or another method.",
                   sides, CT_LCP_DIRECT_MAX, sides + 2);
  api_fault_limit(fault, CT_LCP_DIRECT_MAX, (double)(problem->contacts * (sides + 2)));
}

static void finish_solve(api_call *call) {
  const api_solve *solve = call->solve;
  if (!solve->complete || solve->status == CT_CANCELLED) api_fault_cancelled(&call->faults);
  else if (solve->status == CT_LIMIT)
    add_pyramid_fault(&call->faults, &solve->problem, &solve->friction_options);
  else if (solve->status != CT_OK) api_fault_memory(&call->faults);
  if (api_faults_any(&call->faults)) {
    api_call_fail(call);
    return;
  }
  api_call_open(call);
  if (solve->friction)
    api_put_friction(&call->out, &solve->friction_result, solve->problem.matrix.size);
  else api_put_lcp(&call->out, &solve->lcp_result, solve->lcp.matrix.size);
  api_call_send(call, 200);
}

static const api_work_operations solve_work = {
    .cost = solve_cost, .next = next_solve, .run = run_solve, .finish = finish_solve};

static api_step begin_solve(api_call *call, bool friction) {
  assert(!call->solve && !call->work);
  call->solve = api_arena_alloc(&call->arena, sizeof *call->solve);
  if (!call->solve) {
    api_fault_memory(&call->faults);
    return api_call_fail(call);
  }
  call->work = &solve_work;
  call->solve->friction = friction;
  if (!(friction ? api_read_friction(call) : api_read_lcp(call))) return api_call_fail(call);
  call->solve->cost = friction ? estimate_friction_cost(&call->solve->problem)
                               : estimate_lcp_cost(&call->solve->lcp, &call->solve->lcp_options);
  return API_STEP_WORK;
}

api_step api_solve_lcp(api_call *call) { return begin_solve(call, false); }

api_step api_solve_friction(api_call *call) { return begin_solve(call, true); }
