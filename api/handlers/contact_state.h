/* Handlers of a scene's contact states and of their events, which a worker computes. */
#ifndef API_HANDLERS_CONTACT_STATE_H
#define API_HANDLERS_CONTACT_STATE_H

#include "calls/call.h"

/* contact_state.c */
api_step api_contact_states_list(api_call *call);
api_step api_contact_state_get(api_call *call);
api_step api_contact_state_delete(api_call *call);

/* contact_event.c: the handler reads the request and applies the poses, a single range finds the
 * contacts, and finish writes contacts and poses as one revision. */
api_step api_contact_event_post(api_call *call);

#endif
