/* Hole filling: triangulated caps for the holes of a mesh (triangle/polygon_triangulation.c).
 *
 * A hole is projected along the coordinate axis nearest to its normal, so that no coordinate is
 * rounded and collinear points stay collinear. Loops in the plane of an enclosing loop that run in
 * the opposite direction are inner borders of the same polygon. Collinear loops are cracks between
 * edges of different length; triangles without area join their edges (see ct_mesh_create). Holes
 * that are broken, self-intersecting, too large or not planar are left open. */
#include "mesh/mesh_repair_steps.h"
#include "triangle/polygon_triangulation.h"

#include <stdlib.h>

#define NONE UINT32_MAX
/* Least |cosine| between the normals of loops in the same plane. */
#define SAME_PLANE_COSINE 0.999

typedef struct capping {
  const ct_mesh_parts *m;
  ct_mesh_defects *defects;
  double planarity;
  ct_mesh_caps *out;
  ct_vec2 *flat;    /* projected vertices of each loop; outer loops are counter-clockwise */
  uint32_t *around; /* [hole_count] index of the smallest loop that encloses each loop in its plane,
                       or NONE */
  uint8_t *depth;   /* [hole_count] number of enclosing loops, modulo 2 */
  bool *fillable;   /* [hole_count] the loop can be triangulated: it has an area, is planar, and
                       does not intersect itself */
  uint32_t *corner; /* vertices of the polygon being filled, ring by ring */
  uint32_t (*triangles)[3];
  ct_ring *rings;
} capping;

static ct_vec2 project_along_normal(ct_vec3 normal, ct_vec3 p) {
  double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
  if (z >= x && z >= y) return normal.z > 0.0 ? (ct_vec2){p.x, p.y} : (ct_vec2){p.y, p.x};
  if (x >= y) return normal.x > 0.0 ? (ct_vec2){p.y, p.z} : (ct_vec2){p.z, p.y};
  return normal.y > 0.0 ? (ct_vec2){p.z, p.x} : (ct_vec2){p.x, p.z};
}

static bool has_hole_normal(const ct_mesh_hole *hole) { return ct_max_abs(hole->normal) > 0.0; }

/* True if the points of the loop are exactly collinear. */
static bool is_collinear_loop(const ct_mesh_parts *m, const uint32_t *loop, uint32_t count) {
  for (uint32_t i = 2; i < count; i++)
    if (!ct_collinear(ct_mesh_point(m, loop[0]), ct_mesh_point(m, loop[1]),
                      ct_mesh_point(m, loop[i])))
      return false;
  return true;
}

/* ---- selection ------------------------------------------------------------------------------ */

/* Sets the outcome of a hole, as far as its own loop determines it; CAPPED means that nothing in
 * the loop prevents filling. */
static void classify_hole(capping *c, uint32_t which) {
  ct_mesh_hole *hole = &c->defects->holes[which];
  const uint32_t *loop = c->defects->loop + hole->first;
  bool line = hole->closed && is_collinear_loop(c->m, loop, hole->edges);
  hole->outcome = !hole->closed                                ? CT_MESH_HOLE_BROKEN
                  : hole->edges > CT_MESH_CAP_EDGES_MAX        ? CT_MESH_HOLE_TOO_LARGE
                  : line                                       ? CT_MESH_HOLE_CAPPED
                  : !has_hole_normal(hole)                     ? CT_MESH_HOLE_CROSSED
                  : hole->flatness > c->planarity * hole->size ? CT_MESH_HOLE_NOT_PLANAR
                                                               : CT_MESH_HOLE_CAPPED;
  if (hole->outcome != CT_MESH_HOLE_CAPPED || line) return;
  ct_vec2 *flat = c->flat + hole->first;
  for (uint32_t i = 0; i < hole->edges; i++)
    flat[i] = project_along_normal(hole->normal, ct_mesh_point(c->m, loop[i]));
  c->fillable[which] = !ct_rings_cross(&(ct_ring){flat, hole->edges}, 1);
  if (!c->fillable[which]) hole->outcome = CT_MESH_HOLE_CROSSED;
}

/* True if both loops are in one plane, within the tolerance, and `inner` is inside `outer`
 * there. */
static bool encloses_hole(const capping *c, const ct_mesh_hole *outer, const ct_mesh_hole *inner) {
  if (inner->size >= outer->size || ct_norm(ct_sub(inner->center, outer->center)) > outer->size)
    return false;
  if (fabs(ct_dot(inner->normal, outer->normal)) < SAME_PLANE_COSINE) return false;
  if (fabs(ct_dot(ct_sub(inner->center, outer->center), outer->normal)) >
      c->planarity * outer->size)
    return false;
  ct_vec2 p =
      project_along_normal(outer->normal, ct_mesh_point(c->m, c->defects->loop[inner->first]));
  return ct_ring_contains(&(ct_ring){c->flat + outer->first, outer->edges}, p);
}

/* Finds the loops that enclose each loop. False: cancelled. */
static bool find_nesting(capping *c) {
  const ct_mesh_defects *d = c->defects;
  for (uint32_t i = 0; i < d->hole_count; i++) {
    if (ct_cancel_raised(c->m->cancel)) return false;
    c->around[i] = NONE;
    if (!c->fillable[i]) continue;
    for (uint32_t j = 0; j < d->hole_count; j++) {
      if (j == i || !c->fillable[j] || !encloses_hole(c, &d->holes[j], &d->holes[i])) continue;
      c->depth[i] ^= 1;
      if (c->around[i] == NONE || d->holes[j].size < d->holes[c->around[i]].size) c->around[i] = j;
    }
  }
  return true;
}

/* True if the hole's loop is an inner border of the polygon of its enclosing loop. */
static bool is_inner_border(const capping *c, uint32_t hole) {
  uint32_t around = c->around[hole];
  return around != NONE && (c->depth[hole] & 1) && !(c->depth[around] & 1) &&
         ct_dot(c->defects->holes[hole].normal, c->defects->holes[around].normal) < 0.0;
}

/* ---- filling -------------------------------------------------------------------------------- */

static void add_cap_triangle(capping *c, uint32_t a, uint32_t b, uint32_t d) {
  uint32_t *t = c->out->triangles[c->out->count++];
  t[0] = a, t[1] = b, t[2] = d;
}

static void fill_line_hole(capping *c, ct_mesh_hole *hole) {
  const uint32_t *loop = c->defects->loop + hole->first;
  hole->cap_first = c->out->count;
  for (uint32_t i = 1; i + 1 < hole->edges; i++) add_cap_triangle(c, loop[0], loop[i], loop[i + 1]);
  hole->cap_triangles = c->out->count - hole->cap_first;
}

/* Writes the projections of the outer loop and of its inner borders, along the outer loop's normal,
 * to `at`, and the rings. Returns the number of rings. */
static uint32_t gather_rings(capping *c, uint32_t outer, ct_vec2 *at) {
  const ct_mesh_defects *d = c->defects;
  uint32_t corners = 0, count = 0;
  for (uint32_t h = 0; h <= d->hole_count; h++) {
    uint32_t which = h == 0 ? outer : h - 1;
    if (h > 0 && (c->around[which] != outer || which == outer || !is_inner_border(c, which)))
      continue;
    const ct_mesh_hole *hole = &d->holes[which];
    c->rings[count++] = (ct_ring){at + corners, hole->edges};
    for (uint32_t i = 0; i < hole->edges; i++, corners++) {
      c->corner[corners] = d->loop[hole->first + i];
      at[corners] =
          project_along_normal(d->holes[outer].normal, ct_mesh_point(c->m, c->corner[corners]));
    }
  }
  return count;
}

/* Fills the hole of an outer loop, together with the loops that are its inner borders. */
static ct_status fill_ring(capping *c, uint32_t outer, ct_vec2 *at) {
  ct_mesh_defects *d = c->defects;
  uint32_t rings = gather_rings(c, outer, at), corners = 0, first = c->out->count;
  bool filled = false;
  for (uint32_t r = 0; r < rings; r++) corners += c->rings[r].count;
  bool fits = corners <= CT_MESH_CAP_EDGES_MAX,
       crosses = rings > 1 && fits && ct_rings_cross(c->rings, rings);
  ct_status status = CT_OK;
  if (fits && !crosses)
    status = ct_polygon_fill(c->rings, rings, c->m->cancel, c->triangles, &filled);
  if (status != CT_OK) return status;
  /* Append the triangles, and set the outcome of the hole and of its inner borders. */
  for (uint32_t t = 0; filled && t < corners + 2 * (rings - 1) - 2; t++)
    add_cap_triangle(c, c->corner[c->triangles[t][0]], c->corner[c->triangles[t][1]],
                     c->corner[c->triangles[t][2]]);
  for (uint32_t h = 0; h < d->hole_count; h++) {
    if (h != outer && (c->around[h] != outer || !is_inner_border(c, h))) continue;
    ct_mesh_hole *hole = &d->holes[h];
    hole->outcome = filled ? CT_MESH_HOLE_CAPPED
                    : fits ? CT_MESH_HOLE_CROSSED
                           : CT_MESH_HOLE_TOO_LARGE;
    if (filled) hole->cap_first = first;
    if (filled) hole->cap_triangles = c->out->count - first;
  }
  return CT_OK;
}

static ct_status fill_all_holes(capping *c, ct_vec2 *at) {
  ct_mesh_defects *d = c->defects;
  ct_status status = CT_OK;
  for (uint32_t h = 0; h < d->hole_count && status == CT_OK; h++) {
    ct_mesh_hole *hole = &d->holes[h];
    if (ct_cancel_raised(c->m->cancel)) status = CT_CANCELLED;
    else if (c->fillable[h] && !is_inner_border(c, h)) status = fill_ring(c, h, at);
    else if (hole->outcome == CT_MESH_HOLE_CAPPED && !is_inner_border(c, h))
      fill_line_hole(c, hole);
  }
  return status;
}

/* Allocates all arrays. A cap with e edges in r loops has e + 2 r - 4 triangles, fewer than three
 * per edge. */
static ct_status open_capping(capping *c, ct_vec2 **at) {
  const ct_mesh_defects *d = c->defects;
  size_t corners = 1;
  for (uint32_t h = 0; h < d->hole_count; h++) corners += d->holes[h].edges + 1;
  c->flat = malloc(corners * sizeof *c->flat);
  c->around = malloc(((size_t)d->hole_count + 1) * sizeof *c->around);
  c->fillable = calloc((size_t)d->hole_count + 1, sizeof *c->fillable);
  c->depth = calloc((size_t)d->hole_count + 1, 1);
  c->corner = malloc(corners * sizeof *c->corner);
  c->triangles = malloc(3 * corners * sizeof *c->triangles);
  c->rings = malloc(((size_t)d->hole_count + 1) * sizeof *c->rings);
  c->out->triangles = malloc(3 * corners * sizeof *c->out->triangles);
  *at = malloc(corners * sizeof **at);
  bool got =
      c->flat && c->around && c->fillable && c->depth && c->corner && c->triangles && c->rings;
  return got && c->out->triangles && *at ? CT_OK : CT_OUT_OF_MEMORY;
}

ct_status ct_mesh_cap(const ct_mesh_parts *m, double planarity, ct_mesh_defects *defects,
                      ct_mesh_caps *out) {
  capping c = {.m = m, .defects = defects, .planarity = planarity, .out = out};
  ct_vec2 *at = NULL;
  *out = (ct_mesh_caps){0};
  ct_status status = open_capping(&c, &at);
  for (uint32_t h = 0; h < defects->hole_count && status == CT_OK; h++) {
    if (ct_cancel_raised(m->cancel)) status = CT_CANCELLED;
    else classify_hole(&c, h);
  }
  if (status == CT_OK && !find_nesting(&c)) status = CT_CANCELLED;
  if (status == CT_OK) status = fill_all_holes(&c, at);
  free(c.flat);
  free(c.around);
  free(c.depth);
  free(c.fillable);
  free(c.corner);
  free(c.triangles);
  free(c.rings);
  free(at);
  if (status == CT_OK) return CT_OK;
  free(out->triangles);
  *out = (ct_mesh_caps){0};
  return status;
}
