/* Block principal pivoting for a symmetric positive semidefinite M. Guesses the set of clamped rows
 * (w = 0), solves for their z, moves all rows with a negative z or w to the other set, and repeats
 * (Judice, Pires 1994). The first guess comes from a few Gauss-Seidel sweeps; for few rows, from
 * principal pivots of the whole tableau, each on the row with the greatest gain. If moving all
 * wrong rows has not reduced their number for a while, single rows are moved (Murty 1974), which
 * terminates for a positive definite M.
 *
 * If many rows depend on others (a wall of boxes has twice as many contacts as support it), too
 * many sets of clamped rows are possible and the sets repeat. Such problems are solved by proximal
 * iterations (Rockafellar 1976; Cottle, Pang, Stone 2009, 5.6): z becomes the solution for M +
 * delta D and q - delta D z, where D is the diagonal of M. This problem has a unique solution,
 * found after few guesses. A few proximal iterations remove the effect of delta on w. */
#include "lcp/lcp_job.h"
#include "linear/dense.h"
#include "linear/ldl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* SWEEPS: Gauss-Seidel sweeps for the first guess. PATIENCE: number of guesses without fewer wrong
 * rows before single rows are moved. */
enum { SWEEPS = 6, PATIENCE = 8 };
/* Greatest round-off of w, relative to |q|max, with which a result is accepted. */
#define ROUNDOFF_MAX 1e-8
/* Greatest number of rows for which the first guess comes from principal pivots. It is better than
 * that of sweeps and takes the same time. */
enum { PIVOTED = 32 };
/* Limit of guesses, each a factorisation; then Dantzig's method is used, which terminates for a
 * singular M too and proves infeasibility. */
enum { ROUNDS = 40 };
/* PROXIMAL_FROM: least number of rows for which proximal iterations are tried before Dantzig's
 * method, whose time grows faster and which tests dependent rows accurately only for fewer rows.
 * STEPS: limit of proximal iterations. */
enum { PROXIMAL_FROM = 65, STEPS = 32 };
/* Guesses with dependent rows before the problem counts as singular. */
enum { SINGULAR_ROUNDS = 12 };
/* delta of the proximal iterations (head of this file): its first value; the factor it is
 * multiplied by if an iteration does not reduce the error of w to a fraction PROGRESS; its least
 * value, at which round-off has the size of its effect. */
#define FIRST_DELTA 1e-5
#define NEXT_DELTA 0.1
#define LEAST_DELTA 1e-10
#define PROGRESS 0.1
/* Error of w relative to |q|max that is accepted at once, and that is accepted if there is no
 * further progress. */
#define GOOD 1e-12
#define GOOD_ENOUGH 8e-11

typedef struct block {
  const ct_lcp_job *job;
  size_t n;
  double *z, *w, *x;
  unsigned char *clamped;
  uint32_t *rows, *place;
  ct_ldl factor;
  double roundoff; /* greatest round-off of an entry of w */
} block;

static bool allocate_block(block *b, const ct_lcp_job *job, double *z) {
  size_t n = job->size;
  *b = (block){.job = job, .n = n, .z = z};
  b->w = ct_arena_alloc_doubles(job->arena, 2 * n + CT_LDL_PANEL);
  b->clamped = ct_arena_alloc(job->arena, n, 1);
  b->rows = ct_arena_alloc(job->arena, 2 * n, sizeof *b->rows);
  if (!b->w || !b->clamped || !b->rows) return false;
  b->x = b->w + n;
  b->place = b->rows + n;
  return ct_ldl_make(&b->factor, n, job->arena);
}

/* Makes one Gauss-Seidel sweep: changes z one row at a time, and updates w = M z + q. */
static void sweep_block_rows(block *b) {
  const double *m = b->job->dense;
  for (size_t i = 0; i < b->n; i++) {
    const double *row = m + i * b->n;
    double diagonal = row[i], before = b->z[i];
    if (!(diagonal > 0.0)) continue;
    double after = before - b->w[i] / diagonal;
    after = after > 0.0 ? after : 0.0;
    double change = after - before;
    if (change == 0.0) continue;
    b->z[i] = after;
    size_t low = b->job->low[i];
    ct_dense_add(b->w + low, row + low, change, b->job->high[i] - low);
  }
}

/* A small tableau of M and -q with the sweep operator (Beaton 1964). Swept rows have a negative
 * diagonal entry and their z in `values`; the other rows have their -w there. */
typedef struct tableau {
  size_t n, stride; /* stride: number of rows, rounded up to a multiple of four */
  double values[PIVOTED],
      m[PIVOTED * PIVOTED]; /* lower triangle; entries above the diagonal are unspecified */
} tableau;

/* Returns the row with a negative z or w whose pivot has the greatest gain; t->n if there is
 * none. */
static size_t find_best_pivot(const tableau *t) {
  size_t best = t->n;
  double gain = 0.0, scale = 1.0;
  for (size_t i = 0; i < t->n; i++) {
    double value = t->values[i], diagonal = t->m[i * t->stride + i];
    if (!(value * diagonal > 0.0) || !(value * value * scale > gain * fabs(diagonal))) continue;
    best = i;
    gain = value * value;
    scale = fabs(diagonal);
  }
  return best;
}

/* Applies the sweep operator to row i, or reverses it for a swept row. */
static void sweep_pivot(tableau *t, size_t i) {
  assert(i < t->n && t->n <= PIVOTED);
  double column[PIVOTED], *own = t->m + i * t->stride, inverse = 1.0 / own[i],
                          value = t->values[i] * inverse;
  memcpy(column, own, (i + 1) * sizeof *column);
  for (size_t k = i + 1; k < t->n; k++) column[k] = t->m[k * t->stride + i];
  for (size_t k = t->n; k < t->stride; k++) column[k] = 0.0;
  double signed_inverse = inverse > 0.0 ? inverse : -inverse;
  for (size_t k = 0; k < t->n; k++) {
    double *row = t->m + k * t->stride, times = -column[k] * inverse;
    if (times == 0.0) continue;
    for (size_t j = 0; j <= k; j += 4) ct_dense_add(row + j, column + j, times, 4);
    t->values[k] -= column[k] * value;
  }
  for (size_t j = 0; j < i; j++) own[j] = column[j] * signed_inverse;
  for (size_t k = i + 1; k < t->n; k++) t->m[k * t->stride + i] = column[k] * signed_inverse;
  own[i] = -inverse;
  t->values[i] = inverse > 0.0 ? value : -value;
}

static void guess_by_pivots(block *b) {
  assert(b->n <= PIVOTED);
  tableau t;
  t.n = b->n;
  t.stride = (b->n + 3) / 4 * 4;
  for (size_t i = 0; i < t.n; i++) {
    memcpy(t.m + i * t.stride, b->job->dense + i * t.n, (i + 1) * sizeof *t.m);
    for (size_t j = i + 1; j < i / 4 * 4 + 4; j++) t.m[i * t.stride + j] = 0.0;
    t.values[i] = -b->job->q[i];
  }
  for (size_t k = 0; k < 2 * t.n; k++) {
    size_t i = find_best_pivot(&t);
    if (i == t.n) break;
    sweep_pivot(&t, i);
  }
  for (size_t i = 0; i < t.n; i++) b->clamped[i] = t.m[i * t.stride + i] < 0.0;
}

static void guess_by_sweeps(block *b) {
  memset(b->z, 0, b->n * sizeof *b->z);
  memcpy(b->w, b->job->q, b->n * sizeof *b->w);
  for (int k = 0; k < SWEEPS; k++) sweep_block_rows(b);
  for (size_t i = 0; i < b->n; i++) b->clamped[i] = b->z[i] > 0.0;
}

/* Solves for z of the clamped rows and computes w of all rows. A clamped row that depends on others
 * gets z = 0 and is no longer clamped. */
static void solve_clamped(block *b) {
  const ct_lcp_job *job = b->job;
  uint32_t count = 0;
  for (size_t i = 0; i < b->n; i++) {
    b->place[i] = count;
    if (!b->clamped[i]) continue;
    b->x[count] = -job->q[i];
    b->rows[count++] = (uint32_t)i;
  }
  const ct_ldl_part part = {
      job->dense, b->n, job->low, b->rows, count, b->place, ct_lcp_dependent(job), 0.0};
  ct_ldl_factor(&b->factor, &part);
  for (size_t k = count; k < CT_LDL_PANEL * b->factor.panels; k++) b->x[k] = 0.0;
  ct_ldl_solve(&b->factor, b->x);
  memcpy(b->w, job->q, b->n * sizeof *b->w);
  memset(b->z, 0, b->n * sizeof *b->z);
  for (uint32_t k = 0; k < count; k++) {
    size_t i = b->rows[k];
    const double *row = job->dense + i * b->n;
    size_t low = job->low[i];
    b->z[i] = b->x[k];
    ct_dense_add(b->w + low, row + low, b->x[k], job->high[i] - low);
    if (b->factor.inverse[k] == 0.0) b->clamped[i] = 0;
  }
}

/* Moves all wrong rows (z or w negative beyond round-off) to the other set or, unless `all`, only
 * the last one. Returns the number of wrong rows. */
static size_t exchange_wrong_rows(block *b, bool all) {
  double terms = ct_lcp_terms(b->job, b->z);
  size_t wrong = 0, last = 0;
  b->roundoff = 0.0;
  for (size_t i = 0; i < b->n; i++) {
    double value = b->clamped[i] ? b->z[i] * b->job->roots[i] * b->job->roots[i] : b->w[i];
    double within = ct_lcp_roundoff(b->job, i, terms);
    if (within > b->roundoff) b->roundoff = within;
    if (!(value < -within)) continue;
    wrong++;
    last = i;
    if (all) b->clamped[i] ^= 1;
  }
  if (!all && wrong) b->clamped[last] ^= 1;
  return wrong;
}

/* Improves the set of clamped rows until no row is wrong. ITERATION_LIMIT: not reached. */
static ct_lcp_status run_exchanges(block *b, uint64_t *iterations) {
  size_t fewest = SIZE_MAX;
  int patience = PATIENCE;
  for (int round = 0; round < ROUNDS && *iterations < b->job->iterations_max &&
                      !ct_cancel_raised(b->job->options->cancel);
       round++) {
    ++*iterations;
    solve_clamped(b);
    size_t wrong = exchange_wrong_rows(b, patience > 0);
    if (wrong == 0) return CT_LCP_STATUS_OK;
    if (round >= SINGULAR_ROUNDS && b->factor.dependent > 0 && b->n >= PROXIMAL_FROM) break;
    if (wrong < fewest) {
      fewest = wrong;
      patience = PATIENCE;
    } else if (patience > 0) {
      patience--;
    }
  }
  return CT_LCP_STATUS_ITERATION_LIMIT;
}

/* Returns the greatest error of w at z: |w| for rows with z > 0, -w for the others. */
static double compute_block_residual(const ct_lcp_job *job, const double *z) {
  double most = 0.0;
  for (size_t i = 0; i < job->size; i++) {
    size_t low = job->low[i];
    double w =
        job->q[i] + ct_dense_dot(job->dense + i * job->size + low, z + low, job->high[i] - low);
    double off = z[i] > 0.0 ? fabs(w) : -w;
    if (!(off <= most)) most = off; /* written so that NaN is retained */
  }
  return most;
}

/* Sets up the problem of the next proximal iteration about z: the diagonal of m, and q. */
static void move_proximal_center(const ct_lcp_job *job, double delta, const double *z, double *m,
                                 double *q) {
  for (size_t i = 0; i < job->size; i++) {
    double diagonal = job->dense[i * job->size + i];
    m[i * job->size + i] = diagonal + delta * diagonal;
    q[i] = job->q[i] - delta * diagonal * z[i];
  }
}

static void clamp_to_positive(double *z, size_t n) {
  for (size_t i = 0; i < n; i++) z[i] = z[i] > 0.0 ? z[i] : 0.0;
}

/* Runs proximal iterations and returns the best iterate. The status is OK if it is accurate
 * enough. */
static ct_status run_proximal_points(block *b, ct_lcp_result *result) {
  const ct_lcp_job *job = b->job;
  size_t n = b->n;
  double *m = ct_arena_alloc_doubles(job->arena, n * n),
         *q = ct_arena_alloc_doubles(job->arena, 3 * n), *best = q + n;
  if (!m || !q) return CT_OUT_OF_MEMORY;
  memcpy(m, job->dense, n * n * sizeof *m);
  double *center = best + n;
  memset(best, 0, 2 * n * sizeof *best);
  ct_lcp_job firm = *job;
  firm.dense = m;
  firm.q = q;
  b->job = &firm;
  double delta = FIRST_DELTA, least = INFINITY;
  for (int step = 0; step < STEPS && least > GOOD * job->q_max; step++) {
    move_proximal_center(job, delta, center, m, q);
    if (step == 0) guess_by_sweeps(b);
    if (run_exchanges(b, &result->iterations) != CT_LCP_STATUS_OK) break;
    clamp_to_positive(b->z, n);
    memcpy(center, b->z, n * sizeof *center);
    double off = compute_block_residual(job, b->z);
    bool stalled = !(off <= PROGRESS * least);
    if (off < least) {
      least = off;
      memcpy(best, b->z, n * sizeof *best);
    }
    /* End if a smaller delta gives no progress, or if the error is acceptable and hardly
     * decreases. */
    if (stalled && (least <= GOOD_ENOUGH * job->q_max || (off > least && delta == LEAST_DELTA)))
      break;
    if (stalled) delta = fmax(delta * NEXT_DELTA, LEAST_DELTA);
  }
  b->job = job;
  memcpy(b->z, best, n * sizeof *best);
  result->status =
      least <= GOOD_ENOUGH * job->q_max ? CT_LCP_STATUS_OK : CT_LCP_STATUS_ITERATION_LIMIT;
  return CT_OK;
}

ct_status ct_lcp_block(const ct_lcp_job *job, ct_lcp_result *result) {
  assert(job->dense && job->low && job->high && job->roots);
  block b;
  if (!allocate_block(&b, job, result->z)) return CT_OUT_OF_MEMORY;
  if (b.n <= PIVOTED) guess_by_pivots(&b);
  else guess_by_sweeps(&b);
  result->status = run_exchanges(&b, &result->iterations);
  if (result->status == CT_LCP_STATUS_OK && b.roundoff <= ROUNDOFF_MAX * job->q_max) {
    clamp_to_positive(b.z, b.n);
    return CT_OK;
  }
  if (b.n >= PROXIMAL_FROM) {
    ct_status status = run_proximal_points(&b, result);
    /* AUTO continues with Lemke's method, which takes far fewer pivots for many nearly dependent
     * rows, and itself falls back to Dantzig's method. */
    if (status != CT_OK || result->status == CT_LCP_STATUS_OK ||
        job->options->method == CT_LCP_AUTO)
      return status;
  }
  return ct_lcp_dantzig(job, result);
}
