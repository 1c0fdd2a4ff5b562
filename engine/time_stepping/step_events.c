/* Contacts of a step for its events: the pairs that touch in the middle of the step, or that have
 * an impulse. */
#include "time_stepping/time_stepping.h"

/* Velocity of the point of a body after the impulses of the step, m/s; NULL: the row does not
 * move. */
static ct_vec3 end_point_velocity(const ct_body_state *m, ct_vec3 point) {
  return m ? ct_add(m->velocity.linear, ct_cross(m->velocity.angular, ct_sub(point, m->position)))
           : ct_vec(0.0, 0.0, 0.0);
}

ct_status ct_step_note_contacts(const ct_step *step) {
  const ct_time_stepping *stepping = step->stepping;
  ct_integration *common = stepping->common;
  double tolerance = common->options.contact_tolerance;
  ct_status status = CT_OK;
  for (size_t i = 0; common->tracker.enabled && i < stepping->found.count && status == CT_OK; i++) {
    const ct_step_contact *t = &stepping->found.items[i];
    if (t->distance > tolerance && ct_max_abs(t->impulse) == 0.0) continue;
    const ct_body_state *a = ct_integration_next_of(common, t->row_a),
                        *b = ct_integration_next_of(common, t->row_b);
    ct_vec3 after = ct_sub(end_point_velocity(b, t->position), end_point_velocity(a, t->position));
    status = ct_contact_events_add(
        &common->tracker, &(ct_advance_contact){.row_a = t->row_a,
                                                .row_b = t->row_b,
                                                .collider_a = t->collider_a,
                                                .collider_b = t->collider_b,
                                                .normal_velocity = ct_dot(t->axes[0], t->before),
                                                .separation = ct_dot(t->axes[0], after),
                                                .impulse = ct_dot(t->axes[0], t->impulse),
                                                .position = t->position,
                                                .normal = t->axes[0],
                                                .distance = t->distance});
  }
  return status;
}
