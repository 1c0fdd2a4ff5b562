/* Arc tangent by + - * / and sqrt only, against the arc tangent in long double. */
#include "base/trigonometry.h"
#include "tests/support/check.h"

#include <contact/limits.h>

#define PI_L 3.14159265358979323846264338327950288L

/* The error bound that the header states. */
#define ARC_ERROR (16.0 * CT_UNIT_ROUNDOFF)

static void near_arc(double y, double x) {
  double truth = (double)atan2l(y, x);
  CHECK_NEAR(ct_atan2(y, x), truth, ARC_ERROR * fabs(truth));
}

static void an_arc_is_that_of_long_double(void) {
  check_random r = {1};
  for (int i = 0; i < 200000; i++) {
    double y = ldexp(check_uniform(&r, -1.0, 1.0), (int)(check_next(&r) % 60) - 30);
    double x = ldexp(check_uniform(&r, -1.0, 1.0), (int)(check_next(&r) % 60) - 30);
    near_arc(y, x);
  }
  const double slopes[] = {0.0,        1e-300,
                           1e-9,       0x1p-26,
                           0.0984914,  0.19891,
                           0.41421356, 0.999999999999999,
                           1.0,        1.0000000000000002,
                           2.0,        1e9,
                           1e300};
  for (size_t i = 0; i < sizeof slopes / sizeof slopes[0]; i++)
    for (int k = 0; k < 4; k++)
      if (slopes[i] > 0.0 || !(k & 1)) near_arc(k & 1 ? -slopes[i] : slopes[i], k & 2 ? -1.0 : 1.0);
}

static void arcs_on_the_axes_are_exact(void) {
  CHECK(ct_atan2(0.0, 0.0) == 0.0);
  CHECK(ct_atan2(0.0, 2.0) == 0.0);
  CHECK(ct_atan2(3.0, 0.0) == (double)(PI_L / 2));
  CHECK(ct_atan2(-3.0, 0.0) == -(double)(PI_L / 2));
  CHECK(ct_atan2(0.0, -1.0) == (double)PI_L);
  CHECK(ct_atan2(-1.0, 2.0) == -ct_atan2(1.0, 2.0));
}

static void an_angle_is_right_where_vectors_are_almost_parallel(void) {
  for (double e = 1.0; e > 1e-12; e *= 0.1) {
    double truth = (double)atanl((long double)e);
    CHECK_NEAR(ct_angle(ct_vec(1, 0, 0), ct_vec(1, e, 0)), truth, 4e-16);
    CHECK_NEAR(ct_angle(ct_vec(1, 0, 0), ct_vec(-1, 0, e)), (double)(PI_L - atanl((long double)e)),
               2e-15);
  }
  CHECK_NEAR(ct_angle(ct_vec(1, 2, 3), ct_vec(1e-200, 2e-200, 3e-200)), 0.0, 0.0);
  CHECK_NEAR(ct_angle(ct_vec(1e200, 0, 0), ct_vec(0, 1e-200, 0)), (double)(PI_L / 2), 1e-15);
  CHECK(ct_angle(ct_vec(0, 0, 0), ct_vec(1, 0, 0)) == 0.0);
}

/* T7.2: a triangle of the three unit vectors subtends an eighth of the sphere. */
static void T7_2_three_axes_span_an_eighth_of_the_sphere(void) {
  ct_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  CHECK_NEAR(ct_solid_angle(x, y, z), (double)(PI_L / 2), 1e-15);
  CHECK_NEAR(ct_solid_angle(x, z, y), -(double)(PI_L / 2), 1e-15);
  CHECK_NEAR(ct_solid_angle(ct_vec(1e-3, 0, 0), ct_vec(0, 1e3, 0), z), (double)(PI_L / 2), 1e-15);
}

static const check_test tests[] = {
    {"an_arc_is_that_of_long_double", an_arc_is_that_of_long_double},
    {"arcs_on_the_axes_are_exact", arcs_on_the_axes_are_exact},
    {"an_angle_is_right_where_vectors_are_almost_parallel",
     an_angle_is_right_where_vectors_are_almost_parallel},
    {"T7.2_three_axes_span_an_eighth_of_the_sphere", T7_2_three_axes_span_an_eighth_of_the_sphere},
};
CHECK_MAIN(tests)
