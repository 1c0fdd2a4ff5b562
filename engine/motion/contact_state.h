/* A contact state's insides. */
#ifndef MOTION_CONTACT_STATE_H
#define MOTION_CONTACT_STATE_H

#include <contact/contact_state.h>

#include <stdatomic.h>

struct ct_contact_state {
  _Atomic uint32_t refs;
  double time, epsilon;
  uint64_t events;
  uint64_t last_pair;   /* greatest id given so far */
  uint64_t next_serial; /* bodies from here on were put in after the last event */
  size_t count, bytes;
  ct_contact_record records[]; /* the texts of their ids follow */
};

/* Room for the records, and for texts of so many bytes, which *texts is set to; both are the caller's to fill. NULL: out of memory.
 */
ct_contact_state *ct_contact_state_new(size_t count, size_t text_bytes, char **texts);

#endif
