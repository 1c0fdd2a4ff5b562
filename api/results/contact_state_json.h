/* Contact states as JSON: records of contacts, what an event changed, a state's members. */
#ifndef API_RESULTS_CONTACT_STATE_JSON_H
#define API_RESULTS_CONTACT_STATE_JSON_H

#include <contact/contact_state.h>

#include "common/buffer.h"

/* How the scene keeps a state under its id. */
extern const ct_attachment_type api_contact_state_type;
/* The state of the id, borrowed from the scene; NULL: none. */
const ct_contact_state *api_contact_state_find(const ct_scene *scene, ct_text id);

/* Is a body of the scene in motion? Pairs of which none is take no part. O(rows) at most. */
bool api_scene_has_motion(const ct_scene *scene);
#define API_NO_MOTION_TEXT                                                                         \
  "No body of the scene has a motion: no pair takes part in contact states."

/* One contact. Its colliders have the names of its beginning, also when the bodies were replaced or
 * deleted since. Where the scene knows the moduli of both colliders it has cRes and dRes of the
 * elastic law, as compliantForces reports them for this state with the default options. Returns
 * true if these were written. */
bool api_put_contact_members(api_buffer *buffer, const ct_scene *scene,
                             const ct_contact_record *record);
/* The same with what is true of the contact now, where it is not what the record holds. */
void api_put_current_contact(api_buffer *buffer, const ct_contact_record *record, double epsilon,
                             const ct_pair_result *now);
/* One contact that has ended: whose it was, why it ended, and the distance that tells so where
 * there still is one. */
void api_put_ended_contact(api_buffer *buffer, const ct_contact_ended *ended);
/* The members contactState, time, contactEpsilon and events. */
void api_put_contact_state(api_buffer *buffer, ct_text id, const ct_contact_state *state);

#endif
