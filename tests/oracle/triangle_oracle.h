/* Distance of two triangles by brute force in 113 bits: all pairs of edges, all corners over faces,
 * all edges through faces.
 *
 * Signs are decided with a tolerance below any nonzero value that integer corners up to some
 * thousands can give, so for these the decision is certain. Only data types of the engine are
 * used. */
#ifndef ORACLE_TRIANGLE_ORACLE_H
#define ORACLE_TRIANGLE_ORACLE_H

#include <contact/vec.h>

#include <math.h>

__extension__ typedef __float128 quad;
typedef struct quad3 {
  quad x, y, z;
} quad3;

static inline quad3 quad_of(ct_vec3 a) { return (quad3){a.x, a.y, a.z}; }
static inline quad3 quad_sub(quad3 a, quad3 b) { return (quad3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline quad quad_dot(quad3 a, quad3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline quad3 quad_cross(quad3 a, quad3 b) {
  return (quad3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline quad3 quad_at(quad3 p, quad3 d, quad t) {
  return (quad3){p.x + t * d.x, p.y + t * d.y, p.z + t * d.z};
}
static inline quad quad_clamp(quad t) { return t < 0 ? 0 : t > 1 ? 1 : t; }
static inline long double quad_root(quad s) {
  if (!(s > 0)) return 0.0L;
  quad r = (quad)sqrtl((long double)s);
  r = (r + s / r) / 2;
  return (long double)((r + s / r) / 2);
}

static inline quad oracle_point_segment(quad3 p, quad3 a, quad3 b) {
  quad3 d = quad_sub(b, a);
  quad dd = quad_dot(d, d), t = dd > 0 ? quad_clamp(quad_dot(quad_sub(p, a), d) / dd) : 0;
  quad3 r = quad_sub(quad_at(a, d, t), p);
  return quad_dot(r, r);
}

static inline quad quad_min(quad a, quad b) { return a < b ? a : b; }

static inline quad oracle_segments(quad3 p, quad3 q, quad3 r, quad3 s) {
  quad best = quad_min(quad_min(oracle_point_segment(p, r, s), oracle_point_segment(q, r, s)),
                       quad_min(oracle_point_segment(r, p, q), oracle_point_segment(s, p, q)));
  quad3 d = quad_sub(q, p), e = quad_sub(s, r), n = quad_cross(d, e), w = quad_sub(r, p);
  quad nn = quad_dot(n, n);
  if (!(nn > 0)) return best;
  quad t = quad_dot(quad_cross(w, e), n) / nn, u = quad_dot(quad_cross(w, d), n) / nn;
  if (t < 0 || t > 1 || u < 0 || u > 1) return best;
  quad h = quad_dot(w, n);
  return quad_min(best, h * h / nn);
}

/* Is x, a point of the triangle's plane, inside the triangle? */
static inline bool oracle_in_triangle(quad3 x, const quad3 t[3], quad3 n) {
  quad slack = quad_dot(n, n) * (quad)1e-28;
  for (int k = 0; k < 3; k++)
    if (quad_dot(quad_cross(quad_sub(t[(k + 1) % 3], t[k]), quad_sub(x, t[k])), n) < -slack)
      return false;
  return true;
}

/* Square of the distance of a segment's first end from the face if it projects into it; 0 for a
 * segment that passes through the face. */
static inline quad oracle_face(quad3 p, quad3 q, const quad3 t[3]) {
  quad3 n = quad_cross(quad_sub(t[1], t[0]), quad_sub(t[2], t[0]));
  quad nn = quad_dot(n, n), best = INFINITY;
  if (!(nn > 0)) return best;
  quad h = quad_dot(n, quad_sub(p, t[0])), k = quad_dot(n, quad_sub(q, t[0]));
  if (oracle_in_triangle(quad_at(p, n, -h / nn), t, n)) best = h * h / nn;
  if ((h <= 0 && k >= 0) || (h >= 0 && k <= 0))
    if (h != k && oracle_in_triangle(quad_at(p, quad_sub(q, p), h / (h - k)), t, n)) best = 0;
  return best;
}

static inline long double oracle_triangles(const ct_vec3 a[3], const ct_vec3 b[3]) {
  quad3 p[3], q[3];
  for (int k = 0; k < 3; k++) {
    p[k] = quad_of(a[k]);
    q[k] = quad_of(b[k]);
  }
  quad best = INFINITY;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      best = quad_min(best, oracle_segments(p[i], p[(i + 1) % 3], q[j], q[(j + 1) % 3]));
    best = quad_min(best, oracle_face(p[i], p[(i + 1) % 3], q));
    best = quad_min(best, oracle_face(q[i], q[(i + 1) % 3], p));
  }
  return quad_root(best);
}

#endif
