/* Encodes the arrays from which hulls, meshes and elements were built, and rebuilds the shapes from
 * them. */
#include "records/record_body.h"

#include <contact/limits.h>
#include <contact/mesh.h>

#include <assert.h>
#include <stdlib.h>

#include "shapes/elements_json.h"

/* Least number of points of a solid. */
#define HULL_POINTS_MIN 4

/* ---- encode --------------------------------------------------------------------------------- */

static void put_ids(api_buffer *out, const uint32_t *ids, size_t count) {
  api_record_put_u32(out, ids ? (uint32_t)count : 0);
  if (ids) api_record_put_words(out, ids, count);
}

/* Puts the points of a hull. Every input point is a vertex: otherwise the collider has a note,
 * which is stored instead. */
void api_record_put_points(api_buffer *out, const ct_hull *hull) {
  const ct_hull_view *view = ct_hull_get(hull);
  ct_vec3 *points = malloc(view->vertex_count * sizeof *points);
  if (!points) {
    out->failed = true;
    return;
  }
  for (uint32_t i = 0; i < view->vertex_count; i++) {
    assert(view->vertex_input[i] < view->vertex_count);
    points[view->vertex_input[i]] = ct_vec(view->x[i], view->y[i], view->z[i]);
  }
  api_record_put_u32(out, view->vertex_count);
  api_record_put_doubles(out, &points[0].x, 3 * (size_t)view->vertex_count);
  put_ids(out, view->surface_ids, view->face_count);
  free(points);
}

void api_record_put_normals(api_buffer *out, const ct_vec3 *normals, size_t count) {
  api_record_put_u8(out, normals != NULL);
  if (normals) api_record_put_doubles(out, &normals[0].x, 3 * count);
}

void api_record_put_mesh(api_buffer *out, const ct_mesh *mesh) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  api_record_put_u32(out, view->vertex_count);
  api_record_put_doubles(out, &view->vertices[0].x, 3 * (size_t)view->vertex_count);
  api_record_put_u32(out, view->triangle_count);
  api_record_put_words(out, view->triangles[0], 3 * (size_t)view->triangle_count);
  api_record_put_normals(out, view->normals, view->vertex_count);
}

/* Puts the vertex indices of the elements. For elements of mixed types, the number of vertices of
 * each element precedes them. */
static void put_corners(api_buffer *out, const ct_elements_view *view) {
  bool mixed = view->type == CT_MIXED_ELEMENTS;
  for (uint32_t e = 0; mixed && e < view->element_count; e++)
    api_record_put_u8(out, view->corner_counts[e]);
  for (uint32_t e = 0; mixed && e < view->element_count; e++)
    api_record_put_words(out, view->corners + (size_t)e * view->corner_stride,
                         view->corner_counts[e]);
  if (!mixed)
    api_record_put_words(out, view->corners, (size_t)view->corner_stride * view->element_count);
}

void api_record_put_elements(api_buffer *out, const ct_elements *elements) {
  const ct_elements_view *view = ct_elements_get(elements);
  api_record_put_u32(out, view->vertex_count);
  api_record_put_doubles(out, &view->vertices[0].x, 3 * (size_t)view->vertex_count);
  api_record_put_u32(out, view->element_count);
  put_corners(out, view);
  api_record_put_normals(out, view->normals, view->vertex_count);
  put_ids(out, view->surface_ids, view->outer_count);
}

/* ---- decode --------------------------------------------------------------------------------- */

ct_vec3 *api_record_get_vectors(api_record_decoder *r, size_t count, double greatest) {
  if (count > api_record_bytes_left(&r->in) / sizeof(ct_vec3)) r->in.failed = true;
  if (!api_decoder_is_valid(r)) return NULL;
  ct_vec3 *vectors = api_arena_array(&r->arena, count, sizeof *vectors);
  if (!vectors) {
    api_decoder_out_of_memory(r);
    return NULL;
  }
  if (count) api_record_get_doubles(&r->in, &vectors[0].x, 3 * count);
  for (size_t i = 0; i < count; i++) {
    ct_vec3 v = vectors[i];
    if (fabs(v.x) <= greatest && fabs(v.y) <= greatest && fabs(v.z) <= greatest) continue;
    api_decoder_reject(r, "A coordinate of a shape is out of range");
    return NULL;
  }
  return vectors;
}

/* Reads count * each vertex indices, which must be below `below`, into the arena. NULL: the record
 * is rejected. */
static uint32_t *get_corners(api_record_decoder *r, size_t count, size_t each, size_t below) {
  assert(each > 0);
  if (count > api_record_bytes_left(&r->in) / (each * sizeof(uint32_t))) r->in.failed = true;
  if (!api_decoder_is_valid(r)) return NULL;
  uint32_t *corners = api_arena_array(&r->arena, count, each * sizeof *corners);
  if (!corners) {
    api_decoder_out_of_memory(r);
    return NULL;
  }
  api_record_get_words(&r->in, corners, count * each);
  for (size_t i = 0; i < count * each; i++) {
    if (corners[i] < below) continue;
    api_decoder_reject(r, "A corner is not a vertex number");
    return NULL;
  }
  return corners;
}

/* Reads the ids of faces into the arena; *ids is NULL if there are none. */
static bool get_ids(api_record_decoder *r, const uint32_t **ids, size_t *count) {
  *ids = NULL;
  *count = api_record_get_count(&r->in, sizeof **ids);
  if (*count) *ids = get_corners(r, *count, 1, SIZE_MAX);
  return api_decoder_is_valid(r) && (!*count || *ids);
}

bool api_record_get_normals(api_record_decoder *r, size_t count, const ct_vec3 **normals) {
  *normals = NULL;
  if (!api_record_get_bool(&r->in)) return api_decoder_is_valid(r);
  *normals = api_record_get_vectors(r, count, CT_COORDINATE_MAX);
  for (size_t i = 0; *normals && i < count; i++)
    if (!(ct_max_abs((*normals)[i]) > 0.0)) return api_decoder_reject(r, "A normal is zero");
  return *normals != NULL;
}

/* True if the rebuilt shape is not too small; otherwise the record is rejected. */
static bool check_extent(api_record_decoder *r, ct_aabb box) {
  double widest = ct_max_abs(ct_sub(box.max, box.min));
  return widest >= CT_SIZE_MIN || api_decoder_reject(r, "A shape is too small");
}

bool api_record_get_points(api_record_decoder *r, ct_shape *shape) {
  size_t count = api_record_get_u32(&r->in), id_count;
  const ct_vec3 *points = api_record_get_vectors(r, count, CT_COORDINATE_MAX);
  const uint32_t *ids;
  if (!points || !get_ids(r, &ids, &id_count)) return false;
  if (count < HULL_POINTS_MIN)
    return api_decoder_reject(r, "The hull of the points cannot be built");
  ct_hull *hull = NULL;
  if (!api_decoder_check_status(r, ct_hull_from_points(points, count, NULL, &hull, NULL),
                                "The hull of the points cannot be built"))
    return false;
  bool good = check_extent(r, ct_hull_get(hull)->box);
  good =
      good && (!ids || ct_hull_get(hull)->face_count == id_count ||
               api_decoder_reject(r, "A hull's number of faces differs from the recorded number"));
  good = good && (!ids || api_decoder_check_status(r, ct_hull_set_surfaces(hull, ids),
                                                   "The surface ids of a hull are invalid"));
  if (good) shape->hull = hull;
  else ct_hull_release(hull);
  return good;
}

/* Rebuilds a mesh; repeats: it keeps duplicate triangles. */
static ct_status restore_mesh(const ct_mesh_data *data, ct_mesh_reading reading, bool repeats,
                              ct_mesh **mesh) {
  if (!repeats) return ct_mesh_create(data, reading, NULL, mesh, NULL);
  const ct_mesh_repair_options keep = {.keep_duplicates = true};
  ct_mesh_repaired repaired = {0};
  ct_status status = ct_mesh_repair(data, reading, &keep, NULL, &repaired);
  *mesh = repaired.mesh;
  ct_mesh_repaired_free(&repaired);
  return status;
}

bool api_record_get_arrays(api_record_decoder *r, ct_mesh_reading reading, bool repeats,
                           ct_shape *shape) {
  size_t vertices = api_record_get_u32(&r->in);
  const ct_vec3 *points = api_record_get_vectors(r, vertices, CT_COORDINATE_MAX), *normals;
  if (!points) return false;
  size_t triangles = api_record_get_u32(&r->in);
  const uint32_t *corners = get_corners(r, triangles, 3, vertices);
  if (!corners || !api_record_get_normals(r, vertices, &normals)) return false;
  const ct_mesh_data data = {points, vertices, (const uint32_t(*)[3])corners, triangles, normals};
  ct_mesh *mesh = NULL;
  if (!api_decoder_check_status(r, restore_mesh(&data, reading, repeats, &mesh),
                                "The mesh of the triangles cannot be built"))
    return false;
  if (!check_extent(r, ct_mesh_get(mesh)->box)) {
    ct_mesh_release(mesh);
    return false;
  }
  shape->mesh = mesh;
  return true;
}

bool api_record_get_mesh(api_record_decoder *r, ct_text note, ct_shape *shape) {
  bool solid = api_text_equal(note, api_text("true")),
       surface = api_text_equal(note, api_text("false"));
  if (note.length && !solid && !surface)
    return api_decoder_reject(r, "A mesh has unknown reading options");
  return api_record_get_arrays(r,
                               solid     ? CT_MESH_SOLID
                               : surface ? CT_MESH_SURFACE
                                         : CT_MESH_AUTO,
                               false, shape);
}

/* Reads the number of vertices of each element into the arena; *sum is their total. NULL: the
 * record is rejected. */
static uint8_t *get_corner_counts(api_record_decoder *r, size_t count, size_t *sum) {
  if (count > api_record_bytes_left(&r->in)) r->in.failed = true;
  if (!api_decoder_is_valid(r)) return NULL;
  uint8_t *counts = api_arena_array(&r->arena, count, sizeof *counts);
  if (!counts) {
    api_decoder_out_of_memory(r);
    return NULL;
  }
  *sum = 0;
  for (size_t i = 0; i < count; i++) {
    counts[i] = (uint8_t)api_record_get_u8(&r->in);
    *sum += counts[i];
    if (ct_element_form_of_corners(counts[i])) continue;
    api_decoder_reject(r, "An element has an invalid number of corners");
    return NULL;
  }
  return counts;
}

/* Reads elements as put_corners writes them. */
static bool get_elements(api_record_decoder *r, ct_elements_data *data) {
  data->element_count = api_record_get_u32(&r->in);
  if (data->type == CT_MIXED_ELEMENTS) {
    size_t sum;
    data->corner_counts = get_corner_counts(r, data->element_count, &sum);
    data->corners = data->corner_counts ? get_corners(r, sum, 1, data->vertex_count) : NULL;
  } else {
    data->corners = get_corners(r, data->element_count, ct_element_form_of(data->type)->corners,
                                data->vertex_count);
  }
  return data->corners != NULL;
}

bool api_record_get_elements(api_record_decoder *r, ct_shape *shape) {
  ct_elements_data data = {.type = api_elements_type(shape->kind)};
  data.vertex_count = api_record_get_u32(&r->in);
  data.vertices = api_record_get_vectors(r, data.vertex_count, CT_COORDINATE_MAX);
  if (!data.vertices) return false;
  if (!get_elements(r, &data) || !api_record_get_normals(r, data.vertex_count, &data.normals))
    return false;
  if (!get_ids(r, &data.surface_ids, &data.surface_id_count)) return false;
  ct_elements *elements = NULL;
  if (!api_decoder_check_status(r, ct_elements_create(&data, NULL, &elements, NULL),
                                "The elements cannot be built"))
    return false;
  if (!check_extent(r, ct_mesh_get(ct_elements_get(elements)->surface)->box)) {
    ct_elements_release(elements);
    return false;
  }
  *shape = ct_shape_of_elements(elements);
  return true;
}
