/* Angles, to the same bits everywhere: the arc tangent by + - * / and sqrt alone, since those of libm differ between machines.
 */
#ifndef BASE_ANGLE_H
#define BASE_ANGLE_H

#include <contact/vec.h>

#define CT_PI 0x1.921fb54442d18p+1

/* The angle in [-pi, pi] of the point (x, y) from the x axis, as atan2(y, x); 0 for (0, 0). Relative error below 16 u. Neither
 * overflows nor loses digits where |x| and |y| are 0 or within 1e-300..1e300. Cost: some 20 flops, three square roots.
 *
 * Three times the half-angle formula tan(h/2) = tan h / (1 + sqrt(1 + tan^2 h)) brings a slope of at most 1 to below 0.0985; there
 * the alternating series with 9 terms is off by less than its tenth, 0.0985^19 / 19 < 2^-66 of the angle (Leibniz). */
double ct_atan2(double y, double x);

/* Angle between two vectors in [0, pi]: right to some u where it is small or almost pi too; 0 where one of them is zero. */
double ct_angle(ct_vec3 u, ct_vec3 v);

/* Solid angle in [-2 pi, 2 pi] of a triangle seen from the origin, positive where a, b, c run counter-clockwise as seen from far
 * beyond the triangle: where its normal (b - a) x (c - a) points away from the origin. van Oosterom, Strackee 1983. */
double ct_solid_angle(ct_vec3 a, ct_vec3 b, ct_vec3 c);

#endif
