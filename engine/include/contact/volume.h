/* Volumetric contacts: the common solid of two placed bodies, and the contact derived from it:
 * point, normal, area, gap and the two surfaces that meet. As in Solfec, each pair of overlapping
 * primitives yields one contact.
 *
 * Conventions as in pair.h: normals point from a to b, a gap < 0 is penetration, swapping a and b
 * mirrors the result bit for bit. World frame, m.
 * The common solid of two convex polyhedra is bounded by parts of a's faces, parts of b's faces,
 * and parts in faces of both with the same outward side (shared). With its faces t, areas a(t) and
 * outward normals n(t):
 *
 *   position   centroid of the surface, sum a c / sum a over all faces
 *   area       half the surface
 *   normal     direction of N = sum over a's faces w(t) n(t) - sum over b's faces w(t) n(t), with
 *              the weighting w; shared faces and inner faces of elements only count in position
 *              and area
 *   patch_area half of |sum a n over a's faces - sum a n over b's faces|; |sum a n| over a's alone
 *              without shared faces. Equals the patch if two faces meet almost flat
 *   raw_gap    minus the width of the common solid along the normal, L = -raw_gap
 *   gap        min(distance(a - L n, b + L n) - 2 L, 0). Solfec has the opposite signs, which
 *              always give -2 L
 *   depth_along_normal  translation of b along the normal that separates it from a:
 *              h_a(n) + h_b(-n), never less than the depth of pair.h
 *
 * Closed meshes. A closed mesh and another one, or a convex polyhedron, have one contact, by the
 * same rules. For SQUARED, the part of a triangle inside the other solid is one face; otherwise
 * connected triangles that are exactly coplanar form one face. Faces that coincide within the
 * rounding of transformed points are shared. A solid counts as often as its winding number says, as
 * in the mesh's own volume (flag countedTwice). The contact point is a centroid, which may be
 * outside a non-convex solid (flag pointOutside). Exact predicates decide containment. The errors
 * of areas and volumes are a few unit round-offs of the largest coordinate times the length and
 * area of the border. The boundary sums are checked: if a surface does not close, the status is
 * DEGENERATE.
 *
 * Meshes of elements. Each overlapping pair of pieces has a contact, also for elements without
 * outer faces, so the volumes sum to the common volume. An element counts as the convex hull of its
 * corners. With warped faces the hull is larger than the hexahedron, and hulls of neighbours
 * overlap. Against a closed mesh, elements are the split solids of elements.h instead. If the
 * common surface is entirely in inner faces, N vanishes and the normal is the direction of the
 * least translation that separates the two elements. With SOLFEC, elements without outer faces have
 * no contacts, as in Solfec.
 *
 * Half-spaces. The half-space cuts off the part of a polyhedron or closed mesh below its plane. The
 * section is a face of the half-space, and the normal is the plane's.
 *
 * Curved and rounded bodies, with any other body. Position, normal and gap are those of
 * ct_pair_distance: the midpoint of its witness points, and its distance, computed with more digits
 * if the volume is a cap or a lens. Areas are undefined and 0. The volume is known for two balls,
 * for a ball or ellipsoid and a half-space, and for a body inside another; it includes rounding and
 * margin, but cones, ellipsoids, hulls and meshes must have none. Other volumes are not computed
 * (flag volumeUndefined).
 *
 * Bodies that only touch have no contact (flag touchingOnly of the list), and neither have volumes
 * thinner than round-off. Volumes of thin solids are computed in double-double arithmetic, from the
 * poses if given; volume_error is an upper bound of the error. Muller, Preparata 1978 (dual
 * intersection); Koziara, Solfec (volumetric contact). */
#ifndef CONTACT_VOLUME_H
#define CONTACT_VOLUME_H

#include <contact/base.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

/* Weight w of a face in the normal.
 * - LINEAR: the area, so that the normal does not depend on the triangulation.
 * - SQUARED: the sum of the squared areas of its triangles, as in Solfec. A face is divided into a
 * fan around its lexicographically least vertex in the frame of the body that is first by content
 *   (ties: the first in the loop).
 * - SQUARED_FACE: the squared area of the whole face.
 *
 * One row each: enum name, word in JSON. */
#define CT_WEIGHTING_MAP(X)                                                                        \
  X(LINEAR, "linear")                                                                              \
  X(SQUARED, "squared")                                                                            \
  X(SQUARED_FACE, "squaredFace")

typedef enum ct_weighting {
#define CT_WEIGHTING_ENUM(name, word) CT_WEIGHTING_##name,
  CT_WEIGHTING_MAP(CT_WEIGHTING_ENUM)
#undef CT_WEIGHTING_ENUM
      CT_WEIGHTING_COUNT
} ct_weighting;

/* Intersection method for two convex polyhedra; other pairs have one method each.
 * - AUTO: clips the first body by the face planes of the second.
 * - DUAL_HULL: inner point, dual points of the face planes, their exact hull and its polar. The
 * solid is that of AUTO up to round-off; for thin solids the sums are those of AUTO.
 * - SOLFEC: as Solfec, with its epsilon. Pairs up to epsilon apart may have a contact; planes
 * nearer to the inner point than epsilon are moved to that distance; a contact point outside a body
 * by more than epsilon is refused; elements without outer faces have no contacts. */
#define CT_VOLUME_METHOD_MAP(X)                                                                    \
  X(AUTO, "auto")                                                                                  \
  X(DUAL_HULL, "dualHull")                                                                         \
  X(SOLFEC, "solfec")

typedef enum ct_volume_method {
#define CT_VOLUME_METHOD_ENUM(name, word) CT_VOLUME_##name,
  CT_VOLUME_METHOD_MAP(CT_VOLUME_METHOD_ENUM)
#undef CT_VOLUME_METHOD_ENUM
      CT_VOLUME_METHOD_COUNT
} ct_volume_method;

/* Flags of a contact; as flags of the list, reasons for a missing contact. The flag in row k is bit
 * k. */
#define CT_VOLUME_FLAG_MAP(X)                                                                      \
  X(NORMAL_FALLBACK, "normalFallback")   /* N vanishes, so the normal is that of pair.h */         \
  X(NORMAL_ARBITRARY, "normalArbitrary") /* the normal is one of several equally valid ones */     \
  X(SHARED_FACES, "sharedFaces") /* parts of the common surface are in faces of both bodies */     \
  X(ILL_CONDITIONED, "illConditioned")   /* the contact point is outside a body */                 \
  X(TOLERANCE_RAISED, "toleranceRaised") /* SOLFEC: planes near the inner point were moved to the  \
                                            distance epsilon */                                    \
  X(TOUCHING_ONLY,                                                                                 \
    "touchingOnly") /* list: the bodies only touch, or overlap by less than round-off */           \
  X(GEOMETRIC_FAILURE,                                                                             \
    "geometricFailure") /* list, SOLFEC: the bodies overlap, but no common solid was found */      \
  X(POINT_OUTSIDE, "pointOutside") /* non-convex bodies: the centroid is outside a solid */        \
  X(COUNTED_TWICE,                                                                                 \
    "countedTwice") /* a mesh overlaps itself in the common solid, which counts several times */   \
  X(VOLUME_UNDEFINED,                                                                              \
    "volumeUndefined") /* curved bodies: the volume is unknown and 0; centroid = position */       \
  X(VOLUME_INEXACT, "volumeInexact") /* volume_error > CT_VOLUME_RELATIVE_ERROR * volume */

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

/* JSON words ("linear", "auto", "normalFallback"); static storage. */
const char *ct_weighting_word(ct_weighting weighting);
const char *ct_volume_method_word(ct_volume_method method);
const char *ct_volume_flag_word(uint32_t row);

#define CT_NO_ELEMENT UINT32_MAX

/* A volume with a larger relative error bound has the flag VOLUME_INEXACT. */
#define CT_VOLUME_RELATIVE_ERROR 1e-12
/* A volume with a larger relative error bound has the status DEGENERATE. */
#define CT_VOLUME_RELATIVE_ERROR_LARGE 1e-9

/* The poses from which the frame of a placed shape was computed with rounding, to recover exact
 * coordinates: the body's pose in the world, and the collider's in the body. Borrowed. */
typedef struct ct_volume_poses {
  const ct_pose *body;     /* pose of the body in the world; NULL: the frame is exact, that is, it
                              was not rounded */
  const ct_pose *collider; /* NULL: identity */
} ct_volume_poses;

typedef struct ct_volume_options {
  ct_weighting weighting;
  ct_volume_method method;
  /* SOLFEC: the geometric epsilon, m, >= 0; 0: as DUAL_HULL, except that elements without outer
   * faces have no contacts */
  double epsilon;
  bool triangles; /* true: return the triangles of the common surface too */
  /* true: return the stages of the intersection too, for convex polyhedra and elements */
  bool stages;
  /* exact poses, used for the volumes of thin solids; zeroed: the frames are exact */
  ct_volume_poses poses_a, poses_b;
} ct_volume_options;
/* Defaults: LINEAR, AUTO, no triangles and no stages. */
ct_volume_options ct_volume_options_default(void);

/* The body whose face contains a triangle. */
typedef enum ct_volume_owner { CT_OWNER_A, CT_OWNER_B, CT_OWNER_SHARED } ct_volume_owner;

/* A triangle of the common surface, counter-clockwise seen from outside. */
typedef struct ct_volume_triangle {
  ct_vec3 vertex[3];
  ct_volume_owner owner;
  /* Faces of a and b that contain the triangle; CT_NO_FACE: no face of that body does. Hull: as in
   * its view; box: 0 to 5 for -x, +x, -y, +y, -z, +z; mesh: the triangle; element: index of the
   * face in its form; half-space: 0; curved bodies: CT_NO_FACE. */
  uint32_t face_a, face_b;
} ct_volume_triangle;

/* Stages of the intersection of two convex polyhedra, as in Solfec 1.0 (Muller, Preparata 1978).
 * The planes of both bodies are expressed relative to the inner point; the plane n . z <= d has the
 * dual point n / d. The hull of the dual points has a vertex per face of the common polyhedron, and
 * a face per vertex. */

/* Dual point of a face plane of a or b; a plane that both have (shared) has one point. */
typedef struct ct_dual_point {
  ct_vec3 point; /* world axes, 1/m */
  ct_volume_owner owner;
  uint32_t face_a, face_b; /* as in ct_volume_triangle */
  bool on_hull;            /* true: a vertex of the dual hull; false: the plane is redundant */
} ct_dual_point;

/* A vertex of the common polyhedron: the polar of a face of the dual hull. */
typedef struct ct_stage_vertex {
  ct_vec3 position;
  /* the dual points of that face of the dual hull, as a range of the indices, counter-clockwise
   * from outside */
  uint32_t first_index, index_count;
} ct_stage_vertex;

typedef struct ct_stage_face {
  ct_volume_owner owner;
  uint32_t face_a, face_b;
  ct_vec3 normal; /* outward, unit */
  double offset;  /* offset of the plane normal . p = offset, m */
  uint32_t point; /* index of the dual point of the face's plane */
  /* the loop of the face's vertices, as a range of the indices, counter-clockwise from outside */
  uint32_t first_index, index_count;
} ct_stage_face;

/* The stages of a contact, as ranges in the arrays of the list. Indices in the stages are relative
 * to the beginnings of these ranges. */
typedef struct ct_volume_stages {
  uint32_t first_point, point_count, first_vertex, vertex_count, first_face, face_count;
  /* SOLFEC: the closest point of a found by GJK, from which the inner point was moved inward */
  ct_vec3 start;
  bool has_start;
} ct_volume_stages;

typedef struct ct_volume_contact {
  double volume; /* m^3, > 0 */
  /* certified upper bound of the error of the volume, m^3 */
  double volume_error;
  double area; /* m^2 */
  /* false: curved bodies, whose areas are not computed and 0 */
  bool area_defined;
  double patch_area;                       /* m^2 */
  double raw_gap, gap, depth_along_normal; /* m */
  ct_vec3 centroid;                        /* of the volume */
  ct_vec3 position, normal;                /* contact point and unit normal */
  /* polyhedra: a point inside both bodies, at the distance `margin` from the nearest face plane,
   * m */
  ct_vec3 inner;
  double margin; /* least distance of `inner` from the planes of both bodies, m; 0 for pairs without
                    `inner` */
  /* Ids of the faces of a and b whose planes, offset by rounding radius and margin, are nearest to
   * `position`; an inset hull uses the faces of its outer hull. Curved or rounded pairs:
   * ct_shape_surface_at of the points of pair.h. CT_NO_FACE for elements without outer faces. */
  uint32_t surface_a, surface_b;
  /* meshes of elements: the elements in contact; else CT_NO_ELEMENT */
  uint32_t element_a, element_b;
  ct_pair_status status; /* DEGENERATE if the flag ILL_CONDITIONED is set */
  uint32_t flags;        /* bits of CT_VOLUME_FLAG_MAP */
  /* range of the contact's triangles in the list; 0 unless requested */
  uint32_t first_triangle, triangle_count;
  ct_volume_stages stages; /* zeroed unless requested */
} ct_volume_contact;

/* The contacts of a pair; borrowed from the workspace until its next use. */
typedef struct ct_volume {
  /* [count] one contact per pair of convex bodies or closed meshes, or one per overlapping pair of
   * elements, ordered by (element_a, element_b) */
  const ct_volume_contact *contacts;
  size_t count;
  const ct_volume_triangle *triangles; /* [triangle_count] */
  size_t triangle_count;
  const ct_dual_point *points; /* the stages of all contacts, in this and the next three arrays */
  const ct_stage_vertex *stage_vertices;
  const ct_stage_face *stage_faces;
  const uint32_t *stage_indices;
  /* UNSUPPORTED: no volumetric contact is defined (two half-spaces; a surface mesh).
   * ITERATION_LIMIT: the query was cancelled, so contacts may be missing */
  ct_pair_status status;
  uint32_t flags; /* why contacts are missing, as bits of CT_VOLUME_FLAG_MAP */
  bool failed;    /* true: out of memory, so contacts or triangles are missing */
} ct_volume;

/* Sums over the contacts of elements of one pair, which treat their common solids as one. */
typedef struct ct_volume_total {
  size_t contacts;
  double volume, volume_error; /* m^3; volume_error is an upper bound of the error of the sum */
  ct_vec3 centroid;            /* of the volume */
  double patch_area;           /* sum of the patch areas, m^2 */
  ct_pair_status status;       /* status of a contact that is not OK, the last one; OK if all are */
} ct_volume_total;

/* Adds up the contacts of elements. False: there are no contacts, or they are not of elements.
 * O(contacts). */
bool ct_volume_add_up(const ct_volume *volume, ct_volume_total *out);

/* Computes the volumetric contacts of two placed shapes, written to *volume; rounding radius and
 * margin included. Polyhedra (boxes, and hulls without rounding radius and margin) are accurate to
 * round-off: a placed plane moves by a few unit round-offs of the size, and an edge between faces
 * at the angle t by that over t. Once the workspace is warm, only DUAL_HULL and SOLFEC allocate.
 * Cost for polyhedra with f faces each: at worst O(f^2) products, mostly far fewer, and a GJK
 * distance for the gap. Meshes: O(n log n), the pairs of triangles with overlapping boxes, and a
 * distance for the gap. */
void ct_pair_volume(ct_placed a, ct_placed b, const ct_volume_options *options,
                    ct_workspace *workspace, ct_volume *volume);

CT_DECLARATIONS_END

#endif
