/* Volumetric contacts of curved and rounded bodies: witness points and normal of the distance
 * query, and a volume where a closed form exists.
 *
 * Closed forms: two balls; a ball or an ellipsoid and a half-space; a body inside another, unless
 * it is a rounded cone, ellipsoid or hull. In all other cases the volume is undefined, and a flag
 * reports this. */
#include "volume/volume_gaps.h"

#include "pair/workspace.h"
#include "shape/sharp_shape.h"
#include "shape/tapered_capsule.h"

#include <assert.h>

#define PI 3.14159265358979323846

/* Relative error bound of a closed-form volume whose depth is exact. */
#define CLOSED_FORM (64.0 * CT_UNIT_ROUNDOFF)

/* A volume and its centroid. */
typedef struct closed_form_volume {
  double volume;
  ct_vec3 centroid;
  double depth; /* penetration depth from which the volume was computed, m; 0: it does not depend on
                   a depth */
  double depth_error; /* upper bound of the relative error of the depth */
} closed_form_volume;

/* Returns the volume of a ball's cap of the given height. *centroid: distance of its centroid from
 * the ball's centre, m. */
static double compute_cap(double radius, double height, double *centroid) {
  double rest = 2.0 * radius - height;
  assert(height >= 0.0 && radius > 0.0);
  *centroid = 3.0 * rest * rest / (4.0 * (3.0 * radius - height));
  return PI * height * height * (3.0 * radius - height) / 3.0;
}

/* Intersects the balls (c, r) and (d, s), neither inside the other, with penetration depth `both`:
 * two caps on the common plane of their spheres. */
static closed_form_volume intersect_balls(ct_vec3 c, double r, ct_vec3 d, double s, double both) {
  ct_vec3 between = ct_sub(d, c);
  double apart = ct_norm(between), x, y;
  assert(both > 0.0 && apart > 0.0);
  /* These products of differences have no cancellation; near containment a difference may be
   * rounded below 0. */
  double first = ct_max2(s - r + apart, 0.0) * both / (2.0 * apart),
         second = ct_max2(r - s + apart, 0.0) * both / (2.0 * apart);
  double v = compute_cap(r, first, &x), w = compute_cap(s, second, &y), sum = v + w;
  ct_vec3 unit = ct_scale(between, 1.0 / apart), p = ct_add_scaled(c, unit, x),
          q = ct_add_scaled(d, unit, -y);
  return (closed_form_volume){sum, ct_lerp(p, q, w / sum), both, 0.0};
}

/* Returns the part of an ellipsoid that is below a plane by `depth`, computed after scaling to the
 * unit ball. up: the plane's normal. */
static closed_form_volume cut_ellipsoid(ct_vec3 radii, ct_vec3 up, double depth) {
  ct_vec3 n = ct_vec(up.x * radii.x, up.y * radii.y, up.z * radii.z);
  assert(depth > 0.0);
  double length = ct_norm(n), centroid,
         volume = compute_cap(1.0, ct_min2(depth / length, 2.0), &centroid);
  ct_vec3 at = ct_scale(n, -centroid / length);
  return (closed_form_volume){volume * radii.x * radii.y * radii.z,
                              ct_vec(at.x * radii.x, at.y * radii.y, at.z * radii.z), depth, 0.0};
}

/* Returns the volume of a cylinder rounded by a ball of radius p, by Steiner's formula V + S p + M
 * p^2 + 4/3 pi p^3 with volume V and surface S of the cylinder; its integral of mean curvature is M
 * = pi height + pi^2 radius. */
static double compute_rounded_cylinder_volume(double radius, double height, double p) {
  double surface = 2.0 * PI * radius * (radius + height), curvature = PI * (height + PI * radius);
  return PI * radius * radius * height + p * (surface + p * (curvature + 4.0 / 3.0 * PI * p));
}

/* Computes volume and centroid of a whole body; inset rounding shrinks the sharp shape first.
 * False: there is no closed form, because the volume of rounded edges depends on their angles. */
static bool measure_whole_body(const ct_shape *shape, const ct_frame *frame,
                               closed_form_volume *out) {
  ct_sharp_shape inner = ct_shape_sharp(shape);
  ct_mass_properties mass;
  if (inner.shape.kind == CT_KIND_CYLINDER && inner.radius > 0.0) {
    mass.volume = compute_rounded_cylinder_volume(
        inner.shape.cylinder.radius, 2.0 * inner.shape.cylinder.half_length, inner.radius);
    mass.center = ct_vec(0.0, 0.0, 0.0);
  } else {
    inner.shape.rounding = inner.radius;
    if (!ct_shape_mass(&inner.shape, 1.0, &mass)) return false;
  }
  mass.center.z += inner.center_z;
  *out = (closed_form_volume){mass.volume, frame ? ct_to_parent(*frame, mass.center) : mass.center,
                              0.0, 0.0};
  return true;
}

static bool is_unrounded_ellipsoid(const ct_shape *shape) {
  return shape->kind == CT_KIND_ELLIPSOID && shape->rounding == 0.0 && shape->margin == 0.0;
}

/* Returns the penetration depth of a ball or an unrounded ellipsoid in a half-space, m. z: of the
 * centre. */
static ct_dd compute_plane_depth(ct_volume_pair *pair, double z, ct_vec3 radii, bool is_ball) {
  const ct_wide_plane plane = ct_wide_half_space(&pair->wide, ct_shape_growth(pair->b.shape));
  const ct_dd3 center = {{0.0, 0.0}, {0.0, 0.0}, ct_dd_of(z)}, *n = &plane.normal;
  const ct_dd height = ct_wide_height(&plane, &center);
  if (is_ball) return ct_dd_add(ct_dd_of(radii.x), ct_dd_neg(height));
  const ct_dd3 scaled = {ct_dd_mul(n->x, ct_dd_of(radii.x)), ct_dd_mul(n->y, ct_dd_of(radii.y)),
                         ct_dd_mul(n->z, ct_dd_of(radii.z))};
  return ct_dd_add(ct_dd_sqrt(ct_dd3_dot(&scaled, &scaled)), ct_dd_neg(height));
}

/* Returns the penetration depth of two balls, m: centres at z and w on the z axes of a and b, radii
 * r and s. */
static ct_dd compute_ball_depth(ct_volume_pair *pair, double z, double r, double w, double s) {
  const ct_dd3 second = ct_wide_place(&pair->wide, ct_vec(0.0, 0.0, w)),
               first = ct_dd3_of(ct_vec(0.0, 0.0, z));
  const ct_dd3 between = ct_dd3_minus(&second, &first);
  return ct_dd_add(ct_two_sum(r, s), ct_dd_neg(ct_dd_sqrt(ct_dd3_dot(&between, &between))));
}

/* Returns the depth, which has a relative error of a few unit round-offs. If it is not positive,
 * returns the depth of the distance query instead and sets *error to the same value, so that the
 * reported volume is marked as uncertain. */
static double choose_depth(ct_dd wide, double query_depth, double *error) {
  double depth = ct_dd_value(wide);
  assert(query_depth > 0.0);
  if (depth > 0.0) return depth;
  *error = query_depth;
  return query_depth;
}

/* Returns the round-off of radii that are sums with a rounding or a margin, m; 0 for others. */
static double bound_radius_error(const ct_shape *a, const ct_shape *b, double size) {
  bool is_sum = a->rounding != 0.0 || a->margin != 0.0 || b->rounding != 0.0 || b->margin != 0.0;
  return is_sum ? 4.0 * CT_UNIT_ROUNDOFF * size : 0.0;
}

/* Computes volume, centroid and depth of the intersection. False: there is no closed form. */
static bool find_closed_form(ct_volume_pair *pair, ct_relation relation, double depth,
                             closed_form_volume *out) {
  const ct_shape *a = pair->a.shape, *b = pair->b.shape;
  double z, w, r, s;
  if (relation == CT_CONTAINED) return measure_whole_body(a, NULL, out);
  if (relation == CT_CONTAINING) return measure_whole_body(b, &pair->relative, out);
  /* a ball or an ellipsoid and a half-space */
  if (b->kind == CT_KIND_PLANE) {
    const ct_mat3 *m = &pair->relative.rotation;
    ct_vec3 up = ct_unit_or(ct_vec(m->rx.z, m->ry.z, m->rz.z), ct_vec(0.0, 0.0, 1.0)),
            center = {0.0, 0.0, 0.0};
    bool ball = ct_shape_is_ball(a, &z, &r);
    if (!ball && !is_unrounded_ellipsoid(a)) return false;
    if (ball) center.z = z;
    ct_vec3 radii = ball ? ct_vec(r, r, r) : a->ellipsoid.radii;
    double error = bound_radius_error(a, b, radii.x);
    ct_volume_widen(pair);
    depth = choose_depth(compute_plane_depth(pair, center.z, radii, ball), depth, &error);
    *out = cut_ellipsoid(radii, up, depth);
    out->depth_error = error / depth;
    out->centroid = ct_add(out->centroid, center);
    return true;
  }
  /* two balls */
  if (!ct_shape_is_ball(a, &z, &r) || !ct_shape_is_ball(b, &w, &s)) return false;
  double error = bound_radius_error(a, b, ct_max2(r, s));
  ct_volume_widen(pair);
  depth = choose_depth(compute_ball_depth(pair, z, r, w, s), depth, &error);
  *out = intersect_balls(ct_vec(0.0, 0.0, z), r, ct_to_parent(pair->relative, ct_vec(0.0, 0.0, w)),
                         s, depth);
  out->depth_error = error / depth;
  return true;
}

void ct_volume_curved(ct_volume_pair *pair) {
  ct_pair_result r = ct_volume_distance(pair);
  if (r.status == CT_PAIR_ITERATION_LIMIT) pair->status = CT_PAIR_ITERATION_LIMIT;
  if (r.distance >= 0.0) {
    if (r.distance == 0.0) pair->flags |= CT_VOLUME_FLAG_TOUCHING_ONLY;
    return;
  }
  ct_volume_contact c = {
      .status = r.status, .normal = r.normal, .raw_gap = r.distance, .gap = r.distance};
  c.position = c.centroid = ct_lerp(r.point_a, r.point_b, 0.5);
  c.element_a = c.element_b = CT_NO_ELEMENT;
  closed_form_volume common;
  if (find_closed_form(pair, r.relation, -r.distance, &common)) {
    c.volume = common.volume;
    c.centroid = common.centroid;
    if (common.depth > 0.0) c.raw_gap = c.gap = -common.depth;
    ct_volume_set_error(&c, (CLOSED_FORM + 2.0 * common.depth_error) * c.volume);
  } else {
    c.flags |= CT_VOLUME_FLAG_VOLUME_UNDEFINED;
  }
  if (r.flags & CT_FLAG_NORMAL_ARBITRARY) c.flags |= CT_VOLUME_FLAG_NORMAL_ARBITRARY;
  c.depth_along_normal = ct_volume_depth(pair, c.normal);
  ct_volume_surfaces(pair, &c);
  ct_volume_curved_surfaces(pair, &r, &c);
  ct_volume_push(pair, &c);
}
