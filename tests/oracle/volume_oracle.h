/* Intersection of two convex polyhedra by plain clipping in long double: every face of either is
 * clipped by all planes of the other (Sutherland, Hodgman 1974), and the pieces are summed. Valid
 * for bodies in general position: coplanar faces would count twice. */
#ifndef TESTS_VOLUME_ORACLE_H
#define TESTS_VOLUME_ORACLE_H

#include "tests/support/check.h"

#include <contact/shape.h>

typedef long double real;

enum { ORACLE_CORNERS_MAX = 512, ORACLE_VERTICES_MAX = 512, ORACLE_FACES_MAX = 1024 };

typedef struct oracle_body {
  uint32_t vertex_count, face_count;
  real vertex[ORACLE_VERTICES_MAX][3],
      plane[ORACLE_FACES_MAX][4]; /* outward unit normal and offset */
  uint32_t face_start[ORACLE_FACES_MAX + 1], loop[6 * ORACLE_FACES_MAX];
} oracle_body;

typedef struct oracle_sum {
  real volume, surface; /* of the intersection */
  real moment[3];       /* sum of area times centre, over the surface */
  real area[2][3];      /* sum of area normal over the parts of each body's faces */
  real square[2][3];    /* sum of area^2 normal over whole faces */
} oracle_sum;

static inline void oracle_cross(const real a[3], const real b[3], real out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}
static inline real oracle_dot(const real a[3], const real b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Places the shape (a box or a hull); planes come from the placed corners, by Newell's sum. */
static inline void oracle_place(const ct_shape *shape, const ct_frame *frame, oracle_body *out) {
  static const uint32_t box_loop[24] = {1, 3, 7, 5, 0, 4, 6, 2, 2, 6, 7, 3,
                                        0, 1, 5, 4, 4, 5, 7, 6, 0, 2, 3, 1};
  const ct_hull_view *view = shape->kind == CT_KIND_CONVEX ? ct_hull_get(shape->hull) : NULL;
  out->vertex_count = view ? view->vertex_count : 8;
  out->face_count = view ? view->face_count : 6;
  if (out->vertex_count > ORACLE_VERTICES_MAX || out->face_count > ORACLE_FACES_MAX) abort();
  for (uint32_t f = 0; f <= out->face_count; f++)
    out->face_start[f] = view ? view->face_start[f] : 4 * f;
  for (uint32_t i = 0; i < out->face_start[out->face_count]; i++)
    out->loop[i] = view ? view->face_loop[i] : box_loop[i];
  const ct_vec3 rows[3] = {frame->rotation.rx, frame->rotation.ry, frame->rotation.rz};
  const double at[3] = {frame->position.x, frame->position.y, frame->position.z};
  ct_vec3 half = shape->box.half;
  for (uint32_t v = 0; v < out->vertex_count; v++) {
    ct_vec3 p =
        view ? ct_vec(view->x[v], view->y[v], view->z[v])
             : ct_vec(v & 1 ? half.x : -half.x, v & 2 ? half.y : -half.y, v & 4 ? half.z : -half.z);
    for (int k = 0; k < 3; k++)
      out->vertex[v][k] =
          (real)rows[k].x * p.x + (real)rows[k].y * p.y + (real)rows[k].z * p.z + at[k];
  }
  for (uint32_t f = 0; f < out->face_count; f++) {
    real n[3] = {0, 0, 0}, c[3], middle[3] = {0, 0, 0};
    uint32_t begin = out->face_start[f], count = out->face_start[f + 1] - begin;
    const real *apex = out->vertex[out->loop[begin]];
    for (uint32_t i = 0; i < count; i++) {
      real p[3], q[3];
      for (int k = 0; k < 3; k++) {
        p[k] = out->vertex[out->loop[begin + i]][k] - apex[k];
        q[k] = out->vertex[out->loop[begin + (i + 1) % count]][k] - apex[k];
        middle[k] += out->vertex[out->loop[begin + i]][k] / count;
      }
      oracle_cross(p, q, c);
      for (int k = 0; k < 3; k++) n[k] += c[k];
    }
    real length = sqrtl(oracle_dot(n, n));
    for (int k = 0; k < 3; k++) out->plane[f][k] = n[k] / length;
    out->plane[f][3] = oracle_dot(out->plane[f], middle);
  }
}

/* The part of a polygon below a plane. */
static inline int oracle_clip(const real (*from)[3], int count, const real plane[4],
                              real (*to)[3]) {
  int kept = 0;
  for (int i = 0; i < count; i++) {
    const real *p = from[i], *q = from[(i + 1) % count];
    real a = oracle_dot(plane, p) - plane[3], b = oracle_dot(plane, q) - plane[3];
    if (a <= 0) {
      for (int k = 0; k < 3; k++) to[kept][k] = p[k];
      kept++;
    }
    if ((a < 0 && b > 0) || (a > 0 && b < 0)) {
      for (int k = 0; k < 3; k++) to[kept][k] = p[k] + a / (a - b) * (q[k] - p[k]);
      kept++;
    }
    if (kept > ORACLE_CORNERS_MAX - 2) abort();
  }
  return kept;
}

static inline void oracle_add(const real (*p)[3], int count, const real plane[4],
                              const real apex[3], int which, oracle_sum *s) {
  real whole = 0;
  for (int i = 2; i < count; i++) {
    real e[3], f[3], d[3], c[3];
    for (int k = 0; k < 3; k++) {
      d[k] = p[0][k] - apex[k];
      e[k] = p[i - 1][k] - p[0][k];
      f[k] = p[i][k] - p[0][k];
    }
    oracle_cross(e, f, c);
    real area = oracle_dot(c, plane) / 2;
    whole += area;
    s->volume += area * oracle_dot(d, plane) / 3;
    for (int k = 0; k < 3; k++) s->moment[k] += area * (p[0][k] + (e[k] + f[k]) / 3);
  }
  s->surface += whole;
  for (int k = 0; k < 3; k++) s->area[which][k] += whole * plane[k];
  for (int k = 0; k < 3; k++) s->square[which][k] += whole * whole * plane[k];
}

static inline void oracle_part(const oracle_body *body, const oracle_body *other,
                               const real apex[3], int which, oracle_sum *s) {
  static real polygon[2][ORACLE_CORNERS_MAX][3];
  for (uint32_t f = 0; f < body->face_count; f++) {
    uint32_t begin = body->face_start[f];
    int count = (int)(body->face_start[f + 1] - begin), now = 0;
    for (int i = 0; i < count; i++)
      for (int k = 0; k < 3; k++)
        polygon[0][i][k] = body->vertex[body->loop[begin + (uint32_t)i]][k];
    for (uint32_t g = 0; g < other->face_count && count; g++, now = !now)
      count = oracle_clip((const real(*)[3])polygon[now], count, other->plane[g], polygon[!now]);
    oracle_add((const real(*)[3])polygon[now], count, body->plane[f], apex, which, s);
  }
}

static inline oracle_sum oracle_common(const oracle_body *a, const oracle_body *b) {
  oracle_sum s = {0};
  oracle_part(a, b, b->vertex[0], 0, &s);
  oracle_part(b, a, b->vertex[0], 1, &s);
  return s;
}

#endif
