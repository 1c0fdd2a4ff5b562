/* What else a ray tells of a triangle that it meets.
 */
#ifndef SHAPE_MESH_RAY_H
#define SHAPE_MESH_RAY_H

#include <contact/mesh.h>

/* A point of a triangle by what its corners weigh in it. */
typedef struct ct_mesh_weights {
  double weight[3]; /* of the corners in the order in which the triangle was given; each >= 0, their sum 1 to round-off */
  int zero;         /* bit k: corner k weighs nothing, exactly */
  double t;         /* along the ray */
  ct_vec3 point;
} ct_mesh_weights;

/* Where a ray passes a triangle, by its number, that ct_mesh_ray_first or ct_mesh_ray_all says it meets with a side that is not 0:
 * right to some u of each weight, for needles too. */
void ct_mesh_ray_weights(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, uint32_t triangle, ct_mesh_weights *out);

#endif
