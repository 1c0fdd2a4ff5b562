/* Loads on friction cones: an active-set method and an independent Newton method on the dual give
 * the same result. The residual of an infeasible load is a proof; the shortest forces of a feasible
 * load are orthogonal to the null space. Also minimum-norm solutions of singular equations. */
#include "friction/cone_active_set.h"
#include "linear/least_norm.h"
#include "tests/support/check.h"

#define CONES_MAX 12
#define BLOCKS_MAX 3

typedef struct load {
  ct_cone cones[CONES_MAX];
  double target[BLOCKS_MAX * CT_CONE_BLOCK];
  ct_cone_fit_problem problem;
} load;

/* Cones around directions that face one side, and a load that many of them can balance. */
static void make(load *l, check_random *r) {
  size_t count = 2 + check_next(r) % (CONES_MAX - 1), blocks = 1 + check_next(r) % BLOCKS_MAX;
  for (size_t i = 0; i < count; i++) {
    ct_cone *c = &l->cones[i];
    *c = (ct_cone){.block = {check_next(r) % blocks, CT_CONE_NO_BLOCK},
                   .mu = check_next(r) % 4 ? check_uniform(r, 0.0, 1.5) : 0.0};
    if (blocks > 1 && check_next(r) % 2) c->block[1] = (c->block[0] + 1) % blocks;
    for (size_t p = 0; p < 3; p++)
      for (size_t e = 0; e < 2 * CT_CONE_BLOCK; e++)
        c->columns[p][e] = check_uniform(r, -0.5, 0.5) + (p == 0 && e % 6 == 2 ? 2.0 : 0.0);
  }
  for (size_t i = 0; i < blocks * CT_CONE_BLOCK; i++)
    l->target[i] = check_uniform(r, -0.3, 0.3) + (i % 6 == 2 ? 2.0 : 0.0);
  l->problem = (ct_cone_fit_problem){
      .cones = l->cones, .count = count, .target = l->target, .blocks = blocks, .steps_max = 1000};
}

static double length_of(const double *v, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += v[i] * v[i];
  return sqrt(sum);
}

/* target - G f, in long double. */
static double rest_off(const load *l, const double *forces, const double *rest) {
  long double worst = 0.0L;
  for (size_t row = 0; row < l->problem.blocks * CT_CONE_BLOCK; row++) {
    long double sum = l->target[row];
    for (size_t i = 0; i < l->problem.count; i++)
      for (size_t side = 0; side < 2; side++)
        for (size_t p = 0; p < 3; p++)
          if (l->cones[i].block[side] == row / CT_CONE_BLOCK)
            sum -= (long double)forces[3 * i + p] *
                   l->cones[i].columns[p][side * CT_CONE_BLOCK + row % CT_CONE_BLOCK];
    worst = fmaxl(worst, fabsl(sum - rest[row]));
  }
  return (double)worst;
}

/* The greatest dot product of a cone's generator with the residual. */
static double greatest_pull(const load *l, const double *rest) {
  double most = -INFINITY;
  for (size_t i = 0; i < l->problem.count; i++) {
    double x[3] = {0.0, 0.0, 0.0};
    for (size_t side = 0; side < 2; side++)
      for (size_t p = 0; p < 3; p++)
        for (size_t e = 0; l->cones[i].block[side] != CT_CONE_NO_BLOCK && e < CT_CONE_BLOCK; e++)
          x[p] += l->cones[i].columns[p][side * CT_CONE_BLOCK + e] *
                  rest[l->cones[i].block[side] * CT_CONE_BLOCK + e];
    most = fmax(most, x[0] + l->cones[i].mu * length_of(x + 1, 2));
  }
  return most;
}

static void both_ways_agree(void) {
  check_random r = {20260105};
  ct_arena *arena = ct_arena_create();
  int held = 0, apart = 0;
  for (int k = 0; k < (getenv("CONTACTD_FULL") ? 5000 : 250); k++) {
    static load l;
    make(&l, &r);
    double forces[2][3 * CONES_MAX] = {{0.0}}, rest[2][BLOCKS_MAX * CT_CONE_BLOCK];
    ct_cone_fit_result fit = {.forces = forces[0], .rest = rest[0]},
                       hold = {.forces = forces[1], .rest = rest[1]};
    CHECK_INT(ct_cone_fit(&l.problem, arena, &fit), CT_OK);
    CHECK_INT(ct_cone_min_norm(&l.problem, arena, &hold), CT_OK);
    CHECK(fit.status != CT_CONE_FIT_UNDECIDED);
    size_t rows = l.problem.blocks * CT_CONE_BLOCK;
    for (int way = 0; way < 2; way++) CHECK(rest_off(&l, forces[way], rest[way]) < 1e-12);
    for (size_t i = 0; i < l.problem.count; i++)
      for (int way = 0; way < 2; way++) {
        const double *f = &forces[way][3 * i];
        CHECK(f[0] >= 0.0 && length_of(f + 1, 2) <= l.cones[i].mu * f[0] * (1.0 + 1e-14));
      }
    held += fit.status == CT_CONE_FIT_BALANCED;
    apart += fit.status == CT_CONE_FIT_INFEASIBLE;
    if (fit.status == CT_CONE_FIT_BALANCED) CHECK(length_of(rest[0], rows) < 1e-12);
    else CHECK(greatest_pull(&l, rest[0]) <= 1e-10 * length_of(rest[0], rows));
    if (hold.status == CT_CONE_FIT_UNDECIDED) continue;
    CHECK_INT(hold.status, fit.status);
    for (size_t i = 0; i < rows; i++)
      CHECK_NEAR(rest[1][i], rest[0][i], 1e-6 * length_of(rest[0], rows) + 1e-12);
    if (hold.status == CT_CONE_FIT_BALANCED)
      CHECK(length_of(forces[1], 3 * l.problem.count) <=
            length_of(forces[0], 3 * l.problem.count) * (1.0 + 1e-9));
  }
  CHECK(held > 25 && apart > 25);
  ct_arena_destroy(arena);
}

/* A load inside its cone by a relative 1e-11 is feasible, and one outside by as much is not, in any
 * direction. */
static void limit_is_sharp(void) {
  ct_arena *arena = ct_arena_create();
  for (int k = 0; k < 50; k++) {
    ct_cone cones[2] = {{.block = {0, CT_CONE_NO_BLOCK}, .mu = 0.1 + 0.03 * k},
                        {.block = {0, CT_CONE_NO_BLOCK}, .mu = 0.1 + 0.03 * k}};
    for (size_t i = 0; i < 2; i++)
      for (size_t p = 0; p < 3; p++) cones[i].columns[p][p] = 1.0;
    for (int side = -1; side <= 1; side += 2) {
      double part = cones[0].mu * (1.0 + side * 1e-11), x = 1.0 / (1.0 + 0.1 * k),
             y = sqrt(1.0 - x * x), forces[6], rest[6];
      const double target[6] = {1.0, part * x, part * y, 0.0, 0.0, 0.0};
      ct_cone_fit_problem problem = {
          .cones = cones, .count = 2, .target = target, .blocks = 1, .steps_max = 1000};
      ct_cone_fit_result fit = {.forces = forces, .rest = rest};
      CHECK_INT(ct_cone_fit(&problem, arena, &fit), CT_OK);
      CHECK_INT(fit.status, side < 0 ? CT_CONE_FIT_BALANCED : CT_CONE_FIT_INFEASIBLE);
    }
  }
  ct_arena_destroy(arena);
}

/* M = L R of low rank: the solution solves the equations and is orthogonal to the null space of M.
 */
static void least_solution(void) {
  check_random r = {20260106};
  ct_arena *arena = ct_arena_create();
  for (int k = 0; k < 2000; k++) {
    size_t rows = 1 + check_next(&r) % 8, columns = 1 + check_next(&r) % 8,
           rank = 1 + check_next(&r) % 8, found;
    double left[64], across[64], matrix[64], kept[64], right[8], wanted[8], x[8];
    for (int i = 0; i < 64; i++) {
      left[i] = check_uniform(&r, -1.0, 1.0);
      across[i] = check_uniform(&r, -1.0, 1.0);
    }
    for (size_t j = 0; j < columns; j++) wanted[j] = check_uniform(&r, -1.0, 1.0);
    for (size_t i = 0; i < rows; i++) {
      right[i] = 0.0;
      for (size_t j = 0; j < columns; j++) {
        double sum = 0.0;
        for (size_t p = 0; p < rank; p++) sum += left[8 * i + p] * across[8 * p + j];
        matrix[j * rows + i] = kept[j * rows + i] = sum;
        right[i] += sum * wanted[j];
      }
    }
    double goal[8];
    memcpy(goal, right, sizeof goal);
    CHECK(ct_least_norm(&(ct_equations){rows, columns, matrix, right}, x, &found, arena));
    CHECK(found <= rank && found <= rows && found <= columns);
    double along = 0.0;
    for (size_t j = 0; j < columns; j++) along += x[j] * (wanted[j] - x[j]);
    CHECK_NEAR(along, 0.0, 1e-8); /* wanted - x is in the null space of M */
    for (size_t i = 0; i < rows; i++) {
      double sum = 0.0;
      for (size_t j = 0; j < columns; j++) sum += kept[j * rows + i] * x[j];
      CHECK_NEAR(sum, goal[i], 1e-10);
    }
  }
  ct_arena_destroy(arena);
}

static const check_test tests[] = {
    {"two methods agree on what cones hold, on what is left over, and on the shortest forces",
     both_ways_agree},
    {"the limit of what a cone holds is sharp to eleven digits", limit_is_sharp},
    {"the shortest solution of equations that depend on each other", least_solution},
};

CHECK_MAIN(tests)
