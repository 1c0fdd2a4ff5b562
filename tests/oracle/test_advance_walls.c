/* Time stepping of walls at rest: boxes in running bond, each on two others. Statics gives the
 * reactions of the ground. */
#include "tests/support/advance.h"

#define WALL_MAX 100
/* Unit boxes of 1 kg, every other row shifted by half a box. */
static const ct_scene *wall(int across, int up, ct_material material) {
  static placed_body bodies[WALL_MAX + 1];
  static char names[WALL_MAX + 1][32];
  size_t count = 0;
  bodies[count++] = ground;
  for (int k = 0; k < up; k++)
    for (int i = 0; i < across; i++) {
      snprintf(names[count], sizeof names[count], "box-%d-%d", k, i);
      bodies[count] = (placed_body){names[count], box_of(0.5, 0.5, 0.5),
                                    pose_at(i + 0.5 * (k % 2), 0, 0.5 + k), AT_REST, &one_kilogram};
      count++;
    }
  return scene_with(bodies, count, material);
}
/* No body moves by a bit, and the reactions balance the weight. */
static void stays(int across, int up, double mu) {
  const ct_scene *scene = wall(across, up, friction_of(mu));
  const double step = 1e-3, weight = across * up * GRAVITY;
  const ct_advance_options o = stepping_under_gravity(0.1, step);
  ct_advance *advance = advance_of(scene, &o);
  for (int k = 0; k < 100; k++) {
    steps(advance, 1);
    ct_advance_state now = ct_advance_now(advance);
    CHECK_NEAR(now.contact_impulse.z, weight * step, 1e-12 * weight * step);
    CHECK_NEAR(ct_max_abs(ct_vec(now.contact_impulse.x, now.contact_impulse.y, 0)), 0.0,
               1e-12 * weight * step);
    CHECK(now.kinetic_energy == 0.0 && ct_max_abs(now.momentum) == 0.0);
    CHECK(now.not_converged == 0 && now.residual < 1e-12);
  }
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    ct_pose now, start = ct_scene_pose(scene, row);
    ct_velocity velocity;
    ct_advance_body(advance, row, &now, &velocity);
    CHECK(memcmp(&now, &start, sizeof now) == 0);
  }
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

static void small_walls_stay_where_they_are(void) {
  stays(3, 3, 0.6);
  stays(3, 3, 0.0);
}

static void a_wall_of_a_hundred_boxes_stays_where_it_is(void) { stays(10, 10, 0.6); }
static void a_wall_of_a_hundred_boxes_stays_without_friction(void) { stays(10, 10, 0.0); }

/* One step: the impulse of the ground is the growth of momentum less gravity and load. */
static void balanced_step(ct_advance *advance, ct_vec3 weight, ct_vec3 load, double step) {
  ct_vec3 before = ct_advance_now(advance).momentum;
  steps(advance, 1);
  ct_advance_state now = ct_advance_now(advance);
  ct_vec3 gained = ct_add_scaled(now.contact_impulse, ct_add(weight, load), step);
  near_vec(gained, ct_sub(now.momentum, before), 1e-12 * step * ct_norm(weight));
}

/* The top row is pulled until it slides over the others. */
static void a_wall_pulled_apart_is_solved_at_every_step(void) {
  const ct_scene *scene = wall(3, 3, friction_of(0.1));
  const ct_load pull = {.row = 7, .force = {8, 0, 0}};
  ct_advance_options o = stepping_under_gravity(1, 1e-3);
  o.loads = &pull;
  o.load_count = 1;
  ct_advance *advance = advance_of(scene, &o);
  for (int k = 0; k < 20; k++) balanced_step(advance, ct_vec(0, 0, -9 * GRAVITY), pull.force, 1e-3);
  ct_advance_state now = ct_advance_now(advance);
  CHECK_INT(now.not_converged, 0);
  CHECK(now.residual <= 1e-12);
  CHECK(now.momentum.x > 0.0);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* Momentum balances even when the solver has not converged. */
static void momentum_balances_when_few_sweeps_are_made(void) {
  const ct_scene *scene = wall(4, 4, friction_of(0.05));
  const ct_load pull = {.row = 13, .force = {30, 5, 0}};
  ct_advance_options o = stepping_under_gravity(1, 1e-3);
  o.loads = &pull;
  o.load_count = 1;
  o.iterations_max = 4;
  ct_advance *advance = advance_of(scene, &o);
  for (int k = 0; k < 20; k++)
    balanced_step(advance, ct_vec(0, 0, -16 * GRAVITY), pull.force, 1e-3);
  CHECK(ct_advance_now(advance).not_converged > 10);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* A ball falls 1 m and bounces with half its speed until it rests. A single contact can always be
 * solved. */
static void a_ball_that_bounces_is_solved_at_every_step(void) {
  const placed_body bodies[2] = {
      ground, {"ball", sphere_of(0.5), pose_at(0, 0, 1.5), AT_REST, &one_kilogram}};
  const ct_scene *scene = scene_with(bodies, 2, (ct_material){.restitution = 0.5});
  const ct_advance_options o = stepping_under_gravity(3, 1e-3);
  ct_advance *advance = advance_of(scene, &o);
  CHECK(steps(advance, 3000));
  ct_advance_state now = ct_advance_now(advance);
  CHECK(now.residual < 1e-10);
  CHECK_INT(now.not_converged, 0);
  CHECK(now.kinetic_energy == 0.0);
  CHECK_NEAR(now.contact_impulse.z, GRAVITY * 1e-3, 1e-14);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"small_walls_stay_where_they_are", small_walls_stay_where_they_are},
      {"a_wall_of_a_hundred_boxes_stays_where_it_is", a_wall_of_a_hundred_boxes_stays_where_it_is},
      {"a_wall_of_a_hundred_boxes_stays_without_friction",
       a_wall_of_a_hundred_boxes_stays_without_friction},
      {"a_wall_pulled_apart_is_solved_at_every_step", a_wall_pulled_apart_is_solved_at_every_step},
      {"momentum_balances_when_few_sweeps_are_made", momentum_balances_when_few_sweeps_are_made},
      {"a_ball_that_bounces_is_solved_at_every_step", a_ball_that_bounces_is_solved_at_every_step},
  };
  return advance_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
