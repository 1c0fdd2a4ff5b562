/* Sine and cosine by + - * / only, against those of long double; rotations made of them. */
#include "base/trigonometry.h"
#include "tests/support/check.h"
#include "tests/support/motion.h"

#include <contact/limits.h>

#define PI_L 3.14159265358979323846264338327950288L

/* The error bound that the header states. */
#define TURN_ERROR (2.0L * (long double)CT_UNIT_ROUNDOFF)

/* Libm of long double reduces its argument exactly; its error is about 2^-64. */
static void near_turn(double angle) {
  ct_sin_cos t = ct_sin_cos_of(angle);
  long double s = sinl((long double)angle), c = cosl((long double)angle);
  if (!(fabsl((long double)t.sine - s) <= TURN_ERROR * fabsl(s)))
    CHECK_FAIL("sine of %.17g is %.17g, off by %Lg of it", angle, t.sine,
               ((long double)t.sine - s) / s);
  if (!(fabsl((long double)t.cosine - c) <= TURN_ERROR * fabsl(c)))
    CHECK_FAIL("cosine of %.17g is %.17g, off by %Lg of it", angle, t.cosine,
               ((long double)t.cosine - c) / c);
}

static void a_turn_is_that_of_long_double(void) {
  check_random r = {1401};
  for (int i = 0; i < 100000; i++) {
    near_turn(check_uniform(&r, -CT_TURN_ANGLE_MAX, CT_TURN_ANGLE_MAX));
    near_turn(ldexp(check_uniform(&r, -1.0, 1.0), (int)(check_next(&r) % 50) - 29));
  }
}

/* Where sine or cosine nearly vanish, the most digits of the angle cancel. */
static void a_turn_keeps_its_digits_near_multiples_of_a_quarter(void) {
  for (int k = 1; k < 1000000; k += k < 20000 ? 1 : 37) {
    double angle = (double)((long double)k * (PI_L / 2));
    near_turn(angle);
    near_turn(nextafter(angle, 0.0));
    near_turn(-nextafter(angle, 1e9));
    near_turn((double)(((long double)k + 0.5L) * (PI_L / 2)));
  }
  near_turn(CT_TURN_MAX);
  near_turn(-CT_TURN_ANGLE_MAX);
}

static void small_angles_are_their_own_sine(void) {
  const double small[] = {0.0, 0x1p-1074, -1e-310, 1e-200, -1e-9};
  for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
    ct_sin_cos t = ct_sin_cos_of(small[i]);
    CHECK(t.sine == small[i] && t.cosine == 1.0);
  }
}

static void a_longer_angle_counts(void) {
  check_random r = {1402};
  for (int i = 0; i < 10000; i++) {
    long double angle =
        (long double)check_uniform(&r, -1e6, 1e6) + (long double)check_uniform(&r, -1e-11, 1e-11);
    ct_dd parts = ct_fast_two_sum((double)angle, (double)(angle - (long double)(double)angle));
    ct_sin_cos t = ct_sin_cos_of_dd(parts);
    CHECK_NEAR((double)((long double)t.sine - sinl(angle)), 0.0, 3e-16);
    CHECK_NEAR((double)((long double)t.cosine - cosl(angle)), 0.0, 3e-16);
  }
}

static void the_turn_between_two_rotations_leads_from_one_to_the_other(void) {
  check_random r = {1403};
  for (int i = 0; i < 20000; i++) {
    ct_quat p = random_rotation(&r), q = random_rotation(&r);
    if (i % 4 == 0)
      q = ct_quat_mul(ct_turn_about(ct_vec(0.6, 0, -0.8), ct_dd_of(ldexp(1.0, -(i % 200)))), p);
    if (i % 4 == 1) q = ct_quat_mul((ct_quat){0.36, 0.48, -0.8, i % 8 == 1 ? 0.0 : 1e-17}, p);
    ct_vec3 axis, other;
    double angle = ct_turn_between(p, q, &axis);
    CHECK(angle >= 0.0 && angle <= CT_PI);
    CHECK_NEAR(ct_norm(axis), 1.0, 4e-16);
    CHECK_NEAR(rotations_apart(ct_quat_mul(ct_turn_about(axis, ct_dd_of(angle)), p), q), 0.0,
               8e-15);
    /* Opposite quaternions represent the same rotation. */
    CHECK(ct_turn_between((ct_quat){-p.x, -p.y, -p.z, -p.w}, q, &other) == angle);
    CHECK(axis.x == other.x && axis.y == other.y && axis.z == other.z);
  }
}

static void half_a_turn_has_one_axis(void) {
  ct_vec3 axis;
  CHECK_NEAR(ct_turn_between(ct_quat_identity(), (ct_quat){0, -1, 0, 0}, &axis), (double)PI_L, 0.0);
  CHECK(axis.x == 0.0 && axis.y == 1.0 && axis.z == 0.0);
  CHECK_NEAR(ct_turn_between((ct_quat){0, 0, -2, 0}, (ct_quat){0, 0, 0, 3}, &axis), (double)PI_L,
             0.0);
  CHECK(axis.z == 1.0);
  CHECK(ct_turn_between((ct_quat){1, 2, 3, 4}, (ct_quat){-1, -2, -3, -4}, &axis) == 0.0);
}

static void a_change_keeps_its_digits(void) {
  for (double angle = 1.0; angle > 1e-150; angle *= 1e-3) {
    ct_vec3 d = ct_turn_change(ct_turn_about(ct_vec(0, 0, 1), ct_dd_of(angle)), ct_vec(3, 0, 7));
    CHECK_NEAR(d.y / angle, 3.0 * sin(angle) / angle, 3e-15);
    CHECK_NEAR(d.x, -6.0 * sin(0.5 * angle) * sin(0.5 * angle), 3e-15 * angle * angle);
    CHECK(d.z == 0.0);
  }
}

static void a_rate_has_twice_the_digits(void) {
  check_random r = {1404};
  for (int i = 0; i < 10000; i++) {
    ct_vec3 w = ct_vec(check_uniform(&r, -1, 1),
                       ldexp(check_uniform(&r, -1, 1), (int)(check_next(&r) % 40) - 20), 0.5);
    ct_dd n = ct_turn_rate(w);
    long double truth =
        sqrtl((long double)w.x * w.x + (long double)w.y * w.y + (long double)w.z * w.z);
    CHECK_NEAR((double)((long double)n.high + (long double)n.low - truth), 0.0,
               (double)(2e-19L * truth));
  }
  ct_dd zero = ct_turn_rate(ct_vec(0, 0, 0));
  CHECK(zero.high == 0.0 && zero.low == 0.0);
}

static const check_test tests[] = {
    {"a_turn_is_that_of_long_double", a_turn_is_that_of_long_double},
    {"a_turn_keeps_its_digits_near_multiples_of_a_quarter",
     a_turn_keeps_its_digits_near_multiples_of_a_quarter},
    {"small_angles_are_their_own_sine", small_angles_are_their_own_sine},
    {"a_longer_angle_counts", a_longer_angle_counts},
    {"the_turn_between_two_rotations_leads_from_one_to_the_other",
     the_turn_between_two_rotations_leads_from_one_to_the_other},
    {"half_a_turn_has_one_axis", half_a_turn_has_one_axis},
    {"a_change_keeps_its_digits", a_change_keeps_its_digits},
    {"a_rate_has_twice_the_digits", a_rate_has_twice_the_digits},
};
CHECK_MAIN(tests)
