/* Preloading (--scene): reads a scene document from a file and puts it under its id before the
 * daemon listens, through the calls that a PUT makes.
 *
 * A scene that the store already has is left unchanged, because clients may have written to it.
 * With --scene, an unreachable store ends the start; without it, the daemon serves and waits for
 * the store. */
#include "scenes/preload.h"

#include "process/file.h"
#include "process/json_member.h"
#include "scenes/durable_write.h"
#include "scenes/lost_writes.h"

#include <api/record.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prints a failure to standard error and returns false. file: the setting in the form in which it
 * was given (option, variable or file), and the path. */
static bool report_preload_failure(const char *file, const char *why) {
  fprintf(stderr, "contactd: %s: %s.\n", file, why);
  return false;
}

static char *read_scene_file(const char *path, const char *file, size_t most, size_t *length) {
  const char *why = NULL;
  uint64_t size = 0;
  int descriptor = srv_file_open(path, NULL, &size, &why);
  FILE *stream = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
  if (!stream) {
    report_preload_failure(file, why ? why : strerror(errno));
    if (descriptor >= 0) close(descriptor);
    return NULL;
  }
  char *bytes = NULL;
  if (size > most) report_preload_failure(file, "larger than the limit jsonBytes");
  else if (!(bytes = malloc((size_t)size + 1))) report_preload_failure(file, "out of memory");
  if (bytes) {
    *length = fread(bytes, 1, (size_t)size, stream);
    bytes[*length] = 0;
  }
  fclose(stream);
  return bytes;
}

/* Reads the document's member "id". False: there is none; other errors are left to the API. */
static bool read_document_id(const char *text, size_t length, char id[CT_ID_LENGTH_MAX + 1]) {
  srv_json_member peek = {.name = "id"};
  srv_json_member_scan(&peek, text, length);
  if (!peek.found || text[peek.value] != '"') return false;
  const char *value = text + peek.value;
  size_t left = length - peek.value, end = 1;
  while (end < left && value[end] != '"') end += value[end] == '\\' ? 2 : 1;
  return end < left && api_id_of_json(value, end + 1, id);
}

/* Runs a whole call on this thread and returns it. NULL: out of memory. */
static api_call *run_call_inline(srv_server *server, const api_head *head, const api_match *match,
                                 const api_input *input) {
  api_call *call = api_call_create(server->service, head, match);
  if (!call) return NULL;
  /* The input has no flag that could cancel the call. */
  if (api_call_begin(call, input) == API_STEP_WORK)
    (void)api_call_run_serially(call, server->scratch);
  return call;
}

static void report_store_refusal(const char *file, const srv_store_write *write) {
  const char *why = write->why[0] ? write->why : "the store refused the scene";
  if (write->status == SRV_STORE_UNAVAILABLE)
    fprintf(stderr,
            "contactd: %s: the scene cannot be written while the store is unreachable: %s.\n", file,
            why);
  else report_preload_failure(file, why);
}

static void on_preload_stored(srv_store_write *write) { *(bool *)write->cls = true; }

/* Writes the scene to the store and waits for the answer. *overtaken: another daemon has created
 * the scene meanwhile. False after one sentence on standard error. */
static bool store_preloaded_scene(srv_server *server, const char *file, srv_entry *entry,
                                  const ct_scene *scene, bool *overtaken) {
  api_record record;
  srv_stored_scene *kept = calloc(1, sizeof *kept);
  if (!kept || !api_record_base(scene, &record)) {
    free(kept);
    return report_preload_failure(file, "out of memory");
  }
  bool done = false;
  srv_store_write write = {.space = SRV_STORE_SCENES,
                           .act = SRV_STORE_BASE,
                           .revision = ct_scene_revision(scene),
                           .bodies = ct_scene_count(scene),
                           .bytes = record.bytes,
                           .length = record.length,
                           .has_shapes = record.has_shapes,
                           .shapes = record.shapes,
                           .shapes_length = record.shapes_length,
                           .done = on_preload_stored,
                           .cls = &done};
  memcpy(write.id, entry->id, sizeof write.id);
  srv_server_submit_write(server, &write);
  srv_server_wait(server, &done);
  srv_metrics_stored(&server->metrics, &write);
  bool good = write.status == SRV_STORE_OK;
  /* another daemon has created the scene first: use its scene */
  *overtaken = write.status == SRV_STORE_CONFLICT && write.current > 0;
  if (*overtaken) {
    srv_registry_set_stored(server->registry, entry, kept);
    kept->presence = SRV_PRESENCE_STORED;
    kept->revision = write.current;
    kept->stamp = write.current_stamp;
    srv_log_event(server->log, "sceneKept", entry->id);
  } else if (good) {
    srv_registry_set_stored(server->registry, entry, kept);
    kept->presence = SRV_PRESENCE_HERE;
    srv_lost_writes_note_loaded(kept, write.revision, write.stamp);
    srv_compaction_note_record(server, entry, true, record.length);
  } else {
    free(kept);
    report_store_refusal(file, &write);
  }
  api_record_free(&record);
  return good || *overtaken;
}

static bool commit_preloaded_scene(srv_server *server, const char *file, srv_entry *entry,
                                   const ct_scene *scene, size_t length) {
  bool overtaken = false;
  if (server->store && !store_preloaded_scene(server, file, entry, scene, &overtaken)) return false;
  if (overtaken) return true;
  entry->written_bytes = length;
  srv_registry_commit(server->registry, entry, scene);
  server->metrics.revisions++;
  return true;
}

/* Prints the content of the JSON string that begins at `at` to standard error. Escapes other than
 * \", \\ and \/ are printed as '?'. */
static void print_json_string(const char *at) {
  for (at++; *at && *at != '"'; at++) {
    char c = *at;
    if (c == '\\' && at[1]) {
      at++;
      c = strchr("\"\\/", *at) ? *at : '?';
      if (*at == 'u' && strnlen(at, 5) == 5) at += 4;
    }
    fputc(c, stderr);
  }
}

/* Returns the value of a member of a JSON object. NULL: there is none. */
static const char *find_member(const char *object, const char *name) {
  srv_json_member peek = {.name = name};
  srv_json_member_scan(&peek, object, strlen(object));
  return peek.found ? object + peek.value : NULL;
}

/* True if the problem is that a posted shape does not exist; the API's advice to post it cannot be
 * followed before the daemon serves. */
static bool names_posted_shape(const char *body, const char *pointer) {
  static const char problem[] = "\"/problems/unknown-id\"", member[] = "/shape";
  const char *type = find_member(body, "type"),
             *stop = pointer && *pointer ? strchr(pointer + 1, '"') : NULL;
  if (!type || strncmp(type, problem, sizeof problem - 1) != 0) return false;
  size_t length = stop ? (size_t)(stop - pointer) : 0;
  return length >= sizeof member &&
         strncmp(stop - (sizeof member - 1), member, sizeof member - 1) == 0;
}

/* Prints the API's problem as one sentence, JSON pointer and detail, and returns false. */
static bool report_refusal(const char *file, const api_reply *reply) {
  char *body = strndup(reply->body ? reply->body : "{}", reply->body ? reply->body_length : 2);
  if (!body) return report_preload_failure(file, "out of memory");
  const char *errors = find_member(body, "errors"), *detail = find_member(body, "detail");
  const char *pointer = errors && errors[0] == '[' ? find_member(errors + 1, "pointer") : NULL;
  fprintf(stderr, "contactd: %s: refused with status %d: ", file, reply->status);
  if (pointer && pointer[0] == '"' && pointer[1] != '"') {
    print_json_string(pointer);
    fprintf(stderr, ": ");
  }
  if (detail && detail[0] == '"') print_json_string(detail);
  if (names_posted_shape(body, pointer))
    fprintf(stderr, " A file of --scene cannot refer to posted shapes, which are read after it.");
  fprintf(stderr, "\n");
  free(body);
  return false;
}

/* Reports a document without an id, and returns false. Other errors of the document, found by a PUT
 * under a placeholder id, are reported first. */
static bool report_document_without_id(srv_server *server, const char *file, const char *bytes,
                                       size_t length) {
  api_head head = {.method = "PUT", .path = "/v1/scenes/scene", .content_type = "application/json"};
  api_match match;
  api_reply refusal = {0};
  if (!api_match_head(server->service, &head, &match, &refusal)) {
    free((void *)(uintptr_t)refusal.body);
    return report_preload_failure(file, "out of memory");
  }
  api_input input = {.body = bytes,
                     .body_length = length,
                     .first_revision = srv_registry_first_revision(server->registry)};
  api_call *call = run_call_inline(server, &head, &match, &input);
  if (!call) return report_preload_failure(file, "out of memory");
  const api_reply *reply = api_call_reply(call);
  if (reply->status >= 300) report_refusal(file, reply);
  else report_preload_failure(file, "the document has no member \"id\"");
  api_call_destroy(call);
  return false;
}

static bool put_scene(srv_server *server, const char *file, const char *id, const char *bytes,
                      size_t length) {
  char path[API_ID_ENCODED_BYTES + 16], encoded[API_ID_ENCODED_BYTES];
  snprintf(path, sizeof path, "/v1/scenes/%s", api_id_encode(id, encoded));
  api_head head = {.method = "PUT", .path = path, .content_type = "application/json"};
  api_match match;
  api_reply refusal = {0};
  if (!api_match_head(server->service, &head, &match, &refusal)) {
    free((void *)(uintptr_t)refusal.body);
    return report_preload_failure(file, "the member \"id\" is not an id");
  }
  srv_entry *entry = srv_registry_open(server->registry, id);
  if (!entry) return report_preload_failure(file, "out of memory");
  if (entry->given)
    return report_preload_failure(file, "a file that was given before has the same id");
  entry->given = true;
  if (entry->kept) {
    srv_log_event(server->log, "sceneKept", id);
    return true;
  }
  api_input input = {.body = bytes,
                     .body_length = length,
                     .scene = entry->current,
                     .first_revision = srv_registry_first_revision(server->registry),
                     .scene_count = srv_registry_count(server->registry)};
  api_call *call = run_call_inline(server, &head, &match, &input);
  if (!call) return report_preload_failure(file, "out of memory");
  const api_reply *reply = api_call_reply(call);
  const ct_scene *revision = api_call_new_revision(call);
  bool done = reply->status < 300 && revision;
  if (done) done = commit_preloaded_scene(server, file, entry, revision, length);
  else report_refusal(file, reply);
  api_call_destroy(call);
  return done;
}

bool srv_preload(srv_server *server, const char *path) {
  size_t length = 0;
  char id[CT_ID_LENGTH_MAX + 1], given[SRV_GIVEN_MAX], file[SRV_GIVEN_MAX + PATH_MAX];
  snprintf(file, sizeof file, "%s: %s", srv_config_given(server->config, "scene", given), path);
  char *bytes = read_scene_file(path, file, (size_t)server->limits->json_bytes, &length);
  if (!bytes) return false;
  bool done = read_document_id(bytes, length, id)
                  ? put_scene(server, file, id, bytes, length)
                  : report_document_without_id(server, file, bytes, length);
  free(bytes);
  return done;
}
