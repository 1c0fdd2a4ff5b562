/* Internals of a path. */
#ifndef PATH_PATH_H
#define PATH_PATH_H

#include "base/trigonometry.h"
#include "path/torque_free_rotation.h"
#include <contact/path.h>

struct ct_path {
  ct_path_options options; /* members that the kind does not use are zero */
  ct_vec3 arm;             /* from the body's origin to the pivot at the start, world */
  ct_vec3 rate;            /* of the pivot at the start: per s; INTERPOLATED: per duration */
  ct_free_top *top; /* owned; NULL: the angular velocity is constant, and the next members define
                       the rotation */
  ct_vec3 axis;     /* unit, world; z without rotation */
  ct_dd angle_rate; /* rad per 2^-rate_exponent s; INTERPOLATED: per duration */
  int rate_exponent;
  double spin; /* bound on |angular velocity|, rad/s */
};

#endif
