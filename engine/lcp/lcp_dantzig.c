/* Dantzig's method for a symmetric positive semidefinite M: corrects one row after the other while
 * the rows before it stay correct. Baraff 1994; Cottle, Pang, Stone 2009, 4.2.
 *
 * The clamped rows (w = 0) always form a positive definite submatrix of M. Rows are added to and
 * removed from its Cholesky factor (Gill, Golub, Murray, Saunders 1974). A row that depends on the
 * clamped rows is never clamped: its z is increased along the null vector that it forms with them,
 * until one of them becomes free. If none does, the null vector is >= 0 and proves
 * infeasibility. */
#include "lcp/lcp_job.h"
#include "linear/dense.h"
#include "linear/least_norm.h"
#include "linear/matrix.h"
#include "linear/pivoted_cholesky.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- updated Cholesky factor ----------------------------------------------------------------- */

typedef struct row_factor {
  double *rows;  /* rows of the factor L, `stride` apart; diagonal entries are stored inverted */
  size_t *index; /* [count] row of M that each row of the factor belongs to */
  double *turns; /* [2 capacity] scratch: cosines and sines of the rotations of a removal */
  size_t stride, capacity, count;
} row_factor;

/* Allocates a factor for up to `capacity` rows. False: out of memory. */
static bool make_row_factor(row_factor *f, size_t capacity, ct_arena *arena) {
  f->capacity = capacity;
  f->stride = capacity;
  f->count = 0;
  f->rows = ct_arena_alloc_doubles(arena, capacity * capacity);
  f->index = ct_arena_alloc(arena, capacity, sizeof *f->index);
  f->turns = ct_arena_alloc_doubles(arena, 2 * capacity);
  return f->rows && f->index && f->turns;
}

/* Computes x = L^-1 x, in place; x is in the order of `index`. */
static void solve_forward(const row_factor *f, double *x) {
  for (size_t i = 0; i < f->count; i++) {
    const double *row = f->rows + i * f->stride;
    x[i] = (x[i] - ct_dense_dot(row, x, i)) * row[i];
  }
}

/* Computes x = L'^-1 x, in place; x is in the order of `index`. */
static void solve_backward(const row_factor *f, double *x) {
  for (size_t i = f->count; i-- > 0;) {
    const double *row = f->rows + i * f->stride;
    x[i] *= row[i];
    ct_dense_add(x, row, -x[i], i);
  }
}

/* Appends row i of M to the factor. y is L^-1 times its entries in the columns of `index`; `pivot`
 * > 0 is the rest of its diagonal entry. */
static void append_factor_row(row_factor *f, size_t i, const double *y, double pivot) {
  assert(f->count < f->capacity);
  double *row = f->rows + f->count * f->stride;
  memcpy(row, y, f->count * sizeof *row);
  row[f->count] = 1.0 / sqrt(pivot);
  f->index[f->count++] = i;
}

/* Removes the row at position `place` of the factor; later rows move up. The cost is the square of
 * their number. */
static void remove_factor_row(row_factor *f, size_t place) {
  assert(place < f->count);
  size_t last = --f->count;
  memmove(f->index + place, f->index + place + 1, (last - place) * sizeof *f->index);
  /* Each later row now has one entry to the right of the diagonal. Rotations of neighbouring
   * columns make it 0. */
  double *cosines = f->turns, *sines = f->turns + f->capacity;
  for (size_t i = place; i < last; i++) {
    double *row = f->rows + i * f->stride, *from = row + f->stride;
    memcpy(row, from, (i + 1) * sizeof *row);
    double carried = row[place];
    for (size_t k = place; k < i; k++) {
      double next = from[k + 1];
      row[k] = cosines[k] * carried + sines[k] * next;
      carried = cosines[k] * next - sines[k] * carried;
    }
    double diagonal = 1.0 / from[i + 1], length = sqrt(carried * carried + diagonal * diagonal);
    cosines[i] = carried / length;
    sines[i] = diagonal / length;
    row[i] = 1.0 / length;
  }
}

/* ---- Dantzig's method ------------------------------------------------------------------------ */

/* A pivot below this fraction of its diagonal entry is recomputed accurately, for up to
 * ACCURATE_ROWS_MAX rows. */
#define SMALL_PIVOT 1e-8
enum { ACCURATE_ROWS_MAX = 128 };
/* An entry of w below this many times its round-off may be caused by the round-off of z. */
#define ALMOST 1e6
/* Entries of a null vector up to this fraction of the greatest are round-off; each is multiplied by
 * the square root of its diagonal entry. */
#define NULL_ROUNDOFF 1e-11
/* Limit of passes over all rows; the second and later ones correct the effects of round-off. */
enum { ROUNDS = 6 };
/* Dependent rows whose w is off by up to this fraction of the target need no refinement. */
#define FAR_BELOW 0.01
/* Refinement steps of a null vector; each gains as many digits as the factor is accurate to. */
enum { REFINEMENTS = 3 };

/* Sets of rows. OUTSIDE: not yet processed. FREE: z = 0. CLAMPED: w = 0. DEPENDENT: free, and
 * dependent on the clamped rows, so that its w stays 0 while they are clamped. */
typedef enum place { OUTSIDE, FREE, CLAMPED, DEPENDENT } place;

typedef struct dantzig {
  const ct_lcp_job *job;
  size_t n;
  const double *m;
  double *z, *w, *dz, *dw, *solved;
  unsigned char *places;
  row_factor factor;
  double small; /* pivots up to this fraction of the diagonal entry are zero */
  uint64_t pivots;
} dantzig;

static bool allocate_dantzig(dantzig *d, const ct_lcp_job *job, ct_lcp_result *result) {
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
         make_row_factor(&d->factor, n, job->arena);
}

/* Returns row i of M times x, plus c, in double-doubles. */
static double exact_row_product(const dantzig *d, size_t i, const double *x, double c) {
  return ct_dense_row_beside(d->m + i * d->n, x, d->job->low[i], d->job->high[i], c);
}

/* Sets dz to the vector with 1 in row i, and in the clamped rows the values for which w of these
 * rows does not change. It is a null vector if row i depends on them. `solved` must be set by
 * reduce_row. */
static void build_null_vector(dantzig *d, size_t i) {
  const row_factor *f = &d->factor;
  double *x = d->dw;
  memset(d->dz, 0, d->n * sizeof *d->dz);
  memcpy(x, d->solved, f->count * sizeof *x);
  solve_backward(f, x);
  for (size_t j = 0; j < f->count; j++) d->dz[f->index[j]] = -x[j];
  d->dz[i] = 1.0;
}

/* Refines dz in the clamped rows with residuals in double-doubles; x [count] is scratch. */
static void refine_null_vector(dantzig *d, double *x) {
  const row_factor *f = &d->factor;
  for (int k = 0; k < REFINEMENTS; k++) {
    for (size_t j = 0; j < f->count; j++) x[j] = exact_row_product(d, f->index[j], d->dz, 0.0);
    solve_forward(f, x);
    solve_backward(f, x);
    for (size_t j = 0; j < f->count; j++) d->dz[f->index[j]] -= x[j];
  }
}

/* Sets `solved` to L^-1 times row i's entries in the clamped columns. Returns the pivot of row i,
 * or 0 if the pivot is round-off. May change dz and dw. */
static double reduce_row(dantzig *d, size_t i) {
  const double *row = d->m + i * d->n;
  const row_factor *f = &d->factor;
  for (size_t j = 0; j < f->count; j++) d->solved[j] = row[f->index[j]];
  solve_forward(f, d->solved);
  double left = row[i] - ct_dense_dot(d->solved, d->solved, f->count);
  if (!(left < SMALL_PIVOT * row[i])) return left;
  /* For many rows, pivots are not recomputed: those up to round-off are 0. */
  if (d->n > ACCURATE_ROWS_MAX && !(left > d->small * row[i])) return 0.0;
  build_null_vector(d, i);
  refine_null_vector(d, d->dw);
  left = exact_row_product(d, i, d->dz, 0.0);
  return left > ct_rank_roundoff(ct_lcp_terms(d->job, d->dz)) ? left : 0.0;
}

/* Sets entries of dz that are round-off to zero. They would limit steps that no row limits, or
 * limit them too late. */
static void clean_null_vector(dantzig *d) {
  double most = 0.0;
  for (size_t i = 0; i < d->n; i++) most = fmax(most, d->job->roots[i] * fabs(d->dz[i]));
  for (size_t i = 0; i < d->n; i++)
    if (d->places[i] == CLAMPED && d->job->roots[i] * fabs(d->dz[i]) <= NULL_ROUNDOFF * most)
      d->dz[i] = 0.0;
}

/* Computes dz and dw, the changes of z and w per unit of z_k, while clamped rows keep w = 0. *left
 * is the change of w_k. If it is 0, no w changes, as M is semidefinite. */
static void find_direction(dantzig *d, size_t k, double *left) {
  *left = reduce_row(d, k);
  build_null_vector(d, k);
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

/* Returns the longest step along dz before a row must be clamped or freed. *stop is that row; d->n
 * if there is none. */
static double find_blocking_step(const dantzig *d, size_t k, double left, size_t *stop) {
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

static void clamp_row(dantzig *d, size_t i) {
  assert(d->places[i] != CLAMPED);
  double left = reduce_row(d, i);
  d->places[i] = left > 0.0 ? CLAMPED : DEPENDENT;
  if (left > 0.0) append_factor_row(&d->factor, i, d->solved, left);
  d->w[i] = 0.0;
}

static void release_row(dantzig *d, size_t i) {
  assert(d->places[i] == CLAMPED);
  size_t at = 0;
  while (d->factor.index[at] != i) at++;
  assert(at < d->factor.count);
  remove_factor_row(&d->factor, at);
  for (size_t j = 0; j < d->n; j++)
    if (d->places[j] == DEPENDENT) d->places[j] = FREE;
  d->places[i] = FREE;
  d->z[i] = d->w[i] = 0.0;
}

/* True if w_k, which is constant along the null vector dz, is negative beyond the round-off of all
 * rows. Then w_k also equals q'dz, which does not contain the errors of earlier steps; both must be
 * negative. */
static bool is_beyond_roundoff(const dantzig *d, size_t k) {
  double terms = ct_lcp_terms(d->job, d->z), within = 0.0, value = 0.0, sizes = 0.0;
  for (size_t i = 0; i < d->n; i++) {
    double term = d->job->q[i] * d->dz[i];
    within += fabs(d->dz[i]) * ct_lcp_roundoff(d->job, i, terms);
    value += term;
    sizes += fabs(term);
  }
  return d->w[k] < -within && value < -ct_lcp_proof_roundoff(d->n) * sizes;
}

/* Increases z_k until w_k is 0, or until infeasibility is proven. */
static ct_lcp_status drive_row(dantzig *d, size_t k) {
  assert(d->places[k] == OUTSIDE);
  for (;;) {
    if (d->pivots >= d->job->iterations_max || ct_cancel_raised(d->job->options->cancel))
      return CT_LCP_STATUS_ITERATION_LIMIT;
    d->pivots++;
    /* Compute the direction and the step. */
    double left;
    size_t stop;
    find_direction(d, k, &left);
    double step = find_blocking_step(d, k, left, &stop);
    /* A step without a limit proves infeasibility, unless w_k is round-off. */
    if (stop == d->n) {
      if (is_beyond_roundoff(d, k)) return CT_LCP_STATUS_INFEASIBLE;
      d->places[k] = DEPENDENT;
      return CT_LCP_STATUS_OK;
    }
    /* Make the step; clamp or free the row that limits it. */
    for (size_t i = 0; i < d->n; i++) {
      d->z[i] += step * d->dz[i];
      if (d->places[i] == FREE) d->w[i] += step * d->dw[i];
    }
    d->w[k] += step * left;
    if (stop == k) {
      clamp_row(d, k);
      return CT_LCP_STATUS_OK;
    }
    if (d->places[stop] == CLAMPED) release_row(d, stop);
    else clamp_row(d, stop);
  }
}

static double compute_row_w(const dantzig *d, size_t i) {
  size_t low = d->job->low[i];
  return d->job->q[i] + ct_dense_dot(d->m + i * d->n + low, d->z + low, d->job->high[i] - low);
}

/* Refines z of the clamped rows with residuals in double-doubles. */
static void polish_clamped(dantzig *d) {
  const row_factor *f = &d->factor;
  double *x = d->solved;
  for (int k = 0; k < REFINEMENTS; k++) {
    for (size_t j = 0; j < f->count; j++)
      x[j] = exact_row_product(d, f->index[j], d->z, d->job->q[f->index[j]]);
    solve_forward(f, x);
    solve_backward(f, x);
    for (size_t j = 0; j < f->count; j++) d->z[f->index[j]] -= x[j];
  }
}

/* Computes w_k and returns true if it is negative beyond round-off. A value near 0 is computed
 * accurately, since it decides whether the problem is feasible. */
static bool is_row_wrong(dantzig *d, size_t k) {
  double terms = ct_lcp_terms(d->job, d->z), roundoff = ct_lcp_roundoff(d->job, k, terms);
  d->w[k] = compute_row_w(d, k);
  if (d->n <= ACCURATE_ROWS_MAX && fabs(d->w[k]) < ALMOST * roundoff) {
    polish_clamped(d);
    d->w[k] = exact_row_product(d, k, d->z, d->job->q[k]);
  }
  return d->w[k] < -roundoff;
}

/* Returns row i of M x (x = dz, `null`) or of M x + q (x = z), which should be 0: for dz in every
 * row, for z in the clamped and dependent ones. 0 for the other rows. */
static double compute_row_defect(const dantzig *d, const double *x, bool null, size_t i) {
  if (!null && d->places[i] != CLAMPED && d->places[i] != DEPENDENT) return 0.0;
  return exact_row_product(d, i, x, null ? 0.0 : d->job->q[i]);
}

/* Corrects x (dz if `null`, else z) in the clamped rows so that all rows which should be 0 are
 * satisfied in the least-squares sense, each scaled by the square root of its diagonal entry. With
 * nearly dependent clamped rows, these may be exact while the other rows have errors up to the
 * square root of round-off. */
static ct_status solve_least_squares(dantzig *d, double *x, bool null) {
  const row_factor *f = &d->factor;
  const double *roots = d->job->roots;
  size_t n = d->n, count = f->count;
  double *matrix = ct_arena_alloc_doubles(d->job->arena, n * count + 1),
         *right = ct_arena_alloc_doubles(d->job->arena, n + count);
  if (!matrix || !right) return CT_OUT_OF_MEMORY;
  double *change = right + n;
  for (size_t i = 0; i < n; i++) {
    bool counts = roots[i] > 0.0 && (null || d->places[i] == CLAMPED || d->places[i] == DEPENDENT);
    double scale = counts ? 1.0 / roots[i] : 0.0;
    right[i] = -scale * compute_row_defect(d, x, null, i);
    for (size_t j = 0; j < count; j++)
      matrix[j * n + i] = scale * d->m[i * n + f->index[j]] / roots[f->index[j]];
  }
  const ct_equations equations = {n, count, matrix, right};
  if (!ct_least_norm(&equations, change, NULL, d->job->arena)) return CT_OUT_OF_MEMORY;
  for (size_t j = 0; j < count; j++) x[f->index[j]] += change[j] / roots[f->index[j]];
  return CT_OK;
}

/* True if w of a dependent row has moved away from 0. */
static bool are_dependent_rows_off(const dantzig *d) {
  for (size_t i = 0; i < d->n; i++)
    if (d->places[i] == DEPENDENT &&
        fabs(compute_row_defect(d, d->z, false, i)) > FAR_BELOW * d->job->target)
      return true;
  return false;
}

/* Processes all rows once; `first`: in the first pass, rows found dependent are skipped. Sets
 * *changed if a row was wrong. */
static ct_lcp_status correct_rows(dantzig *d, bool first, bool *changed) {
  for (size_t k = 0; k < d->n; k++) {
    if (d->places[k] == CLAMPED || (d->places[k] == DEPENDENT && first)) continue;
    if (is_row_wrong(d, k)) {
      d->places[k] = OUTSIDE;
      *changed = true;
      ct_lcp_status status = drive_row(d, k);
      if (status != CT_LCP_STATUS_OK) return status;
    } else if (d->places[k] != DEPENDENT) {
      d->places[k] = FREE;
    }
  }
  return CT_LCP_STATUS_OK;
}

/* Refines z, so that w of the dependent rows is 0 too, and then frees clamped rows whose z is
 * negative beyond round-off. *dropped: a row was freed. */
static ct_status recheck_clamped(dantzig *d, bool *dropped) {
  *dropped = false;
  if (d->n <= ACCURATE_ROWS_MAX) polish_clamped(d);
  ct_status status = are_dependent_rows_off(d) ? solve_least_squares(d, d->z, false) : CT_OK;
  double terms = ct_lcp_terms(d->job, d->z);
  for (size_t i = 0; i < d->n && d->n <= ACCURATE_ROWS_MAX; i++) {
    double root = d->job->roots[i];
    if (d->places[i] != CLAMPED || !(root * root * d->z[i] < -ct_lcp_roundoff(d->job, i, terms)))
      continue;
    release_row(d, i);
    *dropped = true;
  }
  return status;
}

/* Refines dz, the vector that proves infeasibility. */
static ct_status finish_proof(dantzig *d) {
  refine_null_vector(d, d->solved);
  ct_status status = solve_least_squares(d, d->dz, true);
  clean_null_vector(d);
  return status;
}

ct_status ct_lcp_dantzig(const ct_lcp_job *job, ct_lcp_result *result) {
  assert(job->dense && job->roots && result->certificate);
  dantzig d;
  if (!allocate_dantzig(&d, job, result)) return CT_OUT_OF_MEMORY;
  memset(d.z, 0, d.n * sizeof *d.z);
  memset(d.places, OUTSIDE, d.n);
  ct_lcp_status found = CT_LCP_STATUS_OK;
  ct_status status = CT_OK;
  bool changed = true, dropped = false;
  for (int round = 0;
       round < ROUNDS && status == CT_OK && found == CT_LCP_STATUS_OK && (changed || dropped);
       round++) {
    changed = false;
    found = correct_rows(&d, round == 0, &changed);
    if (found == CT_LCP_STATUS_OK) status = recheck_clamped(&d, &dropped);
  }
  if (found == CT_LCP_STATUS_INFEASIBLE) status = finish_proof(&d);
  if (status != CT_OK) return status;
  /* Negative round-off of z was retained until here, as w of other rows includes it. */
  for (size_t i = 0; i < d.n; i++) d.z[i] = fmax(d.z[i], 0.0);
  result->status = found;
  result->iterations = d.pivots;
  if (found == CT_LCP_STATUS_INFEASIBLE)
    for (size_t i = 0; i < d.n; i++) result->certificate[i] = fmax(d.dz[i], 0.0);
  return ct_cancel_raised(job->options->cancel) ? CT_CANCELLED : CT_OK;
}
