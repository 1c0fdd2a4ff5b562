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
 * method. The shortcuts of ct_pair_distance are not used: closed forms of spheres and capsules,
 * scans over a box's axes or a hull's planes, profiles of bodies of revolution. Distance, bounds,
 * conventions and mirror symmetry are as in ct_pair_distance; the last bits may differ, and so may
 * the selection among equally valid normals. World frame, m. Gilbert, Johnson, Keerthi 1988 (GJK);
 * Montanari 2017 (signed volumes); van den Bergen 2001 (EPA). */

/* True if both shapes are bounded and convex, and neither is a capsule with two radii, which is no
 * sharp core with a constant rounding, so EPA could not expand a polytope over its core. */
bool ct_gjk_epa_is_supported(const ct_shape *a, const ct_shape *b);

/* Computes the signed distance of two supported shapes, written to *result. Never fails on finite
 * input; `status` reports numerical trouble. Cost: about 10 support evaluations for separated
 * bodies; 10 to 100 in penetration, several hundred for curved kinds. */
void ct_pair_gjk_epa(ct_placed a, ct_placed b, const ct_pair_options *options,
                     ct_workspace *workspace, ct_pair_result *result);

/* True if the shapes share a point: the same decision as distance <= 0 of ct_pair_gjk_epa, at less
 * cost. witness (may be NULL): if they overlap, set to a common point, world. */
bool ct_pair_gjk_epa_overlap(ct_placed a, ct_placed b, ct_workspace *workspace, ct_vec3 *witness);

/* ---- Minkowski portal refinement ------------------------------------------------------------- */

/* A ray from an interior point of the Minkowski difference to the origin is followed through
 * triangles of support points (portals), until a portal is on the surface. That portal determines
 * the signed distance. The sign is that of the exact distance. The result is never less than the
 * exact distance if the bodies are separated, and never less deep in penetration; it is exact if
 * the projection of the origin onto the portal's plane is inside the portal. All these statements
 * hold up to the tolerance; the bounds always contain the exact distance.
 * Conventions as in pair.h: unit normal from a to b, distance < 0 is penetration, world frame, m;
 * swapping a and b mirrors the result bit for bit. Snethen 2008 (XenoCollide); Neumayr, Otter 2017
 * (distances, tolerance). */

/* Flags of a result, in addition to those of pair.h. */
enum {
  /* The tolerance was not reached. The result is from the best portal; tolerance_reached is its
   * tolerance. */
  CT_FLAG_TOLERANCE_RAISED = 1 << 8,
  /* The interior points of both bodies coincide up to round-off, so there is no ray. The result is
   * the least of the six depths along the axes of the body that is first by content. For two balls
   * the depth is exact and the normal arbitrary. */
  CT_FLAG_CENTRES_COINCIDE = 1 << 9,
  /* The Minkowski difference is flat up to round-off, or no portal was found: only the bounds are
   * reliable. */
  CT_FLAG_PLANAR_MINKOWSKI = 1 << 10
};

typedef struct ct_mpr_options {
  /* relative to the largest absolute component of the first portal's points; 0: CT_MPR_TOLERANCE */
  double tolerance;
  /* largest number of iterations of the portal search, and again of its refinement; 0:
   * CT_MPR_ITERATIONS */
  uint32_t iterations_max;
} ct_mpr_options;
/* Defaults: CT_MPR_TOLERANCE and CT_MPR_ITERATIONS. */
ct_mpr_options ct_mpr_options_default(void);

typedef struct ct_mpr_result {
  double distance; /* distance of the portal from the origin, m; < 0 in penetration */
  /* Certified bounds of the exact distance, round-off included. The lower one is from the best
   * plane found; the upper one is `distance` if this is positive, else 0. In penetration `distance`
   * may be below both. */
  double lower_bound, upper_bound;
  ct_vec3 normal; /* unit normal of the portal, from a to b */
  /* unit vector with point_b - point_a = distance * normal_exact, up to the tolerance; equal to
   * `normal` if the points coincide */
  ct_vec3 normal_exact;
  /* Witness points on a and b, if the portal was used unchanged. Exceptions: a ball or ellipsoid
   * has its own support point along the normal, and the point of another body facing it is
   * `distance` along the normal from that point. The second body (by content) is treated like this
   * other body if the result is only a bound (CENTRES_COINCIDE, PLANAR_MINKOWSKI). */
  ct_vec3 point_a, point_b;
  /* tolerance that was reached, relative as ct_mpr_options.tolerance; 0 for closed forms */
  double tolerance_reached;
  /* ITERATION_LIMIT: the iteration limit ended a phase; DEGENERATE: see `flags`; UNSUPPORTED: not
   * two convex bodies */
  ct_pair_status status;
  uint32_t flags, iterations; /* iterations: number of support evaluations */
  /* number of valid support points: 3: those of the portal; 1: a single one, on the ray or along
   * the normal; 0: closed forms have none */
  uint32_t support_count;
  /* points of a and of b whose differences are the vertices of the portal */
  ct_vec3 support_a[3], support_b[3];
} ct_mpr_result;

/* True if MPR supports the kind, that is, its shapes are bounded and convex. Rounding radius and
 * margin belong to the body. */
bool ct_mpr_is_supported(ct_kind kind);

/* Computes the distance of two placed shapes by MPR, written to *result. Never fails on finite
 * input; status and flags report numerical trouble. For unsupported kinds only the status is set.
 * Allocates nothing. Cost: about 15 support evaluations; curved bodies three more per decade of the
 * tolerance. */
void ct_pair_mpr(ct_placed a, ct_placed b, const ct_mpr_options *options, ct_mpr_result *result);

/* Copies an MPR result to a pair result: distance, bounds, normal, points, status, flags,
 * iterations. The relation is set to TOUCHING if |distance| <= tolerance, m, else by the sign of
 * the distance; if *result already has CONTAINING or CONTAINED and the pair penetrates, that
 * relation stays. */
void ct_mpr_write_result(const ct_mpr_result *portal, double tolerance, ct_pair_result *result);

/* ---- separating planes ----------------------------------------------------------------------- */

/* Two convex polyhedra have disjoint interiors exactly if a plane separates them that contains a
 * face of one, or is parallel to an edge of each (separating axis theorem). The separation of a
 * plane is the signed gap between the bodies along its normal. It is at most their distance, and
 * equal to it if the plane's features are the closest ones. For overlapping polyhedra the greatest
 * separation of all these planes is minus the depth, exactly. World frame, m; normals point from a
 * to b.
 *
 * Polyhedra are boxes and hulls without rounding radius and margin. Faces and edges of a hull are
 * numbered as in its view. A box has faces 0 to 5: -x, +x, -y, +y, -z, +z. Its edges are 0 to 11:
 * edge 4 k + 2 s + t is parallel to axis k, on the + side (s = 1) or - side (s = 0) of the axis
 * after k, and likewise (t) of the axis after that, in the cyclic order x, y, z. Baraff, Witkin
 * 1997 (cached planes); Gregorius 2013 (arcs of the Gauss map). */

/* One row per kind of plane: enum name, word in JSON. */
#define CT_PLANE_KIND_MAP(X)                                                                       \
  X(NONE, "none")                                                                                  \
  X(FACE_A, "faceA")        /* contains a face of a */                                             \
  X(FACE_B, "faceB")        /* contains a face of b */                                             \
  X(EDGE_EDGE, "edgeEdge")  /* parallel to an edge of each */                                      \
  X(DIRECTION, "direction") /* a normal of no feature, for bodies that are not both polyhedra */

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
  /* face or edge of each body that defines the plane; CT_NO_FEATURE if none of that body does */
  uint32_t feature_a, feature_b;
  /* gap between the bodies along the normal, m; < 0: they overlap along it */
  double separation;
  /* unit normal from a to b; points of a and b that extend farthest towards the other body */
  ct_vec3 normal, point_a, point_b;
} ct_separating_plane;

/* The separating plane of a pair, cached from frame to frame. Owned by the caller, one per ordered
 * pair of shapes; zeroed at the start and when one of the shapes is replaced. */
typedef struct ct_plane_cache {
  ct_plane_kind kind;
  uint32_t feature_a, feature_b;
  ct_vec3 direction; /* kind DIRECTION: the normal, in a's frame */
  /* numbers of queries in which the cached plane separated, in which a neighbour of it did, and in
   * which all planes were searched */
  uint64_t hits, repairs, searches;
} ct_plane_cache;

/* True if a plane of separation >= 0 exists, so that the interiors are disjoint; touching is
 * allowed. *plane (may be NULL) is then the cached plane if it still separates, else a neighbour of
 * it that does, else the best plane of the first kind that has a separating one: faces of the first
 * body by content, faces of the other, pairs of edges. The returned decision does not depend on the
 * cache, which may be NULL. For convex bodies that are not both polyhedra, the plane's normal is
 * that of ct_pair_distance if this distance is >= 0; it is cached in a's frame and reused while it
 * separates by more than round-off. False for half-spaces and meshes. Cost: two support evaluations
 * if the cached plane separates; a search O((faces_a + faces_b) supports + edges_a edges_b).
 * Cancelling the workspace (ct_workspace_watch) ends a search with the result so far. `workspace`
 * must not be NULL. */
bool ct_pair_separating_plane(ct_placed a, ct_placed b, ct_plane_cache *cache,
                              ct_workspace *workspace, ct_separating_plane *plane);

/* True if the closed shapes share a point: the same decision as ct_pair_overlap, with or without a
 * cache. If a plane separates the shapes by more than round-off, no other test is needed;
 * otherwise, and for shapes without planes, ct_pair_overlap decides. *plane (may be NULL): the
 * separating plane; its kind is NONE if the shapes overlap or no plane separates them up to
 * round-off. witness (may be NULL): if they overlap, a common point. Cost and cancellation as
 * ct_pair_separating_plane, plus ct_pair_overlap if no plane is found. */
bool ct_pair_overlap_by_plane(ct_placed a, ct_placed b, ct_plane_cache *cache,
                              ct_workspace *workspace, ct_separating_plane *plane,
                              ct_vec3 *witness);

/* True if both shapes are polyhedra, which ct_pair_separating_axis requires. */
bool ct_separating_axis_is_supported(const ct_shape *a, const ct_shape *b);

/* Finds the plane of greatest separation of two polyhedra, written to *plane. If they overlap, the
 * separation is negative: minus their depth, up to round-off. Of equal separations the first is
 * selected: faces of the first body by content, faces of the other, pairs of edges, each in the
 * order of their numbers. Cost and cancellation as a search of ct_pair_separating_plane. */
void ct_pair_separating_axis(ct_placed a, ct_placed b, ct_workspace *workspace,
                             ct_separating_plane *plane);

CT_DECLARATIONS_END

#endif
