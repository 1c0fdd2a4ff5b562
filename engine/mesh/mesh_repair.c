/* Mesh repair: welds a copy of the vertices, finds defects, caps holes, and creates the mesh from
 * the result.
 *
 * The caller's arrays stay unchanged. Limits are those of ct_mesh_create.
 */
#include "mesh/mesh_repair_steps.h"
#include <contact/limits.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Arrays of the repaired mesh; owned. */
typedef struct repair_state {
  ct_vec3 *vertices;
  uint32_t (*triangles)[3];
  ct_mesh_caps caps;
} repair_state;

static bool has_valid_options(const ct_mesh_repair_options *o) {
  return o->weld >= 0.0 && o->weld <= CT_SIZE_MAX && o->planarity >= 0.0 && isfinite(o->planarity);
}

/* Finds the holes of the welded mesh and caps those that can be capped. */
static ct_status find_and_cap_holes(const ct_mesh_parts *parts,
                                    const ct_mesh_repair_options *options, repair_state *r,
                                    ct_mesh_repaired *out) {
  ct_mesh_parts own = *parts;
  ct_mesh_report report = {0};
  if (!ct_mesh_open_vertices(&own)) return CT_LIMIT;
  ct_status status = ct_mesh_join(&own, &report);
  if (status == CT_OK) status = ct_mesh_edges(&own, &report);
  if (status == CT_OK && !report.watertight) status = ct_mesh_collect_defects(&own, &out->before);
  if (status == CT_OK && out->before.hole_count > 0 && options->cap_holes)
    status = ct_mesh_cap(&own, options->planarity > 0.0 ? options->planarity : CT_MESH_PLANARITY,
                         &out->before, &r->caps);
  ct_mesh_parts_free(&own);
  return status == CT_DEGENERATE_MESH ? CT_OK
                                      : status; /* ct_mesh_create reports a degenerate mesh */
}

/* Appends the caps' triangles to a copy of the triangles. */
static ct_status append_caps(repair_state *r, ct_mesh_parts *parts, ct_mesh_repaired *out) {
  size_t count = parts->triangle_count, all = count + r->caps.count;
  if (r->caps.count == 0) return CT_OK;
  if (all > CT_MESH_TRIANGLES_MAX) return CT_LIMIT;
  r->triangles = malloc(all * sizeof *r->triangles);
  if (!r->triangles) return CT_OUT_OF_MEMORY;
  memcpy(r->triangles, parts->triangles, count * sizeof *r->triangles);
  memcpy(r->triangles + count, r->caps.triangles, r->caps.count * sizeof *r->triangles);
  parts->triangles = (const uint32_t(*)[3])r->triangles;
  parts->triangle_count = (uint32_t)all;
  out->cap_triangles = r->caps.count;
  for (uint32_t h = 0; h < out->before.hole_count; h++)
    out->before.holes[h].cap_first += (uint32_t)count;
  return CT_OK;
}

static ct_status weld_vertices(repair_state *r, ct_mesh_parts *parts, double tolerance,
                               ct_mesh_repaired *out) {
  if (tolerance == 0.0 || parts->vertex_count == 0) return CT_OK;
  r->vertices = malloc(parts->vertex_count * sizeof *r->vertices);
  if (!r->vertices) return CT_OUT_OF_MEMORY;
  memcpy(r->vertices, parts->vertices, parts->vertex_count * sizeof *r->vertices);
  ct_mesh_parts given = *parts;
  if (!ct_mesh_open_vertices(&given)) return CT_LIMIT;
  parts->vertices = r->vertices;
  return ct_mesh_weld(r->vertices, parts->vertex_count, tolerance, parts->cancel, &out->welded,
                      &out->displacement);
}

/* Counts duplicates that would be dropped without the option and are retained with it. */
static ct_status count_retained_duplicates(const ct_mesh_parts *parts, ct_mesh_repaired *out) {
  ct_mesh_parts plain = *parts;
  ct_mesh_report report = {0};
  plain.repeats = false;
  if (!parts->repeats || !ct_mesh_open_vertices(&plain)) return CT_OK;
  ct_status status = ct_mesh_join(&plain, &report);
  ct_mesh_parts_free(&plain);
  if (status == CT_OK)
    out->duplicates = report.duplicate_triangles - out->report.duplicate_triangles;
  return status;
}

ct_status ct_mesh_repair(const ct_mesh_data *data, ct_mesh_reading reading,
                         const ct_mesh_repair_options *options, const ct_cancel *cancel,
                         ct_mesh_repaired *out) {
  if (data->vertex_count > CT_MESH_VERTICES_MAX || data->triangle_count > CT_MESH_TRIANGLES_MAX ||
      !has_valid_options(options))
    return CT_LIMIT;
  repair_state r = {0};
  ct_mesh_repaired own = {0};
  ct_mesh_parts parts = ct_mesh_parts_of(data, cancel);
  parts.repeats = options->keep_duplicates;
  /* Weld, cap, append, create. */
  ct_status status = weld_vertices(&r, &parts, options->weld, &own);
  if (status == CT_OK) status = find_and_cap_holes(&parts, options, &r, &own);
  if (status == CT_OK) status = append_caps(&r, &parts, &own);
  if (status == CT_OK) status = ct_mesh_create_parts(&parts, reading, &own.mesh, &own.report);
  if (status == CT_OK) {
    status = count_retained_duplicates(&parts, &own);
    if (status != CT_OK) ct_mesh_release(own.mesh);
  }
  free(r.vertices);
  free(r.triangles);
  free(r.caps.triangles);
  if (status != CT_OK && status != CT_OPEN_MESH && status != CT_DEGENERATE_MESH)
    ct_mesh_defects_free(&own.before);
  else *out = own;
  return status;
}

void ct_mesh_repaired_free(ct_mesh_repaired *repaired) { ct_mesh_defects_free(&repaired->before); }
