/* Torque-free rotation of a rigid body: Euler's equations solved in closed form, at a cost
 * independent of the time.
 *
 * The angular velocity in the principal axes is proportional to Jacobi's sn, cn and dn; the
 * rotation about the angular momentum is an elliptic integral of the third kind. Jacobi 1849, Sur
 * la rotation d'un corps; Landau, Lifshitz, Mechanics, section 37; van Zon, Schofield 2007,
 * Numerical implementation of the exact dynamics of free rigid bodies. The integral is arranged so
 * that every sum has positive terms, for bodies of any proportions. The distance from the
 * separatrix (rotation about the middle axis) is computed in double-double. */
#ifndef PATH_TORQUE_FREE_ROTATION_H
#define PATH_TORQUE_FREE_ROTATION_H

#include "base/elliptic.h"
#include <contact/scene.h>

typedef struct ct_free_top_options {
  ct_quat rotation;    /* of the body at the start */
  ct_vec3 moments;     /* principal, > 0; the greatest is limited to the sum of the others */
  ct_quat orientation; /* rotation from the principal axes to the body frame */
  ct_vec3 angular;     /* angular velocity at the start, world, rad/s */
} ct_free_top_options;

/* Axes of the frame: 3 is the axis of the greatest or the least moment that the angular momentum
 * encircles, in the direction of the momentum; 2 is the axis of the middle moment; 1 the third.
 * Times are scaled by a power of two to angular velocities about 1. */
typedef struct ct_free_top {
  ct_quat start; /* frame to world, at time 0 */
  ct_quat base; /* to the world, from the frame with z along the angular momentum after the shortest
                   rotation of the body to it */
  int exponent; /* scaled time = time 2^exponent */
  ct_vec3 angular; /* amplitudes of cn, sn, dn in the scaled angular velocity */
  ct_vec3 along;   /* amplitudes of cn, sn, dn in the unit vector along the angular momentum */
  ct_jacobi jacobi;
  double rate, argument; /* argument of sn, cn, dn: argument + rate * scaled time */
  /* Angle about the angular momentum: linear * scaled time + swing J + the arc tangent of slope sn
   * cn / dn, with J the integral of sn^2 / (cn^2 + third sn^2) over the argument. product: constant
   * part of the last argument of R_J; complete: J of a quarter period. */
  double linear, swing, third, product, complete, slope;
  double squash; /* the component of the angular momentum across axis 3 has the azimuth of (squash
                    cn, side sn) */
  double side;   /* +1 or -1 */
  ct_jacobi_value first;     /* at time 0 */
  double first_swing;        /* J at time 0 */
  double first_re, first_im; /* divisor of the complex number in ct_free_top_turn */
  double spin;               /* upper bound of |angular velocity| at all times */
} ct_free_top;

/* False if the angular velocity is constant: no torque is needed, or so little that a double-double
 * does not resolve it; *top is then unchanged. */
bool ct_free_top_set(ct_free_top *top, const ct_free_top_options *options);

/* Rotation since the start, in the world, a unit quaternion to some u, and the angular velocity at
 * the time, world, rad/s. time in s. Cost: 0.5 us. */
ct_quat ct_free_top_turn(const ct_free_top *top, double time, ct_vec3 *angular);

#endif
