/* A ray in a mesh's frame, and where its crossings go: for the files about rays and meshes. */
#ifndef RAY_RAY_MESH_H
#define RAY_RAY_MESH_H

#include "ray/ray_local.h"

typedef struct ct_mesh_ray {
  const ct_ray *ray;
  ct_placed shape;
  const ct_mesh *mesh;
  ct_vec3 origin, direction; /* local, as ct_mesh_ray_flush leaves them */
  double before;             /* distance of that origin from the ray's, m */
  double length;             /* of the direction: distance = before + t length */
  double t_max;              /* the reach, with room for rounding */
  double same;               /* t that differ by more are in this order */
  double end;                /* where the ray is past the mesh's ball */
} ct_mesh_ray;

typedef struct ct_ray_crossing_list {
  ct_ray_crossing *out;
  size_t room, count;
  double last;  /* distance of the last one */
  bool entered; /* by the last one */
} ct_ray_crossing_list;

void ct_ray_crossing_add(ct_ray_crossing_list *list, const ct_ray_crossing *crossing);

/* Crossings with the surface of the points no farther than `growth` from a mesh: to round-off, with
 * ITERATION_LIMIT where it takes too many steps. */
void ct_ray_cross_grown(const ct_mesh_ray *m, double growth, ct_ray_crossing_list *list);

#endif
