/* Distance and overlap of one pair of placed shapes: signed distance with certified bounds, witness
 * points and normal.
 *
 * Convention: the normal is a unit vector from a to b. A distance < 0 is penetration. point_a
 * belongs to a, point_b to b, and point_b - point_a = distance * normal. World frame, m.
 * Swapping a and b negates the normal and exchanges the points, bit for bit: every algorithm first
 * orders the pair by content (kind, parameters, pose). */
#ifndef CONTACT_PAIR_H
#define CONTACT_PAIR_H

#include <contact/base.h>
#include <contact/shape.h>

CT_DECLARATIONS_BEGIN

typedef enum ct_pair_status {
  CT_PAIR_OK,
  /* a result is given, but its bounds (curved kinds: or its witness points) are less accurate than
   * CT_ROUNDOFF_FACTOR promises */
  CT_PAIR_DEGENERATE,
  /* an iteration limit or the cancel flag ended the search: the best result so far, with valid
   * bounds */
  CT_PAIR_ITERATION_LIMIT,
  /* two overlapping half-spaces: their overlap is known, their depth is not computed. Distance
   * fields are 0, the normal is a's */
  CT_PAIR_UNSUPPORTED
} ct_pair_status;

typedef enum ct_relation {
  CT_SEPARATED,
  CT_TOUCHING,
  CT_PENETRATING,
  CT_CONTAINING, /* a contains b */
  CT_CONTAINED   /* b contains a */
} ct_relation;

/* Meaning of a distance <= 0. */
typedef enum ct_depth_kind {
  CT_DEPTH_MINIMAL, /* the least translation that separates the pair */
  /* non-convex solids: depth of the deepest feature of one solid inside the other */
  CT_DEPTH_FEATURE,
  /* a mesh of elements against another one or a convex body: depth of the deepest pair of elements,
   * that is the least translation that separates these two */
  CT_DEPTH_ELEMENT,
  CT_DEPTH_NONE /* the surface of a surface mesh crosses the other shape: distance 0, point_a =
                 * point_b on both */
} ct_depth_kind;

/* Flags of ct_pair_result. */
enum {
  /* Several normals are equally valid. Of these the result has the lexicographically greatest
   * (components x, y, z) in the frame of the body that is first by content. */
  CT_FLAG_NORMAL_ARBITRARY = 1 << 0,
  /* several pairs of witness points are equally valid, because the features are parallel */
  CT_FLAG_WITNESS_NOT_UNIQUE = 1 << 1
};

/* Smallest positive threshold: every separated pair may have an early-out. */
#define CT_PAIR_THRESHOLD_MIN 0x1p-1022

typedef struct ct_pair_options {
  /* the relation is TOUCHING if |distance| <= tolerance, m, >= 0; affects no other result */
  double tolerance;
  /* Early-out, m. If the pair is proven farther apart than this (beyond round-off), `distance` may
   * be only a lower bound above the threshold, with relation SEPARATED. All other pairs get the
   * full result, bit for bit. 0 or INFINITY: always the full result. */
  double threshold;
} ct_pair_options;
/* Defaults: threshold INFINITY, tolerance 0. */
ct_pair_options ct_pair_options_default(void);

typedef struct ct_pair_result {
  double distance;
  /* Certified, round-off included: the exact distance of the placed shapes is between these bounds.
   * Requires frames within 23 u of a rotation matrix, as ct_frame_of returns. */
  double lower_bound, upper_bound;
  ct_vec3 normal, point_a, point_b;
  ct_relation relation;
  ct_pair_status status;
  uint32_t flags;
  uint32_t iterations; /* number of support evaluations; 0 for closed forms */
  ct_depth_kind depth_kind;
  /* Meshes: the triangle that contains the witness point; other shapes: CT_NO_TRIANGLE. Meshes of
   * elements: the triangle of their surface, or CT_NO_TRIANGLE if the depth is CT_DEPTH_ELEMENT. */
  uint32_t triangle_a, triangle_b;
  /* Meshes of elements: the element that has the triangle, or is in the deepest pair; other shapes:
   * CT_NO_ELEMENT. */
  uint32_t element_a, element_b;
  uint32_t element_pairs; /* CT_DEPTH_ELEMENT: number of overlapping element pairs, >= 1; else 0 */
} ct_pair_result;

/* A shape and its frame in the world, both borrowed. A NULL frame is the identity, and so is a
 * rotation of all zeros. A shape that is NULL, or has no size, hull, mesh or elements, is refused:
 * its distances have the status UNSUPPORTED and it overlaps nothing. */
typedef struct ct_placed {
  const ct_shape *shape;
  const ct_frame *frame;
} ct_placed;

/* Scratch memory and caches of pair queries, used by one thread at a time. It grows as needed;
 * later pairs of similar size allocate nothing. */
typedef struct ct_workspace ct_workspace;
ct_workspace *ct_workspace_create(void); /* NULL: out of memory */
/* Frees the workspace and every result that borrows from it; NULL is allowed. */
void ct_workspace_destroy(ct_workspace *workspace);
/* Sets the cancel flag that long pair queries poll (large meshes and hulls). NULL: none; borrowed
 * until replaced. A raised flag ends a distance query with CT_PAIR_ITERATION_LIMIT and valid but
 * wide bounds, which may not prove containment. It ends an overlap query with the decision so far.
 * If `workspace` is NULL, nothing happens. */
void ct_workspace_watch(ct_workspace *workspace, const ct_cancel *cancel);

/* Returns true if an allocation failed in a pair query since the last call of this function, and
 * resets that state. False if `workspace` is NULL. After a failed allocation, the bounds of a
 * distance are valid but may be wide, mostly with CT_PAIR_ITERATION_LIMIT; an overlap may be wrong;
 * a manifold may lack points. Queries and probes of scenes return CT_OUT_OF_MEMORY instead. */
bool ct_workspace_out_of_memory(ct_workspace *workspace);

/* Signed distance of two placed shapes, written to *result; meshes may need the workspace's memory.
 * Never fails on finite input within limits.h: `status` reports numerical trouble.
 *
 * Cost: closed forms for pairs of spheres, capsules and half-spaces, and for spheres against curved
 * kinds. Other convex pairs use GJK (about 10 support evaluations) and, if they overlap, EPA. Pairs
 * with cylinders, cones and ellipsoids are refined to round-off by Newton's method: about 20
 * support evaluations if they are separated, 60 if they overlap; the bounds of their depth differ
 * by at most 2e-8 of the size. Meshes: best-first search for the closest triangles over both BVHs,
 * O(log n) if a plane separates the bodies. Surfaces that share a point (of the transformed
 * triangles) have distance exactly 0. The distance of overlapping solids is minus the depth of the
 * deepest feature, which needs a closest-point query per candidate vertex; that of meshes of
 * elements is minus the depth of the deepest pair of elements.
 *
 * Gilbert, Johnson, Keerthi 1988 (GJK); Montanari 2017 (signed volumes); van den Bergen 2001 (EPA);
 * Larsen, Gottschalk, Lin, Manocha 1999 (BVHs of triangles). */
void ct_pair_distance(ct_placed a, ct_placed b, const ct_pair_options *options,
                      ct_workspace *workspace, ct_pair_result *result);

/* True if the closed shapes share a point. This is the same decision as distance <= 0 of
 * ct_pair_distance, at less cost. witness (may be NULL): if they overlap, set to a common point,
 * world. */
bool ct_pair_overlap(ct_placed a, ct_placed b, ct_workspace *workspace, ct_vec3 *witness);

/* ---- gradient -------------------------------------------------------------------------------- */

/* Gradient of the signed distance with respect to the poses of both bodies.
 *
 * For a distance d = normal.(point_b - point_a) with a unique normal: translating body a by v, and
 * rotating it by the small rotation vector w about its frame's origin, changes d by a.translation .
 * v + a.rotation . w; likewise for b. World axes; translation is dimensionless, rotation in m per
 * rad. If witness points are not unique (CT_FLAG_WITNESS_NOT_UNIQUE), the distance has a kink under
 * rotation; the rotation parts are then the directional derivative that belongs to the given
 * points. Danskin 1967. */

typedef struct ct_pose_gradient {
  ct_vec3 translation, rotation;
} ct_pose_gradient;

typedef struct ct_gradient {
  ct_pose_gradient a, b;
} ct_gradient;

/* Writes the gradient of a pair's distance, from its full (not early-out) result. origin_a,
 * origin_b: origins of the body frames, world, m. False if there is no gradient: unsupported
 * depths, crossing surfaces, arbitrary normals, and depths of a feature (CT_DEPTH_FEATURE), which
 * do not change along the normal. O(1). */
bool ct_pair_gradient(const ct_pair_result *result, ct_vec3 origin_a, ct_vec3 origin_b,
                      ct_gradient *out);

CT_DECLARATIONS_END

#endif
