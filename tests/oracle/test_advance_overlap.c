/* Time stepping of bodies that overlap at the start: they separate at the stated speed without a
 * gain of velocity, and the reported work is that of lifting them; or they stay as they are. */
#include "tests/support/advance.h"

static double height_of(const ct_advance *advance, uint32_t row) {
  ct_pose pose;
  ct_velocity velocity;
  ct_advance_body(advance, row, &pose, &velocity);
  return pose.position.z;
}

/* A ball of radius 0.1 m and 1 kg, 0.03 m deep in the ground. */
static const ct_scene *sunken_ball(void) {
  const placed_body bodies[2] = {
      ground, {"ball", sphere_of(0.1), pose_at(0, 0, 0.07), AT_REST, &one_kilogram}};
  return scene_with(bodies, 2, friction_of(0.5));
}

/* In each step it rises by speed times step, until it touches; the work is m g times the depth. */
static void a_ball_rises_at_the_stated_speed(void) {
  const double speeds[3] = {0.5, 0.0, 2.0}, used[3] = {0.5, 0.2, 2.0};
  for (int i = 0; i < 3; i++) {
    const ct_scene *scene = sunken_ball();
    ct_advance_options o = stepping_under_gravity(1, 1e-3);
    o.separation_speed = speeds[i];
    ct_advance *advance = advance_of(scene, &o);
    for (int k = 1; k <= 200; k++) {
      steps(advance, 1);
      ct_advance_state now = ct_advance_now(advance);
      double risen = fmin(used[i] * 1e-3 * k, 0.03 - 0.5e-7);
      CHECK_NEAR(height_of(advance, 1), 0.07 + risen, 1e-9);
      CHECK(now.kinetic_energy == 0.0 && ct_max_abs(now.momentum) == 0.0);
      CHECK_NEAR(now.separation_work, GRAVITY * risen, 1e-9);
      CHECK(now.correction_work == 0.0 && now.dissipation == 0.0);
      double before = fmin(used[i] * 1e-3 * (k - 1), 0.03 - 0.5e-7);
      CHECK_NEAR(now.overlap_left, 0.03 - before > 1e-7 ? 0.03 - before : 0.0, 1e-9);
    }
    ct_advance_destroy(advance);
    ct_scene_release(scene);
  }
}

static void kept_overlap_stays_to_the_bit(void) {
  const ct_scene *scene = sunken_ball();
  ct_advance_options o = stepping_under_gravity(1, 1e-3);
  o.keep_overlap = true;
  ct_advance *advance = advance_of(scene, &o);
  for (int k = 0; k < 100; k++) steps(advance, 1);
  ct_advance_state now = ct_advance_now(advance);
  CHECK(height_of(advance, 1) == 0.07);
  CHECK_NEAR(now.overlap_left, 0.03, 1e-15);
  CHECK(now.separation_work == 0.0 && now.correction_work == 0.0);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* Two boxes of 1 kg and 3 kg without gravity, 0.02 m deep in each other: they part in inverse
 * proportion to their masses, and their common centre stays. */
static void free_boxes_part_about_their_centre(void) {
  static const ct_motion heavy = {.source = CT_MASS_MASS, .value = 3.0};
  const placed_body bodies[2] = {
      {"a", box_of(0.1, 0.1, 0.1), pose_at(0, 0, 0), {{1, 0, 0}, {0, 0, 0}}, &one_kilogram},
      {"b", box_of(0.1, 0.1, 0.1), pose_at(0, 0, 0.18), {{1, 0, 0}, {0, 0, 0}}, &heavy}};
  const ct_scene *scene = scene_with(bodies, 2, friction_of(0.5));
  ct_advance_options o = stepping_under_gravity(0.5, 1e-2);
  o.gravity = ct_vec(0, 0, 0);
  ct_advance *advance = advance_of(scene, &o);
  CHECK(steps(advance, 50));
  ct_advance_state now = ct_advance_now(advance);
  CHECK_NEAR(height_of(advance, 0), -0.015, 1e-6);
  CHECK_NEAR(height_of(advance, 1), 0.185, 1e-6);
  CHECK_NEAR(height_of(advance, 0) + 3 * height_of(advance, 1), 0.54, 1e-14);
  near_vec(now.momentum, ct_vec(4, 0, 0), 1e-14);
  CHECK_NEAR(now.kinetic_energy, 2.0, 1e-14);
  CHECK_NEAR(now.separation_work, 0.0, 1e-12);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* A ball between two walls that are 0.01 m closer than its diameter: no displacement separates it,
 * and it stays between them. */
static void a_wedged_ball_stays(void) {
  const placed_body bodies[3] = {{"left", box_of(0.5, 2, 2), pose_at(-0.595, 0, 0), AT_REST, NULL},
                                 {"ball", sphere_of(0.1), pose_at(0, 0, 0), AT_REST, &one_kilogram},
                                 {"right", box_of(0.5, 2, 2), pose_at(0.595, 0, 0), AT_REST, NULL}};
  const ct_scene *scene = scene_with(bodies, 3, friction_of(0.5));
  const ct_advance_options o = stepping_under_gravity(0.5, 1e-2);
  ct_advance *advance = advance_of(scene, &o);
  CHECK(steps(advance, 50));
  ct_pose pose;
  ct_velocity velocity;
  ct_advance_body(advance, 1, &pose, &velocity);
  ct_advance_state now = ct_advance_now(advance);
  CHECK(fabs(pose.position.x) <= 0.005 && now.overlap_left <= 0.01 + 1e-12);
  CHECK(now.kinetic_energy <= 9.81 * fmax(0.0, -pose.position.z) + 1e-12);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* Five boxes on each other, each 1 % of its height deep in the one below: afterwards they stand at
 * their heights, at rest. */
static void a_sunken_stack_rises_to_its_height(void) {
  placed_body bodies[6] = {ground};
  static const char *const names[5] = {"1", "2", "3", "4", "5"};
  for (int i = 0; i < 5; i++)
    bodies[i + 1] = (placed_body){names[i], box_of(0.1, 0.1, 0.1), pose_at(0, 0, 0.098 + 0.198 * i),
                                  AT_REST, &one_kilogram};
  const ct_scene *scene = scene_with(bodies, 6, friction_of(0.5));
  const ct_advance_options o = stepping_under_gravity(1, 2e-3);
  ct_advance *advance = advance_of(scene, &o);
  CHECK(steps(advance, 500));
  ct_advance_state now = ct_advance_now(advance);
  for (uint32_t i = 0; i < 5; i++) CHECK_NEAR(height_of(advance, i + 1), 0.1 + 0.2 * i, 2e-6);
  CHECK(now.kinetic_energy == 0.0 && now.overlap_left <= 1e-6 && now.penetration <= 1e-6);
  CHECK_NEAR(now.separation_work + now.correction_work, GRAVITY * 0.002 * (1 + 2 + 3 + 4 + 5),
             1e-3);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"a_ball_rises_at_the_stated_speed", a_ball_rises_at_the_stated_speed},
      {"kept_overlap_stays_to_the_bit", kept_overlap_stays_to_the_bit},
      {"free_boxes_part_about_their_centre", free_boxes_part_about_their_centre},
      {"a_wedged_ball_stays", a_wedged_ball_stays},
      {"a_sunken_stack_rises_to_its_height", a_sunken_stack_rises_to_its_height},
  };
  return advance_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
