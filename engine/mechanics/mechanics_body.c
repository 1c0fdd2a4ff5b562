/* A body as mechanics sees it: where its mass is, how it turns, what acts on it (theory: Euler's
 * equations; Goldstein 2002, 5.5).
 */
#include "mechanics/mechanics.h"

/* A pivot of a body's inertia that is less of its diagonal entry is round-off: nothing holds the
 * body against that turn. */
#define SINGULAR_PART (16.0 * CT_UNIT_ROUNDOFF)

static ct_vec3 zero(void) { return ct_vec(0.0, 0.0, 0.0); }

/* Inverse of a symmetric matrix by its factors L D L' (Golub, Van Loan 2013, 4.1). False: not
 * positive definite, or so near to singular that its entries do not tell. */
static bool invert(const ct_mat3 *m, ct_mat3 *out) {
  double d1 = m->rx.x;
  if (!(d1 > 0.0)) return false;
  double l21 = m->rx.y / d1, l31 = m->rx.z / d1;
  double d2 = m->ry.y - l21 * m->rx.y, c32 = m->ry.z - l31 * m->rx.y;
  if (!(d2 > SINGULAR_PART * m->ry.y)) return false;
  double l32 = c32 / d2, d3 = m->rz.z - l31 * m->rx.z - l32 * c32;
  if (!(d3 > SINGULAR_PART * m->rz.z)) return false;
  double e1 = 1.0 / d1, e2 = 1.0 / d2, e3 = 1.0 / d3;
  if (!(isfinite(e1) && isfinite(e2) && isfinite(e3))) return false;
  double l = l21 * l32 - l31; /* of the inverse of L: its last row is (l, -l32, 1) */
  ct_vec3 last = ct_scale(ct_vec(l, -l32, 1.0), e3);
  out->rx = ct_vec(e1 + l21 * (l21 * e2) + l * last.x, -l21 * e2 - l32 * last.x, last.x);
  out->ry = ct_vec(out->rx.y, e2 + l32 * (l32 * e3), last.y);
  out->rz = ct_vec(last.x, last.y, last.z);
  return true;
}

/* R M R' of a symmetric matrix, symmetric to the bit. */
static ct_mat3 turned(ct_mat3 r, ct_mat3 m) {
  ct_mat3 t = ct_mat_mat(ct_mat_mat(r, m), ct_mat_transpose(r));
  t.ry.x = t.rx.y;
  t.rz.x = t.rx.z;
  t.rz.y = t.ry.z;
  return t;
}

/* The body's own motion without contacts: loads, and the torque by which a turning body keeps its
 * angular momentum. */
static bool set_dynamic(const ct_mass_properties *mass, const ct_frame *frame, ct_vec3 gravity,
                        ct_mass_body *out) {
  ct_mat3 inverse;
  if (!(mass->mass > 0.0) || !isfinite(1.0 / mass->mass) || !invert(&mass->inertia, &inverse))
    return false;
  out->mobility = CT_DYNAMIC;
  out->mass = mass->mass;
  out->inverse_mass = 1.0 / mass->mass;
  out->inertia = turned(frame->rotation, mass->inertia);
  out->inverse_inertia = turned(frame->rotation, inverse);
  out->center = ct_to_parent(*frame, mass->center);
  out->force = ct_scale(gravity, mass->mass);
  out->linear_acceleration = gravity;
  ct_vec3 w = out->velocity.angular, momentum = ct_mat_mul(out->inertia, w);
  out->angular_acceleration = ct_mat_mul(out->inverse_inertia, ct_cross(momentum, w));
  return true;
}

static void set_immovable(ct_mass_body *out, ct_mobility mobility, ct_vec3 center) {
  *out = (ct_mass_body){.mobility = mobility, .center = center};
}

bool ct_scene_mass_body(const ct_scene *scene, uint32_t row, const ct_pose *pose,
                        const ct_velocity *velocity, ct_vec3 gravity, ct_mass_body *out) {
  const ct_body *body = ct_scene_body(scene, row);
  const ct_motion *motion = body ? ct_body_motion(body) : NULL;
  set_immovable(out, CT_FIXED, pose->position);
  if (!motion) return true;
  ct_frame frame = ct_frame_of(*pose);
  ct_mass_properties mass;
  bool overlap_ignored, known = ct_body_mass(body, &mass, &overlap_ignored);
  if (motion->is_kinematic) {
    ct_vec3 center = motion->has_center ? motion->center : known ? mass.center : zero();
    set_immovable(out, CT_KINEMATIC, ct_to_parent(frame, center));
    out->velocity = *velocity;
    if (motion->acceleration) {
      out->linear_acceleration = motion->acceleration->linear;
      out->angular_acceleration = motion->acceleration->angular;
    }
    return true;
  }
  if (!known) return false;
  out->velocity = *velocity;
  if (set_dynamic(&mass, &frame, gravity, out)) return true;
  set_immovable(out, CT_FIXED, pose->position);
  return false;
}

void ct_mass_body_load(ct_mass_body *body, ct_vec3 force, ct_vec3 torque) {
  if (body->mobility != CT_DYNAMIC) return;
  body->force = ct_add(body->force, force);
  body->torque = ct_add(body->torque, torque);
  body->linear_acceleration = ct_add_scaled(body->linear_acceleration, force, body->inverse_mass);
  body->angular_acceleration =
      ct_add(body->angular_acceleration, ct_mat_mul(body->inverse_inertia, torque));
}

double ct_scene_velocity_tolerance(double contact_tolerance, ct_vec3 gravity) {
  return fmax(sqrt(2.0 * ct_norm(gravity) * contact_tolerance), CT_VELOCITY_TOLERANCE_MIN);
}
