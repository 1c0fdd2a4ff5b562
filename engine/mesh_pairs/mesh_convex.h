/* Distance and depth of a convex body and a mesh, in the frame of the mesh.
 *
 * The body is a core with a ball of `radius` around each of its points; distances are those of the
 * core. A tapered capsule is one core, with radius 0.
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
  double growth;   /* margin of the mesh */
  double extent;   /* greatest distance of either body from the origin of its own frame */
  double roundoff; /* CT_ROUNDOFF_FACTOR u extent */
  double slack;    /* round-off of a node's bound */
  ct_mat3 axes;    /* axes of the core, as rows */
  ct_mat3 size;    /* absolute values of axes */
  ct_aabb box;     /* of the core, along the mesh's axes */
  ct_aabb own_box; /* of the core, along its own axes, from the origin of the mesh's frame */
  ct_workspace *workspace;
} ct_convex_mesh;

/* Returns false to end the visit. */
typedef bool (*ct_convex_visit)(void *context, uint32_t position, const ct_gap *gap);
/* Visits the triangles within `reach` of the core. Returns false if the visitor or the cancel flag
 * ended the visit. */
bool ct_convex_mesh_visit(const ct_convex_mesh *p, double reach, ct_convex_visit visit,
                          void *context);

/* The deepest feature of a solid mesh and a core that overlap. Candidates: vertices of the core in
 * the mesh and of the mesh in the core, ends of a capsule, and for rounded and curved bodies deep
 * points of the surface. If there is none: the triangle with the greatest overlap, or for a ball
 * thicker than the mesh the way through the mesh. Both points, moved by radius and margin, are on
 * the surfaces. */
typedef struct ct_convex_feature {
  double depth; /* of the core, >= 0; for tapered bodies of the whole body */
  ct_gap gap;   /* points and normal, b - a = -depth normal */
  uint32_t triangle;
  bool complete; /* false: cancelled */
} ct_convex_feature;
ct_convex_feature ct_convex_mesh_deepest(const ct_convex_mesh *p, const ct_gap *nearest,
                                         uint32_t triangle);

/* A point on an edge of the mesh. */
typedef struct ct_mesh_point {
  ct_vec3 point;
  uint32_t position; /* of a triangle that has the edge */
  bool complete;     /* false: cancelled */
} ct_mesh_point;

/* Finds the point of the mesh's edges that is deepest in a frustum core. Returns false if none is
 * deeper than `floor`, or if cancelled. Cost: the nodes that reach deeper than the best point, and
 * about 1 us for each edge that does. */
bool ct_convex_mesh_deepest_edge(const ct_convex_mesh *p, double floor, ct_mesh_point *out);

/* Greatest distance of the mesh's vertices outside of the core if it is above `floor`, else
 * -INFINITY. */
double ct_convex_mesh_outside(const ct_convex_mesh *p, double floor);

#endif
