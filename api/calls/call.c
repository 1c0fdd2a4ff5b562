/* One call, from a matched head to its reply: creates the call, checks what all routes share, runs
 * the route's handler, parses the body, runs the ranges of the work, and makes the reply. */
#include "calls/call.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/url.h"
#include "common/spelling.h"
#include "json/json_parser.h"

/* ---- the service ---------------------------------------------------------------------------- */

api_service *api_service_create(const api_settings *settings) {
  api_service *service = calloc(1, sizeof *service);
  if (!service) return NULL;
  api_json_start();
  service->limits = settings->limits;
  service->workers = settings->workers;
  atomic_init(&service->durability, settings->durability);
  return service;
}

void api_service_set_durability(api_service *service, const char *word) {
  atomic_store_explicit(&service->durability, word, memory_order_relaxed);
}

void api_service_destroy(api_service *service) { free(service); }

/* ---- life of a call ------------------------------------------------------------------------- */

/* False: out of memory. */
static bool copy_optional_text(const char *text, char **out) {
  if (!text) return true;
  size_t size = strlen(text) + 1;
  *out = malloc(size);
  if (*out) memcpy(*out, text, size);
  return *out != NULL;
}

api_call *api_call_create(const api_service *service, const api_head *head,
                          const api_match *match) {
  assert(match->route && match->route->begin);
  api_call *call = malloc(sizeof *call);
  if (!call) return NULL;
  /* Clear up to the large collectors; initialising their counts is enough. */
  memset(call, 0, offsetof(api_call, shapes));
  call->shapes.table = NULL;
  call->shapes.scaled_count = 0;
  call->warnings.count = 0;
  api_faults_clear(&call->faults);
  call->service = service;
  call->route = match->route;
  call->match = *match;
  call->deadline_ms = service->limits.deadline_ms;
  if (match->route->body == API_INTAKE_SHAPE)
    api_url_deadline(head->query, service->limits.deadline_max_ms, &call->deadline_ms);
  api_arena_init(&call->arena, service->limits.request_memory_bytes / 2);
  if (copy_optional_text(head->query, &call->query) &&
      copy_optional_text(head->if_match, &call->if_match) &&
      copy_optional_text(head->if_none_match, &call->if_none_match))
    return call;
  api_call_destroy(call);
  return NULL;
}

static void free_feed(api_feed *feed) {
  api_body_list_free(&feed->bodies); /* bodies of a JSON array are stored here too */
  if (!feed->used) return;
  api_ndjson_free(&feed->ndjson);
  api_patch_lines_free(&feed->patches);
  api_arena_free(&feed->arena);
}

void api_call_destroy(api_call *call) {
  if (!call) return;
  if (call->work && call->work->destroy) call->work->destroy(call);
  free_feed(&call->feed);
  api_events_free(&call->events);
  json_decref(call->json);
  if (call->next) ct_scene_release(call->next);
  if (call->shape) api_shape_release(call->shape);
  api_shape_scope_free(&call->shapes);
  api_buffer_free(&call->out);
  api_arena_free(&call->arena);
  free(call->query);
  free(call->if_match);
  free(call->if_none_match);
  free(call);
}

void api_call_set_shapes(api_call *call, const api_shape_table *shapes) {
  api_shape_scope_set(&call->shapes, shapes);
}

bool api_call_feed(api_call *call, const char *bytes, size_t length) {
  assert(call->route->body == API_INTAKE_BULK && !call->work);
  api_feed *feed = &call->feed;
  if (!feed->used) {
    bool patch = strcmp(call->route->method, "PATCH") == 0;
    api_arena_init(&feed->arena, call->service->limits.request_memory_bytes / 2);
    api_reader reader = api_call_reader(call);
    reader.arena = &feed->arena;
    feed->used = true;
    if (patch) api_ndjson_init(&feed->ndjson, &reader, api_ndjson_patch, &feed->patches);
    else api_ndjson_init(&feed->ndjson, &reader, api_ndjson_body, &feed->bodies);
  }
  return api_ndjson_feed(&feed->ndjson, bytes, length);
}

/* ---- begin ---------------------------------------------------------------------------------- */

static void refuse_unknown_parameter(api_call *call, const api_url_parameter *parameter,
                                     const char *word) {
  const char *names = call->route->parameters;
  api_spelling likeness = api_spelling_start(parameter->name, parameter->name_length);
  for (const char *at = names + strspn(names, " "); *at; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    api_spelling_consider(&likeness, at, length);
    at += length;
  }
  api_fault *fault = api_fault_plain(&call->faults, API_PROBLEM_BAD_PARAMETER,
                                     "This call has no URL parameter \"%s\"%s%s.", word,
                                     names[0] && !likeness.best.length ? "; it accepts" : "",
                                     names[0] && !likeness.best.length ? names : "");
  size_t length = strlen(fault->detail); /* the list of names ends with a space */
  if (length > 2 && fault->detail[length - 2] == ' ') memcpy(fault->detail + length - 2, ".", 2);
  api_fault_did_you_mean(fault, likeness);
}

/* Checks that the route accepts every URL parameter and that each value decodes. */
static bool check_parameter_names(api_call *call) {
  const char *text = call->query;
  api_url_parameter parameter;
  while (api_url_next(&text, &parameter)) {
    char word[API_ECHO_MAX + 4], name[24] = " ";
    api_echo((ct_text){parameter.name, parameter.name_length}, word);
    bool known = false;
    if (parameter.name_length > 0 && parameter.name_length < sizeof name - 3) {
      snprintf(name, sizeof name, " %.*s ", (int)parameter.name_length, parameter.name);
      known = strchr(name + 1, ' ') == name + parameter.name_length + 1 &&
              strstr(call->route->parameters, name);
    }
    if (!known) refuse_unknown_parameter(call, &parameter, word);
    else if (parameter.bad)
      api_fault_plain(&call->faults, API_PROBLEM_BAD_PARAMETER,
                      "The value of \"%s\" has a %% without two hexadecimal digits, a zero byte, "
                      "or more than %d bytes.",
                      word, API_URL_VALUE_MAX);
  }
  return !api_faults_any(&call->faults);
}

static bool requires_scene(api_target target) {
  return target == API_TARGET_READ || target == API_TARGET_EVENTS ||
         target == API_TARGET_SNAPSHOT || target == API_TARGET_WRITE || target == API_TARGET_DELETE;
}

api_step api_call_begin(api_call *call, const api_input *input) {
  call->input = *input;
  assert(input->body || input->body_length == 0);
  call->scene = input->scene;
  assert(!call->work && call->reply.status == 0);
  /* A missing scene takes precedence over faults of a streamed body. */
  size_t fed = call->faults.count;
  bool lost = input->lost_revision > 0 && call->route->target == API_TARGET_DELETE;
  if (requires_scene(call->route->target) && !call->scene && !lost) {
    api_faults_clear(&call->faults);
    return api_call_not_found(call, API_PROBLEM_SCENE_NOT_FOUND);
  }
  if (fed > 0) return api_call_fail(call);
  if (call->query && !check_parameter_names(call)) return api_call_fail(call);
  if (call->if_none_match && !api_call_tags_valid(call)) return api_call_fail(call);
  return call->route->begin(call);
}

/* ---- the body ------------------------------------------------------------------------------- */

api_reader api_call_reader(api_call *call) {
  return (api_reader){.faults = &call->faults,
                      .limits = &call->service->limits,
                      .arena = &call->arena,
                      .cancel = call->input.cancel,
                      .shapes = &call->shapes,
                      .warnings = &call->warnings};
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

/* ---- work ----------------------------------------------------------------------------------- */

uint64_t api_call_deadline_ms(const api_call *call) { return call->deadline_ms; }

double api_call_cost_ns(const api_call *call) { return call->work ? call->work->cost(call) : 0.0; }

long api_call_next(api_call *call) { return call->work ? call->work->next(call) : -1; }

void api_call_run(api_call *call, long range, api_scratch *scratch) {
  assert(call->work && range >= 0 && scratch);
  call->work->run(call, range, scratch);
}

void api_call_done(api_call *call, long range) {
  assert(call->work && range >= 0);
  if (call->work->done) call->work->done(call, range);
}

void api_call_finish(api_call *call) {
  assert(call->work && call->reply.status == 0);
  call->work->finish(call);
  assert(call->reply.status != 0);
}

bool api_call_run_serially(api_call *call, api_scratch *scratch) {
  assert(call->work && scratch);
  if (call->work->run_serially) call->work->run_serially(call, scratch);
  else
    for (long range; !ct_cancel_raised(call->input.cancel) && (range = api_call_next(call)) >= 0;) {
      api_call_run(call, range, scratch);
      api_call_done(call, range);
    }
  if (ct_cancel_raised(call->input.cancel)) return false;
  api_call_finish(call);
  return true;
}

void api_call_hint(const api_call *call, char *out) {
  out[0] = 0;
  if (call->work && call->work->hint) call->work->hint(call, out);
}

const char *api_call_progress_lines(api_call *call, size_t *length) {
  return call->work && call->work->progress_lines ? call->work->progress_lines(call, length) : NULL;
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
  assert(!item || collection);
  char scene_text[API_ID_ENCODED_BYTES], item_text[API_ID_ENCODED_BYTES] = "";
  api_id_encode(scene, scene_text);
  if (item) api_id_encode(item, item_text);
  snprintf(call->reply.location, sizeof call->reply.location, "/v1/scenes/%s%s%s%s%s", scene_text,
           item ? "/" : "", item ? collection : "", item ? "/" : "", item_text);
}

void api_call_etag(api_call *call, uint64_t revision) {
  assert(revision > 0);
  api_call_header(call, "ETag", "\"r%llu\"", (unsigned long long)revision);
}

void api_call_open(api_call *call) {
  assert(call->out.length == 0);
  api_put_byte(&call->out, '{');
}

/* Replies with call->out. If memory ran out while it was written, the reply is 503 without a body,
 * the only reply with that status. */
static api_step reply_with(api_call *call, int status, const char *content_type) {
  assert(status >= 200 && status < 600 && content_type);
  api_reply *reply = &call->reply;
  reply->status = status;
  reply->content_type = content_type;
  if (call->out.failed) {
    if (call->next) ct_scene_release(call->next);
    call->next = call->pin = NULL;
    reply->status = api_problem_get(API_PROBLEM_OUT_OF_MEMORY)->status;
    reply->content_type = API_PROBLEM_TYPE;
    reply->problem = api_problem_get(API_PROBLEM_OUT_OF_MEMORY)->name;
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
  call->reply.problem = api_problem_get(call->faults.id)->name;
  api_put_problem(&call->out, &call->faults);
  return reply_with(call, api_problem_get(call->faults.id)->status, API_PROBLEM_TYPE);
}

api_step api_call_not_found(api_call *call, api_problem_id id) {
  assert(id == API_PROBLEM_SCENE_NOT_FOUND || call->scene);
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
  else {
    assert(id == API_PROBLEM_SCENE_NOT_FOUND);
    api_fault_did_you_mean(api_fault_plain(&call->faults, id, "No scene has the id \"%s\".", echo),
                           call->input.like_scene);
  }
  return api_call_fail(call);
}

api_step api_call_send(api_call *call, int status) {
  assert(call->out.failed || call->out.length > 0);
  api_put_byte(&call->out, '}');
  return reply_with(call, status, "application/json");
}

api_step api_call_send_lines(api_call *call) {
  assert(call->reply.status != 0);
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

/* ---- the outcome ---------------------------------------------------------------------------- */

void api_call_set_conflict(api_call *call) {
  api_fault_plain(
      &call->faults, API_PROBLEM_SCENE_MOVED,
      "The scene \"%s\" was written to, or deleted, while the call worked on revision %llu.",
      call->match.scene_id, (unsigned long long)ct_scene_revision(call->scene));
  call->reply.header_count = 0;
  api_call_fail(call);
}

bool api_call_has_checkpoint(const api_call *call) { return call->has_checkpoint; }

void api_call_continue(api_call *call, const ct_scene *current) {
  assert(call->has_checkpoint && call->next);
  assert(ct_scene_revision(current) == ct_scene_revision(call->next));
  call->has_checkpoint = false;
  ct_scene_release(call->next);
  call->next = NULL;
  api_events_free(&call->events);
  call->input.scene = call->scene = current;
}

const api_reply *api_call_reply(const api_call *call) { return &call->reply; }

char *api_reply_line(const api_reply *reply, size_t *length) {
  api_buffer out = {0};
  bool good = reply->status >= 200 && reply->status < 300;
  if (!good) {
    api_put_raw(&out, "{\"done\":true");
    api_put_member_unsigned(&out, "httpStatus", (uint64_t)reply->status);
    api_put_key(&out, "problem");
  }
  api_put_bytes(&out, reply->body ? reply->body : "{}", reply->body ? reply->body_length : 2);
  if (!good) api_put_raw(&out, "}\n");
  return api_buffer_detach(&out, length);
}

const ct_scene *api_call_new_revision(const api_call *call) { return call->next; }

const ct_scene *api_call_pin(const api_call *call) { return call->pin; }

bool api_call_kept_query(const api_call *call, api_kept_query *out) {
  *out = call->kept_query;
  return call->pin && call->kept_query.bytes;
}
