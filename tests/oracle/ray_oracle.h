/* Rays by bisection in long double. A convex level function is negative inside the shape; its
 * minimum along the ray is found first, then its two roots. Only data types of the engine are
 * used. */
#ifndef ORACLE_RAY_ORACLE_H
#define ORACLE_RAY_ORACLE_H

#include "tests/oracle/pair_oracle.h"

/* Transforms the point into the shape's frame, by q/|q| in long double. */
static inline oracle_vec oracle_local(const ct_pose *pose, oracle_vec p) {
  long double x = -(long double)pose->rotation.x, y = -(long double)pose->rotation.y,
              z = -(long double)pose->rotation.z;
  long double w = pose->rotation.w, s = 2 / (x * x + y * y + z * z + w * w);
  oracle_vec v = {x, y, z}, t = oracle_cross(v, p), tt = oracle_cross(v, t);
  return (oracle_vec){p.x + s * (w * t.x + tt.x), p.y + s * (w * t.y + tt.y),
                      p.z + s * (w * t.z + tt.z)};
}

/* Level of the convex hull of two balls on the axis: the greatest n.p - h(n) over the normals of
 * its sides. */
static inline long double oracle_capsule_level(const ct_shape *shape, oracle_vec p) {
  long double a = shape->capsule.half_length, bottom = shape->capsule.radius_bottom,
              top = shape->capsule.radius_top;
  long double out = sqrtl(p.x * p.x + p.y * p.y);
  long double of_bottom = sqrtl(out * out + (p.z + a) * (p.z + a)) - bottom,
              of_top = sqrtl(out * out + (p.z - a) * (p.z - a)) - top;
  if (2 * a <= fabsl(bottom - top)) return top >= bottom ? of_top : of_bottom;
  long double sine = (bottom - top) / (2 * a), cosine = sqrtl(1 - sine * sine);
  long double foot = (p.z + a) * cosine - out * sine; /* from the bottom tangent */
  if (foot <= 0) return of_bottom;
  if (foot >= 2 * a * cosine) return of_top;
  return out * cosine + (p.z + a) * sine - bottom;
}

/* Negative inside, zero on the surface, convex; scaled like a length near the surface. */
static inline long double oracle_sharp_level(const ct_shape *shape, oracle_vec p) {
  switch (shape->kind) {
  case CT_KIND_SPHERE: return oracle_norm(p) - shape->sphere.radius;
  case CT_KIND_BOX:
    return fmaxl(fmaxl(fabsl(p.x) - shape->box.half.x, fabsl(p.y) - shape->box.half.y),
                 fabsl(p.z) - shape->box.half.z);
  case CT_KIND_CAPSULE: return oracle_capsule_level(shape, p);
  case CT_KIND_CYLINDER:
    return fmaxl(sqrtl(p.x * p.x + p.y * p.y) - shape->cylinder.radius,
                 fabsl(p.z) - shape->cylinder.half_length);
  case CT_KIND_CONE: {
    long double a = shape->cone.half_length, bottom = shape->cone.radius_bottom,
                top = shape->cone.radius_top;
    long double radius = bottom + (top - bottom) * (p.z + a) / (2 * a),
                slant = hypotl(2 * a, top - bottom);
    return fmaxl((sqrtl(p.x * p.x + p.y * p.y) - radius) * 2 * a / slant, fabsl(p.z) - a);
  }
  case CT_KIND_ELLIPSOID: {
    ct_vec3 r = shape->ellipsoid.radii;
    oracle_vec unit = {p.x / r.x, p.y / r.y, p.z / r.z};
    return (oracle_norm(unit) - 1) * fminl(r.x, fminl(r.y, r.z));
  }
  case CT_KIND_CONVEX: {
    const ct_hull_view *view = ct_hull_get(shape->hull);
    long double level = -INFINITY;
    for (uint32_t i = 0; i < view->face_count; i++)
      level =
          fmaxl(level, view->nx[i] * p.x + view->ny[i] * p.y + view->nz[i] * p.z - view->offset[i]);
    return level;
  }
  case CT_KIND_PLANE: return p.z;
  default: return NAN;
  }
}

/* A box with added balls: the distance from the box; inside, minus the distance to the nearest
 * side. */
static inline long double oracle_round_box_level(ct_vec3 half, long double radius, oracle_vec p) {
  long double x = fabsl(p.x) - half.x, y = fabsl(p.y) - half.y, z = fabsl(p.z) - half.z;
  oracle_vec out = {fmaxl(x, 0), fmaxl(y, 0), fmaxl(z, 0)};
  return oracle_norm(out) + fminl(fmaxl(x, fmaxl(y, z)), 0) - radius;
}

/* A solid of revolution with added balls: signed distance from the convex outline (0, -a) (bottom,
 * -a) (top, a) (0, a), by its sides. */
static inline long double oracle_round_lathe_level(const long double outline[3], long double radius,
                                                   oracle_vec p) {
  long double a = outline[0], r = sqrtl(p.x * p.x + p.y * p.y),
              slant = hypotl(2 * a, outline[2] - outline[1]);
  long double along =
      ((outline[2] - outline[1]) * (r - outline[1]) + 2 * a * (p.z + a)) / (slant * slant);
  long double t = fminl(fmaxl(along, 0), 1), at = outline[1] + t * (outline[2] - outline[1]);
  long double side = hypotl(r - at, p.z + a - 2 * a * t),
              low = hypotl(fmaxl(r - outline[1], 0), p.z + a);
  long double high = hypotl(fmaxl(r - outline[2], 0), p.z - a);
  long double here = outline[1] + (outline[2] - outline[1]) * (p.z + a) / (2 * a);
  bool inside = fabsl(p.z) <= a && r <= here;
  return (inside ? -1 : 1) * fminl(side, fminl(low, high)) - radius;
}

/* With rounding and margin, for the kinds that have them here: balls and capsules grow, other kinds
 * get round edges. */
static inline long double oracle_level(const ct_shape *shape, oracle_vec p) {
  long double growth = (shape->inset ? 0.0L : shape->rounding) + shape->margin;
  if (shape->rounding == 0.0 && shape->margin == 0.0) return oracle_sharp_level(shape, p);
  if (shape->kind == CT_KIND_CYLINDER) {
    long double by = shape->inset ? shape->rounding : 0.0L, r = shape->cylinder.radius - by;
    return oracle_round_lathe_level((long double[]){shape->cylinder.half_length - by, r, r},
                                    growth + by, p);
  }
  if (shape->kind == CT_KIND_CONE)
    return oracle_round_lathe_level(
        (long double[]){shape->cone.half_length, shape->cone.radius_bottom, shape->cone.radius_top},
        growth, p);
  if (shape->kind != CT_KIND_BOX) return oracle_sharp_level(shape, p) - growth;
  ct_vec3 half = shape->box.half;
  if (shape->inset)
    half = ct_vec(half.x - shape->rounding, half.y - shape->rounding, half.z - shape->rounding);
  return oracle_round_box_level(half, (long double)shape->rounding + shape->margin, p);
}

typedef struct oracle_ray {
  const ct_ray *ray;
  const ct_shape *shape;
  const ct_pose *pose;
  long double length; /* of the direction */
} oracle_ray;

/* Level at the parameter t, less `inflation`. */
static inline long double oracle_ray_level(const oracle_ray *r, long double t) {
  long double s = t / r->length;
  oracle_vec p = {r->ray->origin.x - (long double)r->pose->position.x + s * r->ray->direction.x,
                  r->ray->origin.y - (long double)r->pose->position.y + s * r->ray->direction.y,
                  r->ray->origin.z - (long double)r->pose->position.z + s * r->ray->direction.z};
  return oracle_level(r->shape, oracle_local(r->pose, p));
}

/* Minimises the level between low and high by ternary search. */
static inline long double oracle_ray_least(const oracle_ray *r, long double low, long double high) {
  for (int i = 0; i < 240; i++) {
    long double a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (oracle_ray_level(r, a) <= oracle_ray_level(r, b)) high = b;
    else low = a;
  }
  return (low + high) / 2;
}

/* The root between a point inside and a point outside. */
static inline long double oracle_ray_root(const oracle_ray *r, long double inside,
                                          long double outside) {
  for (int i = 0; i < 140; i++) {
    long double middle = (inside + outside) / 2;
    if (oracle_ray_level(r, middle) <= 0) inside = middle;
    else outside = middle;
  }
  return (inside + outside) / 2;
}

#endif
