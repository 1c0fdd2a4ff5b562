/* Closest point on a triangle of any aspect ratio. */
#ifndef TRIANGLE_TRIANGLE_CLOSEST_POINT_H
#define TRIANGLE_TRIANGLE_CLOSEST_POINT_H

#include <contact/vec.h>

typedef struct ct_triangle_near {
  double distance2; /* squared distance, m^2: accurate to a few u if it exceeds the coordinates'
                       round-off */
  ct_vec3 point;    /* in the triangle to round-off */
} ct_triangle_near;

/* Uses only coordinate differences, so a common offset costs no digits. Triangles that share the
 * edge or vertex with the closest point give the same bits. Cost: about 100 flops; about 1500
 * for needles with p over their inside. */
ct_triangle_near ct_triangle_nearest(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 p);

#endif
