/* Intersection of half-spaces by duality: interior point, dual points, their hull, and back.
 *
 * With the origin moved to an interior point c, the plane n.p + d = 0 becomes the point n / -(d + n.c); facets of the dual points'
 * hull are the vertices of the intersection and its vertices are the facets. Which planes meet in a vertex is decided on the
 * rounded dual points, exactly; the vertex itself is computed anew from the three planes of best condition, so it is as good as the
 * planes. Source: Preparata, Muller 1979. The interior point: inscribed.c; vertices that fall together: hull_collapse.c.
 */
#include "base/double_double.h"
#include "shape/hull_collapse.h"
#include "shape/inscribed.h"
#include "shape/quickhull.h"

#include <stdlib.h>
#include <string.h>

/* A plane's rounding (4 u) through each of three planes, twice for safety, as a factor of the largest coordinate over the
 * determinant. */
#define ROUNDING_FACTOR (24.0 * CT_UNIT_ROUNDOFF)

typedef struct plane_set {
  const double (*given)[4];
  uint32_t count;
  ct_half_space *unit; /* [count] n/|n| and -d/|n| */
  ct_vec3 *normals;    /* [count] n times a power of two, largest component in [1/2, 1) */
  double *constants;   /* [count] d times the same power */
  ct_vec3 *points;     /* [count] normals or duals, whatever is hulled */
} plane_set;

static void planes_close(plane_set *set) {
  free(set->unit);
  free(set->normals);
  free(set->constants);
  free(set->points);
}

/* Powers of two keep the given planes exact; a plane farther away than any coordinate can be is over the limit. */
static ct_status planes_open(plane_set *set, ct_hull_report *report) {
  size_t n = set->count ? set->count : 1;
  set->unit = malloc(n * sizeof *set->unit);
  set->normals = malloc(n * sizeof *set->normals);
  set->constants = malloc(n * sizeof *set->constants);
  set->points = malloc(n * sizeof *set->points);
  if (!set->unit || !set->normals || !set->constants || !set->points) return CT_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < set->count; i++) {
    ct_vec3 normal = ct_vec(set->given[i][0], set->given[i][1], set->given[i][2]);
    int exponent;
    double largest = ct_max_abs(normal);
    report->culprit = i;
    if (largest == 0.0) return CT_DEGENERATE_HULL;
    if (!(largest < INFINITY)) return CT_LIMIT;
    (void)frexp(largest, &exponent);
    double d = ldexp(set->given[i][3], -exponent);
    if (!(fabs(d) <= CT_EXACT_MAX)) return CT_LIMIT;
    normal = ct_vec(ct_exact_flush(ldexp(normal.x, -exponent)), ct_exact_flush(ldexp(normal.y, -exponent)),
                    ct_exact_flush(ldexp(normal.z, -exponent)));
    set->normals[i] = normal;
    set->constants[i] = ct_exact_flush(d);
    double length = ct_norm(normal);
    set->unit[i] = (ct_half_space){{normal.x / length, normal.y / length, normal.z / length}, -set->constants[i] / length};
  }
  report->culprit = UINT32_MAX;
  return CT_OK;
}

/* A face of the hull of points that does not have the origin strictly inside; CT_GROW_NONE when there is none. */
static uint32_t face_beyond_origin(const ct_grow *grow) {
  for (uint32_t f = 0; f < grow->face_count; f++) {
    if (ct_grow_alive(grow, f) && ct_grow_sees(grow, f, ct_vec(0.0, 0.0, 0.0)) >= 0) return f;
  }
  return CT_GROW_NONE;
}

/* The intersection is bounded exactly when the origin is strictly inside the hull of the normals. */
static ct_status check_bounded(plane_set *set, ct_grow *grow, ct_hull_report *report) {
  int rank;
  ct_status status = ct_quickhull(set->normals, set->count, grow, &rank);
  if (status == CT_DEGENERATE_HULL) return CT_UNBOUNDED;
  if (status != CT_OK) return status;
  uint32_t face = face_beyond_origin(grow);
  if (face == CT_GROW_NONE) return CT_OK;
  report->culprit = grow->faces[face].vertex[0];
  return CT_UNBOUNDED;
}

/* The hull of the dual points about the center. Distances of the planes are taken in double-double: those of a thin plate would be
 * lost in the rounding of n.c. CT_DEGENERATE_HULL when the center is not strictly inside all planes. */
static ct_status dual_hull(plane_set *set, ct_vec3 center, ct_grow *grow, ct_hull_cells *cells) {
  ct_dd3 c = ct_dd3_of(center);
  double largest = 0.0;
  for (uint32_t i = 0; i < set->count; i++) {
    ct_dd3 n = ct_dd3_of(set->normals[i]);
    double inside = -ct_dd_value(ct_dd_add(ct_dd3_dot(&n, &c), ct_dd_of(set->constants[i])));
    if (!(inside > 0.0)) return CT_DEGENERATE_HULL;
    set->points[i] = ct_scale(set->normals[i], 1.0 / inside);
    largest = ct_max2(largest, ct_max_abs(set->points[i]));
  }
  ct_flush_points(set->points, set->count, largest);
  int rank;
  ct_status status = ct_quickhull(set->points, set->count, grow, &rank);
  if (status == CT_DEGENERATE_HULL || (status == CT_OK && face_beyond_origin(grow) != CT_GROW_NONE)) return CT_UNBOUNDED;
  if (status != CT_OK) return status;
  return ct_hull_cells_join(grow, set->count, NULL, cells);
}

/* Three of the planes that meet at the widest angles; returns |determinant| of their unit normals. */
static double best_three(const plane_set *set, const uint32_t *planes, uint32_t n, uint32_t best[3]) {
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

static ct_dd3 scaled(const ct_dd3 *a, double s) {
  ct_dd by = ct_dd_of(s);
  return (ct_dd3){ct_dd_mul(a->x, by), ct_dd_mul(a->y, by), ct_dd_mul(a->z, by)};
}

static ct_dd3 added(const ct_dd3 *a, const ct_dd3 *b) {
  return (ct_dd3){ct_dd_add(a->x, b->x), ct_dd_add(a->y, b->y), ct_dd_add(a->z, b->z)};
}

/* Where three of the given planes meet, by Cramer's rule in double-double. */
static ct_vec3 meeting_point(const plane_set *set, const uint32_t plane[3]) {
  ct_dd3 a = ct_dd3_of(set->normals[plane[0]]), b = ct_dd3_of(set->normals[plane[1]]), c = ct_dd3_of(set->normals[plane[2]]);
  ct_dd3 bc = ct_dd3_cross(&b, &c), ca = ct_dd3_cross(&c, &a), ab = ct_dd3_cross(&a, &b);
  ct_dd det = ct_dd3_dot(&a, &bc);
  bc = scaled(&bc, -set->constants[plane[0]]);
  ca = scaled(&ca, -set->constants[plane[1]]);
  ab = scaled(&ab, -set->constants[plane[2]]);
  ct_dd3 sum = added(&bc, &ca);
  sum = added(&sum, &ab);
  return ct_vec(ct_dd_value(ct_dd_div(sum.x, det)), ct_dd_value(ct_dd_div(sum.y, det)), ct_dd_value(ct_dd_div(sum.z, det)));
}

/* A corner of a face: seen from its vertex, the neighbours before and after it in the loop. */
typedef struct corner {
  uint32_t face, before, after;
} corner;

/* Corners bucketed by vertex: those of v are at[start[v]] .. at[start[v + 1] - 1], in order of faces. */
static void sort_corners(const ct_hull_cells *cells, uint32_t *start, corner *at, uint32_t *cursor) {
  memset(start, 0, ((size_t)cells->vertex_count + 1) * sizeof *start);
  memset(cursor, 0, cells->vertex_count * sizeof *cursor);
  for (uint32_t i = 0; i < cells->face_start[cells->face_count]; i++) start[cells->face_loop[i] + 1]++;
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

/* Facets around each dual vertex, counter-clockwise: the facet left of v -> after is followed by the one left of v -> before. */
static void turn_around_vertices(const ct_hull_cells *dual, const uint32_t *start, const corner *at, uint32_t *slot,
                                 uint32_t *loop) {
  for (uint32_t v = 0; v < dual->vertex_count; v++) {
    for (uint32_t i = start[v]; i < start[v + 1]; i++) slot[at[i].after] = i;
    uint32_t i = start[v];
    for (uint32_t k = start[v]; k < start[v + 1]; k++, i = slot[at[i].before]) loop[k] = at[i].face;
  }
}

/* Loops of the intersection: its faces are the dual's vertices and its vertices the dual's facets. No positions yet. */
static ct_status polarise(const ct_hull_cells *dual, ct_hull_cells *out) {
  uint32_t corners = dual->face_start[dual->face_count];
  corner *at = malloc(corners * sizeof *at);
  uint32_t *slot = malloc(dual->vertex_count * sizeof *slot);
  out->vertices = malloc(dual->face_count * sizeof *out->vertices);
  out->face_source = malloc(dual->vertex_count * sizeof *out->face_source);
  out->face_start = malloc(((size_t)dual->vertex_count + 1) * sizeof *out->face_start);
  out->face_loop = malloc(corners * sizeof *out->face_loop);
  bool ready = at && slot && out->vertices && out->face_source && out->face_start && out->face_loop;
  if (ready) {
    out->vertex_count = dual->face_count;
    out->face_count = dual->vertex_count;
    sort_corners(dual, out->face_start, at, slot);
    turn_around_vertices(dual, out->face_start, at, slot, out->face_loop);
    memcpy(out->face_source, dual->vertex_input, dual->vertex_count * sizeof *out->face_source);
  }
  free(at);
  free(slot);
  return ready ? CT_OK : CT_OUT_OF_MEMORY;
}

/* Every vertex from the planes of its faces. rounding[v], if asked for, is how far the planes' own rounding may move it: a plane is
 * known to 4 u of the coordinates, and an error of each of three planes grows by 1 / determinant of their normals. */
static ct_status place_vertices(const plane_set *set, ct_hull_cells *cells, double *rounding) {
  uint32_t corners = cells->face_start[cells->face_count];
  corner *at = malloc(corners * sizeof *at);
  uint32_t *start = malloc(((size_t)cells->vertex_count + 1) * sizeof *start);
  uint32_t *cursor = malloc(cells->vertex_count * sizeof *cursor), *planes = malloc(corners * sizeof *planes);
  bool ready = at && start && cursor && planes;
  if (ready) {
    double far = 0.0;
    sort_corners(cells, start, at, cursor);
    for (uint32_t i = 0; i < corners; i++) planes[i] = cells->face_source[at[i].face];
    for (uint32_t v = 0; v < cells->vertex_count; v++) {
      uint32_t best[3];
      double det = best_three(set, planes + start[v], start[v + 1] - start[v], best);
      cells->vertices[v] = meeting_point(set, best);
      far = ct_max2(far, ct_max_abs(cells->vertices[v]));
      if (rounding) rounding[v] = ROUNDING_FACTOR / det;
    }
    for (uint32_t v = 0; rounding && v < cells->vertex_count; v++) rounding[v] *= far;
  }
  free(at);
  free(start);
  free(cursor);
  free(planes);
  return ready ? CT_OK : CT_OUT_OF_MEMORY;
}

/* Positions, joining of vertices that rounding cannot tell apart, positions again from all planes of the joined ones, face planes.
 */
static ct_status complete(const plane_set *set, ct_hull_cells *cells) {
  double *rounding = malloc(cells->vertex_count * sizeof *rounding);
  ct_status status = rounding ? place_vertices(set, cells, rounding) : CT_OUT_OF_MEMORY;
  uint32_t before = cells->vertex_count;
  if (status == CT_OK) status = ct_hull_collapse(cells, rounding);
  if (status == CT_OK && cells->vertex_count < before) status = place_vertices(set, cells, NULL);
  free(rounding);
  if (status != CT_OK) return status;
  cells->planes = malloc(cells->face_count * sizeof *cells->planes);
  if (!cells->planes) return CT_OUT_OF_MEMORY;
  for (uint32_t f = 0; f < cells->face_count; f++) {
    ct_half_space h = set->unit[cells->face_source[f]];
    memcpy(cells->planes[f], (double[4]){h.normal.x, h.normal.y, h.normal.z, h.offset}, sizeof cells->planes[f]);
  }
  return CT_OK;
}

/* One pass: duals about the center, hull, back, assembly. */
static ct_status intersect(plane_set *set, ct_vec3 center, ct_grow *grow, ct_hull **out) {
  ct_hull_cells dual = {0}, cells = {0};
  ct_status status = dual_hull(set, center, grow, &dual);
  if (status == CT_OK) status = polarise(&dual, &cells);
  if (status == CT_OK) status = complete(set, &cells);
  if (status == CT_OK) status = ct_hull_assemble(&cells, false, out);
  ct_hull_cells_free(&dual);
  ct_hull_cells_free(&cells);
  return status;
}

/* From the inscribed ball's centre, and once more from the centroid found: dual points about the middle of the body are the best
 * spread. */
static ct_status build(plane_set *set, ct_grow *grow, ct_hull **out, ct_hull_report *report) {
  ct_inscribed ball = ct_inscribed_ball(set->unit, set->count);
  report->culprit = ball.culprit;
  if (ball.open) return CT_UNBOUNDED;
  if (ball.radius < -ball.resolution) return CT_EMPTY;
  ct_status status = check_bounded(set, grow, report);
  if (status != CT_OK) return status;
  if (ball.radius <= ball.resolution) return CT_DEGENERATE_HULL;
  ct_hull *rough = NULL, *fine = NULL;
  status = intersect(set, ball.center, grow, &rough);
  if (status != CT_OK) return status;
  status = intersect(set, rough->view.centroid, grow, &fine);
  if (status == CT_OUT_OF_MEMORY) {
    ct_hull_release(rough);
    return status;
  }
  /* A centroid on the wrong side of a plane happens only at round-off; the first result stands then. */
  if (status == CT_OK) ct_hull_release(rough);
  *out = status == CT_OK ? fine : rough;
  return CT_OK;
}

ct_status ct_hull_from_planes(const double (*planes)[4], size_t count, ct_hull **out, ct_hull_report *report) {
  ct_hull_report local;
  if (!report) report = &local;
  *report = (ct_hull_report){.rank = 0, .culprit = UINT32_MAX};
  if (count > CT_HULL_POINTS_MAX) return CT_LIMIT;
  plane_set set = {.given = planes, .count = (uint32_t)count};
  ct_grow grow = {0};
  ct_status status = planes_open(&set, report);
  if (status == CT_OK) status = build(&set, &grow, out, report);
  if (status == CT_OK) *report = (ct_hull_report){.rank = 3, .culprit = UINT32_MAX};
  ct_grow_free(&grow);
  planes_close(&set);
  return status;
}
