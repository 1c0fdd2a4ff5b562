/* Islands as JSON: the bodies that can move, and all contacts. */
#include "results/force_json.h"

#include <assert.h>

#include "results/result_json.h"

#define MAP_WORD(name, word) word,

const char *api_resting_friction_word(ct_resting_friction friction) {
  static const char *const words[] = {CT_RESTING_FRICTION_MAP(MAP_WORD)};
  return words[friction];
}

const char *api_velocity_class_word(ct_velocity_class velocity_class) {
  static const char *const words[] = {[CT_CLASS_SEPARATING] = "separating",
                                      [CT_CLASS_RESTING] = "resting",
                                      [CT_CLASS_COLLIDING] = "colliding"};
  return words[velocity_class];
}

void api_put_numbers(api_buffer *buffer, const char *name, const double *values, size_t count) {
  api_put_key(buffer, name);
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < count; i++) {
    api_put_item(buffer);
    api_put_number(buffer, values[i]);
  }
  api_put_byte(buffer, ']');
}

void api_put_rows(api_buffer *buffer, const char *name, const double *values, size_t rows,
                  size_t columns) {
  api_put_key(buffer, name);
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < rows; i++) {
    api_put_item(buffer);
    api_put_byte(buffer, '[');
    for (size_t k = 0; k < columns; k++) {
      api_put_item(buffer);
      api_put_number(buffer, values[i * columns + k]);
    }
    api_put_byte(buffer, ']');
  }
  api_put_byte(buffer, ']');
}

/* ---- common members ------------------------------------------------------------------------- */

static const ct_body *body_of(const api_force_island *about, size_t index) {
  assert(index < about->island->set.body_count);
  return ct_scene_body(about->scene, about->island->rows[index]);
}

void api_open_contact(api_buffer *buffer, const ct_body *a, const ct_body *b, const ct_contact *t,
                      bool found) {
  api_put_item(buffer);
  api_put_byte(buffer, '{');
  api_put_id(buffer, "a", ct_body_id(a));
  api_put_id(buffer, "b", ct_body_id(b));
  if (t->collider_a != CT_NO_COLLIDER) api_put_collider_name(buffer, "colliderA", a, t->collider_a);
  if (t->collider_b != CT_NO_COLLIDER) api_put_collider_name(buffer, "colliderB", b, t->collider_b);
  if (t->collider_a != CT_NO_COLLIDER && t->collider_b != CT_NO_COLLIDER)
    api_put_surface_of(buffer, a, t->collider_a, b, t->collider_b);
  else api_put_surface(buffer, a, b);
  api_put_member_vec3(buffer, "position", t->position);
  api_put_member_vec3(buffer, "normal", t->normal);
  if (!found) return;
  api_put_member_number(buffer, "distance", t->distance);
  if (t->is_volumetric) {
    if (t->element_a != CT_NO_ELEMENT) api_put_member_unsigned(buffer, "elementA", t->element_a);
    if (t->element_b != CT_NO_ELEMENT) api_put_member_unsigned(buffer, "elementB", t->element_b);
    api_put_member_number(buffer, "area", t->area);
    return;
  }
  const ct_contact_point point = {
      .a = t->feature_a, .b = t->feature_b, .patch = t->patch, .number = t->number};
  api_put_contact_id(buffer, "features", &point);
}

static void open_force_contact(api_buffer *buffer, const api_force_island *about,
                               const ct_contact *t) {
  api_open_contact(buffer, body_of(about, t->a), body_of(about, t->b), t, about->found);
}

static void open_body(api_buffer *buffer, const api_force_island *about, size_t index) {
  api_put_item(buffer);
  api_put_byte(buffer, '{');
  api_put_id(buffer, "id", ct_body_id(body_of(about, index)));
}

static void open_list(api_buffer *buffer, const char *name) {
  api_put_key(buffer, name);
  api_put_byte(buffer, '[');
}

/* ---- impulses ------------------------------------------------------------------------------- */

static void put_guard(api_buffer *buffer, const ct_impulse_result *result) {
  static const char *const words[] = {CT_ENERGY_GUARD_MAP(MAP_WORD)};
  api_put_key(buffer, "energyGuard");
  api_put_byte(buffer, '{');
  api_put_member_string(buffer, "status", api_text(words[result->guard]));
  if (result->guard == CT_GUARD_APPLIED)
    api_put_member_number(buffer, "theta", result->guard_theta);
  api_put_byte(buffer, '}');
}

static void put_impulse_contact(api_buffer *buffer, const api_force_island *about, size_t i,
                                const ct_contact_impulse *t) {
  static const char *const outcomes[] = {CT_IMPULSE_OUTCOME_MAP(MAP_WORD)};
  open_force_contact(buffer, about, &about->island->set.contacts[i]);
  api_put_member_vec3(buffer, "impulse", t->impulse);
  api_put_member_number(buffer, "normalImpulse", t->normal);
  api_put_member_vec3(buffer, "tangentialImpulse", t->tangential);
  api_put_member_number(buffer, "restitution", t->restitution);
  api_put_member_string(buffer, "outcome", api_text(outcomes[t->outcome]));
  api_put_member_string(buffer, "class",
                        api_text(api_velocity_class_word(t->before.velocity_class)));
  api_put_member_vec3(buffer, "velocityBefore", t->before.relative);
  api_put_member_vec3(buffer, "velocityAfter", t->after);
  api_put_member_number(buffer, "normalVelocityBefore", t->before.normal);
  api_put_member_number(buffer, "normalVelocityAfter", t->normal_after);
  api_put_byte(buffer, '}');
}

/* Puts the change of kinetic energy and, if there are bodies with prescribed motion, the work that
 * they do. */
static void put_energy(api_buffer *buffer, const ct_contact_set *set,
                       const ct_impulse_result *result) {
  bool driven = false;
  for (size_t i = 0; i < set->body_count; i++)
    driven = driven || set->bodies[i].mobility == CT_KINEMATIC;
  api_put_member_number(buffer, "energyBefore", result->energy_before);
  api_put_member_number(buffer, "energyAfter", result->energy_after);
  if (driven) api_put_member_number(buffer, "work", result->work);
  put_guard(buffer, result);
}

static void put_impulse_flags(api_buffer *buffer, const ct_impulse_result *result,
                              bool law_ignored) {
  const char *flags[3];
  size_t count = 0;
  if (result->infeasible) flags[count++] = "restitutionLeftOut";
  if (result->rotation_ignored) flags[count++] = "rotationIgnored";
  if (law_ignored) flags[count++] = "lawIgnored";
  api_put_flags(buffer, flags, count);
}

void api_put_impulse(api_buffer *buffer, const api_force_island *about,
                     const ct_impulse_result *result, bool law_ignored) {
  const ct_contact_set *set = &about->island->set;
  api_put_byte(buffer, '{');
  api_put_member_string(buffer, "law", api_text(result->law));
  api_put_member_bool(buffer, "converged", result->converged);
  api_put_member_number(buffer, "residual", result->residual);
  api_put_member_unsigned(buffer, "iterations", result->iterations);
  put_energy(buffer, set, result);
  open_list(buffer, "bodies");
  for (size_t i = 0; i < set->body_count; i++) {
    if (set->bodies[i].mobility != CT_DYNAMIC) continue;
    open_body(buffer, about, i);
    api_put_member_vec3(buffer, "linearVelocity", result->velocities[i].linear);
    api_put_member_vec3(buffer, "angularVelocity", result->velocities[i].angular);
    api_put_member_vec3(buffer, "linearVelocityBefore", set->bodies[i].velocity.linear);
    api_put_member_vec3(buffer, "angularVelocityBefore", set->bodies[i].velocity.angular);
    api_put_byte(buffer, '}');
  }
  api_put_byte(buffer, ']');
  open_list(buffer, "contacts");
  for (size_t i = 0; i < set->count; i++)
    put_impulse_contact(buffer, about, i, &result->contacts[i]);
  api_put_byte(buffer, ']');
  if (result->contradictory)
    api_put_numbers(buffer, "infeasibleCertificate", result->certificate, set->count);
  const char *status = result->contradictory ? "infeasible"
                       : result->converged   ? "ok"
                                             : "notConverged";
  api_put_member_string(buffer, "status", api_text(status));
  put_impulse_flags(buffer, result, law_ignored);
  api_put_byte(buffer, '}');
}

/* ---- resting forces ------------------------------------------------------------------------- */

static void put_force_contact(api_buffer *buffer, const api_force_island *about, size_t i,
                              const ct_contact_force *t) {
  open_force_contact(buffer, about, &about->island->set.contacts[i]);
  api_put_member_vec3(buffer, "force", t->force);
  api_put_member_number(buffer, "normalForce", t->normal);
  api_put_member_vec3(buffer, "tangentialForce", t->tangential);
  api_put_member_number(buffer, "acceleration", t->acceleration);
  api_put_member_vec3(buffer, "tangentialAcceleration", t->tangential_acceleration);
  api_put_member_string(buffer, "class",
                        api_text(api_velocity_class_word(t->velocity.velocity_class)));
  api_put_member_bool(buffer, "sliding", t->sliding);
  api_put_member_number(buffer, "normalVelocity", t->velocity.normal);
  api_put_byte(buffer, '}');
}

static void put_accelerations(api_buffer *buffer, const api_force_island *about,
                              const ct_resting_result *result) {
  const ct_contact_set *set = &about->island->set;
  open_list(buffer, "bodies");
  for (size_t i = 0; i < set->body_count; i++) {
    const ct_body_acceleration *body = &result->bodies[i];
    if (set->bodies[i].mobility != CT_DYNAMIC) continue;
    open_body(buffer, about, i);
    api_put_member_vec3(buffer, "acceleration", body->linear);
    api_put_member_vec3(buffer, "angularAcceleration", body->angular);
    api_put_member_vec3(buffer, "residualForce", body->residual_force);
    api_put_member_vec3(buffer, "residualTorque", body->residual_torque);
    api_put_byte(buffer, '}');
  }
  api_put_byte(buffer, ']');
}

/* Puts the proof of stability: contact forces in equilibrium, or of instability: a motion in which
 * bodies fall. */
static void put_proof(api_buffer *buffer, const api_force_island *about,
                      const ct_resting_result *result) {
  const ct_contact_set *set = &about->island->set;
  if (result->stability != CT_STABILITY_STAYS && result->stability != CT_STABILITY_FALLS) return;
  bool stays = result->stability == CT_STABILITY_STAYS;
  api_put_key(buffer, "proof");
  api_put_byte(buffer, '{');
  open_list(buffer, stays ? "forces" : "motion");
  for (size_t i = 0; stays && i < set->count; i++) {
    api_put_item(buffer);
    api_put_vec3(buffer, result->holding[i]);
  }
  for (size_t i = 0; !stays && i < set->body_count; i++) {
    if (set->bodies[i].mobility != CT_DYNAMIC) continue;
    open_body(buffer, about, i);
    api_put_member_vec3(buffer, "acceleration", result->motion[i].linear);
    api_put_member_vec3(buffer, "angularAcceleration", result->motion[i].angular);
    api_put_byte(buffer, '}');
  }
  api_put_raw(buffer, "]}");
}

/* Puts the method and the accuracy of the solution. */
static void put_quality(api_buffer *buffer, const ct_resting_options *options,
                        const ct_resting_result *result) {
  static const char *const statuses[] = {CT_RESTING_STATUS_MAP(MAP_WORD)};
  api_put_member_string(buffer, "status", api_text(statuses[result->status]));
  api_put_member_bool(buffer, "converged", result->converged);
  api_put_member_number(buffer, "residual", result->residual);
  api_put_member_number(buffer, "complementarity", result->complementarity);
  api_put_member_number(buffer, "primal", result->primal);
  api_put_member_number(buffer, "dual", result->dual);
  if (result->rank_known) api_put_member_unsigned(buffer, "rank", result->rank);
  if (result->unique != CT_UNKNOWN) api_put_member_bool(buffer, "unique", result->unique == CT_YES);
  if (options->friction == CT_RESTING_FRICTION_POLYHEDRAL)
    api_put_member_number(buffer, "coneError", result->cone_error);
  api_put_member_string(buffer, "method", api_text(result->method));
  api_put_member_unsigned(buffer, "iterations", result->iterations);
}

void api_put_resting(api_buffer *buffer, const api_force_island *about,
                     const ct_resting_options *options, const ct_resting_result *result) {
  const ct_contact_set *set = &about->island->set;
  api_put_byte(buffer, '{');
  if (result->stability != CT_STABILITY_UNDECIDED &&
      result->stability != CT_STABILITY_NOT_REQUESTED)
    api_put_member_bool(buffer, "stable", result->stability == CT_STABILITY_STAYS);
  put_quality(buffer, options, result);
  put_accelerations(buffer, about, result);
  open_list(buffer, "contacts");
  for (size_t i = 0; i < set->count; i++) put_force_contact(buffer, about, i, &result->contacts[i]);
  api_put_byte(buffer, ']');
  if (result->status == CT_RESTING_STATUS_INFEASIBLE)
    api_put_numbers(buffer, "infeasibleCertificate", result->certificate, set->count);
  put_proof(buffer, about, result);
}

void api_put_resting_flags(api_buffer *buffer, const ct_resting_result *result,
                           bool matrix_left_out) {
  const char *words[3];
  size_t count = 0;
  if (result->stability == CT_STABILITY_UNDECIDED) words[count++] = "undecided";
  if (result->stability == CT_STABILITY_MOVING) words[count++] = "moving";
  if (matrix_left_out) words[count++] = "matrixLeftOut";
  api_put_flags(buffer, words, count);
}
