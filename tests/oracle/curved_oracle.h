/* Support values of placed convex bodies, and signed distances by brute force in long double: the
 * oracle for pairs with curved bodies.
 *
 * Signed distance = max over unit n of -(h_a(n) + h_b(-n)). Every n gives a lower bound, so a
 * search that misses the best n can only let an error pass, never report a false one. Points of
 * both bodies give an upper bound. Rotations are those of q/|q|. Only data types of the engine are
 * used. */
#ifndef ORACLE_CURVED_ORACLE_H
#define ORACLE_CURVED_ORACLE_H

#include "tests/oracle/pair_oracle.h"

#define CURVED_POINTS_MAX 16

typedef struct curved_body {
  ct_shape shape;
  ct_pose pose;
  ct_vec3 points[CURVED_POINTS_MAX]; /* of a convex hull */
  int count;
  ct_hull *hull;
} curved_body;

/* Rotates v by q/|q|, or by its inverse. */
static inline oracle_vec curved_turn(ct_quat q, oracle_vec p, bool back) {
  long double s = 2 / ((long double)q.x * q.x + (long double)q.y * q.y + (long double)q.z * q.z +
                       (long double)q.w * q.w);
  oracle_vec v = {q.x, q.y, q.z}, t;
  long double w = back ? -(long double)q.w : (long double)q.w;
  t = oracle_cross(v, p);
  oracle_vec tt = oracle_cross(v, t);
  return (oracle_vec){p.x + s * (w * t.x + tt.x), p.y + s * (w * t.y + tt.y),
                      p.z + s * (w * t.z + tt.z)};
}

static inline long double curved_frustum_reach(long double half, long double bottom,
                                               long double top, oracle_vec d) {
  long double across = sqrtl(d.x * d.x + d.y * d.y), up = half * d.z + top * across,
              down = -half * d.z + bottom * across;
  return up > down ? up : down;
}

/* Support value of the sharp shape about its own origin, including the end balls of a capsule. d is
 * a unit vector in the local frame. */
static inline long double curved_local_reach(const curved_body *b, oracle_vec d) {
  const ct_shape *s = &b->shape;
  switch (s->kind) {
  case CT_KIND_SPHERE: return s->sphere.radius;
  case CT_KIND_BOX:
    return fabsl(d.x) * s->box.half.x + fabsl(d.y) * s->box.half.y + fabsl(d.z) * s->box.half.z;
  case CT_KIND_CAPSULE: {
    long double up = s->capsule.half_length * d.z + s->capsule.radius_top,
                down = -s->capsule.half_length * d.z + s->capsule.radius_bottom;
    return up > down ? up : down;
  }
  case CT_KIND_CYLINDER:
    return curved_frustum_reach(s->cylinder.half_length, s->cylinder.radius, s->cylinder.radius, d);
  case CT_KIND_CONE:
    return curved_frustum_reach(s->cone.half_length, s->cone.radius_bottom, s->cone.radius_top, d);
  case CT_KIND_ELLIPSOID: {
    oracle_vec m = {s->ellipsoid.radii.x * d.x, s->ellipsoid.radii.y * d.y,
                    s->ellipsoid.radii.z * d.z};
    return oracle_norm(m);
  }
  default: break;
  }
  long double far = -INFINITY;
  for (int i = 0; i < b->count; i++) {
    long double level = d.x * b->points[i].x + d.y * b->points[i].y + d.z * b->points[i].z;
    if (level > far) far = level;
  }
  return far;
}

static inline long double curved_reach(const curved_body *b, oracle_vec n) {
  oracle_vec at = {b->pose.position.x, b->pose.position.y, b->pose.position.z};
  return curved_local_reach(b, curved_turn(b->pose.rotation, n, true)) + oracle_dot(n, at) +
         b->shape.rounding + b->shape.margin;
}

/* -(h_a(n) + h_b(-n)), computed relative to a's position so that distant bodies lose no digits. */
static inline long double curved_value(const curved_body *a, const curved_body *b, oracle_vec n) {
  oracle_vec back = {-n.x, -n.y, -n.z};
  oracle_vec apart = {(long double)b->pose.position.x - a->pose.position.x,
                      (long double)b->pose.position.y - a->pose.position.y,
                      (long double)b->pose.position.z - a->pose.position.z};
  long double ha = curved_local_reach(a, curved_turn(a->pose.rotation, n, true)) +
                   a->shape.rounding + a->shape.margin;
  long double hb = curved_local_reach(b, curved_turn(b->pose.rotation, back, true)) +
                   b->shape.rounding + b->shape.margin;
  return oracle_dot(n, apart) - ha - hb;
}

static inline oracle_vec curved_unit(oracle_vec v) {
  long double n = oracle_norm(v);
  return (oracle_vec){v.x / n, v.y / n, v.z / n};
}

#define CURVED_GRID 300
#define CURVED_CLIMBS 3
#define CURVED_ROUNDS 60

/* Compass search for better directions around n: the step shrinks when no neighbour is better. The
 * number of steps is bounded because the search creeps along ridges. */
static inline long double curved_climb(const curved_body *a, const curved_body *b, oracle_vec *n,
                                       long double step) {
  long double best = curved_value(a, b, *n);
  for (int round = 0; round < CURVED_ROUNDS && step > 1e-9L; round++) {
    oracle_vec e = fabsl(n->x) < 0.6L ? (oracle_vec){1, 0, 0} : (oracle_vec){0, 1, 0};
    oracle_vec t = curved_unit(oracle_cross(*n, e)), u = oracle_cross(*n, t);
    bool better = false;
    for (int i = 0; i < 8; i++) {
      long double x = cosl(0.785398163397448309616L * i), y = sinl(0.785398163397448309616L * i);
      oracle_vec m = curved_unit(oracle_mix(*n, 1, oracle_mix(t, x, u, y), step));
      long double value = curved_value(a, b, m);
      if (value <= best) continue;
      best = value;
      *n = m;
      better = true;
      break;
    }
    if (!better) step *= 0.5L;
  }
  return best;
}

/* The greatest value found over a grid of directions, refined by compass search from the best of
 * them. */
static inline long double curved_search(const curved_body *a, const curved_body *b) {
  long double top[CURVED_CLIMBS];
  oracle_vec at[CURVED_CLIMBS];
  for (int k = 0; k < CURVED_CLIMBS; k++) top[k] = -INFINITY;
  for (int i = 0; i < CURVED_GRID; i++) {
    long double z = 1 - (2 * i + 1.0L) / CURVED_GRID, r = sqrtl(1 - z * z),
                phi = 2.39996322972865332223L * i;
    oracle_vec n = {r * cosl(phi), r * sinl(phi), z};
    long double value = curved_value(a, b, n);
    int k = CURVED_CLIMBS - 1;
    if (value <= top[k]) continue;
    for (; k > 0 && top[k - 1] < value; k--) {
      top[k] = top[k - 1];
      at[k] = at[k - 1];
    }
    top[k] = value;
    at[k] = n;
  }
  long double best = -INFINITY;
  for (int k = 0; k < CURVED_CLIMBS; k++) {
    long double value = curved_climb(a, b, &at[k], 0.1L);
    if (value > best) best = value;
  }
  return best;
}

/* Distance of a world point outside the sharp body (negative inside), to first order. */
static inline long double curved_outside(const curved_body *b, ct_vec3 world) {
  const ct_shape *s = &b->shape;
  oracle_vec d = {(long double)world.x - b->pose.position.x,
                  (long double)world.y - b->pose.position.y,
                  (long double)world.z - b->pose.position.z};
  oracle_vec p = curved_turn(b->pose.rotation, d, true);
  long double across = sqrtl(p.x * p.x + p.y * p.y), worst = -INFINITY;
  switch (s->kind) {
  case CT_KIND_SPHERE: return oracle_norm(p) - s->sphere.radius;
  case CT_KIND_BOX:
    return fmaxl(fmaxl(fabsl(p.x) - s->box.half.x, fabsl(p.y) - s->box.half.y),
                 fabsl(p.z) - s->box.half.z);
  case CT_KIND_CYLINDER:
    return fmaxl(fabsl(p.z) - s->cylinder.half_length, across - s->cylinder.radius);
  case CT_KIND_CONE: {
    long double h = s->cone.half_length,
                rise = (long double)s->cone.radius_bottom - s->cone.radius_top;
    long double side = (2 * h * (across - s->cone.radius_bottom) + rise * (p.z + h)) /
                       sqrtl(4 * h * h + rise * rise);
    return fmaxl(fabsl(p.z) - h, side);
  }
  case CT_KIND_ELLIPSOID: {
    oracle_vec q = {p.x / s->ellipsoid.radii.x, p.y / s->ellipsoid.radii.y,
                    p.z / s->ellipsoid.radii.z};
    oracle_vec m = {q.x / s->ellipsoid.radii.x, q.y / s->ellipsoid.radii.y,
                    q.z / s->ellipsoid.radii.z};
    long double level = oracle_norm(q), steep = oracle_norm(m);
    return steep > 0 ? level * (level - 1) / steep : -1;
  }
  case CT_KIND_CAPSULE: {
    long double h = s->capsule.half_length,
                lean = ((long double)s->capsule.radius_bottom - s->capsule.radius_top) / (2 * h);
    long double cosine = sqrtl(1 - lean * lean), t = p.z - lean / cosine * across;
    t = fminl(fmaxl(t, -h), h);
    long double radius =
        s->capsule.radius_bottom +
        (t + h) / (2 * h) * ((long double)s->capsule.radius_top - s->capsule.radius_bottom);
    return sqrtl(across * across + (p.z - t) * (p.z - t)) - radius;
  }
  default: break;
  }
  const ct_hull_view *v = ct_hull_get(b->hull);
  for (uint32_t i = 0; i < v->face_count; i++)
    worst = fmaxl(worst, v->nx[i] * p.x + v->ny[i] * p.y + v->nz[i] * p.z - v->offset[i]);
  return worst;
}

#endif
