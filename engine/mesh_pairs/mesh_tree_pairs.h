/* Two placed meshes: the nearest pair of triangles, and all pairs within a distance, by
 * simultaneous descent of both BVHs.
 *
 * All positions are in the frame of the first mesh. The vertices of the second mesh are transformed
 * one by one, each always to the same bits, so that adjacent triangles stay joined. Exact decisions
 * are exact for these transformed vertices. */
#ifndef MESH_PAIRS_MESH_TREE_PAIRS_H
#define MESH_PAIRS_MESH_TREE_PAIRS_H

#include "pair/workspace.h"
#include "triangle/triangle_distance.h"
#include <contact/mesh.h>

typedef struct ct_mesh_pair {
  const ct_mesh *mesh_a, *mesh_b;
  const ct_mesh_view *a, *b;
  ct_frame relative; /* pose of b in a's frame */
  ct_mat3 size;      /* absolute values of the rotation matrix of `relative` */
  double extent;     /* upper bound of the distance of either mesh's points from the origin of its
                        own frame, m */
  double slack;      /* upper bound of the round-off in the computed lower distance bound of two
                        node boxes, m */
  double contact;    /* surfaces at most this far apart touch: sum of the rounding radii and margins
                        of both shapes, m */
  ct_mesh_scratch *memory;
} ct_mesh_pair;

void ct_mesh_pair_open(ct_mesh_pair *p, const ct_mesh *a, const ct_mesh *b,
                       const ct_frame *relative, ct_mesh_scratch *memory);

/* Returns an upper bound of the distance of a mesh's points from the origin of its frame. */
double ct_mesh_extent(const ct_mesh_view *view);

/* Returns the triangle at a position in the order of the leaves, vertices counter-clockwise seen
 * from outside. */
ct_triangle ct_mesh_triangle(const ct_mesh_view *view, uint32_t position);

typedef enum ct_mesh_outcome {
  CT_MESH_FOUND,  /* `gap` belongs to the nearest pair of triangles */
  CT_MESH_BEYOND, /* the meshes are farther apart than the threshold: `least` is a lower bound of
                     their distance, and `gap` belongs to some pair of triangles */
  CT_MESH_STOPPED /* cancelled: `least` is a lower bound of the distance, and `gap` belongs to the
                     nearest pair found so far */
} ct_mesh_outcome;

typedef struct ct_mesh_nearest_pair {
  ct_gap gap;
  uint32_t position_a, position_b;
  double least; /* lower bound of the distance of the surfaces, m */
  uint32_t tests;
} ct_mesh_nearest_pair;

/* Finds the nearest pair of triangles to round-off; `least` is a lower bound of the distance of all
 * other pairs. Ends at the first intersecting pair. Best-first search: no pair of nodes farther
 * apart than the result is opened; O(log n) if the meshes are apart. */
ct_mesh_outcome ct_mesh_pair_nearest(const ct_mesh_pair *p, double threshold,
                                     ct_mesh_nearest_pair *out);

/* A pair of triangles within the visited distance, in a's frame. */
typedef struct ct_near_triangles {
  uint32_t position_a, position_b;
  ct_triangle a, b;
  ct_gap gap;
} ct_near_triangles;

/* Called for a pair of triangles. Returns false to end the visit. */
typedef bool (*ct_mesh_visit)(void *context, const ct_near_triangles *near);

/* Calls `visit` for all pairs of triangles at most `reach` apart, in an order that depends on the
 * meshes only. False: the visitor or the cancel flag ended the visit. */
bool ct_mesh_pair_visit(const ct_mesh_pair *p, double reach, ct_mesh_visit visit, void *context);

/* Calls `visit` for the pairs of triangles with overlapping boxes, which include all intersecting
 * pairs; their gaps are not computed. */
bool ct_mesh_pair_visit_boxes(const ct_mesh_pair *p, ct_mesh_visit visit, void *context);

/* True if boxes and bounding balls prove that the meshes, with their interiors, are disjoint. */
bool ct_mesh_pair_boxes_part(const ct_mesh_pair *p);

/* True if the surfaces have a common point, which agrees with a distance of 0; *out is then an
 * intersecting pair of triangles. */
bool ct_mesh_pair_cross(const ct_mesh_pair *p, ct_mesh_nearest_pair *out);

#endif
