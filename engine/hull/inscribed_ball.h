/* Largest ball inside an intersection of half-spaces. Its centre is the interior point of the
 * polar duality. */
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
  double
      radius; /* least distance from center to a plane, m; < 0 if the center is outside a plane */
  bool open;  /* unbounded, or larger than any valid coordinate */
  uint32_t culprit;  /* plane with the largest weight at the optimum; UINT32_MAX: none */
  double resolution; /* error of the radius, m */
} ct_inscribed;

/* Solves the linear program in (center, radius) by the simplex method on its dual. Cost: 10 to
 * 50 passes over the planes; bounded. The result is undefined if the cancel flag is raised:
 * check the flag afterwards. */
ct_inscribed ct_inscribed_ball(const ct_half_space *planes, uint32_t count,
                               const ct_cancel *cancel);

#endif
