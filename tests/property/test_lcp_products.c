/* Linear complementarity of M = J J' with random J, of lower rank and with duplicate rows:
 * dependent rows are dependent only up to the round-off of M, as for contacts. Every direct method
 * ends with an answer or a proof of infeasibility. The outcome, and the answer up to powers of two,
 * do not depend on the units of M and q. T11.9. */
#include "tests/support/lcp_proof.h"

#include <contact/lcp.h>

enum { ROWS = 80, SHORT = 120, FULL = 1500 };

typedef long double real;

typedef struct problem {
  size_t n;
  bool solvable; /* by construction */
  double m[ROWS * ROWS], q[ROWS];
} problem;

typedef struct answer {
  double z[ROWS], w[ROWS], certificate[ROWS];
  ct_lcp_result result;
} answer;

/* q = J u, or off that; every second problem has rows in other units, every fifth duplicate
 * rows. */
static void make(check_random *r, int k, problem *p) {
  double j[ROWS][ROWS], u[ROWS], scale[ROWS];
  size_t n = p->n = 1 + check_next(r) % ROWS, rank = 1 + check_next(r) % n;
  p->solvable = k % 4 < 2;
  for (size_t c = 0; c < rank; c++) u[c] = check_uniform(r, -1.0, 1.0);
  for (size_t i = 0; i < n; i++) {
    scale[i] = k % 2 ? ldexp(1.0, (int)(check_next(r) % 13) - 6) : 1.0;
    for (size_t c = 0; c < rank; c++) j[i][c] = check_uniform(r, -1.0, 1.0);
    if (k % 5 == 0 && i % 3 == 2) memcpy(j[i], j[i - 1], sizeof j[i]);
    p->q[i] = p->solvable ? 0.0 : check_uniform(r, -0.1, 0.1);
    for (size_t c = 0; c < rank; c++) p->q[i] += j[i][c] * u[c];
    p->q[i] *= scale[i];
    for (size_t b = 0; b <= i; b++) {
      double sum = 0.0;
      for (size_t c = 0; c < rank; c++) sum += j[i][c] * j[b][c];
      p->m[i * n + b] = p->m[b * n + i] = sum * scale[i] * scale[b];
    }
  }
}

static void solve(const problem *p, const ct_lcp_options *options, ct_arena *arena, answer *a) {
  ct_lcp input = {{.size = p->n, .dense = p->m}, p->q};
  a->result = (ct_lcp_result){.z = a->z, .w = a->w, .certificate = a->certificate};
  CHECK_INT(ct_lcp_solve(&input, options, arena, &a->result), CT_OK);
}

/* min(z, w) of every row, in the units of q. */
static void check_answer(const problem *p, const answer *a) {
  real most = 0, largest = 0;
  for (size_t i = 0; i < p->n; i++) {
    real w = p->q[i];
    for (size_t j = 0; j < p->n; j++) w += (real)p->m[i * p->n + j] * a->z[j];
    most = fmaxl(most, fabsl(fminl(w, a->z[i])));
    largest = fmaxl(largest, fabsl((real)p->q[i]));
    CHECK(a->z[i] >= 0.0);
  }
  CHECK(a->result.converged);
  CHECK(most <= 1.01e-10L * largest);
}

/* M times 2^a and q times 2^b: z times 2^(b - a), with no other bit changed. */
static void check_powers(const problem *p, const ct_lcp_options *options, ct_arena *arena,
                         const answer *plain) {
  static const int powers[][2] = {{10, -7}, {0, -40}, {-20, 33}, {0, 20}};
  for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
    static problem scaled;
    answer a;
    scaled.n = p->n;
    for (size_t i = 0; i < p->n * p->n; i++) scaled.m[i] = ldexp(p->m[i], powers[k][0]);
    for (size_t i = 0; i < p->n; i++) scaled.q[i] = ldexp(p->q[i], powers[k][1]);
    solve(&scaled, options, arena, &a);
    CHECK_INT(a.result.status, plain->result.status);
    CHECK_INT(a.result.unique, plain->result.unique);
    CHECK_INT((int)a.result.rank, (int)plain->result.rank);
    for (size_t i = 0; i < p->n && a.result.converged; i++)
      CHECK(ldexp(a.z[i], powers[k][0] - powers[k][1]) == plain->z[i]);
  }
}

/* The number of problems that a method chosen by name left undecided. */
static int left_open(const problem *p, ct_lcp_method method, ct_arena *arena,
                     ct_lcp_status *first) {
  const ct_lcp_options options = {.method = method};
  answer a;
  solve(p, &options, arena, &a);
  if (method == CT_LCP_AUTO) *first = a.result.status;
  if (method != CT_LCP_LEMKE) check_powers(p, &options, arena, &a);
  bool reported =
      a.result.status == CT_LCP_STATUS_OK || a.result.status == CT_LCP_STATUS_INFEASIBLE;
  if (!reported) return 1;
  /* Another method may decide a problem that AUTO left open. */
  if (*first != CT_LCP_STATUS_OK && *first != CT_LCP_STATUS_INFEASIBLE) *first = a.result.status;
  CHECK_INT(a.result.status, *first);
  if (a.result.status == CT_LCP_STATUS_INFEASIBLE) {
    CHECK(!p->solvable);
    check_farkas(p->m, p->q, p->n, a.certificate, 4e-14L);
  } else {
    check_answer(p, &a);
  }
  return 0;
}

static void every_direct_method_ends_in_an_answer_or_a_proof(void) {
  static const ct_lcp_method methods[] = {CT_LCP_AUTO, CT_LCP_DANTZIG, CT_LCP_BLOCK_PIVOTING,
                                          CT_LCP_LEMKE};
  int count = getenv("CONTACTD_FULL") ? FULL : SHORT, infeasible = 0, open = 0, undecided = 0;
  ct_arena *arena = ct_arena_create();
  for (uint64_t seed = 1; seed <= 3; seed++) {
    check_random r = {seed};
    for (int k = 0; k < count; k++) {
      static problem p;
      ct_lcp_status first = CT_LCP_STATUS_OK;
      int before = check_failures;
      make(&r, k, &p);
      undecided += left_open(&p, methods[0], arena, &first);
      for (size_t m = 1; m < sizeof methods / sizeof *methods; m++)
        open += left_open(&p, methods[m], arena, &first);
      infeasible += first == CT_LCP_STATUS_INFEASIBLE;
      if (check_failures > before)
        fprintf(stderr, "  seed %d, problem %d, n %zu\n", (int)seed, k, p.n);
    }
  }
  ct_arena_destroy(arena);
  /* Methods chosen by name may end undecided for one problem in a hundred; AUTO for one in a
   * thousand. */
  CHECK(undecided <= 3 * count / 1000);
  CHECK(open <= 3 * count / 100);
  CHECK(infeasible > count / 4);
}

/* Rows that sum to zero, plus a small diagonal: z is about 1 where M is about 10 and q is 1e-6, so
 * that the z nearest to the solution is off by more than 1e-10 |q|. */
static void make_large(check_random *r, size_t n, problem *p) {
  double j[ROWS][ROWS] = {{0.0}}, more = ldexp(1.0, -18 - (int)(check_next(r) % 4));
  size_t rank = 1 + n / 4;
  p->n = n;
  for (size_t i = 0; i + 1 < n; i++)
    for (size_t c = 0; c < rank; c++) {
      j[i][c] = check_uniform(r, -2.0, 2.0);
      j[n - 1][c] -= j[i][c];
    }
  for (size_t i = 0; i < n; i++) {
    p->q[i] = -more * check_uniform(r, 0.9, 1.1);
    for (size_t b = 0; b < n; b++) {
      double sum = i == b ? more : 0.0;
      for (size_t c = 0; c < rank; c++) sum += j[i][c] * j[b][c];
      p->m[i * n + b] = sum;
    }
  }
}

static void z_large_beside_q_is_answered_in_any_units(void) {
  static const ct_lcp_method methods[] = {CT_LCP_AUTO, CT_LCP_DANTZIG, CT_LCP_BLOCK_PIVOTING,
                                          CT_LCP_LEMKE};
  ct_arena *arena = ct_arena_create();
  check_random r = {4};
  for (size_t n = 4; n <= 32; n += 4) {
    static problem p;
    make_large(&r, n, &p);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      const ct_lcp_options options = {.method = methods[m],
                                      .tie = m % 2 ? CT_LCP_TIE_ANY : CT_LCP_TIE_MIN_NORM};
      answer a;
      solve(&p, &options, arena, &a);
      check_answer(&p, &a);
      check_powers(&p, &options, arena, &a);
    }
  }
  ct_arena_destroy(arena);
}

static const check_test tests[] = {
    {"every_direct_method_ends_in_an_answer_or_a_proof",
     every_direct_method_ends_in_an_answer_or_a_proof},
    {"z_large_beside_q_is_answered_in_any_units", z_large_beside_q_is_answered_in_any_units},
};

CHECK_MAIN(tests)
