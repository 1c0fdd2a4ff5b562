/* Contact manifolds: the points where two placed shapes touch, with the features that meet there.
 *
 * Conventions are those of pair.h: the normal points from a to b, point_b - point_a = distance * normal for every point.
 */
#ifndef CONTACT_MANIFOLD_H
#define CONTACT_MANIFOLD_H

#include <contact/linkage.h>
#include <contact/pair.h>

CT_DECLARATIONS_BEGIN

typedef enum ct_detail {
  CT_DETAIL_DEEPEST,  /* the point of least distance, to a tie, alone */
  CT_DETAIL_MANIFOLD, /* at most four points of each patch, one of them the deepest to a tie, that cover it */
  CT_DETAIL_FULL      /* all points found */
} ct_detail;

/* Part of a shape's boundary. Numbers are stable while the shape is: of a box 0..7 for vertices (bit 0: +x, 1: +y, 2: +z), 0..5 for
 * faces (2 axis + (1: positive side)), 0..11 for edges (4 axis + bits of the signs of the other two axes, lower axis first); of a
 * convex those of its hull; of a mesh the triangle for faces, the given vertex for vertices, 3 triangle + corner for edges; of a
 * segment its ends; of a cylinder or cone rims are edges 0 (bottom) and 1 (top), caps faces 0 and 1, the apex a vertex. */
typedef enum ct_feature_kind { CT_FEATURE_SMOOTH, CT_FEATURE_VERTEX, CT_FEATURE_EDGE, CT_FEATURE_FACE } ct_feature_kind;

typedef struct ct_feature {
  ct_feature_kind kind;
  uint32_t index; /* 0 for smooth ones */
} ct_feature;

typedef struct ct_contact_point {
  ct_feature a, b;
  ct_vec3 point_a, point_b, normal;
  double distance;
  uint32_t patch;  /* points of one patch of connected contact have one number, from 0 */
  uint32_t number; /* of points of one patch with the same two features: 0, 1, ... */
} ct_contact_point;

typedef struct ct_contact_options {
  double clearance; /* points apart by more, beyond a tie, are left out; >= 0, m */
  double tolerance; /* as in ct_pair_options */
  ct_detail detail;
} ct_contact_options;
/* Defaults: clearance and tolerance 0, the deepest point. */
ct_contact_options ct_contact_options_default(void);

typedef struct ct_manifold {
  /* The pair as ct_pair_distance answers it, of the deepest point. Apart by more than the clearance, it is answered early, and
   * normal and points need not be set: they may be zeros. */
  ct_pair_result pair;
  const ct_contact_point *points; /* [count] first the deepest to a tie, then by patch and features; borrowed from the workspace
                                   * until its next use */
  size_t count;                   /* 0: apart by more than the clearance */
  bool failed;                    /* memory was short: points are missing */
} ct_manifold;

/* A pair within the clearance has a point at least. Two meshes: corners over faces, edges over edges, and corners over corners and
 * edges, that face each other; solids that overlap have each corner inside with its nearest surface point, and, along the pair's
 * normal and the other ways in which corners inside are nearest, what the two surfaces share when laid over each other: corners
 * over faces and edges over edges, however finely faces are cut, none deeper than the pair by more than a tie; surfaces that
 * cross have the places where edges pass triangles, at distance 0. A convex body over a mesh has each meeting of two features
 * once and those alone that the mesh ends in, however flat faces are cut. A surface that crosses a convex body: where its edges
 * enter and leave the body, and where edges of a box or a hull without rounding pass its triangles. Of more than 65,536 points
 * of two meshes the deepest are
 * kept, and a raised flag cuts the search short: points are missing and the status is CT_PAIR_ITERATION_LIMIT. Cost: that of
 * ct_pair_distance and, for faces, of a clip; for meshes of each pair of triangles within the clearance, and of a nearest point
 * for each vertex in the other solid.
 *
 * Ties. Nothing that is chosen at a flat or symmetric pose depends on round-off or on a tilt of 1e-9 rad:
 * - Places that differ by less than 1e-6 of the smaller body's extent are equal. A corner beyond a border by less is over it, a
 *   crossing nearer to a corner (or to another crossing) than twice that is the corner, a point on a mesh is on its corner or edge
 *   when that is nearer.
 * - Depths that differ by less than 1e-6 of the patch's size (across all points, of several patches) are equal: the first by patch,
 *   features and number leads. It is within that of the deepest, and may not be the deepest itself.
 * - The other three are those that add most, to 1e-6 of the patch, each the first that does: farthest from the first, then most
 *   area. Of a convex patch of n corners the four cover at least half.
 * - Rims have points at fixed places, a quarter turn from each other, that turn with the body while the cap lies flat.
 * Ids may still change where no rule can decide: where bodies only touch in the view along the normal (a corner right over a
 * corner of the outline, a line along a rim's tangent), where ways out of each other are equally deep (the normal is that of
 * ct_pair_distance; so it is where a mesh and another body touch at a gap of 0, within round-off), and where a surface passes
 * through a body, whose points come and go as edges touch. */
void ct_pair_contacts(ct_placed a, ct_placed b, const ct_contact_options *options, ct_workspace *workspace, ct_manifold *out);

CT_DECLARATIONS_END

#endif
