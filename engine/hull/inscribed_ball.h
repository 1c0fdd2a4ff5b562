/* Largest ball inside an intersection of half-spaces: the interior point from which planes are turned into points. */
#ifndef HULL_INSCRIBED_BALL_H
#define HULL_INSCRIBED_BALL_H

#include <contact/cancel.h>
#include <contact/status.h>
#include <contact/vec.h>

/* Half-space normal.p <= offset, normal unit to rounding. */
typedef struct ct_half_space {
  ct_vec3 normal;
  double offset;
} ct_half_space;

typedef struct ct_inscribed {
  ct_vec3 center;
  double radius;     /* least distance from center to a plane, < 0 when the center is outside one */
  bool open;         /* the ball can grow without end, or further than any coordinate allowed */
  uint32_t culprit;  /* the plane that weighs most in the optimum; UINT32_MAX when there is none */
  double resolution; /* radius is known to this, m */
} ct_inscribed;

/* Linear program in (center, radius), solved by the simplex method on its dual. Cost: planes times some 10 to 50 steps; bounded.
 * When the flag is raised the result means nothing: look at it afterwards. */
ct_inscribed ct_inscribed_ball(const ct_half_space *planes, uint32_t count, const ct_cancel *cancel);

#endif
