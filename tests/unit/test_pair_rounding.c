/* Rounding and margin of pairs: identities with larger shapes, and rounded boxes in closed form. */
#include "tests/oracle/pair_cases.h"

static ct_pair_result distance_of(const ct_shape *a, const ct_frame *fa, const ct_shape *b,
                                  const ct_frame *fb, ct_workspace *w) {
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

static void balls_and_capsules_with_margin_are_thicker_ones_to_the_bit(void) {
  check_random r = {81};
  ct_workspace *w = ct_workspace_create();
  for (int k = 0; k < 2000; k++) {
    double grow = eighths(&r), a = eighths(&r), p = eighths(&r), q = eighths(&r);
    bool added = pick(&r, 2);
    ct_shape thin, thick;
    if (pick(&r, 2)) {
      thin = (ct_shape){.kind = CT_KIND_SPHERE, .sphere = {p}};
      thick = (ct_shape){.kind = CT_KIND_SPHERE, .sphere = {p + grow}};
    } else {
      thin = (ct_shape){.kind = CT_KIND_CAPSULE, .capsule = {a, p, q}};
      thick = (ct_shape){.kind = CT_KIND_CAPSULE, .capsule = {a, p + grow, q + grow}};
    }
    *(added ? &thin.rounding : &thin.margin) = grow;
    pair_body other;
    make_body(&other, random_kind(&r), &r, 2.0, ct_vec(1, 1, 1));
    ct_frame fa = random_frame(&r, 1.0), fb = random_frame(&r, 4.0);
    ct_pair_result u = distance_of(&thin, &fa, &other.shape, &fb, w),
                   v = distance_of(&thick, &fa, &other.shape, &fb, w);
    CHECK(!memcmp(&u, &v, sizeof u));
    CHECK(ct_pair_overlap((ct_placed){&thin, &fa}, (ct_placed){&other.shape, &fb}, w, NULL) ==
          (v.distance <= 0.0));
    body_release(&other);
  }
  ct_workspace_destroy(w);
}

static void inset_rounding_leaves_balls_capsules_and_planes_as_they_are(void) {
  check_random r = {82};
  ct_workspace *w = ct_workspace_create();
  const ct_shape sharp[] = {{.kind = CT_KIND_SPHERE, .sphere = {0.5}},
                            {.kind = CT_KIND_CAPSULE, .capsule = {0.5, 0.25, 0.75}},
                            {.kind = CT_KIND_PLANE}};
  const ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {0.25}};
  for (int k = 0; k < 300; k++) {
    ct_shape inset = sharp[k % 3];
    inset.inset = true;
    inset.rounding = 0.2;
    ct_frame fa = random_frame(&r, 1.0), fb = random_frame(&r, 2.0);
    ct_pair_result u = distance_of(&inset, &fa, &ball, &fb, w),
                   v = distance_of(&sharp[k % 3], &fa, &ball, &fb, w);
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
    ct_pair_result u = distance_of(&thick, &low, &other.shape, &fb, w),
                   v = distance_of(&flat, &high, &other.shape, &fb, w);
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
  const ct_shape plane = {.kind = CT_KIND_PLANE}, thick = with_margin(plane, 0.25),
                 thicker = with_margin(plane, 0.5);
  const ct_frame up = ct_frame_of((ct_pose){{0, 0, 1}, {0, 0, 0, 1}}),
                 down = ct_frame_of((ct_pose){{5, 0, 3}, {1, 0, 0, 0}});
  ct_pair_result r = distance_of(&thick, &up, &thicker, &down, w);
  CHECK(r.distance == 1.25 && r.normal.z == 1.0 && r.point_a.z == 1.25 && r.point_b.z == 2.5);
  r = distance_of(&thicker, &down, &thick, &up, w);
  CHECK(r.distance == 1.25 && r.normal.z == -1.0 && r.point_a.z == 2.5 && r.point_b.z == 1.25);
  ct_vec3 common;
  const ct_frame touching = ct_frame_of((ct_pose){{5, 0, 1.75}, {1, 0, 0, 0}});
  CHECK(ct_pair_overlap((ct_placed){&thick, &up}, (ct_placed){&thicker, &touching}, w, &common) &&
        common.z == 1.25);
  ct_workspace_destroy(w);
}

static ct_shape with_rounding(ct_shape s, bool inset, double rounding) {
  s.inset = inset;
  s.rounding = rounding;
  return s;
}

/* Boxes, cylinders, cones, ellipsoids and hulls; the last two kinds are not shrunk here. The caller
 * releases the shape. */
static ct_shape sharp_shape(check_random *r, int form) {
  double a = 0.5 + 0.5 * pick(r, 3), b = 0.5 + 0.25 * pick(r, 4), c = 0.75;
  if (form == 0) return (ct_shape){.kind = CT_KIND_BOX, .box = {{a, b, c}}};
  if (form == 1)
    return (ct_shape){.kind = CT_KIND_CYLINDER, .cylinder = {.radius = b, .half_length = a}};
  if (form == 2) return (ct_shape){.kind = CT_KIND_CONE, .cone = {a, b, pick(r, 2) ? 0.25 : 0.0}};
  if (form == 3) return (ct_shape){.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{a, b, c}}};
  const ct_vec3 points[] = {{a, 0, -c}, {-a, b, -c}, {-a, -b, -c}, {0, 0, c}, {a, b, c}};
  return (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull_of(points, 5)};
}

/* Margins m and k reduce the distance by m + k while the unrounded shapes are apart. */
static void margins_are_taken_off_the_distance(void) {
  check_random r = {84};
  ct_workspace *w = ct_workspace_create();
  for (int i = 0; i < 2000; i++) {
    ct_shape a = sharp_shape(&r, i % 5), b = sharp_shape(&r, i / 5 % 5);
    ct_frame fa = random_frame(&r, 1.0), fb = random_frame(&r, 6.0);
    ct_pair_result bare = distance_of(&a, &fa, &b, &fb, w);
    double m = check_uniform(&r, 0.0, 2.0), k = pick(&r, 2) ? 0.25 : 0.0;
    ct_shape thick_a = i % 3 ? with_margin(a, m) : with_rounding(a, false, m),
             thick_b = with_margin(b, k);
    ct_pair_result r1 = distance_of(&thick_a, &fa, &thick_b, &fb, w);
    if (bare.distance > 0.0) {
      CHECK_NEAR(r1.distance, bare.distance - m - k, 1e-13);
      CHECK_NEAR(ct_norm(ct_sub(r1.normal, bare.normal)), 0.0, 1e-7);
    }
    CHECK(r1.lower_bound <= r1.distance && r1.distance <= r1.upper_bound);
    if (bare.distance > 0.0)
      CHECK(r1.lower_bound <= bare.upper_bound - m - k &&
            r1.upper_bound >= bare.lower_bound - m - k);
    CHECK_NEAR(ct_norm(ct_add_scaled(ct_sub(r1.point_b, r1.point_a), r1.normal, -r1.distance)), 0.0,
               2e-7);
    CHECK(ct_pair_overlap((ct_placed){&thick_a, &fa}, (ct_placed){&thick_b, &fb}, w, NULL) ==
          (r1.distance <= 0.0));
    ct_shape_release(&a);
    ct_shape_release(&b);
  }
  ct_workspace_destroy(w);
}

/* Margins also add to the depth: the unrounded shapes overlap by d. */
static void margins_are_added_to_the_depth(void) {
  check_random r = {85};
  ct_workspace *w = ct_workspace_create();
  int deep = 0;
  for (int i = 0; i < 600; i++) {
    ct_shape a = sharp_shape(&r, i % 5), b = sharp_shape(&r, i / 5 % 5);
    ct_frame fa = random_frame(&r, 0.3), fb = random_frame(&r, 0.3);
    ct_pair_result bare = distance_of(&a, &fa, &b, &fb, w);
    double m = check_uniform(&r, 0.01, 0.5);
    ct_shape thick = with_margin(a, m);
    ct_pair_result r1 = distance_of(&thick, &fa, &b, &fb, w);
    if (bare.distance < 0.0) {
      deep++;
      CHECK_NEAR(r1.distance, bare.distance - m, 1e-9);
    }
    ct_shape_release(&a);
    ct_shape_release(&b);
  }
  CHECK(deep > 300);
  ct_workspace_destroy(w);
}

/* Signed distance of a point to a box with inset rounding p: the shrunk box in closed form, minus
 * p. */
static double rounded_box_distance(ct_vec3 h, double p, ct_vec3 point) {
  ct_vec3 q = {fabs(point.x) - (h.x - p), fabs(point.y) - (h.y - p), fabs(point.z) - (h.z - p)};
  double outside = ct_norm(ct_vec(ct_max2(q.x, 0), ct_max2(q.y, 0), ct_max2(q.z, 0)));
  return outside + ct_min2(ct_max2(q.x, ct_max2(q.y, q.z)), 0.0) - p;
}

static void an_inset_box_is_the_analytic_rounded_box(void) {
  check_random r = {86};
  ct_workspace *w = ct_workspace_create();
  for (int i = 0; i < 3000; i++) {
    ct_vec3 h = uniform_vec(&r, 0.3, 1.5);
    double p = check_uniform(&r, 0.0, 0.29), radius = check_uniform(&r, 0.01, 1.0);
    const ct_shape box = with_rounding((ct_shape){.kind = CT_KIND_BOX, .box = {h}}, true, p);
    const ct_shape ball = {.kind = CT_KIND_SPHERE, .sphere = {radius}},
                   plane = {.kind = CT_KIND_PLANE};
    ct_frame fa = random_frame(&r, 1.0), fb = random_frame(&r, i % 2 ? 1.0 : 3.0);
    ct_vec3 center = ct_to_local(fa, fb.position);
    CHECK_NEAR(distance_of(&box, &fa, &ball, &fb, w).distance,
               rounded_box_distance(h, p, center) - radius, 1e-14);
    /* The support of the half-space is that of the shrunk box plus p. */
    ct_vec3 up = {fb.rotation.rx.z, fb.rotation.ry.z, fb.rotation.rz.z},
            n = ct_mat_tmul(fa.rotation, up);
    double reach = (h.x - p) * fabs(n.x) + (h.y - p) * fabs(n.y) + (h.z - p) * fabs(n.z) + p;
    double height = ct_dot(up, ct_sub(fa.position, fb.position));
    CHECK_NEAR(distance_of(&plane, &fb, &box, &fa, w).distance, height - reach, 1e-14);
  }
  ct_workspace_destroy(w);
}

/* Inset rounding does not move faces: of two shapes, one above the other, only the faces are near.
 */
static void inset_rounding_keeps_faces_in_place(void) {
  ct_workspace *w = ct_workspace_create();
  const ct_vec3 cube[] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                          {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
  ct_hull *inset = NULL;
  const ct_hull *hull = hull_of(cube, 8);
  CHECK_INT(ct_hull_inset(hull, 0.25, NULL, &inset), CT_OK);
  const ct_shape shapes[] = {
      with_rounding((ct_shape){.kind = CT_KIND_BOX, .box = {{1, 1, 1}}}, true, 0.25),
      with_rounding(
          (ct_shape){.kind = CT_KIND_CYLINDER, .cylinder = {.radius = 1, .half_length = 1}}, true,
          0.25),
      with_rounding((ct_shape){.kind = CT_KIND_CONE, .cone = {1, 1, 0.75}}, true, 0.25),
      with_rounding((ct_shape){.kind = CT_KIND_CONVEX, .hull = inset}, true, 0.25)};
  const ct_frame low = ct_frame_of((ct_pose){{0, 0, 0}, {0, 0, 0, 1}});
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int k = -1; k <= 1; k++) {
        const ct_frame high = ct_frame_of((ct_pose){{0.125, 0, 2.0 + 0.125 * k}, {0, 0, 0, 1}});
        ct_pair_result r = distance_of(&shapes[i], &low, &shapes[j], &high, w);
        CHECK_NEAR(r.distance, 0.125 * k, 1e-15);
        CHECK_NEAR(r.normal.z, 1.0, 1e-15);
      }
  ct_hull_release(inset);
  ct_hull_release(hull);
  ct_workspace_destroy(w);
}

/* A small body near the corner is inside the sharp box. It is inside the rounded box only while its
 * distance from the centre of the corner, of radius 0.5, is at most the difference of the radii. */
static void a_round_corner_holds_less_than_a_sharp_one(void) {
  ct_workspace *w = ct_workspace_create();
  const ct_shape sharp = {.kind = CT_KIND_BOX, .box = {{1, 1, 1}}},
                 ball = {.kind = CT_KIND_SPHERE, .sphere = {0.1}};
  const ct_vec3 cube[] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                          {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
  const ct_vec3 seed[] = {{0.05, 0, 0}, {-0.05, 0, 0}, {0, 0.05, 0}, {0, 0, 0.05}};
  const ct_hull *hull = hull_of(cube, 8), *small = hull_of(seed, 4);
  ct_hull *inset = NULL;
  CHECK_INT(ct_hull_inset(hull, 0.5, NULL, &inset), CT_OK);
  const ct_shape round[] = {
      with_rounding(sharp, true, 0.5),
      with_rounding((ct_shape){.kind = CT_KIND_CONVEX, .hull = inset}, true, 0.5)};
  const ct_shape held[] = {ball,
                           with_margin((ct_shape){.kind = CT_KIND_CONVEX, .hull = small}, 0.05)};
  const ct_frame middle = ct_frame_of((ct_pose){{0, 0, 0}, {0, 0, 0, 1}});
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      const ct_frame in = ct_frame_of((ct_pose){{0.7, 0.7, 0.7}, {0, 0, 0, 1}});
      const ct_frame out = ct_frame_of((ct_pose){{0.75, 0.75, 0.75}, {0, 0, 0, 1}});
      CHECK_INT(distance_of(&sharp, &middle, &held[k], &out, w).relation, CT_CONTAINING);
      CHECK_INT(distance_of(&round[i], &middle, &held[k], &out, w).relation, CT_PENETRATING);
      CHECK_INT(distance_of(&round[i], &middle, &held[k], &in, w).relation, CT_CONTAINING);
      CHECK_INT(distance_of(&held[k], &in, &round[i], &middle, w).relation, CT_CONTAINED);
    }
  ct_hull_release(inset);
  ct_hull_release(small);
  ct_hull_release(hull);
  ct_workspace_destroy(w);
}

static const check_test tests[] = {
    {"balls_and_capsules_with_margin_are_thicker_ones_to_the_bit",
     balls_and_capsules_with_margin_are_thicker_ones_to_the_bit},
    {"inset_rounding_leaves_balls_capsules_and_planes_as_they_are",
     inset_rounding_leaves_balls_capsules_and_planes_as_they_are},
    {"a_plane_with_margin_is_a_higher_plane", a_plane_with_margin_is_a_higher_plane},
    {"margins_are_taken_off_the_distance", margins_are_taken_off_the_distance},
    {"margins_are_added_to_the_depth", margins_are_added_to_the_depth},
    {"an_inset_box_is_the_analytic_rounded_box", an_inset_box_is_the_analytic_rounded_box},
    {"inset_rounding_keeps_faces_in_place", inset_rounding_keeps_faces_in_place},
    {"a_round_corner_holds_less_than_a_sharp_one", a_round_corner_holds_less_than_a_sharp_one},
    {"two_planes_with_margins_meet_earlier", two_planes_with_margins_meet_earlier},
};

CHECK_MAIN(tests)
