/* Sine, cosine, arc tangent, angles and rotations with the same bits on every machine. Only + - * /
 * and sqrt are used, because libm differs between machines. */
#ifndef BASE_TRIGONOMETRY_H
#define BASE_TRIGONOMETRY_H

#include "base/double_double.h"

#define CT_PI 0x1.921fb54442d18p+1

/* ---- sine and cosine ------------------------------------------------------------------------- */

typedef struct ct_sin_cos {
  double sine, cosine;
} ct_sin_cos;

/* Largest permitted |angle|, rad: 2^22 quarter turns, for which the reduction by multiples of pi/2
 * is exact; several times CT_TURN_MAX. */
#define CT_TURN_ANGLE_MAX 6.5e6

/* Sine and cosine, each with relative error within 2 u. Requires |angle| <= CT_TURN_ANGLE_MAX.
 * Cost: about 60 flops. */
ct_sin_cos ct_sin_cos_of(double angle);

/* As ct_sin_cos_of, for a double-double angle: near 1e6 rad, the rounding of a double alone is an
 * error of 1e-10 rad. */
ct_sin_cos ct_sin_cos_of_dd(ct_dd angle);

/* ---- arc tangent and angles ------------------------------------------------------------------ */

/* Angle of the point (x, y) from the x axis, in [-pi, pi], as atan2(y, x); 0 for (0, 0). Relative
 * error below 16 u, without overflow or loss of digits if |x| and |y| are 0 or in 1e-300..1e300.
 * Cost: about 20 flops and three square roots.
 *
 * Three applications of tan(h/2) = tan h / (1 + sqrt(1 + tan^2 h)) reduce a slope of at most 1 to
 * below 0.0985. The error of the alternating series with 9 terms is below its tenth term, 0.0985^19
 * / 19 < 2^-66 of the angle (Leibniz). */
double ct_atan2(double y, double x);

/* Angle between two vectors, in [0, pi], with an error of a few u, also near 0 and pi; 0 if one of
 * them is zero. */
double ct_angle(ct_vec3 u, ct_vec3 v);

/* Solid angle of a triangle seen from the origin, in [-2 pi, 2 pi]. Positive if the normal (b -
 * a) x (c - a) points away from the origin. van Oosterom, Strackee 1983. */
double ct_solid_angle(ct_vec3 a, ct_vec3 b, ct_vec3 c);

/* ---- rotations ------------------------------------------------------------------------------- */

/* Returns the unit quaternion of the rotation by `angle`, rad, about a unit axis. */
ct_quat ct_turn_about(ct_vec3 axis, ct_dd angle);

/* Returns the angle of the shortest rotation from `from` to `to` (nonzero quaternions), in [0, pi]
 * with an error of 4 u pi, and sets *axis to its unit axis. Opposite quaternions are the same
 * rotation. For half a turn the first nonzero component of the axis is positive; for no rotation
 * the axis is z. */
double ct_turn_between(ct_quat from, ct_quat to, ct_vec3 *axis);

/* Returns r d - d for the rotation by the quaternion r/|r|, accurate also for small rotations. */
ct_vec3 ct_turn_change(ct_quat r, ct_vec3 d);

/* Returns the length of a vector in double-double. Requires its largest |component| to be zero or
 * in 1e-140..1e140. */
ct_dd ct_turn_rate(ct_vec3 w);

#endif
