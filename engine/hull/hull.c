/* Convex hull of points, and lifetime of a hull.
 *
 * Steps: flush tiny coordinates, cull interior points, sort along a Morton curve, quickhull with
 * exact predicates, join coplanar triangles, assemble. Half-spaces: half_space_intersection.c;
 * insets: hull_inset.c; support function: hull_support.c. Limit: CT_HULL_POINTS_MAX points.
 */
#include "hull/hull_cull_points.h"
#include "hull/hull_faces.h"
#include "hull/morton_order.h"
#include "hull/quickhull.h"

#include <stdlib.h>
#include <string.h>

/* Minimum number of points for culling; below it the search for an inner ellipsoid costs more
 * than it saves. */
#define CULL_MIN 512u
/* Minimum number of points for sorting; fewer points stay in the cache in any order. */
#define SORT_MIN 4096u

static double find_largest_coordinate(const ct_vec3 *points, size_t count) {
  double largest = 0.0;
  for (size_t i = 0; i < count; i++) {
    double m = ct_max_abs(points[i]);
    if (!(m <= largest)) largest = m;
  }
  return largest;
}

/* Points in processing order, and the index of each input point there: CT_HULL_BUILDER_NONE for
 * culled points. position is NULL if the order is the input order. */
typedef struct worklist {
  ct_vec3 *points;
  uint32_t count;
  uint32_t *position;
} worklist;

/* Sorts points along a Morton curve, which halves the time at a million points and does not
 * change the result. `kept` is permuted alike. */
static ct_status sort_worklist(worklist *work, uint32_t *kept) {
  uint32_t n = work->count, *order = malloc(n * sizeof *order),
           *spare = malloc((size_t)n * 3 * sizeof *spare);
  ct_vec3 *sorted = malloc(n * sizeof *sorted);
  bool ready = order && spare && sorted;
  if (ready) {
    ct_spatial_order(work->points, n, order, spare);
    for (uint32_t i = 0; i < n; i++) {
      sorted[i] = work->points[order[i]];
      spare[i] = kept[order[i]];
    }
    memcpy(kept, spare, n * sizeof *kept);
    ct_vec3 *old = work->points;
    work->points = sorted;
    sorted = old;
  }
  free(sorted);
  free(order);
  free(spare);
  return ready ? CT_OK : CT_OUT_OF_MEMORY;
}

/* Culls interior points and sorts the rest. */
static ct_status cull_and_sort_points(worklist *work) {
  uint32_t input = work->count, *kept = malloc(input * sizeof *kept);
  work->position = malloc(input * sizeof *work->position);
  ct_status status =
      kept && work->position ? ct_hull_cull(work->points, &work->count, kept) : CT_OUT_OF_MEMORY;
  if (status == CT_OK && work->count >= SORT_MIN) status = sort_worklist(work, kept);
  if (status == CT_OK) {
    for (uint32_t i = 0; i < input; i++) work->position[i] = CT_HULL_BUILDER_NONE;
    for (uint32_t i = 0; i < work->count; i++) work->position[kept[i]] = i;
  }
  free(kept);
  return status;
}

static ct_status prepare_points(worklist *work, const ct_vec3 *points, uint32_t count,
                                double largest) {
  work->points = malloc((count ? count : 1) * sizeof *work->points);
  if (!work->points) return CT_OUT_OF_MEMORY;
  if (count) memcpy(work->points, points, count * sizeof *work->points);
  ct_flush_points(work->points, count, largest);
  work->count = count;
  return count >= CULL_MIN ? cull_and_sort_points(work) : CT_OK;
}

ct_status ct_hull_from_points(const ct_vec3 *points, size_t count, const ct_cancel *cancel,
                              ct_hull **out, ct_hull_report *report) {
  ct_hull_report local;
  if (!report) report = &local;
  *report = (ct_hull_report){.rank = 0, .culprit = UINT32_MAX};
  if (count > CT_HULL_POINTS_MAX) return CT_LIMIT;
  double largest = find_largest_coordinate(points, count);
  if (!(largest <= CT_EXACT_MAX)) return CT_LIMIT;
  uint32_t n = (uint32_t)count;
  worklist work = {0};
  ct_hull_builder grow = {0};
  ct_hull_cells cells = {0};
  ct_status status = prepare_points(&work, points, n, largest);
  if (status == CT_OK) status = ct_quickhull(work.points, work.count, cancel, &grow, &report->rank);
  if (status == CT_OK) status = ct_hull_cells_join(&grow, n, work.position, cancel, &cells);
  ct_hull_builder_free(&grow);
  free(work.points);
  free(work.position);
  if (status == CT_OK) status = ct_hull_assemble(&cells, true, cancel, out);
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
  if (atomic_fetch_sub_explicit(&own->references, 1, memory_order_acq_rel) != 1) return;
  ct_hull_release(own->outer);
  free(own->surface_ids);
  free(own);
}

const ct_hull_view *ct_hull_get(const ct_hull *hull) { return &hull->view; }

const ct_hull *ct_hull_outer(const ct_hull *hull) { return hull->outer ? hull->outer : hull; }

size_t ct_hull_bytes(const ct_hull *hull) {
  return hull->bytes + (hull->outer ? hull->outer->bytes : 0);
}
