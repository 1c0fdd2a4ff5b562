/* Nearest point of a triangle: the foot in its plane when that is inside, else the nearest of its edges.
 *
 * Whether the foot is inside, and how far the plane is, is found in doubles where they are good for it, and in double-double for
 * needles and flat triangles, whose normal would be noise. Ericson 2005, 5.1.5, without its differences of large products.
 */
#include "triangle/triangle_closest_point.h"
#include "base/double_double.h"
#include <contact/limits.h>

/* Doubles are good for a triangle whose area is at least this part of its longest edge's square: the normal errs by some 64 u. */
#define WIDE 0x1p-5
/* A weight n . (v x e) in doubles errs by less than this part of |longest edge|^2 |v| |e|, whatever n is. */
#define WEIGHT_BOUND (32.0 * CT_UNIT_ROUNDOFF)

/* Which points come first on an edge is decided by coordinates, so that both its triangles compute the same. */
static bool before(ct_vec3 a, ct_vec3 b) {
  if (a.x != b.x) return a.x < b.x;
  if (a.y != b.y) return a.y < b.y;
  return a.z < b.z;
}

static void offer(ct_triangle_near *best, ct_vec3 away, ct_vec3 point) {
  double distance2 = ct_norm2(away);
  if (distance2 < best->distance2) *best = (ct_triangle_near){distance2, point};
}

/* The nearest point of the segment from a to b. */
static void offer_edge(ct_triangle_near *best, ct_vec3 a, ct_vec3 b, ct_vec3 p) {
  if (before(b, a)) {
    ct_vec3 t = a;
    a = b;
    b = t;
  }
  ct_vec3 away = ct_sub(a, p), edge = ct_sub(b, a);
  double along = -ct_dot(away, edge), length2 = ct_norm2(edge);
  if (!(along > 0.0)) offer(best, away, a);
  else if (!(along < length2)) offer(best, ct_sub(b, p), b);
  else offer(best, ct_add_scaled(away, edge, along / length2), ct_add_scaled(a, edge, along / length2));
}

/* The foot as a mean of the corners with weights that are not negative. */
static ct_vec3 mean(ct_vec3 a, ct_vec3 b, ct_vec3 c, const double w[3]) {
  double sum = w[0] + w[1] + w[2];
  return ct_add_scaled(ct_add_scaled(a, ct_sub(b, a), w[1] / sum), ct_sub(c, a), w[2] / sum);
}

/* Is the foot inside the triangle? As below, in double-double. */
static bool inside_exactly(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 p, ct_triangle_near *out) {
  ct_dd3 ab = ct_dd3_sub(b, a), bc = ct_dd3_sub(c, b), ca = ct_dd3_sub(a, c), n = ct_dd3_cross(&ab, &bc);
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
  *out = (ct_triangle_near){height / length2 * height, mean(a, b, c, w)};
  return true;
}

/* Where is the foot of p in the plane? Inside the triangle: 0, and *out is filled. Else the edges on which the nearest point can
 * be, bit k for the edge opposite to corner k: those beyond which the foot is, or all where doubles cannot tell. With n the cross
 * product of two edges, n . ((b - p) x (c - b)) is the part of |n|^2 that corner a weighs in the foot. */
static int edges_beside(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 p, ct_triangle_near *out) {
  ct_vec3 along[3] = {ct_sub(c, b), ct_sub(a, c), ct_sub(b, a)}, from[3] = {ct_sub(b, p), ct_sub(c, p), ct_sub(a, p)};
  ct_vec3 n = ct_cross(along[2], along[0]);
  double longest2 = ct_max2(ct_max2(ct_norm2(along[0]), ct_norm2(along[1])), ct_norm2(along[2])), length2 = ct_norm2(n);
  bool wide = length2 >= WIDE * WIDE * longest2 * longest2;
  double w[3];
  int beside = 0;
  for (int i = 0; i < 3; i++) {
    w[i] = ct_dot(n, ct_cross(from[i], along[i]));
    if (w[i] >= 0.0) continue;
    beside |= 1 << i;
    if (!wide && w[i] < -WEIGHT_BOUND * longest2 * sqrt(ct_norm2(from[i]) * ct_norm2(along[i]))) return 7;
  }
  if (!wide) return inside_exactly(a, b, c, p, out) ? 0 : 7;
  if (beside) return beside;
  double height = ct_dot(n, from[0]);
  *out = (ct_triangle_near){height / length2 * height, mean(a, b, c, w)};
  return 0;
}

ct_triangle_near ct_triangle_nearest(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 p) {
  ct_triangle_near best = {.distance2 = INFINITY};
  int beside = edges_beside(a, b, c, p, &best);
  if (beside & 1) offer_edge(&best, b, c, p);
  if (beside & 2) offer_edge(&best, c, a, p);
  if (beside & 4) offer_edge(&best, a, b, p);
  return best;
}
