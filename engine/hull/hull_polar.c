/* Polar duality between half-spaces around a point and points around the origin (Preparata, Muller
 * 1979).
 *
 * With the origin moved to an inner point c, the plane n.p + d = 0 maps to the dual point n / -(d +
 * n.c). Facets of the hull of the dual points, the dual hull, are vertices of the intersection, and
 * its vertices are the facets. The hull of the rounded dual points is exact, so the result is
 * exactly the polytope of planes that differ from the given ones by round-off.
 *
 * Edges that are not longer than the round-off of their ends are contracted: union-find of
 * vertices, rewritten loops, and a check that the result is a closed surface (half-edges, Euler's
 * formula). */
#include "hull/hull_polar.h"
#include "base/double_double.h"
#include "hull/half_edge.h"
#include "hull/quickhull.h"

#include <stdlib.h>
#include <string.h>

typedef struct collapser {
  uint32_t *leader; /* [vertex_count] union-find parent of each vertex; the root of a set is its
                       lowest vertex */
  uint32_t *uses;   /* [vertex_count] number of loops through each vertex; later its new index */
  uint32_t *start, *loop;
  ct_half_edges set;
  uint32_t face_count;
  uint32_t *source;
  bool cancelled;
} collapser;

static uint32_t find_leader(collapser *c, uint32_t v) {
  while (c->leader[v] != v) v = c->leader[v] = c->leader[c->leader[v]];
  return v;
}

static void unite_vertices(collapser *c, uint32_t a, uint32_t b) {
  a = find_leader(c, a);
  b = find_leader(c, b);
  if (a < b) c->leader[b] = a;
  else c->leader[a] = b;
}

/* Unites the ends of each edge that is not longer than the sum of rounding[] at its ends. True if
 * there was such an edge. */
static bool unite_short_edges(collapser *c, const ct_hull_cells *cells, const double *rounding) {
  bool any = false;
  for (uint32_t i = 0; i < cells->vertex_count; i++) c->leader[i] = i;
  for (uint32_t f = 0; f < cells->face_count; f++) {
    uint32_t begin = cells->face_start[f], end = cells->face_start[f + 1];
    for (uint32_t i = begin; i < end; i++) {
      uint32_t a = cells->face_loop[i], b = cells->face_loop[i + 1 < end ? i + 1 : begin];
      if (ct_max_abs(ct_sub(cells->vertices[a], cells->vertices[b])) > rounding[a] + rounding[b])
        continue;
      unite_vertices(c, a, b);
      any = true;
    }
  }
  return any;
}

/* Rewrites the face loops to c->loop. Without `filter`, replaces each vertex by the root of its set
 * and removes repetitions. With `filter`, removes vertices that are used fewer than three times.
 * Drops loops that are left with fewer than three vertices. */
static void rewrite_loops(collapser *c, const ct_hull_cells *cells, const uint32_t *in_start,
                          const uint32_t *in_loop, bool filter) {
  uint32_t faces = filter ? c->face_count : cells->face_count, at = 0, kept = 0;
  uint32_t begin = in_start[0];
  for (uint32_t f = 0; f < faces; f++) {
    uint32_t end = in_start[f + 1], first = at;
    for (uint32_t i = begin; i < end; i++) {
      uint32_t v = filter ? in_loop[i] : find_leader(c, in_loop[i]);
      if (filter && c->uses[v] < 3) continue;
      if (at > first && c->loop[at - 1] == v) continue;
      c->loop[at++] = v;
    }
    while (at > first + 1 && c->loop[at - 1] == c->loop[first]) at--;
    begin = end;
    if (at - first < 3) {
      at = first;
      continue;
    }
    c->source[kept] = filter ? c->source[f] : cells->face_source[f];
    c->start[++kept] = at;
  }
  c->face_count = kept;
}

/* True if every half-edge occurs once, its reverse too, and Euler's formula V - E + F gives 2.
 * False also if cancelled (c->cancelled is then set). */
static bool is_closed_surface(collapser *c, uint32_t vertices) {
  uint32_t n = c->start[c->face_count];
  c->cancelled = !ct_half_edges_match(&c->set, c->start, c->loop, c->face_count);
  if (c->cancelled) return false;
  const ct_half_edge *edge = c->set.edges, *reverse = c->set.spare;
  for (uint32_t i = 0; i < n; i++) {
    if (i > 0 && edge[i].from == edge[i - 1].from && edge[i].to == edge[i - 1].to) return false;
    if (edge[i].from != reverse[i].to || edge[i].to != reverse[i].from) return false;
  }
  return (int64_t)vertices - n / 2 + c->face_count == 2;
}

static void count_vertex_uses(collapser *c, uint32_t vertices) {
  memset(c->uses, 0, vertices * sizeof *c->uses);
  for (uint32_t i = 0; i < c->start[c->face_count]; i++) c->uses[c->loop[i]]++;
}

/* Writes the contracted surface to the cells: removes unused vertices and renumbers the loops. */
static void replace_cells(collapser *c, ct_hull_cells *cells) {
  uint32_t count = 0;
  for (uint32_t v = 0; v < cells->vertex_count; v++) {
    if (c->uses[v] < 3) continue;
    cells->vertices[count] = cells->vertices[v];
    c->uses[v] = count++;
  }
  cells->vertex_count = count;
  cells->face_count = c->face_count;
  memcpy(cells->face_start, c->start, ((size_t)c->face_count + 1) * sizeof *c->start);
  memcpy(cells->face_source, c->source, c->face_count * sizeof *c->source);
  for (uint32_t i = 0; i < c->start[c->face_count]; i++) cells->face_loop[i] = c->uses[c->loop[i]];
}

static void contract_edges(collapser *c, ct_hull_cells *cells) {
  rewrite_loops(c, cells, cells->face_start, cells->face_loop, false);
  count_vertex_uses(c, cells->vertex_count);
  rewrite_loops(c, cells, c->start, c->loop, true);
  count_vertex_uses(c, cells->vertex_count);
  /* If a vertex is left on one or two faces, the surface is not closed: leave the cells
   * unchanged. */
  uint32_t vertices = 0;
  for (uint32_t v = 0; v < cells->vertex_count; v++) {
    if (c->uses[v] > 0 && c->uses[v] < 3) return;
    vertices += c->uses[v] > 0;
  }
  if (vertices >= 4 && is_closed_surface(c, vertices)) replace_cells(c, cells);
}

/* Contracts edges that are not longer than the sum of rounding[] at their ends, then drops faces
 * without area and vertices with fewer than three faces. Such edges occur if four planes through
 * one point have dual points that are not exactly coplanar. United vertices take the
 * position of the one with the lowest index. The cells stay unchanged if no edge is short enough or
 * the result is not a closed surface. CT_OUT_OF_MEMORY, CT_CANCELLED. */
static ct_status contract_short_edges(ct_hull_cells *cells, const double *rounding,
                                      const ct_cancel *cancel) {
  uint32_t corners = cells->face_start[cells->face_count];
  collapser c = {.leader = malloc(cells->vertex_count * sizeof *c.leader),
                 .uses = malloc(cells->vertex_count * sizeof *c.uses),
                 .start = calloc((size_t)cells->face_count + 1, sizeof *c.start),
                 .loop = malloc(corners * sizeof *c.loop),
                 .source = malloc(cells->face_count * sizeof *c.source)};
  bool ready = ct_half_edges_open(&c.set, corners, cells->vertex_count, cancel) && c.leader &&
               c.uses && c.start && c.loop && c.source;
  if (ready && unite_short_edges(&c, cells, rounding)) contract_edges(&c, cells);
  free(c.leader);
  free(c.uses);
  free(c.start);
  free(c.loop);
  free(c.source);
  ct_half_edges_close(&c.set);
  if (!ready) return CT_OUT_OF_MEMORY;
  return c.cancelled ? CT_CANCELLED : CT_OK;
}

/* Bound of the error of a vertex by the round-off of its three planes (4 u each), doubled for
 * safety: relative to the largest coordinate divided by the determinant of the unit normals. */
#define ROUNDING_FACTOR (24.0 * CT_UNIT_ROUNDOFF)
/* Largest distance by which vertices are united or moved, relative to the largest coordinate, at
 * any angle between planes. */
#define MOVE_MAX 0x1p-40
/* Tolerated distance of a vertex outside a plane, relative to the largest coordinate: covers the
 * round-off of the dot product and of the plane. */
#define OUTSIDE_MAX (16.0 * CT_UNIT_ROUNDOFF)
/* Tolerated distance from a vertex to its own planes, relative to the largest coordinate: round-off
 * and the movement by uniting vertices. */
#define RESIDUAL_MAX (8.0 * MOVE_MAX)
/* Bounding radius, m, from which a polytope counts as unbounded: 1024 times the largest shape.
 * Beyond it the result is determined by the round-off of the normals. */
#define FAR_MAX (1024.0 * CT_SIZE_MAX)

uint32_t ct_face_beyond_origin(const ct_hull_builder *grow) {
  for (uint32_t f = 0; f < grow->face_count; f++) {
    if (ct_hull_builder_is_alive(grow, f) &&
        ct_hull_builder_face_sees(grow, f, ct_vec(0.0, 0.0, 0.0)) >= 0)
      return f;
  }
  return CT_HULL_BUILDER_NONE;
}

ct_status ct_dual_points(ct_plane_set *set, ct_vec3 center) {
  ct_dd3 c = ct_dd3_of(center);
  for (uint32_t i = 0; i < set->count; i++) {
    if (ct_hull_cancelled(i, set->cancel)) return CT_CANCELLED;
    ct_dd3 n = ct_dd3_of(set->normals[i]);
    double inside = -ct_dd_value(ct_dd_add(ct_dd3_dot(&n, &c), ct_dd_of(set->constants[i])));
    if (!(inside > 0.0)) return CT_DEGENERATE_HULL;
    set->points[i] = ct_scale(set->normals[i], 1.0 / inside);
  }
  return CT_OK;
}

ct_status ct_dual_hull(ct_plane_set *set, ct_hull_builder *grow, ct_hull_cells *cells) {
  double largest = 0.0;
  for (uint32_t i = 0; i < set->count; i++) largest = ct_max2(largest, ct_max_abs(set->points[i]));
  ct_flush_points(set->points, set->count, largest);
  int rank;
  ct_status status = ct_quickhull(set->points, set->count, set->cancel, grow, &rank);
  if (status == CT_DEGENERATE_HULL ||
      (status == CT_OK && ct_face_beyond_origin(grow) != CT_HULL_BUILDER_NONE))
    return CT_UNBOUNDED;
  if (status != CT_OK) return status;
  return ct_hull_cells_join(grow, set->count, NULL, set->cancel, cells);
}

/* Chooses the first plane and two others with large angles between all three. Returns |determinant|
 * of the three unit normals. */
static double choose_three_planes(const ct_plane_set *set, const uint32_t *planes, uint32_t n,
                                  uint32_t best[3]) {
  uint32_t second = 1, third = 2;
  ct_vec3 a = set->unit[planes[0]].normal;
  double most = -1.0;
  for (uint32_t i = 1; i < n; i++) {
    double sine = ct_norm2(ct_cross(a, set->unit[planes[i]].normal));
    if (sine > most) {
      most = sine;
      second = i;
    }
  }
  ct_vec3 axis = ct_cross(a, set->unit[planes[second]].normal);
  most = -1.0;
  for (uint32_t i = 1; i < n; i++) {
    double volume = fabs(ct_dot(axis, set->unit[planes[i]].normal));
    if (i != second && volume > most) {
      most = volume;
      third = i;
    }
  }
  best[0] = planes[0];
  best[1] = planes[second];
  best[2] = planes[third];
  return most;
}

static ct_dd3 scale_dd3(const ct_dd3 *a, double s) {
  ct_dd by = ct_dd_of(s);
  return (ct_dd3){ct_dd_mul(a->x, by), ct_dd_mul(a->y, by), ct_dd_mul(a->z, by)};
}

static ct_dd3 add_dd3(const ct_dd3 *a, const ct_dd3 *b) {
  return (ct_dd3){ct_dd_add(a->x, b->x), ct_dd_add(a->y, b->y), ct_dd_add(a->z, b->z)};
}

/* Returns the point common to three planes, by Cramer's rule in double-double. */
static ct_vec3 intersect_three_planes(const ct_plane_set *set, const uint32_t plane[3]) {
  ct_dd3 a = ct_dd3_of(set->normals[plane[0]]), b = ct_dd3_of(set->normals[plane[1]]),
         c = ct_dd3_of(set->normals[plane[2]]);
  ct_dd3 bc = ct_dd3_cross(&b, &c), ca = ct_dd3_cross(&c, &a), ab = ct_dd3_cross(&a, &b);
  ct_dd det = ct_dd3_dot(&a, &bc);
  bc = scale_dd3(&bc, -set->constants[plane[0]]);
  ca = scale_dd3(&ca, -set->constants[plane[1]]);
  ab = scale_dd3(&ab, -set->constants[plane[2]]);
  ct_dd3 sum = add_dd3(&bc, &ca);
  sum = add_dd3(&sum, &ab);
  return ct_vec(ct_dd_value(ct_dd_div(sum.x, det)), ct_dd_value(ct_dd_div(sum.y, det)),
                ct_dd_value(ct_dd_div(sum.z, det)));
}

/* Returns the vertex for a facet of the dual hull with the plane N.y = h: center + N / h, in
 * double-double. It satisfies every plane to round-off at any angles between them, because all dual
 * points are on one side of the facet. */
static ct_vec3 find_polar_vertex(const ct_hull_cells *dual, uint32_t facet, ct_vec3 center) {
  const uint32_t *loop = dual->face_loop + dual->face_start[facet];
  uint32_t wide[3];
  ct_wide_triangle(dual->vertices, loop, dual->face_start[facet + 1] - dual->face_start[facet],
                   wide);
  ct_vec3 a = dual->vertices[wide[0]];
  ct_dd3 p = ct_dd3_sub(dual->vertices[wide[1]], a), q = ct_dd3_sub(dual->vertices[wide[2]], a),
         y = ct_dd3_of(a);
  ct_dd3 normal = ct_dd3_cross(&p, &q);
  ct_dd h = ct_dd3_dot(&normal, &y);
  return ct_vec(ct_dd_value(ct_dd_add(ct_dd_div(normal.x, h), ct_dd_of(center.x))),
                ct_dd_value(ct_dd_add(ct_dd_div(normal.y, h), ct_dd_of(center.y))),
                ct_dd_value(ct_dd_add(ct_dd_div(normal.z, h), ct_dd_of(center.z))));
}

/* One occurrence of a vertex in a face loop: the face, and the vertices before and after it
 * there. */
typedef struct corner {
  uint32_t face, before, after;
} corner;

/* Groups the corners of all faces by vertex: those of v are at[start[v]] to at[start[v + 1] - 1],
 * by ascending faces. */
static void bucket_corners(const ct_hull_cells *cells, uint32_t *start, corner *at,
                           uint32_t *cursor) {
  memset(start, 0, ((size_t)cells->vertex_count + 1) * sizeof *start);
  memset(cursor, 0, cells->vertex_count * sizeof *cursor);
  for (uint32_t i = 0; i < cells->face_start[cells->face_count]; i++)
    start[cells->face_loop[i] + 1]++;
  for (uint32_t v = 0; v < cells->vertex_count; v++) start[v + 1] += start[v];
  for (uint32_t f = 0; f < cells->face_count; f++) {
    const uint32_t *loop = cells->face_loop + cells->face_start[f];
    uint32_t n = cells->face_start[f + 1] - cells->face_start[f];
    for (uint32_t i = 0; i < n; i++) {
      uint32_t v = loop[i];
      at[start[v] + cursor[v]++] = (corner){f, loop[(i + n - 1) % n], loop[(i + 1) % n]};
    }
  }
}

/* Writes the facets around each vertex v of the dual hull counter-clockwise. At v, the facet on the
 * left of the edge v -> after precedes the one on the left of v -> before. */
static void order_faces_around_vertices(const ct_hull_cells *dual, const uint32_t *start,
                                        const corner *at, uint32_t *slot, uint32_t *loop) {
  for (uint32_t v = 0; v < dual->vertex_count; v++) {
    for (uint32_t i = start[v]; i < start[v + 1]; i++) slot[at[i].after] = i;
    uint32_t i = start[v];
    for (uint32_t k = start[v]; k < start[v + 1]; k++, i = slot[at[i].before]) loop[k] = at[i].face;
  }
}

ct_status ct_polarise(const ct_hull_cells *dual, ct_vec3 center, const ct_cancel *cancel,
                      ct_hull_cells *out) {
  uint32_t corners = dual->face_start[dual->face_count];
  corner *at = malloc(corners * sizeof *at);
  uint32_t *slot = malloc(dual->vertex_count * sizeof *slot);
  out->vertices = malloc(dual->face_count * sizeof *out->vertices);
  out->face_source = malloc(dual->vertex_count * sizeof *out->face_source);
  out->face_start = malloc(((size_t)dual->vertex_count + 1) * sizeof *out->face_start);
  out->face_loop = malloc(corners * sizeof *out->face_loop);
  bool ready = at && slot && out->vertices && out->face_source && out->face_start && out->face_loop,
       cancelled = false;
  if (ready) {
    out->vertex_count = dual->face_count;
    out->face_count = dual->vertex_count;
    bucket_corners(dual, out->face_start, at, slot);
    order_faces_around_vertices(dual, out->face_start, at, slot, out->face_loop);
    for (uint32_t f = 0; f < dual->face_count && !cancelled; f++) {
      cancelled = ct_hull_cancelled(f, cancel);
      out->vertices[f] = find_polar_vertex(dual, f, center);
    }
    memcpy(out->face_source, dual->vertex_input, dual->vertex_count * sizeof *out->face_source);
  }
  free(at);
  free(slot);
  if (!ready) return CT_OUT_OF_MEMORY;
  return cancelled ? CT_CANCELLED : CT_OK;
}

/* Planes of the faces around each vertex: those of v are planes[start[v]] to planes[start[v + 1] -
 * 1]. */
typedef struct incidence {
  uint32_t *start, *planes;
} incidence;

static bool build_incidence(incidence *in, const ct_hull_cells *cells) {
  uint32_t count = cells->face_start[cells->face_count];
  corner *at = malloc(count * sizeof *at);
  uint32_t *cursor = malloc(cells->vertex_count * sizeof *cursor);
  in->start = malloc(((size_t)cells->vertex_count + 1) * sizeof *in->start);
  in->planes = malloc(count * sizeof *in->planes);
  bool ready = at && cursor && in->start && in->planes;
  if (ready) {
    bucket_corners(cells, in->start, at, cursor);
    for (uint32_t i = 0; i < count; i++) in->planes[i] = cells->face_source[at[i].face];
  }
  free(at);
  free(cursor);
  return ready;
}

static void free_incidence(incidence *in) {
  free(in->start);
  free(in->planes);
}

static double find_largest_extent(const ct_hull_cells *cells) {
  double far = 0.0;
  for (uint32_t v = 0; v < cells->vertex_count; v++)
    far = ct_max2(far, ct_max_abs(cells->vertices[v]));
  return far;
}

/* Writes an upper bound of each vertex's error to `rounding`: the round-off of its planes, 4 u of
 * the largest coordinate each, divided by the determinant of three unit normals. */
static ct_status bound_vertex_rounding(const ct_plane_set *set, const ct_hull_cells *cells,
                                       double *rounding) {
  incidence in = {0};
  bool ready = build_incidence(&in, cells), cancelled = false;
  double far = find_largest_extent(cells);
  for (uint32_t v = 0; ready && !cancelled && v < cells->vertex_count; v++) {
    uint32_t best[3];
    cancelled = ct_hull_cancelled(v, set->cancel);
    double det =
        choose_three_planes(set, in.planes + in.start[v], in.start[v + 1] - in.start[v], best);
    rounding[v] = ct_min2(ROUNDING_FACTOR / det, MOVE_MAX) * far;
  }
  free_incidence(&in);
  if (!ready) return CT_OUT_OF_MEMORY;
  return cancelled ? CT_CANCELLED : CT_OK;
}

/* Moves each vertex to the intersection of three of its planes with large angles, which is more
 * accurate than the polar vertex at such angles. A vertex is not moved if that point is farther
 * away than round-off explains or outside another plane. CT_DEGENERATE_HULL: a vertex is not on its
 * planes, as happens for needles and plates too thin for double-double. CT_OUT_OF_MEMORY,
 * CT_CANCELLED. */
static ct_status refine_vertices(const ct_plane_set *set, ct_hull_cells *cells) {
  incidence in = {0};
  bool ready = build_incidence(&in, cells), good = true, cancelled = false;
  double far = find_largest_extent(cells);
  for (uint32_t v = 0; ready && !cancelled && v < cells->vertex_count; v++) {
    uint32_t best[3];
    cancelled = ct_hull_cancelled(v, set->cancel);
    choose_three_planes(set, in.planes + in.start[v], in.start[v + 1] - in.start[v], best);
    ct_vec3 p = intersect_three_planes(set, best);
    /* Accept the intersection if it is near the present vertex and inside all planes of the
     * vertex. */
    bool better = ct_max_abs(ct_sub(p, cells->vertices[v])) <= MOVE_MAX * far;
    for (uint32_t i = in.start[v]; better && i < in.start[v + 1]; i++) {
      ct_half_space h = set->unit[in.planes[i]];
      better = ct_dot(h.normal, p) - h.offset <= OUTSIDE_MAX * far;
    }
    if (better) cells->vertices[v] = p;
    for (uint32_t i = in.start[v]; i < in.start[v + 1]; i++) {
      ct_half_space h = set->unit[in.planes[i]];
      good &= fabs(ct_dot(h.normal, cells->vertices[v]) - h.offset) <= RESIDUAL_MAX * far;
    }
  }
  free_incidence(&in);
  if (!ready) return CT_OUT_OF_MEMORY;
  if (cancelled) return CT_CANCELLED;
  return good ? CT_OK : CT_DEGENERATE_HULL;
}

/* Unites vertices within round-off, refines the positions of all, and writes the face planes. */
static ct_status complete_cells(const ct_plane_set *set, ct_hull_cells *cells) {
  double *rounding = malloc(cells->vertex_count * sizeof *rounding);
  ct_status status = rounding ? bound_vertex_rounding(set, cells, rounding) : CT_OUT_OF_MEMORY;
  if (status == CT_OK) status = contract_short_edges(cells, rounding, set->cancel);
  if (status == CT_OK) status = refine_vertices(set, cells);
  free(rounding);
  if (status != CT_OK) return status;
  cells->planes = malloc(cells->face_count * sizeof *cells->planes);
  if (!cells->planes) return CT_OUT_OF_MEMORY;
  for (uint32_t f = 0; f < cells->face_count; f++) {
    ct_half_space h = set->unit[cells->face_source[f]];
    memcpy(cells->planes[f], (double[4]){h.normal.x, h.normal.y, h.normal.z, h.offset},
           sizeof cells->planes[f]);
  }
  return CT_OK;
}

ct_status ct_hull_polar(ct_plane_set *set, ct_vec3 center, ct_hull_builder *grow, ct_hull **out) {
  ct_hull_cells dual = {0}, cells = {0};
  ct_hull *hull = NULL;
  ct_status status = ct_dual_points(set, center);
  if (status == CT_OK) status = ct_dual_hull(set, grow, &dual);
  if (status == CT_OK) status = ct_polarise(&dual, center, set->cancel, &cells);
  if (status == CT_OK) status = complete_cells(set, &cells);
  if (status == CT_OK) status = ct_hull_assemble(&cells, false, set->cancel, &hull);
  ct_hull_cells_free(&dual);
  ct_hull_cells_free(&cells);
  if (status != CT_OK) return status;
  if (!(hull->view.radius < FAR_MAX)) status = CT_UNBOUNDED;
  else if (!(hull->view.volume > 0.0)) status = CT_DEGENERATE_HULL;
  if (status != CT_OK) {
    ct_hull_release(hull);
    return status;
  }
  *out = hull;
  return CT_OK;
}
