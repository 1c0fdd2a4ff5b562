/* Ray queries inside the engine: barycentric coordinates of a hit, hits near the first one, and
 * crossings.
 *
 * Rays are those of ct_mesh_ray_first. ct_line_place_compare requires origin and direction as
 * ct_mesh_ray_flush returns them. */
#ifndef MESH_MESH_RAY_H
#define MESH_MESH_RAY_H

#include "triangle/line_crossing.h"

#include <contact/mesh.h>

/* Barycentric coordinates of a ray's intersection with a triangle. */
typedef struct ct_mesh_weights {
  double weight[3]; /* weight of each vertex, in the given order; each >= 0, their sum 1 to
                       round-off */
  int zero;         /* bit k is set if weight k is exactly zero */
  double t;         /* parameter along the ray */
  ct_vec3 point;
} ct_mesh_weights;

/* Computes the barycentric coordinates of a ray's intersection with a triangle that
 * ct_mesh_ray_first or ct_mesh_ray_all has reported with a nonzero side. Each weight is accurate to
 * a few u (unit round-off), also for needles. */
void ct_mesh_ray_weights(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, uint32_t triangle,
                         ct_mesh_weights *out);

/* Scales the direction by a power of two so that its largest component is in [1, 2), and sets
 * components of origin and direction below the exactness range to zero. The ray parameter t is then
 * the caller's times 2^*exponent. False: invalid ray. */
bool ct_mesh_ray_flush(ct_vec3 *origin, ct_vec3 *direction, int *exponent);

/* A ray up to the parameter t_max, and the range `same` of parameters behind the first hit within
 * which hits are reported. */
typedef struct ct_ray_range {
  ct_vec3 origin, direction;
  double t_max, same;
} ct_ray_range;

/* Writes the hits of the mesh with t <= (t of the first hit) + near->same, sorted by (t, triangle),
 * and returns their number. If it exceeds `room`, *out is unusable. One traversal of the BVH. */
size_t ct_mesh_ray_near(const ct_mesh *mesh, const ct_ray_range *near, ct_mesh_hit *out,
                        size_t room);

/* Returns the location of a hit: the vertex, edge or triangle that contains it. The hit must have a
 * nonzero side. */
ct_line_place ct_mesh_hit_place(const ct_mesh *mesh, const ct_mesh_hit *hit);

/* Computes where a line in the plane of the triangle at `position` (in the order of leaves) enters
 * and leaves the triangle. Returns the number of places written, 0 to 2; one place, or two equal
 * ones, mean a single point. Decided exactly. */
int ct_mesh_line_span(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, uint32_t position,
                      ct_line_place out[2]);

/* Returns how a line displaced by an infinitesimal sense * (e, e^2, e^3) crosses the triangle of a
 * hit: +1 enters through its front, -1 leaves through its back, 0 misses it. A displaced line
 * crosses no vertex and no edge, so the sum over all triangles hit in one point is exactly the
 * change of the winding number. Simulation of simplicity: Edelsbrunner, Muecke 1990. */
int ct_mesh_ray_passage(const ct_mesh *mesh, ct_vec3 direction, const ct_mesh_hit *hit, int sense);

/* As ct_mesh_side_of; in addition sets *turns to the winding number of p, or to 0 if p is on a
 * triangle. */
ct_mesh_side ct_mesh_side_turns(const ct_mesh *mesh, ct_vec3 p, uint32_t *triangle, int *turns);

#endif
