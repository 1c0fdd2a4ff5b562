/* Contact forces with Coulomb friction: selects a solver, and computes the reported values. These
 * are all computed from the caller's W and q and the returned r, not from the solver's scaled
 * copy. */
#include "friction/friction.h"

#include <float.h>

/* Default limit of iterations: of a single method, and of all methods of AUTO together. */
#define ITERATIONS_MAX 10000u
#define AUTO_ITERATIONS_MAX 30000u
/* Sweeps before the first Newton steps: enough to identify most contacts that open. */
#define FIRST_SWEEPS 32u
/* Number of consecutive Newton steps; from a good start about five suffice. */
#define STEPS 20u
/* Number of gradient steps for each Gauss-Seidel sweep. */
#define DESCENTS 8u

/* AUTO first tries the solver in body velocities if there are at least so many contacts. */
#define BODIES_FROM 171u

/* Replaces infinite values by the greatest doubles, because products may overflow. */
static double clamp_to_finite(double x) { return fmax(-DBL_MAX, fmin(x, DBL_MAX)); }

typedef struct norm_sum {
  /* root of the sum of squares = scale sqrt(sum), so that no square overflows or underflows */
  double scale, sum;
  double size;
} norm_sum;

static void add_scaled_square(norm_sum *s, double x) {
  double a = fabs(x);
  if (a == 0.0) return;
  if (!(a < INFINITY)) s->scale = INFINITY;
  else if (a > s->scale) {
    s->sum = 1.0 + s->sum * (s->scale / a) * (s->scale / a);
    s->scale = a;
  } else s->sum += (a / s->scale) * (a / s->scale);
}

/* Velocity u of one contact. */
static ct_triple friction_contact_velocity(const ct_friction_problem *p, const double *r,
                                           size_t i) {
  size_t d = p->dimension, n = p->matrix.size;
  double u[3] = {0.0, 0.0, 0.0};
  for (size_t k = 0; k < d; k++) {
    size_t row = d * i + k;
    u[k] = p->q[row];
    if (p->matrix.dense)
      for (size_t j = 0; j < n; j++) u[k] += p->matrix.dense[row * n + j] * r[j];
    else
      for (size_t e = p->matrix.starts[row]; e < p->matrix.starts[row + 1]; e++)
        u[k] += p->matrix.values[e] * r[p->matrix.columns[e]];
  }
  return (ct_triple){u[0], u[1], u[2]};
}

static double problem_block_norm(const ct_friction_problem *p, size_t i) {
  size_t d = p->dimension;
  norm_sum block = {0.0, 0.0, 0.0};
  for (size_t row = d * i; row < d * (i + 1); row++)
    if (p->matrix.dense)
      for (size_t j = d * i; j < d * (i + 1); j++)
        add_scaled_square(&block, p->matrix.dense[row * p->matrix.size + j]);
    else
      for (size_t e = p->matrix.starts[row]; e < p->matrix.starts[row + 1]; e++)
        if (p->matrix.columns[e] / d == i) add_scaled_square(&block, p->matrix.values[e]);
  return block.scale * sqrt(block.sum);
}

/* Value used instead of |W_ii| for zero blocks: the least norm of the other blocks. */
static double least_block_norm(const ct_friction_problem *p) {
  double least = INFINITY;
  for (size_t i = 0; i < p->contacts; i++) {
    double norm = problem_block_norm(p, i);
    if (norm > 0.0) least = fmin(least, norm);
  }
  return least < INFINITY ? least : 1.0;
}

double ct_friction_residual(const ct_friction_problem *p, const double *r, double *u) {
  norm_sum total = {0.0, 0.0, 0.0};
  double least = 0.0, size_max = 0.0, normal_max = 0.0;
  size_t d = p->dimension;
  for (size_t i = 0; i < p->contacts; i++) {
    /* Scale of the contact: the norm of its diagonal block; for a zero block the least norm of the
     * others. */
    double norm = problem_block_norm(p, i);
    if (!(norm > 0.0)) norm = least = least > 0.0 ? least : least_block_norm(p);
    ct_triple ui = friction_contact_velocity(p, r, i),
              ri = {r[d * i], r[d * i + 1], d == 3 ? r[d * i + 2] : 0.0};
    if (u) {
      u[d * i] = clamp_to_finite(ui.n);
      u[d * i + 1] = clamp_to_finite(ui.s);
      if (d == 3) u[d * i + 2] = clamp_to_finite(ui.t);
    }
    /* The greatest accepted force size, and the defect. */
    double qi =
        ct_length2(p->q[d * i], ct_length2(p->q[d * i + 1], d == 3 ? p->q[d * i + 2] : 0.0));
    size_max = fmax(size_max, CT_FRICTION_GROWTH * (qi / norm));
    normal_max = fmax(normal_max, CT_FRICTION_GROWTH * (fabs(p->q[d * i]) / norm));
    ct_triple defect = ct_friction_defect(ri, ui, p->mu[i], 1.0 / norm, &total.size);
    add_scaled_square(&total, defect.n);
    add_scaled_square(&total, defect.s);
    add_scaled_square(&total, defect.t);
  }
  if (normal_max > 0.0) size_max = normal_max;
  double residual =
      total.scale > 0.0 ? total.scale / fmin(total.size, size_max) * sqrt(total.sum) : 0.0;
  return fmin(fmax(residual, ct_friction_roundoff(total.size, size_max)), DBL_MAX);
}

/* Writes `best` in the caller's units to `out`; in_cone: shortened so that the doubles satisfy the
 * cones exactly. */
static void write_friction_forces(const ct_friction_problem *p, const ct_friction_work *w,
                                  bool in_cone, double *out) {
  size_t d = p->dimension;
  for (size_t i = 0; i < p->contacts; i++) {
    ct_triple r = {clamp_to_finite(ldexp(w->best[i].n, w->r_exponent)),
                   clamp_to_finite(ldexp(w->best[i].s, w->r_exponent)),
                   clamp_to_finite(ldexp(w->best[i].t, w->r_exponent))};
    if (in_cone) r = ct_cone_contains(r, p->mu[i]);
    out[d * i] = r.n;
    out[d * i + 1] = r.s;
    if (d == 3) out[d * i + 2] = r.t;
  }
}

static void write_friction_result(const ct_friction_problem *p, const ct_friction_work *w,
                                  bool infeasible, ct_friction_result *result) {
  *result = (ct_friction_result){
      .r = result->r, .u = result->u, .method = w->best_method, .iterations = w->iterations};
  write_friction_forces(p, w, true, result->r);
  result->residual = ct_friction_residual(p, result->r, result->u);
  result->converged = result->residual <= w->tolerance;
  if (!result->converged)
    result->status =
        infeasible ? CT_FRICTION_STATUS_INFEASIBLE : CT_FRICTION_STATUS_ITERATION_LIMIT;
}

static bool needs_iterations(const ct_friction_work *w) {
  return w->best_residual > w->tolerance && w->iterations < w->iterations_max;
}

/* Makes Newton steps from the iterate w->r, and restores w->r afterwards; `iterate` is scratch
 * memory. */
static ct_status try_newton_from_iterate(ct_friction_work *w, ct_triple *iterate) {
  if (!needs_iterations(w)) return CT_OK;
  for (size_t i = 0; i < w->contacts; i++) iterate[i] = w->r[i];
  w->method = CT_FRICTION_NEWTON;
  ct_status status = ct_friction_newton(w, STEPS);
  for (size_t i = 0; i < w->contacts; i++) w->r[i] = iterate[i];
  return status;
}

/* Alternates between sweeps, gradient steps (if `descends`) and Newton steps. Sweeps and Newton
 * steps are fastest if the contacts are not redundant. If they are, gradient steps identify the
 * sticking contacts, and Newton steps then yield the last digits. */
static ct_status alternate_methods(ct_friction_work *w, bool descends) {
  ct_triple *iterate = ct_arena_alloc(w->arena, w->contacts, sizeof *iterate);
  if (!iterate) return CT_OUT_OF_MEMORY;
  ct_status status = CT_OK;
  /* The number of sweeps doubles up to the limit; without this limit it would overflow to 0, and
   * the loop would continue without iterations. */
  for (uint64_t sweeps = FIRST_SWEEPS; status == CT_OK && needs_iterations(w);
       sweeps = sweeps < w->iterations_max ? 2 * sweeps : sweeps) {
    w->method = CT_FRICTION_NSGS;
    if (sweeps == FIRST_SWEEPS || !descends) status = ct_friction_nsgs(w, sweeps);
    if (status == CT_OK) status = try_newton_from_iterate(w, iterate);
    if (status != CT_OK || !descends) continue;
    w->method = CT_FRICTION_GRADIENT;
    status = ct_friction_apgd(w, DESCENTS * sweeps);
    if (status == CT_OK) status = try_newton_from_iterate(w, iterate);
  }
  return status;
}

static bool is_frictionless(const ct_friction_problem *p) {
  for (size_t i = 0; i < p->contacts; i++)
    if (p->mu[i] > 0.0) return false;
  return true;
}

/* Method AUTO: selects methods by size and friction. Without friction the problem is a linear
 * complementarity problem, and its solution of least norm is returned. */
static ct_status run_automatic_method(const ct_friction_problem *p,
                                      const ct_friction_options *options, ct_friction_work *w,
                                      bool *infeasible) {
  if (is_frictionless(p) && p->contacts <= CT_LCP_DIRECT_MAX) {
    ct_friction_result pyramids = {0};
    ct_status status = ct_friction_polyhedral(w, options, &pyramids);
    if (status != CT_OK) return status;
    *infeasible = pyramids.status == CT_FRICTION_STATUS_INFEASIBLE;
    for (size_t i = 0; i < w->contacts; i++) w->r[i] = w->best[i];
    w->method = CT_FRICTION_POLYHEDRAL;
    w->best_residual = INFINITY;
    w->iterations = pyramids.iterations;
    (void)ct_friction_evaluate(w);
    if (*infeasible) return CT_OK;
  }
  if (options->bodies && p->dimension == 3 && p->contacts >= BODIES_FROM) {
    w->method = CT_FRICTION_NEWTON;
    ct_status status = ct_friction_by_bodies(w, options->bodies);
    if (status != CT_OK || !needs_iterations(w)) return status;
    for (size_t i = 0; i < w->contacts; i++) w->r[i] = w->best[i];
  }
  return alternate_methods(w, true);
}

static ct_status run_friction_method(const ct_friction_problem *p,
                                     const ct_friction_options *options, ct_arena *arena,
                                     ct_friction_result *result) {
  ct_friction_work w = {.arena = arena, .method = CT_FRICTION_NSGS};
  /* Set the options, make the scaled copy, and evaluate the residual of the start. */
  w.tolerance = options->tolerance > 0.0 ? options->tolerance : CT_FRICTION_TOLERANCE;
  w.iterations_max = options->method == CT_FRICTION_AUTO ? AUTO_ITERATIONS_MAX : ITERATIONS_MAX;
  if (options->iterations_max) w.iterations_max = options->iterations_max;
  ct_status status = ct_friction_prepare(p, options, &w);
  if (status != CT_OK) return status;
  bool infeasible = false;
  (void)ct_friction_evaluate(&w);
  /* Run the method. */
  switch (options->method) {
  case CT_FRICTION_POLYHEDRAL:
    status = ct_friction_polyhedral(&w, options, result);
    if (status != CT_OK) return status;
    write_friction_forces(p, &w, false, result->r);
    (void)ct_friction_residual(p, result->r, result->u);
    return CT_OK;
  case CT_FRICTION_NSGS:
    status = needs_iterations(&w) ? ct_friction_nsgs(&w, w.iterations_max) : CT_OK;
    break;
  case CT_FRICTION_NEWTON: status = alternate_methods(&w, false); break;
  case CT_FRICTION_GRADIENT:
    w.method = CT_FRICTION_GRADIENT;
    status = ct_friction_apgd(&w, w.iterations_max);
    break;
  default:
    status = needs_iterations(&w) ? run_automatic_method(p, options, &w, &infeasible) : CT_OK;
  }
  /* If it has not converged, try to prove infeasibility. */
  if (status == CT_OK && !infeasible && w.best_residual > w.tolerance)
    status = ct_friction_prove_infeasible(&w, options->proof, &infeasible);
  if (status == CT_OK) write_friction_result(p, &w, infeasible, result);
  return status;
}

ct_status ct_friction_solve(const ct_friction_problem *problem, const ct_friction_options *options,
                            ct_arena *arena, ct_friction_result *result) {
  if (problem->dimension != 2 && problem->dimension != 3) return CT_LIMIT;
  if (problem->contacts > CT_LCP_ITERATIVE_MAX / problem->dimension) return CT_LIMIT;
  const ct_matrix *matrix = &problem->matrix;
  if (!matrix->dense && !matrix->starts) {
    if (problem->contacts > 0) return CT_LIMIT;
    *result = (ct_friction_result){
        .r = result->r, .u = result->u, .method = CT_FRICTION_NSGS, .converged = true};
    result->tolerance = options->tolerance > 0.0 ? options->tolerance : CT_FRICTION_TOLERANCE;
    return CT_OK;
  }
  ct_arena_mark mark = ct_arena_enter(arena);
  ct_status status = run_friction_method(problem, options, arena, result);
  result->tolerance = options->tolerance > 0.0 ? options->tolerance : CT_FRICTION_TOLERANCE;
  ct_arena_leave(arena, mark);
  return status;
}
