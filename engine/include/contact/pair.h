/* One pair of placed shapes: signed distance with witness points, normal and a certified bracket; overlap yes or no.
 *
 * Convention: the normal is unit and points from a to b; distance < 0 is penetration; point_a lies on a, point_b on b and
 * point_b - point_a = distance * normal. World frame, m. Swapping a and b negates the normal and exchanges the points,
 * bit for bit: the pair is ordered by content (kind, parameters, pose) before anything is computed.
 */
#ifndef CONTACT_PAIR_H
#define CONTACT_PAIR_H

#include <contact/linkage.h>
#include <contact/shape.h>

CT_DECLARATIONS_BEGIN

typedef enum ct_pair_status {
  CT_PAIR_OK,
  CT_PAIR_DEGENERATE,      /* answered, but the bracket (of curved kinds: or the points) could not be brought to what is promised */
  CT_PAIR_ITERATION_LIMIT, /* best answer so far; the bracket is true */
  CT_PAIR_UNSUPPORTED      /* plane/plane depth: overlap is known, distance is not; distance fields are 0, normal is a's normal */
} ct_pair_status;

typedef enum ct_relation {
  CT_SEPARATED,
  CT_TOUCHING,
  CT_PENETRATING,
  CT_CONTAINING, /* a holds b */
  CT_CONTAINED   /* b holds a */
} ct_relation;

/* What a distance below zero, or zero, means. */
typedef enum ct_depth_kind {
  CT_DEPTH_MINIMAL, /* the least translation that parts the pair */
  CT_DEPTH_FEATURE, /* solids that are not convex: the deepest feature of one inside the other */
  CT_DEPTH_ELEMENT, /* of a tetmesh or hexmesh and another or a convex body: the deepest pair of elements, by the least translation
                       that parts the two */
  CT_DEPTH_NONE     /* a surface that crosses: distance 0, point_a = point_b where it does */
} ct_depth_kind;

/* Flags of a result. */
enum {
  /* Several normals are equally right: the one taken is the lexicographically greatest (lowest axis first, + before -) in the frame
   * of the body that comes first by content. */
  CT_FLAG_NORMAL_ARBITRARY = 1 << 0,
  CT_FLAG_WITNESS_NOT_UNIQUE = 1 << 1 /* several witness points are equally right (parallel features) */
};

/* The least threshold that may end a pair early: pairs that are apart at all. */
#define CT_PAIR_THRESHOLD_MIN 0x1p-1022

typedef struct ct_pair_options {
  double tolerance; /* |distance| <= tolerance is called touching; decides nothing else; >= 0, m */
  double threshold; /* a pair certified farther than this by more than round-off may be answered early: distance is then no
                     * more than the true one but still greater than the threshold, relation separated. A pair whose full
                     * answer is not above the threshold gets that answer, bit for bit. 0 or INFINITY: always the full answer; m */
} ct_pair_options;
/* Defaults: threshold INFINITY, tolerance 0. */
ct_pair_options ct_pair_options_default(void);

typedef struct ct_pair_result {
  double distance;
  /* Certified, round-off included: between them lies the exact distance of the shapes, placed by rotations that the frames'
   * matrices are within 23 u of, as those of ct_frame_of are. */
  double lower_bound, upper_bound;
  ct_vec3 normal, point_a, point_b;
  ct_relation relation;
  ct_pair_status status;
  uint32_t flags;
  uint32_t iterations; /* supports taken; 0 for a closed form */
  ct_depth_kind depth_kind;
  uint32_t triangle_a, triangle_b; /* of meshes: the triangle that the point is on; else CT_NO_TRIANGLE. Of tetmeshes and hexmeshes:
                                      of the surface, and none where the depth is of elements */
  uint32_t element_a, element_b;   /* of tetmeshes and hexmeshes: the element that has the triangle, or of the deepest pair; else
                                      CT_NO_ELEMENT */
  uint32_t element_pairs;          /* where the depth is of elements: pairs of them that overlap, at least 1; else 0 */
} ct_pair_result;

/* A shape and where it is; both borrowed. A frame that is NULL, or whose rotation is all zeros, does not
 * turn; the former is at the origin. No shape, or one without a size, hull, mesh or elements, is refused:
 * distances have the status UNSUPPORTED, and it shares no point with anything. */
typedef struct ct_placed {
  const ct_shape *shape;
  const ct_frame *frame;
} ct_placed;

/* Scratch memory of one thread: no allocation per pair once warm. Not shared between threads. */
typedef struct ct_workspace ct_workspace;
ct_workspace *ct_workspace_create(void); /* NULL: out of memory */
void ct_workspace_destroy(ct_workspace *workspace);
/* From here on pairs look at the flag (NULL: none; borrowed) while they take long, as pairs of large meshes and hulls may: raised,
 * a distance ends with CT_PAIR_ITERATION_LIMIT and bounds that are true but wide, not known to hold one another; an overlap ends as
 * it stands. A NULL workspace is left alone. */
void ct_workspace_watch(ct_workspace *workspace, const ct_cancel *cancel);

/* Has memory been refused in a pair since this was last asked? Asking clears it; false for NULL. Such a distance has bounds that
 * are true but may be wide, mostly with CT_PAIR_ITERATION_LIMIT; such an overlap may be wrong; such contacts may lack points.
 * Scenes' queries and probes end with CT_OUT_OF_MEMORY instead. */
bool ct_workspace_out_of_memory(ct_workspace *workspace);

/* Signed distance of two placed shapes. Never fails on finite input inside the limits; trouble is in result->status.
 * Cost: closed form for sphere, capsule and plane pairs and for spheres against curved kinds; else GJK (about 10 supports) and,
 * when overlapping, EPA. Pairs with cylinders, cones and ellipsoids are brought to round-off by Newton's method (about 20 supports
 * apart, 60 in depth); their depth is bracketed to two parts in 1e8 of the size.
 * Meshes: the nearest triangles, best first over their trees, O(log n) where a plane parts the bodies; surfaces that share a point
 * are at 0 exactly (of the corners as placed), solids that overlap at minus the depth of the deepest feature, which takes a nearest
 * point for each vertex that may be it; tetmeshes and hexmeshes at minus that of the deepest pair of elements.
 * Gilbert, Johnson, Keerthi 1988; Montanari 2017 (signed volumes); van den Bergen 2001 (EPA); Larsen, Gottschalk, Lin, Manocha 1999
 * (trees and triangles). */
void ct_pair_distance(ct_placed a, ct_placed b, const ct_pair_options *options, ct_workspace *workspace, ct_pair_result *result);

/* Do the closed shapes share a point? The same decision as ct_pair_distance's distance <= 0, cheaper.
 * witness (may be NULL): a point of both, when they do. */
bool ct_pair_overlap(ct_placed a, ct_placed b, ct_workspace *workspace, ct_vec3 *witness);

CT_DECLARATIONS_END

#endif
