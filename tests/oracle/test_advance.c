/* Time stepping against closed forms: free flight, a free top, loads, friction on slopes and belts,
 * restitution, and cancellation. */
#include "tests/support/advance.h"

static ct_advance_options stepping(double duration, double time_step) {
  return (ct_advance_options){.mode = CT_ADVANCE_STEPPING,
                              .duration = duration,
                              .time_step = time_step,
                              .gravity = {0, 0, -9.81},
                              .contacts_max = 1000};
}

/* T14.2: x0 + v t + g t^2/2 after every step, and after a last, shorter one. A body's centre of
 * mass may be anywhere in its frame. */
static void free_fall_is_exact(void) {
  const ct_motion motion = {
      .source = CT_MASS_MASS, .value = 2.5, .has_center = true, .center = {0.3, -0.2, 0.1}};
  const placed_body ball = {
      "ball", box_of(0.2, 0.3, 0.4), pose_at(1, 2, 30), {{3, -1, 4}, {0, 0, 0}}, &motion};
  const ct_scene *scene = scene_of(&ball, 1);
  const ct_advance_options o = stepping(1.0005, 1e-3);
  ct_advance *advance = advance_of(scene, &o);
  double start = 0.0;
  for (int k = 1; k <= 1001; k++) {
    bool done = steps(advance, 1);
    double t = k <= 1000 ? k * 1e-3 : 1.0005;
    ct_pose pose;
    ct_velocity velocity;
    ct_advance_body(advance, 0, &pose, &velocity);
    ct_advance_state now = ct_advance_now(advance);
    CHECK_NEAR(now.time, t, 1e-15);
    near_vec(pose.position, ct_vec(1 + 3 * t, 2 - t, 30 + 4 * t - 4.905 * t * t), 1e-12);
    near_vec(velocity.linear, ct_vec(3, -1, 4 - 9.81 * t), 1e-12);
    near_vec(now.momentum, ct_vec(7.5, -2.5, 10 - 24.525 * t), 1e-11);
    if (k == 1) start = now.kinetic_energy + now.potential_energy;
    CHECK_NEAR(now.kinetic_energy + now.potential_energy, start, 1e-11 * start);
    CHECK(done == (k == 1001));
  }
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* T14.3: a top with three different moments spins about the unstable intermediate axis. */
static void a_free_top_keeps_momentum_and_energy(void) {
  const ct_motion motion = {.source = CT_MASS_MASS,
                            .value = 1.0,
                            .has_center = true,
                            .has_inertia = true,
                            .inertia_diagonal = {1, 2, 3},
                            .inertia_orientation = {0, 0, 0, 1}};
  const placed_body top = {
      "top", sphere_of(1), pose_at(0, 0, 0), {{0, 0, 0}, {0.1, 2, 0.1}}, &motion};
  const ct_scene *scene = scene_of(&top, 1);
  ct_advance_options o = stepping(10, 1e-3);
  o.gravity = ct_vec(0, 0, 0);
  ct_advance *advance = advance_of(scene, &o);
  const ct_vec3 momentum = {0.1, 4, 0.3};
  const double energy = 0.5 * (0.01 + 8 + 0.03);
  double turned = 0.0;
  bool done = false;
  while (!done) {
    done = steps(advance, 1);
    ct_advance_state now = ct_advance_now(advance);
    near_vec(now.angular_momentum, momentum, 1e-12);
    CHECK_NEAR(now.kinetic_energy, energy, 1e-11);
    ct_pose pose;
    ct_velocity velocity;
    ct_advance_body(advance, 0, &pose, &velocity);
    ct_vec3 own = ct_mat_tmul(ct_quat_matrix(pose.rotation), velocity.angular);
    CHECK_NEAR(ct_norm2(ct_vec(own.x, 2 * own.y, 3 * own.z)), ct_norm2(momentum), 1e-10);
    turned = fmax(turned, -own.y);
  }
  CHECK(turned > 1.9); /* it has flipped */
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* A load at a point fixed in the world: momentum and angular momentum grow by its impulse and
 * moment. */
static void loads_change_momentum_by_their_impulse(void) {
  const placed_body bar = {
      "bar", box_of(1, 0.1, 0.1), pose_at(0, 0, 0), {{0, 0, 0}, {0, 0, 0}}, &one_kilogram};
  const ct_scene *scene = scene_of(&bar, 1);
  ct_advance_options o = stepping(1, 1e-3);
  o.gravity = ct_vec(0, 0, 0);
  const ct_load loads[2] = {{.row = 0, .force = {0, 0.5, 0}, .has_at = true, .at = {1, 0, 0}},
                            {.row = 0, .torque = {0, 0, 0.25}}};
  o.loads = loads;
  o.load_count = 2;
  ct_advance *advance = advance_of(scene, &o);
  steps(advance, 500);
  ct_advance_state now = ct_advance_now(advance);
  near_vec(now.momentum, ct_vec(0, 0.25, 0), 1e-13);
  /* About the origin: 0.5 from the force, which acts at (1, 0, 0), and the torque. */
  near_vec(now.angular_momentum, ct_vec(0, 0, 0.375), 1e-12);
  CHECK_NEAR(now.kinetic_energy, now.work, 1e-12);
  CHECK_INT(ct_advance_set_loads(advance, NULL, 0), CT_OK);
  steps(advance, 500);
  now = ct_advance_now(advance);
  near_vec(now.momentum, ct_vec(0, 0.25, 0), 1e-13);
  near_vec(now.angular_momentum, ct_vec(0, 0, 0.375), 1e-12);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* Reported body states are written to a draft. */
static void moved_bodies_are_written(void) {
  const placed_body bodies[2] = {
      {"wall", box_of(1, 1, 1), pose_at(9, 0, 0), {{0, 0, 0}, {0, 0, 0}}, NULL},
      {"ball", sphere_of(0.1), pose_at(0, 0, 5), {{1, 0, 0}, {0, 2, 0}}, &one_kilogram}};
  const ct_scene *scene = scene_of(bodies, 2);
  const ct_advance_options o = stepping(0.25, 1e-2);
  ct_advance *advance = advance_of(scene, &o);
  CHECK(steps(advance, 100));
  CHECK_INT(ct_advance_now(advance).steps, 25);
  ct_draft *draft = ct_draft_begin(scene);
  CHECK_INT(ct_advance_write(advance, draft), CT_OK);
  for (uint32_t row = 0; row < 2; row++) {
    ct_pose reported, written = ct_draft_pose(draft, row);
    ct_velocity velocity, written_velocity = ct_draft_velocity(draft, row);
    ct_advance_body(advance, row, &reported, &velocity);
    CHECK(memcmp(&reported, &written, sizeof reported) == 0);
    CHECK(memcmp(&velocity, &written_velocity, sizeof velocity) == 0);
  }
  CHECK_NEAR(ct_draft_pose(draft, 1).position.x, 0.25, 1e-15);
  ct_draft_discard(draft);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* T12.5 and T14.1: a block of 1 kg on mu = 0.8, pushed by 8 cos t, slides a little, stops, and
 * slides back. The force is evaluated in the middle of each step. Reference: the exact motion in
 * closed form (Potra, Anitescu, Gavrea, Trinkle 2006), and its discretisation. */
static void a_pushed_block_sticks_and_slides(void) {
  const placed_body bodies[2] = {
      ground, {"block", box_of(0.5, 0.5, 0.5), pose_at(3, 0, 0.5), AT_REST, &one_kilogram}};
  const ct_scene *scene = scene_with(bodies, 2, friction_of(0.8));
  const double h = 1e-3;
  ct_advance_options o = stepping(5, h);
  o.contact_tolerance = 1e-7;
  o.velocity_tolerance = 1e-9;
  o.iterations_max = 100000;
  ct_advance *advance = advance_of(scene, &o);
  double fastest = 0.0;
  for (int k = 1; k <= 5000; k++) {
    ct_load push = {.row = 1, .force = {8.0 * cos((k - 0.5) * h), 0, 0}};
    CHECK_INT(ct_advance_set_loads(advance, &push, 1), CT_OK);
    steps(advance, 1);
    ct_pose pose;
    ct_velocity velocity;
    ct_advance_body(advance, 1, &pose, &velocity);
    if (k <= 2000) fastest = fmax(fastest, velocity.linear.x);
    if (k == 150) CHECK_NEAR(velocity.linear.x, 0.0183050598, 1e-6);
    if (k == 1000) CHECK_NEAR(pose.position.x, 3.0043485697, 1e-7); /* it stopped at 0.3386 s */
    if (k == 2000) CHECK_NEAR(pose.position.x, 3.0043485868, 1e-9);
    if (k == 5000)
      CHECK_NEAR(pose.position.x, 2.9913028546,
                 2e-8); /* error of the solver in the step in which the block begins to slide */
  }
  CHECK_NEAR(fastest, 0.0197723266, 1e-6);
  CHECK(ct_advance_now(advance).not_converged <= 1);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* On a slope of 30 degrees the acceleration is g (sin - mu cos), or zero from mu = tan 30 on.
 * Gravity is rotated instead of the plane. */
static void a_box_on_a_slope_rests_or_slides_by_its_friction(void) {
  const double sine = 0.5, cosine = 0.86602540378443865;
  const double mus[3] = {0.5, 0.57, 0.6};
  for (int i = 0; i < 3; i++) {
    const placed_body bodies[2] = {
        ground, {"block", box_of(0.5, 0.5, 0.2), pose_at(0, 0, 0.2), AT_REST, &one_kilogram}};
    const ct_scene *scene = scene_with(bodies, 2, friction_of(mus[i]));
    ct_advance_options o = stepping(1, 1e-2);
    o.contact_tolerance = 1e-7;
    o.gravity = ct_vec(9.81 * sine, 0, -9.81 * cosine);
    ct_advance *advance = advance_of(scene, &o);
    CHECK(steps(advance, 100));
    double acceleration = fmax(0.0, 9.81 * (sine - mus[i] * cosine));
    ct_pose pose;
    ct_velocity velocity;
    ct_advance_body(advance, 1, &pose, &velocity);
    near_vec(velocity.linear, ct_vec(acceleration, 0, 0), 1e-10);
    near_vec(pose.position, ct_vec(0.5 * acceleration, 0, 0.2), 1e-10);
    if (acceleration == 0.0) CHECK(ct_max_abs(velocity.linear) == 0.0);
    near_vec(ct_scale(ct_advance_now(advance).contact_impulse, 100.0),
             ct_vec(-9.81 * sine + acceleration, 0, 9.81 * cosine), 1e-8);
    ct_advance_destroy(advance);
    ct_scene_release(scene);
  }
}

/* A ball falls on the ground with restitution e: it rebounds at e times its impact speed, conserves
 * energy in flight, and finally stays at rest. */
static void a_ball_bounces_and_comes_to_rest(void) {
  const placed_body bodies[2] = {
      ground, {"ball", sphere_of(0.1), pose_at(0, 0, 1.1), AT_REST, &one_kilogram}};
  ct_material elastic = friction_of(0.3);
  elastic.restitution = 0.7;
  const ct_scene *scene = scene_with(bodies, 2, elastic);
  ct_advance_options o = stepping(5, 1e-3);
  o.contact_tolerance = 1e-7;
  o.rest_velocity = 0.02;
  ct_advance *advance = advance_of(scene, &o);
  double past_speed = 0.0, past_energy = INFINITY;
  int bounces = 0;
  for (bool done = false; !done;) {
    done = steps(advance, 1);
    ct_pose pose;
    ct_velocity velocity;
    ct_advance_body(advance, 1, &pose, &velocity);
    ct_advance_state now = ct_advance_now(advance);
    double energy = now.kinetic_energy + now.potential_energy;
    CHECK(energy <= past_energy * (1.0 + 1e-13));
    CHECK(now.penetration < 1e-12);
    if (velocity.linear.z > 0.0 && past_speed < 0.0) {
      CHECK_NEAR(velocity.linear.z, -0.7 * past_speed, 1e-12);
      bounces++;
    }
    past_speed = velocity.linear.z;
    past_energy = energy;
  }
  /* 4.43 m/s 0.7^k > 0.02 m/s, up to the 0.01 m/s gained in one step. */
  CHECK(bounces >= 15 && bounces <= 18);
  ct_pose pose;
  ct_velocity velocity;
  ct_advance_body(advance, 1, &pose, &velocity);
  CHECK(velocity.linear.z == 0.0);
  CHECK_NEAR(pose.position.z, 0.1, 1e-6);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* Two balls collide head on in free space: momenta are conserved, and the part 1 - e^2 of their
 * relative kinetic energy is dissipated. */
static void an_isolated_pair_keeps_its_momenta(void) {
  const ct_motion heavy = {.source = CT_MASS_MASS, .value = 3.0};
  const placed_body bodies[2] = {
      {"a", sphere_of(0.5), pose_at(-1, 0.1, 0), {{2, 0, 0}, {0, 1, 3}}, &one_kilogram},
      {"b", sphere_of(0.4), pose_at(1, 0, 0.2), {{-1, 0, 0}, {1, 0, 0}}, &heavy}};
  ct_material rough = friction_of(0.4);
  rough.restitution = 0.5;
  const ct_scene *scene = scene_with(bodies, 2, rough);
  ct_advance_options o = stepping(1, 1e-3);
  o.gravity = ct_vec(0, 0, 0);
  o.contact_tolerance = 1e-7;
  ct_advance *advance = advance_of(scene, &o);
  ct_advance_state start = ct_advance_now(advance), now = start;
  bool met = false;
  for (bool done = false; !done;) {
    done = steps(advance, 1);
    ct_advance_state then = ct_advance_now(advance);
    met = met || then.contacts > 0;
    CHECK(then.kinetic_energy <= now.kinetic_energy * (1.0 + 1e-14));
    now = then;
    near_vec(now.momentum, start.momentum, 1e-14);
    near_vec(now.angular_momentum, start.angular_momentum, 1e-13);
  }
  CHECK(met);
  CHECK(now.kinetic_energy < start.kinetic_energy);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* A belt moves at 1 m/s, mu = 0.5, under a box at rest: the box slides for 1/(mu g) seconds, then
 * moves with the belt. The belt supplies twice the box's final energy; friction dissipates the
 * other half. */
static void a_belt_does_work(void) {
  const ct_motion belt = {.is_kinematic = true};
  const placed_body bodies[2] = {
      {"belt", box_of(20, 1, 0.5), pose_at(0, 0, -0.5), {{1, 0, 0}, {0, 0, 0}}, &belt},
      {"box", box_of(0.3, 0.3, 0.1), pose_at(-5, 0, 0.1), AT_REST, &one_kilogram}};
  const ct_scene *scene = scene_with(bodies, 2, friction_of(0.5));
  ct_advance_options o = stepping(1, 1e-3);
  o.contact_tolerance = 1e-7;
  ct_advance *advance = advance_of(scene, &o);
  CHECK(steps(advance, 1000));
  ct_pose pose;
  ct_velocity velocity;
  ct_advance_body(advance, 1, &pose, &velocity);
  near_vec(velocity.linear, ct_vec(1, 0, 0), 1e-10);
  double slides = 1.0 / (0.5 * 9.81);
  CHECK_NEAR(pose.position.x, -5 + 0.5 * slides + (1.0 - slides), 1e-3);
  CHECK_NEAR(ct_advance_now(advance).work, 1.0, 1e-9);
  ct_advance_body(advance, 0, &pose, &velocity);
  near_vec(pose.position, ct_vec(1, 0, -0.5), 1e-12);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* Cancelled by the flag at any time: the state is unchanged, and the next step gives the same
 * result as without cancellation. */
static void a_raised_flag_leaves_no_trace(void) {
  const placed_body bodies[2] = {
      ground,
      {"box", box_of(0.5, 0.5, 0.5), pose_at(0, 0, 0.6), {{1, 0, 0}, {1, 2, 3}}, &one_kilogram}};
  const ct_scene *scene = scene_with(bodies, 2, friction_of(0.5));
  ct_advance_options o = stepping(1, 1e-2);
  ct_cancel *cancel = ct_cancel_create();
  o.cancel = cancel;
  ct_advance *advance = advance_of(scene, &o);
  steps(advance, 30);
  ct_advance_state before = ct_advance_now(advance);
  ct_cancel_raise(cancel);
  bool done = false;
  CHECK_INT(ct_advance_step(advance, workspace, arena, &done), CT_CANCELLED);
  ct_advance_state after = ct_advance_now(advance);
  CHECK(memcmp(&before, &after, sizeof before) == 0);
  ct_advance_destroy(advance);
  ct_cancel_destroy(cancel);
  ct_scene_release(scene);
}

static void a_body_without_mass_is_refused(void) {
  const ct_motion no_mass = {.source = CT_MASS_NONE};
  const placed_body plane = {
      "plane", plane_of(), pose_at(0, 0, 0), {{0, 0, 0}, {0, 0, 0}}, &no_mass};
  const ct_scene *scene = scene_of(&plane, 1);
  const ct_advance_options o = stepping(1, 1e-3);
  ct_advance *advance = NULL;
  CHECK_INT(ct_advance_create(scene, &o, &advance), CT_LIMIT);
  CHECK(advance == NULL);
  ct_scene_release(scene);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"T14.2 free_fall_is_exact", free_fall_is_exact},
      {"T14.3 a_free_top_keeps_momentum_and_energy", a_free_top_keeps_momentum_and_energy},
      {"loads_change_momentum_by_their_impulse", loads_change_momentum_by_their_impulse},
      {"moved_bodies_are_written", moved_bodies_are_written},
      {"T12.5 T14.1 a_pushed_block_sticks_and_slides", a_pushed_block_sticks_and_slides},
      {"T12.1 a_box_on_a_slope_rests_or_slides_by_its_friction",
       a_box_on_a_slope_rests_or_slides_by_its_friction},
      {"a_ball_bounces_and_comes_to_rest", a_ball_bounces_and_comes_to_rest},
      {"an_isolated_pair_keeps_its_momenta", an_isolated_pair_keeps_its_momenta},
      {"a_belt_does_work", a_belt_does_work},
      {"a_raised_flag_leaves_no_trace", a_raised_flag_leaves_no_trace},
      {"a_body_without_mass_is_refused", a_body_without_mass_is_refused},
  };
  return advance_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
