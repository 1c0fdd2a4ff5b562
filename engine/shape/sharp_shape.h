/* Decomposition of a shape into a sharp shape (no rounding radius, no margin) and a ball: the shape
 * is their Minkowski sum. The narrow phase builds its convex proxies from it. */
#ifndef SHAPE_SHARP_SHAPE_H
#define SHAPE_SHARP_SHAPE_H

#include <contact/shape.h>

typedef struct ct_sharp_shape {
  ct_shape shape;  /* without rounding radius and margin; shares the given shape's hull or mesh */
  double center_z; /* z of the sharp shape's origin in the given shape's frame, m */
  double radius;   /* radius of the ball, m */
} ct_sharp_shape;

/* Returns the decomposition, with the sharp shape in its simplest kind: a capsule or ellipsoid that
 * is a ball becomes a sphere, a cone of equal radii a cylinder. Spheres and capsules include
 * rounding radius and margin in their radii, so that `radius` is 0. For a plane, `radius` is the
 * outward displacement of its surface. Precondition: an inset rounding is below
 * ct_shape_inset_limit. O(1). */
ct_sharp_shape ct_shape_sharp(const ct_shape *shape);

/* True if the shape certainly is its own sharp shape, at its own origin and with radius 0. A fast
 * test for common kinds: false proves nothing. */
static inline bool ct_shape_is_plain(const ct_shape *shape) {
  if (shape->rounding != 0.0 || shape->margin != 0.0) return false;
  if (shape->kind == CT_KIND_CAPSULE)
    return shape->capsule.half_length > 0.0 &&
           shape->capsule.radius_bottom == shape->capsule.radius_top;
  return shape->kind == CT_KIND_BOX || shape->kind == CT_KIND_CONVEX ||
         shape->kind == CT_KIND_SPHERE;
}

#endif
