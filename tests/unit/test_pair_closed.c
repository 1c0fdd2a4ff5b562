/* Pairs with known closed forms, and one case for each published failure of other libraries. */
#include <contact/contact.h>

#include "tests/support/shapes.h"
#include "tests/support/workspace.h"

/* Round-off of these problems of size about 1..5 m. */
#define TIGHT 4e-15

static const double root_half = 0.70710678118654752440;

static ct_pair_result solve(const ct_shape *a, ct_pose pa, const ct_shape *b, ct_pose pb) {
  ct_frame fa = ct_frame_of(pa), fb = ct_frame_of(pb);
  ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result r;
  ct_pair_distance((ct_placed){a, &fa}, (ct_placed){b, &fb}, &options, workspace, &r);
  CHECK(isfinite(r.distance) && isfinite(r.lower_bound) && isfinite(r.upper_bound));
  CHECK_NEAR(ct_norm(r.normal), 1.0, 4 * 0x1p-52);
  CHECK(ct_pair_overlap((ct_placed){a, &fa}, (ct_placed){b, &fb}, workspace, NULL) ==
        (r.distance <= 0.0));
  return r;
}

static void check_vec(ct_vec3 v, double x, double y, double z, double tolerance) {
  CHECK_NEAR(v.x, x, tolerance);
  CHECK_NEAR(v.y, y, tolerance);
  CHECK_NEAR(v.z, z, tolerance);
}

/* T3.1, T4.4, row 3 */
static void boxes_corner_to_corner(void) {
  const ct_shape forms[] = {box(0.5, 0.5, 0.5), hull_box(0.5, 0.5, 0.5)};
  for (int i = 0; i < 4; i++) {
    ct_pair_result r = solve(&forms[i & 1], at(0, 0, 0), &forms[i >> 1], at(1.3, 1.4, 2.2));
    CHECK_NEAR(r.distance, 1.3, TIGHT);
    check_vec(r.point_a, 0.5, 0.5, 0.5, TIGHT);
    check_vec(r.point_b, 0.8, 0.9, 1.7, TIGHT);
    check_vec(r.normal, 3.0 / 13, 4.0 / 13, 12.0 / 13, TIGHT);
    CHECK_INT(r.relation, CT_SEPARATED);
    CHECK_INT(r.flags, 0);
  }
  ct_hull_release(forms[1].hull);
}

/* T3.2, T4.6; T4.7; T4.5 */
static void sphere_beside_a_box_edge(void) {
  const ct_shape b = box(1, 1, 1), ball = sphere(0.25);
  ct_pair_result r = solve(&b, at(0, 0, 0), &ball, at(1.3, 1.4, 0.2));
  CHECK_NEAR(r.distance, 0.25, TIGHT);
  check_vec(r.normal, 0.6, 0.8, 0, TIGHT);
  check_vec(r.point_a, 1, 1, 0.2, TIGHT);
  check_vec(r.point_b, 1.15, 1.2, 0.2, TIGHT);
  r = solve(&b, at(0, 0, 0), &ball, at(1.03, 1.04, 0.2));
  CHECK_NEAR(r.distance, -0.2, TIGHT);
  check_vec(r.normal, 0.6, 0.8, 0, 2e-14);
  const ct_shape slab = box(2, 0.05, 0.35), small = sphere(0.1);
  r = solve(&slab, at(0, 0, 0), &small, at(0.7, 0.149, 0.1));
  CHECK_NEAR(r.distance, -0.001, TIGHT);
  check_vec(r.normal, 0, 1, 0, TIGHT);
}

/* T3.3, T3.4 */
/* Beside a face, an edge and a corner, and with the centre inside: 3-4-5 and 1-2-2 make distances
 * exact, and the last bits of the radius decide. */
static void ball_and_box_overlap_to_the_last_bit(void) {
  const ct_shape b = box(1, 1, 1);
  const ct_vec3 off[] = {{0, 0, 2.5}, {-1.5, 2, 0}, {1, -2, 2}, {1e-5, 0, 0}, {0x1p-30, 0, 0}};
  const double apart[] = {2.5, 2.5, 3, 1e-5, 0x1p-30};
  for (int i = 0; i < 5; i++) {
    ct_vec3 d = off[i], start = ct_vec(copysign(d.x != 0, d.x), copysign(d.y != 0, d.y),
                                       copysign(d.z != 0, d.z));
    ct_vec3 place = ct_add(start, d);
    for (int bits = -3; bits <= 3; bits++) {
      double radius = i == 3 ? place.x - 1 : apart[i];
      for (int k = 0; k < abs(bits); k++) radius = nextafter(radius, bits < 0 ? 0 : 9);
      const ct_shape ball = sphere(radius);
      ct_pair_result r = solve(&b, at(0, 0, 0), &ball,
                               at(place.x, place.y, place.z)); /* the overlap test must agree */
      CHECK((r.distance <= 0.0) == (bits >= 0));
      CHECK(solve(&ball, at(place.x, place.y, place.z), &b, at(0, 0, 0)).distance == r.distance);
    }
  }
  const ct_shape grain = sphere(1e-9);
  CHECK(solve(&b, at(0, 0, 0), &grain, at(0.25, 0.5, 0)).distance < 0.0);
}

static void crossed_capsules_are_apart_by_the_gap_of_their_axes(void) {
  const ct_shape c = capsule(1, 0.2, 0.2);
  ct_pair_result r = solve(&c, turned(at(0, 0, 0), 0, root_half, 0, root_half), &c,
                           turned(at(0, 0, 0.5), root_half, 0, 0, root_half));
  CHECK_NEAR(r.distance, 0.1, TIGHT);
  check_vec(r.normal, 0, 0, 1, TIGHT);
  /* Ends: cores (0,0,0)-(1,0,0) and (2,1,1)-(2,3,1) are sqrt 3 apart. */
  const ct_shape half = capsule(0.5, 0.1, 0.1), one = capsule(1, 0.1, 0.1);
  r = solve(&half, turned(at(0.5, 0, 0), 0, root_half, 0, root_half), &one,
            turned(at(2, 2, 1), root_half, 0, 0, root_half));
  CHECK_NEAR(r.distance, sqrt(3.0) - 0.2, TIGHT);
}

static void crossed_capsules_whose_axes_meet_part_along_the_common_perpendicular(void) {
  const ct_shape c = capsule(1, 0.2, 0.2);
  ct_pair_result r = solve(&c, turned(at(0, 0, 0), 0, root_half, 0, root_half), &c,
                           turned(at(0, 0, 0), root_half, 0, 0, root_half));
  CHECK_NEAR(r.distance, -0.4, TIGHT);
  CHECK_NEAR(fabs(r.normal.z), 1.0, TIGHT);
  CHECK(r.flags & CT_FLAG_NORMAL_ARBITRARY);
}

static void parallel_capsules_touch_in_the_middle_of_the_shared_stretch(void) {
  const ct_shape c = capsule(1, 0.25, 0.25);
  ct_pair_result r = solve(&c, at(0, 0, 0), &c, at(0.75, 0, 0.5));
  CHECK_NEAR(r.distance, 0.25, TIGHT);
  check_vec(r.point_a, 0.25, 0, 0.25, TIGHT);
  check_vec(r.point_b, 0.5, 0, 0.25, TIGHT);
  CHECK(r.flags & CT_FLAG_WITNESS_NOT_UNIQUE);
}

/* The tangent of the cone: normal.axis = (r0 - r1) / 2h = 0.125, support 0.5 - 0.125. */
static void tapered_capsule_touches_along_its_cone(void) {
  const ct_shape c = capsule(1, 0.5, 0.25), ball = sphere(0.25);
  double cosine = sqrt(1 - 0.125 * 0.125), truth = 3 * cosine - 0.375 - 0.25;
  ct_pair_result r = solve(&c, at(0, 0, 0), &ball, at(3, 0, 0));
  CHECK_NEAR(r.distance, truth, TIGHT);
  check_vec(r.normal, cosine, 0, 0.125, TIGHT);
  /* A box face at x = 3: the larger end is nearer; a hull gives the same distance. */
  const ct_shape walls[] = {box(1, 4, 4), hull_box(1, 4, 4)};
  for (int i = 0; i < 2; i++) {
    r = solve(&c, at(0, 0, 0), &walls[i], at(4, 0, 0));
    CHECK_NEAR(r.distance, 2.5, TIGHT);
    check_vec(r.point_a, 0.5, 0, -1, TIGHT);
    r = solve(&c, at(0, 0, 0), &walls[i], at(1.25, 0, 0));
    CHECK_NEAR(r.distance, -0.25, TIGHT);
    check_vec(r.normal, 1, 0, 0, TIGHT);
  }
  ct_hull_release(walls[1].hull);
}

static void capsule_that_is_a_ball_is_the_sphere_bit_for_bit(void) {
  const ct_shape round[] = {sphere(0.3), capsule(0, 0.3, 0.3)},
                 other[] = {sphere(0.7), box(0.4, 0.5, 0.6), capsule(0.5, 0.2, 0.3)};
  ct_pose p = turned(at(0.1, 0.2, 0.3), 0.1, 0.2, 0.3, 0.9),
          q = turned(at(0.9, -0.7, 0.4), 0.5, 0.5, -0.5, 0.5);
  for (int i = 0; i < 3; i++) {
    ct_pair_result r = solve(&round[0], p, &other[i], q), s = solve(&round[1], p, &other[i], q);
    CHECK(r.distance == s.distance && memcmp(&r.normal, &s.normal, sizeof r.normal) == 0);
    CHECK(memcmp(&r.point_a, &s.point_a, sizeof r.point_a) == 0 &&
          memcmp(&r.point_b, &s.point_b, sizeof r.point_b) == 0);
  }
}

/* T4.2, T4.3 */
static void boxes_overlap_by_the_least_way_out(void) {
  const ct_shape forms[] = {box(0.5, 0.5, 0.5), hull_box(0.5, 0.5, 0.5)};
  for (int i = 0; i < 4; i++) {
    ct_pair_result r = solve(&forms[i & 1], at(0.5, 0.5, 0.5), &forms[i >> 1], at(1.3, 1.2, 1.1));
    CHECK_NEAR(r.distance, -0.2, TIGHT);
    check_vec(r.normal, 1, 0, 0, TIGHT);
    CHECK_NEAR(r.point_a.x, 1.0, TIGHT);
    CHECK_NEAR(r.point_b.x, 0.8, TIGHT);
    r = solve(&forms[i & 1], at(0, 0, 0), &forms[i >> 1], at(0.9, 0.2, 0.1));
    CHECK_NEAR(r.distance, -0.1, TIGHT);
    check_vec(r.normal, 1, 0, 0, TIGHT);
    CHECK(r.flags & CT_FLAG_WITNESS_NOT_UNIQUE);
  }
  ct_hull_release(forms[1].hull);
}

/* A box with frustums on its z faces: more vertices than one block of SIMD lanes. */
static ct_shape beveled_box(void) {
  ct_vec3 p[16];
  for (int i = 0; i < 8; i++) {
    p[i] = ct_vec(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
    p[8 + i] = ct_vec(0.5 * p[i].x, 0.5 * p[i].y, 1.5 * p[i].z);
  }
  return hull_shape(p, 16);
}

/* Face over face, edge along an edge or over a face: the witness points are not unique. Crossed
 * edges and corners: they are. */
static void points_may_slide_where_features_are_parallel(void) {
  const ct_shape forms[] = {box(0.5, 0.5, 0.5), hull_box(0.5, 0.5, 0.5), beveled_box()};
  const double slant = 0.38268343236508977173,
               upright = 0.92387953251128675613; /* half of 45 degrees */
  const struct {
    ct_pose pose;
    bool slides;
  } cases[] = {{at(2, 0.25, 0.125), true},
               {at(-2, 0.25, 0.125), true},
               {turned(at(0, 2, 0.1), slant, 0, 0, upright), true},
               {at(2, 2, 0.1), true},
               {turned(at(2, 0, 0), 0, 0, slant, upright), true},
               {turned(at(0.25, 2, 0), 0.3, 0.2, 0.1, 0.9), false},
               {turned(at(2, 2, 0), 0.2, 0.3, 0.1, 0.9), false},
               {at(2, 2, 2.5), false}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
    for (int i = 0; i < 9; i++) {
      ct_pair_result r = solve(&forms[i % 3], at(0, 0, 0), &forms[i / 3], cases[k].pose);
      if (!(r.flags & CT_FLAG_WITNESS_NOT_UNIQUE) == cases[k].slides)
        CHECK_FAIL("case %zu, forms %d and %d", k, i % 3, i / 3);
    }
  ct_hull_release(forms[1].hull);
  ct_hull_release(forms[2].hull);
}

/* T4.1 */
static void overlapping_spheres(void) {
  const ct_shape a = sphere(1), b = sphere(0.5);
  ct_pair_result r = solve(&a, at(0, 0, 0), &b, at(1.2, 0.3, 0.1));
  double d = sqrt(1.2 * 1.2 + 0.3 * 0.3 + 0.1 * 0.1);
  CHECK_NEAR(r.distance, d - 1.5, TIGHT);
  check_vec(r.normal, 1.2 / d, 0.3 / d, 0.1 / d, TIGHT);
  CHECK_NEAR(r.distance, -0.259032635, 1e-9);
  check_vec(r.normal, 0.966988, 0.241747, 0.080582, 1e-6);
}

/* The documented tie rule: the lowest axis, + before -, in the frame of the first body in content
 * order. */
static void concentric_bodies_part_along_the_first_axis(void) {
  const ct_shape forms[] = {box(1, 1, 1), hull_box(1, 1, 1)},
                 small[] = {box(0.5, 0.5, 0.5), hull_box(0.5, 0.5, 0.5)};
  for (int i = 0; i < 4; i++) {
    ct_pair_result r = solve(&forms[i & 1], at(0, 0, 0), &small[i >> 1], at(0, 0, 0));
    CHECK_NEAR(r.distance, -1.5, TIGHT);
    check_vec(ct_vec(fabs(r.normal.x), r.normal.y, r.normal.z), 1, 0, 0, 0.0);
    CHECK(r.flags & CT_FLAG_NORMAL_ARBITRARY);
    CHECK_INT(r.relation, CT_CONTAINING);
  }
  const ct_shape big = box(2, 2, 2), ball = sphere(1);
  ct_pair_result r = solve(&big, at(0, 0, 0), &ball, at(0, 0, 0));
  CHECK_NEAR(r.distance, -3, TIGHT);
  CHECK_INT(r.relation, CT_CONTAINING);
  const ct_shape s = sphere(0.25);
  r = solve(&ball, at(1, 2, 3), &s, at(1, 2, 3));
  CHECK_NEAR(r.distance, -1.25, TIGHT);
  check_vec(ct_vec(fabs(r.normal.x), r.normal.y, r.normal.z), 1, 0, 0, 0.0);
  CHECK(r.flags & CT_FLAG_NORMAL_ARBITRARY);
  ct_hull_release(forms[1].hull);
  ct_hull_release(small[1].hull);
}

static void planes_bound_everything_in_closed_form(void) {
  const ct_shape ground = plane(), b = box(0.5, 0.5, 0.5), c = capsule(1, 0.5, 0.25),
                 ball = sphere(1);
  ct_pair_result r = solve(&ground, at(0, 0, 1), &ball, at(5, 6, 3.5));
  CHECK_NEAR(r.distance, 1.5, 0);
  check_vec(r.normal, 0, 0, 1, 0);
  check_vec(r.point_a, 5, 6, 1, 0);
  check_vec(r.point_b, 5, 6, 2.5, 0);
  r = solve(&b, at(0, 0, 0.25), &ground, at(7, 7, 0));
  CHECK_NEAR(r.distance, -0.25, 0);
  check_vec(r.normal, 0, 0, -1, 0);
  CHECK(r.flags & CT_FLAG_WITNESS_NOT_UNIQUE);
  CHECK_INT(r.relation, CT_PENETRATING);
  r = solve(&b, at(0, 0, -2), &ground, at(7, 7, 0));
  CHECK_INT(r.relation, CT_CONTAINED);
  CHECK_NEAR(r.distance, -2.5, 0);
  r = solve(&ground, at(0, 0, 0), &c, turned(at(0, 0, 2), 1, 0, 0, 0));
  CHECK_NEAR(r.distance, 0.75, TIGHT);
}

static void half_spaces_face_each_other_or_cross(void) {
  const ct_shape p = plane();
  ct_pair_result r = solve(&p, at(0, 0, 0), &p, turned(at(0.3, -2, 1.25), 1, 0, 0, 0));
  CHECK_NEAR(r.distance, 1.25, 0);
  check_vec(r.normal, 0, 0, 1, 0);
  CHECK_NEAR(r.point_b.z - r.point_a.z, 1.25, 0);
  r = solve(&p, at(0, 0, 0), &p, turned(at(0, 0, -3), 0, 1, 0, 0));
  CHECK_NEAR(r.distance, -3, 0);
  CHECK_INT(r.relation, CT_PENETRATING);
  const ct_pose crossing[] = {turned(at(0, 0, 9), root_half, 0, 0, root_half), at(0, 0, 5),
                              at(0, 0, -5)};
  const ct_relation relations[][2] = {{CT_PENETRATING, CT_PENETRATING},
                                      {CT_CONTAINED, CT_CONTAINING},
                                      {CT_CONTAINING, CT_CONTAINED}};
  for (int i = 0; i < 3; i++) {
    CHECK_INT(solve(&p, crossing[i], &p, at(0, 0, 0)).relation, relations[i][1]);
    r = solve(&p, at(0, 0, 0), &p, crossing[i]);
    CHECK_INT(r.relation, relations[i][0]);
    CHECK_INT(r.status, CT_PAIR_UNSUPPORTED);
    CHECK_NEAR(r.distance, 0, 0);
    ct_frame fa = ct_frame_of(at(0, 0, 0)), fb = ct_frame_of(crossing[i]);
    ct_vec3 common;
    CHECK(ct_pair_overlap((ct_placed){&p, &fa}, (ct_placed){&p, &fb}, workspace, &common));
    CHECK(ct_to_local(fa, common).z <= TIGHT && ct_to_local(fb, common).z <= TIGHT);
  }
}

static void bodies_inside_bodies_are_told(void) {
  const ct_shape shells[] = {sphere(3), box(3, 3, 3), capsule(3, 3, 2.5), hull_box(3, 3, 3)};
  const ct_shape proxies[] = {sphere(0.5), box(0.25, 0.25, 0.25), capsule(0.5, 0.5, 0.25),
                              hull_box(0.25, 0.5, 0.25)};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      ct_pose p = turned(at(0.1, 0.2, 0.1), 0.1, 0.2, 0.3, 0.9);
      CHECK_INT(solve(&shells[i], p, &proxies[j], at(0.3, 0, 0)).relation, CT_CONTAINING);
      CHECK_INT(solve(&proxies[j], at(0.3, 0, 0), &shells[i], p).relation, CT_CONTAINED);
      ct_vec3 edge = ct_to_parent(ct_frame_of(p), ct_vec(3, 0, 0));
      CHECK_INT(solve(&shells[i], p, &proxies[j], at(edge.x, edge.y, edge.z)).relation,
                CT_PENETRATING);
    }
  ct_hull_release(shells[3].hull);
  ct_hull_release(proxies[3].hull);
}

static void tolerance_names_touching_and_nothing_else(void) {
  const ct_shape a = sphere(1), b = sphere(1);
  ct_frame fa = ct_frame_of(at(0, 0, 0)), fb = ct_frame_of(at(2.001, 0, 0));
  ct_pair_options options = {.tolerance = 0.01, .threshold = INFINITY};
  ct_pair_result r;
  ct_pair_distance((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, &options, workspace, &r);
  CHECK_INT(r.relation, CT_TOUCHING);
  CHECK_NEAR(r.distance, 0.001, TIGHT);
  fb.position.x = 2.02;
  ct_pair_distance((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, &options, workspace, &r);
  CHECK_INT(r.relation, CT_SEPARATED);
  fb.position.x = 1.9;
  ct_pair_distance((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, &options, workspace, &r);
  CHECK_INT(r.relation, CT_PENETRATING);
}

static void beyond_the_threshold_a_lower_bound_will_do(void) {
  const ct_shape a = hull_box(1, 1, 1), b = box(1, 2, 3);
  ct_frame fa = ct_frame_of(at(0, 0, 0)), fb = ct_frame_of(turned(at(7, 8, 9), 0.1, 0.2, 0.3, 0.9));
  ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result whole, early;
  ct_pair_distance((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, &options, workspace, &whole);
  options.threshold = 1.0;
  ct_pair_distance((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, &options, workspace, &early);
  CHECK(early.distance > 1.0 && early.distance <= whole.distance &&
        early.lower_bound <= whole.distance);
  CHECK(early.upper_bound >= whole.distance && early.iterations <= whole.iterations);
  CHECK_INT(early.relation, CT_SEPARATED);
  options.threshold = whole.distance + 1.0;
  ct_pair_distance((ct_placed){&a, &fa}, (ct_placed){&b, &fb}, &options, workspace, &early);
  CHECK(early.distance == whole.distance);
  ct_hull_release(a.hull);
}

/* libccd 25: two cubes of side 2, 1.9 apart, were reported as separate with a NaN direction. */
static void libccd_25_stacked_cubes(void) {
  const ct_shape forms[] = {box(1, 1, 1), hull_box(1, 1, 1)};
  for (int i = 0; i < 4; i++) {
    ct_pair_result r = solve(&forms[i & 1], at(0, 0, 0), &forms[i >> 1], at(0, 0, 1.9));
    CHECK_NEAR(r.distance, -0.1, TIGHT);
    check_vec(r.normal, 0, 0, 1, 0);
  }
  ct_hull_release(forms[1].hull);
}

/* libccd 49 and 68, Coal 325: division of zero by zero at depth zero; touching faces, edges and
 * corners crashed or gave -infinity. */
static void libccd_49_68_coal_325_touching_exactly(void) {
  const ct_shape forms[] = {box(0.5, 0.5, 0.5), hull_box(0.5, 0.5, 0.5)};
  const ct_pose places[] = {at(1, 0, 0), at(1, 1, 0), at(1, 1, 1), at(1, 0.25, 0.125)};
  for (int i = 0; i < 16; i++) {
    ct_pair_result r = solve(&forms[i & 1], at(0, 0, 0), &forms[i >> 1 & 1], places[i >> 2]);
    CHECK_NEAR(r.distance, 0.0, 8 * 0x1p-53);
    CHECK_INT(r.status, CT_PAIR_OK);
    CHECK(r.relation == CT_TOUCHING || fabs(r.distance) > 0.0);
  }
  ct_hull_release(forms[1].hull);
}

/* libccd 71, FCL 319 to 495: wrong direction, or two tests that disagree about contact. */
static void fcl_319_364_395_crossing_edges_near_contact(void) {
  const ct_shape b = box(1, 1, 1), h = hull_box(1, 1, 1);
  const double gaps[] = {0, 1e-16, -1e-16, 1e-15, -1e-15, 1e-13, -1e-13, 1e-10, -1e-10};
  for (int i = 0; i < 9; i++) {
    /* Edge of one cube, turned 45 degrees about z, against the edge of the other, turned 45 degrees
     * about y: sqrt 2 + sqrt 2. */
    ct_pose p = turned(at(0, 0, 0), 0, 0, 0.38268343236508977173, 0.92387953251128675613);
    ct_pose q = turned(at(2.82842712474619009760 + gaps[i], 0, 0), 0, 0.38268343236508977173, 0,
                       0.92387953251128675613);
    ct_pair_result r = solve(&b, p, &b, q), s = solve(&h, p, &b, q);
    double truth = (2.82842712474619009760 + gaps[i]) - 2.82842712474619009760;
    CHECK_NEAR(r.distance, truth, TIGHT);
    CHECK_NEAR(s.distance, truth, TIGHT);
    check_vec(r.normal, 1, 0, 0, TIGHT);
    check_vec(s.normal, 1, 0, 0, TIGHT);
  }
  ct_hull_release(h.hull);
}

/* Coal 76 and 531: bodies of very different sizes, and very far apart. */
static void coal_76_531_sizes_and_places_far_apart(void) {
  const ct_shape giant = box(1e9, 1e9, 1e9), grain = box(1e-9, 1e-9, 1e-9),
                 flake = hull_box(1e-9, 1e-9, 1e-9);
  ct_pair_result r = solve(&giant, at(-1e9, 0, 0), &grain, at(1e-9, 0, 0));
  CHECK_NEAR(r.distance, 0.0, 1e-6);
  r = solve(&grain, at(-1e9, 0, 0), &flake, at(1e9, 0, 0));
  CHECK_NEAR(r.distance, 2e9, 1e-6);
  check_vec(r.normal, 1, 0, 0, 1e-15);
  r = solve(&flake, at(0, 0, 0), &grain, at(2.5e-9, 0, 0));
  CHECK_NEAR(r.distance, 0.5e-9, 1e-23);
  ct_hull_release(flake.hull);
}

/* Jolt 1037 and 2065, godot-jolt 485: long thin triangles gave points far outside or an endless
 * loop. */
static void jolt_1037_2065_long_thin_plates(void) {
  const ct_vec3 p[] = {{-1000, 0, 0}, {1000, 0, 0}, {0, 1e-3, 0}, {0, 0, -1e-3}};
  const ct_shape plate = hull_shape(p, 4), ball = sphere(0.5);
  ct_pair_result r = solve(&plate, at(0, 0, 0), &ball, at(900, 0, 0.5 - 1e-6));
  CHECK_NEAR(r.distance, -1e-6, 1e-12);
  CHECK_NEAR(r.point_a.x, 900, 1e-3);
  r = solve(&plate, at(0, 0, 0), &ball, at(0, 0.0005, 0.75));
  CHECK_NEAR(r.distance, 0.25, 1e-13);
  check_vec(r.normal, 0, 0, 1, 1e-9);
  ct_hull_release(plate.hull);
}

static const check_test tests[] = {
    {"boxes_corner_to_corner", boxes_corner_to_corner},
    {"sphere_beside_a_box_edge", sphere_beside_a_box_edge},
    {"ball_and_box_overlap_to_the_last_bit", ball_and_box_overlap_to_the_last_bit},
    {"crossed_capsules_are_apart_by_the_gap_of_their_axes",
     crossed_capsules_are_apart_by_the_gap_of_their_axes},
    {"crossed_capsules_whose_axes_meet_part_along_the_common_perpendicular",
     crossed_capsules_whose_axes_meet_part_along_the_common_perpendicular},
    {"parallel_capsules_touch_in_the_middle_of_the_shared_stretch",
     parallel_capsules_touch_in_the_middle_of_the_shared_stretch},
    {"tapered_capsule_touches_along_its_cone", tapered_capsule_touches_along_its_cone},
    {"capsule_that_is_a_ball_is_the_sphere_bit_for_bit",
     capsule_that_is_a_ball_is_the_sphere_bit_for_bit},
    {"boxes_overlap_by_the_least_way_out", boxes_overlap_by_the_least_way_out},
    {"points_may_slide_where_features_are_parallel", points_may_slide_where_features_are_parallel},
    {"overlapping_spheres", overlapping_spheres},
    {"concentric_bodies_part_along_the_first_axis", concentric_bodies_part_along_the_first_axis},
    {"planes_bound_everything_in_closed_form", planes_bound_everything_in_closed_form},
    {"half_spaces_face_each_other_or_cross", half_spaces_face_each_other_or_cross},
    {"bodies_inside_bodies_are_told", bodies_inside_bodies_are_told},
    {"tolerance_names_touching_and_nothing_else", tolerance_names_touching_and_nothing_else},
    {"beyond_the_threshold_a_lower_bound_will_do", beyond_the_threshold_a_lower_bound_will_do},
    {"libccd_25_stacked_cubes", libccd_25_stacked_cubes},
    {"libccd_49_68_coal_325_touching_exactly", libccd_49_68_coal_325_touching_exactly},
    {"fcl_319_364_395_crossing_edges_near_contact", fcl_319_364_395_crossing_edges_near_contact},
    {"coal_76_531_sizes_and_places_far_apart", coal_76_531_sizes_and_places_far_apart},
    {"jolt_1037_2065_long_thin_plates", jolt_1037_2065_long_thin_plates},
};

WORKSPACE_MAIN(tests)
