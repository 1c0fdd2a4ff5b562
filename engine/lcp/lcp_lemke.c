/* Lemke's method for any M: from a basis that z0 makes feasible along almost complementary ones,
 * until z0 leaves or nothing does.
 *
 * Lemke 1965; Cottle, Pang, Stone 2009, algorithm 4.4.1 with the lexicographic rule of section 4.9.
 * The path is walked in doubles; what its last basis is worth is found from the problem's own
 * numbers. A path that ends badly is walked again in double-doubles, then with other covering
 * vectors d, which for matrices that are not copositive-plus may well end elsewhere, and where the
 * first is exponentially long (Murty, Fathi) seldom are; of a symmetric M Dantzig's method is asked
 * before. A ray is believed to mean infeasibility only with a proof (lcp_farkas.c).
 */
#include "lcp/lcp_basis.h"
#include "lcp/lcp_farkas.h"
#include "lcp/lcp_tableau.h"

#include <math.h>
#include <string.h>

/* Covering vectors that are tried, the first of them all 1. */
#define COVERS 5
/* Pivots of one path: PATH_LEAST and PATH_PER_ROW n. Nearly all take fewer than 3 n. */
#define PATH_PER_ROW 50
#define PATH_LEAST 5000
/* Fractions of its multiples are spread evenly. */
#define GOLDEN_RATIO 0.61803398874989485

typedef enum path_end { PATH_SOLVED, PATH_RAY, PATH_LIMIT } path_end;

typedef struct lemke {
  const ct_lcp_job *job;
  ct_lcp_result *result;
  double *cover; /* [n] d */
  double *z;     /* [n] the end of a path */
  bool *in;      /* [n] which z are basic there */
  double best;   /* residual of result->z */
} lemke;

static bool is_cancelled(const lemke *l) { return ct_cancel_raised(l->job->options->cancel); }

/* From a full dictionary to the end of its path. */
static path_end walk(const lemke *l, ct_tableau *t) {
  size_t n = t->size, column = n, row = ct_tableau_first(t);
  if (row == n) return PATH_SOLVED;
  uint64_t *pivots = &l->result->iterations, limit = PATH_LEAST + PATH_PER_ROW * (uint64_t)n;
  if (limit > l->job->iterations_max - *pivots) limit = l->job->iterations_max - *pivots;
  ct_tableau_pivot(t, row, column);
  for (uint64_t k = 0;; k++, ++*pivots) {
    uint32_t left = t->column[column], z0 = ct_tableau_z0(t);
    /* At zero, z0 might as well have left. */
    if (left == z0 || t->high[t->place[z0] * t->stride + ct_tableau_constants(t)] == 0.0)
      return PATH_SOLVED;
    column = ct_tableau_column(t, left < n ? left + (uint32_t)n : left - (uint32_t)n);
    row = ct_tableau_leaving(t, column);
    if (row == n) return PATH_RAY;
    if (k == limit || is_cancelled(l)) return PATH_LIMIT;
    ct_tableau_pivot(t, row, column);
  }
}

/* l->z becomes the result's where its residual is less. */
static void offer(lemke *l) {
  size_t n = l->job->size;
  ct_lcp problem = {.matrix = {.size = n, .dense = l->job->dense}, .q = l->job->q};
  for (size_t i = 0; i < n; i++) l->z[i] = l->z[i] > 0.0 ? l->z[i] : 0.0;
  double residual = ct_lcp_residual(&problem, l->z, NULL);
  if (!(residual < l->best)) return;
  l->best = residual;
  memcpy(l->result->z, l->z, n * sizeof *l->z);
}

/* One path, in doubles or wide. */
static ct_status try_path(lemke *l, unsigned flags, path_end *end) {
  const ct_lcp_job *job = l->job;
  ct_arena_mark mark = ct_arena_enter(job->arena);
  ct_tableau t;
  ct_status status = ct_tableau_create(&t, job, flags) ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    ct_tableau_fill(&t, job, l->cover, 0.0);
    *end = walk(l, &t);
    if (is_cancelled(l)) status = CT_CANCELLED;
  }
  if (status == CT_OK && *end == PATH_SOLVED) {
    bool solved;
    for (size_t j = 0; j < job->size; j++)
      l->in[j] = ct_tableau_is_basic(&t, (uint32_t)(job->size + j));
    ct_tableau_solution(&t, l->z);
    offer(l);
    status = ct_lcp_basis_solve(job, l->in, l->z, &solved);
    if (status == CT_OK && solved) offer(l);
  }
  ct_arena_leave(job->arena, mark);
  return status;
}

/* The k-th d: 1; 1 in rows scaled by their greatest entry; then anything between one and two of
 * these. */
static void make_cover(lemke *l, unsigned k) {
  size_t n = l->job->size;
  for (size_t i = 0; i < n; i++) {
    double greatest = 0.0, part = (double)(i + 1) * k * GOLDEN_RATIO;
    for (size_t j = 0; j < n; j++) greatest = fmax(greatest, fabs(l->job->dense[i * n + j]));
    l->cover[i] = k == 0 || !(greatest > 0.0) ? 1.0 : greatest;
    if (k > 1) l->cover[i] *= 1.0 + (part - floor(part));
  }
}

/* Of a semidefinite M Dantzig's method tells which it is where round-off of M decides whether a
 * program has a solution: then a path may end anywhere, and what M'y <= 0 is looked for among exact
 * numbers is not there. */
static ct_status ask_dantzig(lemke *l, bool *done) {
  const ct_lcp_job *job = l->job;
  ct_arena_mark mark = ct_arena_enter(job->arena);
  double *certificate = ct_arena_alloc_doubles(job->arena, 3 * job->size);
  ct_lcp_result found = {
      .z = l->z, .certificate = certificate, .iterations = l->result->iterations};
  ct_status status = certificate ? ct_lcp_dantzig(job, &found) : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    l->result->iterations = found.iterations;
    offer(l);
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

/* One path and, from the first cover, a look for a proof that there is no solution. *done: nothing
 * else need be tried. */
static ct_status attempt(lemke *l, unsigned flags, bool first, path_end *end, bool *done) {
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

/* Of each cover doubles and, where these come to nothing, double-doubles. */
static ct_status solve(lemke *l) {
  l->result->status = CT_LCP_STATUS_ITERATION_LIMIT;
  for (unsigned k = 0; k < COVERS; k++) {
    path_end end = PATH_LIMIT;
    bool done = false;
    make_cover(l, k);
    ct_status status = attempt(l, 0, k == 0, &end, &done);
    if (status == CT_OK && !done && k == 0 && l->job->symmetric) status = ask_dantzig(l, &done);
    if (status == CT_OK && !done) status = attempt(l, CT_TABLEAU_WIDE, k == 0, &end, &done);
    if (status != CT_OK || done) return status;
  }
  return CT_OK;
}

ct_status ct_lcp_lemke(const ct_lcp_job *job, ct_lcp_result *result) {
  size_t n = job->size;
  lemke l = {.job = job, .result = result, .best = HUGE_VAL};
  l.cover = ct_arena_alloc_doubles(job->arena, 2 * n);
  l.in = ct_arena_alloc(job->arena, n, sizeof *l.in);
  if (!l.cover || !l.in) return CT_OUT_OF_MEMORY;
  l.z = l.cover + n;
  memset(l.z, 0, n * sizeof *l.z);
  offer(&l);
  result->iterations = 0;
  return solve(&l);
}
