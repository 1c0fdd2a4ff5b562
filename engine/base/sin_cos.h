/* Sine and cosine, to the same bits everywhere: by + - * / alone, since those of libm differ between machines. And the quaternions
 * made of them.
 */
#ifndef BASE_SIN_COS_H
#define BASE_SIN_COS_H

#include "base/double_double.h"

typedef struct ct_sin_cos {
  double sine, cosine;
} ct_sin_cos;

/* Largest |angle|, rad: 2^22 quarter turns, which the parts of pi/2 are cut for; several times CT_TURN_MAX. */
#define CT_TURN_ANGLE_MAX 6.5e6

/* Sine and cosine of an angle of at most CT_TURN_ANGLE_MAX, each within 2 u of the truth, relative. Cost: some 60 flops. */
ct_sin_cos ct_sin_cos_of(double angle);

/* The same of an angle known to twice the digits: at 1e6 rad a double alone is off by 1e-10 rad. */
ct_sin_cos ct_sin_cos_of_dd(ct_dd angle);

/* The rotation by an angle about a unit vector. */
ct_quat ct_turn_about(ct_vec3 axis, ct_dd angle);

/* The shortest rotation that takes `from` to `to`, any lengths but zero, about *axis (unit), by at most pi; the angle is right to
 * 4 u of pi. Opposite quaternions are one rotation. Half a turn goes about the axis whose first coordinate that is not zero is
 * positive; no turn has axis z. */
double ct_turn_between(ct_quat from, ct_quat to, ct_vec3 *axis);

/* r d - d for the rotation of r/|r|: keeps its digits where r is small. */
ct_vec3 ct_turn_change(ct_quat r, ct_vec3 d);

/* Length of a vector, to twice the digits, whose largest coordinate is within 1e-140..1e140; zero for zero. */
ct_dd ct_turn_rate(ct_vec3 w);

#endif
