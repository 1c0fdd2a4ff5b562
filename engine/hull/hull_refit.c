/* Hull of slightly moved points: if the old triangles still bound the hull, only planes, mass
 * properties and digest are recomputed.
 *
 * The test is exact: every other point is strictly behind every triangle (base/predicates.h).
 * Otherwise the hull is rebuilt.
 */
#include "base/predicates.h"
#include "hull/hull_faces.h"
#include "hull/quickhull.h"

/* Largest number of points for the test, which needs about 2 n^2 signs. */
#define MOVED_MAX 16u

static bool has_only_triangles(const ct_hull_view *view, size_t count) {
  if (view->vertex_count != count || view->face_count != 2 * view->vertex_count - 4) return false;
  for (uint32_t i = 0; i < view->vertex_count; i++)
    if (view->vertex_input[i] != i) return false;
  return true;
}

/* True if the triangles bound the hull of the points and every point is a vertex. */
static bool is_hull_of_points(const ct_hull_view *view, const ct_vec3 *points) {
  for (uint32_t f = 0; f < view->face_count; f++) {
    const uint32_t *c = view->face_loop + view->face_start[f];
    for (uint32_t i = 0; i < view->vertex_count; i++) {
      if (i == c[0] || i == c[1] || i == c[2]) continue;
      if (ct_orient3d(points[c[0]], points[c[1]], points[c[2]], points[i]) >= 0) return false;
    }
  }
  return true;
}

ct_status ct_hull_from_moved_points(const ct_hull *like, const ct_vec3 *points, size_t count,
                                    const ct_cancel *cancel, ct_hull **out) {
  const ct_hull_view *view = &like->view;
  ct_vec3 flushed[MOVED_MAX];
  double largest = 0.0;
  bool fits = count <= MOVED_MAX && has_only_triangles(view, count);
  for (size_t i = 0; fits && i < count; i++) {
    flushed[i] = points[i];
    largest = ct_max2(largest, ct_max_abs(points[i]));
    fits = ct_max_abs(points[i]) <= CT_EXACT_MAX;
  }
  if (fits) ct_flush_points(flushed, count, largest);
  if (!fits || !is_hull_of_points(view, flushed))
    return ct_hull_from_points(points, count, cancel, out, NULL);
  const ct_hull_cells cells = {.vertex_count = view->vertex_count,
                               .face_count = view->face_count,
                               .vertices = flushed,
                               .vertex_input = (uint32_t *)(uintptr_t)view->vertex_input,
                               .face_start = (uint32_t *)(uintptr_t)view->face_start,
                               .face_loop = (uint32_t *)(uintptr_t)view->face_loop};
  return ct_hull_assemble(&cells, true, cancel, out);
}
