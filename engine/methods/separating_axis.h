/* Search for separating planes of two polyhedra, in the frame and the order of the pair. */
#ifndef METHODS_SEPARATING_AXIS_H
#define METHODS_SEPARATING_AXIS_H

#include "pair/convex_proxy.h"
#include <contact/separating_plane.h>

typedef struct ct_axis_search {
  const ct_convex_proxy *a, *b;
  const ct_cancel *cancel;
  uint32_t hint[2];
  ct_separating_plane best; /* best plane so far; initially CT_PLANE_NONE and -INFINITY */
} ct_axis_search;

/* True for a core with faces and edges and without a radius. */
static inline bool ct_proxy_is_polyhedron(const ct_convex_proxy *proxy) {
  return (proxy->kind == CT_PROXY_BOX || proxy->kind == CT_PROXY_HULL) && proxy->radius[0] == 0.0;
}

/* Returns an empty search. `cancel` may be NULL. Borrows both proxies. */
ct_axis_search ct_axis_search_of(const ct_convex_proxy *a, const ct_convex_proxy *b,
                                 const ct_cancel *cancel);

/* Evaluates the plane with a unit normal and the given feature kind and numbers; retains it if its
 * separation exceeds the best. */
void ct_axis_consider(ct_axis_search *s, const ct_separating_plane *plane);

/* Evaluate all faces of a or of b; all edge pairs with crossing arcs on the Gauss map. Cost:
 * features times one support of each body. */
void ct_axis_faces(ct_axis_search *s, ct_plane_kind kind);
void ct_axis_edges(ct_axis_search *s);

/* Evaluate one face or edge pair exactly as the full searches do, or the features adjacent to it.
 * Edge pairs with negative separation are skipped, and so are feature numbers out of range. */
void ct_axis_feature(ct_axis_search *s, ct_plane_kind kind, uint32_t feature_a, uint32_t feature_b);
void ct_axis_neighbours(ct_axis_search *s, ct_plane_kind kind, uint32_t feature_a,
                        uint32_t feature_b);

#endif
