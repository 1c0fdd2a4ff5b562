/* Intersection of triangles with double-double corners: an edge of one intersects the other, by
 * exact signs. Same method as triangle_intersection.c. */
#include "triangle/triangle_double_double.h"

#include "base/predicates.h"

typedef struct flat {
  ct_dd x, y;
} flat;

static flat project_dd(const ct_dd3 *p, int axis) {
  return axis == 0 ? (flat){p->y, p->z} : axis == 1 ? (flat){p->z, p->x} : (flat){p->x, p->y};
}

/* Sign of (b - a) x (c - a), from the volume with a point above a. */
static int orient_flat_dd(const flat *a, const flat *b, const flat *c) {
  const ct_dd none = {0.0, 0.0}, one = {1.0, 0.0};
  ct_dd3 p = {a->x, a->y, none}, q = {b->x, b->y, none}, r = {c->x, c->y, none},
         is_greater_dd = {a->x, a->y, one};
  return ct_orient3d_wide(&p, &q, &r, &is_greater_dd);
}

static bool is_greater_dd(ct_dd a, ct_dd b) {
  return a.high > b.high || (a.high == b.high && a.low > b.low);
}

/* True if the range of a and b is disjoint from the range of c and d. */
static bool are_ranges_disjoint(ct_dd a, ct_dd b, ct_dd c, ct_dd d) {
  return (is_greater_dd(a, c) && is_greater_dd(a, d) && is_greater_dd(b, c) &&
          is_greater_dd(b, d)) ||
         (is_greater_dd(c, a) && is_greater_dd(c, b) && is_greater_dd(d, a) && is_greater_dd(d, b));
}

static bool do_flat_segments_intersect_dd(const flat *p, const flat *q, const flat *r,
                                          const flat *s) {
  if (are_ranges_disjoint(p->x, q->x, r->x, s->x) || are_ranges_disjoint(p->y, q->y, r->y, s->y))
    return false;
  return orient_flat_dd(p, q, r) * orient_flat_dd(p, q, s) <= 0 &&
         orient_flat_dd(r, s, p) * orient_flat_dd(r, s, q) <= 0;
}

static bool contains_flat_point_dd(const flat t[3], const flat *p) {
  int s0 = orient_flat_dd(&t[0], &t[1], p), s1 = orient_flat_dd(&t[1], &t[2], p),
      s2 = orient_flat_dd(&t[2], &t[0], p);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

/* Coplanar segment and triangle intersect if and only if their projections along all three axes
 * do. */
static bool do_coplanar_intersect_dd(const ct_dd3 *p, const ct_dd3 *q, const ct_wide_triangle *t) {
  for (int axis = 0; axis < 3; axis++) {
    flat a = project_dd(p, axis), b = project_dd(q, axis);
    flat c[3] = {project_dd(&t->v[0], axis), project_dd(&t->v[1], axis),
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
