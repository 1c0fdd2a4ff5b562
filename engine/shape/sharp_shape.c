/* Decomposes a rounded shape into a sharp shape and a ball.
 *
 * An inset of a box, cylinder, cone or frustum displaces every face inward by the rounding radius,
 * so that the Minkowski sum of sharp shape and ball has the original planes and slant. Hulls are
 * inset when the shape is created (hull/half_space_intersection.c). */
#include "shape/sharp_shape.h"
#include "shape/shape_validity.h"

#include "shape/tapered_capsule.h"

#include <assert.h>

/* Largest inset as a fraction of the inradius. The remaining solid has a millionth of the shape's
 * size, far above round-off. */
#define INSET_FRACTION_MAX (1.0 - 0x1p-20)

/* Displaces side and ends of a cone inward by `by`. With slope k = (wide - narrow) / height,
 * displacing the side reduces the radius of every cross-section by `by` sqrt(1 + k^2). If the
 * radius at the narrow end would be negative, the cone ends in an apex below it. */
static void shrink_cone(ct_sharp_shape *inner, double by) {
  double a = inner->shape.cone.half_length, bottom = inner->shape.cone.radius_bottom,
         top = inner->shape.cone.radius_top;
  bool upright = bottom >= top;
  double wide = upright ? bottom : top, narrow = upright ? top : bottom;
  double slope = (wide - narrow) / (2.0 * a), stretch = sqrt(1.0 + slope * slope);
  double new_wide = wide - by * (slope + stretch), new_narrow = narrow + by * (slope - stretch);
  /* Heights of the two new ends above the original wide end, m. */
  double low = by, high = 2.0 * a - by;
  if (new_narrow < 0.0) {
    new_narrow = 0.0;
    high = low + new_wide / slope;
  }
  assert(new_wide > 0.0 && high > low);
  double middle = 0.5 * (low + high) - a;
  inner->center_z = upright ? middle : -middle;
  inner->shape.cone.half_length = 0.5 * (high - low);
  inner->shape.cone.radius_bottom = upright ? new_wide : new_narrow;
  inner->shape.cone.radius_top = upright ? new_narrow : new_wide;
}

static void inset(ct_sharp_shape *inner, double by) {
  ct_shape *s = &inner->shape;
  switch (s->kind) {
  case CT_KIND_BOX:
    s->box.half = ct_vec(s->box.half.x - by, s->box.half.y - by, s->box.half.z - by);
    assert(s->box.half.x > 0.0 && s->box.half.y > 0.0 && s->box.half.z > 0.0);
    break;
  case CT_KIND_CYLINDER:
    s->cylinder.radius -= by;
    s->cylinder.half_length -= by;
    assert(s->cylinder.radius > 0.0 && s->cylinder.half_length > 0.0);
    break;
  case CT_KIND_CONE: shrink_cone(inner, by); break;
  default: break;
  }
}

ct_sharp_shape ct_shape_sharp(const ct_shape *shape) {
  ct_sharp_shape inner = {.shape = *shape};
  double radius;
  /* A ball becomes a sphere with rounding radius and margin in its radius. */
  if (ct_shape_is_ball(shape, &inner.center_z, &radius)) {
    inner.shape = (ct_shape){.kind = CT_KIND_SPHERE, .sphere = {radius}};
    return inner;
  }
  inner.shape.inset = false;
  inner.shape.rounding = inner.shape.margin = 0.0;
  /* The radii of a capsule include rounding radius and margin. */
  if (shape->kind == CT_KIND_CAPSULE) {
    inner.shape.capsule.radius_bottom = shape->capsule.radius_bottom + ct_shape_growth(shape);
    inner.shape.capsule.radius_top = shape->capsule.radius_top + ct_shape_growth(shape);
    return inner;
  }
  /* Other kinds have the ball around each point; an inset shape keeps its original faces. */
  inner.radius =
      shape->kind == CT_KIND_PLANE ? ct_shape_growth(shape) : shape->rounding + shape->margin;
  if (shape->kind == CT_KIND_CONE && shape->cone.radius_bottom == shape->cone.radius_top) {
    inner.shape.kind = CT_KIND_CYLINDER;
    inner.shape.cylinder.radius = shape->cone.radius_bottom;
    inner.shape.cylinder.half_length = shape->cone.half_length;
  }
  if (shape->inset && shape->rounding > 0.0) inset(&inner, shape->rounding);
  return inner;
}

/* Returns the radius of the largest ball that touches the wide end and the side, or both ends. */
static double find_cone_inradius(const ct_shape *shape) {
  double a = shape->cone.half_length,
         wide = ct_max2(shape->cone.radius_bottom, shape->cone.radius_top);
  double slope = fabs(shape->cone.radius_bottom - shape->cone.radius_top) / (2.0 * a);
  return ct_min2(a, wide / (slope + sqrt(1.0 + slope * slope)));
}

double ct_shape_inset_limit(const ct_shape *shape, const ct_cancel *cancel) {
  if (!ct_shape_is_valid(shape)) return 0.0;
  switch (shape->kind) {
  case CT_KIND_SPHERE: return shape->sphere.radius;
  case CT_KIND_BOX:
    return INSET_FRACTION_MAX *
           ct_min2(ct_min2(shape->box.half.x, shape->box.half.y), shape->box.half.z);
  case CT_KIND_CAPSULE: return ct_min2(shape->capsule.radius_bottom, shape->capsule.radius_top);
  case CT_KIND_CYLINDER:
    return INSET_FRACTION_MAX * ct_min2(shape->cylinder.radius, shape->cylinder.half_length);
  case CT_KIND_CONE: return INSET_FRACTION_MAX * find_cone_inradius(shape);
  case CT_KIND_CONVEX: return INSET_FRACTION_MAX * ct_hull_inradius(shape->hull, cancel);
  case CT_KIND_PLANE: return INFINITY;
  case CT_KIND_ELLIPSOID:
  case CT_KIND_MESH:
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH:
  case CT_KIND_COUNT: break;
  }
  return 0.0;
}
