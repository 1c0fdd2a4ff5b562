/* Motion of a scene in time: the calls of contact/advance.h, dispatched to the integrator of the
 * mode: Moreau-Jean time stepping, event-driven integration, or Dormand-Prince for the elastic law.
 */
#include "compliant/compliant_motion.h"
#include "event_driven/event_driven.h"
#include "time_stepping/time_stepping.h"

#include <assert.h>
#include <stdlib.h>

struct ct_advance {
  ct_integration common;
  /* the integrator of the mode; the other two are NULL */
  ct_time_stepping *stepping;
  ct_event_driven *driven;
  ct_compliant_motion *compliant;
};

static ct_status create_integrator(ct_advance *advance) {
  ct_integration *common = &advance->common;
  switch (common->options.mode) {
  case CT_ADVANCE_STEPPING: return ct_time_stepping_create(common, &advance->stepping);
  case CT_ADVANCE_COMPLIANT: return ct_compliant_motion_create(common, &advance->compliant);
  default: return ct_event_driven_create(common, &advance->driven);
  }
}

/* True if times, tolerances and speeds are within their limits. NaN is not. */
static bool are_options_valid(const ct_advance_options *o) {
  return o->duration > 0.0 && o->duration <= CT_DURATION_MAX && o->time_step > 0.0 &&
         o->time_step <= CT_DURATION_MAX && o->duration / o->time_step <= CT_ADVANCE_STEPS_MAX &&
         o->contact_tolerance >= 0.0 && o->velocity_tolerance >= 0.0 && o->rest_velocity >= 0.0 &&
         o->margin >= 0.0 && o->tolerance >= 0.0 && o->separation_speed >= 0.0 &&
         (unsigned)o->mode < CT_ADVANCE_MODE_COUNT &&
         (unsigned)o->contact_law < CT_CONTACT_LAW_COUNT;
}

ct_status ct_advance_create(const ct_scene *scene, const ct_advance_options *options,
                            ct_advance **out) {
  if (!are_options_valid(options)) return CT_LIMIT;
  ct_advance *advance = calloc(1, sizeof *advance);
  if (!advance) return CT_OUT_OF_MEMORY;
  ct_status status = ct_integration_open(&advance->common, scene, options);
  if (status == CT_OK) status = create_integrator(advance);
  if (status != CT_OK) {
    ct_advance_destroy(advance);
    return status;
  }
  advance->common.state.velocity_tolerance = options->velocity_tolerance;
  ct_integration_sum_energy(&advance->common);
  *out = advance;
  return CT_OK;
}

void ct_advance_destroy(ct_advance *advance) {
  if (!advance) return;
  ct_time_stepping_destroy(advance->stepping);
  ct_event_driven_destroy(advance->driven);
  ct_compliant_motion_destroy(advance->compliant);
  ct_integration_close(&advance->common);
  free(advance);
}

ct_status ct_advance_set_loads(ct_advance *advance, const ct_load *loads, size_t count) {
  return ct_integration_set_loads(&advance->common, loads, count);
}

ct_status ct_advance_set_contacts(ct_advance *advance, const ct_advance_contact *contacts,
                                  size_t count) {
  return ct_contact_tracker_set(&advance->common.tracker, contacts, count);
}

const ct_advance_contact *ct_advance_contacts(const ct_advance *advance, size_t *count) {
  *count = advance->common.tracker.open.count;
  return advance->common.tracker.open.items;
}

static ct_status step_integrator(ct_advance *advance, ct_workspace *workspace, ct_arena *arena,
                                 bool *done) {
  if (advance->compliant) return ct_compliant_motion_step(advance->compliant, workspace, done);
  if (advance->stepping) return ct_time_stepping_step(advance->stepping, workspace, arena, done);
  assert(advance->driven);
  return ct_event_driven_step(advance->driven, workspace, arena, done);
}

ct_status ct_advance_step(ct_advance *advance, ct_workspace *workspace, ct_arena *arena,
                          bool *done) {
  ct_integration *common = &advance->common;
  common->limit = CT_ADVANCE_LIMIT_CONTACTS;
  ct_contact_tracker_begin_step(&common->tracker);
  if (ct_cancel_raised(common->options.cancel)) return CT_CANCELLED;
  ct_status status = step_integrator(advance, workspace, arena, done);
  if (status == CT_OK) ct_contact_tracker_commit(&common->tracker);
  else common->tracker.reported.count = 0;
  return status;
}

ct_advance_limit ct_advance_limit_reason(const ct_advance *advance, uint32_t *row) {
  const ct_integration *common = &advance->common;
  *row = common->limit == CT_ADVANCE_LIMIT_CONTACTS ? CT_NO_ROW : common->limit_row;
  return common->limit;
}

bool ct_advance_is_at_rest(const ct_advance *advance) {
  const ct_integration *common = &advance->common;
  if (common->state.steps == 0) return false;
  for (size_t i = 0; i < common->moved_count; i++)
    if (common->now[i].is_dynamic && !ct_body_state_is_fixed(&common->now[i])) return false;
  return true;
}

double ct_advance_pace(const ct_advance *advance, uint32_t *row) {
  *row = advance->common.pace_row;
  return advance->common.pace;
}

ct_advance_state ct_advance_now(const ct_advance *advance) { return advance->common.state; }

const ct_advance_event *ct_advance_events(const ct_advance *advance, size_t *count) {
  *count = advance->common.tracker.reported.count;
  return advance->common.tracker.reported.items;
}

void ct_advance_body(const ct_advance *advance, uint32_t row, ct_pose *pose,
                     ct_velocity *velocity) {
  const ct_integration *common = &advance->common;
  uint32_t index = common->moved_of[row];
  assert(index == CT_NO_ROW || index < common->moved_count);
  *pose = index == CT_NO_ROW ? ct_scene_pose(common->scene, row) : common->now[index].pose;
  *velocity =
      index == CT_NO_ROW ? ct_scene_velocity(common->scene, row) : common->now[index].velocity;
}

ct_status ct_advance_write(const ct_advance *advance, ct_draft *draft) {
  const ct_integration *common = &advance->common;
  ct_status status = CT_OK;
  for (size_t i = 0; i < common->moved_count && status == CT_OK; i++) {
    const ct_body_state *m = &common->now[i];
    status = ct_draft_set_pose(draft, m->row, &m->pose);
    if (status == CT_OK) status = ct_draft_set_velocity(draft, m->row, &m->velocity);
  }
  return status;
}
