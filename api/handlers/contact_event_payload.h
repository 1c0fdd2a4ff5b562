/* Payload of contact events for subscribers of a contact state: each contact that ends, each that
 * begins. */
#ifndef API_HANDLERS_CONTACT_EVENT_PAYLOAD_H
#define API_HANDLERS_CONTACT_EVENT_PAYLOAD_H

#include <contact/contact_state.h>

#include "calls/call.h"

/* Emits `ended`, then `began` for the contacts of an event of the state match.item_id. */
void api_emit_contact_events(api_call *call, const ct_scene *scene, const ct_contact_event *event);
/* Emits `ended` for all contacts of a deleted state. id: borrowed for the call's life. */
void api_emit_state_ended(api_call *call, const char *id, const ct_contact_state *state);
/* Emits `ended` for all contacts of all states of the call's scene. */
void api_emit_all_states_ended(api_call *call);

#endif
