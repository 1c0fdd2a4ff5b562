/* Inputs of the peer benchmark: hulls on ellipsoids and primitives in general position, from fixed
 * seeds.
 *
 * SplitMix64 is the generator. Every number given to an engine is a float, so that engines in
 * either precision get the same input. Pairs of hulls are placed along a random ray, relative to
 * the point where that ray leaves their Minkowski difference. */
#include "draw.h"
#include "peers.h"

#include <contact/hull.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_matrix(const double q[4], double m[9]) {
  double length = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double x = q[0] * length, y = q[1] * length, z = q[2] * length, w = q[3] * length;
  const double rows[9] = {
      1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
      2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
      2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
  memcpy(m, rows, sizeof rows);
}

static uint64_t hash(uint64_t h, const void *bytes, size_t count) {
  const unsigned char *b = bytes;
  for (size_t i = 0; i < count; i++) h = (h ^ b[i]) * 0x100000001b3u;
  return h;
}
#define HASH_START 0xcbf29ce484222325u

/* The faces of a hull, after a proof that they are a closed surface around all vertices: there are
 * 2 V - 4 of them, and for each face every other vertex is on the inner side. This engine's builder
 * finds the planes; the proof does not depend on it. */
static bool find_faces(bench_hull *hull) {
  ct_vec3 *points = calloc((size_t)hull->vertex_count, sizeof *points);
  ct_hull *built = NULL;
  if (!points) return false;
  for (int i = 0; i < hull->vertex_count; i++)
    points[i] = ct_vec(hull->vertex[i][0], hull->vertex[i][1], hull->vertex[i][2]);
  bool ok = ct_hull_from_points(points, (size_t)hull->vertex_count, NULL, &built, NULL) == CT_OK;
  const ct_hull_view *view = ok ? ct_hull_get(built) : NULL;
  hull->face_count = 2 * hull->vertex_count - 4;
  ok = ok && view->face_count == (uint32_t)hull->face_count;
  hull->face = ok ? calloc((size_t)hull->face_count, sizeof *hull->face) : NULL;
  ok = ok && hull->face;
  for (int f = 0; ok && f < hull->face_count; f++) {
    for (uint32_t k = 0; k < 3; k++)
      hull->face[f][k] = (int)view->vertex_input[view->face_loop[view->face_start[f] + k]];
    const double *p = hull->vertex[hull->face[f][0]], *q = hull->vertex[hull->face[f][1]],
                 *r = hull->vertex[hull->face[f][2]];
    long double e[3], g[3];
    for (int k = 0; k < 3; k++) {
      e[k] = (long double)q[k] - p[k];
      g[k] = (long double)r[k] - p[k];
    }
    const long double n[3] = {e[1] * g[2] - e[2] * g[1], e[2] * g[0] - e[0] * g[2],
                              e[0] * g[1] - e[1] * g[0]};
    for (int i = 0; ok && i < hull->vertex_count; i++) {
      long double height = 0;
      for (int k = 0; k < 3; k++) height += n[k] * ((long double)hull->vertex[i][k] - p[k]);
      bool own = i == hull->face[f][0] || i == hull->face[f][1] || i == hull->face[f][2];
      ok = own || height < 0;
    }
  }
  ct_hull_release(built);
  free(points);
  return ok;
}

static bool make_hulls(int size, bench_hull *hulls, uint64_t *digest) {
  source s = {1000u + (uint64_t)size};
  *digest = HASH_START;
  for (int i = 0; i < BENCH_HULLS; i++) {
    bench_hull *hull = &hulls[i];
    hull->vertex_count = size;
    hull->vertex = calloc((size_t)size, sizeof *hull->vertex);
    if (!hull->vertex) return false;
    double scale[3], sum[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) scale[k] = between(&s, 0.5, 1.0);
    for (int v = 0; v < size; v++) {
      double d[3];
      direction(&s, d);
      for (int k = 0; k < 3; k++) {
        hull->vertex[v][k] = scale[k] * d[k];
        sum[k] += hull->vertex[v][k];
      }
    }
    for (int v = 0; v < size; v++)
      for (int k = 0; k < 3; k++) hull->vertex[v][k] = to_float(hull->vertex[v][k] - sum[k] / size);
    *digest = hash(*digest, hull->vertex, (size_t)size * sizeof *hull->vertex);
    if (!find_faces(hull)) return false;
  }
  return true;
}

/* The Minkowski difference A - B of two rotated hulls at the origin. */
typedef struct difference {
  int count;
  double (*a)[3], (*b)[3];
} difference;

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static void cross(const double a[3], const double b[3], double out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static void turn(const bench_hull *hull, const double q[4], double (*out)[3]) {
  double m[9];
  bench_matrix(q, m);
  for (int i = 0; i < hull->vertex_count; i++)
    for (int k = 0; k < 3; k++) out[i][k] = dot(m + 3 * k, hull->vertex[i]);
}

static void extreme(const difference *d, const double n[3], double out[3]) {
  int a = 0, b = 0;
  for (int i = 1; i < d->count; i++) {
    if (dot(n, d->a[i]) > dot(n, d->a[a])) a = i;
    if (dot(n, d->b[i]) < dot(n, d->b[b])) b = i;
  }
  for (int k = 0; k < 3; k++) out[k] = d->a[a][k] - d->b[b][k];
}

/* The edge by which the ray misses a triangle of extreme points; -1: the ray passes through the
 * triangle. */
static int missed_edge(double corner[3][3], const double ray[3]) {
  for (int i = 0; i < 3; i++) {
    double n[3];
    cross(corner[i], corner[(i + 1) % 3], n);
    if (dot(n, ray) < 0.0) return i;
  }
  return -1;
}

/* Three extreme points whose triangle the ray from the origin passes through. */
static void enter_portal(const difference *d, const double ray[3], double corner[3][3]) {
  double n[3];
  extreme(d, ray, corner[0]);
  cross(corner[0], ray, n);
  extreme(d, n, corner[1]);
  cross(corner[0], corner[1], n);
  if (dot(n, ray) < 0.0) {
    double t[3];
    memcpy(t, corner[0], sizeof t);
    memcpy(corner[0], corner[1], sizeof t);
    memcpy(corner[1], t, sizeof t);
    for (int k = 0; k < 3; k++) n[k] = -n[k];
  }
  extreme(d, n, corner[2]);
  for (int round = 0, edge; round < 10000 && (edge = missed_edge(corner, ray)) >= 0; round++) {
    /* The same edge in reverse, with the extreme point on its far side. */
    double from[3], to[3];
    memcpy(from, corner[edge], sizeof from);
    memcpy(to, corner[(edge + 1) % 3], sizeof to);
    cross(to, from, n);
    extreme(d, n, corner[2]);
    memcpy(corner[0], to, sizeof to);
    memcpy(corner[1], from, sizeof from);
  }
}

/* Of the three triangles between the tip and an edge of the portal, the one that the ray passes
 * through. */
static void narrow_portal(double corner[3][3], const double tip[3], const double ray[3]) {
  for (int i = 0; i < 3; i++) {
    double trial[3][3];
    memcpy(trial, corner, sizeof trial);
    memcpy(trial[i], tip, sizeof trial[i]);
    if (missed_edge(trial, ray) >= 0 && i < 2) continue;
    memcpy(corner, trial, sizeof trial);
    return;
  }
}

/* The point where the ray from the origin leaves the difference: its parameter and the outward unit
 * normal there. A triangle of extreme points that the ray passes through is moved outwards until it
 * is on the boundary (the portal of Snethen 2008). */
static double leave(const difference *d, const double ray[3], double normal[3]) {
  double corner[3][3], tip[3];
  enter_portal(d, ray, corner);
  for (int round = 0; round < 10000; round++) {
    double e[3], g[3];
    for (int k = 0; k < 3; k++) {
      e[k] = corner[1][k] - corner[0][k];
      g[k] = corner[2][k] - corner[0][k];
    }
    cross(e, g, normal);
    double length = sqrt(dot(normal, normal));
    for (int k = 0; k < 3; k++) normal[k] /= length;
    extreme(d, normal, tip);
    if (dot(tip, normal) - dot(corner[0], normal) <= 1e-13) break;
    narrow_portal(corner, tip, ray);
  }
  return dot(normal, corner[0]) / dot(normal, ray);
}

static bool make_pairs(const bench_row *row, bench_pair *pairs, uint64_t *digest) {
  bool apart = row->work == BENCH_DISTANCE, deep = row->work == BENCH_DEEP;
  source s = {(apart ? 2000u : deep ? 4000u : 3000u) + (uint64_t)row->size};
  difference d = {.count = row->size,
                  .a = calloc((size_t)row->size, sizeof *d.a),
                  .b = calloc((size_t)row->size, sizeof *d.b)};
  bool ok = d.a && d.b;
  *digest = HASH_START;
  for (int i = 0; ok && i < row->count; i++) {
    bench_pair *p = &pairs[i];
    double ray[3], normal[3];
    p->hull_a = (int32_t)(draw(&s) % BENCH_HULLS);
    p->hull_b = (int32_t)(draw(&s) % BENCH_HULLS);
    rotation(&s, p->rotation_a);
    rotation(&s, p->rotation_b);
    direction(&s, ray);
    for (int k = 0; k < 3; k++) p->position_a[k] = to_float(between(&s, -5.0, 5.0));
    double amount = apart  ? between(&s, 0.01, 2.0)
                    : deep ? between(&s, 0.1, 0.5)
                           : between(&s, 0.01, 0.3);
    for (int k = 0; k < 4; k++) {
      p->rotation_a[k] = to_float(p->rotation_a[k]);
      p->rotation_b[k] = to_float(p->rotation_b[k]);
    }
    turn(&row->hulls[p->hull_a], p->rotation_a, d.a);
    turn(&row->hulls[p->hull_b], p->rotation_b, d.b);
    double surface = leave(&d, ray, normal), along = amount / dot(normal, ray);
    double at = apart  ? surface + along
                : deep ? amount * surface
                       : fmax(surface - along, 0.05 * surface);
    for (int k = 0; k < 3; k++) p->position_b[k] = to_float(p->position_a[k] + at * ray[k]);
    *digest = hash(*digest, p, sizeof *p);
  }
  free(d.a);
  free(d.b);
  return ok;
}

static double draw_solid(source *s, bench_primitive kind, bench_solid *solid) {
  *solid = (bench_solid){.kind = kind};
  if (kind == BENCH_BOX) {
    for (int k = 0; k < 3; k++) solid->size[k] = to_float(between(s, 0.2, 1.0));
    return sqrt(dot(solid->size, solid->size));
  }
  solid->size[0] = to_float(between(s, 0.2, 0.6));
  if (kind == BENCH_SPHERE) return solid->size[0];
  solid->size[1] = to_float(between(s, 0.2, 1.0));
  return solid->size[0] + solid->size[1];
}

static const bench_primitive kinds[4][2] = {{BENCH_BOX, BENCH_BOX},
                                            {BENCH_SPHERE, BENCH_SPHERE},
                                            {BENCH_CAPSULE, BENCH_CAPSULE},
                                            {BENCH_BOX, BENCH_SPHERE}};

static void make_solids(int type, int count, bench_solid (*solids)[2]) {
  source s = {5000u + (uint64_t)type};
  for (int i = 0; i < count; i++) {
    bench_solid *a = &solids[i][0], *b = &solids[i][1];
    double reach = draw_solid(&s, kinds[type][0], a), ray[3];
    reach += draw_solid(&s, kinds[type][1], b);
    rotation(&s, a->rotation);
    rotation(&s, b->rotation);
    for (int k = 0; k < 4; k++) {
      a->rotation[k] = to_float(a->rotation[k]);
      b->rotation[k] = to_float(b->rotation[k]);
    }
    direction(&s, ray);
    for (int k = 0; k < 3; k++) a->position[k] = to_float(between(&s, -5.0, 5.0));
    double u = fraction(&s);
    for (int k = 0; k < 3; k++)
      b->position[k] = to_float(a->position[k] + ray[k] * (0.3 + 0.9 * u) * reach);
  }
}

/* Hashes of the specification: vertices, pairs of W1 and of W2 (W6 uses the first pairs of W2), and
 * deep pairs of W6. */
static const struct {
  int size;
  uint64_t vertices, distance, depth, deep;
} specified[] = {
    {8, 0x64656af69e955b84u, 0x22daaf6ce374bd42u, 0x60ff0808c0fc4772u, 0x0c77b9dee3e26e6eu},
    {32, 0x4f66b8bc1f32f163u, 0x7d6f8cb494b6d188u, 0x7acbbbb1cce62bc6u, 0x4283b47e29ef428cu},
    {128, 0x5a6576b21213960cu, 0xc30ce51e5f2eb9d8u, 0x87cd2ef7a6bf7b4fu, 0x69b2f4e88ef92f80u},
    {512, 0xc6e5fca7fe7010d3u, 0x3f2754b9f95fa22eu, 0x3008ab37d359115eu, 0},
};

/* W6: number of pairs, and limit of the total number of vertices; exact arithmetic is slow for
 * more. */
enum { COMMON_PAIRS = 512, COMMON_VERTICES = 4096 };

bool bench_input_make(bench_work work, int size, bench_row *row, bool *as_specified) {
  *row = (bench_row){.work = work, .size = size};
  *as_specified = true;
  if (work == BENCH_CLOUDS) return bench_clouds_make(row);
  if (work == BENCH_PRIMITIVES) {
    row->count = BENCH_PRIMITIVE_PAIRS;
    bench_solid(*solids)[2] = calloc((size_t)row->count, sizeof *solids);
    if (!solids) return false;
    row->solids = (const bench_solid(*)[2])solids;
    make_solids(size, row->count, solids);
    return true;
  }
  bool common = work == BENCH_SHALLOW || work == BENCH_DEEP;
  row->count = work == BENCH_DEEP ? COMMON_PAIRS : size == 512 ? 1024 : 4096;
  bench_hull *hulls = calloc(BENCH_HULLS, sizeof *hulls);
  bench_pair *pairs = calloc((size_t)row->count, sizeof *pairs);
  row->hulls = hulls;
  row->pairs = pairs;
  uint64_t vertices, placed;
  if (!hulls || !pairs || !make_hulls(size, hulls, &vertices) || !make_pairs(row, pairs, &placed)) {
    fprintf(stderr, "inputs of size %d could not be made\n", size);
    bench_input_free(row);
    return false;
  }
  for (size_t i = 0; i < sizeof specified / sizeof specified[0]; i++) {
    if (specified[i].size != size) continue;
    uint64_t expected = work == BENCH_DISTANCE ? specified[i].distance
                        : work == BENCH_DEEP   ? specified[i].deep
                                               : specified[i].depth;
    *as_specified = vertices == specified[i].vertices && placed == expected;
  }
  if (!common) return true;
  row->count = COMMON_VERTICES / size;
  return bench_common_make(row);
}

void bench_input_free(bench_row *row) {
  bench_common_free(row);
  for (int i = 0; row->hulls && i < BENCH_HULLS; i++) {
    free(row->hulls[i].vertex);
    free(row->hulls[i].face);
  }
  free((void *)row->hulls);
  free((void *)row->pairs);
  free((void *)row->solids);
  free((void *)row->clouds);
  *row = (bench_row){.count = 0};
}
