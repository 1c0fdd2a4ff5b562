/* Other methods for one pair of convex bodies, on request: GJK and EPA alone, Minkowski portal
 * refinement, separating planes. ct_pair_distance (pair.h) needs none of them. */
#ifndef CONTACT_PAIR_METHODS_H
#define CONTACT_PAIR_METHODS_H

#include <contact/base.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

/* ---- GJK and EPA ----------------------------------------------------------------------------- */

/* Distance of one pair of convex bodies by GJK and EPA alone: an alternative to ct_pair_distance,
 * on request.
 *
 * GJK for separated bodies, EPA for penetration; curved kinds are refined to round-off by Newton's
 * method. Without the shortcuts of ct_pair_distance: closed forms of round bodies, scans of a box's
 * axes or a hull's planes, profiles of bodies of revolution. Distance, bounds, conventions and
 * mirror symmetry are as in ct_pair_distance. The last bits may differ, and so may the choice among
 * equally valid normals. World frame, m. Gilbert, Johnson, Keerthi 1988 (GJK); Montanari 2017
 * (signed volumes); van den Bergen 2001 (EPA). */

/* True if both shapes are bounded and convex, and neither is a capsule with two radii. Such a
 * capsule is no sharp core with a constant rounding, over which EPA could expand a polytope. */
bool ct_gjk_epa_is_supported(const ct_shape *a, const ct_shape *b);

/* Signed distance of two supported shapes, written to *result. Never fails on finite input;
 * `status` reports numerical trouble. Cost: about 10 supports apart; in penetration 10 to 100,
 * several hundred for curved kinds. */
void ct_pair_gjk_epa(ct_placed a, ct_placed b, const ct_pair_options *options,
                     ct_workspace *workspace, ct_pair_result *result);

/* True if the shapes share a point: the same decision as distance <= 0 of ct_pair_gjk_epa, at less
 * cost. witness (may be NULL): set to a common point, world, if they overlap. */
bool ct_pair_gjk_epa_overlap(ct_placed a, ct_placed b, ct_workspace *workspace, ct_vec3 *witness);

/* ---- Minkowski portal refinement ------------------------------------------------------------- */

/* Distance of one pair of convex bodies by Minkowski portal refinement (MPR): an alternative to
 * ct_pair_distance, on request.
 *
 * A ray from an interior point of the Minkowski difference to the origin is followed through
 * triangles of support points (portals), until a portal is on the surface. That portal determines
 * the signed distance. The sign is the exact distance's. Apart, the distance is not less than the
 * exact one; in penetration, it is not less deep. It is equal if the projection of the origin is
 * inside the portal. All statements are up to the tolerance; the bounds always contain the exact
 * distance.
 * Conventions as in pair.h: unit normal from a to b, distance < 0 is penetration, world frame, m;
 * swapping a and b mirrors the result bit for bit. Snethen 2008 (XenoCollide); Neumayr, Otter 2017
 * (distances, tolerance). */

/* Flags of a result, in addition to those of pair.h. */
enum {
  /* The tolerance was not reached: the result is the best portal's; tolerance_reached is its
   * quality. */
  CT_FLAG_TOLERANCE_RAISED = 1 << 8,
  /* The interior points coincide up to round-off, so there is no ray. The result is the least of
   * six depths, along the axes of the body that is first by content. For two balls the depth is
   * exact and the normal arbitrary. */
  CT_FLAG_CENTRES_COINCIDE = 1 << 9,
  /* The Minkowski difference is flat up to round-off, or no portal was found: only the bounds are
   * reliable. */
  CT_FLAG_PLANAR_MINKOWSKI = 1 << 10
};

typedef struct ct_mpr_options {
  double tolerance; /* relative to the largest component of the first portal; 0: CT_MPR_TOLERANCE */
  /* of the portal search, and again of its refinement; 0: CT_MPR_ITERATIONS */
  uint32_t iterations_max;
} ct_mpr_options;
/* Defaults: CT_MPR_TOLERANCE and CT_MPR_ITERATIONS. */
ct_mpr_options ct_mpr_options_default(void);

typedef struct ct_mpr_result {
  double distance; /* of the portal, m */
  /* Certified, round-off included: the exact distance is between these bounds. Lower: the best
   * plane found; upper: the distance if positive, else 0. In penetration `distance` may be below
   * both. */
  double lower_bound, upper_bound;
  ct_vec3 normal; /* of the portal */
  /* point_b - point_a = distance * normal_exact, up to the tolerance; if the points coincide,
   * `normal` */
  ct_vec3 normal_exact;
  /* Points on a and b, if the portal was used unchanged. A ball or ellipsoid has its own support
   * point along the normal; against another kind, the other body's point is `distance` along the
   * normal from it. The same applies to the second body (by content) if the result is only a bound
   * (CENTRES_COINCIDE, PLANAR_MINKOWSKI). */
  ct_vec3 point_a, point_b;
  double tolerance_reached; /* relative, like the tolerance; 0 for closed forms */
  /* ITERATION_LIMIT: a limit ended a phase; DEGENERATE: see flags; UNSUPPORTED: not two convex
   * bodies */
  ct_pair_status status;
  uint32_t flags, iterations; /* iterations: support evaluations */
  /* 3: the portal's; 1: one support point is on the ray or normal; 0: closed forms */
  uint32_t support_count;
  ct_vec3 support_a[3], support_b[3]; /* points of a and b that form the portal's corners */
} ct_mpr_result;

/* True if MPR supports the kind: bounded and convex. Rounding and margin belong to the body. */
bool ct_mpr_is_supported(ct_kind kind);

/* MPR of two placed shapes, written to *result. Never fails on finite input; status and flags
 * report numerical trouble. Unsupported kinds only set the status. No allocation. Cost: about 15
 * supports; round bodies three more per decade of the tolerance. */
void ct_pair_mpr(ct_placed a, ct_placed b, const ct_mpr_options *options, ct_mpr_result *result);

/* Copies an MPR result to a pair result: distance, bounds, normal, points, status, flags,
 * iterations. The relation is TOUCHING if |distance| <= tolerance, m. An existing containment
 * relation of a penetrating pair is preserved. */
void ct_mpr_write_result(const ct_mpr_result *portal, double tolerance, ct_pair_result *result);

/* ---- separating planes ----------------------------------------------------------------------- */

/* Separating planes of two convex bodies, with a cache that persists from frame to frame.
 *
 * Two convex polyhedra have disjoint interiors exactly if a plane separates them that contains a
 * face of one, or is parallel to an edge of each (separating axis theorem). The separation of a
 * plane is the gap of the bodies along its normal: at most their distance, and equal to it if the
 * closest features are the plane's. For overlapping polyhedra the greatest separation is minus the
 * depth, exactly. World frame, m; normals point from a to b.
 *
 * Polyhedra are boxes and hulls without rounding and margin. Faces and edges of a hull are numbered
 * as in its view. A box has faces 0 to 5: -x, +x, -y, +y, -z, +z. Its edges are 0 to 11: 4 k + 2 s
 * + t along axis k, on the + side (s, t = 1) or - side of the next axis and the one after (x, y, z,
 * x, ...). Baraff, Witkin 1997 (cached planes); Gregorius 2013 (arcs of the Gauss map). */

/* One row per kind of plane: enum name, word in JSON. */
#define CT_PLANE_KIND_MAP(X)                                                                       \
  X(NONE, "none")                                                                                  \
  X(FACE_A, "faceA")        /* contains a face of a */                                             \
  X(FACE_B, "faceB")        /* contains a face of b */                                             \
  X(EDGE_EDGE, "edgeEdge")  /* parallel to an edge of each */                                      \
  X(DIRECTION, "direction") /* a free normal: bodies that are not both polyhedra */

typedef enum ct_plane_kind {
#define CT_PLANE_KIND_ENUM(name, word) CT_PLANE_##name,
  CT_PLANE_KIND_MAP(CT_PLANE_KIND_ENUM)
#undef CT_PLANE_KIND_ENUM
} ct_plane_kind;

/* JSON word of the kind ("faceA"); static storage. */
const char *ct_plane_kind_word(ct_plane_kind kind);

#define CT_NO_FEATURE UINT32_MAX

typedef struct ct_separating_plane {
  ct_plane_kind kind;
  /* faces or edges; CT_NO_FEATURE if the plane has none of that body */
  uint32_t feature_a, feature_b;
  double separation;
  /* unit normal; points of a and b that reach farthest towards each other */
  ct_vec3 normal, point_a, point_b;
} ct_separating_plane;

/* Cached plane of a pair. Owned by the caller, one per ordered pair; starts zeroed. Valid for these
 * two shapes in this order: zero it for others. */
typedef struct ct_plane_cache {
  ct_plane_kind kind;
  uint32_t feature_a, feature_b;
  ct_vec3 direction; /* DIRECTION: normal in a's frame */
  /* the cached plane separates; a neighbour of it does; full searches */
  uint64_t hits, repairs, searches;
} ct_plane_cache;

/* True if a plane of separation >= 0 exists: the interiors are disjoint, touching allowed. *plane
 * (may be NULL) is then the cached plane if it still separates, else a neighbour of it. Otherwise
 * it is the best of the first kind that separates: faces of the first body by content, faces of the
 * other, pairs of edges. The returned decision does not depend on the cache (may be NULL). Other
 * convex bodies use the direction of ct_pair_distance if its distance is >= 0; cached in a's frame,
 * it is valid while it separates by more than round-off. False for half-spaces and meshes. Cost: a
 * cache hit takes two supports, a search O((faces_a + faces_b) supports + edges_a edges_b).
 * Cancelling the workspace (ct_workspace_watch) ends a search with the result so far. `workspace`
 * must not be NULL. */
bool ct_pair_separating_plane(ct_placed a, ct_placed b, ct_plane_cache *cache,
                              ct_workspace *workspace, ct_separating_plane *plane);

/* True if the closed shapes share a point: the same decision as ct_pair_overlap, with or without a
 * cache. A plane that separates beyond round-off decides alone, else ct_pair_overlap does; shapes
 * without planes use ct_pair_overlap. *plane (may be NULL): the separating plane; kind NONE if
 * there is none up to round-off, or the shapes overlap. witness (may be NULL): a common point, if
 * they overlap. Cost and cancellation as ct_pair_separating_plane, plus ct_pair_overlap if no plane
 * is found. */
bool ct_pair_overlap_by_plane(ct_placed a, ct_placed b, ct_plane_cache *cache,
                              ct_workspace *workspace, ct_separating_plane *plane,
                              ct_vec3 *witness);

/* True if both shapes are polyhedra, which ct_pair_separating_axis requires. */
bool ct_separating_axis_is_supported(const ct_shape *a, const ct_shape *b);

/* Plane of greatest separation of two polyhedra; negative if they overlap, then minus the depth, up
 * to round-off. Ties: faces of the first body by content, faces of the other, pairs of edges, each
 * in order of numbers. Cost and cancellation as a search of ct_pair_separating_plane. */
void ct_pair_separating_axis(ct_placed a, ct_placed b, ct_workspace *workspace,
                             ct_separating_plane *plane);

CT_DECLARATIONS_END

#endif
