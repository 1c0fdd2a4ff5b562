/* Supporting faces: the face, edge or vertex of a convex body that faces a direction, projected
 * along this direction. The contact points of two bodies are the corners of the overlap of their
 * supporting faces.
 *
 * All positions are in the frame of a pair (pair/convex_proxy.h). A view consists of the pair's
 * normal, from the first body to the second, and two perpendicular axes. Height is the coordinate
 * along the normal. The supporting face of the first body faces up, that of the second body down.
 * Corners are listed counter-clockwise in the view for both.
 *
 * Corners are points of the surface: vertices of the core, displaced outward by the core's radius
 * along the face's own normal, so that the surface also contains all points between them. An
 * inclined rounded body extends farther beyond its corners, where the surface curves away; the
 * witness point of the pair covers this part. */
#ifndef MANIFOLD_SUPPORTING_FACE_H
#define MANIFOLD_SUPPORTING_FACE_H

#include "pair/convex_proxy.h"
#include <contact/manifold.h>

/* Directions whose angle, rad, is at most this are parallel; ct_proxy_feature uses the same
 * bound. */
#define CT_PARALLEL_ANGLE 1e-6

/* Faces whose cosines with a direction differ by at most this are equally inclined; the one with
 * the lowest number is chosen. */
#define CT_COSINE_TIE 1e-6

typedef struct ct_view {
  ct_vec3 x, y, normal; /* orthonormal, right-handed */
} ct_view;

/* Returns the view along a unit normal. */
ct_view ct_view_along(ct_vec3 normal);

typedef enum ct_supporting_face_kind {
  CT_SUPPORTING_FACE_POINT,
  CT_SUPPORTING_FACE_SEGMENT,
  CT_SUPPORTING_FACE_POLYGON,
  CT_SUPPORTING_FACE_DISC
} ct_supporting_face_kind;

/* A corner of a supporting face, and the edge from it to the next corner. */
typedef struct ct_corner {
  ct_vec3 at;
  double x, y;
  ct_feature_kind kind;  /* a vertex, or a rim (edge) at an end of a frustum's side line */
  uint32_t vertex, edge; /* numbers of the vertex (or rim) and of the edge, as in
                            contact/manifold.h */
} ct_corner;

/* The plane of a face as a function of the view's coordinates: height = x px + y py + level. */
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

/* Reserves space for `count` items in all; the present ones are preserved. False: out of memory. */
bool ct_corner_list_reserve(ct_corner_list *list, uint32_t count);

typedef struct ct_supporting_face {
  ct_supporting_face_kind kind;
  bool second;            /* true: the face of the second body, which faces down */
  ct_feature inside;      /* feature that contains the points between the corners */
  ct_vec3 normal;         /* outward unit normal of the face, or of the surface along a segment */
  double tilt;            /* distance between `normal` and the unit direction that the body faces:
                             approximately the angle, rad */
  ct_corner_list corners; /* polygon: three or more corners; segment: 2; point: 1; disc: none */
  ct_slope_list slopes;   /* planes of the faces, for a polygon or a disc. The surface is the lower
                             envelope of these planes; for the second body, the upper envelope */
  ct_vec3 center,
      across;    /* centre of a disc, and a unit direction in its plane that is fixed to the body */
  double radius; /* radius of a disc, m */
} ct_supporting_face;

/* Kind of supporting feature to be found. */
typedef enum ct_supporting_face_want {
  CT_SUPPORTING_WANT_FACE, /* the face at the support vertex whose normal is nearest to the
                              direction; of a capsule, its side line */
  CT_SUPPORTING_WANT_EDGE  /* the edge that is perpendicular to the normal within CT_PARALLEL_ANGLE,
                              else the support vertex */
} ct_supporting_face_want;

/* Finds the supporting face of a convex proxy; out->second must be set. The other members of *out
 * are overwritten, and its lists are reused. False: out of memory. Cost for a hull: the support
 * vertex, its faces, and the corners of the face. */
bool ct_supporting_face_find(const ct_convex_proxy *proxy, const ct_view *view,
                             ct_supporting_face_want want, ct_supporting_face *out);

/* Finds kind, normal, tilt and inside of a box's supporting face (box_face) or supporting edge
 * (box_edge), without corners. The latter returns half of the edge vector, or zero if the
 * supporting feature is a vertex. */
void ct_supporting_face_box_face(const ct_convex_proxy *proxy, const ct_view *view,
                                 ct_supporting_face *out);
ct_vec3 ct_supporting_face_box_edge(const ct_convex_proxy *proxy, const ct_view *view,
                                    ct_supporting_face *out);

/* Writes the vertices of a box's face, each with the edge to the next, counter-clockwise in the
 * view. `second`: the box is the second body. */
void ct_supporting_face_box_ring(int axis, bool positive, bool second, uint32_t ring[4][2]);

/* Returns the number of the box edge parallel to an axis that contains a vertex. */
static inline uint32_t ct_box_edge(int axis, uint32_t vertex) {
  uint32_t x = vertex & 1u, y = vertex >> 1 & 1u, z = vertex >> 2 & 1u;
  uint32_t low = axis == 0 ? y : x, high = axis == 2 ? y : z;
  return 4u * (uint32_t)axis + low + 2u * high;
}

/* Returns the height of the surface at a position of the view. For polygons and discs only. */
double ct_supporting_face_height(const ct_supporting_face *supporting, double x, double y);

/* Returns the normal, among those of the faces at a hull's vertex, that is nearest to a
 * direction. */
ct_vec3 ct_supporting_face_hull_normal(const ct_convex_proxy *proxy, uint32_t vertex,
                                       ct_vec3 direction);

/* Returns the unit direction that the supporting face faces: the view's normal, or its opposite for
 * the second body. */
static inline ct_vec3 ct_supporting_face_normal(const ct_view *view,
                                                const ct_supporting_face *supporting) {
  return supporting->second ? ct_neg(view->normal) : view->normal;
}

#endif
