/* Boxes of placed shapes, rounded outward.
 *
 * Each side is found in the shape's own units first: the greatest and the least of row.p over the shape, where row is the row of
 * the rotation that belongs to the axis.
 */
#include "mesh/mesh_support.h"
#include "shape/shape_validity.h"
#include "shape/sharp_shape.h"
#include "shape/tapered_capsule.h"

#include "base/double_double.h"
#include <contact/limits.h>

/* Rounding of an entry of the matrix of a quaternion (|error| <= 17 u: s, two products and a sum on terms up to 2) and of a row
 * times a vector (3 u more), as a factor of the vector's sizes. The part of a row across the axis, a length, has twice that. */
#define ROTATION_BOUND (24.0 * CT_UNIT_ROUNDOFF)
/* Rounding of the numbers of a cone whose side has been moved in: some eight operations on terms no larger than its sizes. */
#define INSET_BOUND (16.0 * CT_UNIT_ROUNDOFF)

/* Where a row of a rotation is exactly a signed axis, its products are exact and need no allowance. */
static bool is_axis(ct_vec3 row) {
  return ct_max_abs(row) == 1.0 && (row.x != 0.0) + (row.y != 0.0) + (row.z != 0.0) == 1;
}

/* The next double up, or the one after it. */
static double above(double x) { return x + (fabs(x) * 0x1p-52 + 0x1p-1074); }

/* a + b rounded up, or down. */
static double sum_up(double a, double b) {
  ct_dd s = ct_two_sum(a, b);
  return s.low > 0.0 ? above(s.high) : s.high;
}
static double sum_down(double a, double b) { return -sum_up(-a, -b); }

typedef struct span {
  double low, high;
} span;

/* Both ends moved out by `by`. */
static span grown(span s, double by) { return (span){sum_down(s.low, -by), sum_up(s.high, by)}; }

static span box_span(const ct_shape *shape, ct_vec3 row) {
  ct_vec3 h = shape->box.half;
  double reach = fabs(row.x) * h.x + fabs(row.y) * h.y + fabs(row.z) * h.z;
  if (!is_axis(row)) reach += ROTATION_BOUND * (h.x + h.y + h.z);
  return (span){-reach, reach};
}

static span capsule_span(const ct_shape *shape, ct_vec3 row) {
  double z = row.z * shape->capsule.half_length, top = shape->capsule.radius_top, bottom = shape->capsule.radius_bottom;
  span s = {ct_min2(sum_down(z, -top), sum_down(-z, -bottom)), ct_max2(sum_up(z, top), sum_up(-z, bottom))};
  return grown(s, is_axis(row) ? 0.0 : ROTATION_BOUND * shape->capsule.half_length);
}

/* Two circles about the axis: each reaches its radius times the part of the row across the axis. */
static span circles_span(double a, double bottom, double top, ct_vec3 row) {
  double across = ct_norm(ct_vec(row.x, row.y, 0.0)), z = row.z * a;
  span s = {ct_min2(sum_down(z, -top * across), sum_down(-z, -bottom * across)),
            ct_max2(sum_up(z, top * across), sum_up(-z, bottom * across))};
  return grown(s, is_axis(row) ? 0.0 : ROTATION_BOUND * (a + 2.0 * ct_max2(bottom, top)));
}

static span ellipsoid_span(ct_vec3 r, ct_vec3 row) {
  double reach = ct_norm(ct_vec(row.x * r.x, row.y * r.y, row.z * r.z));
  if (is_axis(row)) reach = fabs(row.x) * r.x + fabs(row.y) * r.y + fabs(row.z) * r.z;
  else reach += ROTATION_BOUND * (r.x + r.y + r.z);
  return (span){-reach, reach};
}

/* Extremes of row.v over all vertices, lane by lane; padding repeats a vertex and changes nothing. */
static span hull_reach(const ct_hull_view *view, ct_vec3 row) {
  double low[CT_HULL_LANES], high[CT_HULL_LANES];
  for (uint32_t l = 0; l < CT_HULL_LANES; l++) low[l] = high[l] = row.x * view->x[l] + row.y * view->y[l] + row.z * view->z[l];
  for (uint32_t i = CT_HULL_LANES; i < view->vertex_count; i += CT_HULL_LANES) {
    for (uint32_t l = 0; l < CT_HULL_LANES; l++) {
      double h = row.x * view->x[i + l] + row.y * view->y[i + l] + row.z * view->z[i + l];
      low[l] = h < low[l] ? h : low[l];
      high[l] = h > high[l] ? h : high[l];
    }
  }
  span s = {low[0], high[0]};
  for (uint32_t l = 1; l < CT_HULL_LANES; l++) {
    s.low = ct_min2(s.low, low[l]);
    s.high = ct_max2(s.high, high[l]);
  }
  return s;
}

/* The extremes of vertices that lie in `box` and reach from s.low to s.high along the row, as rounded. The box itself serves for a
 * row that is an axis: its sides are coordinates of vertices. */
static span points_span(const ct_aabb *box, span s, ct_vec3 row) {
  if (is_axis(row)) {
    double sign = row.x + row.y + row.z;
    double low = row.x != 0.0 ? box->min.x : row.y != 0.0 ? box->min.y : box->min.z;
    double high = row.x != 0.0 ? box->max.x : row.y != 0.0 ? box->max.y : box->max.z;
    return sign > 0.0 ? (span){low, high} : (span){-high, -low};
  }
  double size = ct_max2(fabs(box->min.x), fabs(box->max.x)) + ct_max2(fabs(box->min.y), fabs(box->max.y)) +
                ct_max2(fabs(box->min.z), fabs(box->max.z));
  return grown(s, ROTATION_BOUND * size);
}

static span hull_span(const ct_hull_view *view, ct_vec3 row) {
  return points_span(&view->box, is_axis(row) ? (span){0.0, 0.0} : hull_reach(view, row), row);
}

static span mesh_span(const ct_mesh_view *view, ct_vec3 row) {
  span s = {0.0, 0.0};
  if (!is_axis(row)) {
    s.low = -ct_mesh_support_value(view, ct_neg(row));
    s.high = ct_mesh_support_value(view, row);
  }
  return points_span(&view->box, s, row);
}

/* Of a shape without rounding and margin, about its own origin; not for planes. */
static span sharp_span(const ct_shape *shape, ct_vec3 row) {
  switch (shape->kind) {
  case CT_KIND_BOX: return box_span(shape, row);
  case CT_KIND_CAPSULE: return capsule_span(shape, row);
  case CT_KIND_CYLINDER: {
    double radius = shape->cylinder.radius;
    return circles_span(shape->cylinder.half_length, radius, radius, row);
  }
  case CT_KIND_CONE: return circles_span(shape->cone.half_length, shape->cone.radius_bottom, shape->cone.radius_top, row);
  case CT_KIND_ELLIPSOID: return ellipsoid_span(shape->ellipsoid.radii, row);
  case CT_KIND_CONVEX: return hull_span(ct_hull_get(shape->hull), row);
  case CT_KIND_MESH:
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH: return mesh_span(ct_mesh_get(shape->mesh), row);
  case CT_KIND_SPHERE:
  case CT_KIND_PLANE:
  case CT_KIND_COUNT: break;
  }
  return (span){-shape->sphere.radius, shape->sphere.radius};
}

/* Half-spaces are bounded along an axis that their normal is to round-off: what such a tilt adds
 * stays below the round-off of the coordinates themselves. */
static bool rounds_to_axis(ct_vec3 n) {
  return fabs(n.x) + fabs(n.y) + fabs(n.z) == 1.0 && ct_max_abs(n) == 1.0;
}

/* n_i along this axis of the half-space's outward normal n. */
static span plane_span(ct_vec3 normal, double along, double position, double growth) {
  span s = {-INFINITY, INFINITY};
  if (rounds_to_axis(normal) && along == 1.0) s.high = sum_up(position, growth);
  if (rounds_to_axis(normal) && along == -1.0) s.low = sum_down(position, -growth);
  return s;
}

/* The sharp shape within, and the ball of the rounding about it. Faces across the axis stay put, whatever the difference of their
 * place and the rounding is rounded to. */
static span inset_span(const ct_shape *shape, ct_vec3 row) {
  ct_sharp_shape inner = ct_shape_sharp(shape);
  span s = sharp_span(&inner.shape, row);
  double z = row.z * inner.center_z;
  s = (span){sum_down(z, s.low), sum_up(z, s.high)};
  if (!is_axis(row)) s = grown(s, ROTATION_BOUND * fabs(inner.center_z));
  s = grown(s, shape->rounding);
  if (shape->kind == CT_KIND_CONE) {
    double size = shape->cone.half_length + ct_max2(shape->cone.radius_bottom, shape->cone.radius_top);
    return grown(s, INSET_BOUND * size);
  }
  if (!is_axis(row)) return s;
  span outer = sharp_span(shape, row);
  return (span){ct_min2(s.low, outer.low), ct_max2(s.high, outer.high)};
}

static span axis_span(const ct_shape *shape, const ct_frame *frame, ct_vec3 row, double position) {
  if (shape->kind == CT_KIND_PLANE) {
    ct_vec3 normal = {frame->rotation.rx.z, frame->rotation.ry.z, frame->rotation.rz.z};
    return plane_span(normal, row.z, position, ct_shape_growth(shape));
  }
  bool shrunk = shape->kind == CT_KIND_BOX || shape->kind == CT_KIND_CYLINDER || shape->kind == CT_KIND_CONE;
  bool kept = shape->kind == CT_KIND_SPHERE || shape->kind == CT_KIND_CAPSULE;
  span s;
  if (shape->inset && shape->rounding > 0.0 && shrunk) s = inset_span(shape, row);
  else s = grown(sharp_span(shape, row), shape->inset && kept ? 0.0 : shape->rounding);
  s = grown(s, shape->margin);
  return (span){sum_down(position, s.low), sum_up(position, s.high)};
}

ct_aabb ct_shape_aabb(const ct_shape *shape, const ct_frame *frame) {
  ct_frame room;
  if (!ct_shape_is_valid(shape)) return ct_aabb_empty();
  frame = ct_frame_or_unturned(frame, &room);
  span x = axis_span(shape, frame, frame->rotation.rx, frame->position.x);
  span y = axis_span(shape, frame, frame->rotation.ry, frame->position.y);
  span z = axis_span(shape, frame, frame->rotation.rz, frame->position.z);
  return (ct_aabb){{x.low, y.low, z.low}, {x.high, y.high, z.high}};
}
