/* Feasibility of an island's contacts, and impulses for two special cases: contacts that can stop
 * the island in one step, and contacts that no impulses satisfy. */
#include "linear/arena.h"
#include "resting/resting_problem.h"
#include "time_stepping/time_stepping.h"

#include <assert.h>
#include <string.h>

/* ---- feasible islands ------------------------------------------------------------------------ */

/* Proves that the contacts of an island are feasible for any velocities.
 *
 * Let J map the velocities of the bodies to the normal velocities of the contacts. Contacts
 * contradict each other only if there are normal forces y >= 0, not all zero, that accelerate no
 * dynamic body: J^T y = 0. If a motion v separates all contacts, J v > 0, there are no such forces:
 * y^T (J v) = (J^T y)^T v would be both positive and zero (Gordan). An expansion from one point,
 * each body with a velocity proportional to the distance of its centre, is such a motion for heaps
 * of convex bodies on a floor, a lift, a turntable or a belt, but not for a body clamped from two
 * sides. */

/* Least separation speed of a contact, as a fraction of the sum of the speeds of the two
 * centres. */
#define PARTED 1e-6
/* Round-off of the difference of two positions, in unit round-offs of the larger one. */
#define ROUNDOFFS 8.0

static const ct_body_state *dynamic_body_of(const ct_step *step, uint32_t index) {
  const ct_body_state *m = index == CT_NO_ROW ? NULL : &step->stepping->common->next[index];
  return m && m->is_dynamic ? m : NULL;
}

/* Returns the mean position of the contacts with bodies that are not dynamic: the centre of the
 * expansion. Zero if there are none. */
static ct_vec3 find_mean_contact_point(const ct_step *step, const uint32_t *contacts,
                                       size_t count) {
  ct_vec3 sum = ct_vec(0.0, 0.0, 0.0);
  double found = 0.0;
  assert(count > 0);
  for (size_t i = 0; i < count; i++) {
    const ct_step_contact *t = &step->stepping->found.items[contacts[i]];
    if (dynamic_body_of(step, t->a) && dynamic_body_of(step, t->b)) continue;
    sum = ct_add(sum, t->position);
    found += 1.0;
  }
  return found > 0.0 ? ct_scale(sum, 1.0 / found) : sum;
}

bool ct_step_can_part(const ct_step *step, const uint32_t *contacts, size_t count) {
  ct_vec3 middle = find_mean_contact_point(step, contacts, count);
  for (size_t i = 0; i < count; i++) {
    const ct_step_contact *t = &step->stepping->found.items[contacts[i]];
    const ct_body_state *sides[2] = {dynamic_body_of(step, t->a), dynamic_body_of(step, t->b)};
    ct_vec3 away[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    double error = 0.0;
    for (int k = 0; k < 2; k++) {
      if (!sides[k]) continue;
      away[k] = ct_sub(sides[k]->position, middle);
      double far = ct_max2(ct_max_abs(sides[k]->position), ct_max_abs(middle));
      error += PARTED * ct_norm(away[k]) + ROUNDOFFS * CT_UNIT_ROUNDOFF * far;
    }
    if (!(ct_dot(t->axes[0], ct_sub(away[1], away[0])) > error)) return false;
  }
  return true;
}

bool ct_step_has_one_driver(const ct_step *step, const uint32_t *contacts, size_t count) {
  const uint32_t none = CT_NO_ROW;
  uint32_t driver = none;
  for (size_t i = 0; i < count; i++) {
    const ct_step_contact *t = &step->stepping->found.items[contacts[i]];
    const uint32_t sides[2] = {t->a, t->b};
    for (int k = 0; k < 2; k++) {
      if (dynamic_body_of(step, sides[k])) continue;
      if (sides[k] == none || (driver != none && driver != sides[k])) return false;
      driver = sides[k];
    }
  }
  return true;
}

/* ---- infeasible islands ---------------------------------------------------------------------- */

/* Infeasible contacts: kinematic bodies squeeze the bodies between them. No impulses r satisfy such
 * contacts, and a solver's impulses, and so their work, would grow without bound. Each contact is
 * therefore regularised by constraint force mixing: a diagonal D, the velocity response of each
 * contact alone to its own impulse, is added to the Delassus matrix W. From r^T (W + D) r <= -r^T q
 * it follows that the impulses, weighted by D, are together at most those that would stop each
 * contact alone; hence their work is bounded too. */

static double *diagonal_of(const ct_matrix *matrix, double *values, size_t row) {
  for (size_t e = matrix->starts[row]; e < matrix->starts[row + 1]; e++)
    if (matrix->columns[e] == row) return &values[e];
  return NULL;
}

/* Adds D to the matrix: for each contact its largest diagonal element in all three directions, so
 * that friction remains isotropic. */
static void regularise_diagonal(const ct_friction_problem *problem, double *values) {
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
    regularise_diagonal(problem, values);
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

/* ---- islands that can be stopped ------------------------------------------------------------- */

/* Decides whether contacts can stop an island in one step: searches impulses within the friction
 * cones that cancel all momenta. If they exist, they solve the velocity problem, since then no
 * contact separates or slides. Gauss-Seidel sweeps converge to them ever more slowly as stacks
 * grow; Newton's method on the dual problem does not. */

/* Limit of Newton steps. If such impulses exist, sixty to a hundred steps find them to
 * round-off. */
#define STOP_STEPS 200

ct_status ct_step_stop(const ct_step *step, const ct_contact_set *set, uint32_t *active,
                       size_t count, double *r) {
  assert(count <= set->count);
  const ct_resting_options law = {.friction = CT_RESTING_FRICTION_CONE};
  ct_resting resting = {
      .set = set, .options = &law, .arena = step->arena, .active = active, .count = count};
  ct_status status = ct_resting_prepare_equilibrium(&resting);
  if (status != CT_OK) return status;
  const ct_resting_equilibrium fit = resting.equilibrium;
  const ct_cone_fit_problem problem = {.cones = fit.cones,
                                       .count = count,
                                       .target = fit.target,
                                       .blocks = fit.count,
                                       .steps_max = STOP_STEPS,
                                       .cancel = step->stepping->common->options.cancel};
  ct_cone_fit_result result = {.forces = fit.forces, .rest = fit.rest};
  status = ct_cone_min_norm(&problem, step->arena, &result);
  if (status != CT_OK) return status;
  for (size_t k = 0; k < CT_RESTING_PARTS * set->count; k++) r[k] = 0.0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < CT_RESTING_PARTS; k++)
      r[CT_RESTING_PARTS * active[i] + k] = fit.forces[CT_RESTING_PARTS * i + k];
  return CT_OK;
}
