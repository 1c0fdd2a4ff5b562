/* Uploads of shapes: reads the body, builds the shape and writes its report. The report is stored
 * as text, because a shape never changes. */
#include "handlers/shape_upload.h"

#include <assert.h>

#include <contact/limits.h>

#include "shapes/mesh_build.h"
#include "shapes/mesh_repair_json.h"
#include "shapes/shape_json.h"

/* A largest side outside of this range suggests that the unit is wrong, m. */
#define LIKELY_LEAST 1e-3
#define LIKELY_GREATEST 100.0

/* The shape made from the body, and what was found out about it. */
typedef struct built {
  ct_collider collider; /* owns its shape */
  bool has_report;
  ct_mesh_report report;       /* report of building the mesh, or the outer surface of the
                                  elements */
  ct_elements_report elements; /* of elements only */
  ct_mesh_self_intersection self;
  uint64_t welded;
  api_mesh_findings findings; /* repairs and remaining defects of a mesh */
} built;

/* ---- the report ----------------------------------------------------------------------------- */

static void put_bounding_box(api_buffer *out, ct_aabb box) {
  api_put_key(out, "box");
  api_put_byte(out, '{');
  api_put_member_vec3(out, "min", box.min);
  api_put_member_vec3(out, "max", box.max);
  api_put_byte(out, '}');
}

static void put_self_intersection(api_buffer *out, ct_mesh_self_intersection self) {
  api_put_key(out, "selfIntersecting");
  api_put_raw(out, self == CT_MESH_SELF_UNKNOWN        ? "null"
                   : self == CT_MESH_SELF_INTERSECTING ? "true"
                                                       : "false");
}

/* Puts the number of elements of each type. */
static void put_element_types(api_buffer *out, const ct_elements_view *view) {
  uint64_t count[CT_ELEMENT_CORNERS_MAX + 1] = {0};
  for (uint32_t e = 0; e < view->element_count; e++) {
    assert(view->corner_counts[e] <= CT_ELEMENT_CORNERS_MAX);
    count[view->corner_counts[e]]++;
  }
  api_put_key(out, "elementTypes");
  api_put_byte(out, '{');
  api_put_member_unsigned(out, "tetrahedra", count[4]);
  api_put_member_unsigned(out, "pyramids", count[5]);
  api_put_member_unsigned(out, "wedges", count[6]);
  api_put_member_unsigned(out, "hexahedra", count[8]);
  api_put_byte(out, '}');
}

static void put_element_report(api_buffer *out, const built *b) {
  const ct_elements_view *view = ct_elements_get(b->collider.shape.elements);
  api_put_member_unsigned(out, "elements", view->element_count);
  if (view->type == CT_MIXED_ELEMENTS) put_element_types(out, view);
  api_put_member_unsigned(out, "nodes", b->elements.nodes);
  api_put_member_unsigned(out, "outerFaces", b->elements.outer_faces);
  api_put_member_number(out, "leastElementVolume", b->elements.least_volume);
  api_put_member_number(out, "greatestElementVolume", b->elements.greatest_volume);
}

static void put_mesh_report(api_buffer *out, const built *b) {
  const ct_mesh_report *r = &b->report;
  if (ct_kind_has_elements(b->collider.shape.kind)) put_element_report(out, b);
  api_put_member_unsigned(out, "triangles", r->triangles);
  api_put_member_unsigned(out, "vertices", r->vertices);
  api_put_member_unsigned(out, "welded", b->welded);
  api_put_member_unsigned(out, "degenerateDropped", r->degenerate_triangles);
  api_put_member_unsigned(out, "duplicatesDropped", r->duplicate_triangles);
  api_put_member_unsigned(out, "components", r->components);
  api_put_member_bool(out, "closed", r->closed);
  api_put_member_bool(out, "oriented", r->oriented);
  api_put_member_bool(out, "manifold", r->manifold);
  api_put_member_bool(out, "watertight", r->watertight);
  put_self_intersection(out, b->self);
  api_put_member_bool(out, "solid", r->solid);
  api_put_member_bool(out, "flipped", r->flipped);
  if (r->closed && r->oriented) api_put_member_number(out, "volume", r->volume);
  api_put_member_number(out, "area", r->area);
  put_bounding_box(out, r->box);
  if (b->findings.repair.requested)
    api_put_repaired(out, &b->findings.repair, &b->findings.repaired);
  if (!r->watertight) api_put_defects(out, b->collider.shape.mesh, r, &b->findings.defects);
}

static void put_convex_report(api_buffer *out, const ct_hull *hull) {
  const ct_hull_view *view = ct_hull_get(hull);
  api_put_member_unsigned(out, "vertices", view->vertex_count);
  api_put_member_unsigned(out, "faces", view->face_count);
  api_put_member_number(out, "volume", view->volume);
  put_bounding_box(out, view->box);
}

static void put_primitive_report(api_buffer *out, const ct_shape *shape) {
  ct_mass_properties mass;
  if (ct_shape_mass(shape, 1.0, &mass)) api_put_member_number(out, "volume", mass.volume);
  if (shape->kind == CT_KIND_PLANE) return;
  ct_frame identity = ct_frame_of(ct_pose_identity());
  put_bounding_box(out, ct_shape_aabb(shape, &identity));
}

static void put_upload_report(api_buffer *out, const api_call *call, const api_upload *upload,
                              const built *b) {
  const ct_shape *shape = &b->collider.shape;
  api_put_member_string(out, "kind", api_text(ct_kind_word(shape->kind)));
  if (upload->unit) api_put_member_string(out, "unit", api_text(upload->unit->word));
  api_put_member_unsigned(out, "bytes", call->input.body_length);
  if (b->has_report) put_mesh_report(out, b);
  else if (shape->kind == CT_KIND_CONVEX) put_convex_report(out, shape->hull);
  else put_primitive_report(out, shape);
  api_put_warnings(out, &call->warnings, true);
}

static const api_shape *create_stored_shape(api_call *call, const api_upload *upload,
                                            const built *b) {
  assert(upload->id);
  api_buffer report = {0};
  const api_shape *shape = NULL;
  put_upload_report(&report, call, upload, b);
  if (!report.failed) {
    shape = api_shape_create(&(api_shape_form){.id = upload->id,
                                               .shape = b->collider.shape,
                                               .unit = upload->unit ? upload->unit->word : NULL,
                                               .bytes = call->input.body_length,
                                               .report = {report.bytes, report.length}});
  }
  api_buffer_free(&report);
  if (!shape) api_fault_memory(&call->faults);
  return shape;
}

/* ---- self-intersections --------------------------------------------------------------------- */

static void warn_self_intersection(api_warnings *warnings, const ct_mesh_report *report,
                                   ct_mesh_self_intersection self, const uint32_t triangles[2]) {
  if (self == CT_MESH_SELF_UNKNOWN && report->triangles > CT_MESH_SELF_TRIANGLES_MAX)
    api_warn(
        warnings, "selfIntersectionUnknown", NULL, 0,
        "Self-intersections were not searched: the search is limited to meshes of %u triangles.",
        (unsigned)CT_MESH_SELF_TRIANGLES_MAX);
  else if (self == CT_MESH_SELF_UNKNOWN)
    api_warn(warnings, "selfIntersectionUnknown", NULL, 0,
             "The search for self-intersections was stopped before it finished.");
  /* Self-intersections matter only for a closed, oriented mesh: its volume could count parts
   * twice. */
  if (self == CT_MESH_SELF_INTERSECTING && report->closed && report->oriented)
    api_warn(warnings, "selfIntersecting", NULL, 0,
             "Triangles %u and %u intersect outside of shared corners and edges: volume and mass "
             "count twice where parts overlap.",
             triangles[0], triangles[1]);
}

/* Searches the mesh for self-intersections and warns of the result. If the search is cancelled, the
 * upload continues. */
static void search_self_intersections(api_call *call, built *b) {
  uint32_t triangles[2];
  if (!b->has_report) return;
  if (ct_mesh_self_test(b->collider.shape.mesh, call->input.cancel, &b->self, triangles) != CT_OK)
    b->self = CT_MESH_SELF_UNKNOWN;
  warn_self_intersection(&call->warnings, &b->report, b->self, triangles);
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Warns of an unusual size, because STL and OBJ files do not state their unit. */
static void warn_unusual_size(api_warnings *warnings, const api_unit *unit, ct_aabb box) {
  double side = ct_max_abs(ct_sub(box.max, box.min));
  if (side >= LIKELY_LEAST && side <= LIKELY_GREATEST) return;
  api_warn(warnings, "unit", NULL, 0,
           "The largest side is %.6g m: check that the unit of the file is %s.", side, unit->word);
}

static void warn_about_file(api_call *call, const api_import *import, const built *b) {
  const ct_mesh_report *report = &b->report;
  warn_unusual_size(&call->warnings, import->unit, report->box);
  if (import->ignored)
    api_warn(&call->warnings, "elementsIgnored", NULL, import->ignored,
             "Points, lines and free-form geometry were ignored; the first is in line %zu.",
             import->ignored_line);
  if (import->bent)
    api_warn(&call->warnings, "bentPolygons", NULL, import->bent,
             "Polygons that are not planar were split into triangles; the first is in line %zu.",
             import->bent_line);
  if (b->findings.repair.requested) api_warn_repaired(&call->warnings, NULL, &b->findings.repaired);
  api_warn_mesh(&call->warnings, NULL, report, b->collider.shape.mesh, &b->findings.defects);
}

/* Builds a mesh from the imported vertices and triangles, with the requested repair. */
static bool build_imported_mesh(api_call *call, const api_import *import, const api_upload *upload,
                                built *b) {
  const api_triangle_soup *soup = import->soup;
  api_reader reader = api_call_reader(call);
  api_mesh_source source = {.data = {soup->vertices, soup->vertex_count,
                                     (const uint32_t(*)[3])soup->triangles, soup->triangle_count,
                                     NULL},
                            .reading = upload->reading,
                            .repair = upload->repair.requested ? &upload->repair.options : NULL,
                            .repaired = &b->findings.repaired};
  ct_mesh *mesh = NULL;
  if (!api_build_mesh(&reader, &source, &mesh, &b->report)) return false;
  b->findings.repair = upload->repair;
  if (!api_find_defects(&reader, mesh, &b->report, &b->findings.defects)) {
    ct_mesh_release(mesh);
    return false;
  }
  b->has_report = true;
  b->collider.shape = (ct_shape){.kind = CT_KIND_MESH, .mesh = mesh};
  return true;
}

static bool read_uploaded_file(api_call *call, const api_upload *upload, built *b) {
  const api_limits *limits = &call->service->limits;
  api_reader reader = api_call_reader(call);
  api_triangle_soup soup = {.key = upload->key,
                            .budget = limits->request_memory_bytes,
                            .triangles_max = limits->mesh_triangles};
  api_import import = {.reader = &reader,
                       .file = {call->input.body, call->input.body_length},
                       .unit = upload->unit,
                       .soup = &soup};
  assert(upload->unit && (upload->form == API_FORM_STL || upload->form == API_FORM_OBJ));
  bool stl = upload->form == API_FORM_STL;
  bool good = (stl ? api_import_stl(&import) : api_import_obj(&import)) &&
              build_imported_mesh(call, &import, upload, b);
  if (good) {
    assert(!stl || soup.vertex_count <= 3 * (uint64_t)soup.triangle_count);
    b->welded =
        stl ? 3 * (uint64_t)soup.triangle_count - soup.vertex_count : b->report.merged_vertices;
    warn_about_file(call, &import, b);
  }
  api_triangle_soup_free(&soup);
  return good;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static bool read_uploaded_json(api_call *call, built *b) {
  api_reader reader = api_call_reader(call);
  api_field root, m[API_SHAPE_MEMBER_COUNT] = {API_SHAPE_MEMBERS};
  reader.mesh_report = &b->report;
  reader.elements_report = &b->elements;
  reader.findings = &b->findings;
  if (!api_call_parse(call, &root)) return false;
  if (!json_is_object(root.value)) {
    api_fault_at(&call->faults, API_PROBLEM_WRONG_TYPE, &root.path, "Expected an object, got %s.",
                 api_type_words(root.value));
    return false;
  }
  if (!api_read_object(&reader, &root, m, API_SHAPE_MEMBER_COUNT) ||
      !api_read_shape(&reader, &root, m, &b->collider))
    return false;
  b->has_report = ct_kind_is_mesh(b->collider.shape.kind);
  if (ct_kind_has_elements(b->collider.shape.kind)) b->report = b->elements.surface;
  b->welded = b->report.merged_vertices;
  return true;
}

/* Replaces the uploaded shape by its convex hull. */
static bool replace_by_hull(api_call *call, built *b) {
  ct_shape hull;
  ct_status status = ct_shape_convex_hull(&b->collider.shape, call->input.cancel, &hull);
  if (status == CT_OUT_OF_MEMORY) api_fault_memory(&call->faults);
  else if (status == CT_CANCELLED) api_fault_cancelled(&call->faults);
  else if (status == CT_DEGENERATE_HULL)
    api_fault_plain(&call->faults, API_PROBLEM_DEGENERATE_HULL,
                    "The points of the mesh lie in a plane, so that their hull has no volume: omit "
                    "convexHull.");
  else if (status != CT_OK)
    api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED, "%s.", ct_status_text(status));
  if (status != CT_OK) return false;
  ct_shape_release(&b->collider.shape);
  b->collider.shape = hull;
  b->has_report = false;
  return true;
}

const api_shape *api_shape_upload(api_call *call, const api_upload *upload) {
  built b = {0};
  const api_shape *shape = NULL;
  bool good = upload->form == API_FORM_JSON ? read_uploaded_json(call, &b)
                                            : read_uploaded_file(call, upload, &b);
  if (good && (!upload->convex_hull || replace_by_hull(call, &b))) {
    search_self_intersections(call, &b);
    shape = create_stored_shape(call, upload, &b);
  }
  api_collider_release(&b.collider);
  api_mesh_findings_free(&b.findings);
  return shape;
}
