/* Event-driven motion from impact to impact, against closed forms. */
#include "tests/support/advance.h"

static ct_advance_options impulses(double duration, double time_step) {
  return (ct_advance_options){.mode = CT_ADVANCE_IMPULSES,
                              .duration = duration,
                              .time_step = time_step,
                              .gravity = {0, 0, -9.81},
                              .contact_tolerance = 1e-7,
                              .velocity_tolerance = 1e-6,
                              .contacts_max = 1000};
}

static ct_material bouncy(double restitution) { return (ct_material){.restitution = restitution}; }

typedef struct drop {
  double radius, height, velocity, gravity, restitution;
  int impacts;
} drop;

/* Bouncing balls of the reference corpus. First impact at t1 = (v + sqrt(v^2 + 2 g h)) / g; speeds
 * shrink by the factor e; later intervals are 2 e v / g. */
static void balls_bounce_when_they_should(void) {
  const drop drops[6] = {
      {0.1, 1.1, 0.0, 9.81, 0.7, 8},        {0.17, 4.944, -1.088, 1.62, 0.0, 1},
      {0.436, 2.321, -0.373, 10.0, 0.5, 6}, {0.193, 1.071, -0.126, 10.0, 1.0, 6},
      {0.136, 1.413, -1.837, 9.81, 0.9, 6}, {0.409, 2.461, -1.464, 1.62, 0.25, 6}};
  for (int i = 0; i < 6; i++) {
    const drop *d = &drops[i];
    const placed_body bodies[2] = {ground,
                                   {"ball",
                                    sphere_of(d->radius),
                                    pose_at(0, 0, d->height),
                                    {{0, 0, d->velocity}, {0, 0, 0}},
                                    &one_kilogram}};
    const ct_scene *scene = scene_with(bodies, 2, bouncy(d->restitution));
    ct_advance_options o = impulses(100, i % 2 ? 0.01 : 0.3);
    o.gravity = ct_vec(0, 0, -d->gravity);
    ct_advance *advance = advance_of(scene, &o);
    double fall = sqrt(d->velocity * d->velocity + 2.0 * d->gravity * (d->height - d->radius));
    double time = (d->velocity + fall) / d->gravity, speed = fall;
    for (int k = 0; k < d->impacts; k++) {
      for (int guard = 0; ct_advance_now(advance).events == (uint64_t)k && guard < 100000; guard++)
        steps(advance, 1);
      ct_pose pose;
      ct_velocity velocity;
      ct_advance_body(advance, 1, &pose, &velocity);
      CHECK_NEAR(ct_advance_now(advance).time, time, 1e-10 * time);
      CHECK_NEAR(velocity.linear.z, d->restitution * speed, 1e-10 * fall);
      CHECK_NEAR(pose.position.z, d->radius, 1e-10);
      speed *= d->restitution;
      time += 2.0 * speed / d->gravity;
    }
    ct_advance_destroy(advance);
    ct_scene_release(scene);
  }
}

/* Ever shorter bounces end sqrt(2 h / g) (1 + e) / (1 - e) after the start. Below rest_velocity one
 * more bounce follows, then the ball rests for good. */
static void a_bouncing_ball_comes_to_rest(void) {
  const placed_body bodies[2] = {
      ground, {"ball", sphere_of(0.1), pose_at(0, 0, 1.1), AT_REST, &one_kilogram}};
  const ct_scene *scene = scene_with(bodies, 2, bouncy(0.7));
  ct_advance_options o = impulses(3, 0.05);
  o.rest_velocity = 1e-3;
  o.contact_tolerance =
      1e-10; /* the contact that separates at the rest velocity is over before the ball returns */
  ct_advance *advance = advance_of(scene, &o);
  const double end = sqrt(2.0 / 9.81) * 1.7 / 0.3;
  bool done = false;
  double past = ct_advance_now(advance).potential_energy, then = 0.0;
  while (!done) {
    done = steps(advance, 1);
    ct_advance_state now = ct_advance_now(advance);
    double energy = now.kinetic_energy + now.potential_energy;
    CHECK(energy <= past + 1e-12);
    if (then > end) {
      CHECK(now.kinetic_energy == 0.0);
      CHECK_INT(now.contacts, 1);
      CHECK_NEAR(now.contact_impulse.z, 9.81 * (now.time - then), 1e-12);
    }
    past = energy;
    then = now.time;
  }
  ct_advance_state now = ct_advance_now(advance);
  CHECK_NEAR(now.potential_energy, 0.981, 1e-9);
  CHECK_NEAR(now.time, 3.0, 0.0);
  CHECK_INT(now.events, 25); /* 4.43 m/s 0.7^k > 1e-3 m/s for 24 bounces, and the last one */
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* A ball sliding with mu = 0.2 begins to roll after 2 v / (7 mu g), at 5 v / 7. */
static void a_sliding_ball_comes_to_roll(void) {
  const placed_body bodies[2] = {
      ground,
      {"ball", sphere_of(0.5), pose_at(0, 0, 0.5), {{3.5, 0, 0}, {0, 0, 0}}, &one_kilogram}};
  const ct_scene *scene = scene_with(bodies, 2, friction_of(0.2));
  const ct_advance_options o = impulses(1, 1e-3);
  ct_advance *advance = advance_of(scene, &o);
  const double mu_g = 0.2 * 9.81, rolls = 2.0 * 3.5 / (7.0 * mu_g);
  for (bool done = false; !done;) {
    done = steps(advance, 1);
    ct_pose pose;
    ct_velocity velocity;
    double t = ct_advance_now(advance).time;
    ct_advance_body(advance, 1, &pose, &velocity);
    CHECK_NEAR(velocity.linear.x, t < rolls ? 3.5 - mu_g * t : 2.5,
               fabs(t - rolls) < 1e-3 ? 2e-3 : 1e-9);
    CHECK_NEAR(velocity.angular.y, t < rolls ? 5.0 * mu_g * t : 5.0,
               fabs(t - rolls) < 1e-3 ? 1e-2 : 1e-8);
    CHECK_NEAR(pose.position.z, 0.5, 1e-9);
  }
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* Elastic: a row of equal balls passes its velocity on, one impact after another. */
static void a_row_of_balls_hands_its_velocity_on(void) {
  const placed_body bodies[3] = {
      {"a", sphere_of(0.5), pose_at(-3, 0, 0), {{2, 0, 0}, {0, 0, 0}}, &one_kilogram},
      {"b", sphere_of(0.5), pose_at(0, 0, 0), AT_REST, &one_kilogram},
      {"c", sphere_of(0.5), pose_at(2, 0, 0), AT_REST, &one_kilogram}};
  const ct_scene *scene = scene_with(bodies, 3, bouncy(1.0));
  ct_advance_options o = impulses(2, 2);
  o.gravity = ct_vec(0, 0, 0);
  ct_advance *advance = advance_of(scene, &o);
  CHECK(!steps(advance, 1));
  CHECK_NEAR(ct_advance_now(advance).time, 1.0, 1e-12);
  CHECK(!steps(advance, 1));
  CHECK_NEAR(ct_advance_now(advance).time, 1.5, 1e-12);
  CHECK(steps(advance, 100));
  ct_pose pose;
  ct_velocity velocity;
  const double places[3] = {-1, 1, 3};
  for (uint32_t row = 0; row < 3; row++) {
    ct_advance_body(advance, row, &pose, &velocity);
    near_vec(pose.position, ct_vec(places[row], 0, 0), 1e-11);
    near_vec(velocity.linear, ct_vec(row == 2 ? 2 : 0, 0, 0), 1e-11);
  }
  CHECK_INT(ct_advance_now(advance).events, 2);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* A slender block is released tilted on one edge. It falls onto the other edge and continues about
 * it with the fraction 1 - 3/2 sin^2 a of its spin, where a is the angle of its diagonal (Housner
 * 1963: no slip, no bounce). */
static void a_rocking_block_changes_edges(void) {
  const double half = 0.25, high = 1.0, tilt = 0.1, a = atan(half / high), r = hypot(half, high);
  const ct_vec3 edge = ct_vec(half, 0, -high); /* its lower edge, in its frame */
  const ct_quat turned = {0, sin(tilt / 2), 0, cos(tilt / 2)};
  const ct_pose start = {ct_sub(ct_vec(half, 0, 0), ct_mat_mul(ct_quat_matrix(turned), edge)),
                         turned};
  const placed_body bodies[2] = {ground,
                                 {"block", box_of(half, 0.3, high), start, AT_REST, &one_kilogram}};
  const ct_scene *scene = scene_with(bodies, 2, friction_of(3.0));
  ct_advance_options o = impulses(1, 1e-3);
  o.contact_tolerance = 1e-6;
  o.velocity_tolerance = 1e-3;
  ct_advance *advance = advance_of(scene, &o);
  ct_pose pose = start;
  ct_velocity velocity = {0};
  double before = 0.0;
  while (pose.rotation.y > 1e-5 && ct_advance_now(advance).time < 0.9) {
    before = -velocity.angular.y;
    steps(advance, 1);
    ct_advance_body(advance, 1, &pose, &velocity);
  }
  /* g r (cos(a - tilt) - cos a) = 2/3 r^2 w^2 */
  const double spin = sqrt(1.5 * 9.81 / r * (cos(a - tilt) - cos(a)));
  CHECK_NEAR(before, spin, 5e-3 * spin);
  CHECK_NEAR(-velocity.angular.y, spin * (1.0 - 1.5 * sin(a) * sin(a)), 1e-3 * spin);
  CHECK_NEAR(pose.rotation.y, 0.0, 1e-5); /* the contact tolerance over the width */
  CHECK_NEAR(pose.position.z, high, 1e-4);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* A wall of a hundred boxes: no box moves by a bit, and the ground carries the whole weight. */
static void a_wall_stands_still(void) {
  enum { ROWS = 10, COUNT = ROWS * ROWS + 1 };
  placed_body bodies[COUNT] = {ground};
  char ids[COUNT][16];
  for (int i = 1; i < COUNT; i++) {
    int row = (i - 1) / ROWS, place = (i - 1) % ROWS;
    snprintf(ids[i], sizeof ids[i], "b%d", i);
    bodies[i] = (placed_body){ids[i], box_of(0.5, 0.25, 0.25),
                              pose_at(place + 0.5 * (row % 2), 0, 0.25 + 0.5 * row), AT_REST,
                              &one_kilogram};
  }
  const ct_scene *scene = scene_with(bodies, COUNT, friction_of(0.5));
  ct_advance_options o = impulses(1, 0x1p-10);
  o.contacts_max = 10000;
  ct_advance *advance = advance_of(scene, &o);
  for (int k = 0; k < 1024; k++) {
    CHECK(steps(advance, 1) == (k == 1023));
    ct_advance_state now = ct_advance_now(advance);
    CHECK(now.kinetic_energy == 0.0);
    CHECK_INT(now.not_converged, 0);
    near_vec(now.contact_impulse, ct_vec(0, 0, (COUNT - 1) * 9.81 * 0x1p-10), 1e-12);
  }
  for (uint32_t row = 1; row < COUNT; row++) {
    ct_pose pose;
    ct_velocity velocity;
    ct_advance_body(advance, row, &pose, &velocity);
    CHECK(memcmp(&pose, &bodies[row].pose, sizeof pose) == 0);
  }
  CHECK_INT(ct_advance_now(advance).events, 0);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* Four ways to wake boxes that rest on a smooth floor: an equal ball hits the first at 2 m/s,
 * elastic; a wall moves against the second at 0.5 m/s, elastic; a load acts on the third; the table
 * under the fourth is pulled away. */
static void sleeping_bodies_are_woken(void) {
  const ct_motion driven = {.is_kinematic = true},
                  falls = {.is_kinematic = true,
                           .acceleration = &(ct_acceleration){{0, 0, -20}, {0, 0, 0}}};
  const placed_body bodies[8] = {
      ground,
      {"a", box_of(0.5, 0.5, 0.5), pose_at(0, 0, 0.5), AT_REST, &one_kilogram},
      {"b", box_of(0.5, 0.5, 0.5), pose_at(0, 20, 0.5), AT_REST, &one_kilogram},
      {"c", box_of(0.5, 0.5, 0.5), pose_at(0, 40, 0.5), AT_REST, &one_kilogram},
      {"d", box_of(0.5, 0.5, 0.5), pose_at(0, 60, 0.5), AT_REST, &one_kilogram},
      {"ball", sphere_of(0.5), pose_at(-2.2, 0, 0.5), {{2, 0, 0}, {0, 0, 0}}, &one_kilogram},
      {"wall", box_of(0.5, 0.5, 0.5), pose_at(-1.35, 20, 0.5), {{0.5, 0, 0}, {0, 0, 0}}, &driven},
      {"table", box_of(0.5, 0.5, 0.5), pose_at(0, 60, 9.5), AT_REST, &falls}};
  placed_body placed[8];
  memcpy(placed, bodies, sizeof placed);
  placed[4].pose = pose_at(0, 60, 10.5);
  const ct_scene *scene = scene_with(placed, 8, bouncy(1.0));
  ct_advance_options o = impulses(1, 0x1p-6);
  ct_advance *advance = advance_of(scene, &o);
  CHECK(!steps(advance, 8));
  const ct_load load = {.row = 3, .force = {0, 3, 0}};
  CHECK_INT(ct_advance_set_loads(advance, &load, 1), CT_OK);
  double from = ct_advance_now(advance).time;
  CHECK(steps(advance, 200));
  const ct_vec3 places[4] = {{0.8, 0, 0.5},
                             {0.3, 20, 0.5},
                             {0, 40 + 1.5 * (1 - from) * (1 - from), 0.5},
                             {0, 60, 10.5 - 4.905}};
  const ct_vec3 velocities[4] = {{2, 0, 0}, {1, 0, 0}, {0, 3 * (1 - from), 0}, {0, 0, -9.81}};
  for (uint32_t k = 0; k < 4; k++) {
    ct_pose pose;
    ct_velocity velocity;
    ct_advance_body(advance, k + 1, &pose, &velocity);
    near_vec(pose.position, places[k], 1e-9);
    near_vec(velocity.linear, velocities[k], 1e-9);
  }
  CHECK_INT(ct_advance_now(advance).events, 2);
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

/* An impact that round-off may assign to the end of one interval or to the begin of the next is
 * handled as an impact either way. */
static void an_impact_between_two_stretches_bounces(void) {
  const double time_steps[5] = {0x1p-6, 0.1, 0.5, 1.0 / 30.0, 0.0625}, places[3] = {0, 0.1, 1000.3};
  for (int k = 0; k < 15; k++) {
    const double at = places[k / 5];
    const placed_body bodies[2] = {
        {"wall", box_of(1, 1, 1), pose_at(at, at, at), AT_REST, NULL},
        {"ball", sphere_of(0.5), pose_at(at - 2.5, at, at), {{2, 0, 0}, {0, 0, 0}}, &one_kilogram}};
    const ct_scene *scene = scene_with(bodies, 2, bouncy(0.5));
    ct_advance_options o = impulses(1, time_steps[k % 5]);
    o.gravity = ct_vec(0, 0, 0);
    ct_advance *advance = advance_of(scene, &o);
    CHECK(steps(advance, 1000));
    CHECK_INT(ct_advance_now(advance).events, 1);
    near_vec(ct_advance_now(advance).momentum, ct_vec(-1, 0, 0), 1e-12);
    ct_advance_destroy(advance);
    ct_scene_release(scene);
  }
}

/* Two plates close on a ball and touch it after 0.4 s: no motion is feasible then, with or without
 * friction, so the advance ends at a limit. A single plate pushes the ball along. */
static void a_squeeze_is_a_limit(void) {
  const ct_motion driven = {.is_kinematic = true};
  for (int k = 0; k < 4; k++) {
    const placed_body bodies[3] = {
        {"left", box_of(0.1, 9, 9), pose_at(-1, 0, 0), {{1, 0, 0}, {0, 0, 0}}, &driven},
        {"right", box_of(0.1, 9, 9), pose_at(1, 0, 0), {{-1, 0, 0}, {0, 0, 0}}, &driven},
        {"ball", sphere_of(0.5), pose_at(k % 2 ? 0.1 : 0, 0, 0), AT_REST, &one_kilogram}};
    const ct_scene *pressed = scene_with(bodies, 3, friction_of(k / 2 * 0.5)),
                   *driven_on = scene_with(bodies + 1, 2, bouncy(0));
    const ct_advance_options o = impulses(1, 0.01);
    ct_advance *advance = advance_of(pressed, &o), *other = advance_of(driven_on, &o);
    ct_status status = CT_OK;
    bool done = false;
    for (int n = 0; status == CT_OK && n < 1000; n++)
      status = ct_advance_step(advance, workspace, arena, &done);
    CHECK_INT(status, CT_LIMIT);
    uint32_t row = 0;
    CHECK_INT(ct_advance_limit_reason(advance, &row), CT_ADVANCE_LIMIT_SQUEEZE);
    CHECK_INT(row, 2);
    CHECK_NEAR(ct_advance_now(advance).time, 0.4, 1e-5);
    CHECK(ct_advance_now(advance).penetration < 1e-5);
    CHECK(steps(other, 1000));
    ct_advance_destroy(advance);
    ct_advance_destroy(other);
    ct_scene_release(pressed);
    ct_scene_release(driven_on);
  }
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"balls_bounce_when_they_should", balls_bounce_when_they_should},
      {"a_bouncing_ball_comes_to_rest", a_bouncing_ball_comes_to_rest},
      {"a_sliding_ball_comes_to_roll", a_sliding_ball_comes_to_roll},
      {"a_rocking_block_changes_edges", a_rocking_block_changes_edges},
      {"a_row_of_balls_hands_its_velocity_on", a_row_of_balls_hands_its_velocity_on},
      {"an_impact_between_two_stretches_bounces", an_impact_between_two_stretches_bounces},
      {"a_squeeze_is_a_limit", a_squeeze_is_a_limit},
      {"a_wall_stands_still", a_wall_stands_still},
      {"sleeping_bodies_are_woken", sleeping_bodies_are_woken},
  };
  return advance_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
