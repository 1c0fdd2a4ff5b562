/* Closest point on a triangle: the projection onto its plane if it is inside, else the closest
 * point on its edges (Ericson 2005, 5.1.5, without the differences of large products).
 *
 * Doubles suffice for triangles that are not slender. The normal of a needle or a flat triangle
 * would be mostly round-off in doubles; these use double-double. */
#include "triangle/triangle_closest_point.h"
#include "base/double_double.h"
#include <contact/limits.h>

/* Least area, relative to the squared longest edge, for which doubles suffice: the error of the
 * normal is then about 64 unit round-offs. */
#define WIDE_AREA_MIN 0x1p-5
/* Bound of the error of a weight n . (v x e) in doubles, relative to |longest edge|^2 |v| |e|,
 * for triangles of any shape. */
#define WEIGHT_BOUND (32.0 * CT_UNIT_ROUNDOFF)

/* Compares points lexicographically. Edges are evaluated from the lower to the higher end, so that
 * both triangles of an edge get bit-identical results. */
static bool precedes_point(ct_vec3 a, ct_vec3 b) {
  if (a.x != b.x) return a.x < b.x;
  if (a.y != b.y) return a.y < b.y;
  return a.z < b.z;
}

static void consider_point(ct_triangle_near *best, ct_vec3 away, ct_vec3 point) {
  double distance2 = ct_norm2(away);
  if (distance2 < best->distance2) *best = (ct_triangle_near){distance2, point};
}

/* Replaces *best by the closest point of segment ab to p if that is nearer. */
static void consider_edge_point(ct_triangle_near *best, ct_vec3 a, ct_vec3 b, ct_vec3 p) {
  if (precedes_point(b, a)) {
    ct_vec3 t = a;
    a = b;
    b = t;
  }
  ct_vec3 away = ct_sub(a, p), edge = ct_sub(b, a);
  double along = -ct_dot(away, edge), length2 = ct_norm2(edge);
  if (!(along > 0.0)) consider_point(best, away, a);
  else if (!(along < length2)) consider_point(best, ct_sub(b, p), b);
  else
    consider_point(best, ct_add_scaled(away, edge, along / length2),
                   ct_add_scaled(a, edge, along / length2));
}

/* Returns the point with the given barycentric weights, which must be >= 0. */
static ct_vec3 interpolate(ct_vec3 a, ct_vec3 b, ct_vec3 c, const double w[3]) {
  double sum = w[0] + w[1] + w[2];
  return ct_add_scaled(ct_add_scaled(a, ct_sub(b, a), w[1] / sum), ct_sub(c, a), w[2] / sum);
}

/* Computes in double-double whether the projection of p onto the plane is inside the triangle.
 * True: it is, and *out is set. */
static bool project_inside_dd(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 p, ct_triangle_near *out) {
  ct_dd3 ab = ct_dd3_sub(b, a), bc = ct_dd3_sub(c, b), ca = ct_dd3_sub(a, c),
         n = ct_dd3_cross(&ab, &bc);
  ct_dd3 from[3] = {ct_dd3_sub(b, p), ct_dd3_sub(c, p), ct_dd3_sub(a, p)};
  const ct_dd3 *along[3] = {&bc, &ca, &ab};
  double w[3];
  for (int i = 0; i < 3; i++) {
    ct_dd3 turn = ct_dd3_cross(&from[i], along[i]);
    w[i] = ct_dd_value(ct_dd3_dot(&n, &turn));
    if (!(w[i] >= 0.0)) return false;
  }
  double height = ct_dd_value(ct_dd3_dot(&n, &from[0])), length2 = ct_norm2(ct_dd3_value(&n));
  if (!(length2 > 0.0) || !(w[0] + w[1] + w[2] > 0.0)) return false;
  *out = (ct_triangle_near){height / length2 * height, interpolate(a, b, c, w)};
  return true;
}

/* Locates the projection of p onto the triangle's plane. Returns 0 if it is inside, and sets *out.
 * Otherwise returns a bit set of the edges to test, bit k for the edge opposite vertex k: those
 * beyond which the projection lies, or all three if doubles cannot decide. With n the cross product
 * of two edges, n . ((b - p) x (c - b)) / |n|^2 is the barycentric weight of vertex a. */
static int locate_projection(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 p, ct_triangle_near *out) {
  ct_vec3 along[3] = {ct_sub(c, b), ct_sub(a, c), ct_sub(b, a)},
          from[3] = {ct_sub(b, p), ct_sub(c, p), ct_sub(a, p)};
  ct_vec3 n = ct_cross(along[2], along[0]);
  double longest2 = ct_max2(ct_max2(ct_norm2(along[0]), ct_norm2(along[1])), ct_norm2(along[2])),
         length2 = ct_norm2(n);
  bool wide = length2 >= WIDE_AREA_MIN * WIDE_AREA_MIN * longest2 * longest2;
  double w[3];
  int beside = 0;
  for (int i = 0; i < 3; i++) {
    w[i] = ct_dot(n, ct_cross(from[i], along[i]));
    if (w[i] >= 0.0) continue;
    beside |= 1 << i;
    if (!wide && w[i] < -WEIGHT_BOUND * longest2 * sqrt(ct_norm2(from[i]) * ct_norm2(along[i])))
      return 7;
  }
  if (!wide) return project_inside_dd(a, b, c, p, out) ? 0 : 7;
  if (beside) return beside;
  double height = ct_dot(n, from[0]);
  *out = (ct_triangle_near){height / length2 * height, interpolate(a, b, c, w)};
  return 0;
}

ct_triangle_near ct_triangle_nearest(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 p) {
  ct_triangle_near best = {.distance2 = INFINITY};
  int beside = locate_projection(a, b, c, p, &best);
  if (beside & 1) consider_edge_point(&best, b, c, p);
  if (beside & 2) consider_edge_point(&best, c, a, p);
  if (beside & 4) consider_edge_point(&best, a, b, p);
  return best;
}
