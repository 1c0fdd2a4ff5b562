/* Meshes in JSON. A mesh gives the caller's numbers back by itself; its note is the word that `solid` had, if it was given. The
 * note of a hull made of a mesh is the whole member. */
#include "mesh_json.h"

#include <contact/limits.h>
#include <math.h>

#include "convex_json.h"
#include "mesh_build.h"

/* Elements between two looks at the cancel flag: some 100 us. */
#define ELEMENTS_PER_POLL 1024
/* Three of a triangle, and the fewest of a mesh. */
#define CORNERS 3
/* A normal's largest component, at least: what is shorter is taken for a normal that was never set. */
#define NORMAL_LEAST 1e-9

enum { VERTICES, TRIANGLES, NORMALS, SOLID, CONVEX_HULL, MEMBER_COUNT };

typedef struct mesh_text {
  ct_vec3 *vertices;
  size_t vertex_count;
  uint32_t (*triangles)[CORNERS];
  size_t triangle_count;
  ct_vec3 *normals; /* [vertex_count]; NULL: none */
} mesh_text;

/* ---- decode -------------------------------------------------------------------------------------------------------------- */

static bool read_vertices(api_reader *reader, const api_field *field, mesh_text *mesh) {
  if (!api_read_array(reader, field, CORNERS, CT_MESH_VERTICES_MAX, &mesh->vertex_count)) return false;
  mesh->vertices = api_arena_array(reader->arena, mesh->vertex_count, sizeof *mesh->vertices);
  if (!mesh->vertices) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < mesh->vertex_count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % ELEMENTS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    good = api_read_position(reader, &element, &mesh->vertices[i]) && good;
  }
  return good;
}

/* A whole number below the count of vertices. */
static bool read_index(api_reader *reader, const api_field *field, size_t vertices, uint32_t *out) {
  if (!json_is_number(field->value)) {
    api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &field->path, "Must be a whole number, is %s.",
                 api_type_words(field->value));
    return false;
  }
  double value = json_number_value(field->value);
  if (value == floor(value) && value >= 0.0 && value < (double)vertices) {
    *out = (uint32_t)value;
    return true;
  }
  api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_BAD_INDEX, &field->path,
                                  "Must be the number of a vertex: a whole number from 0 to %zu.", vertices - 1);
  api_fault_limit(fault, (double)vertices - 1.0, value);
  return false;
}

static bool read_triangle(api_reader *reader, const api_field *field, size_t vertices, uint32_t out[CORNERS]) {
  size_t count = 0;
  if (!api_read_array(reader, field, CORNERS, CORNERS, &count)) return false;
  bool good = true;
  for (size_t c = 0; c < CORNERS; c++) {
    api_field corner = api_field_element(field, c);
    good = read_index(reader, &corner, vertices, &out[c]) && good;
  }
  if (!good) return false;
  size_t twice = out[1] == out[0] ? 1 : out[2] == out[0] || out[2] == out[1] ? 2 : CORNERS;
  if (twice == CORNERS) return true;
  api_path at = api_path_index(&field->path, twice);
  api_fault *fault =
      api_fault_at(reader->faults, API_PROBLEM_BAD_INDEX, &at, "The triangle names the vertex %u twice.", out[twice]);
  api_fault_limit(fault, NAN, out[twice]);
  return false;
}

static bool read_triangles(api_reader *reader, const api_field *field, mesh_text *mesh) {
  if (!api_read_array(reader, field, 1, reader->limits->mesh_triangles, &mesh->triangle_count)) return false;
  mesh->triangles = api_arena_array(reader->arena, mesh->triangle_count, sizeof *mesh->triangles);
  if (!mesh->triangles) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < mesh->triangle_count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % ELEMENTS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    good = read_triangle(reader, &element, mesh->vertex_count, mesh->triangles[i]) && good;
  }
  return good;
}

static bool read_normal(api_reader *reader, const api_field *field, ct_vec3 *out) {
  if (!api_read_position(reader, field, out)) return false;
  double size = ct_max_abs(*out);
  if (size >= NORMAL_LEAST) return true;
  api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &field->path,
                                  "A normal of any length but 0: its largest component must be 1e-9 at least.");
  api_fault_limit(fault, NORMAL_LEAST, size);
  return false;
}

bool api_read_normals(api_reader *reader, const api_field *field, size_t vertex_count, ct_vec3 **out) {
  size_t count = 0;
  *out = NULL;
  if (!api_field_present(field)) return true;
  if (!api_read_array(reader, field, vertex_count, vertex_count, &count)) return false;
  ct_vec3 *normals = api_arena_array(reader->arena, count, sizeof *normals);
  if (!normals) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < count && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (i % ELEMENTS_PER_POLL == 0 && api_reader_cancelled(reader)) return false;
    good = read_normal(reader, &element, &normals[i]) && good;
  }
  *out = normals;
  return good;
}

static void put_vectors(api_buffer *buffer, const char *name, const ct_vec3 *vectors, size_t count) {
  api_put_key(buffer, name);
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < count; i++) {
    api_put_item(buffer);
    api_put_vec3(buffer, vectors[i]);
  }
  api_put_byte(buffer, ']');
}

static void put_arrays(api_buffer *buffer, const mesh_text *mesh) {
  put_vectors(buffer, "vertices", mesh->vertices, mesh->vertex_count);
  api_put_key(buffer, "triangles");
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < mesh->triangle_count; i++) {
    api_put_byte(buffer, i ? ',' : '[');
    if (i) api_put_byte(buffer, '[');
    for (size_t c = 0; c < CORNERS; c++) {
      if (c) api_put_byte(buffer, ',');
      api_put_unsigned(buffer, mesh->triangles[i][c]);
    }
    api_put_byte(buffer, ']');
  }
  api_put_byte(buffer, ']');
  if (mesh->normals) put_vectors(buffer, "normals", mesh->normals, mesh->vertex_count);
}

/* The hull of the vertices; which triangles there were is only kept to be told. */
static bool make_hull(api_reader *reader, const api_field *field, const mesh_text *mesh, ct_collider *out) {
  ct_hull *hull = NULL;
  if (!api_make_hull(reader, field, mesh->vertices, mesh->vertex_count, &hull)) return false;
  api_buffer note = {0};
  api_put_raw(&note, "\"mesh\":{");
  put_arrays(&note, mesh);
  api_put_member_bool(&note, "convexHull", true);
  api_put_byte(&note, '}');
  if (note.failed) api_fault_memory(reader->faults);
  else out->note = api_reader_copy(reader, (ct_text){note.bytes, note.length});
  api_buffer_free(&note);
  if (!out->note.bytes) {
    ct_hull_release(hull);
    return false;
  }
  out->shape = (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
  return true;
}

static bool make_mesh(api_reader *reader, const api_field *field, const api_field *solid, const mesh_text *text, ct_collider *out) {
  bool wanted = false;
  if (!api_read_bool(reader, solid, &wanted)) return false;
  api_mesh_source source = {
      .data = {text->vertices, text->vertex_count, (const uint32_t(*)[3])text->triangles, text->triangle_count, text->normals},
      .reading = !api_field_present(solid) ? CT_MESH_AUTO
                 : wanted                  ? CT_MESH_SOLID
                                           : CT_MESH_SURFACE,
      .at = &field->path};
  ct_mesh *mesh = NULL;
  ct_mesh_report report;
  if (!api_build_mesh(reader, &source, &mesh, &report)) return false;
  api_warn_mesh(reader->warnings, &field->path, &report);
  if (reader->mesh_report) *reader->mesh_report = report;
  if (api_field_present(solid)) out->note = api_text(wanted ? "true" : "false");
  out->shape = (ct_shape){.kind = CT_KIND_MESH, .mesh = mesh};
  return true;
}

bool api_read_mesh(api_reader *reader, const api_field *field, ct_collider *out) {
  api_field m[MEMBER_COUNT] = {[VERTICES] = {.name = "vertices", .required = true},
                               [TRIANGLES] = {.name = "triangles", .required = true},
                               [NORMALS] = {.name = "normals"},
                               [SOLID] = {.name = "solid"},
                               [CONVEX_HULL] = {.name = "convexHull"}};
  if (!api_read_object(reader, field, m, MEMBER_COUNT)) return false;
  bool hull = false;
  mesh_text mesh = {0};
  bool good = api_read_bool(reader, &m[CONVEX_HULL], &hull);
  for (int k = NORMALS; hull && k <= SOLID; k++) {
    if (!api_field_present(&m[k])) continue;
    api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_MEMBER, &m[k].path, "\"%s\" means nothing beside convexHull: true.",
                 m[k].name);
    good = false;
  }
  if (!read_vertices(reader, &m[VERTICES], &mesh)) return false;
  if (good) good = api_read_normals(reader, &m[NORMALS], mesh.vertex_count, &mesh.normals);
  if (!read_triangles(reader, &m[TRIANGLES], &mesh) || !good || api_reader_cancelled(reader)) return false;
  return hull ? make_hull(reader, &m[VERTICES], &mesh, out) : make_mesh(reader, field, &m[SOLID], &mesh, out);
}

/* ---- encode -------------------------------------------------------------------------------------------------------------- */

void api_put_mesh(api_buffer *buffer, const ct_collider *collider) {
  const ct_mesh_view *view = ct_mesh_get(collider->shape.mesh);
  const mesh_text mesh = {(ct_vec3 *)(uintptr_t)view->vertices, view->vertex_count,
                          (uint32_t(*)[CORNERS])(uintptr_t)view->triangles, view->triangle_count,
                          (ct_vec3 *)(uintptr_t)view->normals};
  api_put_byte(buffer, '{');
  put_arrays(buffer, &mesh);
  if (collider->note.length) {
    api_put_key(buffer, "solid");
    api_put_bytes(buffer, collider->note.bytes, collider->note.length);
  }
  api_put_byte(buffer, '}');
}
