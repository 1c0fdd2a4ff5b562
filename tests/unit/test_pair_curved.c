/* Cylinders, cones, frustums and ellipsoids: pairs whose distance, points and relation are known in
 * closed form. */
#include <contact/contact.h>

#include "tests/support/shapes.h"
#include "tests/support/workspace.h"

static const ct_quat upright = {0, 0, 0, 1},
                     lying = {0, 0.70710678118654752, 0, 0.70710678118654752}; /* z to x */

static ct_pair_result run_query(const ct_shape *a, ct_pose at_a, const ct_shape *b, ct_pose at_b) {
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_frame fa = ct_frame_of(at_a), fb = ct_frame_of(at_b);
  ct_pair_result r;
  ct_pair_distance((ct_placed){a, &fa}, (ct_placed){b, &fb}, &options, workspace, &r);
  CHECK(r.lower_bound <= r.distance && r.distance <= r.upper_bound);
  CHECK_INT(r.status, CT_PAIR_OK);
  CHECK(ct_pair_overlap((ct_placed){a, &fa}, (ct_placed){b, &fb}, workspace, NULL) ==
        (r.distance <= 0.0));
  ct_vec3 gap = ct_sub(ct_sub(r.point_b, r.point_a), ct_scale(r.normal, r.distance));
  CHECK_NEAR(ct_norm(gap), 0.0, 1e-12);
  return r;
}

static ct_pair_result ask_upright(ct_shape a, ct_shape b, ct_vec3 at) {
  return run_query(&a, ct_pose_identity(), &b, (ct_pose){at, upright});
}

static void near3(ct_vec3 v, double x, double y, double z, double tolerance) {
  CHECK_NEAR(v.x, x, tolerance);
  CHECK_NEAR(v.y, y, tolerance);
  CHECK_NEAR(v.z, z, tolerance);
}

#define ROUND 4e-15

/* T3.5, T4.9: the digits published. */
static void two_ellipsoids_apart(void) {
  ct_pair_result r =
      ask_upright(ellipsoid(1, 0.5, 0.7), ellipsoid(0.6, 0.6, 0.4), ct_vec(1.2, 0.7, 0.3));
  CHECK_NEAR(r.distance, 0.00868413, 5e-9);
  near3(r.normal, 0.60841, 0.72703, 0.31822, 5e-6);
  CHECK_INT(r.relation, CT_SEPARATED);
}

/* T4.8 */
static void an_ellipsoid_sunk_into_a_box(void) {
  ct_pair_result r = run_query(&(ct_shape){.kind = CT_KIND_BOX, .box = {{3, 0.5, 3}}},
                               (ct_pose){{0, -0.5, 0}, upright},
                               &(ct_shape){.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{1, 0.5, 0.7}}},
                               (ct_pose){{0.3, 0.45, 0.2}, upright});
  CHECK_NEAR(r.distance, -0.05, ROUND);
  near3(r.normal, 0, 1, 0, ROUND);
  near3(r.point_b, 0.3, -0.05, 0.2, 1e-12);
  near3(r.point_a, 0.3, 0, 0.2, 1e-12);
}

/* T4.10: side by side, so the distance of the axes minus the radii. */
static void a_capsule_and_a_cylinder_side_by_side(void) {
  ct_pair_result r =
      ask_upright(capsule(0.5, 0.3, 0.3), cylinder(0.45, 0.3), ct_vec(0.7, 0.1, 0.2));
  CHECK_NEAR(r.distance, sqrt(0.5) - 0.75, ROUND);
  near3(r.normal, 0.7 / sqrt(0.5), 0.1 / sqrt(0.5), 0, ROUND);
  CHECK(r.flags & CT_FLAG_WITNESS_NOT_UNIQUE);
}

static void balls_and_every_part_of_a_cylinder(void) {
  ct_shape b = cylinder(1, 2);
  CHECK_NEAR(ask_upright(sphere(0.5), b, ct_vec(3, 0, 0)).distance, 1.5, ROUND);
  CHECK_NEAR(ask_upright(sphere(0.5), b, ct_vec(0.3, 0, 4)).distance, 1.5, ROUND);
  /* To the rim: 3 across and 4 along. */
  CHECK_NEAR(ask_upright(sphere(0.5), b, ct_vec(4, 0, 6)).distance, 4.5, ROUND);
  CHECK_NEAR(ask_upright(sphere(0.5), b, ct_vec(0.75, 0, 0)).distance, -0.75, ROUND);
  CHECK_NEAR(ask_upright(sphere(0.5), b, ct_vec(0.1, 0, 1.5)).distance, -1.0, ROUND);
  ct_pair_result r = ask_upright(sphere(0.5), b, ct_vec(0, 0, 0));
  CHECK_NEAR(r.distance, -1.5, ROUND);
  near3(r.normal, 1, 0, 0, ROUND);
  CHECK(r.flags & CT_FLAG_NORMAL_ARBITRARY);
  CHECK_INT(r.relation, CT_CONTAINED);
}

/* A cone of half angle with sine 0.6: height 4, base radius 3. */
static void balls_and_every_part_of_a_cone(void) {
  ct_shape b = cone(2, 3, 0);
  /* Off the side: its outward normal is (0.8, 0.6), through the middle of the slant at (1.5, 0). */
  CHECK_NEAR(ask_upright(sphere(0.25), b, ct_vec(-1.5 - 0.8, 0, -0.6)).distance, 0.75, ROUND);
  CHECK_NEAR(ask_upright(sphere(0.25), b, ct_vec(-1.5 + 0.4, 0, 0.3)).distance, -0.75, ROUND);
  CHECK_NEAR(ask_upright(sphere(0.25), b, ct_vec(0, 0, -3)).distance, 0.75, ROUND);
  CHECK_NEAR(ask_upright(sphere(0.25), b, ct_vec(0, 6, 6)).distance, 4.75,
             ROUND); /* rim: 3 across, 4 below */
  CHECK_NEAR(ask_upright(sphere(0.25), b, ct_vec(0, 0, 1.75)).distance, -0.5, ROUND);
}

static void balls_and_an_ellipsoid_along_its_axes(void) {
  ct_shape b = ellipsoid(3, 2, 1);
  CHECK_NEAR(ask_upright(sphere(0.5), b, ct_vec(5, 0, 0)).distance, 1.5, ROUND);
  CHECK_NEAR(ask_upright(sphere(0.5), b, ct_vec(0, -4, 0)).distance, 1.5, ROUND);
  CHECK_NEAR(ask_upright(sphere(0.5), b, ct_vec(0, 0, 3)).distance, 1.5, ROUND);
  ct_pair_result r = ask_upright(sphere(0.5), b, ct_vec(0, 0, 0));
  CHECK_NEAR(r.distance, -1.5, ROUND);
  near3(r.normal, 0, 0, 1, ROUND);
  CHECK(r.flags & CT_FLAG_NORMAL_ARBITRARY);
  /* Closer than the centre of curvature (3 - 1/3) of the long end, the nearest point is not that
   * end. */
  CHECK(ask_upright(sphere(0.5), b, ct_vec(2.6, 0, 0)).distance > -0.9 - 1e-3);
  CHECK_NEAR(ask_upright(sphere(0.5), b, ct_vec(2.8, 0, 0)).distance, -0.7, ROUND);
}

static void an_ellipsoid_of_equal_radii_is_a_ball(void) {
  ct_pair_result r = ask_upright(ellipsoid(0.5, 0.5, 0.5), cylinder(1, 2), ct_vec(4, 0, 6));
  CHECK_NEAR(r.distance, 4.5, ROUND);
}

static void a_cylinder_stands_on_a_box(void) {
  ct_pair_result r = ask_upright(box(3, 3, 1), cylinder(1, 2), ct_vec(0.5, 0.25, 3.0 - 0.125));
  CHECK_NEAR(r.distance, -0.125, ROUND);
  near3(r.normal, 0, 0, 1, ROUND);
  CHECK(r.flags & CT_FLAG_WITNESS_NOT_UNIQUE);
}

static void a_cylinder_lies_on_a_box(void) {
  ct_shape a = box(3, 3, 1), b = cylinder(0.5, 2);
  ct_pair_result r = run_query(&a, ct_pose_identity(), &b, (ct_pose){{0.1, 0.2, 1.75}, lying});
  CHECK_NEAR(r.distance, 0.25, ROUND);
  near3(r.normal, 0, 0, 1, ROUND);
  CHECK(r.flags & CT_FLAG_WITNESS_NOT_UNIQUE);
}

static void a_cone_lies_on_a_box(void) {
  /* Rotated about y by the half angle plus a right angle, its side is horizontal. The sine of half
   * the rotation angle is rounded. */
  double angle = 0.5 * (asin(1.0) + asin(0.6));
  ct_shape a = box(9, 9, 1), b = cone(2, 3, 0);
  ct_pair_result r =
      run_query(&a, ct_pose_identity(), &b, (ct_pose){{0, 0, 3}, {0, sin(angle), 0, cos(angle)}});
  /* The axis passes the middle of the frustum, which is 1.5 * 0.8 from the side. */
  CHECK_NEAR(r.distance, 2.0 - 1.2, ROUND);
  near3(r.normal, 0, 0, 1, 1e-14);
  CHECK(r.flags & CT_FLAG_WITNESS_NOT_UNIQUE);
}

static void crossed_cylinders_touch_at_one_point(void) {
  ct_shape a = cylinder(0.5, 3), b = cylinder(0.25, 3);
  ct_pair_result r = run_query(&a, ct_pose_identity(), &b, (ct_pose){{0.2, 1.0, 0.3}, lying});
  CHECK_NEAR(r.distance, 0.25, ROUND);
  near3(r.point_a, 0, 0.5, 0.3, 1e-13);
  near3(r.point_b, 0, 0.75, 0.3, 1e-13);
  CHECK(!(r.flags & CT_FLAG_WITNESS_NOT_UNIQUE));
}

static void coaxial_bodies_overlap_by_a_ring_of_normals(void) {
  /* The thinner cylinder comes first in content order: the tie rule's greatest normal is in its
   * frame, from it to the other. */
  ct_pair_result r = ask_upright(cylinder(0.5, 4), cylinder(1, 4), ct_vec(0, 0, 1));
  CHECK_NEAR(r.distance, -1.5, ROUND);
  near3(r.normal, 1, 0, 0, ROUND);
  CHECK(r.flags & CT_FLAG_NORMAL_ARBITRARY);
  CHECK_NEAR(r.upper_bound - r.lower_bound, 0.0, 1e-12);
  CHECK_NEAR(ask_upright(cylinder(1, 4), ellipsoid(0.5, 0.5, 2), ct_vec(0, 0, 0)).distance, -1.5,
             ROUND);
  CHECK_NEAR(ask_upright(cylinder(1, 4), capsule(1, 0.5, 0.25), ct_vec(0, 0, 0.5)).distance, -1.5,
             ROUND);
  CHECK_NEAR(ask_upright(cylinder(2, 1), cylinder(2, 1), ct_vec(0, 0, 1.75)).distance, -0.25,
             ROUND);
  CHECK_NEAR(ask_upright(cylinder(1, 4), cylinder(0.5, 4), ct_vec(1.25, 0, 0)).distance, -0.25,
             ROUND);
}

static void a_margin_moves_the_surface_out(void) {
  ct_shape a = cylinder(1, 2), b = ellipsoid(0.5, 0.75, 1);
  b.margin = 0.125;
  a.rounding = 0.25;
  CHECK_NEAR(ask_upright(a, b, ct_vec(3, 0, 0)).distance, 3.0 - 1.875, ROUND);
  a.inset = true;
  CHECK_NEAR(ask_upright(a, b, ct_vec(3, 0, 0)).distance, 3.0 - 1.625, ROUND);
}

static void curved_bodies_over_a_half_space(void) {
  ct_shape plane = {.kind = CT_KIND_PLANE}, b = cone(2, 3, 0), c = ellipsoid(3, 2, 1),
           d = cylinder(1, 2);
  CHECK_NEAR(run_query(&plane, ct_pose_identity(), &b, (ct_pose){{0, 0, 5}, upright}).distance, 3,
             ROUND);
  CHECK_NEAR(run_query(&plane, ct_pose_identity(), &b, (ct_pose){{0, 0, 1}, {1, 0, 0, 0}}).distance,
             -1, ROUND);
  CHECK_NEAR(run_query(&plane, ct_pose_identity(), &c, (ct_pose){{0, 0, 5}, lying}).distance, 2,
             ROUND);
  ct_pair_result r = run_query(&plane, ct_pose_identity(), &d, (ct_pose){{0, 0, 0.5}, lying});
  CHECK_NEAR(r.distance, -0.5, ROUND);
  CHECK(r.flags & CT_FLAG_WITNESS_NOT_UNIQUE);
  CHECK_INT(run_query(&plane, ct_pose_identity(), &c, (ct_pose){{0, 0, -5}, lying}).relation,
            CT_CONTAINING);
}

static void expect_relation(ct_shape a, ct_shape b, ct_vec3 at, ct_relation relation) {
  ct_pair_result r = ask_upright(a, b, at),
                 s = run_query(&b, (ct_pose){at, upright}, &a, ct_pose_identity());
  CHECK_INT(r.relation, relation);
  CHECK_INT(s.relation, relation == CT_CONTAINING ? CT_CONTAINED : relation);
}

static void a_curved_body_holds_what_fits(void) {
  /* Boxes to the rim of a cylinder of radius 5: 3 and 4 half edges. */
  expect_relation(cylinder(5, 2), box(3, 4, 2), ct_vec(0, 0, 0), CT_CONTAINING);
  expect_relation(cylinder(5, 2), box(3, 4.001, 2), ct_vec(0, 0, 0), CT_PENETRATING);
  expect_relation(cylinder(5, 2), ellipsoid(4, 3, 1), ct_vec(1, 0, 0), CT_CONTAINING);
  expect_relation(cylinder(5, 2), ellipsoid(4, 3, 1), ct_vec(1.001, 0, 0), CT_PENETRATING);
  expect_relation(cone(2, 3, 0), cylinder(1.5, 0.9), ct_vec(0, 0, -1.1), CT_CONTAINING);
  expect_relation(cone(2, 3, 0), cylinder(1.5, 1.001), ct_vec(0, 0, -0.999), CT_PENETRATING);
  /* A ball of radius 1 touches the side when its centre is 1/0.6 below the apex. */
  expect_relation(cone(2, 3, 0), sphere(1), ct_vec(0, 0, 2 - 1.0 / 0.6 - 1e-9), CT_CONTAINING);
  expect_relation(cone(2, 3, 0), sphere(1), ct_vec(0, 0, 2 - 1.0 / 0.6 + 1e-9), CT_PENETRATING);
  expect_relation(ellipsoid(3, 2, 2), ellipsoid(2.9, 1.9, 1.9), ct_vec(0.05, 0, 0), CT_CONTAINING);
  expect_relation(ellipsoid(3, 2, 2), ellipsoid(2.9, 1.9, 1.9), ct_vec(0.05, 0.0975, 0),
                  CT_PENETRATING);
  expect_relation(ellipsoid(3, 2, 2), capsule(1, 1, 0.5), ct_vec(0, 0, 0), CT_CONTAINING);
  /* The far rim of the cylinder decides: 4 up, 3 across. */
  expect_relation(sphere(5), cylinder(3, 4), ct_vec(0, 0, 0), CT_CONTAINING);
  expect_relation(sphere(5), cylinder(3, 4), ct_vec(0.001, 0, 0), CT_PENETRATING);
  expect_relation(capsule(4, 3, 3), cylinder(3, 4), ct_vec(0, 0, 0), CT_CONTAINING);
  expect_relation(capsule(4, 3, 3), ellipsoid(3, 3, 7), ct_vec(0, 0, 0), CT_CONTAINING);
  expect_relation(capsule(4, 3, 3), ellipsoid(3, 3.001, 7), ct_vec(0, 0, 0), CT_PENETRATING);
  expect_relation(box(3, 3, 4), cylinder(3, 4), ct_vec(0, 0, 0), CT_CONTAINING);
}

/* A tapered capsule whose ends almost coincide is nearly a ball: the iterative result must agree
 * with the ball's closed form. */
static void a_short_tapered_capsule_is_nearly_its_ball(void) {
  ct_shape b = ellipsoid(3, 2, 1), c = capsule(1e-9, 0.5, 0.5 - 1e-9), ball = sphere(0.5);
  ct_pose at = {{2, 2.5, 1.5}, {0.1, 0.2, 0.3, 0.9}};
  ct_pair_result r = run_query(&c, ct_pose_identity(), &b, at),
                 s = run_query(&ball, ct_pose_identity(), &b, at);
  CHECK_NEAR(r.distance, s.distance, 3e-9);
  near3(r.normal, s.normal.x, s.normal.y, s.normal.z, 1e-8);
}

static void asked_early_a_pair_is_answered_early_or_in_full(void) {
  ct_shape a = ellipsoid(1, 0.5, 0.7), b = cone(1, 0.5, 0.1);
  ct_frame fa = ct_frame_of(ct_pose_identity()),
           fb = ct_frame_of((ct_pose){{2, 1.5, 1}, {0.3, 0.1, 0.2, 0.8}});
  ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result full, r;
  ct_pair_distance((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, &options, workspace, &full);
  const double parts[] = {0.0, 0.5, 0.99, 1.0, 1.5};
  for (int i = 0; i < 5; i++) {
    options.threshold = parts[i] * full.distance;
    ct_pair_distance((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, &options, workspace, &r);
    CHECK(r.distance <= full.distance && r.lower_bound <= full.distance &&
          full.distance <= r.upper_bound);
    CHECK_INT(r.relation, CT_SEPARATED);
    if (full.distance > options.threshold) CHECK(r.distance > options.threshold);
    else
      CHECK(r.distance == full.distance &&
            memcmp(&r.point_a, &full.point_a, sizeof r.point_a) == 0 &&
            r.upper_bound == full.upper_bound);
  }
}

static const check_test tests[] = {
    {"two_ellipsoids_apart", two_ellipsoids_apart},
    {"an_ellipsoid_sunk_into_a_box", an_ellipsoid_sunk_into_a_box},
    {"a_capsule_and_a_cylinder_side_by_side", a_capsule_and_a_cylinder_side_by_side},
    {"balls_and_every_part_of_a_cylinder", balls_and_every_part_of_a_cylinder},
    {"balls_and_every_part_of_a_cone", balls_and_every_part_of_a_cone},
    {"balls_and_an_ellipsoid_along_its_axes", balls_and_an_ellipsoid_along_its_axes},
    {"an_ellipsoid_of_equal_radii_is_a_ball", an_ellipsoid_of_equal_radii_is_a_ball},
    {"a_cylinder_stands_on_a_box", a_cylinder_stands_on_a_box},
    {"a_cylinder_lies_on_a_box", a_cylinder_lies_on_a_box},
    {"a_cone_lies_on_a_box", a_cone_lies_on_a_box},
    {"crossed_cylinders_touch_at_one_point", crossed_cylinders_touch_at_one_point},
    {"coaxial_bodies_overlap_by_a_ring_of_normals", coaxial_bodies_overlap_by_a_ring_of_normals},
    {"a_margin_moves_the_surface_out", a_margin_moves_the_surface_out},
    {"curved_bodies_over_a_half_space", curved_bodies_over_a_half_space},
    {"a_curved_body_holds_what_fits", a_curved_body_holds_what_fits},
    {"a_short_tapered_capsule_is_nearly_its_ball", a_short_tapered_capsule_is_nearly_its_ball},
    {"asked_early_a_pair_is_answered_early_or_in_full",
     asked_early_a_pair_is_answered_early_or_in_full},
};

WORKSPACE_MAIN(tests)
