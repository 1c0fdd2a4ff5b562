/* Hulls of points, and the life of a hull. Hulls of planes: hull_planes.c; the support function: hull_support.c.
 */
#include "shape/hull_cells.h"
#include "shape/quickhull.h"

#include <stdlib.h>
#include <string.h>

static double largest_coordinate(const ct_vec3 *points, size_t count) {
  double largest = 0.0;
  for (size_t i = 0; i < count; i++) {
    double m = ct_max_abs(points[i]);
    if (!(m <= largest)) largest = m;
  }
  return largest;
}

ct_status ct_hull_from_points(const ct_vec3 *points, size_t count, ct_hull **out, ct_hull_report *report) {
  ct_hull_report local;
  if (!report) report = &local;
  *report = (ct_hull_report){.rank = 0, .culprit = UINT32_MAX};
  if (count > CT_HULL_POINTS_MAX) return CT_LIMIT;
  double largest = largest_coordinate(points, count);
  if (!(largest <= CT_EXACT_MAX)) return CT_LIMIT;
  ct_vec3 *copy = malloc((count ? count : 1) * sizeof *copy);
  if (!copy) return CT_OUT_OF_MEMORY;
  if (count) memcpy(copy, points, count * sizeof *copy);
  ct_flush_points(copy, count, largest);
  ct_grow grow = {0};
  ct_hull_cells cells = {0};
  ct_status status = ct_quickhull(copy, (uint32_t)count, &grow, &report->rank);
  if (status == CT_OK) status = ct_hull_cells_join(&grow, (uint32_t)count, &cells);
  ct_grow_free(&grow);
  free(copy);
  if (status == CT_OK) status = ct_hull_assemble(&cells, true, out);
  ct_hull_cells_free(&cells);
  return status;
}

const ct_hull *ct_hull_retain(const ct_hull *hull) {
  ct_hull *own = (ct_hull *)(uintptr_t)hull;
  atomic_fetch_add_explicit(&own->references, 1, memory_order_relaxed);
  return hull;
}

void ct_hull_release(const ct_hull *hull) {
  if (!hull) return;
  ct_hull *own = (ct_hull *)(uintptr_t)hull;
  if (atomic_fetch_sub_explicit(&own->references, 1, memory_order_acq_rel) == 1) free(own);
}

const ct_hull_view *ct_hull_get(const ct_hull *hull) { return &hull->view; }

size_t ct_hull_bytes(const ct_hull *hull) { return hull->bytes; }
