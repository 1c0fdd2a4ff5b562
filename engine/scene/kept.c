/* What a revision changes against an earlier one of the same numbering. */
#include "scene/scene.h"

#include <contact/kept.h>

#include <string.h>

/* Rows of the chunks of bodies, poses and velocities: they are told together. */
#define CHUNK_ROWS 128u

/* Chunks of a column that neither has are shared too: velocities may be none. */
static bool shares(const ct_column *a, const ct_column *b, uint32_t row) {
  return (a->rows == 0 && b->rows == 0) || ct_column_shares(a, b, row);
}

static bool same_velocity(const ct_scene *before, const ct_scene *after, uint32_t row) {
  const ct_velocity a = ct_scene_velocity(before, row), b = ct_scene_velocity(after, row);
  return memcmp(&a, &b, sizeof a) == 0;
}

/* Has the row another body's number in the two? A row whose body has gone stays empty. */
static bool same_id(const ct_body *before, const ct_body *after) {
  if (before == after || !after) return true;
  if (!before) return false;
  ct_text a = ct_body_id(before), b = ct_body_id(after);
  return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* A row of both; false: they are not of one history. */
static bool row_changes(const ct_scene *before, const ct_scene *after, uint32_t row, unsigned *changed) {
  const ct_body *old = ct_scene_body_at(before, row), *now = ct_scene_body_at(after, row);
  *changed = old == now ? 0 : CT_ROW_BODY;
  if (!same_id(old, now)) return false;
  if (!now) return true;
  if (memcmp(ct_scene_pose_at(before, row), ct_scene_pose_at(after, row), sizeof(ct_pose)) != 0) *changed |= CT_ROW_POSE;
  if (!same_velocity(before, after, row)) *changed |= CT_ROW_VELOCITY;
  return true;
}

bool ct_scene_changes(const ct_scene *before, const ct_scene *after, ct_row_visit visit, void *context) {
  if (before->numbering != after->numbering || after->rows < before->rows || after->next_serial < before->next_serial ||
      after->contacts_begun < before->contacts_begun)
    return false;
  _Static_assert(sizeof(ct_pose) == 7 * sizeof(double) && sizeof(ct_velocity) == 6 * sizeof(double), "compared by bits");
  for (uint32_t row = 0; row < before->rows; row++) {
    if (row % CHUNK_ROWS == 0 && shares(&before->bodies, &after->bodies, row) && shares(&before->poses, &after->poses, row) &&
        shares(&before->velocities, &after->velocities, row)) {
      row += CHUNK_ROWS - 1;
      continue;
    }
    unsigned changed;
    if (!row_changes(before, after, row, &changed)) return false;
    if (changed) visit(context, row, changed);
  }
  for (uint32_t row = before->rows; row < after->rows; row++)
    if (ct_scene_body_at(after, row)) visit(context, row, CT_ROW_BODY | CT_ROW_POSE | CT_ROW_VELOCITY);
  return true;
}

uint64_t ct_scene_next_serial(const ct_scene *scene) { return scene->next_serial; }
