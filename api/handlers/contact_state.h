/* Handlers of a scene's contact states, and the events that a worker computes. */
#ifndef API_HANDLERS_CONTACT_STATE_H
#define API_HANDLERS_CONTACT_STATE_H

#include "calls/call.h"

/* contact_state.c */
api_step api_contact_states_list(api_call *call);
api_step api_contact_state_get(api_call *call);
api_step api_contact_state_delete(api_call *call);

/* contact_event.c: the handler reads the request and applies poses; one range finds the contacts;
 * finish writes contacts and poses as one revision. */
api_step api_contact_event_post(api_call *call);
double api_contact_event_cost(const api_contact_event *event); /* ns on one core */
/* 0 the first time, then -1. */
long api_contact_event_next(api_contact_event *event);
void api_contact_event_run(api_contact_event *event, ct_workspace *workspace);
void api_contact_event_finish(api_call *call);
void api_contact_event_destroy(api_contact_event *event); /* NULL is allowed */

#endif
