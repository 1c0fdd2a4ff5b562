/* Lemke's method for any M: begins with a basis that z0 makes feasible, and follows almost
 * complementary bases until z0 leaves the basis (a solution) or no variable limits a step (a ray).
 * Lemke 1965; Cottle, Pang, Stone 2009, algorithm 4.4.1 with the lexicographic rule of section 4.9.
 *
 * A path is followed in doubles. The solution of its last basis is computed from M and q themselves
 * by LU with partial pivoting and iterative refinement (Higham 2002, chapter 12). A path that ends
 * without a solution is repeated in double-doubles, then with other covering vectors d. For
 * matrices that are not copositive-plus, other covering vectors may lead to another end, and where
 * the first path is exponentially long (Murty, Fathi), the others seldom are. For a symmetric M,
 * Dantzig's method is tried before the other covering vectors. A ray is reported as infeasible only
 * with a proof (lcp_farkas.c). */
#include "base/double_double.h"
#include "lcp/lcp_farkas.h"
#include "lcp/lcp_tableau.h"
#include "linear/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- solution of a basis --------------------------------------------------------------------- */

/* Limit of refinement steps. Refinement also ends when a step reduces the residual by less than a
 * factor of two. */
#define REFINEMENTS_MAX 30
/* Pivots up to this fraction of the greatest entry of their row are zero: refinement would not
 * converge. */
#define SINGULAR 1e-15

typedef struct basis {
  size_t size;
  uint32_t *index;     /* [size] rows of the problem in the basis, ascending */
  uint32_t *order;     /* [size] rows of `factors` in the order of pivots */
  double *factors;     /* [size size] matrix of the basis, then its LU factors; rows are not
                          moved */
  double *scale;       /* [size] greatest |entry| of each row of the matrix */
  double *high, *low;  /* [size] solution: high and low doubles */
  double *rest, *step; /* [size] residual; correction */
} basis;

static bool gather_basis(basis *b, const ct_lcp_job *job, const bool *in) {
  size_t n = job->size, k = 0;
  for (size_t i = 0; i < n; i++) k += in[i];
  *b = (basis){.size = k};
  b->index = ct_arena_alloc(job->arena, 2 * k + 1, sizeof *b->index);
  b->factors = ct_arena_alloc_doubles(job->arena, k * k + 5 * k + 1);
  if (!b->index || !b->factors) return false;
  b->order = b->index + k;
  b->scale = b->factors + k * k;
  b->high = b->scale + k;
  b->low = b->high + k;
  b->rest = b->low + k;
  b->step = b->rest + k;
  for (size_t i = 0, at = 0; i < n; i++)
    if (in[i]) b->index[at++] = (uint32_t)i;
  for (size_t i = 0; i < k; i++) {
    const double *row = job->dense + b->index[i] * n;
    double greatest = 0.0;
    for (size_t j = 0; j < k; j++) {
      b->factors[i * k + j] = row[b->index[j]];
      greatest = fmax(greatest, fabs(row[b->index[j]]));
    }
    b->order[i] = (uint32_t)i;
    b->scale[i] = greatest;
    b->high[i] = b->low[i] = 0.0;
  }
  return true;
}

/* Factors the matrix by LU with scaled partial pivoting. Rows are not moved; `order` lists them by
 * pivot. False: singular, or cancelled. */
static bool factor_basis(basis *b, const ct_cancel *cancel) {
  size_t n = b->size;
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    double greatest = 0.0;
    for (size_t i = k; i < n; i++) {
      double size = fabs(b->factors[b->order[i] * n + k]) / b->scale[b->order[i]];
      if (size > greatest) {
        greatest = size;
        best = i;
      }
    }
    if (!(greatest > SINGULAR) || ct_cancel_raised(cancel)) return false;
    uint32_t pivot = b->order[best];
    b->order[best] = b->order[k];
    b->order[k] = pivot;
    const double *top = b->factors + pivot * n;
    for (size_t i = k + 1; i < n; i++) {
      double *row = b->factors + b->order[i] * n;
      if (row[k] == 0.0) continue;
      row[k] /= top[k];
      ct_dense_add(row + k + 1, top + k + 1, -row[k], n - k - 1);
    }
  }
  return true;
}

/* Computes step = A^-1 rest from the factors of the basis' matrix A. */
static void substitute_basis(const basis *b) {
  size_t n = b->size;
  for (size_t i = 0; i < n; i++) {
    const double *row = b->factors + b->order[i] * n;
    b->step[i] = b->rest[b->order[i]] - ct_dense_dot(row, b->step, i);
  }
  for (size_t i = n; i-- > 0;) {
    const double *row = b->factors + b->order[i] * n;
    b->step[i] = (b->step[i] - ct_dense_dot(row + i + 1, b->step + i + 1, n - i - 1)) / row[i];
  }
}

/* Computes rest = -q - M z in the rows of the basis, in double-doubles. Returns the greatest
 * |rest|, relative to the greatest entry of its row. */
static double compute_basis_rest(const basis *b, const ct_lcp_job *job) {
  double greatest = 0.0;
  for (size_t i = 0; i < b->size; i++) {
    const double *row = job->dense + b->index[i] * job->size;
    ct_dd sum = ct_dd_of(-job->q[b->index[i]]);
    for (size_t j = 0; j < b->size; j++)
      sum = ct_dd_add(sum, ct_dd_mul(ct_dd_of(-row[b->index[j]]), (ct_dd){b->high[j], b->low[j]}));
    b->rest[i] = ct_dd_value(sum);
    greatest = fmax(greatest, fabs(b->rest[i]) / b->scale[i]);
  }
  return greatest;
}

/* Solves (M z + q)_i = 0 for the rows with in[i], with z_i = 0 for the others, by LU factorisation
 * in doubles and residuals in double-doubles. Entries may be negative. *solved is false if the
 * matrix is singular to working precision; z is then unchanged. Returns CT_OUT_OF_MEMORY,
 * CT_CANCELLED. */
static ct_status solve_lemke_basis(const ct_lcp_job *job, const bool *in, double *z, bool *solved) {
  basis b;
  *solved = false;
  if (!gather_basis(&b, job, in)) return CT_OUT_OF_MEMORY;
  if (!factor_basis(&b, job->options->cancel))
    return ct_cancel_raised(job->options->cancel) ? CT_CANCELLED : CT_OK;
  double before = HUGE_VAL;
  for (int k = 0; k < REFINEMENTS_MAX; k++) {
    double size = compute_basis_rest(&b, job);
    if (!(size < 0.5 * before) || size == 0.0) break;
    before = size;
    substitute_basis(&b);
    for (size_t i = 0; i < b.size; i++) {
      ct_dd sum = ct_dd_add((ct_dd){b.high[i], b.low[i]}, ct_dd_of(b.step[i]));
      b.high[i] = sum.high;
      b.low[i] = sum.low;
    }
  }
  memset(z, 0, job->size * sizeof *z);
  for (size_t i = 0; i < b.size; i++) z[b.index[i]] = b.high[i];
  *solved = true;
  return CT_OK;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Number of covering vectors d that are tried; the first is all 1. */
#define COVERS 5
/* A path has at most PATH_LEAST + PATH_PER_ROW * n pivots. Nearly all paths have fewer than 3 n. */
#define PATH_PER_ROW 50
#define PATH_LEAST 5000
/* The fractional parts of its multiples are evenly distributed in [0, 1). */
#define GOLDEN_RATIO 0.61803398874989485

typedef enum path_end { PATH_SOLVED, PATH_RAY, PATH_LIMIT } path_end;

typedef struct lemke {
  const ct_lcp_job *job;
  ct_lcp_result *result;
  double *cover; /* [n] covering vector d */
  double *z;     /* [n] solution at the end of a path */
  bool *in;      /* [n] z_j is in the basis at the end of the path */
  double best;   /* residual of result->z */
} lemke;

static bool is_lemke_cancelled(const lemke *l) { return ct_cancel_raised(l->job->options->cancel); }

/* Follows a path from the full dictionary to its end; counts pivots in result->iterations. */
static path_end follow_path(const lemke *l, ct_tableau *t) {
  size_t n = t->size, column = n, row = ct_tableau_first(t);
  if (row == n) return PATH_SOLVED;
  uint64_t *pivots = &l->result->iterations, limit = PATH_LEAST + PATH_PER_ROW * (uint64_t)n;
  if (limit > l->job->iterations_max - *pivots) limit = l->job->iterations_max - *pivots;
  ct_tableau_pivot(t, row, column);
  for (uint64_t k = 0;; k++, ++*pivots) {
    uint32_t left = t->column[column], z0 = ct_tableau_z0(t);
    /* If z0 is in the basis with the value 0, it could have left the basis as well. */
    if (left == z0 || t->high[t->place[z0] * t->stride + ct_tableau_constants(t)] == 0.0)
      return PATH_SOLVED;
    column = ct_tableau_column(t, left < n ? left + (uint32_t)n : left - (uint32_t)n);
    row = ct_tableau_leaving(t, column);
    if (row == n) return PATH_RAY;
    if (k == limit || is_lemke_cancelled(l)) return PATH_LIMIT;
    ct_tableau_pivot(t, row, column);
  }
}

/* Sets negative entries of l->z to 0, and stores it in the result if its residual is the least so
 * far. */
static void consider_path_end(lemke *l) {
  size_t n = l->job->size;
  ct_lcp problem = {.matrix = {.size = n, .dense = l->job->dense}, .q = l->job->q};
  for (size_t i = 0; i < n; i++) l->z[i] = l->z[i] > 0.0 ? l->z[i] : 0.0;
  double residual = ct_lcp_residual(&problem, l->z, NULL);
  if (!(residual < l->best)) return;
  l->best = residual;
  memcpy(l->result->z, l->z, n * sizeof *l->z);
}

/* Follows one path for the present covering vector, in doubles or with CT_TABLEAU_WIDE in
 * double-doubles, and evaluates the solution at its end. */
static ct_status try_path(lemke *l, unsigned flags, path_end *end) {
  const ct_lcp_job *job = l->job;
  ct_arena_mark mark = ct_arena_enter(job->arena);
  ct_tableau t;
  ct_status status = ct_tableau_create(&t, job, flags) ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    ct_tableau_fill(&t, job, l->cover, 0.0);
    *end = follow_path(l, &t);
    if (is_lemke_cancelled(l)) status = CT_CANCELLED;
  }
  if (status == CT_OK && *end == PATH_SOLVED) {
    bool solved;
    for (size_t j = 0; j < job->size; j++)
      l->in[j] = ct_tableau_is_basic(&t, (uint32_t)(job->size + j));
    ct_tableau_solution(&t, l->z);
    consider_path_end(l);
    status = solve_lemke_basis(job, l->in, l->z, &solved);
    if (status == CT_OK && solved) consider_path_end(l);
  }
  ct_arena_leave(job->arena, mark);
  return status;
}

/* Makes covering vector k: all 1 for k = 0; the greatest |entry| of each row for k = 1; these,
 * multiplied by factors between 1 and 2, for larger k. */
static void make_cover(lemke *l, unsigned k) {
  assert(k < COVERS);
  size_t n = l->job->size;
  for (size_t i = 0; i < n; i++) {
    double greatest = 0.0, part = (double)(i + 1) * k * GOLDEN_RATIO;
    for (size_t j = 0; j < n; j++) greatest = fmax(greatest, fabs(l->job->dense[i * n + j]));
    l->cover[i] = k == 0 || !(greatest > 0.0) ? 1.0 : greatest;
    if (k > 1) l->cover[i] *= 1.0 + (part - floor(part));
  }
}

/* Runs Dantzig's method, for a symmetric M that may be semidefinite. It decides feasibility even if
 * the round-off of M makes the linear programs inconsistent; a path may then end anywhere, and no y
 * with M'y <= 0 exists exactly. *done: the result is final. */
static ct_status try_dantzig(lemke *l, bool *done) {
  assert(l->job->symmetric);
  const ct_lcp_job *job = l->job;
  ct_arena_mark mark = ct_arena_enter(job->arena);
  double *certificate = ct_arena_alloc_doubles(job->arena, 3 * job->size);
  ct_lcp_result found = {
      .z = l->z, .certificate = certificate, .iterations = l->result->iterations};
  ct_status status = certificate ? ct_lcp_dantzig(job, &found) : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    l->result->iterations = found.iterations;
    consider_path_end(l);
    *done = ct_lcp_is_near(job, l->result->z, l->best);
    if (*done) l->result->status = CT_LCP_STATUS_OK;
    if (!*done && found.status == CT_LCP_STATUS_INFEASIBLE &&
        ct_lcp_farkas_is_valid(job, certificate, certificate + job->size)) {
      memcpy(l->result->certificate, certificate, job->size * sizeof *certificate);
      l->result->status = CT_LCP_STATUS_INFEASIBLE;
      *done = true;
    }
  }
  ct_arena_leave(job->arena, mark);
  return status;
}

/* Follows one path and, if `first` (the first covering vector), searches for a proof of
 * infeasibility. In double-doubles no path is followed if the one in doubles reached its limit.
 * *done: the result is final. */
static ct_status attempt_path(lemke *l, unsigned flags, bool first, path_end *end, bool *done) {
  ct_lcp_result *result = l->result;
  ct_status status = flags && *end == PATH_LIMIT ? CT_OK : try_path(l, flags, end);
  if (status != CT_OK) return status;
  if (*end == PATH_RAY) result->status = CT_LCP_STATUS_RAY;
  *done = ct_lcp_is_near(l->job, result->z, l->best);
  if (*done) result->status = CT_LCP_STATUS_OK;
  *done |= result->iterations >= l->job->iterations_max;
  if (*done || !first) return CT_OK;
  status = ct_lcp_farkas(l->job, result->certificate, flags, done);
  if (*done) result->status = CT_LCP_STATUS_INFEASIBLE;
  return status;
}

/* Tries each covering vector in doubles and, if that gives no final result, in double-doubles. */
static ct_status try_covers(lemke *l) {
  l->result->status = CT_LCP_STATUS_ITERATION_LIMIT;
  for (unsigned k = 0; k < COVERS; k++) {
    path_end end = PATH_LIMIT;
    bool done = false;
    make_cover(l, k);
    ct_status status = attempt_path(l, 0, k == 0, &end, &done);
    if (status == CT_OK && !done && k == 0 && l->job->symmetric) status = try_dantzig(l, &done);
    if (status == CT_OK && !done) status = attempt_path(l, CT_TABLEAU_WIDE, k == 0, &end, &done);
    if (status != CT_OK || done) return status;
  }
  return CT_OK;
}

ct_status ct_lcp_lemke(const ct_lcp_job *job, ct_lcp_result *result) {
  assert(job->dense && result->certificate);
  size_t n = job->size;
  lemke l = {.job = job, .result = result, .best = HUGE_VAL};
  l.cover = ct_arena_alloc_doubles(job->arena, 2 * n);
  l.in = ct_arena_alloc(job->arena, n, sizeof *l.in);
  if (!l.cover || !l.in) return CT_OUT_OF_MEMORY;
  l.z = l.cover + n;
  memset(l.z, 0, n * sizeof *l.z);
  consider_path_end(&l);
  result->iterations = 0;
  return try_covers(&l);
}
