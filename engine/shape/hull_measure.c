/* Volume, centroid, inertia, bounding ball and box of a hull.
 *
 * Tetrahedra from an inner point to a fan of each face; their determinants in double-double, because those of a thin hull are small
 * differences of large products. First about the mean of the vertices, for volume and centroid; then about the centroid, for the
 * inertia, so that nothing cancels. Source: theory of polyhedral mass properties, Mirtich 1996; the covariance of a tetrahedron.
 */
#include "base/double_double.h"
#include "shape/hull_cells.h"

/* Relative widening of a radius, above the rounding of a distance (4 u). */
#define RADIUS_WIDENING (8.0 * CT_UNIT_ROUNDOFF)

/* Sums over tetrahedra with apex at the reference: D, D s and D (s s + x x + y y + z z), D = six volumes, s = x + y + z. */
typedef struct moments {
  ct_dd d;
  ct_dd first[3];
  ct_dd xx, yy, zz, xy, yz, zx;
} moments;

static void add_term(ct_dd *sum, ct_dd weight, double factor) { *sum = ct_dd_add(*sum, ct_dd_mul(weight, ct_dd_of(factor))); }

static double second(double s, double t, const double a[3], const double b[3]) {
  return s * t + a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void add_tetrahedron(moments *m, ct_vec3 reference, ct_vec3 x, ct_vec3 y, ct_vec3 z) {
  ct_dd3 p = ct_dd3_sub(x, reference), q = ct_dd3_sub(y, reference), r = ct_dd3_sub(z, reference);
  ct_dd3 cross = ct_dd3_cross(&q, &r);
  ct_dd d = ct_dd3_dot(&p, &cross);
  double cx[3] = {p.x.high, q.x.high, r.x.high}, cy[3] = {p.y.high, q.y.high, r.y.high}, cz[3] = {p.z.high, q.z.high, r.z.high};
  double sx = cx[0] + cx[1] + cx[2], sy = cy[0] + cy[1] + cy[2], sz = cz[0] + cz[1] + cz[2];
  m->d = ct_dd_add(m->d, d);
  add_term(&m->first[0], d, sx);
  add_term(&m->first[1], d, sy);
  add_term(&m->first[2], d, sz);
  add_term(&m->xx, d, second(sx, sx, cx, cx));
  add_term(&m->yy, d, second(sy, sy, cy, cy));
  add_term(&m->zz, d, second(sz, sz, cz, cz));
  add_term(&m->xy, d, second(sx, sy, cx, cy));
  add_term(&m->yz, d, second(sy, sz, cy, cz));
  add_term(&m->zx, d, second(sz, sx, cz, cx));
}

/* False: cancelled. */
static bool integrate(const ct_hull_view *view, ct_vec3 reference, const ct_cancel *cancel, moments *m) {
  *m = (moments){0};
  uint32_t steps = 0;
  for (uint32_t f = 0; f < view->face_count; f++) {
    uint32_t begin = view->face_start[f], end = view->face_start[f + 1];
    ct_vec3 x = ct_hull_vertex(view, view->face_loop[begin]), y = ct_hull_vertex(view, view->face_loop[begin + 1]);
    for (uint32_t i = begin + 2; i < end; i++) {
      ct_vec3 z = ct_hull_vertex(view, view->face_loop[i]);
      if (ct_hull_cancelled(steps++, cancel)) return false;
      add_tetrahedron(m, reference, x, y, z);
      y = z;
    }
  }
  return true;
}

/* Centroid of the tetrahedra relative to the reference: sum D s / (4 sum D). */
static ct_vec3 centroid_offset(const moments *m) {
  ct_dd four = ct_dd_mul(m->d, ct_dd_of(4.0));
  return (ct_vec3){ct_dd_value(ct_dd_div(m->first[0], four)), ct_dd_value(ct_dd_div(m->first[1], four)),
                   ct_dd_value(ct_dd_div(m->first[2], four))};
}

static ct_vec3 mean_vertex(const ct_hull_view *view) {
  ct_vec3 first = ct_hull_vertex(view, 0), sum = {0.0, 0.0, 0.0};
  for (uint32_t i = 1; i < view->vertex_count; i++) sum = ct_add(sum, ct_sub(ct_hull_vertex(view, i), first));
  double n = (double)view->vertex_count;
  return (ct_vec3){first.x + sum.x / n, first.y + sum.y / n, first.z + sum.z / n};
}

/* Covariance integral about the centroid: what the moments give about the reference, less V c c; then trace - covariance. */
static ct_mat3 inertia_of(const moments *m, ct_vec3 c) {
  double volume = ct_dd_value(m->d) / 6.0;
  double xx = ct_dd_value(m->xx) / 120.0 - volume * c.x * c.x, yy = ct_dd_value(m->yy) / 120.0 - volume * c.y * c.y;
  double zz = ct_dd_value(m->zz) / 120.0 - volume * c.z * c.z, xy = ct_dd_value(m->xy) / 120.0 - volume * c.x * c.y;
  double yz = ct_dd_value(m->yz) / 120.0 - volume * c.y * c.z, zx = ct_dd_value(m->zx) / 120.0 - volume * c.z * c.x;
  return (ct_mat3){{yy + zz, -xy, -zx}, {-xy, zz + xx, -yz}, {-zx, -yz, xx + yy}};
}

bool ct_hull_measure(ct_hull_view *view, const ct_cancel *cancel) {
  ct_vec3 inner = mean_vertex(view);
  moments m;
  if (!integrate(view, inner, cancel, &m)) return false;
  view->volume = ct_dd_value(m.d) / 6.0;
  view->centroid = ct_add(inner, centroid_offset(&m));
  if (!integrate(view, view->centroid, cancel, &m)) return false;
  view->inertia = inertia_of(&m, centroid_offset(&m));

  ct_vec3 v = ct_hull_vertex(view, 0);
  view->box = (ct_box){v, v};
  double radius = 0.0;
  for (uint32_t i = 0; i < view->vertex_count; i++) {
    v = ct_hull_vertex(view, i);
    view->box = ct_box_union(view->box, (ct_box){v, v});
    radius = ct_max2(radius, ct_norm(ct_sub(v, view->centroid)));
  }
  view->radius = radius * (1.0 + RADIUS_WIDENING);
  return true;
}
