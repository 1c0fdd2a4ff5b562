/* A ray in the frame of a shape, and functions that make crossings from it; shared by the files of
 * this folder. */
#ifndef RAY_RAY_LOCAL_H
#define RAY_RAY_LOCAL_H

#include "ray/ray_convex.h"

#include <contact/ray.h>

typedef struct ct_local_ray {
  ct_line line;
  double start;   /* parameter of line.o on the given ray, whose parameter is 0 at its origin */
  double length;  /* length of the given direction: distance from the origin = (start + s) length */
  ct_vec3 middle; /* centre of the bounding ball in the shape's frame, m */
  double radius;
} ct_local_ray;

/* Replaces negative zeros by zeros, so that no result contains one. */
static inline ct_vec3 ct_ray_positive_zeros(ct_vec3 v) {
  return ct_vec(v.x + 0.0, v.y + 0.0, v.z + 0.0);
}

/* Makes the crossing at a surface point `local` in the shape's frame: sets all members but normal,
 * `entering` and `triangle`. False: the point is behind the origin or beyond the ray's reach. */
static inline bool ct_ray_crossing_at(const ct_ray *ray, const ct_frame *frame, double distance,
                                      ct_vec3 local, ct_ray_crossing *out) {
  if (!(distance >= 0.0 && distance <= ray->reach && distance < INFINITY)) return false;
  *out = (ct_ray_crossing){
      .distance = distance + 0.0, .triangle = CT_NO_TRIANGLE, .status = CT_PAIR_OK};
  out->position = ct_ray_positive_zeros(ct_to_parent(*frame, local));
  return true;
}

/* Sets the crossing's unit normal in the world from a normal of any length in the shape's frame. */
static inline void ct_ray_crossing_normal(const ct_frame *frame, ct_vec3 normal,
                                          ct_ray_crossing *out) {
  ct_vec3 unit = ct_unit_or(normal, ct_vec(0.0, 0.0, 1.0));
  out->normal = ct_ray_positive_zeros(ct_unit_or(ct_mat_mul(frame->rotation, unit), unit));
}

#endif
