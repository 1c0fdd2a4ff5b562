/* Outlines: the part of a body's surface that faces a direction, seen along that direction. Manifolds are made from two of them.
 *
 * Everything is in the frame of a pair (pair/convex_proxy.h). A view has the pair's normal, from the first body to the second, and
 * two axes across it; height is the coordinate along the normal. The outline of the first body faces up, that of the second down;
 * corners run counter-clockwise in the view for both. Corners lie on the surface: those of the core moved out by its radius along
 * the outline's own normal, so that all between them lies on it too. A rounded body that leans reaches farther beyond its corners,
 * where its surface curves away: that is for the pair's own point.
 */
#ifndef MANIFOLD_SUPPORTING_FACE_H
#define MANIFOLD_SUPPORTING_FACE_H

#include "pair/convex_proxy.h"
#include <contact/manifold.h>

/* Directions that differ by less are parallel, rad: the meaning that ct_proxy_feature gives the word. */
#define CT_PARALLEL_ANGLE 1e-6

/* Cosines of faces with a direction that differ by less are equal: of faces that lean equally the lowest counts. */
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

/* A corner, and the edge from it to the next. */
typedef struct ct_corner {
  ct_vec3 at;
  double x, y;
  ct_feature_kind kind;  /* a vertex, or a rim where the line of a frustum's side ends */
  uint32_t vertex, edge; /* numbers as in manifold.h */
} ct_corner;

/* A plane over the view: height = x px + y py + level. */
typedef struct ct_slope {
  double x, y, level;
  uint32_t face;
} ct_slope;

/* Arrays that grow and are kept from pair to pair. */
typedef struct ct_corner_list {
  ct_corner *items;
  uint32_t count, capacity;
} ct_corner_list;

typedef struct ct_slope_list {
  ct_slope *items;
  uint32_t count, capacity;
} ct_slope_list;

/* Room for `count` items in all; what is there is kept. False: out of memory. */
bool ct_corner_list_reserve(ct_corner_list *list, uint32_t count);
bool ct_slope_list_reserve(ct_slope_list *list, uint32_t count);

typedef struct ct_supporting_face {
  ct_supporting_face_kind kind;
  bool second;            /* of the second body: it faces down */
  ct_feature inside;      /* what a point between the corners lies on */
  ct_vec3 normal;         /* outward, of the face or of the line of a segment's surface; unit */
  double tilt;            /* angle between that and the direction that the body faces, as a distance of unit vectors */
  ct_corner_list corners; /* POLYGON: 3 and more; SEGMENT: 2; POINT: 1; DISC: none */
  ct_slope_list slopes; /* POLYGON, DISC: planes of its faces; the surface is their lower envelope, of the second body the upper */
  ct_vec3 center, across; /* DISC: its middle, and a unit direction in its plane that goes with the body */
  double radius;          /* DISC, m */
} ct_supporting_face;

/* Which outline. */
typedef enum ct_supporting_face_want {
  CT_SUPPORTING_WANT_FACE, /* the face most nearly across the view among those at the support vertex; of a capsule its line */
  CT_SUPPORTING_WANT_EDGE  /* the edge that lies across the view, to CT_PARALLEL_ANGLE, or else the support vertex */
} ct_supporting_face_want;

/* Outline of a core; the lists in *out are used again. False: out of memory.
 * Cost: of a hull the support vertex, its faces, and the corners. */
bool ct_supporting_face_find(const ct_convex_proxy *proxy, const ct_view *view, ct_supporting_face_want want,
                             ct_supporting_face *out);

/* Of a box alone what comes before the corners: kind, normal, tilt and inside, of the face or of the edge. The latter's half, or
 * zero where a vertex is alone. */
void ct_supporting_face_box_face(const ct_convex_proxy *proxy, const ct_view *view, ct_supporting_face *out);
ct_vec3 ct_supporting_face_box_edge(const ct_convex_proxy *proxy, const ct_view *view, ct_supporting_face *out);

/* Corners of a box's face and the edges from each to the next, counter-clockwise in the view as the first body or the second. */
void ct_supporting_face_box_ring(int axis, bool positive, bool second, uint32_t ring[4][2]);

/* Number of the box's edge along an axis at a vertex. */
static inline uint32_t ct_box_edge(int axis, uint32_t vertex) {
  uint32_t x = vertex & 1u, y = vertex >> 1 & 1u, z = vertex >> 2 & 1u;
  uint32_t low = axis == 0 ? y : x, high = axis == 2 ? y : z;
  return 4u * (uint32_t)axis + low + 2u * high;
}

/* Height of the surface at a place of the view. POLYGON and DISC only. */
double ct_supporting_face_height(const ct_supporting_face *outline, double x, double y);

/* The same of hulls and of frustums alone; from ct_supporting_face_find. */
bool ct_supporting_face_hull(const ct_convex_proxy *proxy, const ct_view *view, ct_supporting_face_want want,
                             ct_supporting_face *out);
bool ct_supporting_face_frustum(const ct_convex_proxy *proxy, const ct_view *view, ct_supporting_face_want want,
                                ct_supporting_face *out);

/* Normal of the face at a hull's vertex that is most nearly across a direction. */
ct_vec3 ct_supporting_face_hull_normal(const ct_convex_proxy *proxy, uint32_t vertex, ct_vec3 direction);

/* Adds the corner for a vertex of the core, moved out along `way` by the core's radius there. There must be room. */
void ct_supporting_face_add(const ct_convex_proxy *proxy, const ct_view *view, uint32_t vertex, ct_vec3 way,
                            ct_supporting_face *out);

/* Adds the plane normal.p = offset. There must be room. */
void ct_supporting_face_slope(const ct_view *view, ct_vec3 normal, double offset, uint32_t face, ct_supporting_face *out);

/* The direction that the outline faces. */
static inline ct_vec3 ct_supporting_face_normal(const ct_view *view, const ct_supporting_face *outline) {
  return outline->second ? ct_neg(view->normal) : view->normal;
}

#endif
