/* Payload of contact events for the subscribers of a contact state: one event for each contact that
 * ends, then one for each contact that begins. */
#ifndef API_HANDLERS_CONTACT_EVENT_PAYLOAD_H
#define API_HANDLERS_CONTACT_EVENT_PAYLOAD_H

#include <contact/contact_state.h>

#include "calls/call.h"

/* Adds the events `ended` and `began` of the contacts that changed in an event of the contact state
 * match.item_id. */
void api_emit_contact_events(api_call *call, const ct_scene *scene, const ct_contact_event *event);
/* Adds the event `ended` for each contact of a state that is deleted. id: borrowed for the call's
 * life. */
void api_emit_state_ended(api_call *call, const char *id, const ct_contact_state *state);
/* Adds the event `ended` for each contact of every contact state of the call's scene. */
void api_emit_all_states_ended(api_call *call);

#endif
