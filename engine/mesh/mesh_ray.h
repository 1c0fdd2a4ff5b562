/* Rays against a mesh, for the engine: what a ray does at a triangle that it meets, and the hits
 * near the first.
 *
 * The ray is the one that ct_mesh_ray_first takes; ct_line_place_compare needs its numbers as
 * ct_mesh_ray_flush leaves them.
 */
#ifndef MESH_MESH_RAY_H
#define MESH_MESH_RAY_H

#include "triangle/line_crossing.h"

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

/* Sets what is below the exactness range to zero, of the direction when its largest component has
 * been brought to 1 to 2 by a power of two: t is then the caller's times 2^*exponent. False: no
 * such ray. */
bool ct_mesh_ray_flush(ct_vec3 *origin, ct_vec3 *direction, int *exponent);

/* A ray up to t_max, of which only the first hits are wanted: those with t <= the first one's +
 * same. */
typedef struct ct_ray_range {
  ct_vec3 origin, direction;
  double t_max, same;
} ct_ray_range;

/* The wanted hits in the order of (t, triangle), as ct_mesh_ray_all has them. A result above room:
 * the number is only known to be larger, and out is not usable. One descent. */
size_t ct_mesh_ray_near(const ct_mesh *mesh, const ct_ray_range *near, ct_mesh_hit *out, size_t room);

/* Where the hit is: in a vertex, an edge or the triangle's inside. Its side is not 0. */
ct_line_place ct_mesh_hit_place(const ct_mesh *mesh, const ct_mesh_hit *hit);

/* Where the line comes to and leaves the triangle at a position whose plane it runs in; two equal
 * places or one: a single point. Returns how many. Exact. */
int ct_mesh_line_span(const ct_mesh *mesh, ct_vec3 origin, ct_vec3 direction, uint32_t position,
                      ct_line_place out[2]);

/* What a line does at the hit that is moved aside by an infinitely small sense * (e, e^2, e^3): +1
 * it goes in through the triangle's front, -1 out through its back, 0 it passes by. Moved so, a
 * line meets no vertex and no edge: the sum over all triangles that it meets in one point is
 * exactly by how much the winding number grows there. Simulation of simplicity: Edelsbrunner,
 * Muecke 1990. */
int ct_mesh_ray_passage(const ct_mesh *mesh, ct_vec3 direction, const ct_mesh_hit *hit, int sense);

/* As ct_mesh_side_of; *turns is how often the triangles wind around p where it is on none of them.
 */
ct_mesh_side ct_mesh_side_turns(const ct_mesh *mesh, ct_vec3 p, uint32_t *triangle, int *turns);

#endif
