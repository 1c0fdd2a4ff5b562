/* Encodes and decodes meshes and elements with moved vertices: the arrays of their origin, then the
 * current vertices and normals. */
#include "records/record_body.h"

#include <contact/limits.h>

/* Flag bits: how the origin of a mesh was read. */
enum { IS_SOLID = 1, KEEPS_DUPLICATES = 2, ALL_MESH_BITS = 3 };

/* ---- encode --------------------------------------------------------------------------------- */

bool api_record_has_moved_vertices(const ct_shape *shape) {
  if (ct_kind_has_elements(shape->kind)) return ct_elements_origin(shape->elements) != NULL;
  return shape->kind == CT_KIND_MESH && ct_mesh_origin(shape->mesh) != NULL;
}

static void put_vectors(api_buffer *out, const ct_vec3 *vertices, const ct_vec3 *normals,
                        size_t count) {
  api_record_put_doubles(out, &vertices[0].x, 3 * count);
  api_record_put_normals(out, normals, count);
}

void api_record_put_moved_vertices(api_buffer *out, const ct_shape *shape) {
  if (ct_kind_has_elements(shape->kind)) {
    const ct_elements_view *view = ct_elements_get(shape->elements);
    api_record_put_elements(out, ct_elements_origin(shape->elements));
    put_vectors(out, view->vertices, view->normals, view->vertex_count);
    return;
  }
  const ct_mesh_view *view = ct_mesh_get(shape->mesh);
  api_record_put_u8(out, (view->solid ? IS_SOLID : 0u) | (view->repeats ? KEEPS_DUPLICATES : 0u));
  api_record_put_mesh(out, ct_mesh_origin(shape->mesh));
  put_vectors(out, view->vertices, view->normals, view->vertex_count);
}

/* ---- decode --------------------------------------------------------------------------------- */

static bool restore_moved_mesh(api_record_decoder *r, const ct_vec3 *vertices,
                               const ct_vec3 *normals, ct_shape *shape) {
  ct_mesh *moved = NULL;
  ct_status status = ct_mesh_move(shape->mesh, vertices, normals, NULL, &moved, NULL);
  if (!api_decoder_check_status(r, status, "The moved vertices of a mesh are invalid"))
    return false;
  ct_mesh_release(shape->mesh);
  shape->mesh = moved;
  return true;
}

static bool restore_moved_elements(api_record_decoder *r, const ct_vec3 *vertices,
                                   const ct_vec3 *normals, ct_shape *shape) {
  ct_elements *moved = NULL;
  ct_status status = ct_elements_move(shape->elements, vertices, normals, NULL, &moved, NULL);
  if (!api_decoder_check_status(r, status, "The moved vertices of elements are invalid"))
    return false;
  ct_elements_release(shape->elements);
  *shape = ct_shape_of_elements(moved);
  return true;
}

/* Replaces the origin, which the shape owns, by the shape with moved vertices, which are read from
 * the record. */
static bool move_shape(api_record_decoder *r, ct_shape *shape) {
  bool has_elements = ct_kind_has_elements(shape->kind);
  size_t count = has_elements ? ct_elements_get(shape->elements)->vertex_count
                              : ct_mesh_get(shape->mesh)->vertex_count;
  const ct_vec3 *vertices = api_record_get_vectors(r, count, CT_COORDINATE_MAX), *normals = NULL;
  if (!vertices || !api_record_get_normals(r, count, &normals)) return false;
  if (has_elements ? !restore_moved_elements(r, vertices, normals, shape)
                   : !restore_moved_mesh(r, vertices, normals, shape))
    return false;
  ct_aabb box = ct_mesh_get(shape->mesh)->box;
  return ct_max_abs(ct_sub(box.max, box.min)) >= CT_SIZE_MIN ||
         api_decoder_reject(r, "A shape is too small");
}

static bool get_origin(api_record_decoder *r, ct_shape *shape) {
  if (ct_kind_has_elements(shape->kind)) return api_record_get_elements(r, shape);
  if (shape->kind != CT_KIND_MESH)
    return api_decoder_reject(r, "A shape without vertices has moved vertices");
  unsigned bits = api_record_get_u8(&r->in);
  if (bits > ALL_MESH_BITS) r->in.failed = true;
  if (!api_decoder_is_valid(r)) return false;
  return api_record_get_arrays(r, bits & IS_SOLID ? CT_MESH_SOLID : CT_MESH_SURFACE,
                               (bits & KEEPS_DUPLICATES) != 0, shape);
}

bool api_record_get_moved_vertices(api_record_decoder *r, ct_shape *shape) {
  if (!get_origin(r, shape)) return false;
  if (move_shape(r, shape)) return true;
  ct_shape_release(shape);
  return false;
}
