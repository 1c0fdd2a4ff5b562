/* Block principal pivoting for symmetric positive semidefinite M: guess which rows are clamped (w =
 * 0), solve for their z, exchange all rows that came out negative at once, and again.
 *
 * Judice, Pires 1994. The first guess is from a few sweeps of Gauss and Seidel, of few rows from
 * principal pivots of the whole tableau, each time of the row that gains most. Where exchanging
 * everything has not made fewer rows wrong for a while, one row at a time is exchanged (Murty
 * 1974), which always ends for positive definite M.
 *
 * Where many rows depend on others (a wall of boxes has twice the contacts that hold it) there are
 * too many sets of clamped rows to choose from, and exchanges go round in circles. Such problems
 * are solved by proximal points (Rockafellar 1976; Cottle, Pang, Stone 2009, 5.6): z becomes the
 * solution of M + delta D, q - delta D z, with D the diagonal of M, which has one solution only and
 * is found in a few rounds; a few such steps leave nothing of delta in w.
 */
#include "lcp/lcp_job.h"
#include "linear/dense.h"
#include "linear/ldl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Sweeps before the first guess, and exchanges of everything that may make nothing better. */
enum { SWEEPS = 6, PATIENCE = 8 };
/* Round-off of w as a part of q that is no longer small. */
#define LOST 1e-8
/* Up to so many rows single pivots guess better than sweeps do, and as fast. */
enum { PIVOTED = 32 };
/* Factorisations before Dantzig's method is asked, which ends for singular M too and proves where
 * there is no solution. */
enum { ROUNDS = 40 };
/* From so many rows on proximal points are asked before Dantzig's method, whose time grows faster
 * and which takes a close look only at fewer. */
enum { PROXIMAL_FROM = 65, STEPS = 32 };
/* Rounds with rows that depend on others before they are. */
enum { SINGULAR_ROUNDS = 12 };
/* delta: the first; its part of where a step no longer takes DULL of what is wrong; the least,
 * where its round-off is that part. */
#define FIRST_DELTA 1e-5
#define NEXT_DELTA 0.1
#define LEAST_DELTA 1e-10
#define DULL 0.1
/* Parts of |q|max that w is off by: good at once; good enough where nothing better comes. */
#define GOOD 1e-12
#define GOOD_ENOUGH 8e-11

typedef struct block {
  const ct_lcp_job *job;
  size_t n;
  double *z, *w, *x;
  unsigned char *clamped;
  uint32_t *rows, *place;
  ct_ldl factor;
  double roundoff; /* of w, where it is largest */
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

/* w = M z + q by sweeps that change z one row at a time. */
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

/* Few rows of M and -q, some of them swept (Beaton 1964): of these the diagonal is negative and
 * `values` are z, of others -w. */
typedef struct tableau {
  size_t n, stride; /* a multiple of four */
  double values[PIVOTED],
      m[PIVOTED * PIVOTED]; /* lower half; what is above the diagonal means nothing */
} tableau;

/* The row that is negative by most, seen by what its pivot would gain; n where none is. */
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

/* Sweeps a row, or undoes that. */
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

/* z of the clamped rows and w of all. A row that depends on other clamped ones has z = 0 and is
 * free. */
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

/* Exchanges the rows that are wrong, or the last of them alone; how many there were. */
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

/* Exchanges until no row is wrong. */
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

/* What w is off by at z, the most of it: of rows with z > 0 all, of others what is below 0. */
static double compute_block_residual(const ct_lcp_job *job, const double *z) {
  double most = 0.0;
  for (size_t i = 0; i < job->size; i++) {
    size_t low = job->low[i];
    double w =
        job->q[i] + ct_dense_dot(job->dense + i * job->size + low, z + low, job->high[i] - low);
    double off = z[i] > 0.0 ? fabs(w) : -w;
    if (!(off <= most)) most = off; /* what is not a number stays */
  }
  return most;
}

/* The problem whose solution is the next proximal point: of M the diagonal, of q all of it. */
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

/* Proximal points; status OK where the best of them is good enough. */
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
    bool dull = !(off <= DULL * least);
    if (off < least) {
      least = off;
      memcpy(best, b->z, n * sizeof *best);
    }
    /* What no delta takes further has ended; so has what is good enough and hardly gets better. */
    if (dull && (least <= GOOD_ENOUGH * job->q_max || (off > least && delta == LEAST_DELTA))) break;
    if (dull) delta = fmax(delta * NEXT_DELTA, LEAST_DELTA);
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
  if (result->status == CT_LCP_STATUS_OK && b.roundoff <= LOST * job->q_max) {
    clamp_to_positive(b.z, b.n);
    return CT_OK;
  }
  if (b.n >= PROXIMAL_FROM) {
    ct_status status = run_proximal_points(&b, result);
    /* AUTO goes on with Lemke's method: of so many rows that almost depend on each other it takes
     * far fewer pivots, and asks Dantzig's where it comes to nothing. */
    if (status != CT_OK || result->status == CT_LCP_STATUS_OK ||
        job->options->method == CT_LCP_AUTO)
      return status;
  }
  return ct_lcp_dantzig(job, result);
}
