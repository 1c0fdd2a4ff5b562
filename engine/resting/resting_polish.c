/* Refines the solution of a friction problem to round-off by Newton's method. From the present
 * solution each contact is classified as open (no force), sticking (no velocity) or sliding (no
 * normal velocity, friction at its limit against the slip), and the equations of these states are
 * solved. If they are dependent, the step of least norm is taken, so that undetermined forces
 * change little. */
#include "friction/friction.h"
#include "linear/least_norm.h"
#include "resting/resting_problem.h"

#include <assert.h>

#define STEPS_MAX 12

typedef struct polish {
  const ct_friction_problem *problem;
  size_t rows;
  double *forces, *velocities; /* [rows] contact forces; relative velocities */
  /* Linear system, column by column: rows 3 i .. 3 i + 2 are the equations of contact i. */
  double *matrix, *right, *step;
} polish;

static double polish_matrix_entry(const polish *p, size_t row, size_t column) {
  assert(row < p->rows && column < p->rows);
  const ct_matrix *m = &p->problem->matrix;
  if (m->dense) return m->dense[row * p->rows + column];
  for (size_t e = m->starts[row]; e < m->starts[row + 1]; e++)
    if (m->columns[e] == column) return m->values[e];
  return 0.0;
}

/* Returns 1 / norm of a contact's diagonal block of W, the factor that converts velocities to
 * forces. */
static double contact_resistance(const polish *p, size_t contact) {
  double sum = 0.0;
  for (size_t r = 0; r < 3; r++)
    for (size_t c = 0; c < 3; c++) {
      double m = polish_matrix_entry(p, 3 * contact + r, 3 * contact + c);
      sum += m * m;
    }
  return sum > 0.0 ? 1.0 / sqrt(sum) : 1.0;
}

/* Adds weight times row `velocity_row` of the Delassus matrix W to equation `row`. */
static void add_matrix_row(polish *p, size_t row, double weight, size_t velocity_row) {
  for (size_t j = 0; j < p->rows; j++)
    p->matrix[j * p->rows + row] += weight * polish_matrix_entry(p, velocity_row, j);
}

static void add_open_equations(polish *p, size_t i) {
  for (size_t k = 0; k < 3; k++) {
    p->matrix[(3 * i + k) * p->rows + 3 * i + k] = 1.0;
    p->right[3 * i + k] = -p->forces[3 * i + k];
  }
}

static void add_sticking_equation(polish *p, size_t row, double rho) {
  add_matrix_row(p, row, rho, row);
  p->right[row] = -rho * p->velocities[row];
}

/* Adds the two linearised equations of a sliding contact: f_t - mu f_n e = 0 with e = x_t / |x_t|
 * and x_t = f_t - rho u_t. */
static void add_sliding_equations(polish *p, size_t i, double rho, const double *x) {
  double mu = p->problem->mu[i], length = ct_norm(ct_vec(x[1], x[2], 0.0));
  const double *f = &p->forces[3 * i], e[2] = {x[1] / length, x[2] / length};
  double turn = mu * f[0] / length;
  for (size_t k = 0; k < 2; k++) {
    size_t row = 3 * i + 1 + k;
    p->right[row] = mu * f[0] * e[k] - f[1 + k];
    p->matrix[(3 * i + 1 + k) * p->rows + row] += 1.0;
    p->matrix[3 * i * p->rows + row] -= mu * e[k];
    for (size_t l = 0; l < 2; l++) {
      double across = (k == l ? 1.0 : 0.0) - e[k] * e[l];
      p->matrix[(3 * i + 1 + l) * p->rows + row] -= turn * across;
      add_matrix_row(p, row, turn * across * rho, 3 * i + 1 + l);
    }
  }
}

/* Linearises the equations of all contacts. The projection of x = f - rho (u + mu |u_t| n) onto the
 * friction cone decides on the state of each contact (Alart, Curnier 1991). */
static void linearise_contacts(polish *p) {
  for (size_t i = 0; i < p->rows * p->rows; i++) p->matrix[i] = 0.0;
  for (size_t i = 0; i < p->problem->contacts; i++) {
    const double *f = &p->forces[3 * i], *u = &p->velocities[3 * i];
    double mu = p->problem->mu[i], rho = contact_resistance(p, i),
           slip = ct_norm(ct_vec(u[1], u[2], 0.0));
    const double x[3] = {f[0] - rho * (u[0] + mu * slip), f[1] - rho * u[1], f[2] - rho * u[2]};
    double across = ct_norm(ct_vec(x[1], x[2], 0.0));
    if (mu * across <= -x[0] || (mu == 0.0 && x[0] <= 0.0)) {
      add_open_equations(p, i);
      continue;
    }
    add_sticking_equation(p, 3 * i, rho);
    if (mu == 0.0) {
      p->matrix[(3 * i + 1) * p->rows + 3 * i + 1] = p->matrix[(3 * i + 2) * p->rows + 3 * i + 2] =
          1.0;
      p->right[3 * i + 1] = p->right[3 * i + 2] = 0.0;
    } else if (across <= mu * x[0]) {
      add_sticking_equation(p, 3 * i + 1, rho);
      add_sticking_equation(p, 3 * i + 2, rho);
    } else add_sliding_equations(p, i, rho, x);
  }
}

static void apply_newton_step(polish *p) {
  for (size_t i = 0; i < p->problem->contacts; i++) {
    double *f = &p->forces[3 * i];
    for (size_t k = 0; k < 3; k++) f[k] += p->step[3 * i + k];
    ct_triple within = ct_cone_contains(
        ct_cone_nearest((ct_triple){f[0], f[1], f[2]}, p->problem->mu[i]), p->problem->mu[i]);
    f[0] = within.n;
    f[1] = within.s;
    f[2] = within.t;
  }
}

static ct_status run_newton(polish *p, ct_arena *arena, double *forces, double *residual) {
  double best = ct_friction_residual(p->problem, p->forces, p->velocities);
  for (int step = 0, worse = 0; step < STEPS_MAX && worse < 2 && best > 0.0; step++) {
    linearise_contacts(p);
    if (!ct_least_norm(&(ct_equations){p->rows, p->rows, p->matrix, p->right}, p->step, NULL,
                       arena))
      return CT_OUT_OF_MEMORY;
    apply_newton_step(p);
    double now = ct_friction_residual(p->problem, p->forces, p->velocities);
    worse = now < best ? 0 : worse + 1;
    if (!(now < best)) continue;
    best = now;
    for (size_t i = 0; i < p->rows; i++) forces[i] = p->forces[i];
  }
  *residual = best;
  return CT_OK;
}

ct_status ct_resting_polish(const ct_friction_problem *problem, ct_arena *arena, double *forces,
                            double *residual) {
  assert(problem->dimension == 3);
  polish p = {.problem = problem, .rows = problem->matrix.size};
  ct_arena_mark mark = ct_arena_enter(arena);
  double *vectors = ct_arena_alloc_doubles(arena, 4 * p.rows + 1);
  p.matrix = ct_arena_alloc_doubles(arena, p.rows * p.rows + 1);
  ct_status status = vectors && p.matrix ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    p.forces = vectors;
    p.velocities = vectors + p.rows;
    p.right = vectors + 2 * p.rows;
    p.step = vectors + 3 * p.rows;
    for (size_t i = 0; i < p.rows; i++) p.forces[i] = forces[i];
    status = run_newton(&p, arena, forces, residual);
  }
  ct_arena_leave(arena, mark);
  return status;
}
