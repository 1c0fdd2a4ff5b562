/* Linear complementarity of symmetric positive semidefinite matrices: closed forms, infeasible
 * problems and their proofs, scale. T11.1 to T11.4, T11.7, T11.8. */
#include "tests/support/check.h"

#include <contact/lcp.h>

enum { ROWS = 16 };

typedef struct answer {
  double z[ROWS], w[ROWS], certificate[ROWS];
  ct_lcp_result result;
} answer;

static ct_lcp dense(size_t n, const double *m, const double *q) {
  return (ct_lcp){{.size = n, .dense = m}, q};
}

static void solve_by(ct_lcp problem, ct_lcp_method method, answer *a) {
  ct_arena *arena = ct_arena_create();
  ct_lcp_options options = {.method = method};
  a->result = (ct_lcp_result){.z = a->z, .w = a->w, .certificate = a->certificate};
  CHECK_INT(ct_lcp_solve(&problem, &options, arena, &a->result), CT_OK);
  ct_arena_destroy(arena);
}

static const ct_lcp_method direct[] = {CT_LCP_AUTO, CT_LCP_DANTZIG, CT_LCP_BLOCK_PIVOTING};
enum { DIRECT = sizeof direct / sizeof *direct };

/* Solves by every direct method and compares with z, the solution of minimum norm. */
static void check_solved(ct_lcp problem, const double *z, const double *w, size_t rank,
                         ct_tristate unique) {
  for (int m = 0; m < DIRECT; m++) {
    answer a;
    solve_by(problem, direct[m], &a);
    CHECK(a.result.converged);
    CHECK_INT(a.result.status, CT_LCP_STATUS_OK);
    CHECK(a.result.method != CT_LCP_AUTO);
    CHECK(a.result.rank_known);
    CHECK_INT(a.result.rank, rank);
    CHECK_INT(a.result.unique, unique);
    for (size_t i = 0; i < problem.matrix.size; i++) {
      CHECK_NEAR(a.z[i], z[i], 1e-12 * (1.0 + fabs(z[i])));
      CHECK_NEAR(a.w[i], w[i], 1e-12 * (1.0 + fabs(w[i])));
    }
  }
}

/* T11.1, T11.2, T11.3: a table on four legs; leg order (1, 1), (1, -1), (-1, -1), (-1, 1). */
static const double table[] = {0.5,  0.1, -0.3, 0.1, 0.1, 0.5,  0.1, -0.3,
                               -0.3, 0.1, 0.5,  0.1, 0.1, -0.3, 0.1, 0.5};

static void a_tables_legs_bear_what_lies_on_it(void) {
  const double still[4] = {0};
  check_solved(dense(4, table, (double[]){-9.81, -9.81, -9.81, -9.81}),
               (double[]){24.525, 24.525, 24.525, 24.525}, still, 3, CT_NO);
  check_solved(dense(4, table, (double[]){-14.81, -12.81, -8.81, -10.81}),
               (double[]){33.275, 30.775, 25.775, 28.275}, still, 3, CT_NO);
}

static void a_table_tips_over_two_of_its_legs(void) {
  /* 200 N at (3, 0): 20 from the load itself and 0.6 a N and m from its lever, less gravity. */
  const double q[] = {-149.81, -149.81, 90.19, 90.19};
  check_solved(dense(4, table, q), (double[]){249.68333333333334, 249.68333333333334, 0, 0},
               (double[]){0, 0, 40.25333333333333, 40.25333333333333}, 3, CT_YES);
}

/* T11.4: point masses 1, 2, 3 on top of each other; relative accelerations bottom to top. */
static void a_stack_bears_what_is_above(void) {
  const double m[] = {1.0, -1.0, 0.0, -1.0, 1.5, -0.5, 0.0, -0.5, 0.5 + 1.0 / 3.0};
  check_solved(dense(3, m, (double[]){-9.81, 0, 0}), (double[]){58.86, 49.05, 29.43},
               (double[]){0, 0, 0}, 3, CT_YES);
}

/* T11.7, the symmetric ones. */
static void small_problems_have_their_known_solutions(void) {
  check_solved(dense(2, (double[]){2, 1, 1, 2}, (double[]){-5, -6}),
               (double[]){4.0 / 3.0, 7.0 / 3.0}, (double[]){0, 0}, 2, CT_YES);
  check_solved(dense(2, (double[]){1, 1, 1, 1}, (double[]){-1, -1}), (double[]){0.5, 0.5},
               (double[]){0, 0}, 1, CT_NO);
  check_solved(dense(2, (double[]){1, -1, -1, 1}, (double[]){1, -1}), (double[]){0, 1},
               (double[]){0, 0}, 1, CT_NO);
  check_solved(dense(1, (double[]){0}, (double[]){3}), (double[]){0}, (double[]){3}, 0, CT_YES);
  check_solved(dense(1, (double[]){0}, (double[]){0}), (double[]){0}, (double[]){0}, 0, CT_NO);
  /* Only the zero vector satisfies both rows. */
  check_solved(dense(2, (double[]){1, 1, 1, 1}, (double[]){0, 0}), (double[]){0, 0},
               (double[]){0, 0}, 1, CT_YES);
  check_solved(dense(2, (double[]){1, -1, -1, 1}, (double[]){0, 0}), (double[]){0, 0},
               (double[]){0, 0}, 1, CT_NO);
  /* z3 is unbounded beside z1 = 1. */
  check_solved(dense(3, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 0}, (double[]){-1, 2, 0}),
               (double[]){1, 0, 0}, (double[]){0, 2, 0}, 2, CT_NO);
}

/* T11.8: a mass between two walls that accelerate towards each other. */
static void what_is_squeezed_has_no_solution_and_a_proof(void) {
  const double m[] = {1, -1, -1, 1}, q[] = {-1, -1};
  for (int k = 0; k < DIRECT; k++) {
    answer a;
    solve_by(dense(2, m, q), direct[k], &a);
    CHECK_INT(a.result.status, CT_LCP_STATUS_INFEASIBLE);
    CHECK(!a.result.converged);
    CHECK(a.certificate[0] > 0.0);
    CHECK_NEAR(a.certificate[1] / a.certificate[0], 1.0, 0.0);
  }
}

/* One arena for problems of growing and shrinking size; a sanitizer detects a use of released
 * memory. */
static void scratch_memory_serves_one_problem_after_the_other(void) {
  ct_arena *arena = ct_arena_create();
  for (size_t step = 0; step < 40; step++) {
    size_t n = 1 + 53 * step % 97;
    double *m = calloc(n * n + 3 * n, sizeof *m), *q = m + n * n, *z = q + n, *w = z + n;
    for (size_t i = 0; i < n; i++) {
      m[i * n + i] = 2.0;
      q[i] = i % 2 ? 1.0 : -3.0;
    }
    ct_lcp problem = dense(n, m, q);
    ct_lcp_options options = {.method = step % 3 ? CT_LCP_AUTO : CT_LCP_DANTZIG};
    ct_lcp_result result = {.z = z, .w = w};
    CHECK_INT(ct_lcp_solve(&problem, &options, arena, &result), CT_OK);
    for (size_t i = 0; i < n; i++) CHECK_NEAR(z[i], i % 2 ? 0.0 : 1.5, 0.0);
    free(m);
  }
  ct_arena_destroy(arena);
}

static void nothing_is_solved_at_once(void) {
  answer a;
  solve_by(dense(0, NULL, NULL), CT_LCP_AUTO, &a);
  CHECK(a.result.converged);
}

static const check_test tests[] = {
    {"a_tables_legs_bear_what_lies_on_it", a_tables_legs_bear_what_lies_on_it},
    {"a_table_tips_over_two_of_its_legs", a_table_tips_over_two_of_its_legs},
    {"a_stack_bears_what_is_above", a_stack_bears_what_is_above},
    {"small_problems_have_their_known_solutions", small_problems_have_their_known_solutions},
    {"what_is_squeezed_has_no_solution_and_a_proof", what_is_squeezed_has_no_solution_and_a_proof},
    {"scratch_memory_serves_one_problem_after_the_other",
     scratch_memory_serves_one_problem_after_the_other},
    {"nothing_is_solved_at_once", nothing_is_solved_at_once},
};

CHECK_MAIN(tests)
