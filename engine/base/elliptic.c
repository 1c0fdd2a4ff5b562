/* Elliptic integrals by Carlson's duplication theorem (Carlson 1995); Jacobi elliptic functions
 * by Bulirsch's descending arithmetic-geometric mean (Bulirsch 1965). */
#include "base/elliptic.h"

#include "base/trigonometry.h"
#include <assert.h>

/* Duplication ends when all arguments differ from their mean by at most this fraction e. The error
 * of the series is then of the order of e^6, 3 e^6 < 1e-17. */
#define NEAR_MEAN (1.0 / 1000.0)
/* Up to this |x|, sn x = x and cn x = dn x = 1 within u. */
#define TINY_ARGUMENT 1e-9
/* Relative difference at which the arithmetic and the geometric mean count as equal: one more step
 * would square it, to less than u. */
#define MEANS_AGREE 1e-8

static double max_deviation(double mean, const double xyz[3]) {
  return ct_max2(ct_max2(fabs(mean - xyz[0]), fabs(mean - xyz[1])), fabs(mean - xyz[2]));
}

double ct_carlson_f(double x, double y, double z) {
  const double xyz[3] = {x, y, z};
  double first = (x + y + z) / 3.0, mean = first, quarter = 1.0, far = max_deviation(first, xyz);
  for (; quarter * far > NEAR_MEAN * mean; quarter *= 0.25) {
    double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), lambda = rx * ry + rx * rz + ry * rz;
    x = 0.25 * (x + lambda);
    y = 0.25 * (y + lambda);
    z = 0.25 * (z + lambda);
    mean = 0.25 * (mean + lambda);
  }
  double dx = quarter * (first - xyz[0]) / mean, dy = quarter * (first - xyz[1]) / mean,
         dz = -dx - dy;
  double e2 = dx * dy - dz * dz, e3 = dx * dy * dz;
  return (1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 * e2 * e3 / 44.0) / sqrt(mean);
}

/* Carlson's R_C(1, 1 + e) for e >= 0, that is arctan(sqrt(e)) / sqrt(e). */
static double evaluate_carlson_c(double e) {
  if (e < 1e-4) return 1.0 - e * (1.0 / 3.0 - e * (1.0 / 5.0 - e * (1.0 / 7.0)));
  double slope = sqrt(e);
  return ct_atan2(slope, 1.0) / slope;
}

/* Series of R_J in the relative deviations of the arguments from their mean. */
static double evaluate_series_j(double dx, double dy, double dz) {
  double dp = -0.5 * (dx + dy + dz), pp = dp * dp, xyz = dx * dy * dz;
  double e2 = dx * dy + dx * dz + dy * dz - 3.0 * pp, e3 = xyz + 2.0 * e2 * dp + 4.0 * pp * dp;
  double e4 = (2.0 * xyz + e2 * dp + 3.0 * pp * dp) * dp, e5 = xyz * pp;
  return 1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 - 3.0 * e4 / 22.0 -
         9.0 * e2 * e3 / 52.0 + 3.0 * e5 / 26.0;
}

double ct_carlson_j(const double xyz[3], double p, double product) {
  double x = xyz[0], y = xyz[1], z = xyz[2];
  double first = (x + y + z + 2.0 * p) / 5.0, mean = first, quarter = 1.0,
         far = ct_max2(max_deviation(first, xyz), fabs(first - p));
  double sum = 0.0;
  for (; quarter * far > NEAR_MEAN * mean; quarter *= 0.25) {
    double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), rp = sqrt(p),
           lambda = rx * ry + rx * rz + ry * rz;
    double d = (rp + rx) * (rp + ry) * (rp + rz);
    sum += quarter / d * evaluate_carlson_c(product / d / d);
    product *= 1.0 / 64.0;
    x = 0.25 * (x + lambda);
    y = 0.25 * (y + lambda);
    z = 0.25 * (z + lambda);
    p = 0.25 * (p + lambda);
    mean = 0.25 * (mean + lambda);
  }
  double scale = quarter / mean;
  double series = evaluate_series_j(scale * (first - xyz[0]), scale * (first - xyz[1]),
                                    scale * (first - xyz[2]));
  return quarter * series / (mean * sqrt(mean)) + 6.0 * sum;
}

void ct_jacobi_set(ct_jacobi *jacobi, double m1) {
  assert(m1 >= CT_JACOBI_LEAST && m1 <= 1.0);
  double a = 1.0, g = sqrt(m1);
  jacobi->root = g;
  for (int i = 0;; i++) {
    assert(i < CT_JACOBI_STEPS);
    jacobi->arithmetic[i] = a;
    jacobi->geometric[i] = g;
    double mean = 0.5 * (a + g);
    if (fabs(a - g) <= MEANS_AGREE * a) {
      jacobi->steps = i + 1;
      jacobi->mean = mean;
      jacobi->quarter = 0.5 * CT_PI / mean;
      return;
    }
    g = sqrt(a * g);
    a = mean;
  }
}

/* sn, cn and dn for |x| at most half a quarter period. */
static ct_jacobi_value evaluate_near_zero(const ct_jacobi *jacobi, double x) {
  if (fabs(x) < TINY_ARGUMENT) return (ct_jacobi_value){x, 1.0, 1.0, 0.0};
  ct_sin_cos t = ct_sin_cos_of(jacobi->mean * x);
  double a = t.cosine / t.sine, c = jacobi->mean * a, dn = 1.0;
  for (int i = jacobi->steps - 1; i >= 0; i--) {
    a *= c;
    c *= dn;
    dn = (jacobi->geometric[i] + a) / (jacobi->arithmetic[i] + a);
    a = c / jacobi->arithmetic[i];
  }
  double sn = 1.0 / sqrt(c * c + 1.0);
  if (x < 0.0) sn = -sn;
  return (ct_jacobi_value){sn, c * sn, dn, 0.0};
}

ct_jacobi_value ct_jacobi_at(const ct_jacobi *jacobi, double argument) {
  double half_periods = rint(0.5 * argument / jacobi->quarter);
  double rest = argument - half_periods * (2.0 * jacobi->quarter), size = fabs(rest);
  ct_jacobi_value v;
  if (size <= 0.5 * jacobi->quarter) {
    v = evaluate_near_zero(jacobi, rest);
  } else {
    /* Evaluated from the end of the quarter period, where cn is 0 and dn is least, so that both
     * have small relative errors. */
    ct_jacobi_value w = evaluate_near_zero(jacobi, jacobi->quarter - size);
    v.sn = rest < 0.0 ? -w.cn / w.dn : w.cn / w.dn;
    v.cn = jacobi->root * w.sn / w.dn;
    v.dn = jacobi->root / w.dn;
  }
  v.half_periods = half_periods;
  return v;
}
