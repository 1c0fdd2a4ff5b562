/* Impulses in limiting cases: no approach, immovable bodies, failing allocations, a raised flag,
 * slow approaches, two coefficients of friction, hundreds of contacts. */
#include "tests/support/failing_malloc.h"

#include "tests/support/contact_sets.h"

static ct_pair_material dry(double mu, double restitution) {
  return (ct_pair_material){mu, mu, restitution, 0.0};
}

/* A ball over the floor z <= 0. */
static void ball(contact_set *s, ct_vec3 velocity, ct_pair_material material) {
  *s = (contact_set){0};
  set_fixed(s);
  set_ball(s, 1, 1, ct_vec(0, 0, 1), velocity);
  set_touch(s, 0, 1, ct_vec(0, 0, 0), ct_vec(0, 0, 1))->material = material;
}

/* A stack of boxes of 1 m that falls on the floor, with four contacts under each, and a tray beside
 * it that widens the stack. */
static void stack(contact_set *s, int boxes, ct_vec3 velocity, ct_pair_material material) {
  *s = (contact_set){0};
  set_fixed(s);
  for (int i = 0; i < boxes; i++)
    set_dynamic(s, 1, ct_vec(1.0 / 6, 1.0 / 6, 1.0 / 6), ct_vec(0, 0, i + 0.5), velocity);
  for (uint32_t i = 0; i < (uint32_t)boxes; i++)
    for (int c = 0; c < 4; c++)
      set_touch(s, i, i + 1, ct_vec(c % 2 - 0.5, c / 2 - 0.5, i), ct_vec(0, 0, 1))->material =
          material;
}

static const ct_simultaneity MODES[] = {CT_SIMULTANEITY_NEWTON, CT_SIMULTANEITY_POISSON,
                                        CT_SIMULTANEITY_SEQUENTIAL};

static void where_nothing_approaches_nothing_happens(void) {
  for (int i = 0; i < 3; i++) {
    contact_set s;
    struck k;
    ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, MODES[i]);
    s = (contact_set){0};
    strike(&s, &options, &k);
    CHECK(k.result.converged && k.result.energy_before == 0.0);
    ball(&s, ct_vec(1, 0, 0), dry(0.5, 0.5));
    strike(&s, &options, &k);
    CHECK_INT(k.contacts[0].outcome, CT_IMPULSE_OUTCOME_NONE);
    CHECK(k.velocities[1].linear.x == 1.0 && k.contacts[0].normal == 0.0);
    stack(&s, 2, ct_vec(1, 0, 0.5), dry(0.5, 0.5));
    strike(&s, &options, &k);
    CHECK(k.result.converged && k.result.energy_after == k.result.energy_before);
    for (size_t c = 0; c < s.count; c++) CHECK_INT(k.contacts[c].outcome, CT_IMPULSE_OUTCOME_NONE);
  }
}

static void what_nothing_can_move_stays(void) {
  for (int i = 0; i < 3; i++)
    for (int both = 0; both < 2; both++) {
      contact_set s;
      ball(&s, ct_vec(1, 0, -1), dry(0.5, 0.5));
      if (both) set_touch(&s, 0, 1, ct_vec(0.1, 0, 0), ct_vec(0, 0, 1))->material = dry(0.5, 0.5);
      s.bodies[1] = (ct_mass_body){.mobility = CT_KINEMATIC, .velocity.linear = {1, 0, -1}};
      ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, MODES[i]);
      struck k;
      strike(&s, &options, &k);
      CHECK_INT(k.contacts[0].outcome, CT_IMPULSE_OUTCOME_IMMOVABLE);
      CHECK(k.result.converged && k.contacts[0].normal == 0.0 && k.result.work == 0.0);
      CHECK(k.velocities[1].linear.z == -1.0);
    }
}

/* Approach velocities within the tolerance count as zero; those below the rest velocity have no
 * restitution. */
static void slow_approaches_rest(void) {
  for (int i = 0; i < 3; i++) {
    contact_set s;
    struck k;
    ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, MODES[i]);
    ball(&s, ct_vec(0, 0, -0.01), dry(0.0, 0.5));
    if (i > 0) s.contacts[s.count++] = s.contacts[0];
    options.velocity_tolerance = 0.02;
    strike(&s, &options, &k);
    CHECK(k.velocities[1].linear.z == -0.01);
    options.velocity_tolerance = 0.0;
    strike(&s, &options, &k);
    CHECK_NEAR(k.velocities[1].linear.z, 0.005, 1e-15);
    options.rest_velocity = 0.02;
    strike(&s, &options, &k);
    CHECK_NEAR(k.velocities[1].linear.z, 0, 1e-15);
    CHECK(k.contacts[0].restitution == 0.0);
  }
}

/* The static coefficient decides sticking, the dynamic coefficient braking. A ball sticks up to
 * |u_t| = 7/2 mu (1 + e) |v_n|. */
static void static_friction_holds_and_dynamic_brakes(void) {
  contact_set s;
  struck k;
  ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, CT_SIMULTANEITY_NEWTON);
  ball(&s, ct_vec(1, 0, -1), (ct_pair_material){1 / 5.24, 0.1, 0.5, 0});
  strike(&s, &options, &k);
  CHECK_INT(k.contacts[0].outcome, CT_IMPULSE_OUTCOME_STICK);
  ball(&s, ct_vec(1, 0, -1), (ct_pair_material){1 / 5.26, 0.1, 0.5, 0});
  strike(&s, &options, &k);
  CHECK_INT(k.contacts[0].outcome, CT_IMPULSE_OUTCOME_SLIDE);
  CHECK_NEAR(k.contacts[0].impulse.x, -0.15, 1e-15);
  options.frictionless = true;
  strike(&s, &options, &k);
  CHECK_INT(k.contacts[0].outcome, CT_IMPULSE_OUTCOME_FRICTIONLESS);
  CHECK(k.contacts[0].impulse.x == 0.0);
}

/* A stack that falls flat stops, or bounces as one body, without rotation, for any distribution
 * over its four feet. */
static void stacks_stop_and_bounce_flat(void) {
  for (int i = 0; i < 2; i++)
    for (int friction = 0; friction < 2; friction++)
      for (int e = 0; e < 2; e++) {
        contact_set s;
        stack(&s, 12, ct_vec(0, 0, -2), dry(0.5 * friction, e));
        ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, MODES[i]);
        struck k;
        strike(&s, &options, &k);
        CHECK(k.result.converged && !k.result.infeasible);
        CHECK(k.result.energy_after <= k.result.energy_before * (1 + 1e-12));
        double momentum = 0.0, floor = 0.0;
        for (size_t b = 1; b < s.body_count; b++) {
          momentum += k.velocities[b].linear.z;
          CHECK_NEAR(ct_norm(k.velocities[b].angular), 0, 1e-12);
          if (!e) CHECK_NEAR(k.velocities[b].linear.z, 0, 1e-12);
        }
        for (int c = 0; c < 4; c++) floor += k.contacts[c].normal;
        CHECK_NEAR(momentum + 24, floor, 1e-11);
        for (size_t c = 0; c < s.count; c++) CHECK(k.contacts[c].normal_after >= -1e-12);
      }
}

/* Lever arms of up to 1e9 m on bodies of about 1e-9 m, masses from 1e-12 to 1e15 kg: results are
 * finite, and the kinetic energy does not grow. */
static void extreme_levers_and_masses_stay_finite(void) {
  check_random r = {7};
  for (int i = 0; i < 2000; i++) {
    contact_set s = {0};
    double sizes[] = {1e-9, 1e-3, 1.0, 1e9}, masses[] = {1e-12, 1.0, 1e15};
    for (int b = 0; b < 2; b++) {
      double size = sizes[check_next(&r) % 4];
      set_ball(&s, masses[check_next(&r) % 3], size, ct_vec(0, 0, b),
               ct_vec(check_uniform(&r, -1, 1), 0, -b));
    }
    double lever = sizes[check_next(&r) % 4];
    ct_vec3 at = ct_vec(lever * check_uniform(&r, -1, 1), lever * check_uniform(&r, -1, 1),
                        lever * check_uniform(&r, -1, 1));
    for (int c = 0; c < 1 + i % 2; c++)
      set_touch(&s, 0, 1, ct_scale(at, 1 - 0.5 * c), ct_vec(0, 0, 1))->material = dry(0.5, 0.5);
    ct_impulse_options options = impulse_options((ct_impulse_law)(i % 4), MODES[i / 4 % 3]);
    struck k;
    strike(&s, &options, &k);
    bool finite = isfinite(k.result.residual) && isfinite(k.result.energy_after);
    for (int b = 0; b < 2; b++)
      finite =
          finite && isfinite(ct_norm(k.velocities[b].linear) + ct_norm(k.velocities[b].angular));
    CHECK(finite);
    if (s.count == 1) CHECK(k.result.energy_after <= k.result.energy_before * (1 + 1e-9));
  }
}

static void each_allocation_that_fails_is_told(void) {
  NEEDS_FAILING_MALLOC;
  for (int i = 0; i < 3; i++)
    for (int friction = 0; friction < 2; friction++) {
      contact_set s;
      struck k, full;
      stack(&s, 3, ct_vec(0.5, 0, -2), dry(0.5 * friction, 0.5));
      ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, MODES[i]);
      strike(&s, &options, &full);
      ct_contact_set set = set_of(&s);
      ct_status status = CT_OUT_OF_MEMORY;
      long live = memory.live;
      for (long n = 1; status == CT_OUT_OF_MEMORY && n < 1000; n++) {
        ct_arena *fresh = ct_arena_create();
        memset(&k, 0x5a, sizeof k);
        k.result = (ct_impulse_result){.contacts = k.contacts, .velocities = k.velocities};
        struck untouched = k;
        memory.fail_at = n;
        memory.taken = 0;
        memory.counting = true;
        status = ct_impulse_solve(&set, &options, fresh, &k.result);
        memory.counting = false;
        ct_arena_destroy(fresh);
        CHECK(status == CT_OK || memcmp(untouched.contacts, k.contacts, sizeof k.contacts) == 0);
        CHECK(status == CT_OK ||
              memcmp(untouched.velocities, k.velocities, sizeof k.velocities) == 0);
        CHECK(n > 1 || status == CT_OUT_OF_MEMORY);
      }
      CHECK_INT(status, CT_OK);
      CHECK_INT(memory.live, live);
      CHECK(memcmp(k.velocities, full.velocities, s.body_count * sizeof *k.velocities) == 0);
    }
}

static void a_raised_flag_stops_the_computation(void) {
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  for (int i = 0; i < 3; i++)
    for (int friction = 0; friction < 2; friction++) {
      contact_set s;
      stack(&s, 3, ct_vec(0.5, 0, -2), dry(0.5 * friction, 0.5));
      ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, MODES[i]);
      options.cancel = cancel;
      ct_contact_set set = set_of(&s);
      struck k;
      k.result = (ct_impulse_result){.contacts = k.contacts, .velocities = k.velocities};
      CHECK_INT(ct_impulse_solve(&set, &options, arena, &k.result), CT_CANCELLED);
    }
  ct_cancel_destroy(cancel);
}

#define POINTS 300

/* Hundreds of points spread over one face of a box: if all stick, the box stops or bounces flat. */
static void hundreds_of_points_at_one_body(void) {
  static ct_contact contacts[POINTS];
  static ct_contact_impulse reported[POINTS];
  for (int bounces = 0; bounces < 2; bounces++) {
    contact_set s = {0};
    set_fixed(&s);
    uint32_t box = set_dynamic(&s, 1, ct_vec(1.0 / 6, 1.0 / 6, 1.0 / 6), ct_vec(0, 0, 0.5),
                               ct_vec(0.1, 0.05, -1));
    ct_contact pattern = *set_touch(&s, 0, box, ct_vec(0, 0, 0), ct_vec(0, 0, 1));
    pattern.material = dry(0.5, 0.5 * bounces);
    for (int i = 0; i < POINTS; i++) {
      contacts[i] = pattern;
      contacts[i].position = contacts[i].point_a = contacts[i].point_b =
          ct_vec(i % 20 / 20.0 - 0.475, i / 20 / 15.0 - 7.0 / 15.0, 0);
    }
    ct_contact_set set = {
        .bodies = s.bodies, .body_count = 2, .contacts = contacts, .count = POINTS};
    ct_impulse_options options = impulse_options(CT_IMPULSE_ALGEBRAIC, CT_SIMULTANEITY_NEWTON);
    options.energy_guard = false;
    ct_velocity after[2];
    ct_impulse_result result = {.contacts = reported, .velocities = after};
    ct_arena *own = ct_arena_create();
    CHECK_INT(ct_impulse_solve(&set, &options, own, &result), CT_OK);
    ct_arena_destroy(own);
    CHECK(result.converged);
    double sum = 0.0;
    for (int i = 0; i < POINTS; i++) sum += reported[i].normal;
    CHECK_NEAR(sum, 1.0 + 0.5 * bounces, 1e-10);
    CHECK_NEAR(after[1].linear.z, 0.5 * bounces, 1e-10);
    CHECK(fabs(after[1].linear.x) <= 1e-10 && fabs(after[1].linear.y) <= 1e-10 &&
          ct_norm(after[1].angular) <= 1e-10);
  }
}

static const check_test tests[] = {
    {"where_nothing_approaches_nothing_happens", where_nothing_approaches_nothing_happens},
    {"what_nothing_can_move_stays", what_nothing_can_move_stays},
    {"slow_approaches_rest", slow_approaches_rest},
    {"static_friction_holds_and_dynamic_brakes", static_friction_holds_and_dynamic_brakes},
    {"stacks_stop_and_bounce_flat", stacks_stop_and_bounce_flat},
    {"extreme_levers_and_masses_stay_finite", extreme_levers_and_masses_stay_finite},
    {"each_allocation_that_fails_is_told", each_allocation_that_fails_is_told},
    {"a_raised_flag_stops_the_computation", a_raised_flag_stops_the_computation},
    {"hundreds of points at one box stop and bounce flat", hundreds_of_points_at_one_body},
};

CHECK_MAIN(tests)
