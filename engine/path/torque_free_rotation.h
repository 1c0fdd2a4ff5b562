/* Torque-free rotation of a rigid body: Euler's equations solved in closed form, so that any time
 * costs the same.
 *
 * The angular velocity in the principal axes goes as Jacobi's sn, cn and dn; the turn about the
 * angular momentum is an elliptic integral of the third kind. Jacobi 1849, Sur la rotation d'un
 * corps; Landau, Lifshitz, Mechanics, section 37; van Zon, Schofield 2007, Numerical implementation
 * of the exact dynamics of free rigid bodies. Here the integral is put such that every sum is one
 * of positive terms, in bodies of any proportions, and the distance from the motion that never
 * comes back (about the middle axis) is found in double-double.
 */
#ifndef PATH_TORQUE_FREE_ROTATION_H
#define PATH_TORQUE_FREE_ROTATION_H

#include "base/elliptic.h"
#include <contact/scene.h>

typedef struct ct_free_top_options {
  ct_quat rotation;    /* of the body at the start */
  ct_vec3 moments;     /* principal, > 0; the greatest counts as the sum of the others at most */
  ct_quat orientation; /* of the principal axes in the body */
  ct_vec3 angular;     /* velocity at the start, world, rad/s */
} ct_free_top_options;

/* Axes of the frame: 3 is the axis of the greatest or the least moment that the angular momentum
 * circles around, taken on its side; 2 that of the middle moment; 1 the third. Times are scaled by
 * a power of two to angular velocities about 1. */
typedef struct ct_free_top {
  ct_quat start;   /* frame to world, at time 0 */
  ct_quat base;    /* from the frame with z along the angular momentum, body turned there by the
                      shortest way, to the world */
  int exponent;    /* scaled time = time 2^exponent */
  ct_vec3 angular; /* amplitudes of cn, sn, dn in the angular velocity, scaled */
  ct_vec3 along;   /* the same, of the unit vector along the angular momentum */
  ct_jacobi jacobi;
  double rate, argument; /* of sn, cn, dn: argument + rate * scaled time */
  /* Turn about the angular momentum: linear * scaled time + swing J + the arc tangent of slope sn
   * cn / dn, where J is the integral of sn^2 / (cn^2 + third sn^2) by the argument, product the
   * constant part of R_J's, complete J of a quarter period. */
  double linear, swing, third, product, complete, slope;
  double squash; /* the angular momentum across axis 3 has the azimuth of (squash cn, side sn) */
  double side;   /* +1 or -1 */
  ct_jacobi_value first;     /* at time 0 */
  double first_swing;        /* J there */
  double first_re, first_im; /* what ct_free_top_turn divides by */
  double spin;               /* largest |angular velocity| ever reached, rounded up */
} ct_free_top;

/* False where the angular velocity is constant: no torque is needed, or so little that a
 * double-double does not tell; *top is then untouched. */
bool ct_free_top_set(ct_free_top *top, const ct_free_top_options *options);

/* Rotation since the start, in the world, unit to some u; angular velocity there, world, rad/s.
 * time in s. Cost: half a microsecond. */
ct_quat ct_free_top_turn(const ct_free_top *top, double time, ct_vec3 *angular);

#endif
