/* Separating planes of two convex bodies, and a cache that keeps one from frame to frame.
 *
 * Two convex polyhedra have disjoint insides exactly when a plane separates them, and then one does that contains a face of either
 * or is parallel to an edge of each. The separation of a plane is the gap between the bodies along its normal: never more than
 * their distance, and equal to it where the closest features are the plane's. Of two polyhedra that overlap the greatest separation
 * is minus the depth, exactly. World frame, m; normals point from a to b.
 *
 * Polyhedra are boxes and hulls without rounding and margin. Faces of a hull are numbered as in its view, its edges too; a box has
 * the faces 0 to 5: -x, +x, -y, +y, -z, +z, and the edges 0 to 11: 4 k + 2 s + t along axis k, on the + side (s, t = 1) or the -
 * side of the next axis and of the one after (x, y, z, x, ...). Baraff, Witkin 1997 (cached planes); Gregorius 2013 (arcs of the
 * Gauss map).
 */
#ifndef CONTACT_SEPARATING_PLANE_H
#define CONTACT_SEPARATING_PLANE_H

#include <contact/linkage.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

/* One row per kind of plane: enum name, word on the wire. */
#define CT_PLANE_KIND_MAP(X)                                                                                                       \
  X(NONE, "none")                                                                                                                  \
  X(FACE_A, "faceA")        /* contains a face of a */                                                                             \
  X(FACE_B, "faceB")        /* contains a face of b */                                                                             \
  X(EDGE_EDGE, "edgeEdge")  /* parallel to an edge of each */                                                                      \
  X(DIRECTION, "direction") /* a normal of its own: bodies that are not both polyhedra */

typedef enum ct_plane_kind {
#define CT_PLANE_KIND_ENUM(name, word) CT_PLANE_##name,
  CT_PLANE_KIND_MAP(CT_PLANE_KIND_ENUM)
#undef CT_PLANE_KIND_ENUM
} ct_plane_kind;

/* Word of the kind ("faceA"); static storage. */
const char *ct_plane_kind_word(ct_plane_kind kind);

#define CT_NO_FEATURE UINT32_MAX

typedef struct ct_separating_plane {
  ct_plane_kind kind;
  uint32_t feature_a, feature_b; /* faces or edges; CT_NO_FEATURE where the plane has none of that body */
  double separation;
  ct_vec3 normal, point_a, point_b; /* the points of a and b that reach farthest toward each other */
} ct_separating_plane;

/* What a pair remembers. Owned by the caller, one per ordered pair; start with all zero. A cache belongs to the two shapes: with
 * others, or with a and b exchanged, give it back to zero. */
typedef struct ct_plane_cache {
  ct_plane_kind kind;
  uint32_t feature_a, feature_b;
  ct_vec3 direction;                /* DIRECTION: the normal in a's frame */
  uint64_t hits, repairs, searches; /* the plane remembered separates; a neighbour of it does; all were looked through */
} ct_plane_cache;

/* Is there a plane of separation >= 0? The inside of bodies is what counts: touching bodies have one. *plane (may be NULL), when
 * there is: the remembered one if it still separates, else a neighbour of it, else the best of the first kind that has one: faces
 * of the first body by content, faces of the other, pairs of edges. With or without a cache (NULL: none) the answer is the same.
 * Bodies that are not both polyhedra: the direction of ct_pair_distance, when its distance is >= 0; remembered in a's frame, it
 * counts as long as it separates by more than round-off. False too of kinds without planes: half-spaces, meshes. Cost: a hit takes
 * two supports; a search O((faces_a + faces_b) supports + edges_a edges_b). A raised flag of the workspace (ct_workspace_watch)
 * ends a search with what it has found. The workspace may not be NULL. */
bool ct_pair_separating_plane(ct_placed a, ct_placed b, ct_plane_cache *cache, ct_workspace *workspace, ct_separating_plane *plane);

/* Do the closed shapes share a point? The same decision as ct_pair_overlap's, with a cache and without: a plane that separates
 * beyond round-off answers alone, else ct_pair_overlap does. *plane (may be NULL): the plane found where they do not; of kind NONE
 * where there is none to round-off, or they do. witness (may be NULL): a point of both, when they do. Shapes without planes are
 * asked of ct_pair_overlap. Cost and flag as ct_pair_separating_plane, and those of ct_pair_overlap where no plane is found. */
bool ct_pair_overlap_by_plane(ct_placed a, ct_placed b, ct_plane_cache *cache, ct_workspace *workspace, ct_separating_plane *plane,
                              ct_vec3 *witness);

/* Are both shapes polyhedra, whose planes ct_pair_separating_axis looks through? */
bool ct_separating_axis_is_supported(const ct_shape *a, const ct_shape *b);

/* The plane of greatest separation of two polyhedra, negative where they overlap: then minus their depth, to round-off. Of planes
 * that separate alike faces of the first body by content win, then faces of the other, then pairs of edges, in order of numbers.
 * Cost and flag as a search of ct_pair_separating_plane. */
void ct_pair_separating_axis(ct_placed a, ct_placed b, ct_workspace *workspace, ct_separating_plane *plane);

CT_DECLARATIONS_END

#endif
