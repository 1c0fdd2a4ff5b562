/* Begin and end of contacts over the steps of an advance, the same for all integrators. An
 * integrator adds the pairs of colliders that it finds in contact, and ct_contact_events_compare
 * reports the differences from the pairs before. A step that fails leaves the contacts as they
 * were: the changes of a step take effect with ct_contact_tracker_commit. */
#ifndef INTEGRATION_CONTACT_EVENTS_H
#define INTEGRATION_CONTACT_EVENTS_H

#include <contact/advance.h>

typedef struct ct_advance_event_list {
  ct_advance_event *items;
  size_t count, room;
} ct_advance_event_list;

typedef struct ct_contact_list {
  ct_advance_contact *items;
  size_t count, room;
} ct_contact_list;

typedef struct ct_contact_tracker {
  bool enabled;            /* false: nothing is stored, and no begin or end is reported */
  ct_contact_list open;    /* contacts after the last step, by ascending pair */
  ct_contact_list current; /* contacts so far in the present step, if `compared` */
  ct_contact_list found;   /* contacts added since the last comparison */
  bool compared;
  ct_advance_event_list reported; /* events of the last step */
} ct_contact_tracker;

void ct_contact_tracker_free(ct_contact_tracker *tracker);
/* Replaces the open contacts by copies, in any order, with impulse 0. Does nothing unless the
 * tracker is enabled. CT_OUT_OF_MEMORY. */
ct_status ct_contact_tracker_set(ct_contact_tracker *tracker, const ct_advance_contact *contacts,
                                 size_t count);
/* Starts a step without events, and drops the changes of a failed step. */
void ct_contact_tracker_begin_step(ct_contact_tracker *tracker);
/* Ends a step that succeeded. */
void ct_contact_tracker_commit(ct_contact_tracker *tracker);

/* Adds a contact, or a point of one, of the present time. Points of one pair are joined: impulses
 * are added, velocities are those of the point that approaches fastest, position, normal and
 * distance those of the deepest point. CT_OUT_OF_MEMORY. */
ct_status ct_contact_events_add(ct_contact_tracker *tracker, const ct_advance_contact *contact);
/* Reports ENDED for each contact of before that was not added, then BEGAN for each new one, in the
 * order of pairs; the contacts added are the present ones from then on. Does nothing unless the
 * tracker is enabled. CT_OUT_OF_MEMORY. */
ct_status ct_contact_events_compare(ct_contact_tracker *tracker, double time);
/* Reports IMPACT for the pair, after BEGAN if it was not in contact. CT_OUT_OF_MEMORY. */
ct_status ct_contact_events_impact(ct_contact_tracker *tracker, const ct_advance_contact *contact,
                                   double time);
/* Sets the velocity at which the contact separates, for its ENDED event; a pair that is not in
 * contact is ignored. */
void ct_contact_events_set_separation(ct_contact_tracker *tracker,
                                      const ct_advance_contact *contact);

#endif
