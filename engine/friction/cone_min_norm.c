/* The shortest forces within friction cones that balance a load, for many contacts: f = P(G'y),
 * where P projects onto the cones and y minimises the dual function 1/2 |P(G'y)|^2 - target.y,
 * whose gradient is the negative unbalanced load. Method: semismooth Newton steps within proximal
 * iterations. The proximal iterations also converge if no forces balance the load; the residual is
 * then the acceleration of Gauss' principle (Rockafellar 1976; Zhao, Sun, Toh 2010, Newton-CG
 * augmented Lagrangians).
 *
 * The equations of a step have six rows for each body and one block for each pair of bodies in
 * contact. In a pile of a hundred layers all layers are coupled, but conjugate gradients propagate
 * only from body to body. So a sparse factor of the whole matrix, of this step or an earlier one,
 * is used as preconditioner if its cost is within limits. The first step treats all contacts as
 * sticking: from zero forces, Newton's method would find one layer after the other. */
#include "friction/cone_active_set.h"
#include "friction/cone_projection.h"
#include "linear/arena.h"
#include "linear/block_cholesky.h"

#include <assert.h>
#include <math.h>

/* ---- cones and bodies ------------------------------------------------------------------------ */

static double dot_block(const double *a, const double *b, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

void ct_cone_pull(const ct_cone *cone, const double *y, double *x) {
  for (size_t k = 0; k < 3; k++) x[k] = 0.0;
  for (size_t side = 0; side < 2; side++) {
    if (cone->block[side] == CT_CONE_NO_BLOCK) continue;
    for (size_t k = 0; k < 3; k++)
      x[k] += dot_block(&cone->columns[k][side * CT_CONE_BLOCK],
                        &y[cone->block[side] * CT_CONE_BLOCK], CT_CONE_BLOCK);
  }
}

void ct_cone_push(const ct_cone *cone, const double *x, double scale, double *out) {
  for (size_t side = 0; side < 2; side++) {
    if (cone->block[side] == CT_CONE_NO_BLOCK) continue;
    double *to = &out[cone->block[side] * CT_CONE_BLOCK];
    for (size_t k = 0; k < 3; k++)
      for (size_t e = 0; e < CT_CONE_BLOCK; e++)
        to[e] += scale * x[k] * cone->columns[k][side * CT_CONE_BLOCK + e];
  }
}

void ct_cone_project(double mu, const double *x, double *f, double *slope) {
  assert(mu >= 0.0);
  double across = sqrt(x[1] * x[1] + x[2] * x[2]);
  for (size_t k = 0; slope && k < 9; k++) slope[k] = 0.0;
  f[0] = f[1] = f[2] = 0.0;
  /* In the polar cone: zero. In the cone: unchanged. Without friction: the normal part alone. */
  if (mu * across <= -x[0] || (mu == 0.0 && x[0] <= 0.0)) return;
  if (mu > 0.0 && across <= mu * x[0]) {
    for (size_t k = 0; k < 3; k++) f[k] = x[k];
    for (size_t k = 0; slope && k < 3; k++) slope[4 * k] = 1.0;
    return;
  }
  if (mu == 0.0) {
    f[0] = x[0];
    if (slope) slope[0] = 1.0;
    return;
  }
  /* Otherwise the closest point is on the boundary of the cone, in the tangential direction of
   * x. */
  const double e[2] = {x[1] / across, x[2] / across};
  double along = (x[0] + mu * across) / (1.0 + mu * mu), turn = mu * along / across;
  f[0] = along;
  f[1] = mu * along * e[0];
  f[2] = mu * along * e[1];
  if (!slope) return;
  const double g[3] = {1.0, mu * e[0], mu * e[1]};
  for (size_t r = 0; r < 3; r++)
    for (size_t c = 0; c < 3; c++) slope[3 * r + c] = g[r] * g[c] / (1.0 + mu * mu);
  for (size_t r = 0; r < 2; r++)
    for (size_t c = 0; c < 2; c++)
      slope[3 * (r + 1) + c + 1] += turn * ((r == c ? 1.0 : 0.0) - e[r] * e[c]);
}

void ct_cone_add_product(const ct_cone *cone, const double *slope, size_t r, size_t c,
                         double *out) {
  assert(r < 2 && c < 2);
  double half[3][CT_CONE_BLOCK];
  for (size_t k = 0; k < 3; k++)
    for (size_t e = 0; e < CT_CONE_BLOCK; e++) {
      half[k][e] = 0.0;
      for (size_t l = 0; l < 3; l++)
        half[k][e] += slope[3 * k + l] * cone->columns[l][c * CT_CONE_BLOCK + e];
    }
  for (size_t x = 0; x < CT_CONE_BLOCK; x++)
    for (size_t y = 0; y < CT_CONE_BLOCK; y++)
      for (size_t k = 0; k < 3; k++)
        out[x * CT_CONE_BLOCK + y] += cone->columns[k][r * CT_CONE_BLOCK + x] * half[k][y];
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Proximal weight, relative to the mean diagonal of G G': first and least value, and its factor
 * from one proximal iteration to the next. */
#define WEIGHT_FIRST 1e-5
#define WEIGHT_LEAST 1e-7
#define WEIGHT_SHRINK 0.1
#define OUTER_MAX 40
#define INNER_MAX 40
/* Largest number of conjugate gradient iterations in one step: enough for piles of some hundred
 * layers, and a step that has not converged by then is still a descent direction. Largest number of
 * multiplications in one solve: some ten seconds. */
#define GRADIENTS_MAX 800
#define WORK_MAX 8e9
/* Limits of the sparse factor: number of blocks (290 MB) and of multiplications. A multiplication
 * of the factorisation costs FACTOR_COST of one in a matrix product. A factor of an earlier step is
 * recomputed if STALE_GRADIENTS iterations with it do not converge. */
#define FACTOR_BLOCKS 1000000u
#define FACTOR_WORK 4e9
#define FACTOR_COST 0.5
#define STALE_GRADIENTS 8
/* If the unbalanced part of the load is below the fraction REFINED, the forces are corrected
 * directly, at most REFINEMENTS times. The force of a contact is a sum of few terms, whereas y
 * grows with the square of the number of layers, and forces computed as differences of y lose that
 * many digits. */
#define REFINED 1e-6
#define REFINEMENTS 12
/* Residual to which the equations of one correction are solved, relative to the unbalanced load. */
#define REFINED_PART 1e-3
/* Number of multiplications for evaluating the dual function at one cone. */
#define EVALUATION_COST 80.0
/* Residuals of a step's equations below this fraction of the load are round-off. */
#define STEP_ROUNDING 2e-15
/* A block is balanced if its residual is at most this fraction of the loads and forces on it. */
#define BALANCED_PART 1e-13
/* A gradient below this fraction of the load is round-off if a step does not halve it. */
#define ROUNDING 1e-12
/* If the residuals of two proximal iterations agree to this fraction, they have converged to the
 * acceleration of Gauss' principle. */
#define CONVERGED_PART 1e-9

/* Number of entries of a 6 x 6 block, of two bodies or of one body. */
#define BLOCK_ENTRIES (CT_CONE_BLOCK * CT_CONE_BLOCK)

/* Consecutive cones that act on the same blocks, and so share one block of the matrix. */
typedef struct link {
  size_t first, end; /* range of cones */
  bool joins;        /* true: the cones act on two blocks */
  double m[BLOCK_ENTRIES];
} link;

typedef struct min_norm_state {
  const ct_cone_fit_problem *problem;
  size_t rows;
  double weight;
  double *y, *center, *gradient, *step, *trial; /* [rows] */
  /* [rows] residual, preconditioned residual, direction and product of conjugate gradients */
  double *r, *z, *p, *product;
  /* [rows] unbalanced load, and the unbalanced load after the previous proximal iteration */
  double *rest, *before;
  double *forces;              /* [3 count] */
  double *slopes;              /* [9 count] derivative of each projection */
  double *diagonal, *inverses; /* [36 blocks] diagonal blocks, and their Cholesky factors */
  link *links;
  size_t link_count;
  ct_block_cholesky whole; /* sparse factor of G S G' + weight */
  /* direct: the sparse factor is within its limits; factored: it has been computed */
  bool direct, factored;
  double load;        /* norm of the target */
  double price, work; /* number of multiplications: of one product with G S G', and in total */
} min_norm_state;

static double dot_vectors(const double *a, const double *b, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

static double norm_of_vector(const double *a, size_t count) {
  return sqrt(dot_vectors(a, a, count));
}

/* Returns the value of the dual function at y, including the proximal term, and computes its
 * gradient, the forces and the unbalanced load; if `slopes`, also the derivatives of the
 * projections. */
static double evaluate_dual_at(min_norm_state *h, const double *y, bool slopes) {
  double value = 0.0;
  h->work += EVALUATION_COST * (double)h->problem->count;
  for (size_t i = 0; i < h->rows; i++) h->rest[i] = h->problem->target[i];
  for (size_t i = 0; i < h->problem->count; i++) {
    double x[3], *f = &h->forces[3 * i];
    ct_cone_pull(&h->problem->cones[i], y, x);
    ct_cone_project(h->problem->cones[i].mu, x, f, slopes ? &h->slopes[9 * i] : NULL);
    value += 0.5 * dot_vectors(f, f, 3);
    ct_cone_push(&h->problem->cones[i], f, -1.0, h->rest);
  }
  for (size_t i = 0; i < h->rows; i++) {
    double moved = y[i] - h->center[i];
    value += 0.5 * h->weight * moved * moved - h->problem->target[i] * y[i];
    h->gradient[i] = h->weight * moved - h->rest[i];
  }
  return value;
}

static bool is_load_balanced(const min_norm_state *h, double *scales) {
  for (size_t b = 0; b < h->problem->blocks; b++)
    scales[b] = norm_of_vector(&h->problem->target[b * CT_CONE_BLOCK], CT_CONE_BLOCK);
  for (size_t i = 0; i < h->problem->count; i++)
    for (size_t side = 0; side < 2; side++) {
      const ct_cone *cone = &h->problem->cones[i];
      if (cone->block[side] == CT_CONE_NO_BLOCK) continue;
      scales[cone->block[side]] +=
          h->forces[3 * i] * norm_of_vector(&cone->columns[0][side * CT_CONE_BLOCK], CT_CONE_BLOCK);
    }
  for (size_t b = 0; b < h->problem->blocks; b++)
    if (norm_of_vector(&h->rest[b * CT_CONE_BLOCK], CT_CONE_BLOCK) > BALANCED_PART * scales[b])
      return false;
  return true;
}

/* ---- conjugate gradients --------------------------------------------------------------------- */

/* Computes the Cholesky factor of a 6 x 6 block in place. The proximal weight makes the block
 * positive definite. */
static void factor_preconditioner(double *m) {
  for (size_t j = 0; j < CT_CONE_BLOCK; j++) {
    for (size_t i = j; i < CT_CONE_BLOCK; i++) {
      double sum = m[i * CT_CONE_BLOCK + j];
      for (size_t k = 0; k < j; k++) sum -= m[i * CT_CONE_BLOCK + k] * m[j * CT_CONE_BLOCK + k];
      m[i * CT_CONE_BLOCK + j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / m[j * CT_CONE_BLOCK + j];
    }
  }
}

static void solve_preconditioner(const double *m, const double *right, double *out) {
  for (size_t i = 0; i < CT_CONE_BLOCK; i++) {
    out[i] = right[i];
    for (size_t k = 0; k < i; k++) out[i] -= m[i * CT_CONE_BLOCK + k] * out[k];
    out[i] /= m[i * CT_CONE_BLOCK + i];
  }
  for (size_t i = CT_CONE_BLOCK; i-- > 0;) {
    for (size_t k = i + 1; k < CT_CONE_BLOCK; k++) out[i] -= m[k * CT_CONE_BLOCK + i] * out[k];
    out[i] /= m[i * CT_CONE_BLOCK + i];
  }
}

static bool is_zero_slope(const double *slope) {
  for (size_t k = 0; k < 9; k++)
    if (slope[k] != 0.0) return false;
  return true;
}

/* Computes the diagonal blocks of G S G' + weight, their Cholesky factors, and the blocks of the
 * links. */
static void prepare_newton_step(min_norm_state *h) {
  size_t size = h->problem->blocks * BLOCK_ENTRIES;
  for (size_t e = 0; e < size; e++)
    h->diagonal[e] = e % BLOCK_ENTRIES % (CT_CONE_BLOCK + 1) == 0 ? h->weight : 0.0;
  for (size_t l = 0; l < h->link_count; l++) {
    link *to = &h->links[l];
    assert(to->first < to->end && to->end <= h->problem->count);
    for (size_t e = 0; e < BLOCK_ENTRIES; e++) to->m[e] = 0.0;
    for (size_t i = to->first; i < to->end; i++) {
      const ct_cone *cone = &h->problem->cones[i];
      const double *slope = &h->slopes[9 * i];
      if (is_zero_slope(slope)) continue;
      for (size_t side = 0; side < 2; side++)
        if (cone->block[side] != CT_CONE_NO_BLOCK)
          ct_cone_add_product(cone, slope, side, side,
                              &h->diagonal[BLOCK_ENTRIES * cone->block[side]]);
      if (to->joins) ct_cone_add_product(cone, slope, 0, 1, to->m);
    }
  }
  for (size_t e = 0; e < size; e++) h->inverses[e] = h->diagonal[e];
  for (size_t b = 0; b < h->problem->blocks; b++)
    factor_preconditioner(&h->inverses[BLOCK_ENTRIES * b]);
}

/* a += m y, b += m' x; b may be NULL. */
static void add_block_products(const double *restrict m, const double *restrict x,
                               const double *restrict y, double *restrict a, double *restrict b) {
  for (size_t r = 0; r < CT_CONE_BLOCK; r++) {
    const double *row = &m[r * CT_CONE_BLOCK];
    a[r] += (row[0] * y[0] + row[1] * y[1]) + (row[2] * y[2] + row[3] * y[3]) +
            (row[4] * y[4] + row[5] * y[5]);
    for (size_t c = 0; b && c < CT_CONE_BLOCK; c++) b[c] += row[c] * x[r];
  }
}

/* out = (G S G' + weight) v */
static void multiply_newton(const min_norm_state *h, const double *v, double *out) {
  for (size_t i = 0; i < h->rows; i++) out[i] = 0.0;
  for (size_t b = 0; b < h->problem->blocks; b++)
    add_block_products(&h->diagonal[BLOCK_ENTRIES * b], NULL, &v[b * CT_CONE_BLOCK],
                       &out[b * CT_CONE_BLOCK], NULL);
  for (size_t l = 0; l < h->link_count; l++) {
    const link *to = &h->links[l];
    if (!to->joins) continue;
    size_t a = h->problem->cones[to->first].block[0] * CT_CONE_BLOCK,
           b = h->problem->cones[to->first].block[1] * CT_CONE_BLOCK;
    add_block_products(to->m, &v[a], &v[b], &out[a], &out[b]);
  }
}

static double apply_preconditioner(min_norm_state *h) {
  if (h->direct) {
    ct_block_cholesky_solve(&h->whole, h->r, h->z);
    h->work +=
        2.0 * BLOCK_ENTRIES * (double)(h->whole.starts[h->problem->blocks] + h->problem->blocks);
    return dot_vectors(h->r, h->z, h->rows);
  }
  for (size_t b = 0; b < h->problem->blocks; b++)
    solve_preconditioner(&h->inverses[BLOCK_ENTRIES * b], &h->r[b * CT_CONE_BLOCK],
                         &h->z[b * CT_CONE_BLOCK]);
  return dot_vectors(h->r, h->z, h->rows);
}

/* Continues preconditioned conjugate gradients from h->step, with the residual h->r. False: after
 * `most` iterations the norm of the residual still exceeds `goal`. */
static bool run_conjugate_gradients(min_norm_state *h, double goal, int most) {
  double now = apply_preconditioner(h);
  for (size_t i = 0; i < h->rows; i++) h->p[i] = h->z[i];
  for (int k = 0; norm_of_vector(h->r, h->rows) > goal; k++) {
    if (k == most) return false;
    multiply_newton(h, h->p, h->product);
    h->work += h->price;
    double curve = dot_vectors(h->p, h->product, h->rows);
    if (!(curve > 0.0)) return true;
    double along = now / curve;
    for (size_t i = 0; i < h->rows; i++) {
      h->step[i] += along * h->p[i];
      h->r[i] -= along * h->product[i];
    }
    double next = apply_preconditioner(h), ratio = next / now;
    now = next;
    for (size_t i = 0; i < h->rows; i++) h->p[i] = h->z[i] + ratio * h->p[i];
  }
  return true;
}

static void refactor_blocks(min_norm_state *h) {
  assert(h->direct && h->whole.count == h->problem->blocks);
  ct_block_cholesky_clear(&h->whole);
  for (uint32_t b = 0; b < h->whole.count; b++)
    ct_block_cholesky_add(&h->whole, b, b, &h->diagonal[BLOCK_ENTRIES * b]);
  for (size_t l = 0; l < h->link_count; l++) {
    const size_t *block = h->problem->cones[h->links[l].first].block;
    if (h->links[l].joins)
      ct_block_cholesky_add(&h->whole, (uint32_t)block[0], (uint32_t)block[1], h->links[l].m);
  }
  h->factored = ct_block_cholesky_factor(&h->whole, h->problem->cancel) == CT_OK;
  h->work += FACTOR_COST * h->whole.work;
}

/* Solves (G S G' + weight) step = -gradient until the norm of the residual is at most `goal`. */
static void find_newton_step(min_norm_state *h, double goal) {
  prepare_newton_step(h);
  for (size_t i = 0; i < h->rows; i++) {
    h->step[i] = 0.0;
    h->r[i] = -h->gradient[i];
  }
  if (h->direct) {
    if (h->factored && run_conjugate_gradients(h, goal, STALE_GRADIENTS)) return;
    refactor_blocks(h);
    if (!h->factored) return;
  }
  (void)run_conjugate_gradients(h, goal, GRADIENTS_MAX);
}

/* ---- Newton's method within proximal iterations ---------------------------------------------- */

/* Halves the step until the value of the dual function decreases sufficiently or its gradient is
 * reduced. The second test decides near the minimum, where changes of the value are round-off.
 * False: neither test succeeds. */
static bool search_along_step(min_norm_state *h, double value, double size) {
  double slope = dot_vectors(h->gradient, h->step, h->rows);
  for (double t = 1.0; t > 1e-9; t *= 0.5) {
    for (size_t i = 0; i < h->rows; i++) h->trial[i] = h->y[i] + t * h->step[i];
    double then = evaluate_dual_at(h, h->trial, false);
    if (!(then <= value + 1e-4 * t * slope) &&
        !(norm_of_vector(h->gradient, h->rows) <= 0.9 * size))
      continue;
    for (size_t i = 0; i < h->rows; i++) h->y[i] = h->trial[i];
    return true;
  }
  return false;
}

static bool can_continue(const min_norm_state *h, uint64_t steps) {
  return steps < h->problem->steps_max && h->work < WORK_MAX;
}

/* Minimises the dual function of one proximal iteration. True if the forces balance the load; one
 * more Newton step has then refined them to round-off. The cancel flag ends the loop early. */
static bool minimise_dual_function(min_norm_state *h, uint64_t *iterations) {
  double load = h->load, least = INFINITY;
  bool balanced = false;
  for (int k = 0;
       k < INNER_MAX && can_continue(h, *iterations) && !ct_cancel_raised(h->problem->cancel);
       k++, ++*iterations) {
    double value = evaluate_dual_at(h, h->y, true), size = norm_of_vector(h->gradient, h->rows);
    if (balanced) return true;
    balanced = is_load_balanced(h, h->z);
    if (balanced) {
      for (size_t i = 0; i < h->rows; i++) h->center[i] = h->y[i];
      value = evaluate_dual_at(h, h->y, true);
      size = norm_of_vector(h->gradient, h->rows);
    }
    for (size_t i = 0; i < h->rows; i++) h->trial[i] = h->weight * (h->y[i] - h->center[i]);
    if (size <= 1e-3 * CONVERGED_PART * norm_of_vector(h->trial, h->rows) + 1e-16 * load)
      return balanced;
    if (size <= ROUNDING * load && size > 0.5 * least) return balanced;
    least = fmin(least, size);
    find_newton_step(h, fmax(fmax(1e-10, fmin(0.1, size / load)) * size, STEP_ROUNDING * load));
    if (!search_along_step(h, value, size)) return balanced;
  }
  return balanced;
}

/* Sets y to the start for which all contacts, treated as sticking, carry the load. */
static void start_from_sticking(min_norm_state *h) {
  (void)evaluate_dual_at(h, h->y, false);
  for (size_t i = 0; i < h->problem->count; i++)
    for (size_t k = 0; k < 9; k++)
      h->slopes[9 * i + k] = k == 0 || (k % 4 == 0 && h->problem->cones[i].mu > 0.0) ? 1.0 : 0.0;
  find_newton_step(h, STEP_ROUNDING * h->load);
  for (size_t i = 0; i < h->rows; i++) h->y[i] = h->step[i];
}

/* Changes the forces to first order along the step, projects them onto the cones, and computes the
 * unbalanced load. */
static void update_forces(min_norm_state *h) {
  for (size_t i = 0; i < h->rows; i++) h->rest[i] = h->problem->target[i];
  for (size_t i = 0; i < h->problem->count; i++) {
    double x[3], moved[3], *f = &h->forces[3 * i];
    ct_cone_pull(&h->problem->cones[i], h->step, x);
    for (size_t k = 0; k < 3; k++) moved[k] = f[k] + dot_vectors(&h->slopes[9 * i + 3 * k], x, 3);
    ct_cone_project(h->problem->cones[i].mu, moved, f, NULL);
    ct_cone_push(&h->problem->cones[i], f, -1.0, h->rest);
  }
}

/* Corrects forces that nearly balance the load. True if they balance it in two evaluations;
 * otherwise the forces at y are restored. */
static bool correct_forces(min_norm_state *h) {
  if (!h->direct || norm_of_vector(h->rest, h->rows) > REFINED * h->load) return false;
  (void)evaluate_dual_at(h, h->y, true);
  int balanced = 0;
  for (int k = 0; k < REFINEMENTS && !ct_cancel_raised(h->problem->cancel); k++) {
    balanced += is_load_balanced(h, h->z);
    if (balanced == 2) return true;
    for (size_t i = 0; i < h->rows; i++) h->gradient[i] = -h->rest[i];
    find_newton_step(h, REFINED_PART * norm_of_vector(h->rest, h->rows));
    update_forces(h);
  }
  if (is_load_balanced(h, h->z)) return true;
  (void)evaluate_dual_at(h, h->y, false);
  return false;
}

static ct_status run_min_norm(min_norm_state *h, ct_cone_fit_result *result) {
  double mean = 0.0;
  for (size_t i = 0; i < h->problem->count; i++)
    for (size_t k = 0; k < 3; k++)
      mean += dot_vectors(h->problem->cones[i].columns[k], h->problem->cones[i].columns[k],
                          2 * CT_CONE_BLOCK);
  /* Proximal weight, norm of the load, and cost of a product. */
  mean = mean > 0.0 ? mean / (double)h->rows : 1.0;
  h->weight = WEIGHT_FIRST * mean;
  h->load = norm_of_vector(h->problem->target, h->rows);
  h->price = BLOCK_ENTRIES * (double)(2 * h->problem->blocks + 2 * h->link_count);
  result->iterations = 0;
  result->pull = 0.0;
  if (h->direct) start_from_sticking(h);
  /* Proximal iterations: minimise, correct the forces if the load is nearly balanced, move the
   * center. */
  for (int outer = 0; outer < OUTER_MAX && can_continue(h, result->iterations); outer++) {
    if (ct_cancel_raised(h->problem->cancel)) return CT_CANCELLED;
    for (size_t i = 0; i < h->rows; i++) h->center[i] = h->y[i];
    result->status = minimise_dual_function(h, &result->iterations) ? CT_CONE_FIT_BALANCED
                                                                    : CT_CONE_FIT_UNDECIDED;
    evaluate_dual_at(h, h->y, false);
    if (result->status != CT_CONE_FIT_BALANCED && correct_forces(h))
      result->status = CT_CONE_FIT_BALANCED;
    if (result->status == CT_CONE_FIT_BALANCED) return CT_OK;
    /* The residual has converged to a nonzero vector: the load is infeasible. */
    double off = 0.0;
    for (size_t i = 0; i < h->rows; i++) {
      off += (h->rest[i] - h->before[i]) * (h->rest[i] - h->before[i]);
      h->before[i] = h->rest[i];
    }
    result->status = CT_CONE_FIT_INFEASIBLE;
    if (outer > 0 && sqrt(off) <= CONVERGED_PART * norm_of_vector(h->rest, h->rows)) return CT_OK;
    h->weight = fmax(WEIGHT_SHRINK * h->weight, WEIGHT_LEAST * mean);
  }
  result->status = CT_CONE_FIT_UNDECIDED;
  return CT_OK;
}

/* Groups consecutive cones that act on the same blocks into links; returns the number of links. If
 * `links` is NULL, it only counts them. */
static size_t find_body_pairs(const ct_cone_fit_problem *p, link *links) {
  size_t count = 0;
  for (size_t i = 0; i < p->count; i++) {
    const size_t *block = p->cones[i].block, *before = i > 0 ? p->cones[i - 1].block : NULL;
    if (!before || block[0] != before[0] || block[1] != before[1]) count++;
    if (!links) continue;
    if (!before || block[0] != before[0] || block[1] != before[1])
      links[count - 1] =
          (link){.first = i, .joins = block[0] != CT_CONE_NO_BLOCK && block[1] != CT_CONE_NO_BLOCK};
    links[count - 1].end = i + 1;
  }
  return count;
}

static ct_status open_pair_factor(min_norm_state *h, ct_arena *arena) {
  ct_block_pair *pairs = ct_arena_alloc(arena, h->link_count + 1, sizeof *pairs);
  if (!pairs) return CT_OUT_OF_MEMORY;
  size_t count = 0;
  for (size_t l = 0; l < h->link_count; l++) {
    const size_t *block = h->problem->cones[h->links[l].first].block;
    if (h->links[l].joins) pairs[count++] = (ct_block_pair){(uint32_t)block[0], (uint32_t)block[1]};
  }
  const ct_block_shape shape = {.count = h->problem->blocks,
                                .pairs = pairs,
                                .pair_count = count,
                                .blocks_max = FACTOR_BLOCKS,
                                .work_max = FACTOR_WORK};
  return ct_block_cholesky_open(&h->whole, &shape, arena, &h->direct);
}

static bool allocate_min_norm(min_norm_state *h, ct_arena *arena) {
  size_t m = h->rows + 1;
  double *vectors = ct_arena_alloc_doubles(arena, 11 * m);
  h->slopes = ct_arena_alloc_doubles(arena, 9 * h->problem->count + 1);
  h->diagonal = ct_arena_alloc_doubles(arena, 2 * BLOCK_ENTRIES * h->problem->blocks + 1);
  h->link_count = find_body_pairs(h->problem, NULL);
  h->links = ct_arena_alloc(arena, h->link_count + 1, sizeof *h->links);
  if (!vectors || !h->slopes || !h->diagonal || !h->links) return false;
  h->inverses = h->diagonal + BLOCK_ENTRIES * h->problem->blocks;
  (void)find_body_pairs(h->problem, h->links);
  double **places[] = {&h->y, &h->center, &h->gradient, &h->step, &h->trial, &h->r,
                       &h->z, &h->p,      &h->product,  &h->rest, &h->before};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) *places[i] = vectors + i * m;
  for (size_t i = 0; i < 11 * m; i++) vectors[i] = 0.0;
  return open_pair_factor(h, arena) == CT_OK;
}

ct_status ct_cone_min_norm(const ct_cone_fit_problem *problem, ct_arena *arena,
                           ct_cone_fit_result *result) {
  min_norm_state h = {
      .problem = problem, .rows = problem->blocks * CT_CONE_BLOCK, .forces = result->forces};
  ct_arena_mark mark = ct_arena_enter(arena);
  ct_status status = allocate_min_norm(&h, arena) ? run_min_norm(&h, result) : CT_OUT_OF_MEMORY;
  for (size_t i = 0; status == CT_OK && i < h.rows; i++) result->rest[i] = h.rest[i];
  ct_arena_leave(arena, mark);
  return status;
}
