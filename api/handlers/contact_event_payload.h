/* Payload of contact events for the subscribers of a contact state: one event for each contact that
 * ends, then one for each contact that begins. */
#ifndef API_HANDLERS_CONTACT_EVENT_PAYLOAD_H
#define API_HANDLERS_CONTACT_EVENT_PAYLOAD_H

#include <contact/contact_state.h>

#include "calls/call.h"

/* Adds the events `ended` and `began` of the contacts that changed in an event of the contact state
 * `id`. In all functions, id is borrowed for the call's life. */
void api_emit_contact_events(api_call *call, const char *id, const ct_scene *scene,
                             const ct_contact_event *event);

/* What a step of an advance adds to an event: velocity and impulse of ct_advance_event. */
typedef struct api_step_change {
  double normal_velocity, impulse;
  bool has_impulse;
} api_step_change;

/* Adds `began` of a contact that began in a step, at the time at which it began. */
void api_emit_motion_began(api_call *call, const char *id, const ct_scene *scene,
                           const ct_contact_record *record, const api_step_change *motion);
/* Adds `ended` of a contact that ended in a step, at `time`. */
void api_emit_motion_ended(api_call *call, const char *id, double time,
                           const ct_contact_ended *ended, const api_step_change *motion);
/* Adds the event `ended` for each contact of a state that is deleted. */
void api_emit_state_ended(api_call *call, const char *id, const ct_contact_state *state);
/* Adds the event `ended` for each contact of every contact state of the call's scene. */
void api_emit_all_states_ended(api_call *call);

#endif
