/* Handles whole scenes: listing, creation, reading, replacement, change of settings, deletion. */
#include "handlers/scenes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/cursor.h"
#include "documents/scene_json.h"
#include "handlers/contact_event_payload.h"

/* ---- shared by the handlers of a scene's resources ------------------------------------------ */

bool api_scene_not_modified(api_call *call) {
  api_call_etag(call, ct_scene_revision(call->scene));
  if (!api_call_unmodified(call)) return false;
  call->reply.status = 304;
  return true;
}

ct_draft *api_scene_draft(api_call *call, bool exists) {
  assert(call->scene);
  if (!api_call_may_write(call, exists)) return NULL;
  ct_draft *draft = ct_draft_begin(call->scene);
  if (!draft) api_fault_memory(&call->faults);
  return draft;
}

/* Reads a limit written with 1 to 9 decimal digits. */
static bool read_limit_digits(const api_url_parameter *parameter, uint64_t *out) {
  if (parameter->value_length == 0 || parameter->value_length > 9) return false;
  if (strspn(parameter->value, "0123456789") != parameter->value_length) return false;
  *out = strtoull(parameter->value, NULL, 10);
  return true;
}

bool api_scene_page(api_call *call, uint64_t *limit, char cursor[API_URL_VALUE_MAX + 1]) {
  const api_limits *limits = &call->service->limits;
  const char *text = call->query;
  api_url_parameter parameter;
  bool has_limit = false, has_cursor = false;
  *limit = limits->page;
  cursor[0] = 0;
  while (api_url_next(&text, &parameter)) {
    bool is_limit = api_url_named(&parameter, "limit");
    bool *seen = is_limit ? &has_limit : &has_cursor;
    if (*seen)
      api_fault_plain(&call->faults, API_PROBLEM_BAD_PARAMETER,
                      "The URL parameter %s is given twice: send it once.",
                      is_limit ? "limit" : "cursor");
    *seen = true;
    if (!is_limit) {
      memcpy(cursor, parameter.value, parameter.value_length + 1);
    } else if (!read_limit_digits(&parameter, limit) || *limit < 1 || *limit > limits->page_max) {
      api_fault *fault = api_fault_plain(&call->faults, API_PROBLEM_BAD_PARAMETER,
                                         "limit must be a whole number from 1 to %llu.",
                                         (unsigned long long)limits->page_max);
      api_fault_limit(fault, (double)limits->page_max, (double)*limit);
    }
  }
  if (has_cursor && !cursor[0] && !api_faults_any(&call->faults))
    api_fault_plain(
        &call->faults, API_PROBLEM_BAD_CURSOR,
        "The cursor is empty: send nextCursor of the previous page, or omit the parameter.");
  return !api_faults_any(&call->faults);
}

uint64_t api_scene_list_hash(const api_call *call) {
  uint64_t hash = api_hash_bytes(api_hash_start(), call->route->path, strlen(call->route->path));
  return api_hash_bytes(hash, call->match.scene_id, strlen(call->match.scene_id));
}

bool api_read_list_position(api_call *call, uint64_t *limit, char after[CT_ID_LENGTH_MAX + 1]) {
  char cursor[API_URL_VALUE_MAX + 1];
  after[0] = 0;
  if (!api_scene_page(call, limit, cursor)) return false;
  if (!cursor[0] || api_list_cursor_read(cursor, api_scene_list_hash(call), after)) return true;
  api_fault_plain(&call->faults, API_PROBLEM_BAD_CURSOR,
                  "The cursor does not belong to this list: send the request that returned it, or "
                  "omit the cursor.");
  return false;
}

void api_scene_put_next(api_call *call, const char *last) {
  char next[API_LIST_CURSOR_LENGTH_MAX + 1];
  api_list_cursor_write(last, api_scene_list_hash(call), next);
  api_put_member_bool(&call->out, "truncated", true);
  api_put_member_string(&call->out, "nextCursor", api_text(next));
}

/* ---- the list ------------------------------------------------------------------------------- */

/* Returns the index of the first scene whose id is greater than `id`; 0 for "". */
static size_t find_first_entry_after(const api_input *input, const char *id) {
  size_t low = 0, high = input->scene_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(input->scenes[middle].id, id) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

api_step api_scenes_list(api_call *call) {
  uint64_t limit;
  char after[CT_ID_LENGTH_MAX + 1];
  if (!api_read_list_position(call, &limit, after)) return api_call_fail(call);
  assert(limit > 0);
  const api_input *input = &call->input;
  size_t first = find_first_entry_after(input, after), left = input->scene_count - first;
  size_t count = left < limit ? left : (size_t)limit;
  api_buffer *out = &call->out;
  api_call_open(call);
  api_put_member_unsigned(out, "count", count);
  api_put_member_unsigned(out, "total", input->scene_count);
  if (count < left) api_scene_put_next(call, input->scenes[first + count - 1].id);
  api_put_key(out, "scenes");
  api_put_byte(out, '[');
  for (size_t i = first; i < first + count; i++) {
    const api_scene_entry *entry = &input->scenes[i];
    api_put_item(out);
    api_put_byte(out, '{');
    api_put_member_string(out, "id", api_text(entry->id));
    api_put_member_unsigned(out, "revision",
                            entry->scene ? ct_scene_revision(entry->scene) : entry->revision);
    api_put_member_unsigned(out, "bodies",
                            entry->scene ? ct_scene_count(entry->scene) : entry->bodies);
    if (!entry->scene) api_put_member_string(out, "status", api_text(entry->status));
    api_put_byte(out, '}');
  }
  api_put_byte(out, ']');
  return api_call_send(call, 200);
}

/* ---- whole scenes --------------------------------------------------------------------------- */

/* Makes call->next from the request's body. If the document has an id, it must equal `own`; own
 * NULL: it must not have one. */
static bool make_posted_scene(api_call *call, const char *own, uint64_t revision) {
  api_reader reader = api_call_reader(call);
  api_scene_document document = {0};
  api_field root;
  bool good = api_call_parse(call, &root) && api_read_scene(&reader, &root, &document);
  if (good && document.id.length > 0 && (!own || !api_text_equal(document.id, api_text(own)))) {
    api_pointer at = api_pointer_member(NULL, "id");
    if (own)
      api_fault_at(&call->faults, API_PROBLEM_BAD_VALUE, &at,
                   "The id differs from that of the path: omit the member, or make both equal.");
    else
      api_fault_at(&call->faults, API_PROBLEM_BAD_VALUE, &at,
                   "POST generates the id; use PUT /v1/scenes/{id} to choose it.");
    good = false;
  }
  if (call->scene) document.contacts_begun = ct_scene_contacts_begun(call->scene);
  document.origin = call->scene ? ct_scene_origin(call->scene) : call->input.new_scene_origin;
  if (good) call->next = api_make_scene(&reader, NULL, &document, revision);
  api_scene_document_release(&document);
  return call->next != NULL;
}

static bool check_scene_count(api_call *call) {
  uint64_t limit = call->service->limits.scenes;
  if (call->input.scene_count < limit) return true;
  api_fault *fault =
      api_fault_plain(&call->faults, API_PROBLEM_LIMIT_EXCEEDED,
                      "The daemon already has %llu scenes, the limit (scenes): delete one first.",
                      (unsigned long long)limit);
  api_fault_limit(fault, (double)limit, (double)call->input.scene_count + 1.0);
  return false;
}

ct_text api_scene_origin(const ct_scene *scene) { return ct_scene_origin(scene); }

api_step api_scenes_create(api_call *call) {
  const char *id = call->input.new_scene_id;
  assert(id && call->input.first_revision > 0);
  if (!check_scene_count(call) || !make_posted_scene(call, NULL, call->input.first_revision))
    return api_call_fail(call);
  api_call_location(call, id, NULL, NULL);
  api_call_open(call);
  api_put_member_string(&call->out, "id", api_text(id));
  return api_call_written(call, call->input.first_revision, 201);
}

api_step api_scene_get(api_call *call) {
  if (api_scene_not_modified(call)) return API_STEP_DONE;
  api_put_scene(&call->out, api_text(call->match.scene_id), call->scene);
  return api_call_send_raw(call, 200);
}

api_step api_scene_put(api_call *call) {
  const ct_scene *current = call->scene;
  const char *id = call->match.scene_id;
  uint64_t was = current ? ct_scene_revision(current) : call->input.lost_revision;
  if (!api_call_may_write(call, was > 0) || (was == 0 && !check_scene_count(call)))
    return api_call_fail(call);
  uint64_t revision = was > 0 ? was + 1 : call->input.first_revision;
  if (!make_posted_scene(call, id, revision)) return api_call_fail(call);
  if (current) api_emit_all_states_ended(call);
  if (!current) api_call_location(call, id, NULL, NULL);
  api_call_open(call);
  if (!current) api_put_member_string(&call->out, "id", api_text(id));
  return api_call_written(call, revision, current ? 200 : 201);
}

api_step api_scene_patch(api_call *call) {
  ct_draft *draft = api_scene_draft(call, true);
  if (!draft) return api_call_fail(call);
  api_reader reader = api_call_reader(call);
  api_field root;
  if (api_call_parse(call, &root) &&
      api_patch_settings(&reader, &root, api_text(call->match.scene_id), call->scene, draft))
    return api_call_commit(call, draft, 200);
  ct_draft_discard(draft);
  return api_call_fail(call);
}

api_step api_scene_delete(api_call *call) {
  if (!api_call_may_write(call, true)) return api_call_fail(call);
  api_call_open(call);
  uint64_t was = call->scene ? ct_scene_revision(call->scene) : call->input.lost_revision;
  api_put_member_unsigned(&call->out, "revision", was + 1);
  api_put_member_string(&call->out, "durability", api_text(call->service->durability));
  return api_call_send(call, 200);
}
