/* Adds the events `ended` and `began`. On a stream they alternate for each pair number: deleting a
 * state ends its contacts, and a scene never reuses a pair number. */
#include "handlers/contact_event_payload.h"

#include <stdlib.h>

#include "results/contact_state_json.h"

/* Members that all events of one time have in common. */
typedef struct event_frame {
  const char *id; /* of the contact state */
  double time;    /* of the events */
  uint64_t revision;
  const api_step_change *motion; /* NULL: the time is no step of an advance */
} event_frame;

/* Adds one event, `began` or `ended`; the other argument is NULL. False: this and all further
 * events of the state are dropped. */
static bool emit_contact_event(api_call *call, const event_frame *frame, const ct_scene *scene,
                               const ct_contact_record *began, const ct_contact_ended *ended) {
  api_buffer data = {0};
  api_put_byte(&data, '{');
  api_put_member_string(&data, "scene", api_text(call->match.scene_id));
  api_put_member_unsigned(&data, "revision", frame->revision);
  api_put_member_string(&data, "contactState", api_text(frame->id));
  api_put_member_number(&data, "time", frame->time);
  if (frame->motion) {
    api_put_member_number(&data, "normalVelocity", frame->motion->normal_velocity);
    if (frame->motion->has_impulse) api_put_member_number(&data, "impulse", frame->motion->impulse);
  }
  api_put_key(&data, "contact");
  if (ended) api_put_ended_contact(&data, ended);
  else api_put_contact_members(&data, scene, began);
  api_put_byte(&data, '}');
  return api_call_add_event(call, ended ? "ended" : "began", frame->id, &data);
}

static event_frame make_event_frame(const api_call *call, const char *id, double time) {
  return (event_frame){id, time, ct_scene_revision(call->scene) + 1, NULL};
}

void api_emit_contact_events(api_call *call, const char *id, const ct_scene *scene,
                             const ct_contact_event *event) {
  const event_frame frame = make_event_frame(call, id, ct_contact_state_time(event->state));
  bool good = true;
  for (size_t i = 0; i < event->ended_count && good; i++)
    good = emit_contact_event(call, &frame, NULL, NULL, &event->ended[i]);
  for (size_t i = 0; i < event->began_count && good; i++)
    good = emit_contact_event(call, &frame, scene,
                              ct_contact_state_record(event->state, event->began[i]), NULL);
}

void api_emit_motion_began(api_call *call, const char *id, const ct_scene *scene,
                           const ct_contact_record *record, const api_step_change *motion) {
  event_frame frame = make_event_frame(call, id, record->begun);
  frame.motion = motion;
  (void)emit_contact_event(call, &frame, scene, record, NULL);
}

void api_emit_motion_ended(api_call *call, const char *id, double time,
                           const ct_contact_ended *ended, const api_step_change *motion) {
  event_frame frame = make_event_frame(call, id, time);
  frame.motion = motion;
  (void)emit_contact_event(call, &frame, NULL, NULL, ended);
}

/* ---- deleted states ------------------------------------------------------------------------- */

static int compare_pair_numbers(const void *x, const void *y) {
  uint64_t p = (*(const ct_contact_record *const *)x)->pair,
           q = (*(const ct_contact_record *const *)y)->pair;
  return (p > q) - (p < q);
}

void api_emit_state_ended(api_call *call, const char *id, const ct_contact_state *state) {
  const event_frame frame = make_event_frame(call, id, ct_contact_state_time(state));
  size_t count = ct_contact_state_count(state);
  /* If the events exceed the backlog, one `reset` replaces them: the contacts need not be sorted
   * then. */
  const ct_contact_record **records =
      count < call->service->limits.event_ring ? malloc((count + 1) * sizeof *records) : NULL;
  if (!records) {
    api_call_drop_events(call, id);
    return;
  }
  for (size_t i = 0; i < count; i++) records[i] = ct_contact_state_record(state, i);
  if (count > 1) qsort(records, count, sizeof *records, compare_pair_numbers);
  bool good = true;
  for (size_t i = 0; i < count && good; i++) {
    const ct_contact_ended ended = {*records[i], CT_CAUSE_STATE, 0.0};
    good = emit_contact_event(call, &frame, NULL, NULL, &ended);
  }
  free(records);
}

void api_emit_all_states_ended(api_call *call) {
  for (size_t i = 0; i < ct_scene_attachment_count(call->scene); i++) {
    const ct_attachment *attachment = ct_scene_attachment(call->scene, i);
    const char *id = api_arena_copy(&call->arena, attachment->name.bytes, attachment->name.length);
    if (!id) {
      call->events.lost = true;
      return;
    }
    api_emit_state_ended(call, id, attachment->value);
  }
}
