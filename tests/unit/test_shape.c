/* Shapes: support, boxes, bounding balls, words. Mass: tests/oracle/test_mass.c.
 */
#include "tests/support/check.h"
#include <contact/shape.h>

static ct_vec3 random_vector(check_random *r) {
  return ct_vec(check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1));
}

static ct_vec3 random_unit(check_random *r) { return ct_unit_or(random_vector(r), ct_vec(1, 0, 0)); }

static ct_shape sphere(double radius) { return (ct_shape){.kind = CT_KIND_SPHERE, .sphere = {radius}}; }
static ct_shape box(double x, double y, double z) { return (ct_shape){.kind = CT_KIND_BOX, .box = {{x, y, z}}}; }
static ct_shape capsule(double a, double bottom, double top) {
  return (ct_shape){.kind = CT_KIND_CAPSULE, .capsule = {a, bottom, top}};
}

static ct_shape convex(check_random *r, int count) {
  ct_vec3 p[400];
  ct_hull *hull = NULL;
  for (int i = 0; i < count; i++) p[i] = ct_add(random_unit(r), ct_vec(0.5, -0.25, 2.0));
  CHECK_INT(ct_hull_from_points(p, (size_t)count, NULL, &hull, NULL), CT_OK);
  return (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
}

/* Support value by the definition of each kind, in long double. */
static long double truth(const ct_shape *s, ct_vec3 d) {
  long double x = d.x, y = d.y, z = d.z, length = sqrtl(x * x + y * y + z * z), best = -INFINITY;
  switch (s->kind) {
  case CT_KIND_SPHERE: return s->sphere.radius * length;
  case CT_KIND_BOX: return s->box.half.x * fabsl(x) + s->box.half.y * fabsl(y) + s->box.half.z * fabsl(z);
  case CT_KIND_CAPSULE:
    return fmaxl(s->capsule.half_length * z + s->capsule.radius_top * length,
                 -s->capsule.half_length * z + s->capsule.radius_bottom * length);
  case CT_KIND_CONVEX: {
    const ct_hull_view *h = ct_hull_get(s->hull);
    for (uint32_t i = 0; i < h->vertex_count; i++) best = fmaxl(best, x * h->x[i] + y * h->y[i] + z * h->z[i]);
    return best;
  }
  case CT_KIND_PLANE:
  case CT_KIND_COUNT:
  default: return INFINITY;
  }
}

static int make_shapes(check_random *r, ct_shape shapes[8]) {
  shapes[0] = sphere(1.5);
  shapes[1] = box(1.0, 2.0, 0.25);
  shapes[2] = capsule(1.0, 0.5, 0.5);
  shapes[3] = capsule(1.0, 0.25, 1.5);
  shapes[4] = capsule(0.25, 1.0, 0.25);
  shapes[5] = capsule(0.0, 0.75, 0.75);
  shapes[6] = convex(r, 30);
  shapes[7] = convex(r, 400);
  return 8;
}

static void free_shapes(ct_shape shapes[8]) {
  ct_hull_release(shapes[6].hull);
  ct_hull_release(shapes[7].hull);
}

static void kinds_have_their_words(void) {
  CHECK_TEXT(ct_kind_word(CT_KIND_SPHERE), "sphere");
  CHECK_TEXT(ct_kind_word(CT_KIND_BOX), "box");
  CHECK_TEXT(ct_kind_word(CT_KIND_CAPSULE), "capsule");
  CHECK_TEXT(ct_kind_word(CT_KIND_CONVEX), "convex");
  CHECK_TEXT(ct_kind_word(CT_KIND_PLANE), "plane");
}

static void statuses_have_sentences(void) {
  CHECK_TEXT(ct_status_text(CT_OK), "ok");
  CHECK_TEXT(ct_status_text(CT_LIMIT), "a documented limit of the engine is exceeded");
  CHECK_TEXT(ct_status_text((ct_status)999), "unknown status");
}

static void support_points_reach_the_support_value(void) {
  check_random r = {71};
  ct_shape shapes[8];
  int count = make_shapes(&r, shapes);
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < 1000; i++) {
      ct_vec3 d = ct_scale(random_unit(&r), i % 2 ? 1.0 : 1e-3);
      ct_vec3 p = ct_shape_support(&shapes[k], d);
      CHECK_NEAR((double)(truth(&shapes[k], d) / ct_norm(d)), ct_dot(p, d) / ct_norm(d), 4e-15);
      ct_vec3 again = ct_shape_support(&shapes[k], ct_scale(d, 2.0));
      CHECK(again.x == p.x && again.y == p.y && again.z == p.z);
      /* The point is of the shape: no direction sees it outside. */
      ct_vec3 e = random_unit(&r);
      CHECK(ct_dot(p, e) <= (double)truth(&shapes[k], e) + 4e-15);
    }
  }
  free_shapes(shapes);
}

static void ties_go_to_the_positive_corner(void) {
  ct_shape s = box(1, 2, 3);
  ct_vec3 p = ct_shape_support(&s, ct_vec(1, -1, 0));
  CHECK(p.x == 1 && p.y == -2 && p.z == 3);
  p = ct_shape_support(&s, ct_vec(-0.0, -1, -0.0));
  CHECK(p.x == 1 && p.y == -2 && p.z == 3);
  s = capsule(1.0, 0.5, 0.5);
  p = ct_shape_support(&s, ct_vec(1, 0, 0));
  CHECK(p.x == 0.5 && p.z == 1.0);
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
    ct_frame f = ct_frame_of((ct_pose){random_vector(&r), {0.1, 0.2, 0.3, check_uniform(&r, 0.1, 1.0)}});
    ct_box u = ct_shape_box(&a, &f), v = ct_shape_box(&b, &f);
    CHECK(!memcmp(&u, &v, sizeof u));
  }
  ct_shape_ball(&a, &center, &radius);
  CHECK(ct_max_abs(center) == 0.0 && radius == 1.25);
}

/* Rotation of q/|q| in long double, as rows. */
static void exact_rotation(ct_quat q, long double m[3][3]) {
  long double x = q.x, y = q.y, z = q.z, w = q.w, s = 2.0L / (x * x + y * y + z * z + w * w);
  long double rows[3][3] = {{1.0L - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                            {s * (x * y + w * z), 1.0L - s * (x * x + z * z), s * (y * z - w * x)},
                            {s * (x * z - w * y), s * (y * z + w * x), 1.0L - s * (x * x + y * y)}};
  memcpy(m, rows, sizeof rows);
}

/* Long double values of one axis of the box of the exactly rotated shape. */
static void exact_span(const ct_shape *s, const long double row[3], long double position, long double span[2]) {
  for (int side = 0; side < 2; side++) {
    long double sign = side ? 1.0L : -1.0L, reach = 0.0L;
    if (s->kind == CT_KIND_CONVEX) {
      const ct_hull_view *h = ct_hull_get(s->hull);
      reach = -INFINITY;
      for (uint32_t i = 0; i < h->vertex_count; i++) {
        reach = fmaxl(reach, sign * (row[0] * h->x[i] + row[1] * h->y[i] + row[2] * h->z[i]));
      }
    }
    if (s->kind == CT_KIND_BOX) {
      reach = s->box.half.x * fabsl(row[0]) + s->box.half.y * fabsl(row[1]) + s->box.half.z * fabsl(row[2]);
    }
    if (s->kind == CT_KIND_SPHERE) reach = s->sphere.radius;
    if (s->kind == CT_KIND_CAPSULE) {
      reach = fmaxl(sign * row[2] * s->capsule.half_length + s->capsule.radius_top,
                    -sign * row[2] * s->capsule.half_length + s->capsule.radius_bottom);
    }
    span[side] = position + sign * reach;
  }
}

static void boxes_hold_the_exactly_rotated_shape_and_are_tight(void) {
  check_random r = {73};
  ct_shape shapes[8];
  int count = make_shapes(&r, shapes);
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < 500; i++) {
      ct_vec3 t = ct_scale(random_vector(&r), i % 3 ? 10.0 : 1e6);
      ct_quat q = {check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, -1, 1), check_uniform(&r, 0.1, 1)};
      long double m[3][3], span[2];
      exact_rotation(q, m);
      ct_frame f = ct_frame_of((ct_pose){t, q});
      ct_box b = ct_shape_box(&shapes[k], &f);
      double low[3] = {b.min.x, b.min.y, b.min.z}, high[3] = {b.max.x, b.max.y, b.max.z}, at[3] = {t.x, t.y, t.z};
      for (int axis = 0; axis < 3; axis++) {
        exact_span(&shapes[k], m[axis], at[axis], span);
        CHECK(low[axis] <= span[0] && high[axis] >= span[1]);
        double loose = 4e-14 + 4.0 * 0x1p-53 * fabs(at[axis]);
        CHECK(low[axis] >= span[0] - loose && high[axis] <= span[1] + loose);
      }
    }
  }
  free_shapes(shapes);
}

/* Turns by quarter circles and no turn: nothing is rounded, so nothing may be added. */
static void boxes_of_unturned_shapes_are_exact(void) {
  ct_shape s = box(1, 2, 3);
  ct_frame f = ct_frame_of((ct_pose){{0.5, 0.25, -8.0}, ct_quat_identity()});
  ct_box b = ct_shape_box(&s, &f);
  CHECK(b.min.x == -0.5 && b.max.x == 1.5 && b.min.y == -1.75 && b.max.y == 2.25 && b.min.z == -11.0 && b.max.z == -5.0);
  f = ct_frame_of((ct_pose){{0, 0, 0}, {1, 0, 0, 1}});
  b = ct_shape_box(&s, &f);
  CHECK(b.min.x == -1 && b.max.y == 3 && b.min.y == -3 && b.max.z == 2 && b.min.z == -2);
  s = capsule(2.0, 0.5, 1.0);
  b = ct_shape_box(&s, &f);
  CHECK(b.min.y == -3.0 && b.max.y == 2.5 && b.max.x == 1.0 && b.min.z == -1.0);

  ct_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 4}};
  ct_hull *hull = NULL;
  CHECK_INT(ct_hull_from_points(p, 4, NULL, &hull, NULL), CT_OK);
  s = (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
  b = ct_shape_box(&s, &f);
  CHECK(b.min.x == 0 && b.max.x == 1 && b.min.y == -4 && b.max.y == 0 && b.min.z == 0 && b.max.z == 2);
  ct_hull_release(hull);

  /* Where the sum is no double the box still holds it, within one ulp or two. */
  s = sphere(0.1);
  f = ct_frame_of((ct_pose){{1e6, 1.0, 0.0}, ct_quat_identity()});
  b = ct_shape_box(&s, &f);
  CHECK(b.max.x - 1e6L >= 0.1L && b.max.x - 1e6L <= 0.1L + 4e-10L);
  CHECK(1e6L - b.min.x >= 0.1L && b.max.z == 0.1 && b.min.z == -0.1);
}

static void a_plane_is_bounded_on_the_side_of_its_normal_only(void) {
  ct_shape s = {.kind = CT_KIND_PLANE};
  ct_frame f = ct_frame_of((ct_pose){{1, 2, 3}, ct_quat_identity()});
  ct_box b = ct_shape_box(&s, &f);
  CHECK(b.max.z == 3.0 && b.min.z == -INFINITY && b.min.x == -INFINITY && b.max.x == INFINITY && b.max.y == INFINITY);
  f = ct_frame_of((ct_pose){{1, 2, 3}, {1, 0, 0, 0}});
  b = ct_shape_box(&s, &f);
  CHECK(b.min.z == 3.0 && b.max.z == INFINITY);
  f = ct_frame_of((ct_pose){{1, 2, 3}, {0, 1, 0, 1}});
  b = ct_shape_box(&s, &f);
  CHECK(b.max.x == 1.0 && b.min.x == -INFINITY && b.max.z == INFINITY && b.min.z == -INFINITY);
  f = ct_frame_of((ct_pose){{1, 2, 3}, {0.1, 0, 0, 1}});
  b = ct_shape_box(&s, &f);
  CHECK(b.max.z == INFINITY && b.min.z == -INFINITY && b.max.y == INFINITY);
  ct_vec3 center;
  double radius;
  ct_shape_ball(&s, &center, &radius);
  CHECK(radius == INFINITY);
}

static void bounding_balls_hold_the_shape(void) {
  check_random r = {74};
  ct_shape shapes[8];
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
    /* Not needlessly large: 2000 directions come near the farthest point. */
    CHECK(reach >= 0.98 * radius);
  }
  free_shapes(shapes);
}

static const check_test tests[] = {
    {"kinds_have_their_words", kinds_have_their_words},
    {"statuses_have_sentences", statuses_have_sentences},
    {"support_points_reach_the_support_value", support_points_reach_the_support_value},
    {"ties_go_to_the_positive_corner", ties_go_to_the_positive_corner},
    {"a_capsule_without_length_is_a_sphere_to_the_bit", a_capsule_without_length_is_a_sphere_to_the_bit},
    {"boxes_hold_the_exactly_rotated_shape_and_are_tight", boxes_hold_the_exactly_rotated_shape_and_are_tight},
    {"boxes_of_unturned_shapes_are_exact", boxes_of_unturned_shapes_are_exact},
    {"a_plane_is_bounded_on_the_side_of_its_normal_only", a_plane_is_bounded_on_the_side_of_its_normal_only},
    {"bounding_balls_hold_the_shape", bounding_balls_hold_the_shape},
};

CHECK_MAIN(tests)
