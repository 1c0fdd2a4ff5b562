/* The vertex farthest in a direction: a scan over lanes for small hulls, a climb over the adjacency for large ones.
 *
 * The climb compares by differences of vertices with exact signs, so that it stops at a true maximum even where many neighbours are
 * equal to rounding; convexity makes a local maximum global. Its answer does not depend on the start.
 */
#include "shape/hull_cells.h"

/* A scan of so many vertices costs about what a climb from a near start costs, 60 ns; a cold climb costs twice that. */
#define SCAN_MAX 64u
/* Rounding of direction . (b - a) against the sum of its terms' sizes: 4 u, and one for second order. */
#define CLIMB_BOUND (5.0 * CT_UNIT_ROUNDOFF)

/* Each lane keeps its own best, the first among equals; then the lanes are compared by value and index. Padding repeats the last
 * vertex under a higher index, so it never wins. */
static uint32_t scan(const ct_hull_view *view, ct_vec3 d) {
  double best[CT_HULL_LANES];
  uint32_t at[CT_HULL_LANES];
  for (uint32_t l = 0; l < CT_HULL_LANES; l++) {
    best[l] = d.x * view->x[l] + d.y * view->y[l] + d.z * view->z[l];
    at[l] = l;
  }
  for (uint32_t i = CT_HULL_LANES; i < view->vertex_count; i += CT_HULL_LANES) {
    for (uint32_t l = 0; l < CT_HULL_LANES; l++) {
      double h = d.x * view->x[i + l] + d.y * view->y[i + l] + d.z * view->z[i + l];
      bool better = h > best[l];
      best[l] = better ? h : best[l];
      at[l] = better ? i + l : at[l];
    }
  }
  uint32_t lane = 0;
  for (uint32_t l = 1; l < CT_HULL_LANES; l++) {
    if (best[l] > best[lane] || (best[l] == best[lane] && at[l] < at[lane])) lane = l;
  }
  return at[lane];
}

/* The neighbour that rises most by rounded heights above `at`, if that rise is certain; else any that rises by an exact sign; else
 * `at` itself. */
static uint32_t climb_step(const ct_hull_view *view, ct_vec3 d, uint32_t at) {
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
  if (best != at || !unsure) return best;
  for (uint32_t i = view->neighbour_start[at]; i < view->neighbour_start[at + 1]; i++) {
    if (ct_dot_sign(d, ct_hull_vertex(view, view->neighbour[i]), from) > 0) return view->neighbour[i];
  }
  return at;
}

/* The vertices equal to a maximum are a corner, an edge or the loop of a facet: walks it once for the lowest index. */
static uint32_t lowest_equal(const ct_hull_view *view, ct_vec3 d, uint32_t top) {
  uint32_t lowest = top, at = top, before = UINT32_MAX;
  for (uint32_t steps = 0; steps < view->vertex_count; steps++) {
    uint32_t next = UINT32_MAX;
    ct_vec3 from = ct_hull_vertex(view, at);
    for (uint32_t i = view->neighbour_start[at]; i < view->neighbour_start[at + 1] && next == UINT32_MAX; i++) {
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
  if (view->vertex_count <= SCAN_MAX || !hull->exact) return scan(view, direction);
  uint32_t at = start < view->vertex_count ? start : 0;
  /* Heights rise strictly, so no vertex comes twice; the bound only guards directions outside the exactness range. */
  for (uint32_t steps = 0; steps < view->vertex_count; steps++) {
    uint32_t next = climb_step(view, direction, at);
    if (next == at) break;
    at = next;
  }
  return lowest_equal(view, direction, at);
}
