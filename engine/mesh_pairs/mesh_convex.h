/* A convex body and a mesh, in the frame of the mesh.
 *
 * The body is a core and a ball of `radius` around each of its points; distances are those of the
 * core. A body whose balls differ in size counts whole, with a radius of 0.
 */
#ifndef MESH_PAIRS_MESH_CONVEX_H
#define MESH_PAIRS_MESH_CONVEX_H

#include "pair/pair_cell.h"
#include "pair/workspace.h"
#include "triangle/triangle_distance.h"

typedef struct ct_convex_mesh {
  const ct_mesh *mesh;
  const ct_mesh_view *view;
  ct_convex_proxy proxy; /* without its radius unless tapered */
  double radius;
  double growth;   /* of the mesh: its margin */
  double extent;   /* the larger of how far the two reach from the origins of their own frames */
  double roundoff; /* CT_ROUNDOFF_FACTOR u extent */
  double slack;    /* what rounding can do to the bound of a node */
  ct_mat3 axes;    /* of the core, as rows */
  ct_mat3 size;    /* absolute values of axes */
  ct_aabb box;     /* of the core along the mesh's axes */
  ct_aabb own_box; /* along its own, from the origin of the mesh's frame */
  ct_workspace *workspace;
} ct_convex_mesh;

/* False ends the visit. */
typedef bool (*ct_convex_visit)(void *context, uint32_t position, const ct_gap *gap);
/* Visits the triangles that are not farther from the core than `reach`. False: stopped, by the
 * visitor or by the flag. */
bool ct_convex_mesh_visit(const ct_convex_mesh *p, double reach, ct_convex_visit visit,
                          void *context);

/* The deepest feature of a solid mesh and a core that overlap: a vertex of the core in the mesh, a
 * vertex of the mesh in the core, the end of a capsule, of rounded and curved bodies a point of the
 * surface that is far in; where there is none, the triangle that is hardest to leave, or of a ball
 * thicker than the mesh the way through it. Both points, grown, lie on the surfaces. */
typedef struct ct_convex_feature {
  double depth; /* of the core, >= 0; of a tapered body of the whole */
  ct_gap gap;   /* points and normal, b - a = -depth normal */
  uint32_t triangle;
  bool complete; /* false: stopped */
} ct_convex_feature;
ct_convex_feature ct_convex_mesh_deepest(const ct_convex_mesh *p, const ct_gap *nearest,
                                         uint32_t triangle);

/* A point on an edge of the mesh. */
typedef struct ct_mesh_point {
  ct_vec3 point;
  uint32_t position; /* of a triangle that has the edge */
  bool complete;     /* false: stopped */
} ct_mesh_point;

/* The point of the mesh's edges that is deepest in a core that is a frustum; false: none is deeper
 * than `floor`, or stopped. Cost: a walk to the nodes that reach deeper, and some 1 us for an edge
 * that does. */
bool ct_convex_mesh_deepest_edge(const ct_convex_mesh *p, double floor, ct_mesh_point *out);

/* How far vertices of the mesh stick out of the core at most, if by more than `floor`; else
 * -INFINITY. */
double ct_convex_mesh_outside(const ct_convex_mesh *p, double floor);

#endif
