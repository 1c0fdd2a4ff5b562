/* What those hear who listen to a scene's events and name a contact state: each contact that ends, each that begins. */
#ifndef API_HANDLERS_CONTACT_EVENT_PAYLOAD_H
#define API_HANDLERS_CONTACT_EVENT_PAYLOAD_H

#include <contact/contact_state.h>

#include "calls/call.h"

/* Of an event instant of the state match.item_id: what ended, then what began. */
void api_emit_contact_events(api_call *call, const ct_scene *scene, const ct_contact_event *event);
/* The write takes the state away: its contacts end with it. id: borrowed for the call's life. */
void api_emit_state_ended(api_call *call, const char *id, const ct_contact_state *state);
/* The write takes all states of the call's scene away. */
void api_emit_all_states_ended(api_call *call);

#endif
