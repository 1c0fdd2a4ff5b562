/* Contacts of curved and rounded bodies: their witness points and normal, as theory, section 5.5, and a volume where there is a
 * closed form: two balls, a ball or an ellipsoid and a half-space, a body in another unless its edges are round and lean.
 */
#include "volume/volume_gaps.h"

#include "pair/workspace.h"
#include "shape/sharp_shape.h"
#include "shape/tapered_capsule.h"

#define PI 3.14159265358979323846

/* Volumes in closed form are right to so many u of themselves where the depth is. */
#define CLOSED_FORM (64.0 * CT_UNIT_ROUNDOFF)

/* A volume and its centroid. */
typedef struct part {
  double volume;
  ct_vec3 centroid;
  double depth;       /* that it was made of, m; 0: of none */
  double depth_error; /* of the depth, in parts of it */
} part;

/* What a plane cuts off a ball: the cap of some height, and how far its centroid is from the ball's centre. */
static double cap(double radius, double height, double *centroid) {
  double rest = 2.0 * radius - height;
  *centroid = 3.0 * rest * rest / (4.0 * (3.0 * radius - height));
  return PI * height * height * (3.0 * radius - height) / 3.0;
}

/* Two balls that overlap by `both` and do not hold each other: a cap of each. Their common plane is where x^2 + h^2 is r^2 for
 * both.
 */
static part lens_of(ct_vec3 c, double r, ct_vec3 d, double s, double both) {
  ct_vec3 way = ct_sub(d, c);
  double apart = ct_norm(way), x, y;
  /* Products of differences, which do not cancel; of what is nearly held one of them may be rounded below 0. */
  double first = ct_max2(s - r + apart, 0.0) * both / (2.0 * apart), second = ct_max2(r - s + apart, 0.0) * both / (2.0 * apart);
  double v = cap(r, first, &x), w = cap(s, second, &y), sum = v + w;
  ct_vec3 unit = ct_scale(way, 1.0 / apart), p = ct_add_scaled(c, unit, x), q = ct_add_scaled(d, unit, -y);
  return (part){sum, ct_lerp(p, q, w / sum), both, 0.0};
}

/* An ellipsoid whose lowest point is so deep below a plane, as the ball that it is when its axes are made equal. */
static part below_plane(ct_vec3 radii, ct_vec3 up, double depth) {
  ct_vec3 n = ct_vec(up.x * radii.x, up.y * radii.y, up.z * radii.z);
  double length = ct_norm(n), centroid, volume = cap(1.0, ct_min2(depth / length, 2.0), &centroid);
  ct_vec3 at = ct_scale(n, -centroid / length);
  return (part){volume * radii.x * radii.y * radii.z, ct_vec(at.x * radii.x, at.y * radii.y, at.z * radii.z), depth, 0.0};
}

/* A cylinder with a ball about each of its points, by Steiner's formula: V + S p + M p^2 + 4/3 pi p^3, where M, the mean curvature,
 * is pi times the height of the side and pi^2 times the radius of both rims. */
static double rounded_cylinder(double radius, double height, double p) {
  double surface = 2.0 * PI * radius * (radius + height), curvature = PI * (height + PI * radius);
  return PI * radius * radius * height + p * (surface + p * (curvature + 4.0 / 3.0 * PI * p));
}

/* The body as it is met, shrunk by inset rounding and grown again. False: of other round edges the angles would have to be known.
 */
static bool part_of_whole(const ct_shape *shape, const ct_frame *frame, part *out) {
  ct_sharp_shape inner = ct_shape_sharp(shape);
  ct_mass_properties mass;
  if (inner.shape.kind == CT_KIND_CYLINDER && inner.radius > 0.0) {
    mass.volume = rounded_cylinder(inner.shape.cylinder.radius, 2.0 * inner.shape.cylinder.half_length, inner.radius);
    mass.center = ct_vec(0.0, 0.0, 0.0);
  } else {
    inner.shape.rounding = inner.radius;
    if (!ct_shape_mass(&inner.shape, 1.0, &mass)) return false;
  }
  mass.center.z += inner.center_z;
  *out = (part){mass.volume, frame ? ct_to_parent(*frame, mass.center) : mass.center, 0.0, 0.0};
  return true;
}

static bool is_ellipsoid(const ct_shape *shape) {
  return shape->kind == CT_KIND_ELLIPSOID && shape->rounding == 0.0 && shape->margin == 0.0;
}

/* How deep a ball or an ellipsoid without rounding is below a half-space. */
static ct_dd depth_below(ct_volume_pair *pair, double z, ct_vec3 radii, bool is_ball) {
  const ct_wide_plane plane = ct_wide_half_space(&pair->wide, ct_shape_growth(pair->b.shape));
  const ct_dd3 center = {{0.0, 0.0}, {0.0, 0.0}, ct_dd_of(z)}, *n = &plane.normal;
  const ct_dd height = ct_wide_height(&plane, &center);
  if (is_ball) return ct_dd_add(ct_dd_of(radii.x), ct_dd_neg(height));
  const ct_dd3 scaled = {ct_dd_mul(n->x, ct_dd_of(radii.x)), ct_dd_mul(n->y, ct_dd_of(radii.y)),
                         ct_dd_mul(n->z, ct_dd_of(radii.z))};
  return ct_dd_add(ct_dd_sqrt(ct_dd3_dot(&scaled, &scaled)), ct_dd_neg(height));
}

/* By how much two balls overlap. */
static ct_dd overlap_of_balls(ct_volume_pair *pair, double z, double r, double w, double s) {
  const ct_dd3 second = ct_wide_place(&pair->wide, ct_vec(0.0, 0.0, w)), first = ct_dd3_of(ct_vec(0.0, 0.0, z));
  const ct_dd3 way = ct_dd3_minus(&second, &first);
  return ct_dd_add(ct_two_sum(r, s), ct_dd_neg(ct_dd_sqrt(ct_dd3_dot(&way, &way))));
}

/* A depth right to some u of itself; that of the distance where this one is not above 0, so that what is in another at all has a
 * volume, which is then not known. */
static double exact_depth(ct_dd wide, double answered, double *error) {
  double depth = ct_dd_value(wide);
  if (depth > 0.0) return depth;
  *error = answered;
  return answered;
}

/* Radii that are sums with a rounding or a margin are rounded. */
static double rounding_of_radii(const ct_shape *a, const ct_shape *b, double size) {
  bool is_sum = a->rounding != 0.0 || a->margin != 0.0 || b->rounding != 0.0 || b->margin != 0.0;
  return is_sum ? 4.0 * CT_UNIT_ROUNDOFF * size : 0.0;
}

/* The common volume and the bound of its error; false: there is no closed form for it. */
static bool volume_of(ct_volume_pair *pair, ct_relation relation, double depth, part *out) {
  const ct_shape *a = pair->a.shape, *b = pair->b.shape;
  double z, w, r, s;
  if (relation == CT_CONTAINED) return part_of_whole(a, NULL, out);
  if (relation == CT_CONTAINING) return part_of_whole(b, &pair->relative, out);
  if (b->kind == CT_KIND_PLANE) {
    const ct_mat3 *m = &pair->relative.rotation;
    ct_vec3 up = ct_unit_or(ct_vec(m->rx.z, m->ry.z, m->rz.z), ct_vec(0.0, 0.0, 1.0)), center = {0.0, 0.0, 0.0};
    bool ball = ct_shape_is_ball(a, &z, &r);
    if (!ball && !is_ellipsoid(a)) return false;
    if (ball) center.z = z;
    ct_vec3 radii = ball ? ct_vec(r, r, r) : a->ellipsoid.radii;
    double error = rounding_of_radii(a, b, radii.x);
    ct_volume_widen(pair);
    depth = exact_depth(depth_below(pair, center.z, radii, ball), depth, &error);
    *out = below_plane(radii, up, depth);
    out->depth_error = error / depth;
    out->centroid = ct_add(out->centroid, center);
    return true;
  }
  if (!ct_shape_is_ball(a, &z, &r) || !ct_shape_is_ball(b, &w, &s)) return false;
  double error = rounding_of_radii(a, b, ct_max2(r, s));
  ct_volume_widen(pair);
  depth = exact_depth(overlap_of_balls(pair, z, r, w, s), depth, &error);
  *out = lens_of(ct_vec(0.0, 0.0, z), r, ct_to_parent(pair->relative, ct_vec(0.0, 0.0, w)), s, depth);
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
  ct_volume_contact c = {.status = r.status, .normal = r.normal, .raw_gap = r.distance, .gap = r.distance};
  c.position = c.centroid = ct_lerp(r.point_a, r.point_b, 0.5);
  c.element_a = c.element_b = CT_NO_ELEMENT;
  part common;
  if (volume_of(pair, r.relation, -r.distance, &common)) {
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
