/* A ray through a mesh from place to place: which triangles it meets in one point, and whether it
 * is in the solid before and after.
 *
 * Places are in exact order, and triangles are at one place when they are met in exactly one point.
 * Before and after are the open parts of the line up to the next places: there the line is in a
 * triangle's plane and within it, which counts as inside, or in the winding number's solid. The
 * line is taken exactly as given, in the mesh's frame.
 */
#ifndef RAY_RAY_MESH_CROSSINGS_H
#define RAY_RAY_MESH_CROSSINGS_H

#include "mesh/mesh_ray.h"

#include <contact/pair.h>

/* What a triangle is to a place: the ray passes it there, or comes to it or leaves it in its plane.
 */
typedef enum ct_ray_event_kind { CT_RAY_PASSES, CT_RAY_BEGINS, CT_RAY_ENDS } ct_ray_event_kind;

typedef struct ct_ray_event {
  double t;
  uint32_t hit; /* index */
  ct_ray_event_kind kind;
} ct_ray_event;

/* Grows in the workspace. */
typedef struct ct_ray_scratch {
  ct_mesh_hit *hits;
  size_t capacity;
  ct_ray_event *events;
  size_t event_capacity;
} ct_ray_scratch;

void ct_ray_scratch_free(ct_ray_scratch *memory);

typedef struct ct_ray_walk {
  const ct_mesh *mesh;
  ct_vec3 origin, direction; /* as ct_mesh_ray_flush leaves them, t for this direction */
  double same;               /* t that differ by more are in this order: 2 errors of t and more */
  const ct_mesh_hit *hits;
  size_t hit_count;
  const ct_ray_event *events; /* in exact order */
  size_t event_count, next;
  int turns; /* how often the mesh winds around the line, moved aside infinitely little, before the
                next place */
  uint32_t within; /* triangles that the line runs in before the next place */
} ct_ray_walk;

/* Events at one place: [begin, end) of the walk's. */
typedef struct ct_ray_stop {
  size_t begin, end;
  double t;
  bool inside_before, inside_after; /* of a solid */
  bool within_before, within_after; /* does the line run in triangles? */
} ct_ray_stop;

/* Hits up to t_max, or those near the first one, which is enough for its place: `near`. The walk
 * borrows the workspace's ray memory. False: out of memory. For a solid `turns` is set before or
 * after, by one of the next two. */
bool ct_ray_walk_open(ct_ray_walk *walk, double t_max, bool near, ct_workspace *workspace);

/* The winding number before the first place of a solid, from the place of the origin. False: the
 * origin is on the surface, which takes all hits of the ray: ct_ray_walk_sum. */
bool ct_ray_walk_start(ct_ray_walk *walk);

/* The same from all hits of the ray, up to INFINITY: there the ray is outside. */
void ct_ray_walk_sum(ct_ray_walk *walk);

/* The next place; false: there is none. */
bool ct_ray_walk_next(ct_ray_walk *walk, ct_ray_stop *stop);

#endif
