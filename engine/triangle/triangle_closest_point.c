/* Closest point on a triangle: the projection onto its plane if that is inside, else the closest
 * point on its edges (Ericson 2005, 5.1.5, without its differences of large products).
 *
 * Doubles suffice for wide triangles. Needles and flat triangles, whose normal would be noise in
 * doubles, use double-double.
 */
#include "triangle/triangle_closest_point.h"
#include "base/double_double.h"
#include <contact/limits.h>

/* Least area, relative to the squared longest edge, for which doubles suffice: the normal then
 * errs by about 64 u. */
#define WIDE_AREA_MIN 0x1p-5
/* Error bound of a weight n . (v x e) in doubles, relative to |longest edge|^2 |v| |e|, for any
 * n. */
#define WEIGHT_BOUND (32.0 * CT_UNIT_ROUNDOFF)

/* Lexicographic order. Both triangles of an edge thus compute it in the same direction, bit for
 * bit. */
static bool precedes_point(ct_vec3 a, ct_vec3 b) {
  if (a.x != b.x) return a.x < b.x;
  if (a.y != b.y) return a.y < b.y;
  return a.z < b.z;
}

static void consider_point(ct_triangle_near *best, ct_vec3 away, ct_vec3 point) {
  double distance2 = ct_norm2(away);
  if (distance2 < best->distance2) *best = (ct_triangle_near){distance2, point};
}

/* Considers the closest point of the segment from a to b. */
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

/* Point from barycentric weights, all >= 0. */
static ct_vec3 interpolate(ct_vec3 a, ct_vec3 b, ct_vec3 c, const double w[3]) {
  double sum = w[0] + w[1] + w[2];
  return ct_add_scaled(ct_add_scaled(a, ct_sub(b, a), w[1] / sum), ct_sub(c, a), w[2] / sum);
}

/* As locate_projection, in double-double. True and *out if the projection is inside. */
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

/* Locates the projection of p. Returns 0 and fills *out if it is inside. Otherwise returns
 * candidate edges, bit k for the edge opposite corner k: the edges it is beyond, or all if
 * doubles cannot decide. With n the cross product of two edges, n . ((b - p) x (c - b)) over
 * |n|^2 is the weight of corner a. */
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
