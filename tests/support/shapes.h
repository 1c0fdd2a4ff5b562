/* Shapes and poses from numbers, in the order of shape.h. */
#ifndef TESTS_SHAPES_H
#define TESTS_SHAPES_H

#include <contact/shape.h>

#include <stdlib.h>

static inline ct_shape sphere(double radius) {
  return (ct_shape){.kind = CT_KIND_SPHERE, .sphere = {radius}};
}
static inline ct_shape box(double x, double y, double z) {
  return (ct_shape){.kind = CT_KIND_BOX, .box = {{x, y, z}}};
}
static inline ct_shape capsule(double half, double bottom, double top) {
  return (ct_shape){.kind = CT_KIND_CAPSULE, .capsule = {half, bottom, top}};
}
static inline ct_shape cylinder(double radius, double half) {
  return (ct_shape){.kind = CT_KIND_CYLINDER, .cylinder = {.radius = radius, .half_length = half}};
}
static inline ct_shape cone(double half, double bottom, double top) {
  return (ct_shape){.kind = CT_KIND_CONE, .cone = {half, bottom, top}};
}
static inline ct_shape ellipsoid(double x, double y, double z) {
  return (ct_shape){.kind = CT_KIND_ELLIPSOID, .ellipsoid = {{x, y, z}}};
}
static inline ct_shape plane(void) { return (ct_shape){.kind = CT_KIND_PLANE}; }

/* The hull of points that must span a solid; the caller releases it. */
static inline ct_shape hull_shape(const ct_vec3 *points, size_t count) {
  ct_hull *hull = NULL;
  if (ct_hull_from_points(points, count, NULL, &hull, NULL) != CT_OK) abort();
  return (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
}
/* The box as a hull. */
static inline ct_shape hull_box(double x, double y, double z) {
  ct_vec3 p[8];
  for (int i = 0; i < 8; i++) p[i] = ct_vec(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
  return hull_shape(p, 8);
}

static inline ct_shape rounded(ct_shape s, bool inset, double rounding, double margin) {
  s.inset = inset;
  s.rounding = rounding;
  s.margin = margin;
  return s;
}

static inline ct_pose at(double x, double y, double z) {
  return (ct_pose){{x, y, z}, {0.0, 0.0, 0.0, 1.0}};
}
static inline ct_pose turned(ct_pose p, double x, double y, double z, double w) {
  p.rotation = (ct_quat){x, y, z, w};
  return p;
}

#endif
