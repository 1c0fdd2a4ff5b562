/* Supporting faces: the feature of a convex body that faces a direction, projected along this
 * direction. A manifold is the overlap of two of them.
 *
 * Everything is in the frame of a pair (pair/convex_proxy.h). A view consists of the pair's normal,
 * from the first body to the second, and two perpendicular axes. Height is the coordinate along the
 * normal. The supporting face of the first body faces up, the face of the second body down. Corners
 * run counter-clockwise in the view for both.
 *
 * Corners are points of the surface: corners of the core, displaced outward by the core's radius
 * along the face's own normal, so that the surface also contains all points between them. A rounded
 * body that leans reaches farther beyond its corners, where the surface curves away; the witness
 * point of the pair covers this part.
 */
#ifndef MANIFOLD_SUPPORTING_FACE_H
#define MANIFOLD_SUPPORTING_FACE_H

#include "pair/convex_proxy.h"
#include <contact/manifold.h>

/* Directions that differ by a smaller angle are parallel, rad; ct_proxy_feature uses the same
 * bound. */
#define CT_PARALLEL_ANGLE 1e-6

/* Faces whose cosines with a direction differ by less lean equally; the lowest face number is
 * chosen. */
#define CT_COSINE_TIE 1e-6

typedef struct ct_view {
  ct_vec3 x, y, normal; /* orthonormal, right-handed */
} ct_view;

/* The view along a unit normal. */
ct_view ct_view_along(ct_vec3 normal);

typedef enum ct_supporting_face_kind {
  CT_SUPPORTING_FACE_POINT,
  CT_SUPPORTING_FACE_SEGMENT,
  CT_SUPPORTING_FACE_POLYGON,
  CT_SUPPORTING_FACE_DISC
} ct_supporting_face_kind;

/* A corner and the edge from it to the next corner. */
typedef struct ct_corner {
  ct_vec3 at;
  double x, y;
  ct_feature_kind kind;  /* a vertex, or a rim at an end of a frustum's side line */
  uint32_t vertex, edge; /* numbers as in manifold.h */
} ct_corner;

/* A plane over the view: height = x px + y py + level. */
typedef struct ct_slope {
  double x, y, level;
  uint32_t face;
} ct_slope;

/* Growing arrays, reused from pair to pair. */
typedef struct ct_corner_list {
  ct_corner *items;
  uint32_t count, capacity;
} ct_corner_list;

typedef struct ct_slope_list {
  ct_slope *items;
  uint32_t count, capacity;
} ct_slope_list;

/* Reserves `count` items in all and preserves the present ones. False: out of memory. */
bool ct_corner_list_reserve(ct_corner_list *list, uint32_t count);

typedef struct ct_supporting_face {
  ct_supporting_face_kind kind;
  bool second;       /* true: of the second body, faces down */
  ct_feature inside; /* the feature that contains the points between the corners */
  ct_vec3 normal;    /* outward, of the face or of the line of a segment's surface; unit */
  double tilt; /* angle from the direction that the body faces, as a distance of unit vectors */
  ct_corner_list corners; /* POLYGON: 3 and more; SEGMENT: 2; POINT: 1; DISC: none */
  ct_slope_list slopes; /* POLYGON, DISC: planes of the faces. The surface is their lower envelope,
                           for the second body the upper one. */
  ct_vec3 center,
      across;    /* DISC: its centre, and a unit direction in its plane that is fixed to the body */
  double radius; /* DISC, m */
} ct_supporting_face;

/* Which supporting feature to find. */
typedef enum ct_supporting_face_want {
  CT_SUPPORTING_WANT_FACE, /* the face at the support vertex that leans least; of a capsule, its
                              line */
  CT_SUPPORTING_WANT_EDGE /* the edge perpendicular to the normal within CT_PARALLEL_ANGLE, else the
                             support vertex */
} ct_supporting_face_want;

/* Finds the supporting face of a convex proxy; *out is overwritten and its lists are reused. False:
 * out of memory. Cost for a hull: the support vertex, its faces, and the corners of the face. */
bool ct_supporting_face_find(const ct_convex_proxy *proxy, const ct_view *view,
                             ct_supporting_face_want want, ct_supporting_face *out);

/* Boxes only: finds kind, normal, tilt and inside of the supporting face or edge, without corners.
 * The edge variant returns half of the edge, or zero if the supporting feature is a vertex. */
void ct_supporting_face_box_face(const ct_convex_proxy *proxy, const ct_view *view,
                                 ct_supporting_face *out);
ct_vec3 ct_supporting_face_box_edge(const ct_convex_proxy *proxy, const ct_view *view,
                                    ct_supporting_face *out);

/* Vertices of a box's face and the edge from each to the next, counter-clockwise in the view.
 * `second`: the box is the second body. */
void ct_supporting_face_box_ring(int axis, bool positive, bool second, uint32_t ring[4][2]);

/* Number of the box edge along an axis that contains a vertex. */
static inline uint32_t ct_box_edge(int axis, uint32_t vertex) {
  uint32_t x = vertex & 1u, y = vertex >> 1 & 1u, z = vertex >> 2 & 1u;
  uint32_t low = axis == 0 ? y : x, high = axis == 2 ? y : z;
  return 4u * (uint32_t)axis + low + 2u * high;
}

/* Height of the surface at a position of the view. POLYGON and DISC only. */
double ct_supporting_face_height(const ct_supporting_face *supporting, double x, double y);

/* Normal of the face at a hull's vertex that leans least from a direction. */
ct_vec3 ct_supporting_face_hull_normal(const ct_convex_proxy *proxy, uint32_t vertex,
                                       ct_vec3 direction);

/* The direction that the supporting face faces, unit. */
static inline ct_vec3 ct_supporting_face_normal(const ct_view *view,
                                                const ct_supporting_face *supporting) {
  return supporting->second ? ct_neg(view->normal) : view->normal;
}

#endif
