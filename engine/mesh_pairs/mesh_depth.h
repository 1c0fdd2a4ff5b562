/* The deepest feature of one solid in another: the vertex with the greatest depth below the other's
 * surface.
 *
 * The depth of a point is its distance from the surface, negative outside. It is 1-Lipschitz, so no
 * vertex of a tree node is deeper than the depth of the node's centre plus the node's radius. Nodes
 * are searched in the order of that bound.
 */
#ifndef MESH_PAIRS_MESH_DEPTH_H
#define MESH_PAIRS_MESH_DEPTH_H

#include "mesh_pairs/mesh_tree_pairs.h"

/* A 1-Lipschitz function of points. If its value is not above `need`, any upper bound that is not
 * above `need` may be returned instead. */
typedef double (*ct_mesh_value)(void *context, ct_vec3 p, double need);

typedef struct ct_lipschitz_function {
  double value;              /* -INFINITY: no vertex is above the floor */
  double bound;              /* upper bound over all vertices; equals `value` unless cancelled */
  uint32_t vertex, position; /* the vertex, and a triangle that has it */
  bool stopped;
} ct_lipschitz_function;

/* Finds the vertex of live triangles with the greatest value above `floor`; of ties the first one
 * found. */
ct_lipschitz_function ct_mesh_maximize(const ct_mesh_view *view, ct_mesh_scratch *memory,
                                       double floor, ct_mesh_value value, void *context);

/* A feature of one solid inside the other, in the frame of the first. */
typedef struct ct_mesh_feature {
  double depth;                     /* >= 0 */
  double bound;                     /* upper bound of the depth of all features */
  ct_vec3 normal, point_a, point_b; /* point_b - point_a = -depth normal */
  uint32_t triangle_a, triangle_b;  /* original triangle numbers */
  bool complete;                    /* false: cancelled, or out of memory */
} ct_mesh_feature;

/* Finds the deepest vertex of either of two solids in the other. If there is none: the midpoint of
 * the deepest section of an edge inside the other solid, or the centroid of a triangle that crosses
 * it. Returns false, and sets only `bound` and `complete`, if there is no feature. Features less
 * deep than round-off have the triangles' normals. */
bool ct_mesh_pair_deepest(const ct_mesh_pair *p, ct_mesh_feature *out);

/* Greatest distance of vertices of one mesh outside of the other, a solid; negative if all are
 * inside. `second`: vertices of b, outside of a. */
double ct_mesh_pair_outside(const ct_mesh_pair *p, bool second);
/* Greatest depth of vertices of one mesh in the other, a solid. `second`: vertices of b, in a. */
double ct_mesh_pair_inside(const ct_mesh_pair *p, bool second);

/* Among normals of pairs of triangles within `reach`, finds the one along which the whole meshes
 * overlap least. Returns false if there is no such pair. */
bool ct_mesh_pair_touch_normal(const ct_mesh_pair *p, double reach, ct_vec3 *normal);

#endif
