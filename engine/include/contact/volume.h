/* Volumetric contact: what two placed bodies have in common as a solid, and the contact made of it - a point, a normal, an area, a
 * gap and the two surfaces that meet - as Solfec makes one contact of each pair of primitives that overlap.
 *
 * Conventions are those of pair.h: normals point from a to b, a gap below zero is penetration, a swap of a and b mirrors bit for
 * bit. World frame, m. The common solid of two convex polyhedra is bounded by parts of faces of a, parts of faces of b, and parts
 * that lie in faces of both with one outward side (shared). With t its faces, a(t) their areas and n(t) their outward normals:
 *
 *   position   centroid of the surface, sum a c / sum a over all faces
 *   area       half the surface
 *   normal     direction of N = sum over a's faces w(t) n(t) - sum over b's faces w(t) n(t), w by the weighting; shared faces and
 *              the inner faces of elements count in position and area alone
 *   patch_area half of |sum a n over a's faces - sum a n over b's faces|, |sum a n| over a's alone where none is shared: the patch
 *              itself where two faces meet almost flat
 *   raw_gap    minus the width of the common solid along the normal, L = -raw_gap
 *   gap        min(distance(a - L n, b + L n) - 2 L, 0): the seed prints the signs the other way round, which always gives -2 L
 *   depth_along_normal  how far b must move along the normal to leave a: h_a(n) + h_b(-n), never less than the depth of pair.h
 *
 * A closed mesh, with another one or a convex polyhedron, has one contact by the same rules: what of a triangle is in the other
 * solid is one piece for the squares, and triangles that lie in one plane exactly and hang together are one face. Faces are shared
 * where they lie on each other to the rounding of placed points. A solid counts as often as it winds around a point, as in the
 * mesh's own volume (flag countedTwice). The point is a centroid: of solids that are not convex it may be outside (flag
 * pointOutside). Exact signs decide what is inside; areas and volumes err by some u of the largest coordinate times length and area
 * of the border, and the borders are added up as a check: what does not close says DEGENERATE.
 *
 * A mesh of elements, with another one or a convex polyhedron, has a contact for each pair of pieces that overlap, also of elements
 * that have no outer face: the volumes add up to the whole common volume. An element is here the hull of its corners: where faces
 * of hexahedra are warped that is more than the hexahedron, and hulls of neighbours overlap; with a closed mesh the elements are
 * the split solid of elements.h, which no hull enlarges. Where all of a common surface lies in inner faces N vanishes, and the
 * normal is that of the least translation that parts the two elements alone. By SOLFEC an element without an outer face makes no
 * contact, the seed's rule.
 *
 * A half-space is bounded by its plane: of a polyhedron or a closed mesh it cuts off what is below, and the section is a face of
 * the half-space; the normal is the plane's.
 *
 * Curved and rounded bodies, with each other and all else: position, normal and gap are those of pair.h's distance (the middle of
 * its points; the distance itself, to more digits where the volume is a cap or a lens), areas are 0 and not defined. The volume is
 * that of two balls, of a ball or an ellipsoid and a half-space, and of a body inside another, with rounding and margin: of cones,
 * ellipsoids, hulls and meshes without these. Of others it is not worked out (flag volumeUndefined).
 *
 * Bodies that touch without a common volume have no contact (flag touchingOnly of the list); nor has a volume thinner than
 * round-off. The volume of thin solids is found in double-double arithmetic, from poses where these are given; volume_error bounds
 * what is left. Muller, Preparata 1978 (dual intersection); Koziara, Solfec (contact of a volume).
 */
#ifndef CONTACT_VOLUME_H
#define CONTACT_VOLUME_H

#include <contact/linkage.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

/* How much a face counts in the normal. One row each: enum name, word on the wire. */
#define CT_WEIGHTING_MAP(X)                                                                                                        \
  X(LINEAR, "linear")            /* its area: independent of any triangulation */                                                  \
  X(SQUARED, "squared")          /* the squares of the areas of its triangles, the seed's rule. Each face is a fan around the */   \
                                 /* vertex that is lexicographically least (x, then y, then z) in the frame of the body that */    \
                                 /* comes first by content (of equal vertices the one met first) */                                \
  X(SQUARED_FACE, "squaredFace") /* the square of its area, the face taken whole */

typedef enum ct_weighting {
#define CT_WEIGHTING_ENUM(name, word) CT_WEIGHTING_##name,
  CT_WEIGHTING_MAP(CT_WEIGHTING_ENUM)
#undef CT_WEIGHTING_ENUM
      CT_WEIGHTING_COUNT
} ct_weighting;

/* How the common solid of two convex polyhedra is found; other pairs have one way each. */
#define CT_VOLUME_METHOD_MAP(X)                                                                                                    \
  X(AUTO, "auto")          /* cuts the first body by the planes of the second */                                                   \
  X(DUAL_HULL, "dualHull") /* a point inside both, planes to dual points, their exact hull, and the polar of that: the same */     \
                           /* solid as AUTO's, to round-off; a thin one's sums are AUTO's */                                       \
  X(SOLFEC, "solfec") /* as the seed does it, with its epsilon: a pair up to epsilon apart may have a contact, planes nearer */    \
                      /* than epsilon to the inner point are moved out to it (flag toleranceRaised), a contact point */            \
                      /* outside a body by more than epsilon is refused (flag illConditioned of the list); an element */           \
                      /* that has no outer face makes no contact */

typedef enum ct_volume_method {
#define CT_VOLUME_METHOD_ENUM(name, word) CT_VOLUME_##name,
  CT_VOLUME_METHOD_MAP(CT_VOLUME_METHOD_ENUM)
#undef CT_VOLUME_METHOD_ENUM
      CT_VOLUME_METHOD_COUNT
} ct_volume_method;

/* Flags of a contact, and of the list where a contact is missing. Row k is bit k. */
#define CT_VOLUME_FLAG_MAP(X)                                                                                                      \
  X(NORMAL_FALLBACK, "normalFallback")     /* N vanishes (one in the other, identical, inner faces): the normal is pair.h's */     \
  X(NORMAL_ARBITRARY, "normalArbitrary")   /* that one is one of several that are equally right */                                 \
  X(SHARED_FACES, "sharedFaces")           /* parts of the surface lie in faces of both bodies */                                  \
  X(ILL_CONDITIONED, "illConditioned")     /* the point is outside a body by more than round-off (solfec: epsilon) */              \
  X(TOLERANCE_RAISED, "toleranceRaised")   /* solfec: planes were moved out to epsilon */                                          \
  X(TOUCHING_ONLY, "touchingOnly")         /* of the list: the bodies touch, or overlap by less than round-off can tell */         \
  X(GEOMETRIC_FAILURE, "geometricFailure") /* of the list: no solid was found although the bodies overlap; solfec alone */         \
  X(POINT_OUTSIDE, "pointOutside")         /* of solids that are not convex: the point, a centroid, is outside one of them */      \
  X(COUNTED_TWICE, "countedTwice")         /* a mesh passes through itself there: what its parts share counts as often */          \
  X(VOLUME_UNDEFINED, "volumeUndefined")   /* of curved bodies: it is not worked out and 0, the centroid is the position */        \
  X(VOLUME_INEXACT, "volumeInexact")       /* volume_error is more than CT_VOLUME_RELATIVE_ERROR of the volume */

enum {
#define CT_VOLUME_FLAG_ROW(name, word) CT_VOLUME_FLAG_ROW_##name,
  CT_VOLUME_FLAG_MAP(CT_VOLUME_FLAG_ROW)
#undef CT_VOLUME_FLAG_ROW
      CT_VOLUME_FLAG_COUNT
};

enum {
#define CT_VOLUME_FLAG_BIT(name, word) CT_VOLUME_FLAG_##name = 1 << CT_VOLUME_FLAG_ROW_##name,
  CT_VOLUME_FLAG_MAP(CT_VOLUME_FLAG_BIT)
#undef CT_VOLUME_FLAG_BIT
};

/* Words ("linear", "auto", "normalFallback"); static storage. */
const char *ct_weighting_word(ct_weighting weighting);
const char *ct_volume_method_word(ct_volume_method method);
const char *ct_volume_flag_word(uint32_t row);

#define CT_NO_ELEMENT UINT32_MAX

/* A volume whose error bound is larger than this part of it has the flag VOLUME_INEXACT. */
#define CT_VOLUME_RELATIVE_ERROR 1e-12
/* One whose error bound is larger than this part of it has the status DEGENERATE. */
#define CT_VOLUME_RELATIVE_ERROR_LARGE 1e-9

/* Poses of which a placed shape's frame is the product, rounded: a body's in the world and, where it is not the identity, a
 * collider's in the body. Borrowed. */
typedef struct ct_volume_poses {
  const ct_pose *body;     /* NULL: the frame's numbers stand for themselves */
  const ct_pose *collider; /* NULL: identity */
} ct_volume_poses;

typedef struct ct_volume_options {
  ct_weighting weighting;
  ct_volume_method method;
  double epsilon; /* m, >= 0; SOLFEC alone reads it; 0: no tolerance, as DUAL_HULL but for elements without an outer face */
  bool triangles; /* wanted too? */
  bool stages;    /* likewise, of convex polyhedra and elements */
  ct_volume_poses poses_a, poses_b; /* what the volumes of thin solids refer to; zeroed: the frames */
} ct_volume_options;
/* Defaults: LINEAR, AUTO, no triangles and no stages. */
ct_volume_options ct_volume_options_default(void);

/* Whose face a triangle lies in. */
typedef enum ct_volume_owner { CT_OWNER_A, CT_OWNER_B, CT_OWNER_SHARED } ct_volume_owner;

/* A triangle of the common surface, counter-clockwise from outside. */
typedef struct ct_volume_triangle {
  ct_vec3 vertex[3];
  ct_volume_owner owner;
  /* Faces of a and of b that it lies in; CT_NO_FACE: none of that body. Of a hull as in its view; of a box 0 to 5: -x, +x, -y, +y,
   * -z, +z; of a mesh the triangle; of an element its local face; of a half-space 0; of curved bodies CT_NO_FACE. */
  uint32_t face_a, face_b;
} ct_volume_triangle;

/* Stages of the intersection of two convex polyhedra, as Solfec 1.0 takes them (Muller, Preparata 1978). The planes of both bodies
 * are seen from the inner point; the plane n . z <= d has the dual point n / d. The hull of the dual points has a vertex for each
 * face of the common polyhedron, and a face for each vertex of it. */

/* A plane of a or b (shared: of both, once). */
typedef struct ct_dual_point {
  ct_vec3 point; /* world axes, 1/m */
  ct_volume_owner owner;
  uint32_t face_a, face_b; /* as of triangles */
  bool on_hull;            /* a vertex of the dual hull; else the plane is redundant */
} ct_dual_point;

/* A vertex of the common polyhedron, and the face of the dual hull that it is the polar of. */
typedef struct ct_stage_vertex {
  ct_vec3 position;
  uint32_t first_index, index_count; /* dual points of the dual hull's face, counter-clockwise from outside */
} ct_stage_vertex;

typedef struct ct_stage_face {
  ct_volume_owner owner;
  uint32_t face_a, face_b;
  ct_vec3 normal; /* outward, unit */
  double offset;  /* m; normal . p = offset */
  uint32_t point; /* its dual point */
  uint32_t first_index, index_count; /* vertices of its loop, counter-clockwise from outside */
} ct_stage_face;

/* Where the stages of a contact are in the list's; all numbers in them count from these. */
typedef struct ct_volume_stages {
  uint32_t first_point, point_count, first_vertex, vertex_count, first_face, face_count;
  ct_vec3 start;  /* SOLFEC: the closest point of a found by GJK, from which the inner point was pushed */
  bool has_start;
} ct_volume_stages;

typedef struct ct_volume_contact {
  double volume;                           /* m^3, > 0 */
  double volume_error;                     /* m^3: the volume is off by no more. See CT_VOLUME_RELATIVE_ERROR */
  double area;                             /* m^2 */
  bool area_defined;                       /* false: of curved bodies; the areas are then 0 */
  double patch_area;                       /* m^2 */
  double raw_gap, gap, depth_along_normal; /* m */
  ct_vec3 centroid;                        /* of the volume */
  ct_vec3 position, normal;                /* the contact point and the normal */
  ct_vec3 inner;                           /* of polyhedra: a point strictly inside both, margin from every face plane; m. */
  double margin;                           /* 0 of other pairs */
  uint32_t surface_a, surface_b;           /* ids of the surfaces of a and b whose planes, moved out by rounding and margin, are
                                            * nearest to position, faces of an inset hull being those of its outer one; of pairs
                                            * with a curved or rounded body ct_shape_surface_at the pair's points; CT_NO_FACE of
                                            * elements without an outer face */
  uint32_t element_a, element_b;           /* of meshes of elements; else CT_NO_ELEMENT */
  ct_pair_status status;                   /* DEGENERATE with ILL_CONDITIONED */
  uint32_t flags;                          /* bits of CT_VOLUME_FLAG_MAP */
  uint32_t first_triangle, triangle_count; /* in the list's triangles; 0 unless asked for */
  ct_volume_stages stages;                 /* zeroed unless asked for */
} ct_volume_contact;

/* The list; borrowed from the workspace until its next use. */
typedef struct ct_volume {
  const ct_volume_contact *contacts; /* [count]: one per pair of convex bodies or closed meshes, one per pair of elements that
                                      * overlap, by (element_a, element_b) */
  size_t count;
  const ct_volume_triangle *triangles; /* [triangle_count] */
  size_t triangle_count;
  const ct_dual_point *points;           /* stages of all contacts */
  const ct_stage_vertex *stage_vertices;
  const ct_stage_face *stage_faces;
  const uint32_t *stage_indices;
  ct_pair_status status; /* UNSUPPORTED: the pair has no volumetric contact (two half-spaces; a surface that bounds no solid);
                          * ITERATION_LIMIT: the workspace's flag was raised and contacts may be missing */
  uint32_t flags;        /* why a contact is missing, as bits of CT_VOLUME_FLAG_MAP */
  bool failed;           /* memory was short: contacts or triangles are missing */
} ct_volume;

/* What contacts that are element by element come to, as one common solid. */
typedef struct ct_volume_total {
  size_t contacts;
  double volume, volume_error; /* m^3; the error bounds that of the sum */
  ct_vec3 centroid;            /* of the volume */
  double patch_area;           /* sum of the patch areas, m^2 */
  ct_pair_status status;       /* that of a contact that is not OK */
} ct_volume_total;

/* False: there are no contacts, or they are not of elements. O(contacts) */
bool ct_volume_add_up(const ct_volume *volume, ct_volume_total *out);

/* The volumetric contacts of two placed shapes. Rounding and margin count. Polyhedra (boxes and convex hulls without rounding and
 * margin) are answered to round-off: planes as placed are moved by some u of the size, edges of angle t by that over t. No
 * allocation once the workspace is warm, but by DUAL_HULL and SOLFEC. Cost, f faces
 * each: O(f^2) products at worst, mostly far fewer, and one GJK distance for the gap. Meshes: O(n log n), the pairs of triangles
 * whose boxes meet, and a distance for the gap. */
void ct_pair_volume(ct_placed a, ct_placed b, const ct_volume_options *options, ct_workspace *workspace, ct_volume *volume);

CT_DECLARATIONS_END

#endif
