/* Finds the span of a line in a convex shape, in the shape's frame, in closed form.
 *
 * Points of a line are o + s d. ray.c chooses o near the shape, so that all products have the
 * magnitude of the shape's size. Discriminants use Lagrange's identity, so that cancellation occurs
 * only in the difference whose sign decides whether the line misses. */
#ifndef RAY_RAY_CONVEX_H
#define RAY_RAY_CONVEX_H

#include "shape/tapered_capsule.h"

typedef struct ct_line {
  ct_vec3 o, d; /* point on the line, m; direction of approximately unit length */
} ct_line;

/* The interval of parameters s for which the line is in the shape: in <= out, infinite for
 * unbounded shapes. The normals at its ends are outward and not of unit length. */
typedef struct ct_line_span {
  double in, out;
  ct_vec3 normal_in, normal_out;
} ct_line_span;

/* Scales a direction by a power of two, without rounding, so that its largest component is between
 * 1 and 2. */
static inline ct_vec3 ct_ray_scaled(ct_vec3 direction) {
  int exponent;
  frexp(ct_max_abs(direction), &exponent);
  return ct_vec(ldexp(direction.x, 1 - exponent), ldexp(direction.y, 1 - exponent),
                ldexp(direction.z, 1 - exponent));
}

/* Each function sets *span. False: the line misses the shape. Cost: O(1), for hulls O(faces). */
bool ct_line_ball(const ct_line *line, double center_z, double radius, ct_line_span *span);
bool ct_line_box(const ct_line *line, ct_vec3 half, ct_line_span *span);
bool ct_line_capsule(const ct_line *line, const ct_capsule_form *capsule, ct_line_span *span);
/* Cylinder, cone or frustum between the planes z = -half_length and z = half_length. */
bool ct_line_frustum(const ct_line *line, double half_length, double radius_bottom,
                     double radius_top, ct_line_span *span);
bool ct_line_ellipsoid(const ct_line *line, ct_vec3 radii, ct_line_span *span);
bool ct_line_hull(const ct_line *line, const ct_hull_view *view, ct_line_span *span);
/* As above, for the half-space z <= height. */
bool ct_line_half_space(const ct_line *line, double height, ct_line_span *span);

#endif
