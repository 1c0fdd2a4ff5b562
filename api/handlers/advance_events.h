/* Contact events of an advance: the list in its reply, the contact state that it continues, and the
 * events on the scene's stream. All three are made from the same records (open_contacts.h). */
#ifndef API_HANDLERS_ADVANCE_EVENTS_H
#define API_HANDLERS_ADVANCE_EVENTS_H

#include <contact/advance.h>

#include "calls/call.h"
#include "execution/open_contacts.h"

/* A zeroed struct is valid: no events. */
typedef struct api_advance_events {
  bool lists;     /* the reply and the progress lines list the events since the previous line */
  const char *id; /* of the contact state that the advance continues; NULL: none */
  const ct_contact_state *previous; /* borrowed from the call's scene; NULL: none yet */
  api_open_contacts *open;          /* NULL: neither list nor contact state */
  bool until_contact;               /* the advance ends when a contact begins in a step */
  bool has_begun;                   /* a contact has begun in a step */
  ct_contact_event_options options; /* of the event at the start */
  uint64_t counted;                 /* contacts that checkpoints have counted */
  bool has_started;                 /* the contacts at the start have been found */
  bool has_impulses;                /* the mode reports impulses */
  double scene_time;                /* of the scene at the start, s */
  double start;                     /* time of the start in the contact state, s */
  const ct_scene *final;            /* final revision, without the new contact state; owned */
  const ct_contact_state *state;    /* of the final revision; borrowed from `open` */
  api_buffer list;                  /* collected events as JSON, separated by commas */
  size_t count;
  uint64_t omitted;
} api_advance_events;

/* Reads the member contactState, and checks that the scene may have it. */
bool api_read_advance_state(api_call *call, const api_field *field, api_advance_events *events);
/* Prepares the events that the members lists, id and until_contact request, and sets
 * options->contact_events. CT_OUT_OF_MEMORY. */
ct_status api_advance_events_open(api_call *call, api_advance_events *events,
                                  ct_advance_options *options);
void api_advance_events_close(api_advance_events *events);

/* Before the first step: finds the contacts at the start. */
ct_status api_advance_events_begin(api_call *call, api_advance_events *events, ct_advance *motion,
                                   ct_workspace *workspace);
/* After a step: collects its events. */
ct_status api_advance_events_step(api_call *call, api_advance_events *events,
                                  const ct_advance *motion);
/* After the last step: seals the final revision and finds its contacts. */
ct_status api_advance_events_end(api_call *call, api_advance_events *events,
                                 const ct_advance *motion, ct_workspace *workspace);

/* After a step: begins the draft of a checkpoint, with the contacts of the contact state as they
 * are now. NULL: out of memory, *status is set; or a fault was added. */
ct_draft *api_advance_events_checkpoint(api_call *call, api_advance_events *events,
                                        const ct_advance *motion, ct_workspace *workspace,
                                        ct_status *status);
/* Puts eventList and, if events were left out, their number; clears the collected events. */
void api_put_advance_events(api_buffer *out, api_advance_events *events);
/* Puts openContacts, the numbers of the contacts at the end, and the members of the contact
 * state. */
void api_put_advance_contacts(api_buffer *out, const api_advance_events *events);
/* Begins the draft of the reply's revision: the final revision with the new contact state. NULL:
 * out of memory, or the contact states need too much memory, with a fault in that case. */
ct_draft *api_advance_events_draft(api_call *call, const api_advance_events *events);

#endif
