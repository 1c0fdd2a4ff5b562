/* Torque-free rotation of a rigid body. Letters, in the axes of the frame: moments I1, I2, I3,
 * angular velocity w, angular momentum L, kinetic energy T, and
 *
 * D = |2 T I3 - L^2| = I1 |I3 - I1| w1^2 + I2 |I3 - I2| w2^2,
 *
 * E = |L^2 - 2 T I1| = I2 |I2 - I1| w2^2 + I3 |I3 - I1| w3^2.
 *
 * The motion is w1 ~ cn, w2 ~ sn, w3 ~ dn of parameter m = |I2 - I1| D / (|I3 - I2| E). The angle
 * phi about L has the rate
 *
 * phi' = (L/I1) (1 + a sn^2) / (1 + n sn^2), a = (I2 - I1)/(I3 - I2), n = a I3/I1.
 *
 * If I1 > I3: phi = L t/I1 + (L/I1) a (1 - I3/I1) [integral of sn^2/(1 + n sn^2)].
 *
 * If I1 < I3, that formula would be a difference. Instead
 *
 * phi' = L/I3 + (L/I1 - L/I3)/(1 + n sn^2),
 *
 * and Abramowitz, Stegun 17.7.15 transforms the integral into one with N = (m + n)/(1 + n) in 0..1,
 * an arc tangent and a linear term, all positive; the factor of the arc tangent is 1. */
#include "path/torque_free_rotation.h"

#include "base/trigonometry.h"

#include <assert.h>

/* Least moment as a fraction of the greatest; smaller ones are increased to it (eigenvalues of a
 * needle's inertia may have a greater error). Values that contain its inverse are then at most
 * 1e116, with a finite square. */
#define MOMENT_PART_MIN 1e-100
/* Least angular acceleration, for angular velocities of the order of 1, that double-double
 * distinguishes from round-off. */
#define ACCELERATION_MIN 1e-30
/* Bound of the relative round-off of the greatest angular velocity: some twenty operations with
 * positive terms, and that of the motion itself. */
#define SPIN_ALLOWANCE 1e-12

/* Moments of inertia and angular velocity in the frame of ct_free_top, at the start. */
typedef struct frame_state {
  double i1, i2, i3;
  ct_dd w1, w2, w3;
} frame_state;

/* ---- frame ----------------------------------------------------------------------------------- */

static ct_dd3 dd3_add_scaled(const ct_dd3 *a, const ct_dd3 *b, ct_dd s) {
  return (ct_dd3){ct_dd_add(a->x, ct_dd_mul(s, b->x)), ct_dd_add(a->y, ct_dd_mul(s, b->y)),
                  ct_dd_add(a->z, ct_dd_mul(s, b->z))};
}

/* Rotates v by the inverse of the rotation q / |q|, in double-double. */
static ct_dd3 rotate_back(ct_quat q, ct_dd3 v) {
  ct_dd3 axis = ct_dd3_of(ct_vec(-q.x, -q.y, -q.z)), across = ct_dd3_cross(&axis, &v),
         twice = ct_dd3_cross(&axis, &across);
  ct_dd square = ct_dd_add(ct_dd3_dot(&axis, &axis), ct_two_product(q.w, q.w));
  ct_dd3 change = dd3_add_scaled(&twice, &across, ct_dd_of(q.w));
  return dd3_add_scaled(&v, &change, ct_dd_div(ct_dd_of(2.0), square));
}

/* Returns the quaternion of a rotation matrix, given by columns: Shepperd 1978, by the largest
 * component. */
static ct_quat quat_of_columns(double c[3][3]) {
  double trace = c[0][0] + c[1][1] + c[2][2];
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (c[i][i] > c[k][k]) k = i;
  if (trace >= c[k][k]) {
    double s = 0.5 / sqrt(1.0 + trace);
    return (ct_quat){s * (c[1][2] - c[2][1]), s * (c[2][0] - c[0][2]), s * (c[0][1] - c[1][0]),
                     0.25 / s};
  }
  int i = (k + 1) % 3, j = (k + 2) % 3;
  double s = 0.5 / sqrt(1.0 + c[k][k] - c[i][i] - c[j][j]), v[3];
  v[k] = 0.25 / s;
  v[i] = s * (c[k][i] + c[i][k]);
  v[j] = s * (c[k][j] + c[j][k]);
  return (ct_quat){v[0], v[1], v[2], s * (c[i][j] - c[j][i])};
}

/* Returns i (i - j) w^2, a term of D or E (head of this file). */
static ct_dd separatrix_term(double i, double j, ct_dd w) {
  return ct_dd_mul(ct_dd_mul(ct_dd_of(i), ct_two_sum(i, -j)), ct_dd_mul(w, w));
}

static double spin_of(const double moments[3], const ct_dd w[3]) {
  double i1 = moments[0], i2 = moments[1], i3 = moments[2];
  double w1 = ct_dd_value(w[0]), w2 = ct_dd_value(w[1]), w3 = ct_dd_value(w[2]);
  /* State at w2 = 0, which occurs once in every half period: energy and momentum determine w1 and
   * w3 there. */
  double across = i3 > i1 ? i2 * w2 * w2 / (i3 - i1) : 0.0;
  double top = w1 * w1 + across * ((i3 - i2) / i1) + (w3 * w3 + across * ((i2 - i1) / i3));
  if (i3 == i1) top += w2 * w2;
  return sqrt(top) * (1.0 + SPIN_ALLOWANCE);
}

/* Sorts the principal axes, chooses the one that the angular momentum encircles, and transforms
 * angular velocity and rotation to the frame of ct_free_top. *beyond: distance from the separatrix,
 * in the units of separatrix_term. */
static frame_state set_frame(ct_free_top *top, const ct_free_top_options *options, double *beyond) {
  int exponent, part;
  (void)frexp(ct_max_abs(options->angular), &exponent);
  (void)frexp(ct_max_abs(options->moments), &part);
  ct_vec3 scaled = {ldexp(options->angular.x, -exponent), ldexp(options->angular.y, -exponent),
                    ldexp(options->angular.z, -exponent)};
  ct_dd3 body =
      rotate_back(options->orientation, rotate_back(options->rotation, ct_dd3_of(scaled)));
  /* Scale by powers of two, which keeps the differences of the moments exact. */
  const double given[3] = {ldexp(options->moments.x, -part), ldexp(options->moments.y, -part),
                           ldexp(options->moments.z, -part)};
  const ct_dd components[3] = {body.x, body.y, body.z};
  int order[3] = {0, 1, 2};
  for (int i = 1; i < 3; i++)
    for (int k = i; k > 0 && given[order[k]] < given[order[k - 1]]; k--) {
      int swapped = order[k];
      order[k] = order[k - 1];
      order[k - 1] = swapped;
    }
  double moments[3];
  ct_dd w[3];
  for (int i = 0; i < 3; i++) {
    moments[i] = ct_max2(given[order[i]], MOMENT_PART_MIN);
    w[i] = components[order[i]];
  }
  moments[2] = ct_min2(moments[2], moments[0] + moments[1]);
  assert(!(moments[0] > moments[1] || moments[1] > moments[2]));
  double greatest = ct_dd_value(ct_dd_add(separatrix_term(moments[2], moments[1], w[2]),
                                          separatrix_term(moments[0], moments[1], w[0])));
  int near = greatest >= 0.0 ? 2 : 0, far = 2 - near;
  *beyond = fabs(greatest);
  double sign = w[near].high < 0.0 ? -1.0 : 1.0;
  bool even = (order[far] + 1) % 3 == order[1];
  double middle = even ? sign : -sign;

  double columns[3][3] = {{0.0}};
  columns[0][order[far]] = 1.0;
  columns[1][order[1]] = middle;
  columns[2][order[near]] = sign;
  ct_quat start =
      ct_quat_mul(ct_quat_mul(options->rotation, options->orientation), quat_of_columns(columns));
  double n = sqrt(start.x * start.x + start.y * start.y + start.z * start.z + start.w * start.w);
  top->start = (ct_quat){start.x / n, start.y / n, start.z / n, start.w / n};
  top->exponent = exponent;
  top->side = near == 2 ? 1.0 : -1.0;
  top->spin = ldexp(spin_of(moments, w), exponent);
  return (frame_state){moments[far],
                       moments[1],
                       moments[near],
                       w[far],
                       ct_dd_mul(w[1], ct_dd_of(middle)),
                       ct_dd_mul(w[near], ct_dd_of(sign))};
}

static bool is_steady(const frame_state *s) {
  double w1 = s->w1.high, w2 = s->w2.high, w3 = s->w3.high;
  double a1 = (s->i2 - s->i3) * w2 * w3 / s->i1, a2 = (s->i3 - s->i1) * w3 * w1 / s->i2,
         a3 = (s->i1 - s->i2) * w1 * w2 / s->i3;
  return ct_max_abs(ct_vec(a1, a2, a3)) < ACCELERATION_MIN;
}

/* ---- elliptic integrals ---------------------------------------------------------------------- */

/* Returns the integral J from 0 to an argument within a quarter period of 0 that has the values
 * *v. */
static double integrate_from_zero(const ct_free_top *top, const ct_jacobi_value *v) {
  double s2 = v->sn * v->sn, c2 = v->cn * v->cn;
  const double xyz[3] = {c2, v->dn * v->dn, 1.0};
  return v->sn * s2 / 3.0 * ct_carlson_j(xyz, c2 + top->third * s2, s2 * s2 * s2 * top->product);
}

/* Sets sn, cn, dn at the start, the rate and the initial value of their argument, and the
 * amplitudes. */
static void set_motion(ct_free_top *top, const frame_state *s, double root_d, double root_e) {
  double w1 = ct_dd_value(s->w1), w2 = ct_dd_value(s->w2);
  double d13 = fabs(s->i3 - s->i1), d23 = fabs(s->i3 - s->i2);
  double cn = sqrt(s->i1 * d13) * w1 / root_d, sn = top->side * sqrt(s->i2 * d23) * w2 / root_d;
  double dn = sqrt(cn * cn + top->jacobi.root * top->jacobi.root * sn * sn);
  top->rate = root_e * sqrt(d23 / (s->i1 * s->i2 * s->i3));
  top->argument = sn * ct_carlson_f(cn * cn, dn * dn, 1.0);
  if (cn < 0.0) top->argument = (sn < 0.0 ? -2.0 : 2.0) * top->jacobi.quarter - top->argument;
  top->angular = ct_vec(root_d / sqrt(s->i1 * d13), top->side * root_d / sqrt(s->i2 * d23),
                        root_e / sqrt(s->i3 * d13));
  ct_vec3 momentum = {s->i1 * top->angular.x, s->i2 * top->angular.y, s->i3 * top->angular.z};
  double size = ct_norm(ct_vec(s->i1 * w1, s->i2 * w2, s->i3 * ct_dd_value(s->w3)));
  top->along = ct_vec(momentum.x / size, momentum.y / size, momentum.z / size);
}

/* Sets the coefficients of the rotation about the angular momentum. g = D / E (head of this
 * file). */
static void set_turn(ct_free_top *top, const frame_state *s, double g) {
  /* Parameters m, a, n of the head of this file; h = I3 / I1, one_more = 1 + n. */
  double m1 = top->jacobi.root * top->jacobi.root, h = s->i3 / s->i1, d23 = fabs(s->i3 - s->i2);
  double a = fabs(s->i2 - s->i1) / d23, n = a * h,
         one_more = s->i2 * fabs(s->i3 - s->i1) / (s->i1 * d23);
  double size = ct_norm(
      ct_vec(s->i1 * ct_dd_value(s->w1), s->i2 * ct_dd_value(s->w2), s->i3 * ct_dd_value(s->w3)));
  top->squash = 1.0 / sqrt(one_more);
  /* I1 > I3: a linear term and a positive integral. */
  if (top->side < 0.0) {
    top->linear = size / s->i1;
    top->swing = top->linear / top->rate * a * (1.0 - h);
    top->slope = 0.0;
    top->third = one_more;
    top->product = one_more * (n + a * g) * n;
  } else {
    /* I1 < I3: the transformed integral, with an arc tangent. */
    double part = a * (g + h) / one_more, factor = m1 * sqrt(h / (one_more * (g + h)));
    top->linear = size / s->i3 + top->rate * (g * sqrt(one_more / (h * (g + h))) + factor);
    top->swing = factor * part;
    top->slope = a * sqrt(h * (g + h) / one_more);
    top->third = m1 / one_more;
    top->product = top->third * (m1 * n / one_more) * part;
  }
  const double quarter[3] = {0.0, m1, 1.0};
  top->complete = ct_carlson_j(quarter, top->third, top->product) / 3.0;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static bool is_odd(double half_periods) {
  return fabs(half_periods - 2.0 * rint(0.5 * half_periods)) == 1.0;
}

/* Computes the part of the rotation about the angular momentum that results from arc tangents, as a
 * unit complex number: the arc tangent of the integral minus the azimuth of the angular
 * momentum. */
static void compute_azimuth(const ct_free_top *top, const ct_jacobi_value *v, double *re,
                            double *im) {
  ct_vec3 p = ct_unit_or(ct_vec(v->dn, top->slope * v->sn * v->cn, 0.0), ct_vec(1.0, 0.0, 0.0));
  ct_vec3 q =
      ct_unit_or(ct_vec(top->squash * v->cn, top->side * v->sn, 0.0), ct_vec(1.0, 0.0, 0.0));
  double sign = is_odd(v->half_periods) ? -1.0 : 1.0;
  *re = sign * (p.x * q.x + p.y * q.y);
  *im = sign * (p.y * q.x - p.x * q.y);
}

/* Returns the vector (x cn, y sn, z dn) in the frame for the amplitudes (x, y, z). */
static ct_vec3 scale_by_amplitudes(ct_vec3 amplitude, const ct_jacobi_value *v) {
  double sign = is_odd(v->half_periods) ? -1.0 : 1.0;
  return ct_vec(sign * v->cn * amplitude.x, sign * v->sn * amplitude.y, v->dn * amplitude.z);
}

/* Returns the shortest rotation from a unit vector with z >= 0 to the z axis. */
static ct_quat rotation_to_z(ct_vec3 l) {
  l = ct_unit_or(l, ct_vec(0.0, 0.0, 1.0));
  double s = 1.0 / sqrt(2.0 + 2.0 * l.z);
  return (ct_quat){s * l.y, -s * l.x, 0.0, s * (1.0 + l.z)};
}

/* Returns the rotation about z by the angle of a unit complex number. */
static ct_quat rotation_about_z(double re, double im) {
  if (re >= 0.0) {
    double w = sqrt(0.5 * (1.0 + re));
    return (ct_quat){0.0, 0.0, 0.5 * im / w, w};
  }
  double z = sqrt(0.5 * (1.0 - re));
  return (ct_quat){0.0, 0.0, z, 0.5 * im / z};
}

static ct_quat conjugate_quat(ct_quat q) { return (ct_quat){-q.x, -q.y, -q.z, q.w}; }

bool ct_free_top_set(ct_free_top *out, const ct_free_top_options *options) {
  ct_free_top top;
  double beyond;
  frame_state s = set_frame(&top, options, &beyond);
  if (is_steady(&s)) return false;
  double w1 = ct_dd_value(s.w1), w2 = ct_dd_value(s.w2), w3 = ct_dd_value(s.w3);
  double d12 = fabs(s.i2 - s.i1), d13 = fabs(s.i3 - s.i1), d23 = fabs(s.i3 - s.i2);
  double root_d = ct_norm(ct_vec(sqrt(s.i1 * d13) * w1, sqrt(s.i2 * d23) * w2, 0.0));
  double root_e = ct_norm(ct_vec(sqrt(s.i2 * d12) * w2, sqrt(s.i3 * d13) * w3, 0.0));
  double g = (root_d / root_e) * (root_d / root_e), m1 = d13 * beyond / d23 / (root_e * root_e);
  ct_jacobi_set(&top.jacobi, ct_min2(ct_max2(m1, CT_JACOBI_LEAST), 1.0));
  set_motion(&top, &s, root_d, root_e);
  set_turn(&top, &s, g);
  top.first = ct_jacobi_at(&top.jacobi, top.argument);
  top.first_swing = integrate_from_zero(&top, &top.first);
  compute_azimuth(&top, &top.first, &top.first_re, &top.first_im);
  top.base = ct_quat_mul(top.start,
                         conjugate_quat(rotation_to_z(scale_by_amplitudes(top.along, &top.first))));
  *out = top;
  return true;
}

ct_quat ct_free_top_turn(const ct_free_top *top, double time, ct_vec3 *angular) {
  double t = ldexp(time, top->exponent);
  ct_jacobi_value v = ct_jacobi_at(&top->jacobi, top->argument + top->rate * t);
  double swing = 0.0;
  if (top->swing > 0.0)
    swing = top->swing * (2.0 * top->complete * (v.half_periods - top->first.half_periods) +
                          (integrate_from_zero(top, &v) - top->first_swing));
  ct_sin_cos turn = ct_sin_cos_of_dd(ct_dd_add(ct_two_product(top->linear, t), ct_dd_of(swing)));
  double re, im;
  compute_azimuth(top, &v, &re, &im);
  double part_re = re * top->first_re + im * top->first_im,
         part_im = im * top->first_re - re * top->first_im;
  re = part_re * turn.cosine - part_im * turn.sine;
  im = part_re * turn.sine + part_im * turn.cosine;
  ct_quat frame = ct_quat_mul(ct_quat_mul(top->base, rotation_about_z(re, im)),
                              rotation_to_z(scale_by_amplitudes(top->along, &v)));
  ct_vec3 w = ct_mat_mul(ct_quat_matrix(frame), scale_by_amplitudes(top->angular, &v));
  *angular =
      ct_vec(ldexp(w.x, top->exponent), ldexp(w.y, top->exponent), ldexp(w.z, top->exponent));
  return ct_quat_mul(frame, conjugate_quat(top->start));
}
