/* Curvature of a collider's surface at a contact point. A rounded shape has the form of its sharp
 * shape, plus its rounding radius in all tangential directions. Radii are those of the reverse
 * Weingarten map W: the surface point moves by W d when the unit normal changes by d (do Carmo
 * 1976, 3.2 and 3.3; W is the second derivative of the support function, Schneider 2014, 2.5). */
#include "mechanics/mechanics_curvature.h"

#include "manifold/supporting_face.h"
#include "shape/sharp_shape.h"

/* Least cosine of the angle, about the axis, between a point of a rim and the rim's support point
 * along the normal. It accepts round-off, and excludes the points a quarter turn away. */
#define RIM_AHEAD 0.9

/* Round-off of a point on a mesh relative to its coordinates, from a distance query and changes of
 * frame. */
#define BORDER_PART (256.0 * CT_UNIT_ROUNDOFF)

static ct_surface face_surface(void) { return (ct_surface){.form = CT_SURFACE_FACE}; }

/* Returns the surface of a sphere with the unit normal n; a point if the radius is 0. */
static ct_surface sphere_surface(double radius, ct_vec3 n) {
  ct_surface s = {.form = radius > 0.0 ? CT_SURFACE_CURVED : CT_SURFACE_POINT};
  s.radii.rx = ct_vec(radius * (1.0 - n.x * n.x), -radius * (n.x * n.y), -radius * (n.x * n.z));
  s.radii.ry = ct_vec(s.radii.rx.y, radius * (1.0 - n.y * n.y), -radius * (n.y * n.z));
  s.radii.rz = ct_vec(s.radii.rx.z, s.radii.ry.z, radius * (1.0 - n.z * n.z));
  return s;
}

/* Returns the surface of a straight edge. Its direction is projected to the tangent plane; if
 * nothing is left, the surface is a sphere. */
static ct_surface line_surface(ct_vec3 direction, double radius, ct_vec3 n) {
  ct_vec3 zero = ct_vec(0.0, 0.0, 0.0), unit = ct_unit_or(direction, zero);
  ct_vec3 across = ct_add_scaled(unit, n, -ct_dot(unit, n));
  if (ct_norm(across) <= CT_PARALLEL_ANGLE) return sphere_surface(radius, n);
  return (ct_surface){.form = CT_SURFACE_LINE, .line = ct_unit_or(across, zero), .radius = radius};
}

/* Adds the radius of curvature `bent` along a unit tangent. */
static void add_curvature_along(ct_surface *s, ct_vec3 tangent, double bent) {
  s->form = CT_SURFACE_CURVED;
  s->radii.rx = ct_add_scaled(s->radii.rx, tangent, bent * tangent.x);
  s->radii.ry = ct_add_scaled(s->radii.ry, tangent, bent * tangent.y);
  s->radii.rz = ct_add_scaled(s->radii.rz, tangent, bent * tangent.z);
}

/* ---- bodies of revolution, in their own frame about z ---------------------------------------- */

typedef struct spot {
  const ct_sharp_shape *inner;
  const ct_frame *frame;
  ct_vec3 outward;     /* unit normal of the surface, world */
  ct_vec3 point, n;    /* point on the sharp shape relative to its centre, and normal, both in the
                          shape's frame */
  double length, lean; /* length of the normal's component perpendicular to the axis; ratio of the
                          axial to the radial component of the side's normal */
} spot;

static ct_surface straight_line_surface(const spot *s, ct_vec3 local, double radius) {
  return line_surface(ct_mat_mul(s->frame->rotation, local), radius, s->outward);
}

/* Returns the surface at a rim, a circle about the axis. The circle's support function is its
 * radius times the length of the normal's component perpendicular to the axis, so W along the
 * circle is the radius divided by that length. In a cap's plane the length is zero, and the circle
 * is a straight edge to second order. */
static ct_surface rim_surface(const spot *s, double radius) {
  double r = ct_norm(ct_vec(s->point.x, s->point.y, 0.0));
  if (!(radius > 0.0 && r > 0.0)) return sphere_surface(s->inner->radius, s->outward);
  ct_vec3 tangent = ct_vec(-s->point.y / r, s->point.x / r, 0.0);
  double ahead = s->point.x * s->n.x + s->point.y * s->n.y;
  if (s->length <= CT_PARALLEL_ANGLE || ahead < RIM_AHEAD * r * s->length)
    return straight_line_surface(s, tangent, s->inner->radius);
  ct_surface form = sphere_surface(s->inner->radius, s->outward);
  add_curvature_along(&form, ct_mat_mul(s->frame->rotation, tangent), radius / s->length);
  return form;
}

/* Returns the surface at the side, which is straight along the meridian. Across it, the radius of
 * curvature is the distance to the axis along the normal. */
static ct_surface side_surface(const spot *s, double radius) {
  double radial = s->length > 0.0 ? 1.0 / s->length : 0.0;
  ct_vec3 along = ct_vec(-s->n.z * s->n.x * radial, -s->n.z * s->n.y * radial, s->length);
  return straight_line_surface(s, along, radius * radial + s->inner->radius);
}

static ct_surface frustum_surface(const spot *s, ct_feature feature, double half, double bottom,
                                  double top) {
  if (feature.kind == CT_FEATURE_FACE) return face_surface();
  if (feature.kind == CT_FEATURE_VERTEX) return sphere_surface(s->inner->radius, s->outward);
  if (feature.kind == CT_FEATURE_EDGE) return rim_surface(s, feature.index ? top : bottom);
  double tilt = s->n.z - s->lean * s->length,
         slope = sqrt(1.0 + s->lean * s->lean); /* 1 / cosine of the side's inclination: tilt /
                                                   slope is the sine of the angle from the side's
                                                   normal */
  if (fabs(tilt) <= CT_PARALLEL_ANGLE * slope) {
    double part = ct_min2(ct_max2(0.5 + 0.5 * s->point.z / half, 0.0), 1.0);
    return side_surface(s, bottom + part * (top - bottom));
  }
  bool upper = tilt > 0.0;
  if (s->length <= CT_PARALLEL_ANGLE && (s->n.z > 0.0) == upper && (upper ? top : bottom) > 0.0)
    return face_surface();
  return rim_surface(s, upper ? top : bottom);
}

/* Returns the surface of a capsule: two balls and the cone between them, without rounding. */
static ct_surface tapered_capsule_surface(const spot *s, ct_feature feature, double half,
                                          double bottom, double top) {
  double sine = (bottom - top) / (2.0 * half), tilt = s->n.z - sine;
  bool ball = feature.kind == CT_FEATURE_VERTEX;
  if (feature.kind == CT_FEATURE_SMOOTH) ball = fabs(tilt) > CT_PARALLEL_ANGLE;
  bool upper = feature.kind == CT_FEATURE_VERTEX ? feature.index == 1 : tilt > 0.0;
  if (ball || !(s->length > 0.0)) return sphere_surface(upper ? top : bottom, s->outward);
  return side_surface(s, ct_norm(ct_vec(s->point.x, s->point.y, 0.0)));
}

static ct_surface revolved_surface(const ct_sharp_shape *inner, const ct_frame *frame,
                                   ct_feature feature, ct_vec3 point, ct_vec3 outward) {
  spot s = {.inner = inner, .frame = frame, .outward = outward};
  s.n = ct_mat_tmul(frame->rotation, outward);
  s.point = ct_add_scaled(ct_to_local(*frame, point), s.n, -inner->radius);
  s.point.z -= inner->center_z;
  s.length = ct_norm(ct_vec(s.n.x, s.n.y, 0.0));
  const ct_shape *shape = &inner->shape;
  if (shape->kind == CT_KIND_CAPSULE)
    return tapered_capsule_surface(&s, feature, shape->capsule.half_length,
                                   shape->capsule.radius_bottom, shape->capsule.radius_top);
  if (shape->kind == CT_KIND_CYLINDER)
    return frustum_surface(&s, feature, shape->cylinder.half_length, shape->cylinder.radius,
                           shape->cylinder.radius);
  double half = shape->cone.half_length, bottom = shape->cone.radius_bottom,
         top = shape->cone.radius_top;
  s.lean = (bottom - top) / (2.0 * half);
  return frustum_surface(&s, feature, half, bottom, top);
}

/* ---- other shapes ---------------------------------------------------------------------------- */

/* Returns the surface of an ellipsoid. With the semi-axes as the diagonal matrix S, and k = S n: W
 * = S (1 - k k' / |k|^2) S / |k|, the second derivative of the support function |k|. */
static ct_surface ellipsoid_surface(const ct_sharp_shape *inner, const ct_frame *frame,
                                    ct_vec3 outward) {
  ct_vec3 s = inner->shape.ellipsoid.radii, n = ct_mat_tmul(frame->rotation, outward);
  ct_vec3 k = ct_vec(s.x * n.x, s.y * n.y, s.z * n.z);
  double length = ct_norm(k);
  ct_vec3 unit = ct_unit_or(k, n), v = ct_vec(s.x * unit.x, s.y * unit.y, s.z * unit.z);
  ct_mat3 w = {{s.x * s.x - v.x * v.x, -v.x * v.y, -v.x * v.z},
               {-v.y * v.x, s.y * s.y - v.y * v.y, -v.y * v.z},
               {-v.z * v.x, -v.z * v.y, s.z * s.z - v.z * v.z}};
  ct_mat3 r = frame->rotation;
  w = (ct_mat3){ct_scale(w.rx, 1.0 / length), ct_scale(w.ry, 1.0 / length),
                ct_scale(w.rz, 1.0 / length)};
  w = ct_mat_mat(ct_mat_mat(r, w), ct_mat_transpose(r));
  ct_surface form = sphere_surface(inner->radius, outward);
  form.form = CT_SURFACE_CURVED;
  form.radii.rx = ct_add(form.radii.rx, w.rx);
  form.radii.ry = ct_add(form.radii.ry, ct_vec(w.rx.y, w.ry.y, w.ry.z));
  form.radii.rz = ct_add(form.radii.rz, ct_vec(w.rx.z, w.ry.z, w.rz.z));
  return form;
}

/* Returns vertex k of a triangle in the mesh's orientation: the vertices of a mesh that was given
 * inside out are read in reverse order. */
static ct_vec3 mesh_corner(const ct_mesh_view *mesh, uint32_t triangle, uint32_t k) {
  return mesh->vertices[mesh->triangles[triangle][mesh->flipped && k > 0 ? 3 - k : k]];
}

/* Returns the direction of an edge of a box, hull or mesh, in the shape's frame; not normalised. */
static ct_vec3 surface_edge(const ct_shape *shape, uint32_t index) {
  if (shape->kind == CT_KIND_BOX)
    return ct_vec(index / 4 == 0 ? 1.0 : 0.0, index / 4 == 1 ? 1.0 : 0.0,
                  index / 4 == 2 ? 1.0 : 0.0);
  if (shape->kind == CT_KIND_CONVEX) {
    const ct_hull_view *hull = ct_hull_get(shape->hull);
    uint32_t p = hull->edge_vertices[index][0], q = hull->edge_vertices[index][1];
    return ct_vec(hull->x[q] - hull->x[p], hull->y[q] - hull->y[p], hull->z[q] - hull->z[p]);
  }
  const ct_mesh_view *mesh = ct_mesh_get(shape->mesh);
  return ct_sub(mesh_corner(mesh, index / 3, (index + 1) % 3),
                mesh_corner(mesh, index / 3, index % 3));
}

/* Returns the feature of a mesh that contains a point reported on a triangle. If the normal is not
 * that of the triangle, the point is on its border: at a vertex, or on the nearest edge. */
static ct_feature find_border_feature(const ct_shape *shape, uint32_t triangle, ct_vec3 point,
                                      ct_vec3 n) {
  const ct_mesh_view *mesh = ct_mesh_get(shape->mesh);
  if (ct_norm(ct_cross(ct_mesh_normal(shape->mesh, triangle), n)) <= CT_PARALLEL_ANGLE)
    return (ct_feature){CT_FEATURE_FACE, triangle};
  ct_vec3 v[3];
  for (uint32_t k = 0; k < 3; k++) v[k] = mesh_corner(mesh, triangle, k);
  double slack = BORDER_PART * (mesh->radius + ct_norm(mesh->centroid) + ct_norm(point)),
         nearest = INFINITY;
  ct_feature feature = {CT_FEATURE_VERTEX, 0};
  for (uint32_t k = 0; k < 3; k++)
    if (ct_norm(ct_sub(point, v[k])) <= slack) return feature;
  for (uint32_t k = 0; k < 3; k++) {
    ct_vec3 d = ct_unit_or(ct_sub(v[(k + 1) % 3], v[k]), n);
    double away = ct_norm(ct_cross(d, ct_sub(point, v[k])));
    if (away < nearest) feature = (ct_feature){CT_FEATURE_EDGE, 3 * triangle + k};
    nearest = ct_min2(nearest, away);
  }
  return feature;
}

static ct_surface polyhedral_surface(const ct_sharp_shape *inner, const ct_frame *frame,
                                     ct_feature feature, ct_vec3 point, ct_vec3 outward) {
  if (ct_kind_is_mesh(inner->shape.kind) && feature.kind == CT_FEATURE_FACE) {
    ct_vec3 n = ct_mat_tmul(frame->rotation, outward);
    feature = find_border_feature(&inner->shape, feature.index,
                                  ct_add_scaled(ct_to_local(*frame, point), n, -inner->radius), n);
  }
  switch (feature.kind) {
  case CT_FEATURE_FACE: return face_surface();
  case CT_FEATURE_EDGE:
    return line_surface(ct_mat_mul(frame->rotation, surface_edge(&inner->shape, feature.index)),
                        inner->radius, outward);
  case CT_FEATURE_VERTEX:
  case CT_FEATURE_SMOOTH: break;
  }
  return sphere_surface(inner->radius, outward);
}

ct_surface ct_surface_at(const ct_shape *shape, const ct_frame *frame, ct_feature feature,
                         ct_vec3 point, ct_vec3 outward) {
  ct_sharp_shape inner = ct_shape_sharp(shape);
  switch (inner.shape.kind) {
  case CT_KIND_SPHERE: return sphere_surface(inner.shape.sphere.radius, outward);
  case CT_KIND_PLANE: return face_surface();
  case CT_KIND_ELLIPSOID: return ellipsoid_surface(&inner, frame, outward);
  case CT_KIND_CAPSULE:
  case CT_KIND_CYLINDER:
  case CT_KIND_CONE: return revolved_surface(&inner, frame, feature, point, outward);
  case CT_KIND_BOX:
  case CT_KIND_CONVEX:
  case CT_KIND_MESH:
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH:
  case CT_KIND_COUNT: break;
  }
  return polyhedral_surface(&inner, frame, feature, point, outward);
}
