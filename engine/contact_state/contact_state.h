/* Internals of a contact state: its memory layout, and the reduction of distances to z1 and z2. */
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
  uint64_t last_pair; /* greatest pair number that this state or an earlier one used */
  /* least serial number that no body had at the last event: bodies added later have this or a
   * greater one */
  uint64_t next_serial;
  size_t count, bytes;
  ct_contact_record records[]; /* [count], followed by the texts of their ids in the same block */
};

/* Allocates a state for `count` records and `text_bytes` bytes of ids. *texts: set to the memory
 * for the ids. The caller fills records and ids. NULL: out of memory. */
ct_contact_state *ct_contact_state_new(size_t count, size_t text_bytes, char **texts);

/* Values of z1 and z2 (z[0], z[1]) over the pairs added so far. */
typedef struct ct_contact_reduction {
  double epsilon, z[2];
  /* [0] for z1, [1] for z2; false: no pair was added, so the function has the value CT_Z1_NONE or
   * CT_Z2_NONE */
  bool present[2];
} ct_contact_reduction;

static inline ct_contact_reduction ct_contact_reduction_start(double epsilon) {
  return (ct_contact_reduction){epsilon, {CT_Z1_NONE, CT_Z2_NONE}, {false, false}};
}

/* Adds a pair with its signed distance or a lower bound of it: to z1 if it is in contact, else to
 * z2. Returns > 0 if the function's value is now this pair's, 0 if it had this value before, < 0 if
 * another pair determines it. */
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
