/* Paths in closed form: rest, twist, ballistic, between two poses; against Rodrigues' formula in
 * long double. */
#include "base/trigonometry.h"
#include "tests/support/check.h"
#include "tests/support/motion.h"
#include "tests/support/movers.h"

#include <contact/limits.h>
#include <contact/path.h>

typedef long double real;
#define PI_L 3.14159265358979323846264338327950288L

static void near_vec(ct_vec3 a, ct_vec3 b, double tolerance) {
  CHECK_NEAR(ct_max_abs(ct_sub(a, b)), 0.0, tolerance);
}

static bool same_vec(ct_vec3 a, ct_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static ct_vec3 material(const ct_path *path, ct_vec3 point, double time) {
  return ct_to_parent(ct_frame_of(ct_path_pose(path, time)), point);
}

static ct_path_options random_options(check_random *r, ct_path_kind kind) {
  return (ct_path_options){.kind = kind,
                           .start = {random_vector(r, 10.0), random_rotation(r)},
                           .duration = check_uniform(r, 0.1, 3.0),
                           .center = random_vector(r, 1.0),
                           .velocity = {random_vector(r, 5.0), random_vector(r, 6.0)},
                           .acceleration = random_vector(r, 9.81),
                           .end = {random_vector(r, 10.0), random_rotation(r)}};
}

/* Position of the material point by Rodrigues' formula, in long double. */
static vec_l truth_of(const ct_path_options *o, ct_vec3 point, double time) {
  long double t = (long double)time;
  vec_l arm = turned_l(o->start.rotation, to_l(o->center)),
        across = turned_l(o->start.rotation, to_l(ct_sub(point, o->center)));
  vec_l pivot = add_l(to_l(o->start.position), arm);
  pivot = add_l(pivot, scale_l(to_l(o->velocity.linear), t));
  if (o->kind == CT_PATH_BALLISTIC)
    pivot = add_l(pivot, scale_l(to_l(o->acceleration), 0.5L * t * t));
  return add_l(pivot, rodrigues_l(scale_l(to_l(o->velocity.angular), t), across));
}

static void twist_and_ballistic_are_rodrigues_formula(void) {
  check_random r = {1501};
  for (int i = 0; i < 4000; i++) {
    ct_path_options o = random_options(&r, i % 2 ? CT_PATH_TWIST : CT_PATH_BALLISTIC);
    if (i % 5 == 0) o.velocity.angular = ct_scale(o.velocity.angular, 1e-12);
    ct_path *path = mover_path(&o);
    double time = i % 7 ? check_uniform(&r, 0.0, o.duration) : o.duration;
    /* A point whose difference from the centre is exact. */
    ct_vec3 point = ct_vec(o.center.x + 1.0, o.center.y - 0.5, o.center.z);
    o.center = ct_vec(point.x - 1.0, point.y + 0.5, point.z);
    near_vec(material(path, point, time), of_l(truth_of(&o, point, time)), 4e-14);
    CHECK(same_vec(ct_path_pose(path, 0.0).position, o.start.position));
    ct_path_destroy(path);
  }
}

/* A million radians: the angle is computed in double-double. */
static void a_long_turn_keeps_its_digits(void) {
  check_random r = {1502};
  for (int i = 0; i < 1000; i++) {
    ct_path_options o = {.kind = CT_PATH_TWIST, .start = ct_pose_identity(), .duration = 1000.0};
    o.velocity.angular = ct_scale(ct_unit_or(random_vector(&r, 1.0), ct_vec(0, 0, 1)), 999.0);
    ct_path *path = mover_path(&o);
    double time = check_uniform(&r, 0.0, o.duration);
    ct_vec3 point = random_vector(&r, 1.0);
    near_vec(material(path, point, time), of_l(truth_of(&o, point, time)), 1.5e-13);
    ct_path_destroy(path);
  }
}

/* Half a turn about the line x = 1 along z, with pitch: the origin moves to x = 2. */
static void a_screw_displaces_as_chasles_says(void) {
  ct_path_options o = {
      .kind = CT_PATH_TWIST, .start = ct_pose_identity(), .duration = 2.0, .center = {1, 0, 0}};
  o.velocity = (ct_velocity){{0, 0, 0.75}, {0, 0, CT_PI}};
  ct_path *path = mover_path(&o);
  near_vec(ct_path_pose(path, 1.0).position, ct_vec(2, 0, 0.75), 1e-15);
  near_vec(ct_path_pose(path, 0.5).position, ct_vec(1, -1, 0.375), 1e-15);
  near_vec(material(path, ct_vec(3, 0, 0), 1.0), ct_vec(-1, 0, 0.75), 2e-15);
  near_vec(ct_path_pose(path, 2.0).position, ct_vec(0, 0, 1.5), 1e-15);
  ct_path_destroy(path);
}

/* T8.2: the centre of a ball of radius 0.1 m falls 0.9 m until the ball touches. */
static void T8_2_a_fall_takes_the_root_of_twice_the_height(void) {
  ct_path_options o = {.kind = CT_PATH_BALLISTIC,
                       .start = {{0, 0, 1.1}, {0, 0, 0, 1}},
                       .duration = 1.0,
                       .acceleration = {0, 0, -9.81}};
  ct_path *path = mover_path(&o);
  double time = sqrt(2.0 / 9.81);
  CHECK_NEAR(ct_path_pose(path, time).position.z, 0.1, 4e-16);
  CHECK_NEAR(ct_path_velocity(path, time).linear.z, -sqrt(2.0 * 9.81), 2e-15);
  CHECK(same_vec(ct_path_acceleration(path), ct_vec(0, 0, -9.81)));
  ct_path_destroy(path);
}

static void rest_stays_to_the_bit(void) {
  check_random r = {1503};
  ct_path_options o = random_options(&r, CT_PATH_REST);
  ct_path *path = mover_path(&o);
  ct_pose pose = ct_path_pose(path, o.duration);
  CHECK(same_vec(pose.position, o.start.position) && pose.rotation.x == o.start.rotation.x &&
        pose.rotation.w == o.start.rotation.w);
  ct_velocity v = ct_path_velocity(path, 0.05);
  CHECK(ct_max_abs(v.linear) == 0.0 && ct_max_abs(v.angular) == 0.0 &&
        ct_max_abs(ct_path_pivot(path)) == 0.0);
  ct_vec3 axis;
  bool constant = false;
  CHECK(ct_path_spin(path, &axis, &constant) == 0.0 && constant);
  ct_path_destroy(path);
}

/* ---- between two poses ---------------------------------------------------------------------- */

static void interpolation_begins_and_ends_at_the_given_poses(void) {
  check_random r = {1504};
  for (int i = 0; i < 1000; i++) {
    ct_path_options o = random_options(&r, CT_PATH_INTERPOLATED);
    ct_path *path = mover_path(&o);
    ct_pose first = ct_path_pose(path, 0.0), last = ct_path_pose(path, o.duration);
    CHECK(same_vec(first.position, o.start.position) && same_vec(last.position, o.end.position));
    CHECK(rotations_apart(first.rotation, o.start.rotation) == 0.0 &&
          rotations_apart(last.rotation, o.end.rotation) == 0.0);
    /* The end is reached without a jump. */
    ct_pose before = ct_path_pose(path, nextafter(o.duration, 0.0));
    CHECK_NEAR(rotations_apart(before.rotation, last.rotation), 0.0, 8e-15);
    near_vec(before.position, last.position, 1e-14);
    ct_path_destroy(path);
  }
}

/* Equal fractions of the time are equal rotations about one axis, of at most half a turn in all. */
static void interpolation_turns_at_constant_speed_on_the_shortest_arc(void) {
  check_random r = {1505};
  for (int i = 0; i < 1000; i++) {
    ct_path_options o = random_options(&r, CT_PATH_INTERPOLATED);
    ct_path *path = mover_path(&o);
    ct_vec3 axis, part_axis;
    bool constant = false;
    double angle = ct_path_spin(path, &axis, &constant) * o.duration;
    CHECK(constant && angle <= CT_PI * (1.0 + 1e-14));
    /* The arc between two quaternions, the nearer of the two signs: Shoemake 1985. */
    ct_quat p = o.start.rotation, q = o.end.rotation;
    long double dot = (long double)p.x * q.x + (long double)p.y * q.y + (long double)p.z * q.z +
                      (long double)p.w * q.w;
    long double pp = (long double)p.x * p.x + (long double)p.y * p.y + (long double)p.z * p.z +
                     (long double)p.w * p.w;
    long double qq = (long double)q.x * q.x + (long double)q.y * q.y + (long double)q.z * q.z +
                     (long double)q.w * q.w;
    CHECK_NEAR(cos(0.5 * angle), (double)(fabsl(dot) / sqrtl(pp * qq)), 4e-15);
    for (int k = 0; k < 4; k++) {
      ct_quat a = ct_path_pose(path, 0.25 * k * o.duration).rotation,
              b = ct_path_pose(path, 0.25 * (k + 1) * o.duration).rotation;
      CHECK_NEAR(rotation_angle(a, b, &part_axis), 0.25 * angle, 4e-15);
      if (angle > 0.1) near_vec(part_axis, axis, 1e-13);
      near_vec(ct_path_pose(path, 0.25 * k * o.duration).position,
               ct_lerp(o.start.position, o.end.position, 0.25 * k), 1e-14);
    }
    ct_path_destroy(path);
  }
}

static void opposite_quaternions_are_one_rotation(void) {
  ct_path_options o = {
      .kind = CT_PATH_INTERPOLATED, .start = {{1, 2, 3}, {0.1, 0.2, 0.3, 0.9}}, .duration = 1.0};
  o.end = (ct_pose){{4, 5, 6}, {-0.1, -0.2, -0.3, -0.9}};
  ct_path *path = mover_path(&o);
  ct_vec3 axis;
  bool constant = false;
  CHECK(ct_path_spin(path, &axis, &constant) == 0.0 && constant);
  CHECK(rotations_apart(ct_path_pose(path, 0.3).rotation, o.start.rotation) == 0.0);
  ct_path_destroy(path);

  /* Half a turn: the same axis for any signs. */
  ct_quat seen = {0, 0, 0, 0};
  for (int k = 0; k < 4; k++) {
    o.start.rotation = k & 1 ? (ct_quat){0, 0, 0, -1} : ct_quat_identity();
    o.end.rotation = k & 2 ? (ct_quat){0, -0.6, 0.8, 0} : (ct_quat){0, 0.6, -0.8, 0};
    path = mover_path(&o);
    ct_quat middle = ct_path_pose(path, 0.5).rotation;
    if (k == 0) seen = middle;
    CHECK(rotations_apart(middle, seen) == 0.0);
    near_vec(ct_mat_mul(ct_quat_matrix(middle), ct_vec(1, 0, 0)), ct_vec(0, -0.8, -0.6), 4e-16);
    ct_path_destroy(path);
  }
}

/* ---- velocities, spins and boxes ------------------------------------------------------------ */

static void velocity_is_the_rate_of_the_pose(void) {
  check_random r = {1506};
  const ct_path_kind kinds[] = {CT_PATH_TWIST, CT_PATH_BALLISTIC, CT_PATH_INTERPOLATED};
  for (int i = 0; i < 3000; i++) {
    ct_path_options o = random_options(&r, kinds[i % 3]);
    ct_path *path = mover_path(&o);
    double step = 1e-5, time = check_uniform(&r, 0.01, o.duration - 0.01);
    ct_velocity v = ct_path_velocity(path, time);
    ct_vec3 pivot = ct_path_pivot(path), axis, spin_axis;
    ct_vec3 way = ct_sub(material(path, pivot, time + step), material(path, pivot, time - step));
    near_vec(ct_scale(way, 0.5 / step), v.linear, 2e-9);
    double angle = rotation_angle(ct_path_pose(path, time - step).rotation,
                                  ct_path_pose(path, time + step).rotation, &axis);
    near_vec(ct_scale(axis, 0.5 * angle / step), v.angular, 2e-9);
    bool constant = false;
    double spin = ct_path_spin(path, &spin_axis, &constant);
    CHECK(constant);
    CHECK_NEAR(spin, ct_norm(v.angular), 4e-15 * spin);
    near_vec(ct_scale(spin_axis, spin), v.angular, 4e-15 * spin);
    ct_path_destroy(path);
  }
}

static void a_box_holds_every_ball_and_little_more(void) {
  check_random r = {1507};
  const ct_path_kind kinds[] = {CT_PATH_REST, CT_PATH_TWIST, CT_PATH_BALLISTIC,
                                CT_PATH_INTERPOLATED};
  for (int i = 0; i < 400; i++) {
    ct_path_options o = random_options(&r, kinds[i % 4]);
    ct_path *path = mover_path(&o);
    double a = check_uniform(&r, 0.0, o.duration), b = check_uniform(&r, 0.0, o.duration),
           radius = i % 3 ? check_uniform(&r, 0.0, 2.0) : 0.0;
    double begin = ct_min2(a, b), end = ct_max2(a, b);
    ct_aabb box = ct_path_aabb(path, begin, end, radius);
    ct_vec3 least = {1e300, 1e300, 1e300}, greatest = ct_neg(least);
    for (int k = 0; k <= 100; k++) {
      double time = k < 100 ? begin + (end - begin) * 0.01 * k : end;
      ct_vec3 p = material(path, ct_path_pivot(path), time);
      least = ct_vec(ct_min2(least.x, p.x), ct_min2(least.y, p.y), ct_min2(least.z, p.z));
      greatest =
          ct_vec(ct_max2(greatest.x, p.x), ct_max2(greatest.y, p.y), ct_max2(greatest.z, p.z));
    }
    CHECK(box.min.x <= least.x - radius && box.min.y <= least.y - radius &&
          box.min.z <= least.z - radius);
    CHECK(box.max.x >= greatest.x + radius && box.max.y >= greatest.y + radius &&
          box.max.z >= greatest.z + radius);
    /* Between two samples a parabola rises by at most |a| h^2 / 8. */
    double h = 0.01 * (end - begin), over = 9.81 * h * h / 8.0 + 1e-13;
    near_vec(box.min, ct_sub(least, ct_vec(radius, radius, radius)), over);
    near_vec(box.max, ct_add(greatest, ct_vec(radius, radius, radius)), over);
    ct_path_destroy(path);
  }
}

static bool holds(const ct_aabb *box, vec_l p) {
  return (real)box->min.x <= p.x && (real)box->min.y <= p.y && (real)box->min.z <= p.z &&
         p.x <= (real)box->max.x && p.y <= (real)box->max.y && p.z <= (real)box->max.z;
}

/* The box of one instant contains the pivot to the last digit, for large coordinates and for long
 * arms, and is not wider than rounding. */
static void a_box_of_an_instant_is_rounded_outward(void) {
  check_random r = {1508};
  for (int i = 0; i < 4000; i++) {
    ct_path_options o = random_options(&r, i % 2 ? CT_PATH_BALLISTIC : CT_PATH_TWIST);
    double size = 10.0;
    if (i % 4 < 2)
      o.center = ct_vec(0, 0, 0), o.start.position = ct_scale(o.start.position, size = 1e7);
    else
      o.start.position = ct_scale(o.start.position, 1e-9),
      o.center = ct_scale(o.center, size = 1e5);
    ct_path *path = mover_path(&o);
    double time = i % 3 ? check_uniform(&r, 0.0, o.duration) : 0.0;
    ct_aabb box = ct_path_aabb(path, time, time, 0.0);
    CHECK(holds(&box, truth_of(&o, o.center, time)));
    CHECK(holds(&box, to_l(material(path, o.center, time))));
    near_vec(box.min, box.max, 2e-14 * 10.0 * size + 1e-12);
    ct_path_destroy(path);
  }
}

static void a_constant_spin_is_the_least_double_above(void) {
  check_random r = {1509};
  for (int i = 0; i < 2000; i++) {
    ct_path_options o = {.kind = CT_PATH_TWIST,
                         .start = ct_pose_identity(),
                         .duration = 1.0,
                         .velocity = {{0, 0, 0}, random_vector(&r, 6.0)}};
    ct_path *path = mover_path(&o);
    ct_vec3 axis;
    bool constant = false;
    double spin = ct_path_spin(path, &axis, &constant);
    vec_l w = to_l(o.velocity.angular);
    real truth = sqrtl(dot_l(w, w));
    CHECK((real)spin >= truth && (real)nextafter(spin, 0.0) < truth);
    ct_path_destroy(path);
  }
}

/* Up 3 m/s against 2 m/s^2: back after 3 s, highest 2.25 m. */
static void a_box_reaches_the_top_of_a_parabola(void) {
  ct_path_options o = {.kind = CT_PATH_BALLISTIC,
                       .start = ct_pose_identity(),
                       .duration = 3.0,
                       .acceleration = {0, 0, -2}};
  o.velocity.linear = ct_vec(1, 0, 3);
  ct_path *path = mover_path(&o);
  ct_aabb box = ct_path_aabb(path, 0.0, 3.0, 0.5);
  CHECK(box.max.z >= 2.75 && box.max.z <= 2.75 + 2e-14 && box.min.z <= -0.5 &&
        box.min.z >= -0.5 - 2e-14);
  CHECK(box.min.x <= -0.5 && box.max.x >= 3.5 && box.max.x <= 3.5 + 2e-14);
  box = ct_path_aabb(path, 2.0, 2.0, 0.0);
  CHECK(box.min.z <= 2.0 && box.max.z >= 2.0 && box.max.z - box.min.z < 2e-14);
  ct_path_destroy(path);
}

/* ---- limits --------------------------------------------------------------------------------- */

static void refused(const ct_path_options *o) {
  ct_path *path = NULL;
  CHECK_INT(ct_path_create(o, &path), CT_LIMIT);
  CHECK(path == NULL);
}

static void what_is_beyond_the_limits_is_refused(void) {
  ct_path_options o = {.kind = CT_PATH_TWIST, .start = ct_pose_identity(), .duration = 1e6};
  o.velocity.angular = ct_vec(0, 1.0, 0);
  ct_path_destroy(mover_path(&o));
  o.velocity.angular = ct_vec(0, 1.0000001, 0);
  refused(&o);
  o.velocity = (ct_velocity){{1000, 0, 0}, {0, 0, 0}};
  ct_path_destroy(mover_path(&o));
  o.velocity.linear.x = 1000.0001;
  refused(&o);
  /* Beyond the limit and back. */
  o = (ct_path_options){.kind = CT_PATH_BALLISTIC,
                        .start = ct_pose_identity(),
                        .duration = 1e5,
                        .acceleration = {0, -1e3, 0}};
  o.velocity.linear = ct_vec(0, 5e7, 0);
  refused(&o);
  o.velocity.linear = ct_vec(0, 5e7, 0), o.acceleration = ct_vec(0, -1.5e6, 0), o.duration = 66.0;
  ct_path_destroy(mover_path(&o));
  /* Infinite velocities, and products that are NaN. */
  o.velocity.linear = ct_vec(1e308, 0, 0), o.acceleration = ct_vec(-1e308, 0, 0);
  refused(&o);
  o.velocity.linear = ct_vec(0, 0, 0), o.velocity.angular = ct_vec(1.7e308, 1.7e308, 1.7e308);
  refused(&o);
  o.kind = CT_PATH_INTERPOLATED, o.end = (ct_pose){{1e9, 0, 0}, {0, 0, 0, 1}}, o.duration = 1e-310;
  refused(&o);
}

static bool is_number(ct_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static void whatever_is_within_the_limits_has_numbers_for_answers(void) {
  const double rates[] = {0.0, 0x1p-1074, 1e-300, 1e-12, 1.0, 1e6, 1e300, 1e308};
  const double durations[] = {0x1p-1074, 1e-310, 1e-300, 1e-9, 1.0, 1e6};
  int taken = 0;
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
    for (size_t k = 0; k < sizeof durations / sizeof durations[0]; k++)
      for (int kind = CT_PATH_REST; kind <= CT_PATH_INTERPOLATED; kind++) {
        double w = rates[i], duration = durations[k];
        ct_path_options o = {.kind = (ct_path_kind)kind,
                             .start = {{1, -2, 1e9}, {0.5, 0.5, -0.5, 0.5}},
                             .duration = duration};
        o.velocity = (ct_velocity){{w, -w, 0}, {w, 0.3 * w, -0.7 * w}};
        o.acceleration = ct_vec(0, w, -w);
        o.center = ct_vec(0.25, -1, -3);
        o.inertia_diagonal = ct_vec(1, 2, 2.5), o.inertia_orientation = ct_quat_identity();
        o.end = (ct_pose){{w > 1e9 ? 1e9 : w, 0, 0}, {-0.5, 0.5, 0.5, 0.5}};
        ct_path *path = NULL;
        if (ct_path_create(&o, &path) != CT_OK) continue;
        taken++;
        for (int part = 0; part <= 4; part++) {
          double time = part == 4 ? duration : 0.25 * part * duration;
          ct_pose pose = ct_path_pose(path, time);
          ct_velocity v = ct_path_velocity(path, time);
          ct_aabb box = ct_path_aabb(path, 0.0, time, 1.0);
          double q = ct_max_abs(ct_vec(pose.rotation.x, pose.rotation.y, pose.rotation.z)) +
                     fabs(pose.rotation.w);
          CHECK(is_number(pose.position) && q > 0.4 && q < 2.0 && is_number(v.linear) &&
                is_number(v.angular));
          CHECK(is_number(box.min) && is_number(box.max) && box.min.x < box.max.x);
        }
        ct_path_destroy(path);
      }
  CHECK(taken > 100);
}

static const check_test tests[] = {
    {"twist_and_ballistic_are_rodrigues_formula", twist_and_ballistic_are_rodrigues_formula},
    {"a_long_turn_keeps_its_digits", a_long_turn_keeps_its_digits},
    {"a_screw_displaces_as_chasles_says", a_screw_displaces_as_chasles_says},
    {"T8.2_a_fall_takes_the_root_of_twice_the_height",
     T8_2_a_fall_takes_the_root_of_twice_the_height},
    {"rest_stays_to_the_bit", rest_stays_to_the_bit},
    {"interpolation_begins_and_ends_at_the_given_poses",
     interpolation_begins_and_ends_at_the_given_poses},
    {"interpolation_turns_at_constant_speed_on_the_shortest_arc",
     interpolation_turns_at_constant_speed_on_the_shortest_arc},
    {"opposite_quaternions_are_one_rotation", opposite_quaternions_are_one_rotation},
    {"velocity_is_the_rate_of_the_pose", velocity_is_the_rate_of_the_pose},
    {"a_box_holds_every_ball_and_little_more", a_box_holds_every_ball_and_little_more},
    {"a_box_of_an_instant_is_rounded_outward", a_box_of_an_instant_is_rounded_outward},
    {"a_constant_spin_is_the_least_double_above", a_constant_spin_is_the_least_double_above},
    {"a_box_reaches_the_top_of_a_parabola", a_box_reaches_the_top_of_a_parabola},
    {"what_is_beyond_the_limits_is_refused", what_is_beyond_the_limits_is_refused},
    {"whatever_is_within_the_limits_has_numbers_for_answers",
     whatever_is_within_the_limits_has_numbers_for_answers},
};
CHECK_MAIN(tests)
