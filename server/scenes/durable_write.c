/* The way of a write through the store.
 *
 * A scene has one write under way, so its records reach the store in order. Writes of shapes take turns, too: what one makes of the
 * table of shapes is known before the store is asked, and still holds when it has answered. */
#include "scenes/durable_write.h"

#include "scenes/event_payload.h"
#include "scenes/lost_writes.h"
#include "scenes/recover.h"
#include "scenes/shape_expiry.h"

#include <api/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct srv_durable {
  srv_store_write write;
  srv_shape_turn turn; /* of a shape */
  srv_request *request;
  api_record record;
  bool recorded;
  char *told;                    /* what it tells who listens; owned */
  bool idle;                     /* its turn has come, and there is nothing to be done */
  srv_stored_scene *kept;        /* of a scene that the store has not had; owned until it is committed */
  const api_shape_table *shapes; /* as they will be; a reference */
};

void srv_durable_free(srv_durable *durable) {
  if (!durable) return;
  if (durable->recorded) api_record_free(&durable->record);
  free(durable->kept);
  free(durable->told);
  api_shapes_release(durable->shapes);
  free(durable);
}

static bool succeeded(const srv_request *request) {
  int status = api_call_reply(request->call)->status;
  return status >= 200 && status < 300;
}

void srv_durable_record(srv_request *request) {
  if (!request->server->store || !succeeded(request)) return;
  const ct_scene *after = api_call_new_revision(request->call);
  const char *id = NULL;
  bool posts = request->match.target == API_TARGET_SHAPE_WRITE && api_call_shape(request->call, &id) == API_SHAPE_POSTED;
  if (!after && !posts) return;
  srv_durable *durable = request->durable = calloc(1, sizeof *durable);
  if (!durable) return; /* found when it is to be handed over */
  if (posts) durable->recorded = api_record_shape(request->call, &durable->record);
  else durable->recorded = api_record_change(request->input.scene, after, &durable->record);
}

/* ---- turns of shapes --------------------------------------------------------------------------------------------------- */

static void next_turn(srv_server *server) {
  srv_shape_turn *turn = server->shape_turns;
  if (server->shape_turn_taken || !turn) return;
  server->shape_turn_taken = true;
  server->shape_turns = turn->next;
  turn->begin(turn);
}

void srv_shape_turn_acquire(srv_server *server, srv_shape_turn *turn) {
  turn->next = NULL;
  srv_shape_turn **at = &server->shape_turns;
  while (*at) at = &(*at)->next;
  *at = turn;
  next_turn(server);
}

void srv_shape_turn_release(srv_server *server) {
  server->shape_turn_taken = false;
  next_turn(server);
}

/* ---- the store's answer -------------------------------------------------------------------------------------------------- */

static void refuse(srv_request *request, api_problem_id problem, const char *what, const srv_store_write *write) {
  srv_request_refuse(request, problem, "%s%s%s", what, write->why[0] ? ": " : ".", write->why);
}

static void refuse_named(srv_request *request) {
  srv_request_refuse(request, API_PROBLEM_SHAPE_IN_USE, "A scene names the shape \"%s\".", request->match.item_id);
}

static void refuse_gone(srv_request *request) {
  srv_request_refuse(request, API_PROBLEM_SHAPE_NOT_FOUND, "No shape has the id \"%s\".", request->match.item_id);
}

static void refuse_status(srv_request *request, const srv_store_write *write) {
  switch (write->status) {
  case SRV_STORE_FULL: refuse(request, API_PROBLEM_STORAGE_FULL, "The store has no room, and nothing has changed", write); break;
  case SRV_STORE_FAILED:
    refuse(request, API_PROBLEM_STORAGE_FAILED, "The store takes no writes any more", write);
    srv_request_refusal_header(request, "Retry-After", "10");
    break;
  case SRV_STORE_UNAVAILABLE:
    refuse(request, API_PROBLEM_STORE_UNAVAILABLE, "The store has not acknowledged the write", write);
    srv_request_refusal_header(request, "Retry-After", "1");
    break;
  case SRV_STORE_IN_USE: refuse_named(request); break;
  case SRV_STORE_UNKNOWN:
    srv_request_refuse(request, API_PROBLEM_UNKNOWN_ID,
                       "A posted shape that the scene names has been deleted meanwhile; nothing has changed.");
    break;
  case SRV_STORE_DAMAGED: refuse(request, API_PROBLEM_CORRUPT, "The store is damaged, and nothing has changed", write); break;
  case SRV_STORE_MEMORY: srv_job_refuse_memory(request); break;
  case SRV_STORE_CONFLICT: /* answered elsewhere */
  case SRV_STORE_OK: break;
  }
}

/* Once, not with every write after it. The store in a file tells of its device itself. */
static void log_failure(srv_server *server, const srv_store_write *write) {
  if (write->status != SRV_STORE_FAILED || !server->store->shared || server->store_failed) return;
  server->store_failed = true;
  srv_log_event(server->log, "storageFailed", write->why);
}

static void finish(srv_request *request, bool good) {
  if (good) srv_commit(request);
  srv_durable_free(request->durable);
  request->durable = NULL;
  request->storing = false;
  srv_job_stored(request);
}

/* Others write faster than the call, or it cannot be begun anew. */
static void refuse_moved(srv_request *request, unsigned long long current) {
  srv_request_refuse(request, API_PROBLEM_SCENE_MOVED,
                     "The scene has been written to by another daemon, and is at revision %llu. Nothing has changed; ask again.",
                     current);
  request->storing = false;
  srv_job_stored(request);
}

static void scene_stored(srv_store_write *write) {
  srv_durable *durable = write->cls;
  srv_request *request = durable->request;
  bool good = write->status == SRV_STORE_OK;
  srv_metrics_stored(request->server, write);
  log_failure(request->server, write);
  /* Somebody else has written: what is in memory is old, and the call is begun anew on what the store has. */
  if (write->status == SRV_STORE_CONFLICT) {
    srv_registry_raise_first_revision(request->server->registry, write->last_revision);
    srv_lost_writes_check_answer(request->server, request->entry, write->current, write->last_revision, write->submitted_ns);
    request->store_revision = write->current;
    request->store_stamp = write->current_stamp;
    srv_recover_reload(request->server, request->entry, write->current, write->current_stamp);
    unsigned long long current = write->current;
    srv_durable_free(durable);
    request->durable = NULL;
    if (!srv_job_retry(request)) refuse_moved(request, current);
    return;
  }
  if (!good) refuse_status(request, write);
  if (good && write->act == SRV_STORE_REMOVE) srv_lost_writes_note_deleted(request->server, write->revision);
  finish(request, good);
}

/* The store has a shape that is not in the table: it could not be read, or somebody else has just posted it. What was posted takes
 * its place, which changes nothing where it is whole: the id is made of the bytes. One that is to go and is not there has gone. */
static void shape_stored(srv_store_write *write) {
  srv_durable *durable = write->cls;
  srv_request *request = durable->request;
  srv_server *server = request->server;
  bool posts = write->act == SRV_STORE_BASE, good = write->status == SRV_STORE_OK;
  srv_metrics_stored(server, write);
  log_failure(server, write);
  if (posts && write->status == SRV_STORE_CONFLICT && write->current != write->before) {
    write->before = write->current;
    srv_metrics_submit(server, write);
    return;
  }
  if (posts && write->status == SRV_STORE_CONFLICT) write->status = SRV_STORE_UNAVAILABLE; /* the answer makes no sense */
  bool replaced = good && posts && write->before > 0;
  if (good && posts) srv_shape_expiry_renew(server, write->id);
  if (!good && write->status == SRV_STORE_CONFLICT) {
    srv_durable_commit_shapes(request);
    refuse_gone(request);
  } else if (!good) {
    refuse_status(request, write);
  }
  /* With a shared store they are counted when its shapes are looked at. */
  bool was_corrupt = good && !server->store->shared && (posts ? replaced : !durable->shapes);
  if (was_corrupt && server->shapes_corrupt > 0) server->shapes_corrupt--;
  finish(request, good);
  if (replaced) srv_recover_reload_corrupt(server);
  srv_shape_turn_release(server);
}

/* ---- handing over ---------------------------------------------------------------------------------------------------------- */

static void fill_write(srv_durable *durable, const char *id) {
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

/* The shape's turn has come. What the table becomes may refuse the call, or show that nothing is to be done any more. Whether a
 * scene names a shape that is to go, and whether one that a scene names is there, the store looks at in its own order: of a write
 * and a removal that are on their way the later one is refused, and no removal waits for writes. */
static void begin_shape(srv_shape_turn *turn) {
  srv_durable *durable = (srv_durable *)((char *)turn - offsetof(srv_durable, turn));
  srv_request *request = durable->request;
  srv_server *server = request->server;
  /* What could not be read is not in the table, and may be in the store. */
  if (durable->write.act == SRV_STORE_REMOVE && !api_shapes_has(server->shapes, durable->write.id)) {
    srv_metrics_submit(server, &durable->write);
    return;
  }
  durable->shapes = api_call_commit_shapes(request->call, server->shapes, false);
  if (durable->shapes == server->shapes) {
    durable->idle = true;
    if (!request->storing) return; /* heard by who hands over */
    finish(request, true);
    srv_shape_turn_release(server);
    return;
  }
  srv_metrics_submit(server, &durable->write);
}

static srv_durable_outcome submit_shape(srv_request *request, const char *id, bool posts) {
  srv_durable *durable = request->durable;
  fill_write(durable, id);
  srv_store_write *write = &durable->write;
  write->space = SRV_STORE_SHAPES;
  write->act = posts ? SRV_STORE_BASE : SRV_STORE_REMOVE;
  write->before = posts ? 0 : 1;
  write->revision = 1;
  write->done = shape_stored;
  durable->turn.begin = begin_shape;
  srv_shape_turn_acquire(request->server, &durable->turn);
  if (durable->idle) {
    srv_durable_free(durable);
    request->durable = NULL;
    srv_shape_turn_release(request->server);
    return SRV_DURABLE_NOTHING;
  }
  request->storing = true;
  return SRV_DURABLE_WAITS;
}

/* The store numbers what the write tells, and passes it on. Where it cannot be told whole one number is taken for all of it. */
static void fill_event_payload(srv_request *request) {
  if (!srv_store_distributes_events(request->server->store)) return;
  srv_durable *durable = request->durable;
  srv_store_write *write = &durable->write;
  size_t count = 0;
  bool whole = true;
  const api_event *events = api_call_events(request->call, &count, &whole);
  if (whole && count > 0) durable->told = srv_event_payload_write(events, count, &write->told_length);
  write->told = durable->told;
  write->told_count = durable->told ? count : 1;
}

static srv_durable_outcome submit_scene(srv_request *request) {
  srv_durable *durable = request->durable;
  const ct_scene *after = api_call_new_revision(request->call);
  const ct_scene *before = request->input.scene;
  fill_write(durable, request->entry->id);
  srv_store_write *write = &durable->write;
  write->space = SRV_STORE_SCENES;
  write->before = before ? ct_scene_revision(before) : request->input.lost_revision;
  write->before_stamp = request->input_stamp;
  write->revision = after ? ct_scene_revision(after) : write->before + 1;
  write->bodies = after ? ct_scene_count(after) : 0;
  if (!after) write->act = SRV_STORE_REMOVE;
  write->done = scene_stored;
  fill_event_payload(request);
  /* A call that worked on a snapshot is a write from now on; nobody holds the slot, or it would have been overtaken. */
  if (!request->holds_slot) {
    request->holds_slot = true;
    request->entry->writer = request;
  }
  request->storing = true;
  srv_metrics_submit(request->server, write);
  return SRV_DURABLE_WAITS;
}

/* False: out of memory, now or where the record was to be made. A removal has no record. */
static bool has_durable(srv_request *request, bool record) {
  if (!record && !request->durable) request->durable = calloc(1, sizeof *request->durable);
  if (!request->durable || (record && !request->durable->recorded)) return false;
  request->durable->request = request;
  return true;
}

static srv_durable_outcome refuse_memory(srv_request *request) {
  srv_job_refuse_memory(request);
  return SRV_DURABLE_REFUSED;
}

/* The shape has been taken away meanwhile. */
static void post_anew(srv_request *request) {
  srv_durable_free(request->durable);
  request->durable = NULL;
  if (srv_job_retry(request)) return;
  srv_request_refuse(request, API_PROBLEM_BUSY, "The shape was removed while it was posted. Nothing has changed; ask again.");
  srv_request_refusal_header(request, "Retry-After", "1");
  finish(request, false);
}

/* The turn of one that was there already: those before it may have taken it away, and then it is posted anew. */
static void begin_known(srv_shape_turn *turn) {
  srv_durable *durable = (srv_durable *)((char *)turn - offsetof(srv_durable, turn));
  srv_request *request = durable->request;
  srv_server *server = request->server;
  const char *id = NULL;
  (void)api_call_shape(request->call, &id);
  if (api_shapes_has(server->shapes, id)) {
    srv_shape_expiry_renew(server, id);
    finish(request, true);
  } else {
    post_anew(request);
  }
  srv_shape_turn_release(server);
}

/* The store has the last word on whether it is there. */
static void shape_seen(srv_store_write *write) {
  srv_request *request = ((srv_durable *)write->cls)->request;
  srv_server *server = request->server;
  bool good = write->status == SRV_STORE_OK;
  srv_metrics_stored(server, write);
  log_failure(server, write);
  if (good) srv_shape_expiry_reported(server, write->id, write->submitted_ns);
  if (write->status == SRV_STORE_CONFLICT) {
    const api_shape_table *left = api_shapes_drop(server->shapes, write->id);
    if (left) api_shapes_release(server->shapes);
    if (left) server->shapes = left;
    post_anew(request);
  } else {
    if (!good) refuse_status(request, write);
    finish(request, good);
  }
  srv_shape_turn_release(server);
}

static void begin_seen(srv_shape_turn *turn) {
  srv_durable *durable = (srv_durable *)((char *)turn - offsetof(srv_durable, turn));
  srv_metrics_submit(durable->request->server, &durable->write);
}

/* What was posted is there already: nothing is to be kept, but that it has been seen. */
static srv_durable_outcome hand_over_known(srv_request *request, const char *id) {
  srv_server *server = request->server;
  bool tells = srv_shape_expiry_needs_report(server, id);
  if (!server->shape_turn_taken && !tells) {
    srv_shape_expiry_renew(server, id);
    return SRV_DURABLE_NOTHING;
  }
  if (!has_durable(request, false)) return refuse_memory(request);
  srv_durable *durable = request->durable;
  fill_write(durable, id);
  durable->write.space = SRV_STORE_SHAPES;
  durable->write.act = SRV_STORE_SEEN;
  durable->write.before = durable->write.revision = 1;
  durable->write.done = shape_seen;
  durable->turn.begin = tells ? begin_seen : begin_known;
  request->storing = true;
  srv_shape_turn_acquire(server, &request->durable->turn);
  return SRV_DURABLE_WAITS;
}

static srv_durable_outcome hand_over_shape(srv_request *request) {
  const char *id = NULL;
  api_shape_change act = api_call_shape(request->call, &id);
  if (act == API_SHAPE_KNOWN) return hand_over_known(request, id);
  if (!has_durable(request, act == API_SHAPE_POSTED)) return refuse_memory(request);
  return submit_shape(request, id, act == API_SHAPE_POSTED);
}

static srv_durable_outcome hand_over_scene(srv_request *request) {
  const ct_scene *after = api_call_new_revision(request->call);
  if (!after && request->match.target != API_TARGET_DELETE) return SRV_DURABLE_NOTHING;
  if (!has_durable(request, after != NULL)) return refuse_memory(request);
  if (after && !request->entry->kept) {
    request->durable->kept = calloc(1, sizeof *request->durable->kept);
    if (!request->durable->kept) return refuse_memory(request);
  }
  return submit_scene(request);
}

srv_durable_outcome srv_durable_submit(srv_request *request) {
  if (!request->server->store || !succeeded(request)) return SRV_DURABLE_NOTHING;
  return request->match.target == API_TARGET_SHAPE_WRITE ? hand_over_shape(request) : hand_over_scene(request);
}

/* ---- commit ---------------------------------------------------------------------------------------------------------------- */

void srv_durable_committed(srv_request *request) {
  srv_durable *durable = request->durable;
  srv_entry *entry = request->entry;
  if (!durable) return;
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
