/* From the forces of an island to what is reported of its contacts and bodies. Everything is
 * computed again from the forces: what the solvers believe of accelerations is not looked at.
 */
#include "resting/resting_problem.h"

/* What contacts alone do to a body. */
typedef struct contact_load {
  ct_vec3 force, torque, linear, angular;
} contact_load;

static void add_force(contact_load *load, const ct_mass_body *body, ct_vec3 at, ct_vec3 force) {
  load->force = ct_add(load->force, force);
  load->torque = ct_add(load->torque, ct_cross(ct_sub(at, body->center), force));
}

static void tell_force(const ct_resting *resting, size_t number, contact_load *loads) {
  const ct_contact_set *set = resting->set;
  const ct_contact *contact = &set->contacts[resting->active[number]];
  ct_contact_force *reported = &resting->result->contacts[resting->active[number]];
  const double *f = &resting->forces[number * CT_RESTING_PARTS];
  ct_mat3 axes = ct_resting_axes(contact);
  reported->normal = f[0];
  reported->tangential = ct_add(ct_scale(axes.ry, f[1]), ct_scale(axes.rz, f[2]));
  reported->force = ct_resting_force(contact, f);
  add_force(&loads[contact->a], &set->bodies[contact->a], contact->position,
            ct_neg(reported->force));
  add_force(&loads[contact->b], &set->bodies[contact->b], contact->position, reported->force);
}

static void tell_body(const ct_mass_body *body, contact_load *load,
                      ct_body_acceleration *reported) {
  *reported = (ct_body_acceleration){.linear = body->linear_acceleration,
                                     .angular = body->angular_acceleration,
                                     .residual_force = ct_add(body->force, load->force),
                                     .residual_torque = ct_add(body->torque, load->torque)};
  if (body->mobility != CT_DYNAMIC) return;
  load->linear = ct_scale(load->force, body->inverse_mass);
  load->angular = ct_mat_mul(body->inverse_inertia, load->torque);
  reported->linear = ct_add(reported->linear, load->linear);
  reported->angular = ct_add(reported->angular, load->angular);
}

static ct_vec3 point_acceleration(const contact_load *load, const ct_mass_body *body, ct_vec3 at) {
  return ct_add(load->linear, ct_cross(load->angular, ct_sub(at, body->center)));
}

static void tell_acceleration(const ct_contact_set *set, const ct_contact *contact,
                              const contact_load *loads, ct_contact_force *reported) {
  ct_vec3 tangential;
  double normal = ct_contact_free_acceleration(set, contact, &tangential);
  ct_vec3 by_contacts =
      ct_sub(point_acceleration(&loads[contact->b], &set->bodies[contact->b], contact->position),
             point_acceleration(&loads[contact->a], &set->bodies[contact->a], contact->position));
  double along = ct_dot(contact->normal, by_contacts);
  reported->acceleration = normal + along;
  reported->tangential_acceleration =
      ct_add(tangential, ct_add_scaled(by_contacts, contact->normal, -along));
}

/* The worst of gaps that close and of forces that pull. */
static void tell_worst(ct_resting *resting) {
  ct_resting_result *result = resting->result;
  result->primal = result->dual = 0.0;
  for (size_t i = 0; i < resting->count; i++) {
    const ct_contact_force *reported = &result->contacts[resting->active[i]];
    result->primal = ct_max2(result->primal, -reported->acceleration);
    result->dual = ct_max2(result->dual, -reported->normal);
  }
}

ct_status ct_resting_write_result(ct_resting *resting) {
  const ct_contact_set *set = resting->set;
  ct_arena_mark mark = ct_arena_enter(resting->arena);
  contact_load *loads = ct_arena_alloc(resting->arena, set->body_count, sizeof *loads);
  if (!loads) {
    ct_arena_leave(resting->arena, mark);
    return CT_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < set->body_count; i++) loads[i] = (contact_load){0};
  for (size_t i = 0; i < resting->count; i++) tell_force(resting, i, loads);
  for (size_t i = 0; i < set->body_count; i++)
    tell_body(&set->bodies[i], &loads[i], &resting->result->bodies[i]);
  for (size_t i = 0; i < set->count; i++)
    tell_acceleration(set, &set->contacts[i], loads, &resting->result->contacts[i]);
  tell_worst(resting);
  ct_arena_leave(resting->arena, mark);
  return CT_OK;
}
