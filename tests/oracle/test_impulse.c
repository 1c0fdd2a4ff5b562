/* Impulses of one contact and of several, against closed forms, and against friction integrated in
 * long double (impact_oracle.h). CONTACTD_FULL=1 for the full numbers. */
#include "tests/oracle/impact_oracle.h"
#include "tests/support/contact_sets.h"

/* For numbers of order 1. */
#define ROUNDOFF 1e-14
/* The published values have seven decimals. */
#define PRINTED 6e-8

static ct_pair_material dry(double mu, double restitution) {
  return (ct_pair_material){mu, mu, restitution, 0.0};
}

static void by_law(const contact_set *s, ct_impulse_law law, struck *out) {
  ct_impulse_options options = impulse_options(law, CT_SIMULTANEITY_NEWTON);
  strike(s, &options, out);
}

static void strike_told(const contact_set *s, const ct_impulse_options *options,
                        double *certificate, struck *out) {
  if (!arena) arena = ct_arena_create();
  ct_contact_set set = set_of(s);
  out->result = (ct_impulse_result){
      .contacts = out->contacts, .velocities = out->velocities, .certificate = certificate};
  CHECK_INT(ct_impulse_solve(&set, options, arena, &out->result), CT_OK);
}

static void check_vec(ct_vec3 actual, double x, double y, double z, double tolerance) {
  CHECK_NEAR(actual.x, x, tolerance);
  CHECK_NEAR(actual.y, y, tolerance);
  CHECK_NEAR(actual.z, z, tolerance);
}

/* T10.1, rows 44 and 45: a rod falls flat and hits the floor with one end: half of its velocity
 * becomes rotation. Its impulse and moment are the changes of its momenta; restitution 0, 1/2 and
 * 1. */
static void a_rod_that_lands_on_its_end_turns(void) {
  for (int i = 0; i < 3; i++) {
    double e = 0.5 * i, j = (1.0 + e) / 4.0;
    contact_set s = {0};
    uint32_t floor = set_fixed(&s), rod = set_dynamic(&s, 1.0, ct_vec(1.0 / 12, 1, 1.0 / 12),
                                                      ct_vec(0, 0, 0), ct_vec(0, -1, 0));
    set_touch(&s, floor, rod, ct_vec(0.5, 0, 0), ct_vec(0, 1, 0))->material = dry(0.0, e);
    struck k;
    by_law(&s, CT_IMPULSE_ALGEBRAIC, &k);
    CHECK_NEAR(k.contacts[0].normal, j, ROUNDOFF);
    check_vec(k.contacts[0].impulse, 0, j, 0, ROUNDOFF);
    check_vec(k.velocities[rod].linear, 0, -1 + j, 0, ROUNDOFF);
    check_vec(k.velocities[rod].angular, 0, 0, 6 * j, ROUNDOFF);
    CHECK_NEAR(k.contacts[0].normal_after, e, ROUNDOFF);
    CHECK_NEAR(k.result.energy_before, 0.5, ROUNDOFF);
    CHECK_NEAR(k.result.energy_after, 0.5 - (1 - e * e) / 8, ROUNDOFF);
    CHECK_INT(k.contacts[0].outcome, CT_IMPULSE_OUTCOME_FRICTIONLESS);
    CHECK_TEXT(k.result.law, "frictionless");
  }
}

/* T10.2, row 45: 1 kg at 2 m/s hits 3 kg at rest, with restitution 1/2. */
static void spheres_meet_head_on(void) {
  contact_set s = {0};
  set_ball(&s, 1, 0.5, ct_vec(-0.5, 0, 0), ct_vec(2, 0, 0));
  set_ball(&s, 3, 0.5, ct_vec(0.5, 0, 0), ct_vec(0, 0, 0));
  set_touch(&s, 0, 1, ct_vec(0, 0, 0), ct_vec(1, 0, 0))->material = dry(0.0, 0.5);
  struck k;
  by_law(&s, CT_IMPULSE_ALGEBRAIC, &k);
  CHECK_NEAR(k.contacts[0].normal, 2.25, ROUNDOFF);
  CHECK_NEAR(k.velocities[0].linear.x, -0.25, ROUNDOFF);
  CHECK_NEAR(k.velocities[1].linear.x, 0.75, ROUNDOFF);
}

static void ball_on_floor(contact_set *s, double mu, double angle) {
  *s = (contact_set){0};
  set_fixed(s);
  set_ball(s, 1, 1, ct_vec(0, 0, 1), ct_vec(cos(angle), sin(angle), -1));
  set_touch(s, 0, 1, ct_vec(0, 0, 0), ct_vec(0, 0, 1))->material = dry(mu, 0.5);
}

/* T10.3, row 51: friction rotates the ball. A point mass would keep its direction; with the ball's
 * impulse that is too much, and the contact slips backwards. */
static void a_ball_slides_or_rolls_off(void) {
  contact_set s;
  struck k;
  for (ct_impulse_law law = CT_IMPULSE_ALGEBRAIC; law <= CT_IMPULSE_ENERGETIC; law++) {
    ball_on_floor(&s, 0.1, 0.0);
    by_law(&s, law, &k);
    check_vec(k.contacts[0].impulse, -0.15, 0, 1.5, ROUNDOFF);
    check_vec(k.contacts[0].after, 0.475, 0, 0.5, ROUNDOFF);
    CHECK_INT(k.contacts[0].outcome, CT_IMPULSE_OUTCOME_SLIDE);
    ball_on_floor(&s, 0.3, 0.0);
    by_law(&s, law, &k);
    check_vec(k.contacts[0].tangential, -2.0 / 7, 0, 0, ROUNDOFF);
    check_vec(k.contacts[0].after, 0, 0, 0.5, ROUNDOFF);
    check_vec(k.velocities[1].linear, 5.0 / 7, 0, 0.5, ROUNDOFF);
    CHECK_INT(k.contacts[0].outcome, CT_IMPULSE_OUTCOME_STICK);
  }
  by_law(&s, CT_IMPULSE_POINT_MASS, &k);
  check_vec(k.velocities[1].linear, 0.55, 0, 0.5, ROUNDOFF);
  check_vec(k.contacts[0].after, -0.575, 0, 0.5, ROUNDOFF);
  CHECK(k.result.rotation_ignored);
  CHECK_TEXT(k.result.law, "pointMass");
}

/* Row 51: bodies that do not rotate are point masses, and all laws agree: v_T becomes 0, or
 * decreases by mu |dv_N|. */
static void points_slide_by_the_rule_of_points(void) {
  for (int i = 0; i < 8; i++) {
    double mu = 0.1 * i, left = ct_max2(1.0 - mu * 1.5, 0.0);
    contact_set s = {0};
    set_fixed(&s);
    set_ball(&s, 2, 1, ct_vec(0, 0, 0), ct_vec(0.6, 0.8, -1));
    set_touch(&s, 0, 1, ct_vec(0, 0, 0), ct_vec(0, 0, 1))->material = dry(mu, 0.5);
    for (ct_impulse_law law = CT_IMPULSE_ALGEBRAIC; law <= CT_IMPULSE_POINT_MASS; law++) {
      struck k;
      by_law(&s, law, &k);
      check_vec(k.velocities[1].linear, 0.6 * left, 0.8 * left, 0.5, ROUNDOFF);
      CHECK(!k.result.rotation_ignored);
    }
  }
}

/* T12.4: the impulse of the exact cone opposes the slip, for every orientation of the axes. */
static void friction_is_against_the_slip(void) {
  contact_set s;
  struck k;
  ball_on_floor(&s, 0.1, 0.3);
  by_law(&s, CT_IMPULSE_ALGEBRAIC, &k);
  check_vec(k.contacts[0].tangential, -0.15 * cos(0.3), -0.15 * sin(0.3), 0, ROUNDOFF);
}

/* T10.4: the body's K, to the published digits; friction from sticking to sliding that accelerates
 * while energy falls. */
static void a_body_that_couples_its_directions(void) {
  const struct {
    double mu, j, energy;
  } truth[] = {{0.0, 2.4166667, 5.0864583},
               {0.802345, 4.4055354, 1.1797085},
               {0.4, 3.1255823, 2.4785434},
               {0.1, 2.5619353, 4.4422571}};
  for (int i = 0; i < 4; i++) {
    contact_set s = {0};
    set_fixed(&s);
    set_dynamic(&s, 2, ct_vec(0.1, 0.2, 0.3), ct_vec(0, 0, 0), ct_vec(1, -2, 0.5));
    s.bodies[1].velocity.angular = ct_vec(0.5, -1, 2);
    ct_contact *t = set_touch(&s, 0, 1, ct_vec(0.3, -0.4, 0.1), ct_vec(0, 1, 0));
    t->material = dry(truth[i].mu, 0.5);
    struck k;
    by_law(&s, CT_IMPULSE_ALGEBRAIC, &k);
    check_vec(k.contacts[0].before.relative, 1.7, -1.45, 0.6, ROUNDOFF);
    CHECK_NEAR(k.contacts[0].normal, truth[i].j, PRINTED);
    CHECK_NEAR(k.result.energy_before, 5.9625, ROUNDOFF);
    CHECK_NEAR(k.result.energy_after, truth[i].energy, PRINTED);
    if (i == 1) check_vec(k.contacts[0].impulse, -3.3514519, 4.4055354, -1.1235027, PRINTED);
    if (i == 1) check_vec(k.contacts[0].after, 0, 0.725, 0, ROUNDOFF);
    if (i == 2) check_vec(k.contacts[0].impulse, -1.1789576, 3.1255823, -0.4161027, PRINTED);
    if (i == 2) check_vec(k.contacts[0].after, 1.7354443, 0.725, 0.9660147, PRINTED);
    CHECK_INT(k.contacts[0].outcome, i == 0   ? CT_IMPULSE_OUTCOME_FRICTIONLESS
                                     : i == 1 ? CT_IMPULSE_OUTCOME_STICK
                                              : CT_IMPULSE_OUTCOME_SLIDE);
    t->material.static_friction = t->material.dynamic_friction = 0.802343;
    by_law(&s, CT_IMPULSE_ALGEBRAIC, &k);
    CHECK_TEXT(k.result.law, "integrated");
  }
}

/* A rod of half length 1 in the plane, whose lower end hits the floor. */
static void falling_rod(contact_set *s, double across, double down, ct_vec3 velocity,
                        ct_pair_material material) {
  *s = (contact_set){0};
  set_fixed(s);
  set_dynamic(s, 1, ct_vec(1, 1, 1.0 / 3), ct_vec(0, 0, 0), velocity);
  set_touch(s, 0, 1, ct_vec(-across, -down, 0), ct_vec(0, 1, 0))->material = material;
}

/* T10.8: the slip stops and reverses; the algebraic law would have passed through rest. Closed
 * form: two line segments. */
static void slip_stops_and_reverses(void) {
  const struct {
    ct_impulse_law law;
    double j, along, x, y, gained;
  } truth[] = {{CT_IMPULSE_ALGEBRAIC, 0.8724037, 0.0718660, -0.3997211, 0.4333498, -0.2435706},
               {CT_IMPULSE_INTEGRATED, 0.8724037, 0.0718660, -0.3997211, 0.4333498, -0.2435706},
               {CT_IMPULSE_ENERGETIC, 0.8821058, 0.0738064, -0.4060181, 0.4478078, -0.2400777}};
  contact_set s;
  falling_rod(&s, 0.5, sqrt(0.75), ct_vec(0.5, -1, 0), dry(0.2, 0.5));
  for (int i = 0; i < 3; i++) {
    struck k;
    by_law(&s, truth[i].law, &k);
    check_vec(k.contacts[0].impulse, truth[i].along, truth[i].j, 0, PRINTED);
    check_vec(k.contacts[0].after, truth[i].x, truth[i].y, 0, PRINTED);
    CHECK_NEAR(k.result.energy_after - k.result.energy_before, truth[i].gained, PRINTED);
    CHECK_INT(k.contacts[0].outcome, CT_IMPULSE_OUTCOME_REVERSE);
    CHECK(k.result.converged && k.result.residual < ROUNDOFF);
    CHECK_TEXT(k.result.law, i == 2 ? "energetic" : "integrated");
  }
}

/* T10.9: friction presses the rod onto the floor until the slip has stopped. The algebraic law
 * sticks immediately. */
static void friction_that_presses_jams(void) {
  contact_set s;
  struck k;
  falling_rod(&s, 1 / sqrt(5.0), 2 / sqrt(5.0), ct_vec(-1, -0.1, 0), dry(2.0, 0.5));
  by_law(&s, CT_IMPULSE_ALGEBRAIC, &k);
  CHECK_NEAR(k.contacts[0].tangential.x / k.contacts[0].normal, 1.0409357, PRINTED);
  CHECK_NEAR(k.result.energy_after - k.result.energy_before, -0.2331875, ROUNDOFF);
  CHECK_INT(k.contacts[0].outcome, CT_IMPULSE_OUTCOME_STICK);
  by_law(&s, CT_IMPULSE_INTEGRATED, &k);
  check_vec(k.contacts[0].impulse, 0.4979412, 0.5775, 0, PRINTED);
  check_vec(k.contacts[0].after, 0, 0.2264706, 0, PRINTED);
  CHECK_NEAR(k.contacts[0].normal, 0.5775, ROUNDOFF);
  CHECK_INT(k.contacts[0].outcome, CT_IMPULSE_OUTCOME_JAM);
}

/* T10.6: the last of three touching balls leaves alone; without restitution all stay together. */
static void a_cradle_hands_the_blow_on(void) {
  for (int i = 0; i < 4; i++) {
    bool elastic = i % 2, backwards = i / 2;
    contact_set s = {0};
    for (int b = 0; b < 3; b++) set_ball(&s, 1, 0.5, ct_vec(b, 0, 0), ct_vec(b == 0, 0, 0));
    for (uint32_t c = 0; c < 2; c++) {
      uint32_t a = backwards ? 1 - c : c;
      set_touch(&s, a, a + 1, ct_vec(a + 0.5, 0, 0), ct_vec(1, 0, 0))->material = dry(0.0, elastic);
    }
    ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, CT_SIMULTANEITY_SEQUENTIAL);
    struck k;
    strike(&s, &options, &k);
    for (int b = 0; b < 3; b++)
      CHECK_NEAR(k.velocities[b].linear.x, elastic ? b == 2 : 1.0 / 3, 1e-13);
    CHECK(k.result.converged);
    CHECK_TEXT(k.result.law, "sequential");
  }
}

/* T10.6: solved simultaneously, the impulses are (1 + e) (2/3, 1/3) under every restitution law,
 * and the first ball rebounds. */
static void a_cradle_at_once_rolls_back(void) {
  for (ct_simultaneity mode = CT_SIMULTANEITY_NEWTON; mode <= CT_SIMULTANEITY_POISSON; mode++)
    for (int e = 0; e < 2; e++) {
      contact_set s = {0};
      for (int b = 0; b < 3; b++) set_ball(&s, 1, 0.5, ct_vec(b, 0, 0), ct_vec(b == 0, 0, 0));
      for (uint32_t a = 0; a < 2; a++)
        set_touch(&s, a, a + 1, ct_vec(a + 0.5, 0, 0), ct_vec(1, 0, 0))->material = dry(0.0, e);
      ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, mode);
      struck k;
      strike(&s, &options, &k);
      CHECK_NEAR(k.contacts[0].normal, (1 + e) * 2.0 / 3, ROUNDOFF);
      CHECK_NEAR(k.contacts[1].normal, (1 + e) * 1.0 / 3, ROUNDOFF);
      for (int b = 0; b < 3; b++)
        CHECK_NEAR(k.velocities[b].linear.x, (1 + e) / 3.0 - (b == 0 && e), ROUNDOFF);
      CHECK_NEAR(k.result.energy_after, e ? 0.5 : 1.0 / 6, ROUNDOFF);
      CHECK(k.result.converged && k.result.guard == CT_GUARD_PASSED);
      CHECK_TEXT(k.result.law, mode == CT_SIMULTANEITY_NEWTON ? "newton" : "poisson");
    }
}

/* A point mass of 1 kg in a corner of two walls whose normals have the cosine -0.9: G = [[1, -.9],
 * [-.9, 1]]. */
static void corner(contact_set *s, double u1, double u2, double e1, double e2) {
  *s = (contact_set){0};
  double side = sqrt(1.0 - 0.81);
  set_fixed(s);
  set_ball(s, 1, 0.1, ct_vec(0, 0, 0), ct_vec(u1, (u2 + 0.9 * u1) / side, 0));
  set_touch(s, 0, 1, ct_vec(0, 0, 0), ct_vec(1, 0, 0))->material = dry(0.0, e1);
  set_touch(s, 0, 1, ct_vec(0, 0, 0), ct_vec(-0.9, side, 0))->material = dry(0.0, e2);
}

/* T10.5: with one contact already separating, Newton's law creates energy; the guard reduces
 * restitution until none is created. */
static void a_corner_makes_energy_unless_guarded(void) {
  contact_set s;
  struck k;
  corner(&s, -1, 0.5, 1, 1);
  ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, CT_SIMULTANEITY_NEWTON);
  options.energy_guard = false;
  strike(&s, &options, &k);
  CHECK_NEAR(k.contacts[0].normal, 8.1578947, PRINTED);
  CHECK_NEAR(k.contacts[1].normal, 6.8421053, PRINTED);
  CHECK_NEAR(k.contacts[0].normal_after, 1, 1e-13);
  CHECK_NEAR(k.contacts[1].normal_after, 0, 1e-13);
  CHECK_NEAR(k.result.energy_after - k.result.energy_before, 1.7105263, PRINTED);
  CHECK_INT(k.result.guard, CT_GUARD_OFF);
  options.energy_guard = true;
  strike(&s, &options, &k);
  CHECK_INT(k.result.guard, CT_GUARD_APPLIED);
  CHECK_NEAR(k.result.guard_theta, 0.5916080, PRINTED);
  CHECK_NEAR(k.contacts[0].normal_after, 0.5916080, PRINTED);
  CHECK_NEAR(k.contacts[1].normal_after, 0, 1e-13);
  CHECK_NEAR(k.result.energy_after, k.result.energy_before, 1e-13);
}

/* T10.7: the restitution impulse of one contact presses on the other, which reacts. */
static void poisson_restitution_of_one_contact_loads_the_other(void) {
  contact_set s;
  struck k;
  corner(&s, -0.1, -0.1, 1, 0);
  ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, CT_SIMULTANEITY_POISSON);
  strike(&s, &options, &k);
  CHECK_NEAR(k.contacts[0].normal, 2, 1e-13);
  CHECK_NEAR(k.contacts[1].normal, 1.9, 1e-13);
  CHECK_NEAR(k.contacts[0].normal_after, 0.19, 1e-13);
  CHECK_NEAR(k.contacts[1].normal_after, 0, 1e-13);
  CHECK_NEAR(k.result.energy_after - k.result.energy_before, -0.005, 1e-14);
  CHECK_INT(k.result.guard, CT_GUARD_PASSED);
}

/* A ball that touches two walls cannot leave one without penetrating the other, so restitution is
 * omitted. Poisson's law is feasible. */
static void between_walls_there_is_no_restitution(void) {
  for (int friction = 0; friction < 2; friction++) {
    contact_set s = {0};
    set_fixed(&s);
    set_ball(&s, 1, 1, ct_vec(0, 0, 0), ct_vec(-1, 0.25, 0));
    set_touch(&s, 0, 1, ct_vec(-1, 0, 0), ct_vec(1, 0, 0))->material = dry(0.5 * friction, 0.5);
    set_touch(&s, 1, 0, ct_vec(1, 0, 0), ct_vec(1, 0, 0))->material = dry(0.5 * friction, 0.5);
    ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, CT_SIMULTANEITY_NEWTON);
    struck k;
    strike(&s, &options, &k);
    CHECK(k.result.infeasible && k.result.converged);
    CHECK_NEAR(k.velocities[1].linear.x, 0, 1e-10);
    CHECK(k.contacts[0].restitution == 0.0 && k.contacts[1].restitution == 0.0);
    options.simultaneity = CT_SIMULTANEITY_POISSON;
    strike(&s, &options, &k);
    CHECK(!k.result.infeasible && k.result.converged);
    CHECK_NEAR(k.velocities[1].linear.x, 0, 1e-10);
    CHECK_NEAR(k.contacts[0].normal - k.contacts[1].normal, 1, 1e-10);
  }
}

/* Two driven bodies move towards each other with a free body between them: no impulse is feasible,
 * and none is returned, by sequential impulses either, which would otherwise pass impulses to and
 * fro endlessly. The Farkas proof: equal impulses from both sides cancel, and both gaps close. */
static void driven_bodies_can_contradict(void) {
  for (int k = 0; k < 4; k++) {
    contact_set s = {0};
    double mu = k & 1 ? 0.5 : 0.0, e = k & 2 ? 0.5 : 0.0, certificate[2];
    set_body(&s, (ct_mass_body){.mobility = CT_KINEMATIC, .velocity.linear = {1, 0, 0}});
    set_ball(&s, 1, 1, ct_vec(0, 0, 0), ct_vec(0, 0, 0));
    set_body(&s, (ct_mass_body){.mobility = CT_KINEMATIC, .velocity.linear = {-1, 0, 0}});
    set_touch(&s, 0, 1, ct_vec(-1, 0, 0), ct_vec(1, 0, 0))->material = dry(mu, e);
    set_touch(&s, 1, 2, ct_vec(1, 0, 0), ct_vec(1, 0, 0))->material = dry(mu, e);
    for (ct_simultaneity mode = CT_SIMULTANEITY_NEWTON; mode < CT_SIMULTANEITY_COUNT; mode++) {
      ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, mode);
      struck reported;
      strike_told(&s, &options, certificate, &reported);
      CHECK(!reported.result.converged && reported.result.residual > 1e-6);
      CHECK(reported.result.contradictory && !reported.result.infeasible);
      CHECK(certificate[0] > 0.0 &&
            fabs(certificate[0] - certificate[1]) <= ROUNDOFF * certificate[0]);
      for (size_t c = 0; c < 2; c++)
        CHECK(ct_norm(reported.contacts[c].impulse) == 0.0 &&
              reported.contacts[c].restitution == 0.0);
      CHECK(reported.result.energy_after == 0.0 && reported.result.work == 0.0 &&
            ct_norm(reported.velocities[1].linear) == 0.0);
      CHECK_INT(reported.result.guard, CT_GUARD_SKIPPED_KINEMATIC);
    }
  }
}

/* If the ball can escape there is an answer: driven bodies that approach from two sides push it out
 * between them. */
static void driven_bodies_with_a_feasible_motion_are_not_infeasible(void) {
  contact_set s = {0};
  double h = sqrt(0.5), certificate[2] = {7, 7};
  set_body(&s, (ct_mass_body){.mobility = CT_KINEMATIC, .velocity.linear = {1, 0, 0}});
  set_ball(&s, 1, 1, ct_vec(0, 0, 0), ct_vec(0, 0, 0));
  set_body(&s, (ct_mass_body){.mobility = CT_KINEMATIC, .velocity.linear = {-1, 0, 0}});
  set_touch(&s, 0, 1, ct_vec(-h, -h, 0), ct_vec(h, h, 0));
  set_touch(&s, 1, 2, ct_vec(h, -h, 0), ct_vec(h, -h, 0));
  for (ct_simultaneity mode = CT_SIMULTANEITY_NEWTON; mode < CT_SIMULTANEITY_COUNT; mode++) {
    ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, mode);
    struck reported;
    strike_told(&s, &options, certificate, &reported);
    CHECK(reported.result.converged && !reported.result.contradictory && certificate[0] == 0.0 &&
          certificate[1] == 0.0);
    CHECK_NEAR(reported.velocities[1].linear.y, 1, 1e-9);
    CHECK_NEAR(reported.result.work, 1, 1e-9);
    CHECK_NEAR(reported.result.energy_after, 0.5, 1e-9);
    CHECK_INT(reported.result.guard, CT_GUARD_PASSED);
  }
}

/* A bat of prescribed speed: the ball leaves faster than it arrived, by the work of the bat. */
static void a_driven_body_works(void) {
  contact_set s = {0};
  set_body(&s, (ct_mass_body){.mobility = CT_KINEMATIC, .velocity.linear = {3, 0, 0}});
  set_ball(&s, 2, 1, ct_vec(1, 0, 0), ct_vec(-1, 0, 0));
  set_touch(&s, 0, 1, ct_vec(0, 0, 0), ct_vec(1, 0, 0))->material = dry(0.0, 0.5);
  struck k;
  by_law(&s, CT_IMPULSE_ALGEBRAIC, &k);
  CHECK_NEAR(k.velocities[1].linear.x, 5, ROUNDOFF);
  CHECK_NEAR(k.contacts[0].normal, 12, 10 * ROUNDOFF);
  CHECK_NEAR(k.result.work, 36, 30 * ROUNDOFF);
  CHECK_NEAR(k.result.energy_after - k.result.energy_before, 24, 30 * ROUNDOFF);
  CHECK_INT(k.result.guard, CT_GUARD_PASSED);
}

/* Four legs of a table that drops flat, with friction: each carries a quarter; the sum equals one
 * contact in the middle, by the exact cones. */
static void four_legs_share_a_blow(void) {
  for (ct_simultaneity mode = CT_SIMULTANEITY_NEWTON; mode <= CT_SIMULTANEITY_POISSON; mode++) {
    contact_set s = {0};
    set_fixed(&s);
    set_dynamic(&s, 4, ct_vec(1, 1, 1), ct_vec(0, 0, 0), ct_vec(3, 0, -1));
    for (int i = 0; i < 4; i++)
      set_touch(&s, 0, 1, ct_vec(i % 2 ? 1 : -1, i / 2 ? 1 : -1, 0), ct_vec(0, 0, 1))->material =
          (ct_pair_material){0.4, 0.25, 0.5, 0.0};
    ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, mode);
    struck k;
    strike(&s, &options, &k);
    CHECK(k.result.converged);
    double normal = 0.0, along = 0.0;
    for (int i = 0; i < 4; i++) normal += k.contacts[i].normal, along += k.contacts[i].impulse.x;
    CHECK_NEAR(normal, 6, 1e-9);
    CHECK_NEAR(along, -1.5, 1e-9);
    check_vec(k.velocities[1].linear, 3 - 1.5 / 4, 0, 0.5, 1e-9);
    check_vec(k.velocities[1].angular, 0, 0, 0, 1e-9);
    for (int i = 0; i < 4; i++) CHECK_INT(k.contacts[i].outcome, CT_IMPULSE_OUTCOME_SLIDE);
  }
}

/* Row 51, T10.3 by the exact cones of two contacts at one point: the ball slides up to mu = 2/7 /
 * 1.5 and sticks from there. By Poisson's law with mu = 0.2 the slip of 1 is 0.3 when compression
 * ends, and stops during restitution. */
static void two_coincident_contacts_act_as_one(void) {
  const double mus[] = {0.1, 0.19, 0.2, 0.3};
  for (int i = 0; i < 8; i++) {
    double mu = mus[i / 2], along = ct_max2(-1.5 * mu, -2.0 / 7);
    contact_set s;
    ball_on_floor(&s, mu, 0.0);
    s.contacts[s.count++] = s.contacts[0];
    ct_impulse_options options = impulse_options(
        CT_IMPULSE_ALGEBRAIC, i % 2 ? CT_SIMULTANEITY_POISSON : CT_SIMULTANEITY_NEWTON);
    struck k;
    strike(&s, &options, &k);
    CHECK(k.result.converged);
    check_vec(k.velocities[1].linear, 1 + along, 0, 0.5, 1e-12);
    check_vec(k.contacts[1].after, 1 + 3.5 * along, 0, 0.5, 1e-12);
    CHECK_INT(k.contacts[0].outcome, i < 4 ? CT_IMPULSE_OUTCOME_SLIDE : CT_IMPULSE_OUTCOME_STICK);
  }
}

/* ---- friction during an impact, in three dimensions ------------------------------------------ */

static ct_vec3 random_vec(check_random *r, double size) {
  double x = check_uniform(r, -size, size), y = check_uniform(r, -size, size);
  return ct_vec(x, y, check_uniform(r, -size, size));
}

/* A random pair whose lever arms are long enough for friction to matter, with a slip that friction
 * can stop. */
static void random_pair(check_random *r, contact_set *s) {
  *s = (contact_set){0};
  ct_vec3 normal = ct_unit_or(random_vec(r, 1.0), ct_vec(0, 0, 1));
  for (int i = 0; i < 2; i++) {
    double mass = check_uniform(r, 0.5, 3), x = check_uniform(r, 0.02, 0.2),
           y = check_uniform(r, 0.02, 0.2);
    ct_vec3 inertia =
        ct_vec(mass * x, mass * y, mass * check_uniform(r, fabs(x - y) / (x + y), 1.0) * (x + y));
    uint32_t b = set_dynamic(s, mass, inertia, random_vec(r, 1.0), random_vec(r, 0.3));
    s->bodies[b].velocity.angular = random_vec(r, 0.3);
  }
  s->bodies[1].velocity.linear =
      ct_add_scaled(s->bodies[1].velocity.linear, normal, -check_uniform(r, 0.5, 2.0));
  ct_contact *t = set_touch(s, 0, 1, random_vec(r, 0.7), normal);
  double mu = check_uniform(r, 0.02, 0.6);
  t->material =
      (ct_pair_material){mu * check_uniform(r, 1.0, 1.2), mu, check_uniform(r, 0.0, 1.0), 0.0};
  if (ct_contact_relative_velocity(&(ct_contact_set){s->bodies, 2, s->contacts, 1}, t, 0.0).normal >
      0.0)
    t->normal = ct_neg(normal);
}

/* A round body that hits the floor with its mass ahead of or behind the contact, in a random plane:
 * the slip may stop and reverse, which is rare in space. */
static void random_plane(check_random *r, contact_set *s) {
  *s = (contact_set){0};
  ct_vec3 n = ct_unit_or(random_vec(r, 1.0), ct_vec(0, 0, 1)),
          t = ct_unit_or(ct_cross(n, random_vec(r, 1.0)), ct_vec(0, 0, 1));
  double i = check_uniform(r, 0.1, 0.4), mu = check_uniform(r, 0.02, 0.4);
  double slip = check_uniform(r, 0.0, 1.0), ahead = check_uniform(r, -1.0, 0.2);
  set_fixed(s);
  set_dynamic(s, 1, ct_vec(i, i, i), ct_vec(0, 0, 0), ct_add_scaled(ct_scale(t, slip), n, -1.0));
  ct_vec3 arm = ct_add_scaled(ct_scale(t, ahead), n, check_uniform(r, -1.0, -0.1));
  set_touch(s, 0, 1, arm, n)->material =
      (ct_pair_material){mu * check_uniform(r, 1.0, 1.2), mu, check_uniform(r, 0.0, 1.0), 0.0};
}

static oracle_impact oracle_of(const contact_set *s, bool energetic) {
  const ct_contact *t = &s->contacts[0];
  ct_contact_set set = set_of(s);
  ct_mat3 k = ct_delassus_block(&set, t, t);
  return (oracle_impact){
      {{k.rx.x, k.rx.y, k.rx.z}, {k.ry.x, k.ry.y, k.ry.z}, {k.rz.x, k.rz.y, k.rz.z}},
      {t->normal.x, t->normal.y, t->normal.z},
      t->material.static_friction,
      t->material.dynamic_friction,
      t->material.restitution,
      energetic};
}

static void friction_in_3d_agrees_with_long_double(void) {
  int count = getenv("CONTACTD_FULL") ? 400 : 24, slid = 0, stopped_count = 0, reversed = 0,
      lingered = 0;
  check_random r = {20261122};
  for (int i = 0; i < count; i++) {
    contact_set s;
    (i % 4 == 3 ? random_plane : random_pair)(&r, &s);
    bool energetic = i / 4 % 2, stopped, reverse;
    oracle_impact o = oracle_of(&s, energetic);
    ct_impulse_options options = impulse_options(
        energetic ? CT_IMPULSE_ENERGETIC : CT_IMPULSE_INTEGRATED, CT_SIMULTANEITY_NEWTON);
    options.energy_guard = false;
    struck k;
    strike(&s, &options, &k);
    ct_vec3 before = k.contacts[0].before.relative, p = k.contacts[0].impulse;
    real u[3] = {before.x, before.y, before.z}, truth[3];
    if (!oracle_impulse(&o, u, truth, &stopped, &reverse)) {
      lingered++;
      continue;
    }
    double size = sqrt((double)oracle_dot(truth, truth));
    check_vec(p, (double)truth[0], (double)truth[1], (double)truth[2], 1e-11 * size);
    ct_impulse_outcome outcome = k.contacts[0].outcome;
    CHECK((outcome == CT_IMPULSE_OUTCOME_SLIDE) == !stopped &&
          (outcome == CT_IMPULSE_OUTCOME_REVERSE) == reverse);
    CHECK(k.result.converged && k.result.residual < 1e-13);
    slid += !stopped, stopped_count += stopped && !reverse, reversed += reverse;
  }
  /* Every kind of impact has occurred. */
  CHECK(lingered <= count / 100 && slid > count / 20 && stopped_count > count / 20 &&
        reversed > count / 30);
}

static const check_test tests[] = {
    {"a_rod_that_lands_on_its_end_turns", a_rod_that_lands_on_its_end_turns},
    {"spheres_meet_head_on", spheres_meet_head_on},
    {"a_ball_slides_or_rolls_off", a_ball_slides_or_rolls_off},
    {"points_slide_by_the_rule_of_points", points_slide_by_the_rule_of_points},
    {"friction_is_against_the_slip", friction_is_against_the_slip},
    {"a_body_that_couples_its_directions", a_body_that_couples_its_directions},
    {"slip_stops_and_reverses", slip_stops_and_reverses},
    {"friction_that_presses_jams", friction_that_presses_jams},
    {"a_cradle_hands_the_blow_on", a_cradle_hands_the_blow_on},
    {"a_cradle_at_once_rolls_back", a_cradle_at_once_rolls_back},
    {"a_corner_makes_energy_unless_guarded", a_corner_makes_energy_unless_guarded},
    {"poisson_restitution_of_one_contact_loads_the_other",
     poisson_restitution_of_one_contact_loads_the_other},
    {"between_walls_there_is_no_restitution", between_walls_there_is_no_restitution},
    {"driven_bodies_can_contradict", driven_bodies_can_contradict},
    {"driven_bodies_with_a_feasible_motion_are_not_infeasible",
     driven_bodies_with_a_feasible_motion_are_not_infeasible},
    {"a_driven_body_works", a_driven_body_works},
    {"four_legs_share_a_blow", four_legs_share_a_blow},
    {"two_coincident_contacts_act_as_one", two_coincident_contacts_act_as_one},
    {"friction_in_3d_agrees_with_long_double", friction_in_3d_agrees_with_long_double},
};

CHECK_MAIN(tests)
