/* Iterative methods for large sparse M. They need memory for a few vectors only.
 *
 * Projected Gauss-Seidel: each row in turn is solved for its own z, which is then limited to z >=
 * 0. For a symmetric positive semidefinite M the energy z'Mz / 2 + q'z decreases with every row.
 * Cryer 1971; Mangasarian 1977 (relaxation).
 *
 * MPRGP, for a symmetric positive semidefinite M: minimises z'Mz / 2 + q'z over z >= 0. It makes
 * conjugate gradient steps for the rows with z > 0 while these promise a greater decrease than
 * releasing rows with z = 0, and steps along the projected gradient where z would become negative.
 * Dostal, Schoeberl 2005 (modified proportioning with reduced gradient projections). Unknowns are
 * scaled so that M has ones on its diagonal. */
#include "lcp/lcp_job.h"
#include "linear/dense.h"
#include "linear/matrix.h"

#include <string.h>

/* ---- projected Gauss-Seidel ------------------------------------------------------------------ */

/* Makes one sweep over all rows. Returns the greatest |min(z, w)| of a row just before it was
 * solved. */
static double sweep_rows(const ct_lcp_job *job, const double *diagonal, double relaxation,
                         double *z) {
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

/* Searches for a row of zeros with negative q, which proves infeasibility; in a semidefinite M a
 * row is zero if its diagonal entry is. True: `certificate` is the proof. */
static bool find_infeasible_row(const ct_lcp_job *job, const double *diagonal,
                                double *certificate) {
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
  if (find_infeasible_row(job, diagonal, result->certificate)) return CT_OK;
  result->status = CT_LCP_STATUS_ITERATION_LIMIT;
  const ct_lcp problem = {*job->matrix, job->q};
  while (result->iterations < job->iterations_max) {
    if (ct_cancel_raised(job->options->cancel)) return CT_CANCELLED;
    result->iterations++;
    /* Solving later rows changes w of earlier ones, so the residual of the complete z decides. */
    if (!(sweep_rows(job, diagonal, relaxation, result->z) <= job->target)) continue;
    if (ct_lcp_residual(&problem, result->z, NULL) > job->target) continue;
    result->status = CT_LCP_STATUS_OK;
    break;
  }
  return CT_OK;
}

/* ---- conjugate gradients within bounds (MPRGP) ----------------------------------------------- */

/* Number of products with M by which its norm is estimated from below. An underestimate is
 * acceptable, as the step is half of the permitted one. */
enum { NORM_STEPS = 20 };
/* Number of steps after which the gradient is recomputed instead of updated, which removes
 * round-off. */
enum { REFRESH = 64 };

typedef struct mprgp_state {
  const ct_lcp_job *job;
  size_t n;
  double *scale;   /* [n] 1 / sqrt(M_ii): z = scale * x */
  double *x, *g;   /* scaled unknowns; gradient M x + q of the scaled problem */
  double *p, *mp;  /* search direction; scaled M times the direction */
  double *free;    /* [n] gradient in the rows with x > 0; 0 in the other rows */
  double *scratch; /* scratch of a product with M */
  double step;     /* step along the projected gradient: 1 / norm of the scaled M */
  double promised; /* squared norm of the gradient over the rows with x > 0, where an entry counts
                      less if x >= 0 limits the step */
  double chopped;  /* squared norm of the gradient over the rows with x = 0 whose x should
                      increase */
} mprgp_state;

static bool allocate_mprgp(mprgp_state *s, const ct_lcp_job *job) {
  size_t n = job->size;
  *s = (mprgp_state){.job = job, .n = n};
  double *all = ct_arena_alloc_doubles(job->arena, 7 * n);
  if (!all) return false;
  double **vectors[] = {&s->scale, &s->x, &s->g, &s->p, &s->mp, &s->free, &s->scratch};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = all + i * n;
  return true;
}

/* Computes y = M x with the scaled M. */
static void multiply_scaled(mprgp_state *s, const double *x, double *y) {
  for (size_t i = 0; i < s->n; i++) s->scratch[i] = s->scale[i] * x[i];
  ct_matrix_product(s->job->matrix, s->scratch, y);
  for (size_t i = 0; i < s->n; i++) y[i] *= s->scale[i];
}

static void compute_gradient(mprgp_state *s) {
  multiply_scaled(s, s->x, s->g);
  for (size_t i = 0; i < s->n; i++) s->g[i] += s->scale[i] * s->job->q[i];
}

/* Splits the gradient at x into the free gradient and the squares `promised` and `chopped`. */
static void split_gradient(mprgp_state *s) {
  s->promised = s->chopped = 0.0;
  for (size_t i = 0; i < s->n; i++) {
    double g = s->g[i];
    s->free[i] = s->x[i] > 0.0 ? g : 0.0;
    if (s->x[i] > 0.0) s->promised += g * fmin(s->x[i] / s->step, g);
    else if (g < 0.0) s->chopped += g * g;
  }
}

/* Returns the residual max |min(z, w)| in the caller's units. */
static double natural_residual(const mprgp_state *s) {
  double most = 0.0;
  for (size_t i = 0; i < s->n; i++) {
    double z = s->x[i] * s->scale[i], w = s->g[i] / s->scale[i], off = fabs(w < z ? w : z);
    if (!(off <= most)) most = off;
  }
  return most;
}

static double estimate_matrix_norm(mprgp_state *s) {
  double length = 1.0;
  for (size_t i = 0; i < s->n; i++) s->p[i] = 1.0 / (double)(1 + i % 7);
  for (int k = 0; k < NORM_STEPS; k++) {
    length = sqrt(ct_dense_dot(s->p, s->p, s->n));
    if (!(length > 0.0)) return 1.0;
    for (size_t i = 0; i < s->n; i++) s->p[i] /= length;
    multiply_scaled(s, s->p, s->mp);
    memcpy(s->p, s->mp, s->n * sizeof *s->p);
  }
  length = sqrt(ct_dense_dot(s->p, s->p, s->n));
  return length > 0.0 ? length : 1.0;
}

/* Returns the longest step along -p that keeps x >= 0. */
static double find_longest_step(const mprgp_state *s) {
  double step = INFINITY;
  for (size_t i = 0; i < s->n; i++)
    if (s->p[i] > 0.0) step = fmin(step, s->x[i] / s->p[i]);
  return step;
}

static void move_along_direction(mprgp_state *s, double step) {
  for (size_t i = 0; i < s->n; i++) {
    double x = s->x[i] - step * s->p[i];
    s->x[i] = x > 0.0 ? x : 0.0;
  }
  ct_dense_add(s->g, s->mp, -step, s->n);
}

/* Increases rows at 0 along their negative gradient, and restarts the conjugate directions. */
static void make_proportioning_step(mprgp_state *s) {
  for (size_t i = 0; i < s->n; i++) s->p[i] = s->x[i] > 0.0 ? 0.0 : fmin(s->g[i], 0.0);
  multiply_scaled(s, s->p, s->mp);
  double curvature = ct_dense_dot(s->p, s->mp, s->n);
  move_along_direction(s, curvature > 0.0 ? ct_dense_dot(s->g, s->p, s->n) / curvature : s->step);
  split_gradient(s);
  memcpy(s->p, s->free, s->n * sizeof *s->p);
}

/* Makes a conjugate gradient step. If x >= 0 limits the step, continues along the projected
 * gradient. False: nothing limits the step, so the problem is infeasible. */
static bool make_conjugate_step(mprgp_state *s) {
  multiply_scaled(s, s->p, s->mp);
  double curvature = ct_dense_dot(s->p, s->mp, s->n), slope = ct_dense_dot(s->g, s->p, s->n),
         bound = find_longest_step(s);
  double best = curvature > 0.0 ? slope / curvature : INFINITY;
  if (best == INFINITY && bound == INFINITY) return false;
  if (best <= bound) {
    move_along_direction(s, best);
    split_gradient(s);
    double turn = ct_dense_dot(s->free, s->mp, s->n) / curvature;
    for (size_t i = 0; i < s->n; i++) s->p[i] = s->free[i] - turn * s->p[i];
    return true;
  }
  move_along_direction(s, bound);
  for (size_t i = 0; i < s->n; i++)
    if (s->x[i] > 0.0) s->x[i] = fmax(s->x[i] - s->step * s->g[i], 0.0);
  compute_gradient(s);
  split_gradient(s);
  memcpy(s->p, s->free, s->n * sizeof *s->p);
  return true;
}

static void start_mprgp(mprgp_state *s) {
  for (size_t i = 0; i < s->n; i++) {
    double diagonal = ct_matrix_entry(s->job->matrix, i, i),
           start = s->job->options->start ? s->job->options->start[i] : 0.0;
    s->scale[i] = diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 1.0;
    s->x[i] = fmax(start, 0.0) / s->scale[i];
  }
  s->step = 1.0 / estimate_matrix_norm(s);
  compute_gradient(s);
  split_gradient(s);
  memcpy(s->p, s->free, s->n * sizeof *s->p);
}

ct_status ct_lcp_mprgp(const ct_lcp_job *job, ct_lcp_result *result) {
  mprgp_state s;
  if (!allocate_mprgp(&s, job)) return CT_OUT_OF_MEMORY;
  start_mprgp(&s);
  result->status = CT_LCP_STATUS_ITERATION_LIMIT;
  const ct_lcp problem = {*job->matrix, job->q};
  while (result->iterations < job->iterations_max) {
    if (ct_cancel_raised(job->options->cancel)) return CT_CANCELLED;
    /* Converged if the residual of the unscaled problem confirms it. */
    if (natural_residual(&s) <= job->target) {
      for (size_t i = 0; i < s.n; i++) result->z[i] = s.x[i] * s.scale[i];
      if (ct_lcp_residual(&problem, result->z, NULL) <= job->target) {
        result->status = CT_LCP_STATUS_OK;
        return CT_OK;
      }
    }
    if (++result->iterations % REFRESH == 0) compute_gradient(&s);
    /* Release rows at 0, or minimise over the free rows. */
    if (s.chopped > s.promised) {
      make_proportioning_step(&s);
    } else if (!make_conjugate_step(&s)) {
      result->status = CT_LCP_STATUS_INFEASIBLE;
      for (size_t i = 0; i < s.n; i++) result->certificate[i] = fmax(-s.p[i] * s.scale[i], 0.0);
      break;
    }
  }
  for (size_t i = 0; i < s.n; i++) result->z[i] = s.x[i] * s.scale[i];
  return CT_OK;
}
