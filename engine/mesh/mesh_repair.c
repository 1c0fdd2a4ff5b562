/* Mesh repair: welds a copy of the vertices, finds defects, caps holes, and creates the mesh from
 * the result.
 *
 * Welding: each vertex moves to the nearest earlier vertex that was retained, if one is within the
 * tolerance, so that no vertex moves by more than the tolerance. Retained vertices are more than
 * the tolerance apart, so that a cell of a uniform grid of that width contains a bounded number of
 * them. Cells are hashed; the hash does not affect the result. The caller's arrays stay unchanged.
 * Limits are those of ct_mesh_create. */
#include "mesh/mesh_repair_steps.h"

#include <contact/limits.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
/* Odd multipliers without structure: the fractional parts of the golden ratio, of sqrt(2) and of
 * sqrt(3), times 2^64. */
#define MIX_X 0x9e3779b97f4a7c15u
#define MIX_Y 0x6a09e667f3bcc909u
#define MIX_Z 0xbb67ae8584caa73bu
/* A tolerance below this fraction of the largest coordinate welds only bit-equal vertices. */
#define TOLERANCE_FRACTION_MIN 0x1p-60

/* Hashed uniform grid of the retained vertices. */
typedef struct weld_grid {
  uint32_t *head, *next; /* [mask + 1] first vertex of each bucket; [vertices] next vertex in the
                            same bucket */
  uint32_t mask;
  double width;
} weld_grid;

static uint64_t get_coordinate_bits(double x) {
  uint64_t b;
  double plain = 0.0 + x; /* 0 + -0 is 0, so both zeros have the same bits */
  memcpy(&b, &plain, sizeof b);
  return b;
}

static uint32_t find_bucket(const weld_grid *c, double x, double y, double z) {
  uint64_t h = get_coordinate_bits(x) * MIX_X;
  h = (h ^ h >> 32 ^ get_coordinate_bits(y)) * MIX_Y;
  h = (h ^ h >> 32 ^ get_coordinate_bits(z)) * MIX_Z;
  return (uint32_t)(h >> 32) & c->mask;
}

/* Returns the retained vertex nearest to p within the width of a cell, the lowest index among
 * equals, and its distance; NONE if there is none. */
static uint32_t find_nearest_retained(const weld_grid *c, const ct_vec3 *vertices, ct_vec3 p,
                                      double *distance) {
  double x = floor(p.x / c->width), y = floor(p.y / c->width), z = floor(p.z / c->width);
  uint32_t best = NONE;
  *distance = c->width;
  for (int k = 0; k < 27; k++) {
    double cx = x + (k % 3 - 1), cy = y + (k / 3 % 3 - 1), cz = z + (k / 9 - 1);
    for (uint32_t i = c->head[find_bucket(c, cx, cy, cz)]; i != NONE; i = c->next[i]) {
      double d = ct_norm(ct_sub(vertices[i], p));
      if (d > *distance || (d == *distance && best != NONE && i >= best)) continue;
      best = i;
      *distance = d;
    }
  }
  return best;
}

static bool allocate_weld_grid(weld_grid *c, uint32_t count, double width) {
  uint32_t buckets = 64;
  while (buckets < count) buckets *= 2;
  c->head = malloc(buckets * sizeof *c->head);
  c->next = malloc(((size_t)count + 1) * sizeof *c->next);
  c->mask = buckets - 1;
  c->width = width;
  for (uint32_t b = 0; c->head && b < buckets; b++) c->head[b] = NONE;
  return c->head && c->next;
}

/* Moves each vertex to the nearest earlier retained vertex within the tolerance, which must be > 0.
 * *moved is the number of vertices that moved, *displacement the largest distance, m.
 * CT_OUT_OF_MEMORY, CT_CANCELLED. Expected cost O(n). */
static ct_status weld_within_tolerance(ct_vec3 *vertices, uint32_t count, double tolerance,
                                       const ct_cancel *cancel, uint32_t *moved,
                                       double *displacement) {
  double largest = 0.0;
  for (uint32_t i = 0; i < count; i++) largest = ct_max2(largest, ct_max_abs(vertices[i]));
  *moved = 0;
  *displacement = 0.0;
  /* Only bit-equal vertices would be welded. */
  if (tolerance < TOLERANCE_FRACTION_MIN * largest) return CT_OK;
  weld_grid c = {0};
  ct_status status = allocate_weld_grid(&c, count, tolerance) ? CT_OK : CT_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < count && status == CT_OK; i++) {
    ct_vec3 p = vertices[i];
    double distance;
    uint32_t near = find_nearest_retained(&c, vertices, p, &distance);
    if (ct_mesh_cancelled(i, cancel)) status = CT_CANCELLED;
    /* Move the vertex to the nearest retained one, or retain it in its cell. */
    if (near != NONE) {
      vertices[i] = vertices[near];
      *moved += distance > 0.0;
      *displacement = ct_max2(*displacement, distance);
      continue;
    }
    uint32_t bucket =
        find_bucket(&c, floor(p.x / tolerance), floor(p.y / tolerance), floor(p.z / tolerance));
    c.next[i] = c.head[bucket];
    c.head[bucket] = i;
  }
  free(c.head);
  free(c.next);
  return status;
}

/* Arrays of the repaired mesh; owned by the repair. */
typedef struct repair_state {
  ct_vec3 *vertices;
  uint32_t (*triangles)[3];
  ct_mesh_caps caps;
} repair_state;

static bool has_valid_options(const ct_mesh_repair_options *o) {
  return o->weld >= 0.0 && o->weld <= CT_SIZE_MAX && o->planarity >= 0.0 && isfinite(o->planarity);
}

/* Finds the holes of the welded mesh, and caps those that can be capped if the options ask for
 * it. */
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
                                      : status; /* ct_mesh_create reports a degenerate mesh later */
}

/* Appends the triangles of the caps to a copy of the triangles. */
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
  return weld_within_tolerance(r->vertices, parts->vertex_count, tolerance, parts->cancel,
                               &out->welded, &out->displacement);
}

/* Counts the duplicates that are retained because of the option keep_duplicates. */
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
  /* Weld the vertices, cap the holes, append the caps, and create the mesh. */
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
