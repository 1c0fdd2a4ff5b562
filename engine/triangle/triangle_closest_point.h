/* The point of a triangle that is nearest to a given one, for triangles of any form. */
#ifndef TRIANGLE_TRIANGLE_CLOSEST_POINT_H
#define TRIANGLE_TRIANGLE_CLOSEST_POINT_H

#include <contact/vec.h>

typedef struct ct_triangle_near {
  double distance2; /* square of the distance, m^2: right to some u where the distance is not lost in the coordinates' round-off */
  ct_vec3 point;    /* in the triangle to round-off */
} ct_triangle_near;

/* Only differences of coordinates enter the distance, so a common offset costs no digits. Triangles that share the edge or vertex
 * in which the nearest point lies give the same bits. Cost: about 100 flops; needles over whose inside p lies some 1500. */
ct_triangle_near ct_triangle_nearest(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 p);

#endif
