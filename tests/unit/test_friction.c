/* Friction with the exact cone: published single contacts, closed forms, and properties of the
 * solution for any contacts. friction_oracle.h verifies solutions in long double. */
#include "tests/oracle/friction_oracle.h"
#include "tests/support/check.h"
#include "tests/support/friction_problems.h"

#include <contact/base.h>

static ct_arena *arena;

static ct_friction_result run_query(const friction_case *c, const ct_friction_options *options) {
  ct_friction_result result = {.r = c->r, .u = c->u};
  CHECK_INT(ct_friction_solve(&c->problem, options, arena, &result), CT_OK);
  return result;
}

/* One contact, dense. */
static ct_friction_result ask_one(const double *w, const double *q, double mu, double *r,
                                  double *u) {
  ct_friction_problem p = {
      .matrix = {.size = 3, .dense = w}, .q = q, .mu = &mu, .contacts = 1, .dimension = 3};
  ct_friction_result result = {.r = r, .u = u};
  CHECK_INT(ct_friction_solve(&p, &(ct_friction_options){.tolerance = 1e-14}, arena, &result),
            CT_OK);
  CHECK(result.converged && result.status == CT_FRICTION_STATUS_OK);
  return result;
}

typedef struct published {
  double w[9], q[3], mu, r[3], u[3], digits;
} published;

/* T12.3 (Siconos), T12.4 (the sphere that slides: exact cone); row 53. */
static void one_contact_is_as_published(void) {
  const published cases[] = {
      {{15, -1, -2, -1, 14, 1, -2, 1, 16},
       {-1, 2, 3},
       0.1,
       {.06569568, -.00367861, -.00544307},
       {0, 1.8773606, 2.7778409},
       1e-7},
      {{.01344, -9.421e-7, .001486, -9.421e-7, .1061, .0001733, .001486, .0001733, .001442},
       {-.1458, -.2484, -.1515},
       0.6,
       {10.205876, 1.9318884, 5.8108},
       {0, -.0424292, -.1276201},
       1e-5},
      {{1, 0, 0, 0, 1, 0, 0, 0, 1},
       {-1, 1, 3},
       0.1,
       {1, -.0316228, -.0948683},
       {0, .9683772, 2.9051317},
       1e-7},
      {{1, 0, 0, 0, 3.5, 0, 0, 0, 3.5},
       {-1.5, .955336489125606, .2955202066613396},
       0.1,
       {1.5, -.1433005, -.0443280},
       {0, .4537848, .1403721},
       1e-7},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double r[3], u[3];
    ask_one(cases[i].w, cases[i].q, cases[i].mu, r, u);
    for (int k = 0; k < 3; k++) {
      CHECK_NEAR(r[k], cases[i].r[k], cases[i].digits);
      CHECK_NEAR(u[k], cases[i].u[k], cases[i].digits);
    }
  }
}

static void a_contact_that_parts_has_no_impulse_and_one_that_can_stick_has_no_velocity(void) {
  const double w[9] = {2, 0.3, -0.2, 0.3, 3, 0.4, -0.2, 0.4, 4}, parting[3] = {1e-9, 5, -3},
               held[3] = {-1, 0.3, 0.2}, straight[3] = {2, 0, 0};
  double r[3], u[3];
  ask_one(w, parting, 0.5, r, u);
  CHECK(r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0);
  CHECK(u[0] == 1e-9 && u[1] == 5.0 && u[2] == -3.0);
  ask_one(w, straight, 0.0, r, u);
  CHECK(r[0] == 0.0 && u[0] == 2.0);
  ask_one(w, held, 0.5, r, u);
  for (int k = 0; k < 3; k++) CHECK_NEAR(u[k], 0.0, 1e-15);
}

/* One contact of a body: any inertia, any arm, from needles to balls. The reference evaluates the
 * impulse. */
static void every_single_contact_of_a_body_is_solved_to_rounding(void) {
  check_random random = {12001};
  for (int i = 0; i < 20000; i++) {
    friction_case c = case_random(&random, 1, 1, i % 4 ? 3 : 2);
    if (i % 3 == 0) c.mu[0] = ldexp(1.0, (int)(check_next(&random) % 20) - 10);
    double rounding = 4e-15 * (1.0 + c.mu[0]); /* for errors of u; the residual includes mu |u_t| */
    ct_friction_result result =
        run_query(&c, &(ct_friction_options){.method = CT_FRICTION_NSGS, .tolerance = rounding});
    friction_oracle o = oracle_judge(&c.problem, c.r, c.u);
    if (!result.converged || !(o.residual <= 2.0L * rounding) || o.outside > 0.0L)
      CHECK_FAIL("contact %d of seed 12001 has residual %Lg (told %g), %Lg outside of its cone", i,
                 o.residual, result.residual, o.outside);
    case_free(&c);
  }
}

/* Reported residual, cone violation and power of contacts that share bodies; row 53. */
static void what_is_told_of_random_contacts_is_so(void) {
  check_random random = {12002};
  int converged = 0;
  enum { CASES = 400 };
  for (int i = 0; i < CASES; i++) {
    size_t bodies = 1 + check_next(&random) % 6, contacts = 1 + check_next(&random) % 12;
    friction_case c = case_random(&random, bodies, contacts, i % 4 ? 3 : 2);
    ct_friction_result result = run_query(&c, &(ct_friction_options){0});
    friction_oracle o = oracle_judge(&c.problem, c.r, c.u);
    converged += result.converged;
    CHECK(!result.converged || o.residual <= 1.001e-8L);
    CHECK_NEAR((double)o.residual, result.residual,
               (1e-3 + 2.0 * result.residual) * result.residual + 1e-14);
    CHECK(o.outside <= 0.0L);
    CHECK(o.power <= 4.0L * result.residual + 1e-15L);
    CHECK(o.velocity <= 40 * 0x1p-53L);
    case_free(&c);
  }
  CHECK(converged >= CASES * 95 / 100);
}

/* Bricks on bricks, four feet each: the distribution of forces over the feet is not unique, and
 * sweeps alone do not converge (row 14). */
static void a_heap_of_redundant_contacts_is_solved(void) {
  check_random random = {12010};
  for (size_t layers = 2; layers <= 5; layers++) {
    friction_case c = case_heap(&random, layers, layers, 4);
    ct_friction_result result = run_query(&c, &(ct_friction_options){.tolerance = 1e-12});
    friction_oracle o = oracle_judge(&c.problem, c.r, c.u);
    CHECK(result.converged && o.residual <= 1.1e-12L && o.outside <= 0.0L);
    result = run_query(&c, &(ct_friction_options){.method = CT_FRICTION_GRADIENT});
    o = oracle_judge(&c.problem, c.r, c.u);
    CHECK(result.converged && result.method == CT_FRICTION_GRADIENT && o.residual <= 1.1e-8L);
    case_free(&c);
  }
}

/* One body of 1 kg and 0.1 kg m^2 on two feet, at p from its centre: u = v + w x p. Axes of
 * contacts: z, x, y. */
static void stand_on_two_feet(double p[2][3], double w[36]) {
  static const int axis[3] = {2, 0, 1};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      double across = 0.0;
      for (int k = 0; k < 3; k++) across += p[i][k] * p[j][k];
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
          /* (p_j x e_b) x p_i = e_b (p_i p_j) - p_j (p_i e_b) */
          double turned = (a == b ? across : 0.0) - p[j][axis[a]] * p[i][axis[b]];
          w[6 * (3 * i + a) + 3 * j + b] = (a == b ? 1.0 : 0.0) + 10.0 * turned;
        }
    }
}

/* One foot has to close a gap, the other touches: unless their line is level, the feet cannot both
 * stick. The self-balanced forces between the feet have to grow until one foot slides by the gap.
 */
static void two_feet_that_are_asked_apart_come_to_slide_by_that_little(void) {
  check_random random = {12012};
  for (int n = 0; n < 200; n++) {
    double p[2][3], w[36], q[6], r[6], u[6], start[6],
        gap = pow(10.0, check_uniform(&random, -11, -6));
    const double mu[2] = {0.6, 0.6}, fall[3] = {-0.02, check_uniform(&random, -1e-3, 1e-3),
                                                check_uniform(&random, -1e-3, 1e-3)};
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 3; k++)
        p[i][k] = check_uniform(&random, -0.2, 0.2) + (k == 0 ? 0.5 * i : k == 2 ? -0.4 : 0.0);
      start[3 * i] = 0.01;
      for (int k = 1; k < 3; k++) start[3 * i + k] = check_uniform(&random, -4e-3, 4e-3);
    }
    stand_on_two_feet(p, w);
    for (int k = 0; k < 6; k++) q[k] = fall[k % 3] + (k == 3 ? gap : 0.0);
    const ct_friction_problem problem = {
        .matrix = {.size = 6, .dense = w}, .q = q, .mu = mu, .contacts = 2, .dimension = 3};
    for (int warm = 0; warm < 2; warm++) {
      const ct_friction_options options = {
          .tolerance = 1e-12, .iterations_max = 1000, .start = warm ? start : NULL};
      ct_friction_result result = {.r = r, .u = u};
      CHECK_INT(ct_friction_solve(&problem, &options, arena, &result), CT_OK);
      friction_oracle o = oracle_judge(&problem, r, u);
      CHECK(result.converged && o.residual <= 1.1e-12L && o.outside <= 0.0L);
    }
  }
}

/* Each method by its name, on a suitable problem; the result names the method that solved it. */
static void every_method_solves_a_heap_of_balls(void) {
  const ct_friction_method methods[] = {CT_FRICTION_AUTO, CT_FRICTION_NSGS, CT_FRICTION_NEWTON,
                                        CT_FRICTION_GRADIENT};
  friction_case c = case_heap(&(check_random){12011}, 4, 5, 1);
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    ct_friction_result result =
        run_query(&c, &(ct_friction_options){.method = methods[m], .tolerance = 1e-10});
    CHECK(result.converged && oracle_judge(&c.problem, c.r, c.u).residual <= 1.1e-10L);
    CHECK(result.method != CT_FRICTION_AUTO &&
          (methods[m] == CT_FRICTION_AUTO || result.method == methods[m]));
  }
  case_free(&c);
}

/* Without friction r >= 0, u >= 0, r u = 0 in the normals and nothing else. */
static void without_friction_it_is_a_linear_complementarity_problem(void) {
  check_random random = {12003};
  for (int i = 0; i < 200; i++) {
    friction_case c = case_random(&random, 4, 1 + check_next(&random) % 8, 3);
    for (size_t k = 0; k < c.problem.contacts; k++) c.mu[k] = 0.0;
    ct_friction_result result = run_query(&c, &(ct_friction_options){.tolerance = 1e-11});
    CHECK(result.converged);
    for (size_t k = 0; k < c.problem.contacts; k++) {
      CHECK(c.r[3 * k] >= 0.0 && c.r[3 * k + 1] == 0.0 && c.r[3 * k + 2] == 0.0);
      CHECK_NEAR(fmin(c.r[3 * k], c.u[3 * k]), 0.0, 1e-9);
    }
    case_free(&c);
  }
}

/* Rotated tangents: the exact cone is isotropic, so r rotates with them. */
static void turned_tangents_turn_the_answer(void) {
  check_random random = {12004};
  for (int i = 0; i < 100; i++) {
    friction_case c = case_random(&random, 3, 3, 3), turned = c;
    run_query(&c, &(ct_friction_options){.tolerance = 1e-13});
    double r[9], q[9], angle = check_uniform(&random, 0.0, 6.0), cosine = cos(angle),
                       sine = sin(angle);
    memcpy(r, c.r, sizeof r);
    turned.sides = case_zeros(3, sizeof *turned.sides);
    turned.q = q;
    turned.problem.q = q;
    for (size_t k = 0; k < 3; k++) {
      const double *from = c.q + 3 * k;
      q[3 * k] = from[0];
      q[3 * k + 1] = cosine * from[1] + sine * from[2];
      q[3 * k + 2] = cosine * from[2] - sine * from[1];
      for (int s = 0; s < 2; s++) {
        turned.sides[k][s] = c.sides[k][s];
        for (int m = 0; m < 6; m++) {
          const contact_side *a = &c.sides[k][s];
          turned.sides[k][s].rows[1][m] = cosine * a->rows[1][m] + sine * a->rows[2][m];
          turned.sides[k][s].rows[2][m] = cosine * a->rows[2][m] - sine * a->rows[1][m];
          turned.sides[k][s].moved[1][m] = cosine * a->moved[1][m] + sine * a->moved[2][m];
          turned.sides[k][s].moved[2][m] = cosine * a->moved[2][m] - sine * a->moved[1][m];
        }
      }
    }
    case_assemble(&turned, 3);
    run_query(&turned, &(ct_friction_options){.tolerance = 1e-13});
    for (size_t k = 0; k < 3; k++) {
      CHECK_NEAR(c.r[3 * k], r[3 * k], 1e-9);
      CHECK_NEAR(c.r[3 * k + 1], cosine * r[3 * k + 1] + sine * r[3 * k + 2], 1e-9);
      CHECK_NEAR(c.r[3 * k + 2], cosine * r[3 * k + 2] - sine * r[3 * k + 1], 1e-9);
    }
    free(turned.sides);
    free(turned.starts);
    free(turned.columns);
    free(turned.values);
    case_free(&c);
  }
}

static double *spread(const friction_case *c) {
  size_t n = c->problem.matrix.size;
  double *dense = case_zeros(n * n, sizeof(double));
  for (size_t i = 0; i < n; i++)
    for (size_t e = c->starts[i]; e < c->starts[i + 1]; e++)
      dense[i * n + c->columns[e]] = c->values[e];
  return dense;
}

static void dense_and_sparse_give_the_same_bits_and_so_do_other_units(void) {
  check_random random = {12005};
  for (int i = 0; i < 50; i++) {
    friction_case c = case_random(&random, 4, 9, i % 4 ? 3 : 2);
    size_t n = c.problem.matrix.size;
    double first[27], *dense = spread(&c);
    ct_friction_result one = run_query(&c, &(ct_friction_options){0});
    memcpy(first, c.r, n * sizeof *first);
    c.problem.matrix.dense = dense;
    ct_friction_result two = run_query(&c, &(ct_friction_options){0});
    CHECK(one.residual == two.residual && one.iterations == two.iterations &&
          memcmp(first, c.r, n * sizeof *first) == 0);
    for (size_t k = 0; k < n * n; k++) dense[k] = ldexp(dense[k], 300);
    for (size_t k = 0; k < n; k++) c.q[k] = ldexp(c.q[k], -400);
    ct_friction_result three = run_query(&c, &(ct_friction_options){0});
    CHECK(one.residual == three.residual && one.iterations == three.iterations);
    for (size_t k = 0; k < n; k++) CHECK(ldexp(first[k], -700) == c.r[k]);
    free(dense);
    case_free(&c);
  }
}

static void a_start_that_is_the_answer_needs_no_sweep(void) {
  check_random random = {12006};
  friction_case c = case_random(&random, 4, 9, 3);
  double start[27];
  run_query(&c, &(ct_friction_options){.tolerance = 1e-12});
  memcpy(start, c.r, sizeof start);
  ct_friction_result again =
      run_query(&c, &(ct_friction_options){.tolerance = 2e-12, .start = start});
  CHECK(again.converged);
  CHECK_INT(again.iterations, 0);
  for (size_t k = 0; k < 27; k++) start[k] = -1e3 * check_uniform(&random, -1.0, 1.0);
  CHECK(run_query(&c, &(ct_friction_options){.start = start}).converged);
  case_free(&c);
}

static void an_empty_problem_is_solved(void) {
  ct_friction_problem none = {.dimension = 3};
  size_t starts[1] = {0};
  none.matrix.starts = starts;
  ct_friction_result result = {0};
  CHECK_INT(ct_friction_solve(&none, &(ct_friction_options){0}, arena, &result), CT_OK);
  CHECK(result.converged && result.residual == 0.0);
  friction_case c = case_random(&(check_random){12007}, 2, 3, 3);
  for (int k = 0; k < 9; k++) c.q[k] = 0.0;
  result = run_query(&c, &(ct_friction_options){0});
  CHECK(result.converged && result.residual == 0.0 && result.iterations == 0);
  case_free(&c);
}

/* Two immovable bodies that approach: infeasible, without overflow, and the result is still filled.
 */
static void what_nothing_can_move_is_infeasible(void) {
  const double w[9] = {0}, q[3] = {-1, 1, 0}, mu = 0.5;
  double r[3], u[3];
  ct_friction_problem p = {
      .matrix = {.size = 3, .dense = w}, .q = q, .mu = &mu, .contacts = 1, .dimension = 3};
  ct_friction_result result = {.r = r, .u = u};
  CHECK_INT(ct_friction_solve(&p, &(ct_friction_options){0}, arena, &result), CT_OK);
  CHECK(!result.converged && result.status == CT_FRICTION_STATUS_INFEASIBLE);
  CHECK(u[0] == -1.0 && isfinite(r[0]) && isfinite(result.residual));
}

/* A ball between two approaching walls: sweeps push it to and fro, and a proof of infeasibility
 * ends them. If one wall moves away as fast as the other approaches, the ball rolls along. */
static void a_ball_between_walls_that_close_in_has_no_solution(void) {
  const double w[36] = {1,  0, 0, -1, 0, 0, 0, 3.5, 0, 0, 2.5, 0, 0, 0, 3.5, 0, 0, 2.5,
                        -1, 0, 0, 1,  0, 0, 0, 2.5, 0, 0, 3.5, 0, 0, 0, 2.5, 0, 0, 3.5};
  const double q[6] = {-1.5, 0.1, 0, 1, 0, 0}, mu[2] = {0.3, 0.3};
  double r[6], u[6];
  ct_friction_problem p = {
      .matrix = {.size = 6, .dense = w}, .q = q, .mu = mu, .contacts = 2, .dimension = 3};
  ct_friction_result result = {.r = r, .u = u};
  CHECK_INT(ct_friction_solve(&p, &(ct_friction_options){0}, arena, &result), CT_OK);
  friction_oracle o = oracle_judge(&p, r, u);
  CHECK(!result.converged && result.status == CT_FRICTION_STATUS_INFEASIBLE && o.residual > 1e-8L);
  /* A sliding velocity of any size does not change the scale of the growing forces. */
  p.q = (const double[6]){-1.5, 1e30, 0, 1, 0, 0};
  CHECK_INT(ct_friction_solve(&p, &(ct_friction_options){0}, arena, &result), CT_OK);
  CHECK(!result.converged && result.status == CT_FRICTION_STATUS_INFEASIBLE);
  p.q = (const double[6]){-1.5, 0.1, 0, 1.5, 0, 0};
  CHECK_INT(ct_friction_solve(&p, &(ct_friction_options){0}, arena, &result), CT_OK);
  CHECK(result.converged);
}

/* Arbitrary matrices: unsymmetric, indefinite, singular, with entries over 600 powers of two. Each
 * method ends with finite numbers, forces in their cones, and a true status. */
static void matrices_of_no_body_are_answered_without_a_false_word(void) {
  for (uint64_t i = 0; i < 120; i++) {
    check_random random = {12100 + i};
    unsigned d = i % 3 ? 3 : 2, kind = (unsigned)(check_next(&random) % 6);
    size_t contacts = 1 + check_next(&random) % 4, n = contacts * d;
    double w[144], q[12], mu[4], r[12], u[12];
    for (size_t k = 0; k < n * n; k++) {
      w[k] = check_uniform(&random, -1.0, 1.0);
      if (kind == 1) w[k] = ldexp(w[k], (int)(check_next(&random) % 600) - 300);
      if (kind == 2) w[k] = (double)(int)(check_next(&random) % 3) - 1.0;
      if (kind == 3 && check_next(&random) % 2) w[k] = 0.0;
      if (kind == 4) w[k] = ldexp(w[k], i % 2 ? 1000 : -1000);
    }
    for (size_t k = 0; k < n; k++)
      q[k] = check_next(&random) % 5 ? check_uniform(&random, -1.0, 1.0) : 0.0;
    for (size_t k = 0; k < contacts; k++)
      mu[k] = check_next(&random) % 6 ? check_uniform(&random, 0.0, 1.0) : i % 2 ? 1000.0 : 1e-300;
    ct_friction_problem p = {
        .matrix = {.size = n, .dense = w}, .q = q, .mu = mu, .contacts = contacts, .dimension = d};
    for (int m = 0; m < CT_FRICTION_METHOD_COUNT; m++) {
      ct_friction_result result = {.r = r, .u = u};
      ct_friction_options options = {.method = (ct_friction_method)m, .iterations_max = 3000};
      CHECK_INT(ct_friction_solve(&p, &options, arena, &result), CT_OK);
      friction_oracle o = oracle_judge(&p, r, u);
      bool pyramids = m == CT_FRICTION_POLYHEDRAL, finite = isfinite(result.residual);
      for (size_t k = 0; k < n; k++) finite = finite && isfinite(r[k]) && isfinite(u[k]);
      CHECK(finite && result.residual >= 0.0 &&
            result.converged == (result.status == CT_FRICTION_STATUS_OK));
      CHECK(pyramids || o.outside <= 0.0L);
      if (!pyramids && result.converged && !(o.residual <= 1.1e-8L))
        CHECK_FAIL("matrix %d by method %d: converged with residual %Lg (told %g)", (int)i, m,
                   o.residual, result.residual);
    }
  }
}

static void limits_and_a_raised_flag_end_it(void) {
  friction_case c = case_random(&(check_random){12008}, 6, 20, 3);
  ct_friction_result result = run_query(
      &c,
      &(ct_friction_options){.method = CT_FRICTION_NSGS, .iterations_max = 2, .tolerance = 1e-15});
  CHECK(result.iterations <= 2 && !result.converged &&
        result.status == CT_FRICTION_STATUS_ITERATION_LIMIT);
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  CHECK_INT(ct_friction_solve(&c.problem, &(ct_friction_options){.cancel = cancel}, arena, &result),
            CT_CANCELLED);
  ct_cancel_destroy(cancel);
  ct_friction_problem large = c.problem;
  large.contacts = CT_LCP_ITERATIVE_MAX / 3 + 1;
  CHECK_INT(ct_friction_solve(&large, &(ct_friction_options){0}, arena, &result), CT_LIMIT);
  case_free(&c);
}

/* One contact with W = diag(1, t, t), by a pyramid. */
static ct_friction_result ask_pyramid(double t, const double *q, double mu,
                                      ct_friction_options options, double *r, double *u) {
  const double w[9] = {1, 0, 0, 0, t, 0, 0, 0, t};
  ct_friction_problem p = {
      .matrix = {.size = 3, .dense = w}, .q = q, .mu = &mu, .contacts = 1, .dimension = 3};
  ct_friction_result result = {.r = r, .u = u};
  options.method = CT_FRICTION_POLYHEDRAL;
  CHECK_INT(ct_friction_solve(&p, &options, arena, &result), CT_OK);
  CHECK(result.converged && result.status == CT_FRICTION_STATUS_OK &&
        result.method == CT_FRICTION_POLYHEDRAL);
  return result;
}

#define PI 3.14159265358979323846

/* T12.2: a slope of 30 degrees, downhill in the middle of a facet: mu = 0.6 should stick. The
 * result reports the error of the pyramid. */
static void a_pyramid_is_too_weak_between_its_edges_and_says_by_how_much(void) {
  const struct {
    unsigned directions;
    double slides;
  } cases[] = {{4, 1.3005758}, {8, .1955929}, {0, .1955929}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double k = cases[i].directions ? cases[i].directions : 8.0, half = PI / k,
           normal = 9.81 * cos(PI / 6.0), r[3], u[3];
    const double q[3] = {-normal, 4.905 * cos(half), 4.905 * sin(half)};
    ct_friction_result result =
        ask_pyramid(1.0, q, 0.6, (ct_friction_options){.directions = cases[i].directions}, r, u);
    CHECK_NEAR(r[0], normal, 1e-12);
    CHECK_NEAR(hypot(u[1], u[2]), cases[i].slides, 5e-8);
    CHECK_NEAR(result.cone_error, 1.0 - cos(half), 1e-15);
    ask_pyramid(1.0, q, 0.6,
                (ct_friction_options){.directions = cases[i].directions, .circumscribed = true}, r,
                u);
    CHECK_NEAR(hypot(u[1], u[2]), 0.0, 1e-12);
    double exact[3];
    ct_friction_problem p = {
        .matrix = {.size = 3, .dense = (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}},
        .q = q,
        .mu = (const double[1]){0.6},
        .contacts = 1,
        .dimension = 3};
    CHECK_INT(ct_friction_solve(&p, &(ct_friction_options){0}, arena,
                                &(ct_friction_result){.r = exact, .u = u}),
              CT_OK);
    CHECK_NEAR(hypot(u[1], u[2]), 0.0, 1e-12);
    CHECK_NEAR(hypot(exact[1], exact[2]), 4.905, 1e-12);
  }
}

/* T12.4: the sliding sphere with pyramids. */
static void a_sphere_that_slides_is_braked_along_an_edge_of_its_pyramid(void) {
  const double q[3] = {-1.5, .955336489125606, .2955202066613396};
  double r[3], u[3];
  ask_pyramid(3.5, q, 0.1, (ct_friction_options){.directions = 4}, r, u);
  CHECK_NEAR(r[1], -.15, 1e-13);
  CHECK_NEAR(r[2], 0.0, 1e-13);
  CHECK_NEAR(u[1], .4303365, 5e-8);
  CHECK_NEAR(u[2], .2955202, 5e-8);
  ask_pyramid(3.5, q, 0.1, (ct_friction_options){.directions = 8}, r, u);
  CHECK_NEAR(r[1], -.1381540, 5e-8);
  CHECK_NEAR(r[2], -.0285987, 5e-8);
}

/* As the number of sides grows, the pyramid converges to the cone: normal impulses of random
 * contacts by both. In two dimensions the pyramid is exact. */
static void many_sides_come_near_the_cone(void) {
  check_random random = {12009};
  for (int i = 0; i < 12; i++) {
    friction_case c = case_random(&random, 4, 4, i % 3 ? 3 : 2);
    size_t n = c.problem.matrix.size;
    double r[12];
    ct_friction_result exact = run_query(&c, &(ct_friction_options){.tolerance = 1e-12});
    memcpy(r, c.r, n * sizeof *r);
    double greatest = 0.0;
    for (size_t k = 0; k < n; k++) greatest = fmax(greatest, fabs(r[k]));
    ct_friction_result many =
        run_query(&c, &(ct_friction_options){.method = CT_FRICTION_POLYHEDRAL, .directions = 80});
    CHECK(exact.converged && many.converged);
    for (size_t k = 0; k < n; k++)
      CHECK_NEAR(c.r[k], r[k], (c.problem.dimension == 2 ? 1e-9 : 0.05) * greatest);
    CHECK(many.cone_error == (c.problem.dimension == 2 ? 0.0 : many.cone_error) &&
          many.cone_error < 1e-3);
    case_free(&c);
  }
}

/* A table's redundant feet without friction (the table of T11.1): minimum norm. */
static void feet_without_friction_bear_alike(void) {
  double w[144] = {0}, q[12] = {0}, r[12], u[12];
  const double a[4][4] = {{.5, .1, -.3, .1},
                          {.1, .5, .1, -.3},
                          {-.3, .1, .5, .1},
                          {.1, -.3, .1, .5}},
               mu[4] = {0};
  for (int i = 0; i < 4; i++) {
    q[3 * i] = -9.81;
    for (int j = 0; j < 4; j++) w[36 * i + 3 * j] = a[i][j];
  }
  ct_friction_problem p = {
      .matrix = {.size = 12, .dense = w}, .q = q, .mu = mu, .contacts = 4, .dimension = 3};
  ct_friction_result result = {.r = r, .u = u};
  CHECK_INT(ct_friction_solve(&p, &(ct_friction_options){0}, arena, &result), CT_OK);
  CHECK(result.converged);
  for (int i = 0; i < 4; i++) {
    CHECK_NEAR(r[3 * i], 24.525, 1e-12);
    CHECK_NEAR(u[3 * i], 0.0, 1e-13);
  }
}

static const check_test tests[] = {
    {"a_pyramid_is_too_weak_between_its_edges_and_says_by_how_much",
     a_pyramid_is_too_weak_between_its_edges_and_says_by_how_much},
    {"a_sphere_that_slides_is_braked_along_an_edge_of_its_pyramid",
     a_sphere_that_slides_is_braked_along_an_edge_of_its_pyramid},
    {"many_sides_come_near_the_cone", many_sides_come_near_the_cone},
    {"feet_without_friction_bear_alike", feet_without_friction_bear_alike},
    {"one_contact_is_as_published", one_contact_is_as_published},
    {"a_contact_that_parts_has_no_impulse_and_one_that_can_stick_has_no_velocity",
     a_contact_that_parts_has_no_impulse_and_one_that_can_stick_has_no_velocity},
    {"every_single_contact_of_a_body_is_solved_to_rounding",
     every_single_contact_of_a_body_is_solved_to_rounding},
    {"what_is_told_of_random_contacts_is_so", what_is_told_of_random_contacts_is_so},
    {"a_heap_of_redundant_contacts_is_solved", a_heap_of_redundant_contacts_is_solved},
    {"two_feet_that_are_asked_apart_come_to_slide_by_that_little",
     two_feet_that_are_asked_apart_come_to_slide_by_that_little},
    {"every_method_solves_a_heap_of_balls", every_method_solves_a_heap_of_balls},
    {"without_friction_it_is_a_linear_complementarity_problem",
     without_friction_it_is_a_linear_complementarity_problem},
    {"turned_tangents_turn_the_answer", turned_tangents_turn_the_answer},
    {"dense_and_sparse_give_the_same_bits_and_so_do_other_units",
     dense_and_sparse_give_the_same_bits_and_so_do_other_units},
    {"a_start_that_is_the_answer_needs_no_sweep", a_start_that_is_the_answer_needs_no_sweep},
    {"an_empty_problem_is_solved", an_empty_problem_is_solved},
    {"what_nothing_can_move_is_infeasible", what_nothing_can_move_is_infeasible},
    {"a_ball_between_walls_that_close_in_has_no_solution",
     a_ball_between_walls_that_close_in_has_no_solution},
    {"matrices_of_no_body_are_answered_without_a_false_word",
     matrices_of_no_body_are_answered_without_a_false_word},
    {"limits_and_a_raised_flag_end_it", limits_and_a_raised_flag_end_it},
};

int main(int argc, char **argv) {
  arena = ct_arena_create();
  if (!arena) return 1;
  int failed = check_main(argc, argv, tests, sizeof tests / sizeof *tests);
  ct_arena_destroy(arena);
  return failed;
}
