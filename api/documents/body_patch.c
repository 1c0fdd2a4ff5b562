/* Merge patches of bodies (RFC 7396): writes the current body as JSON, merges the patch into it and
 * reads the result. */
#include "documents/body_patch.h"

#include <assert.h>

#include "common/spelling.h"
#include "documents/material_json.h"
#include "documents/motion_json.h"
#include "json/json_parser.h"

/* Greatest nesting depth when the daemon parses JSON that it has written itself. */
#define OWN_DEPTH 512

/* Returns the body of a row as JSON, with or without its colliders. NULL with a fault: out of
 * memory. */
static json_t *convert_row_to_json(api_reader *reader, const ct_draft *draft, uint32_t row,
                                   bool colliders) {
  ct_pose pose = ct_draft_pose(draft, row);
  ct_velocity velocity = ct_draft_velocity(draft, row);
  api_buffer text = {0};
  if (colliders) api_put_body(&text, ct_draft_body(draft, row), &pose, &velocity);
  else api_put_bare_body(&text, ct_draft_body(draft, row), &pose, &velocity);
  json_t *value = NULL;
  if (text.failed) api_fault_memory(reader->faults);
  else
    value = api_json_parse(text.bytes, text.length,
                           &(api_json_options){.depth = OWN_DEPTH, .memory = UINT64_MAX},
                           reader->faults);
  api_buffer_free(&text);
  return value;
}

/* Removes the current `rotation` if the patch has a rotation in another notation. */
static void drop_replaced_rotation(json_t *target, const json_t *patch) {
  static const char *const spellings[] = {"rotationWxyz", "rpy", "matrix"};
  for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
    const json_t *value = json_object_get(patch, spellings[i]);
    if (value && !json_is_null(value)) json_object_del(target, "rotation");
  }
}

/* Checks the names of members in the patch itself: a member that is null in the patch is absent
 * from the merged document, so that its name could not be checked there. */
static bool check_patch_names(api_reader *reader, const api_field *patch) {
  enum { MOTION = 2, COUNT = 5 + API_POSE_MEMBER_COUNT };
  api_field m[COUNT] = {{.name = "id"},     {.name = "colliders"}, {.name = "motion"},
                        {.name = "groups"}, {.name = "user"},      API_POSE_MEMBERS};
  if (!api_read_object(reader, patch, m, COUNT)) return false;
  return !json_is_object(m[MOTION].value) || api_check_motion_names(reader, &m[MOTION]);
}

bool api_patch_row(api_reader *reader, const api_field *patch, ct_draft *draft, uint32_t row) {
  assert(row < ct_draft_rows(draft) && ct_draft_body(draft, row));
  if (!check_patch_names(reader, patch)) return false;
  /* If the patch has no colliders, the current ones are retained without conversion to JSON: they
   * may be large. */
  bool touched = json_object_get(patch->value, "colliders") != NULL;
  json_t *merged = convert_row_to_json(reader, draft, row, touched);
  if (!merged) return false;
  drop_replaced_rotation(merged, patch->value);
  bool good = api_json_merge(&merged, patch->value);
  if (!good) api_fault_memory(reader->faults);

  api_field field = api_field_at(merged, patch->path);
  const ct_body *own = ct_draft_body(draft, row);
  api_body_form form = {.id = ct_body_id(own), .id_is_fixed = true, .kept = touched ? NULL : own};
  api_body body = {0};
  good = good && api_read_body(reader, &field, &form, &body);
  if (good && ct_draft_replace(draft, row, body.body, &body.pose, &body.velocity) != CT_OK) {
    api_fault_memory(reader->faults);
    good = false;
  }
  good = good && api_check_materials(reader, &patch->path, body.body, draft);
  api_body_release(&body);
  json_decref(merged);
  return good;
}

bool api_patch_body(api_reader *reader, const api_field *patch, ct_draft *draft) {
  api_pointer path = api_pointer_member(&patch->path, "id");
  if (!json_is_object(patch->value)) {
    api_fault_at(reader->faults, API_PROBLEM_WRONG_TYPE, &patch->path,
                 "Expected an object, got %s.", api_type_words(patch->value));
    return false;
  }
  api_field id_field = api_field_at(json_object_get(patch->value, "id"), path);
  ct_text id = {0};
  if (!id_field.value) {
    api_fault_missing(reader, patch, "id");
    return false;
  }
  if (!api_read_id(reader, &id_field, &id)) return false;
  uint32_t row = ct_draft_find(draft, id);
  if (row != CT_NO_ROW) return api_patch_row(reader, patch, draft, row);
  char echo[API_ECHO_MAX + 4];
  api_fault *fault = api_fault_at(reader->faults, API_PROBLEM_UNKNOWN_ID, &path,
                                  "The scene has no body \"%s\".", api_echo(id, echo));
  api_fault_did_you_mean(fault, api_spelling_of_draft(draft, id));
  return false;
}
