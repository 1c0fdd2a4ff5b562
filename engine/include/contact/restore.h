/* Revisions that are kept elsewhere, as bytes, and made again: what one changes against an earlier one, and how to make one with
 * the rows, serials and counts that it had. What bytes tell it is the caller's business.
 */
#ifndef CONTACT_RESTORE_H
#define CONTACT_RESTORE_H

#include <contact/contact_state.h>
#include <contact/linkage.h>
#include <contact/scene.h>

CT_DECLARATIONS_BEGIN

/* What of a row has changed; bits. */
enum {
  CT_ROW_BODY = 1 << 0,    /* another body of the same id, a new one, or none any more */
  CT_ROW_POSE = 1 << 1,    /* by its bits */
  CT_ROW_VELOCITY = 1 << 2 /* likewise */
};

/* Calls visit for each row of `after` that is not as in `before`, ascending; a new row has all three bits, and one whose body has
 * gone the first alone. Rows that never had a body in either are passed over. False: nothing can be told, since `after` does not
 * follow `before` (another scene, or rows are numbered anew); visit may have been called. Both are sealed. O(rows / 128), and the
 * rows of chunks that the two do not share. */
typedef void (*ct_row_visit)(void *context, uint32_t row, unsigned changed);
bool ct_scene_changes(const ct_scene *before, const ct_scene *after, ct_row_visit visit, void *context);

/* Serial of the next body that is put in. */
uint64_t ct_scene_next_serial(const ct_scene *scene);

/* As ct_draft_begin, for a revision that had this number. */
ct_draft *ct_draft_restore(const ct_scene *base, uint64_t revision);
/* As ct_draft_insert, at a row that is not below ct_draft_rows (those between are rows of removed bodies) and with a serial that is
 * not below the next one: else CT_LIMIT. */
ct_status ct_draft_insert_at(ct_draft *draft, uint32_t row, uint64_t serial, const ct_body *body, const ct_pose *pose,
                             const ct_velocity *velocity);
/* The numbers that the revision had: rows, those of removed bodies at the end included, ct_scene_next_serial and
 * ct_scene_contacts_begun. CT_LIMIT: one is below that of the draft, or there are too many rows. O(new rows). */
ct_status ct_draft_restore_numbers(ct_draft *draft, uint32_t rows, uint64_t next_serial, uint64_t contacts_begun);

/* What a contact state is made of. */
typedef struct ct_contact_state_data {
  double time, epsilon; /* s, m */
  ct_contact_method method;
  ct_mpr_options mpr; /* zeros unless CT_CONTACT_MPR */
  uint64_t events;
  uint64_t last_pair;               /* greatest id of a pair given so far */
  uint64_t next_serial;             /* of the scene at the last event */
  const ct_contact_record *records; /* [count] in order; borrowed, with their texts */
  size_t count;
} ct_contact_state_data;
/* Borrowed from the state. */
ct_contact_state_data ct_contact_state_save(const ct_contact_state *state);
/* A state of copies of the data; the caller owns the reference. CT_LIMIT: numbers that no state has: not finite, out of their
 * ranges, records out of order, an id of a pair given twice. CT_OUT_OF_MEMORY. O(n log n) */
ct_status ct_contact_state_restore(const ct_contact_state_data *data, const ct_contact_state **out);

CT_DECLARATIONS_END

#endif
