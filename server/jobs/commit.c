/* Commit of a call's result: accepts or refuses the result, then publishes the new revision, shapes
 * and events.
 *
 * Loop thread only. With a store, the result is committed once the store has acknowledged the
 * write. */
#include "jobs/job.h"
#include "scenes/durable_write.h"
#include "streams/event_stream.h"
#include "streams/progress_stream.h"

/* Makes the call's table of posted shapes current for all later requests. */
static void commit_posted_shapes(srv_request *request) {
  srv_server *server = request->server;
  if (server->store) {
    srv_durable_commit_shapes(request);
    return;
  }
  const api_shape_table *old = server->shapes;
  bool written = server->naming > 0 || server->named != request->named_then;
  server->shapes = api_call_commit_shapes(request->call, old, written);
  api_shapes_release(old);
}

void srv_commit(srv_request *request) {
  assert(request->reply && (request->work == SRV_WORK_IDLE || srv_request_has_job(request)));
  if (request->match.target == API_TARGET_SHAPE_WRITE) commit_posted_shapes(request);
  srv_registry *registry = request->server->registry;
  srv_entry *entry = request->entry;
  if (!entry) return;
  const ct_scene *revision = api_call_new_revision(request->call);
  const ct_scene *pin = api_call_pin(request->call);
  /* the new revision */
  if (revision) {
    if (request->match.target != API_TARGET_WRITE && request->match.target != API_TARGET_SNAPSHOT)
      entry->written_bytes = 0;
    entry->written_bytes += request->bytes_in;
    srv_registry_commit(registry, entry, revision);
    request->server->metrics.revisions++;
    if (request->durable) srv_durable_committed(request);
    (void)srv_server_evict_scenes(request->server);
    if (request->shape_use == SRV_SHAPES_NAMED) request->server->named++;
    request->revision = ct_scene_revision(revision);
  }
  /* publish events before a deletion removes the scene */
  if (entry->ring) srv_stream_publish(request);
  bool succeeded = request->reply->status >= 200 && request->reply->status < 300;
  if (request->match.target == API_TARGET_DELETE && succeeded) srv_registry_remove(registry, entry);
  /* If out of memory, the cursor will be answered 410, like an expired one. */
  if (pin) (void)srv_registry_pin(registry, entry, pin, uv_hrtime());
  api_kept_query query;
  if (pin && api_call_kept_query(request->call, &query))
    srv_registry_keep_query(registry, entry, &query, uv_hrtime());
}

/* Adds the reply's bytes to the budget of unsent replies. False: slow clients have used up the
 * budget. Replies of writes up to SRV_SHORT_REPLY are always admitted; a write whose longer reply
 * does not fit is not committed. */
static bool reserve_reply_bytes(srv_request *request, const api_reply *reply) {
  assert(request->reply_bytes == 0);
  srv_server *server = request->server;
  bool full = server->reply_bytes > 0 &&
              server->reply_bytes + reply->body_length > server->limits->replies_bytes;
  bool is_write = srv_request_writes(request) || request->match.target == API_TARGET_SNAPSHOT;
  bool always_admitted = is_write && reply->body_length <= SRV_SHORT_REPLY;
  if (full && !always_admitted) return false;
  request->reply_bytes = reply->body_length;
  server->reply_bytes += request->reply_bytes;
  return true;
}

/* True for a call on a snapshot if the scene's revision has changed since, or if a write to the
 * scene is in progress. */
static bool is_snapshot_outdated(const srv_request *request) {
  if (request->match.target != API_TARGET_SNAPSHOT || !api_call_new_revision(request->call))
    return false;
  return request->entry->current != request->input.scene || request->entry->writer;
}

srv_acceptance srv_accept_result(srv_request *request) {
  request->ended_ns = uv_hrtime();
  if (request->match.target == API_TARGET_SNAPSHOT) srv_progress_feed(request);
  if (is_snapshot_outdated(request)) api_call_set_conflict(request->call);
  const api_reply *reply = api_call_reply(request->call);
  if (request->ended_ns >= atomic_load_explicit(&request->deadline_ns, memory_order_relaxed)) {
    srv_request_refuse_overdue(request, api_call_deadline_ms(request->call));
  } else if (!reserve_reply_bytes(request, reply)) {
    srv_request_refuse(
        request, API_PROBLEM_BUSY,
        "More than %llu bytes of replies (repliesBytes) are unsent; nothing has changed.",
        (unsigned long long)request->server->limits->replies_bytes);
    srv_request_refusal_header(request, "Retry-After", "1");
  } else {
    request->reply = reply;
    switch (request->server->store ? srv_durable_submit(request) : SRV_DURABLE_NOTHING) {
    case SRV_DURABLE_NOTHING: srv_commit(request); break;
    case SRV_DURABLE_WAITS: return SRV_ACCEPTANCE_STORING;
    case SRV_DURABLE_REFUSED: break;
    }
  }
  return SRV_ACCEPTANCE_DONE;
}

void srv_commit_checkpoint(srv_request *request) {
  srv_server *server = request->server;
  srv_entry *entry = request->entry;
  const ct_scene *revision = api_call_new_revision(request->call);
  assert(revision && entry && api_call_has_checkpoint(request->call));
  srv_registry_commit(server->registry, entry, revision);
  server->metrics.revisions++;
  if (request->durable) srv_durable_committed(request);
  (void)srv_server_evict_scenes(server);
  request->revision = request->checkpoint = ct_scene_revision(revision);
  if (entry->ring) srv_stream_publish(request);
  /* The call continues on the new revision. */
  const ct_scene *old = request->input.scene;
  request->input.scene = ct_scene_retain(revision);
  request->input_stamp = entry->kept ? entry->kept->memory_stamp : 0;
  api_call_continue(request->call, request->input.scene);
  srv_free_scene_later(server, old);
  srv_durable_free(request->durable);
  request->durable = NULL;
}

srv_acceptance srv_accept_checkpoint(srv_request *request) {
  if (is_snapshot_outdated(request)) {
    api_call_set_conflict(request->call);
    request->reply = api_call_reply(request->call);
    return SRV_ACCEPTANCE_REFUSED;
  }
  switch (request->server->store ? srv_durable_submit(request) : SRV_DURABLE_NOTHING) {
  case SRV_DURABLE_WAITS: return SRV_ACCEPTANCE_STORING;
  case SRV_DURABLE_REFUSED: return SRV_ACCEPTANCE_REFUSED;
  case SRV_DURABLE_NOTHING: break;
  }
  srv_commit_checkpoint(request);
  return SRV_ACCEPTANCE_DONE;
}
