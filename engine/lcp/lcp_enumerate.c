/* Enumerates the complementary bases of a small problem: for each i, either z_i or w_i is zero.
 * Returns EXHAUSTED only if every basis was excluded by a margin far above the round-off of
 * double-doubles. A basis with a regular matrix has one solution. For a singular matrix a linear
 * program decides whether q is in the cone of its columns (Cottle, Pang, Stone 2009, section
 * 1.3). */
#include "lcp/lcp_tableau.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Pivots below this count as zero; the entries of the scaled matrix are of the order of 1. With
 * greater pivots, the signs of solutions larger than 1e-20 are right. */
#define SINGULAR 1e-9
/* A solution with an entry below minus this fraction of the greatest is excluded. With smaller
 * negative entries, which are set to 0, it is tried. */
#define CERTAIN 1e-13

typedef struct enumeration {
  const ct_lcp_job *job;
  ct_lcp_result *result;
  ct_tableau t;    /* scales of the problem, and memory for linear programs */
  ct_dd *rows;     /* [n (n + 1)] equations of the present basis, with the right side as last
                      column */
  ct_dd *solution; /* [n] solution of the present basis */
  double *z;       /* [n] candidate solution, in the caller's units */
  bool *barred;    /* [n] z_i is fixed at zero in the linear program */
  double best;     /* residual of result->z */
  bool undecided;  /* a basis was neither excluded nor a solution */
} enumeration;

static double scaled_entry(const enumeration *e, size_t i, size_t j) {
  return e->job->dense[i * e->job->size + j] * e->t.row_scale[i] * e->t.column_scale[j];
}

/* Evaluates the candidate e->z, and stores it in the result if its residual is the least so far.
 * True if it is a solution within the tolerance. */
static bool consider_basis_solution(enumeration *e) {
  size_t n = e->job->size;
  ct_lcp problem = {.matrix = {.size = n, .dense = e->job->dense}, .q = e->job->q};
  double residual = ct_lcp_residual(&problem, e->z, NULL);
  if (residual < e->best) {
    e->best = residual;
    memcpy(e->result->z, e->z, n * sizeof *e->z);
  }
  return ct_lcp_is_near(e->job, e->z, residual);
}

/* Solves k equations by Gauss-Jordan elimination with partial pivoting; the solution is left in the
 * last column. False: singular. */
static bool eliminate_basis(ct_dd *rows, size_t k) {
  size_t stride = k + 1;
  for (size_t c = 0; c < k; c++) {
    size_t best = c;
    for (size_t i = c + 1; i < k; i++)
      if (fabs(rows[i * stride + c].high) > fabs(rows[best * stride + c].high)) best = i;
    if (fabs(rows[best * stride + c].high) < SINGULAR) return false;
    for (size_t j = c; j <= k; j++) {
      ct_dd exchanged = rows[c * stride + j];
      rows[c * stride + j] = rows[best * stride + j];
      rows[best * stride + j] = exchanged;
    }
    for (size_t i = 0; i < k; i++) {
      if (i == c || rows[i * stride + c].high == 0.0) continue;
      ct_dd factor = ct_dd_neg(ct_dd_div(rows[i * stride + c], rows[c * stride + c]));
      for (size_t j = c + 1; j <= k; j++)
        rows[i * stride + j] =
            ct_dd_add(rows[i * stride + j], ct_dd_mul(factor, rows[c * stride + j]));
    }
  }
  for (size_t i = 0; i < k; i++)
    rows[i * stride + k] = ct_dd_div(rows[i * stride + k], rows[i * stride + i]);
  return true;
}

typedef enum basis_verdict { EXCLUDED, PERHAPS, SINGULAR_BASIS } basis_verdict;

/* Solves the basis in which only z of the k rows `members` may be positive. EXCLUDED: an entry of z
 * or w is negative with certainty. PERHAPS: the solution, with negative entries set to 0, is in
 * e->z. */
static basis_verdict solve_regular_basis(enumeration *e, const uint32_t *members, size_t k) {
  assert(k <= e->job->size);
  size_t n = e->job->size;
  double greatest = e->t.q_size;
  for (size_t i = 0; i < k; i++) {
    for (size_t j = 0; j < k; j++)
      e->rows[i * (k + 1) + j] = ct_dd_of(scaled_entry(e, members[i], members[j]));
    e->rows[i * (k + 1) + k] = ct_dd_of(-e->job->q[members[i]] * e->t.row_scale[members[i]]);
  }
  if (!eliminate_basis(e->rows, k)) return SINGULAR_BASIS;
  for (size_t i = 0; i < k; i++) {
    e->solution[i] = e->rows[i * (k + 1) + k];
    greatest = fmax(greatest, fabs(e->solution[i].high));
  }
  double least = -CERTAIN * greatest;
  for (size_t i = 0; i < k; i++)
    if (e->solution[i].high < least) return EXCLUDED;
  for (size_t i = 0; i < n; i++) {
    ct_dd w = ct_dd_of(e->job->q[i] * e->t.row_scale[i]);
    for (size_t j = 0; j < k; j++)
      w = ct_dd_add(w, ct_dd_mul(ct_dd_of(scaled_entry(e, i, members[j])), e->solution[j]));
    if (w.high < least) return EXCLUDED;
  }
  memset(e->z, 0, n * sizeof *e->z);
  for (size_t i = 0; i < k; i++)
    e->z[members[i]] = fmax(e->solution[i].high, 0.0) * e->t.column_scale[members[i]];
  return PERHAPS;
}

/* Decides the same for a singular matrix, by a linear program: minimises the sum of z0 and the w of
 * `members`, with all other z fixed at zero. EXCLUDED: the minimum is positive with certainty. */
static basis_verdict solve_singular_basis(enumeration *e, const uint32_t *members, size_t k) {
  assert(e->t.rows == e->t.size + 1);
  ct_tableau *t = &e->t;
  size_t n = t->size;
  ct_tableau_fill(t, e->job, NULL, 0.0);
  double *objective = t->high + n * t->stride;
  memset(e->barred, true, n * sizeof *e->barred);
  for (size_t i = 0; i < k; i++) {
    e->barred[members[i]] = false;
    ct_tableau_add_to_objective(t, members[i]);
  }
  objective[n] += 1.0;
  ct_lcp_simplex_begin(t);
  bool least = ct_lcp_simplex(t, e->barred, e->job->options->cancel);
  if (least && objective[n + 1] > CERTAIN * t->q_size) return EXCLUDED;
  ct_tableau_solution(t, e->z);
  return PERHAPS;
}

static ct_status enumerate_bases(enumeration *e) {
  size_t n = e->job->size;
  e->result->status = CT_LCP_STATUS_ITERATION_LIMIT;
  for (uint32_t set = 0; set < (uint32_t)1 << n; set++) {
    uint32_t members[CT_LCP_ENUMERATION_MAX];
    size_t k = 0;
    for (uint32_t i = 0; i < n; i++)
      if (set >> i & 1) members[k++] = i;
    if (ct_cancel_raised(e->job->options->cancel)) return CT_CANCELLED;
    if (e->result->iterations == e->job->iterations_max) return CT_OK;
    e->result->iterations++;
    basis_verdict v = solve_regular_basis(e, members, k);
    if (v == SINGULAR_BASIS) v = solve_singular_basis(e, members, k);
    if (v == EXCLUDED) continue;
    if (consider_basis_solution(e)) {
      e->result->status = CT_LCP_STATUS_OK;
      return CT_OK;
    }
    e->undecided = true;
  }
  if (!e->undecided && !e->t.beyond) e->result->status = CT_LCP_STATUS_EXHAUSTED;
  return CT_OK;
}

ct_status ct_lcp_enumerate(const ct_lcp_job *job, ct_lcp_result *result) {
  assert(job->dense && job->size <= CT_LCP_ENUMERATION_MAX);
  size_t n = job->size;
  enumeration e = {.job = job, .result = result, .best = HUGE_VAL};
  e.rows = ct_arena_alloc(job->arena, n * (n + 1) + n, sizeof *e.rows);
  e.z = ct_arena_alloc_doubles(job->arena, n);
  e.barred = ct_arena_alloc(job->arena, n, sizeof *e.barred);
  if (!e.rows || !e.z || !e.barred ||
      !ct_tableau_create(&e.t, job, CT_TABLEAU_OBJECTIVE | CT_TABLEAU_WIDE))
    return CT_OUT_OF_MEMORY;
  e.solution = e.rows + n * (n + 1);
  result->iterations = 0;
  return enumerate_bases(&e);
}
