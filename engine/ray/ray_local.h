/* A ray in the frame of a shape, and the crossings made from it; shared by the ray files. */
#ifndef RAY_RAY_LOCAL_H
#define RAY_RAY_LOCAL_H

#include "ray/ray_convex.h"

#include <contact/ray.h>

typedef struct ct_local_ray {
  ct_line line;
  double start;   /* parameter of line.o on the world's line, which starts at the ray's origin */
  double length;  /* length of the world's direction: distance = (start + s) length */
  ct_vec3 middle; /* centre of the bounding ball, local */
  double radius;
} ct_local_ray;

/* Crossings with a mesh; arguments and result as ct_ray_cross. The line must not miss the bounding
 * ball. */
size_t ct_ray_cross_mesh(const ct_ray *ray, ct_placed shape, const ct_local_ray *local,
                         ct_workspace *workspace, ct_ray_crossing *out, size_t room);

/* Makes the crossing at a surface point: sets all but `entering` and `triangle`. False: behind the
 * origin or out of reach. */
bool ct_ray_crossing_at(const ct_ray *ray, const ct_frame *frame, double distance, ct_vec3 local,
                        ct_ray_crossing *out);
/* Sets the crossing's normal from a local normal of any length. */
void ct_ray_crossing_normal(const ct_frame *frame, ct_vec3 normal, ct_ray_crossing *out);

#endif
