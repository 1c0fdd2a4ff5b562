/* The planes that may separate two polyhedra, looked through: in the frame and the order of the pair. */
#ifndef METHODS_SEPARATING_AXIS_H
#define METHODS_SEPARATING_AXIS_H

#include "pair/convex_proxy.h"
#include <contact/separating_plane.h>

typedef struct ct_axis_search {
  const ct_convex_proxy *a, *b;
  const ct_cancel *cancel;
  uint32_t near[2];
  ct_separating_plane best; /* so far; starts with CT_PLANE_NONE and -INFINITY */
} ct_axis_search;

/* A core with faces and edges and no ball around it. */
static inline bool ct_proxy_is_polyhedron(const ct_convex_proxy *proxy) {
  return (proxy->kind == CT_PROXY_BOX || proxy->kind == CT_PROXY_HULL) && proxy->radius[0] == 0.0;
}

ct_axis_search ct_axis_search_of(const ct_convex_proxy *a, const ct_convex_proxy *b, const ct_cancel *cancel);

/* The plane across a unit normal, of the feature's kind and numbers; it is kept when its separation is more than the best. */
void ct_axis_consider(ct_axis_search *s, const ct_separating_plane *plane);

/* All faces of a, or of b; all pairs of edges whose arcs cross. */
void ct_axis_faces(ct_axis_search *s, ct_plane_kind kind);
void ct_axis_edges(ct_axis_search *s);

/* One face or pair of edges, as the walks over all look at it, or the features beside it. Pairs of edges that separate by less than
 * nothing are not looked at. Features that the cores lack are passed over. */
void ct_axis_feature(ct_axis_search *s, ct_plane_kind kind, uint32_t feature_a, uint32_t feature_b);
void ct_axis_neighbours(ct_axis_search *s, ct_plane_kind kind, uint32_t feature_a, uint32_t feature_b);

#endif
