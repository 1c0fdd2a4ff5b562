/* Mass properties of a body: what its motion says, the rest from its colliders with uniform density
 * (theory: parallel axes). */
#include "scene/body.h"

/* Density of a body that has none of its own, kg/m^3: water's. */
#define STANDARD_DENSITY 1000.0

/* All colliders at density 1, body frame. False: a plane among them, or no volume. */
static bool unit_mass(const ct_body *body, ct_mass_properties *out) {
  size_t count = ct_body_collider_count(body);
  ct_mass_properties sum = {0};
  for (size_t i = 0; i < count; i++) {
    ct_mass_properties part;
    if (!ct_shape_mass(ct_body_shape(body, i), 1.0, &part)) return false;
    const ct_pose *pose = ct_body_shape_pose(body, i);
    if (pose) {
      ct_frame frame = ct_frame_of(*pose);
      part = ct_mass_place(&part, &frame);
    }
    sum = i == 0 ? part : ct_mass_add(&sum, &part);
  }
  *out = sum;
  return count > 0 && sum.mass > 0.0;
}

static ct_mat3 scaled(ct_mat3 m, double s) {
  return (ct_mat3){ct_scale(m.rx, s), ct_scale(m.ry, s), ct_scale(m.rz, s)};
}

/* Adds mass times (|d|^2 1 - d d^T): the inertia seen from a point d away from the centre. */
static ct_mat3 seen_from(ct_mat3 inertia, double mass, ct_vec3 d) {
  double dd = ct_norm2(d);
  inertia.rx = ct_add(inertia.rx, ct_scale(ct_vec(dd - d.x * d.x, -d.x * d.y, -d.x * d.z), mass));
  inertia.ry = ct_add(inertia.ry, ct_scale(ct_vec(-d.y * d.x, dd - d.y * d.y, -d.y * d.z), mass));
  inertia.rz = ct_add(inertia.rz, ct_scale(ct_vec(-d.z * d.x, -d.z * d.y, dd - d.z * d.z), mass));
  return inertia;
}

/* R diag(moments) R^T */
static ct_mat3 turned(ct_vec3 moments, ct_quat orientation) {
  ct_mat3 r = ct_quat_matrix(orientation);
  ct_mat3 scaled_columns = {{r.rx.x * moments.x, r.rx.y * moments.y, r.rx.z * moments.z},
                            {r.ry.x * moments.x, r.ry.y * moments.y, r.ry.z * moments.z},
                            {r.rz.x * moments.x, r.rz.y * moments.y, r.rz.z * moments.z}};
  return ct_mat_mat(scaled_columns, ct_mat_transpose(r));
}

bool ct_body_mass(const ct_body *body, ct_mass_properties *out, bool *overlap_ignored) {
  static const ct_motion none = {.source = CT_MASS_NONE};
  const ct_motion *motion = ct_body_motion(body);
  if (!motion) motion = &none;
  ct_mass_properties result = {0};
  bool reported = motion->source == CT_MASS_MASS && motion->has_center && motion->has_inertia;
  bool computed = unit_mass(body, &result);
  if (!computed && !reported) return false;
  if (!computed) result = (ct_mass_properties){0};
  double mass =
      motion->source == CT_MASS_MASS
          ? motion->value
          : result.mass * (motion->source == CT_MASS_DENSITY ? motion->value : STANDARD_DENSITY);
  if (computed) result.inertia = scaled(result.inertia, mass / result.mass);
  if (motion->has_center) {
    result.inertia = seen_from(result.inertia, mass, ct_sub(motion->center, result.center));
    result.center = motion->center;
  }
  if (motion->has_inertia)
    result.inertia = turned(motion->inertia_diagonal, motion->inertia_orientation);
  result.mass = mass;
  *out = result;
  *overlap_ignored = !reported && ct_body_collider_count(body) > 1;
  return true;
}
