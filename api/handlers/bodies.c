/* Handles bodies: the collection, whose bulk writes are atomic and make one revision each, and
 * single bodies. */
#include <assert.h>
#include <string.h>

#include "common/cursor.h"
#include "common/spelling.h"
#include "common/warning.h"
#include "documents/body_patch.h"
#include "handlers/scenes.h"

/* ---- listing -------------------------------------------------------------------------------- */

/* Reads the cursor, or starts at row 0 if there is none; sets the call's scene to the revision to
 * which the cursor is bound. */
static bool read_page_start(api_call *call, const char *text, uint64_t *row) {
  if (!text[0]) return true;
  api_cursor cursor;
  if (!api_cursor_read(text, strlen(text), api_scene_list_hash(call), &cursor)) {
    api_fault_plain(&call->faults, API_PROBLEM_BAD_CURSOR,
                    "The cursor does not belong to this listing: send the request that returned "
                    "it, or omit the cursor.");
    return false;
  }
  call->scene = api_call_find_revision(call, cursor.revision, &call->faults);
  *row = cursor.item;
  return call->scene != NULL;
}

/* Puts the bodies from *row on until `limit` bodies or a quarter of requestMemoryBytes are reached;
 * *row is then the next row. Returns the number of bodies. */
static uint64_t put_body_rows(api_call *call, api_buffer *bodies, uint64_t *row, uint64_t limit) {
  assert(limit > 0);
  size_t bytes_max = call->service->limits.request_memory_bytes / 4;
  uint64_t count = 0;
  uint32_t rows = ct_scene_rows(call->scene);
  for (; *row < rows && count < limit && bodies->length < bytes_max; (*row)++) {
    if (!ct_scene_body(call->scene, (uint32_t)*row)) continue;
    api_put_row(bodies, call->scene, (uint32_t)*row);
    count++;
  }
  /* Skip rows of removed bodies at the end, so that they do not make an empty page. */
  while (*row < rows && !ct_scene_body(call->scene, (uint32_t)*row)) (*row)++;
  return count;
}

api_step api_bodies_list(api_call *call) {
  uint64_t limit, row = 0;
  char cursor[API_URL_VALUE_MAX + 1];
  if (!api_scene_page(call, &limit, cursor) || !read_page_start(call, cursor, &row))
    return api_call_fail(call);
  if (api_scene_not_modified(call)) return API_STEP_DONE;
  api_buffer bodies = {0};
  uint64_t count = put_body_rows(call, &bodies, &row, limit);
  api_buffer *out = &call->out;
  api_call_open(call);
  api_put_member_unsigned(out, "revision", ct_scene_revision(call->scene));
  api_put_member_unsigned(out, "count", count);
  api_put_member_unsigned(out, "total", ct_scene_count(call->scene));
  if (row < ct_scene_rows(call->scene)) {
    char next[API_CURSOR_LENGTH_MAX + 1];
    api_cursor_write(
        &(api_cursor){.revision = ct_scene_revision(call->scene), .item = row, .after = CT_NO_ROW},
        api_scene_list_hash(call), next);
    api_put_member_bool(out, "truncated", true);
    api_put_member_string(out, "nextCursor", api_text(next));
    call->pin = call->scene;
  }
  api_put_key(out, "bodies");
  api_put_byte(out, '[');
  api_put_bytes(out, bodies.bytes, bodies.length);
  api_put_byte(out, ']');
  out->failed = out->failed || bodies.failed;
  api_buffer_free(&bodies);
  return api_call_send(call, 200);
}

/* ---- bulk ----------------------------------------------------------------------------------- */

/* Reads the bodies of the request into the feed's list. A streamed request has filled that list
 * before. */
static bool read_posted_bodies(api_call *call) {
  if (call->feed.used) return api_ndjson_end(&call->feed.ndjson);
  if (call->match.streams) return true;
  api_reader reader = api_call_reader(call);
  api_field root;
  return api_call_parse(call, &root) && api_read_bodies(&reader, &root, &call->feed.bodies);
}

api_step api_bodies_post(api_call *call) {
  ct_draft *draft = api_scene_draft(call, true);
  if (!draft) return api_call_fail(call);
  api_reader reader = api_call_reader(call);
  if (read_posted_bodies(call) && api_add_bodies(&reader, NULL, &call->feed.bodies, draft)) {
    api_call_open(call);
    api_put_member_unsigned(&call->out, "count", call->feed.bodies.count);
    return api_call_commit(call, draft, 201);
  }
  ct_draft_discard(draft);
  return api_call_fail(call);
}

static bool apply_patch_array(api_call *call, ct_draft *draft, uint64_t *count) {
  api_reader reader = api_call_reader(call);
  api_field root;
  size_t length = 0;
  if (!api_call_parse(call, &root) ||
      !api_read_array(&reader, &root, 0, call->service->limits.bodies, &length))
    return false;
  for (size_t i = 0; i < length && !api_faults_full(&call->faults); i++) {
    api_field patch = api_field_element(&root, i);
    if (api_reader_cancelled(&reader)) break;
    api_patch_body(&reader, &patch, draft);
  }
  *count = length;
  return !api_faults_any(&call->faults);
}

static bool apply_streamed_patches(api_call *call, ct_draft *draft, uint64_t *count) {
  api_reader reader = api_call_reader(call);
  *count = call->feed.patches.count;
  if (!call->feed.used) return true;
  if (!api_ndjson_end(&call->feed.ndjson)) return false;
  *count = call->feed.patches.count;
  return api_apply_patch_lines(&reader, &call->feed.patches, draft);
}

api_step api_bodies_patch(api_call *call) {
  ct_draft *draft = api_scene_draft(call, true);
  if (!draft) return api_call_fail(call);
  uint64_t count = 0;
  if (call->match.streams ? apply_streamed_patches(call, draft, &count)
                          : apply_patch_array(call, draft, &count)) {
    api_call_open(call);
    api_put_member_unsigned(&call->out, "count", count);
    return api_call_commit(call, draft, 200);
  }
  ct_draft_discard(draft);
  return api_call_fail(call);
}

/* Removes the bodies that the URL parameters id name. */
static bool remove_bodies_by_id(api_call *call, ct_draft *draft, uint64_t *count) {
  const char *text = call->query;
  api_url_parameter parameter;
  while (api_url_next(&text, &parameter)) {
    ct_text id = {parameter.value, parameter.value_length};
    char echo[API_ECHO_MAX + 4];
    uint32_t row = api_id_valid(id) ? ct_draft_find(draft, id) : CT_NO_ROW;
    if (row == CT_NO_ROW) {
      bool twice = api_id_valid(id) && ct_scene_find(call->scene, id) != CT_NO_ROW;
      api_fault *fault = api_fault_plain(
          &call->faults, twice ? API_PROBLEM_DUPLICATE_ID : API_PROBLEM_UNKNOWN_ID,
          twice ? "The body \"%s\" is named twice: name it once." : "The scene has no body \"%s\".",
          api_echo(id, echo));
      if (!twice) api_fault_did_you_mean(fault, api_spelling_of_bodies(call->scene, id));
    } else if (ct_draft_remove(draft, row) != CT_OK) {
      api_fault_memory(&call->faults);
    } else {
      (*count)++;
    }
    if (api_faults_any(&call->faults)) return false;
  }
  return true;
}

/* Removes the bodies whose id begins with the prefix. Warns if there are none. */
static bool remove_bodies_by_prefix(api_call *call, const api_url_parameter *prefix,
                                    ct_draft *draft, uint64_t *count) {
  uint32_t rows = ct_scene_rows(call->scene);
  for (uint32_t row = 0; row < rows; row++) {
    const ct_body *body = ct_scene_body(call->scene, row);
    if (!body) continue;
    ct_text id = ct_body_id(body);
    if (id.length < prefix->value_length ||
        memcmp(id.bytes, prefix->value, prefix->value_length) != 0)
      continue;
    if (ct_draft_remove(draft, row) != CT_OK) {
      api_fault_memory(&call->faults);
      return false;
    }
    (*count)++;
  }
  if (*count > 0) return true;
  char echo[API_ECHO_MAX + 4], end[API_SPELLING_END];
  const ct_text text = {prefix->value, prefix->value_length};
  const api_spelling like = api_spelling_of_prefixes(call->scene, text);
  api_warn(&call->warnings, "noBody", NULL, 0, "No body's id begins with \"%s\"%s",
           api_echo(text, echo), api_spelling_end(&like, end));
  return true;
}

/* Removes the selected bodies: those of the parameters id, or those of one nonempty prefix. A
 * request without parameters is refused, since it would empty the scene. */
static bool remove_selected_bodies(api_call *call, ct_draft *draft, uint64_t *count) {
  const char *text = call->query;
  api_url_parameter parameter, prefix = {0};
  size_t ids = 0, prefixes = 0;
  while (api_url_next(&text, &parameter)) {
    if (api_url_named(&parameter, "id")) {
      ids++;
    } else {
      prefixes++;
      prefix = parameter;
    }
  }
  if ((ids > 0) == (prefixes > 0) || prefixes > 1 || (prefixes == 1 && prefix.value_length == 0)) {
    api_fault_plain(&call->faults, API_PROBLEM_BAD_PARAMETER,
                    "Select the bodies by URL parameters: id=, repeated for each body, or one "
                    "nonempty prefix=.");
    return false;
  }
  return ids > 0 ? remove_bodies_by_id(call, draft, count)
                 : remove_bodies_by_prefix(call, &prefix, draft, count);
}

api_step api_bodies_delete(api_call *call) {
  ct_draft *draft = api_scene_draft(call, true);
  if (!draft) return api_call_fail(call);
  uint64_t count = 0;
  if (remove_selected_bodies(call, draft, &count)) {
    api_call_open(call);
    api_put_member_unsigned(&call->out, "count", count);
    return api_call_commit(call, draft, 200);
  }
  ct_draft_discard(draft);
  return api_call_fail(call);
}

/* ---- single bodies -------------------------------------------------------------------------- */

static uint32_t find_path_row(const api_call *call) {
  return ct_scene_find(call->scene, api_text(call->match.item_id));
}

api_step api_body_get(api_call *call) {
  uint32_t row = find_path_row(call);
  if (row == CT_NO_ROW) return api_call_not_found(call, API_PROBLEM_BODY_NOT_FOUND);
  if (api_scene_not_modified(call)) return API_STEP_DONE;
  api_put_row(&call->out, call->scene, row);
  return api_call_send_raw(call, 200);
}

/* Writes the body of the request to the draft, with the id of the path. *created: the scene did not
 * have the body. */
static bool replace_or_insert_body(api_call *call, ct_draft *draft, bool *created) {
  api_reader reader = api_call_reader(call);
  api_body_form form = {.id = api_text(call->match.item_id), .id_is_fixed = true};
  api_body body;
  api_field root;
  if (!api_call_parse(call, &root) || !api_read_body(&reader, &root, &form, &body)) return false;
  bool good = api_put_body_into(&reader, NULL, &body, draft, created);
  api_body_release(&body);
  return good;
}

api_step api_body_put(api_call *call) {
  ct_draft *draft = api_scene_draft(call, find_path_row(call) != CT_NO_ROW);
  if (!draft) return api_call_fail(call);
  bool created = false;
  if (replace_or_insert_body(call, draft, &created)) {
    if (created) api_call_location(call, call->match.scene_id, "bodies", call->match.item_id);
    return api_call_commit(call, draft, created ? 201 : 200);
  }
  ct_draft_discard(draft);
  return api_call_fail(call);
}

api_step api_body_patch(api_call *call) {
  uint32_t row = find_path_row(call);
  if (row == CT_NO_ROW) return api_call_not_found(call, API_PROBLEM_BODY_NOT_FOUND);
  ct_draft *draft = api_scene_draft(call, true);
  if (!draft) return api_call_fail(call);
  api_reader reader = api_call_reader(call);
  api_field root;
  if (api_call_parse(call, &root) && api_patch_row(&reader, &root, draft, row))
    return api_call_commit(call, draft, 200);
  ct_draft_discard(draft);
  return api_call_fail(call);
}

api_step api_body_delete(api_call *call) {
  uint32_t row = find_path_row(call);
  if (row == CT_NO_ROW) return api_call_not_found(call, API_PROBLEM_BODY_NOT_FOUND);
  ct_draft *draft = api_scene_draft(call, true);
  if (!draft) return api_call_fail(call);
  if (ct_draft_remove(draft, row) == CT_OK) return api_call_commit(call, draft, 200);
  ct_draft_discard(draft);
  api_fault_memory(&call->faults);
  return api_call_fail(call);
}
