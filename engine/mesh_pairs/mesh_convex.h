/* Distance and depth of a convex body and a mesh, in the frame of the mesh.
 *
 * The body is a core with a ball of `radius` around each of its points; distances are those of the
 * core, without the radius and without the margin of the mesh. A tapered capsule is a core as a
 * whole, and `radius` is 0. */
#ifndef MESH_PAIRS_MESH_CONVEX_H
#define MESH_PAIRS_MESH_CONVEX_H

#include "pair/pair_cell.h"
#include "pair/workspace.h"
#include "triangle/triangle_distance.h"

typedef struct ct_convex_mesh {
  const ct_mesh *mesh;
  const ct_mesh_view *view;
  ct_convex_proxy proxy; /* proxy of the convex body. Unless the body is tapered, the proxy's radii
                            are 0, and `radius` (m) is subtracted from its distances */
  double radius;
  double growth;   /* rounding radius and margin of the mesh, m */
  double extent;   /* upper bound of the distance of either body's points from the origin of its own
                      frame, m */
  double roundoff; /* CT_ROUNDOFF_FACTOR u extent (u: unit round-off), m */
  double slack;    /* upper bound of the round-off in the lower distance bound of a BVH node, m */
  ct_mat3 axes;    /* axes of the convex body's frame, as rows, in the mesh's frame */
  ct_mat3 size;    /* absolute values of `axes` */
  ct_aabb box;     /* AABB of the core in the mesh's frame */
  ct_aabb own_box; /* box of the core along the rows of `axes`, that is, along the convex body's own
                      axes; coordinates from the origin of the mesh's frame */
  ct_workspace *workspace;
} ct_convex_mesh;

/* Called for a triangle, by its position in the leaves, with its gap to the core. Returns false to
 * end the visit. */
typedef bool (*ct_convex_visit)(void *context, uint32_t position, const ct_gap *gap);
/* Calls `visit` for each triangle within `reach` of the core. False: the visitor or the cancel flag
 * ended the visit. */
bool ct_convex_mesh_visit(const ct_convex_mesh *p, double reach, ct_convex_visit visit,
                          void *context);

/* The deepest feature of a solid mesh and a core that overlap. Candidates are vertices of the core
 * in the mesh and of the mesh in the core, ends of a capsule, and for rounded and curved bodies
 * deep points of the surface. If none of them is deep: the triangle with the greatest overlap or,
 * for a ball thicker than the mesh, the line from the nearest surface point to the far side of the
 * rounded core. Both points, displaced by radius and
 * margin, are on the surfaces. */
typedef struct ct_convex_feature {
  double depth; /* depth of the core, >= 0, m; for a tapered capsule, of the whole body */
  ct_gap gap;   /* points and normal: b - a = -depth * normal */
  uint32_t triangle;
  bool complete; /* false: cancelled */
} ct_convex_feature;
ct_convex_feature ct_convex_mesh_deepest(const ct_convex_mesh *p, const ct_gap *nearest,
                                         uint32_t triangle);

/* A point on an edge of the mesh. */
typedef struct ct_mesh_point {
  ct_vec3 point;
  uint32_t position; /* position in leaf order of one triangle with this edge */
  bool complete;     /* false: cancelled */
} ct_mesh_point;

/* Finds the point on the mesh's edges that is deepest in a frustum core. False: none is deeper than
 * `floor`, the core is no frustum, or cancelled. Cost: visits the nodes that may contain a point
 * deeper than the best so far, and takes about 1 us for each edge that may. */
bool ct_convex_mesh_deepest_edge(const ct_convex_mesh *p, double floor, ct_mesh_point *out);

/* Returns the greatest distance of a vertex of the mesh outside of the core, if it exceeds `floor`,
 * else -INFINITY; INFINITY if cancelled. */
double ct_convex_mesh_outside(const ct_convex_mesh *p, double floor);

#endif
