/* Time steps that are large for the scene: bodies faster than plates are thick, and infeasible
 * kinematic squeezes. */
#include "tests/support/advance.h"

#include "base/trigonometry.h"

static ct_advance_options stepping(double duration, double time_step) {
  return (ct_advance_options){.mode = CT_ADVANCE_STEPPING,
                              .duration = duration,
                              .time_step = time_step,
                              .contact_tolerance = 1e-7,
                              .velocity_tolerance = 1e-3,
                              .rest_velocity = 0.01,
                              .contacts_max = 1000};
}

/* ---- fast bodies ---------------------------------------------------------------------------- */

static ct_material bouncing(double restitution) {
  return (ct_material){.restitution = restitution};
}

/* A ball of radius 0.1 m flies at a plate of 0.01 m with its upper side at 0.005: half a step would
 * carry it past the plate. Each advance is a single, first step. */
static void shoot(double height, double speed, double restitution) {
  const placed_body bodies[2] = {
      {"plate", box_of(2, 2, 0.005), pose_at(0, 0, 0), AT_REST, NULL},
      {"ball", sphere_of(0.1), pose_at(0, 0, height), {{0, 0, -speed}, {0, 0, 0}}, &one_kilogram}};
  const ct_scene *scene = scene_with(bodies, 2, bouncing(restitution));
  const ct_advance_options o = stepping(0.01, 0.01);
  bool hit = false;
  for (int k = 0; k < 5; k++) {
    ct_advance *advance = advance_of(scene, &o);
    ct_advance_state before = ct_advance_now(advance);
    CHECK(steps(advance, 1));
    ct_advance_state now = ct_advance_now(advance);
    near_vec(now.contact_impulse, ct_sub(now.momentum, before.momentum), 1e-12 * speed);
    hit = hit || now.contact_impulse.z > 0.0;
    CHECK(now.not_converged == 0 && now.penetration < 1e-9);
    ct_pose pose;
    ct_velocity velocity;
    ct_advance_body(advance, 1, &pose, &velocity);
    CHECK(pose.position.z >= 0.105 - 1e-9);
    if (hit && restitution > 0.0) CHECK_NEAR(velocity.linear.z, restitution * speed, 1e-12 * speed);
    ct_draft *draft = ct_draft_begin(scene);
    CHECK_INT(ct_advance_write(advance, draft), CT_OK);
    ct_advance_destroy(advance);
    scene = seal(draft, scene);
  }
  CHECK(hit);
  ct_scene_release(scene);
}

static void no_body_tunnels_through_a_thin_plate_in_the_first_step(void) {
  shoot(1.0, 500.0, 0.0);
  shoot(1.0, 500.0, 1.0);
  shoot(1.0, 500.0, 0.5);
  shoot(3.0, 500.0, 0.0); /* contact in the second half of the first step */
  shoot(7.0, 500.0, 1.0); /* contact in the first half of the second step */
  shoot(0.2, 50.0, 0.0);
}

/* Two balls of equal mass that collide head on exchange their velocities. */
static void no_body_tunnels_through_an_approaching_one_in_the_first_step(void) {
  const placed_body bodies[2] = {
      {"a", sphere_of(0.1), pose_at(-1, 0, 0), {{400, 0, 0}, {0, 0, 0}}, &one_kilogram},
      {"b", sphere_of(0.1), pose_at(1, 0, 0), {{-400, 0, 0}, {0, 0, 0}}, &one_kilogram}};
  const ct_scene *scene = scene_with(bodies, 2, bouncing(1.0));
  const ct_advance_options o = stepping(0.01, 0.01);
  ct_advance *advance = advance_of(scene, &o);
  CHECK(steps(advance, 1));
  ct_pose pose;
  ct_velocity velocity;
  ct_advance_body(advance, 0, &pose, &velocity);
  CHECK_NEAR(velocity.linear.x, -400.0, 1e-10);
  ct_advance_body(advance, 1, &pose, &velocity);
  CHECK_NEAR(velocity.linear.x, 400.0, 1e-10);
  CHECK(ct_advance_now(advance).events > 0);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* ---- squeezes ------------------------------------------------------------------------------- */

/* Ten steps of a squeeze: each step reports it, no step does more work than `most`, and the bodies'
 * energy is at most the work done on them. */
static void press(const ct_scene *scene, double most) {
  const ct_advance_options o = stepping(0.01, 1e-3);
  ct_advance *advance = advance_of(scene, &o);
  double work = 0.0;
  for (uint64_t k = 1; k <= 10; k++) {
    steps(advance, 1);
    ct_advance_state now = ct_advance_now(advance);
    CHECK(now.contradictory == k && now.not_converged == k);
    CHECK(now.work - work >= 0.0 && now.work - work <= most);
    CHECK(now.kinetic_energy <= now.work);
    work = now.work;
  }
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* A ball of 1 kg between a wall and a piston that approaches at 1 m/s: no impulses stop both
 * contacts. The work of a step is at most that of stopping each contact alone, (1 m/s)^2 1 kg. */
static void squeeze(double mu, double restitution) {
  const ct_motion driven = {.is_kinematic = true};
  ct_material material = friction_of(mu);
  material.restitution = restitution;
  const placed_body bodies[3] = {
      {"wall", box_of(0.5, 2, 2), pose_at(-1, 0, 0), AT_REST, NULL},
      {"ball", sphere_of(0.5), pose_at(0, 0, 0), AT_REST, &one_kilogram},
      {"piston", box_of(0.5, 2, 2), pose_at(1, 0, 0), {{-1, 0, 0}, {0, 0, 0}}, &driven}};
  press(scene_with(bodies, 3, material), 1.0);
}

static void an_infeasible_squeeze_is_reported_and_its_work_is_bounded(void) {
  squeeze(0.0, 0.0);
  squeeze(0.3, 0.0);
  squeeze(0.3, 0.5);
}

/* Two stacked boxes of 1 kg, the upper one shifted sideways, under a plate that approaches at 1
 * m/s. After the regularised steps they are slightly tilted. Without friction these wedges could
 * escape, the faster the flatter the angle; with friction they lock, which no certificate proves.
 * The work of a step is at most that of stopping each contact, at most six to a side, alone. */
static void a_squeeze_of_tilted_boxes_stays_bounded(void) {
  const ct_motion driven = {.is_kinematic = true};
  for (int with_friction = 0; with_friction < 2; with_friction++) {
    const placed_body bodies[4] = {
        {"floor", box_of(5, 5, 0.5), pose_at(0, 0, -0.5), AT_REST, NULL},
        {"low", box_of(0.5, 0.5, 0.5), pose_at(0, 0, 0.5), AT_REST, &one_kilogram},
        {"high", box_of(0.5, 0.5, 0.5), pose_at(0.25, 0, 1.5), AT_REST, &one_kilogram},
        {"plate", box_of(3.5, 1.5, 0.5), pose_at(0.5, 0, 2.5), {{0, 0, -1}, {0, 0, 0}}, &driven}};
    press(scene_with(bodies, 4, friction_of(with_friction ? 0.3 : 0.0)), 18.0);
  }
}

/* A piston that leaves the ball room to move is no squeeze. */
static void a_piston_that_pushes_freely_is_no_squeeze(void) {
  const ct_motion driven = {.is_kinematic = true};
  const placed_body bodies[2] = {
      {"ball", sphere_of(0.5), pose_at(0, 0, 0), AT_REST, &one_kilogram},
      {"piston", box_of(0.5, 2, 2), pose_at(1, 0, 0), {{-1, 0, 0}, {0, 0, 0}}, &driven}};
  const ct_scene *scene = scene_with(bodies, 2, friction_of(0.3));
  const ct_advance_options o = stepping(0.01, 1e-3);
  ct_advance *advance = advance_of(scene, &o);
  CHECK(steps(advance, 10));
  ct_advance_state now = ct_advance_now(advance);
  CHECK(now.contradictory == 0 && now.not_converged == 0);
  CHECK_NEAR(now.kinetic_energy, 0.5, 1e-12);
  CHECK_NEAR(now.work, 1.0, 1e-12); /* the impact dissipates half of it */
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* One jaw of a gripper, in the gripper's frame. */
static ct_shape jaw_of(double low, double high) {
  ct_shape jaw = {.kind = CT_KIND_CONVEX};
  ct_vec3 corners[8];
  ct_hull *hull = NULL;
  for (int k = 0; k < 8; k++)
    corners[k] = ct_vec(k & 1 ? high : low, k & 2 ? 0.1 : -0.1, k & 4 ? 0.1 : -0.1);
  CHECK_INT(ct_hull_from_points(corners, 8, NULL, &hull, NULL), CT_OK);
  jaw.hull = hull;
  return jaw;
}

/* A gripper of two rigidly connected jaws carries a box around an axis: approach velocities due to
 * round-off are no squeeze. */
static void a_gripper_that_turns_does_not_squeeze(void) {
  const ct_motion driven = {.is_kinematic = true};
  check_random r = {46};
  const ct_shape left = jaw_of(-0.2, -0.1), right = jaw_of(0.1, 0.2);
  for (int k = 0; k < 20; k++) {
    double turned = check_uniform(&r, 0, 6), away = check_uniform(&r, 0.2, 30),
           spin = check_uniform(&r, -2, 2);
    ct_sin_cos around = ct_sin_cos_of(turned), half = ct_sin_cos_of(check_uniform(&r, 0, 3));
    ct_vec3 at = ct_vec(away * around.cosine, away * around.sine, 1);
    ct_pose pose = {at, {0, 0, half.sine, half.cosine}};
    ct_velocity velocity = {{-spin * at.y, spin * at.x, 0}, {0, 0, spin}};
    const placed_body bodies[3] = {
        {"left", left, pose, velocity, &driven},
        {"right", right, pose, velocity, &driven},
        {"held", box_of(0.1, 0.05, 0.05), pose, velocity, &one_kilogram}};
    const ct_scene *scene = scene_with(bodies, 3, friction_of(0.6));
    ct_advance_options o = stepping(0.1, 0.01);
    o.gravity = ct_vec(0, 0, -9.81);
    ct_advance *advance = advance_of(scene, &o);
    CHECK(steps(advance, 10));
    ct_advance_state now = ct_advance_now(advance);
    CHECK(now.contradictory == 0 && now.not_converged == 0);
    ct_advance_destroy(advance);
    ct_scene_release(scene);
  }
  ct_hull_release(left.hull);
  ct_hull_release(right.hull);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"no_body_tunnels_through_a_thin_plate_in_the_first_step",
       no_body_tunnels_through_a_thin_plate_in_the_first_step},
      {"no_body_tunnels_through_an_approaching_one_in_the_first_step",
       no_body_tunnels_through_an_approaching_one_in_the_first_step},
      {"an_infeasible_squeeze_is_reported_and_its_work_is_bounded",
       an_infeasible_squeeze_is_reported_and_its_work_is_bounded},
      {"a_squeeze_of_tilted_boxes_stays_bounded", a_squeeze_of_tilted_boxes_stays_bounded},
      {"a_piston_that_pushes_freely_is_no_squeeze", a_piston_that_pushes_freely_is_no_squeeze},
      {"a_gripper_that_turns_does_not_squeeze", a_gripper_that_turns_does_not_squeeze},
  };
  return advance_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
