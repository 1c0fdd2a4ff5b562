/* Encodes a revision: as a whole (base), or by its changes to an earlier revision. */
#include "records/record_scene.h"

#include <assert.h>

#include <contact/restore.h>

#include "documents/scene_json.h"
#include "records/record_body.h"
#include "records/record_contact_state.h"
#include "records/record_shape_names.h"

/* ---- numbers -------------------------------------------------------------------------------- */

api_record_numbers api_record_numbers_of(const ct_scene *scene) {
  if (!scene) return (api_record_numbers){0};
  return (api_record_numbers){ct_scene_revision(scene), ct_scene_next_serial(scene),
                              ct_scene_contacts_begun(scene), ct_scene_rows(scene),
                              ct_scene_count(scene)};
}

static void put_scene_numbers(api_buffer *out, const ct_scene *scene) {
  const api_record_numbers n = api_record_numbers_of(scene);
  api_record_put_u64(out, n.revision);
  api_record_put_u64(out, n.next_serial);
  api_record_put_u64(out, n.contacts_begun);
  api_record_put_u32(out, n.rows);
  api_record_put_u32(out, n.count);
}

/* ---- settings ------------------------------------------------------------------------------- */

static bool same_groups(const ct_filters *a, const ct_filters *b) {
  if (a->group_count != b->group_count) return false;
  for (size_t i = 0; i < a->group_count; i++) {
    const ct_group_rule *x = &a->groups[i], *y = &b->groups[i];
    if (!api_text_equal(x->group, y->group) || x->count != y->count) return false;
    for (size_t k = 0; k < x->count; k++)
      if (!api_text_equal(x->not_collide_with[k], y->not_collide_with[k])) return false;
  }
  return true;
}

static bool same_rule(const ct_pair_rule *a, const ct_pair_rule *b) {
  return api_text_equal(a->a, b->a) && api_text_equal(a->b, b->b) && a->collide == b->collide &&
         api_text_equal(a->reason, b->reason);
}

/* True if the body with this id was deleted between `before` and `after`. Valid only if rows were
 * not renumbered; otherwise no changes are encoded. */
static bool was_deleted(const ct_scene *before, const ct_scene *after, ct_text id) {
  uint32_t row = ct_scene_find(before, id);
  return row != CT_NO_ROW && row < ct_scene_rows(after) && !ct_scene_body(after, row);
}

/* True if the filters of `after` are those of `before` without the rules of deleted bodies. Such a
 * change need not be encoded: deleting the bodies from a draft deletes their rules. */
static bool follows_filters(const ct_scene *before, const ct_scene *after) {
  const ct_filters *old = ct_scene_filters(before), *now = ct_scene_filters(after);
  size_t kept = 0;
  if (old == now) return true;
  if (now->pair_count > old->pair_count || !same_groups(old, now)) return false;
  for (size_t i = 0; i < old->pair_count; i++) {
    const ct_pair_rule *rule = &old->pairs[i];
    if (was_deleted(before, after, rule->a) || was_deleted(before, after, rule->b)) continue;
    if (kept >= now->pair_count || !same_rule(rule, &now->pairs[kept])) return false;
    kept++;
  }
  return kept == now->pair_count;
}

/* True if both scenes have the same settings except filters. Unchanged settings have the same
 * address in a scene and in the revision made from its draft. */
static bool shares_settings(const ct_scene *a, const ct_scene *b) {
  ct_vec3 gravity_a = ct_scene_gravity(a), gravity_b = ct_scene_gravity(b);
  return ct_scene_materials(a) == ct_scene_materials(b) &&
         ct_scene_user(a).bytes == ct_scene_user(b).bytes &&
         ct_scene_geometric_epsilon(a) == ct_scene_geometric_epsilon(b) &&
         ct_scene_time(a) == ct_scene_time(b) &&
         ct_scene_has_gravity(a) == ct_scene_has_gravity(b) && gravity_a.x == gravity_b.x &&
         gravity_a.y == gravity_b.y && gravity_a.z == gravity_b.z;
}

static void put_settings(api_buffer *out, const ct_scene *before, const ct_scene *after) {
  bool same = before && shares_settings(before, after) && follows_filters(before, after);
  api_buffer old = {0}, now = {0};
  if (!same) api_put_settings(&now, (ct_text){NULL, 0}, after);
  if (!same && before) api_put_settings(&old, (ct_text){NULL, 0}, before);
  ct_text text = {now.bytes, now.length};
  same = same || (before && api_text_equal((ct_text){old.bytes, old.length}, text));
  api_record_put_u8(out, !same);
  if (!same) api_record_put_text(out, text);
  out->failed = out->failed || old.failed || now.failed;
  api_buffer_free(&old);
  api_buffer_free(&now);
}

/* ---- rows ----------------------------------------------------------------------------------- */

typedef struct row_writer {
  api_buffer *out;
  const ct_scene *before, *after; /* before NULL: a base */
  uint32_t old_rows;
  uint32_t count;                  /* number of rows written */
  api_record_names dropped, added; /* posted shapes to which the changed rows no longer refer, and
                                      to which they refer now */
} row_writer;

static bool is_still(const ct_velocity *velocity) {
  static const ct_velocity still = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  return memcmp(velocity, &still, sizeof still) == 0;
}

static void put_velocity(api_buffer *out, const ct_velocity *velocity) {
  api_record_put_vec3(out, velocity->linear);
  api_record_put_vec3(out, velocity->angular);
}

static void note_names(row_writer *w, const ct_body *old, const ct_body *now) {
  if (!w->before || api_record_names_equal(old, now)) return;
  api_record_names_add(&w->dropped, old);
  api_record_names_add(&w->added, now);
}

static void put_row(void *context, uint32_t row, unsigned changed) {
  row_writer *w = context;
  assert(row < ct_scene_rows(w->after));
  api_buffer *out = w->out;
  bool is_new = row >= w->old_rows;
  const ct_body *body = ct_scene_body(w->after, row),
                *old = is_new ? NULL : ct_scene_body(w->before, row);
  const ct_velocity velocity = ct_scene_velocity(w->after, row);
  if (changed & CT_ROW_BODY) note_names(w, old, body);
  bool has_velocity = is_new ? !is_still(&velocity) : (changed & CT_ROW_VELOCITY) != 0;
  unsigned bits = !body
                      ? API_ROW_REMOVED
                      : (is_new ? API_ROW_NEW : 0u) | (changed & CT_ROW_BODY ? API_ROW_BODY : 0u) |
                            (changed & CT_ROW_POSE ? API_ROW_POSE : 0u) |
                            (has_velocity ? API_ROW_VELOCITY : 0u);
  api_record_put_u32(out, row);
  api_record_put_u8(out, bits);
  if (bits & API_ROW_NEW) api_record_put_u64(out, ct_scene_serial(w->after, row));
  if (bits & API_ROW_BODY) api_record_put_body(out, body, old);
  if (bits & API_ROW_POSE) {
    ct_pose pose = ct_scene_pose(w->after, row);
    api_record_put_pose(out, &pose);
  }
  if (bits & API_ROW_VELOCITY) put_velocity(out, &velocity);
  w->count++;
}

/* Puts the changed rows; for a base, all rows. The caller sets their number afterwards. False: the
 * changes cannot be represented. */
static bool put_rows(row_writer *w) {
  if (w->before) return ct_scene_changes(w->before, w->after, put_row, w);
  for (uint32_t row = 0; row < ct_scene_rows(w->after) && !w->out->failed; row++)
    if (ct_scene_body(w->after, row)) put_row(w, row, CT_ROW_BODY | CT_ROW_POSE | CT_ROW_VELOCITY);
  return true;
}

/* ---- contact states ------------------------------------------------------------------------- */

/* Puts the contact states of `after` that `before` does not have in the same version, and the names
 * of states deleted since; if before is NULL, all states. Returns the number of entries. */
static uint32_t put_states(api_buffer *out, const ct_scene *before, const ct_scene *after) {
  uint32_t count = 0;
  for (size_t i = 0; i < ct_scene_attachment_count(after); i++) {
    const ct_attachment *state = ct_scene_attachment(after, i);
    if (before && ct_scene_attached(before, state->name) == state->value) continue;
    api_record_put_text(out, state->name);
    api_record_put_u8(out, 1);
    api_record_put_state(out, state->value);
    count++;
  }
  for (size_t i = 0; before && i < ct_scene_attachment_count(before); i++) {
    ct_text name = ct_scene_attachment(before, i)->name;
    if (ct_scene_attached(after, name)) continue;
    api_record_put_text(out, name);
    api_record_put_u8(out, 0);
    count++;
  }
  return count;
}

/* ---- the record ----------------------------------------------------------------------------- */

/* Reserves space for a count and returns its position; the count is set later. */
static size_t reserve_count(api_buffer *out) {
  size_t at = out->length;
  api_record_put_u32(out, 0);
  return at;
}

static void set_count(api_buffer *out, size_t at, uint32_t count) {
  if (out->failed) return;
  assert(at + sizeof count <= out->length);
  size_t length = out->length;
  out->length = at;
  api_record_put_u32(out, count);
  out->length = length;
}

bool api_record_put_scene(api_buffer *out, const ct_scene *before, const ct_scene *after,
                          bool *same_names) {
  row_writer w = {
      .out = out, .before = before, .after = after, .old_rows = before ? ct_scene_rows(before) : 0};
  api_record_open(out, before ? API_RECORD_CHANGE : API_RECORD_BASE);
  put_scene_numbers(out, before);
  put_scene_numbers(out, after);
  put_settings(out, before, after);
  if (!before) api_record_put_text(out, ct_scene_origin(after));
  size_t rows = reserve_count(out);
  bool reported = put_rows(&w);
  assert(w.count <= ct_scene_rows(after));
  set_count(out, rows, w.count);
  api_record_names_sort(&w.dropped);
  api_record_names_sort(&w.added);
  /* A posted shape to which the scene no longer refers may be deleted, and records that refer to it
   * could then not be decoded: such a change needs a base. */
  reported = reported && (!before || api_record_names_all(after, &w.dropped, &w.added));
  if (reported) {
    *same_names = before && api_record_names_all(before, &w.added, &w.dropped);
    size_t states = reserve_count(out);
    set_count(out, states, put_states(out, before, after));
    api_record_close(out);
  }
  out->failed = out->failed || w.dropped.failed || w.added.failed;
  api_record_names_free(&w.dropped);
  api_record_names_free(&w.added);
  return reported && !out->failed;
}
