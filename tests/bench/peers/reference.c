/* References of the peer benchmark, in long double, by definition: no code of the engine is used.
 *
 * W1: descent over simplices, with the optimum of a simplex found by trying every subset, until the
 * support gap certifies it. W2: the least width over all facets of the Minkowski difference: faces
 * of either hull, and pairs of edges whose arcs on the Gauss map may cross. A superfluous pair does
 * no harm, since the width along any direction is an upper bound. W3: closed forms; boxes by their
 * 15 axes. */
#include "peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;
typedef struct vec {
  real x[3];
} vec;

static vec minus(vec a, vec b) {
  return (vec){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}
static vec times(vec a, real s) { return (vec){{a.x[0] * s, a.x[1] * s, a.x[2] * s}}; }
static vec plus(vec a, vec b) { return (vec){{a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]}}; }
static real dot(vec a, vec b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }
static vec cross(vec a, vec b) {
  return (vec){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}
static real length(vec a) { return sqrtl(dot(a, a)); }

/* Rotation in long double: the reference is exact for the numbers in the input. */
static void matrix_of(const double q[4], vec rows[3]) {
  real n = 1 / sqrtl((real)q[0] * q[0] + (real)q[1] * q[1] + (real)q[2] * q[2] + (real)q[3] * q[3]);
  real x = q[0] * n, y = q[1] * n, z = q[2] * n, w = q[3] * n;
  rows[0] = (vec){{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)}};
  rows[1] = (vec){{2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)}};
  rows[2] = (vec){{2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
}

static vec placed(const vec rows[3], const double position[3], const double p[3]) {
  vec v = {{p[0], p[1], p[2]}};
  return (vec){{dot(rows[0], v) + position[0], dot(rows[1], v) + position[1],
                dot(rows[2], v) + position[2]}};
}

/* ---- hulls ---------------------------------------------------------------------------------- */

typedef struct edge {
  double from[3], along[3], left[3],
      right[3]; /* a vertex, the direction, the normals of the two faces */
  int a, b;
} edge;

typedef struct body {
  const bench_hull *hull;
  vec *at;             /* vertices in the world */
  double (*normal)[3]; /* of the faces */
  edge *edges;
  int edge_count;
  int *face_at; /* [vertices^2] the face left of an edge */
} body;

static bool body_make(int vertices, body *b) {
  size_t n = (size_t)vertices;
  *b = (body){.at = calloc(n, sizeof *b->at),
              .normal = calloc(2 * n, sizeof *b->normal),
              .edges = calloc(3 * n, sizeof *b->edges)};
  b->face_at = calloc(n * n, sizeof *b->face_at);
  return b->at && b->normal && b->edges && b->face_at;
}

static void body_free(body *b) {
  free(b->at);
  free(b->normal);
  free(b->edges);
  free(b->face_at);
}

static void body_place(body *b, const bench_hull *hull, const double rotation[4],
                       const double position[3]) {
  vec rows[3];
  matrix_of(rotation, rows);
  b->hull = hull;
  for (int i = 0; i < hull->vertex_count; i++) b->at[i] = placed(rows, position, hull->vertex[i]);
}

static void body_features(body *b) {
  const bench_hull *h = b->hull;
  int n = h->vertex_count;
  for (int f = 0; f < h->face_count; f++) {
    const int *v = h->face[f];
    vec normal = cross(minus(b->at[v[1]], b->at[v[0]]), minus(b->at[v[2]], b->at[v[0]]));
    normal = times(normal, 1 / length(normal));
    for (int k = 0; k < 3; k++) {
      b->normal[f][k] = (double)normal.x[k];
      b->face_at[v[k] * n + v[(k + 1) % 3]] = f;
    }
  }
  b->edge_count = 0;
  for (int f = 0; f < h->face_count; f++) {
    for (int k = 0; k < 3; k++) {
      int from = h->face[f][k], to = h->face[f][(k + 1) % 3];
      if (from > to) continue;
      edge *e = &b->edges[b->edge_count++];
      e->a = from;
      e->b = to;
      vec along = minus(b->at[to], b->at[from]);
      for (int i = 0; i < 3; i++) {
        e->from[i] = (double)b->at[from].x[i];
        e->along[i] = (double)along.x[i];
      }
      memcpy(e->left, b->normal[f], sizeof e->left);
      memcpy(e->right, b->normal[b->face_at[to * n + from]], sizeof e->right);
    }
  }
}

static int farthest(const body *b, vec n) {
  int best = 0;
  real most = dot(n, b->at[0]);
  for (int i = 1; i < b->hull->vertex_count; i++) {
    real h = dot(n, b->at[i]);
    if (h > most) {
      most = h;
      best = i;
    }
  }
  return best;
}

/* The point nearest to the origin in the affine hull of the chosen points, if its weights are not
 * negative. */
static bool nearest_in_flat(const vec *p, int count, vec *nearest) {
  *nearest = p[0];
  if (count == 1) return true;
  vec e = minus(p[1], p[0]);
  if (count == 2) {
    real square = dot(e, e), t = square > 0 ? -dot(p[0], e) / square : -1;
    *nearest = plus(p[0], times(e, t));
    return t >= 0 && t <= 1;
  }
  vec g = minus(p[2], p[0]), n = cross(e, g);
  real square = dot(n, n);
  if (!(square > 0)) return false;
  vec foot = times(n, dot(n, p[0]) / square), d = minus(foot, p[0]);
  real s = dot(cross(d, g), n) / square, t = dot(cross(e, d), n) / square;
  *nearest = foot;
  return s >= 0 && t >= 0 && s + t <= 1;
}

/* Reduces the points to the subset whose hull is nearest to the origin; returns the nearest point.
 * If four points contain the origin, it is in no affine hull of three, so the minimum is at a face,
 * and the caller finds no support beyond it. */
static vec reduce(vec *p, int *count) {
  vec best = {{0, 0, 0}}, kept[3] = {best, best, best};
  real least = INFINITY;
  int kept_count = 0;
  for (int mask = 1; mask < 1 << *count; mask++) {
    vec chosen[4], at;
    int n = 0;
    for (int i = 0; i < *count; i++)
      if (mask >> i & 1) chosen[n++] = p[i];
    if (n > 3 || !nearest_in_flat(chosen, n, &at) || !(dot(at, at) < least)) continue;
    least = dot(at, at);
    best = at;
    kept_count = n;
    memcpy(kept, chosen, sizeof kept);
  }
  *count = kept_count;
  memcpy(p, kept, sizeof kept);
  return best;
}

static real distance_of(const body *a, const body *b, real *gap) {
  vec simplex[4], v = minus(a->at[0], b->at[0]);
  int count = 1;
  simplex[0] = v;
  real before = INFINITY, certain = -INFINITY;
  for (int round = 0; round < 1000 && dot(v, v) > 0; round++) {
    real far = length(v);
    vec n = times(v, -1 / far), w = minus(a->at[farthest(a, n)], b->at[farthest(b, times(n, -1))]);
    certain = fmaxl(certain, -dot(n, w));
    *gap = far - certain;
    if (!(far < before) || *gap <= 1e-18L * (1 + far)) return far;
    before = far;
    simplex[count++] = w;
    v = reduce(simplex, &count);
  }
  return length(v);
}

/* Updates the least width so far with one more direction, from a to b and reversed. */
static void try_normal(const body *a, const body *b, vec n, real *least) {
  real size = length(n);
  if (!(size > 0)) return;
  n = times(n, 1 / size);
  real reach = dot(n, a->at[farthest(a, n)]) - dot(n, b->at[farthest(b, times(n, -1))]);
  if (reach < *least) *least = reach;
}

static double dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static vec face_normal(const body *b, int f) {
  const int *v = b->hull->face[f];
  return cross(minus(b->at[v[1]], b->at[v[0]]), minus(b->at[v[2]], b->at[v[0]]));
}

/* Margin for the fast selection in double: a candidate that it discards is certainly not the
 * minimum. */
#define QUICK_MARGIN 1e-9

static void try_edges(const body *a, const body *b, real *least) {
  for (int i = 0; i < a->edge_count; i++) {
    const edge *e = &a->edges[i];
    for (int j = 0; j < b->edge_count; j++) {
      const edge *f = &b->edges[j];
      if (dot3(f->left, e->along) * dot3(f->right, e->along) > QUICK_MARGIN) continue;
      if (dot3(e->left, f->along) * dot3(e->right, f->along) > QUICK_MARGIN) continue;
      const double n[3] = {e->along[1] * f->along[2] - e->along[2] * f->along[1],
                           e->along[2] * f->along[0] - e->along[0] * f->along[2],
                           e->along[0] * f->along[1] - e->along[1] * f->along[0]};
      double d[3] = {e->from[0] - f->from[0], e->from[1] - f->from[1], e->from[2] - f->from[2]};
      double sign = dot3(n, e->left) + dot3(n, e->right) < 0 ? -1.0 : 1.0, size = sqrt(dot3(n, n));
      if (sign * dot3(n, d) > ((double)*least + QUICK_MARGIN) * size) continue;
      vec exact = cross(minus(a->at[e->b], a->at[e->a]), minus(b->at[f->b], b->at[f->a]));
      try_normal(a, b, times(exact, sign), least);
    }
  }
}

static real depth_of(body *a, body *b) {
  real least = INFINITY;
  body_features(a);
  body_features(b);
  for (int f = 0; f < a->hull->face_count; f++) try_normal(a, b, face_normal(a, f), &least);
  for (int f = 0; f < b->hull->face_count; f++)
    try_normal(a, b, times(face_normal(b, f), -1), &least);
  try_edges(a, b, &least);
  return least;
}

static bool hull_references(const bench_row *row, double *reference, double *gap) {
  body a, b;
  bool ok = body_make(row->size, &a);
  ok = body_make(row->size, &b) && ok;
  *gap = 0.0;
  for (int i = 0; ok && i < row->count; i++) {
    const bench_pair *p = &row->pairs[i];
    body_place(&a, &row->hulls[p->hull_a], p->rotation_a, p->position_a);
    body_place(&b, &row->hulls[p->hull_b], p->rotation_b, p->position_b);
    real width = 0;
    reference[i] =
        (double)(row->work == BENCH_DISTANCE ? distance_of(&a, &b, &width) : depth_of(&a, &b));
    *gap = fmax(*gap, (double)width);
  }
  body_free(&a);
  body_free(&b);
  return ok;
}

/* ---- primitives ----------------------------------------------------------------------------- */

static real clamped(real x, real limit) { return x > limit ? limit : x < -limit ? -limit : x; }

/* Overlapping boxes: minus the least width over the 15 axes, in both senses; else a positive
 * number. */
static real boxes(const bench_solid *a, const bench_solid *b) {
  vec ra[3], rb[3], axis[15], d = {{0, 0, 0}};
  matrix_of(a->rotation, ra);
  matrix_of(b->rotation, rb);
  for (int k = 0; k < 3; k++) d.x[k] = (real)b->position[k] - a->position[k];
  for (int i = 0; i < 3; i++) {
    axis[i] = (vec){{ra[0].x[i], ra[1].x[i], ra[2].x[i]}};
    axis[3 + i] = (vec){{rb[0].x[i], rb[1].x[i], rb[2].x[i]}};
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) axis[6 + 3 * i + j] = cross(axis[i], axis[3 + j]);
  real most = -INFINITY;
  for (int i = 0; i < 15; i++) {
    real size = length(axis[i]), reach = 0;
    if (!(size > 1e-9L)) continue;
    vec n = times(axis[i], 1 / size);
    for (int k = 0; k < 3; k++)
      reach += fabsl(dot(n, axis[k])) * a->size[k] + fabsl(dot(n, axis[3 + k])) * b->size[k];
    most = fmaxl(most, fabsl(dot(n, d)) - reach);
  }
  return most;
}

static vec point_on(const bench_solid *s, real along) {
  vec rows[3];
  matrix_of(s->rotation, rows);
  return (vec){{s->position[0] + along * rows[0].x[2], s->position[1] + along * rows[1].x[2],
                s->position[2] + along * rows[2].x[2]}};
}

static real point_to_segment(vec p, const bench_solid *s) {
  vec low = point_on(s, -s->size[1]), along = minus(point_on(s, s->size[1]), low),
      d = minus(p, low);
  real t = dot(d, along) / dot(along, along);
  return length(minus(d, times(along, t < 0 ? 0 : t > 1 ? 1 : t)));
}

/* The minimum over the ends against the other segment, and over the lines if both feet are within
 * the segments. */
static real capsules(const bench_solid *a, const bench_solid *b) {
  real least = INFINITY;
  for (int sign = -1; sign <= 1; sign += 2) {
    least = fminl(least, point_to_segment(point_on(a, sign * (real)a->size[1]), b));
    least = fminl(least, point_to_segment(point_on(b, sign * (real)b->size[1]), a));
  }
  vec p = minus(point_on(a, 1), point_on(a, 0)), q = minus(point_on(b, 1), point_on(b, 0));
  vec d = minus(point_on(b, 0), point_on(a, 0)), n = cross(p, q);
  real square = dot(n, n);
  if (square > 0) {
    real s = dot(cross(d, q), n) / square, t = dot(cross(d, p), n) / square;
    if (fabsl(s) <= a->size[1] && fabsl(t) <= b->size[1])
      least = fminl(least, fabsl(dot(d, n)) / sqrtl(square));
  }
  return least - a->size[0] - b->size[0];
}

static real box_sphere(const bench_solid *box, const bench_solid *sphere) {
  vec rows[3], d = {{0, 0, 0}}, q = d;
  matrix_of(box->rotation, rows);
  for (int k = 0; k < 3; k++) d.x[k] = (real)sphere->position[k] - box->position[k];
  real inner = INFINITY;
  for (int i = 0; i < 3; i++) {
    q.x[i] = rows[0].x[i] * d.x[0] + rows[1].x[i] * d.x[1] + rows[2].x[i] * d.x[2];
    inner = fminl(inner, box->size[i] - fabsl(q.x[i]));
  }
  if (inner >= 0) return -inner - sphere->size[0];
  vec out = {{q.x[0] - clamped(q.x[0], box->size[0]), q.x[1] - clamped(q.x[1], box->size[1]),
              q.x[2] - clamped(q.x[2], box->size[2])}};
  return length(out) - sphere->size[0];
}

static real solids(const bench_solid *a, const bench_solid *b) {
  if (a->kind == BENCH_BOX) return b->kind == BENCH_BOX ? boxes(a, b) : box_sphere(a, b);
  if (a->kind == BENCH_CAPSULE) return capsules(a, b);
  vec d = {{(real)b->position[0] - a->position[0], (real)b->position[1] - a->position[1],
            (real)b->position[2] - a->position[2]}};
  return length(d) - a->size[0] - b->size[0];
}

bool bench_reference_make(const bench_row *row, double *reference, double *gap) {
  *gap = 0.0;
  if (row->work == BENCH_CLOUDS) return bench_clouds_reference(row, reference);
  if (row->bodies) {
    bench_common_reference(row, reference);
    return true;
  }
  if (row->work != BENCH_PRIMITIVES) return hull_references(row, reference, gap);
  for (int i = 0; i < row->count; i++)
    reference[i] = (double)solids(&row->solids[i][0], &row->solids[i][1]);
  return true;
}
