/* Rest from event to event: what one solve has shown to rest is not asked again until something
 * touches it. */
#include "advance/advance.h"

static bool is_zero(ct_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

/* Of an island. */
static ct_body_state *moved_of(const ct_step *step, const ct_island *island, size_t body) {
  return &step->advance->next[step->advance->moved_of[island->rows[body]]];
}

/* What bears the island neither moves nor is about to. */
static bool is_borne_still(const ct_contact_set *set) {
  for (size_t i = 0; i < set->body_count; i++) {
    const ct_mass_body *b = &set->bodies[i];
    if (b->mobility == CT_KINEMATIC &&
        !(is_zero(b->velocity.linear) && is_zero(b->velocity.angular) &&
          is_zero(b->linear_acceleration) && is_zero(b->angular_acceleration)))
      return false;
  }
  return true;
}

/* Sizes of all forces and torques on the body, as if none were against another. */
static void load_of(const ct_contact_set *set, const ct_contact_force *forces, uint32_t body,
                    double *force, double *torque) {
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

bool ct_step_island_is_at_rest(const ct_step *step, const ct_island *island,
                               const ct_resting_result *found) {
  const ct_advance_options *o = &step->advance->options;
  double part = o->tolerance > 0.0 ? o->tolerance : CT_ADVANCE_TOLERANCE;
  if (found->status != CT_RESTING_STATUS_OK || !found->converged || !is_borne_still(&island->set))
    return false;
  for (size_t i = 0; i < island->set.body_count; i++) {
    if (island->set.bodies[i].mobility != CT_DYNAMIC) continue;
    const ct_body_state *m = moved_of(step, island, i);
    double force, torque;
    load_of(&island->set, found->contacts, (uint32_t)i, &force, &torque);
    bool still = ct_norm(m->force) <= part * force && ct_norm(m->torque) <= part * torque &&
                 m->mass * ct_norm(m->velocity.linear) <= part * force * o->time_step &&
                 ct_norm(m->angular_momentum) <= part * torque * o->time_step;
    if (!still) return false;
  }
  return true;
}

void ct_step_put_to_sleep(ct_step *step, const ct_island *island, const ct_resting_result *found) {
  ct_body_state *first = NULL;
  for (size_t i = 0; i < island->set.body_count; i++) {
    if (island->set.bodies[i].mobility != CT_DYNAMIC) continue;
    ct_body_state *m = moved_of(step, island, i);
    m->velocity = (ct_velocity){{0, 0, 0}, {0, 0, 0}};
    m->angular_momentum = m->force = m->torque = ct_vec(0, 0, 0);
    m->asleep = true;
    m->sleeping_support = (ct_sleeping_support){0};
    if (!first) first = m;
  }
  first->sleeping_support.contacts = island->set.count;
  for (size_t k = 0; k < island->set.count; k++) {
    const ct_contact *t = &island->set.contacts[k];
    ct_vec3 force = found->contacts[k].force;
    first->sleeping_support.acting += !is_zero(force);
    if (island->set.bodies[t->a].mobility != CT_DYNAMIC)
      first->sleeping_support.force = ct_add(first->sleeping_support.force, force);
    if (island->set.bodies[t->b].mobility != CT_DYNAMIC)
      first->sleeping_support.force = ct_sub(first->sleeping_support.force, force);
  }
}

bool ct_step_island_is_asleep(const ct_step *step, const ct_island *island) {
  const ct_body_state *first = NULL;
  for (size_t i = 0; i < island->set.body_count; i++) {
    if (island->set.bodies[i].mobility != CT_DYNAMIC) continue;
    const ct_body_state *m = moved_of(step, island, i);
    if (!m->asleep) return false;
    if (!first) first = m;
  }
  return first && first->sleeping_support.contacts == island->set.count &&
         is_borne_still(&island->set);
}

void ct_step_restore_sleeping_body(ct_step *step, ct_body_state *moved) {
  moved->force = moved->torque = ct_vec(0, 0, 0);
  step->contact_impulse =
      ct_add_scaled(step->contact_impulse, moved->sleeping_support.force, step->time);
  step->acting += moved->sleeping_support.acting;
}

/* A kinematic body that neither moves nor is about to, or a dynamic one that lies. */
static bool stays(const ct_body_state *m) {
  return m->is_dynamic ? m->asleep
                       : ct_body_state_is_fixed(m) && is_zero(m->acceleration.linear) &&
                             is_zero(m->acceleration.angular);
}

bool ct_step_is_all_asleep(ct_step *step) {
  ct_advance *advance = step->advance;
  for (size_t i = 0; i < advance->moved_count; i++)
    if (!stays(&advance->next[i])) return false;
  for (size_t i = 0; i < advance->moved_count; i++)
    if (advance->next[i].is_dynamic) ct_step_restore_sleeping_body(step, &advance->next[i]);
  step->depth = advance->state.penetration;
  return true;
}

void ct_step_mark_awake(ct_step *step) {
  const ct_advance *advance = step->advance;
  for (size_t i = 0; i < advance->moved_count; i++)
    advance->moving_rows[advance->next[i].row] = !stays(&advance->next[i]);
}
