/* Contacts that no impulses can hold: bodies that move by themselves squeeze what is between them.
 * Any impulses, however large, would do as well as any others; work would be whatever the solver
 * ended with. So each contact gives way, at the speed that its impulse gives it alone. From r'(W +
 * D) r <= -r'q, D these responses: the impulses, weighted by D, are together at most what it takes
 * to stop each contact alone, and so is the work.
 */
#include "advance/advance.h"
#include "linear/arena.h"

#include <assert.h>
#include <string.h>

static double *diagonal_of(const ct_matrix *matrix, double *values, size_t row) {
  for (size_t e = matrix->starts[row]; e < matrix->starts[row + 1]; e++)
    if (matrix->columns[e] == row) return &values[e];
  return NULL;
}

/* The same for all three directions, so that friction has no preferred one. */
static void give_way(const ct_friction_problem *problem, double *values) {
  for (size_t i = 0; i < problem->contacts; i++) {
    double *own[3], most = 0.0;
    for (size_t k = 0; k < 3; k++) {
      own[k] = diagonal_of(&problem->matrix, values, 3 * i + k);
      if (own[k]) most = fmax(most, *own[k]);
    }
    for (size_t k = 0; k < 3; k++)
      if (own[k]) *own[k] += most;
  }
}

ct_status ct_step_solve_regularised(const ct_friction_problem *problem,
                                    const ct_friction_options *options, ct_arena *arena,
                                    ct_friction_result *result) {
  assert(!problem->matrix.dense && problem->dimension == 3);
  ct_arena_mark mark = ct_arena_enter(arena);
  size_t count = problem->matrix.starts[problem->matrix.size];
  double *values = ct_arena_alloc_doubles(arena, count + 1);
  ct_status status = values ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    memcpy(values, problem->matrix.values, count * sizeof *values);
    give_way(problem, values);
    ct_friction_problem yielding = *problem;
    yielding.matrix.values = values;
    ct_friction_options solvable = *options;
    solvable.proof = CT_FRICTION_PROOF_NEVER;
    status = ct_friction_solve(&yielding, &solvable, arena, result);
  }
  if (status == CT_OK) {
    result->residual = ct_friction_residual(problem, result->r, result->u);
    result->converged = false;
    result->status = CT_FRICTION_STATUS_INFEASIBLE;
  }
  ct_arena_leave(arena, mark);
  return status;
}
