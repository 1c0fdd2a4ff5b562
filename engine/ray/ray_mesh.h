/* A ray in a mesh's frame, and the list of its crossings; shared by the mesh ray files. */
#ifndef RAY_RAY_MESH_H
#define RAY_RAY_MESH_H

#include "ray/ray_local.h"

typedef struct ct_mesh_ray {
  const ct_ray *ray;
  ct_placed shape;
  const ct_mesh *mesh;
  ct_vec3 origin, direction; /* local, as ct_mesh_ray_flush returns them */
  double before;             /* distance of this origin from the ray's origin, m */
  double length;             /* length of the direction: distance = before + t length */
  double t_max;              /* largest t: the reach plus round-off */
  double same;               /* differences of t above this are certain in sign */
  double end;                /* t at which the ray leaves the mesh's bounding ball */
} ct_mesh_ray;

typedef struct ct_ray_crossing_list {
  ct_ray_crossing *out;
  size_t room, count;
  double last;  /* distance of the last crossing */
  bool entered; /* the last crossing entered */
} ct_ray_crossing_list;

/* Adds a crossing. A crossing that leaves at the distance of the last entry is a tangent: both are
 * dropped. */
void ct_ray_crossing_add(ct_ray_crossing_list *list, const ct_ray_crossing *crossing);

/* Crossings with a mesh enlarged by `growth`, to round-off; status CT_PAIR_ITERATION_LIMIT after
 * too many steps. */
void ct_ray_cross_grown(const ct_mesh_ray *m, double growth, ct_ray_crossing_list *list);

#endif
