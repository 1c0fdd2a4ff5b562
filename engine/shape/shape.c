/* Shapes: names of kinds, reference counts, support functions, bounding balls and AABBs, in closed
 * form per kind.
 *
 * Mass properties: shape_mass.c; hulls: engine/hull. A capsule of two radii is the convex hull of
 * two balls; if one ball contains the other, the shape is the larger ball. Rounding radius and
 * margin are a Minkowski sum with a ball.
 *
 * AABBs at a pose are conservative: every side is rounded outward. Each side is the largest and the
 * least value of row.p over the shape, where row is the rotation's row of the axis. The bounds of
 * round-off below cover the matrix of a unit quaternion and the sums in doubles.
 */
#include "base/double_double.h"
#include "hull/hull_faces.h"
#include "mesh/mesh_support.h"
#include "shape/shape_validity.h"
#include "shape/sharp_shape.h"
#include "shape/tapered_capsule.h"

#include <contact/limits.h>

#include <stdlib.h>

/* Relative widening of a bounding radius; covers the round-off of a length. */
#define BALL_WIDENING (8.0 * CT_UNIT_ROUNDOFF)

const char *ct_kind_word(ct_kind kind) {
  static const char *const words[] = {
#define KIND_WORD(name, word) [CT_KIND_##name] = word,
      CT_KIND_MAP(KIND_WORD)
#undef KIND_WORD
  };
  if ((unsigned)kind >= CT_KIND_COUNT) return "unknown";
  return words[kind];
}

ct_shape ct_shape_of_elements(const ct_elements *elements) {
  const ct_elements_view *view = ct_elements_get(elements);
  ct_kind kind = view->type == CT_TETRAHEDRA  ? CT_KIND_TETMESH
                 : view->type == CT_HEXAHEDRA ? CT_KIND_HEXMESH
                                              : CT_KIND_ELEMENTMESH;
  return (ct_shape){.kind = kind, .mesh = view->surface, .elements = elements};
}

ct_status ct_shape_convex_hull(const ct_shape *shape, const ct_cancel *cancel, ct_shape *out) {
  ct_shape own = *shape;
  if (!ct_shape_is_valid(shape)) return CT_LIMIT;
  if (!ct_kind_is_mesh(shape->kind)) {
    ct_shape_retain(shape);
    *out = own;
    return CT_OK;
  }
  const ct_mesh_view *view = ct_mesh_get(shape->mesh);
  ct_vec3 *points = malloc(view->point_count * sizeof *points);
  ct_hull *hull = NULL;
  if (!points) return CT_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < view->point_count; i++) points[i] = view->vertices[view->points[i]];
  ct_status status = ct_hull_from_points(points, view->point_count, cancel, &hull, NULL);
  free(points);
  if (status != CT_OK) return status;
  own = (ct_shape){
      .kind = CT_KIND_CONVEX, .hull = hull, .rounding = shape->rounding, .margin = shape->margin};
  *out = own;
  return CT_OK;
}

void ct_shape_retain(const ct_shape *shape) {
  if (shape->kind == CT_KIND_CONVEX && shape->hull) ct_hull_retain(shape->hull);
  if (shape->kind == CT_KIND_MESH && shape->mesh) ct_mesh_retain(shape->mesh);
  if (ct_kind_has_elements(shape->kind) && shape->elements) ct_elements_retain(shape->elements);
}

void ct_shape_release(const ct_shape *shape) {
  if (shape->kind == CT_KIND_CONVEX && shape->hull) ct_hull_release(shape->hull);
  if (shape->kind == CT_KIND_MESH && shape->mesh) ct_mesh_release(shape->mesh);
  if (ct_kind_has_elements(shape->kind) && shape->elements) ct_elements_release(shape->elements);
}

size_t ct_shape_bytes(const ct_shape *shape) {
  if (!ct_shape_is_valid(shape)) return 0;
  if (shape->kind == CT_KIND_CONVEX) return ct_hull_bytes(shape->hull);
  if (ct_kind_has_elements(shape->kind)) return ct_elements_bytes(shape->elements);
  return shape->kind == CT_KIND_MESH ? ct_mesh_bytes(shape->mesh) : 0;
}

static ct_vec3 support_capsule(const ct_shape *shape, ct_vec3 direction) {
  ct_capsule_form c = ct_capsule_reduce(shape);
  ct_vec3 e = ct_unit_or(direction, ct_vec(0.0, 0.0, 1.0));
  if (c.is_ball) {
    ct_vec3 p = ct_scale(e, c.radius_top);
    if (c.top != 0.0) p.z += c.top;
    return p;
  }
  /* The top ball is farther if its centre's lead along e exceeds its deficit in radius. */
  bool top = 2.0 * c.top * e.z >= c.radius_bottom - c.radius_top;
  ct_vec3 p = ct_scale(e, top ? c.radius_top : c.radius_bottom);
  p.z += top ? c.top : -c.top;
  return p;
}

/* Farthest point along d of a circle about the z axis; the centre if d is parallel to the axis. */
static ct_vec3 support_circle(double radius, double z, ct_vec3 d) {
  ct_vec3 across = ct_unit_or(ct_vec(d.x, d.y, 0.0), ct_vec(0.0, 0.0, 0.0));
  return ct_vec(radius * across.x, radius * across.y, z);
}

/* The top circle is at least as far as the bottom one if its lead along the axis exceeds its
 * deficit in radius. */
static ct_vec3 support_cone(const ct_shape *shape, ct_vec3 direction) {
  ct_vec3 e = ct_unit_or(direction, ct_vec(0.0, 0.0, 1.0));
  double a = shape->cone.half_length, bottom = shape->cone.radius_bottom,
         top = shape->cone.radius_top;
  bool upper = 2.0 * a * e.z >= (bottom - top) * ct_norm(ct_vec(e.x, e.y, 0.0));
  return support_circle(upper ? top : bottom, upper ? a : -a, direction);
}

static ct_vec3 support_ellipsoid(ct_vec3 r, ct_vec3 direction) {
  ct_vec3 e = ct_unit_or(direction, ct_vec(0.0, 0.0, 1.0));
  ct_vec3 k = ct_unit_or(ct_vec(r.x * e.x, r.y * e.y, r.z * e.z), ct_vec(0.0, 0.0, 1.0));
  return ct_vec(r.x * k.x, r.y * k.y, r.z * k.z);
}

/* Farthest point along d of a shape without rounding radius and margin; planes have none. */
static ct_vec3 support_sharp_shape(const ct_shape *shape, ct_vec3 d) {
  switch (shape->kind) {
  case CT_KIND_SPHERE: return ct_scale(ct_unit_or(d, ct_vec(0.0, 0.0, 1.0)), shape->sphere.radius);
  case CT_KIND_BOX: {
    ct_vec3 h = shape->box.half;
    return ct_vec(d.x >= 0.0 ? h.x : -h.x, d.y >= 0.0 ? h.y : -h.y, d.z >= 0.0 ? h.z : -h.z);
  }
  case CT_KIND_CAPSULE: return support_capsule(shape, d);
  case CT_KIND_CYLINDER: {
    double a = shape->cylinder.half_length;
    return support_circle(shape->cylinder.radius, d.z >= 0.0 ? a : -a, d);
  }
  case CT_KIND_CONE: return support_cone(shape, d);
  case CT_KIND_ELLIPSOID: return support_ellipsoid(shape->ellipsoid.radii, d);
  case CT_KIND_CONVEX:
    return ct_hull_vertex(ct_hull_get(shape->hull), ct_hull_support(shape->hull, d, 0));
  case CT_KIND_MESH:
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH: return ct_mesh_support(ct_mesh_get(shape->mesh), d);
  case CT_KIND_PLANE:
  case CT_KIND_COUNT: break;
  }
  return ct_vec(0.0, 0.0, 0.0);
}

ct_vec3 ct_shape_support(const ct_shape *shape, ct_vec3 d) {
  if (!ct_shape_is_valid(shape)) return ct_vec(0.0, 0.0, 0.0);
  ct_sharp_shape inner = ct_shape_sharp(shape);
  ct_vec3 p = support_sharp_shape(&inner.shape, d);
  if (inner.center_z != 0.0) p.z += inner.center_z;
  if (inner.radius == 0.0) return p;
  return ct_add_scaled(p, ct_unit_or(d, ct_vec(0.0, 0.0, 1.0)), inner.radius);
}

static void bound_capsule(const ct_shape *shape, ct_vec3 *center, double *radius) {
  ct_capsule_form c = ct_capsule_reduce(shape);
  *center = ct_vec(0.0, 0.0, 0.5 * (c.radius_top - c.radius_bottom));
  *radius = (c.top + 0.5 * (c.radius_top + c.radius_bottom)) * (1.0 + BALL_WIDENING);
}

/* The smallest ball through both end circles, or the larger circle's own ball if that contains
 * the other circle. */
static void bound_cone(const ct_shape *shape, ct_vec3 *center, double *radius) {
  double a = shape->cone.half_length, bottom = shape->cone.radius_bottom,
         top = shape->cone.radius_top;
  double z = (top - bottom) * (top + bottom) / (4.0 * a);
  z = z > a ? a : z < -a ? -a : z;
  *center = ct_vec(0.0, 0.0, z);
  *radius = ct_max2(ct_norm(ct_vec(top, 0.0, a - z)), ct_norm(ct_vec(bottom, 0.0, a + z))) *
            (1.0 + BALL_WIDENING);
}

/* Bounding ball of a shape without rounding radius and margin. */
static void bound_sharp_shape(const ct_shape *shape, ct_vec3 *center, double *radius) {
  *center = ct_vec(0.0, 0.0, 0.0);
  switch (shape->kind) {
  case CT_KIND_SPHERE: *radius = shape->sphere.radius; break;
  case CT_KIND_BOX: *radius = ct_norm(shape->box.half) * (1.0 + BALL_WIDENING); break;
  case CT_KIND_CAPSULE: bound_capsule(shape, center, radius); break;
  case CT_KIND_CYLINDER:
    *radius = ct_norm(ct_vec(shape->cylinder.radius, 0.0, shape->cylinder.half_length)) *
              (1.0 + BALL_WIDENING);
    break;
  case CT_KIND_CONE: bound_cone(shape, center, radius); break;
  case CT_KIND_ELLIPSOID: *radius = ct_max_abs(shape->ellipsoid.radii); break;
  case CT_KIND_CONVEX:
    *center = ct_hull_get(shape->hull)->centroid;
    *radius = ct_hull_get(shape->hull)->radius;
    break;
  case CT_KIND_MESH:
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH:
    *center = ct_mesh_get(shape->mesh)->centroid;
    *radius = ct_mesh_get(shape->mesh)->radius;
    break;
  case CT_KIND_PLANE:
  case CT_KIND_COUNT: *radius = INFINITY; break;
  }
}

void ct_shape_ball(const ct_shape *shape, ct_vec3 *center, double *radius) {
  *center = ct_vec(0.0, 0.0, 0.0);
  *radius = 0.0;
  if (!ct_shape_is_valid(shape)) return;
  if (ct_shape_is_plain(shape)) {
    bound_sharp_shape(shape, center, radius);
    return;
  }
  ct_sharp_shape inner = ct_shape_sharp(shape);
  bound_sharp_shape(&inner.shape, center, radius);
  center->z += inner.center_z;
  if (inner.radius > 0.0) *radius = (*radius + inner.radius) * (1.0 + BALL_WIDENING);
}

/* Round-off of a matrix entry made of a quaternion (<= 17 u: s, two products and a sum of terms
 * up to 2) and of a row times a vector (3 u), relative to the vector's components. The length of
 * a row's part across the axis errs by twice as much. */
#define ROTATION_BOUND (24.0 * CT_UNIT_ROUNDOFF)
/* Round-off of the sizes of a cone after its side was moved in: eight operations on terms no
 * larger than the sizes. */
#define INSET_BOUND (16.0 * CT_UNIT_ROUNDOFF)

/* True if the row is exactly a signed axis: its products are exact and need no allowance. */
static bool is_axis(ct_vec3 row) {
  return ct_max_abs(row) == 1.0 && (row.x != 0.0) + (row.y != 0.0) + (row.z != 0.0) == 1;
}

/* A double above x: the next one, or the one after the next. */
static double step_above(double x) { return x + (fabs(x) * 0x1p-52 + 0x1p-1074); }

/* a + b rounded up; add_rounding_down rounds down. */
static double add_rounding_up(double a, double b) {
  ct_dd s = ct_two_sum(a, b);
  return s.low > 0.0 ? step_above(s.high) : s.high;
}
static double add_rounding_down(double a, double b) { return -add_rounding_up(-a, -b); }

typedef struct span {
  double low, high;
} span;

/* Moves both ends out by `by`, rounded outward. */
static span widen_span(span s, double by) {
  return (span){add_rounding_down(s.low, -by), add_rounding_up(s.high, by)};
}

static span bound_box_along(const ct_shape *shape, ct_vec3 row) {
  ct_vec3 h = shape->box.half;
  double reach = fabs(row.x) * h.x + fabs(row.y) * h.y + fabs(row.z) * h.z;
  if (!is_axis(row)) reach += ROTATION_BOUND * (h.x + h.y + h.z);
  return (span){-reach, reach};
}

static span bound_capsule_along(const ct_shape *shape, ct_vec3 row) {
  double z = row.z * shape->capsule.half_length, top = shape->capsule.radius_top,
         bottom = shape->capsule.radius_bottom;
  span s = {ct_min2(add_rounding_down(z, -top), add_rounding_down(-z, -bottom)),
            ct_max2(add_rounding_up(z, top), add_rounding_up(-z, bottom))};
  return widen_span(s, is_axis(row) ? 0.0 : ROTATION_BOUND * shape->capsule.half_length);
}

/* Two circles about the axis. Each extends by its radius times the length of the row's part
 * across the axis. */
static span bound_circles_along(double a, double bottom, double top, ct_vec3 row) {
  double across = ct_norm(ct_vec(row.x, row.y, 0.0)), z = row.z * a;
  span s = {ct_min2(add_rounding_down(z, -top * across), add_rounding_down(-z, -bottom * across)),
            ct_max2(add_rounding_up(z, top * across), add_rounding_up(-z, bottom * across))};
  return widen_span(s, is_axis(row) ? 0.0 : ROTATION_BOUND * (a + 2.0 * ct_max2(bottom, top)));
}

static span bound_ellipsoid_along(ct_vec3 r, ct_vec3 row) {
  double reach = ct_norm(ct_vec(row.x * r.x, row.y * r.y, row.z * r.z));
  if (is_axis(row)) reach = fabs(row.x) * r.x + fabs(row.y) * r.y + fabs(row.z) * r.z;
  else reach += ROTATION_BOUND * (r.x + r.y + r.z);
  return (span){-reach, reach};
}

/* Extremes of row.v over all vertices, per SIMD lane. Padding repeats a vertex and changes
 * nothing. */
static span find_hull_extremes(const ct_hull_view *view, ct_vec3 row) {
  double low[CT_HULL_LANES], high[CT_HULL_LANES];
  for (uint32_t l = 0; l < CT_HULL_LANES; l++)
    low[l] = high[l] = row.x * view->x[l] + row.y * view->y[l] + row.z * view->z[l];
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

/* Extremes of vertices inside `box`, computed as s in doubles. If the row is an axis, the sides
 * of the box are exact: they are vertex coordinates. */
static span bound_vertices_along(const ct_aabb *box, span s, ct_vec3 row) {
  if (is_axis(row)) {
    double sign = row.x + row.y + row.z;
    double low = row.x != 0.0 ? box->min.x : row.y != 0.0 ? box->min.y : box->min.z;
    double high = row.x != 0.0 ? box->max.x : row.y != 0.0 ? box->max.y : box->max.z;
    return sign > 0.0 ? (span){low, high} : (span){-high, -low};
  }
  double size = ct_max2(fabs(box->min.x), fabs(box->max.x)) +
                ct_max2(fabs(box->min.y), fabs(box->max.y)) +
                ct_max2(fabs(box->min.z), fabs(box->max.z));
  return widen_span(s, ROTATION_BOUND * size);
}

static span bound_hull_along(const ct_hull_view *view, ct_vec3 row) {
  return bound_vertices_along(&view->box,
                              is_axis(row) ? (span){0.0, 0.0} : find_hull_extremes(view, row), row);
}

static span bound_mesh_along(const ct_mesh_view *view, ct_vec3 row) {
  span s = {0.0, 0.0};
  if (!is_axis(row)) {
    s.low = -ct_mesh_support_value(view, ct_neg(row));
    s.high = ct_mesh_support_value(view, row);
  }
  return bound_vertices_along(&view->box, s, row);
}

/* Span of a shape without rounding radius and margin about its own origin; not for planes. */
static span bound_sharp_along(const ct_shape *shape, ct_vec3 row) {
  switch (shape->kind) {
  case CT_KIND_BOX: return bound_box_along(shape, row);
  case CT_KIND_CAPSULE: return bound_capsule_along(shape, row);
  case CT_KIND_CYLINDER: {
    double radius = shape->cylinder.radius;
    return bound_circles_along(shape->cylinder.half_length, radius, radius, row);
  }
  case CT_KIND_CONE:
    return bound_circles_along(shape->cone.half_length, shape->cone.radius_bottom,
                               shape->cone.radius_top, row);
  case CT_KIND_ELLIPSOID: return bound_ellipsoid_along(shape->ellipsoid.radii, row);
  case CT_KIND_CONVEX: return bound_hull_along(ct_hull_get(shape->hull), row);
  case CT_KIND_MESH:
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH: return bound_mesh_along(ct_mesh_get(shape->mesh), row);
  case CT_KIND_SPHERE:
  case CT_KIND_PLANE:
  case CT_KIND_COUNT: break;
  }
  return (span){-shape->sphere.radius, shape->sphere.radius};
}

/* True if the normal is an axis to round-off. Such a half-space is bounded along the axis: the
 * tilt adds less than the round-off of the coordinates. */
static bool rounds_to_axis(ct_vec3 n) {
  return fabs(n.x) + fabs(n.y) + fabs(n.z) == 1.0 && ct_max_abs(n) == 1.0;
}

/* `along` is the component of the outward normal on the axis. */
static span bound_plane_along(ct_vec3 normal, double along, double position, double growth) {
  span s = {-INFINITY, INFINITY};
  if (rounds_to_axis(normal) && along == 1.0) s.high = add_rounding_up(position, growth);
  if (rounds_to_axis(normal) && along == -1.0) s.low = add_rounding_down(position, -growth);
  return s;
}

/* The inner sharp shape and the rounding's ball around it. Faces across an axis keep their exact
 * place: the span includes the original shape's own span. */
static span bound_inset_along(const ct_shape *shape, ct_vec3 row) {
  ct_sharp_shape inner = ct_shape_sharp(shape);
  span s = bound_sharp_along(&inner.shape, row);
  double z = row.z * inner.center_z;
  s = (span){add_rounding_down(z, s.low), add_rounding_up(z, s.high)};
  if (!is_axis(row)) s = widen_span(s, ROTATION_BOUND * fabs(inner.center_z));
  s = widen_span(s, shape->rounding);
  if (shape->kind == CT_KIND_CONE) {
    double size =
        shape->cone.half_length + ct_max2(shape->cone.radius_bottom, shape->cone.radius_top);
    return widen_span(s, INSET_BOUND * size);
  }
  if (!is_axis(row)) return s;
  span outer = bound_sharp_along(shape, row);
  return (span){ct_min2(s.low, outer.low), ct_max2(s.high, outer.high)};
}

static span bound_along_axis(const ct_shape *shape, const ct_frame *frame, ct_vec3 row,
                             double position) {
  if (shape->kind == CT_KIND_PLANE) {
    ct_vec3 normal = {frame->rotation.rx.z, frame->rotation.ry.z, frame->rotation.rz.z};
    return bound_plane_along(normal, row.z, position, ct_shape_growth(shape));
  }
  bool shrunk =
      shape->kind == CT_KIND_BOX || shape->kind == CT_KIND_CYLINDER || shape->kind == CT_KIND_CONE;
  bool kept = shape->kind == CT_KIND_SPHERE || shape->kind == CT_KIND_CAPSULE;
  span s;
  if (shape->inset && shape->rounding > 0.0 && shrunk) s = bound_inset_along(shape, row);
  else s = widen_span(bound_sharp_along(shape, row), shape->inset && kept ? 0.0 : shape->rounding);
  s = widen_span(s, shape->margin);
  return (span){add_rounding_down(position, s.low), add_rounding_up(position, s.high)};
}

ct_aabb ct_shape_aabb(const ct_shape *shape, const ct_frame *frame) {
  ct_frame room;
  if (!ct_shape_is_valid(shape)) return ct_aabb_empty();
  frame = ct_frame_or_unturned(frame, &room);
  span x = bound_along_axis(shape, frame, frame->rotation.rx, frame->position.x);
  span y = bound_along_axis(shape, frame, frame->rotation.ry, frame->position.y);
  span z = bound_along_axis(shape, frame, frame->rotation.rz, frame->position.z);
  return (ct_aabb){{x.low, y.low, z.low}, {x.high, y.high, z.high}};
}
