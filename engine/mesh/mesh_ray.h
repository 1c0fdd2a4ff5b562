/* Ray queries inside the engine: crossings at a hit triangle, and the hits near the first one.
 *
 * Rays are those of ct_mesh_ray_first. ct_line_place_compare needs origin and direction as
 * ct_mesh_ray_flush scales them.
 */
#ifndef MESH_MESH_RAY_H
#define MESH_MESH_RAY_H

#include "triangle/line_crossing.h"

#include <contact/mesh.h>

/* Barycentric coordinates of a point of a triangle. */
typedef struct ct_mesh_weights {
  double weight[3]; /* per corner in the given order; each >= 0, their sum 1 to round-off */
  int zero;         /* bit k: weight k is exactly zero */
  double t;         /* along the ray */
  ct_vec3 point;
} ct_mesh_weights;

/* Intersection of a ray with a triangle reported by ct_mesh_ray_first or ct_mesh_ray_all with a
 * nonzero side. Each weight is accurate to a few u, also for needles. */
void ct_mesh_ray_weights(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, uint32_t triangle,
                         ct_mesh_weights *out);

/* Scales the direction by a power of two so that its largest component is in [1, 2), and flushes
 * components below the exactness range to zero. t is then the caller's times 2^*exponent. False:
 * invalid ray. */
bool ct_mesh_ray_flush(ct_vec3 *origin, ct_vec3 *direction, int *exponent);

/* A ray up to t_max that reports only hits with t <= first hit's t + same. */
typedef struct ct_ray_range {
  ct_vec3 origin, direction;
  double t_max, same;
} ct_ray_range;

/* Returns these hits sorted by (t, triangle), as ct_mesh_ray_all. A result above room: more hits
 * exist and out is unusable. One descent of the BVH. */
size_t ct_mesh_ray_near(const ct_mesh *mesh, const ct_ray_range *near, ct_mesh_hit *out,
                        size_t room);

/* Location of the hit: vertex, edge or interior. Requires a nonzero side. */
ct_line_place ct_mesh_hit_place(const ct_mesh *mesh, const ct_mesh_hit *hit);

/* Entry and exit of a line that is in the plane of the triangle at `position`. Two equal places or
 * one mean a single point. Returns their number. Exact. */
int ct_mesh_line_span(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, uint32_t position,
                      ct_line_place out[2]);

/* Crossing of a line perturbed by an infinitesimal sense * (e, e^2, e^3): +1 enters through the
 * triangle's front, -1 leaves through its back, 0 misses it. A perturbed line crosses no vertex
 * and no edge. The sum over all triangles hit in one point is exactly the change of the winding
 * number. Simulation of simplicity: Edelsbrunner, Muecke 1990. */
int ct_mesh_ray_passage(const ct_mesh *mesh, ct_vec3 direction, const ct_mesh_hit *hit, int sense);

/* As ct_mesh_side_of; *turns is the winding number of a point on no triangle, else 0. */
ct_mesh_side ct_mesh_side_turns(const ct_mesh *mesh, ct_vec3 p, uint32_t *triangle, int *turns);

#endif
