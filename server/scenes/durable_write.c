/* Durable writes of scenes and posted shapes: submission, the store's answers, commit.
 *
 * A scene has at most one write in progress, so its records reach the store in order. Writes of
 * shapes are serialised too: the new table of shapes is computed before the write is submitted and
 * is still valid when the write is acknowledged. */
#include "scenes/durable_write.h"

#include "scenes/event_payload.h"
#include "scenes/lost_writes.h"
#include "scenes/recover.h"
#include "scenes/shape_expiry.h"
#include "scenes/shape_turn.h"

#include <api/record.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct srv_durable {
  srv_store_write write;
  srv_shape_turn turn; /* turn of a shape's write */
  srv_request *request;
  api_record record;
  bool recorded;
  char *events; /* event payload of the write; owned */
  enum {
    DURABLE_SUBMITTING, /* srv_durable_submit is running */
    DURABLE_WAITS,      /* waits for the store, or for a turn */
    DURABLE_NOTHING /* the turn began within srv_durable_submit, and nothing has to be written */
  } phase;
  srv_stored_scene *kept;        /* store state of a new scene; owned until the commit */
  const api_shape_table *shapes; /* the new table of shapes; a reference */
};

void srv_durable_free(srv_durable *durable) {
  if (!durable) return;
  if (durable->recorded) api_record_free(&durable->record);
  free(durable->kept);
  free(durable->events);
  api_shapes_release(durable->shapes);
  free(durable);
}

/* True if the call has a result to store: a checkpoint, or a reply of success. */
static bool has_succeeded(const srv_request *request) {
  if (api_call_has_checkpoint(request->call)) return true;
  int status = api_call_reply(request->call)->status;
  return status >= 200 && status < 300;
}

void srv_durable_record(srv_request *request) {
  assert(request->server->store && !request->durable);
  if (!has_succeeded(request)) return;
  const ct_scene *after = api_call_new_revision(request->call);
  const char *id = NULL;
  bool posts = request->match.target == API_TARGET_SHAPE_WRITE &&
               api_call_shape(request->call, &id) == API_SHAPE_POSTED;
  if (!after && !posts) return;
  srv_durable *durable = request->durable = calloc(1, sizeof *durable);
  if (!durable) return; /* out of memory: srv_durable_submit will refuse the request */
  if (posts) durable->recorded = api_record_shape(request->call, &durable->record);
  else durable->recorded = api_record_change(request->input.scene, after, &durable->record);
}

/* ---- the store's answer --------------------------------------------------------------------- */

static void refuse_with_reason(srv_request *request, api_problem_id problem, const char *what,
                               const srv_store_write *write) {
  srv_request_refuse(request, problem, "%s%s%s", what, write->why[0] ? ": " : ".", write->why);
}

static void refuse_shape_in_use(srv_request *request) {
  srv_request_refuse(request, API_PROBLEM_SHAPE_IN_USE, "A scene refers to the shape \"%s\".",
                     request->match.item_id);
}

static void refuse_missing_shape(srv_request *request) {
  srv_request_refuse(request, API_PROBLEM_SHAPE_NOT_FOUND, "No shape has the id \"%s\".",
                     request->match.item_id);
}

static void refuse_by_status(srv_request *request, const srv_store_write *write) {
  switch (write->status) {
  case SRV_STORE_FULL:
    refuse_with_reason(request, API_PROBLEM_STORAGE_FULL,
                       "The store is full, and nothing has changed", write);
    break;
  case SRV_STORE_FAILED:
    refuse_with_reason(request, API_PROBLEM_STORAGE_FAILED, "The store no longer accepts writes",
                       write);
    srv_request_refusal_header(request, "Retry-After", "10");
    break;
  case SRV_STORE_UNAVAILABLE:
    refuse_with_reason(request, API_PROBLEM_STORE_UNAVAILABLE,
                       "The store has not acknowledged the write", write);
    srv_request_refusal_header(request, "Retry-After", "1");
    break;
  case SRV_STORE_IN_USE: refuse_shape_in_use(request); break;
  case SRV_STORE_UNKNOWN:
    srv_request_refuse(
        request, API_PROBLEM_UNKNOWN_ID,
        "A posted shape of the scene has meanwhile been deleted; nothing has changed.");
    break;
  case SRV_STORE_DAMAGED:
    refuse_with_reason(request, API_PROBLEM_CORRUPT,
                       "The store is damaged, and nothing has changed", write);
    break;
  case SRV_STORE_MEMORY: srv_request_refuse_memory(request); break;
  case SRV_STORE_CONFLICT: /* handled by the callers */
  case SRV_STORE_OK: break;
  }
}

/* Logs a permanent failure of a shared store, once. The store in a file logs failures of its device
 * itself. */
static void log_store_failure(srv_server *server, const srv_store_write *write) {
  if (write->status != SRV_STORE_FAILED || !server->store->shared || server->store_failed) return;
  server->store_failed = true;
  srv_log_event(server->log, "storageFailed", write->why);
}

/* Continues the request with the outcome of its write; this frees the durable write. */
static void finish_write(srv_request *request, srv_outcome outcome) {
  assert(request->work == SRV_WORK_STORING && request->durable);
  request->server->handlers->resume(request, outcome);
}

static void on_scene_stored(srv_store_write *write) {
  srv_durable *durable = write->cls;
  srv_request *request = durable->request;
  bool good = write->status == SRV_STORE_OK;
  srv_metrics_stored(&request->server->metrics, write);
  log_store_failure(request->server, write);
  /* Another daemon has written the scene: reload it, and repeat the call on the store's
   * revision. */
  if (write->status == SRV_STORE_CONFLICT) {
    srv_registry_raise_first_revision(request->server->registry, write->last_revision);
    srv_lost_writes_check_answer(request->server, request->entry, write->current,
                                 write->last_revision, write->submitted_ns);
    request->store_revision = write->current;
    request->store_stamp = write->current_stamp;
    srv_recover_reload(request->server, request->entry, write->current, write->current_stamp);
    finish_write(request, SRV_OUTCOME_OUTDATED);
    return;
  }
  if (!good) refuse_by_status(request, write);
  if (good && write->act == SRV_STORE_REMOVE)
    srv_lost_writes_note_deleted(request->server, write->revision);
  finish_write(request, good ? SRV_OUTCOME_GOOD : SRV_OUTCOME_REFUSED);
}

/* Handles the store's answer to the write of a shape.
 *
 * Conflict of a post: the store has a shape of this id that is not in the table, because it was
 * unreadable or another daemon has just posted it. The post replaces it; if it was intact, its
 * bytes are the same, since the id is their digest. Conflict of a removal: the shape no longer
 * exists. */
static void on_shape_stored(srv_store_write *write) {
  srv_durable *durable = write->cls;
  srv_request *request = durable->request;
  srv_server *server = request->server;
  bool posts = write->act == SRV_STORE_BASE, good = write->status == SRV_STORE_OK;
  srv_metrics_stored(&server->metrics, write);
  log_store_failure(server, write);
  if (posts && write->status == SRV_STORE_CONFLICT && write->current != write->before) {
    write->before = write->current;
    srv_server_submit_write(server, write);
    return;
  }
  if (posts && write->status == SRV_STORE_CONFLICT)
    write->status = SRV_STORE_UNAVAILABLE; /* a contradictory answer */
  bool replaced = good && posts && write->before > 0;
  if (good && posts) srv_shape_expiry_renew(server, write->id);
  if (!good && write->status == SRV_STORE_CONFLICT) {
    srv_durable_commit_shapes(request);
    refuse_missing_shape(request);
  } else if (!good) {
    refuse_by_status(request, write);
  }
  /* with a shared store, the synchronisation counts the corrupt shapes */
  bool was_corrupt = good && !server->store->shared && (posts ? replaced : !durable->shapes);
  if (was_corrupt && server->shapes_corrupt > 0) server->shapes_corrupt--;
  finish_write(request, good ? SRV_OUTCOME_GOOD : SRV_OUTCOME_REFUSED);
  if (replaced) srv_recover_reload_corrupt(server);
  srv_shape_turn_release(server);
}

/* ---- handing over --------------------------------------------------------------------------- */

static void fill_store_write(srv_durable *durable, const char *id) {
  srv_store_write *write = &durable->write;
  snprintf(write->id, sizeof write->id, "%s", id);
  write->cls = durable;
  if (!durable->recorded) return;
  write->act = durable->record.base ? SRV_STORE_BASE : SRV_STORE_CHANGE;
  write->bytes = durable->record.bytes;
  write->length = durable->record.length;
  write->has_shapes = durable->record.has_shapes;
  write->shapes = durable->record.shapes;
  write->shapes_length = durable->record.shapes_length;
}

/* Begins the write of a shape when its turn comes: computes the new table, which may show that
 * nothing has to be written.
 *
 * The store checks references between scenes and shapes in the order of its writes: of a scene's
 * write that names a shape and that shape's removal, if both are in progress, the later one is
 * refused. A removal does not wait for the writes of scenes. */
static void begin_shape_write(srv_shape_turn *turn) {
  srv_durable *durable = (srv_durable *)((char *)turn - offsetof(srv_durable, turn));
  srv_request *request = durable->request;
  srv_server *server = request->server;
  /* An unreadable shape is not in the table, but the store may have it. */
  if (durable->write.act == SRV_STORE_REMOVE &&
      !api_shapes_has(server->shapes, durable->write.id)) {
    srv_server_submit_write(server, &durable->write);
    return;
  }
  durable->shapes = api_call_commit_shapes(request->call, server->shapes, false);
  if (durable->shapes == server->shapes) {
    if (durable->phase == DURABLE_SUBMITTING) {
      durable->phase = DURABLE_NOTHING;
      return;
    }
    finish_write(request, SRV_OUTCOME_GOOD);
    srv_shape_turn_release(server);
    return;
  }
  srv_server_submit_write(server, &durable->write);
}

static srv_durable_outcome submit_shape_write(srv_request *request, const char *id, bool posts) {
  srv_durable *durable = request->durable;
  fill_store_write(durable, id);
  srv_store_write *write = &durable->write;
  write->space = SRV_STORE_SHAPES;
  write->act = posts ? SRV_STORE_BASE : SRV_STORE_REMOVE;
  write->before = posts ? 0 : 1;
  write->revision = 1;
  write->done = on_shape_stored;
  durable->turn.begin = begin_shape_write;
  srv_shape_turn_acquire(request->server, &durable->turn);
  if (durable->phase == DURABLE_NOTHING) {
    srv_durable_free(durable);
    request->durable = NULL;
    srv_shape_turn_release(request->server);
    return SRV_DURABLE_NOTHING;
  }
  durable->phase = DURABLE_WAITS;
  return SRV_DURABLE_WAITS;
}

/* Adds the events of the write as a payload, which the store numbers and distributes. If the list
 * of events is incomplete, the store assigns one number without a payload: streams detect the
 * gap. */
static void fill_event_payload(srv_request *request) {
  if (!srv_store_distributes_events(request->server->store)) return;
  srv_durable *durable = request->durable;
  srv_store_write *write = &durable->write;
  size_t count = 0;
  bool whole = true;
  const api_event *events = api_call_events(request->call, &count, &whole);
  if (whole && count > 0)
    durable->events = srv_event_payload_write(events, count, &write->events_length);
  write->events = durable->events;
  write->event_count = durable->events ? count : 1;
}

static srv_durable_outcome submit_scene_write(srv_request *request) {
  srv_durable *durable = request->durable;
  const ct_scene *after = api_call_new_revision(request->call);
  const ct_scene *before = request->input.scene;
  fill_store_write(durable, request->entry->id);
  srv_store_write *write = &durable->write;
  write->space = SRV_STORE_SCENES;
  write->before = before ? ct_scene_revision(before) : request->input.lost_revision;
  write->before_stamp = request->input_stamp;
  write->revision = after ? ct_scene_revision(after) : write->before + 1;
  write->bodies = after ? ct_scene_count(after) : 0;
  if (!after) write->act = SRV_STORE_REMOVE;
  write->done = on_scene_stored;
  fill_event_payload(request);
  /* A call on a snapshot becomes a write here. Its scene has no other writer, since otherwise the
   * snapshot would be outdated. */
  assert(!request->entry->writer || srv_request_is_writer(request));
  request->entry->writer = request;
  durable->phase = DURABLE_WAITS;
  srv_server_submit_write(request->server, write);
  return SRV_DURABLE_WAITS;
}

/* Ensures that request->durable exists and, if `record`, has its record; a removal has none. False:
 * out of memory. */
static bool prepare_durable(srv_request *request, bool record) {
  if (!record && !request->durable) request->durable = calloc(1, sizeof *request->durable);
  if (!request->durable || (record && !request->durable->recorded)) return false;
  request->durable->request = request;
  return true;
}

static srv_durable_outcome refuse_durable_memory(srv_request *request) {
  srv_request_refuse_memory(request);
  return SRV_DURABLE_REFUSED;
}

/* Begins the turn of the post of a shape that was in the table. If an earlier turn has removed the
 * shape, the call is repeated and posts it again. */
static void begin_known_shape(srv_shape_turn *turn) {
  srv_durable *durable = (srv_durable *)((char *)turn - offsetof(srv_durable, turn));
  srv_request *request = durable->request;
  srv_server *server = request->server;
  const char *id = NULL;
  (void)api_call_shape(request->call, &id);
  if (api_shapes_has(server->shapes, id)) {
    srv_shape_expiry_renew(server, id);
    finish_write(request, SRV_OUTCOME_GOOD);
  } else {
    finish_write(request, SRV_OUTCOME_OUTDATED);
  }
  srv_shape_turn_release(server);
}

/* Handles the store's answer to a report of a shape's use. Conflict: the shape was removed from the
 * store, so the call is repeated and posts it again. */
static void on_shape_seen_stored(srv_store_write *write) {
  srv_request *request = ((srv_durable *)write->cls)->request;
  srv_server *server = request->server;
  bool good = write->status == SRV_STORE_OK;
  srv_metrics_stored(&server->metrics, write);
  log_store_failure(server, write);
  if (good) srv_shape_expiry_reported(server, write->id, write->submitted_ns);
  if (write->status == SRV_STORE_CONFLICT) {
    const api_shape_table *left = api_shapes_drop(server->shapes, write->id);
    if (left) api_shapes_release(server->shapes);
    if (left) server->shapes = left;
    finish_write(request, SRV_OUTCOME_OUTDATED);
  } else {
    if (!good) refuse_by_status(request, write);
    finish_write(request, good ? SRV_OUTCOME_GOOD : SRV_OUTCOME_REFUSED);
  }
  srv_shape_turn_release(server);
}

static void begin_seen_report(srv_shape_turn *turn) {
  srv_durable *durable = (srv_durable *)((char *)turn - offsetof(srv_durable, turn));
  srv_server_submit_write(durable->request->server, &durable->write);
}

/* Submits the post of a shape that is already in the table: only its use is recorded, also in the
 * store if the last report there is too old. */
static srv_durable_outcome submit_known_shape(srv_request *request, const char *id) {
  srv_server *server = request->server;
  bool needs_report = srv_shape_expiry_needs_report(server, id);
  if (!server->shape_turn_taken && !needs_report) {
    srv_shape_expiry_renew(server, id);
    return SRV_DURABLE_NOTHING;
  }
  if (!prepare_durable(request, false)) return refuse_durable_memory(request);
  srv_durable *durable = request->durable;
  fill_store_write(durable, id);
  durable->write.space = SRV_STORE_SHAPES;
  durable->write.act = SRV_STORE_SEEN;
  durable->write.before = durable->write.revision = 1;
  durable->write.done = on_shape_seen_stored;
  durable->turn.begin = needs_report ? begin_seen_report : begin_known_shape;
  durable->phase = DURABLE_WAITS;
  srv_shape_turn_acquire(server, &request->durable->turn);
  return SRV_DURABLE_WAITS;
}

static srv_durable_outcome submit_shape_change(srv_request *request) {
  const char *id = NULL;
  api_shape_change act = api_call_shape(request->call, &id);
  if (act == API_SHAPE_KNOWN) return submit_known_shape(request, id);
  if (!prepare_durable(request, act == API_SHAPE_POSTED)) return refuse_durable_memory(request);
  return submit_shape_write(request, id, act == API_SHAPE_POSTED);
}

static srv_durable_outcome submit_scene_change(srv_request *request) {
  const ct_scene *after = api_call_new_revision(request->call);
  if (!after && request->match.target != API_TARGET_DELETE) return SRV_DURABLE_NOTHING;
  if (!prepare_durable(request, after != NULL)) return refuse_durable_memory(request);
  if (after && !request->entry->kept) {
    request->durable->kept = calloc(1, sizeof *request->durable->kept);
    if (!request->durable->kept) return refuse_durable_memory(request);
  }
  return submit_scene_write(request);
}

srv_durable_outcome srv_durable_submit(srv_request *request) {
  assert(request->server->store);
  if (!has_succeeded(request)) return SRV_DURABLE_NOTHING;
  return request->match.target == API_TARGET_SHAPE_WRITE ? submit_shape_change(request)
                                                         : submit_scene_change(request);
}

/* ---- commit --------------------------------------------------------------------------------- */

void srv_durable_committed(srv_request *request) {
  srv_durable *durable = request->durable;
  srv_entry *entry = request->entry;
  assert(durable);
  if (!entry->kept && durable->kept) {
    srv_registry_set_stored(request->server->registry, entry, durable->kept);
    durable->kept = NULL;
  }
  if (!entry->kept) return;
  entry->kept->presence = SRV_PRESENCE_HERE;
  srv_lost_writes_note_stored(entry->kept, durable->write.revision);
  srv_lost_writes_note_loaded(entry->kept, durable->write.revision, durable->write.stamp);
  srv_compaction_note_record(request->server, entry, durable->record.base, durable->record.length);
}

void srv_durable_commit_shapes(srv_request *request) {
  srv_durable *durable = request->durable;
  srv_server *server = request->server;
  if (!durable || !durable->shapes) return;
  api_shapes_release(server->shapes);
  server->shapes = durable->shapes;
  durable->shapes = NULL;
}
