/* Parses the body of a call and makes its reply. */
#include "calls/call.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/spelling.h"
#include "json/json_parser.h"

api_reader api_call_reader(api_call *call) {
  return (api_reader){.faults = &call->faults,
                      .limits = &call->service->limits,
                      .arena = &call->arena,
                      .cancel = call->input.cancel,
                      .shapes = &call->shapes,
                      .warnings = &call->warnings};
}

/* ---- the body ------------------------------------------------------------------------------- */

/* Binary STL: a header of 84 bytes that ends with the number of triangles, then 50 bytes a
 * triangle. */
#define STL_HEAD 84
#define STL_TRIANGLE 50

static bool is_binary_stl(const char *bytes, size_t length) {
  if (length < STL_HEAD) return false;
  uint64_t count = 0;
  for (size_t i = 4; i-- > 0;) count = count << 8 | (unsigned char)bytes[STL_HEAD - 4 + i];
  return length == STL_HEAD + count * STL_TRIANGLE;
}

/* True if the word begins a line of OBJ files. */
static bool is_obj_word(const char *word, size_t length) {
  static const char *const words[] = {"v", "vn", "vt", "f", "o", "g", "s", "l", "mtllib", "usemtl"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0) return true;
  return false;
}

const char *api_file_kind(const char *bytes, size_t length) {
  static const char blanks[] = " \t\r\n";
  if (is_binary_stl(bytes, length)) return "STL";
  size_t at = 0;
  while (at < length && strchr(blanks, bytes[at])) at++;
  /* Neither JSON nor STL begins with a comment. */
  if (at < length && bytes[at] == '#') return "OBJ";
  size_t end = at;
  while (end < length && !strchr(blanks, bytes[end])) end++;
  if (end == length) return NULL;
  if (end - at == 5 && strncasecmp(bytes + at, "solid", 5) == 0) return "STL";
  return is_obj_word(bytes + at, end - at) ? "OBJ" : NULL;
}

/* Appends how a file of this format is sent. */
static void append_upload_hint(api_fault *fault, const char *kind) {
  size_t used = strlen(fault->detail), size = sizeof fault->detail;
  if (strstr(fault->detail, " looks like an ")) return;
  if (kind)
    snprintf(fault->detail + used, size - used,
             " The body looks like an %s file: POST it to /v1/shapes?unit=UNIT (m, mm, cm, um, in, "
             "ft) with Content-Type: "
             "model/%s (curl --data-binary "
             "@file).",
             kind, strcmp(kind, "STL") == 0 ? "stl" : "obj");
  else
    snprintf(fault->detail + used, size - used,
             " Files are sent with Content-Type: model/stl or model/obj and ?unit=UNIT (curl "
             "--data-binary @file).");
}

void api_suggest_content_type(api_call *call) {
  if (!api_faults_any(&call->faults) || call->input.body_length == 0) return;
  const char *kind = api_file_kind(call->input.body, call->input.body_length);
  api_form form = call->match.form;
  bool other = kind && form != (strcmp(kind, "STL") == 0 ? API_FORM_STL : API_FORM_OBJ);
  switch (call->faults.id) {
  case API_PROBLEM_MALFORMED_JSON:
    if (kind || call->route->body == API_INTAKE_SHAPE)
      append_upload_hint(&call->faults.items[0], kind);
    break;
  case API_PROBLEM_BAD_PARAMETER:
  case API_PROBLEM_MALFORMED_FILE:
    if (other) append_upload_hint(&call->faults.items[0], kind);
    break;
  default: break;
  }
}

bool api_call_parse(api_call *call, api_field *root) {
  const api_limits *limits = &call->service->limits;
  api_json_options options = {.depth = limits->json_depth,
                              .memory = limits->request_memory_bytes,
                              .cancel = call->input.cancel,
                              .zeros = call->again};
  assert(!call->json && call->route->body != API_INTAKE_NONE);
  bool lacks = call->input.body_length == 0 && call->route->body == API_INTAKE_OPTIONAL;
  const char *bytes = lacks ? "{}" : call->input.body ? call->input.body : "";
  call->json = api_json_parse(bytes, lacks ? 2 : call->input.body_length, &options, &call->faults);
  if (!call->json) {
    api_suggest_content_type(call);
    return false;
  }
  *root = api_field_root(call->json);
  return true;
}

/* ---- replies -------------------------------------------------------------------------------- */

void api_call_header(api_call *call, const char *name, const char *format, ...) {
  assert(call->reply.header_count < sizeof call->reply.headers / sizeof call->reply.headers[0]);
  api_header *header = &call->reply.headers[call->reply.header_count++];
  header->name = name;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(header->value, sizeof header->value, format, arguments);
  va_end(arguments);
}

void api_call_location(api_call *call, const char *scene, const char *collection,
                       const char *item) {
  char scene_text[API_ID_ENCODED_BYTES], item_text[API_ID_ENCODED_BYTES] = "";
  api_id_encode(scene, scene_text);
  if (item) api_id_encode(item, item_text);
  snprintf(call->reply.location, sizeof call->reply.location, "/v1/scenes/%s%s%s%s%s", scene_text,
           item ? "/" : "", item ? collection : "", item ? "/" : "", item_text);
}

void api_call_etag(api_call *call, uint64_t revision) {
  api_call_header(call, "ETag", "\"r%llu\"", (unsigned long long)revision);
}

void api_call_open(api_call *call) { api_put_byte(&call->out, '{'); }

/* Replies with call->out. If memory ran out while it was written, the reply is 503 without a body,
 * the only reply with that status. */
static api_step reply_with(api_call *call, int status, const char *content_type) {
  api_reply *reply = &call->reply;
  reply->status = status;
  reply->content_type = content_type;
  if (call->out.failed) {
    if (call->next) ct_scene_release(call->next);
    call->next = call->pin = NULL;
    reply->status = api_problem_get(API_PROBLEM_OUT_OF_MEMORY)->status;
    reply->content_type = API_PROBLEM_TYPE;
    api_buffer_free(&call->out);
  }
  if (reply->status == api_problem_get(API_PROBLEM_OUT_OF_MEMORY)->status) api_reply_retry(reply);
  reply->body = call->out.bytes;
  reply->body_length = call->out.length;
  return API_STEP_DONE;
}

api_step api_call_fail(api_call *call) {
  assert(api_faults_any(&call->faults));
  if (call->next) ct_scene_release(call->next);
  call->next = call->pin = NULL;
  call->reply.location[0] = 0;
  api_buffer_free(&call->out);
  api_put_problem(&call->out, &call->faults);
  return reply_with(call, api_problem_get(call->faults.id)->status, API_PROBLEM_TYPE);
}

api_step api_call_not_found(api_call *call, api_problem_id id) {
  ct_text item = api_text(call->match.item_id);
  char echo[API_ECHO_MAX + 4], echo_item[API_ECHO_MAX + 4];
  api_echo(api_text(call->match.scene_id), echo);
  api_echo(item, echo_item);
  if (id == API_PROBLEM_BODY_NOT_FOUND)
    api_fault_did_you_mean(
        api_fault_plain(&call->faults, id, "The scene \"%s\" has no body \"%s\".", echo, echo_item),
        api_spelling_of_bodies(call->scene, item));
  else if (id == API_PROBLEM_CONTACT_STATE_NOT_FOUND)
    api_fault_did_you_mean(api_fault_plain(&call->faults, id,
                                           "The scene \"%s\" has no contact state \"%s\".", echo,
                                           echo_item),
                           api_spelling_of_attachments(call->scene, item));
  else
    api_fault_did_you_mean(api_fault_plain(&call->faults, id, "No scene has the id \"%s\".", echo),
                           call->input.like_scene);
  return api_call_fail(call);
}

api_step api_call_send(api_call *call, int status) {
  api_put_byte(&call->out, '}');
  return reply_with(call, status, "application/json");
}

api_step api_call_send_lines(api_call *call) {
  return reply_with(call, call->reply.status, API_LINES_TYPE);
}

api_step api_call_send_raw(api_call *call, int status) {
  return reply_with(call, status, "application/json");
}

api_step api_call_written(api_call *call, uint64_t revision, int status) {
  api_call_etag(call, revision);
  if (call->out.length == 0) api_call_open(call);
  api_put_warnings(&call->out, &call->warnings, false);
  api_put_member_unsigned(&call->out, "revision", revision);
  api_put_member_string(&call->out, "durability", api_text(call->service->durability));
  return api_call_send(call, status);
}

api_step api_call_commit(api_call *call, ct_draft *draft, int status) {
  assert(draft && !call->next);
  call->next = ct_draft_seal(draft);
  if (!call->next) {
    ct_draft_discard(draft);
    api_fault_memory(&call->faults);
    return api_call_fail(call);
  }
  return api_call_written(call, ct_scene_revision(call->next), status);
}
