/* Accuracy of the elastic law's integrator: order in the tolerance and its error scale, against the
 * closed form of Hertz' impact and Runge-Kutta integrations in long double; energy with the elastic
 * part; contacts whose distance stays at 0. */
#include "tests/support/advance.h"

static const ct_material steel = {.restitution = 1.0, .youngs_modulus = 2e11, .poisson_ratio = 0.3};

/* k of F = k depth^1.5 for a sphere on a half-space, both of steel. */
static double sphere_stiffness(double radius) {
  return 4.0 / 3.0 * 0.5 * 2e11 / (1.0 - 0.09) * sqrt(radius);
}

static ct_advance_options elastic_options(double duration, double gravity, double tolerance) {
  return (ct_advance_options){.mode = CT_ADVANCE_COMPLIANT,
                              .duration = duration,
                              .time_step = 0.01,
                              .gravity = {0, 0, -gravity},
                              .tolerance = tolerance,
                              .elastic = {.pull = true},
                              .contacts_max = 100};
}

static ct_advance *ball_on_ground(double height, double speed, const ct_advance_options *options,
                                  const ct_scene **scene) {
  const placed_body bodies[2] = {
      ground,
      {"ball", sphere_of(0.1), pose_at(0, 0, height), {{0, 0, -speed}, {0, 0, 0}}, &one_kilogram}};
  *scene = scene_with(bodies, 2, steel);
  return advance_of(*scene, options);
}

static void end_of(ct_advance *advance, const ct_scene *scene) {
  ct_advance_destroy(advance);
  ct_scene_release(scene);
}

static double height_of(const ct_advance *advance, double *speed) {
  ct_pose pose;
  ct_velocity velocity;
  ct_advance_body(advance, 1, &pose, &velocity);
  *speed = velocity.linear.z;
  return pose.position.z;
}

/* Advances to the next begin or end of a contact. False: the motion is over. */
static bool to_event(ct_advance *advance) {
  uint64_t events = ct_advance_now(advance).events;
  bool done = false;
  while (!done && ct_advance_now(advance).events == events) done = steps(advance, 1);
  return !done;
}

/* Checks that errors fall with the tolerance by at least its power 0.8, down to round-off. */
static void check_order(const double *tolerances, const double *errors, int count,
                        double round_off) {
  int last = count - 1;
  while (last > 1 && errors[last] <= round_off) last--;
  double order = log(errors[0] / errors[last]) / log(tolerances[0] / tolerances[last]);
  if (!(order > 0.8))
    for (int i = 0; i < count; i++) printf("tolerance %g error %g\n", tolerances[i], errors[i]);
  CHECK(order > 0.8);
  for (int i = 0; i < count; i++) CHECK(errors[i] <= ct_max2(round_off, 1e3 * tolerances[i]));
}

static const double tolerances[] = {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
enum { TOLERANCES = sizeof tolerances / sizeof tolerances[0] };

/* Undamped impact at speed v: duration (4/5) sqrt(pi) gamma(2/5) / gamma(9/10) d / v with the
 * greatest depth d = (5 m v^2 / (4 k))^(2/5), and the same speed after it. */
static void an_impact_converges_with_the_tolerance(void) {
  double speed = 0.1, depth = pow(1.25 * speed * speed / sphere_stiffness(0.1), 0.4);
  double duration = 0.8 * sqrt(acos(-1.0)) * tgamma(0.4) / tgamma(0.9) * depth / speed;
  double errors[TOLERANCES];
  for (int i = 0; i < TOLERANCES; i++) {
    const ct_scene *scene;
    const ct_advance_options o = elastic_options(0.02, 0.0, tolerances[i]);
    ct_advance *advance = ball_on_ground(0.101, speed, &o, &scene);
    CHECK(to_event(advance));
    double begin = ct_advance_now(advance).time, after;
    CHECK(to_event(advance));
    height_of(advance, &after);
    errors[i] = ct_max2(fabs((ct_advance_now(advance).time - begin) / duration - 1.0),
                        fabs(after / speed - 1.0));
    CHECK_INT(ct_advance_now(advance).not_converged, 0);
    end_of(advance, scene);
  }
  check_order(tolerances, errors, TOLERANCES, 1e-11);
}

/* Depth and its rate under gravity from contact at rest: d'' = g - (k / m) d^1.5 (1 + D d'). By the
 * classical Runge-Kutta method; the depth after `time`. */
static long double settling_depth(long double k, long double damping, long double time, int count,
                                  long double *rate) {
  long double d = 0.0L, v = 0.0L, h = time / count;
  for (int i = 0; i < count; i++) {
    long double dd[4], dv[4], at = d, vel = v;
    for (int s = 0; s < 4; s++) {
      long double part = s == 2 ? h : h / 2;
      dd[s] = vel;
      dv[s] =
          (long double)GRAVITY - k * (at > 0.0L ? at * sqrtl(at) : 0.0L) * (1.0L + damping * vel);
      at = d + part * dd[s];
      vel = v + part * dv[s];
    }
    d += h / 6 * (dd[0] + 2 * dd[1] + 2 * dd[2] + dd[3]);
    v += h / 6 * (dv[0] + 2 * dv[1] + 2 * dv[2] + dv[3]);
  }
  *rate = v;
  return d;
}

/* The approach speed is 0, so the damping is the greatest, 2000 s/m. At 0.3 ms the ball has two
 * thirds of its final depth. */
static void a_ball_that_settles_converges_with_the_tolerance(void) {
  double time = 3e-4, final = pow(GRAVITY / sphere_stiffness(0.1), 2.0 / 3.0);
  long double rate, coarse_rate;
  long double depth = settling_depth(sphere_stiffness(0.1), 2000.0L, time, 80000, &rate);
  long double coarse = settling_depth(sphere_stiffness(0.1), 2000.0L, time, 40000, &coarse_rate);
  CHECK_NEAR((double)(depth - coarse), 0.0, 1e-10 * final);
  double errors[TOLERANCES];
  for (int i = 0; i < TOLERANCES; i++) {
    const ct_scene *scene;
    const ct_advance_options o = elastic_options(time, GRAVITY, tolerances[i]);
    ct_advance *advance = ball_on_ground(0.1, 0.0, &o, &scene);
    bool done = false;
    while (!done) done = steps(advance, 1);
    double speed;
    height_of(advance, &speed);
    ct_advance_state now = ct_advance_now(advance);
    errors[i] = ct_max2(fabs(now.penetration - (double)depth) / final,
                        fabs(speed + (double)rate) / (double)rate);
    CHECK_INT(now.not_converged, 0);
    CHECK_INT(now.contacts, 1);
    end_of(advance, scene);
  }
  check_order(tolerances, errors, TOLERANCES, 1e-8);
}

/* The floors scale with the problem: position by the depth under the weight, velocity by that times
 * the frequency of the contact, both with the tolerance. */
static void floors_follow_from_the_load_of_the_contact(void) {
  double k = sphere_stiffness(0.1), last_floor = 0.0;
  for (int i = 0; i < 3; i++) {
    double mass = i == 0 ? 1.0 : i == 1 ? 8.0 : 64.0;
    const ct_motion motion = {.source = CT_MASS_MASS, .value = mass};
    const placed_body bodies[2] = {ground,
                                   {"ball", sphere_of(0.1), pose_at(0, 0, 0.1), AT_REST, &motion}};
    const ct_scene *scene = scene_with(bodies, 2, steel);
    const ct_advance_options o = elastic_options(1e-4, GRAVITY, 1e-8);
    ct_advance *advance = advance_of(scene, &o);
    CHECK_NEAR(ct_advance_now(advance).error_scale.relative, 1e-8, 0.0);
    CHECK_NEAR(ct_advance_now(advance).error_scale.position, 0.0, 0.0);
    bool done = false;
    while (!done) done = steps(advance, 1);
    ct_error_scale scale = ct_advance_now(advance).error_scale;
    double depth = pow(mass * GRAVITY / k, 2.0 / 3.0);
    CHECK_NEAR(scale.velocity / scale.position, sqrt(1.5 * GRAVITY / depth),
               1e-6 * scale.velocity / scale.position);
    CHECK(scale.position <= 1e-4 * depth);
    if (i > 0) CHECK_NEAR(scale.position / last_floor, 4.0, 1e-12);
    last_floor = scale.position;
    end_of(advance, scene);
  }
}

/* Kinetic, potential and elastic energy, 2/5 k depth^2.5, of a ball with restitution 1. */
static void a_spring_keeps_the_energy_at_every_step(void) {
  const ct_scene *scene;
  const ct_advance_options o = elastic_options(1.0, GRAVITY, 0.0);
  ct_advance *advance = ball_on_ground(0.12, 0.0, &o, &scene);
  double k = sphere_stiffness(0.1), whole = GRAVITY * 0.12, deepest = 0.0;
  bool done = false;
  while (!done) {
    done = steps(advance, 1);
    double speed, depth = ct_max2(0.0, 0.1 - height_of(advance, &speed));
    ct_advance_state now = ct_advance_now(advance);
    double energy = now.kinetic_energy + now.potential_energy + 0.4 * k * pow(depth, 2.5);
    CHECK_NEAR(energy, whole, 1e-9 * whole);
    deepest = ct_max2(deepest, depth);
  }
  CHECK(ct_advance_now(advance).events > 10);
  CHECK_NEAR(deepest, pow(1.25 * 2.0 * GRAVITY * 0.02 / k, 0.4), 0.2 * deepest);
  end_of(advance, scene);
}

/* An ellipsoid that tumbles without friction: the depth's gradient with respect to the pose is the
 * force's direction and moment, so the elastic energy is a function of the depth there, too. */
static void a_tumbling_ellipsoid_keeps_the_energy(void) {
  const ct_shape egg = {.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{0.1, 0.06, 0.04}}};
  const placed_body bodies[2] = {
      ground, {"egg", egg, pose_at(0, 0, 0.15), {{0, 0, 0}, {3, 5, -2}}, &one_kilogram}};
  const ct_scene *scene = scene_with(bodies, 2, steel);
  const ct_advance_options o = elastic_options(0.8, GRAVITY, 0.0);
  ct_advance *advance = advance_of(scene, &o);
  ct_advance_state start = ct_advance_now(advance);
  double k = sphere_stiffness(0.04), whole = start.kinetic_energy + start.potential_energy;
  bool done = false;
  while (!done) {
    done = steps(advance, 1);
    ct_advance_state now = ct_advance_now(advance);
    double energy = now.kinetic_energy + now.potential_energy + 0.4 * k * pow(now.penetration, 2.5);
    CHECK_NEAR(energy, whole, 1e-9 * whole);
  }
  CHECK(ct_advance_now(advance).events >= 4);
  end_of(advance, scene);
}

/* Three balls on the ground that touch each other at distance 0: no pair of balls pushes, so
 * each of the five contacts begins once and stays. */
static void contacts_at_distance_zero_begin_once(void) {
  placed_body bodies[4] = {ground};
  static const char *const names[3] = {"a", "b", "c"};
  for (int i = 0; i < 3; i++)
    bodies[i + 1] =
        (placed_body){names[i], sphere_of(0.1), pose_at(0.2 * (i == 1), 0.2 * (i == 2), 0.1),
                      AT_REST, &one_kilogram};
  const ct_scene *scene = scene_with(bodies, 4, steel);
  const ct_advance_options o = elastic_options(0.02, GRAVITY, 0.0);
  ct_advance *advance = advance_of(scene, &o);
  bool done = false;
  while (!done) done = steps(advance, 1);
  ct_advance_state now = ct_advance_now(advance);
  CHECK_INT(now.events, 5);
  CHECK_INT(now.contacts, 5);
  CHECK(now.steps < 5000);
  CHECK_INT(now.not_converged, 0);
  end_of(advance, scene);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {
      {"an impact converges with the tolerance", an_impact_converges_with_the_tolerance},
      {"a ball that settles converges with the tolerance",
       a_ball_that_settles_converges_with_the_tolerance},
      {"floors follow from the load of the contact", floors_follow_from_the_load_of_the_contact},
      {"a spring keeps the energy at every step", a_spring_keeps_the_energy_at_every_step},
      {"a tumbling ellipsoid keeps the energy", a_tumbling_ellipsoid_keeps_the_energy},
      {"contacts at distance zero begin once", contacts_at_distance_zero_begin_once},
  };
  return advance_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
