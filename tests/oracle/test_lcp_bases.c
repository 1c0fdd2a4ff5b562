/* Linear complementarity against all complementary bases, in long double: random problems of up to
 * ten rows, nonsymmetric, sparse, degenerate, of low rank. A solution is proved by its residual, a
 * Farkas vector by its inequalities. Infeasibility is proved by trying every basis, singular ones
 * by all independent sets of their columns. CONTACTD_FULL=1 for ten thousand problems. */
#include "tests/support/check.h"

#include <contact/lcp.h>

enum { ROWS = 10 };
#define ZERO 1e-12L /* above round-off, below exact nonzero values */

typedef struct problem {
  size_t n;
  double m[ROWS * ROWS], q[ROWS];
} problem;

static double whole(check_random *r, int most) {
  return (double)(int)(check_next(r) % (uint64_t)(2 * most + 1)) - most;
}

/* Kinds of M: integers; reals; sparse; a sum of a few products plus a small rest; the same without
 * the rest, symmetric; reals with a strong diagonal. */
static void make(check_random *r, problem *p) {
  unsigned kind = (unsigned)(check_next(r) % 6), ninth = check_next(r) % 10 == 0;
  p->n = 1 + check_next(r) % (ninth ? 10 : 7);
  size_t n = p->n, rank = (n + 1) / 2;
  double b[ROWS * ROWS];
  for (size_t i = 0; i < n * rank; i++) b[i] = whole(r, 3);
  for (size_t i = 0; i < n; i++) {
    p->q[i] = kind == 1 ? check_uniform(r, -1.0, 1.0) : whole(r, 3);
    for (size_t j = 0; j < n; j++) {
      double products = 0.0, *entry = &p->m[i * n + j];
      for (size_t k = 0; k < rank; k++) products += b[i * rank + k] * b[j * rank + k];
      if (kind == 0) *entry = whole(r, 3);
      else if (kind == 1) *entry = check_uniform(r, -1.0, 1.0);
      else if (kind == 2) *entry = check_next(r) % 2 ? 0.0 : whole(r, 1);
      else if (kind == 3) *entry = products + whole(r, 1);
      else if (kind == 4) *entry = products;
      else *entry = check_uniform(r, -1.0, 1.0) + (i == j ? 2.0 : 0.0);
    }
  }
}

static long double exact_residual(const problem *p, const double *z) {
  long double most = 0.0L;
  for (size_t i = 0; i < p->n; i++) {
    long double w = p->q[i];
    for (size_t j = 0; j < p->n; j++) w += (long double)p->m[i * p->n + j] * z[j];
    most = fmaxl(most, fabsl(fminl(w, z[i])));
  }
  return most;
}

/* y >= 0, M'y <= 0 up to the last bit of a double, q'y < 0. */
static bool proves(const problem *p, const double *y) {
  long double value = 0.0L;
  for (size_t i = 0; i < p->n; i++) {
    if (!(y[i] >= 0.0)) return false;
    value += (long double)p->q[i] * y[i];
  }
  for (size_t j = 0; j < p->n; j++) {
    long double sum = 0.0L, size = 0.0L;
    for (size_t i = 0; i < p->n; i++) {
      sum += (long double)p->m[i * p->n + j] * y[i];
      size += fabsl((long double)p->m[i * p->n + j] * y[i]);
    }
    if (sum > 8.0L * 0x1p-53L * size) return false;
  }
  return value < 0.0L;
}

/* Column of the variable in I w - M z = q: kind 1 is w_i, kind 2 is z_i. */
static long double entry_of(const problem *p, size_t row, size_t i, unsigned kind) {
  if (kind == 1) return row == i ? 1.0L : 0.0L;
  return -(long double)p->m[row * p->n + i];
}

typedef enum outcome { NOT_NONNEGATIVE, DEPENDENT, SOLUTION } outcome;

/* Is q a combination of the chosen columns with factors >= 0? Gauss-Jordan elimination with row
 * exchanges. */
static outcome combine(const problem *p, const unsigned *kinds) {
  size_t n = p->n, columns = 0;
  long double a[ROWS][ROWS + 1];
  for (size_t i = 0; i < n; i++) {
    if (!kinds[i]) continue;
    for (size_t row = 0; row < n; row++) a[row][columns] = entry_of(p, row, i, kinds[i]);
    columns++;
  }
  for (size_t row = 0; row < n; row++) a[row][columns] = p->q[row];
  for (size_t c = 0; c < columns; c++) {
    size_t best = c;
    for (size_t row = c + 1; row < n; row++)
      if (fabsl(a[row][c]) > fabsl(a[best][c])) best = row;
    if (fabsl(a[best][c]) < ZERO) return DEPENDENT;
    for (size_t k = c; k <= columns; k++) {
      long double exchanged = a[c][k];
      a[c][k] = a[best][k];
      a[best][k] = exchanged;
    }
    for (size_t row = 0; row < n; row++) {
      if (row == c || a[row][c] == 0.0L) continue;
      long double f = a[row][c] / a[c][c];
      for (size_t k = c; k <= columns; k++) a[row][k] -= f * a[c][k];
    }
  }
  for (size_t row = 0; row < n; row++) {
    long double value = row < columns                   ? a[row][columns] / a[row][row]
                        : fabsl(a[row][columns]) > ZERO ? -1.0L
                                                        : 0.0L;
    if (value < -ZERO) return NOT_NONNEGATIVE;
  }
  return SOLUTION;
}

/* Tries every basis, and of a singular one every independent subset of its columns
 * (Caratheodory). */
static bool solvable(const problem *p) {
  for (unsigned basis = 0; basis < 1u << p->n; basis++) {
    unsigned all[ROWS], some[ROWS];
    for (size_t i = 0; i < p->n; i++) all[i] = 1 + (basis >> i & 1);
    outcome o = combine(p, all);
    if (o == SOLUTION) return true;
    if (o == NOT_NONNEGATIVE) continue;
    for (unsigned chosen = 0; chosen < 1u << p->n; chosen++) {
      for (size_t i = 0; i < p->n; i++) some[i] = chosen >> i & 1 ? all[i] : 0;
      if (combine(p, some) == SOLUTION) return true;
    }
  }
  return false;
}

typedef struct counts {
  int solved, infeasible, exhausted, rays;
} counts;

static void check_answer(const problem *p, const ct_lcp_result *r, bool has_solution, counts *c) {
  double q_max = 0.0;
  for (size_t i = 0; i < p->n; i++) q_max = fmax(q_max, fabs(p->q[i]));
  if (r->status == CT_LCP_STATUS_OK) {
    c->solved++;
    CHECK(r->converged && has_solution);
    for (size_t i = 0; i < p->n; i++) CHECK(r->z[i] >= 0.0);
    CHECK(exact_residual(p, r->z) <= 1e-10L * (1.0L + q_max));
    /* The reported residual is exact up to its own round-off, even far below the tolerance. */
    CHECK_NEAR(r->residual, (double)exact_residual(p, r->z), 1e-12 * (1.0 + q_max));
    return;
  }
  CHECK(!r->converged);
  if (r->status == CT_LCP_STATUS_INFEASIBLE) {
    c->infeasible++;
    CHECK(!has_solution);
    CHECK(proves(p, r->certificate));
  } else if (r->status == CT_LCP_STATUS_EXHAUSTED) {
    c->exhausted++;
    CHECK(!has_solution);
  } else {
    /* Only Lemke's method, chosen by name, may end undecided. */
    CHECK_INT(r->status, CT_LCP_STATUS_RAY);
    CHECK_INT(r->method, CT_LCP_LEMKE);
    c->rays++;
  }
}

static void random_problems_are_solved_or_have_no_solution(void) {
  int problems = getenv("CONTACTD_FULL") ? 10000 : 400;
  check_random r = {26};
  ct_arena *arena = ct_arena_create();
  static const ct_lcp_method methods[] = {CT_LCP_AUTO, CT_LCP_ENUMERATION, CT_LCP_LEMKE};
  counts c[3] = {{0}};
  for (int i = 0; i < problems; i++) {
    problem p;
    make(&r, &p);
    bool has_solution = solvable(&p);
    for (int k = 0; k < 3; k++) {
      double z[ROWS], w[ROWS], y[ROWS];
      ct_lcp_result result = {.z = z, .w = w, .certificate = y};
      ct_lcp_options options = {.method = methods[k]};
      int before = check_failures;
      CHECK_INT(ct_lcp_solve(&(ct_lcp){{.size = p.n, .dense = p.m}, p.q}, &options, arena, &result),
                CT_OK);
      check_answer(&p, &result, has_solution, &c[k]);
      if (check_failures > before)
        fprintf(stderr, "  problem %d of seed 26, %s\n", i,
                k == 0   ? "auto"
                : k == 1 ? "bases"
                         : "Lemke");
    }
    CHECK_INT(c[0].solved, c[1].solved);
  }
  ct_arena_destroy(arena);
  /* Every outcome occurs. */
  CHECK(c[0].solved > problems / 3 && c[0].infeasible > problems / 20 &&
        c[0].exhausted > problems / 50);
  CHECK(c[2].solved > problems / 3 && c[2].rays < problems / 2);
}

static const check_test tests[] = {
    {"random_problems_are_solved_or_have_no_solution",
     random_problems_are_solved_or_have_no_solution},
};

CHECK_MAIN(tests)
