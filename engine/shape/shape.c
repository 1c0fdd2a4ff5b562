/* Shapes: names of kinds, reference counts, support functions and bounding balls, in closed form
 * per kind.
 *
 * AABBs: shape_aabb.c; mass properties: shape_mass.c; hulls: engine/hull. A capsule of two radii is
 * the convex hull of two balls; if one ball contains the other, the shape is the larger ball.
 * Rounding and margin are a Minkowski sum with a ball.
 */
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

/* Farthest point along d of a shape without rounding and margin; planes have none. */
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

/* Bounding ball of a shape without rounding and margin. */
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
  ct_sharp_shape inner = ct_shape_sharp(shape);
  bound_sharp_shape(&inner.shape, center, radius);
  center->z += inner.center_z;
  if (inner.radius > 0.0) *radius = (*radius + inner.radius) * (1.0 + BALL_WIDENING);
}
