/* Building blocks of the motion bounds: relative motion of two pivots, and the earliest time at
 * which a gap can close. */
#ifndef TOI_TOI_RELATIVE_MOTION_H
#define TOI_TOI_RELATIVE_MOTION_H

#include "toi/toi.h"

/* Relative round-off of a speed or an acceleration, in relation to the magnitudes of its terms; and
 * of a time computed from them. */
#define SPEED_SLACK (16.0 * CT_UNIT_ROUNDOFF)
#define TIME_SLACK (16.0 * CT_UNIT_ROUNDOFF)

/* Returns the earliest time at which a gap can close that decreases by at most speed t +
 * acceleration t^2 / 2, rounded down, s. INFINITY: never. */
static inline double ct_gap_closing_time(double gap, double speed, double acceleration) {
  if (!(gap > 0.0)) return 0.0;
  if (acceleration == 0.0) return speed > 0.0 ? gap / speed * (1.0 - TIME_SLACK) : INFINITY;
  double square = speed * speed;
  if (acceleration < 0.0) {
    /* Decelerating: if the motion stops just before the gap closes, the discriminant is dominated
     * by rounding. Adding its bound makes the time shorter. */
    double left = square + 2.0 * acceleration * gap + TIME_SLACK * square;
    return speed <= 0.0 || left < 0.0 ? INFINITY
                                      : 2.0 * gap / (speed + sqrt(left)) * (1.0 - TIME_SLACK);
  }
  double root = sqrt(square + 2.0 * acceleration * gap);
  return (speed > 0.0 ? 2.0 * gap / (speed + root) : (root - speed) / acceleration) *
         (1.0 - TIME_SLACK);
}

/* Motion of b's pivot relative to a's. */
typedef struct ct_relative_motion {
  ct_vec3 velocity, acceleration;
  double speed_error,
      acceleration_error; /* upper bounds of the round-off of a component along a unit direction */
} ct_relative_motion;

static inline ct_relative_motion ct_relative_motion_of(const ct_toi_pair *pair,
                                                       const ct_toi_sample *s) {
  ct_vec3 va = s->a.velocity.linear, vb = s->b.velocity.linear;
  ct_relative_motion d = {ct_sub(vb, va), ct_sub(pair->b.acceleration, pair->a.acceleration), 0.0,
                          0.0};
  d.speed_error = SPEED_SLACK * (ct_norm(va) + ct_norm(vb));
  d.acceleration_error =
      SPEED_SLACK * (ct_norm(pair->a.acceleration) + ct_norm(pair->b.acceleration));
  return d;
}

/* Returns an upper bound of the speed, along a fixed direction n, of points within `arm` of the
 * axis of rotation. */
static inline double ct_turning_speed(const ct_toi_side *side, const ct_toi_side_pose *at,
                                      ct_vec3 n, double arm) {
  if (side->spin == 0.0 || arm == 0.0) return 0.0;
  if (!side->steady) return side->spin * arm * (1.0 + SPEED_SLACK);
  return (ct_norm(ct_cross(at->velocity.angular, n)) + SPEED_SLACK * side->spin) * arm;
}

#endif
