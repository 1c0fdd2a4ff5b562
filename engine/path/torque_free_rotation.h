/* Torque-free rotation of a rigid body: Euler's equations solved in closed form, at a cost that
 * does not depend on the time.
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
  ct_quat rotation;    /* of the body at the start, to the world */
  ct_vec3 moments;     /* principal moments of inertia, > 0; if the greatest exceeds the sum of the
                          others, this sum is used */
  ct_quat orientation; /* rotation from the principal axes to the body frame */
  ct_vec3 angular;     /* angular velocity at the start, world, rad/s */
} ct_free_top_options;

/* A torque-free rotation in a frame of principal axes. Axis 3 is the axis of the greatest or the
 * least moment, whichever the angular momentum encircles, in the direction of the momentum; axis 2
 * that of the middle moment; axis 1 the remaining one. Times are scaled by a power of two so that
 * angular velocities are of the order of 1. Symbols as at the head of torque_free_rotation.c. */
typedef struct ct_free_top {
  ct_quat start;   /* rotation from the frame to the world at time 0 */
  ct_quat base;    /* rotation to the world from a frame with z along the angular momentum: `start`
                      after the inverse of the shortest rotation that moves the angular momentum to
                      z */
  int exponent;    /* scaled time = time * 2^exponent */
  ct_vec3 angular; /* amplitudes: the scaled angular velocity in the frame is (x cn, y sn, z dn) */
  ct_vec3 along;   /* amplitudes: the unit vector along the angular momentum in the frame is (x cn,
                      y sn, z dn) */
  ct_jacobi jacobi;
  double rate, argument; /* the argument of sn, cn, dn is argument + rate * scaled time */
  /* The angle about the angular momentum is linear * (scaled time) + swing J + arctan(slope sn cn /
   * dn), where J is the integral of sn^2 / (cn^2 + third sn^2) over the argument. product: constant
   * factor of the last argument of Carlson's R_J, which computes J; complete: J of a quarter
   * period. */
  double linear, swing, third, product, complete, slope;
  double squash; /* the component of the angular momentum perpendicular to axis 3 has the direction
                    of (squash cn, side sn) in the plane of axes 1 and 2 */
  double side;   /* +1 if axis 3 has the greatest moment, -1 if the least */
  ct_jacobi_value first;     /* sn, cn, dn at time 0 */
  double first_swing;        /* J at time 0 */
  double first_re, first_im; /* value of compute_azimuth at time 0, by which later values are
                                divided */
  double spin;               /* upper bound of |angular velocity| at all times, rad/s */
} ct_free_top;

/* Prepares *top. False: the angular velocity is constant, as no torque is needed, or so little that
 * a double-double does not resolve it; *top is then unchanged. */
bool ct_free_top_set(ct_free_top *top, const ct_free_top_options *options);

/* Returns the rotation since the start, in world axes, a unit quaternion to a few u, and in
 * *angular the angular velocity at that time, world, rad/s. `time` in s. Cost: 0.5 us. */
ct_quat ct_free_top_turn(const ct_free_top *top, double time, ct_vec3 *angular);

#endif
