/* Of all solutions of a symmetric positive semidefinite problem the one with the least |z|; whether there is another; the rank.
 *
 * All solutions have one w, so z may change on the rows E with w = 0 alone, by null vectors of M_EE. With P the projector onto
 * these, the least z >= 0 is P y + (z - P z) where y >= 0, y'z = 0: again a linear complementarity problem, whose w is sought. The
 * same with another right side finds a null vector that leads away from z and stays >= 0, or proves that there is none. Cottle,
 * Pang, Stone 2009, 3.1.
 */
#include "solve/dense.h"
#include "solve/lcp.h"
#include "solve/ldl.h"
#include "solve/rank.h"

#include <math.h>
#include <string.h>

/* A factor without pivoting that leaves this part of every diagonal entry is of full rank beyond doubt. */
#define SURELY_LEFT 1e-6
/* An entry of a unit null vector, or of what a combination of such leaves of z (in parts of the largest z), that is round-off. */
#define NOTHING 1e-10
/* w that is 0, in units of its round-off: z has some too. */
#define ZERO 64.0
/* w up to so many times that might be 0 all the same: that z is the only one cannot be told then. */
#define MAYBE_ZERO 1e7
/* Parts of the largest z: more is a difference, less is none. Between them nothing is told. */
#define DIFFERENT 1e-7
#define SAME 1e-9
/* A vector of ones, projected onto null vectors: more is one, less is none. */
#define AWAY 1e-9
#define NOT_AWAY 1e-13
/* Parts of its right side that the w of the projector's problem may be off by, or lose to round-off. */
#define TRUE_ENOUGH 1e-10
/* Added to the projector's diagonal where its problem was not solved as it is: it has one solution then, almost the same. */
#define FIRM 1e-12
/* Entries of the projector that one attempt to solve its problem may go through: a second. */
#define WORK UINT64_C(1000000000)
/* Corrections of the least z; each takes most of the digits that are wrong. */
enum { CORRECTIONS = 3 };

typedef struct norm {
  const ct_lcp_job *job;
  size_t n, count; /* of E */
  bool *in;        /* E, by row */
  uint32_t *rows;  /* E */
  double *basis;   /* orthonormal vectors, each [count] */
  size_t vectors;
  bool unsure;   /* E might have more rows */
  bool of_range; /* the vectors span what the null vectors are orthogonal to */
  double *z;     /* [count] of E */
} norm;

static bool take(norm *s, const ct_lcp_job *job) {
  *s = (norm){.job = job, .n = job->size};
  s->in = ct_solver_take(job->solver, s->n, sizeof *s->in);
  s->rows = ct_solver_take(job->solver, 2 * s->n, sizeof *s->rows);
  s->z = ct_solver_doubles(job->solver, s->n);
  return s->in && s->rows && s->z;
}

/* E: where w is 0 but for round-off, or the lesser. */
static void choose(norm *s, const ct_lcp_result *result) {
  double terms = ct_lcp_terms(s->job, result->z);
  for (size_t i = 0; i < s->n; i++) {
    double w = result->w[i], z = s->job->roots[i] * s->job->roots[i] * result->z[i];
    double zero = ZERO * ct_lcp_roundoff(s->job, i, terms);
    s->in[i] = w <= zero || z > w;
    if (!s->in[i] && w <= MAYBE_ZERO * zero) s->unsure = true;
    if (!s->in[i]) continue;
    s->z[s->count] = result->z[i];
    s->rows[s->count++] = (uint32_t)i;
  }
}

/* Are these rows independent, at a glance? */
static bool surely_independent(const norm *s, const uint32_t *rows, size_t count, ct_ldl *f) {
  uint32_t *place = s->rows + s->n;
  size_t below = 0;
  for (size_t i = 0; i < s->n; i++) {
    place[i] = (uint32_t)below;
    if (below < count && rows[below] == i) below++;
  }
  const ct_ldl_part part = {s->job->dense, s->n, s->job->low, rows, count, place, ct_lcp_dependent(s->job)};
  ct_ldl_factor(f, &part);
  return f->dependent == 0 && f->least > SURELY_LEFT;
}

static ct_status glance(norm *s, bool *independent, ct_lcp_result *result) {
  ct_ldl f;
  uint32_t *all = ct_solver_take(s->job->solver, s->n, sizeof *all);
  if (!all || !ct_ldl_make(&f, s->n, s->job->solver)) return CT_OUT_OF_MEMORY;
  *independent = surely_independent(s, s->rows, s->count, &f);
  for (size_t i = 0; i < s->n; i++) all[i] = (uint32_t)i;
  if (*independent && (s->count == s->n || surely_independent(s, all, s->n, &f))) {
    result->rank = s->n;
    result->rank_known = true;
  }
  return CT_OK;
}

/* Vectors of the factor: null vectors of M_EE, or a basis of what they are orthogonal to, whichever are fewer. */
static void spell_out(norm *s, const ct_rank *r) {
  size_t null_count = s->count - r->chosen, n = s->n;
  s->of_range = r->chosen < null_count;
  s->vectors = s->of_range ? r->chosen : null_count;
  if (s->of_range) {
    for (size_t k = 0; k < s->vectors; k++)
      for (size_t e = 0; e < s->count; e++) s->basis[k * s->count + e] = r->factor[s->rows[e] * n + k];
    /* Above the diagonal of the pivots' rows L is 0. */
    for (size_t j = 0; j < r->chosen; j++) {
      size_t e = 0;
      while (s->rows[e] != r->order[j]) e++;
      for (size_t k = j + 1; k < s->vectors; k++) s->basis[k * s->count + e] = 0.0;
    }
    return;
  }
  bool *pivots = s->in; /* of E, by row: from here on E is `rows` */
  uint32_t *place = s->rows + n;
  for (size_t e = 0; e < s->count; e++) place[s->rows[e]] = (uint32_t)e;
  for (size_t j = 0; j < r->chosen; j++) pivots[r->order[j]] = false;
  size_t k = 0;
  for (size_t e = 0; e < s->count; e++) {
    size_t row = s->rows[e];
    if (!pivots[row]) continue;
    double *vector = s->basis + k++ * s->count, *x = r->factor + row * n;
    memset(vector, 0, s->count * sizeof *vector);
    vector[e] = 1.0;
    for (size_t j = r->chosen; j-- > 0;) {
      const double *pivot = r->factor + r->order[j] * n;
      x[j] /= pivot[j];
      ct_dense_add(x, pivot, -x[j], j);
      vector[place[r->order[j]]] = -x[j];
    }
  }
}

/* Gram and Schmidt, twice. */
static void make_orthonormal(norm *s) {
  size_t n = s->count;
  for (size_t k = 0; k < s->vectors; k++) {
    double *v = s->basis + k * n;
    double length = sqrt(ct_dense_dot(v, v, n));
    for (size_t e = 0; e < n; e++) v[e] /= length;
    for (int twice = 0; twice < 2; twice++)
      for (size_t j = 0; j < k; j++) ct_dense_add(v, s->basis + j * n, -ct_dense_dot(v, s->basis + j * n, n), n);
    length = sqrt(ct_dense_dot(v, v, n));
    for (size_t e = 0; e < n; e++) v[e] = fabs(v[e]) > NOTHING * length ? v[e] / length : 0.0;
  }
}

/* What of x is a null vector. */
static void project(const norm *s, const double *x, double *out) {
  size_t n = s->count;
  if (s->of_range) memcpy(out, x, n * sizeof *out);
  else memset(out, 0, n * sizeof *out);
  for (size_t k = 0; k < s->vectors; k++) {
    const double *v = s->basis + k * n;
    double part = ct_dense_dot(v, x, n);
    ct_dense_add(out, v, s->of_range ? -part : part, n);
  }
}

/* side + P z in place of side, unless that is no w of z beyond what round-off makes of it. */
static bool take_w(const double *p, const double *z, size_t count, double *w, double *side) {
  double size = 0.0, off = 0.0;
  for (size_t i = 0; i < count; i++) {
    double terms = 0.0;
    for (size_t j = 0; j < count; j++) terms += fabs(p[i * count + j] * z[j]);
    w[i] = side[i] + ct_dense_dot(p + i * count, z, count);
    off = fmax(off, fmax(fabs(fmin(w[i], z[i])), CT_UNIT_ROUNDOFF * terms));
    size = fmax(size, fabs(side[i]));
  }
  if (!(off <= TRUE_ENOUGH * size)) return false;
  for (size_t i = 0; i < count; i++) side[i] = fmax(w[i], 0.0);
  return true;
}

/* The problem of P, of the rows of E that are `in` (NULL: all), and this right side: its w. Where it does not end, *ended is false
 * and nothing else changes. */
static ct_status solve_projected(const norm *s, const uint32_t *in, size_t count, double *side, bool *ended) {
  ct_solver *solver = s->job->solver;
  ct_solver_mark mark = ct_solver_enter(solver);
  double *p = ct_solver_doubles(solver, count * count), *z = ct_solver_doubles(solver, 3 * count), *roots = z + count;
  uint32_t *ends = ct_solver_take(solver, 2 * count, sizeof *ends);
  ct_status status = p && z && ends ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    double side_max = 0.0;
    for (size_t i = 0; i < count; i++) {
      double *row = p + i * count;
      memset(row, 0, count * sizeof *row);
      size_t e = in ? in[i] : i;
      if (s->of_range) row[i] = 1.0;
      for (size_t k = 0; k < s->vectors; k++) {
        const double *v = s->basis + k * s->count;
        double part = s->of_range ? -v[e] : v[e];
        if (!in) ct_dense_add(row, v, part, count);
        for (size_t j = 0; in && j < count; j++) row[j] += part * v[in[j]];
      }
      ends[i] = 0;
      ends[count + i] = (uint32_t)count;
      side_max = fmax(side_max, fabs(side[i]));
    }
    for (size_t i = 0; i < count; i++) roots[i] = sqrt(fmax(p[i * count + i], 0.0));
    const ct_matrix matrix = {.size = count, .dense = p};
    ct_lcp_job job = *s->job;
    job.matrix = &matrix;
    job.dense = p;
    job.low = ends;
    job.high = ends + count;
    job.roots = roots;
    job.q = side;
    job.size = count;
    job.q_max = side_max;
    uint64_t most = WORK / (count * count + 1) + 1;
    job.iterations_max = most < 150 + 50 * count ? most : 150 + 50 * count;
    ct_lcp_result result = {.z = z, .certificate = z + 2 * count};
    status = ct_lcp_block(&job, &result);
    if (status == CT_OK && result.status != CT_LCP_STATUS_OK) {
      for (size_t i = 0; i < count; i++) p[i * count + i] += FIRM;
      result.iterations = 0;
      status = ct_lcp_block(&job, &result);
    }
    *ended = status == CT_OK && result.status == CT_LCP_STATUS_OK && take_w(p, z, count, z + 2 * count, side);
  }
  ct_solver_leave(solver, mark);
  return status;
}

/* Is there a null vector of M_EE, not 0, that is >= 0 where z is 0? */
static ct_status look_beside(const norm *s, const double *least, double largest, ct_lcp_result *result) {
  ct_solver *solver = s->job->solver;
  uint32_t *zeros = ct_solver_take(solver, s->count, sizeof *zeros);
  double *wish = ct_solver_doubles(solver, 2 * s->count), *side = wish + s->count;
  if (!zeros || !wish) return CT_OUT_OF_MEMORY;
  size_t count = 0;
  for (size_t e = 0; e < s->count; e++) {
    wish[e] = least[e] > SAME * largest ? 0.0 : 1.0;
    if (wish[e] > 0.0) zeros[count++] = (uint32_t)e;
  }
  project(s, wish, side);
  for (size_t i = 0; i < count; i++) side[i] = side[zeros[i]];
  bool ended = true;
  ct_status status = solve_projected(s, zeros, count, side, &ended);
  double most = 0.0;
  for (size_t i = 0; i < count; i++) most = fmax(most, side[i]);
  /* Null vectors that are 0 on all of these would change the others freely; the least z, not 0 there, would have used that. */
  if (ended && (count == 0 || most > AWAY)) result->unique = CT_NO;
  else if (ended && most <= NOT_AWAY && !s->unsure) result->unique = CT_YES;
  return status;
}

/* Factor of the rows where z > 0, for corrections there. */
static bool factor_positive(const norm *s, const double *z, ct_rank *r) {
  bool *positive = ct_solver_take(s->job->solver, s->n, sizeof *positive);
  if (!positive) return false;
  for (size_t i = 0; i < s->n; i++) positive[i] = z[i] > 0.0;
  return ct_rank_find(r, s->job->dense, s->n, positive, ct_lcp_dependent(s->job), s->job->solver);
}

/* z of those rows that w becomes 0 on them; x [chosen] scratch. */
static void correct(const norm *s, const ct_rank *r, const double *w, double *z, double *x) {
  for (size_t j = 0; j < r->chosen; j++) {
    const double *row = r->factor + r->order[j] * s->n;
    x[j] = (-w[r->order[j]] - ct_dense_dot(row, x, j)) / row[j];
  }
  for (size_t j = r->chosen; j-- > 0;) {
    const double *row = r->factor + r->order[j] * s->n;
    x[j] /= row[j];
    ct_dense_add(x, row, -x[j], j);
    double next = z[r->order[j]] + x[j];
    z[r->order[j]] = next > 0.0 ? next : 0.0;
  }
}

/* The least z, corrected, in place of the one that was found, unless its residual is worse: what was found out about it, the only
 * one or not, counts for nothing then, nor where corrections lead elsewhere. */
static ct_status replace(norm *s, const double *least, double largest, ct_lcp_result *result) {
  double *z = ct_solver_doubles(s->job->solver, 3 * s->n), *w = z + s->n, *x = w + s->n;
  if (!z) return CT_OUT_OF_MEMORY;
  memcpy(z, result->z, s->n * sizeof *z);
  for (size_t e = 0; e < s->count; e++) z[s->rows[e]] = least[e] > SAME * largest ? least[e] : 0.0;
  const ct_lcp problem = {*s->job->matrix, s->job->q};
  double residual = ct_lcp_residual(&problem, z, w);
  ct_rank r;
  bool good = residual <= 2.0 * result->residual;
  if (!good && !factor_positive(s, z, &r)) return CT_OUT_OF_MEMORY;
  for (int k = 0; k < CORRECTIONS && !good; k++) {
    correct(s, &r, w, z, x);
    residual = ct_lcp_residual(&problem, z, w);
    good = residual <= 2.0 * result->residual;
  }
  if (!good && !(residual <= 0.1 * s->job->target)) {
    result->unique = CT_UNKNOWN;
    return CT_OK;
  }
  double apart = 0.0;
  for (size_t e = 0; e < s->count; e++) apart = fmax(apart, fabs(z[s->rows[e]] - least[e]));
  if (apart > DIFFERENT * largest) result->unique = CT_UNKNOWN;
  memcpy(result->z, z, s->n * sizeof *z);
  memcpy(result->w, w, s->n * sizeof *w);
  result->residual = residual;
  return CT_OK;
}

static ct_status find_least(norm *s, ct_lcp_result *result) {
  ct_solver *solver = s->job->solver;
  ct_rank r;
  if (!ct_rank_find(&r, s->job->dense, s->n, s->in, ct_lcp_dependent(s->job), solver)) return CT_OUT_OF_MEMORY;
  if (!r.semidefinite) return CT_OK;
  result->rank = r.count;
  result->rank_known = true;
  if (r.chosen == s->count) {
    if (!s->unsure) result->unique = CT_YES;
    return CT_OK;
  }
  double *least = ct_solver_doubles(solver, s->count);
  s->basis = ct_solver_doubles(solver, (s->count / 2 + 1) * s->count);
  if (!least || !s->basis) return CT_OUT_OF_MEMORY;
  spell_out(s, &r);
  make_orthonormal(s);
  project(s, s->z, least);
  double largest = 0.0, apart = 0.0, lowest = INFINITY;
  for (size_t e = 0; e < s->count; e++) largest = fmax(largest, s->z[e]);
  for (size_t e = 0; e < s->count; e++) {
    least[e] = s->z[e] - least[e];
    if (fabs(least[e]) <= NOTHING * largest) least[e] = 0.0;
    lowest = fmin(lowest, least[e]);
  }
  bool ended = true;
  ct_status status = lowest < 0.0 ? solve_projected(s, NULL, s->count, least, &ended) : CT_OK;
  if (status != CT_OK || !ended) return status;
  for (size_t e = 0; e < s->count; e++) {
    least[e] = fmax(least[e], 0.0);
    apart = fmax(apart, fabs(least[e] - s->z[e]));
  }
  if (apart > DIFFERENT * largest) result->unique = CT_NO;
  else status = look_beside(s, least, largest, result);
  return status == CT_OK ? replace(s, least, largest, result) : status;
}

ct_status ct_lcp_norm(const ct_lcp_job *job, ct_lcp_result *result) {
  norm s;
  if (!take(&s, job)) return CT_OUT_OF_MEMORY;
  choose(&s, result);
  bool independent = false;
  ct_status status = glance(&s, &independent, result);
  if (status != CT_OK) return status;
  if (independent && !s.unsure) result->unique = CT_YES;
  return independent && result->rank_known ? CT_OK : find_least(&s, result);
}
