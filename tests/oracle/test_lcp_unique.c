/* The solver's claims about a linear complementarity problem, `unique`, `infeasible` and
 * `exhausted`, against all of its solutions in exact arithmetic.
 *
 * The solution set is a union of polyhedra, one for each complementary basis. Each vertex is a
 * positive combination of independent columns of the basis, each extreme ray one of as few
 * dependent columns as possible. Both are found by trying all sets of columns, in fraction-free
 * integer arithmetic (Bareiss 1968). Matrices have small integer entries and belong to classes in
 * which solutions are unique, are not, or need not exist. Some are scaled by powers of two: D M D
 * and D q have the solutions D^-1 z.
 *
 * CONTACTD_FULL=1: 10,000 problems with a fresh seed; CONTACTD_SEED repeats a run. */
#include "tests/support/full.h"

#include <contact/lcp.h>

__extension__ typedef __int128 wide;

enum { ROWS = 5, NEAR_ROWS = 2 };
/* Numbers of NEARLY are in units of 2^-NEAR: products of two remain distinct in doubles. */
enum { NEAR = 20 };

typedef enum kind {
  SYMMETRIC, /* nearly all are indefinite */
  GENERAL,
  DOMINANT,   /* strictly diagonally dominant, not symmetric: a P-matrix */
  PRODUCT,    /* J J' of low rank: semidefinite */
  COPOSITIVE, /* symmetric, no entry below 0 */
  ZERO_ROWS,  /* symmetric, some rows and columns are 0 */
  MONOTONE,   /* J J' plus a skew-symmetric matrix */
  DEFINITE,   /* J J' + I */
  NEGATIVE,   /* -(J J' + I) */
  TRIANGULAR, /* with 0 and 1 on the diagonal: P0 */
  NEARLY, /* symmetric, up to two rows, each number within 2^(1 - NEAR) of an integer: nearly tied,
             or nearly singular */
  KINDS
} kind;

typedef struct problem {
  size_t n;
  long long m[ROWS][ROWS], q[ROWS]; /* in units of 2^-NEAR for NEARLY */
  int power[ROWS];
  double scaled[ROWS * ROWS], scaled_q[ROWS];
  bool within_tolerance; /* without a solution, one may exist within the tolerance */
} problem;

/* A solution z = number / denominator. */
typedef struct point {
  wide number[ROWS], denominator;
} point;

typedef struct truth {
  size_t count;
  bool several;
  point first;
} truth;

static int whole(check_random *r, int most) {
  return (int)(check_next(r) % (uint64_t)(2 * most + 1)) - most;
}

static void make_matrix(check_random *r, kind k, problem *p) {
  size_t n = p->n, columns = 1 + check_next(r) % n, zero = check_next(r) % 3;
  int j[ROWS][ROWS];
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < n; c++) j[i][c] = whole(r, 3);
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < n; c++) {
      int product = 0, lower = i > c ? j[i][c] : j[c][i];
      long long *entry = &p->m[i][c];
      for (size_t e = 0; e < columns; e++) product += j[i][e] * j[c][e];
      if (k == SYMMETRIC || k == NEARLY) *entry = lower;
      else if (k == GENERAL) *entry = j[i][c];
      else if (k == DOMINANT) *entry = i == c ? 3 * (int)n : j[i][c];
      else if (k == PRODUCT) *entry = product;
      else if (k == COPOSITIVE) *entry = abs(lower);
      else if (k == ZERO_ROWS) *entry = i % 3 == zero || c % 3 == zero ? 0 : lower;
      else if (k == MONOTONE) *entry = product + (i < c ? j[i][c] : i > c ? -j[c][i] : 0);
      else if (k == DEFINITE) *entry = product + (i == c);
      else if (k == NEGATIVE) *entry = -product - (i == c);
      else *entry = i == c ? j[i][i] > 0 : i > c ? j[i][c] : 0;
    }
}

/* Changes each number by a few units of 2^-NEAR; M stays symmetric. */
static void shake(check_random *r, problem *p) {
  for (size_t i = 0; i < p->n; i++) {
    for (size_t c = 0; c <= i; c++)
      p->m[i][c] = p->m[c][i] = p->m[i][c] * (1LL << NEAR) + whole(r, 2);
    p->q[i] = p->q[i] * (1LL << NEAR) + whole(r, 2);
  }
}

/* Any q; or the q of a solution in small integers, with both z and w zero in some rows. */
static void make(check_random *r, kind k, problem *p) {
  p->n = 1 + check_next(r) % (k == NEARLY ? NEAR_ROWS : ROWS);
  make_matrix(r, k, p);
  bool tied = check_next(r) % 2, scaled = check_next(r) % 4 == 0;
  int z[ROWS] = {0};
  for (size_t i = 0; i < p->n; i++) {
    p->q[i] = whole(r, 3);
    if (tied) {
      int value = whole(r, 2);
      z[i] = value > 0 ? value : 0;
      p->q[i] = value < 0 ? -value : 0;
    }
    p->power[i] = scaled ? whole(r, 6) : 0;
  }
  for (size_t i = 0; i < p->n; i++)
    for (size_t c = 0; c < p->n; c++) p->q[i] -= p->m[i][c] * z[c];
  if (k == NEARLY) shake(r, p);
  p->within_tolerance = k == NEARLY;
  int unit = k == NEARLY ? -NEAR : 0;
  for (size_t i = 0; i < p->n; i++) {
    for (size_t c = 0; c < p->n; c++)
      p->scaled[i * p->n + c] = ldexp((double)p->m[i][c], unit + p->power[i] + p->power[c]);
    p->scaled_q[i] = ldexp((double)p->q[i], unit + p->power[i]);
  }
}

/* ---- all solutions -------------------------------------------------------------------------- */

/* Column of I w - M z = q: of w_i, or of z_i; column n is q. */
static wide column_entry(const problem *p, size_t row, size_t column, bool of_z) {
  if (column == p->n) return p->q[row];
  return of_z ? -(wide)p->m[row][column] : row == column;
}

/* Columns; the last one is to be a combination of the others. */
typedef struct columns {
  size_t count, column[ROWS + 1];
  bool of_z[ROWS + 1];
} columns;

/* The last column = sum of factor_k column_k / *denominator of the others, which are independent.
 * False: they are dependent, or there is no such sum. Fraction-free Gauss-Jordan elimination. */
static bool combine(const problem *p, const columns *from, wide *factors, wide *denominator) {
  size_t n = p->n, count = from->count - 1;
  wide a[ROWS][ROWS + 1], before = 1;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k <= count; k++)
      a[i][k] = column_entry(p, i, from->column[k], from->of_z[k]);
  for (size_t k = 0; k < count; k++) {
    size_t row = k;
    while (row < n && a[row][k] == 0) row++;
    if (row == n) return false;
    for (size_t c = 0; c <= count && row != k; c++) {
      wide exchanged = a[k][c];
      a[k][c] = a[row][c];
      a[row][c] = exchanged;
    }
    for (size_t i = 0; i < n; i++) {
      if (i == k) continue;
      wide times = a[i][k];
      for (size_t c = 0; c <= count; c++) a[i][c] = (a[k][k] * a[i][c] - times * a[k][c]) / before;
    }
    before = a[k][k];
  }
  for (size_t i = count; i < n; i++)
    if (a[i][count] != 0) return false;
  for (size_t k = 0; k < count; k++) factors[k] = before > 0 ? a[k][count] : -a[k][count];
  *denominator = before > 0 ? before : -before;
  return true;
}

static void add_solution(const problem *p, const point *z, truth *t) {
  for (size_t i = 0; i < p->n && t->count > 0; i++)
    t->several |= z->number[i] * t->first.denominator != t->first.number[i] * z->denominator;
  if (t->count++ == 0) t->first = *z;
}

/* Tries the columns `set` of one basis: a vertex, if q is a positive combination of them. */
static bool try_vertex(const problem *p, const columns *set, truth *t) {
  columns all = *set;
  wide factors[ROWS];
  point z = {{0}, 1};
  all.column[all.count] = p->n;
  all.of_z[all.count++] = false;
  if (!combine(p, &all, factors, &z.denominator)) return false;
  for (size_t k = 0; k < set->count; k++) {
    if (factors[k] <= 0) return false;
    if (set->of_z[k]) z.number[set->column[k]] = factors[k];
  }
  add_solution(p, &z, t);
  return true;
}

/* A ray: the negative of the last column is a positive combination of the others. */
static bool is_ray(const problem *p, const columns *set) {
  wide factors[ROWS], denominator;
  if (set->count == 0 || !combine(p, set, factors, &denominator)) return false;
  for (size_t k = 0; k + 1 < set->count; k++)
    if (factors[k] >= 0) return false;
  return true;
}

static columns choose_columns(const problem *p, unsigned basis, unsigned set) {
  columns chosen = {0};
  for (size_t i = 0; i < p->n; i++) {
    if (!(set >> i & 1)) continue;
    chosen.column[chosen.count] = i;
    chosen.of_z[chosen.count++] = basis >> i & 1;
  }
  return chosen;
}

static void find_all(const problem *p, truth *t) {
  *t = (truth){0};
  for (unsigned basis = 0; basis < 1u << p->n; basis++) {
    bool has_vertex = false;
    for (unsigned set = 0; set < 1u << p->n; set++) {
      columns chosen = choose_columns(p, basis, set);
      has_vertex |= try_vertex(p, &chosen, t);
    }
    for (unsigned set = 0; set < 1u << p->n && has_vertex; set++) {
      columns chosen = choose_columns(p, basis, set);
      t->several |= is_ray(p, &chosen);
    }
  }
}

/* ---- the claims ----------------------------------------------------------------------------- */

static long double residual_of(const problem *p, const double *z) {
  long double most = 0.0L;
  for (size_t i = 0; i < p->n; i++) {
    long double w = p->scaled_q[i];
    for (size_t j = 0; j < p->n; j++) w += (long double)p->scaled[i * p->n + j] * z[j];
    most = fmaxl(most, fabsl(fminl(w, z[i])));
  }
  return most;
}

static bool is_first(const problem *p, const truth *t, const double *z) {
  double greatest = 0.0, apart = 0.0;
  for (size_t i = 0; i < p->n; i++) {
    double exact = (double)t->first.number[i] / (double)t->first.denominator,
           own = ldexp(z[i], p->power[i]);
    greatest = fmax(greatest, exact);
    apart = fmax(apart, fabs(own - exact));
  }
  return apart <= 1e-9 * greatest;
}

/* Their residuals are within 1e-8 of the greatest q. Rows in small units may satisfy this without a
 * solution. */
static bool is_iterative(ct_lcp_method method) {
  return method == CT_LCP_PGS || method == CT_LCP_QUADRATIC;
}

static void check_claims(const problem *p, const truth *t, const ct_lcp_result *a) {
  double q_max = 0.0, greatest = 0.0;
  bool apart = false;
  for (size_t i = 0; i < p->n; i++) q_max = fmax(q_max, fabs(p->scaled_q[i]));
  if (a->status == CT_LCP_STATUS_OK && !p->within_tolerance && !is_iterative(a->method))
    CHECK(t->count > 0);
  if (a->status == CT_LCP_STATUS_INFEASIBLE || a->status == CT_LCP_STATUS_EXHAUSTED)
    CHECK(t->count == 0);
  if (a->unique == CT_YES) {
    CHECK(a->converged && t->count > 0 && !t->several);
    /* On a slightly asymmetric M, methods for symmetric M are accurate only to the tolerance. */
    bool for_any =
        a->method == CT_LCP_LEMKE || a->method == CT_LCP_ENUMERATION || a->asymmetry == 0.0;
    CHECK(!for_any || is_first(p, t, a->z));
  }
  if (a->unique != CT_NO) return;
  CHECK(a->converged && t->several);
  for (size_t i = 0; i < p->n; i++) {
    double z = a->z[i], other = a->alternative[i];
    CHECK(other >= 0.0);
    apart |= fabs(other - z) > 1e-8 * fmax(other, z);
    greatest = fmax(greatest, other);
  }
  CHECK(apart);
  CHECK(residual_of(p, a->alternative) <= 1e-10L * (q_max > 0.0 ? q_max : greatest));
}

typedef struct counts {
  int solved, unique, several, unknown;
} counts;

static void solve(const problem *p, ct_lcp_method method, ct_arena *arena, ct_lcp_result *a) {
  const ct_lcp input = {{.size = p->n, .dense = p->scaled}, p->scaled_q};
  const ct_lcp_options options = {.method = method};
  CHECK_INT(ct_lcp_solve(&input, &options, arena, a), CT_OK);
}

static void unique_and_infeasible_are_claimed_only_where_they_are_true(void) {
  int cases = full_cases(1500, 10000);
  check_random r = full_random("unique_and_infeasible_are_claimed_only_where_they_are_true", 16);
  ct_arena *arena = ct_arena_create();
  counts by_kind[KINDS] = {{0}};
  for (int i = 0; i < cases && check_failures < 20; i++) {
    kind k = (kind)(i % KINDS);
    problem p;
    truth t;
    make(&r, k, &p);
    find_all(&p, &t);
    for (int m = 0; m < CT_LCP_METHOD_COUNT; m++) {
      double z[ROWS], w[ROWS], certificate[ROWS], alternative[ROWS];
      ct_lcp_result a = {.z = z, .w = w, .certificate = certificate, .alternative = alternative};
      int before = check_failures;
      solve(&p, (ct_lcp_method)m, arena, &a);
      check_claims(&p, &t, &a);
      if (check_failures > before)
        fprintf(stderr, "  problem %d, kind %d, method %d, n %zu\n", i, (int)k, m, p.n);
      if (m != CT_LCP_AUTO || a.status != CT_LCP_STATUS_OK) continue;
      by_kind[k].solved++;
      by_kind[k].unique += a.unique == CT_YES;
      by_kind[k].several += a.unique == CT_NO;
      by_kind[k].unknown += a.unique == CT_UNKNOWN;
    }
  }
  ct_arena_destroy(arena);
  int several = 0, solved = 0, unknown = 0;
  for (int k = 0; k < KINDS; k++) {
    several += by_kind[k].several;
    solved += by_kind[k].solved;
    unknown += by_kind[k].unknown;
    if (getenv("CONTACTD_FULL"))
      printf("kind %d: %d solved, %d unique, %d several, %d unknown\n", k, by_kind[k].solved,
             by_kind[k].unique, by_kind[k].several, by_kind[k].unknown);
  }
  /* Each outcome is frequent, and each outcome guaranteed by theory always occurs. */
  CHECK(by_kind[SYMMETRIC].several > by_kind[SYMMETRIC].solved / 10);
  CHECK_INT(by_kind[DOMINANT].unique, by_kind[DOMINANT].solved);
  CHECK_INT(by_kind[DEFINITE].unique, by_kind[DEFINITE].solved);
  CHECK(by_kind[PRODUCT].unknown <= by_kind[PRODUCT].solved / 100);
  CHECK(several > solved / 10 && unknown < solved / 5);
}

static const check_test tests[] = {
    {"unique_and_infeasible_are_claimed_only_where_they_are_true",
     unique_and_infeasible_are_claimed_only_where_they_are_true},
};

CHECK_MAIN(tests)
