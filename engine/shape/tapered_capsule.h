/* Reduction of a capsule with two radii to two balls and the cone between them, or to one ball if
 * it contains the other; and the test whether a shape is a ball. */
#ifndef SHAPE_TAPERED_CAPSULE_H
#define SHAPE_TAPERED_CAPSULE_H

#include <contact/shape.h>

typedef struct ct_capsule_form {
  bool
      is_ball; /* the capsule is one ball of radius radius_top = radius_bottom centred at z = top */
  double
      top; /* z of the top ball's centre, m; the bottom ball's centre is at -top, unless is_ball */
  double radius_top, radius_bottom;
} ct_capsule_form;

/* Returns the growth of the radii by rounding radius and margin, m. An inset rounding does not
 * change the size of a body. */
static inline double ct_shape_growth(const ct_shape *shape) {
  return (shape->inset ? 0.0 : shape->rounding) + shape->margin;
}

/* Returns the capsule's reduced form, with rounding radius and margin in its radii. One ball
 * contains the other if and only if the distance of the centres is at most the difference of the
 * radii. */
static inline ct_capsule_form ct_capsule_reduce(const ct_shape *shape) {
  double growth = ct_shape_growth(shape), a = shape->capsule.half_length;
  double bottom = shape->capsule.radius_bottom + growth, top = shape->capsule.radius_top + growth;
  if (2.0 * a > fabs(bottom - top)) return (ct_capsule_form){false, a, top, bottom};
  if (top >= bottom) return (ct_capsule_form){true, a, top, top};
  return (ct_capsule_form){true, -a, bottom, bottom};
}

/* True for a sphere, a capsule in which one ball contains the other, and an ellipsoid of equal
 * radii; *center_z and *radius are then the ball, rounding radius and margin included. */
static inline bool ct_shape_is_ball(const ct_shape *shape, double *center_z, double *radius) {
  *center_z = 0.0;
  if (shape->kind == CT_KIND_SPHERE) {
    *radius = shape->sphere.radius + ct_shape_growth(shape);
    return true;
  }
  if (shape->kind == CT_KIND_ELLIPSOID) {
    ct_vec3 r = shape->ellipsoid.radii;
    *radius = r.x + ct_shape_growth(shape);
    return r.x == r.y && r.y == r.z;
  }
  if (shape->kind != CT_KIND_CAPSULE) return false;
  ct_capsule_form c = ct_capsule_reduce(shape);
  if (!c.is_ball) return false;
  *center_z = c.top + 0.0;
  *radius = c.radius_top;
  return true;
}

#endif
