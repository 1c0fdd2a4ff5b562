/* Linear complementarity of arbitrary matrices: Lemke's method, enumeration of bases, Farkas
 * vectors. Closed forms of T11.7, families with exponentially long paths, cancellation. */
#include "tests/support/check.h"
#include "tests/support/failing_malloc.h"

#include <contact/lcp.h>

enum { ROWS = 40 };

typedef struct answer {
  double z[ROWS], w[ROWS], certificate[ROWS];
  ct_lcp_result result;
} answer;

static ct_status solve_with(size_t n, const double *m, const double *q, ct_lcp_options options,
                            answer *a) {
  ct_arena *arena = ct_arena_create();
  ct_lcp problem = {{.size = n, .dense = m}, q};
  a->result = (ct_lcp_result){.z = a->z, .w = a->w, .certificate = a->certificate};
  ct_status status = ct_lcp_solve(&problem, &options, arena, &a->result);
  ct_arena_destroy(arena);
  return status;
}

static void solve_by(size_t n, const double *m, const double *q, ct_lcp_method method, answer *a) {
  CHECK_INT(solve_with(n, m, q, (ct_lcp_options){.method = method}, a), CT_OK);
}

static void check_solution(size_t n, const double *m, const double *q, const double *z) {
  static const ct_lcp_method methods[] = {CT_LCP_AUTO, CT_LCP_LEMKE, CT_LCP_ENUMERATION};
  for (int k = 0; k < 3; k++) {
    answer a;
    solve_by(n, m, q, methods[k], &a);
    CHECK_INT(a.result.status, CT_LCP_STATUS_OK);
    CHECK(a.result.converged && a.result.residual <= 1e-15 * (1.0 + fabs(q[0])));
    for (size_t i = 0; i < n; i++) CHECK_NEAR(a.z[i], z[i], 1e-14 * fabs(z[i]));
  }
}

/* T11.7 */
static void small_problems_have_their_known_solutions(void) {
  check_solution(2, (double[]){2, 1, 1, 2}, (double[]){-5, -6}, (double[]){4.0 / 3.0, 7.0 / 3.0});
  check_solution(3, (double[]){0, -1, 2, 2, 0, -2, -1, 1, 0}, (double[]){-3, 6, -1},
                 (double[]){0, 1, 3});
  const double cone[] = {11, 0, 10, -1, 0, 11, 10, -1, 10, 10, 21, -1, 1, 1, 1, 0};
  check_solution(4, cone, (double[]){50, 50, 10, -6}, (double[]){2, 2, 2, 92});
  check_solution(4, cone, (double[]){50, 50, 23, -6}, (double[]){3, 3, 0, 83});
  check_solution(3, (double[]){0, -1, -1, 1, 0, 0, -1, 0, 0}, (double[]){0, -1, 1},
                 (double[]){1, 0, 0});
  check_solution(2, (double[]){1, 0, 0, 1}, (double[]){0, 3}, (double[]){0, 0});
}

/* T11.7: z = (1, t, t + 1e-4) for any t >= 0. */
static void one_of_a_line_of_solutions_is_found(void) {
  answer a;
  solve_by(3, (double[]){0, -1, 1, 1, 0, 0, -1, 0, 0}, (double[]){-1e-4, -1, 1}, CT_LCP_LEMKE, &a);
  CHECK_INT(a.result.status, CT_LCP_STATUS_OK);
  CHECK_NEAR(a.z[0], 1.0, 0.0);
  CHECK(a.z[1] >= 0.0);
  CHECK_NEAR(a.z[2] - a.z[1], 1e-4, 1e-15);
}

static void murty(size_t n, double *m) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) m[i * n + j] = i == j ? 1.0 : j > i ? 2.0 : 0.0;
}

/* T11.7: 2^6 - 1 pivots after z0 has entered, on any machine. */
static void murtys_path_passes_all_its_bases(void) {
  double m[36];
  murty(6, m);
  answer a;
  solve_by(6, m, (double[]){-126, -124, -120, -112, -96, -64}, CT_LCP_LEMKE, &a);
  CHECK_INT(a.result.status, CT_LCP_STATUS_OK);
  CHECK_INT(a.result.iterations, 63);
  for (int i = 0; i < 6; i++) CHECK_NEAR(a.z[i], i == 5 ? 64.0 : 0.0, 0.0);
  check_solution(6, m, (double[]){-1, -1, -1, -1, -1, -1}, (double[]){0, 0, 0, 0, 0, 1});
}

/* T11.7: Lemke's path from d = 1 may end in a ray; AUTO still finds one of the three solutions. */
static void a_bimatrix_game_is_solved_by_its_bases(void) {
  const double m[] = {0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0},
               q[] = {-1, -1, -1, -1};
  static const double solutions[3][4] = {{0.1, 0.0, 0.1, 0.0},
                                         {0.0, 1.0 / 15.0, 0.0, 1.0 / 15.0},
                                         {1.0 / 90.0, 4.0 / 90.0, 1.0 / 90.0, 4.0 / 90.0}};
  answer a;
  solve_by(4, m, q, CT_LCP_LEMKE, &a);
  CHECK(a.result.status == CT_LCP_STATUS_RAY || a.result.converged);
  solve_by(4, m, q, CT_LCP_AUTO, &a);
  CHECK(a.result.converged);
  int matches = 0;
  for (int s = 0; s < 3; s++) {
    double off = 0.0;
    for (int i = 0; i < 4; i++) off = fmax(off, fabs(a.z[i] - solutions[s][i]));
    matches += off <= 1e-15;
  }
  CHECK_INT(matches, 1);
}

/* Fathi's matrices L L' (L unit lower triangular with twos): from d = 1 the path has 2^n - 1
 * pivots. */
static void fathis_family_is_solved_in_a_few_thousand_pivots(void) {
  double m[ROWS * ROWS], q[ROWS];
  for (size_t n = 4; n <= ROWS; n += 4) {
    for (size_t i = 0; i < n; i++) {
      q[i] = -1.0;
      for (size_t j = 0; j < n; j++)
        m[i * n + j] = (i == j ? 1.0 : 2.0) + 4.0 * (double)(i < j ? i : j);
    }
    static const ct_lcp_method methods[] = {CT_LCP_AUTO, CT_LCP_LEMKE};
    for (int k = 0; k < 2; k++) {
      answer a;
      solve_by(n, m, q, methods[k], &a);
      CHECK_INT(a.result.status, CT_LCP_STATUS_OK);
      CHECK(a.result.iterations <= 25000 + 250 * n);
      for (size_t i = 0; i < n; i++) CHECK_NEAR(a.z[i], i == 0 ? 1.0 : 0.0, 1e-12);
    }
  }
}

/* Murty's exponential family with a right-hand side for each n: z = (0, ..., 0, 2^n). */
static void murtys_family_is_solved_up_to_forty_rows(void) {
  double m[ROWS * ROWS], q[ROWS];
  for (size_t n = 2; n <= ROWS; n += 2) {
    murty(n, m);
    for (size_t i = 0; i < n; i++) q[i] = ldexp(1.0, (int)i + 1) - ldexp(1.0, (int)n + 1);
    answer a;
    solve_by(n, m, q, CT_LCP_LEMKE, &a);
    CHECK(a.result.converged);
    for (size_t i = 0; i < n; i++) CHECK_NEAR(a.z[i], i == n - 1 ? ldexp(1.0, (int)n) : 0.0, 0.0);
  }
}

/* No z >= 0 has -z1 - 2 z2 >= 1; and T11.8. */
static void an_infeasible_problem_is_told_with_its_proof(void) {
  static const double general[] = {-1, -2, 3, 1}, squeezed[] = {1, -1, -1, 1};
  for (int k = 0; k < 2; k++) {
    answer a;
    solve_by(2, k == 0 ? general : squeezed, (double[]){-1, -1}, CT_LCP_LEMKE, &a);
    CHECK_INT(a.result.status, CT_LCP_STATUS_INFEASIBLE);
    CHECK(!a.result.converged);
    CHECK(a.certificate[0] > 0.0 && a.certificate[1] >= 0.0);
    if (k == 1) CHECK_NEAR(a.certificate[0], a.certificate[1], 0.0);
  }
}

/* w1 = z2 - 1, w2 = z1 - z2 - 1, w3 = z1 - 3: z = (5, 2, 0) is feasible. z2 > 0, so w2 = 0 and z1 >
 * 0, so w1 = 0, z = (2, 1, .), and w3 < 0. */
static void a_feasible_problem_without_a_solution_is_exhausted(void) {
  const double m[] = {0, 1, 0, 1, -1, 0, 1, 0, 0}, q[] = {-1, -1, -3};
  static const ct_lcp_method methods[] = {CT_LCP_AUTO, CT_LCP_ENUMERATION};
  for (int k = 0; k < 2; k++) {
    answer a;
    solve_by(3, m, q, methods[k], &a);
    CHECK_INT(a.result.status, CT_LCP_STATUS_EXHAUSTED);
    CHECK_INT(a.result.method, CT_LCP_ENUMERATION);
    CHECK_INT(a.result.iterations, 8);
    CHECK(!a.result.converged);
  }
  answer a;
  solve_by(3, m, q, CT_LCP_LEMKE, &a);
  CHECK_INT(a.result.status, CT_LCP_STATUS_RAY);
}

/* A zero matrix has 2^n singular bases; each is excluded, or contains the solution. */
static void singular_bases_are_looked_at_too(void) {
  const double zeros[16] = {0};
  answer a;
  solve_by(4, zeros, (double[]){0, 0, -1, 0}, CT_LCP_ENUMERATION, &a);
  CHECK_INT(a.result.status, CT_LCP_STATUS_EXHAUSTED);
  CHECK_INT(a.result.iterations, 16);
  /* Every basis with the solution, z1 - z2 = 1 with either w zero, is singular: z = (1 + t, t). */
  solve_by(2, (double[]){1, -1, 1, -1}, (double[]){-1, -1}, CT_LCP_ENUMERATION, &a);
  CHECK(a.result.converged);
  CHECK_NEAR(a.z[0] - a.z[1], 1.0, 0.0);
}

static void what_is_cancelled_ends_at_once(void) {
  double m[36];
  murty(6, m);
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  answer a;
  static const ct_lcp_method methods[] = {CT_LCP_LEMKE, CT_LCP_ENUMERATION};
  for (int k = 0; k < 2; k++)
    CHECK_INT(solve_with(6, m, (double[]){-1, -1, -1, -1, -1, -1},
                         (ct_lcp_options){.method = methods[k], .cancel = cancel}, &a),
              CT_CANCELLED);
  ct_cancel_destroy(cancel);
}

static void no_more_pivots_are_taken_than_allowed(void) {
  double m[36];
  murty(6, m);
  answer a;
  CHECK_INT(solve_with(6, m, (double[]){-126, -124, -120, -112, -96, -64},
                       (ct_lcp_options){.method = CT_LCP_LEMKE, .iterations_max = 20}, &a),
            CT_OK);
  CHECK_INT(a.result.status, CT_LCP_STATUS_ITERATION_LIMIT);
  CHECK(!a.result.converged && a.result.iterations <= 20);
}

static void more_rows_than_bases_can_be_counted_for_are_refused(void) {
  static double m[17 * 17], q[17];
  answer a;
  CHECK_INT(solve_with(17, m, q, (ct_lcp_options){.method = CT_LCP_ENUMERATION}, &a), CT_LIMIT);
}

/* M scaled by 2^40 and q by 2^30 scale z by 2^-10 and w by 2^30, bit for bit. */
static void units_change_nothing(void) {
  check_random r = {20};
  for (int trial = 0; trial < 50; trial++) {
    double m[25], q[5], scaled[25], scaled_q[5];
    for (int i = 0; i < 25; i++) m[i] = check_uniform(&r, -1.0, 1.0) + (i % 6 == 0 ? 2.0 : 0.0);
    for (int i = 0; i < 5; i++) q[i] = check_uniform(&r, -1.0, 1.0);
    for (int i = 0; i < 25; i++) scaled[i] = ldexp(m[i], 40);
    for (int i = 0; i < 5; i++) scaled_q[i] = ldexp(q[i], 30);
    answer a, b;
    solve_by(5, m, q, CT_LCP_LEMKE, &a);
    solve_by(5, scaled, scaled_q, CT_LCP_LEMKE, &b);
    CHECK(a.result.converged && b.result.converged);
    for (int i = 0; i < 5; i++) {
      CHECK(b.z[i] == ldexp(a.z[i], -10));
      CHECK(b.w[i] == ldexp(a.w[i], 30));
    }
  }
}

/* A game whose paths run in double and in extended precision, and linear programs: each allocation
 * fails in turn. */
static void out_of_memory_is_reported(void) {
  NEEDS_FAILING_MALLOC;
  double m[ROWS * ROWS] = {0}, q[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    q[i] = -1.0;
    for (size_t j = 0; j < ROWS; j++)
      if (i / (ROWS / 2) != j / (ROWS / 2)) m[i * ROWS + j] = 1.0 + (double)((i * 7 + j * 5) % 11);
  }
  answer a;
  long refused = 0;
  ct_status status = CT_OUT_OF_MEMORY;
  while (status == CT_OUT_OF_MEMORY && refused < 100) {
    long live = memory.live;
    memory.taken = 0;
    memory.fail_at = ++refused;
    memory.counting = true;
    ct_arena *arena = ct_arena_create();
    ct_lcp_options options = {.method = CT_LCP_AUTO};
    a.result = (ct_lcp_result){.z = a.z, .w = a.w, .certificate = a.certificate};
    status =
        arena ? ct_lcp_solve(&(ct_lcp){{.size = ROWS, .dense = m}, q}, &options, arena, &a.result)
              : CT_OUT_OF_MEMORY;
    ct_arena_destroy(arena);
    memory.counting = false;
    CHECK_INT(memory.live, live);
  }
  memory.fail_at = 0;
  CHECK(refused > 3);
  CHECK_INT(status, CT_OK);
}

/* The second solve uses the memory that the first one left in the arena. */
static void a_warm_solver_allocates_nothing(void) {
  NEEDS_FAILING_MALLOC;
  static double m[ROWS * ROWS], q[ROWS];
  for (size_t i = 0; i < ROWS; i++) q[i] = ldexp(1.0, (int)i + 1) - ldexp(1.0, ROWS + 1);
  murty(ROWS, m);
  static const ct_lcp_method methods[] = {CT_LCP_LEMKE, CT_LCP_AUTO};
  for (int k = 0; k < 2; k++) {
    answer a;
    ct_arena *arena = ct_arena_create();
    ct_lcp_options options = {.method = methods[k]};
    for (int again = 0; again < 2; again++) {
      a.result = (ct_lcp_result){.z = a.z, .w = a.w, .certificate = a.certificate};
      memory.taken = 0;
      memory.counting = true;
      CHECK_INT(ct_lcp_solve(&(ct_lcp){{.size = ROWS, .dense = m}, q}, &options, arena, &a.result),
                CT_OK);
      memory.counting = false;
      CHECK(a.result.converged);
      CHECK(again ? memory.taken == 0 : memory.taken > 0);
    }
    ct_arena_destroy(arena);
  }
}

static const check_test tests[] = {
    {"small_problems_have_their_known_solutions", small_problems_have_their_known_solutions},
    {"one_of_a_line_of_solutions_is_found", one_of_a_line_of_solutions_is_found},
    {"murtys_path_passes_all_its_bases", murtys_path_passes_all_its_bases},
    {"a_bimatrix_game_is_solved_by_its_bases", a_bimatrix_game_is_solved_by_its_bases},
    {"fathis_family_is_solved_in_a_few_thousand_pivots",
     fathis_family_is_solved_in_a_few_thousand_pivots},
    {"murtys_family_is_solved_up_to_forty_rows", murtys_family_is_solved_up_to_forty_rows},
    {"an_infeasible_problem_is_told_with_its_proof", an_infeasible_problem_is_told_with_its_proof},
    {"a_feasible_problem_without_a_solution_is_exhausted",
     a_feasible_problem_without_a_solution_is_exhausted},
    {"singular_bases_are_looked_at_too", singular_bases_are_looked_at_too},
    {"what_is_cancelled_ends_at_once", what_is_cancelled_ends_at_once},
    {"no_more_pivots_are_taken_than_allowed", no_more_pivots_are_taken_than_allowed},
    {"more_rows_than_bases_can_be_counted_for_are_refused",
     more_rows_than_bases_can_be_counted_for_are_refused},
    {"units_change_nothing", units_change_nothing},
    {"out_of_memory_is_reported", out_of_memory_is_reported},
    {"a_warm_solver_allocates_nothing", a_warm_solver_allocates_nothing},
};

CHECK_MAIN(tests)
