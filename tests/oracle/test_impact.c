/* Times of impact against closed forms: spheres, a ball in free fall, a box that rotates onto a
 * plane, bisection, a thin plate. */
#include "tests/support/meshes.h"
#include "tests/support/movers.h"
#include "tests/support/shapes.h"
#include "tests/support/workspace.h"

#include "toi/toi.h"

#include <contact/pair_methods.h>

/* Permitted relative error of a time with a closed form. */
#define TIME_ERROR 1e-12

static ct_toi impact_of(ct_moving_body a, ct_moving_body b, const ct_toi_options *options) {
  ct_toi impact;
  CHECK_INT(ct_body_toi(a, b, options, workspace, &impact), CT_OK);
  return impact;
}

/* The bracket contains the time, and is as narrow as the round-off of a distance, a few hundred u,
 * permits. */
static void check_contact(const ct_toi *impact, long double time, double width) {
  CHECK_INT(impact->event, CT_TOI_CONTACT);
  CHECK(fabsl(impact->time - time) <= TIME_ERROR * time);
  CHECK(impact->lower <= time && time <= impact->upper && impact->free_until <= impact->lower);
  CHECK_NEAR(impact->upper - impact->lower, 0.0, width);
  CHECK_NEAR(impact->contact.distance, 0.0, 1e-13);
}

/* T8.1: unit spheres at 0 and 5 that approach at 1 m/s each, with a lateral offset. */
static ct_toi spheres_past(double offset, double end) {
  ct_path_options left = twists(5.0, at(0, 0, 0), ct_vec(1, 0, 0), ct_vec(0, 0, 0));
  ct_path_options right = twists(5.0, at(5, offset, 0), ct_vec(-1, 0, 0), ct_vec(0, 0, 0));
  ct_moving_body a = mover(sphere(1.0), &left), b = mover(sphere(1.0), &right);
  ct_toi_options options = whole_motion(end);
  ct_toi impact = impact_of(a, b, &options);
  mover_free(a);
  mover_free(b);
  return impact;
}

/* T8.1: head-on contact at 1.5 s; with an offset of 1 at (5 - sqrt(3)) / 2 s. */
static void spheres_collide_centrally_or_obliquely(void) {
  ct_toi impact = spheres_past(0.0, 5.0);
  check_contact(&impact, 1.5L, 1e-12);
  CHECK_NEAR(impact.normal_velocity, -2.0, 1e-15);
  CHECK_NEAR(impact.contact.normal.x, 1.0, 1e-15);
  CHECK_NEAR(impact.contact.point_a.x, 2.5, 1e-12);
  CHECK(impact.iterations <= 10);
  impact = spheres_past(1.0, 5.0);
  check_contact(&impact, (5.0L - sqrtl(3.0L)) / 2.0L, 1e-12);
  CHECK_NEAR(impact.normal_velocity, -sqrt(3.0), 1e-11);
  CHECK(impact.iterations <= 16);
  /* They would meet after the end of the interval. */
  impact = spheres_past(0.0, 1.49);
  CHECK_INT(impact.event, CT_TOI_NONE);
  CHECK(impact.free_until == 1.49 && impact.time == 1.49 && impact.flags == 0);
}

/* T8.1: at an offset of exactly both radii the spheres touch at 2.5 s and separate; at a slightly
 * larger one they do not touch. */
static void spheres_that_only_touch_graze(void) {
  ct_toi impact = spheres_past(2.001, 5.0);
  CHECK_INT(impact.event, CT_TOI_NONE);
  CHECK(impact.flags == 0 && impact.free_until == 5.0);
  impact = spheres_past(2.0, 5.0);
  CHECK_INT(impact.event, CT_TOI_NONE);
  CHECK_INT(impact.flags, CT_TOI_FLAG_GRAZE);
  CHECK_NEAR(impact.graze_time, 2.5, 1e-11);
  CHECK_NEAR(impact.graze_distance, 0.0, 1e-15);
  CHECK(impact.free_until > 2.49 && impact.free_until < 2.5);
  CHECK(impact.iterations < 100);
  /* Slightly nearer, by more than the square of the resolution in time, they do meet. */
  double aside = 2.0 - 1e-9;
  impact = spheres_past(aside, 5.0);
  CHECK_INT(impact.event, CT_TOI_CONTACT);
  long double closed = (5.0L - sqrtl(4.0L - (long double)aside * aside)) / 2.0L;
  CHECK(impact.lower <= closed && closed <= impact.upper);
  CHECK_NEAR(impact.time, (double)closed, 1e-9);
}

/* The search continues after a graze: a ball touches one sphere in passing and then hits
 * another. */
static void a_contact_after_a_graze_is_found(void) {
  const ct_shape two[] = {sphere(1.0), sphere(1.0)};
  const ct_pose poses[] = {at(0, 2, 0), at(6, 0, 0)};
  const ct_body *both = mover_body(two, poses, 2);
  ct_path_options here = stays(10.0, at(0, 0, 0)),
                  along = twists(10.0, at(-3, 0, 0), ct_vec(1, 0, 0), ct_vec(0, 0, 0));
  ct_moving_body a = mover_of(both, &here), b = mover(sphere(1.0), &along);
  ct_toi_options options = whole_motion(10.0);
  ct_toi impact = impact_of(a, b, &options);
  CHECK_INT(impact.event, CT_TOI_CONTACT);
  CHECK_INT(impact.flags, CT_TOI_FLAG_GRAZE);
  CHECK_NEAR(impact.graze_time, 3.0, 1e-11);
  CHECK_NEAR(impact.time, 7.0, 1e-11);
  CHECK_INT(impact.collider_a, 1);
  CHECK(impact.free_until < 3.0);
  mover_free(a);
  mover_free(b);
}

#define FALL 9.81

static ct_moving_body ground(double duration) {
  ct_path_options here = stays(duration, at(0, 0, 0));
  return mover(plane(), &here);
}

/* A sphere of radius 0.1 whose lowest point is 1 m above the ground. */
static ct_moving_body falling_ball(double duration) {
  ct_path_options path = falls(duration, at(0.3, -0.2, 1.1), ct_vec(0, 0, 0), ct_vec(0, 0, -FALL));
  return mover(sphere(0.1), &path);
}

/* T8.2: impact after sqrt(2 h / g) at the speed sqrt(2 g h). */
static void a_ball_falls_onto_a_plane(void) {
  ct_moving_body a = ground(1.0), b = falling_ball(1.0);
  ct_toi_options options = whole_motion(1.0);
  ct_toi impact = impact_of(a, b, &options);
  check_contact(&impact, sqrtl(2.0L / 9.81L), 1e-12);
  CHECK_NEAR(impact.time, 0.4515236410, 1e-10);
  CHECK_NEAR(impact.normal_velocity, -4.4294469180, 1e-9);
  CHECK_NEAR(impact.relative_velocity.z, -sqrt(2.0 * FALL), 1e-12);
  CHECK_NEAR(impact.contact.point_b.x, 0.3, 1e-15);
  CHECK(impact.iterations <= 10);
  mover_free(a);
  mover_free(b);
}

/* T8.3: sin t + .1 cos t = .6, by Newton's method in long double. */
static void a_box_turns_onto_a_plane(void) {
  long double t = 0.5L;
  for (int i = 0; i < 20; i++) t -= (sinl(t) + 0.1L * cosl(t) - 0.6L) / (cosl(t) - 0.1L * sinl(t));
  CHECK_NEAR((double)t, 0.5401155212, 1e-10);
  ct_path_options here =
      stays(1.0, turned(at(0, 0, 0), -0.70710678118654752440, 0, 0, 0.70710678118654752440));
  ct_path_options turns = twists(1.0, at(0, 0.6, 0), ct_vec(0, 0, 0), ct_vec(0, 0, 1));
  ct_moving_body a = mover(plane(), &here), b = mover(box(1.0, 0.1, 1.0), &turns);
  ct_toi_options options = whole_motion(1.0);
  ct_toi impact = impact_of(a, b, &options);
  check_contact(&impact, t, 1e-11);
  CHECK(impact.iterations <= 14);
  /* At most as many distance evaluations, including those at the ends and at the instant, as
   * conservative advancement with the distance from the axis alone needs for 1e-10. */
  options.time_tolerance = 1e-10;
  impact = impact_of(a, b, &options);
  CHECK_NEAR(impact.time, (double)t, 1e-10);
  CHECK(impact.lower <= t && t <= impact.upper && impact.iterations <= 14);
  mover_free(a);
  mover_free(b);
}

/* T8.4, row 38: bisection over one second halves the interval down to the requested length, and
 * returns the state without penetration. */
static void bisection_finds_the_instant_within_its_tolerances(void) {
  ct_moving_body a = ground(1.0), b = falling_ball(1.0);
  long double closed = sqrtl(2.0L / 9.81L);
  ct_toi_options options = whole_motion(1.0);
  options.method = CT_TOI_BISECTION;
  options.time_tolerance = 1e-12;
  ct_toi impact = impact_of(a, b, &options);
  CHECK_INT(impact.event, CT_TOI_CONTACT);
  CHECK(fabsl(impact.time - closed) <= 1e-12L && impact.contact.distance >= 0.0);
  CHECK(impact.lower <= closed && closed <= impact.upper);
  CHECK_INT(impact.iterations, 2 + 40);
  /* A tenth of a second: 37 halvings. */
  options.begin = 0.4;
  options.end = 0.5;
  impact = impact_of(a, b, &options);
  CHECK(fabsl(impact.time - closed) <= 1e-12L);
  CHECK_INT(impact.iterations, 2 + 37);
  /* Tolerance as a distance: the time is off by at most this distance over the impact speed. */
  options.begin = 0.0;
  options.end = 1.0;
  for (double tolerance = 1e-3; tolerance > 1e-10; tolerance *= 0.1) {
    options.distance_tolerance = tolerance;
    impact = impact_of(a, b, &options);
    CHECK(fabs(impact.contact.distance) <= tolerance);
    CHECK(fabsl(impact.time - closed) <= tolerance / 4.4L);
    CHECK(impact.iterations < 42);
  }
  mover_free(a);
  mover_free(b);
}

/* T8.6: a ball of radius .05 crosses a plate of .01 at 100 m/s in .01 s. The bodies are apart at
 * both ends of the interval. */
static void a_thin_plate_is_not_tunnelled(void) {
  ct_path_options here = stays(0.01, at(0, 0, 0)),
                  flies = twists(0.01, at(-0.5, 0, 0), ct_vec(100, 0, 0), ct_vec(0, 0, 0));
  ct_moving_body a = mover(box(0.005, 1.0, 1.0), &here), b = mover(sphere(0.05), &flies);
  ct_toi_options options = whole_motion(0.01);
  options.method = CT_TOI_BISECTION;
  ct_toi impact = impact_of(a, b, &options);
  CHECK_INT(impact.event, CT_TOI_NONE);
  CHECK(impact.free_until == 0.0);
  options.method = CT_TOI_CONSERVATIVE_ADVANCEMENT;
  impact = impact_of(a, b, &options);
  check_contact(&impact, (0.5L - 0.005L - 0.05L) / 100.0L, 1e-14);
  CHECK_NEAR(impact.normal_velocity, -100.0, 1e-10);
  mover_free(a);
  mover_free(b);
}

/* In contact at the start: and staying so, separating for good, and separating before another
 * contact. */
static void contact_at_the_start_is_reported(void) {
  ct_moving_body floor = ground(2.0);
  ct_toi_options options = whole_motion(2.0);
  ct_path_options rests = stays(2.0, at(0, 0, 0.1)),
                  slides = twists(2.0, at(0, 0, 0.1), ct_vec(1, 0, 0), ct_vec(0, 0, 0));
  ct_path_options leaves = twists(2.0, at(0, 0, 0.05), ct_vec(0, 0, 1), ct_vec(0, 0, 0));
  ct_path_options thrown = falls(2.0, at(0, 0, 0.05), ct_vec(0, 0, 4), ct_vec(0, 0, -8));
  const ct_path_options *paths[] = {&rests, &slides, &leaves, &thrown};
  for (int i = 0; i < 4; i++) {
    ct_moving_body ball = mover(sphere(0.1), paths[i]);
    ct_toi impact = impact_of(floor, ball, &options);
    CHECK(impact.free_until == 0.0);
    if (i < 3) CHECK_INT(impact.event, CT_TOI_INITIAL);
    if (i < 3) CHECK(impact.time == 0.0 && impact.contact.distance == (i < 2 ? 0.0 : -0.05));
    CHECK_INT(impact.flags, i < 2 ? 0 : CT_TOI_FLAG_SEPARATING_AT_START);
    /* z = .05 + 4 t - 4 t^2 = .1 on the way down. */
    if (i == 3) CHECK_INT(impact.event, CT_TOI_CONTACT);
    if (i == 3) CHECK_NEAR(impact.time, (1.0 + sqrt(1.0 - 0.05)) / 2.0, 1e-12);
    CHECK_INT(impact.status, CT_PAIR_OK);
    mover_free(ball);
  }
  mover_free(floor);
}

/* A ball thrown up falls down again: a search that ends earlier reports that it ended. */
static void a_search_after_separation_reports_the_iteration_limit(void) {
  ct_path_options thrown = falls(2.0, at(0, 0, 0.05), ct_vec(0, 0, 4), ct_vec(0, 0, -8));
  ct_moving_body floor = ground(2.0), ball = mover(sphere(0.1), &thrown);
  ct_toi_options options = whole_motion(2.0);
  int ended = 0;
  for (options.iterations_max = 1; options.iterations_max < 20; options.iterations_max++) {
    ct_toi impact = impact_of(floor, ball, &options);
    CHECK(impact.flags & CT_TOI_FLAG_SEPARATING_AT_START);
    if (impact.event == CT_TOI_CONTACT) continue;
    CHECK_INT(impact.event, CT_TOI_INITIAL);
    CHECK_INT(impact.status, CT_PAIR_ITERATION_LIMIT);
    ended++;
  }
  CHECK(ended >= 1 && ended < 19);
  mover_free(floor);
  mover_free(ball);
}

/* Apart and at relative rest, moving alike, or separating: no contact, after a single
 * evaluation. */
static void bodies_that_never_come_nearer_cost_one_distance(void) {
  ct_vec3 still = {0, 0, 0}, v = {3, -1, 0.5};
  ct_path_options paths[][2] = {
      {stays(1e3, at(0, 0, 0)), stays(1e3, at(1.5, 0, 0))},
      {twists(1e3, at(0, 0, 0), v, still), twists(1e3, at(1.5, 0, 0), v, still)},
      {twists(1e3, at(0, 0, 0), v, still), twists(1e3, at(1.5, 0, 0), ct_vec(4, -1, 0.5), still)}};
  ct_toi_options options = whole_motion(1e3);
  for (int i = 0; i < 3; i++) {
    ct_moving_body a = mover(box(0.5, 0.5, 0.5), &paths[i][0]),
                   b = mover(box(0.5, 0.5, 0.5), &paths[i][1]);
    ct_toi impact = impact_of(a, b, &options);
    CHECK_INT(impact.event, CT_TOI_NONE);
    CHECK(impact.free_until == 1e3 && impact.iterations <= 1);
    mover_free(a);
    mover_free(b);
  }
}

/* Two bars of twelve balls, one rotated across the path of the other: the first of 144 pairs to
 * meet, by its closed form. */
static void the_first_of_many_colliders_is_found(void) {
  check_random r = {81};
  for (int i = 0; i < 60; i++) {
    ct_shape balls[2][12];
    ct_pose places[2][12];
    ct_path_options paths[2];
    for (int k = 0; k < 2; k++) {
      for (int j = 0; j < 12; j++) {
        balls[k][j] = sphere(check_uniform(&r, 0.1, 0.4));
        places[k][j] =
            at(check_uniform(&r, -3, 3), check_uniform(&r, -3, 3), check_uniform(&r, -3, 3));
      }
      double y = check_uniform(&r, -2, 2), z = check_uniform(&r, -2, 2);
      paths[k] = twists(10.0, at(k ? 9.0 : 0.0, y, z),
                        ct_vec(k ? -1.0 : 0.5, check_uniform(&r, -0.2, 0.2), 0.1), ct_vec(0, 0, 0));
    }
    long double first = INFINITY;
    ct_vec3 v = ct_sub(paths[1].velocity.linear, paths[0].velocity.linear);
    long double a2 = (long double)v.x * v.x + (long double)v.y * v.y + (long double)v.z * v.z;
    for (int j = 0; j < 144; j++) {
      ct_vec3 p = ct_add(paths[0].start.position, places[0][j / 12].position);
      ct_vec3 q = ct_add(paths[1].start.position, places[1][j % 12].position);
      long double x = (long double)q.x - p.x, y = (long double)q.y - p.y,
                  z = (long double)q.z - p.z;
      long double sum =
          (long double)balls[0][j / 12].sphere.radius + balls[1][j % 12].sphere.radius;
      long double b2 = x * v.x + y * v.y + z * v.z,
                  root = b2 * b2 - a2 * (x * x + y * y + z * z - sum * sum);
      if (root >= 0 && b2 < 0) first = fminl(first, (-b2 - sqrtl(root)) / a2);
    }
    ct_moving_body a = mover_of(mover_body(balls[0], places[0], 12), &paths[0]),
                   b = mover_of(mover_body(balls[1], places[1], 12), &paths[1]);
    ct_toi_options options = whole_motion(10.0);
    ct_toi impact = impact_of(a, b, &options);
    if (first < 10.0L) check_contact(&impact, first, 1e-10);
    else CHECK_INT(impact.event, CT_TOI_NONE);
    CHECK(impact.iterations < 200);
    mover_free(a);
    mover_free(b);
  }
}

/* A ball between two long beams of one mesh moves along them a hundred times faster than towards
 * one of them. No plane separates it from both, and a bound by its speed alone would advance by a
 * hundredth of the time per evaluation. */
static void a_ball_between_beams_hits_one_after_few_distances(void) {
  soup s = {0};
  soup_box(&s, ct_vec(-1, 0.5, -0.5), ct_vec(60, 1.0, 0.5));
  soup_box(&s, ct_vec(-1, -1.0, -0.5), ct_vec(60, -0.5, 0.5));
  ct_shape beams = soup_shape(&s);
  ct_path_options here = stays(50.0, at(0, 0, 0)),
                  along = twists(50.0, at(0, 0, 0), ct_vec(1.0, 0.01, 0), ct_vec(0, 0, 0));
  ct_moving_body a = mover(beams, &here), b = mover(sphere(0.125), &along);
  ct_shape_release(&beams);
  ct_toi_options options = whole_motion(50.0);
  ct_toi impact = impact_of(a, b, &options);
  check_contact(&impact, 0.375L / (long double)0.01, 1e-9);
  CHECK(impact.iterations <= 20);
  mover_free(a);
  mover_free(b);
}

/* Row 40: no plane separates two boxes at the end of a motion; bisection returns the last state
 * with a separating plane. */
static void bisection_backs_up_to_a_separating_plane(void) {
  check_random r = {82};
  for (int i = 0; i < 40; i++) {
    ct_path_options here = stays(1.0, ct_pose_identity());
    ct_vec3 turn =
        ct_vec(check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1));
    ct_path_options comes =
        twists(1.0, at(2.5, check_uniform(&r, -0.5, 0.5), 0.1), ct_vec(-2, 0, 0), turn);
    const ct_shape one = box(0.5, 0.6, 0.7), two = box(0.4, 0.8, 0.3);
    ct_moving_body a = mover(one, &here), b = mover(two, &comes);
    ct_toi_options options = whole_motion(1.0);
    options.method = CT_TOI_BISECTION;
    ct_toi impact = impact_of(a, b, &options);
    CHECK_INT(impact.event, CT_TOI_CONTACT);
    const double times[] = {0.0, impact.lower, impact.upper, 1.0};
    for (int k = 0; k < 4; k++) {
      ct_frame fa = ct_frame_of(ct_path_pose(a.path, times[k])),
               fb = ct_frame_of(ct_path_pose(b.path, times[k]));
      CHECK(ct_pair_separating_plane((ct_placed){&one, &fa}, (ct_placed){&two, &fb}, NULL,
                                     workspace, NULL) == (k < 2));
    }
    CHECK_NEAR(impact.upper - impact.lower, 0.0, 1e-12);
    mover_free(a);
    mover_free(b);
  }
}

/* A square surface in the plane z = 0. */
static ct_shape sheet(uint32_t size) {
  soup s = {0};
  soup_sheet(&s, size);
  return soup_shape(&s);
}

/* Two sheets without thickness, one passing through the other: the time of first contact cannot be
 * distinguished from its neighbours, yet the contact is reported, with the direction of
 * approach. */
static void parallel_surfaces_do_not_pass_unseen(void) {
  check_random r = {83};
  for (int i = 0; i < 60; i++) {
    double height = i < 6 ? 0.5 + 0.1 * i : check_uniform(&r, 0.5, 1.5),
           speed = i < 6 ? 1.0 : check_uniform(&r, 1.0, 60.0);
    double side = i % 2 ? 1.0 : -1.0, duration = check_uniform(&r, 1.5, 3.0) * height / speed;
    ct_vec3 aside = ct_vec(check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), side * height);
    ct_path_options here = stays(duration, at(0, 0, 0));
    ct_path_options goes = twists(duration, at(aside.x, aside.y, aside.z),
                                  ct_vec(0.02, 0, -side * speed), ct_vec(0, 0, i % 3));
    ct_shape one = sheet(2), two = sheet(2);
    ct_moving_body a = mover(one, &here), b = mover(two, &goes);
    ct_toi_options options = whole_motion(duration);
    ct_toi impact = impact_of(a, b, &options);
    check_contact(&impact, (long double)height / speed, 1e-12);
    CHECK_INT(impact.flags, 0);
    CHECK_NEAR(impact.contact.normal.z, side, 1e-3);
    CHECK_NEAR(impact.normal_velocity, -speed, 1e-2 * speed);
    ct_timeline timeline = {.count = 0};
    CHECK_INT(ct_body_timeline(a, b, &options, 10, workspace, &timeline), CT_OK);
    CHECK(timeline.count == 2 && timeline.status == CT_TIMELINE_COMPLETE);
    CHECK(timeline.count == 2 && timeline.changes[0].began && !timeline.changes[1].began);
    ct_timeline_free(&timeline);
    mover_free(a);
    mover_free(b);
    ct_shape_release(&one);
    ct_shape_release(&two);
  }
}

/* z = 5 - u^2 - 8 t + 4 t^2 above a plane: a ball of radius 1 touches it at 1 s, up to round-
 * off. */
static void a_graze_is_reported_at_the_time_of_least_distance(void) {
  ct_path_options path = falls(2.0, at(0, 0, 4.999999999999999), ct_vec(0, 0, -8), ct_vec(0, 0, 8));
  ct_moving_body a = ground(2.0), b = mover(sphere(1.0), &path);
  ct_toi_options options = whole_motion(2.0);
  ct_toi impact = impact_of(a, b, &options);
  CHECK_INT(impact.event, CT_TOI_NONE);
  CHECK_INT(impact.flags, CT_TOI_FLAG_GRAZE);
  CHECK_NEAR(impact.graze_time, 1.0, 1e-9);
  CHECK_NEAR(impact.graze_distance, 0.0, 3e-15);
  mover_free(a);
  mover_free(b);
}

/* A ball of radius 1 that falls from 2 m at 1 m/s. */
static ct_toi bisected(ct_toi_options options, ct_shape target) {
  ct_path_options here = stays(4.0, at(0, 0, 0)),
                  path = twists(4.0, at(0, 0, 2), ct_vec(0, 0, -1), ct_vec(0, 0, 0));
  ct_moving_body a = mover(target, &here), b = mover(sphere(1.0), &path);
  options.method = CT_TOI_BISECTION;
  ct_toi impact = impact_of(a, b, &options);
  mover_free(a);
  mover_free(b);
  return impact;
}

/* Too few iterations leave the event undecided. With enough of them the bracket is as narrow as
 * round-off permits. A touch at the end of the motion is undecided. */
static void bisection_is_undecided_after_too_few_iterations(void) {
  ct_toi_options options = whole_motion(4.0);
  for (uint32_t most = 1; most < 10; most++) {
    options.iterations_max = most;
    ct_toi impact = bisected(options, plane());
    CHECK_INT(impact.event, CT_TOI_UNDECIDED);
    CHECK_INT(impact.status, CT_PAIR_ITERATION_LIMIT);
    CHECK(impact.iterations == most && impact.free_until == 0.0);
  }
  options = whole_motion(4.0);
  ct_toi impact = bisected(options, plane());
  check_contact(&impact, 1.0L, 1e-12);
  CHECK_INT(impact.status, CT_PAIR_OK);
  options.end = 1.0;
  impact = bisected(options, plane());
  CHECK_INT(impact.event, CT_TOI_UNDECIDED);
  CHECK_INT(impact.status, CT_PAIR_DEGENERATE);
}

/* A final overlap shallower than the tolerance, or without a depth, counts as a change from apart
 * to overlapping. */
static void bisection_ends_at_its_tolerance_for_any_depth(void) {
  ct_toi_options options = whole_motion(4.0);
  options.distance_tolerance = 3.5;
  ct_toi impact = bisected(options, plane());
  CHECK_INT(impact.event, CT_TOI_CONTACT);
  CHECK(fabs(impact.contact.distance) <= 3.5 && impact.lower <= 1.0 && 1.0 <= impact.upper);
  ct_shape square = sheet(4);
  options = whole_motion(2.0);
  options.distance_tolerance = 1e-6;
  impact = bisected(options, square);
  CHECK_INT(impact.event, CT_TOI_CONTACT);
  CHECK_NEAR(impact.time, 1.0, 1e-6);
  CHECK(fabs(impact.contact.distance) <= 1e-6 && impact.lower <= 1.0 && 1.0 <= impact.upper);
  ct_shape_release(&square);
}

/* A touch at the end of the motion, within round-off, is not decided by further evaluations. */
static void a_touch_at_the_end_is_undecided_by_round_off(void) {
  ct_path_options path = twists(4.0, at(0, 0, 2), ct_vec(0, 0, -1), ct_vec(0, 0, 0));
  ct_moving_body a = ground(4.0), b = mover(sphere(1.0), &path);
  ct_toi_options options = whole_motion(1.0);
  options.begin = 0.5;
  ct_toi impact = impact_of(a, b, &options);
  CHECK_INT(impact.event, CT_TOI_UNDECIDED);
  CHECK_INT(impact.status, CT_PAIR_DEGENERATE);
  CHECK(impact.free_until > 0.999 && impact.iterations < 20);
  options.iterations_max = 1;
  options.end = 2.0;
  impact = impact_of(a, b, &options);
  CHECK(impact.event != CT_TOI_UNDECIDED || impact.status == CT_PAIR_ITERATION_LIMIT);
  mover_free(a);
  mover_free(b);
}

/* A ball on an arm of 1 m swings down, touches the body below at a quarter turn, within round-off,
 * and separates: at pi/2. */
static void a_rotating_body_grazes(void) {
  const ct_shape ball = sphere(0.25), targets[] = {plane(), box(4.0, 4.0, 0.5), sphere(0.5)};
  const double tops[] = {0.0, 0.5, 0.5}, off[] = {0.0, 1e-14, -1e-14};
  const ct_pose arm = at(1, 0, 0);
  for (int i = 0; i < 9; i++) {
    int k = i / 3;
    ct_path_options here = stays(20.0, at(0, 0, -tops[k]));
    ct_path_options turns =
        twists(20.0, at(0, 0, 1.25 + off[i % 3]), ct_vec(0, 0, 0), ct_vec(0, 1, 0));
    ct_moving_body a = mover(targets[k], &here), b = mover_of(mover_body(&ball, &arm, 1), &turns);
    ct_toi_options options = whole_motion(3.0);
    ct_toi impact = impact_of(a, b, &options);
    CHECK_INT(impact.event, CT_TOI_NONE);
    CHECK_INT(impact.flags, CT_TOI_FLAG_GRAZE);
    CHECK_INT(impact.status, CT_PAIR_OK);
    CHECK_NEAR(impact.graze_time, 1.57079632679489661923, 1e-6);
    CHECK_NEAR(impact.graze_distance, off[i % 3], 1e-14);
    CHECK(impact.free_until > 1.57 && impact.free_until < impact.graze_time &&
          impact.iterations < 200);
    mover_free(a);
    mover_free(b);
  }
}

/* Half-spaces are apart only while their normals are opposite: after any rotation they overlap, at
 * any distance. */
static void rotating_half_spaces_overlap_at_once(void) {
  const ct_vec3 still = {0, 0, 0}, across = {1, 0, 0}, along = {0, 0, 1};
  const ct_pose down = turned(at(0, 0, 2), 1, 0, 0, 0);
  ct_path_options here = stays(3.0, at(0, 0, 0)),
                  turns_too = twists(3.0, at(0, 0, 0), still, across);
  ct_path_options turns = twists(3.0, down, still, across), spins = twists(3.0, down, still, along);
  ct_path_options comes = twists(3.0, down, ct_vec(0, 0, -1), along);
  const struct {
    const ct_path_options *a, *b;
    ct_toi_event event;
    double time;
  } cases[] = {{&here, &turns, CT_TOI_CONTACT, 0.0},
               {&here, &spins, CT_TOI_NONE, 3.0},
               {&here, &comes, CT_TOI_CONTACT, 2.0},
               {&turns_too, &turns, CT_TOI_CONTACT, 1.57079632679489661923}};
  for (int i = 0; i < 4; i++) {
    ct_moving_body a = mover(plane(), cases[i].a), b = mover(plane(), cases[i].b);
    ct_toi_options options = whole_motion(3.0);
    ct_toi impact = impact_of(a, b, &options);
    CHECK_INT(impact.event, cases[i].event);
    CHECK_NEAR(impact.time, cases[i].time, 1e-12);
    CHECK(impact.flags == 0 && impact.status == CT_PAIR_OK && impact.iterations < 60);
    if (i == 1) CHECK(impact.free_until == 3.0);
    else
      CHECK(impact.lower <= cases[i].time + 1e-15 && cases[i].time <= impact.upper &&
            impact.upper - impact.lower < 1e-12);
    CHECK_INT(impact.contact.status, i == 0 ? CT_PAIR_UNSUPPORTED : CT_PAIR_OK);
    mover_free(a);
    mover_free(b);
  }
}

/* The permitted error of a torque-free rotation is that promised in path.h, at small and at large
 * angles. */
static void a_free_turn_is_as_sure_as_its_path(void) {
  ct_path_options here = stays(100.0, at(0, 0, 0)), tumbles = stays(100.0, at(0, 0, 0));
  tumbles.kind = CT_PATH_TORQUE_FREE;
  tumbles.velocity.angular = ct_vec(0.6, 0.8, 0.1);
  tumbles.inertia_diagonal = ct_vec(1, 2, 2.5);
  tumbles.inertia_orientation = ct_pose_identity().rotation;
  ct_moving_body a = mover(sphere(0.5), &here), b = mover(box(1, 2, 2), &tumbles);
  ct_toi_pair pair = {ct_toi_side_of(a, 0), ct_toi_side_of(b, 0)};
  const double times[] = {1e-3, 1.0, 100.0};
  for (int i = 0; i < 3; i++) {
    ct_toi_sample sample;
    ct_toi_place_pair(&pair, times[i], &sample);
    double promised = 3.0 * (2e-14 + 1e-14 * times[i]);
    CHECK(sample.slack >= promised && sample.slack <= 5.0 * promised);
  }
  mover_free(a);
  mover_free(b);
}

static const check_test tests[] = {
    {"a free turn is as sure as its path", a_free_turn_is_as_sure_as_its_path},
    {"T8.1 a body that turns grazes", a_rotating_body_grazes},
    {"rotating half spaces overlap at once", rotating_half_spaces_overlap_at_once},
    {"parallel surfaces do not pass unseen", parallel_surfaces_do_not_pass_unseen},
    {"a graze is reported at the time of least distance",
     a_graze_is_reported_at_the_time_of_least_distance},
    {"bisection is undecided after too few iterations",
     bisection_is_undecided_after_too_few_iterations},
    {"bisection ends at its tolerance for any depth",
     bisection_ends_at_its_tolerance_for_any_depth},
    {"a touch at the end is undecided by round off", a_touch_at_the_end_is_undecided_by_round_off},
    {"T8.1 spheres meet head on or aside", spheres_collide_centrally_or_obliquely},
    {"T8.1 spheres that only touch graze", spheres_that_only_touch_graze},
    {"a contact after a graze is found", a_contact_after_a_graze_is_found},
    {"T8.2 a ball falls onto a plane", a_ball_falls_onto_a_plane},
    {"T8.3 a box turns onto a plane", a_box_turns_onto_a_plane},
    {"T8.4, row 38 bisection finds the instant within its tolerances",
     bisection_finds_the_instant_within_its_tolerances},
    {"T8.6 a thin plate is not tunnelled", a_thin_plate_is_not_tunnelled},
    {"contact at the start is reported", contact_at_the_start_is_reported},
    {"a search after separation reports the iteration limit",
     a_search_after_separation_reports_the_iteration_limit},
    {"the first of many colliders is found", the_first_of_many_colliders_is_found},
    {"a ball between beams hits one after few distances",
     a_ball_between_beams_hits_one_after_few_distances},
    {"row 40 bisection backs up to a separating plane", bisection_backs_up_to_a_separating_plane},
    {"bodies that never come nearer cost one distance",
     bodies_that_never_come_nearer_cost_one_distance},
};
WORKSPACE_MAIN(tests)
