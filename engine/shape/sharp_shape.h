/* A shape without rounding and margin as a sharp one in a ball: what the narrow phase makes its cores of. */
#ifndef SHAPE_SHARP_SHAPE_H
#define SHAPE_SHARP_SHAPE_H

#include <contact/shape.h>

typedef struct ct_sharp_shape {
  ct_shape shape;  /* neither rounding nor margin; its hull or mesh is the given shape's, borrowed */
  double center_z; /* where its origin lies in the given shape's frame */
  double radius;   /* of the ball around each of its points, m */
} ct_sharp_shape;

/* The sharp shape within, in the simplest kind that it is: a capsule or ellipsoid that is a ball becomes a sphere, a cone of equal
 * radii a cylinder. Spheres and capsules carry rounding and margin in their own radii, so that `radius` is 0. Of a plane, `radius`
 * is how far its surface moves out. The rounding of an inset shape must leave a solid (ct_shape_inset_limit). O(1). */
ct_sharp_shape ct_shape_sharp(const ct_shape *shape);

/* Is a shape, of the commonest kinds, its own sharp shape within, at its own place and without a ball around it? */
static inline bool ct_shape_is_plain(const ct_shape *shape) {
  if (shape->rounding != 0.0 || shape->margin != 0.0) return false;
  if (shape->kind == CT_KIND_CAPSULE)
    return shape->capsule.half_length > 0.0 && shape->capsule.radius_bottom == shape->capsule.radius_top;
  return shape->kind == CT_KIND_BOX || shape->kind == CT_KIND_CONVEX || shape->kind == CT_KIND_SPHERE;
}

#endif
