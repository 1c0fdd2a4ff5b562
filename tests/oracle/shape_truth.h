/* Shapes by their definitions, in long double: support values with rounding and margin,
 * rotations. */
#ifndef ORACLE_SHAPE_TRUTH_H
#define ORACLE_SHAPE_TRUTH_H

#include "tests/support/shapes.h"

#include <string.h>

/* Support value by the definition of each sharp kind, in long double. */
static inline long double sharp_truth(const ct_shape *s, long double x, long double y,
                                      long double z, long double length) {
  long double across = sqrtl(x * x + y * y), best = -INFINITY;
  switch (s->kind) {
  case CT_KIND_SPHERE: return s->sphere.radius * length;
  case CT_KIND_BOX:
    return s->box.half.x * fabsl(x) + s->box.half.y * fabsl(y) + s->box.half.z * fabsl(z);
  case CT_KIND_CAPSULE:
    return fmaxl(s->capsule.half_length * z + s->capsule.radius_top * length,
                 -s->capsule.half_length * z + s->capsule.radius_bottom * length);
  case CT_KIND_CYLINDER: return s->cylinder.half_length * fabsl(z) + s->cylinder.radius * across;
  case CT_KIND_CONE:
    return fmaxl(s->cone.half_length * z + s->cone.radius_top * across,
                 -s->cone.half_length * z + s->cone.radius_bottom * across);
  case CT_KIND_ELLIPSOID: {
    long double a = s->ellipsoid.radii.x * x, b = s->ellipsoid.radii.y * y,
                c = s->ellipsoid.radii.z * z;
    return sqrtl(a * a + b * b + c * c);
  }
  case CT_KIND_CONVEX: {
    const ct_hull_view *h = ct_hull_get(s->hull);
    for (uint32_t i = 0; i < h->vertex_count; i++)
      best = fmaxl(best, x * h->x[i] + y * h->y[i] + z * h->z[i]);
    return best;
  }
  case CT_KIND_MESH: {
    const ct_mesh_view *m = ct_mesh_get(s->mesh);
    for (uint32_t i = 0; i < m->live_count; i++)
      for (int k = 0; k < 3; k++) {
        ct_vec3 p = m->vertices[m->triangles[m->order[i]][k]];
        best = fmaxl(best, x * p.x + y * p.y + z * p.z);
      }
    return best;
  }
  default: return INFINITY;
  }
}

/* Support value of the cone with height 2a, radius b at the wide end and t <= b at the other, inset
 * by p, by the formulas for a frustum or an apex. A cone on its narrow end is turned over. */
static inline long double inset_cone_truth(const ct_shape *s, long double p, long double across,
                                           long double z) {
  if (s->cone.radius_top > s->cone.radius_bottom) {
    ct_shape over = *s;
    over.cone.radius_bottom = s->cone.radius_top;
    over.cone.radius_top = s->cone.radius_bottom;
    return inset_cone_truth(&over, p, across, -z);
  }
  long double h = 2.0L * s->cone.half_length, b = s->cone.radius_bottom, t = s->cone.radius_top,
              a = 0.5L * h;
  long double k = (b - t) / h, root = sqrtl(1.0L + k * k), bottom = b - p * (k + root),
              top = t + p * (k - root);
  long double low = fmaxl(-(a - p) * z + bottom * across, (a - p) * z + top * across);
  if (top >= 0.0L) return low;
  /* Its apex is that of the full cone, lowered by p over the sine of the half angle. */
  long double full = h * b / (b - t), slant = sqrtl(b * b + full * full);
  return fmaxl(-(a - p) * z + bottom * across, (full - a - p * slant / b) * z);
}

/* With rounding and margin; length: of (x, y, z). */
static inline long double truth_of(const ct_shape *s, long double x, long double y, long double z,
                                   long double length) {
  long double across = sqrtl(x * x + y * y), p = s->rounding;
  long double margin = s->margin * length;
  bool kept = s->kind == CT_KIND_SPHERE || s->kind == CT_KIND_CAPSULE;
  if (!s->inset) return sharp_truth(s, x, y, z, length) + p * length + margin;
  if (kept) return sharp_truth(s, x, y, z, length) + margin;
  if (s->kind == CT_KIND_BOX)
    return sharp_truth(s, x, y, z, length) - p * (fabsl(x) + fabsl(y) + fabsl(z)) + p * length +
           margin;
  if (s->kind == CT_KIND_CYLINDER)
    return sharp_truth(s, x, y, z, length) - p * (across + fabsl(z)) + p * length + margin;
  if (s->kind == CT_KIND_CONE) return inset_cone_truth(s, p, across, z) + p * length + margin;
  return sharp_truth(s, x, y, z, length) + p * length + margin;
}

static inline long double truth(const ct_shape *s, ct_vec3 d) {
  long double x = d.x, y = d.y, z = d.z;
  return truth_of(s, x, y, z, sqrtl(x * x + y * y + z * z));
}

/* Rotation of q/|q| in long double, as rows. */
static inline void exact_rotation(ct_quat q, long double m[3][3]) {
  long double x = q.x, y = q.y, z = q.z, w = q.w, s = 2.0L / (x * x + y * y + z * z + w * w);
  long double rows[3][3] = {{1.0L - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                            {s * (x * y + w * z), 1.0L - s * (x * x + z * z), s * (y * z - w * x)},
                            {s * (x * z - w * y), s * (y * z + w * x), 1.0L - s * (x * x + y * y)}};
  memcpy(m, rows, sizeof rows);
}

#endif
