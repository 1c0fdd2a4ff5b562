/* Contact states as JSON: contacts, the changes of an event, and the members of a state. */
#ifndef API_RESULTS_CONTACT_STATE_JSON_H
#define API_RESULTS_CONTACT_STATE_JSON_H

#include <contact/contact_state.h>

#include "common/buffer.h"

/* Type under which a scene stores contact states as attachments. */
extern const ct_attachment_type api_contact_state_type;
/* Returns the contact state with the id, borrowed from the scene. NULL: the scene has none. */
const ct_contact_state *api_contact_state_find(const ct_scene *scene, ct_text id);

/* True if a body of the scene has a motion (ct_motion), that is, is not static. Contact states
 * contain no pairs of two static bodies. O(rows) at most. */
bool api_scene_has_motion(const ct_scene *scene);
#define API_NO_MOTION_TEXT "No body of the scene has a motion: contact states contain no pairs."

/* Puts one contact as an object. Its colliders have the names they had when the contact began, even
 * if the bodies were replaced or deleted since. If the moduli of both colliders are known, the
 * members cRes and dRes of the elastic law are put, with the values that compliantForces reports
 * for this state with default options. Returns true if cRes and dRes were put. */
bool api_put_contact_members(api_buffer *buffer, const ct_scene *scene,
                             const ct_contact_record *record);
/* Puts the members pair and pairId. */
void api_put_contact_pair(api_buffer *buffer, const ct_contact_record *record);
/* Puts the contact as an object with the distance, normal and points of `now` instead of those of
 * the record. */
void api_put_current_contact(api_buffer *buffer, const ct_contact_record *record, double epsilon,
                             const ct_pair_result *now);
/* Puts a contact that has ended: its colliders, the cause of the end, and the distance if the pair
 * still has one and it is finite. */
void api_put_ended_contact(api_buffer *buffer, const ct_contact_ended *ended);
/* Puts the members contactState, time, contactEpsilon and events, and those of the method. */
void api_put_contact_state(api_buffer *buffer, ct_text id, const ct_contact_state *state);

#endif
