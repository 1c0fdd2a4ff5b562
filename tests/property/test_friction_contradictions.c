/* Contacts that no impulses can separate are reported infeasible without forcing the proof after
 * each solve.
 *
 * Balls of random masses form a column between a floor and a lid, and others touch the column from
 * the side. In one case the lid closes in faster than any side contact permits: the sum of all
 * normal velocities of the column equals that of the lid for any impulses, which is the Farkas
 * vector. In the other case the lid leaves room, and impulses that stop all balls are an answer.
 * The iteration limit is so low that most feasible problems have not converged either.
 * CONTACTD_FULL=1: 10,000 columns. */
#include "tests/support/full.h"

#include <contact/friction.h>

enum {
  BALLS = 12,
  SIDES = 4,
  CONTACTS = BALLS + 1 + SIDES,
  ROWS = 3 * CONTACTS,
  MOTIONS = 6 * BALLS
};

typedef struct column {
  size_t balls, contacts;
  double rows[ROWS][MOTIONS]; /* J */
  double inverse[MOTIONS];    /* inverse masses and inertias */
  double w[ROWS * ROWS], q[ROWS], mu[CONTACTS], r[ROWS], u[ROWS];
} column;

/* Adds sign times the velocity of a ball's point at unit `arm` from its centre to a contact's
 * rows. */
static void add_side(column *c, size_t contact, size_t ball, double sign, const double normal[3],
                     const double arm[3]) {
  double frame[3][3] = {{normal[0], normal[1], normal[2]}};
  size_t least = fabs(normal[0]) < 0.6 ? 0 : 1;
  double length = sqrt(1.0 - normal[least] * normal[least]);
  for (size_t k = 0; k < 3; k++) frame[1][k] = ((k == least) - normal[least] * normal[k]) / length;
  for (size_t k = 0; k < 3; k++) {
    size_t i = (k + 1) % 3, j = (k + 2) % 3;
    frame[2][k] = frame[0][i] * frame[1][j] - frame[0][j] * frame[1][i];
  }
  for (size_t row = 0; row < 3; row++)
    for (size_t k = 0; k < 3; k++) {
      size_t i = (k + 1) % 3, j = (k + 2) % 3;
      c->rows[3 * contact + row][6 * ball + k] += sign * frame[row][k];
      c->rows[3 * contact + row][6 * ball + 3 + k] +=
          sign * (arm[i] * frame[row][j] - arm[j] * frame[row][i]);
    }
}

static void make(check_random *random, bool closes, column *c) {
  static const double up[3] = {0, 0, 1}, down[3] = {0, 0, -1};
  *c = (column){.balls = 1 + check_next(random) % BALLS};
  size_t sides = check_next(random) % (SIDES + 1);
  double mu = check_next(random) % 3 ? check_uniform(random, 0.1, 0.9) : 0.0;
  c->contacts = c->balls + 1 + sides;
  for (size_t i = 0; i < c->balls; i++) {
    double mass = exp(check_uniform(random, -2.0, 2.0));
    for (size_t k = 0; k < 3; k++) {
      c->inverse[6 * i + k] = 1.0 / mass;
      c->inverse[6 * i + 3 + k] = 2.5 / mass;
    }
  }
  for (size_t i = 0; i <= c->balls; i++) {
    if (i < c->balls) add_side(c, i, i, 1.0, up, down);
    if (i > 0) add_side(c, i, i - 1, -1.0, up, up);
  }
  for (size_t i = c->balls + 1; i < c->contacts; i++) {
    double angle = check_uniform(random, 0.0, 6.28), normal[3] = {cos(angle), sin(angle), 0.0};
    double arm[3] = {-normal[0], -normal[1], 0.0};
    add_side(c, i, check_next(random) % c->balls, 1.0, normal, arm);
  }
  for (size_t i = 0; i < c->contacts; i++) c->mu[i] = mu;
  double velocity[MOTIONS];
  for (size_t k = 0; k < MOTIONS; k++)
    velocity[k] = k % 6 == 2 ? check_uniform(random, -2.0, 0.0) : 0.0;
  for (size_t a = 0; a < 3 * c->contacts; a++)
    for (size_t k = 0; k < MOTIONS; k++) {
      c->q[a] += c->rows[a][k] * velocity[k];
      for (size_t b = 0; b < 3 * c->contacts; b++)
        c->w[a * 3 * c->contacts + b] += c->rows[a][k] * c->inverse[k] * c->rows[b][k];
    }
  c->q[3 * c->balls] += closes ? -check_uniform(random, 0.1, 1.0) : check_uniform(random, 0.0, 0.1);
}

static ct_friction_result solve(column *c, ct_friction_proof proof, uint64_t iterations,
                                ct_arena *arena) {
  const ct_friction_problem problem = {
      {.size = 3 * c->contacts, .dense = c->w}, c->q, c->mu, c->contacts, 3};
  const ct_friction_options options = {
      .method = CT_FRICTION_NSGS, .tolerance = 1e-12, .iterations_max = iterations, .proof = proof};
  ct_friction_result result = {.r = c->r, .u = c->u};
  CHECK_INT(ct_friction_solve(&problem, &options, arena, &result), CT_OK);
  return result;
}

static void contradictions_are_recognised_without_a_proof_after_each_solve(void) {
  static column c;
  int cases = full_cases(1500, 10000), unfinished = 0;
  check_random random =
      full_random("contradictions_are_recognised_without_a_proof_after_each_solve", 8);
  ct_arena *arena = ct_arena_create();
  for (int i = 0; i < cases && check_failures < 10; i++) {
    bool closes = i % 2;
    make(&random, closes, &c);
    uint64_t iterations = 12 + check_next(&random) % 200;
    ct_friction_result always = solve(&c, CT_FRICTION_PROOF_ALWAYS, iterations, arena);
    ct_friction_result indicated = solve(&c, CT_FRICTION_PROOF_WHEN_INDICATED, iterations, arena);
    CHECK_INT(always.status == CT_FRICTION_STATUS_INFEASIBLE, closes);
    CHECK_INT(indicated.status, always.status);
    CHECK(indicated.residual == always.residual && indicated.iterations == always.iterations);
    ct_friction_result never = solve(&c, CT_FRICTION_PROOF_NEVER, iterations, arena);
    CHECK(never.status != CT_FRICTION_STATUS_INFEASIBLE);
    unfinished += !closes && !never.converged;
    if (check_failures)
      fprintf(stderr, "  column %d: %zu balls, %zu contacts, mu %g, %d sweeps\n", i, c.balls,
              c.contacts, c.mu[0], (int)iterations);
  }
  ct_arena_destroy(arena);
  CHECK(unfinished > cases / 8);
}

static const check_test tests[] = {
    {"contradictions_are_recognised_without_a_proof_after_each_solve",
     contradictions_are_recognised_without_a_proof_after_each_solve},
};

CHECK_MAIN(tests)
