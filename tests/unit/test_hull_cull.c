/* Culling of points before a hull is grown: culled points are strictly inside by exact signs, and
 * most interior points are culled. */
#include "hull/hull_cull_points.h"
#include "hull/quickhull.h"
#include "tests/unit/hull_checks.h"

#define POINTS 700

static ct_vec3 in_ball(check_random *r) {
  for (;;) {
    ct_vec3 v = ct_vec(check_uniform(r, -1, 1), check_uniform(r, -1, 1), check_uniform(r, -1, 1));
    if (ct_norm2(v) <= 1.0) return v;
  }
}

/* Culls the points and grows the hull of all points: each culled point is strictly within every
 * face. Returns the number of culled points. */
static uint32_t went(const ct_vec3 *points, uint32_t count) {
  ct_vec3 left[POINTS];
  uint32_t kept[POINTS], number = count, at = 0;
  memcpy(left, points, count * sizeof *left);
  CHECK_INT(ct_hull_cull(left, &number, kept), CT_OK);
  CHECK(number >= 1 && number <= count);
  ct_hull_builder g = {0};
  int rank;
  ct_status status = ct_quickhull(points, count, NULL, &g, &rank);
  for (uint32_t i = 0; i < count; i++) {
    if (at < number && kept[at] == i) {
      CHECK(memcmp(&left[at++], &points[i], sizeof *points) == 0);
      continue;
    }
    CHECK_INT(status, CT_OK);
    for (uint32_t f = 0; f < g.face_count; f++) {
      const uint32_t *v = g.faces[f].vertex;
      if (ct_hull_builder_is_alive(&g, f))
        CHECK_INT(ct_orient3d(points[v[0]], points[v[1]], points[v[2]], points[i]), -1);
    }
  }
  CHECK_INT(at, number);
  ct_hull_builder_free(&g);
  return count - number;
}

static void much_of_a_ball_goes_wherever_it_is_and_however_flat(void) {
  check_random r = {61};
  ct_vec3 p[POINTS];
  for (int round = 0; round < 12; round++) {
    ct_vec3 far = ct_scale(ct_vec(3, -1, 2), round % 3 ? pow(10.0, round / 2) : 0.0);
    double flat = pow(10.0, -(double)(round % 4));
    for (int i = 0; i < POINTS; i++) {
      ct_vec3 v = in_ball(&r);
      p[i] = ct_add(far, ct_vec(v.x, v.y * flat, v.z));
    }
    CHECK(went(p, POINTS) > POINTS / 4);
  }
}

/* Needles and plates in any direction, points on spheres, grids full of points on faces and edges,
 * copies. */
static void none_goes_that_is_not_strictly_inside(void) {
  check_random r = {62};
  ct_vec3 p[POINTS];
  for (int round = 0; round < 60; round++) {
    double thin = pow(10.0, -(double)(round % 17));
    ct_vec3 along = in_ball(&r), other = in_ball(&r);
    for (int i = 0; i < POINTS; i++) {
      ct_vec3 v = in_ball(&r);
      switch (round % 5) {
      case 0: p[i] = ct_add(ct_scale(v, thin), ct_scale(along, check_uniform(&r, -1, 1))); break;
      case 1:
        p[i] = ct_add(ct_scale(v, thin), ct_add(ct_scale(along, check_uniform(&r, -1, 1)),
                                                ct_scale(other, check_uniform(&r, -1, 1))));
        break;
      case 2: p[i] = ct_scale(v, 1.0 / ct_norm(v)); break;
      case 3:
        p[i] = ct_vec((double)(check_next(&r) % 5), (double)(check_next(&r) % 4),
                      (double)(check_next(&r) % 3));
        break;
      default: p[i] = i > 40 && check_next(&r) % 2 ? p[check_next(&r) % 40] : v;
      }
    }
    uint32_t gone = went(p, POINTS);
    if (round % 5 == 2) CHECK_INT(gone, 0);
  }
}

static void what_has_no_inside_stays(void) {
  check_random r = {63};
  ct_vec3 p[POINTS];
  for (int i = 0; i < POINTS; i++)
    p[i] = ct_vec(check_uniform(&r, 0, 1), check_uniform(&r, 0, 1), 0.25);
  CHECK_INT(went(p, POINTS), 0);
  for (int i = 0; i < POINTS; i++) p[i] = ct_scale(ct_vec(1, 2, 4), (double)(check_next(&r) % 512));
  CHECK_INT(went(p, POINTS), 0);
  for (int i = 0; i < POINTS; i++) p[i] = ct_vec(0.1, 0.2, 0.3);
  CHECK_INT(went(p, POINTS), 0);
  CHECK_INT(went(p, 1), 0);
}

/* The ends of the exactness range: no overflow or underflow gives a wrong result. */
static void the_largest_and_the_smallest_coordinates_are_safe(void) {
  check_random r = {64};
  ct_vec3 p[POINTS];
  static const double sizes[][3] = {{0x1p299, 0x1p299, 0x1p299}, {0x1p-298, 0x1p-298, 0x1p-298},
                                    {0x1p299, 0x1p40, 0x1p299},  {0x1p-40, 0x1p-298, 0x1p-40},
                                    {0x1p100, 0x1p-100, 1.0},    {0x1p250, 0x1p200, 0x1p0}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    double largest = 0.0;
    for (int i = 0; i < POINTS; i++) {
      ct_vec3 v = in_ball(&r);
      p[i] = ct_vec(v.x * sizes[k][0], v.y * sizes[k][1], v.z * sizes[k][2]);
      largest = ct_max2(largest, ct_max_abs(p[i]));
    }
    ct_flush_points(p, POINTS, largest);
    went(p, POINTS);
  }
}

static const check_test tests[] = {
    {"much_of_a_ball_goes_wherever_it_is_and_however_flat",
     much_of_a_ball_goes_wherever_it_is_and_however_flat},
    {"none_goes_that_is_not_strictly_inside", none_goes_that_is_not_strictly_inside},
    {"what_has_no_inside_stays", what_has_no_inside_stays},
    {"the_largest_and_the_smallest_coordinates_are_safe",
     the_largest_and_the_smallest_coordinates_are_safe},
};

CHECK_MAIN(tests)
