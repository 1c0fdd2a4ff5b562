/* Traversal of the stops of a ray in a mesh. A stop is a point in which the ray hits one or more
 * triangles; the traversal provides these triangles, and whether the ray is in the solid before and
 * after the stop.
 *
 * Stops are in exact order; triangles share a stop if the ray hits them in exactly one point.
 * "Before" and "after" denote the open intervals to the neighbouring stops. In an interval the line
 * is inside if it runs in a triangle's plane within the triangle, or if the winding number is at
 * least 1. The line is taken as exact in the mesh's frame. */
#ifndef RAY_RAY_MESH_CROSSINGS_H
#define RAY_RAY_MESH_CROSSINGS_H

#include "mesh/mesh_ray.h"
#include "pair/workspace.h"

#include <contact/pair.h>

/* Event of a triangle at a stop: the ray passes through the triangle, or an interval in which it
 * runs within a coplanar triangle begins or ends. */
typedef enum ct_ray_event_kind { CT_RAY_PASSES, CT_RAY_BEGINS, CT_RAY_ENDS } ct_ray_event_kind;

typedef struct ct_ray_event {
  double t;
  uint32_t hit; /* index into `hits` */
  ct_ray_event_kind kind;
} ct_ray_event;

/* Scratch lists, owned by the workspace. */
typedef struct ct_ray_scratch {
  ct_mesh_hit *hits;
  size_t capacity;
  ct_ray_event *events;
  size_t event_capacity;
} ct_ray_scratch;

/* Type of the workspace's memory for ray queries. */
extern const ct_workspace_part_type ct_ray_part_type;
static inline ct_ray_scratch *ct_workspace_ray(ct_workspace *workspace) {
  return ct_workspace_part_of(workspace, CT_SLOT_RAY, &ct_ray_part_type);
}

typedef struct ct_ray_walk {
  const ct_mesh *mesh;
  ct_vec3 origin,
      direction; /* as ct_mesh_ray_flush returns them; all parameters t refer to this direction */
  double same;   /* two values of t that differ by more are certainly in this order: at least twice
                    the error of t */
  const ct_mesh_hit *hits;
  size_t hit_count;
  const ct_ray_event *events; /* [event_count] in exact order along the ray */
  size_t event_count, next;
  int turns; /* winding number before the next stop, along an infinitesimally displaced line */
  uint32_t within; /* number of coplanar triangles that contain the line before the next stop */
} ct_ray_walk;

/* Events at one stop: indices [begin, end) of walk->events. */
typedef struct ct_ray_stop {
  size_t begin, end;
  double t;
  bool inside_before, inside_after; /* the line is in the solid before the stop; after it */
  bool within_before,
      within_after; /* the line is in a coplanar triangle before the stop; after it */
} ct_ray_stop;

/* Starts a traversal of all hits up to t_max or, with `near`, only of the hits near the first one,
 * which are enough for its stop. The hits are in the workspace's ray memory. False: out of memory.
 * For a solid, then set `turns` by ct_ray_walk_start or ct_ray_walk_sum. */
bool ct_ray_walk_open(ct_ray_walk *walk, double t_max, bool near, ct_workspace *workspace);

/* Sets the winding number before the first stop from the position of the origin. False: the origin
 * is on the surface; use ct_ray_walk_sum instead. */
bool ct_ray_walk_start(ct_ray_walk *walk);

/* Sets the winding number before the first stop from all hits up to infinity, where the line is
 * outside. */
void ct_ray_walk_sum(ct_ray_walk *walk);

/* Advances to the next stop. False: there is none. */
bool ct_ray_walk_next(ct_ray_walk *walk, ct_ray_stop *stop);

#endif
