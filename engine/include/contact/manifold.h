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
  CT_DETAIL_DEEPEST, /* only the deepest point; of points equally deep up to ties, the first */
  /* at most four points per patch, chosen to cover the patch; one of them is the deepest, up to
   * ties */
  CT_DETAIL_MANIFOLD,
  CT_DETAIL_FULL /* all points found */
} ct_detail;

/* Kind of a feature, which is a part of a shape's boundary: a vertex, an edge, a face, or SMOOTH
 * for a curved part. Meaning of the feature's index, which does not change while the shape does
 * not:
 * - Box: vertices 0..7 (bit 0: +x, 1: +y, 2: +z), faces 0..5 (2 axis + (1: positive side)), edges
 *   0..11 (4 axis + bits of the signs of the other two axes, lower axis first).
 * - Convex: as in its hull.
 * - Mesh: triangle for faces, given vertex for vertices, 3 triangle + corner for the edge that
 *   starts there.
 * - Segment (the axis of a capsule): its ends are vertices.
 * - Cylinder, cone: the rims are edges 0 (bottom) and 1 (top), the caps are faces 0 and 1, the apex
 *   is a vertex. */
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
  uint32_t patch;  /* number of the connected contact region that has the point, counted from 0 */
  uint32_t number; /* distinguishes the points of a patch with the same two features: 0, 1, ... */
} ct_contact_point;

typedef struct ct_contact_options {
  double clearance; /* largest distance of a contact point, m, >= 0: points whose distance exceeds
                       it by more than a tie are omitted */
  double tolerance; /* distance up to which the relation of the pair is TOUCHING, m, as in
                       ct_pair_options */
  ct_detail detail;
} ct_contact_options;
/* Defaults: clearance and tolerance 0, DEEPEST. */
ct_contact_options ct_contact_options_default(void);

typedef struct ct_manifold {
  /* Result of ct_pair_distance, which the deepest point has too. If the shapes are farther apart
   * than the clearance, it is an early-out: normal and points may be zeros. */
  ct_pair_result pair;
  /* [count] first the deepest point, up to ties, then by patch and features; borrowed from the
   * workspace until its next use */
  const ct_contact_point *points;
  size_t count; /* number of points; 0: the shapes are farther apart than the clearance */
  bool failed;  /* out of memory: points are missing */
} ct_manifold;

/* Computes the contact points of two placed shapes, written to *out. A pair within the clearance
 * has at least one point. "The pair's normal" is the normal of ct_pair_distance. Which points a
 * pair has:
 * - Two meshes that are apart: features that face each other within the clearance: vertices over
 *   faces, edges over edges, vertices over vertices and edges.
 * - Two overlapping solids of triangles: each vertex inside the other solid, with the closest point
 *   of that solid's surface; and the features that both surfaces share when projected onto each
 *   other: vertices over faces, edges over edges. The projection is along the pair's normal and
 *   along the other directions from an inner vertex to its closest point. No such point is deeper
 *   than the pair's depth by more than a tie. The result does not depend on the subdivision of flat
 *   faces.
 * - Two meshes whose surfaces cross: points at which edges of one pass through triangles of the
 *   other, at distance 0.
 * - A convex body and a mesh: one point for each pair of features. Of the mesh, only features count
 *   at which it ends in the direction towards the body, so that the result does not depend on the
 *   subdivision of flat faces.
 * - A surface mesh that crosses a convex body: points at which the surface's edges enter and leave
 *   the body, and at which edges of a box or unrounded hull pass through the surface's triangles.
 *
 * Limits: of more than 65,536 points of two meshes, the deepest are kept. If the workspace is
 * cancelled, points are missing and the status is CT_PAIR_ITERATION_LIMIT.
 *
 * Cost: ct_pair_distance, plus clipping of polygons if faces meet. Meshes: a test of each pair of
 * triangles within the clearance, and a closest-point query for each vertex inside the other solid.
 *
 * Ties. At flat or symmetric poses, no choice depends on round-off or on a tilt of 1e-9 rad:
 * - Positions that differ by less than 1e-6 of the smaller body's extent count as equal. A vertex
 *   outside a face's border by less than that is over the face. A crossing of edges closer than
 *   twice that to a vertex or to another crossing counts as that vertex or crossing. A point of a
 *   mesh closer than that to a vertex or edge is on it.
 * - Depths count as equal if they differ by less than 1e-6 of the patch's size (comparing several
 *   patches: of the size of all points). Of the points equally deep in this sense, the first by
 *   patch, features and number is selected as the deepest; its depth is within that tolerance of
 *   the greatest.
 * - The other three points of a patch maximise, up to 1e-6 of the patch's size, first the distance
 *   from the first point, then the area; of equally good points the first is selected. If the patch
 *   is convex, the four points cover at least half of its area.
 * - Rims have points at fixed positions, a quarter turn apart, that rotate with the body while the
 *   cap is flat on the other body.
 *
 * Feature indices may still change in degenerate cases. Examples: bodies that only touch in the
 * projection along the normal (a vertex exactly over a vertex of the outline, a line along a rim's
 * tangent); several directions of equal depth (the normal is from ct_pair_distance, also if a mesh
 * and another body touch at gap 0 within round-off); a surface that passes through a body. */
void ct_pair_contacts(ct_placed a, ct_placed b, const ct_contact_options *options,
                      ct_workspace *workspace, ct_manifold *out);

CT_DECLARATIONS_END

#endif
