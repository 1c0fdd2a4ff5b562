/* Internal representation of a path. */
#ifndef PATH_PATH_H
#define PATH_PATH_H

#include "base/trigonometry.h"
#include "path/torque_free_rotation.h"
#include <contact/path.h>

struct ct_path {
  ct_path_options options; /* copy; members that the kind does not use are zero */
  ct_vec3 arm;             /* vector from the body's origin to the pivot at the start, world, m */
  ct_vec3 rate;            /* velocity of the pivot at the start, m/s; for INTERPOLATED: its
                              displacement over the whole duration, m */
  ct_free_top *top; /* rotation of a free rigid body, owned; NULL: the angular velocity is constant,
                       and axis, angle_rate and rate_exponent define the rotation */
  ct_vec3 axis;     /* unit rotation axis, world; z if there is no rotation */
  ct_dd angle_rate; /* angle, rad, per 2^-rate_exponent s; for INTERPOLATED: over the whole
                       duration */
  int rate_exponent;
  double spin; /* upper bound of |angular velocity|, rad/s */
};

#endif
