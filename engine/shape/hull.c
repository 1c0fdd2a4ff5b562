/* Hulls of points, and the life of a hull. Hulls of planes: hull_planes.c; the support function: hull_support.c.
 */
#include "shape/hull_cells.h"
#include "shape/quickhull.h"

#include <stdlib.h>

/* Coordinates below this fraction of the largest one are read as zero: with sizes inside the limits the predicates stay exact
 * (largest >= 2^-40 leaves nothing under 2^-300), and the factor is a power of two, so that scaling by 2^k changes no bit. */
#define FLUSH_FRACTION 0x1p-260

static double flushed(double x, double threshold) { return fabs(x) < threshold ? 0.0 : x; }

static double largest_coordinate(const ct_vec3 *points, size_t count) {
  double largest = 0.0;
  for (size_t i = 0; i < count; i++) {
    double m = ct_max_abs(points[i]);
    if (!(m <= largest)) largest = m;
  }
  return largest;
}

static ct_vec3 *copy_flushed(const ct_vec3 *points, size_t count, double largest) {
  double threshold = ct_max2(FLUSH_FRACTION * largest, CT_EXACT_MIN);
  ct_vec3 *copy = malloc((count ? count : 1) * sizeof *copy);
  if (!copy) return NULL;
  for (size_t i = 0; i < count; i++) {
    copy[i] = ct_vec(flushed(points[i].x, threshold), flushed(points[i].y, threshold), flushed(points[i].z, threshold));
  }
  return copy;
}

ct_status ct_hull_from_points(const ct_vec3 *points, size_t count, ct_hull **out, ct_hull_report *report) {
  ct_hull_report local;
  if (!report) report = &local;
  *report = (ct_hull_report){.rank = 0, .culprit = UINT32_MAX};
  if (count > CT_HULL_POINTS_MAX) return CT_LIMIT;
  double largest = largest_coordinate(points, count);
  if (!(largest <= CT_EXACT_MAX)) return CT_LIMIT;
  ct_vec3 *copy = copy_flushed(points, count, largest);
  if (!copy) return CT_OUT_OF_MEMORY;
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
