/* Reads and writes bodies: groups, user data, and lists of bodies. Other files handle shapes, poses
 * and motion. */
#include "documents/body_json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "documents/material_json.h"
#include "documents/motion_json.h"
#include "json/json_parser.h"

void api_body_release(api_body *body) {
  if (body->body) ct_body_release(body->body);
  *body = (api_body){0};
}

/* ---- user data ------------------------------------------------------------------------------ */

bool api_read_user_data(api_reader *reader, const api_field *field, ct_text *out) {
  if (!field->value || json_is_null(field->value)) return true;
  api_buffer text = {0};
  api_put_json(&text, field->value);
  ct_text copy = {0};
  if (text.failed) {
    api_fault_memory(reader->faults);
  } else if (text.length > reader->limits->user_bytes) {
    api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, &field->path,
                                    "At most %llu bytes of JSON are allowed here.",
                                    (unsigned long long)reader->limits->user_bytes);
    api_fault_limit(fault, (double)reader->limits->user_bytes, (double)text.length);
  } else {
    copy = api_reader_copy(reader, (ct_text){text.bytes, text.length});
  }
  api_buffer_free(&text);
  if (!copy.bytes) return false;
  *out = copy;
  return true;
}

/* ---- bodies --------------------------------------------------------------------------------- */

/* Reads all colliders into the arena. *count: how many own a shape, even after a fault. */
static bool read_collider_array(api_reader *reader, const api_field *field, ct_collider **out,
                                size_t *count) {
  size_t length = 0;
  if (!api_read_array(reader, field, 1, reader->limits->colliders, &length) || !field->value)
    return false;
  ct_collider *colliders = api_arena_array(reader->arena, length, sizeof *colliders);
  ct_text *ids = api_arena_array(reader->arena, length, sizeof *ids);
  if (!colliders || !ids) {
    api_fault_memory(reader->faults);
    return false;
  }
  *out = colliders;
  bool good = true;
  for (size_t i = 0; i < length && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    if (api_reader_cancelled(reader)) return false;
    good = api_read_collider(reader, &element, &colliders[i]) && good;
    ids[i] = colliders[i].id;
    *count = i + 1;
  }
  if (!good) return false;
  size_t twice = api_first_duplicate(reader, ids, length);
  if (twice == length) return true;
  if (twice == SIZE_MAX) return false;
  api_pointer element = api_pointer_index(&field->path, twice),
              id = api_pointer_member(&element, "id");
  char echo[API_ECHO_MAX + 4];
  api_fault_at(reader->faults, API_PROBLEM_DUPLICATE_ID, &id,
               "Another collider of this body has the id \"%s\".", api_echo(ids[twice], echo));
  return false;
}

static bool read_body_groups(api_reader *reader, const api_field *field, const ct_text **out,
                             size_t *count) {
  if (!field->value) return true;
  if (!api_read_array(reader, field, 0, API_BODY_GROUPS_MAX, count)) return false;
  ct_text *groups = api_arena_array(reader->arena, *count, sizeof *groups);
  if (!groups) {
    api_fault_memory(reader->faults);
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < *count; i++) {
    api_field element = api_field_element(field, i);
    good = api_read_id(reader, &element, &groups[i]) && good;
  }
  *out = groups;
  if (!good) return false;
  size_t twice = api_first_duplicate(reader, groups, *count);
  if (twice == *count) return true;
  if (twice == SIZE_MAX) return false;
  api_pointer element = api_pointer_index(&field->path, twice);
  api_fault_at(reader->faults, API_PROBLEM_DUPLICATE_ID, &element,
               "The group is named twice: remove one of the two.");
  return false;
}

static bool check_fixed_id(api_reader *reader, const api_field *field, const api_body_form *form,
                           ct_text id) {
  if (!form->id_is_fixed || !field->value || api_text_equal(id, form->id)) return true;
  char echo[API_ECHO_MAX + 4];
  api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &field->path,
                                  "The id is \"%s\" and cannot change.", api_echo(form->id, echo));
  api_fault_suggest(fault, form->id);
  return false;
}

/* motion: NULL, or the member that was read into options->motion. */
static bool create_checked_body(api_reader *reader, const ct_body_options *options,
                                const api_field *motion, api_body *out) {
  const ct_body *body = NULL;
  ct_status status = ct_body_create(options, &body);
  if (status == CT_OUT_OF_MEMORY) {
    api_fault_memory(reader->faults);
    return false;
  }
  if (status != CT_OK) {
    api_fault_plain(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, "The body exceeds a limit: %s.",
                    ct_status_text(status));
    return false;
  }
  if (motion && !api_check_mass(reader, motion, body)) {
    ct_body_release(body);
    return false;
  }
  out->body = body;
  return true;
}

/* Borrows the colliders of another body. */
static bool borrow_colliders(api_reader *reader, const ct_body *body, ct_body_options *options) {
  size_t count = ct_body_collider_count(body);
  ct_collider *colliders = api_arena_array(reader->arena, count, sizeof *colliders);
  if (!colliders) {
    api_fault_memory(reader->faults);
    return false;
  }
  for (size_t i = 0; i < count; i++) colliders[i] = ct_body_collider(body, i);
  options->colliders = colliders;
  options->collider_count = count;
  return true;
}

static bool read_full_body(api_reader *reader, const api_field *field, const api_body_form *form,
                           api_body *out) {
  enum { ID, COLLIDERS, MOTION, GROUPS, USER, POSE, COUNT = POSE + API_POSE_MEMBER_COUNT };
  api_field m[COUNT] = {{.name = "id", .required = form->id.length == 0},
                        {.name = "colliders", .required = !form->kept},
                        {.name = "motion"},
                        {.name = "groups"},
                        {.name = "user"},
                        API_POSE_MEMBERS};
  bool good = api_read_object(reader, field, m, COUNT);
  if (!json_is_object(field->value)) return false;

  ct_body_options options = {.id = form->id};
  ct_motion motion;
  ct_collider *colliders = NULL;
  size_t owned = 0;
  good = api_read_id(reader, &m[ID], &options.id) &&
         check_fixed_id(reader, &m[ID], form, options.id) && good;
  good = api_read_pose(reader, field, m + POSE, &out->pose) && good;
  if (m[MOTION].value) good = api_read_motion(reader, &m[MOTION], &motion, &out->velocity) && good;
  good = read_body_groups(reader, &m[GROUPS], &options.groups, &options.group_count) && good;
  good = api_read_user_data(reader, &m[USER], &options.user) && good;
  if (m[COLLIDERS].value)
    good = read_collider_array(reader, &m[COLLIDERS], &colliders, &owned) && good;

  options.motion = m[MOTION].value ? &motion : NULL;
  options.colliders = colliders;
  options.collider_count = owned;
  if (form->kept) good = borrow_colliders(reader, form->kept, &options) && good;
  good = good && create_checked_body(reader, &options, &m[MOTION], out);
  for (size_t i = 0; i < owned; i++) ct_shape_release(&colliders[i].shape);
  return good;
}

/* Reads a single collider as a body; its pose becomes the body's. */
static bool read_short_body(api_reader *reader, const api_field *field, const api_body_form *form,
                            api_body *out) {
  ct_collider collider = {0};
  if (!api_read_collider(reader, field, &collider)) return false;
  out->pose = collider.pose;
  ct_body_options options = {.id = collider.id.length ? collider.id : form->id,
                             .colliders = &collider,
                             .collider_count = 1};
  collider.pose = ct_pose_identity();
  collider.id = (ct_text){0};
  bool good = create_checked_body(reader, &options, NULL, out);
  ct_shape_release(&collider.shape);
  return good;
}

static const api_field shapes[] = {API_SHAPE_MEMBERS};

/* True if a member resembles "colliders" at least as much as any shape; "cylider" resembles
 * cylinder. */
static bool resembles_colliders(const json_t *value) {
  static const char word[] = "colliders";
  const char *name;
  json_t *unused;
  json_object_foreach((json_t *)value, name, unused) {
    api_spelling likeness = api_spelling_start(name, strlen(name));
    for (size_t i = 0; i < API_SHAPE_MEMBER_COUNT; i++)
      api_spelling_consider(&likeness, shapes[i].name, strlen(shapes[i].name));
    api_spelling_consider(&likeness, word, sizeof word - 1);
    if (likeness.best.bytes == word) return true;
  }
  return false;
}

/* True for an object with a shape, or without any member of the full form. The error of a misspelt
 * shape then lists the names of shapes. */
static bool is_short_form(const json_t *value) {
  if (!json_is_object(value) || json_object_get(value, "colliders")) return false;
  for (size_t i = 0; i < API_SHAPE_MEMBER_COUNT; i++)
    if (json_object_get(value, shapes[i].name)) return true;
  if (json_object_get(value, "shape")) return true;
  if (json_object_get(value, "motion") || json_object_get(value, "groups") ||
      json_object_get(value, "user"))
    return false;
  return !resembles_colliders(value);
}

/* Refuses the first material that the document of a body names. */
static bool check_no_material(api_reader *reader, const api_field *field) {
  const json_t *colliders = json_object_get(field->value, "colliders");
  api_pointer list = api_pointer_member(&field->path, "colliders"), element = field->path;
  bool named = !colliders && json_object_get(field->value, "material");
  for (size_t i = 0; !named && i < json_array_size(colliders); i++) {
    named = json_object_get(json_array_get(colliders, i), "material") != NULL;
    element = api_pointer_index(&list, i);
  }
  if (!named) return true;
  api_pointer material = api_pointer_member(&element, "material");
  api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_ID, &material,
               "Materials belong to a scene; bodies without a scene have none.");
  return false;
}

bool api_read_body(api_reader *reader, const api_field *field, const api_body_form *form,
                   api_body *out) {
  static const api_body_form plain = {0};
  if (!form) form = &plain;
  if (!field->value) return false;
  api_arena_mark mark = api_arena_position(reader->arena);
  api_body body = {.pose = ct_pose_identity()};
  bool good = form->allow_short && is_short_form(field->value)
                  ? read_short_body(reader, field, form, &body)
                  : read_full_body(reader, field, form, &body);
  api_arena_rewind(reader->arena, mark);
  if (good && form->without_scene && !check_no_material(reader, field)) {
    api_body_release(&body);
    good = false;
  }
  if (good) *out = body;
  return good;
}

/* ---- encode --------------------------------------------------------------------------------- */

static void put_body_colliders(api_buffer *buffer, const ct_body *body) {
  api_put_key(buffer, "colliders");
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < ct_body_collider_count(body); i++) {
    ct_collider collider = ct_body_collider(body, i);
    api_put_collider(buffer, &collider);
  }
  api_put_byte(buffer, ']');
}

static void put_body_members(api_buffer *buffer, const ct_body *body, const ct_pose *pose,
                             const ct_velocity *velocity, bool colliders) {
  api_put_item(buffer);
  api_put_byte(buffer, '{');
  api_put_member_string(buffer, "id", ct_body_id(body));
  api_put_pose_members(buffer, pose, true);
  if (ct_body_motion(body)) api_put_motion(buffer, ct_body_motion(body), velocity);
  if (colliders) put_body_colliders(buffer, body);
  if (ct_body_group_count(body)) {
    api_put_key(buffer, "groups");
    api_put_byte(buffer, '[');
    for (size_t i = 0; i < ct_body_group_count(body); i++) {
      api_put_item(buffer);
      api_put_string(buffer, ct_body_group(body, i));
    }
    api_put_byte(buffer, ']');
  }
  ct_text user = ct_body_user(body);
  if (user.length) {
    api_put_key(buffer, "user");
    api_put_bytes(buffer, user.bytes, user.length);
  }
  api_put_byte(buffer, '}');
}

void api_put_body(api_buffer *buffer, const ct_body *body, const ct_pose *pose,
                  const ct_velocity *velocity) {
  put_body_members(buffer, body, pose, velocity, true);
}

void api_put_bare_body(api_buffer *buffer, const ct_body *body, const ct_pose *pose,
                       const ct_velocity *velocity) {
  put_body_members(buffer, body, pose, velocity, false);
}

void api_put_row(api_buffer *buffer, const ct_scene *scene, uint32_t row) {
  ct_pose pose = ct_scene_pose(scene, row);
  ct_velocity velocity = ct_scene_velocity(scene, row);
  api_put_body(buffer, ct_scene_body(scene, row), &pose, &velocity);
}

/* ---- lists ---------------------------------------------------------------------------------- */

void api_body_list_free(api_body_list *list) {
  for (size_t i = 0; i < list->count; i++) api_body_release(&list->items[i]);
  free(list->items);
  *list = (api_body_list){0};
}

/* Estimates the memory of a body. */
static size_t estimate_body_bytes(const ct_body *body) {
  size_t colliders = ct_body_collider_count(body);
  size_t bytes = sizeof(api_body) + 160 + colliders * sizeof(ct_collider) +
                 ct_body_id(body).length + ct_body_user(body).length;
  for (size_t i = 0; i < colliders; i++) {
    ct_collider collider = ct_body_collider(body, i);
    bytes += collider.note.length + ct_shape_bytes(&collider.shape);
  }
  return bytes;
}

bool api_body_list_add(api_body_list *list, api_body *body) {
  assert(body->body && list->count <= list->capacity);
  if (!api_array_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
    return false;
  list->items[list->count++] = *body;
  list->bytes += estimate_body_bytes(body->body);
  *body = (api_body){0};
  return true;
}

bool api_read_bodies(api_reader *reader, const api_field *field, api_body_list *list) {
  size_t length = 0;
  if (!api_read_array(reader, field, 0, reader->limits->bodies, &length)) return false;
  bool good = true;
  for (size_t i = 0; i < length && !api_faults_full(reader->faults); i++) {
    api_field element = api_field_element(field, i);
    api_body body = {0};
    if (api_reader_cancelled(reader)) return false;
    if (!api_read_body(reader, &element, NULL, &body)) {
      good = false;
    } else if (!api_body_list_add(list, &body)) {
      api_body_release(&body);
      api_fault_memory(reader->faults);
      return false;
    }
  }
  return good;
}

/* Adds the fault of a failed insertion; twice: the id occurred earlier in the same request. */
static void report_failed_insertion(api_reader *reader, const api_pointer *at, ct_status status,
                                    ct_text id, bool twice) {
  char echo[API_ECHO_MAX + 4];
  api_pointer path = api_pointer_member(at, "id");
  switch (status) {
  case CT_EXISTS:
    api_fault_at(reader->faults, twice ? API_PROBLEM_DUPLICATE_ID : API_PROBLEM_ID_IN_USE, &path,
                 twice ? "The id \"%s\" occurs twice in the request."
                       : "The scene already has a body \"%s\".",
                 api_echo(id, echo));
    break;
  case CT_LIMIT:
    api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_LIMIT_EXCEEDED, at,
                                 "A scene may have at most %llu bodies.",
                                 (unsigned long long)reader->limits->bodies),
                    (double)reader->limits->bodies, NAN);
    break;
  default: api_fault_memory(reader->faults);
  }
}

static ct_status insert_body(const api_reader *reader, const api_body *body, ct_draft *draft,
                             uint32_t *row) {
  if (ct_draft_count(draft) >= reader->limits->bodies &&
      ct_draft_find(draft, ct_body_id(body->body)) == CT_NO_ROW)
    return CT_LIMIT;
  return ct_draft_insert(draft, body->body, &body->pose, &body->velocity, row);
}

bool api_add_bodies(api_reader *reader, const api_pointer *at, const api_body_list *list,
                    ct_draft *draft) {
  uint32_t first = CT_NO_ROW; /* first row added by this call; new rows follow existing ones */
  bool good = true;
  for (size_t i = 0; i < list->count && !api_faults_full(reader->faults); i++) {
    uint32_t row;
    ct_status status = insert_body(reader, &list->items[i], draft, &row);
    api_pointer element = api_pointer_index(at, i);
    if (status == CT_OK && first == CT_NO_ROW) first = row;
    if (status == CT_OK) {
      good = api_check_materials(reader, &element, list->items[i].body, draft) && good;
      continue;
    }
    ct_text id = ct_body_id(list->items[i].body);
    report_failed_insertion(reader, &element, status, id,
                            first != CT_NO_ROW && ct_draft_find(draft, id) >= first);
    good = false;
    if (status != CT_EXISTS) break;
  }
  return good;
}

bool api_put_body_into(api_reader *reader, const api_pointer *at, const api_body *body,
                       ct_draft *draft, bool *created) {
  uint32_t row = ct_draft_find(draft, ct_body_id(body->body));
  bool is_new = row == CT_NO_ROW;
  ct_status status = is_new
                         ? insert_body(reader, body, draft, &row)
                         : ct_draft_replace(draft, row, body->body, &body->pose, &body->velocity);
  if (status != CT_OK) {
    report_failed_insertion(reader, at, status, ct_body_id(body->body), false);
    return false;
  }
  if (created) *created = is_new;
  return api_check_materials(reader, at, body->body, draft);
}

/* ---- references to colliders ---------------------------------------------------------------- */

/* Sets *out to the index of the collider with the id. */
static bool find_collider_by_id(api_reader *reader, const api_field *field, const ct_body *body,
                                uint32_t *out) {
  ct_text id;
  char echo[API_ECHO_MAX + 4];
  if (!api_read_id(reader, field, &id)) return false;
  api_spelling likeness = api_spelling_start(id.bytes, id.length);
  for (size_t i = 0; i < ct_body_collider_count(body); i++) {
    ct_text name = ct_body_collider(body, i).id;
    (void)api_spelling_consider(&likeness, name.bytes, name.length);
    if (!api_text_equal(name, id)) continue;
    *out = (uint32_t)i;
    return true;
  }
  api_fault_did_you_mean(api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_ID, &field->path,
                                      "The body has no collider \"%s\".", api_echo(id, echo)),
                         likeness);
  return false;
}

bool api_read_collider_place(api_reader *reader, const api_field *field, const ct_body *body,
                             uint32_t *out) {
  *out = CT_NO_COLLIDER;
  if (!api_field_present(field)) return true;
  if (!json_is_number(field->value)) return find_collider_by_id(reader, field, body, out);
  size_t count = ct_body_collider_count(body);
  uint64_t index = 0;
  if (!api_read_unsigned(reader, field, 0, UINT32_MAX - 1, &index)) return false;
  if (index < count) {
    *out = (uint32_t)index;
    return true;
  }
  api_fault_limit(
      api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_ID, &field->path,
                   "The body has %zu colliders: select one by an index below that, or by its id.",
                   count),
      (double)count, (double)index);
  return false;
}
