/* Support vertex of a hull: SIMD scan for small hulls, hill climbing over the adjacency for large
 * ones.
 *
 * Hill climbing compares vertices by exact signs of differences, so it ends at a true maximum even
 * if many neighbours are equal to round-off; by convexity a local maximum is global. Among equal
 * vertices the lowest index is returned, so the result does not depend on the start vertex. */
#include "base/simd_lanes.h"
#include "hull/hull_faces.h"

/* Greatest number of vertices that is scanned: a scan of so many costs as much as a climb from a
 * nearby start vertex. A climb from an arbitrary vertex costs twice that. */
#define SCAN_MAX 128u
/* Bound of the error of direction . (b - a), relative to the sum of the absolute values of its
 * terms: 4 u, plus 1 u for terms of second order. */
#define CLIMB_BOUND (5.0 * CT_UNIT_ROUNDOFF)

typedef ct_lanes lanes;
typedef ct_lane_mask mask;
#define VECTORS (CT_HULL_LANES / 2)

/* Greatest product in each SIMD lane and its vertex index, stored as a double to share the register
 * type. */
typedef struct leaders {
  lanes height, vertex;
} leaders;

static inline leaders choose_leaders(mask second, leaders a, leaders b) {
  return (leaders){ct_lanes_choose(second, a.height, b.height),
                   ct_lanes_choose(second, a.vertex, b.vertex)};
}

/* Returns the greater product in each lane; among equal products, that of the lower vertex. */
static inline leaders merge_leaders(leaders a, leaders b) {
  return choose_leaders((b.height > a.height) | ((b.height == a.height) & (b.vertex < a.vertex)), a,
                        b);
}

static inline lanes compute_products(const ct_hull_view *view, ct_vec3 d, uint32_t at) {
  return d.x * ct_lanes_load(view->x + at) + d.y * ct_lanes_load(view->y + at) +
         d.z * ct_lanes_load(view->z + at);
}

/* Returns the vertex farthest along d, the lowest among equals. Each lane keeps its first maximum;
 * then the lanes are compared by product and vertex. The padding repeats the last vertex with
 * higher indices and is therefore never returned. */
static uint32_t scan_vertices(const ct_hull_view *view, ct_vec3 d) {
  leaders best[VECTORS];
  lanes vertex[VECTORS];
  for (uint32_t v = 0; v < VECTORS; v++) {
    vertex[v] = (lanes){2.0 * v, 2.0 * v + 1.0};
    best[v] = (leaders){compute_products(view, d, 2 * v), vertex[v]};
  }
  for (uint32_t i = CT_HULL_LANES; i < view->vertex_count; i += CT_HULL_LANES) {
    for (uint32_t v = 0; v < VECTORS; v++) {
      vertex[v] += (double)CT_HULL_LANES;
      leaders next = {compute_products(view, d, i + 2 * v), vertex[v]};
      best[v] = choose_leaders(next.height > best[v].height, best[v], next);
    }
  }
  leaders top = merge_leaders(merge_leaders(best[0], best[1]), merge_leaders(best[2], best[3]));
  bool second = top.height[1] > top.height[0] ||
                (top.height[1] == top.height[0] && top.vertex[1] < top.vertex[0]);
  return (uint32_t)top.vertex[second];
}

/* Returns the next vertex of hill climbing: the neighbour with the largest certain rise, else any
 * neighbour that an exact test finds higher, else `at`. If `at` is returned, *alone is true if it
 * is certainly the only highest vertex; otherwise *alone has no meaning. */
static uint32_t climb_step(const ct_hull_view *view, ct_vec3 d, uint32_t at, bool *alone) {
  ct_vec3 from = ct_hull_vertex(view, at);
  uint32_t best = at;
  double most = 0.0;
  bool unsure = false;
  for (uint32_t i = view->neighbour_start[at]; i < view->neighbour_start[at + 1]; i++) {
    ct_vec3 e = ct_sub(ct_hull_vertex(view, view->neighbour[i]), from);
    double x = d.x * e.x, y = d.y * e.y, z = d.z * e.z, h = x + y + z;
    double bound = CLIMB_BOUND * (fabs(x) + fabs(y) + fabs(z));
    if (h > bound && h > most) {
      most = h;
      best = view->neighbour[i];
    }
    unsure |= fabs(h) <= bound;
  }
  *alone = !unsure;
  if (best != at || !unsure) return best;
  /* No neighbour is certainly higher: decide the uncertain ones exactly. */
  for (uint32_t i = view->neighbour_start[at]; i < view->neighbour_start[at + 1]; i++) {
    if (ct_dot_sign(d, ct_hull_vertex(view, view->neighbour[i]), from) > 0)
      return view->neighbour[i];
  }
  return at;
}

/* Returns the lowest index among the vertices exactly as high as `top`, a maximum along d. These
 * are one vertex, an edge or the loop of a facet, which is traversed once. */
static uint32_t find_lowest_equal(const ct_hull_view *view, ct_vec3 d, uint32_t top) {
  uint32_t lowest = top, at = top, before = UINT32_MAX;
  for (uint32_t steps = 0; steps < view->vertex_count; steps++) {
    uint32_t next = UINT32_MAX;
    ct_vec3 from = ct_hull_vertex(view, at);
    for (uint32_t i = view->neighbour_start[at];
         i < view->neighbour_start[at + 1] && next == UINT32_MAX; i++) {
      uint32_t v = view->neighbour[i];
      if (v != before && ct_dot_sign(d, ct_hull_vertex(view, v), from) == 0) next = v;
    }
    if (next == UINT32_MAX || next == top) break;
    before = at;
    at = next;
    lowest = at < lowest ? at : lowest;
  }
  return lowest;
}

uint32_t ct_hull_support(const ct_hull *hull, ct_vec3 direction, uint32_t start) {
  const ct_hull_view *view = &hull->view;
  if (view->vertex_count <= CT_HULL_LANES)
    return ct_lanes_farthest(view->x, view->y, view->z, direction);
  if (view->vertex_count <= SCAN_MAX || !hull->exact) return scan_vertices(view, direction);
  uint32_t at = start < view->vertex_count ? start : 0;
  /* Heights rise strictly, so no vertex is visited twice; the limit of steps only matters for
   * directions outside the exactness range. */
  bool alone = false;
  for (uint32_t steps = 0; steps < view->vertex_count; steps++) {
    uint32_t next = climb_step(view, direction, at, &alone);
    if (next == at) break;
    at = next;
  }
  return alone ? at : find_lowest_equal(view, direction, at);
}
