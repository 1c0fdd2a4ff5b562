/* The solution with the least |z| of a symmetric positive semidefinite problem; whether another
 * solution exists; and the rank.
 *
 * All solutions have the same w, so they differ only in the set E of rows with w = 0, by null
 * vectors of the submatrix M_EE. With P the projector onto these null vectors, the least z >= 0 is
 * P y + (z - P z), where y >= 0 and y'z = 0: this is again a linear complementarity problem, the
 * projector's problem, and the least z is its w. The same problem with another right-hand side
 * finds a null vector along which z stays >= 0, or proves that none exists. Cottle, Pang, Stone
 * 2009, 3.1.
 *
 * Whether another solution exists does not change if M and q are replaced by D M D and D q with a
 * diagonal D > 0. It is decided in the units x_i = sqrt(M_ii) z_i, which do not depend on D. The
 * least z is that in the units of z itself; entries are set to zero by their size in x. */
#include "lcp/lcp_uniqueness.h"
#include "linear/dense.h"
#include "linear/pivoted_cholesky.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ENTRY_ROUNDOFF: round-off of an entry of a null vector, or of a combination of z and null
 * vectors, relative to the largest |x|. For null vectors it is at least NULL_ROUNDOFF divided by
 * the least pivot, their rotation by the round-off of M; a wrong sign of an entry would hide a
 * solution. NULL_UNKNOWN: round-off above which the signs of entries are unknown. */
#define ENTRY_ROUNDOFF 1e-10
#define NULL_ROUNDOFF (64.0 * CT_UNIT_ROUNDOFF)
#define NULL_UNKNOWN 1e-4
/* An entry of w up to this many times its round-off counts as 0, since z has round-off too. */
#define ZERO 64.0
/* An entry of w up to this many times that limit may be 0 as well; uniqueness is then unknown. */
#define MAYBE_ZERO 1e7
/* Differences of solutions relative to the largest |x|: above DIFFERENT they are significant, up to
 * SAME they are none; between them the question is open. */
#define DIFFERENT 1e-7
#define SAME 1e-9
/* Length of a vector of ones projected onto the permitted null vectors: above DIRECTION_MIN there
 * is such a null vector, up to DIRECTION_NONE there is none. */
#define DIRECTION_MIN 1e-9
#define DIRECTION_NONE 1e-13
/* Greatest error and round-off of w in the projector's problem, relative to its right-hand side. */
#define PROJECTED_ERROR 1e-10
/* Fraction of the projector's diagonal that is added to it if its problem was not solved. The
 * problem then has a unique solution, which is nearly the same. */
#define REGULARISATION 1e-12
/* Limit of the entries of the projector that one attempt reads: one second. */
#define WORK UINT64_C(1000000000)
/* Greatest number of rows for which the basis always consists of the null vectors. Beyond it,
 * vectors of their complement are used if these are fewer; they lose digits for rows in small
 * units. */
enum { NULL_VECTORS_MAX = 64 };
/* Number of corrections of the least z; each gains most of the wrong digits. */
enum { CORRECTIONS = 3 };

typedef struct least_norm_search {
  const ct_lcp_job *job;
  size_t n, count; /* number of rows of M, and number of rows of its submatrix E (the rows with w =
                      0) */
  bool *in;        /* [n] true for rows of E; once the pivots are known, true only for the rows of E
                      that are no pivots */
  uint32_t *rows;  /* [count] rows of E by ascending index */
  double *basis;   /* [vectors][count] orthonormal vectors; see `of_range` */
  size_t vectors;
  bool unsure;        /* true if a row outside E has w so near 0 that it may belong to E as well */
  bool of_range;      /* the basis spans the complement of the null vectors, not the null vectors */
  double nothing;     /* entries of the basis of at most this magnitude, relative to the largest
                         entry, are round-off */
  double *z;          /* [count] z in the rows of E */
  double *unit;       /* [count] sqrt(M_ii), that is x / z; 1 if M_ii is 0 */
  double most;        /* largest |x| */
  ct_tristate unique; /* whether the solution is unique, if M is semidefinite; YES and NO are not
                         proven yet */
  double *first;      /* [n] the given solution */
  double *other;      /* [n] another solution, valid if has_other */
  bool has_other;
} least_norm_search;

static bool allocate_least_norm(least_norm_search *s, const ct_lcp_job *job) {
  *s = (least_norm_search){.job = job, .n = job->size};
  s->in = ct_arena_alloc(job->arena, s->n, sizeof *s->in);
  s->rows = ct_arena_alloc(job->arena, 2 * s->n, sizeof *s->rows);
  s->z = ct_arena_alloc_doubles(job->arena, 4 * s->n);
  if (!s->in || !s->rows || !s->z) return false;
  s->unit = s->z + s->n;
  s->first = s->unit + s->n;
  s->other = s->first + s->n;
  return true;
}

/* Selects the rows of E: those with w = 0 to round-off, or with w < M_ii z. */
static void select_zero_rows(least_norm_search *s, const ct_lcp_result *result) {
  double terms = ct_lcp_terms(s->job, result->z);
  for (size_t i = 0; i < s->n; i++) {
    double w = result->w[i], z = s->job->roots[i] * s->job->roots[i] * result->z[i];
    double zero = ZERO * ct_lcp_roundoff(s->job, i, terms);
    s->in[i] = w <= zero || z > w;
    if (!s->in[i] && w <= MAYBE_ZERO * zero) s->unsure = true;
    if (!s->in[i]) continue;
    s->z[s->count] = result->z[i];
    s->unit[s->count] = s->job->roots[i] > 0.0 ? s->job->roots[i] : 1.0;
    s->most = fmax(s->most, s->unit[s->count] * result->z[i]);
    s->rows[s->count++] = (uint32_t)i;
  }
}

/* Builds a basis of the null vectors of M_EE, or of their complement if that has fewer vectors and
 * E more than NULL_VECTORS_MAX rows. */
static void build_null_basis(least_norm_search *s, const ct_rank *r) {
  assert(r->chosen < s->count);
  size_t null_count = s->count - r->chosen, n = s->n;
  s->of_range = r->chosen < null_count && s->count > NULL_VECTORS_MAX;
  s->vectors = s->of_range ? r->chosen : null_count;
  if (s->of_range) {
    for (size_t k = 0; k < s->vectors; k++)
      for (size_t e = 0; e < s->count; e++)
        s->basis[k * s->count + e] = r->factor[s->rows[e] * n + k];
    /* L is 0 above its diagonal in the rows of pivots. */
    for (size_t j = 0; j < r->chosen; j++) {
      size_t e = 0;
      while (s->rows[e] != r->order[j]) e++;
      for (size_t k = j + 1; k < s->vectors; k++) s->basis[k * s->count + e] = 0.0;
    }
    return;
  }
  bool *pivots = s->in; /* indexed by row of M; from here on E is listed by `rows` only */
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

/* Converts the basis from units of z to units of x, or back. Vectors of the complement are
 * converted inversely. */
static void change_basis_units(least_norm_search *s, bool to_x) {
  for (size_t k = 0; k < s->vectors; k++)
    for (size_t e = 0; e < s->count; e++) {
      double *v = s->basis + k * s->count + e;
      *v = to_x != s->of_range ? *v * s->unit[e] : *v / s->unit[e];
    }
}

/* Returns what a basis entry of 1 in row e is in units of x. */
static double basis_unit(const least_norm_search *s, bool in_x, size_t e) {
  if (in_x) return 1.0;
  return s->of_range ? 1.0 / s->unit[e] : s->unit[e];
}

/* Exchanges vector k of the basis with the longest of the vectors k and later. */
static void move_longest_first(least_norm_search *s, size_t k) {
  assert(k < s->vectors);
  size_t n = s->count, best = k;
  double most = -1.0;
  for (size_t j = k; j < s->vectors; j++) {
    const double *v = s->basis + j * n;
    double square = ct_dense_dot(v, v, n);
    if (square > most) {
      most = square;
      best = j;
    }
  }
  double *a = s->basis + k * n, *b = s->basis + best * n;
  for (size_t e = 0; e < n && a != b; e++) {
    double swapped = a[e];
    a[e] = b[e];
    b[e] = swapped;
  }
}

/* Orthonormalises the basis by Gram-Schmidt with pivoting, which makes small rows as accurate as
 * large ones (Cox, Higham 1998). Entries that are round-off, relative to the largest in x, become
 * 0. */
static void orthonormalise_basis(least_norm_search *s, bool in_x) {
  size_t n = s->count;
  for (size_t k = 0; k < s->vectors; k++) {
    double *v = s->basis + k * n, length = sqrt(ct_dense_dot(v, v, n));
    for (size_t e = 0; e < n; e++) v[e] /= length;
  }
  for (size_t k = 0; k < s->vectors; k++) {
    move_longest_first(s, k);
    double *v = s->basis + k * n, most = 0.0;
    for (size_t j = 0; j < k; j++)
      ct_dense_add(v, s->basis + j * n, -ct_dense_dot(v, s->basis + j * n, n), n);
    double length = sqrt(ct_dense_dot(v, v, n));
    for (size_t e = 0; e < n; e++) most = fmax(most, fabs(v[e]) * basis_unit(s, in_x, e));
    for (size_t e = 0; e < n; e++)
      v[e] = fabs(v[e]) * basis_unit(s, in_x, e) > s->nothing * most ? v[e] / length : 0.0;
    for (size_t j = k + 1; j < s->vectors; j++)
      ct_dense_add(s->basis + j * n, v, -ct_dense_dot(s->basis + j * n, v, n), n);
  }
}

/* Projects x [count] onto the null vectors: out = P x. */
static void project_on_nulls(const least_norm_search *s, const double *x, double *out) {
  size_t n = s->count;
  if (s->of_range) memcpy(out, x, n * sizeof *out);
  else memset(out, 0, n * sizeof *out);
  for (size_t k = 0; k < s->vectors; k++) {
    const double *v = s->basis + k * n;
    double part = ct_dense_dot(v, x, n);
    ct_dense_add(out, v, s->of_range ? -part : part, n);
  }
}

/* Replaces `side`, the right-hand side of the projector's problem, by side + P z. False: this is
 * not w of the solution z to round-off, and `side` is unchanged. */
static bool update_projected_side(const double *p, const double *z, size_t count, double *w,
                                  double *side) {
  double size = 0.0, off = 0.0;
  for (size_t i = 0; i < count; i++) {
    double terms = 0.0;
    for (size_t j = 0; j < count; j++) terms += fabs(p[i * count + j] * z[j]);
    w[i] = side[i] + ct_dense_dot(p + i * count, z, count);
    off = fmax(off, fmax(fabs(fmin(w[i], z[i])), CT_UNIT_ROUNDOFF * terms));
    size = fmax(size, fmax(fabs(side[i]), w[i]));
  }
  if (!(off <= PROJECTED_ERROR * size)) return false;
  for (size_t i = 0; i < count; i++) side[i] = fmax(w[i], 0.0);
  return true;
}

/* Solves the projector's problem restricted to the rows in[0] to in[count - 1] of E (NULL: all).
 * `side` is the right-hand side and becomes w; z is copied to `factors` unless that is NULL.
 * *ended: the problem was solved; otherwise `side` and `factors` are unchanged. */
static ct_status solve_projected(const least_norm_search *s, const uint32_t *in, size_t count,
                                 double *side, double *factors, bool *ended) {
  assert(count > 0 && count <= s->count);
  ct_arena *arena = s->job->arena;
  ct_arena_mark mark = ct_arena_enter(arena);
  double *p = ct_arena_alloc_doubles(arena, count * count),
         *z = ct_arena_alloc_doubles(arena, 3 * count), *roots = z + count;
  uint32_t *ends = ct_arena_alloc(arena, 2 * count, sizeof *ends);
  ct_status status = p && z && ends ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    /* Assemble the projector for these rows. */
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
    /* Solve the problem by block pivoting; if that fails, once more with a raised diagonal. */
    const ct_matrix matrix = {.size = count, .dense = p};
    ct_lcp_job job = *s->job;
    ct_lcp_options options = *job.options;
    options.method = CT_LCP_BLOCK_PIVOTING;
    job.options = &options;
    job.matrix = &matrix;
    job.dense = p;
    job.low = ends;
    job.high = ends + count;
    job.roots = roots;
    job.q = side;
    job.size = count;
    job.q_max = side_max;
    job.target = CT_LCP_TOLERANCE * side_max;
    uint64_t most = WORK / (count * count + 1) + 1;
    job.iterations_max = most < 150 + 50 * count ? most : 150 + 50 * count;
    ct_lcp_result result = {.z = z, .certificate = z + 2 * count};
    status = ct_lcp_block(&job, &result);
    if (status == CT_OK && result.status != CT_LCP_STATUS_OK) {
      for (size_t i = 0; i < count; i++) p[i * count + i] += REGULARISATION * p[i * count + i];
      result.iterations = 0;
      status = ct_lcp_block(&job, &result);
    }
    /* Accept the result if it is a solution. */
    *ended = status == CT_OK && result.status == CT_LCP_STATUS_OK &&
             update_projected_side(p, z, count, z + 2 * count, side);
    if (*ended && factors) memcpy(factors, z, count * sizeof *factors);
  }
  ct_arena_leave(arena, mark);
  return status;
}

/* Factors the submatrix of the rows with z > 0, for corrections. False: out of memory. */
static bool factor_positive_rows(const least_norm_search *s, const double *z, ct_rank *r) {
  bool *positive = ct_arena_alloc(s->job->arena, s->n, sizeof *positive);
  if (!positive) return false;
  for (size_t i = 0; i < s->n; i++) positive[i] = z[i] > 0.0;
  return ct_rank_find(r, s->job->dense, s->n, positive, ct_lcp_dependent(s->job), s->job->arena);
}

/* Sets s->other to z + t d for the longest t with a nonnegative result, but at most the size of z.
 * `d` [count], in units of z, is a null vector of M_EE that is >= 0 where z is 0. */
static void step_along_null(least_norm_search *s, const double *d) {
  double step = INFINITY, reach = 0.0, root = 0.0;
  for (size_t e = 0; e < s->count; e++) {
    reach = fmax(reach, s->unit[e] * fabs(d[e]));
    root = fmax(root, s->job->roots[s->rows[e]]);
    if (s->z[e] > 0.0 && d[e] < 0.0) step = fmin(step, s->z[e] / -d[e]);
  }
  double size = s->most > 0.0                       ? s->most
                : s->job->q_max > 0.0 && root > 0.0 ? s->job->q_max / root
                                                    : 1.0;
  if (!(reach > 0.0)) return;
  step = fmin(step, size / reach);
  memset(s->other, 0, s->n * sizeof *s->other);
  for (size_t e = 0; e < s->count; e++) s->other[s->rows[e]] = fmax(s->z[e] + step * d[e], 0.0);
  s->has_other = true;
}

/* Sets s->other by a step along a null vector within the rows with z > 0, which are dependent: that
 * of the first row among them that is no pivot of `r`. The pivots of `r` must be chosen from these
 * rows first. */
static ct_status step_within_positive(least_norm_search *s, const ct_rank *r, const double *z) {
  size_t n = s->n, row = 0;
  bool *pivot = ct_arena_alloc(s->job->arena, n, sizeof *pivot);
  double *spread = ct_arena_alloc_doubles(s->job->arena, n + s->count + r->chosen), *d = spread + n,
         *x = d + s->count;
  if (!pivot || !spread) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < n; i++) pivot[i] = false;
  for (size_t j = 0; j < r->chosen; j++) pivot[r->order[j]] = true;
  while (row < n && (pivot[row] || !(z[row] > 0.0))) row++;
  if (row == n) return CT_OK;
  memset(spread, 0, n * sizeof *spread);
  memcpy(x, r->factor + row * n, r->chosen * sizeof *x);
  spread[row] = 1.0;
  for (size_t j = r->chosen; j-- > 0;) {
    const double *factor = r->factor + r->order[j] * n;
    x[j] /= factor[j];
    ct_dense_add(x, factor, -x[j], j);
    spread[r->order[j]] = -x[j];
  }
  for (size_t e = 0; e < s->count; e++) d[e] = spread[s->rows[e]];
  step_along_null(s, d);
  return CT_OK;
}

/* Searches for a nonzero null vector of M_EE, in units of x, that is >= 0 where z is 0. Sets
 * s->unique, and s->other if one exists. */
static ct_status search_null_direction(least_norm_search *s) {
  ct_arena *arena = s->job->arena;
  uint32_t *zeros = ct_arena_alloc(arena, s->count, sizeof *zeros);
  double *wish = ct_arena_alloc_doubles(arena, 3 * s->count + s->n), *side = wish + s->count,
         *factors = side + s->count, *z = factors + s->count;
  if (!zeros || !wish) return CT_OUT_OF_MEMORY;
  size_t count = 0;
  memset(z, 0, s->n * sizeof *z);
  for (size_t e = 0; e < s->count; e++) {
    bool zero = !(s->unit[e] * s->z[e] > SAME * s->most);
    wish[e] = zero ? 1.0 : 0.0;
    if (zero) zeros[count++] = (uint32_t)e;
    else z[s->rows[e]] = s->z[e];
  }
  project_on_nulls(s, wish, side);
  double size = 0.0, most = 0.0;
  for (size_t i = 0; i < count; i++) {
    side[i] = side[zeros[i]];
    size = fmax(size, fabs(side[i]));
  }
  bool ended = true;
  ct_status status = CT_OK;
  /* The nearest null vector to a vector of ones is at least as long as the nearest one among those
   * permitted, so none need be searched for if it is zero. */
  if (size > DIRECTION_NONE) status = solve_projected(s, zeros, count, side, factors, &ended);
  else memset(side, 0, count * sizeof *side);
  for (size_t i = 0; i < count; i++) most = fmax(most, side[i]);
  if (status != CT_OK || !ended) return status;
  if (most > DIRECTION_MIN) {
    s->unique = CT_NO;
    for (size_t i = 0; i < count; i++) wish[zeros[i]] += factors[i];
    project_on_nulls(s, wish, side);
    for (size_t e = 0; e < s->count; e++) side[e] /= s->unit[e];
    step_along_null(s, side);
  }
  if (most > DIRECTION_NONE) return CT_OK;
  /* A permitted null vector may also be 0 in all rows with z = 0; then the other rows depend on
   * each other. */
  ct_rank r;
  if (!factor_positive_rows(s, z, &r)) return CT_OUT_OF_MEMORY;
  bool dependent = r.chosen < s->count - count;
  s->unique = dependent ? CT_NO : s->unsure ? CT_UNKNOWN : CT_YES;
  return dependent ? step_within_positive(s, &r, z) : CT_OK;
}

/* Corrects z of the factored rows so that their w becomes 0; x [chosen] is scratch. */
static void correct_zero_rows(const least_norm_search *s, const ct_rank *r, const double *w,
                              double *z, double *x) {
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

/* Replaces the result by the least z, after corrections if its residual needs them. If the residual
 * stays too large, the result is unchanged. Then, or if the corrections change z significantly,
 * uniqueness becomes unknown. */
static ct_status replace_solution(least_norm_search *s, const double *least,
                                  ct_lcp_result *result) {
  double *z = ct_arena_alloc_doubles(s->job->arena, 3 * s->n), *w = z + s->n, *x = w + s->n;
  if (!z) return CT_OUT_OF_MEMORY;
  memcpy(z, result->z, s->n * sizeof *z);
  for (size_t e = 0; e < s->count; e++)
    z[s->rows[e]] = s->unit[e] * least[e] > SAME * s->most ? least[e] : 0.0;
  const ct_lcp problem = {*s->job->matrix, s->job->q};
  double residual = ct_lcp_residual(&problem, z, w);
  /* Correct z while its residual is too large. */
  ct_rank r;
  bool good = residual <= 2.0 * result->residual;
  if (!good && !factor_positive_rows(s, z, &r)) return CT_OUT_OF_MEMORY;
  for (int k = 0; k < CORRECTIONS && !good; k++) {
    correct_zero_rows(s, &r, w, z, x);
    residual = ct_lcp_residual(&problem, z, w);
    good = residual <= 2.0 * result->residual;
  }
  if (!good && !(residual <= 0.1 * s->job->target)) {
    s->unique = CT_UNKNOWN;
    return CT_OK;
  }
  /* Accept z; uniqueness becomes unknown if the corrections are significant. */
  double apart = 0.0;
  for (size_t e = 0; e < s->count; e++)
    apart = fmax(apart, s->unit[e] * fabs(z[s->rows[e]] - least[e]));
  if (apart > DIFFERENT * s->most) s->unique = CT_UNKNOWN;
  memcpy(result->z, z, s->n * sizeof *z);
  memcpy(result->w, w, s->n * sizeof *w);
  result->residual = residual;
  return CT_OK;
}

static ct_status find_least_solution(least_norm_search *s, ct_lcp_result *result) {
  double *least = ct_arena_alloc_doubles(s->job->arena, s->count), lowest = INFINITY, apart = 0.0;
  if (!least) return CT_OUT_OF_MEMORY;
  project_on_nulls(s, s->z, least);
  for (size_t e = 0; e < s->count; e++) {
    least[e] = s->z[e] - least[e];
    if (s->unit[e] * fabs(least[e]) <= ENTRY_ROUNDOFF * s->most) least[e] = 0.0;
    lowest = fmin(lowest, least[e]);
  }
  bool ended = true;
  ct_status status = lowest < 0.0 ? solve_projected(s, NULL, s->count, least, NULL, &ended) : CT_OK;
  if (status != CT_OK) return status;
  if (!ended) {
    s->unique = CT_UNKNOWN;
    return CT_OK;
  }
  for (size_t e = 0; e < s->count; e++) {
    least[e] = fmax(least[e], 0.0);
    apart = fmax(apart, s->unit[e] * fabs(least[e] - s->z[e]));
  }
  if (apart > DIFFERENT * s->most) s->unique = CT_NO;
  return replace_solution(s, least, result);
}

/* Decides from the null vectors of M_EE whether z is the only solution; if it may not be, finds the
 * least one. */
static ct_status evaluate_null_vectors(least_norm_search *s, ct_rank *r, ct_lcp_result *result) {
  if (r->chosen == s->count) {
    s->unique = s->unsure ? CT_UNKNOWN : CT_YES;
    return CT_OK;
  }
  s->nothing = fmax(ENTRY_ROUNDOFF, NULL_ROUNDOFF / r->least);
  if (s->nothing > NULL_UNKNOWN) return CT_OK;
  s->basis = ct_arena_alloc_doubles(
      s->job->arena, (s->count <= NULL_VECTORS_MAX ? s->count : s->count / 2 + 1) * s->count);
  if (!s->basis) return CT_OUT_OF_MEMORY;
  build_null_basis(s, r);
  change_basis_units(s, true);
  orthonormalise_basis(s, true);
  ct_status status = search_null_direction(s);
  if (status != CT_OK || s->unique == CT_YES) return status;
  change_basis_units(s, false);
  orthonormalise_basis(s, false);
  return find_least_solution(s, result);
}

/* Sets result->unique: to YES only if M is proven semidefinite, to NO only together with another
 * solution. */
static ct_status report_uniqueness(least_norm_search *s, const ct_rank *r, ct_lcp_result *result) {
  bool semidefinite = false;
  ct_status status = CT_OK;
  if (s->unique == CT_YES)
    status = ct_lcp_is_semidefinite(s->job, r->order, r->count, &semidefinite);
  if (semidefinite) result->unique = CT_YES;
  if (status != CT_OK || s->unique != CT_NO) return status;
  double *w = ct_arena_alloc_doubles(s->job->arena, s->n);
  if (!w) return CT_OUT_OF_MEMORY;
  if (s->has_other && ct_lcp_consider_alternative(s->job, s->other, w, result)) return CT_OK;
  (void)ct_lcp_consider_alternative(s->job, s->first, w, result);
  return CT_OK;
}

ct_status ct_lcp_least_norm(const ct_lcp_job *job, ct_lcp_result *result) {
  assert(job->dense && result->alternative);
  least_norm_search s;
  ct_rank r;
  if (!allocate_least_norm(&s, job)) return CT_OUT_OF_MEMORY;
  select_zero_rows(&s, result);
  memcpy(s.first, result->z, s.n * sizeof *s.first);
  if (!ct_rank_find(&r, job->dense, s.n, s.in, ct_lcp_dependent(job), job->arena))
    return CT_OUT_OF_MEMORY;
  if (!r.semidefinite) return CT_OK;
  result->rank = r.count;
  result->rank_known = true;
  ct_status status = evaluate_null_vectors(&s, &r, result);
  return status == CT_OK ? report_uniqueness(&s, &r, result) : status;
}
