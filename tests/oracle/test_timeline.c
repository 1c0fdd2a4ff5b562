/* Begin and end times of contacts against closed forms: spheres through each other, a ball that
 * dips into a plane, a box that rotates above one, compounds, and bodies that rest, slide or only
 * touch. */
#include "tests/support/meshes.h"
#include "tests/support/movers.h"
#include "tests/support/shapes.h"
#include "tests/support/workspace.h"

static ct_timeline timeline;

static void walk(ct_moving_body a, ct_moving_body b, double end, size_t limit) {
  ct_toi_options options = whole_motion(end);
  CHECK_INT(ct_body_timeline(a, b, &options, limit, workspace, &timeline), CT_OK);
}

/* The changes are at these times, alternately begun and ended, each within its bracket. */
static void check_changes(const long double *times, size_t count, double width) {
  CHECK_INT(timeline.count, count);
  for (size_t i = 0; i < count && i < timeline.count; i++) {
    const ct_contact_change *c = &timeline.changes[i];
    CHECK(c->began == ((i % 2 == 0) != timeline.in_contact));
    CHECK(fabsl(c->time - times[i]) <= 1e-12L * times[i]);
    CHECK(c->lower <= times[i] && times[i] <= c->upper && c->lower <= c->time &&
          c->time <= c->upper);
    CHECK_NEAR(c->upper - c->lower, 0.0, width);
    CHECK(c->began ? c->normal_velocity < 0.0 : c->normal_velocity > 0.0);
    CHECK_NEAR(c->contact.distance, 0.0, 1e-12);
  }
}

static void check_complete(double end) {
  CHECK_INT(timeline.status, CT_TIMELINE_COMPLETE);
  CHECK(timeline.known_until == end);
}

static ct_moving_body still(ct_shape shape, ct_pose pose) {
  ct_path_options here = stays(60.0, pose);
  return mover(shape, &here);
}

static const ct_vec3 none = {0, 0, 0};

/* Unit spheres at 0 and 5 that pass through each other with an offset, as in T8.1. */
static void spheres_pass_through_each_other(void) {
  static const double offsets[] = {0.0, 1.0, 1.999, 2.001};
  for (int i = 0; i < 4; i++) {
    ct_path_options left = twists(5.0, at(0, 0, 0), ct_vec(1, 0, 0), none);
    ct_path_options right = twists(5.0, at(5, offsets[i], 0), ct_vec(-1, 0, 0), none);
    ct_moving_body a = mover(sphere(1.0), &left), b = mover(sphere(1.0), &right);
    walk(a, b, 5.0, 10);
    long double half = sqrtl(fmaxl(0.0L, 4.0L - (long double)offsets[i] * offsets[i])) / 2.0L;
    const long double times[] = {2.5L - half, 2.5L + half};
    check_changes(times, i < 3 ? 2 : 0, 1e-10);
    check_complete(5.0);
    CHECK(!timeline.in_contact);
    mover_free(a);
    mover_free(b);
  }
}

/* Thrown at an elastic plane: z = .5 - 4 t + 4 t^2 equals .1 twice. Half of the motion starts in
 * contact. */
static void a_ball_dips_into_a_plane(void) {
  ct_moving_body a = still(plane(), at(0, 0, 0));
  ct_path_options path = falls(3.0, at(0, 0, 0.5), ct_vec(1, 0, -4), ct_vec(0, 0, 8));
  ct_moving_body b = mover(sphere(0.1), &path);
  long double root = sqrtl(4.0L * 4.0L - 16.0L * (0.5L - (long double)0.1)) / 8.0L;
  const long double times[] = {0.5L - root, 0.5L + root};
  walk(a, b, 3.0, 10);
  check_changes(times, 2, 1e-12);
  check_complete(3.0);
  ct_toi_options options = whole_motion(3.0);
  options.begin = 0.5;
  CHECK_INT(ct_body_timeline(a, b, &options, 10, workspace, &timeline), CT_OK);
  CHECK(timeline.in_contact);
  check_changes(times + 1, 1, 1e-12);
  check_complete(3.0);
  mover_free(a);
  mover_free(b);
}

/* The box of T8.3: its corners reach |sin t| + .1 |cos t| below its centre, which is .6 above the
 * plane; twice per revolution. */
static void a_turning_box_touches_twice_in_a_turn(void) {
  const long double pi = 3.14159265358979323846264338327950288L;
  long double t = 0.5L;
  for (int i = 0; i < 20; i++) t -= (sinl(t) + 0.1L * cosl(t) - 0.6L) / (cosl(t) - 0.1L * sinl(t));
  long double times[8];
  for (int i = 0; i < 4; i++) {
    times[2 * i] = i * pi + t;
    times[2 * i + 1] = (i + 1) * pi - t;
  }
  ct_moving_body a = still(plane(), at(0, 0, 0));
  ct_path_options turns =
      twists(12.5, turned(at(0, 0, 0.6), 0.70710678118654752440, 0, 0, 0.70710678118654752440),
             none, ct_vec(0, -1, 0));
  ct_moving_body b = mover(box(1.0, 0.1, 1.0), &turns);
  walk(a, b, 12.5, 100);
  check_changes(times, 8, 1e-10);
  check_complete(12.5);
  /* At most the requested number of changes; the reported interval ends before the next change. */
  walk(a, b, 12.5, 3);
  check_changes(times, 3, 1e-10);
  CHECK_INT(timeline.status, CT_TIMELINE_LIMIT);
  CHECK_NEAR(timeline.known_until, (double)times[3], 1e-10);
  CHECK(timeline.known_until <= times[3]);
  mover_free(a);
  mover_free(b);
}

/* Two balls on a rod pass through a fixed ball: apart between them, or not if they are near each
 * other. */
static void bodies_part_when_their_last_colliders_do(void) {
  for (int i = 0; i < 2; i++) {
    double apart = i ? 6.0 : 1.0;
    const ct_shape two[] = {sphere(1.0), sphere(1.0)};
    const ct_pose poses[] = {at(0, 0, 0), at(-apart, 0, 0)};
    ct_path_options along = twists(20.0, at(-3, 0, 0), ct_vec(1, 0, 0), none);
    ct_moving_body a = mover_of(mover_body(two, poses, 2), &along),
                   b = still(sphere(1.0), at(0, 0, 0));
    walk(a, b, 20.0, 10);
    const long double times[] = {1.0L, i ? 5.0L : 6.0L, 7.0L, 11.0L};
    check_changes(times, i ? 4 : 2, 1e-11);
    check_complete(20.0);
    for (size_t k = 0; k < timeline.count; k++)
      CHECK_INT(timeline.changes[k].collider_a, k >= 2 || (i == 0 && k == 1));
    mover_free(a);
    mover_free(b);
  }
}

/* Resting and sliding bodies, at zero distance or slightly penetrating, do not flicker; a mere
 * touch is no contact. */
static void contacts_at_round_off_do_not_flicker(void) {
  ct_moving_body floor = still(box(10, 10, 0.5), at(0, 0, -0.5)),
                 ground = still(plane(), at(0, 0, 0));
  const ct_path_options paths[] = {
      stays(2.0, at(0, 0, 0.3)),
      twists(2.0, at(0, 0, 0.3), ct_vec(1, 0.5, 0), none),
      twists(2.0, at(0, 0, 0.1 + 0.2), ct_vec(1, 0.5, 0), none),
      twists(2.0, at(0, 0, 0.3 - 1e-9), ct_vec(1, 0.5, 0), none),
      twists(2.0, turned(at(0.1, 0.2, 0.3), 0, 0, 0.3, 1), ct_vec(0.3, -0.7, 0), none),
      twists(2.0, at(0, 0, 0.3), ct_vec(1, 0.5, 0), ct_vec(0, 0, 0.3)),
      twists(2.0, at(0, 0, 0.3 - 1e-6), ct_vec(1, 0.5, 0), ct_vec(0, 0, 0.3)),
  };
  for (int i = 0; i < 7; i++) {
    ct_moving_body block = mover(box(0.3, 0.3, 0.3), &paths[i]);
    walk(floor, block, 2.0, 10);
    CHECK(timeline.in_contact && timeline.count == 0);
    check_complete(2.0);
    walk(block, ground, 2.0, 10);
    CHECK(timeline.in_contact && timeline.count == 0);
    check_complete(2.0);
    mover_free(block);
  }
  /* Off the edge of the floor: the rear face passes it at 10.3 m. */
  ct_path_options off = twists(20.0, at(0, 0, 0.3 - 1e-6), ct_vec(1, 0, 0), none);
  ct_moving_body block = mover(box(0.3, 0.3, 0.3), &off);
  walk(floor, block, 20.0, 10);
  CHECK_INT(timeline.count, 1);
  if (timeline.count == 1) CHECK_NEAR(timeline.changes[0].time, 10.3, 1e-11);
  check_complete(20.0);
  mover_free(block);
  ct_path_options past = twists(20.0, at(-5, 0, 2), ct_vec(1, 0, 0), none);
  ct_moving_body ball = mover(sphere(1.0), &past), other = still(sphere(1.0), at(0, 0, 0));
  walk(ball, other, 20.0, 10);
  CHECK_INT(timeline.count, 0);
  mover_free(ball);
  mover_free(other);
  mover_free(floor);
  mover_free(ground);
}

/* A ball on an arm of 1 m, rotating about y, dips slightly into a plane or a floor: at height h +
 * dip the contact lasts while 1 - dip <= sin t, for dips down to round-off. */
static void all_shallow_contacts_of_a_rotating_body_are_reported(void) {
  static const double dips[] = {0.1, 1e-3, 1e-5, 1e-7, 1e-9};
  const long double pi = 3.14159265358979323846264338327950288L;
  ct_shape ball = sphere(0.25);
  const ct_pose on_arm = at(1, 0, 0);
  for (int i = 0; i < 10; i++) {
    double height = 1.25 - dips[i / 2];
    long double half = acosl((long double)height - 0.25L), times[6];
    for (int k = 0; k < 3; k++) {
      times[2 * k] = 2 * pi * k + 0.5L * pi - half;
      times[2 * k + 1] = 2 * pi * k + 0.5L * pi + half;
    }
    ct_moving_body floor =
        i % 2 ? still(box(10, 10, 0.5), at(0, 0, -0.5)) : still(plane(), at(0, 0, 0));
    ct_path_options turns = twists(19.0, at(0, 0, height), none, ct_vec(0, 1, 0));
    ct_moving_body b = mover_of(mover_body(&ball, &on_arm, 1), &turns);
    walk(floor, b, 19.0, 100);
    CHECK_INT(timeline.count, 6);
    for (size_t k = 0; k < timeline.count && k < 6; k++) {
      const ct_contact_change *c = &timeline.changes[k];
      CHECK(c->began == (k % 2 == 0));
      CHECK(fabsl(c->time - times[k]) <= 1e-14L / half);
      CHECK(c->lower <= times[k] && times[k] <= c->upper);
    }
    check_complete(19.0);
    mover_free(floor);
    mover_free(b);
  }
}

static ct_shape spike(void) {
  const ct_vec3 corners[] = {{1, -0.1, -0.1}, {1, 0.1, -0.1}, {1, 0, 0.1}, {1.25, 0, 0}};
  const uint32_t faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  soup s = {0};
  for (int i = 0; i < 4; i++) soup_vertex(&s, corners[i]);
  for (int i = 0; i < 4; i++) soup_triangle(&s, faces[i][0], faces[i][2], faces[i][1]);
  return soup_shape(&s);
}

/* The same for two solid meshes: the tip of a spike is 1.25 m from the axis. */
static void all_shallow_contacts_of_two_meshes_are_reported(void) {
  static const double dips[] = {0.1, 1e-3, 1e-5, 1e-7};
  const long double pi = 3.14159265358979323846264338327950288L;
  soup s = {0};
  soup_box(&s, ct_vec(-10, -10, -1), ct_vec(10, 10, 0));
  ct_shape ground = soup_shape(&s), tip = spike();
  ct_moving_body floor = still(ground, at(0, 0, 0));
  for (int i = 0; i < 4; i++) {
    double height = 1.25 - dips[i];
    long double half = acosl((long double)height / 1.25L);
    ct_path_options turns = twists(19.0, at(0, 0, height), none, ct_vec(0, 1, 0));
    ct_moving_body b = mover(tip, &turns);
    walk(floor, b, 19.0, 100);
    CHECK_INT(timeline.count, 6);
    for (size_t k = 0; k < timeline.count && k < 6; k++) {
      const ct_contact_change *c = &timeline.changes[k];
      long double time = 2 * pi * (long double)(k / 2) + 0.5L * pi + (k % 2 ? half : -half);
      CHECK(c->began == (k % 2 == 0));
      CHECK(fabsl(c->time - time) <= 1e-14L / half);
      CHECK(c->lower <= time && time <= c->upper);
    }
    check_complete(19.0);
    mover_free(b);
  }
  mover_free(floor);
  ct_shape_release(&ground);
  ct_shape_release(&tip);
}

/* A body rotates through a sheet; the depth is undefined. It rotates about y with 1 rad/s. A ball
 * on an arm of .55 m is off the sheet while |sin t| > .5 / .55; a box on it, .2 m by 1 m, while
 * |sin t| .55 > |sin t| .1 + |cos t| .5; the same for the box as a mesh. */
static void a_body_rotating_through_a_sheet_separates_each_time(void) {
  const long double pi = 3.14159265358979323846264338327950288L;
  soup s = {0}, faces = {0};
  uint32_t corners[4];
  for (int i = 0; i < 4; i++)
    corners[i] = soup_vertex(&s, ct_vec(i == 1 || i == 2 ? 2 : -2, i >= 2 ? 2 : -2, 0));
  soup_triangle(&s, corners[0], corners[1], corners[2]);
  soup_triangle(&s, corners[0], corners[2], corners[3]);
  ct_shape sheet = soup_shape(&s);
  soup_box(&faces, ct_vec(-0.1, -0.5, -0.5), ct_vec(0.1, 0.5, 0.5));
  ct_shape shapes[] = {sphere(0.5), box(0.1, 0.5, 0.5), soup_shape(&faces)};
  const ct_pose aside = at(0.55, 0, 0);
  for (int i = 0; i < 3; i++) {
    long double off = i ? atanl(0.5L / (long double)0.45) : asinl(0.5L / (long double)0.55),
                times[38];
    for (int k = 0; k < 19; k++) {
      times[2 * k] = k * pi + off;
      times[2 * k + 1] = (k + 1) * pi - off;
    }
    ct_path_options turns = twists(60.0, at(0, 0, 0), none, ct_vec(0, 1, 0));
    ct_moving_body a = still(sheet, at(0, 0, 0)),
                   b = mover_of(mover_body(&shapes[i], &aside, 1), &turns);
    walk(a, b, 60.0, 100);
    CHECK(timeline.in_contact);
    check_changes(times, 38, 1e-6);
    check_complete(60.0);
    mover_free(a);
    mover_free(b);
  }
  ct_shape_release(&sheet);
  ct_shape_release(&shapes[2]);
}

/* A sheet of 4 m by 4 m rotates about a line 1.5 m from the middle of another sheet, .1 m above it.
 * It cuts the other's plane while its half width reaches down to it, |sin t| >= .05, and not beyond
 * the edge, at y = 1.5 - .1 cot t <= 2. */
static void a_sheet_rotating_through_a_sheet_separates_each_time(void) {
  const long double pi = 3.14159265358979323846264338327950288L;
  soup s = {0};
  uint32_t corners[4];
  for (int i = 0; i < 4; i++)
    corners[i] = soup_vertex(&s, ct_vec(i == 1 || i == 2 ? 2 : -2, i >= 2 ? 2 : -2, 0));
  soup_triangle(&s, corners[0], corners[1], corners[2]);
  soup_triangle(&s, corners[0], corners[2], corners[3]);
  ct_shape sheet = soup_shape(&s);
  ct_path_options turns = twists(20.0, at(0, 1.5, 0.1), none, ct_vec(1, 0, 0));
  ct_moving_body a = still(sheet, at(0, 0, 0)), b = mover(sheet, &turns);
  long double times[13];
  for (int k = 0; k < 13; k++)
    times[k] = k % 2 ? (k / 2 + 1) * pi - atanl(0.2L) : (k / 2) * pi + asinl((long double)0.1 / 2);
  walk(a, b, 20.0, 100);
  check_changes(times, 13, 1e-9);
  check_complete(20.0);
  mover_free(a);
  mover_free(b);
  ct_shape_release(&sheet);
}

/* Few distance evaluations: the part computed so far is correct. */
static void at_the_iteration_limit_a_timeline_is_correct_so_far(void) {
  ct_moving_body a = still(plane(), at(0, 0, 0));
  ct_path_options turns =
      twists(12.5, turned(at(0, 0, 0.6), 0.70710678118654752440, 0, 0, 0.70710678118654752440),
             none, ct_vec(0, -1, 0));
  ct_moving_body b = mover(box(1.0, 0.1, 1.0), &turns);
  ct_toi_options options = whole_motion(12.5);
  options.iterations_max = 3;
  CHECK_INT(ct_body_timeline(a, b, &options, 10, workspace, &timeline), CT_OK);
  CHECK_INT(timeline.status, CT_TIMELINE_LIMIT);
  CHECK(timeline.count > 0 || timeline.known_until <= 0.5401155212);
  mover_free(a);
  mover_free(b);
}

/* Two rows of 15 cubes, one falling through the other: the iteration limit is per pair of
 * colliders, of which about 40 are near. */
static void iterations_are_of_each_pair_of_colliders(void) {
  ct_shape cubes[15];
  ct_pose poses[15];
  for (int i = 0; i < 15; i++) {
    cubes[i] = box(0.5, 0.5, 0.5);
    poses[i] = at(i, 0, 0);
  }
  ct_path_options falling = twists(8.0, at(0, 0, 3), ct_vec(0, 0, -1), none),
                  here = stays(8.0, at(0, 0, 0));
  ct_moving_body a = mover_of(mover_body(cubes, poses, 15), &here),
                 b = mover_of(mover_body(cubes, poses, 15), &falling);
  ct_toi_options options = whole_motion(8.0);
  options.iterations_max = 30;
  CHECK_INT(ct_body_timeline(a, b, &options, 10, workspace, &timeline), CT_OK);
  const long double times[] = {2.0L, 4.0L};
  check_changes(times, 2, 1e-11);
  check_complete(8.0);
  mover_free(a);
  mover_free(b);
}

static void memory_is_released(void) { ct_timeline_free(&timeline); }

static const check_test tests[] = {
    {"spheres pass through each other", spheres_pass_through_each_other},
    {"a ball dips into a plane", a_ball_dips_into_a_plane},
    {"a turning box touches twice in a turn", a_turning_box_touches_twice_in_a_turn},
    {"bodies part when their last colliders do", bodies_part_when_their_last_colliders_do},
    {"contacts at round off do not flicker", contacts_at_round_off_do_not_flicker},
    {"all shallow contacts of a rotating body are reported",
     all_shallow_contacts_of_a_rotating_body_are_reported},
    {"all shallow contacts of two meshes are reported",
     all_shallow_contacts_of_two_meshes_are_reported},
    {"a body rotating through a sheet separates each time",
     a_body_rotating_through_a_sheet_separates_each_time},
    {"a sheet rotating through a sheet separates each time",
     a_sheet_rotating_through_a_sheet_separates_each_time},
    {"at the iteration limit a timeline is correct so far",
     at_the_iteration_limit_a_timeline_is_correct_so_far},
    {"iterations are of each pair of colliders", iterations_are_of_each_pair_of_colliders},
    {"memory is released", memory_is_released},
};
WORKSPACE_MAIN(tests)
