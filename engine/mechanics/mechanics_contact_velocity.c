/* How fast the points of two bodies in contact part, and what that makes of the contact (theory:
 * seed 004, slides 30-32). */
#include <contact/mechanics.h>

/* Velocity of the body's material point at a place of the world. */
static ct_vec3 point_velocity(const ct_mass_body *body, ct_vec3 at) {
  return ct_add(body->velocity.linear, ct_cross(body->velocity.angular, ct_sub(at, body->center)));
}

ct_contact_velocity ct_contact_relative_velocity(const ct_contact_set *set,
                                                 const ct_contact *contact, double tolerance) {
  ct_contact_velocity v = {.velocity_class = CT_CLASS_RESTING};
  if (contact->a >= set->body_count || contact->b >= set->body_count) return v;
  v.relative = ct_sub(point_velocity(&set->bodies[contact->b], contact->position),
                      point_velocity(&set->bodies[contact->a], contact->position));
  v.normal = ct_dot(contact->normal, v.relative);
  v.tangential = ct_add_scaled(v.relative, contact->normal, -v.normal);
  v.slip = ct_norm(v.tangential);
  v.velocity_class = v.normal > tolerance    ? CT_CLASS_SEPARATING
                     : v.normal < -tolerance ? CT_CLASS_COLLIDING
                                             : CT_CLASS_RESTING;
  v.sliding = v.slip > tolerance;
  return v;
}
