/* Contact events of event-driven integration: the contacts of each evaluation, and impacts. */
#include "event_driven/event_driven.h"

#include <assert.h>

static ct_advance_contact report_contact(const ct_island *island, const ct_contact *t) {
  return (ct_advance_contact){.row_a = island->rows[t->a],
                              .row_b = island->rows[t->b],
                              .collider_a = t->collider_a,
                              .collider_b = t->collider_b,
                              .position = t->position,
                              .normal = t->normal,
                              .distance = t->distance};
}

ct_status ct_event_report_contacts(const ct_event_step *step, const ct_mechanics *mechanics) {
  ct_integration *common = step->driven->common;
  ct_status status = CT_OK;
  if (!common->tracker.enabled) return CT_OK;
  for (size_t i = 0; i < ct_mechanics_islands(mechanics) && status == CT_OK; i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    for (size_t k = 0; k < island.set.count && status == CT_OK; k++) {
      const ct_contact *t = &island.set.contacts[k];
      ct_advance_contact contact = report_contact(&island, t);
      contact.normal_velocity = contact.separation =
          ct_contact_relative_velocity(&island.set, t, step->result.velocity_tolerance).normal;
      status = ct_contact_events_add(&common->tracker, &contact);
    }
  }
  return status == CT_OK ? ct_contact_events_compare(&common->tracker, common->state.time) : status;
}

/* Returns the impact of the points from..to-1 of the island, which belong to one pair of
 * colliders. normal_velocity: 0 if none of them collides. */
static ct_advance_contact join_impact_points(const ct_island *island,
                                             const ct_impulse_result *result, size_t from,
                                             size_t to) {
  assert(from < to && to <= island->set.count);
  ct_advance_contact joined = report_contact(island, &island->set.contacts[from]);
  joined.separation = result->contacts[from].normal_after;
  for (size_t i = from; i < to; i++) {
    const ct_contact *t = &island->set.contacts[i];
    const ct_contact_impulse *impulse = &result->contacts[i];
    if (impulse->before.velocity_class == CT_CLASS_COLLIDING)
      joined.normal_velocity = ct_min2(joined.normal_velocity, impulse->before.normal);
    joined.separation = ct_min2(joined.separation, impulse->normal_after);
    joined.impulse += impulse->normal;
    if (!(t->distance < joined.distance)) continue;
    joined.distance = t->distance;
    joined.position = t->position;
    joined.normal = t->normal;
  }
  return joined;
}

static bool have_same_colliders(const ct_contact *x, const ct_contact *y) {
  return x->a == y->a && x->b == y->b && x->collider_a == y->collider_a &&
         x->collider_b == y->collider_b;
}

ct_status ct_event_report_impacts(const ct_event_step *step, const ct_island *island,
                                  const ct_impulse_result *result) {
  const ct_contact *t = island->set.contacts;
  ct_status status = CT_OK;
  for (size_t i = 0, next; i < island->set.count && status == CT_OK; i = next) {
    /* The points of a pair are consecutive. */
    for (next = i + 1; next < island->set.count && have_same_colliders(&t[i], &t[next]);) next++;
    const ct_advance_contact impact = join_impact_points(island, result, i, next);
    if (!(impact.normal_velocity < 0.0)) continue;
    status = ct_contact_events_impact(&step->driven->common->tracker, &impact, step->instant);
  }
  return status;
}
