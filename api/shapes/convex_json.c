/* Convex shapes from points or planes. If the hull cannot reproduce the numbers of the request,
 * they are stored as text in the collider's note. */
#include "shapes/convex_json.h"
#include "shapes/mesh_arrays.h"

#include <assert.h>
#include <stdlib.h>

#include <contact/limits.h>

/* Least number of points, or of planes, of a bounded solid. */
#define HULL_POINTS_MIN 4
/* Points or planes read between two polls of the cancel flag: approximately 100 us. */
#define POINTS_PER_POLL 1024
/* Rank of the points of a solid, that is, the number of dimensions that the points span: 0 a point,
 * 1 a line, 2 a plane. */
#define SOLID_RANK 3

/* Ids of the faces in the order of the request; count 0: none. */
typedef struct face_ids {
  const uint32_t *of;
  size_t count;
} face_ids;

/* The arrays of the request: points or planes, with the name of the member. */
typedef struct given {
  const char *name;
  const double *numbers; /* [rows * columns] */
  size_t rows, columns;
  face_ids ids;
} given;

/* Sets the collider's note to the JSON text of the shape. False with a fault: out of memory, or
 * cancelled. */
static bool attach_note(api_reader *reader, const given *g, ct_collider *out) {
  api_buffer note = {0};
  api_put_byte(&note, '{');
  api_put_key(&note, g->name);
  bool cancelled = false;
  for (size_t i = 0; i < g->rows && !cancelled; i++) {
    cancelled = i % POINTS_PER_POLL == 0 && api_reader_cancelled(reader);
    api_put_byte(&note, i ? ',' : '[');
    for (size_t j = 0; j < g->columns; j++) {
      api_put_byte(&note, j ? ',' : '[');
      api_put_number(&note, g->numbers[g->columns * i + j]);
    }
    api_put_byte(&note, ']');
  }
  api_put_byte(&note, ']');
  if (g->ids.count) api_put_surface_ids(&note, g->ids.of, g->ids.count);
  api_put_byte(&note, '}');
  if (note.failed) api_fault_memory(reader->faults);
  else if (!cancelled) out->note = api_reader_copy(reader, (ct_text){note.bytes, note.length});
  api_buffer_free(&note);
  return out->note.bytes != NULL;
}

/* True if every input point is a vertex with exactly the same coordinates, so that the hull
 * reproduces the points. */
static bool hull_equals_points(const ct_hull *hull, const ct_vec3 *points, size_t count) {
  const ct_hull_view *view = ct_hull_get(hull);
  if (view->vertex_count != count) return false;
  for (uint32_t i = 0; i < view->vertex_count; i++) {
    assert(view->vertex_input[i] < count);
    ct_vec3 p = points[view->vertex_input[i]];
    if (p.x != view->x[i] || p.y != view->y[i] || p.z != view->z[i]) return false;
  }
  return true;
}

/* Adds the fault that states why the points have no hull. rank: number of dimensions that they
 * span. */
static void report_point_fault(api_reader *reader, const api_field *field, ct_status status,
                               int rank, size_t count) {
  static const char *const lie[] = {"are one point", "lie on a line", "lie in a plane"};
  static const char *const hints[] = {"use a sphere", "use a capsule",
                                      "use a thin box, or move a point out of the plane"};
  if (status == CT_OUT_OF_MEMORY) {
    api_fault_memory(reader->faults);
  } else if (status == CT_CANCELLED) {
    api_fault_cancelled(reader->faults);
  } else if (status == CT_DEGENERATE_HULL && rank >= 0 && rank < SOLID_RANK) {
    api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_DEGENERATE_HULL, &field->path,
                                    "The %zu points %s (rank %d); a solid needs rank 3: %s.", count,
                                    lie[rank], rank, hints[rank]);
    api_fault_limit(fault, SOLID_RANK, rank);
  } else {
    api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, &field->path,
                 "No hull can be built: %s.", ct_status_text(status));
  }
}

/* Adds the fault that states why the planes have no hull. culprit: index of a plane that shows the
 * reason; a value >= count: none does. */
static void report_plane_fault(api_reader *reader, const api_field *field, ct_status status,
                               size_t culprit, size_t count) {
  if (status == CT_OUT_OF_MEMORY || status == CT_CANCELLED) {
    if (status == CT_CANCELLED) api_fault_cancelled(reader->faults);
    else api_fault_memory(reader->faults);
    return;
  }
  api_field plane = culprit < count ? api_field_element(field, culprit) : *field;
  api_problem_id id = status == CT_LIMIT ? API_PROBLEM_LIMIT_EXCEEDED : API_PROBLEM_DEGENERATE_HULL;
  api_fault_at(reader->faults, id, &plane.path, "No hull can be built: %s.",
               ct_status_text(status));
}

static void report_too_few(api_reader *reader, const api_field *field, size_t count) {
  api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_DEGENERATE_HULL, &field->path,
                                  "A solid needs at least %d points or planes, got %zu: add more.",
                                  HULL_POINTS_MIN, count);
  api_fault_limit(fault, HULL_POINTS_MIN, (double)count);
}

/* Checks that the largest side of the hull's box is a valid size and its vertices have valid
 * coordinates. */
static bool check_hull_extent(api_reader *reader, const api_field *field, ct_aabb box) {
  ct_vec3 sides = ct_sub(box.max, box.min);
  double widest = ct_max_abs(sides), farthest = ct_max2(ct_max_abs(box.min), ct_max_abs(box.max));
  if (widest < CT_SIZE_MIN) {
    api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &field->path,
                                 "The convex shape is smaller than 1e-9 m, the least size: enlarge "
                                 "it, or check the unit."),
                    CT_SIZE_MIN, widest);
    return false;
  }
  if (farthest > CT_COORDINATE_MAX) {
    api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &field->path,
                                 "A vertex is beyond the largest coordinate, 1e9 m: move it closer "
                                 "to the origin, or check the unit."),
                    CT_COORDINATE_MAX, farthest);
    return false;
  }
  return true;
}

static ct_aabb points_box(const ct_vec3 *points, size_t count) {
  assert(count > 0);
  ct_aabb box = {points[0], points[0]};
  for (size_t i = 1; i < count; i++) box = ct_aabb_union(box, (ct_aabb){points[i], points[i]});
  return box;
}

bool api_make_hull(api_reader *reader, const api_field *field, const ct_vec3 *points, size_t count,
                   ct_hull **out) {
  if (count < HULL_POINTS_MIN) {
    report_too_few(reader, field, count);
    return false;
  }
  /* Points that span less than the least size are reported as too small, not as degenerate. */
  ct_aabb box = points_box(points, count);
  bool one_point = box.min.x == box.max.x && box.min.y == box.max.y && box.min.z == box.max.z;
  if (!one_point && !check_hull_extent(reader, field, box)) return false;
  ct_hull_report report = {.culprit = UINT32_MAX};
  ct_status status = ct_hull_from_points(points, count, reader->cancel, out, &report);
  if (status != CT_OK) report_point_fault(reader, field, status, report.rank, count);
  return status == CT_OK;
}

/* Checks the length of an array of points or planes and allocates an item of `size` bytes for each
 * element. NULL: a fault was added. */
static void *room_of_elements(api_reader *reader, const api_field *field, size_t size,
                              size_t *count) {
  if (!api_read_array(reader, field, 0, reader->limits->hull_points, count)) return NULL;
  if (*count < HULL_POINTS_MIN) {
    report_too_few(reader, field, *count);
    return NULL;
  }
  void *room = api_arena_array(reader->arena, *count, size);
  if (!room) api_fault_memory(reader->faults);
  return room;
}

/* Sets the ids of the hull's faces: of `planes` given planes one id per plane, else (planes is 0)
 * one id per face. */
static bool name_faces(api_reader *reader, const api_field *field, size_t planes, face_ids ids,
                       ct_hull *hull) {
  if (!ids.count) return true;
  const ct_hull_view *view = ct_hull_get(hull);
  size_t wanted = planes ? planes : view->face_count;
  if (ids.count != wanted) {
    api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &field->path,
                                    "surfaceIds needs one number for each of the %zu %s.", wanted,
                                    planes ? "planes" : "faces of the hull");
    api_fault_limit(fault, (double)wanted, (double)ids.count);
    return false;
  }
  uint32_t *of_faces = api_arena_array(reader->arena, view->face_count, sizeof *of_faces);
  for (uint32_t f = 0; of_faces && f < view->face_count; f++)
    of_faces[f] = ids.of[planes ? view->face_plane[f] : f];
  if (of_faces && ct_hull_set_surfaces(hull, of_faces) == CT_OK) return true;
  api_fault_memory(reader->faults);
  return false;
}

static bool read_vertices(api_reader *reader, const api_field *field, const api_field *ids_field,
                          face_ids ids, ct_collider *out) {
  size_t count = 0;
  ct_vec3 *points = room_of_elements(reader, field, sizeof *points, &count);
  if (!points) return false;
  bool good = true;
  for (size_t i = 0; i < count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % POINTS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    good = api_read_position(reader, &element, &points[i]) && good;
  }
  if (!good || api_reader_cancelled(reader)) return false;

  ct_hull *hull = NULL;
  if (!api_make_hull(reader, field, points, count, &hull)) return false;
  const given g = {"vertices", (const double *)points, count, 3, ids};
  if (!name_faces(reader, ids_field, 0, ids, hull) ||
      (!hull_equals_points(hull, points, count) && !attach_note(reader, &g, out))) {
    ct_hull_release(hull);
    return false;
  }
  out->shape.hull = hull;
  return true;
}

/* Checks a plane n.p + d <= 0: the largest component of the normal must be at least CT_SIZE_MIN
 * (1e-9), and the plane's distance from the origin at most CT_COORDINATE_MAX. */
static bool check_plane(api_reader *reader, const api_field *field, const double plane[4]) {
  ct_vec3 normal = {plane[0], plane[1], plane[2]};
  double largest = ct_max_abs(normal);
  if (largest < CT_SIZE_MIN) {
    api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &field->path,
                                 "The plane's normal is zero or too short: its largest component "
                                 "must be at least 1e-9."),
                    CT_SIZE_MIN, largest);
    return false;
  }
  double distance = fabs(plane[3]) / ct_norm(normal);
  if (distance <= CT_COORDINATE_MAX) return true;
  api_fault_limit(
      api_fault_at(
          reader->faults, API_PROBLEM_OUT_OF_RANGE, &field->path,
          "The plane is more than 1e9 m away from the origin: move it closer, or check the unit."),
      CT_COORDINATE_MAX, distance);
  return false;
}

static bool read_planes(api_reader *reader, const api_field *field, const api_field *ids_field,
                        face_ids ids, ct_collider *out) {
  size_t count = 0;
  double(*planes)[4] = room_of_elements(reader, field, sizeof *planes, &count);
  if (!planes) return false;
  bool good = true;
  for (size_t i = 0; i < count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % POINTS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    good = api_read_numbers(reader, &element, CT_COORDINATE_MAX * CT_SIZE_MAX, 4, planes[i]) &&
           check_plane(reader, &element, planes[i]) && good;
  }
  if (!good || api_reader_cancelled(reader)) return false;
  ct_hull *hull = NULL;
  ct_hull_report report = {.culprit = UINT32_MAX};
  ct_status status =
      ct_hull_from_planes((const double(*)[4])planes, count, reader->cancel, &hull, &report);
  if (status != CT_OK) {
    report_plane_fault(reader, field, status, report.culprit, count);
    return false;
  }
  const given g = {"planes", planes[0], count, 4, ids};
  bool is_named = check_hull_extent(reader, field, ct_hull_get(hull)->box) &&
                  name_faces(reader, ids_field, count, ids, hull);
  if (!is_named || !attach_note(reader, &g, out)) {
    ct_hull_release(hull);
    return false;
  }
  out->shape.hull = hull;
  return true;
}

bool api_read_convex(api_reader *reader, const api_field *field, ct_collider *out) {
  api_field m[3] = {{.name = "vertices"}, {.name = "planes"}, {.name = "surfaceIds"}};
  face_ids ids;
  if (!api_read_object(reader, field, m, 3)) return false;
  size_t which = api_read_one_of(reader, field, m, 2, true, API_PROBLEM_MISSING_MEMBER);
  if (!api_read_surface_ids(reader, &m[2], 2 * reader->limits->hull_points, &ids.of, &ids.count))
    return false;
  switch (which) {
  case 0: return read_vertices(reader, &m[0], &m[2], ids, out);
  case 1: return read_planes(reader, &m[1], &m[2], ids, out);
  default: return false;
  }
}

/* Returns, for each input point, the index of its vertex. NULL: out of memory, or *in_order is set
 * because the vertices are in the order of the points. */
static uint32_t *input_order(const ct_hull_view *view, bool *in_order) {
  *in_order = true;
  for (uint32_t i = 0; i < view->vertex_count; i++)
    *in_order = *in_order && view->vertex_input[i] == i;
  if (*in_order) return NULL;
  uint32_t *order = malloc(view->vertex_count * sizeof *order);
  for (uint32_t i = 0; order && i < view->vertex_count; i++) order[view->vertex_input[i]] = i;
  return order;
}

void api_put_vertices(api_buffer *buffer, const ct_hull *hull) {
  const ct_hull_view *view = ct_hull_get(hull);
  bool in_order;
  uint32_t *order = input_order(view, &in_order);
  if (!in_order && !order) {
    buffer->failed = true;
    return;
  }
  api_put_key(buffer, "vertices");
  api_put_byte(buffer, '[');
  for (uint32_t i = 0; i < view->vertex_count; i++) {
    uint32_t v = in_order ? i : order[i];
    api_put_item(buffer);
    api_put_vec3(buffer, ct_vec(view->x[v], view->y[v], view->z[v]));
  }
  api_put_byte(buffer, ']');
  free(order);
  if (view->surface_ids) api_put_surface_ids(buffer, view->surface_ids, view->face_count);
}
