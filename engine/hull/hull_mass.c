/* Volume, centroid, inertia, bounding ball and box of a hull.
 *
 * Tetrahedra from an inner point to a fan of each face, two at a time. Their determinants are in double-double, because those of a
 * thin hull are small differences of large products; what they weigh is in doubles, summed with what each sum loses. First in
 * doubles alone about the mean of the vertices, which gives the centroid nearly; then about that point, so that nothing cancels in
 * the inertia. Source: theory of polyhedral mass properties, Mirtich 1996; the covariance of a tetrahedron; sums with their error:
 * Neumaier 1974.
 */
#include "base/double_double.h"
#include "base/simd_double_double.h"
#include "hull/hull_faces.h"

/* Relative widening of a radius, above the rounding of a distance (4 u). */
#define RADIUS_WIDENING (8.0 * CT_UNIT_ROUNDOFF)

/* The triangles of the fans of all faces, one after the other. */
typedef struct fan {
  const ct_hull_view *view;
  uint32_t face, at;
} fan;

static bool next_triangle(fan *f, uint32_t corner[3]) {
  const ct_hull_view *view = f->view;
  if (f->face == view->face_count) return false;
  uint32_t begin = view->face_start[f->face];
  corner[0] = view->face_loop[begin];
  corner[1] = view->face_loop[begin + 1 + f->at];
  corner[2] = view->face_loop[begin + 2 + f->at++];
  if (begin + 2 + f->at == view->face_start[f->face + 1]) {
    f->face++;
    f->at = 0;
  }
  return true;
}

static ct_vec3_lanes corners(const ct_hull_view *view, uint32_t a, uint32_t b) {
  return (ct_vec3_lanes){{view->x[a], view->x[b]}, {view->y[a], view->y[b]}, {view->z[a], view->z[b]}};
}

/* The next two triangles, each corner of both together. In place of a missing second one stands a point, which weighs nothing. */
static bool next_two(fan *f, ct_vec3_lanes corner[3]) {
  uint32_t a[3], b[3];
  if (!next_triangle(f, a)) return false;
  if (!next_triangle(f, b)) b[0] = b[1] = b[2] = a[0];
  for (int i = 0; i < 3; i++) corner[i] = corners(f->view, a[i], b[i]);
  return true;
}

/* Sums over tetrahedra with apex at the reference: D, D s and D (s s + x x + y y + z z), D = six volumes, s = x + y + z. */
typedef struct moments {
  ct_dd_lanes d;
  ct_dd_lanes first[3];
  ct_dd_lanes xx, yy, zz, xy, yz, zx;
} moments;

static inline void add_term(ct_dd_lanes *sum, ct_lanes term) {
  ct_dd_lanes s = ct_two_sum_lanes(sum->high, term);
  *sum = (ct_dd_lanes){s.high, sum->low + s.low};
}

static inline ct_lanes second(ct_lanes s, ct_lanes t, const ct_lanes a[3], const ct_lanes b[3]) {
  return s * t + a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void add_tetrahedra(moments *m, ct_vec3_lanes reference, const ct_vec3_lanes corner[3]) {
  ct_dd3_lanes p = ct_dd3_sub_lanes(corner[0], reference), q = ct_dd3_sub_lanes(corner[1], reference),
               r = ct_dd3_sub_lanes(corner[2], reference);
  ct_dd3_lanes cross = ct_dd3_cross_lanes(&q, &r);
  ct_dd_lanes determinant = ct_dd3_dot_lanes(&p, &cross);
  ct_lanes d = determinant.high;
  ct_lanes cx[3] = {p.x.high, q.x.high, r.x.high}, cy[3] = {p.y.high, q.y.high, r.y.high}, cz[3] = {p.z.high, q.z.high, r.z.high};
  ct_lanes sx = cx[0] + cx[1] + cx[2], sy = cy[0] + cy[1] + cy[2], sz = cz[0] + cz[1] + cz[2];
  m->d = ct_dd_add_lanes(m->d, determinant);
  add_term(&m->first[0], d * sx);
  add_term(&m->first[1], d * sy);
  add_term(&m->first[2], d * sz);
  add_term(&m->xx, d * second(sx, sx, cx, cx));
  add_term(&m->yy, d * second(sy, sy, cy, cy));
  add_term(&m->zz, d * second(sz, sz, cz, cz));
  add_term(&m->xy, d * second(sx, sy, cx, cy));
  add_term(&m->yz, d * second(sy, sz, cy, cz));
  add_term(&m->zx, d * second(sz, sx, cz, cx));
}

static ct_vec3_lanes both(ct_vec3 v) { return (ct_vec3_lanes){{v.x, v.x}, {v.y, v.y}, {v.z, v.z}}; }

/* False: cancelled. */
static bool integrate(const ct_hull_view *view, ct_vec3 reference, const ct_cancel *cancel, moments *m) {
  *m = (moments){0};
  fan f = {.view = view};
  ct_vec3_lanes at = both(reference), corner[3];
  for (uint32_t steps = 0; next_two(&f, corner); steps++) {
    if (ct_hull_cancelled(steps, cancel)) return false;
    add_tetrahedra(m, at, corner);
  }
  return true;
}

static ct_dd sum_of(ct_dd_lanes sum) {
  ct_dd a = ct_two_sum(sum.high[0], sum.low[0]), b = ct_two_sum(sum.high[1], sum.low[1]);
  return ct_dd_add(a, b);
}

static double value_of(ct_dd_lanes sum) { return ct_dd_value(sum_of(sum)); }

/* Centroid of the tetrahedra relative to the reference: sum D s / (4 sum D). */
static ct_vec3 centroid_offset(const moments *m) {
  ct_dd four = ct_dd_mul(sum_of(m->d), ct_dd_of(4.0));
  return (ct_vec3){ct_dd_value(ct_dd_div(sum_of(m->first[0]), four)), ct_dd_value(ct_dd_div(sum_of(m->first[1]), four)),
                   ct_dd_value(ct_dd_div(sum_of(m->first[2]), four))};
}

static ct_vec3 mean_vertex(const ct_hull_view *view) {
  ct_vec3 first = ct_hull_vertex(view, 0), sum = {0.0, 0.0, 0.0};
  for (uint32_t i = 1; i < view->vertex_count; i++) sum = ct_add(sum, ct_sub(ct_hull_vertex(view, i), first));
  double n = (double)view->vertex_count;
  return (ct_vec3){first.x + sum.x / n, first.y + sum.y / n, first.z + sum.z / n};
}

static ct_vec3_lanes lanes_sub(ct_vec3_lanes a, ct_vec3_lanes b) { return (ct_vec3_lanes){a.x - b.x, a.y - b.y, a.z - b.z}; }

/* The centroid nearly: weights that rounding made negative count as none, so that it is a mean of inner points whatever is lost.
 * False: cancelled. */
static bool near_centroid(const ct_hull_view *view, const ct_cancel *cancel, ct_vec3 *near) {
  fan f = {.view = view};
  ct_vec3 inner = mean_vertex(view);
  ct_vec3_lanes reference = both(inner), corner[3], sum = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
  ct_lanes total = {0.0, 0.0};
  const ct_lanes none = {0.0, 0.0};
  for (uint32_t steps = 0; next_two(&f, corner); steps++) {
    if (ct_hull_cancelled(steps, cancel)) return false;
    ct_vec3_lanes p = lanes_sub(corner[0], reference), q = lanes_sub(corner[1], reference), r = lanes_sub(corner[2], reference);
    ct_lanes d = p.x * (q.y * r.z - q.z * r.y) + p.y * (q.z * r.x - q.x * r.z) + p.z * (q.x * r.y - q.y * r.x);
    d = ct_lanes_higher(d, none);
    total += d;
    sum.x += d * (p.x + q.x + r.x);
    sum.y += d * (p.y + q.y + r.y);
    sum.z += d * (p.z + q.z + r.z);
  }
  double four = 4.0 * (total[0] + total[1]);
  *near = inner;
  if (four > 0.0)
    *near = ct_add(inner, (ct_vec3){(sum.x[0] + sum.x[1]) / four, (sum.y[0] + sum.y[1]) / four, (sum.z[0] + sum.z[1]) / four});
  return true;
}

/* Covariance integral about the centroid: what the moments give about the reference, less V c c; then trace - covariance. */
static ct_mat3 inertia_of(const moments *m, ct_vec3 c) {
  double volume = value_of(m->d) / 6.0;
  double xx = value_of(m->xx) / 120.0 - volume * c.x * c.x, yy = value_of(m->yy) / 120.0 - volume * c.y * c.y;
  double zz = value_of(m->zz) / 120.0 - volume * c.z * c.z, xy = value_of(m->xy) / 120.0 - volume * c.x * c.y;
  double yz = value_of(m->yz) / 120.0 - volume * c.y * c.z, zx = value_of(m->zx) / 120.0 - volume * c.z * c.x;
  return (ct_mat3){{yy + zz, -xy, -zx}, {-xy, zz + xx, -yz}, {-zx, -yz, xx + yy}};
}

bool ct_hull_measure(ct_hull_view *view, const ct_cancel *cancel) {
  ct_vec3 near;
  moments m;
  if (!near_centroid(view, cancel, &near) || !integrate(view, near, cancel, &m)) return false;
  ct_vec3 offset = centroid_offset(&m);
  view->volume = value_of(m.d) / 6.0;
  view->centroid = ct_add(near, offset);
  view->inertia = inertia_of(&m, offset);

  ct_vec3 v = ct_hull_vertex(view, 0);
  view->box = (ct_aabb){v, v};
  double radius = 0.0;
  for (uint32_t i = 0; i < view->vertex_count; i++) {
    v = ct_hull_vertex(view, i);
    view->box = ct_aabb_union(view->box, (ct_aabb){v, v});
    radius = ct_max2(radius, ct_norm(ct_sub(v, view->centroid)));
  }
  view->radius = radius * (1.0 + RADIUS_WIDENING);
  return true;
}
