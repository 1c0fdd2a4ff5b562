/* Two placed meshes: the nearest pair of triangles, and all pairs that are near, by both trees at
 * once.
 *
 * Everything is in the frame of the first mesh; the second's corners are placed in it one by one,
 * each always to the same bits, so that triangles of one mesh stay joined. What is exact, is exact
 * for these corners.
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
  double extent;     /* the larger of how far the meshes reach from their own origins */
  double slack;      /* what rounding can do to a bound of boxes, m */
  double contact;    /* surfaces not farther apart than this touch: what margins add, m */
  ct_mesh_scratch *memory;
} ct_mesh_pair;

void ct_mesh_pair_open(ct_mesh_pair *p, const ct_mesh *a, const ct_mesh *b,
                       const ct_frame *relative, ct_mesh_scratch *memory);

/* How far a mesh reaches from the origin of its frame, at most. */
double ct_mesh_extent(const ct_mesh_view *view);

/* The triangle at a position in the order of the leaves, corners counter-clockwise from outside. */
ct_triangle ct_mesh_triangle(const ct_mesh_view *view, uint32_t position);

typedef enum ct_mesh_outcome {
  CT_MESH_FOUND,  /* the nearest pair */
  CT_MESH_BEYOND, /* farther than the threshold: `least` is a bound, the gap that of a pair that is
                     near */
  CT_MESH_STOPPED /* by the flag: `least` is a bound, the gap the best so far */
} ct_mesh_outcome;

typedef struct ct_mesh_nearest_pair {
  ct_gap gap;
  uint32_t position_a, position_b;
  double least; /* the surfaces are not nearer */
  uint32_t tests;
} ct_mesh_nearest_pair;

/* The nearest pair of triangles, to round-off: `least` tells how near another could be. Ends at the
 * first pair that meets. Best first, so no pair of nodes is opened that is farther than the answer;
 * O(log) of the sizes where the meshes are apart. */
ct_mesh_outcome ct_mesh_pair_nearest(const ct_mesh_pair *p, double threshold,
                                     ct_mesh_nearest_pair *out);

/* A pair of triangles that is near. */
typedef struct ct_near_triangles {
  uint32_t position_a, position_b;
  ct_triangle a, b;
  ct_gap gap;
} ct_near_triangles;

/* False ends the visit. */
typedef bool (*ct_mesh_visit)(void *context, const ct_near_triangles *near);

/* Visits all pairs of triangles that are not farther apart than `reach`, in an order that the
 * meshes alone decide. False: stopped, by the visitor or by the flag. */
bool ct_mesh_pair_visit(const ct_mesh_pair *p, double reach, ct_mesh_visit visit, void *context);

/* Visits the pairs whose boxes meet, among which are all that meet; no gap is worked out. */
bool ct_mesh_pair_visit_boxes(const ct_mesh_pair *p, ct_mesh_visit visit, void *context);

/* Are the meshes apart, insides and all, as their boxes and balls show? */
bool ct_mesh_pair_boxes_part(const ct_mesh_pair *p);

/* Do the surfaces share a point? The same decision as a distance of 0. *out, when they do: a pair
 * of triangles that meets. */
bool ct_mesh_pair_cross(const ct_mesh_pair *p, ct_mesh_nearest_pair *out);

#endif
