/* Contact manifolds: the contact points of two placed shapes, with the features that meet there.
 *
 * Conventions as in pair.h: the normal points from a to b, and point_b - point_a = distance *
 * normal for every point. World frame, m. */
#ifndef CONTACT_MANIFOLD_H
#define CONTACT_MANIFOLD_H

#include <contact/base.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

typedef enum ct_detail {
  CT_DETAIL_DEEPEST, /* only the deepest point, up to ties */
  /* at most four points per patch that cover it, one of them the deepest up to ties */
  CT_DETAIL_MANIFOLD,
  CT_DETAIL_FULL /* all points found */
} ct_detail;

/* Kind of a feature, a part of a shape's boundary. Its index is stable as long as the shape is.
 * - Box: vertices 0..7 (bit 0: +x, 1: +y, 2: +z), faces 0..5 (2 axis + (1: positive side)), edges
 *   0..11 (4 axis + bits of the signs of the other two axes, lower axis first).
 * - Convex: as in its hull.
 * - Mesh: the triangle for faces, the given vertex for vertices, 3 triangle + corner for edges.
 * - Segment: its ends.
 * - Cylinder, cone: rims are edges 0 (bottom) and 1 (top), caps are faces 0 and 1, the apex is a
 *   vertex. */
typedef enum ct_feature_kind {
  CT_FEATURE_SMOOTH,
  CT_FEATURE_VERTEX,
  CT_FEATURE_EDGE,
  CT_FEATURE_FACE
} ct_feature_kind;

typedef struct ct_feature {
  ct_feature_kind kind;
  uint32_t index; /* SMOOTH: 0 */
} ct_feature;

typedef struct ct_contact_point {
  ct_feature a, b;
  ct_vec3 point_a, point_b, normal;
  double distance;
  uint32_t patch;  /* connected contact region, counted from 0; points of a patch share it */
  uint32_t number; /* among the points of a patch with the same two features: 0, 1, ... */
} ct_contact_point;

typedef struct ct_contact_options {
  double clearance; /* m, >= 0: points farther apart, beyond a tie, are omitted */
  double tolerance; /* as in ct_pair_options */
  ct_detail detail;
} ct_contact_options;
/* Defaults: clearance and tolerance 0, DEEPEST. */
ct_contact_options ct_contact_options_default(void);

typedef struct ct_manifold {
  /* Result of ct_pair_distance for the deepest point. Beyond the clearance it is an early-out:
   * normal and points may be zeros. */
  ct_pair_result pair;
  /* [count] the deepest up to ties first, then by patch and features; borrowed from the workspace
   * until its next use */
  const ct_contact_point *points;
  size_t count; /* 0: farther apart than the clearance */
  bool failed;  /* out of memory: points are missing */
} ct_manifold;

/* Contact points of two placed shapes, written to *out. A pair within the clearance has at least
 * one point.
 *
 * Two meshes: facing features within the clearance: corners over faces, edges over edges, corners
 * over corners and edges. Overlapping solids have each inner corner with its closest surface point.
 * They also have the features that the two surfaces share when projected onto each other: corners
 * over faces, edges over edges, for any subdivision of faces. The projection is along the pair's
 * normal and the other directions in which inner corners are closest. None of these points is
 * deeper than the pair by more than a tie. Crossing surfaces have the points at which edges pass
 * through triangles, at distance 0. A convex over a mesh: each pair of features once, only features
 * at which the mesh ends, for any subdivision of flat faces. A surface that crosses a convex:
 * points at which its edges enter and leave the body, and at which edges of a box or unrounded hull
 * pass through triangles. Two meshes with more than 65,536 points keep the deepest. If the
 * workspace is cancelled, points are missing and the status is CT_PAIR_ITERATION_LIMIT.
 *
 * Cost: ct_pair_distance, plus a clip for faces. Meshes: each pair of triangles within the
 * clearance, and a closest-point query per vertex in the other solid.
 *
 * Ties. At flat or symmetric poses, no choice depends on round-off or a tilt of 1e-9 rad:
 * - Positions that differ by less than 1e-6 of the smaller body's extent are equal. A corner beyond
 *   a border by less is over it. A crossing nearer to a corner or another crossing than twice that
 *   is the corner. A point on a mesh is at a corner or edge nearer than that.
 * - Depths that differ by less than 1e-6 of the patch's size (over several patches: the size of all
 *   points) are equal: the first by patch, features and number leads. Its depth is within that
 *   tolerance of the deepest point.
 * - The other three points add most, up to 1e-6 of the patch, the first winning: farthest from the
 *   first, then largest area. For a convex patch the four points cover at least half.
 * - Rims have points at fixed positions, a quarter turn apart, that rotate with the body while the
 *   cap is flat.
 *
 * Feature indices may still change in degenerate cases. Examples: bodies that only touch in the
 * view along the normal (a corner exactly over a corner of the outline, a line along a rim's
 * tangent); directions of equal depth (the normal is from ct_pair_distance, also if a mesh and
 * another body touch at gap 0 within round-off); a surface that passes through a body. */
void ct_pair_contacts(ct_placed a, ct_placed b, const ct_contact_options *options,
                      ct_workspace *workspace, ct_manifold *out);

CT_DECLARATIONS_END

#endif
