/* Point clouds of the peer benchmark, and the vertices, facets and volumes of their hulls.
 *
 * This engine's builder finds the facets; a proof that does not depend on it verifies them. The
 * facets are triangles, each directed edge is matched by its reverse in another triangle, and every
 * point that is no corner of a triangle is strictly on its inner side. So each triangle is a facet
 * of the hull, each neighbouring facet is one of them, and their corners are the hull's
 * vertices. */
#include "draw.h"
#include "peers.h"

#include <contact/hull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Heights above planes below this value, for coordinates up to 1, are recomputed in long double:
 * the rounding of doubles is 2e-15 at most. */
#define NEAR 1e-14
/* The rounding of long doubles is 1e-18. */
#define CERTAIN 1e-17L

static const struct { int points, count; } sizes[] = {{32, 64}, {128, 32}, {1000, 8}, {10000, 2}};
#define SIZES ((int)(sizeof sizes / sizeof sizes[0]))

bool bench_clouds_make(bench_row *row) {
  bool sphere = row->size >= SIZES;
  row->cloud_points = sizes[row->size % SIZES].points;
  row->count = sizes[row->size % SIZES].count;
  size_t all = (size_t)row->cloud_points * (size_t)row->count;
  double(*points)[3] = calloc(all, sizeof *points);
  row->clouds = (const double(*)[3])points;
  if (!points) return false;
  source s = {(sphere ? 9500u : 9000u) + (uint64_t)row->cloud_points};
  for (size_t i = 0; i < all; i++) {
    double d[3];
    direction(&s, d);
    double radius = sphere ? 1.0 : cbrt(fraction(&s));
    for (int k = 0; k < 3; k++) points[i][k] = to_float(radius * d[k]);
  }
  return true;
}

static long double height(const double p[3], const double q[3], const double r[3],
                          const double x[3]) {
  long double e[3], g[3], d[3];
  for (int k = 0; k < 3; k++) {
    e[k] = (long double)q[k] - p[k];
    g[k] = (long double)r[k] - p[k];
    d[k] = (long double)x[k] - p[k];
  }
  return (e[1] * g[2] - e[2] * g[1]) * d[0] + (e[2] * g[0] - e[0] * g[2]) * d[1] +
         (e[0] * g[1] - e[1] * g[0]) * d[2];
}

/* Are all other points strictly inside the plane of the triangle? */
static bool supports(const double (*cloud)[3], int count, const uint32_t corner[3]) {
  const double *p = cloud[corner[0]], *q = cloud[corner[1]], *r = cloud[corner[2]];
  double e[3], g[3];
  for (int k = 0; k < 3; k++) {
    e[k] = q[k] - p[k];
    g[k] = r[k] - p[k];
  }
  const double n[3] = {e[1] * g[2] - e[2] * g[1], e[2] * g[0] - e[0] * g[2],
                       e[0] * g[1] - e[1] * g[0]};
  for (int i = 0; i < count; i++) {
    double h =
        n[0] * (cloud[i][0] - p[0]) + n[1] * (cloud[i][1] - p[1]) + n[2] * (cloud[i][2] - p[2]);
    if (h < -NEAR || (uint32_t)i == corner[0] || (uint32_t)i == corner[1] ||
        (uint32_t)i == corner[2])
      continue;
    if (h > NEAR || height(p, q, r, cloud[i]) > -CERTAIN) return false;
  }
  return true;
}

static int ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Does each directed edge have its reverse, exactly once? */
static bool closed(const uint32_t (*corners)[3], uint32_t count) {
  uint64_t *forth = calloc((size_t)count * 3, sizeof *forth),
           *back = calloc((size_t)count * 3, sizeof *back);
  bool ok = forth && back;
  for (uint32_t i = 0; ok && i < 3 * count; i++) {
    uint64_t from = corners[i / 3][i % 3], to = corners[i / 3][(i + 1) % 3];
    forth[i] = from << 32 | to;
    back[i] = to << 32 | from;
  }
  if (ok) {
    qsort(forth, (size_t)count * 3, sizeof *forth, ascending);
    qsort(back, (size_t)count * 3, sizeof *back, ascending);
  }
  for (uint32_t i = 0; ok && i < 3 * count; i++)
    ok = forth[i] == back[i] && (i == 0 || forth[i] != forth[i - 1]);
  free(forth);
  free(back);
  return ok;
}

static bool prove(const double (*cloud)[3], int count, const uint32_t (*corners)[3],
                  uint32_t facets, double out[BENCH_HULL_VALUES]) {
  unsigned char *used = calloc((size_t)count, 1);
  bool ok = used && closed(corners, facets);
  long double six = 0;
  for (uint32_t f = 0; ok && f < facets; f++) {
    ok = supports(cloud, count, corners[f]);
    six -= height(cloud[corners[f][0]], cloud[corners[f][1]], cloud[corners[f][2]],
                  cloud[corners[0][0]]);
    for (int k = 0; k < 3; k++) used[corners[f][k]] = 1;
  }
  out[0] = 0;
  for (int i = 0; ok && i < count; i++) out[0] += used[i];
  out[1] = facets;
  out[2] = (double)(six / 6);
  free(used);
  return ok;
}

static bool hull_of(const double (*cloud)[3], int count, double out[BENCH_HULL_VALUES]) {
  ct_vec3 *points = calloc((size_t)count, sizeof *points);
  ct_hull *hull = NULL;
  for (int i = 0; points && i < count; i++)
    points[i] = ct_vec(cloud[i][0], cloud[i][1], cloud[i][2]);
  bool ok = points && ct_hull_from_points(points, (size_t)count, NULL, &hull, NULL) == CT_OK;
  const ct_hull_view *view = ok ? ct_hull_get(hull) : NULL;
  uint32_t(*corners)[3] = view ? calloc(view->face_count, sizeof *corners) : NULL;
  ok = corners && view->face_start[view->face_count] == 3 * view->face_count;
  for (uint32_t i = 0; ok && i < 3 * view->face_count; i++)
    corners[i / 3][i % 3] = view->vertex_input[view->face_loop[i]];
  ok = ok && prove(cloud, count, (const uint32_t(*)[3])corners, view->face_count, out);
  free(corners);
  ct_hull_release(hull);
  free(points);
  return ok;
}

bool bench_clouds_reference(const bench_row *row, double *reference) {
  for (int i = 0; i < row->count; i++) {
    if (hull_of(row->clouds + (size_t)i * (size_t)row->cloud_points, row->cloud_points,
                reference + BENCH_HULL_VALUES * i))
      continue;
    fprintf(stderr, "the hull of cloud %d of %d points could not be proven\n", i,
            row->cloud_points);
    return false;
  }
  return true;
}
