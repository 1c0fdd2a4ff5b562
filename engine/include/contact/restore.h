/* Saves and restores revisions: diff two revisions; rebuild one with its rows, serial numbers and
 * counters. The byte format is the caller's. */
#ifndef CONTACT_RESTORE_H
#define CONTACT_RESTORE_H

#include <contact/base.h>
#include <contact/contact_state.h>
#include <contact/scene.h>

CT_DECLARATIONS_BEGIN

/* What has changed in a row, as bits. */
enum {
  CT_ROW_BODY = 1 << 0,    /* the body was replaced, added or removed */
  CT_ROW_POSE = 1 << 1,    /* the pose differs in some bit */
  CT_ROW_VELOCITY = 1 << 2 /* the velocity differs in some bit */
};

/* Calls visit for each row of `after` that differs from `before`, in ascending order. A new row has
 * all three bits, a removed body only CT_ROW_BODY; rows without a body in both are skipped. False:
 * the revisions cannot be compared, because `after` does not follow `before` (another scene, or
 * renumbered rows); visit may have been called before this was detected. Both revisions are sealed.
 * O(rows / 128 + rows of unshared chunks). */
typedef void (*ct_row_visit)(void *context, uint32_t row, unsigned changed);
bool ct_scene_changes(const ct_scene *before, const ct_scene *after, ct_row_visit visit,
                      void *context);

/* Returns the serial number that the next inserted body will have. */
uint64_t ct_scene_next_serial(const ct_scene *scene);

/* Begins a draft as ct_draft_begin does, but with the given revision number. */
ct_draft *ct_draft_restore(const ct_scene *base, uint64_t revision);
/* Inserts a body as ct_draft_insert does, but at a given row and with a given serial number. Rows
 * between the last row and this one count as rows of removed bodies. CT_LIMIT: row < ct_draft_rows,
 * or a serial below the next one. */
ct_status ct_draft_insert_at(ct_draft *draft, uint32_t row, uint64_t serial, const ct_body *body,
                             const ct_pose *pose, const ct_velocity *velocity);
/* Sets counters of the draft: the number of rows, including those of removed bodies at the end,
 * ct_scene_next_serial and ct_scene_contacts_begun.
 * CT_LIMIT: a value below the draft's, or too many rows. CT_OUT_OF_MEMORY.
 * O(new rows). */
ct_status ct_draft_restore_numbers(ct_draft *draft, uint32_t rows, uint64_t next_serial,
                                   uint64_t contacts_begun);

/* Contents of a contact state, for saving and restoring it. */
typedef struct ct_contact_state_data {
  double time, epsilon; /* s, m */
  ct_contact_method method;
  ct_mpr_options mpr; /* zeros unless CT_CONTACT_MPR */
  uint64_t events;
  uint64_t last_pair;               /* greatest pair id that the state or an earlier one used */
  uint64_t next_serial;             /* next serial number of the scene at the last event */
  const ct_contact_record *records; /* [count] in the state's order; borrowed, with their texts */
  size_t count;
} ct_contact_state_data;
/* Returns the contents of the state, borrowed from it. O(1). */
ct_contact_state_data ct_contact_state_save(const ct_contact_state *state);
/* Builds a state from copies of the data; the caller owns the reference in *out.
 * CT_LIMIT: data that no state can have: values that are not finite or out of range, records out of
 * order, a repeated pair id. CT_OUT_OF_MEMORY.
 * O(n log n). */
ct_status ct_contact_state_restore(const ct_contact_state_data *data, const ct_contact_state **out);

CT_DECLARATIONS_END

#endif
