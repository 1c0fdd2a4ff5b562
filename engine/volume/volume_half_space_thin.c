/* Volume below a plane by the divergence theorem, accurate for thin parts.
 *
 * Let h be the height over the plane and n the outward normal of the body's surface. The field h up
 * has divergence 1 and vanishes on the section. Hence the volume below is the integral of h (up .
 * n) over the surface below. The integral of x h (up . n) is the first moment across up; the
 * integral of h^2/2 (up . n) is the moment along it.
 *
 * All terms are as small as the heights, which are computed in double-double arithmetic; double
 * suffices for areas.
 */
#include "volume/volume_half_space_thin.h"

#include "shape/tapered_capsule.h"
#include "triangle/triangle_distance.h"

#include <assert.h>

/* Error bound of a projected area, in unit round-offs of the product of two edges. */
#define AREA_ROUNDOFFS 16.0

typedef struct below {
  ct_vec3 up;
  double volume, loose; /* loose: sum of products of edges and heights, the scale of the round-off
                           of projected areas */
  double surface;
  ct_vec3 first;
} below;

/* A corner of the part below: its position from the origin, and its height. */
typedef struct corner {
  ct_vec3 at;
  double height;
} corner;

/* Mean over a triangle of the product of two linear functions, from their corner values. */
static double compute_mean_product(const double f[3], const double g[3]) {
  double f_sum = f[0] + f[1] + f[2], g_sum = g[0] + g[1] + g[2];
  return (f_sum * g_sum + f[0] * g[0] + f[1] * g[1] + f[2] * g[2]) / 12.0;
}

static void integrate_triangle_below(below *b, const corner *p, const corner *q, const corner *r) {
  ct_vec3 e = ct_sub(q->at, p->at), f = ct_sub(r->at, p->at), cross = ct_cross(e, f);
  const double h[3] = {p->height, q->height, r->height};
  const double x[3] = {p->at.x, q->at.x, r->at.x}, y[3] = {p->at.y, q->at.y, r->at.y},
               z[3] = {p->at.z, q->at.z, r->at.z};
  double projected = 0.5 * ct_dot(b->up, cross), lowest = ct_min2(ct_min2(h[0], h[1]), h[2]);
  ct_vec3 moment = ct_scale(
      ct_vec(compute_mean_product(x, h), compute_mean_product(y, h), compute_mean_product(z, h)),
      projected);
  moment = ct_add_scaled(moment, b->up, -ct_dot(b->up, moment));
  b->first =
      ct_add_scaled(ct_add(b->first, moment), b->up, 0.5 * projected * compute_mean_product(h, h));
  b->volume += projected * (h[0] + h[1] + h[2]) / 3.0;
  b->surface += 0.5 * ct_norm(cross);
  b->loose += ct_norm(e) * ct_norm(f) * -lowest;
}

/* Intersection of an edge with the plane, computed from the nearer end. */
static corner intersect_edge_at_height(const corner *p, const corner *q) {
  double part = p->height / (p->height - q->height);
  return (corner){fabs(p->height) <= fabs(q->height)
                      ? ct_lerp(p->at, q->at, part)
                      : ct_lerp(q->at, p->at, q->height / (q->height - p->height)),
                  0.0};
}

static void integrate_clipped_triangle(below *b, const corner c[3]) {
  corner inside[4];
  int count = 0;
  for (int k = 0; k < 3; k++) {
    const corner *p = &c[k], *q = &c[k == 2 ? 0 : k + 1];
    if (p->height < 0.0) inside[count++] = *p;
    if ((p->height < 0.0) != (q->height < 0.0)) inside[count++] = intersect_edge_at_height(p, q);
  }
  assert(count <= 4);
  for (int k = 2; k < count; k++)
    integrate_triangle_below(b, &inside[0], &inside[k - 1], &inside[k]);
}

void ct_volume_below_wide(ct_volume_pair *pair, const ct_placed_surface *skin, ct_vec3 origin,
                          double near, ct_volume_below *out) {
  ct_volume_widen(pair);
  const ct_wide_plane plane = ct_wide_half_space(&pair->wide, ct_shape_growth(pair->b.shape));
  below b = {.up = ct_dd3_value(&plane.normal)};
  /* exact heights of triangles that reach below the plane */
  for (uint32_t t = 0; t < skin->triangle_count; t++) {
    ct_vec3 v[3];
    corner c[3];
    double least = INFINITY;
    ct_placed_surface_triangle(skin, t, v);
    for (int k = 0; k < 3; k++) {
      c[k].at = ct_sub(v[k], origin);
      least = ct_min2(least, ct_dot(b.up, c[k].at));
    }
    if (least > 2.0 * near) continue;
    for (int k = 0; k < 3; k++) {
      const ct_dd3 p = ct_dd3_of(v[k]);
      c[k].height = ct_dd_value(ct_wide_height(&plane, &p));
    }
    integrate_clipped_triangle(&b, c);
  }
  if (!(b.volume > 0.0)) return;
  *out = (ct_volume_below){b.volume, AREA_ROUNDOFFS * CT_UNIT_ROUNDOFF * (b.loose + b.volume),
                           b.first};
  if (pair->a.shape->kind != CT_KIND_CONVEX) return;
  ct_convex_proxy proxy;
  ct_proxy_place(pair->a.shape, NULL, &proxy);
  out->error += ct_wide_plane_error(&proxy) * 2.0 * b.surface;
}
