/* Internals of a contact state. */
#ifndef CONTACT_STATE_CONTACT_STATE_H
#define CONTACT_STATE_CONTACT_STATE_H

#include <contact/contact_state.h>

#include <stdatomic.h>

struct ct_contact_state {
  _Atomic uint32_t refs;
  double time, epsilon;
  ct_contact_method method;
  ct_mpr_options mpr; /* zeros unless CT_CONTACT_MPR */
  uint64_t events;
  uint64_t last_pair;   /* greatest pair number used so far */
  uint64_t next_serial; /* serials from here on belong to bodies added after the last event */
  size_t count, bytes;
  ct_contact_record records[]; /* followed by the texts of their ids */
};

/* Allocates a state for the records and text_bytes of text, at *texts; the caller fills both. NULL:
 * out of memory. */
ct_contact_state *ct_contact_state_new(size_t count, size_t text_bytes, char **texts);

/* z1 and z2 of the pairs reduced so far. */
typedef struct ct_contact_reduction {
  double epsilon, z[2];
  bool present[2];
} ct_contact_reduction;

static inline ct_contact_reduction ct_contact_reduction_start(double epsilon) {
  return (ct_contact_reduction){epsilon, {CT_Z1_NONE, CT_Z2_NONE}, {false, false}};
}

/* Reduces a pair by its signed distance or a bound of it: into z1 if it is in contact, else into
 * z2. > 0: the function's value is now the pair's; 0: it was equal before; < 0: another pair
 * determines it. */
static inline int ct_contact_reduction_add(ct_contact_reduction *fold, double signed_distance,
                                           bool in_contact) {
  int which = in_contact ? 0 : 1;
  double distance = signed_distance - fold->epsilon,
         value = in_contact ? distance - fold->epsilon : distance, *z = &fold->z[which];
  if (fold->present[which] && value == *z) return 0;
  if (fold->present[which] && (in_contact ? value < *z : value > *z)) return -1;
  fold->present[which] = true;
  *z = value;
  return 1;
}

#endif
