/* Reads requested repairs and puts reports. Lists in reports are short: the largest holes, the
 * first edges. */
#include "shapes/mesh_repair_json.h"

#include <math.h>
#include <stdlib.h>

/* Greatest number of holes listed in a report. */
#define HOLES_LISTED 16u

/* ---- requests ------------------------------------------------------------------------------- */

bool api_read_repair(api_reader *reader, const api_field *field, api_repair *out) {
  enum { WELD, CAP_HOLES, PLANARITY, KEEP_DUPLICATES, COUNT };
  if (!api_field_present(field)) return true;
  api_field m[COUNT] = {[WELD] = {.name = "weld"},
                        [CAP_HOLES] = {.name = "capHoles"},
                        [PLANARITY] = {.name = "planarity"},
                        [KEEP_DUPLICATES] = {.name = "keepDuplicates"}};
  if (!api_read_object(reader, field, m, COUNT)) return false;
  ct_mesh_repair_options *o = &out->options;
  bool good = api_read_number(reader, &m[WELD], API_WELD_MIN, API_WELD_MAX, &o->weld);
  good = api_read_bool(reader, &m[CAP_HOLES], &o->cap_holes) && good;
  good =
      api_read_number(reader, &m[PLANARITY], CT_UNIT_ROUNDOFF, API_PLANARITY_MAX, &o->planarity) &&
      good;
  good = api_read_bool(reader, &m[KEEP_DUPLICATES], &o->keep_duplicates) && good;
  good = api_reject_unused(reader, &m[PLANARITY], good && !o->cap_holes, "capHoles: true") && good;
  out->requested = true;
  return good;
}

void api_put_repair(api_buffer *buffer, const api_repair *repair) {
  const ct_mesh_repair_options *o = &repair->options;
  api_put_key(buffer, "repair");
  api_put_byte(buffer, '{');
  if (o->weld > 0.0) api_put_member_number(buffer, "weld", o->weld);
  if (o->cap_holes) api_put_member_bool(buffer, "capHoles", true);
  if (o->planarity > 0.0) api_put_member_number(buffer, "planarity", o->planarity);
  if (o->keep_duplicates) api_put_member_bool(buffer, "keepDuplicates", true);
  api_put_byte(buffer, '}');
}

void api_mesh_findings_free(api_mesh_findings *findings) {
  ct_mesh_repaired_free(&findings->repaired);
  ct_mesh_defects_free(&findings->defects);
}

/* ---- holes ---------------------------------------------------------------------------------- */

static const char *outcome_word(ct_mesh_hole_outcome outcome) {
  switch (outcome) {
  case CT_MESH_HOLE_LEFT: return "notAsked";
  case CT_MESH_HOLE_CAPPED: return "capped";
  case CT_MESH_HOLE_BROKEN: return "noLoop";
  case CT_MESH_HOLE_NOT_PLANAR: return "notPlanar";
  case CT_MESH_HOLE_CROSSED: return "crossesItself";
  case CT_MESH_HOLE_TOO_LARGE: return "tooManyEdges";
  }
  return "";
}

static void put_hole(api_buffer *buffer, const ct_mesh_hole *hole, bool repaired) {
  api_put_item(buffer);
  api_put_byte(buffer, '{');
  api_put_member_unsigned(buffer, "edges", hole->edges);
  api_put_member_number(buffer, "perimeter", hole->perimeter);
  api_put_member_number(buffer, "size", hole->size);
  api_put_member_number(buffer, "flatness", hole->flatness);
  api_put_member_vec3(buffer, "center", hole->center);
  api_put_member_unsigned(buffer, "triangle", hole->triangle);
  if (repaired) api_put_member_string(buffer, "outcome", api_text(outcome_word(hole->outcome)));
  else if (!hole->closed) api_put_member_bool(buffer, "loop", false);
  if (repaired && hole->outcome == CT_MESH_HOLE_CAPPED) {
    api_put_member_unsigned(buffer, "firstTriangle", hole->cap_first);
    api_put_member_unsigned(buffer, "triangles", hole->cap_triangles);
  }
  api_put_byte(buffer, '}');
}

/* Order in which holes are listed: open ones before capped ones, then by decreasing size. */
static bool is_listed_before(const ct_mesh_hole *a, const ct_mesh_hole *b) {
  bool p = a->outcome == CT_MESH_HOLE_CAPPED, q = b->outcome == CT_MESH_HOLE_CAPPED;
  if (p != q) return q;
  return a->perimeter > b->perimeter || (a->perimeter == b->perimeter && a->first < b->first);
}

static void put_holes(api_buffer *buffer, const char *name, const ct_mesh_defects *d,
                      bool repaired) {
  const ct_mesh_hole *listed[HOLES_LISTED];
  uint32_t count = 0;
  for (uint32_t h = 0; h < d->hole_count; h++) {
    uint32_t at = count;
    if (count == HOLES_LISTED && !is_listed_before(&d->holes[h], listed[--at])) continue;
    for (; at > 0 && is_listed_before(&d->holes[h], listed[at - 1]); at--)
      listed[at] = listed[at - 1];
    listed[at] = &d->holes[h];
    count += count < HOLES_LISTED;
  }
  api_put_key(buffer, name);
  api_put_byte(buffer, '[');
  for (uint32_t i = 0; i < count; i++) put_hole(buffer, listed[i], repaired);
  api_put_byte(buffer, ']');
}

/* ---- reports -------------------------------------------------------------------------------- */

static void put_defect_edge(api_buffer *buffer, const ct_mesh_view *view,
                            const ct_mesh_edge *edge) {
  static const char *const kinds[] = {[CT_MESH_EDGE_OPEN] = "open",
                                      [CT_MESH_EDGE_NON_MANIFOLD] = "nonManifold",
                                      [CT_MESH_EDGE_INCONSISTENT] = "inconsistent"};
  api_put_item(buffer);
  api_put_byte(buffer, '{');
  api_put_member_string(buffer, "kind", api_text(kinds[edge->kind]));
  api_put_member_unsigned(buffer, "triangle", edge->triangle);
  api_put_member_unsigned(buffer, "triangles", edge->triangles);
  api_put_member_vec3(buffer, "from", view->vertices[edge->vertex[0]]);
  api_put_member_vec3(buffer, "to", view->vertices[edge->vertex[1]]);
  api_put_byte(buffer, '}');
}

void api_put_defects(api_buffer *buffer, const ct_mesh *mesh, const ct_mesh_report *report,
                     const ct_mesh_defects *defects) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  api_put_key(buffer, "defects");
  api_put_byte(buffer, '{');
  api_put_member_unsigned(buffer, "openEdges", defects->open_edges);
  api_put_member_unsigned(buffer, "nonManifoldEdges", defects->non_manifold_edges);
  api_put_member_unsigned(buffer, "inconsistentEdges", defects->inconsistent_edges);
  api_put_member_unsigned(buffer, "pinchedVertices", report->pinched_vertices);
  api_put_member_unsigned(buffer, "holes", defects->hole_count);
  put_holes(buffer, "largestHoles", defects, false);
  api_put_key(buffer, "firstEdges");
  api_put_byte(buffer, '[');
  for (uint32_t i = 0; i < defects->edge_count; i++)
    put_defect_edge(buffer, view, &defects->edge[i]);
  api_put_raw(buffer, "]}");
}

static uint32_t count_holes(const ct_mesh_defects *d, ct_mesh_hole_outcome outcome) {
  uint32_t count = 0;
  for (uint32_t h = 0; h < d->hole_count; h++) count += d->holes[h].outcome == outcome;
  return count;
}

void api_put_repaired(api_buffer *buffer, const api_repair *repair, const ct_mesh_repaired *done) {
  const ct_mesh_repair_options *o = &repair->options;
  api_put_key(buffer, "repair");
  api_put_byte(buffer, '{');
  if (o->weld > 0.0) {
    api_put_member_number(buffer, "weld", o->weld);
    api_put_member_unsigned(buffer, "verticesWelded", done->welded);
    api_put_member_number(buffer, "maxDisplacement", done->displacement);
  }
  if (o->keep_duplicates) api_put_member_unsigned(buffer, "duplicatesKept", done->duplicates);
  if (o->cap_holes) {
    uint32_t capped = count_holes(&done->before, CT_MESH_HOLE_CAPPED);
    api_put_member_number(buffer, "planarity",
                          o->planarity > 0.0 ? o->planarity : CT_MESH_PLANARITY);
    api_put_member_unsigned(buffer, "holesCapped", capped);
    api_put_member_unsigned(buffer, "holesLeft", done->before.hole_count - capped);
    api_put_member_unsigned(buffer, "capTriangles", done->cap_triangles);
    put_holes(buffer, "holes", &done->before, true);
  }
  api_put_byte(buffer, '}');
}

void api_warn_repaired(api_warnings *warnings, const api_pointer *at,
                       const ct_mesh_repaired *done) {
  uint32_t capped = count_holes(&done->before, CT_MESH_HOLE_CAPPED);
  if (done->welded > 0)
    api_warn(warnings, "welded", at, done->welded,
             "Vertices were welded: the largest displacement is %.3g m.", done->displacement);
  if (done->duplicates > 0)
    api_warn(warnings, "duplicatesKept", at, done->duplicates,
             "Duplicate triangles were kept: without them the mesh would be open.");
  if (capped > 0)
    api_warn(warnings, "holesCapped", at, capped,
             "Holes were capped by %u triangles, appended to the given ones.", done->cap_triangles);
  uint32_t left = count_holes(&done->before, CT_MESH_HOLE_LEFT), holes = done->before.hole_count;
  if (holes > capped + left)
    api_warn(warnings, "holesLeft", at, holes - capped - left,
             "Holes cannot be capped: %u are not planar, %u cross themselves, %u are not loops.",
             count_holes(&done->before, CT_MESH_HOLE_NOT_PLANAR),
             count_holes(&done->before, CT_MESH_HOLE_CROSSED),
             count_holes(&done->before, CT_MESH_HOLE_BROKEN));
}
