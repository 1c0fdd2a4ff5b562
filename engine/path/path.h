/* What a path is made of. */
#ifndef PATH_PATH_H
#define PATH_PATH_H

#include "base/trigonometry.h"
#include "path/torque_free_rotation.h"
#include <contact/path.h>

struct ct_path {
  ct_path_options options; /* what the kind does not use: zero */
  ct_vec3 arm;             /* from the body's origin to the pivot at the start, world */
  ct_vec3 rate; /* of the pivot at the start: per s; INTERPOLATED: in the whole duration */
  ct_free_top
      *top;     /* owned; NULL: the angular velocity is constant, and the next three say the turn */
  ct_vec3 axis; /* unit, world; z where nothing turns */
  ct_dd angle_rate; /* rad per 2^-rate_exponent s; INTERPOLATED: in the whole duration */
  int rate_exponent;
  double spin; /* bound on |angular velocity|, rad/s */
};

#endif
