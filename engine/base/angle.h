/* Angles with the same bits on every machine: the arc tangent uses only + - * / and sqrt,
 * because libm differs between machines. */
#ifndef BASE_ANGLE_H
#define BASE_ANGLE_H

#include <contact/vec.h>

#define CT_PI 0x1.921fb54442d18p+1

/* Angle of the point (x, y) from the x axis, in [-pi, pi], as atan2(y, x); 0 for (0, 0). Relative
 * error below 16 u, without overflow or loss of digits if |x| and |y| are 0 or in 1e-300..1e300.
 * Cost: about 20 flops and three square roots.
 *
 * Three applications of tan(h/2) = tan h / (1 + sqrt(1 + tan^2 h)) reduce a slope of at most 1 to
 * below 0.0985. The error of the alternating series with 9 terms is below its tenth term, 0.0985^19
 * / 19 < 2^-66 of the angle (Leibniz).
 */
double ct_atan2(double y, double x);

/* Angle between two vectors in [0, pi], accurate to a few u also near 0 and pi; 0 if one of them
 * is zero. */
double ct_angle(ct_vec3 u, ct_vec3 v);

/* Solid angle of a triangle seen from the origin, in [-2 pi, 2 pi]. Positive if the normal (b -
 * a) x (c - a) points away from the origin. van Oosterom, Strackee 1983. */
double ct_solid_angle(ct_vec3 a, ct_vec3 b, ct_vec3 c);

#endif
