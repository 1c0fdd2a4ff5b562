/* The deepest feature of one solid in another: the vertex with the greatest depth below the other's
 * surface.
 *
 * The depth of a point is its distance from the surface, negative outside. It is 1-Lipschitz, so no
 * vertex of a tree node is deeper than the depth at the node's centre plus the node's radius. Nodes
 * are searched in the order of this bound. */
#ifndef MESH_PAIRS_MESH_DEPTH_H
#define MESH_PAIRS_MESH_DEPTH_H

#include "mesh_pairs/mesh_tree_pairs.h"

/* A 1-Lipschitz function of points. If its value at p is at most `need`, it may return any upper
 * bound that is at most `need` instead. */
typedef double (*ct_mesh_value)(void *context, ct_vec3 p, double need);

typedef struct ct_lipschitz_function {
  double value;              /* greatest value at a vertex; -INFINITY if none is above the floor */
  double bound;              /* upper bound of the values at all vertices; equals max(value, floor)
                                unless cancelled */
  uint32_t vertex, position; /* the vertex, and the position in the leaves of a triangle with it */
  bool stopped;
} ct_lipschitz_function;

/* Finds the vertex of live triangles with the greatest value above `floor`; among equal values the
 * first one found. */
ct_lipschitz_function ct_mesh_maximize(const ct_mesh_view *view, ct_mesh_scratch *memory,
                                       double floor, ct_mesh_value value, void *context);

/* A feature of one solid inside the other, in the frame of the first solid. */
typedef struct ct_mesh_feature {
  double depth;                     /* >= 0 */
  double bound;                     /* upper bound of the depth of all features, m */
  ct_vec3 normal, point_a, point_b; /* point_b - point_a = -depth * normal */
  uint32_t triangle_a, triangle_b;  /* triangle numbers in the order given by the caller */
  bool complete;                    /* false: cancelled, or out of memory */
} ct_mesh_feature;

/* Finds the deepest vertex of either of two solids in the other. If no vertex is inside by more
 * than 1e-6 of the smaller mesh's radius, also the midpoints of the sections of edges inside the
 * other solid, and the centroids of triangles that intersect it; one of them is the result if it is
 * deeper than the vertices by more than round-off. A feature whose depth is round-off has the
 * normal of a triangle. False: there is no feature; only `bound` and `complete` are set. */
bool ct_mesh_pair_deepest(const ct_mesh_pair *p, ct_mesh_feature *out);

/* Returns the greatest distance of a vertex of one mesh outside of the other, a solid; -INFINITY if
 * none is outside by more than round-off, INFINITY if cancelled. `second`: vertices of b, outside
 * of a; else of a, outside of b. */
double ct_mesh_pair_outside(const ct_mesh_pair *p, bool second);
/* Returns the greatest depth of a vertex of one mesh in the other, a solid; -INFINITY if none is
 * deeper than round-off. `second`: vertices of b, in a; else of a, in b. */
double ct_mesh_pair_inside(const ct_mesh_pair *p, bool second);

/* Finds, among the normals of pairs of triangles within `reach`, the one along which the whole
 * meshes overlap least. False: there is no such pair. */
bool ct_mesh_pair_touch_normal(const ct_mesh_pair *p, double reach, ct_vec3 *normal);

#endif
