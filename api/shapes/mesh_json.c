/* Meshes in JSON. The numbers of the request can be reproduced from the mesh itself, and its note
 * is only the value of `solid`, if given. The note of a mesh's hull and of a repaired mesh is the
 * whole member. */
#include "shapes/mesh_json.h"

#include "shapes/convex_json.h"
#include "shapes/mesh_arrays.h"
#include "shapes/mesh_build.h"
#include "shapes/mesh_repair_json.h"

/* Number of vertices of a triangle, and least number of vertices of a mesh. */
#define CORNERS 3

enum { VERTICES, TRIANGLES, NORMALS, SOLID, REPAIR, CONVEX_HULL, MEMBER_COUNT };

typedef struct mesh_text {
  ct_vec3 *vertices;
  size_t vertex_count;
  uint32_t (*triangles)[CORNERS];
  size_t triangle_count;
  ct_vec3 *normals; /* [vertex_count]; NULL: none */
} mesh_text;

/* ---- decode --------------------------------------------------------------------------------- */

static void put_arrays(api_buffer *buffer, const mesh_text *mesh) {
  api_put_vectors(buffer, "vertices", mesh->vertices, mesh->vertex_count);
  api_put_corners(buffer, "triangles", mesh->triangles[0], CORNERS, mesh->triangle_count);
  if (mesh->normals) api_put_vectors(buffer, "normals", mesh->normals, mesh->vertex_count);
}

/* Makes the note `"mesh":{...}` with the arrays of the request and the repair; repair NULL: the
 * note of a convex hull. */
static bool note_mesh(api_reader *reader, const mesh_text *mesh, const api_repair *repair,
                      const bool *solid, ct_text *out) {
  api_buffer note = {0};
  api_put_raw(&note, "\"mesh\":{");
  put_arrays(&note, mesh);
  if (!repair) api_put_member_bool(&note, "convexHull", true);
  if (repair && solid) api_put_member_bool(&note, "solid", *solid);
  if (repair) api_put_repair(&note, repair);
  api_put_byte(&note, '}');
  if (note.failed) api_fault_memory(reader->faults);
  else *out = api_reader_copy(reader, (ct_text){note.bytes, note.length});
  api_buffer_free(&note);
  return out->bytes != NULL;
}

/* Makes the hull of the mesh's vertices; the triangles are only stored in the note, for reproducing
 * the request. */
static bool make_hull(api_reader *reader, const api_field *field, const mesh_text *mesh,
                      ct_collider *out) {
  ct_hull *hull = NULL;
  if (!api_make_hull(reader, field, mesh->vertices, mesh->vertex_count, &hull)) return false;
  if (!note_mesh(reader, mesh, NULL, NULL, &out->note)) {
    ct_hull_release(hull);
    return false;
  }
  out->shape = (ct_shape){.kind = CT_KIND_CONVEX, .hull = hull};
  return true;
}

/* Warns of repairs and remaining defects, and passes the findings to the reader if it collects
 * them. */
static bool write_findings(api_reader *reader, const api_field *field, const ct_mesh *mesh,
                           const ct_mesh_report *report, api_mesh_findings *own) {
  if (own->repair.requested) api_warn_repaired(reader->warnings, &field->path, &own->repaired);
  bool wanted = reader->warnings || reader->findings;
  if (wanted && !api_find_defects(reader, mesh, report, &own->defects)) {
    api_mesh_findings_free(own);
    return false;
  }
  api_warn_mesh(reader->warnings, &field->path, report, mesh, &own->defects);
  if (reader->mesh_report) *reader->mesh_report = *report;
  if (reader->findings) *reader->findings = *own;
  else api_mesh_findings_free(own);
  return true;
}

/* Makes the shape from the arrays as the members solid and repair request. */
static bool make_mesh(api_reader *reader, const api_field *field, const api_field m[MEMBER_COUNT],
                      const mesh_text *text, ct_collider *out) {
  bool wanted = false, has_solid = api_field_present(&m[SOLID]);
  api_mesh_findings own = {0};
  if (!api_read_bool(reader, &m[SOLID], &wanted) ||
      !api_read_repair(reader, &m[REPAIR], &own.repair))
    return false;
  api_mesh_source source = {.data = {text->vertices, text->vertex_count,
                                     (const uint32_t(*)[3])text->triangles, text->triangle_count,
                                     text->normals},
                            .reading = !has_solid ? CT_MESH_AUTO
                                       : wanted   ? CT_MESH_SOLID
                                                  : CT_MESH_SURFACE,
                            .at = &field->path,
                            .repair = own.repair.requested ? &own.repair.options : NULL,
                            .repaired = &own.repaired};
  ct_mesh *mesh = NULL;
  ct_mesh_report report;
  if (own.repair.requested &&
      !note_mesh(reader, text, &own.repair, has_solid ? &wanted : NULL, &out->note))
    return false;
  if (!api_build_mesh(reader, &source, &mesh, &report)) return false;
  if (!write_findings(reader, field, mesh, &report, &own)) {
    ct_mesh_release(mesh);
    return false;
  }
  if (has_solid && !own.repair.requested) out->note = api_text(wanted ? "true" : "false");
  out->shape = (ct_shape){.kind = CT_KIND_MESH, .mesh = mesh};
  return true;
}

bool api_read_mesh(api_reader *reader, const api_field *field, ct_collider *out) {
  api_field m[MEMBER_COUNT] = {[VERTICES] = {.name = "vertices", .required = true},
                               [TRIANGLES] = {.name = "triangles", .required = true},
                               [NORMALS] = {.name = "normals"},
                               [SOLID] = {.name = "solid"},
                               [REPAIR] = {.name = "repair"},
                               [CONVEX_HULL] = {.name = "convexHull"}};
  if (!api_read_object(reader, field, m, MEMBER_COUNT)) return false;
  bool hull = false;
  mesh_text mesh = {0};
  bool good = api_read_bool(reader, &m[CONVEX_HULL], &hull);
  for (int k = NORMALS; k <= REPAIR; k++)
    good = api_reject_combination(reader, &m[k], hull, "convexHull: true") && good;
  const api_corner_form form = {"triangle", CORNERS, reader->limits->mesh_triangles};
  uint32_t *corners;
  if (!api_read_vertices(reader, &m[VERTICES], CORNERS, &mesh.vertices, &mesh.vertex_count))
    return false;
  if (good) good = api_read_normals(reader, &m[NORMALS], mesh.vertex_count, &mesh.normals);
  if (!api_read_corners(reader, &m[TRIANGLES], &form, mesh.vertex_count, &corners,
                        &mesh.triangle_count))
    return false;
  if (!good || api_reader_cancelled(reader)) return false;
  mesh.triangles = (uint32_t(*)[CORNERS])corners;
  return hull ? make_hull(reader, &m[VERTICES], &mesh, out)
              : make_mesh(reader, field, m, &mesh, out);
}

/* ---- encode --------------------------------------------------------------------------------- */

static mesh_text text_of_view(const ct_mesh_view *view) {
  return (mesh_text){(ct_vec3 *)(uintptr_t)view->vertices, view->vertex_count,
                     (uint32_t(*)[CORNERS])(uintptr_t)view->triangles, view->triangle_count,
                     (ct_vec3 *)(uintptr_t)view->normals};
}

bool api_describe_duplicates(api_reader *reader, const ct_mesh *mesh, ct_text *note) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  const mesh_text text = text_of_view(view);
  const api_repair repair = {.requested = true, .options.keep_duplicates = true};
  return note_mesh(reader, &text, &repair, &view->solid, note);
}

void api_put_mesh(api_buffer *buffer, const ct_collider *collider) {
  const mesh_text mesh = text_of_view(ct_mesh_get(collider->shape.mesh));
  api_put_byte(buffer, '{');
  put_arrays(buffer, &mesh);
  if (collider->note.length) {
    api_put_key(buffer, "solid");
    api_put_bytes(buffer, collider->note.bytes, collider->note.length);
  }
  api_put_byte(buffer, '}');
}
