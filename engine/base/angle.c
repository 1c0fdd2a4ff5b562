/* Arc tangent by half-angle reduction and the alternating series (error analysis: angle.h);
 * angles and solid angles from it. */
#include "base/angle.h"

#include <contact/limits.h>

/* Number of terms of the series, and of halvings before it. */
#define ARCTANGENT_TERMS 9
#define HALVINGS 3

/* Arc tangent of a slope in [0, 1]. */
static double approximate_arctangent(double t) {
  for (int i = 0; i < HALVINGS; i++) t = t / (1.0 + sqrt(1.0 + t * t));
  double square = t * t, sum = 0.0;
  for (int k = ARCTANGENT_TERMS - 1; k > 0; k--)
    sum = square * ((k % 2 ? -1.0 : 1.0) / (2.0 * k + 1.0) + sum);
  return (double)(1 << HALVINGS) * (t + t * sum);
}

double ct_atan2(double y, double x) {
  double rise = fabs(y), run = fabs(x);
  if (rise == 0.0 && run == 0.0) return 0.0;
  double arc = rise <= run ? approximate_arctangent(rise / run)
                           : 0.5 * CT_PI - approximate_arctangent(run / rise);
  if (x < 0.0) arc = CT_PI - arc;
  return y < 0.0 ? -arc : arc;
}

double ct_angle(ct_vec3 u, ct_vec3 v) {
  const ct_vec3 zero = {0.0, 0.0, 0.0};
  u = ct_unit_or(u, zero);
  v = ct_unit_or(v, zero);
  if (ct_norm2(u) == 0.0 || ct_norm2(v) == 0.0) return 0.0;
  /* Half the angle, from the diagonals of a rhombus (Kahan 2006). */
  return 2.0 * ct_atan2(sqrt(ct_norm2(ct_sub(u, v))), sqrt(ct_norm2(ct_add(u, v))));
}

double ct_solid_angle(ct_vec3 a, ct_vec3 b, ct_vec3 c) {
  double la = ct_norm(a), lb = ct_norm(b), lc = ct_norm(c);
  double volume = ct_dot(a, ct_cross(b, c));
  double along = la * lb * lc + ct_dot(a, b) * lc + ct_dot(b, c) * la + ct_dot(c, a) * lb;
  return 2.0 * ct_atan2(volume, along);
}
