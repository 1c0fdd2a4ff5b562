/* Area, volume, centroids, inertia of a mesh.
 *
 * Sums over the tetrahedra from a point to every triangle, all in double-double on exact coordinate differences: a thin wall's
 * volume is the small difference of two large ones, and a mesh far from its origin keeps its digits. Volume about the box's middle,
 * inertia about the centroid. Source: Mirtich 1996; the covariance of a tetrahedron.
 */
#include "base/double_double.h"
#include "mesh/mesh_build.h"
#include <contact/limits.h>

/* A determinant of three differences errs by less than 64 u^2 of six times the product of their largest coordinates, and so does a
 * sum by 4 u^2 of its terms for each step. */
#define SUM_BOUND (4.0 * CT_UNIT_ROUNDOFF * CT_UNIT_ROUNDOFF)
#define TERM_BOUND (64.0 * CT_UNIT_ROUNDOFF * CT_UNIT_ROUNDOFF)

/* Twice the area and six times its first moments; six times the volume, 24 times its first and 120 times its second moments. */
typedef struct moments {
  ct_dd area, d;
  ct_dd3 area_first, first;
  ct_dd xx, yy, zz, xy, yz, zx;
  double extent; /* sum of the sizes of the determinants' terms */
} moments;

typedef struct corners {
  ct_dd3 a, b, c; /* from the reference */
  ct_dd3 p, q;    /* the edges from a to b and to c; a . (p x q) is a . (b x c), but good for needles too */
} corners;

static corners corners_from(const ct_mesh_parts *m, uint32_t t, ct_vec3 reference) {
  const uint32_t *v = m->triangles[t];
  ct_vec3 a = ct_mesh_point(m, v[0]), b = ct_mesh_point(m, v[1]), c = ct_mesh_point(m, v[2]);
  return (corners){ct_dd3_sub(a, reference), ct_dd3_sub(b, reference), ct_dd3_sub(c, reference), ct_dd3_sub(b, a),
                   ct_dd3_sub(c, a)};
}

static ct_dd3 add3(const ct_dd3 *a, const ct_dd3 *b) {
  return (ct_dd3){ct_dd_add(a->x, b->x), ct_dd_add(a->y, b->y), ct_dd_add(a->z, b->z)};
}

static double extent_of(const ct_dd3 *a) { return ct_max_abs((ct_vec3){a->x.high, a->y.high, a->z.high}); }

static void accumulate(ct_dd *sum, ct_dd weight, ct_dd factor) { *sum = ct_dd_add(*sum, ct_dd_mul(weight, factor)); }

/* p q of the three pair sums, added: (a + b)(a' + b') + (b + c)(b' + c') + (c + a)(c' + a') is s s' + a a' + b b' + c c'. */
static ct_dd second(ct_dd ab, ct_dd bc, ct_dd ca, const ct_dd other[3]) {
  return ct_dd_add(ct_dd_add(ct_dd_mul(ab, other[0]), ct_dd_mul(bc, other[1])), ct_dd_mul(ca, other[2]));
}

static void add_first(moments *m, const corners *t) {
  ct_dd3 ab = add3(&t->a, &t->b), sum = add3(&ab, &t->c), cross = ct_dd3_cross(&t->p, &t->q);
  ct_dd d = ct_dd3_dot(&t->a, &cross), area = ct_dd_of(ct_norm(ct_dd3_value(&cross)));
  m->area = ct_dd_add(m->area, area);
  accumulate(&m->area_first.x, area, sum.x);
  accumulate(&m->area_first.y, area, sum.y);
  accumulate(&m->area_first.z, area, sum.z);
  m->d = ct_dd_add(m->d, d);
  accumulate(&m->first.x, d, sum.x);
  accumulate(&m->first.y, d, sum.y);
  accumulate(&m->first.z, d, sum.z);
  m->extent += 6.0 * extent_of(&t->a) * extent_of(&t->p) * extent_of(&t->q);
}

static void add_second(moments *m, const corners *t) {
  ct_dd3 ab = add3(&t->a, &t->b), bc = add3(&t->b, &t->c), ca = add3(&t->c, &t->a);
  ct_dd x[3] = {ab.x, bc.x, ca.x}, y[3] = {ab.y, bc.y, ca.y}, z[3] = {ab.z, bc.z, ca.z};
  ct_dd3 cross = ct_dd3_cross(&t->p, &t->q);
  ct_dd d = ct_dd3_dot(&t->a, &cross);
  accumulate(&m->xx, d, second(x[0], x[1], x[2], x));
  accumulate(&m->yy, d, second(y[0], y[1], y[2], y));
  accumulate(&m->zz, d, second(z[0], z[1], z[2], z));
  accumulate(&m->xy, d, second(x[0], x[1], x[2], y));
  accumulate(&m->yz, d, second(y[0], y[1], y[2], z));
  accumulate(&m->zx, d, second(z[0], z[1], z[2], x));
}

static void find_box(const ct_mesh_parts *m, ct_aabb *box) {
  *box = (ct_aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (uint32_t v = 0; v < m->vertex_count; v++) {
    if (m->parent[v] == CT_NO_TRIANGLE) continue;
    ct_vec3 p = ct_mesh_point(m, v);
    *box = ct_aabb_union(*box, (ct_aabb){p, p});
  }
}

static ct_vec3 middle_of(const ct_aabb *box) {
  return (ct_vec3){0.5 * (box->min.x + box->max.x), 0.5 * (box->min.y + box->max.y), 0.5 * (box->min.z + box->max.z)};
}

/* False: cancelled. */
static bool integrate(const ct_mesh_parts *m, ct_vec3 reference, void (*add)(moments *, const corners *), moments *out) {
  *out = (moments){0};
  for (uint32_t t = 0; t < m->triangle_count; t++) {
    if (ct_mesh_cancelled(t, m->cancel)) return false;
    if (m->state[t] != CT_MESH_LIVE) continue;
    corners c = corners_from(m, t, reference);
    add(out, &c);
  }
  return true;
}

static ct_mat3 inertia_of(const moments *m, bool inside_out) {
  double f = inside_out ? -120.0 : 120.0;
  double xx = ct_dd_value(m->xx) / f, yy = ct_dd_value(m->yy) / f, zz = ct_dd_value(m->zz) / f;
  double xy = ct_dd_value(m->xy) / f, yz = ct_dd_value(m->yz) / f, zx = ct_dd_value(m->zx) / f;
  return (ct_mat3){{yy + zz, -xy, -zx}, {-xy, zz + xx, -yz}, {-zx, -yz, xx + yy}};
}

static ct_vec3 centroid_of(ct_vec3 reference, const ct_dd3 *first, ct_dd weight, double factor) {
  ct_dd all = ct_dd_mul(weight, ct_dd_of(factor));
  return ct_add(reference, (ct_vec3){ct_dd_value(ct_dd_div(first->x, all)), ct_dd_value(ct_dd_div(first->y, all)),
                                     ct_dd_value(ct_dd_div(first->z, all))});
}

/* The centroid of the volume is rounded to a double; what the second moments about it lack to be about the true one is of the
 * second order of that rounding. */
bool ct_mesh_measure(const ct_mesh_parts *m, ct_mesh_report *report, ct_mesh_sums *sums) {
  moments s;
  *sums = (ct_mesh_sums){0};
  find_box(m, &report->box);
  ct_vec3 middle = middle_of(&report->box);
  if (!integrate(m, middle, add_first, &s)) return false;
  report->area = 0.5 * ct_dd_value(s.area);
  sums->area_centroid = centroid_of(middle, &s.area_first, s.area, 3.0);
  double six = ct_dd_value(s.d);
  bool encloses = fabs(six) > (SUM_BOUND * (double)m->live_count + TERM_BOUND) * s.extent;
  if (!encloses || !report->closed || !report->oriented) return true;
  sums->volume = six / 6.0;
  sums->volume_centroid = centroid_of(middle, &s.first, s.d, 4.0);
  if (!integrate(m, sums->volume_centroid, add_second, &s)) return false;
  sums->inertia = inertia_of(&s, six < 0.0);
  return true;
}
