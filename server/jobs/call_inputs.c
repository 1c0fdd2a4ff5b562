/* Inputs of a call: the scene's entry, revisions, shapes and cursor queries that the call reads.
 * Retains them before the call and releases them after it.
 *
 * Loop thread only. Calls whose memory takes long to free are freed on a worker. */
#include "jobs/job.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A call is freed on a worker if its request's body has more than DEFER_BYTES_IN, or its reply more
 * than DEFER_BYTES_OUT: freeing JSON trees takes long, freeing texts does not. */
#define DEFER_BYTES_IN 65536u
#define DEFER_BYTES_OUT 4194304u

/* ---- retained inputs ------------------------------------------------------------------------ */

bool srv_inputs_find_scene(srv_request *request) {
  srv_registry *registry = request->server->registry;
  if (request->entry) return true;
  switch (request->match.target) {
  case API_TARGET_READ:
  case API_TARGET_EVENTS:
  case API_TARGET_SNAPSHOT:
  case API_TARGET_WRITE:
  case API_TARGET_DELETE:
    request->entry = srv_registry_find(registry, request->match.scene_id);
    break;
  case API_TARGET_PUT:
    request->entry = srv_registry_open(registry, request->match.scene_id);
    if (!request->entry) return false;
    break;
  case API_TARGET_CREATE:
    if (!request->fingerprint && !srv_registry_new_id(request->new_id)) return false;
    request->entry = srv_registry_open(registry, request->new_id);
    if (!request->entry) return false;
    break;
  default: break;
  }
  if (request->entry) {
    srv_registry_retain(registry, request->entry);
    request->entry->used = true;
  }
  return true;
}

void srv_inputs_retain_shapes(srv_request *request) {
  if (request->shape_use != SRV_SHAPES_UNSET) return;
  srv_server *server = request->server;
  api_call_set_shapes(request->call, server->shapes);
  bool names = srv_request_writes(request) && api_match_names_shapes(&request->match);
  request->shape_use = names ? SRV_SHAPES_NAMED : SRV_SHAPES_SET;
  if (names) server->naming++;
}

bool srv_inputs_retain(srv_request *request) {
  assert(request->call && !request->cancel && !request->input.scene);
  srv_server *server = request->server;
  srv_entry *entry = request->entry;
  api_input *input = &request->input;
  *input = (api_input){.body = request->body.bytes, .body_length = request->body.length};
  if (request->match.streams) input->body = NULL, input->body_length = 0;
  /* set the inputs that every call has: shapes, cancel flag, counts */
  srv_inputs_retain_shapes(request);
  request->cancel = ct_cancel_create();
  if (!request->cancel) return false;
  input->cancel = request->cancel;
  request->named_then = server->named;
  input->store_decides = server->store != NULL;
  if (srv_request_writes(request)) {
    input->first_revision = srv_registry_first_revision(server->registry);
    input->scene_count = srv_registry_count(server->registry);
  }
  if (request->match.target == API_TARGET_CREATE) {
    input->new_scene_id = request->new_id;
    input->new_scene_origin = srv_idempotency_origin(request);
  }
  input->resumes = request->match.target == API_TARGET_EVENTS && request->handle &&
                   MHD_lookup_connection_value(request->handle, MHD_HEADER_KIND, "Last-Event-ID");
  /* retain all scenes, or the current revision of the call's scene */
  if (srv_inputs_need_all_scenes(request->match.target)) {
    if (!srv_registry_list(server->registry, &request->scenes, &request->scenes_count))
      return false;
    input->scenes = request->scenes;
    input->scene_count = request->scenes_count;
  }
  if (entry && entry->current) {
    input->scene = ct_scene_retain(entry->current);
    request->revision = ct_scene_revision(entry->current);
    request->input_stamp = entry->kept ? entry->kept->memory_stamp : 0;
  }
  /* set the most similar scene id, for the problem document */
  if (!input->scene && request->match.scene_id[0] && request->match.target != API_TARGET_PUT) {
    srv_registry_nearest_id(server->registry, request->match.scene_id, request->like_scene);
    input->like_scene.best = (ct_text){request->like_scene, strlen(request->like_scene)};
  }
  /* retain the revisions and queries that cursors refer to */
  if (entry && entry->pin_count && request->match.target == API_TARGET_READ) {
    request->kept = malloc(entry->pin_count * sizeof *request->kept);
    if (!request->kept) return false;
    for (size_t i = 0; i < entry->pin_count; i++)
      request->kept[i] = ct_scene_retain(entry->pins[i].scene);
    input->kept = request->kept;
    input->kept_count = entry->pin_count;
  }
  if (entry && entry->queries.count && request->match.target == API_TARGET_READ) {
    if (!srv_cursor_queries_retain(&entry->queries, &request->kept_queries)) return false;
    input->kept_queries = request->kept_queries.items;
    input->kept_query_count = request->kept_queries.count;
  }
  /* note a scene that the store has but that is not in memory, or reserve a new one */
  if (entry && !entry->current) request->input_stamp = entry->kept ? entry->kept->stamp : 0;
  if (entry && !entry->current && entry->kept) input->lost_revision = entry->kept->revision;
  if (entry && !entry->current && !entry->kept && srv_request_writes(request)) {
    assert(!request->creates);
    request->creates = true;
    srv_registry_reserve(server->registry, 1);
  }
  return true;
}

void srv_inputs_release(srv_request *request) {
  srv_server *server = request->server;
  assert(request->job.running == 0 && server->reply_bytes >= request->reply_bytes);
  srv_inputs_end_shape_use(request);
  api_call_destroy(request->call);
  request->call = NULL;
  request->shape_use = SRV_SHAPES_UNSET;
  server->reply_bytes -= request->reply_bytes;
  request->reply_bytes = 0;
  if (request->input.scene) srv_free_scene_later(server, request->input.scene);
  for (size_t i = 0; i < request->input.kept_count; i++) ct_scene_release(request->kept[i]);
  free(request->kept);
  request->kept = NULL;
  srv_cursor_queries_release(&request->kept_queries);
  if (request->scenes) srv_registry_list_free(request->scenes, request->scenes_count);
  request->scenes = NULL;
  request->scenes_count = 0;
  request->input = (api_input){0};
  ct_cancel_destroy(request->cancel);
  request->cancel = NULL;
}

/* ---- disposal ------------------------------------------------------------------------------- */

/* True if the request may own the last reference to a large revision, so that releasing it takes
 * long. */
static bool holds_large_revision(const srv_request *request) {
  const ct_scene *new_revision = api_call_new_revision(request->call);
  if (new_revision && request->entry->current != new_revision &&
      ct_scene_count(new_revision) > SRV_DEFER_BODIES)
    return true;
  if (request->scenes_count > SRV_INLINE_LIST) return true;
  for (size_t i = 0; i < request->scenes_count; i++)
    if (request->scenes[i].scene && ct_scene_count(request->scenes[i].scene) > SRV_DEFER_BODIES)
      return true;
  for (size_t i = 0; i < request->input.kept_count; i++)
    if (ct_scene_count(request->kept[i]) > SRV_DEFER_BODIES) return true;
  return false;
}

bool srv_inputs_are_slow_to_free(const srv_request *request) {
  const ct_scene *scene = request->input.scene;
  if (holds_large_revision(request)) return true;
  if (request->bytes_in > DEFER_BYTES_IN ||
      (request->reply && request->reply->body_length > DEFER_BYTES_OUT))
    return true;
  return scene && request->entry->current != scene && ct_scene_count(scene) > SRV_DEFER_BODIES;
}

void srv_inputs_free_call(srv_request *request) {
  srv_server *server = request->server;
  assert(request->work == SRV_WORK_ENDED);
  api_call_destroy(request->call);
  request->call = NULL;
  server->reply_bytes -= request->reply_bytes;
  request->reply_bytes = 0;
  if (request->input.scene) srv_free_scene_later(server, request->input.scene);
  request->input.scene = NULL;
}
