/* Linear complementarity by several methods: they agree, scale, stop, and use bounded memory.
 * T11.9. */
#include "tests/support/check.h"
#include "tests/support/failing_malloc.h"

#include <contact/lcp.h>

#include <malloc.h>

enum { ROWS = 40, COLUMNS = 24 };

typedef struct problem {
  size_t n;
  double m[ROWS * ROWS], q[ROWS];
} problem;

typedef struct answer {
  double z[ROWS], w[ROWS], certificate[ROWS];
  ct_lcp_result result;
} answer;

/* M = J J' of lower rank, q = J u: the problem has a solution. */
static void make(check_random *r, size_t n, problem *p) {
  double j[ROWS][COLUMNS], u[COLUMNS];
  p->n = n;
  for (size_t k = 0; k < COLUMNS; k++) u[k] = check_uniform(r, -1.0, 1.0);
  for (size_t i = 0; i < n; i++) {
    p->q[i] = 0.0;
    for (size_t k = 0; k < COLUMNS; k++) {
      j[i][k] = check_uniform(r, -1.0, 1.0);
      p->q[i] += j[i][k] * u[k];
    }
    for (size_t c = 0; c <= i; c++) {
      double sum = 0.0;
      for (size_t k = 0; k < COLUMNS; k++) sum += j[i][k] * j[c][k];
      p->m[i * n + c] = p->m[c * n + i] = sum;
    }
  }
}

static ct_status solve(const problem *p, const ct_lcp_options *options, ct_arena *arena,
                       answer *a) {
  ct_lcp input = {{.size = p->n, .dense = p->m}, p->q};
  a->result = (ct_lcp_result){.z = a->z, .w = a->w, .certificate = a->certificate};
  return ct_lcp_solve(&input, options, arena, &a->result);
}

/* T11.9: if M is semidefinite, all solutions have the same w. */
static void methods_agree_in_w(void) {
  static const ct_lcp_method methods[] = {CT_LCP_AUTO,  CT_LCP_DANTZIG,   CT_LCP_BLOCK_PIVOTING,
                                          CT_LCP_LEMKE, CT_LCP_QUADRATIC, CT_LCP_PGS};
  check_random r = {1109};
  ct_arena *arena = ct_arena_create();
  for (int k = 0; k < 60; k++) {
    static problem p;
    answer first, other;
    make(&r, 1 + (size_t)k % ROWS, &p);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      const ct_lcp_options options = {
          .method = methods[m], .tolerance = 1e-10, .iterations_max = 200000};
      CHECK_INT(solve(&p, &options, arena, m ? &other : &first), CT_OK);
      const answer *a = m ? &other : &first;
      CHECK(a->result.converged);
      CHECK(a->result.residual <= 1e-9);
      for (size_t i = 0; i < p.n; i++) CHECK_NEAR(a->w[i], first.w[i], 1e-8);
    }
  }
  ct_arena_destroy(arena);
}

/* M by 2^a and q by 2^b: z by 2^(b - a), w by 2^b, bit for bit. */
static void powers_of_two_scale_answers_bit_for_bit(void) {
  static const ct_lcp_method methods[] = {CT_LCP_DANTZIG, CT_LCP_BLOCK_PIVOTING};
  check_random r = {1111};
  ct_arena *arena = ct_arena_create();
  for (int k = 0; k < 40; k++) {
    static problem p, scaled;
    make(&r, 1 + (size_t)k % ROWS, &p);
    int a = (int)(check_next(&r) % 61) - 30, b = (int)(check_next(&r) % 61) - 30;
    scaled.n = p.n;
    for (size_t i = 0; i < p.n * p.n; i++) scaled.m[i] = ldexp(p.m[i], a);
    for (size_t i = 0; i < p.n; i++) scaled.q[i] = ldexp(p.q[i], b);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      const ct_lcp_options options = {.method = methods[m], .tie = CT_LCP_TIE_ANY};
      answer one, two;
      CHECK_INT(solve(&p, &options, arena, &one), CT_OK);
      CHECK_INT(solve(&scaled, &options, arena, &two), CT_OK);
      CHECK_INT(one.result.iterations, two.result.iterations);
      for (size_t i = 0; i < p.n; i++) CHECK_NEAR(ldexp(two.z[i], a - b), one.z[i], 0.0);
    }
  }
  ct_arena_destroy(arena);
}

static void a_raised_flag_ends_every_method(void) {
  check_random r = {1112};
  static problem p;
  answer a;
  make(&r, 12, &p);
  ct_arena *arena = ct_arena_create();
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  for (ct_lcp_method method = CT_LCP_AUTO; method < CT_LCP_METHOD_COUNT; method++) {
    const ct_lcp_options options = {.method = method, .cancel = cancel};
    CHECK_INT(solve(&p, &options, arena, &a), CT_CANCELLED);
  }
  ct_cancel_destroy(cancel);
  ct_arena_destroy(arena);
}

static void who_is_stopped_early_says_so(void) {
  static const ct_lcp_method methods[] = {CT_LCP_DANTZIG, CT_LCP_QUADRATIC, CT_LCP_PGS};
  check_random r = {1113};
  static problem p;
  answer a;
  make(&r, ROWS, &p);
  ct_arena *arena = ct_arena_create();
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    const ct_lcp_options options = {.method = methods[m], .iterations_max = 2};
    CHECK_INT(solve(&p, &options, arena, &a), CT_OK);
    CHECK_INT(a.result.status, CT_LCP_STATUS_ITERATION_LIMIT);
    CHECK(!a.result.converged && a.result.iterations <= 2);
    for (size_t i = 0; i < p.n; i++) CHECK(a.z[i] >= 0.0);
  }
  ct_arena_destroy(arena);
}

static void rows_beyond_the_limit_are_refused(void) {
  ct_arena *arena = ct_arena_create();
  ct_lcp input = {.matrix = {.size = CT_LCP_DIRECT_MAX + 1}};
  ct_lcp_options options = {.method = CT_LCP_DANTZIG};
  ct_lcp_result result = {0};
  CHECK_INT(ct_lcp_solve(&input, &options, arena, &result), CT_LIMIT);
  options.method = CT_LCP_AUTO;
  input.matrix.size = CT_LCP_ITERATIVE_MAX + 1;
  CHECK_INT(ct_lcp_solve(&input, &options, arena, &result), CT_LIMIT);
  ct_arena_destroy(arena);
}

static void memory_that_cannot_be_had_is_told_and_a_warm_solver_takes_none(void) {
  NEEDS_FAILING_MALLOC;
  check_random r = {1114};
  static problem p;
  answer a;
  make(&r, ROWS, &p);
  const ct_lcp_options options = {0};
  memory.counting = true;
  long at = 1;
  for (ct_status status = CT_OUT_OF_MEMORY; status != CT_OK && at < 100; at++) {
    ct_arena *arena = ct_arena_create();
    long live = memory.live;
    memory.taken = 0;
    memory.fail_at = at;
    memory.rest = true;
    status = solve(&p, &options, arena, &a);
    memory.fail_at = 0;
    CHECK(status == CT_OK || status == CT_OUT_OF_MEMORY);
    if (status == CT_OK) {
      CHECK_INT(solve(&p, &options, arena, &a), CT_OK);
      memory.taken = 0;
      CHECK_INT(solve(&p, &options, arena, &a), CT_OK);
      CHECK_INT(memory.taken, 0);
    }
    ct_arena_destroy(arena);
    CHECK_INT(memory.live, live - 1);
  }
  CHECK(at > 2);
  memory.counting = false;
}

/* A chain: M has 2 on the diagonal and -1 beside it. Every third row has a load. */
enum { CHAIN = 100000 };

static void a_hundred_thousand_rows_take_no_square_of_memory(void) {
  size_t *starts = calloc(CHAIN + 1, sizeof *starts);
  uint32_t *columns = calloc((size_t)3 * CHAIN, sizeof *columns);
  double *values = calloc((size_t)3 * CHAIN, sizeof *values),
         *q = calloc((size_t)3 * CHAIN, sizeof *q), *z = q + CHAIN, *w = z + CHAIN;
  for (size_t i = 0; i < CHAIN; i++) {
    size_t e = starts[i];
    for (size_t j = i ? i - 1 : 0; j <= i + 1 && j < CHAIN; j++) {
      columns[e] = (uint32_t)j;
      values[e++] = j == i ? 2.0 : -1.0;
    }
    starts[i + 1] = e;
    q[i] = i % 3 ? 1.0 : -1.0;
  }
  static const ct_lcp_method methods[] = {CT_LCP_AUTO, CT_LCP_QUADRATIC, CT_LCP_PGS};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    ct_arena *arena = ct_arena_create();
    ct_lcp input = {{.size = CHAIN, .starts = starts, .columns = columns, .values = values}, q};
    const ct_lcp_options options = {.method = methods[m]};
    ct_lcp_result result = {.z = z, .w = w};
    CHECK_INT(ct_lcp_solve(&input, &options, arena, &result), CT_OK);
    CHECK(result.converged);
    CHECK_INT(result.method, m == 2 ? CT_LCP_PGS : CT_LCP_QUADRATIC);
    /* Rows 3k have z = 1/2, the rows between them 0. */
    for (size_t i = 1; i + 2 < CHAIN; i++) CHECK_NEAR(z[i], i % 3 ? 0.0 : 0.5, 1e-7);
    /* About ten vectors; the arena's blocks are at most twice the needed size. */
    size_t grown = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    if (FAILING_MALLOC) CHECK(grown < 40 * CHAIN * sizeof(double));
    ct_arena_destroy(arena);
  }
  free(starts);
  free(columns);
  free(values);
  free(q);
}

static void numbers_beyond_a_double_give_no_nonsense(void) {
  const problem p = {2, {1e200, 1e-200, 1e-200, 1e-200}, {-1e200, -1e200}};
  ct_arena *arena = ct_arena_create();
  for (ct_lcp_method method = CT_LCP_AUTO; method < CT_LCP_METHOD_COUNT; method++) {
    answer a;
    const ct_lcp_options options = {.method = method};
    CHECK_INT(solve(&p, &options, arena, &a), CT_OK);
    for (size_t i = 0; i < 2; i++) CHECK(isfinite(a.z[i]) && isfinite(a.w[i]) && a.z[i] >= 0.0);
    CHECK(!isnan(a.result.residual));
  }
  ct_arena_destroy(arena);
}

static const check_test tests[] = {
    {"methods_agree_in_w", methods_agree_in_w},
    {"powers_of_two_scale_answers_bit_for_bit", powers_of_two_scale_answers_bit_for_bit},
    {"a_raised_flag_ends_every_method", a_raised_flag_ends_every_method},
    {"who_is_stopped_early_says_so", who_is_stopped_early_says_so},
    {"rows_beyond_the_limit_are_refused", rows_beyond_the_limit_are_refused},
    {"memory_that_cannot_be_had_is_told_and_a_warm_solver_takes_none",
     memory_that_cannot_be_had_is_told_and_a_warm_solver_takes_none},
    {"a_hundred_thousand_rows_take_no_square_of_memory",
     a_hundred_thousand_rows_take_no_square_of_memory},
    {"numbers_beyond_a_double_give_no_nonsense", numbers_beyond_a_double_give_no_nonsense},
};

CHECK_MAIN(tests)
