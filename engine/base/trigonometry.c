/* Sine and cosine: double-double reduction by multiples of pi/2 (Cody, Waite 1980), then Taylor
 * series up to pi/4. Rotations and their differences from them. Arc tangent: half-angle reduction
 * and the alternating series (error analysis: trigonometry.h); angles and solid angles from it. */
#include "base/trigonometry.h"
#include <contact/limits.h>

#include <assert.h>

/* pi/2 = QUARTER_1 + QUARTER_2 + QUARTER_3 + QUARTER_REST. The first three have 31 bits, so that
 * their products with integers up to 2^22 are exact. */
#define QUARTER_1 0x1.921fb544p+0
#define QUARTER_2 0x1.0b4611a4p-34
#define QUARTER_3 0x1.13198a2cp-65
#define QUARTER_REST 0x1.01b839a25204ap-96
/* 2/pi */
#define QUARTERS_PER_RADIAN 0x1.45f306dc9c883p-1

/* Coefficients 1/n! of the series, with their signs. For angles up to pi/4 the first omitted term
 * is below 1e-18 of the sum. */
static const double sine_terms[] = {
    -1.0 / 6.0,        1.0 / 120.0,        -1.0 / 5040.0,          1.0 / 362880.0,
    -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
static const double cosine_terms[] = {
    1.0 / 24.0,        -1.0 / 720.0,         1.0 / 40320.0,          -1.0 / 3628800.0,
    1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0, -1.0 / 6402373705728000.0};
#define TERMS 8

static double evaluate_polynomial(const double *terms, double square) {
  double sum = terms[TERMS - 1];
  for (int i = TERMS - 2; i >= 0; i--) sum = terms[i] + square * sum;
  return sum;
}

/* Returns x - k pi/2. The first difference is exact, because both terms are close to each other and
 * multiples of the last bit of the finer one. */
static ct_dd subtract_quarter_turns(ct_dd x, double k) {
  ct_dd s = ct_two_sum(x.high - k * QUARTER_1, -(k * QUARTER_2));
  ct_dd t = ct_two_sum(s.high, -(k * QUARTER_3));
  ct_dd v = ct_two_sum(t.high, x.low);
  return ct_fast_two_sum(v.high, v.low + (s.low + (t.low - k * QUARTER_REST)));
}

/* Sine and cosine of an angle of at most pi/4. The largest term is added last, so that only its
 * rounding affects the result. */
static ct_sin_cos evaluate_sin_cos(ct_dd r) {
  double x = r.high, square = x * x, half = 0.5 * square;
  double cosine = 1.0 - half;
  return (ct_sin_cos){
      x + (x * square * evaluate_polynomial(sine_terms, square) + r.low * cosine),
      cosine + (((1.0 - cosine) - half) +
                (square * square * evaluate_polynomial(cosine_terms, square) - x * r.low))};
}

ct_sin_cos ct_sin_cos_of_dd(ct_dd angle) {
  assert(fabs(angle.high) <= CT_TURN_ANGLE_MAX);
  double k = rint(angle.high * QUARTERS_PER_RADIAN);
  ct_sin_cos t = evaluate_sin_cos(k == 0.0 ? angle : subtract_quarter_turns(angle, k));
  switch ((int)k & 3) {
  case 0: return t;
  case 1: return (ct_sin_cos){t.cosine, -t.sine};
  case 2: return (ct_sin_cos){-t.sine, -t.cosine};
  default: return (ct_sin_cos){-t.cosine, t.sine};
  }
}

ct_sin_cos ct_sin_cos_of(double angle) { return ct_sin_cos_of_dd(ct_dd_of(angle)); }

ct_quat ct_turn_about(ct_vec3 axis, ct_dd angle) {
  ct_sin_cos t = ct_sin_cos_of_dd((ct_dd){0.5 * angle.high, 0.5 * angle.low});
  return (ct_quat){t.sine * axis.x, t.sine * axis.y, t.sine * axis.z, t.cosine};
}

/* True if the first nonzero coordinate is negative. */
static bool is_lexicographically_negative(ct_vec3 v) {
  return v.x < 0.0 || (v.x == 0.0 && (v.y < 0.0 || (v.y == 0.0 && v.z < 0.0)));
}

double ct_turn_between(ct_quat from, ct_quat to, ct_vec3 *axis) {
  ct_quat q = ct_quat_mul(to, (ct_quat){-from.x, -from.y, -from.z, from.w});
  ct_vec3 v = {q.x, q.y, q.z};
  if (q.w < 0.0 || (q.w == 0.0 && is_lexicographically_negative(v))) {
    v = ct_neg(v);
    q.w = -q.w;
  }
  *axis = ct_unit_or(v, ct_vec(0.0, 0.0, 1.0));
  double across = ct_norm(v), half = ct_atan2(across, q.w);
  /* The arc is accurate to 16 u; one step of Newton's method reduces the error to a few u. */
  double length = ct_norm(ct_vec(across, q.w, 0.0));
  ct_sin_cos t = ct_sin_cos_of(half);
  half += (across / length) * t.cosine - (q.w / length) * t.sine;
  return ct_min2(2.0 * half, CT_PI);
}

ct_vec3 ct_turn_change(ct_quat r, ct_vec3 d) {
  ct_vec3 v = {r.x, r.y, r.z}, across = ct_cross(v, d);
  double s = 2.0 / (r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
  return ct_scale(ct_add_scaled(ct_cross(v, across), across, r.w), s);
}

ct_dd ct_turn_rate(ct_vec3 w) {
  ct_dd3 exact = ct_dd3_of(w);
  ct_dd square = ct_dd3_dot(&exact, &exact);
  if (square.high == 0.0) return ct_dd_of(0.0);
  double root = sqrt(square.high);
  ct_dd rest = ct_dd_add(square, ct_dd_neg(ct_two_product(root, root)));
  return ct_fast_two_sum(root, rest.high / (2.0 * root));
}

/* ---- arc tangent and angles ----------------------------------------------------------------- */

/* Number of terms of the series, and number of halvings of the angle before it. */
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
  /* Half of the angle is computed from the diagonals of a rhombus (Kahan 2006). */
  return 2.0 * ct_atan2(sqrt(ct_norm2(ct_sub(u, v))), sqrt(ct_norm2(ct_add(u, v))));
}

double ct_solid_angle(ct_vec3 a, ct_vec3 b, ct_vec3 c) {
  double la = ct_norm(a), lb = ct_norm(b), lc = ct_norm(c);
  double volume = ct_dot(a, ct_cross(b, c));
  double along = la * lb * lc + ct_dot(a, b) * lc + ct_dot(b, c) * la + ct_dot(c, a) * lb;
  return 2.0 * ct_atan2(volume, along);
}
