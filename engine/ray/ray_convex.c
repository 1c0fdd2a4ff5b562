/* Intersection of a line and a convex shape in closed form: slabs, quadrics, half-spaces.
 *
 * Polytopes: clipping by half-spaces (Kay, Kajiya 1986; Cyrus, Beck 1978). Quadrics: the quadratic
 * formula without cancellation, with discriminants by Lagrange's identity. Limits: see
 * ray_convex.h.
 */
#include "ray/ray_convex.h"

#include <assert.h>

static ct_vec3 evaluate_line_point(const ct_line *line, double s) {
  return ct_add_scaled(line->o, line->d, s);
}

static void reset_line_span(ct_line_span *span) {
  *span = (ct_line_span){.in = -INFINITY, .out = INFINITY};
}

/* Restrict the span to parameters >= s, and to parameters <= s. If s equals the present end, the
 * end's normal is unchanged. */
static void restrict_to_after(ct_line_span *span, double s, ct_vec3 normal) {
  if (s <= span->in) return;
  span->in = s;
  span->normal_in = normal;
}

static void restrict_to_before(ct_line_span *span, double s, ct_vec3 normal) {
  if (s >= span->out) return;
  span->out = s;
  span->normal_out = normal;
}

/* Restricts the span to the parameters s with level + s slope <= 0. False: there are none. */
static bool clip_line_span(ct_line_span *span, double level, double slope, ct_vec3 normal) {
  if (slope > 0.0) restrict_to_before(span, -level / slope, normal);
  else if (slope < 0.0) restrict_to_after(span, -level / slope, normal);
  return slope != 0.0 || level <= 0.0;
}

static bool clip_span_to_slab(ct_line_span *span, double position, double slope, double half,
                              ct_vec3 axis) {
  return clip_line_span(span, position - half, slope, axis) &&
         clip_line_span(span, -position - half, -slope, ct_neg(axis));
}

/* ---- quadrics ------------------------------------------------------------------------------- */

bool ct_line_ball(const ct_line *line, double center_z, double radius, ct_line_span *span) {
  assert(radius >= 0.0);
  ct_vec3 c = {0.0, 0.0, center_z}, x = ct_sub(line->o, c);
  double square = ct_norm2(line->d), aside = ct_norm(ct_cross(x, line->d)),
         reach = radius * sqrt(square);
  if (aside > reach) return false;
  double middle = -ct_dot(x, line->d) / square,
         half = sqrt((reach - aside) * (reach + aside)) / square;
  *span = (ct_line_span){.in = middle - half, .out = middle + half};
  span->normal_in = ct_sub(evaluate_line_point(line, span->in), c);
  span->normal_out = ct_sub(evaluate_line_point(line, span->out), c);
  return true;
}

/* The ellipsoid is scaled to the unit ball, and the scaled line is parametrised from its point
 * nearest to the centre. */
bool ct_line_ellipsoid(const ct_line *line, ct_vec3 radii, ct_line_span *span) {
  assert(radii.x > 0.0 && radii.y > 0.0 && radii.z > 0.0);
  ct_vec3 o = {line->o.x / radii.x, line->o.y / radii.y, line->o.z / radii.z};
  ct_vec3 d = {line->d.x / radii.x, line->d.y / radii.y, line->d.z / radii.z};
  double length = ct_norm(d), nearest = -ct_dot(o, ct_unit_or(d, d)) / length;
  ct_line unit = {ct_add_scaled(o, d, nearest), ct_scale(d, 1.0 / length)};
  if (!ct_line_ball(&unit, 0.0, 1.0, span)) return false;
  span->in = nearest + span->in / length;
  span->out = nearest + span->out / length;
  ct_vec3 *normals[2] = {&span->normal_in, &span->normal_out};
  for (int i = 0; i < 2; i++)
    *normals[i] = ct_vec(normals[i]->x / radii.x, normals[i]->y / radii.y, normals[i]->z / radii.z);
  return true;
}

/* A double cone about the z axis with radius(z) = middle + slope z, valid where the radius is not
 * negative; slope 0 is a cylinder. */
typedef struct cone {
  double middle, slope;
} cone;

/* Returns the outward normal at p, not of unit length: the gradient of x^2 + y^2 - radius(z)^2; at
 * the apex, the axis. */
static ct_vec3 compute_cone_normal(const cone *c, ct_vec3 p) {
  double radius = c->middle + c->slope * p.z;
  ct_vec3 n = {p.x, p.y, -c->slope * radius};
  return ct_max_abs(n) > 0.0 ? n : ct_vec(0.0, 0.0, c->slope > 0.0 ? -1.0 : 1.0);
}

/* Finds the span of the line in the cone, where a s^2 - 2 b s + c <= 0. A line that is steeper to
 * the axis than the cone's side (a > 0) has an interval, a line that is less steep a half-line. */
static bool intersect_cone(const ct_line *line, const cone *side, ct_line_span *span) {
  ct_vec3 o = line->o, d = line->d;
  double radius = side->middle + side->slope * o.z, growth = side->slope * d.z;
  double across = ct_norm(ct_vec(d.x, d.y, 0.0)), out = ct_norm(ct_vec(o.x, o.y, 0.0));
  double a = (across - growth) * (across + growth), c = (out - radius) * (out + radius);
  double b = radius * growth - (o.x * d.x + o.y * d.y);
  double turn = o.x * d.y - o.y * d.x, u = o.x * growth - d.x * radius,
         v = o.y * growth - d.y * radius;
  /* discriminant b^2 - a c by Lagrange's identity, as a product of differences */
  double lead = ct_norm(ct_vec(u, v, 0.0)), square = (lead - turn) * (lead + turn);
  reset_line_span(span);
  if (a == 0.0 && b == 0.0) return c <= 0.0;
  /* A flatter line passes the apex outside the cone and always has crossings: a negative
   * discriminant is round-off. */
  if (square < 0.0 && a > 0.0) return false;
  /* both roots without cancellation */
  double q = b + copysign(sqrt(ct_max2(square, 0.0)), b), s = q != 0.0 ? c / q : 0.0,
         t = a != 0.0 ? q / a : s;
  if (a > 0.0) {
    span->in = ct_min2(s, t);
    span->out = ct_max2(s, t);
  } else if (a < 0.0 ? growth > 0.0 : b > 0.0) {
    span->in = ct_max2(s, t);
  } else {
    span->out = ct_min2(s, t);
  }
  if (span->in > -INFINITY)
    span->normal_in = compute_cone_normal(side, evaluate_line_point(line, span->in));
  if (span->out < INFINITY)
    span->normal_out = compute_cone_normal(side, evaluate_line_point(line, span->out));
  return true;
}

bool ct_line_frustum(const ct_line *line, double half_length, double radius_bottom,
                     double radius_top, ct_line_span *span) {
  assert(half_length > 0.0);
  cone side = {0.5 * (radius_bottom + radius_top),
               0.5 * (radius_top - radius_bottom) / half_length};
  ct_line_span round;
  reset_line_span(span);
  if (!clip_span_to_slab(span, line->o.z, line->d.z, half_length, ct_vec(0.0, 0.0, 1.0)) ||
      !intersect_cone(line, &side, &round))
    return false;
  restrict_to_after(span, round.in, round.normal_in);
  restrict_to_before(span, round.out, round.normal_out);
  return span->in <= span->out;
}

/* Extends *span to contain *part, the span of a part of the shape. */
static void extend_line_span(ct_line_span *span, const ct_line_span *part) {
  if (part->in < span->in) {
    span->in = part->in;
    span->normal_in = part->normal_in;
  }
  if (part->out > span->out) {
    span->out = part->out;
    span->normal_out = part->normal_out;
  }
}

/* Extends the span by the side of a tapered capsule, which is the part of a cone between the
 * circles where it touches the two balls. The discs of these circles are inside the balls. */
static void extend_span_by_side(const ct_line *line, const ct_capsule_form *capsule,
                                ct_line_span *span) {
  double sine = 0.5 * (capsule->radius_bottom - capsule->radius_top) / capsule->top,
         cosine = sqrt((1.0 - sine) * (1.0 + sine));
  assert(fabs(sine) < 1.0); /* neither ball contains the other */
  double bottom = -capsule->top + capsule->radius_bottom * sine,
         top = capsule->top + capsule->radius_top * sine;
  double slope = -sine / cosine;
  cone side = {0.5 * (capsule->radius_bottom + capsule->radius_top) / cosine, slope};
  ct_line_span round;
  if (!intersect_cone(line, &side, &round)) return;
  double z_in = line->o.z + round.in * line->d.z, z_out = line->o.z + round.out * line->d.z;
  if (round.in > -INFINITY && z_in >= bottom && z_in <= top)
    extend_line_span(span, &(ct_line_span){round.in, round.in, round.normal_in, round.normal_in});
  if (round.out < INFINITY && z_out >= bottom && z_out <= top)
    extend_line_span(span,
                     &(ct_line_span){round.out, round.out, round.normal_out, round.normal_out});
}

bool ct_line_capsule(const ct_line *line, const ct_capsule_form *capsule, ct_line_span *span) {
  if (capsule->is_ball) return ct_line_ball(line, capsule->top, capsule->radius_top, span);
  ct_line_span ball;
  *span = (ct_line_span){.in = INFINITY, .out = -INFINITY};
  if (ct_line_ball(line, -capsule->top, capsule->radius_bottom, &ball))
    extend_line_span(span, &ball);
  if (ct_line_ball(line, capsule->top, capsule->radius_top, &ball)) extend_line_span(span, &ball);
  extend_span_by_side(line, capsule, span);
  return span->in <= span->out;
}

/* ---- half-spaces ---------------------------------------------------------------------------- */

bool ct_line_box(const ct_line *line, ct_vec3 half, ct_line_span *span) {
  ct_vec3 o = line->o, d = line->d;
  reset_line_span(span);
  return clip_span_to_slab(span, o.x, d.x, half.x, ct_vec(1.0, 0.0, 0.0)) &&
         clip_span_to_slab(span, o.y, d.y, half.y, ct_vec(0.0, 1.0, 0.0)) &&
         clip_span_to_slab(span, o.z, d.z, half.z, ct_vec(0.0, 0.0, 1.0)) && span->in <= span->out;
}

bool ct_line_hull(const ct_line *line, const ct_hull_view *view, ct_line_span *span) {
  reset_line_span(span);
  for (uint32_t i = 0; i < view->face_count; i++) {
    ct_vec3 n = {view->nx[i], view->ny[i], view->nz[i]};
    if (!clip_line_span(span, ct_dot(n, line->o) - view->offset[i], ct_dot(n, line->d), n))
      return false;
  }
  return span->in <= span->out;
}

bool ct_line_half_space(const ct_line *line, double height, ct_line_span *span) {
  reset_line_span(span);
  return clip_line_span(span, line->o.z - height, line->d.z, ct_vec(0.0, 0.0, 1.0));
}
