/* Contact states as JSON: records of contacts, the changes of an event, a state's members. */
#ifndef API_RESULTS_CONTACT_STATE_JSON_H
#define API_RESULTS_CONTACT_STATE_JSON_H

#include <contact/contact_state.h>

#include "common/buffer.h"

/* Type under which a scene stores contact states by id. */
extern const ct_attachment_type api_contact_state_type;
/* Returns the state with the id, borrowed from the scene; NULL: none. */
const ct_contact_state *api_contact_state_find(const ct_scene *scene, ct_text id);

/* True if a body of the scene has a motion (ct_motion), i.e. is not static. Pairs without such a
 * body are not part of contact states. At most O(rows). */
bool api_scene_has_motion(const ct_scene *scene);
#define API_NO_MOTION_TEXT "No body of the scene has a motion: contact states contain no pairs."

/* Puts the members of one contact. The colliders keep the names that they had when the contact
 * began, even if the bodies were replaced or deleted since. If the moduli of both colliders are
 * known, cRes and dRes of the elastic law are included, with the values that compliantForces
 * reports for this state with the default options. Returns true if cRes and dRes were put. */
bool api_put_contact_members(api_buffer *buffer, const ct_scene *scene,
                             const ct_contact_record *record);
/* Puts the contact with its current values from `now`, which replace those of the record. */
void api_put_current_contact(api_buffer *buffer, const ct_contact_record *record, double epsilon,
                             const ct_pair_result *now);
/* Puts a contact that has ended: its colliders, the reason, and the distance if the pair still has
 * one. */
void api_put_ended_contact(api_buffer *buffer, const ct_contact_ended *ended);
/* Puts the members contactState, time, contactEpsilon and events. */
void api_put_contact_state(api_buffer *buffer, ct_text id, const ct_contact_state *state);

#endif
