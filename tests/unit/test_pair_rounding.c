/* Rounding and margin of pairs: identities with larger shapes, and rounded boxes in closed form. */
#include "tests/oracle/pair_cases.h"

static ct_pair_result distance_of(const ct_shape *a, const ct_frame *fa, const ct_shape *b, const ct_frame *fb, ct_workspace *w) {
  const ct_pair_options options = {.tolerance = 0.0, .threshold = INFINITY};
  ct_pair_result r;
  ct_pair_distance((ct_placed){a, fa}, (ct_placed){b, fb}, &options, w, &r);
  return r;
}

static ct_frame random_frame(check_random *r, double size) {
  ct_pose pose = {random_vec(r, size), random_rotation(r)};
  return ct_frame_of(pose);
}

static ct_shape with_margin(ct_shape s, double margin) {
  s.margin = margin;
  return s;
}

/* Sums of eighths are exact. */
static double eighths(check_random *r) { return 0.125 * (1 + pick(r, 16)); }

static void a_ball_with_margin_is_a_larger_ball_to_the_bit(void) {
  check_random r = {81};
  ct_workspace *w = ct_workspace_create();
  for (int k = 0; k < 2000; k++) {
    double grow = eighths(&r), p = eighths(&r);
    ct_shape thin = {.kind = CT_KIND_SPHERE, .sphere = {p}};
    const ct_shape thick = {.kind = CT_KIND_SPHERE, .sphere = {p + grow}};
    *(pick(&r, 2) ? &thin.rounding : &thin.margin) = grow;
    pair_body other;
    make_body(&other, random_kind(&r), &r, 2.0, ct_vec(1, 1, 1));
    ct_frame fa = random_frame(&r, 1.0), fb = random_frame(&r, 4.0);
    ct_pair_result u = distance_of(&thin, &fa, &other.shape, &fb, w), v = distance_of(&thick, &fa, &other.shape, &fb, w);
    CHECK(!memcmp(&u, &v, sizeof u));
    CHECK(ct_pair_overlap((ct_placed){&thin, &fa}, (ct_placed){&other.shape, &fb}, w, NULL) == (v.distance <= 0.0));
    body_release(&other);
  }
  ct_workspace_destroy(w);
}

static void inset_rounding_leaves_balls_capsules_and_planes_as_they_are(void) {
  check_random r = {82};
  ct_workspace *w = ct_workspace_create();
  const ct_shape sharp[] = {
      {.kind = CT_KIND_SPHERE, .sphere = {0.5}}, {.kind = CT_KIND_CAPSULE, .capsule = {0.5, 0.25, 0.75}}, {.kind = CT_KIND_PLANE}};
  const ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {0.25}};
  for (int k = 0; k < 300; k++) {
    ct_shape inset = sharp[k % 3];
    inset.inset = true;
    inset.rounding = 0.2;
    ct_frame fa = random_frame(&r, 1.0), fb = random_frame(&r, 2.0);
    ct_pair_result u = distance_of(&inset, &fa, &ball, &fb, w), v = distance_of(&sharp[k % 3], &fa, &ball, &fb, w);
    CHECK(!memcmp(&u, &v, sizeof u));
  }
  ct_workspace_destroy(w);
}

static void a_plane_with_margin_is_a_higher_plane(void) {
  check_random r = {83};
  ct_workspace *w = ct_workspace_create();
  for (int k = 0; k < 1000; k++) {
    const ct_shape flat = {.kind = CT_KIND_PLANE};
    ct_shape thick = flat;
    double margin = eighths(&r);
    thick.margin = k % 2 ? margin : 0.5 * margin;
    thick.rounding = margin - thick.margin;
    pair_body other;
    make_body(&other, random_kind(&r), &r, 2.0, ct_vec(1, 1, 1));
    ct_frame low = random_frame(&r, 1.0), high = low, fb = random_frame(&r, 4.0);
    ct_vec3 up = {low.rotation.rx.z, low.rotation.ry.z, low.rotation.rz.z};
    high.position = ct_add_scaled(low.position, up, margin);
    ct_pair_result u = distance_of(&thick, &low, &other.shape, &fb, w), v = distance_of(&flat, &high, &other.shape, &fb, w);
    CHECK_NEAR(u.distance, v.distance, 1e-14);
    CHECK_NEAR(ct_norm(ct_sub(u.point_a, v.point_a)), 0.0, 2e-14);
    CHECK_NEAR(ct_norm(ct_sub(u.point_b, v.point_b)), 0.0, 2e-14);
    CHECK_INT(u.relation, v.relation);
    body_release(&other);
  }
  ct_workspace_destroy(w);
}

static void two_planes_with_margins_meet_earlier(void) {
  ct_workspace *w = ct_workspace_create();
  const ct_shape plane = {.kind = CT_KIND_PLANE}, thick = with_margin(plane, 0.25), thicker = with_margin(plane, 0.5);
  const ct_frame up = ct_frame_of((ct_pose){{0, 0, 1}, {0, 0, 0, 1}}), down = ct_frame_of((ct_pose){{5, 0, 3}, {1, 0, 0, 0}});
  ct_pair_result r = distance_of(&thick, &up, &thicker, &down, w);
  CHECK(r.distance == 1.25 && r.normal.z == 1.0 && r.point_a.z == 1.25 && r.point_b.z == 2.5);
  r = distance_of(&thicker, &down, &thick, &up, w);
  CHECK(r.distance == 1.25 && r.normal.z == -1.0 && r.point_a.z == 2.5 && r.point_b.z == 1.25);
  ct_vec3 common;
  const ct_frame touching = ct_frame_of((ct_pose){{5, 0, 1.75}, {1, 0, 0, 0}});
  CHECK(ct_pair_overlap((ct_placed){&thick, &up}, (ct_placed){&thicker, &touching}, w, &common) && common.z == 1.25);
  ct_workspace_destroy(w);
}

static const check_test tests[] = {
    {"a_ball_with_margin_is_a_larger_ball_to_the_bit", a_ball_with_margin_is_a_larger_ball_to_the_bit},
    {"inset_rounding_leaves_balls_capsules_and_planes_as_they_are", inset_rounding_leaves_balls_capsules_and_planes_as_they_are},
    {"a_plane_with_margin_is_a_higher_plane", a_plane_with_margin_is_a_higher_plane},
    {"two_planes_with_margins_meet_earlier", two_planes_with_margins_meet_earlier},
};

CHECK_MAIN(tests)
