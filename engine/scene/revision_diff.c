/* Lists the differences of a revision from an earlier one with the same numbering of rows. */
#include "scene/scene.h"

#include <contact/restore.h>

#include <string.h>

/* Rows per chunk of bodies, poses and velocities; changes are reported chunk by chunk. */
#define CHUNK_ROWS 128u
/* Rows compared by one memcmp before the rows are compared singly. */
#define RUN_ROWS 16u
_Static_assert(sizeof(ct_pose) == 7 * sizeof(double) && sizeof(ct_velocity) == 6 * sizeof(double),
               "no bits between numbers");

/* True if both columns share the chunk of the row, or if both are empty, as the column of
 * velocities may be. */
static bool share_chunk(const ct_column *a, const ct_column *b, uint32_t row) {
  return (a->rows == 0 && b->rows == 0) || ct_column_shares(a, b, row);
}

/* True if the row's body has the same id in both revisions, or if it was removed. A row never gets
 * another body. */
static bool have_same_body(const ct_body *before, const ct_body *after) {
  if (before == after || !after) return true;
  if (!before) return false;
  ct_text a = ct_body_id(before), b = ct_body_id(after);
  return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Sets `bit` in changed[i] for each of the `count` rows that differs between the two arrays. Most
 * rows are equal, so RUN_ROWS rows are compared at once. */
static void mark_changed_rows(const char *old, const char *now, size_t row_bytes, uint32_t count,
                              unsigned bit, unsigned *changed) {
  for (uint32_t i = 0; i < count; i += RUN_ROWS) {
    uint32_t end = count - i < RUN_ROWS ? count : i + RUN_ROWS;
    if (memcmp(old + i * row_bytes, now + i * row_bytes, (end - i) * row_bytes) == 0) continue;
    for (uint32_t k = i; k < end; k++)
      if (memcmp(old + k * row_bytes, now + k * row_bytes, row_bytes) != 0) changed[k] |= bit;
  }
}

/* Marks the rows whose velocities differ. A revision without a column of velocities has zero
 * velocities. */
static void mark_changed_velocities(const ct_scene *before, const ct_scene *after, uint32_t row,
                                    uint32_t count, unsigned *changed) {
  if (before->velocities.rows > 0 && after->velocities.rows > 0) {
    mark_changed_rows(ct_column_at(&before->velocities, row), ct_column_at(&after->velocities, row),
                      sizeof(ct_velocity), count, CT_ROW_VELOCITY, changed);
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    const ct_velocity a = ct_scene_velocity(before, row + i), b = ct_scene_velocity(after, row + i);
    if (memcmp(&a, &b, sizeof a) != 0) changed[i] |= CT_ROW_VELOCITY;
  }
}

/* Compares the rows of one chunk and sets changed[count]. False: a row has different bodies, so
 * neither revision is derived from the other. */
static bool compare_chunk(const ct_scene *before, const ct_scene *after, uint32_t row,
                          uint32_t count, unsigned *changed) {
  bool good = true;
  memset(changed, 0, count * sizeof *changed);
  if (!share_chunk(&before->poses, &after->poses, row))
    mark_changed_rows(ct_column_at(&before->poses, row), ct_column_at(&after->poses, row),
                      sizeof(ct_pose), count, CT_ROW_POSE, changed);
  if (!share_chunk(&before->velocities, &after->velocities, row))
    mark_changed_velocities(before, after, row, count, changed);
  if (share_chunk(&before->bodies, &after->bodies, row)) return true;
  for (uint32_t i = 0; i < count && good; i++) {
    const ct_body *old = ct_scene_body_at(before, row + i), *now = ct_scene_body_at(after, row + i);
    good = have_same_body(old, now);
    if (!now) changed[i] = 0; /* a removed body's other columns are not reported */
    if (old != now) changed[i] |= CT_ROW_BODY;
  }
  return good;
}

bool ct_scene_changes(const ct_scene *before, const ct_scene *after, ct_row_visit visit,
                      void *context) {
  if (before->numbering != after->numbering || after->rows < before->rows ||
      after->next_serial < before->next_serial || after->contacts_begun < before->contacts_begun)
    return false;
  for (uint32_t row = 0; row < before->rows; row += CHUNK_ROWS) {
    if (share_chunk(&before->bodies, &after->bodies, row) &&
        share_chunk(&before->poses, &after->poses, row) &&
        share_chunk(&before->velocities, &after->velocities, row))
      continue;
    uint32_t count = before->rows - row < CHUNK_ROWS ? before->rows - row : CHUNK_ROWS;
    unsigned changed[CHUNK_ROWS];
    if (!compare_chunk(before, after, row, count, changed)) return false;
    for (uint32_t i = 0; i < count; i++)
      if (changed[i]) visit(context, row + i, changed[i]);
  }
  for (uint32_t row = before->rows; row < after->rows; row++)
    if (ct_scene_body_at(after, row))
      visit(context, row, CT_ROW_BODY | CT_ROW_POSE | CT_ROW_VELOCITY);
  return true;
}

uint64_t ct_scene_next_serial(const ct_scene *scene) { return scene->next_serial; }
