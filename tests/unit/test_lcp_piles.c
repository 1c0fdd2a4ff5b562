/* Linear complementarity of walls of boxes with far more contacts than degrees of freedom: AUTO
 * converges in few iterations. T11.9. */
#include "tests/support/check.h"
#include "tests/support/pile.h"

#include <contact/lcp.h>

typedef struct answer {
  double *z, *w;
  ct_lcp_result result;
} answer;

static void solve(const pile *p, ct_lcp_tie tie, answer *a) {
  ct_lcp input = {{.size = p->count, .dense = p->m}, p->q};
  const ct_lcp_options options = {.tie = tie};
  a->z = calloc(2 * p->count, sizeof *a->z);
  a->w = a->z + p->count;
  a->result = (ct_lcp_result){.z = a->z, .w = a->w};
  ct_arena *arena = ct_arena_create();
  CHECK_INT(ct_lcp_solve(&input, &options, arena, &a->result), CT_OK);
  ct_arena_destroy(arena);
}

/* Checks z by M and q alone. */
static void check_right(const pile *p, const answer *a, double tolerance) {
  CHECK(a->result.converged);
  for (size_t i = 0; i < p->count; i++) {
    long double w = p->q[i];
    for (size_t j = 0; j < p->count; j++) w += (long double)p->m[i * p->count + j] * a->z[j];
    CHECK(a->z[i] >= 0.0);
    CHECK(w >= -tolerance);
    CHECK(a->z[i] <= tolerance || w <= tolerance);
  }
}

/* Also checks that the forces of the ground balance the weight of all boxes. */
static void check_answer(const pile *p, const answer *a, double tolerance) {
  long double sleeping_support = 0;
  check_right(p, a, tolerance);
  for (size_t i = 0; i < p->count; i++)
    if (p->pairs[i][0] < 0) sleeping_support += (long double)p->rows[12 * i + 8] * a->z[i];
  CHECK_NEAR((double)sleeping_support, PILE_GRAVITY * (double)p->boxes, 1e-7 * (double)p->boxes);
}

/* Block pivoting alone cycles on these; Dantzig's method takes 1e4 pivots for the second, Lemke's a
 * minute. */
static void walls_are_solved_in_few_rounds(void) {
  static const int walls[][2] = {{4, 3}, {10, 6}, {11, 8}};
  for (size_t k = 0; k < sizeof walls / sizeof *walls; k++) {
    pile p;
    answer a;
    CHECK(pile_make(&p, walls[k][0], walls[k][1], 0.0));
    CHECK(p.count <= CT_LCP_DIRECT_MAX);
    solve(&p, CT_LCP_TIE_ANY, &a);
    check_answer(&p, &a, 1e-10 * (1.0 + PILE_GRAVITY));
    CHECK_INT(a.result.method, CT_LCP_BLOCK_PIVOTING);
    CHECK(a.result.iterations <= 100);
    free(a.z);
    pile_free(&p);
  }
}

/* Normals perturbed by 1e-7: dependent rows become almost dependent. */
static void walls_that_are_almost_singular_are_solved(void) {
  pile p;
  answer a;
  CHECK(pile_make(&p, 10, 6, 1e-7));
  solve(&p, CT_LCP_TIE_ANY, &a);
  check_answer(&p, &a, 1e-10 * (1.0 + PILE_GRAVITY));
  CHECK(a.result.iterations <= 1000);
  free(a.z);
  pile_free(&p);
}

/* Greater perturbations, where boxes slide and block pivoting does not converge: proximal points
 * for the first, then Lemke's pivots, not Dantzig's thousands. */
static void walls_between_singular_and_regular_are_solved(void) {
  static const struct {
    int wide, high;
    double noise;
    uint64_t most;
  } walls[] = {{10, 6, 1e-5, 200}, {5, 4, 1e-4, 200}, {5, 4, 1e-3, 500}, {5, 4, 1e-2, 500}};
  for (size_t k = 0; k < sizeof walls / sizeof *walls; k++) {
    pile p;
    answer a;
    CHECK(pile_make(&p, walls[k].wide, walls[k].high, walls[k].noise));
    solve(&p, CT_LCP_TIE_ANY, &a);
    check_right(&p, &a, 1e-10 * (1.0 + PILE_GRAVITY));
    CHECK(a.result.iterations <= walls[k].most);
    free(a.z);
    pile_free(&p);
  }
}

/* At any distance from a singular matrix a result that is marked as converged is right to 1e-10, by
 * any method. */
static void what_is_called_solved_is(void) {
  for (double noise = 1e-6; noise < 0.1; noise *= 10.0) {
    pile p;
    answer a;
    CHECK(pile_make(&p, 5, 4, noise));
    solve(&p, CT_LCP_TIE_ANY, &a);
    long double worst = 0, most = 0;
    for (size_t i = 0; i < p.count; i++) {
      long double w = p.q[i];
      for (size_t j = 0; j < p.count; j++) w += (long double)p.m[i * p.count + j] * a.z[j];
      worst = fmaxl(worst, fabsl(fminl(w, a.z[i])));
      most = fmaxl(most, fabsl((long double)p.q[i]));
    }
    CHECK(!a.result.converged || worst <= 1.01e-10L * (1 + most));
    free(a.z);
    pile_free(&p);
  }
}

/* The solution of minimum norm: no other solution is closer to 0 in its direction. */
static void the_least_forces_of_a_wall_are_found(void) {
  pile p;
  answer least, any;
  CHECK(pile_make(&p, 8, 5, 0.0));
  solve(&p, CT_LCP_TIE_MIN_NORM, &least);
  solve(&p, CT_LCP_TIE_ANY, &any);
  check_answer(&p, &least, 1e-10 * (1.0 + PILE_GRAVITY));
  check_answer(&p, &any, 1e-10 * (1.0 + PILE_GRAVITY));
  double towards = 0.0, size = 0.0;
  for (size_t i = 0; i < p.count; i++) {
    towards += least.z[i] * (any.z[i] - least.z[i]);
    size += least.z[i] * least.z[i];
  }
  CHECK(towards >= -1e-8 * size);
  CHECK(least.result.rank_known);
  /* At most the degrees of freedom of the boxes: frictionless contacts do not see all motions. */
  CHECK(least.result.rank <= 6 * p.boxes);
  CHECK_INT(least.result.unique, CT_NO);
  free(least.z);
  free(any.z);
  pile_free(&p);
}

/* M by 2^a and q by 2^b: z by 2^(b - a), bit for bit. */
static void powers_of_two_scale_walls_bit_for_bit(void) {
  enum { A = 5, B = -9 };
  pile p;
  answer plain, scaled;
  CHECK(pile_make(&p, 8, 5, 0.0));
  solve(&p, CT_LCP_TIE_ANY, &plain);
  for (size_t i = 0; i < p.count * p.count; i++) p.m[i] = ldexp(p.m[i], A);
  for (size_t i = 0; i < p.count; i++) p.q[i] = ldexp(p.q[i], B);
  solve(&p, CT_LCP_TIE_ANY, &scaled);
  CHECK_INT(scaled.result.iterations, plain.result.iterations);
  for (size_t i = 0; i < p.count; i++) CHECK(scaled.z[i] == ldexp(plain.z[i], B - A));
  free(plain.z);
  free(scaled.z);
  pile_free(&p);
}

static const check_test tests[] = {
    {"walls_are_solved_in_few_rounds", walls_are_solved_in_few_rounds},
    {"walls_that_are_almost_singular_are_solved", walls_that_are_almost_singular_are_solved},
    {"walls_between_singular_and_regular_are_solved",
     walls_between_singular_and_regular_are_solved},
    {"what_is_called_solved_is", what_is_called_solved_is},
    {"the_least_forces_of_a_wall_are_found", the_least_forces_of_a_wall_are_found},
    {"powers_of_two_scale_walls_bit_for_bit", powers_of_two_scale_walls_bit_for_bit},
};

CHECK_MAIN(tests)
