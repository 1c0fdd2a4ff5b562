/* Support values of convex bodies of every kind, and distances of points outside of them, in long
 * double: closed forms that share no code with the engine. Rotations are those of q/|q|. */
#ifndef ORACLE_KIND_ORACLE_H
#define ORACLE_KIND_ORACLE_H

#include "tests/oracle/pair_cases.h"
#include "tests/oracle/pair_oracle.h"

/* Transforms a direction from world to local axes: columns of the rotation times the vector. */
static inline oracle_vec kind_turned_back(const ct_pose *pose, oracle_vec v) {
  long double x = pose->rotation.x, y = pose->rotation.y, z = pose->rotation.z,
              w = pose->rotation.w;
  long double s = 2 / (x * x + y * y + z * z + w * w);
  oracle_vec q = {-x, -y, -z}, t = oracle_cross(q, v), tt = oracle_cross(q, t);
  return (oracle_vec){v.x + s * (w * t.x + tt.x), v.y + s * (w * t.y + tt.y),
                      v.z + s * (w * t.z + tt.z)};
}

static inline long double kind_greater(long double a, long double b) { return a > b ? a : b; }
static inline long double kind_ring(oracle_vec p) { return sqrtl(p.x * p.x + p.y * p.y); }

/* Radii and half height of a cylinder or cone. */
static inline void kind_frustum(const ct_shape *shape, long double *half, long double *bottom,
                                long double *top) {
  bool cylinder = shape->kind == CT_KIND_CYLINDER;
  *half = cylinder ? shape->cylinder.half_length : shape->cone.half_length;
  *bottom = cylinder ? shape->cylinder.radius : shape->cone.radius_bottom;
  *top = cylinder ? shape->cylinder.radius : shape->cone.radius_top;
}

/* max n.p over the body, relative to the body's own position. */
static inline long double kind_reach(const pair_body *body, oracle_vec world) {
  const ct_shape *shape = &body->shape;
  oracle_vec n = kind_turned_back(&body->pose, world);
  long double half, bottom, top, most = -INFINITY;
  switch (shape->kind) {
  case CT_KIND_SPHERE: return shape->sphere.radius * oracle_norm(n);
  case CT_KIND_BOX: {
    ct_vec3 h = shape->box.half;
    return fabsl(n.x) * h.x + fabsl(n.y) * h.y + fabsl(n.z) * h.z;
  }
  case CT_KIND_CAPSULE:
    half = shape->capsule.half_length;
    return kind_greater(n.z * half + shape->capsule.radius_top * oracle_norm(n),
                        shape->capsule.radius_bottom * oracle_norm(n) - n.z * half);
  case CT_KIND_CYLINDER:
  case CT_KIND_CONE:
    kind_frustum(shape, &half, &bottom, &top);
    return kind_greater(n.z * half + top * kind_ring(n), bottom * kind_ring(n) - n.z * half);
  case CT_KIND_ELLIPSOID: {
    ct_vec3 r = shape->ellipsoid.radii;
    return oracle_norm((oracle_vec){r.x * n.x, r.y * n.y, r.z * n.z});
  }
  default:
    for (int i = 0; i < body->count; i++) {
      ct_vec3 p = body->points[i];
      most = kind_greater(most, n.x * p.x + n.y * p.y + n.z * p.z);
    }
    return most;
  }
}

/* Distance of the point (ring, z) from a segment of the meridian plane. */
static inline long double kind_segment(long double ring, long double z, const long double from[2],
                                       const long double to[2]) {
  long double u = to[0] - from[0], v = to[1] - from[1],
              t = ((ring - from[0]) * u + (z - from[1]) * v) / (u * u + v * v);
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return sqrtl((ring - from[0] - t * u) * (ring - from[0] - t * u) +
               (z - from[1] - t * v) * (z - from[1] - t * v));
}

static inline long double kind_outside_frustum(const ct_shape *shape, oracle_vec p) {
  long double half, bottom, top, ring = kind_ring(p);
  kind_frustum(shape, &half, &bottom, &top);
  long double side = bottom + (top - bottom) * (p.z + half) / (2 * half);
  if (fabsl(p.z) <= half && ring <= side) return 0;
  const long double a[2] = {0, -half}, b[2] = {bottom, -half}, c[2] = {top, half}, d[2] = {0, half};
  long double least = kind_segment(ring, p.z, b, c);
  if (bottom > 0) least = fminl(least, kind_segment(ring, p.z, a, b));
  if (top > 0) least = fminl(least, kind_segment(ring, p.z, d, c));
  return least;
}

/* The nearest point is s^2 p / (t + s^2), where t >= 0 is the root of sum (s p / (t + s^2))^2 = 1;
 * found by bisection. */
static inline long double kind_outside_ellipsoid(ct_vec3 radii, oracle_vec p) {
  const long double s[3] = {radii.x, radii.y, radii.z}, q[3] = {p.x, p.y, p.z};
  long double low = 0, high = 0, gap = 0;
  for (int i = 0; i < 3; i++) high = kind_greater(high, s[i]);
  high *= oracle_norm(p);
  for (int step = 0; step < 200; step++) {
    long double t = step ? (low + high) / 2 : 0, sum = 0;
    for (int i = 0; i < 3; i++)
      sum += (s[i] * q[i] / (t + s[i] * s[i])) * (s[i] * q[i] / (t + s[i] * s[i]));
    if (step == 0 && sum <= 1) return 0;
    if (sum > 1) low = t;
    else high = t;
  }
  for (int i = 0; i < 3; i++)
    gap += (q[i] * low / (low + s[i] * s[i])) * (q[i] * low / (low + s[i] * s[i]));
  return sqrtl(gap);
}

static inline oracle_wide kind_wide(oracle_vec v) { return (oracle_wide){v.x, v.y, v.z}; }
static inline oracle_quad kind_wide_dot(oracle_wide a, oracle_wide b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* If the foot of the perpendicular on the triangle's plane is in the triangle, the square of the
 * distance from the plane. In 113 bits, since `to` may be within round-off of the edge of a
 * needle. */
static inline bool kind_foot(oracle_vec u, oracle_vec v, oracle_vec to, long double *square) {
  oracle_wide a = kind_wide(u), b = kind_wide(v), c = kind_wide(to), n = oracle_wide_cross(a, b);
  oracle_quad area = kind_wide_dot(n, n), s = kind_wide_dot(oracle_wide_cross(c, b), n),
              w = kind_wide_dot(oracle_wide_cross(a, c), n);
  if (!(area > 0) || s < 0 || w < 0 || s + w > area) return false;
  *square = (long double)(kind_wide_dot(c, n) * kind_wide_dot(c, n) / area);
  return true;
}

/* Square of the distance of p from the triangle: to the plane if the foot is inside, else to the
 * nearest edge. */
static inline long double kind_triangle(oracle_vec p, const oracle_vec t[3]) {
  oracle_vec u = oracle_sub(t[1], t[0]), v = oracle_sub(t[2], t[0]), to = oracle_sub(p, t[0]),
             n = oracle_cross(u, v);
  long double square = oracle_dot(n, n), s = oracle_dot(oracle_cross(to, v), n),
              w = oracle_dot(oracle_cross(u, to), n), least;
  /* Not a needle: long double is accurate enough. */
  if (square > 1e-3L * oracle_dot(u, u) * oracle_dot(v, v)) {
    if (s >= 0 && w >= 0 && s + w <= square) return oracle_dot(to, n) * oracle_dot(to, n) / square;
  } else if (kind_foot(u, v, to, &least)) {
    return least;
  }
  least = INFINITY;
  for (int i = 0; i < 3; i++) {
    oracle_vec e = oracle_sub(t[(i + 1) % 3], t[i]), from = oracle_sub(p, t[i]);
    long double length = oracle_dot(e, e), along = length > 0 ? oracle_dot(from, e) / length : 0;
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    oracle_vec off = oracle_mix(from, 1, e, -along);
    least = fminl(least, oracle_dot(off, off));
  }
  return least;
}

/* For hulls with too many points for the search over all normals. The point is outside if it is
 * outside some face plane; the distance is then that to the nearest triangle of the faces. The
 * faces come from the engine; test_hull_brute.c proves them. */
static inline long double kind_outside_hull(const pair_body *body, oracle_vec p) {
  const ct_hull_view *h = ct_hull_get(body->shape.hull);
  bool outside = false;
  for (uint32_t f = 0; f < h->face_count && !outside; f++) {
    oracle_vec n = {h->nx[f], h->ny[f], h->nz[f]};
    long double most = -INFINITY;
    for (uint32_t k = h->face_start[f]; k < h->face_start[f + 1]; k++) {
      uint32_t v = h->face_loop[k];
      most = kind_greater(most, n.x * h->x[v] + n.y * h->y[v] + n.z * h->z[v]);
    }
    if (oracle_dot(n, p) <= most) continue;
    /* The normal of a face hardly larger than round-off may lean, so that other points lie beyond
     * its plane. */
    for (int i = 0; i < body->count; i++)
      most = kind_greater(most, n.x * body->points[i].x + n.y * body->points[i].y +
                                    n.z * body->points[i].z);
    outside = oracle_dot(n, p) > most;
  }
  long double least = INFINITY;
  for (uint32_t f = 0; f < h->face_count && outside; f++)
    for (uint32_t k = h->face_start[f] + 1; k + 1 < h->face_start[f + 1]; k++) {
      const uint32_t corner[3] = {h->face_loop[h->face_start[f]], h->face_loop[k],
                                  h->face_loop[k + 1]};
      oracle_vec t[3];
      for (int i = 0; i < 3; i++)
        t[i] = (oracle_vec){h->x[corner[i]], h->y[corner[i]], h->z[corner[i]]};
      least = fminl(least, kind_triangle(p, t));
    }
  return outside ? sqrtl(least) : 0;
}

/* Distance of a world point outside the body; 0 inside. */
static inline long double kind_outside(const pair_body *body, ct_vec3 point) {
  const ct_shape *shape = &body->shape;
  ct_vec3 o = body->pose.position;
  oracle_vec p = {(long double)point.x - o.x, (long double)point.y - o.y,
                  (long double)point.z - o.z};
  p = kind_turned_back(&body->pose, p);
  switch (shape->kind) {
  case CT_KIND_SPHERE: return kind_greater(oracle_norm(p) - shape->sphere.radius, 0);
  case CT_KIND_BOX: {
    ct_vec3 h = shape->box.half;
    return oracle_norm((oracle_vec){kind_greater(fabsl(p.x) - h.x, 0),
                                    kind_greater(fabsl(p.y) - h.y, 0),
                                    kind_greater(fabsl(p.z) - h.z, 0)});
  }
  case CT_KIND_CYLINDER:
  case CT_KIND_CONE: return kind_outside_frustum(shape, p);
  case CT_KIND_ELLIPSOID: return kind_outside_ellipsoid(shape->ellipsoid.radii, p);
  case CT_KIND_CONVEX:
    if (body->count > ORACLE_BALLS_MAX) return kind_outside_hull(body, p);
    break;
  default: break;
  }
  oracle_body hull = oracle_of(shape, &body->pose, body->points, body->count), at = {.balls = 1};
  at.exact[0] = (oracle_wide){point.x, point.y, point.z};
  return kind_greater(oracle_distance(&hull, &at, NULL), 0);
}

/* The gap between the supporting planes across n, in long double relative to a's position. */
static inline long double kind_gap(const pair_case *c, ct_vec3 normal) {
  oracle_vec n = {normal.x, normal.y, normal.z};
  long double length = oracle_norm(n);
  n = (oracle_vec){n.x / length, n.y / length, n.z / length};
  oracle_vec to = {(long double)c->b.pose.position.x - c->a.pose.position.x,
                   (long double)c->b.pose.position.y - c->a.pose.position.y,
                   (long double)c->b.pose.position.z - c->a.pose.position.z};
  return oracle_dot(n, to) - kind_reach(&c->a, n) -
         kind_reach(&c->b, (oracle_vec){-n.x, -n.y, -n.z});
}

#endif
