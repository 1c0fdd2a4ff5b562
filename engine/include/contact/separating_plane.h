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
#ifndef CONTACT_SEPARATING_PLANE_H
#define CONTACT_SEPARATING_PLANE_H

#include <contact/linkage.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

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
