/* Volume, centroid, inertia, bounding ball and AABB of a hull (polyhedral mass properties, Mirtich
 * 1996; covariance of a tetrahedron).
 *
 * Sums over tetrahedra from a point inside the hull to the triangles of a fan of each face, two per
 * SIMD step. Determinants are in double-double because those of thin hulls cancel; moments are
 * doubles in compensated sums (Neumaier 1974). A first pass in doubles, about the mean vertex,
 * estimates the centroid; the second pass is about this estimate, so that the inertia does not
 * cancel. */
#include "base/double_double.h"
#include "base/simd_double_double.h"
#include "hull/hull_faces.h"

/* Relative increase of the bounding radius; covers the round-off of a distance (4 u). */
#define RADIUS_WIDENING (8.0 * CT_UNIT_ROUNDOFF)

/* Iterator over the triangles of the fans of all faces. */
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

static ct_vec3_lanes load_vertex_pair(const ct_hull_view *view, uint32_t a, uint32_t b) {
  return (ct_vec3_lanes){
      {view->x[a], view->x[b]}, {view->y[a], view->y[b]}, {view->z[a], view->z[b]}};
}

/* Loads the next two triangles: corner[i] has vertex i of both in its lanes. If only one is left,
 * the other lane is a point, with volume 0. False: no triangle is left. */
static bool load_next_triangles(fan *f, ct_vec3_lanes corner[3]) {
  uint32_t a[3], b[3];
  if (!next_triangle(f, a)) return false;
  if (!next_triangle(f, b)) b[0] = b[1] = b[2] = a[0];
  for (int i = 0; i < 3; i++) corner[i] = load_vertex_pair(f->view, a[i], b[i]);
  return true;
}

/* Sums over tetrahedra with vertices reference, p, q, r. D is six times the volume, x = (px, qx,
 * rx) relative to the reference (y and z alike), s = x + y + z summed over p, q, r. `d`: D.
 * `first`: D s for each coordinate. `xx` to `zx`: D (s t + p p + q q + r r) for two coordinates. */
typedef struct moments {
  ct_dd_lanes d;
  ct_dd_lanes first[3];
  ct_dd_lanes xx, yy, zz, xy, yz, zx;
} moments;

static inline void add_compensated(ct_dd_lanes *sum, ct_lanes term) {
  ct_dd_lanes s = ct_two_sum_lanes(sum->high, term);
  *sum = (ct_dd_lanes){s.high, sum->low + s.low};
}

static inline ct_lanes sum_second_moment(ct_lanes s, ct_lanes t, const ct_lanes a[3],
                                         const ct_lanes b[3]) {
  return s * t + a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void add_tetrahedra(moments *m, ct_vec3_lanes reference, const ct_vec3_lanes corner[3]) {
  ct_dd3_lanes p = ct_dd3_sub_lanes(corner[0], reference),
               q = ct_dd3_sub_lanes(corner[1], reference),
               r = ct_dd3_sub_lanes(corner[2], reference);
  ct_dd3_lanes cross = ct_dd3_cross_lanes(&q, &r);
  ct_dd_lanes determinant = ct_dd3_dot_lanes(&p, &cross);
  ct_lanes d = determinant.high;
  ct_lanes cx[3] = {p.x.high, q.x.high, r.x.high}, cy[3] = {p.y.high, q.y.high, r.y.high},
           cz[3] = {p.z.high, q.z.high, r.z.high};
  ct_lanes sx = cx[0] + cx[1] + cx[2], sy = cy[0] + cy[1] + cy[2], sz = cz[0] + cz[1] + cz[2];
  m->d = ct_dd_add_lanes(m->d, determinant);
  add_compensated(&m->first[0], d * sx);
  add_compensated(&m->first[1], d * sy);
  add_compensated(&m->first[2], d * sz);
  add_compensated(&m->xx, d * sum_second_moment(sx, sx, cx, cx));
  add_compensated(&m->yy, d * sum_second_moment(sy, sy, cy, cy));
  add_compensated(&m->zz, d * sum_second_moment(sz, sz, cz, cz));
  add_compensated(&m->xy, d * sum_second_moment(sx, sy, cx, cy));
  add_compensated(&m->yz, d * sum_second_moment(sy, sz, cy, cz));
  add_compensated(&m->zx, d * sum_second_moment(sz, sx, cz, cx));
}

static ct_vec3_lanes broadcast_vector(ct_vec3 v) {
  return (ct_vec3_lanes){{v.x, v.x}, {v.y, v.y}, {v.z, v.z}};
}

/* Sums the moments of all tetrahedra about the reference point. False: cancelled. */
static bool integrate_tetrahedra(const ct_hull_view *view, ct_vec3 reference,
                                 const ct_cancel *cancel, moments *m) {
  *m = (moments){0};
  fan f = {.view = view};
  ct_vec3_lanes at = broadcast_vector(reference), corner[3];
  for (uint32_t steps = 0; load_next_triangles(&f, corner); steps++) {
    if (ct_hull_cancelled(steps, cancel)) return false;
    add_tetrahedra(m, at, corner);
  }
  return true;
}

static ct_dd add_lanes_of_sum(ct_dd_lanes sum) {
  ct_dd a = ct_two_sum(sum.high[0], sum.low[0]), b = ct_two_sum(sum.high[1], sum.low[1]);
  return ct_dd_add(a, b);
}

static double round_sum(ct_dd_lanes sum) { return ct_dd_value(add_lanes_of_sum(sum)); }

/* Returns the centroid relative to the reference point: the sum of D s divided by 4 times the sum
 * of D (see moments). */
static ct_vec3 find_centroid_offset(const moments *m) {
  ct_dd four = ct_dd_mul(add_lanes_of_sum(m->d), ct_dd_of(4.0));
  return (ct_vec3){ct_dd_value(ct_dd_div(add_lanes_of_sum(m->first[0]), four)),
                   ct_dd_value(ct_dd_div(add_lanes_of_sum(m->first[1]), four)),
                   ct_dd_value(ct_dd_div(add_lanes_of_sum(m->first[2]), four))};
}

static ct_vec3 find_mean_vertex(const ct_hull_view *view) {
  ct_vec3 first = ct_hull_vertex(view, 0), sum = {0.0, 0.0, 0.0};
  for (uint32_t i = 1; i < view->vertex_count; i++)
    sum = ct_add(sum, ct_sub(ct_hull_vertex(view, i), first));
  double n = (double)view->vertex_count;
  return (ct_vec3){first.x + sum.x / n, first.y + sum.y / n, first.z + sum.z / n};
}

static ct_vec3_lanes subtract_lanes(ct_vec3_lanes a, ct_vec3_lanes b) {
  return (ct_vec3_lanes){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* Estimates the centroid in doubles. Negative volumes are round-off and count as zero, so the
 * estimate is a convex combination of points inside the hull. False: cancelled. */
static bool estimate_centroid(const ct_hull_view *view, const ct_cancel *cancel, ct_vec3 *near) {
  fan f = {.view = view};
  ct_vec3 inner = find_mean_vertex(view);
  ct_vec3_lanes reference = broadcast_vector(inner), corner[3],
                sum = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
  ct_lanes total = {0.0, 0.0};
  const ct_lanes none = {0.0, 0.0};
  /* Sum the volumes of the tetrahedra from the mean vertex, and their first moments. */
  for (uint32_t steps = 0; load_next_triangles(&f, corner); steps++) {
    if (ct_hull_cancelled(steps, cancel)) return false;
    ct_vec3_lanes p = subtract_lanes(corner[0], reference),
                  q = subtract_lanes(corner[1], reference),
                  r = subtract_lanes(corner[2], reference);
    ct_lanes d = p.x * (q.y * r.z - q.z * r.y) + p.y * (q.z * r.x - q.x * r.z) +
                 p.z * (q.x * r.y - q.y * r.x);
    d = ct_lanes_higher(d, none);
    total += d;
    sum.x += d * (p.x + q.x + r.x);
    sum.y += d * (p.y + q.y + r.y);
    sum.z += d * (p.z + q.z + r.z);
  }
  /* If the sum of the volumes is zero, the estimate is the mean vertex. */
  double four = 4.0 * (total[0] + total[1]);
  *near = inner;
  if (four > 0.0)
    *near = ct_add(inner, (ct_vec3){(sum.x[0] + sum.x[1]) / four, (sum.y[0] + sum.y[1]) / four,
                                    (sum.z[0] + sum.z[1]) / four});
  return true;
}

/* Returns the inertia for density 1 about the centroid, which is at `c` relative to the reference
 * point of the moments: the covariance by the parallel axis theorem (moments minus V c c), then its
 * trace minus the covariance. */
static ct_mat3 shift_inertia(const moments *m, ct_vec3 c) {
  double volume = round_sum(m->d) / 6.0;
  double xx = round_sum(m->xx) / 120.0 - volume * c.x * c.x,
         yy = round_sum(m->yy) / 120.0 - volume * c.y * c.y;
  double zz = round_sum(m->zz) / 120.0 - volume * c.z * c.z,
         xy = round_sum(m->xy) / 120.0 - volume * c.x * c.y;
  double yz = round_sum(m->yz) / 120.0 - volume * c.y * c.z,
         zx = round_sum(m->zx) / 120.0 - volume * c.z * c.x;
  return (ct_mat3){{yy + zz, -xy, -zx}, {-xy, zz + xx, -yz}, {-zx, -yz, xx + yy}};
}

bool ct_hull_measure(ct_hull_view *view, const ct_cancel *cancel) {
  ct_vec3 near;
  moments m;
  if (!estimate_centroid(view, cancel, &near) || !integrate_tetrahedra(view, near, cancel, &m))
    return false;
  ct_vec3 offset = find_centroid_offset(&m);
  view->volume = round_sum(m.d) / 6.0;
  view->centroid = ct_add(near, offset);
  view->inertia = shift_inertia(&m, offset);

  /* Bounding box, and bounding radius about the centroid. */
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
