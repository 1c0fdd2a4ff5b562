/* Do triangles share a point? Exact signs alone.
 *
 * Two triangles that share a point share one that is on an edge of one of them. An edge that is not in the plane of a triangle
 * meets it where the volumes with its three sides do not differ in sign. What lies in one plane meets when its projections along
 * all three axes do: at least one of them is one to one.
 */
#include "triangle/triangle_distance.h"

#include "base/predicates.h"

typedef struct flat {
  double x, y;
} flat;

static flat project(ct_vec3 p, int axis) { return axis == 0 ? (flat){p.y, p.z} : axis == 1 ? (flat){p.z, p.x} : (flat){p.x, p.y}; }

/* Sign of (b - a) x (c - a): that of the volume with a point above a. */
static int turn(flat a, flat b, flat c) {
  return ct_orient3d(ct_vec(a.x, a.y, 0.0), ct_vec(b.x, b.y, 0.0), ct_vec(c.x, c.y, 0.0), ct_vec(a.x, a.y, 1.0));
}

static bool ranges_meet(double a, double b, double c, double d) {
  return ct_max2(a, b) >= ct_min2(c, d) && ct_max2(c, d) >= ct_min2(a, b);
}

static bool flat_segments_meet(flat p, flat q, flat r, flat s) {
  if (!ranges_meet(p.x, q.x, r.x, s.x) || !ranges_meet(p.y, q.y, r.y, s.y)) return false;
  int pr = turn(p, q, r), ps = turn(p, q, s);
  if (pr * ps > 0) return false;
  int rp = turn(r, s, p), rq = turn(r, s, q);
  return rp * rq <= 0;
}

static bool flat_triangle_holds(const flat t[3], flat p) {
  int s0 = turn(t[0], t[1], p), s1 = turn(t[1], t[2], p), s2 = turn(t[2], t[0], p);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

/* Segment and triangle in one plane. */
static bool coplanar_meet(ct_vec3 p, ct_vec3 q, const ct_triangle *t) {
  for (int axis = 0; axis < 3; axis++) {
    flat a = project(p, axis), b = project(q, axis);
    flat c[3] = {project(t->v[0], axis), project(t->v[1], axis), project(t->v[2], axis)};
    bool meet = flat_triangle_holds(c, a);
    for (int k = 0; k < 3 && !meet; k++) meet = flat_segments_meet(a, b, c[k], c[(k + 1) % 3]);
    if (!meet) return false;
  }
  return true;
}

static bool segments_meet(ct_vec3 p, ct_vec3 q, ct_vec3 r, ct_vec3 s) {
  if (ct_orient3d(p, q, r, s) != 0) return false;
  for (int axis = 0; axis < 3; axis++)
    if (!flat_segments_meet(project(p, axis), project(q, axis), project(r, axis), project(s, axis))) return false;
  return true;
}

/* Where a segment in the plane of a triangle shares a point with it: an end, the crossing of an edge or the place of a corner;
 * whichever is nearest to the triangle in doubles. */
static double place_in_plane(ct_vec3 p, ct_vec3 q, const ct_triangle *t) {
  double places[8] = {0.0, 1.0}, best = INFINITY, at = 0.0;
  ct_vec3 e = ct_sub(q, p);
  double ee = ct_norm2(e);
  for (int k = 0; k < 3; k++) {
    ct_vec3 d = ct_sub(t->v[(k + 1) % 3], t->v[k]), n = ct_cross(e, d);
    double nn = ct_norm2(n), s = nn > 0.0 ? ct_dot(ct_cross(ct_sub(t->v[k], p), d), n) / nn : 0.0;
    double foot = ee > 0.0 ? ct_dot(ct_sub(t->v[k], p), e) / ee : 0.0;
    places[2 + k] = ct_min2(ct_max2(s, 0.0), 1.0);
    places[5 + k] = ct_min2(ct_max2(foot, 0.0), 1.0);
  }
  for (int k = 0; k < 8; k++) {
    ct_vec3 x = ct_lerp(p, q, places[k]);
    double off = ct_norm2(ct_sub(ct_triangle_foot(t, x), x));
    if (off >= best) continue;
    best = off;
    at = places[k];
  }
  return at;
}

/* Where on p q the triangle is met; by doubles, as it is a construction. */
static double place_on(ct_vec3 p, ct_vec3 q, const ct_triangle *t, int side_p, int side_q) {
  if (side_p == 0 && side_q == 0) return place_in_plane(p, q, t);
  if (side_p == 0) return 0.0;
  if (side_q == 0) return 1.0;
  ct_vec3 n = ct_triangle_cross(t);
  double h = fabs(ct_dot(n, ct_sub(p, t->v[0]))), k = fabs(ct_dot(n, ct_sub(q, t->v[0])));
  return h + k > 0.0 ? h / (h + k) : 0.5;
}

/* The longest side of a triangle whose corners are on a line: the triangle itself. */
static int longest_side(const ct_triangle *t) {
  double best = -1.0;
  int side = 0;
  for (int k = 0; k < 3; k++) {
    double length = ct_norm2(ct_sub(t->v[(k + 1) % 3], t->v[k]));
    if (length > best) side = k;
    best = ct_max2(best, length);
  }
  return side;
}

/* With the sides of the triangle's plane that p and q are on. */
static bool sided_segment_meets(ct_vec3 p, ct_vec3 q, const ct_triangle *t, const int side[2]) {
  if (side[0] * side[1] > 0) return false;
  if (side[0] == 0 && side[1] == 0) {
    if (!ct_collinear(t->v[0], t->v[1], t->v[2])) return coplanar_meet(p, q, t);
    int k = longest_side(t);
    return segments_meet(p, q, t->v[k], t->v[(k + 1) % 3]);
  }
  int s0 = ct_orient3d(p, q, t->v[0], t->v[1]), s1 = ct_orient3d(p, q, t->v[1], t->v[2]);
  if (s0 * s1 < 0) return false;
  int s2 = ct_orient3d(p, q, t->v[2], t->v[0]);
  return s0 * s2 >= 0 && s1 * s2 >= 0;
}

static ct_vec3 flushed(ct_vec3 p) { return ct_vec(ct_exact_flush(p.x), ct_exact_flush(p.y), ct_exact_flush(p.z)); }

static ct_triangle flushed_triangle(const ct_triangle *t) {
  return (ct_triangle){{flushed(t->v[0]), flushed(t->v[1]), flushed(t->v[2])}};
}

/* Sides of t's plane that three points are on; false when all are on one side. */
static bool sides_of(const ct_triangle *t, const ct_triangle *points, int side[3]) {
  for (int k = 0; k < 3; k++) side[k] = ct_orient3d(t->v[0], t->v[1], t->v[2], points->v[k]);
  return !(side[0] == side[1] && side[1] == side[2] && side[0] != 0);
}

bool ct_segment_meets(ct_vec3 p, ct_vec3 q, const ct_triangle *triangle, double *at) {
  ct_triangle t = flushed_triangle(triangle);
  p = flushed(p);
  q = flushed(q);
  int side[2] = {ct_orient3d(t.v[0], t.v[1], t.v[2], p), ct_orient3d(t.v[0], t.v[1], t.v[2], q)};
  if (!sided_segment_meets(p, q, &t, side)) return false;
  if (at) *at = place_on(p, q, &t, side[0], side[1]);
  return true;
}

/* Edges of a that meet b; their points are added up. */
static int edges_that_meet(const ct_triangle *a, const int side[3], const ct_triangle *b, ct_vec3 *sum) {
  int count = 0;
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3, both[2] = {side[k], side[l]};
    if (!sided_segment_meets(a->v[k], a->v[l], b, both)) continue;
    count++;
    if (!sum) return count;
    *sum = ct_add(*sum, ct_lerp(a->v[k], a->v[l], place_on(a->v[k], a->v[l], b, side[k], side[l])));
  }
  return count;
}

bool ct_triangles_meet(const ct_triangle *first, const ct_triangle *second, ct_vec3 *point) {
  ct_triangle a = flushed_triangle(first), b = flushed_triangle(second);
  int side_a[3], side_b[3];
  if (!sides_of(&a, &b, side_b) || !sides_of(&b, &a, side_a)) return false;
  ct_vec3 sum = {0.0, 0.0, 0.0};
  int count = edges_that_meet(&a, side_a, &b, point ? &sum : NULL);
  if (count == 0 || point) count += edges_that_meet(&b, side_b, &a, point ? &sum : NULL);
  if (count == 0) return false;
  if (point) *point = ct_scale(sum, 1.0 / (double)count);
  return true;
}
