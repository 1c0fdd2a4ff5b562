/* Solids with many sides and their signed distance to small bodies, by a scan over all pairs of
 * features in long double.
 *
 * A solid is made with lists of edges and triangles that contain at least its true ones; the
 * engine's hull is not used. The signed distance is the greatest gap along a unit normal. The
 * maximum is at a normal fixed by a face, an edge or a vertex of the solid together with features
 * of the body. Each candidate is evaluated over all vertices, so a superfluous one does no harm.
 * Cross products of nearly parallel edges are computed in 113 bits (pair_oracle.h). Not covered:
 * bodies with many vertices on both sides. */
#ifndef ORACLE_SOLID_ORACLE_H
#define ORACLE_SOLID_ORACLE_H

#include "tests/oracle/pair_oracle.h"

#include <stdlib.h>

typedef struct solid {
  ct_vec3 *points;
  int count;
  int (*edge)[2];
  int edges;
  int (*face)[3];
  int faces;
} solid;

static inline void solid_free(solid *s) {
  free(s->points);
  free(s->edge);
  free(s->face);
}

static inline void solid_edge(solid *s, int i, int j) {
  s->edge[s->edges][0] = i;
  s->edge[s->edges++][1] = j;
}
static inline void solid_face(solid *s, int i, int j, int k) {
  s->face[s->faces][0] = i;
  s->face[s->faces][1] = j;
  s->face[s->faces++][2] = k;
}

/* Rings of `sides` vertices at the given heights and radii, stacked along z, and a tip if *tip is
 * above the last ring. Both diagonals of each side are listed, and all of its triangles. */
static inline solid solid_lathe(int sides, int rings, const double *radius, const double *height,
                                const double *tip) {
  size_t n = (size_t)sides, k = (size_t)rings;
  solid s = {.points = malloc((n * k + 1) * sizeof *s.points),
             .edge = malloc(4 * n * k * sizeof *s.edge),
             .face = malloc((4 * n * k + 2) * sizeof *s.face)};
  if (!s.points || !s.edge || !s.face) abort();
  for (int r = 0; r < rings; r++)
    for (int i = 0; i < sides; i++) {
      double turn = 6.283185307179586 * i / sides;
      s.points[s.count++] = ct_vec(radius[r] * cos(turn), radius[r] * sin(turn), height[r]);
    }
  if (tip) s.points[s.count++] = ct_vec(0.0, 0.0, *tip);
  for (int r = 0; r < rings; r++)
    for (int i = 0; i < sides; i++) {
      int p = r * sides + i, q = r * sides + (i + 1) % sides, up = p + sides, across = q + sides;
      solid_edge(&s, p, q);
      if (r + 1 < rings) {
        solid_edge(&s, p, up);
        solid_edge(&s, p, across);
        solid_edge(&s, q, up);
        solid_face(&s, p, q, up);
        solid_face(&s, p, q, across);
        solid_face(&s, p, up, across);
        solid_face(&s, q, up, across);
      } else if (tip) {
        solid_edge(&s, p, s.count - 1);
        solid_face(&s, p, q, s.count - 1);
      }
    }
  solid_face(&s, 0, sides / 3, 2 * sides / 3);
  if (!tip)
    solid_face(&s, (rings - 1) * sides, (rings - 1) * sides + sides / 3,
               (rings - 1) * sides + 2 * sides / 3);
  return s;
}

typedef struct solid_scan {
  const solid *s;
  const oracle_body *body; /* in the frame of the solid */
  oracle_vec ball[ORACLE_BALLS_MAX];
  oracle_vec inner; /* a point inside the solid */
  int last; /* the vertex that refuted the last direction; successive directions are often refuted
               by the same one */
  long double best;
} solid_scan;

static inline oracle_vec solid_vertex(const solid *s, int i) {
  return (oracle_vec){s->points[i].x, s->points[i].y, s->points[i].z};
}
static inline oracle_wide solid_wide(const solid *s, int i) {
  return (oracle_wide){s->points[i].x, s->points[i].y, s->points[i].z};
}

/* Evaluates a direction made for the vertex `at`, which must be extreme along it. The vertex's
 * neighbours in the list are tested first. */
static inline void solid_offer(solid_scan *c, oracle_vec n, int at) {
  long double length = oracle_norm(n), near = INFINITY;
  if (!(length > 0)) return;
  n = (oracle_vec){n.x / length, n.y / length, n.z / length};
  if (oracle_dot(n, oracle_mix(solid_vertex(c->s, at), 1, c->inner, -1)) < 0) return;
  for (int j = 0; j < c->body->balls; j++) {
    long double h = oracle_dot(n, c->ball[j]) - c->body->radius[j];
    if (h < near) near = h;
    if (near - oracle_dot(n, solid_vertex(c->s, at)) <= c->best) return;
  }
  long double reach = oracle_dot(n, solid_vertex(c->s, c->last));
  if (near - reach <= c->best) return;
  for (int k = 0; k < c->s->count; k++) {
    int i = at + k < c->s->count ? at + k : at + k - c->s->count;
    long double h = oracle_dot(n, solid_vertex(c->s, i));
    if (h <= reach) continue;
    reach = h;
    c->last = i;
    if (near - reach <= c->best) return;
  }
  c->best = near - reach;
}

/* Candidate with n.t = rise, and otherwise as far along `to` as possible. */
static inline void solid_offer_edge(solid_scan *c, oracle_wide edge, long double rise,
                                    oracle_wide to, int at) {
  oracle_vec t = oracle_narrow(edge), p = oracle_cross(t, oracle_safe_cross(to, edge));
  long double square = oracle_dot(t, t), across = oracle_norm(p);
  if (!(square > 0) || !(across > 0) || rise * rise >= square) return;
  solid_offer(c, oracle_mix(t, rise / square, p, sqrtl(1 - rise * rise / square) / across), at);
}

/* Candidates with n.t = 0 and n.u = lift: two normals. */
static inline void solid_offer_face(solid_scan *c, oracle_wide p, oracle_wide q, long double lift,
                                    int at) {
  oracle_vec t = oracle_narrow(p), m = oracle_safe_cross(p, q);
  long double square = oracle_dot(m, m);
  if (!(square > 0)) return;
  oracle_vec tilt = oracle_mix(oracle_cross(m, t), lift / square, m, 0);
  long double rest = 1 - oracle_dot(tilt, tilt);
  if (rest < 0) return;
  solid_offer(c, oracle_mix(tilt, 1, m, sqrtl(rest / square)), at);
  solid_offer(c, oracle_mix(tilt, 1, m, -sqrtl(rest / square)), at);
}

/* A vertex farthest along n, or against it. */
static inline int solid_top(const solid *s, oracle_vec n, int sign) {
  int top = 0;
  for (int i = 1; i < s->count; i++)
    if (sign * oracle_dot(n, solid_vertex(s, i)) > sign * oracle_dot(n, solid_vertex(s, top)))
      top = i;
  return top;
}

static inline void solid_offer_vertices(solid_scan *c) {
  const oracle_body *b = c->body;
  for (int i = 0; i < c->s->count; i++) {
    oracle_wide v = solid_wide(c->s, i);
    for (int j = 0; j < b->balls; j++)
      solid_offer(c, oracle_narrow(oracle_wide_sub(b->exact[j], v)), i);
    for (int e = 0; e < b->edges; e++) {
      int p = b->edge[e][0], q = b->edge[e][1];
      solid_offer_edge(c, oracle_wide_sub(b->exact[q], b->exact[p]), b->radius[q] - b->radius[p],
                       oracle_wide_sub(b->exact[p], v), i);
    }
  }
}

static inline void solid_offer_edges(solid_scan *c) {
  const oracle_body *b = c->body;
  for (int i = 0; i < c->s->edges; i++) {
    int at = c->s->edge[i][0];
    oracle_wide v = solid_wide(c->s, at),
                t = oracle_wide_sub(solid_wide(c->s, c->s->edge[i][1]), v);
    for (int j = 0; j < b->balls; j++)
      solid_offer_edge(c, t, 0, oracle_wide_sub(b->exact[j], v), at);
    for (int e = 0; e < b->edges; e++) {
      int p = b->edge[e][0], q = b->edge[e][1];
      solid_offer_face(c, t, oracle_wide_sub(b->exact[q], b->exact[p]), b->radius[q] - b->radius[p],
                       at);
    }
  }
}

/* Signed distance of a solid and a body in the solid's frame. */
static inline long double solid_distance(const solid *s, const oracle_body *body) {
  solid_scan c = {.s = s, .body = body, .best = -INFINITY};
  for (int i = 0; i < s->count; i++)
    c.inner = oracle_mix(c.inner, 1, solid_vertex(s, i), 1.0L / s->count);
  for (int j = 0; j < body->balls; j++) c.ball[j] = oracle_narrow(body->exact[j]);
  for (int f = 0; f < s->faces; f++) {
    oracle_wide v = solid_wide(s, s->face[f][0]);
    oracle_wide t = oracle_wide_sub(solid_wide(s, s->face[f][1]), v),
                u = oracle_wide_sub(solid_wide(s, s->face[f][2]), v);
    solid_offer_face(&c, t, u, 0, s->face[f][0]);
  }
  for (int f = 0; f < body->faces; f++) {
    oracle_wide v = body->exact[body->face[f][0]];
    oracle_wide t = oracle_wide_sub(body->exact[body->face[f][1]], v),
                u = oracle_wide_sub(body->exact[body->face[f][2]], v);
    solid_offer_face(&c, t, u, 0, solid_top(s, oracle_safe_cross(t, u), 1));
    solid_offer_face(&c, t, u, 0, solid_top(s, oracle_safe_cross(t, u), -1));
  }
  solid_offer_vertices(&c);
  solid_offer_edges(&c);
  return c.best;
}

/* Transforms the body from the world into the frame of `pose`, exact to 113 bits. */
static inline void oracle_into(oracle_body *body, const ct_pose *pose) {
  oracle_quad x = -(oracle_quad)pose->rotation.x, y = -(oracle_quad)pose->rotation.y,
              z = -(oracle_quad)pose->rotation.z;
  oracle_quad w = pose->rotation.w, s = 2 / (x * x + y * y + z * z + w * w);
  oracle_wide v = {x, y, z}, position = {pose->position.x, pose->position.y, pose->position.z};
  for (int i = 0; i < body->balls; i++) {
    oracle_wide p = oracle_wide_sub(body->exact[i], position), t = oracle_wide_cross(v, p),
                tt = oracle_wide_cross(v, t);
    body->exact[i] = (oracle_wide){p.x + s * (w * t.x + tt.x), p.y + s * (w * t.y + tt.y),
                                   p.z + s * (w * t.z + tt.z)};
  }
}

#endif
