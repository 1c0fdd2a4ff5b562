/* Dantzig's method for symmetric positive semidefinite M: one row after the other is made right,
 * the rows before it staying right.
 *
 * Baraff 1994; Cottle, Pang, Stone 2009, 4.2. The clamped rows (w = 0) always form a positive
 * definite part of M: a row that depends on them is never clamped but pushed along the null vector
 * that it makes with them, until one of them lets go. Where none does, that vector is >= 0 and
 * proves that there is no solution.
 */
#include "lcp/lcp.h"
#include "linear/cholesky_update.h"
#include "linear/dense.h"
#include "linear/least_norm.h"
#include "linear/matrix.h"
#include "linear/pivoted_cholesky.h"

#include <math.h>
#include <string.h>

/* What is left of a diagonal entry is looked at more closely when it is this part of it or less. */
#define SUSPECT 1e-8
enum { CLOSE_LOOK_MAX = 128 };
/* w of so many times its round-off may be the round-off of z. */
#define ALMOST 1e6
/* Part of the largest entry of a null vector, sizes taken by the diagonal, that is round-off. */
#define NULL_ROUNDOFF 1e-11
/* Rounds over all rows; after the first they mend what round-off left. */
enum { ROUNDS = 6 };
/* Part of the target that rows may be off by without another look. */
#define FAR_BELOW 0.01
/* Corrections of a null vector; each gains what the factor is good for. */
enum { REFINEMENTS = 3 };

/* HELD: free and dependent on the clamped rows, so that its w stays 0 while they are clamped. */
typedef enum place { OUTSIDE, FREE, CLAMPED, HELD } place;

typedef struct dantzig {
  const ct_lcp_job *job;
  size_t n;
  const double *m;
  double *z, *w, *dz, *dw, *solved;
  unsigned char *places;
  ct_factor factor;
  double small; /* part of a diagonal entry that is nothing */
  uint64_t pivots;
} dantzig;

static bool take(dantzig *d, const ct_lcp_job *job, ct_lcp_result *result) {
  size_t n = job->size;
  d->job = job;
  d->n = n;
  d->m = job->dense;
  d->z = result->z;
  d->pivots = result->iterations;
  d->w = ct_arena_alloc_doubles(job->arena, n);
  d->dz = ct_arena_alloc_doubles(job->arena, n);
  d->dw = ct_arena_alloc_doubles(job->arena, n);
  d->solved = ct_arena_alloc_doubles(job->arena, n);
  d->places = ct_arena_alloc(job->arena, n, 1);
  d->small = ct_lcp_dependent(job);
  return d->w && d->dz && d->dw && d->solved && d->places &&
         ct_factor_make(&d->factor, n, job->arena);
}

/* Row i times x, and c, in twice the digits. */
static double exact_row(const dantzig *d, size_t i, const double *x, double c) {
  return ct_dense_row_beside(d->m + i * d->n, x, d->job->low[i], d->job->high[i], c);
}

/* dz = the vector that `solved` makes with row i: 1 there, and on the clamped rows what keeps their
 * w. */
static void spell_out(dantzig *d, size_t i) {
  const ct_factor *f = &d->factor;
  double *x = d->dw;
  memset(d->dz, 0, d->n * sizeof *d->dz);
  memcpy(x, d->solved, f->count * sizeof *x);
  ct_factor_back(f, x);
  for (size_t j = 0; j < f->count; j++) d->dz[f->index[j]] = -x[j];
  d->dz[i] = 1.0;
}

/* dz to the last digits: residuals in twice the digits, corrections by the factor; x [count]
 * scratch. */
static void refine(dantzig *d, double *x) {
  const ct_factor *f = &d->factor;
  for (int k = 0; k < REFINEMENTS; k++) {
    for (size_t j = 0; j < f->count; j++) x[j] = exact_row(d, f->index[j], d->dz, 0.0);
    ct_factor_forward(f, x);
    ct_factor_back(f, x);
    for (size_t j = 0; j < f->count; j++) d->dz[f->index[j]] -= x[j];
  }
}

/* L^-1 of row i's entries among the clamped, in `solved`; what is left on its diagonal, or 0 where
 * that is round-off. Changes dz.
 */
static double reduce(dantzig *d, size_t i) {
  const double *row = d->m + i * d->n;
  const ct_factor *f = &d->factor;
  for (size_t j = 0; j < f->count; j++) d->solved[j] = row[f->index[j]];
  ct_factor_forward(f, d->solved);
  double left = row[i] - ct_dense_dot(d->solved, d->solved, f->count);
  if (!(left < SUSPECT * row[i])) return left;
  /* Of many rows only what might be a pivot is worth the time. */
  if (d->n > CLOSE_LOOK_MAX && !(left > d->small * row[i])) return 0.0;
  spell_out(d, i);
  refine(d, d->dw);
  left = exact_row(d, i, d->dz, 0.0);
  return left > ct_rank_roundoff(ct_lcp_terms(d->job, d->dz)) ? left : 0.0;
}

/* What round-off left in it would limit steps that nothing limits, or far too late. */
static void clean_null_vector(dantzig *d) {
  double most = 0.0;
  for (size_t i = 0; i < d->n; i++) most = fmax(most, d->job->roots[i] * fabs(d->dz[i]));
  for (size_t i = 0; i < d->n; i++)
    if (d->places[i] == CLAMPED && d->job->roots[i] * fabs(d->dz[i]) <= NULL_ROUNDOFF * most)
      d->dz[i] = 0.0;
}

/* How z and w change with z_k while the clamped stay at w = 0. *left: of w_k; 0: then of no w, M
 * being semidefinite. */
static void direction(dantzig *d, size_t k, double *left) {
  *left = reduce(d, k);
  spell_out(d, k);
  if (*left == 0.0) {
    clean_null_vector(d);
    memset(d->dw, 0, d->n * sizeof *d->dw);
    return;
  }
  for (size_t i = 0; i < d->n; i++) {
    if (d->places[i] != FREE) continue;
    size_t low = d->job->low[i];
    d->dw[i] = ct_dense_dot(d->m + i * d->n + low, d->dz + low, d->job->high[i] - low);
  }
}

/* The longest step before something else has to change; *stop is the row that limits it, n where
 * nothing does. */
static double longest_step(const dantzig *d, size_t k, double left, size_t *stop) {
  double step = INFINITY;
  *stop = d->n;
  if (left > 0.0) {
    step = -d->w[k] / left;
    *stop = k;
  }
  double reach = d->m[k * d->n + k];
  for (size_t i = 0; i < d->n; i++) {
    double limit = INFINITY;
    if (d->places[i] == CLAMPED && d->dz[i] < 0.0) limit = fmax(d->z[i], 0.0) / -d->dz[i];
    if (d->places[i] == FREE && d->dw[i] < -d->small * sqrt(d->m[i * d->n + i] * reach))
      limit = fmax(d->w[i], 0.0) / -d->dw[i];
    if (limit < step) {
      step = limit;
      *stop = i;
    }
  }
  return step;
}

static void clamp(dantzig *d, size_t i) {
  double left = reduce(d, i);
  d->places[i] = left > 0.0 ? CLAMPED : HELD;
  if (left > 0.0) ct_factor_append(&d->factor, i, d->solved, left);
  d->w[i] = 0.0;
}

static void let_go(dantzig *d, size_t i) {
  size_t at = 0;
  while (d->factor.index[at] != i) at++;
  ct_factor_remove(&d->factor, at);
  for (size_t j = 0; j < d->n; j++)
    if (d->places[j] == HELD) d->places[j] = FREE;
  d->places[i] = FREE;
  d->z[i] = d->w[i] = 0.0;
}

/* Is w_k, which the direction leaves as it is, beyond what round-off in all the rows makes of it?
 * It is q'dz, the direction being a null vector, whatever the steps that led here have lost. */
static bool beyond_roundoff(const dantzig *d, size_t k) {
  double terms = ct_lcp_terms(d->job, d->z), within = 0.0, value = 0.0, sizes = 0.0;
  for (size_t i = 0; i < d->n; i++) {
    double term = d->job->q[i] * d->dz[i];
    within += fabs(d->dz[i]) * ct_lcp_roundoff(d->job, i, terms);
    value += term;
    sizes += fabs(term);
  }
  return d->w[k] < -within && value < -ct_lcp_proof_roundoff(d->n) * sizes;
}

/* z_k grows until w_k is 0. */
static ct_lcp_status drive(dantzig *d, size_t k) {
  for (;;) {
    if (d->pivots >= d->job->iterations_max || ct_cancel_raised(d->job->options->cancel))
      return CT_LCP_STATUS_ITERATION_LIMIT;
    d->pivots++;
    double left;
    size_t stop;
    direction(d, k, &left);
    double step = longest_step(d, k, left, &stop);
    if (stop == d->n) {
      if (beyond_roundoff(d, k)) return CT_LCP_STATUS_INFEASIBLE;
      d->places[k] = HELD;
      return CT_LCP_STATUS_OK;
    }
    for (size_t i = 0; i < d->n; i++) {
      d->z[i] += step * d->dz[i];
      if (d->places[i] == FREE) d->w[i] += step * d->dw[i];
    }
    d->w[k] += step * left;
    if (stop == k) {
      clamp(d, k);
      return CT_LCP_STATUS_OK;
    }
    if (d->places[stop] == CLAMPED) let_go(d, stop);
    else clamp(d, stop);
  }
}

static double row_value(const dantzig *d, size_t i) {
  size_t low = d->job->low[i];
  return d->job->q[i] + ct_dense_dot(d->m + i * d->n + low, d->z + low, d->job->high[i] - low);
}

/* z of the clamped rows to the last digits, as `refine` does it. */
static void polish(dantzig *d) {
  const ct_factor *f = &d->factor;
  double *x = d->solved;
  for (int k = 0; k < REFINEMENTS; k++) {
    for (size_t j = 0; j < f->count; j++)
      x[j] = exact_row(d, f->index[j], d->z, d->job->q[f->index[j]]);
    ct_factor_forward(f, x);
    ct_factor_back(f, x);
    for (size_t j = 0; j < f->count; j++) d->z[f->index[j]] -= x[j];
  }
}

/* Is row k not right yet? Sets its w; what is almost 0 is looked at closely, for it decides whether
 * there is a solution. */
static bool wrong(dantzig *d, size_t k) {
  double terms = ct_lcp_terms(d->job, d->z), roundoff = ct_lcp_roundoff(d->job, k, terms);
  d->w[k] = row_value(d, k);
  if (d->n <= CLOSE_LOOK_MAX && fabs(d->w[k]) < ALMOST * roundoff) {
    polish(d);
    d->w[k] = exact_row(d, k, d->z, d->job->q[k]);
  }
  return d->w[k] < -roundoff;
}

/* M x + c of row i, which the clamped rows' x ought to make 0: for dz that is every row, for z the
 * clamped ones and those held. */
static double off_by(const dantzig *d, const double *x, bool null, size_t i) {
  if (!null && d->places[i] != CLAMPED && d->places[i] != HELD) return 0.0;
  return exact_row(d, i, x, null ? 0.0 : d->job->q[i]);
}

/* What clamped rows that almost depend on each other leave of the other rows, where they themselves
 * are right to the last digit: up to the root of round-off. Least squares over all of them, each in
 * units of its diagonal's root. */
static ct_status straighten(dantzig *d, double *x, bool null) {
  const ct_factor *f = &d->factor;
  const double *roots = d->job->roots;
  size_t n = d->n, count = f->count;
  double *matrix = ct_arena_alloc_doubles(d->job->arena, n * count + 1),
         *right = ct_arena_alloc_doubles(d->job->arena, n + count);
  if (!matrix || !right) return CT_OUT_OF_MEMORY;
  double *change = right + n;
  for (size_t i = 0; i < n; i++) {
    bool counts = roots[i] > 0.0 && (null || d->places[i] == CLAMPED || d->places[i] == HELD);
    double scale = counts ? 1.0 / roots[i] : 0.0;
    right[i] = -scale * off_by(d, x, null, i);
    for (size_t j = 0; j < count; j++)
      matrix[j * n + i] = scale * d->m[i * n + f->index[j]] / roots[f->index[j]];
  }
  const ct_equations equations = {n, count, matrix, right};
  if (!ct_least_norm(&equations, change, NULL, d->job->arena)) return CT_OUT_OF_MEMORY;
  for (size_t j = 0; j < count; j++) x[f->index[j]] += change[j] / roots[f->index[j]];
  return CT_OK;
}

/* Is w of a row that is held no longer 0? */
static bool held_rows_are_off(const dantzig *d) {
  for (size_t i = 0; i < d->n; i++)
    if (d->places[i] == HELD && fabs(off_by(d, d->z, false, i)) > FAR_BELOW * d->job->target)
      return true;
  return false;
}

/* All rows once; *changed: was any wrong? */
static ct_lcp_status go_round(dantzig *d, bool first, bool *changed) {
  for (size_t k = 0; k < d->n; k++) {
    if (d->places[k] == CLAMPED || (d->places[k] == HELD && first)) continue;
    if (wrong(d, k)) {
      d->places[k] = OUTSIDE;
      *changed = true;
      ct_lcp_status status = drive(d, k);
      if (status != CT_LCP_STATUS_OK) return status;
    } else if (d->places[k] != HELD) {
      d->places[k] = FREE;
    }
  }
  return CT_LCP_STATUS_OK;
}

/* z to the last digits, of the held rows' w too; then lets go of clamped rows that this shows to be
 * below 0 beyond round-off. *dropped: were there any? */
static ct_status look_again(dantzig *d, bool *dropped) {
  *dropped = false;
  if (d->n <= CLOSE_LOOK_MAX) polish(d);
  ct_status status = held_rows_are_off(d) ? straighten(d, d->z, false) : CT_OK;
  double terms = ct_lcp_terms(d->job, d->z);
  for (size_t i = 0; i < d->n && d->n <= CLOSE_LOOK_MAX; i++) {
    double root = d->job->roots[i];
    if (d->places[i] != CLAMPED || !(root * root * d->z[i] < -ct_lcp_roundoff(d->job, i, terms)))
      continue;
    let_go(d, i);
    *dropped = true;
  }
  return status;
}

/* A vector that proves that there is no solution, to the last digits. */
static ct_status finish_proof(dantzig *d) {
  refine(d, d->solved);
  ct_status status = straighten(d, d->dz, true);
  clean_null_vector(d);
  return status;
}

ct_status ct_lcp_dantzig(const ct_lcp_job *job, ct_lcp_result *result) {
  dantzig d;
  if (!take(&d, job, result)) return CT_OUT_OF_MEMORY;
  memset(d.z, 0, d.n * sizeof *d.z);
  memset(d.places, OUTSIDE, d.n);
  ct_lcp_status found = CT_LCP_STATUS_OK;
  ct_status status = CT_OK;
  bool changed = true, dropped = false;
  for (int round = 0;
       round < ROUNDS && status == CT_OK && found == CT_LCP_STATUS_OK && (changed || dropped);
       round++) {
    changed = false;
    found = go_round(&d, round == 0, &changed);
    if (found == CT_LCP_STATUS_OK) status = look_again(&d, &dropped);
  }
  if (found == CT_LCP_STATUS_INFEASIBLE) status = finish_proof(&d);
  if (status != CT_OK) return status;
  /* Round-off below 0 was let stand: the other rows count on it. */
  for (size_t i = 0; i < d.n; i++) d.z[i] = fmax(d.z[i], 0.0);
  result->status = found;
  result->iterations = d.pivots;
  if (found == CT_LCP_STATUS_INFEASIBLE)
    for (size_t i = 0; i < d.n; i++) result->certificate[i] = fmax(d.dz[i], 0.0);
  return ct_cancel_raised(job->options->cancel) ? CT_CANCELLED : CT_OK;
}
