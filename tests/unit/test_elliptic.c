/* Elliptic integrals and functions: published values, closed forms at the ends, quadrature in long
 * double between them. */
#include "base/elliptic.h"
#include "tests/support/check.h"

#include "base/trigonometry.h"
#include <contact/limits.h>

typedef long double real;

/* Carlson 1995, section 4. */
static void carlsons_published_values(void) {
  CHECK_NEAR(ct_carlson_f(1, 2, 0), 1.3110287771461, 1e-13);
  CHECK_NEAR(ct_carlson_f(0.5, 1, 0), 1.8540746773014, 1e-13);
  CHECK_NEAR(ct_carlson_f(2, 3, 4), 0.58408284167715, 1e-14);
  const double a[] = {0, 1, 2}, b[] = {2, 3, 4};
  CHECK_NEAR(ct_carlson_j(a, 3, 3.0 * 2.0 * 1.0), 0.77688623778582, 1e-14);
  CHECK_NEAR(ct_carlson_j(b, 5, 3.0 * 2.0 * 1.0), 0.14297579667157, 1e-14);
}

/* R_F and R_J of equal arguments are powers of the argument. */
static void integrals_of_equal_arguments_are_powers(void) {
  for (double x = 1e-60; x < 1e60; x *= 1e7) {
    const double xyz[] = {x, x, x};
    CHECK_NEAR(ct_carlson_f(x, x, x) * sqrt(x), 1.0, 1e-15);
    CHECK_NEAR(ct_carlson_j(xyz, x, 0.0) * x * sqrt(x), 1.0, 1e-15);
  }
}

/* The integrand of the reference quadrature over the amplitude. */
typedef struct integrand {
  real m1;
  real third; /* 0: first kind */
} integrand;

static real value_of(const integrand *f, real amplitude) {
  real s = sinl(amplitude), c = cosl(amplitude), root = sqrtl(c * c + f->m1 * s * s);
  return f->third == 0 ? 1 / root : s * s / ((c * c + f->third * s * s) * root);
}

/* Gauss quadrature with five points on each of many intervals. */
static real integral(const integrand *f, real end) {
  const real x[] = {0.0L, 0.538469310105683091036314420700208805L,
                    0.906179845938663992797626878299392965L};
  const real weight[] = {0.568888888888888888888888888888888889L,
                         0.478628670499366468041291514835638193L,
                         0.236926885056189087514264040719917363L};
  real sum = 0;
  const int parts = 400;
  for (int i = 0; i < parts; i++) {
    real half = end / (2 * parts), middle = half * (2 * i + 1);
    sum += half * weight[0] * value_of(f, middle);
    for (int k = 1; k < 3; k++)
      sum += half * weight[k] *
             (value_of(f, middle - half * x[k]) + value_of(f, middle + half * x[k]));
  }
  return sum;
}

static void integrals_of_first_and_third_kind_are_quadrature(void) {
  check_random r = {1701};
  for (int i = 0; i < 300; i++) {
    double m1 = pow(10.0, check_uniform(&r, -3.0, 0.0)), end = check_uniform(&r, 0.01, 1.57),
           s = sin(end), c = cos(end);
    double d = sqrt(c * c + m1 * s * s), s2 = s * s;
    /* Third below m1 or above 1: the product of the differences is not negative. */
    double third = i % 2 ? m1 * check_uniform(&r, 0.1, 1.0) : check_uniform(&r, 1.0, 50.0);
    integrand f = {(real)m1, 0};
    CHECK_NEAR(s * ct_carlson_f(c * c, d * d, 1.0), (double)integral(&f, (real)end), 1e-14);
    f.third = (real)third;
    const double xyz[] = {c * c, d * d, 1.0};
    double j =
        s * s2 / 3.0 *
        ct_carlson_j(xyz, c * c + third * s2, s2 * s2 * s2 * third * (third - m1) * (third - 1.0));
    double truth = (double)integral(&f, (real)end);
    CHECK_NEAR(j, truth, 2e-14 * ct_max2(truth, 1.0));
  }
}

static void functions_invert_the_integral(void) {
  check_random r = {1702};
  for (int i = 0; i < 300; i++) {
    double m1 = pow(10.0, check_uniform(&r, -3.0, 0.0)), end = check_uniform(&r, -1.57, 1.57);
    ct_jacobi jacobi;
    ct_jacobi_set(&jacobi, m1);
    integrand f = {(real)m1, 0};
    ct_jacobi_value v = ct_jacobi_at(&jacobi, (double)integral(&f, (real)end));
    CHECK_NEAR(v.sn, sin(end), 2e-15);
    CHECK_NEAR(v.cn, cos(end), 2e-15);
    CHECK_NEAR(v.dn, sqrt(cos(end) * cos(end) + m1 * sin(end) * sin(end)), 2e-15);
    CHECK(v.half_periods == 0.0);
    CHECK_NEAR(jacobi.quarter, (double)integral(&f, acosl(0.0L)), 4e-15);
  }
}

/* m1 = 1: sine and cosine. m1 = 0: tanh and 1/cosh, up to where the finite period matters; from
 * there to the quarter period, by reflection. */
static void functions_at_the_ends_are_elementary(void) {
  ct_jacobi circle, line;
  ct_jacobi_set(&circle, 1.0);
  ct_jacobi_set(&line, 1e-60);
  CHECK_NEAR(circle.quarter, 0.5 * CT_PI, 0.0);
  CHECK_NEAR(line.quarter, log(4e30), 3e-14);
  for (double x = -1.5; x < 1.5; x += 0.01) {
    ct_jacobi_value v = ct_jacobi_at(&circle, x);
    CHECK_NEAR(v.sn, sin(x), 4e-16);
    CHECK_NEAR(v.cn, cos(x), 4e-16);
    CHECK(v.dn == 1.0);
  }
  for (double x = -25.0; x < 25.0; x += 0.1) {
    ct_jacobi_value v = ct_jacobi_at(&line, x), w = ct_jacobi_at(&line, line.quarter - fabs(x));
    CHECK_NEAR(v.sn, tanh(x), 4e-16);
    CHECK_NEAR(v.cn * cosh(x), 1.0, 3e-14);
    CHECK_NEAR(v.dn * cosh(x), 1.0, 3e-14);
    CHECK_NEAR(w.dn / (1e-30 * cosh(x)), 1.0, 3e-14);
  }
}

static void half_periods_are_counted(void) {
  check_random r = {1703};
  for (int i = 0; i < 2000; i++) {
    double m1 = pow(2.0, check_uniform(&r, -219.0, 0.0)), x;
    ct_jacobi jacobi;
    ct_jacobi_set(&jacobi, m1);
    double halves = floor(check_uniform(&r, -1e4, 1e4));
    x = check_uniform(&r, -0.999, 0.999) * jacobi.quarter;
    ct_jacobi_value near = ct_jacobi_at(&jacobi, x),
                    far = ct_jacobi_at(&jacobi, x + 2.0 * halves * jacobi.quarter);
    double error = 4.0 * CT_UNIT_ROUNDOFF * (fabs(halves) + 1.0) * jacobi.quarter;
    CHECK(near.half_periods == 0.0 && far.half_periods == halves);
    CHECK_NEAR(far.sn, near.sn, error);
    CHECK_NEAR(far.cn, near.cn, error);
    CHECK_NEAR(far.dn, near.dn, error);
    CHECK_NEAR(near.sn * near.sn + near.cn * near.cn, 1.0, 3e-15);
    CHECK_NEAR(near.dn * near.dn / (near.cn * near.cn + m1 * near.sn * near.sn), 1.0, 1e-14);
    CHECK(near.cn > 0.0 && near.dn > 0.0 && near.dn <= 1.0);
  }
}

static const check_test tests[] = {
    {"carlsons_published_values", carlsons_published_values},
    {"integrals_of_equal_arguments_are_powers", integrals_of_equal_arguments_are_powers},
    {"integrals_of_first_and_third_kind_are_quadrature",
     integrals_of_first_and_third_kind_are_quadrature},
    {"functions_invert_the_integral", functions_invert_the_integral},
    {"functions_at_the_ends_are_elementary", functions_at_the_ends_are_elementary},
    {"half_periods_are_counted", half_periods_are_counted},
};
CHECK_MAIN(tests)
