/* Distance and overlap of two triangles against brute force in 113 bits. */
#include "triangle/triangle_distance.h"

#include "tests/oracle/triangle_oracle.h"
#include "tests/support/check.h"

static ct_vec3 random_point(check_random *r, double size) {
  return ct_vec(check_uniform(r, -size, size), check_uniform(r, -size, size),
                check_uniform(r, -size, size));
}

static ct_triangle random_triangle(check_random *r, double size) {
  return (ct_triangle){{random_point(r, size), random_point(r, size), random_point(r, size)}};
}

/* Integer corners from -range to range. */
static ct_triangle grid_triangle(check_random *r, int range) {
  ct_triangle t;
  for (int k = 0; k < 3; k++) {
    int c[3];
    for (int i = 0; i < 3; i++) c[i] = (int)(check_next(r) % (uint64_t)(2 * range + 1)) - range;
    t.v[k] = ct_vec(c[0], c[1], c[2]);
  }
  return t;
}

/* A needle: the third corner slightly off the line of the first two, or off one of them. */
static ct_triangle needle(check_random *r) {
  ct_triangle t = random_triangle(r, 1.0);
  double width = pow(10.0, check_uniform(r, -14.0, -1.0)),
         at = check_next(r) % 2 ? check_uniform(r, 0.0, 1.0) : 1.0;
  t.v[2] = ct_add(ct_lerp(t.v[0], t.v[1], at), random_point(r, width));
  return t;
}

static double extent_of(const ct_triangle *a, const ct_triangle *b) {
  double extent = 0.0;
  for (int i = 0; i < 3; i++) {
    extent = ct_max2(extent, ct_norm(ct_sub(a->v[i], a->v[0])));
    extent = ct_max2(extent, ct_norm(ct_sub(b->v[i], a->v[0])));
  }
  return extent;
}

/* Distance of x from the triangle. */
static double off(const ct_triangle *t, ct_vec3 x) {
  const ct_vec3 point[3] = {x, x, x};
  return (double)oracle_triangles(point, t->v);
}

static double worst;

static void judge(const ct_triangle *a, const ct_triangle *b, bool exact) {
  double truth = (double)oracle_triangles(a->v, b->v), unit = 0x1p-53 * extent_of(a, b);
  ct_gap gap, swapped;
  CHECK(ct_triangles_gap(a, b, INFINITY, &gap));
  CHECK_NEAR(gap.distance, truth, 16 * unit);
  if (!(fabs(gap.distance - truth) <= 16 * unit))
    for (int k = 0; k < 3; k++)
      fprintf(stderr, "    {%a,%a,%a} {%a,%a,%a}\n", a->v[k].x, a->v[k].y, a->v[k].z, b->v[k].x,
              b->v[k].y, b->v[k].z);
  worst = ct_max2(worst, fabs(gap.distance - truth) / unit);
  CHECK(ct_triangles_gap(b, a, INFINITY, &swapped));
  CHECK_NEAR(swapped.distance, truth, 16 * unit);
  if (exact) {
    CHECK((gap.distance == 0.0) == (truth == 0.0));
    CHECK(ct_triangles_meet(a, b, NULL) == (truth == 0.0));
    CHECK(ct_triangles_meet(b, a, NULL) == (truth == 0.0));
  }
  CHECK(ct_triangles_meet(a, b, NULL) == (gap.distance == 0.0));
  CHECK_NEAR(ct_norm(gap.normal), 1.0, 4 * 0x1p-53);
  CHECK(off(a, gap.a) <= 16 * unit && off(b, gap.b) <= 16 * unit);
  CHECK(ct_norm(ct_sub(ct_sub(gap.b, gap.a), ct_scale(gap.normal, gap.distance))) <= 32 * unit);
  double far_a = -INFINITY, near_b = INFINITY;
  for (int k = 0; k < 3; k++) {
    far_a = ct_max2(far_a, ct_dot(gap.normal, ct_sub(a->v[k], gap.a)));
    near_b = ct_min2(near_b, ct_dot(gap.normal, ct_sub(b->v[k], gap.a)));
  }
  if (gap.distance > 0.0)
    CHECK_NEAR(near_b - far_a, truth, 32 * unit); /* the normal proves the distance */
  else CHECK_NEAR(far_a - near_b, gap.overlap, 32 * unit);
  ct_gap limited = {.distance = -1.0};
  double limit = 0.75 * truth;
  CHECK(!ct_triangles_gap(a, b, limit, &limited) || limited.distance == gap.distance);
  CHECK(ct_triangles_gap(a, b, gap.distance, &limited) && limited.distance == gap.distance);
}

static void distances_of_random_triangles_agree_with_brute_force(void) {
  check_random r = {1};
  for (int i = 0; i < 4000; i++) {
    ct_triangle a = random_triangle(&r, 1.0), b = random_triangle(&r, 1.0);
    ct_vec3 shift = random_point(&r, check_uniform(&r, 0.0, 3.0));
    for (int k = 0; k < 3; k++) b.v[k] = ct_add(b.v[k], shift);
    judge(&a, &b, false);
  }
}

static void intersections_of_triangles_on_a_grid_are_exact(void) {
  check_random r = {2};
  for (int i = 0; i < 8000; i++) {
    int range = i % 4 == 0 ? 1 : i % 4 == 1 ? 2 : 6;
    ct_triangle a = grid_triangle(&r, range), b = grid_triangle(&r, range);
    if (i % 3 == 0)
      for (int k = 0; k < 3; k++) a.v[k].z = b.v[k].z = 1.0;
    if (i % 5 == 0) b.v[0] = a.v[1];
    judge(&a, &b, true);
  }
}

static void distances_of_needles_agree_with_brute_force(void) {
  check_random r = {3};
  for (int i = 0; i < 4000; i++) {
    ct_triangle a = needle(&r), b = check_next(&r) % 2 ? needle(&r) : random_triangle(&r, 1.0);
    if (i % 3 == 0) {
      /* Almost parallel and almost touching. */
      double skew = pow(10.0, check_uniform(&r, -16.0, -1.0));
      for (int k = 0; k < 3; k++) b.v[k] = ct_add(a.v[k], random_point(&r, skew));
    }
    judge(&a, &b, false);
  }
}

static void a_corner_slightly_off_a_face_has_that_distance(void) {
  check_random r = {4};
  for (int i = 0; i < 2000; i++) {
    ct_triangle a = random_triangle(&r, 1.0), b = random_triangle(&r, 1.0);
    double s = check_uniform(&r, 0.1, 0.4), t = check_uniform(&r, 0.1, 0.4),
           gap = pow(10.0, check_uniform(&r, -18.0, -2.0));
    ct_vec3 n = ct_unit_or(ct_triangle_cross(&a), ct_vec(1, 0, 0));
    ct_vec3 on = ct_add(
        a.v[0], ct_add(ct_scale(ct_sub(a.v[1], a.v[0]), s), ct_scale(ct_sub(a.v[2], a.v[0]), t)));
    ct_vec3 shift = ct_sub(ct_add_scaled(on, n, gap), b.v[0]);
    for (int k = 0; k < 3; k++) {
      b.v[k] = ct_add(b.v[k], shift);
      double h = ct_dot(n, ct_sub(b.v[k], on));
      if (h < gap) b.v[k] = ct_add_scaled(b.v[k], n, 2.0 * (gap - h));
    }
    judge(&a, &b, false);
  }
}

static void feet_on_triangles_are_nearest(void) {
  check_random r = {5};
  for (int i = 0; i < 4000; i++) {
    ct_triangle t = i % 2 ? needle(&r) : random_triangle(&r, 1.0);
    ct_vec3 p = i % 3 ? random_point(&r, 2.0)
                      : ct_lerp(ct_lerp(t.v[0], t.v[1], check_uniform(&r, 0, 1)), t.v[2],
                                check_uniform(&r, 0, 1));
    ct_vec3 foot = ct_triangle_foot(&t, p);
    CHECK_NEAR(ct_norm(ct_sub(foot, p)), off(&t, p), 16 * 0x1p-53);
    CHECK(off(&t, foot) <= 16 * 0x1p-53);
    ct_gap gap;
    CHECK(ct_point_gap(p, &t, INFINITY, &gap));
    CHECK_NEAR(gap.distance, off(&t, p), 16 * 0x1p-53);
    const ct_vec3 segment[2] = {p, random_point(&r, 1.0)},
                  doubled[3] = {segment[0], segment[1], segment[1]};
    CHECK(ct_segment_gap(segment, &t, INFINITY, &gap));
    CHECK_NEAR(gap.distance, (double)oracle_triangles(doubled, t.v), 16 * 0x1p-53);
  }
}

static const check_test tests[] = {
    {"distances_of_random_triangles_agree_with_brute_force",
     distances_of_random_triangles_agree_with_brute_force},
    {"intersections_of_triangles_on_a_grid_are_exact",
     intersections_of_triangles_on_a_grid_are_exact},
    {"distances_of_needles_agree_with_brute_force", distances_of_needles_agree_with_brute_force},
    {"a_corner_slightly_off_a_face_has_that_distance",
     a_corner_slightly_off_a_face_has_that_distance},
    {"feet_on_triangles_are_nearest", feet_on_triangles_are_nearest},
};

CHECK_MAIN(tests)
