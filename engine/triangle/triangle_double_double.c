/* Triangles of wide corners: an edge of one that meets the other, by exact signs, as in triangle_intersection.c.
 */
#include "triangle/triangle_double_double.h"

#include "base/predicates.h"

typedef struct flat {
  ct_dd x, y;
} flat;

static flat project(const ct_dd3 *p, int axis) {
  return axis == 0 ? (flat){p->y, p->z} : axis == 1 ? (flat){p->z, p->x} : (flat){p->x, p->y};
}

/* Sign of (b - a) x (c - a): that of the volume with a point above a. */
static int turn(const flat *a, const flat *b, const flat *c) {
  const ct_dd none = {0.0, 0.0}, one = {1.0, 0.0};
  ct_dd3 p = {a->x, a->y, none}, q = {b->x, b->y, none}, r = {c->x, c->y, none}, above = {a->x, a->y, one};
  return ct_orient3d_wide(&p, &q, &r, &above);
}

static bool above(ct_dd a, ct_dd b) { return a.high > b.high || (a.high == b.high && a.low > b.low); }

/* Is what two numbers span beyond what two others do? */
static bool ranges_part(ct_dd a, ct_dd b, ct_dd c, ct_dd d) {
  return (above(a, c) && above(a, d) && above(b, c) && above(b, d)) || (above(c, a) && above(c, b) && above(d, a) && above(d, b));
}

static bool flat_segments_meet(const flat *p, const flat *q, const flat *r, const flat *s) {
  if (ranges_part(p->x, q->x, r->x, s->x) || ranges_part(p->y, q->y, r->y, s->y)) return false;
  return turn(p, q, r) * turn(p, q, s) <= 0 && turn(r, s, p) * turn(r, s, q) <= 0;
}

static bool flat_triangle_holds(const flat t[3], const flat *p) {
  int s0 = turn(&t[0], &t[1], p), s1 = turn(&t[1], &t[2], p), s2 = turn(&t[2], &t[0], p);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

/* Segment and triangle in one plane: they meet when their projections along all three axes do. */
static bool coplanar_meet(const ct_dd3 *p, const ct_dd3 *q, const ct_wide_triangle *t) {
  for (int axis = 0; axis < 3; axis++) {
    flat a = project(p, axis), b = project(q, axis);
    flat c[3] = {project(&t->v[0], axis), project(&t->v[1], axis), project(&t->v[2], axis)};
    bool meet = flat_triangle_holds(c, &a);
    for (int k = 0; k < 3 && !meet; k++) meet = flat_segments_meet(&a, &b, &c[k], &c[(k + 1) % 3]);
    if (!meet) return false;
  }
  return true;
}

static bool segment_meets(const ct_dd3 *p, const ct_dd3 *q, const ct_wide_triangle *t) {
  int side_p = ct_orient3d_wide(&t->v[0], &t->v[1], &t->v[2], p), side_q = ct_orient3d_wide(&t->v[0], &t->v[1], &t->v[2], q);
  if (side_p * side_q > 0) return false;
  if (side_p == 0 && side_q == 0) return coplanar_meet(p, q, t);
  int s0 = ct_orient3d_wide(p, q, &t->v[0], &t->v[1]), s1 = ct_orient3d_wide(p, q, &t->v[1], &t->v[2]);
  if (s0 * s1 < 0) return false;
  int s2 = ct_orient3d_wide(p, q, &t->v[2], &t->v[0]);
  return s0 * s2 >= 0 && s1 * s2 >= 0;
}

bool ct_wide_triangles_meet(const ct_wide_triangle *a, const ct_wide_triangle *b) {
  for (int k = 0; k < 3; k++)
    if (segment_meets(&a->v[k], &a->v[(k + 1) % 3], b) || segment_meets(&b->v[k], &b->v[(k + 1) % 3], a)) return true;
  return false;
}
