/* Sine and cosine with the same bits on every machine, and quaternions from them. Only + - * /
 * are used, because libm differs between machines. */
#ifndef BASE_SIN_COS_H
#define BASE_SIN_COS_H

#include "base/double_double.h"

typedef struct ct_sin_cos {
  double sine, cosine;
} ct_sin_cos;

/* Largest |angle|, rad: 2^22 quarter turns, the range of the parts of pi/2; several times
 * CT_TURN_MAX. */
#define CT_TURN_ANGLE_MAX 6.5e6

/* Sine and cosine, each with relative error within 2 u. Requires |angle| <= CT_TURN_ANGLE_MAX.
 * Cost: about 60 flops. */
ct_sin_cos ct_sin_cos_of(double angle);

/* As ct_sin_cos_of, for a double-double angle: at 1e6 rad a double alone errs by 1e-10 rad. */
ct_sin_cos ct_sin_cos_of_dd(ct_dd angle);

/* Unit quaternion of the rotation by an angle about a unit axis. */
ct_quat ct_turn_about(ct_vec3 axis, ct_dd angle);

/* Shortest rotation from `from` to `to` (nonzero quaternions): its angle in [0, pi], accurate to
 * 4 u of pi, and its unit *axis. Opposite quaternions are one rotation. For half a turn the
 * first nonzero coordinate of the axis is positive; no turn has axis z. */
double ct_turn_between(ct_quat from, ct_quat to, ct_vec3 *axis);

/* r d - d for the rotation r/|r|, accurate for small rotations. */
ct_vec3 ct_turn_change(ct_quat r, ct_vec3 d);

/* Length of a vector in double-double. Requires its largest coordinate in 1e-140..1e140, or
 * zero. */
ct_dd ct_turn_rate(ct_vec3 w);

#endif
