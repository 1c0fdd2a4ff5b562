/* Exact intersection tests of triangles and segments by signs of determinants only
 * (base/predicates.h), in doubles, and for triangles whose vertices are double-doubles.
 *
 * Two triangles that share a point share one on an edge of one of them. An edge whose ends are on
 * different sides of a triangle's plane intersects the triangle if the volumes of the tetrahedra
 * that it spans with the triangle's sides do not differ in sign. Coplanar sets intersect if and
 * only if their projections along all three axes do, because at least one projection is
 * injective. */
#include "base/predicates.h"
#include "triangle/triangle_distance.h"
#include "triangle/triangle_double_double.h"

typedef struct flat {
  double x, y;
} flat;

static flat project_flat(ct_vec3 p, int axis) {
  return axis == 0 ? (flat){p.y, p.z} : axis == 1 ? (flat){p.z, p.x} : (flat){p.x, p.y};
}

/* Returns the sign of (b - a) x (c - a), from the volume of abc and a point above a. */
static int orient_flat(flat a, flat b, flat c) {
  return ct_orient3d(ct_vec(a.x, a.y, 0.0), ct_vec(b.x, b.y, 0.0), ct_vec(c.x, c.y, 0.0),
                     ct_vec(a.x, a.y, 1.0));
}

static bool do_ranges_overlap(double a, double b, double c, double d) {
  return ct_max2(a, b) >= ct_min2(c, d) && ct_max2(c, d) >= ct_min2(a, b);
}

static bool do_flat_segments_intersect(flat p, flat q, flat r, flat s) {
  if (!do_ranges_overlap(p.x, q.x, r.x, s.x) || !do_ranges_overlap(p.y, q.y, r.y, s.y))
    return false;
  int pr = orient_flat(p, q, r), ps = orient_flat(p, q, s);
  if (pr * ps > 0) return false;
  int rp = orient_flat(r, s, p), rq = orient_flat(r, s, q);
  return rp * rq <= 0;
}

static bool contains_flat_point(const flat t[3], flat p) {
  int s0 = orient_flat(t[0], t[1], p), s1 = orient_flat(t[1], t[2], p),
      s2 = orient_flat(t[2], t[0], p);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

/* True if a coplanar segment pq and triangle share a point. */
static bool do_coplanar_intersect(ct_vec3 p, ct_vec3 q, const ct_triangle *t) {
  for (int axis = 0; axis < 3; axis++) {
    flat a = project_flat(p, axis), b = project_flat(q, axis);
    flat c[3] = {project_flat(t->v[0], axis), project_flat(t->v[1], axis),
                 project_flat(t->v[2], axis)};
    bool meet = contains_flat_point(c, a);
    for (int k = 0; k < 3 && !meet; k++)
      meet = do_flat_segments_intersect(a, b, c[k], c[(k + 1) % 3]);
    if (!meet) return false;
  }
  return true;
}

static bool do_segments_intersect_3d(ct_vec3 p, ct_vec3 q, ct_vec3 r, ct_vec3 s) {
  if (ct_orient3d(p, q, r, s) != 0) return false;
  for (int axis = 0; axis < 3; axis++)
    if (!do_flat_segments_intersect(project_flat(p, axis), project_flat(q, axis),
                                    project_flat(r, axis), project_flat(s, axis)))
      return false;
  return true;
}

/* Returns the parameter on segment pq of a point that it shares with a coplanar triangle.
 * Candidates are its ends, crossings with edges, and projections of vertices; the one nearest to
 * the triangle in doubles is chosen. */
static double find_parameter_in_plane(ct_vec3 p, ct_vec3 q, const ct_triangle *t) {
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

/* Returns the parameter on pq of its intersection with the triangle, in doubles: the intersection
 * itself was decided exactly before. */
static double find_parameter(ct_vec3 p, ct_vec3 q, const ct_triangle *t, int side_p, int side_q) {
  if (side_p == 0 && side_q == 0) return find_parameter_in_plane(p, q, t);
  if (side_p == 0) return 0.0;
  if (side_q == 0) return 1.0;
  ct_vec3 n = ct_triangle_cross(t);
  double h = fabs(ct_dot(n, ct_sub(p, t->v[0]))), k = fabs(ct_dot(n, ct_sub(q, t->v[0])));
  return h + k > 0.0 ? h / (h + k) : 0.5;
}

/* Returns the longest side of a collinear triangle, which covers all its points. */
static int find_longest_side(const ct_triangle *t) {
  double best = -1.0;
  int side = 0;
  for (int k = 0; k < 3; k++) {
    double length = ct_norm2(ct_sub(t->v[(k + 1) % 3], t->v[k]));
    if (length > best) side = k;
    best = ct_max2(best, length);
  }
  return side;
}

/* True if segment pq intersects the triangle. side: exact signs of the sides of the triangle's
 * plane on which p and q are. */
static bool does_segment_intersect(ct_vec3 p, ct_vec3 q, const ct_triangle *t, const int side[2]) {
  if (side[0] * side[1] > 0) return false;
  if (side[0] == 0 && side[1] == 0) {
    if (!ct_collinear(t->v[0], t->v[1], t->v[2])) return do_coplanar_intersect(p, q, t);
    int k = find_longest_side(t);
    return do_segments_intersect_3d(p, q, t->v[k], t->v[(k + 1) % 3]);
  }
  int s0 = ct_orient3d(p, q, t->v[0], t->v[1]), s1 = ct_orient3d(p, q, t->v[1], t->v[2]);
  if (s0 * s1 < 0) return false;
  int s2 = ct_orient3d(p, q, t->v[2], t->v[0]);
  return s0 * s2 >= 0 && s1 * s2 >= 0;
}

static ct_vec3 flush_point(ct_vec3 p) {
  return ct_vec(ct_exact_flush(p.x), ct_exact_flush(p.y), ct_exact_flush(p.z));
}

static ct_triangle flush_triangle(const ct_triangle *t) {
  return (ct_triangle){{flush_point(t->v[0]), flush_point(t->v[1]), flush_point(t->v[2])}};
}

/* Sets `side` to the sides of t's plane on which the three points are. False: all are strictly on
 * one side. */
static bool find_plane_sides(const ct_triangle *t, const ct_triangle *points, int side[3]) {
  for (int k = 0; k < 3; k++) side[k] = ct_orient3d(t->v[0], t->v[1], t->v[2], points->v[k]);
  return !(side[0] == side[1] && side[1] == side[2] && side[0] != 0);
}

bool ct_segment_meets(ct_vec3 p, ct_vec3 q, const ct_triangle *triangle, double *at) {
  ct_triangle t = flush_triangle(triangle);
  p = flush_point(p);
  q = flush_point(q);
  int side[2] = {ct_orient3d(t.v[0], t.v[1], t.v[2], p), ct_orient3d(t.v[0], t.v[1], t.v[2], q)};
  if (!does_segment_intersect(p, q, &t, side)) return false;
  if (at) *at = find_parameter(p, q, &t, side[0], side[1]);
  return true;
}

/* Counts the edges of a that intersect b and adds an intersection point of each to *sum. If sum is
 * NULL, stops at the first. */
static int count_intersecting_edges(const ct_triangle *a, const int side[3], const ct_triangle *b,
                                    ct_vec3 *sum) {
  int count = 0;
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3, both[2] = {side[k], side[l]};
    if (!does_segment_intersect(a->v[k], a->v[l], b, both)) continue;
    count++;
    if (!sum) return count;
    *sum = ct_add(*sum,
                  ct_lerp(a->v[k], a->v[l], find_parameter(a->v[k], a->v[l], b, side[k], side[l])));
  }
  return count;
}

bool ct_triangles_meet(const ct_triangle *first, const ct_triangle *second, ct_vec3 *point) {
  ct_triangle a = flush_triangle(first), b = flush_triangle(second);
  int side_a[3], side_b[3];
  if (!find_plane_sides(&a, &b, side_b) || !find_plane_sides(&b, &a, side_a)) return false;
  ct_vec3 sum = {0.0, 0.0, 0.0};
  int count = count_intersecting_edges(&a, side_a, &b, point ? &sum : NULL);
  if (count == 0 || point) count += count_intersecting_edges(&b, side_b, &a, point ? &sum : NULL);
  if (count == 0) return false;
  if (point) *point = ct_scale(sum, 1.0 / (double)count);
  return true;
}

typedef struct flat_dd {
  ct_dd x, y;
} flat_dd;

static flat_dd project_dd(const ct_dd3 *p, int axis) {
  return axis == 0   ? (flat_dd){p->y, p->z}
         : axis == 1 ? (flat_dd){p->z, p->x}
                     : (flat_dd){p->x, p->y};
}

/* Returns the sign of (b - a) x (c - a), from the volume of abc and a point above a. */
static int orient_flat_dd(const flat_dd *a, const flat_dd *b, const flat_dd *c) {
  const ct_dd none = {0.0, 0.0}, one = {1.0, 0.0};
  ct_dd3 p = {a->x, a->y, none}, q = {b->x, b->y, none}, r = {c->x, c->y, none},
         is_greater_dd = {a->x, a->y, one};
  return ct_orient3d_wide(&p, &q, &r, &is_greater_dd);
}

static bool is_greater_dd(ct_dd a, ct_dd b) {
  return a.high > b.high || (a.high == b.high && a.low > b.low);
}

/* True if the interval of a and b is disjoint from that of c and d. */
static bool are_ranges_disjoint(ct_dd a, ct_dd b, ct_dd c, ct_dd d) {
  return (is_greater_dd(a, c) && is_greater_dd(a, d) && is_greater_dd(b, c) &&
          is_greater_dd(b, d)) ||
         (is_greater_dd(c, a) && is_greater_dd(c, b) && is_greater_dd(d, a) && is_greater_dd(d, b));
}

static bool do_flat_segments_intersect_dd(const flat_dd *p, const flat_dd *q, const flat_dd *r,
                                          const flat_dd *s) {
  if (are_ranges_disjoint(p->x, q->x, r->x, s->x) || are_ranges_disjoint(p->y, q->y, r->y, s->y))
    return false;
  return orient_flat_dd(p, q, r) * orient_flat_dd(p, q, s) <= 0 &&
         orient_flat_dd(r, s, p) * orient_flat_dd(r, s, q) <= 0;
}

static bool contains_flat_point_dd(const flat_dd t[3], const flat_dd *p) {
  int s0 = orient_flat_dd(&t[0], &t[1], p), s1 = orient_flat_dd(&t[1], &t[2], p),
      s2 = orient_flat_dd(&t[2], &t[0], p);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

/* True if a coplanar segment pq and triangle share a point, which is equivalent to their
 * projections along each of the three axes sharing one. */
static bool do_coplanar_intersect_dd(const ct_dd3 *p, const ct_dd3 *q, const ct_wide_triangle *t) {
  for (int axis = 0; axis < 3; axis++) {
    flat_dd a = project_dd(p, axis), b = project_dd(q, axis);
    flat_dd c[3] = {project_dd(&t->v[0], axis), project_dd(&t->v[1], axis),
                    project_dd(&t->v[2], axis)};
    bool meet = contains_flat_point_dd(c, &a);
    for (int k = 0; k < 3 && !meet; k++)
      meet = do_flat_segments_intersect_dd(&a, &b, &c[k], &c[(k + 1) % 3]);
    if (!meet) return false;
  }
  return true;
}

static bool does_segment_intersect_dd(const ct_dd3 *p, const ct_dd3 *q, const ct_wide_triangle *t) {
  int side_p = ct_orient3d_wide(&t->v[0], &t->v[1], &t->v[2], p),
      side_q = ct_orient3d_wide(&t->v[0], &t->v[1], &t->v[2], q);
  if (side_p * side_q > 0) return false;
  if (side_p == 0 && side_q == 0) return do_coplanar_intersect_dd(p, q, t);
  int s0 = ct_orient3d_wide(p, q, &t->v[0], &t->v[1]),
      s1 = ct_orient3d_wide(p, q, &t->v[1], &t->v[2]);
  if (s0 * s1 < 0) return false;
  int s2 = ct_orient3d_wide(p, q, &t->v[2], &t->v[0]);
  return s0 * s2 >= 0 && s1 * s2 >= 0;
}

bool ct_wide_triangles_meet(const ct_wide_triangle *a, const ct_wide_triangle *b) {
  for (int k = 0; k < 3; k++)
    if (does_segment_intersect_dd(&a->v[k], &a->v[(k + 1) % 3], b) ||
        does_segment_intersect_dd(&b->v[k], &b->v[(k + 1) % 3], a))
      return true;
  return false;
}
