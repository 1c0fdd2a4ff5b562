/* Convex hull of points, lifetime of a hull, and surface ids of its faces.
 *
 * Steps for points: flush tiny coordinates to zero, cull interior points, sort along a Morton curve
 * (Morton 1966: codes of 10 bits per axis, least significant digit radix sort), quickhull with
 * exact predicates, join coplanar triangles, assemble. For points that have moved slightly: if
 * exact predicates prove that the old triangles still bound the hull, only planes, mass properties
 * and digest are recomputed. Half-spaces and insets: half_space_intersection.c; support function:
 * hull_support.c. Limit: CT_HULL_POINTS_MAX points. */
#include "base/predicates.h"
#include "hull/hull_cull_points.h"
#include "hull/hull_faces.h"
#include "hull/quickhull.h"

#include <stdlib.h>
#include <string.h>

#define CELLS_PER_AXIS 1024.0
#define DIGIT_BITS 10
#define DIGITS 3
#define BUCKETS (1u << DIGIT_BITS)

/* Inserts two zero bits between the bits of a 10-bit number. */
static uint32_t spread_bits(uint32_t v) {
  v = (v | v << 16) & 0x030000ffu;
  v = (v | v << 8) & 0x0300f00fu;
  v = (v | v << 4) & 0x030c30c3u;
  return (v | v << 2) & 0x09249249u;
}

static uint32_t quantise(double x, double low, double high) {
  double t = high > low ? (x - low) / (high - low) * CELLS_PER_AXIS : 0.0;
  return t < CELLS_PER_AXIS - 1.0 ? (uint32_t)t : (uint32_t)(CELLS_PER_AXIS - 1.0);
}

static void write_morton_codes(const ct_vec3 *points, uint32_t count, uint32_t *codes) {
  ct_aabb box = {points[0], points[0]};
  for (uint32_t i = 1; i < count; i++) box = ct_aabb_union(box, (ct_aabb){points[i], points[i]});
  for (uint32_t i = 0; i < count; i++) {
    codes[i] = spread_bits(quantise(points[i].x, box.min.x, box.max.x)) |
               spread_bits(quantise(points[i].y, box.min.y, box.max.y)) << 1 |
               spread_bits(quantise(points[i].z, box.min.z, box.max.z)) << 2;
  }
}

/* Writes the indices of the points, sorted along a Morton curve over their bounding box, to
 * `order`; points in the same cell keep their order. `spare` is scratch for 3 * count values.
 * O(count). False: cancelled. Morton 1966. */
static bool sort_along_morton_curve(const ct_vec3 *points, uint32_t count, uint32_t *order,
                                    uint32_t *spare, const ct_cancel *cancel) {
  uint32_t *codes = spare, *next_codes = spare + count, *next_order = spare + 2 * (size_t)count;
  if (count == 0) return true;
  write_morton_codes(points, count, codes);
  for (uint32_t i = 0; i < count; i++) order[i] = i;
  for (int digit = 0; digit < DIGITS; digit++) {
    if (ct_cancel_raised(cancel)) return false;
    uint32_t start[BUCKETS + 1] = {0};
    int shift = digit * DIGIT_BITS;
    for (uint32_t i = 0; i < count; i++) start[(codes[i] >> shift) % BUCKETS + 1]++;
    for (uint32_t b = 0; b < BUCKETS; b++) start[b + 1] += start[b];
    for (uint32_t i = 0; i < count; i++) {
      uint32_t at = start[(codes[i] >> shift) % BUCKETS]++;
      next_codes[at] = codes[i];
      next_order[at] = order[i];
    }
    memcpy(codes, next_codes, count * sizeof *codes);
    memcpy(order, next_order, count * sizeof *order);
  }
  return !ct_cancel_raised(cancel);
}

/* Smallest number of points that is culled: below it, finding an ellipsoid inside the hull costs
 * more than culling saves. */
#define CULL_MIN 512u
/* Smallest number of points that is sorted: fewer points stay in the cache in any order. */
#define SORT_MIN 4096u

static double find_largest_coordinate(const ct_vec3 *points, size_t count) {
  double largest = 0.0;
  for (size_t i = 0; i < count; i++) {
    double m = ct_max_abs(points[i]);
    if (!(m <= largest)) largest = m;
  }
  return largest;
}

/* Points in the order of processing. position[i] is the index in `points` of input point i, or
 * CT_HULL_BUILDER_NONE if it was culled; `position` is NULL if the order is the input order. */
typedef struct worklist {
  ct_vec3 *points;
  uint32_t count;
  uint32_t *position;
} worklist;

/* Sorts the points along a Morton curve, and permutes `kept` with them. This halves the time of
 * quickhull for a million points and does not change the hull. */
static ct_status sort_worklist(worklist *work, uint32_t *kept, const ct_cancel *cancel) {
  uint32_t n = work->count, *order = malloc(n * sizeof *order),
           *spare = malloc((size_t)n * 3 * sizeof *spare);
  ct_vec3 *sorted = malloc(n * sizeof *sorted);
  ct_status status = order && spare && sorted ? CT_OK : CT_OUT_OF_MEMORY;
  if (status == CT_OK && !sort_along_morton_curve(work->points, n, order, spare, cancel))
    status = CT_CANCELLED;
  if (status == CT_OK) {
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
  return status;
}

/* Removes points that are certainly interior, sorts the rest if there are many, and sets
 * `position`. */
static ct_status cull_and_sort_points(worklist *work, const ct_cancel *cancel) {
  uint32_t input = work->count, *kept = malloc(input * sizeof *kept);
  work->position = malloc(input * sizeof *work->position);
  ct_status status =
      kept && work->position ? ct_hull_cull(work->points, &work->count, kept) : CT_OUT_OF_MEMORY;
  if (status == CT_OK && ct_cancel_raised(cancel)) status = CT_CANCELLED;
  if (status == CT_OK && work->count >= SORT_MIN) status = sort_worklist(work, kept, cancel);
  if (status == CT_OK) {
    for (uint32_t i = 0; i < input; i++) work->position[i] = CT_HULL_BUILDER_NONE;
    for (uint32_t i = 0; i < work->count; i++) work->position[kept[i]] = i;
  }
  free(kept);
  return status;
}

static ct_status prepare_points(worklist *work, const ct_vec3 *points, uint32_t count,
                                double largest, const ct_cancel *cancel) {
  work->points = malloc((count ? count : 1) * sizeof *work->points);
  if (!work->points) return CT_OUT_OF_MEMORY;
  if (count) memcpy(work->points, points, count * sizeof *work->points);
  ct_flush_points(work->points, count, largest);
  work->count = count;
  if (ct_cancel_raised(cancel)) return CT_CANCELLED;
  return count >= CULL_MIN ? cull_and_sort_points(work, cancel) : CT_OK;
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
  ct_status status = prepare_points(&work, points, n, largest, cancel);
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

/* Largest number n of points for which is_hull_of_points is tried: it evaluates about 2 n^2 exact
 * signs. */
#define MOVED_MAX 16u

static bool has_only_triangles(const ct_hull_view *view, size_t count) {
  if (view->vertex_count != count || view->face_count != 2 * view->vertex_count - 4) return false;
  for (uint32_t i = 0; i < view->vertex_count; i++)
    if (view->vertex_input[i] != i) return false;
  return true;
}

/* True if the triangles of the view, with their vertices moved to `points`, bound the hull of the
 * points and every point is a vertex. Decided exactly. */
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

ct_status ct_hull_set_surfaces(ct_hull *hull, const uint32_t *ids) {
  size_t bytes = hull->view.face_count * sizeof *ids;
  uint32_t *own = malloc(bytes);
  if (!own) return CT_OUT_OF_MEMORY;
  memcpy(own, ids, bytes);
  if (!hull->surface_ids) hull->bytes += bytes;
  free(hull->surface_ids);
  hull->view.surface_ids = hull->surface_ids = own;
  return CT_OK;
}

/* Returns the face to the left of the edge from u to v, by binary search in the sorted edges;
 * UINT32_MAX if there is no such edge. */
static uint32_t find_face_of_edge(const ct_hull_view *view, uint32_t u, uint32_t v) {
  uint32_t first = u < v ? u : v, second = u < v ? v : u, low = 0, high = view->edge_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const uint32_t *edge = view->edge_vertices[middle];
    if (edge[0] < first || (edge[0] == first && edge[1] < second)) low = middle + 1;
    else high = middle;
  }
  if (low == view->edge_count || view->edge_vertices[low][0] != first ||
      view->edge_vertices[low][1] != second)
    return UINT32_MAX;
  return view->edge_faces[low][u < v ? 0 : 1];
}

static bool has_face_vertex(const ct_hull_view *view, uint32_t face, uint32_t v) {
  for (uint32_t i = view->face_start[face]; i < view->face_start[face + 1]; i++) {
    if (view->face_loop[i] == v) return true;
  }
  return false;
}

/* Returns the face of `from` that a face of `to` is a part of: the face left of a common edge, else
 * the face that contains its first three vertices; 0 if neither exists. */
static uint32_t find_source_face(const ct_hull_view *from, const ct_hull_view *to, uint32_t face) {
  uint32_t begin = to->face_start[face], end = to->face_start[face + 1], v[3];
  for (uint32_t i = begin; i < end; i++) {
    uint32_t next = i + 1 < end ? i + 1 : begin;
    uint32_t found = find_face_of_edge(from, to->vertex_input[to->face_loop[i]],
                                       to->vertex_input[to->face_loop[next]]);
    if (found != UINT32_MAX) return found;
  }
  for (uint32_t k = 0; k < 3; k++) v[k] = to->vertex_input[to->face_loop[begin + k]];
  for (uint32_t f = 0; f < from->face_count; f++) {
    if (has_face_vertex(from, f, v[0]) && has_face_vertex(from, f, v[1]) &&
        has_face_vertex(from, f, v[2]))
      return f;
  }
  return 0;
}

ct_status ct_hull_copy_surfaces(ct_hull *hull, const ct_hull *from) {
  if (!from->surface_ids) return CT_OK;
  uint32_t *ids = malloc(hull->view.face_count * sizeof *ids);
  if (!ids) return CT_OUT_OF_MEMORY;
  for (uint32_t f = 0; f < hull->view.face_count; f++)
    ids[f] = from->surface_ids[find_source_face(&from->view, &hull->view, f)];
  ct_status status = ct_hull_set_surfaces(hull, ids);
  free(ids);
  return status;
}
