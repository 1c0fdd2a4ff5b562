/* Signed distance of a point from a frustum (closed form) or an ellipsoid (by the root of a
 * function of one variable).
 *
 * Frustum: in the half-plane of the axis and the point, the closest point of a quadrilateral, from
 * outside and from inside. Ellipsoid with radii r_i: the closest surface point x to a point y has
 * x_i = r_i^2 y_i / (t + r_i^2), where t is the largest root of a function that is decreasing and
 * convex there, so Newton's method that starts to the left of the root never passes it. Eberly,
 * Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid, 2013. The unknown is
 * shifted by the square of the least radius, so that points near the middle lose no digits. */
#include "curved/curved.h"

#include <assert.h>

/* Largest number of Newton steps. Near a pole each step leaves up to two thirds of the way to the
 * root; near the root the number of correct digits doubles. */
#define ROOT_STEPS_MAX 200
/* Distances tie if they differ by at most this many u of the size. */
#define TIE_ROUNDOFFS 8.0

/* A coordinate below this fraction of its radius counts as 0, because the root may be as small and
 * would have no correct digits. */
#define AT_LEAST 0x1p-900

/* The best surface point so far. Ties are decided by the normals in the pair's frame. */
typedef struct foot_choice {
  const ct_convex_proxy *proxy;
  double sense;
  ct_curved_closest *foot;
  double tie;
} foot_choice;

static ct_vec3 orient_in_pair_frame(const foot_choice *c, ct_vec3 local) {
  return ct_scale(ct_mat_mul(c->proxy->rotation, local), c->sense);
}

/* Replaces the best surface point of an inner point if this one is closer, or ties and has the
 * greater normal. */
static void keep_nearest_foot(foot_choice *c, double distance, ct_vec3 normal, ct_vec3 at) {
  ct_curved_closest *f = c->foot;
  if (distance < f->distance - c->tie) return;
  if (distance <= f->distance + c->tie) {
    f->several = true;
    if (!ct_normal_greater(orient_in_pair_frame(c, normal), orient_in_pair_frame(c, f->normal)))
      return;
  } else {
    f->several = false;
  }
  f->distance = distance;
  f->normal = normal;
  f->point = at;
}

/* Returns the unit direction perpendicular to the local z axis whose world direction, times
 * c->sense, is the lexicographically greatest. */
static ct_vec3 choose_greatest_radial(const foot_choice *c) {
  ct_mat3 r = c->proxy->rotation;
  ct_vec3 rows[3] = {r.rx, r.ry, r.rz};
  for (int i = 0; i < 3; i++) {
    double length = sqrt(rows[i].x * rows[i].x + rows[i].y * rows[i].y);
    if (length > 1e-9)
      return ct_vec(c->sense * rows[i].x / length, c->sense * rows[i].y / length, 0.0);
  }
  return ct_vec(1.0, 0.0, 0.0);
}

static void find_frustum_foot(foot_choice *c, ct_vec3 p) {
  const ct_convex_proxy *proxy = c->proxy;
  double h = proxy->half.z, bottom = proxy->rim[0], top = proxy->rim[1];
  double across = sqrt(p.x * p.x + p.y * p.y);
  bool ring = across <= 0.25 * c->tie;
  ct_vec3 out = ring ? choose_greatest_radial(c) : ct_vec(p.x / across, p.y / across, 0.0);
  double sine = ct_proxy_side_slope(proxy).sine, cosine = ct_proxy_side_slope(proxy).cosine;
  /* Coordinates in the half-plane relative to the bottom rim: along the slanted side, and
   * perpendicular to it. */
  double slant = sqrt((top - bottom) * (top - bottom) + 4.0 * h * h);
  double along = cosine * (p.z + h) - sine * (across - bottom),
         off = cosine * (across - bottom) + sine * (p.z + h);
  ct_vec3 side = {cosine * out.x, cosine * out.y, sine}, up = {0.0, 0.0, 1.0};
  if (p.z <= h && p.z >= -h && off <= 0.0) {
    keep_nearest_foot(c, off, side, ct_add_scaled(p, side, -off));
    if (ring) c->foot->several = true;
    if (top > 0.0) keep_nearest_foot(c, p.z - h, up, ct_vec(p.x, p.y, h));
    if (bottom > 0.0) keep_nearest_foot(c, -h - p.z, ct_neg(up), ct_vec(p.x, p.y, -h));
    return;
  }
  ct_curved_closest *f = c->foot;
  f->normal = up;
  f->distance = p.z - h;
  f->point = ct_vec(p.x, p.y, h);
  if (p.z > h && across <= top) return;
  if (p.z < -h && across <= bottom) {
    f->normal = ct_neg(up);
    f->distance = -h - p.z;
    f->point.z = -h;
    return;
  }
  if (along > 0.0 && along < slant) {
    f->normal = side;
    f->distance = off;
    f->point = ct_add_scaled(p, side, -off);
    return;
  }
  double rim = along > 0.0 ? top : bottom, level = along > 0.0 ? h : -h;
  f->point = ct_vec(rim * out.x, rim * out.y, level);
  ct_vec3 away = ct_vec((across - rim) * out.x, (across - rim) * out.y, p.z - level);
  f->distance = ct_norm(away);
  f->normal = ct_unit_or(away, side);
}

/* One axis of an ellipsoid: at = |coordinate| / radius, square = squared ratio of the radius to the
 * least radius, lead = square - 1. */
typedef struct axis_part {
  double at, square, lead;
} axis_part;

static double evaluate_root_function(const axis_part part[3], double u, double *slope) {
  double sum = -1.0;
  *slope = 0.0;
  for (int i = 0; i < 3; i++) {
    if (part[i].at == 0.0) continue;
    double x = part[i].square * part[i].at / (part[i].lead + u);
    sum += x * x;
    *slope -= 2.0 * x * x / (part[i].lead + u);
  }
  return sum;
}

/* Returns the root u > 0; 0 if the function is not positive for any u > 0. */
static double find_ellipsoid_root(const axis_part part[3]) {
  double u = 0.0, slope;
  for (int i = 0; i < 3; i++) u = ct_max2(u, part[i].square * part[i].at - part[i].lead);
  if (u == 0.0) {
    double sum = -1.0;
    for (int i = 0; i < 3; i++)
      if (part[i].at > 0.0)
        sum += part[i].square * part[i].at / part[i].lead *
               (part[i].square * part[i].at / part[i].lead);
    if (!(sum > 0.0)) return 0.0;
  }
  for (int step = 0; step < ROOT_STEPS_MAX; step++) {
    double level = evaluate_root_function(part, u, &slope);
    if (!(level > 0.0) || !(slope < 0.0)) break;
    double next = u - level / slope;
    if (!(next > u)) break;
    u = next;
  }
  return u;
}

static void find_ellipsoid_foot(foot_choice *c, ct_vec3 p) {
  const double radius[3] = {c->proxy->half.x, c->proxy->half.y, c->proxy->half.z},
               y[3] = {p.x, p.y, p.z};
  int least = radius[1] < radius[0] ? 1 : 0;
  if (radius[2] < radius[least]) least = 2;
  axis_part part[3];
  for (int i = 0; i < 3; i++) {
    double ratio = radius[i] / radius[least];
    double at = fabs(y[i]) / radius[i];
    part[i] = (axis_part){at < AT_LEAST ? 0.0 : at, ratio * ratio, (ratio - 1.0) * (ratio + 1.0)};
  }
  double u = find_ellipsoid_root(part), x[3], rest = 1.0;
  for (int i = 0; i < 3; i++) {
    double reach = part[i].at > 0.0 ? part[i].square * part[i].at / (part[i].lead + u) : 0.0;
    x[i] = y[i] < 0.0 ? -reach : reach;
    rest -= reach * reach;
  }
  ct_curved_closest *f = c->foot;
  if (u == 0.0) {
    /* The point is in the plane, or on the line, through the centre for which several surface
     * points are equally close. */
    f->several = true;
    double out = sqrt(ct_max2(rest, 0.0));
    ct_vec3 greatest = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
      if (radius[i] != radius[least]) continue;
      for (double sign = 1.0; sign >= -1.0; sign -= 2.0) {
        double tried[3] = {x[0], x[1], x[2]};
        tried[i] = sign * out;
        ct_vec3 n =
            ct_unit_or(ct_vec(tried[0] / radius[0], tried[1] / radius[1], tried[2] / radius[2]),
                       ct_vec(1.0, 0.0, 0.0));
        if (ct_max_abs(greatest) > 0.0 &&
            !ct_normal_greater(orient_in_pair_frame(c, n), orient_in_pair_frame(c, greatest)))
          continue;
        greatest = n;
        f->point = ct_vec(tried[0] * radius[0], tried[1] * radius[1], tried[2] * radius[2]);
      }
    }
    f->normal = greatest;
  } else {
    f->normal = ct_unit_or(ct_vec(x[0] / radius[0], x[1] / radius[1], x[2] / radius[2]),
                           ct_vec(1.0, 0.0, 0.0));
    f->point = ct_vec(x[0] * radius[0], x[1] * radius[1], x[2] * radius[2]);
  }
  f->distance = ct_dot(f->normal, ct_sub(p, f->point));
}

ct_curved_closest ct_curved_closest_point(const ct_convex_proxy *proxy, ct_vec3 p, double sense) {
  assert(ct_proxy_is_curved(proxy));
  assert(sense == 1.0 || sense == -1.0);
  ct_curved_closest foot = {.distance = -INFINITY};
  foot_choice c = {.proxy = proxy, .sense = sense, .foot = &foot};
  c.tie = TIE_ROUNDOFFS * CT_UNIT_ROUNDOFF * proxy->extent;
  ct_vec3 local = ct_mat_tmul(proxy->rotation, ct_sub(p, proxy->center));
  if (proxy->kind == CT_PROXY_FRUSTUM) find_frustum_foot(&c, local);
  else find_ellipsoid_foot(&c, local);
  foot.normal = ct_unit_or(ct_mat_mul(proxy->rotation, foot.normal), ct_vec(1.0, 0.0, 0.0));
  foot.point = ct_add(ct_mat_mul(proxy->rotation, foot.point), proxy->center);
  return foot;
}

bool ct_curved_ball(const ct_cell_input *in, ct_cell_result *result) {
  bool flip = in->a.kind != CT_PROXY_POINT;
  const ct_convex_proxy *ball = flip ? &in->b : &in->a, *proxy = flip ? &in->a : &in->b;
  if (ball->kind != CT_PROXY_POINT || !ct_proxy_is_curved(proxy)) return false;
  ct_curved_closest foot = ct_curved_closest_point(proxy, ball->center, flip ? 1.0 : -1.0);
  result->normal = flip ? foot.normal : ct_neg(foot.normal);
  result->distance = result->lower = result->upper =
      foot.distance - (ball->radius[0] + proxy->radius[0]);
  result->radius_a = in->a.radius[0];
  result->radius_b = in->b.radius[0];
  result->point_a =
      ct_add_scaled(flip ? foot.point : ball->center, result->normal, result->radius_a);
  result->point_b =
      ct_add_scaled(flip ? ball->center : foot.point, result->normal, -result->radius_b);
  if (foot.several) result->flags |= CT_FLAG_NORMAL_ARBITRARY;
  return true;
}
