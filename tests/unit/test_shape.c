/* Shapes: support points, boxes, bounding balls, names of kinds. Mass: tests/oracle/test_mass.c. */
#include "tests/oracle/shape_truth.h"
#include "tests/support/check.h"

static ct_vec3 random_vector(check_random *r) {
  return ct_vec(check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1));
}

static ct_vec3 random_unit(check_random *r) {
  return ct_unit_or(random_vector(r), ct_vec(1, 0, 0));
}

static ct_shape convex(check_random *r, int count) {
  ct_vec3 p[400];
  ct_hull *hull = NULL;
  for (int i = 0; i < count; i++) p[i] = ct_add(random_unit(r), ct_vec(0.5, -0.25, 2.0));
  CHECK_INT(ct_hull_from_points(p, (size_t)count, NULL, &hull, NULL), CT_OK);
  return (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
}

#define SHAPES_MAX 32

static int make_shapes(check_random *r, ct_shape shapes[SHAPES_MAX]) {
  const ct_shape all[] = {
      sphere(1.5),
      box(1.0, 2.0, 0.25),
      capsule(1.0, 0.5, 0.5),
      capsule(1.0, 0.25, 1.5),
      capsule(0.25, 1.0, 0.25),
      capsule(0.0, 0.75, 0.75),
      cylinder(0.5, 1.5),
      cylinder(2.0, 0.125),
      cone(0.6, 0.5, 0.0),
      cone(0.6, 0.0, 0.5),
      cone(0.75, 1.5, 0.5),
      cone(2.0, 0.5, 0.75),
      cone(1.0, 0.5, 0.5),
      ellipsoid(0.5, 0.3, 0.8),
      ellipsoid(2.0, 2.0, 0.01),
      ellipsoid(1.25, 1.25, 1.25),
      rounded(sphere(0.7), false, 0.1, 0.3),
      rounded(sphere(0.7), true, 0.1, 0.3),
      rounded(box(1.0, 2.0, 0.25), true, 0.1, 0.0),
      rounded(box(1.0, 2.0, 0.25), false, 0.1, 0.05),
      rounded(capsule(1.0, 0.25, 1.5), false, 0.1, 0.05),
      rounded(cylinder(0.5, 1.5), true, 0.3, 0.1),
      rounded(cone(0.6, 0.5, 0.0), true, 0.1, 0.0),
      rounded(cone(0.75, 1.5, 0.5), true, 0.2, 0.1),
      rounded(cone(0.75, 1.5, 0.1), true, 0.3, 0.0),
      rounded(cone(0.75, 1.5, 0.5), false, 0.2, 0.0),
      rounded(ellipsoid(0.5, 0.3, 0.8), false, 0.2, 0.1),
  };
  int count = (int)(sizeof all / sizeof *all);
  memcpy(shapes, all, sizeof all);
  shapes[count++] = convex(r, 30);
  shapes[count++] = rounded(convex(r, 400), false, 0.1, 0.0);
  return count;
}

static void free_shapes(const ct_shape *shapes, int count) {
  for (int i = 0; i < count; i++) ct_shape_release(&shapes[i]);
}

static void kinds_have_their_words(void) {
  CHECK_TEXT(ct_kind_word(CT_KIND_SPHERE), "sphere");
  CHECK_TEXT(ct_kind_word(CT_KIND_BOX), "box");
  CHECK_TEXT(ct_kind_word(CT_KIND_CAPSULE), "capsule");
  CHECK_TEXT(ct_kind_word(CT_KIND_CYLINDER), "cylinder");
  CHECK_TEXT(ct_kind_word(CT_KIND_CONE), "cone");
  CHECK_TEXT(ct_kind_word(CT_KIND_ELLIPSOID), "ellipsoid");
  CHECK_TEXT(ct_kind_word(CT_KIND_CONVEX), "convex");
  CHECK_TEXT(ct_kind_word(CT_KIND_MESH), "mesh");
  CHECK_TEXT(ct_kind_word(CT_KIND_PLANE), "plane");
}

static void statuses_have_sentences(void) {
  CHECK_TEXT(ct_status_text(CT_OK), "ok");
  CHECK_TEXT(ct_status_text(CT_LIMIT), "a documented limit of the engine is exceeded");
  CHECK_TEXT(ct_status_text((ct_status)999), "unknown status");
}

static void support_points_reach_the_support_value(void) {
  check_random r = {71};
  ct_shape shapes[SHAPES_MAX];
  int count = make_shapes(&r, shapes);
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < 1000; i++) {
      ct_vec3 d = ct_scale(random_unit(&r), i % 2 ? 1.0 : 1e-3);
      ct_vec3 p = ct_shape_support(&shapes[k], d);
      CHECK_NEAR((double)(truth(&shapes[k], d) / ct_norm(d)), ct_dot(p, d) / ct_norm(d), 4e-15);
      ct_vec3 again = ct_shape_support(&shapes[k], ct_scale(d, 2.0));
      CHECK(again.x == p.x && again.y == p.y && again.z == p.z);
      /* The support point belongs to the shape: it is beyond the support plane of no direction. */
      ct_vec3 e = random_unit(&r);
      CHECK(ct_dot(p, e) <= (double)truth(&shapes[k], e) + 4e-15);
    }
  }
  free_shapes(shapes, count);
}

/* T1.9, and the other kinds */
static void ties_go_to_the_positive_corner(void) {
  ct_shape s = box(1, 2, 3);
  ct_vec3 p = ct_shape_support(&s, ct_vec(1, -1, 0));
  CHECK(p.x == 1 && p.y == -2 && p.z == 3);
  p = ct_shape_support(&s, ct_vec(-0.0, -1, -0.0));
  CHECK(p.x == 1 && p.y == -2 && p.z == 3);
  s = capsule(1.0, 0.5, 0.5);
  p = ct_shape_support(&s, ct_vec(1, 0, 0));
  CHECK(p.x == 0.5 && p.z == 1.0);
  s = cylinder(2.0, 1.0);
  p = ct_shape_support(&s, ct_vec(0, -3, -0.0));
  CHECK(p.x == 0 && p.y == -2 && p.z == 1);
  p = ct_shape_support(&s, ct_vec(0, 0, -1));
  CHECK(p.x == 0 && p.y == 0 && p.z == -1);
}

/* T1.10: r1 = 0.5, r2 = 0, H = 1.2; the sine of the half angle is 0.5/1.3. */
static void a_cone_switches_from_its_base_to_its_apex_at_the_half_angle(void) {
  ct_shape s = cone(0.6, 0.5, 0.0);
  const double sine = 0.3846153846;
  for (int i = -1; i <= 1; i += 2) {
    double z = sine + i * 1e-9;
    ct_vec3 p = ct_shape_support(&s, ct_vec(sqrt(1 - z * z), 0, z));
    CHECK(i > 0 ? p.x == 0.0 && p.z == 0.6 : p.x == 0.5 && p.z == -0.6);
  }
}

static void a_capsule_without_length_is_a_sphere_to_the_bit(void) {
  check_random r = {72};
  ct_shape a = capsule(0.0, 1.25, 1.25), b = sphere(1.25);
  ct_vec3 center;
  double radius;
  for (int i = 0; i < 500; i++) {
    ct_vec3 d = i % 5 ? random_vector(&r) : ct_vec(i % 2 ? 1.0 : -1.0, -0.0, 0.0);
    ct_vec3 p = ct_shape_support(&a, d), q = ct_shape_support(&b, d);
    CHECK(!memcmp(&p, &q, sizeof p));
    ct_frame f =
        ct_frame_of((ct_pose){random_vector(&r), {0.1, 0.2, 0.3, check_uniform(&r, 0.1, 1.0)}});
    ct_aabb u = ct_shape_aabb(&a, &f), v = ct_shape_aabb(&b, &f);
    CHECK(!memcmp(&u, &v, sizeof u));
  }
  ct_shape_ball(&a, &center, &radius);
  CHECK(ct_max_abs(center) == 0.0 && radius == 1.25);
}

/* Any rotation, or one by quarter turns about the axes whose zeros are off by 6e-17, as a cosine of
 * 90 degrees is. */
static ct_quat random_turn(check_random *r, bool quarters) {
  ct_quat q = {check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1),
               check_uniform(r, 0.1, 1)};
  double *c[4] = {&q.x, &q.y, &q.z, &q.w};
  for (int i = 0; i < 4 && quarters; i++) *c[i] = (*c[i] > 0.5) + 6.123e-17 * rint(*c[i]);
  if (quarters && q.x + q.y + q.z + q.w < 0.5) q.w = 1.0;
  return q;
}

static void boxes_hold_the_exactly_rotated_shape_and_are_tight(void) {
  check_random r = {73};
  ct_shape shapes[SHAPES_MAX];
  int count = make_shapes(&r, shapes);
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < 500; i++) {
      ct_vec3 t = ct_scale(random_vector(&r), i % 3 ? 10.0 : 1e6);
      ct_quat q = random_turn(&r, i % 5 == 0);
      long double m[3][3], span[2];
      exact_rotation(q, m);
      ct_frame f = ct_frame_of((ct_pose){t, q});
      ct_aabb b = ct_shape_aabb(&shapes[k], &f);
      double low[3] = {b.min.x, b.min.y, b.min.z}, high[3] = {b.max.x, b.max.y, b.max.z},
             at[3] = {t.x, t.y, t.z};
      for (int axis = 0; axis < 3; axis++) {
        span[0] = at[axis] - truth_of(&shapes[k], -m[axis][0], -m[axis][1], -m[axis][2], 1.0L);
        span[1] = at[axis] + truth_of(&shapes[k], m[axis][0], m[axis][1], m[axis][2], 1.0L);
        CHECK(low[axis] <= span[0] && high[axis] >= span[1]);
        double loose = 4e-14 + 4.0 * 0x1p-53 * fabs(at[axis]);
        CHECK(low[axis] >= span[0] - loose && high[axis] <= span[1] + loose);
      }
    }
  }
  free_shapes(shapes, count);
}

/* r = 0.4, half length 0.7, axis (1, 1, 1)/sqrt 3: 0.7/sqrt 3 + 0.4 sqrt(2/3) each way. */
static void a_slanted_cylinder_has_the_published_box(void) {
  ct_shape s = cylinder(0.4, 0.7);
  /* The shortest rotation of z to the axis. */
  ct_frame f = ct_frame_of((ct_pose){{0, 0, 0}, {-1, 1, 0, 1 + sqrt(3)}});
  ct_aabb b = ct_shape_aabb(&s, &f);
  const double sides[] = {b.max.x, b.max.y, b.max.z, -b.min.x, -b.min.y, -b.min.z};
  for (int i = 0; i < 6; i++) CHECK_NEAR(sides[i], 0.7307438, 1e-7);
}

/* Quarter turns and the identity: nothing is rounded, so the box may not grow. */
static void boxes_of_unturned_shapes_are_exact(void) {
  ct_shape s = box(1, 2, 3);
  ct_frame f = ct_frame_of((ct_pose){{0.5, 0.25, -8.0}, ct_quat_identity()});
  ct_aabb b = ct_shape_aabb(&s, &f);
  CHECK(b.min.x == -0.5 && b.max.x == 1.5 && b.min.y == -1.75 && b.max.y == 2.25 &&
        b.min.z == -11.0 && b.max.z == -5.0);
  f = ct_frame_of((ct_pose){{0, 0, 0}, {1, 0, 0, 1}});
  b = ct_shape_aabb(&s, &f);
  CHECK(b.min.x == -1 && b.max.y == 3 && b.min.y == -3 && b.max.z == 2 && b.min.z == -2);
  s = capsule(2.0, 0.5, 1.0);
  b = ct_shape_aabb(&s, &f);
  CHECK(b.min.y == -3.0 && b.max.y == 2.5 && b.max.x == 1.0 && b.min.z == -1.0);

  ct_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 4}};
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_points(p, 4, NULL, &hull, NULL), CT_OK);
  s = (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
  b = ct_shape_aabb(&s, &f);
  CHECK(b.min.x == 0 && b.max.x == 1 && b.min.y == -4 && b.max.y == 0 && b.min.z == 0 &&
        b.max.z == 2);
  ct_hull_release(hull);

  /* Where the sum is not representable, the box still contains it, within one or two ulp. */
  s = sphere(0.1);
  f = ct_frame_of((ct_pose){{1e6, 1.0, 0.0}, ct_quat_identity()});
  b = ct_shape_aabb(&s, &f);
  CHECK(b.max.x - 1e6L >= 0.1L && b.max.x - 1e6L <= 0.1L + 4e-10L);
  CHECK(1e6L - b.min.x >= 0.1L && b.max.z == 0.1 && b.min.z == -0.1);
}

static void a_plane_is_bounded_on_the_side_of_its_normal_only(void) {
  ct_shape s = {.kind = CT_KIND_PLANE};
  ct_frame f = ct_frame_of((ct_pose){{1, 2, 3}, ct_quat_identity()});
  ct_aabb b = ct_shape_aabb(&s, &f);
  CHECK(b.max.z == 3.0 && b.min.z == -INFINITY && b.min.x == -INFINITY && b.max.x == INFINITY &&
        b.max.y == INFINITY);
  f = ct_frame_of((ct_pose){{1, 2, 3}, {1, 0, 0, 0}});
  b = ct_shape_aabb(&s, &f);
  CHECK(b.min.z == 3.0 && b.max.z == INFINITY);
  f = ct_frame_of((ct_pose){{1, 2, 3}, {0, 1, 0, 1}});
  b = ct_shape_aabb(&s, &f);
  CHECK(b.max.x == 1.0 && b.min.x == -INFINITY && b.max.z == INFINITY && b.min.z == -INFINITY);
  f = ct_frame_of((ct_pose){{1, 2, 3}, {0.1, 0, 0, 1}});
  b = ct_shape_aabb(&s, &f);
  CHECK(b.max.z == INFINITY && b.min.z == -INFINITY && b.max.y == INFINITY);
  ct_vec3 center;
  double radius;
  ct_shape_ball(&s, &center, &radius);
  CHECK(radius == INFINITY);
}

static void bounding_balls_contain_the_shape(void) {
  check_random r = {74};
  ct_shape shapes[SHAPES_MAX];
  int count = make_shapes(&r, shapes);
  for (int k = 0; k < count; k++) {
    ct_vec3 center;
    double radius, reach = 0.0;
    ct_shape_ball(&shapes[k], &center, &radius);
    for (int i = 0; i < 3000; i++) {
      ct_vec3 d = i == 0 ? ct_vec(0, 0, 1) : i == 1 ? ct_vec(0, 0, -1) : random_unit(&r);
      double out = (double)truth(&shapes[k], d) - ct_dot(center, d);
      CHECK(out <= radius + 1e-15);
      reach = ct_max2(reach, out);
    }
    /* The ball is not needlessly large: 2000 directions nearly reach its radius. */
    CHECK(reach >= 0.98 * radius);
  }
  free_shapes(shapes, count);
}

static const check_test tests[] = {
    {"kinds_have_their_words", kinds_have_their_words},
    {"statuses_have_sentences", statuses_have_sentences},
    {"support_points_reach_the_support_value", support_points_reach_the_support_value},
    {"ties_go_to_the_positive_corner", ties_go_to_the_positive_corner},
    {"a_cone_switches_from_its_base_to_its_apex_at_the_half_angle",
     a_cone_switches_from_its_base_to_its_apex_at_the_half_angle},
    {"a_capsule_without_length_is_a_sphere_to_the_bit",
     a_capsule_without_length_is_a_sphere_to_the_bit},
    {"boxes_hold_the_exactly_rotated_shape_and_are_tight",
     boxes_hold_the_exactly_rotated_shape_and_are_tight},
    {"a_slanted_cylinder_has_the_published_box", a_slanted_cylinder_has_the_published_box},
    {"boxes_of_unturned_shapes_are_exact", boxes_of_unturned_shapes_are_exact},
    {"a_plane_is_bounded_on_the_side_of_its_normal_only",
     a_plane_is_bounded_on_the_side_of_its_normal_only},
    {"bounding_balls_contain_the_shape", bounding_balls_contain_the_shape},
};

CHECK_MAIN(tests)
