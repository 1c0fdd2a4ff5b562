/* The deepest feature of one body in another: the vertex whose depth below the other's surface is
 * greatest.
 *
 * Depth of a point: its distance from the surface, negative outside. It changes by no more than the
 * point moves, so a node of the tree cannot hold a vertex deeper than its middle by more than its
 * radius. Deepest bound first. Theory: section 3.7 and 7.
 */
#ifndef MESH_PAIRS_MESH_DEPTH_H
#define MESH_PAIRS_MESH_DEPTH_H

#include "mesh_pairs/mesh_tree_pairs.h"

/* A function of points that changes by no more than the point moves. Where its value is not above
 * `need` any bound of it that is not above `need` will do. */
typedef double (*ct_mesh_value)(void *context, ct_vec3 p, double need);

typedef struct ct_lipschitz_function {
  double value;              /* -INFINITY: no vertex is above the floor */
  double bound;              /* no vertex is above it; the value itself unless stopped */
  uint32_t vertex, position; /* the vertex, and a triangle that has it */
  bool stopped;
} ct_lipschitz_function;

/* The vertex of live triangles where the value is greatest, among those above `floor`; the first
 * found of equals. */
ct_lipschitz_function ct_mesh_maximize(const ct_mesh_view *view, ct_mesh_scratch *memory,
                                       double floor, ct_mesh_value value, void *context);

/* A feature of one solid inside the other, in the frame of the first. */
typedef struct ct_mesh_feature {
  double depth;                     /* >= 0 */
  double bound;                     /* none is deeper */
  ct_vec3 normal, point_a, point_b; /* point_b - point_a = -depth normal */
  uint32_t triangle_a, triangle_b;  /* as given */
  bool complete;                    /* false: stopped, or memory was short */
} ct_mesh_feature;

/* The deepest vertex of either of two solids in the other; where there is none, the middle of the
 * deepest stretch of an edge inside the other, or of a triangle that crosses it. False: there is
 * none, and only `bound` and `complete` are set. Normals of features less deep than round-off are
 * those of the triangles. */
bool ct_mesh_pair_deepest(const ct_mesh_pair *p, ct_mesh_feature *out);

/* How far vertices of one mesh stick out of the other, a solid; below 0: none does. `second`: b's
 * out of a. */
double ct_mesh_pair_outside(const ct_mesh_pair *p, bool second);
/* How deep vertices of one mesh lie in the other, a solid. `second`: b's in a. */
double ct_mesh_pair_inside(const ct_mesh_pair *p, bool second);

/* Of normals of pairs of triangles that are within `reach`, the one along which the whole meshes
 * overlap least; false: none found.
 */
bool ct_mesh_pair_touch_normal(const ct_mesh_pair *p, double reach, ct_vec3 *normal);

#endif
