/* Area, volume, centroids and inertia of a mesh.
 *
 * All are sums over the tetrahedra from a reference point to every triangle (polyhedral mass
 * properties, Mirtich 1996; covariance of a tetrahedron). Coordinate differences are exact and sums
 * are in double-double, so that thin walls and meshes far from their origin keep their digits. The
 * reference point is the middle of the box for volume and centroids, and the centroid for the
 * inertia. */
#include "base/double_double.h"
#include "mesh/mesh_build.h"
#include <contact/limits.h>

/* Bounds of the error of the sum of determinants, relative to `extent`: SUM_BOUND for each addition
 * of a term, TERM_BOUND for the determinants of three differences themselves. */
#define SUM_BOUND (4.0 * CT_UNIT_ROUNDOFF * CT_UNIT_ROUNDOFF)
#define TERM_BOUND (64.0 * CT_UNIT_ROUNDOFF * CT_UNIT_ROUNDOFF)

/* Sums over the triangles. `area`, `area_first`: 2 times the area, 6 times its first moments. `d`,
 * `first`, `xx` to `zx`: 6 times the volume, 24 times its first moments, 120 times its second
 * moments. */
typedef struct moments {
  ct_dd area, d;
  ct_dd3 area_first, first;
  ct_dd xx, yy, zz, xy, yz, zx;
  double extent; /* sum of bounds of the magnitudes of the determinants' terms */
} moments;

typedef struct corners {
  ct_dd3 a, b, c; /* vertices relative to the reference point */
  ct_dd3 p, q; /* edge vectors from a to b and from a to c; a . (p x q) equals a . (b x c) and stays
                  accurate for needles */
} corners;

static corners subtract_reference(const ct_mesh_parts *m, uint32_t t, ct_vec3 reference) {
  const uint32_t *v = m->triangles[t];
  ct_vec3 a = ct_mesh_point(m, v[0]), b = ct_mesh_point(m, v[1]), c = ct_mesh_point(m, v[2]);
  return (corners){ct_dd3_sub(a, reference), ct_dd3_sub(b, reference), ct_dd3_sub(c, reference),
                   ct_dd3_sub(b, a), ct_dd3_sub(c, a)};
}

static ct_dd3 add_vectors_dd(const ct_dd3 *a, const ct_dd3 *b) {
  return (ct_dd3){ct_dd_add(a->x, b->x), ct_dd_add(a->y, b->y), ct_dd_add(a->z, b->z)};
}

static double find_magnitude(const ct_dd3 *a) {
  return ct_max_abs((ct_vec3){a->x.high, a->y.high, a->z.high});
}

static void add_weighted(ct_dd *sum, ct_dd weight, ct_dd factor) {
  *sum = ct_dd_add(*sum, ct_dd_mul(weight, factor));
}

/* Returns the second moment of two coordinates from the pairwise sums of vertices, here for the
 * coordinates x and x': (a + b)(a' + b') + (b + c)(b' + c') + (c + a)(c' + a') = s s' + a a' + b b'
 * + c c' with s = a + b + c. */
static ct_dd sum_second_products(ct_dd ab, ct_dd bc, ct_dd ca, const ct_dd other[3]) {
  return ct_dd_add(ct_dd_add(ct_dd_mul(ab, other[0]), ct_dd_mul(bc, other[1])),
                   ct_dd_mul(ca, other[2]));
}

static void add_first_moments(moments *m, const corners *t) {
  ct_dd3 ab = add_vectors_dd(&t->a, &t->b), sum = add_vectors_dd(&ab, &t->c),
         cross = ct_dd3_cross(&t->p, &t->q);
  ct_dd d = ct_dd3_dot(&t->a, &cross), area = ct_dd_of(ct_norm(ct_dd3_value(&cross)));
  m->area = ct_dd_add(m->area, area);
  add_weighted(&m->area_first.x, area, sum.x);
  add_weighted(&m->area_first.y, area, sum.y);
  add_weighted(&m->area_first.z, area, sum.z);
  m->d = ct_dd_add(m->d, d);
  add_weighted(&m->first.x, d, sum.x);
  add_weighted(&m->first.y, d, sum.y);
  add_weighted(&m->first.z, d, sum.z);
  m->extent += 6.0 * find_magnitude(&t->a) * find_magnitude(&t->p) * find_magnitude(&t->q);
}

static void add_second_moments(moments *m, const corners *t) {
  ct_dd3 ab = add_vectors_dd(&t->a, &t->b), bc = add_vectors_dd(&t->b, &t->c),
         ca = add_vectors_dd(&t->c, &t->a);
  ct_dd x[3] = {ab.x, bc.x, ca.x}, y[3] = {ab.y, bc.y, ca.y}, z[3] = {ab.z, bc.z, ca.z};
  ct_dd3 cross = ct_dd3_cross(&t->p, &t->q);
  ct_dd d = ct_dd3_dot(&t->a, &cross);
  add_weighted(&m->xx, d, sum_second_products(x[0], x[1], x[2], x));
  add_weighted(&m->yy, d, sum_second_products(y[0], y[1], y[2], y));
  add_weighted(&m->zz, d, sum_second_products(z[0], z[1], z[2], z));
  add_weighted(&m->xy, d, sum_second_products(x[0], x[1], x[2], y));
  add_weighted(&m->yz, d, sum_second_products(y[0], y[1], y[2], z));
  add_weighted(&m->zx, d, sum_second_products(z[0], z[1], z[2], x));
}

static void bound_used_vertices(const ct_mesh_parts *m, ct_aabb *box) {
  *box = (ct_aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (uint32_t v = 0; v < m->vertex_count; v++) {
    if (m->parent[v] == CT_NO_TRIANGLE) continue;
    ct_vec3 p = ct_mesh_point(m, v);
    *box = ct_aabb_union(*box, (ct_aabb){p, p});
  }
}

static ct_vec3 find_box_middle(const ct_aabb *box) {
  return (ct_vec3){0.5 * (box->min.x + box->max.x), 0.5 * (box->min.y + box->max.y),
                   0.5 * (box->min.z + box->max.z)};
}

/* Sums the moments of all live triangles about the reference point with the function `add`. False:
 * cancelled. */
static bool integrate_triangles(const ct_mesh_parts *m, ct_vec3 reference,
                                void (*add)(moments *, const corners *), moments *out) {
  *out = (moments){0};
  for (uint32_t t = 0; t < m->triangle_count; t++) {
    if (ct_mesh_cancelled(t, m->cancel)) return false;
    if (m->state[t] != CT_MESH_LIVE) continue;
    corners c = subtract_reference(m, t, reference);
    add(out, &c);
  }
  return true;
}

static ct_mat3 inertia_from_moments(const moments *m, bool inside_out) {
  double f = inside_out ? -120.0 : 120.0;
  double xx = ct_dd_value(m->xx) / f, yy = ct_dd_value(m->yy) / f, zz = ct_dd_value(m->zz) / f;
  double xy = ct_dd_value(m->xy) / f, yz = ct_dd_value(m->yz) / f, zx = ct_dd_value(m->zx) / f;
  return (ct_mat3){{yy + zz, -xy, -zx}, {-xy, zz + xx, -yz}, {-zx, -yz, xx + yy}};
}

static ct_vec3 divide_first_moment(ct_vec3 reference, const ct_dd3 *first, ct_dd weight,
                                   double factor) {
  ct_dd all = ct_dd_mul(weight, ct_dd_of(factor));
  return ct_add(reference, (ct_vec3){ct_dd_value(ct_dd_div(first->x, all)),
                                     ct_dd_value(ct_dd_div(first->y, all)),
                                     ct_dd_value(ct_dd_div(first->z, all))});
}

/* The inertia is about the rounded centroid, which causes an error of second order in that
 * rounding. */
bool ct_mesh_measure(const ct_mesh_parts *m, ct_mesh_report *report, ct_mesh_sums *sums) {
  moments s;
  *sums = (ct_mesh_sums){0};
  bound_used_vertices(m, &report->box);
  ct_vec3 middle = find_box_middle(&report->box);
  if (!integrate_triangles(m, middle, add_first_moments, &s)) return false;
  report->area = 0.5 * ct_dd_value(s.area);
  sums->area_centroid = divide_first_moment(middle, &s.area_first, s.area, 3.0);
  double six = ct_dd_value(s.d);
  /* A volume below the error bound is zero: the mesh encloses nothing. */
  bool encloses = fabs(six) > (SUM_BOUND * (double)m->live_count + TERM_BOUND) * s.extent;
  if (!encloses || !report->closed || !report->oriented) return true;
  sums->volume = six / 6.0;
  sums->volume_centroid = divide_first_moment(middle, &s.first, s.d, 4.0);
  if (!integrate_triangles(m, sums->volume_centroid, add_second_moments, &s)) return false;
  sums->inertia = inertia_from_moments(&s, six < 0.0);
  return true;
}
