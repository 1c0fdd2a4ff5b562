/* Two placed meshes: the nearest pair of triangles, and all pairs within a distance, by
 * simultaneous descent of both trees.
 *
 * Everything is in the frame of the first mesh. The second mesh's corners are transformed one by
 * one, each always to the same bits, so that adjacent triangles stay joined. Exact decisions are
 * exact for these corners.
 */
#ifndef MESH_PAIRS_MESH_TREE_PAIRS_H
#define MESH_PAIRS_MESH_TREE_PAIRS_H

#include "pair/workspace.h"
#include "triangle/triangle_distance.h"
#include <contact/mesh.h>

typedef struct ct_mesh_pair {
  const ct_mesh *mesh_a, *mesh_b;
  const ct_mesh_view *a, *b;
  ct_frame relative; /* of b in a's frame */
  ct_mat3 size;      /* absolute values of its rotation */
  double extent;     /* greatest distance of either mesh from its own origin */
  double slack;      /* round-off of a bound of boxes, m */
  double contact;    /* surfaces at most this far apart touch: the margins, m */
  ct_mesh_scratch *memory;
} ct_mesh_pair;

void ct_mesh_pair_open(ct_mesh_pair *p, const ct_mesh *a, const ct_mesh *b,
                       const ct_frame *relative, ct_mesh_scratch *memory);

/* Upper bound of a mesh's distance from the origin of its frame. */
double ct_mesh_extent(const ct_mesh_view *view);

/* Returns the triangle at a position in the order of the leaves, corners counter-clockwise from
 * outside. */
ct_triangle ct_mesh_triangle(const ct_mesh_view *view, uint32_t position);

typedef enum ct_mesh_outcome {
  CT_MESH_FOUND,  /* the nearest pair */
  CT_MESH_BEYOND, /* farther than the threshold: `least` is a lower bound, `gap` that of a near pair
                   */
  CT_MESH_STOPPED /* cancelled: `least` is a lower bound, `gap` the best so far */
} ct_mesh_outcome;

typedef struct ct_mesh_nearest_pair {
  ct_gap gap;
  uint32_t position_a, position_b;
  double least; /* lower bound of the distance of the surfaces */
  uint32_t tests;
} ct_mesh_nearest_pair;

/* Finds the nearest pair of triangles, to round-off; `least` bounds the distance of all others from
 * below. Ends at the first intersecting pair. Best-first search: no pair of nodes farther than the
 * result is opened; O(log n) if the meshes are apart. */
ct_mesh_outcome ct_mesh_pair_nearest(const ct_mesh_pair *p, double threshold,
                                     ct_mesh_nearest_pair *out);

/* A pair of triangles within the visited distance. */
typedef struct ct_near_triangles {
  uint32_t position_a, position_b;
  ct_triangle a, b;
  ct_gap gap;
} ct_near_triangles;

/* Returns false to end the visit. */
typedef bool (*ct_mesh_visit)(void *context, const ct_near_triangles *near);

/* Visits all pairs of triangles at most `reach` apart, in an order that depends on the meshes only.
 * Returns false if the visitor or the cancel flag ended the visit. */
bool ct_mesh_pair_visit(const ct_mesh_pair *p, double reach, ct_mesh_visit visit, void *context);

/* Visits the pairs with overlapping boxes, which include all intersecting pairs; computes no gaps.
 */
bool ct_mesh_pair_visit_boxes(const ct_mesh_pair *p, ct_mesh_visit visit, void *context);

/* True if boxes and balls prove the meshes, with their interiors, disjoint. */
bool ct_mesh_pair_boxes_part(const ct_mesh_pair *p);

/* True if the surfaces share a point; agrees with a distance of 0. Then *out is an intersecting
 * pair of triangles. */
bool ct_mesh_pair_cross(const ct_mesh_pair *p, ct_mesh_nearest_pair *out);

#endif
