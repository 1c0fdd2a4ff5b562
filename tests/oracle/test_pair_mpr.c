/* Minkowski portal refinement: the published table, its inequalities against exact distances
 * (closed forms and brackets of ct_pair_distance), and degenerate pairs. CONTACTD_FULL=1 for a
 * million random pairs. */
#include "tests/oracle/pair_cases.h"
#include "tests/support/shapes.h"
#include "tests/support/workspace.h"

static const ct_mpr_options usual = {.tolerance = CT_MPR_TOLERANCE,
                                     .iterations_max = CT_MPR_ITERATIONS};

static long count_of(long quick, long full) { return getenv("CONTACTD_FULL") ? full : quick; }

static bool is_finite(ct_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

/* Solves, and checks the invariants of every answer. */
static ct_mpr_result solve(const ct_shape *a, ct_pose pa, const ct_shape *b, ct_pose pb,
                           const ct_mpr_options *options) {
  ct_frame fa = ct_frame_of(pa), fb = ct_frame_of(pb);
  ct_mpr_result r;
  ct_pair_mpr((ct_placed){a, &fa}, (ct_placed){b, &fb}, options, &r);
  CHECK(isfinite(r.distance) && isfinite(r.lower_bound) && isfinite(r.upper_bound) &&
        isfinite(r.tolerance_reached));
  CHECK(is_finite(r.normal) && is_finite(r.normal_exact) && is_finite(r.point_a) &&
        is_finite(r.point_b));
  CHECK_NEAR(ct_norm(r.normal), 1.0, 4 * 0x1p-52);
  CHECK_NEAR(ct_norm(r.normal_exact), 1.0, 4 * 0x1p-52);
  CHECK(r.lower_bound <= r.upper_bound);
  CHECK(r.support_count == 0 || r.support_count == 1 || r.support_count == 3);
  return r;
}

static ct_mpr_result query_pair(const ct_shape *a, ct_pose pa, const ct_shape *b, ct_pose pb) {
  return solve(a, pa, b, pb, &usual);
}

static void check_vec(ct_vec3 v, double x, double y, double z, double tolerance) {
  CHECK_NEAR(v.x, x, tolerance);
  CHECK_NEAR(v.y, y, tolerance);
  CHECK_NEAR(v.z, z, tolerance);
}

/* T4.1, row 28: the distance of the centres less both radii. */
static void two_balls_have_their_closed_form(void) {
  const ct_shape a = sphere(1), b = sphere(0.5);
  ct_mpr_result r = query_pair(&a, at(0, 0, 0), &b, at(1.2, 0.3, 0.1));
  double length = sqrt(1.54);
  CHECK_NEAR(r.distance, length - 1.5, 4e-16 * 4);
  check_vec(r.normal, 1.2 / length, 0.3 / length, 0.1 / length, 4e-16);
  CHECK_INT(r.status, CT_PAIR_OK);
}

/* T4.2, T4.3, row 28: the depth along the axis of least overlap. */
static void boxes_overlap_along_the_portal(void) {
  const ct_shape b = box(0.5, 0.5, 0.5);
  ct_mpr_result r = query_pair(&b, at(0.5, 0.5, 0.5), &b, at(1.3, 1.2, 1.1));
  CHECK_NEAR(r.distance, -0.2, 1e-14);
  check_vec(r.normal, 1, 0, 0, 1e-14);
  CHECK_NEAR(r.point_a.x, 1.0, 1e-14);
  CHECK_NEAR(r.point_b.x, 0.8, 1e-14);
  r = query_pair(&b, at(0, 0, 0), &b, at(0.9, 0.2, 0.1));
  CHECK_NEAR(r.distance, -0.1, 1e-14);
  check_vec(r.normal, 1, 0, 0, 1e-14);
}

/* T4.4, row 28: the exact normal joins the nearest corners, 1.3 apart; the other normal is that of
 * the portal. */
static void the_exact_normal_goes_from_corner_to_corner(void) {
  const ct_shape b = box(0.5, 0.5, 0.5);
  ct_mpr_result r = query_pair(&b, at(0, 0, 0), &b, at(1.3, 1.4, 2.2));
  CHECK_NEAR(r.distance, 1.3, 1e-14);
  check_vec(r.normal, 0, 0, 1, 1e-14);
  check_vec(r.normal_exact, 3.0 / 13, 4.0 / 13, 12.0 / 13, 1e-14);
  check_vec(r.point_a, 0.5, 0.5, 0.5, 1e-14);
  check_vec(r.point_b, 0.8, 0.9, 1.7, 1e-14);
  CHECK_INT(r.support_count, 3);
}

/* T4.5, T4.6, T4.7, row 28: the last two are only as good as the portal, which is not at the foot
 * point. */
static void a_ball_beside_a_box(void) {
  const ct_shape slab = box(2, 0.05, 0.35), small = sphere(0.1), cube = box(1, 1, 1),
                 ball = sphere(0.25);
  ct_mpr_result r = query_pair(&slab, at(0, 0, 0), &small, at(0.7, 0.149, 0.1));
  CHECK_NEAR(r.distance, -0.001, 1e-7);
  check_vec(r.normal, 0, 1, 0, 1e-3);
  r = query_pair(&cube, at(0, 0, 0), &ball, at(1.3, 1.4, 0.2));
  CHECK_NEAR(r.distance, 0.252730, 1e-3);
  CHECK(r.distance >= 0.25 - 1e-7 && r.lower_bound <= 0.25 && 0.25 <= r.upper_bound);
  r = query_pair(&cube, at(0, 0, 0), &ball, at(1.03, 1.04, 0.2));
  CHECK_NEAR(r.distance, -0.200372, 1e-3);
  CHECK(r.distance <= -0.2 + 1e-7 && r.lower_bound <= -0.2);
}

/* T4.8, row 28: the lowest point is 0.05 deep. */
static void an_ellipsoid_in_a_floor(void) {
  const ct_shape floor = box(3, 0.5, 3), e = ellipsoid(1, 0.5, 0.7);
  ct_mpr_result r = query_pair(&floor, at(0, -0.5, 0), &e, at(0.3, 0.45, 0.2));
  CHECK_NEAR(r.distance, -0.05, 1e-6);
  check_vec(r.normal, 0, 1, 0, 1e-3);
  check_vec(r.point_b, 0.3, -0.05, 0.2, 1e-3);
}

/* T4.9, T4.10, row 28: curved pairs, to 1e-3 of the published values. */
static void round_bodies_to_a_thousandth(void) {
  const ct_shape e = ellipsoid(1, 0.5, 0.7), f = ellipsoid(0.6, 0.6, 0.4),
                 c = capsule(0.5, 0.3, 0.3), d = cylinder(0.45, 0.3);
  ct_mpr_result r = query_pair(&e, at(0, 0, 0), &f, at(1.2, 0.7, 0.3));
  CHECK_NEAR(r.distance, 0.00923081, 1e-3);
  CHECK(r.distance >= 0.00868413 - 1e-6 && r.lower_bound <= 0.00868414 &&
        0.00868412 <= r.upper_bound);
  r = query_pair(&c, at(0, 0, 0), &d, at(0.7, 0.1, 0.2));
  CHECK_NEAR(r.distance, -0.042893135, 1e-3);
  CHECK(r.distance <= -0.042893218 + 1e-6 && r.lower_bound <= -0.042893218);
  check_vec(r.normal, 0.989949, 0.141421, 0, 1e-2);
}

/* Permitted error of the tolerance, which is relative to the Minkowski difference: at most the
 * bodies' sizes plus their offset. */
static double allowed(const pair_case *c, const ct_mpr_options *options) {
  ct_vec3 p, q;
  double r, s;
  ct_shape_ball(&c->a.shape, &p, &r);
  ct_shape_ball(&c->b.shape, &q, &s);
  double size =
      ct_norm(p) + r + ct_norm(q) + s + ct_norm(ct_sub(c->b.pose.position, c->a.pose.position));
  return (2.0 * options->tolerance + 1e-14) * size;
}

/* The inequalities: sign, bounds, and the side of the exact distance (between least and most) on
 * which the answer may be. */
static void check_inequalities(const ct_mpr_result *r, double least, double most, double slack) {
  CHECK(r->lower_bound <= most && least <= r->upper_bound);
  if (r->flags & (CT_FLAG_PLANAR_MINKOWSKI | CT_FLAG_TOLERANCE_RAISED)) return;
  if (least > slack) {
    CHECK(r->distance > 0.0);
    CHECK(r->distance >= least - slack);
    CHECK(r->upper_bound >= least);
  }
  if (most < -slack) {
    CHECK(r->distance < 0.0);
    CHECK(r->distance <= most + slack);
  }
}

/* Points and exact normal are consistent with the answer. */
static void check_points(const ct_mpr_result *r, double slack) {
  ct_vec3 gap = ct_sub(r->point_b, r->point_a);
  CHECK(ct_norm(ct_add_scaled(gap, r->normal_exact, -r->distance)) <= slack);
}

static pair_family families[] = {family_random, family_grid, family_nearly_parallel,
                                 family_scales, family_thin, family_large_hulls,
                                 family_far};
#define FAMILIES (sizeof families / sizeof families[0])
/* Excludes the families of thin bodies and of bodies far apart. */
static bool is_solid(long i) {
  return families[(size_t)i % FAMILIES] != family_thin &&
         families[(size_t)i % FAMILIES] != family_far;
}

/* The bracket of the pair by ct_pair_distance. */
static ct_pair_result exact_of(const pair_case *c) {
  const ct_pair_options full = {.tolerance = 0.0, .threshold = INFINITY};
  ct_frame fa = ct_frame_of(c->a.pose), fb = ct_frame_of(c->b.pose);
  ct_pair_result exact;
  ct_pair_distance((ct_placed){&c->a.shape, &fa}, (ct_placed){&c->b.shape, &fb}, &full, workspace,
                   &exact);
  return exact;
}

/* row 28: against the exact distance's bracket, over all bounded kinds. */
static void random_pairs_satisfy_the_inequalities(void) {
  case_kind_count = 7;
  check_random random = {41};
  long raised = 0, flat = 0, count = count_of(8000, 1000000);
  for (long i = 0; i < count; i++) {
    pair_case c;
    families[(size_t)i % FAMILIES](&c, &random);
    if (i % 5 == 0) c.a.shape.margin = check_uniform(&random, 0.01, 0.5);
    ct_pair_result exact = exact_of(&c);
    ct_mpr_result r = query_pair(&c.a.shape, c.a.pose, &c.b.shape, c.b.pose);
    check_inequalities(&r, exact.lower_bound, exact.upper_bound, allowed(&c, &usual));
    check_points(&r, allowed(&c, &usual));
    raised += (r.flags & CT_FLAG_TOLERANCE_RAISED) != 0;
    flat += (r.flags & CT_FLAG_PLANAR_MINKOWSKI) && is_solid(i);
    case_release(&c);
  }
  CHECK(1000 * raised < count);
  CHECK(1000 * flat < count);
}

/* The truth for axis-aligned boxes, in integers: squared distance, or depth. */
static double box_truth(const int half_a[3], const int half_b[3], const int apart[3]) {
  long squares = 0;
  int deepest = -1000;
  for (int i = 0; i < 3; i++) {
    int gap = abs(apart[i]) - half_a[i] - half_b[i];
    if (gap > 0) squares += (long)gap * gap;
    if (gap > deepest) deepest = gap;
  }
  return squares ? sqrt((double)squares) : (double)deepest;
}

static void boxes_in_integers_satisfy_the_inequalities(void) {
  check_random random = {42};
  for (long i = 0; i < count_of(20000, 400000); i++) {
    pair_case c = {.a = {.pose = ct_pose_identity()}, .b = {.pose = ct_pose_identity()}};
    int half_a[3], half_b[3], apart[3];
    for (int k = 0; k < 3; k++) {
      half_a[k] = 1 + (int)pick(&random, 8);
      half_b[k] = 1 + (int)pick(&random, 8);
      apart[k] = (int)pick(&random, 41) - 20;
    }
    c.a.shape = box(half_a[0], half_a[1], half_a[2]);
    c.b.shape = box(half_b[0], half_b[1], half_b[2]);
    c.b.pose.position = ct_vec(apart[0], apart[1], apart[2]);
    double truth = box_truth(half_a, half_b, apart);
    ct_mpr_result r = query_pair(&c.a.shape, c.a.pose, &c.b.shape, c.b.pose);
    check_inequalities(&r, truth, truth, allowed(&c, &usual));
    check_points(&r, allowed(&c, &usual));
    bool centred = apart[0] == 0 && apart[1] == 0 && apart[2] == 0;
    CHECK_INT((r.flags & CT_FLAG_CENTRES_COINCIDE) != 0, centred);
  }
}

/* A ball on an axis of an ellipsoid, and of a box with rounding and margin. */
static void balls_on_an_axis_are_exact(void) {
  const ct_shape e = ellipsoid(1, 0.5, 0.25), ball = sphere(0.125),
                 cube = rounded(box(1, 2, 3), false, 0.25, 0.25);
  for (int i = -30; i <= 30; i++) {
    double z = i / 8.0;
    if (i == 0) continue;
    ct_mpr_result r = query_pair(&e, at(0, 0, 0), &ball, at(0, 0, z));
    CHECK_NEAR(r.distance, fabs(z) - 0.375, 1e-15);
    check_vec(r.normal, 0, 0, z > 0 ? 1 : -1, 1e-15);
    r = query_pair(&cube, at(0, 0, 0), &ball, at(0, 0, z));
    CHECK(r.distance <= fabs(z) - 3.625 + 8e-7);
    if (fabs(z) > 3.0) CHECK_NEAR(r.distance, fabs(z) - 3.625, 8e-7);
  }
}

/* row 27: the tolerance is reached, and tighter ones give closer answers; an iteration limit is
 * respected, and the answer at the limit has certified bounds. */
static void tolerance_and_limit_are_honoured(void) {
  case_kind_count = 7;
  check_random random = {43};
  const double tolerances[] = {1e-2, 1e-4, 1e-7, 1e-10};
  long limited = 0;
  for (int i = 0; i < 500; i++) {
    pair_case c;
    family_random(&c, &random);
    ct_pair_result exact = exact_of(&c);
    for (int k = 0; k < 4; k++) {
      ct_mpr_options options = {tolerances[k], 100};
      ct_mpr_result r = solve(&c.a.shape, c.a.pose, &c.b.shape, c.b.pose, &options);
      if (r.status == CT_PAIR_OK) CHECK(r.tolerance_reached <= tolerances[k]);
      check_inequalities(&r, exact.lower_bound, exact.upper_bound, allowed(&c, &options));
    }
    for (uint32_t limit = 1; limit < 6; limit++) {
      ct_mpr_options options = {1e-14, limit};
      ct_mpr_result r = solve(&c.a.shape, c.a.pose, &c.b.shape, c.b.pose, &options);
      CHECK(r.iterations <= 2 * limit + 8);
      CHECK(r.lower_bound <= exact.upper_bound && exact.lower_bound <= r.upper_bound);
      if (r.status != CT_PAIR_ITERATION_LIMIT) continue;
      limited++;
      CHECK(r.flags & (CT_FLAG_TOLERANCE_RAISED | CT_FLAG_PLANAR_MINKOWSKI));
    }
    case_release(&c);
  }
  CHECK(limited > 500);
}

/* Concentric bodies of all kinds, in equal and different orientations: a valid status and true
 * bounds. */
static void coincident_centres_have_a_status(void) {
  case_kind_count = 7;
  check_random random = {44};
  long found = 0;
  for (int i = 0; i < 4000; i++) {
    pair_case c;
    family_concentric(&c, &random);
    ct_pair_result exact = exact_of(&c);
    ct_mpr_result r = query_pair(&c.a.shape, c.a.pose, &c.b.shape, c.b.pose);
    check_inequalities(&r, exact.lower_bound, exact.upper_bound, allowed(&c, &usual));
    if (r.flags & CT_FLAG_CENTRES_COINCIDE) CHECK_INT(r.status, CT_PAIR_DEGENERATE);
    found += (r.flags & CT_FLAG_CENTRES_COINCIDE) != 0;
    case_release(&c);
  }
  CHECK(found > 1000);
  const ct_shape ball = sphere(2), cube = box(1, 1, 1), half = box(0.5, 0.5, 0.5);
  ct_mpr_result r = query_pair(&ball, at(1, 2, 3), &ball, at(1, 2, 3));
  CHECK(r.distance == -4.0 && r.flags == (CT_FLAG_CENTRES_COINCIDE | CT_FLAG_NORMAL_ARBITRARY));
  r = query_pair(&cube, at(1, 2, 3), &half, at(1, 2, 3));
  CHECK(r.distance == -1.5 && r.flags == CT_FLAG_CENTRES_COINCIDE);
}

/* Two plates with a thickness of 1e-9 in one plane: their difference is flat, and its bounds are
 * still true. */
static void a_flat_difference_has_a_status(void) {
  const ct_shape plate = box(1, 1, 1e-9), needle = box(1e-9, 1e-9, 1);
  ct_vec3 corners[8];
  for (int i = 0; i < 8; i++)
    corners[i] = ct_vec(i & 1 ? 1 : -1, i & 2 ? 1.0 : -1.0, i & 4 ? 1e-15 : -1e-15);
  const ct_shape sheet = hull_shape(corners, 8), *flat[] = {&plate, &needle, &sheet};
  long planar = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 40; k++) {
        ct_pose q = at(0.125 * (k % 8), 0.5 * (k / 8), k % 3 ? 0.0 : 1e-12);
        ct_frame fa = ct_frame_of(at(0, 0, 0)), fb = ct_frame_of(q);
        const ct_pair_options full = {.tolerance = 0.0, .threshold = INFINITY};
        ct_pair_result exact;
        ct_pair_distance((ct_placed){flat[i], &fa}, (ct_placed){flat[j], &fb}, &full, workspace,
                         &exact);
        ct_mpr_result r = query_pair(flat[i], at(0, 0, 0), flat[j], q);
        check_inequalities(&r, exact.lower_bound, exact.upper_bound, 1e-6);
        if (r.flags & CT_FLAG_PLANAR_MINKOWSKI) CHECK(r.status != CT_PAIR_OK);
        planar += (r.flags & CT_FLAG_PLANAR_MINKOWSKI) != 0;
      }
  CHECK(planar > 0);
  ct_shape_release(&sheet);
}

static bool same(ct_vec3 a, ct_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static void a_swap_mirrors_bit_for_bit(void) {
  case_kind_count = 7;
  check_random random = {45};
  for (int i = 0; i < 2000; i++) {
    pair_case c;
    families[(size_t)i % FAMILIES](&c, &random);
    ct_mpr_result p = query_pair(&c.a.shape, c.a.pose, &c.b.shape, c.b.pose),
                  q = query_pair(&c.b.shape, c.b.pose, &c.a.shape, c.a.pose);
    CHECK(p.distance == q.distance && p.lower_bound == q.lower_bound &&
          p.upper_bound == q.upper_bound);
    CHECK(same(p.normal, ct_neg(q.normal)) && same(p.normal_exact, ct_neg(q.normal_exact)));
    CHECK(same(p.point_a, q.point_b) && same(p.point_b, q.point_a) && p.flags == q.flags &&
          p.status == q.status);
    for (uint32_t k = 0; k < p.support_count; k++)
      CHECK(same(p.support_a[k], q.support_b[k]) && same(p.support_b[k], q.support_a[k]));
    case_release(&c);
  }
}

/* The corners of the portal are points of the bodies; for separated polytopes the witness points
 * are in their triangles. */
static void support_points_are_of_the_bodies(void) {
  const ct_shape a = box(0.5, 0.5, 0.5), b = box(0.25, 0.5, 1);
  ct_mpr_result r = query_pair(&a, at(0, 0, 0), &b, at(2, 0.3, 0.2));
  CHECK_INT(r.support_count, 3);
  for (uint32_t i = 0; i < 3; i++) {
    CHECK_NEAR(r.support_a[i].x, 0.5, 0);
    CHECK_NEAR(fabs(r.support_a[i].y), 0.5, 0);
    CHECK_NEAR(r.support_b[i].x, 1.75, 0);
    CHECK_NEAR(fabs(r.support_b[i].z - 0.2), 1.0, 1e-15);
  }
  CHECK_NEAR(r.distance, 1.25, 1e-15);
}

static void half_spaces_and_meshes_are_not_handled(void) {
  const ct_shape floor = plane(), ball = sphere(1);
  CHECK(!ct_mpr_is_supported(CT_KIND_PLANE) && !ct_mpr_is_supported(CT_KIND_MESH) &&
        ct_mpr_is_supported(CT_KIND_CONVEX));
  CHECK_INT(query_pair(&floor, at(0, 0, 0), &ball, at(0, 0, 2)).status, CT_PAIR_UNSUPPORTED);
}

static const check_test tests[] = {
    {"two_balls_have_their_closed_form", two_balls_have_their_closed_form},
    {"boxes_overlap_along_the_portal", boxes_overlap_along_the_portal},
    {"the_exact_normal_goes_from_corner_to_corner", the_exact_normal_goes_from_corner_to_corner},
    {"a_ball_beside_a_box", a_ball_beside_a_box},
    {"an_ellipsoid_in_a_floor", an_ellipsoid_in_a_floor},
    {"round_bodies_to_a_thousandth", round_bodies_to_a_thousandth},
    {"random_pairs_satisfy_the_inequalities", random_pairs_satisfy_the_inequalities},
    {"boxes_in_integers_satisfy_the_inequalities", boxes_in_integers_satisfy_the_inequalities},
    {"balls_on_an_axis_are_exact", balls_on_an_axis_are_exact},
    {"tolerance_and_limit_are_honoured", tolerance_and_limit_are_honoured},
    {"coincident_centres_have_a_status", coincident_centres_have_a_status},
    {"a_flat_difference_has_a_status", a_flat_difference_has_a_status},
    {"a_swap_mirrors_bit_for_bit", a_swap_mirrors_bit_for_bit},
    {"support_points_are_of_the_bodies", support_points_are_of_the_bodies},
    {"half_spaces_and_meshes_are_not_handled", half_spaces_and_meshes_are_not_handled},
};

WORKSPACE_MAIN(tests)
