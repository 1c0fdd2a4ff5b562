/* Handlers of a scene's contact states and of their events, which a worker computes. */
#ifndef API_HANDLERS_CONTACT_STATE_H
#define API_HANDLERS_CONTACT_STATE_H

#include <contact/contact_state.h>

#include "calls/call.h"
#include "json/fields.h"

/* contact_state.c */
api_step api_contact_states_list(api_call *call);
api_step api_contact_state_get(api_call *call);
api_step api_contact_state_delete(api_call *call);

/* contact_event.c: the handler reads the request and applies the poses, a single range finds the
 * contacts, and finish writes contacts and poses as one revision. */
api_step api_contact_event_post(api_call *call);

/* Continues a write of poses, which are in the draft, as an event of the contact state that the
 * field names: the reply lists what began, persisted and ended. Takes the draft. */
api_step api_contact_event_of_write(api_call *call, ct_draft *draft, const api_field *state,
                                    const api_field *persisted);

/* Shared by the writes that report contacts (contact_state.c). */

/* Greatest number of contacts of an event. */
size_t api_contact_records_max(const api_limits *limits);
/* Adds the fault LIMIT_EXCEEDED of an event with more contacts. */
void api_fault_contact_records(api_call *call);
/* Time of the next event unless the request sets it: the scene's time, but not before the state's
 * last event. previous: the state, or NULL. */
double api_contact_event_time(const ct_scene *scene, const ct_contact_state *previous);
/* Checks that the scene may have one more contact state. False with LIMIT_EXCEEDED. */
bool api_contact_state_may_add(api_call *call);
/* Checks the memory of all contact states of the scene, with `state` in place of `previous`, which
 * may be NULL. False with LIMIT_EXCEEDED. */
bool api_contact_states_fit(api_call *call, const ct_contact_state *previous,
                            const ct_contact_state *state);

#endif
