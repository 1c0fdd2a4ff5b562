/* W6 of the peer benchmark: the pairs as bodies in the world, with their intersection by plain
 * clipping in long double.
 *
 * Every face of either body is clipped by all planes of the other (Sutherland, Hodgman 1974). The
 * pieces bound the common solid, whose volume is a sum of cones. The mean of their corners is
 * strictly inside both bodies. It is given to the peers that require such a point; it is better for
 * them than a point near the surface. */
#include "peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;
enum { CORNERS_MAX = 4096 };

static void place(const bench_hull *hull, const double q[4], const double p[3], bench_body *out) {
  double m[9];
  bench_matrix(q, m);
  out->vertex_count = hull->vertex_count;
  out->face_count = hull->face_count;
  out->face = (const int(*)[3])hull->face;
  double(*vertex)[3] = calloc((size_t)hull->vertex_count, sizeof *vertex),
  (*plane)[4] = calloc((size_t)hull->face_count, sizeof *plane);
  out->vertex = (const double(*)[3])vertex;
  out->plane = (const double(*)[4])plane;
  if (!vertex || !plane) return;
  for (int v = 0; v < hull->vertex_count; v++) {
    const double *from = hull->vertex[v];
    for (int k = 0; k < 3; k++)
      vertex[v][k] = m[3 * k] * from[0] + m[3 * k + 1] * from[1] + m[3 * k + 2] * from[2] + p[k];
  }
  for (int f = 0; f < hull->face_count; f++) {
    const double *a = vertex[hull->face[f][0]], *b = vertex[hull->face[f][1]],
                 *c = vertex[hull->face[f][2]];
    double e[3], g[3], *n = plane[f];
    for (int k = 0; k < 3; k++) {
      e[k] = b[k] - a[k];
      g[k] = c[k] - a[k];
    }
    for (int k = 0; k < 3; k++)
      n[k] = e[(k + 1) % 3] * g[(k + 2) % 3] - e[(k + 2) % 3] * g[(k + 1) % 3];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) n[k] /= length;
    n[3] = n[0] * a[0] + n[1] * a[1] + n[2] * a[2];
  }
}

static real height(const double plane[4], const real p[3]) {
  return plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2] - plane[3];
}

/* The part of a polygon below a plane. */
static int clip(const real (*from)[3], int count, const double plane[4], real (*to)[3]) {
  int kept = 0;
  for (int i = 0; i < count; i++) {
    const real *p = from[i], *q = from[(i + 1) % count];
    real a = height(plane, p), b = height(plane, q);
    if (a <= 0) memcpy(to[kept++], p, 3 * sizeof(real));
    if ((a < 0 && b > 0) || (a > 0 && b < 0)) {
      for (int k = 0; k < 3; k++) to[kept][k] = p[k] + a / (a - b) * (q[k] - p[k]);
      kept++;
    }
  }
  return kept;
}

typedef struct sum {
  real six, corner[3]; /* six times the volume about the apex; sum of all corners */
  int corners;
} sum;

static void add_polygon(const real (*p)[3], int count, const real apex[3], sum *s) {
  for (int i = 0; i < count; i++, s->corners++)
    for (int k = 0; k < 3; k++) s->corner[k] += p[i][k];
  for (int i = 2; i < count; i++) {
    real a[3], b[3], c[3];
    for (int k = 0; k < 3; k++) {
      a[k] = p[0][k] - apex[k];
      b[k] = p[i - 1][k] - apex[k];
      c[k] = p[i][k] - apex[k];
    }
    for (int k = 0; k < 3; k++)
      s->six += a[k] * (b[(k + 1) % 3] * c[(k + 2) % 3] - b[(k + 2) % 3] * c[(k + 1) % 3]);
  }
}

/* Adds the part of the body's surface inside the other body. */
static void add_part(const bench_body *body, const bench_body *other, const real apex[3], sum *s) {
  static real polygon[2][CORNERS_MAX][3];
  for (int f = 0; f < body->face_count; f++) {
    int count = 3, now = 0;
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) polygon[0][i][k] = body->vertex[body->face[f][i]][k];
    for (int g = 0; g < other->face_count && count; g++, now = !now)
      count = clip((const real(*)[3])polygon[now], count, other->plane[g], polygon[!now]);
    add_polygon((const real(*)[3])polygon[now], count, apex, s);
  }
}

bool bench_common_make(bench_row *row) {
  bench_body(*bodies)[2] = calloc((size_t)row->count, sizeof *bodies);
  double(*inside)[3] = calloc((size_t)row->count, sizeof *inside);
  row->bodies = (const bench_body(*)[2])bodies;
  row->inside = (const double(*)[3])inside;
  if (!bodies || !inside) return false;
  for (int i = 0; i < row->count; i++) {
    const bench_pair *p = &row->pairs[i];
    place(&row->hulls[p->hull_a], p->rotation_a, p->position_a, &bodies[i][0]);
    place(&row->hulls[p->hull_b], p->rotation_b, p->position_b, &bodies[i][1]);
    for (int k = 0; k < 2; k++)
      if (!bodies[i][k].vertex || !bodies[i][k].plane) return false;
    sum s = {0};
    const real apex[3] = {p->position_a[0], p->position_a[1], p->position_a[2]};
    add_part(&bodies[i][0], &bodies[i][1], apex, &s);
    add_part(&bodies[i][1], &bodies[i][0], apex, &s);
    for (int k = 0; k < 3; k++) inside[i][k] = (double)(s.corner[k] / s.corners);
  }
  return true;
}

void bench_common_reference(const bench_row *row, double *reference) {
  for (int i = 0; i < row->count; i++) {
    sum s = {0};
    const real apex[3] = {row->inside[i][0], row->inside[i][1], row->inside[i][2]};
    add_part(&row->bodies[i][0], &row->bodies[i][1], apex, &s);
    add_part(&row->bodies[i][1], &row->bodies[i][0], apex, &s);
    reference[i] = (double)(s.six / 6);
  }
}

void bench_common_free(bench_row *row) {
  for (int i = 0; row->bodies && i < row->count; i++) {
    for (int k = 0; k < 2; k++) {
      free((void *)(uintptr_t)row->bodies[i][k].vertex);
      free((void *)(uintptr_t)row->bodies[i][k].plane);
    }
  }
  free((void *)(uintptr_t)row->bodies);
  free((void *)(uintptr_t)row->inside);
}
