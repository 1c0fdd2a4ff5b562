/* Largest ball inside an intersection of half-spaces. Its centre is the interior point for the
 * polar duality (hull_polar.h). */
#ifndef HULL_INSCRIBED_BALL_H
#define HULL_INSCRIBED_BALL_H

#include <contact/base.h>
#include <contact/vec.h>

/* Half-space normal.p <= offset; the normal is unit to round-off. */
typedef struct ct_half_space {
  ct_vec3 normal;
  double offset;
} ct_half_space;

typedef struct ct_inscribed {
  ct_vec3 center;
  double radius; /* least signed distance from the centre to a plane, m; negative if the centre is
                    outside one */
  bool open;     /* the intersection is unbounded, or larger than any valid coordinate */
  uint32_t culprit;  /* plane with the largest weight at the optimum (it limits the ball most);
                        UINT32_MAX: none */
  double resolution; /* upper bound of the error of the radius, m */
} ct_inscribed;

/* Finds the largest ball by the linear program in (center, radius), with the dual simplex method.
 * Takes 10 to 50 passes over the planes; the number is limited. If the cancel flag is raised, the
 * result is undefined: check the flag afterwards. */
ct_inscribed ct_inscribed_ball(const ct_half_space *planes, uint32_t count,
                               const ct_cancel *cancel);

#endif
