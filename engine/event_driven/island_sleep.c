/* Sleep in event-driven integration: the forces of an island at rest are not solved again until its
 * contacts or loads change. */
#include "event_driven/event_driven.h"

#include <assert.h>

/* Working state of the dynamic or kinematic body with this index in the island. */
static ct_body_state *state_of_island_body(const ct_event_step *step, const ct_island *island,
                                           size_t body) {
  return &step->driven->common->next[step->driven->common->moved_of[island->rows[body]]];
}

/* True if no kinematic body of the island moves or accelerates. */
static bool has_still_support(const ct_contact_set *set) {
  for (size_t i = 0; i < set->body_count; i++) {
    const ct_mass_body *b = &set->bodies[i];
    if (b->mobility == CT_KINEMATIC &&
        !(ct_is_zero_vec(b->velocity.linear) && ct_is_zero_vec(b->velocity.angular) &&
          ct_is_zero_vec(b->linear_acceleration) && ct_is_zero_vec(b->angular_acceleration)))
      return false;
  }
  return true;
}

/* Sums of the magnitudes of all forces and torques that act on a body: loads and contact forces. */
static void sum_load_magnitudes(const ct_contact_set *set, const ct_contact_force *forces,
                                uint32_t body, double *force, double *torque) {
  const ct_mass_body *b = &set->bodies[body];
  *force = ct_norm(b->force);
  *torque = ct_norm(b->torque);
  for (size_t k = 0; k < set->count; k++) {
    const ct_contact *t = &set->contacts[k];
    if (t->a != body && t->b != body) continue;
    double size = ct_norm(forces[k].force);
    *force += size;
    *torque += size * ct_norm(ct_sub(t->position, b->center));
  }
}

bool ct_event_island_is_at_rest(const ct_event_step *step, const ct_island *island,
                                const ct_resting_result *found) {
  const ct_advance_options *o = &step->driven->common->options;
  double part = o->tolerance > 0.0 ? o->tolerance : CT_ADVANCE_TOLERANCE;
  if (found->status != CT_RESTING_STATUS_OK || !found->converged ||
      !has_still_support(&island->set))
    return false;
  for (size_t i = 0; i < island->set.body_count; i++) {
    if (island->set.bodies[i].mobility != CT_DYNAMIC) continue;
    const ct_body_state *m = state_of_island_body(step, island, i);
    double force, torque;
    sum_load_magnitudes(&island->set, found->contacts, (uint32_t)i, &force, &torque);
    bool still = ct_norm(m->force) <= part * force && ct_norm(m->torque) <= part * torque &&
                 m->mass * ct_norm(m->velocity.linear) <= part * force * o->time_step &&
                 ct_norm(m->angular_momentum) <= part * torque * o->time_step;
    if (!still) return false;
  }
  return true;
}

void ct_event_put_to_sleep(ct_event_step *step, const ct_island *island,
                           const ct_resting_result *found) {
  ct_body_state *first = NULL;
  for (size_t i = 0; i < island->set.body_count; i++) {
    if (island->set.bodies[i].mobility != CT_DYNAMIC) continue;
    ct_body_state *m = state_of_island_body(step, island, i);
    m->velocity = (ct_velocity){{0, 0, 0}, {0, 0, 0}};
    m->angular_momentum = m->force = m->torque = ct_vec(0, 0, 0);
    m->asleep = true;
    m->sleeping_support = (ct_sleeping_support){0};
    if (!first) first = m;
  }
  assert(first);
  first->sleeping_support.contacts = island->set.count;
  for (size_t k = 0; k < island->set.count; k++) {
    const ct_contact *t = &island->set.contacts[k];
    ct_vec3 force = found->contacts[k].force;
    first->sleeping_support.acting += !ct_is_zero_vec(force);
    if (island->set.bodies[t->a].mobility != CT_DYNAMIC)
      first->sleeping_support.force = ct_add(first->sleeping_support.force, force);
    if (island->set.bodies[t->b].mobility != CT_DYNAMIC)
      first->sleeping_support.force = ct_sub(first->sleeping_support.force, force);
  }
}

bool ct_event_island_is_asleep(const ct_event_step *step, const ct_island *island) {
  const ct_body_state *first = NULL;
  for (size_t i = 0; i < island->set.body_count; i++) {
    if (island->set.bodies[i].mobility != CT_DYNAMIC) continue;
    const ct_body_state *m = state_of_island_body(step, island, i);
    if (!m->asleep) return false;
    if (!first) first = m;
  }
  return first && first->sleeping_support.contacts == island->set.count &&
         has_still_support(&island->set);
}

void ct_event_restore_sleeping_body(ct_event_step *step, ct_body_state *moved) {
  assert(moved->asleep && moved->is_dynamic);
  moved->force = moved->torque = ct_vec(0, 0, 0);
  step->result.contact_impulse =
      ct_add_scaled(step->result.contact_impulse, moved->sleeping_support.force, step->result.time);
  step->result.acting += moved->sleeping_support.acting;
}

/* True for a dynamic body that is asleep, and for a kinematic body that neither moves nor
 * accelerates. */
static bool is_asleep_or_fixed(const ct_body_state *m) {
  return m->is_dynamic ? m->asleep
                       : ct_body_state_is_fixed(m) && ct_is_zero_vec(m->acceleration.linear) &&
                             ct_is_zero_vec(m->acceleration.angular);
}

bool ct_event_is_all_asleep(ct_event_step *step) {
  ct_event_driven *driven = step->driven;
  for (size_t i = 0; i < driven->common->moved_count; i++)
    if (!is_asleep_or_fixed(&driven->common->next[i])) return false;
  for (size_t i = 0; i < driven->common->moved_count; i++)
    if (driven->common->next[i].is_dynamic)
      ct_event_restore_sleeping_body(step, &driven->common->next[i]);
  step->result.depth = driven->common->state.penetration;
  return true;
}

void ct_event_mark_awake(ct_event_step *step) {
  const ct_event_driven *driven = step->driven;
  for (size_t i = 0; i < driven->common->moved_count; i++)
    driven->common->moving_rows[driven->common->next[i].row] =
        !is_asleep_or_fixed(&driven->common->next[i]);
}
