/* Closest point on a triangle of any aspect ratio. */
#ifndef TRIANGLE_TRIANGLE_CLOSEST_POINT_H
#define TRIANGLE_TRIANGLE_CLOSEST_POINT_H

#include <contact/vec.h>

typedef struct ct_triangle_near {
  double distance2; /* squared distance, m^2; relative error of a few unit round-offs if it exceeds
                       the round-off of the coordinates */
  ct_vec3 point;    /* closest point, in the triangle up to round-off */
} ct_triangle_near;

/* Returns the closest point of triangle abc to p. Only coordinate differences are used, so that a
 * common offset costs no accuracy. Triangles that share the edge or vertex with the closest point
 * give bit-identical results. Cost: about 100 flops; about 1500 for needles with p above their
 * interior. */
ct_triangle_near ct_triangle_nearest(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 p);

#endif
