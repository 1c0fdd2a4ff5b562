/* Uniqueness by all complementary bases of a small problem: each is solved, and the error of its
 * solution is bounded.
 *
 * With R an approximate inverse of the basis' matrix A and c = |I - R A| <= 1/2 in the maximum
 * norm, A is regular, and the error e of an approximate solution x of A x = b has e_i <= t_i + 2 c
 * max t with t = |R| |b - A x|. All round-off in these bounds is added to them. Rump 2010,
 * Verification methods, chapter 10.
 */
#include "lcp/lcp_uniqueness.h"

#include <string.h>

/* Part of the greatest entry by which another solution must differ to be reported. */
#define DIFFERENT 1e-7
/* Round-off of a sum of products, in units of u and the sum of their absolute values: those of w =
 * M z + q with rounded z. */
#define ROUNDOFF 16.0
/* |I - R A| up to which A is taken as regular. */
#define REGULAR 0.5
/* Refinements of a basis' solution; the last one only bounds its error. */
enum { STEPS = 3 };
/* Sizes of entries other than 0 whose products neither under- nor overflow. */
#define SIZE_MIN_PROVEN 0x1p-200
#define SIZE_MAX_PROVEN 0x1p+200

enum { ROWS_MAX = CT_LCP_ENUMERATION_MAX };

typedef struct bases {
  const ct_lcp_job *job;
  size_t n, count;            /* rows of the problem; of the basis */
  uint32_t members[ROWS_MAX]; /* rows of the basis */
  double inverse[ROWS_MAX * ROWS_MAX];
  double defect;                       /* c */
  double x[ROWS_MAX], error[ROWS_MAX]; /* of `members`: the solution and its bounds */
  bool has_first; /* is there a basis that is not excluded? The first one is kept, by row */
  double first[ROWS_MAX], first_error[ROWS_MAX];
} bases;

bool ct_lcp_consider_alternative(const ct_lcp_job *job, const double *other, double *w,
                                 ct_lcp_result *result) {
  size_t n = job->size;
  const ct_lcp problem = {.matrix = {.size = n, .dense = job->dense}, .q = job->q};
  double residual = ct_lcp_residual(&problem, other, w), greatest = 0.0, apart = 0.0,
         roundoff = 0.0;
  for (size_t i = 0; i < n; i++) {
    double terms = fabs(job->q[i]), unit = job->roots[i] > 0.0 ? job->roots[i] : 1.0;
    for (size_t j = 0; j < n; j++) terms += fabs(job->dense[i * n + j] * other[j]);
    roundoff = fmax(roundoff, ROUNDOFF * CT_UNIT_ROUNDOFF * terms);
    greatest = fmax(greatest, unit * fmax(other[i], result->z[i]));
    apart = fmax(apart, unit * fabs(other[i] - result->z[i]));
  }
  /* Relative to q = 0 no residual is small: multiples of a direction then solve the problem as well
   * as its doubles can. */
  bool within = residual <= job->target || job->q_max == 0.0;
  if (!within || !(residual <= fmax(roundoff, result->residual)) || !(apart > DIFFERENT * greatest))
    return false;
  memcpy(result->alternative, other, n * sizeof *other);
  result->unique = CT_NO;
  return true;
}

static double basis_entry(const bases *b, size_t i, size_t j) {
  return b->job->dense[i * b->n + b->members[j]];
}

/* No z >= 0 of the basis gives row i its w: 0 for its own rows, else >= 0. Exact: signs alone. */
static bool signs_exclude(const bases *b, size_t i, bool own) {
  bool raises = false, lowers = false;
  for (size_t j = 0; j < b->count; j++) {
    raises |= basis_entry(b, i, j) > 0.0;
    lowers |= basis_entry(b, i, j) < 0.0;
  }
  return (b->job->q[i] < 0.0 && !raises) || (own && b->job->q[i] > 0.0 && !lowers);
}

/* The inverse of the basis' matrix by Gauss-Jordan elimination with row exchanges. False: a pivot
 * is 0. */
static bool invert_basis(bases *b) {
  double a[ROWS_MAX][2 * ROWS_MAX];
  size_t k = b->count;
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < k; j++) {
      a[i][j] = basis_entry(b, b->members[i], j);
      a[i][k + j] = i == j ? 1.0 : 0.0;
    }
  for (size_t c = 0; c < k; c++) {
    size_t best = c;
    for (size_t i = c + 1; i < k; i++)
      if (fabs(a[i][c]) > fabs(a[best][c])) best = i;
    if (a[best][c] == 0.0) return false;
    for (size_t j = 0; j < 2 * k && best != c; j++) {
      double exchanged = a[c][j];
      a[c][j] = a[best][j];
      a[best][j] = exchanged;
    }
    double pivot = 1.0 / a[c][c];
    for (size_t j = c; j < 2 * k; j++) a[c][j] *= pivot;
    for (size_t i = 0; i < k; i++) {
      double times = a[i][c];
      if (i == c || times == 0.0) continue;
      for (size_t j = c; j < 2 * k; j++) a[i][j] -= times * a[c][j];
    }
  }
  for (size_t i = 0; i < k; i++) memcpy(b->inverse + i * k, a[i] + k, k * sizeof(double));
  return true;
}

/* Bound of |I - R A|, its round-off included. */
static double bound_inverse_defect(const bases *b) {
  size_t k = b->count;
  double most = 0.0, gamma = ROUNDOFF * CT_UNIT_ROUNDOFF * (double)(k + 1);
  for (size_t i = 0; i < k; i++) {
    double row = 0.0;
    for (size_t j = 0; j < k; j++) {
      double sum = i == j ? -1.0 : 0.0, terms = 1.0;
      for (size_t l = 0; l < k; l++) {
        double product = b->inverse[i * k + l] * basis_entry(b, b->members[l], j);
        sum += product;
        terms += fabs(product);
      }
      row += fabs(sum) + gamma * terms;
    }
    if (!(row <= most)) most = row; /* NaN stays */
  }
  return most;
}

/* One step of refinement: x += R (-q - A x); `error` bounds the error of x before the step. */
static void refine_solution(bases *b) {
  size_t k = b->count;
  double rest[ROWS_MAX], wide[ROWS_MAX], gamma = ROUNDOFF * CT_UNIT_ROUNDOFF * (double)(k + 1),
                                         most = 0.0;
  for (size_t i = 0; i < k; i++) {
    double sum = -b->job->q[b->members[i]], terms = fabs(sum);
    for (size_t j = 0; j < k; j++) {
      double product = basis_entry(b, b->members[i], j) * b->x[j];
      sum -= product;
      terms += fabs(product);
    }
    rest[i] = sum;
    wide[i] = (1.0 + gamma) * fabs(sum) + gamma * terms;
  }
  for (size_t i = 0; i < k; i++) {
    double step = 0.0, bound = 0.0;
    for (size_t j = 0; j < k; j++) {
      step += b->inverse[i * k + j] * rest[j];
      bound += fabs(b->inverse[i * k + j]) * wide[j];
    }
    b->error[i] = (1.0 + gamma) * bound;
    most = fmax(most, b->error[i]);
    b->x[i] += step;
  }
  for (size_t i = 0; i < k; i++) b->error[i] += 2.0 * (1.0 + gamma) * b->defect * most;
}

/* b->x and the bounds of its errors. False: the basis' matrix is not proven regular. */
static bool solve_bounded_basis(bases *b) {
  if (b->count == 0) return true;
  if (!invert_basis(b)) return false;
  b->defect = bound_inverse_defect(b);
  if (!(b->defect <= REGULAR)) return false;
  memset(b->x, 0, b->count * sizeof *b->x);
  double before[ROWS_MAX];
  for (int step = 0; step < STEPS; step++) {
    memcpy(before, b->x, b->count * sizeof *before);
    refine_solution(b);
  }
  /* The bounds are those of the last x but one. */
  memcpy(b->x, before, b->count * sizeof *before);
  bool finite = true;
  for (size_t i = 0; i < b->count; i++) finite &= isfinite(b->x[i]) && isfinite(b->error[i]);
  return finite;
}

/* Is some entry of z or w negative beyond doubt? */
static bool is_basis_excluded(const bases *b) {
  for (size_t i = 0; i < b->count; i++)
    if (b->x[i] + b->error[i] < 0.0) return true;
  double gamma = ROUNDOFF * CT_UNIT_ROUNDOFF * (double)(b->count + 1);
  for (size_t i = 0, at = 0; i < b->n; i++) {
    if (at < b->count && b->members[at] == i) {
      at++;
      continue;
    }
    double w = b->job->q[i], terms = fabs(w), error = 0.0;
    for (size_t j = 0; j < b->count; j++) {
      double product = basis_entry(b, i, j) * b->x[j];
      w += product;
      terms += fabs(product);
      error += fabs(basis_entry(b, i, j)) * b->error[j];
    }
    if (w + (1.0 + gamma) * error + gamma * terms < 0.0) return true;
  }
  return false;
}

/* A basis that is not excluded: the first one, or one with the same solution, within the bounds of
 * both errors. */
static bool matches_first_basis(bases *b) {
  double x[ROWS_MAX] = {0.0}, error[ROWS_MAX] = {0.0};
  for (size_t i = 0; i < b->count; i++) {
    x[b->members[i]] = b->x[i];
    error[b->members[i]] = b->error[i];
  }
  bool same = true;
  for (size_t i = 0; b->has_first && i < b->n; i++)
    same &= fabs(x[i] - b->first[i]) <= error[i] + b->first_error[i];
  if (b->has_first) return same;
  b->has_first = true;
  memcpy(b->first, x, sizeof x);
  memcpy(b->first_error, error, sizeof error);
  return true;
}

/* Compares the solution of one basis with the result, and with the solutions of those before. `z`
 * [2 n] scratch. True: the basis has none, or no other. */
static bool compare_basis(bases *b, double *z, ct_lcp_result *result) {
  for (size_t i = 0, at = 0; i < b->n; i++) {
    bool own = at < b->count && b->members[at] == i;
    if (signs_exclude(b, i, own)) return true;
    at += own;
  }
  if (!solve_bounded_basis(b)) return false;
  if (is_basis_excluded(b)) return true;
  if (matches_first_basis(b)) return true;
  /* Two solutions, apart by more than their errors: the result is one of them at most. */
  memset(z, 0, b->n * sizeof *z);
  for (size_t i = 0; i < b->count; i++) z[b->members[i]] = fmax(b->x[i], 0.0);
  if (ct_lcp_consider_alternative(b->job, z, z + b->n, result)) return false;
  for (size_t i = 0; i < b->n; i++) z[i] = fmax(b->first[i], 0.0);
  (void)ct_lcp_consider_alternative(b->job, z, z + b->n, result);
  return false;
}

/* Is the only solution the result? Not where its residual is within the tolerance, but that is not
 * all round-off. */
static bool matches_result(const bases *b, const ct_lcp_result *result) {
  double greatest = 0.0, apart = 0.0;
  for (size_t i = 0; i < b->n; i++) {
    greatest = fmax(greatest, fmax(b->first[i], result->z[i]));
    apart = fmax(apart, fabs(b->first[i] - result->z[i]));
  }
  return b->has_first && apart <= DIFFERENT * greatest;
}

static bool is_problem_in_range(const ct_lcp_job *job) {
  size_t n = job->size;
  for (size_t k = 0; k < n * n + n; k++) {
    double x = fabs(k < n * n ? job->dense[k] : job->q[k - n * n]);
    if (x != 0.0 && !(x >= SIZE_MIN_PROVEN && x <= SIZE_MAX_PROVEN)) return false;
  }
  return true;
}

ct_status ct_lcp_compare_bases(const ct_lcp_job *job, ct_lcp_result *result) {
  size_t n = job->size;
  if (!is_problem_in_range(job)) return CT_OK;
  ct_arena_mark mark = ct_arena_enter(job->arena);
  bases *b = ct_arena_alloc(job->arena, 1, sizeof *b);
  double *z = ct_arena_alloc_doubles(job->arena, 2 * n);
  ct_status status = b && z ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK) {
    *b = (bases){.job = job, .n = n};
    bool alone = true;
    for (uint32_t set = 0; set < (uint32_t)1 << n && status == CT_OK && result->unique != CT_NO;
         set++) {
      b->count = 0;
      for (uint32_t i = 0; i < n; i++)
        if (set >> i & 1) b->members[b->count++] = i;
      alone &= compare_basis(b, z, result);
      if (ct_cancel_raised(job->options->cancel)) status = CT_CANCELLED;
    }
    if (status == CT_OK && result->unique != CT_NO && alone && matches_result(b, result))
      result->unique = CT_YES;
  }
  ct_arena_leave(job->arena, mark);
  return status;
}
