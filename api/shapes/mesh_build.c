/* Builds meshes and reports their faults and warnings. */
#include "shapes/mesh_build.h"

#include <assert.h>

#include <contact/limits.h>

/* ---- faults --------------------------------------------------------------------------------- */

/* Reports why a mesh does not bound a solid, at its first bad edge. */
static void report_open_mesh(api_reader *reader, const api_mesh_source *source,
                             const ct_mesh_report *report) {
  api_pointer triangles = api_pointer_member(source->at, "triangles"),
              triangle = api_pointer_index(&triangles, report->bad_triangle);
  if (report->bad_triangle == CT_NO_TRIANGLE) {
    const char *why = "The mesh is closed but encloses no volume, so it bounds no solid: set solid "
                      "to false, or correct it.";
    if (source->at) api_fault_at(reader->faults, API_PROBLEM_OPEN_MESH, source->at, "%s", why);
    else api_fault_plain(reader->faults, API_PROBLEM_OPEN_MESH, "%s", why);
    return;
  }
  char text[200];
  const char *what = report->open_edges           ? "has no other triangle"
                     : report->inconsistent_edges ? "has two triangles of opposite orientation"
                                                  : "has three or more triangles";
  snprintf(text, sizeof text,
           "The mesh bounds no solid: the edge of vertices %u and %u of triangle %u %s (%u open, "
           "%u inconsistent, %u crowded edges).",
           report->bad_edge[0], report->bad_edge[1], report->bad_triangle, what, report->open_edges,
           report->inconsistent_edges, report->crowded_edges);
  const api_pointer *at = source->whole ? source->at : &triangle;
  api_fault *fault = source->at
                         ? api_fault_at(reader->faults, API_PROBLEM_OPEN_MESH, at, "%s", text)
                         : api_fault_plain(reader->faults, API_PROBLEM_OPEN_MESH, "%s", text);
  api_fault_limit(fault, 0,
                  (double)report->open_edges + report->inconsistent_edges + report->crowded_edges);
}

static void report_mesh_fault(api_reader *reader, const api_mesh_source *source, api_problem_id id,
                              const char *why) {
  if (source->at) api_fault_at(reader->faults, id, source->at, "%s", why);
  else api_fault_plain(reader->faults, id, "%s", why);
}

static void report_mesh_status(api_reader *reader, const api_mesh_source *source, ct_status status,
                               const ct_mesh_report *report) {
  assert(status != CT_OK);
  switch (status) {
  case CT_OUT_OF_MEMORY: api_fault_memory(reader->faults); break;
  case CT_CANCELLED: api_fault_cancelled(reader->faults); break;
  case CT_OPEN_MESH: report_open_mesh(reader, source, report); break;
  case CT_DEGENERATE_MESH:
    report_mesh_fault(reader, source, API_PROBLEM_DEGENERATE_MESH,
                      "No triangle has an area: its corners are one point, or lie on a line. Check "
                      "the vertices.");
    break;
  default: report_mesh_fault(reader, source, API_PROBLEM_LIMIT_EXCEEDED, ct_status_text(status));
  }
}

/* Creates the mesh, with moved vertices or a repair if the source requests one of them. */
static ct_status create_mesh(api_reader *reader, const api_mesh_source *source, ct_mesh **mesh,
                             ct_mesh_report *report) {
  if (source->moved)
    return ct_mesh_move(source->moved, source->data.vertices, source->data.normals, reader->cancel,
                        mesh, report);
  if (!source->repair)
    return ct_mesh_create(&source->data, source->reading, reader->cancel, mesh, report);
  ct_mesh_repaired repaired = {0};
  ct_status status =
      ct_mesh_repair(&source->data, source->reading, source->repair, reader->cancel, &repaired);
  if (status == CT_OK || status == CT_OPEN_MESH || status == CT_DEGENERATE_MESH)
    *report = repaired.report;
  *mesh = repaired.mesh;
  repaired.mesh = NULL;
  if (status == CT_OK && source->repaired) *source->repaired = repaired;
  else ct_mesh_repaired_free(&repaired);
  return status;
}

bool api_build_mesh(api_reader *reader, const api_mesh_source *source, ct_mesh **out,
                    ct_mesh_report *report) {
  ct_mesh *mesh = NULL;
  *report = (ct_mesh_report){.bad_triangle = CT_NO_TRIANGLE};
  ct_status status = create_mesh(reader, source, &mesh, report);
  if (status != CT_OK) {
    report_mesh_status(reader, source, status, report);
    return false;
  }
  if (ct_max_abs(ct_sub(report->box.max, report->box.min)) < CT_SIZE_MIN) {
    report_mesh_fault(
        reader, source, API_PROBLEM_OUT_OF_RANGE,
        "The mesh is smaller than 1e-9 m, the least size: enlarge it, or check the unit.");
    ct_mesh_release(mesh);
    if (source->repair && source->repaired) ct_mesh_repaired_free(source->repaired);
    return false;
  }
  *out = mesh;
  return true;
}

/* ---- warnings ------------------------------------------------------------------------------- */

bool api_find_defects(const api_reader *reader, const ct_mesh *mesh, const ct_mesh_report *report,
                      ct_mesh_defects *out) {
  *out = (ct_mesh_defects){0};
  ct_status status = report->watertight ? CT_OK : ct_mesh_find_defects(mesh, reader->cancel, out);
  if (status == CT_OK) return true;
  *out = (ct_mesh_defects){0};
  if (status == CT_CANCELLED) api_fault_cancelled(reader->faults);
  else api_fault_memory(reader->faults);
  return false;
}

/* Sentence about the position of the first edge of a kind; empty if it is not known. */
typedef struct edge_text {
  char text[100];
} edge_text;

static edge_text name_edge(const ct_mesh *mesh, const ct_mesh_defects *defects,
                           ct_mesh_edge_kind kind) {
  edge_text out = {{0}};
  for (uint32_t i = 0; defects && i < defects->edge_count && !out.text[0]; i++) {
    const ct_mesh_edge *e = &defects->edge[i];
    if (e->kind != kind) continue;
    const uint32_t vertex_count = ct_mesh_get(mesh)->vertex_count;
    assert(e->vertex[0] < vertex_count && e->vertex[1] < vertex_count);
    (void)vertex_count;
    ct_vec3 p = ct_mesh_get(mesh)->vertices[e->vertex[0]],
            q = ct_mesh_get(mesh)->vertices[e->vertex[1]];
    snprintf(out.text, sizeof out.text,
             " The first is from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g).", p.x, p.y, p.z, q.x,
             q.y, q.z);
  }
  return out;
}

/* Returns a sentence about the number of holes and the perimeter of the largest one. */
static edge_text name_holes(const ct_mesh_defects *defects) {
  edge_text out = {{0}};
  const ct_mesh_hole *largest = NULL;
  for (uint32_t h = 0; defects && h < defects->hole_count; h++)
    if (!largest || defects->holes[h].perimeter > largest->perimeter) largest = &defects->holes[h];
  if (largest)
    snprintf(out.text, sizeof out.text, " %u hole%s, the largest of %u edges and %.3g m around.",
             defects->hole_count, defects->hole_count == 1 ? "" : "s", largest->edges,
             largest->perimeter);
  return out;
}

void api_warn_mesh(api_warnings *warnings, const api_pointer *at, const ct_mesh_report *report,
                   const ct_mesh *mesh, const ct_mesh_defects *defects) {
  if (report->degenerate_triangles)
    api_warn(warnings, "degenerateTriangles", at, report->degenerate_triangles,
             "Triangles without an area were ignored: two corners are one point, or all three lie "
             "on a line.");
  if (report->duplicate_triangles)
    api_warn(warnings, "duplicateTriangles", at, report->duplicate_triangles,
             "Triangles with the three corners of an earlier one were ignored.");
  if (report->opposed_triangles)
    api_warn(warnings, "opposedTriangles", at, report->opposed_triangles,
             "Triangles have the three corners of an earlier one in opposite order: they form a "
             "wall without thickness.");
  if (report->unused_vertices)
    api_warn(warnings, "unusedVertices", at, report->unused_vertices,
             "Vertices that no triangle or element uses are not part of the shape.");
  if (report->flipped)
    api_warn(warnings, "flipped", at, 0, "The mesh was inside out: its triangles were reversed.");
  if (report->open_edges)
    api_warn(warnings, "openEdges", at, report->open_edges,
             "Edges belong to only one triangle: the mesh is open, a surface.%s%s",
             name_holes(defects).text, name_edge(mesh, defects, CT_MESH_EDGE_OPEN).text);
  if (report->inconsistent_edges)
    api_warn(warnings, "inconsistentEdges", at, report->inconsistent_edges,
             "Edges have two triangles of opposite orientation, which disagree on which side is "
             "outside: reverse one of the two.%s",
             name_edge(mesh, defects, CT_MESH_EDGE_INCONSISTENT).text);
  if (report->crowded_edges)
    api_warn(warnings, "crowdedEdges", at, report->crowded_edges,
             "Edges belong to three or more triangles: the mesh is not a manifold.%s",
             name_edge(mesh, defects, CT_MESH_EDGE_NON_MANIFOLD).text);
  if (report->pinched_vertices)
    api_warn(warnings, "pinchedVertices", at, report->pinched_vertices,
             "Parts of the mesh touch in single vertices: the mesh is not a manifold.");
}
