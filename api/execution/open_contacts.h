/* The contacts of an advance as records of a contact state. A contact event at the start finds the
 * contacts that exist; the events of the steps begin and end records; a contact event at the end
 * makes the state that the scene keeps. A contact that lasts over several calls therefore has one
 * pair number, one begin and one end. */
#ifndef API_EXECUTION_OPEN_CONTACTS_H
#define API_EXECUTION_OPEN_CONTACTS_H

#include <contact/advance.h>
#include <contact/contact_state.h>

typedef struct api_open_contacts api_open_contacts;

/* Creates the list of open contacts of an advance of `scene`. previous: the contact state that
 * continues, or NULL; options: time, epsilon and limits of the first event. Both and the scene are
 * borrowed. origin: time at which the motion started, s. NULL: out of memory. */
api_open_contacts *api_open_contacts_create(const ct_scene *scene, const ct_contact_state *previous,
                                            const ct_contact_event_options *options, double origin);
void api_open_contacts_destroy(api_open_contacts *contacts); /* NULL is allowed */

/* Finds the contacts at the start and gives them to the motion. *event: the changes since the
 * previous state, borrowed until the contacts are destroyed. Status as of ct_contact_event_run. */
ct_status api_open_contacts_begin(api_open_contacts *contacts, ct_advance *motion,
                                  ct_workspace *workspace, const ct_contact_event **event);
/* Applies an event of a step. *record: the contact's record, borrowed until the next call.
 * CT_LIMIT: too many contacts; CT_OUT_OF_MEMORY. */
ct_status api_open_contacts_apply(api_open_contacts *contacts, const ct_advance_event *event,
                                  const ct_contact_record **record);
/* Finds the contacts in `scene`, the final revision, at the time of the end. *event: the changes
 * since the last step; event->state is the state that the scene keeps. Borrowed until the contacts
 * are destroyed. Status as of ct_contact_event_run. */
ct_status api_open_contacts_end(api_open_contacts *contacts, const ct_scene *scene, double time,
                                ct_workspace *workspace, const ct_contact_event **event);
/* Number of contacts that began so far, at the start, in steps and at the end. */
uint64_t api_open_contacts_begun(const api_open_contacts *contacts);

#endif
