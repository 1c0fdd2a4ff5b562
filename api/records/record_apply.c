/* Decodes a record to a revision. A record is untrusted: each number is checked against the other
 * numbers and the previous revision, so that arbitrary bytes result in a valid scene or are
 * rejected. */
#include <api/record.h>

#include <contact/restore.h>

#include <assert.h>
#include <stdlib.h>

#include "documents/scene_json.h"
#include "records/record_body.h"
#include "records/record_contact_state.h"
#include "records/record_scene.h"
#include "results/contact_state_json.h"

/* Greatest coordinate (m) and speed (m/s, rad/s) of a moving body in a record: far beyond any valid
 * motion, and its square is finite. */
#define FARTHEST 1e30
/* Least and greatest squared length of a quaternion. */
#define LEAST_ROTATION 0.5
#define GREATEST_ROTATION 2.0
/* Greatest accepted revision, serial number or pair number; no counter reaches it in practice. */
#define GREATEST_NUMBER (UINT64_MAX / 2)

typedef struct applying {
  api_record_decoder *r;
  const ct_scene *before; /* the revision to which the changes apply; NULL: the record is a base */
  ct_draft *draft;
  api_record_numbers old, now;
  json_t *settings;            /* JSON document of the scene without its bodies, owned; NULL:
                                  unchanged from `before` */
  api_scene_document document; /* the content of `settings` */
} applying;

/* ---- numbers -------------------------------------------------------------------------------- */

static api_record_numbers get_scene_numbers(api_record_cursor *in) {
  api_record_numbers n;
  n.revision = api_record_get_u64(in);
  n.next_serial = api_record_get_u64(in);
  n.contacts_begun = api_record_get_u64(in);
  n.rows = api_record_get_u32(in);
  n.count = api_record_get_u32(in);
  return n;
}

static bool same_numbers(const api_record_numbers *a, const api_record_numbers *b) {
  return a->revision == b->revision && a->next_serial == b->next_serial &&
         a->contacts_begun == b->contacts_begun && a->rows == b->rows && a->count == b->count;
}

/* Checks that the record belongs to this scene, that its revision can follow the previous one, and
 * that the number of rows, for which memory is allocated, is bounded by the number of bodies. */
static bool check_numbers(const applying *a) {
  const api_record_numbers *now = &a->now, before = api_record_numbers_of(a->before);
  size_t most = before.count + api_record_bytes_left(&a->r->in) / API_ROW_BYTES;
  if (!same_numbers(&a->old, &before))
    return api_decoder_reject(a->r, "The record does not continue the scene's revision");
  bool good = now->revision > 0 && now->revision <= GREATEST_NUMBER &&
              now->next_serial <= GREATEST_NUMBER && now->contacts_begun <= GREATEST_NUMBER &&
              now->rows >= before.rows && now->count <= now->rows && now->count <= most &&
              now->rows / 2 <= now->count && now->rows <= now->next_serial;
  return good || api_decoder_reject(a->r, "The scene's counters are inconsistent");
}

/* ---- settings ------------------------------------------------------------------------------- */

/* Reads the settings and applies those to which bodies refer. The others refer to bodies and are
 * applied later. */
static bool get_settings(applying *a) {
  api_record_decoder *r = a->r;
  bool has = api_record_get_bool(&r->in);
  ct_text text = has ? api_record_get_text(&r->in, UINT32_MAX) : (ct_text){NULL, 0};
  ct_text origin = a->before || r->in.format < 2 ? (ct_text){NULL, 0}
                                                 : api_record_get_text(&r->in, API_ORIGIN_MAX);
  if (!api_decoder_is_valid(r)) return false;
  if (!a->before && !api_decoder_check_status(r, ct_draft_set_origin(a->draft, origin), ""))
    return false;
  if (!has) return a->before || api_decoder_reject(r, "The base record has no settings");
  assert(!a->settings);
  a->settings = api_decoder_read_json(r, text.bytes, text.length);
  if (!a->settings) return false;
  api_field root = api_field_root(a->settings);
  if (!api_read_settings(&r->reader, &root, &a->document))
    return api_decoder_reject(r, "The scene's settings are invalid");
  ct_draft_set_gravity(a->draft,
                       a->document.matter.has_gravity ? &a->document.matter.gravity : NULL);
  return api_decoder_check_status(r,
                                  ct_draft_set_materials(a->draft, &a->document.matter.materials),
                                  "The scene has too many materials");
}

static bool check_pairs(const applying *a) {
  const ct_materials *materials = &a->document.matter.materials;
  for (size_t i = 0; i < materials->pair_count; i++)
    if (!ct_draft_has_material(a->draft, materials->pairs[i].a) ||
        !ct_draft_has_material(a->draft, materials->pairs[i].b))
      return api_decoder_reject(a->r, "A material pair names an unknown material");
  return true;
}

/* Applies the settings that refer to bodies. To be called after all bodies were added. */
static bool apply_settings(applying *a) {
  api_record_decoder *r = a->r;
  if (!a->settings) return true;
  if (!check_pairs(a)) return false;
  for (uint32_t row = 0; row < ct_draft_rows(a->draft); row++) {
    const ct_body *body = ct_draft_body(a->draft, row);
    if (body && !api_check_materials(&r->reader, NULL, body, a->draft))
      return api_decoder_reject(r, "A body names an unknown material");
  }
  if (!api_apply_filters(&r->reader, NULL, &a->document.filters, a->draft))
    return api_decoder_reject(r, "The scene's filters are invalid");
  ct_draft_set_geometric_epsilon(a->draft, a->document.geometric_epsilon);
  ct_draft_set_time(a->draft, a->document.time);
  return api_decoder_check_status(r, ct_draft_set_user(a->draft, a->document.user), "");
}

/* ---- rows ----------------------------------------------------------------------------------- */

static bool get_recorded_pose(api_record_decoder *r, ct_pose *out) {
  *out = api_record_get_pose(&r->in);
  ct_quat q = out->rotation;
  double length = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  ct_vec3 p = out->position;
  bool good = fabs(p.x) <= FARTHEST && fabs(p.y) <= FARTHEST && fabs(p.z) <= FARTHEST &&
              length >= LEAST_ROTATION && length <= GREATEST_ROTATION;
  return api_decoder_is_valid(r) &&
         (good || api_decoder_reject(r, "The pose of a body is invalid"));
}

static bool is_speed(ct_vec3 v) {
  return fabs(v.x) <= FARTHEST && fabs(v.y) <= FARTHEST && fabs(v.z) <= FARTHEST;
}

static bool get_velocity(api_record_decoder *r, ct_velocity *out) {
  out->linear = api_record_get_vec3(&r->in);
  out->angular = api_record_get_vec3(&r->in);
  return api_decoder_is_valid(r) && ((is_speed(out->linear) && is_speed(out->angular)) ||
                                     api_decoder_reject(r, "The velocity of a body is invalid"));
}

/* New state of a row, as recorded. */
typedef struct row_state {
  const ct_body *body; /* a reference, owned; NULL: the body is unchanged */
  ct_pose pose;
  ct_velocity velocity;
} row_state;

static bool get_state(applying *a, unsigned bits, const ct_body *old, row_state *s) {
  api_record_decoder *r = a->r;
  if (bits & API_ROW_BODY) {
    if (!api_record_get_body(r, old, &s->body)) return false;
    if (!api_check_materials(&r->reader, NULL, s->body, a->draft))
      return api_decoder_reject(r, "A body names an unknown material");
  }
  return (!(bits & API_ROW_POSE) || get_recorded_pose(r, &s->pose)) &&
         (!(bits & API_ROW_VELOCITY) || get_velocity(r, &s->velocity));
}

static bool insert(applying *a, uint32_t row, uint64_t serial, const row_state *s) {
  ct_status status =
      serial < a->now.next_serial
          ? ct_draft_insert_at(a->draft, row, serial, s->body, &s->pose, &s->velocity)
          : CT_LIMIT;
  return api_decoder_check_status(a->r, status, "A body cannot be restored at its row");
}

static bool get_new_row(applying *a, uint32_t row, unsigned bits) {
  row_state s = {0};
  uint64_t serial = api_record_get_u64(&a->r->in);
  if (!(bits & API_ROW_BODY) || !(bits & API_ROW_POSE) || row < a->old.rows)
    return api_decoder_reject(a->r, "A new row lacks a body or a pose");
  bool good = get_state(a, bits, NULL, &s) && insert(a, row, serial, &s);
  ct_body_release(s.body);
  return good;
}

static bool change_row(applying *a, uint32_t row, unsigned bits, const row_state *s) {
  assert(!(bits & API_ROW_BODY) == !s->body);
  ct_status status = CT_OK;
  if (bits & API_ROW_BODY) {
    if (!api_text_equal(ct_body_id(s->body), ct_body_id(ct_draft_body(a->draft, row))))
      return api_decoder_reject(a->r, "A row's body was replaced by one with another id");
    status = ct_draft_replace(a->draft, row, s->body, &s->pose, &s->velocity);
  } else {
    if (bits & API_ROW_POSE) status = ct_draft_set_pose(a->draft, row, &s->pose);
    if (status == CT_OK && bits & API_ROW_VELOCITY)
      status = ct_draft_set_velocity(a->draft, row, &s->velocity);
  }
  return api_decoder_check_status(a->r, status, "A row cannot be changed");
}

static bool get_old_row(applying *a, uint32_t row, unsigned bits) {
  const ct_body *old = row < a->old.rows ? ct_draft_body(a->draft, row) : NULL;
  if (!old) return api_decoder_reject(a->r, "A changed row has no body");
  if (bits & API_ROW_REMOVED) {
    if (bits != API_ROW_REMOVED) return api_decoder_reject(a->r, "A row has an unknown form");
    return api_decoder_check_status(a->r, ct_draft_remove(a->draft, row),
                                    "A body cannot be removed");
  }
  row_state s = {.pose = ct_draft_pose(a->draft, row),
                 .velocity = ct_draft_velocity(a->draft, row)};
  bool good = get_state(a, bits, old, &s) && change_row(a, row, bits, &s);
  ct_body_release(s.body);
  return good;
}

static bool get_rows(applying *a) {
  api_record_cursor *in = &a->r->in;
  const unsigned all =
      API_ROW_NEW | API_ROW_REMOVED | API_ROW_BODY | API_ROW_POSE | API_ROW_VELOCITY;
  size_t count = api_record_get_count(in, API_ROW_BYTES);
  uint64_t least = 0; /* rows ascend */
  for (size_t i = 0; i < count; i++) {
    uint32_t row = api_record_get_u32(in);
    unsigned bits = api_record_get_u8(in);
    if (!api_decoder_is_valid(a->r)) return false;
    if (row < least || row >= a->now.rows || bits == 0 || bits > all)
      return api_decoder_reject(a->r, "A row has an unknown form");
    if (!(bits & API_ROW_NEW ? get_new_row(a, row, bits) : get_old_row(a, row, bits))) return false;
    least = (uint64_t)row + 1;
  }
  if (!api_decoder_is_valid(a->r)) return false;
  if (ct_draft_count(a->draft) != a->now.count)
    return api_decoder_reject(a->r, "The number of bodies differs from the recorded number");
  ct_status status =
      ct_draft_restore_numbers(a->draft, a->now.rows, a->now.next_serial, a->now.contacts_begun);
  return api_decoder_check_status(a->r, status, "The scene's counters are inconsistent");
}

/* ---- contact states ------------------------------------------------------------------------- */

static bool get_states(applying *a) {
  api_record_decoder *r = a->r;
  size_t count = api_record_get_count(&r->in, 5);
  for (size_t i = 0; i < count; i++) {
    ct_text name;
    const ct_contact_state *state = NULL;
    if (!api_decoder_read_id(r, &name)) return false;
    if (api_record_get_bool(&r->in) && !api_record_get_state(r, &state)) return false;
    const ct_contact_state_data data =
        state ? ct_contact_state_save(state) : (ct_contact_state_data){0};
    bool good = data.last_pair <= a->now.contacts_begun && data.next_serial <= a->now.next_serial;
    good = good || api_decoder_reject(r, "A contact state is newer than the scene");
    good = good && api_decoder_check_status(
                       r, ct_draft_attach(a->draft, name, state, &api_contact_state_type),
                       "The scene has too many contact states");
    ct_contact_state_release(state);
    if (!good) return false;
  }
  return api_decoder_is_valid(r) && (api_record_bytes_left(&r->in) == 0 ||
                                     api_decoder_reject(r, "The record has bytes after its end"));
}

/* ---- the record ----------------------------------------------------------------------------- */

static bool fill(applying *a) {
  return get_settings(a) && get_rows(a) && apply_settings(a) && get_states(a);
}

/* Builds and seals the revision. NULL: the record is rejected, with the reason in the decoder. */
static const ct_scene *rebuild_scene(applying *a) {
  const ct_scene *made = fill(a) ? ct_draft_seal(a->draft) : NULL;
  if (!made) {
    ct_draft_discard(a->draft);
    if (!a->r->why) api_decoder_out_of_memory(a->r);
    return NULL;
  }
  const api_record_numbers now = api_record_numbers_of(made);
  if (same_numbers(&now, &a->now)) return made;
  ct_scene_release(made);
  api_decoder_reject(a->r, "The scene's counters are inconsistent");
  return NULL;
}

/* Builds the revision of a record of changes to `before`, or of a base, for which `before` is
 * ignored. */
static const ct_scene *apply(api_record_decoder *r, const ct_scene *before) {
  if (r->kind == API_RECORD_SHAPE || (r->kind == API_RECORD_CHANGE && !before)) {
    api_decoder_reject(r, "The record does not belong to this scene");
    return NULL;
  }
  if (r->kind == API_RECORD_BASE) before = NULL;
  applying a = {.r = r, .before = before};
  a.old = get_scene_numbers(&r->in);
  a.now = get_scene_numbers(&r->in);
  if (!api_decoder_is_valid(r) || !check_numbers(&a)) return NULL;
  const ct_scene *ground = before ? ct_scene_retain(before) : ct_scene_create(0), *made = NULL;
  a.draft = ground ? ct_draft_restore(ground, a.now.revision) : NULL;
  if (a.draft) made = rebuild_scene(&a);
  else api_decoder_out_of_memory(r);
  api_scene_document_release(&a.document);
  json_decref(a.settings);
  ct_scene_release(ground);
  return made;
}

api_restored api_record_apply(const api_shape_table *shapes, const ct_scene *before,
                              const char *bytes, size_t length, const ct_scene **after,
                              char why[API_RESTORE_WHY]) {
  api_record_decoder *r = NULL;
  api_restored end = api_decoder_begin(bytes, length, shapes, &r, why);
  if (end != API_RESTORED) return end;
  const ct_scene *made = apply(r, before);
  if (made) *after = made;
  return api_decoder_end(r, made != NULL, why);
}
