/* Contacts of curved and rounded bodies: their witness points and normal, as theory, section 5.5, and a volume where there is a
 * closed form: two balls, a ball or an ellipsoid and a half-space, a body in another unless its edges are round and lean.
 */
#include "narrow/volume_finish.h"

#include "narrow/workspace.h"
#include "shape/capsule.h"
#include "shape/inner.h"

#define PI 3.14159265358979323846

/* A volume and its centroid. */
typedef struct part {
  double volume;
  ct_vec3 centroid;
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
  return (part){sum, ct_lerp(p, q, w / sum)};
}

/* An ellipsoid whose lowest point is so deep below a plane, as the ball that it is when its axes are made equal. */
static part below_plane(ct_vec3 radii, ct_vec3 up, double depth) {
  ct_vec3 n = ct_vec(up.x * radii.x, up.y * radii.y, up.z * radii.z);
  double length = ct_norm(n), centroid, volume = cap(1.0, ct_min2(depth / length, 2.0), &centroid);
  ct_vec3 at = ct_scale(n, -centroid / length);
  return (part){volume * radii.x * radii.y * radii.z, ct_vec(at.x * radii.x, at.y * radii.y, at.z * radii.z)};
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
  ct_inner inner = ct_shape_inner(shape);
  ct_mass_properties mass;
  if (inner.shape.kind == CT_KIND_CYLINDER && inner.radius > 0.0) {
    mass.volume = rounded_cylinder(inner.shape.cylinder.radius, 2.0 * inner.shape.cylinder.half_length, inner.radius);
    mass.center = ct_vec(0.0, 0.0, 0.0);
  } else {
    inner.shape.rounding = inner.radius;
    if (!ct_shape_mass(&inner.shape, 1.0, &mass)) return false;
  }
  mass.center.z += inner.center_z;
  *out = (part){mass.volume, frame ? ct_to_parent(*frame, mass.center) : mass.center};
  return true;
}

static bool is_ellipsoid(const ct_shape *shape) {
  return shape->kind == CT_KIND_ELLIPSOID && shape->rounding == 0.0 && shape->margin == 0.0;
}

/* The common volume; false: there is no closed form for it. It is that of the depth that is answered, so that what is in another at
 * all has a volume: the difference of two heights anew may be rounded to nothing. */
static bool volume_of(const ct_volume_pair *pair, ct_relation relation, double depth, part *out) {
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
    *out = below_plane(ball ? ct_vec(r, r, r) : a->ellipsoid.radii, up, depth);
    out->centroid = ct_add(out->centroid, center);
    return true;
  }
  if (!ct_shape_is_ball(a, &z, &r) || !ct_shape_is_ball(b, &w, &s)) return false;
  *out = lens_of(ct_vec(0.0, 0.0, z), r, ct_to_parent(pair->relative, ct_vec(0.0, 0.0, w)), s, depth);
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
  } else {
    c.flags |= CT_VOLUME_FLAG_VOLUME_UNDEFINED;
  }
  if (r.flags & CT_FLAG_NORMAL_ARBITRARY) c.flags |= CT_VOLUME_FLAG_NORMAL_ARBITRARY;
  c.depth_along_normal = ct_volume_depth(pair, c.normal);
  ct_volume_surfaces(pair, &c);
  ct_volume_push(pair, &c);
}
