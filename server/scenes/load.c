/* Loading: fetches the records of a scene or shape from the store and applies them on a worker;
 * those of a scene in its lane. When the load ends, the requests that wait for the scene continue,
 * in order of arrival. */
#include "scenes/load.h"

#include "scenes/lost_writes.h"
#include "scenes/shared_store.h"

#include <api/record.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a request's JSON per byte of a record, to estimate the size of the requests that wrote
 * the scene: JSON contains numbers as text. */
#define BYTES_PER_RECORD_BYTE 3u

/* State of the loading of one scene or shape. */
typedef struct srv_loading {
  srv_job job;              /* must be first: the pool gets this address */
  struct srv_loading *next; /* next load that waits for shapes */
  srv_server *server;
  srv_entry *entry;             /* entry of the scene, retained; NULL: a shape is loaded */
  srv_scene_loaded *scene_done; /* called at the end of the load of a scene; may be NULL */
  srv_shape_loaded *shape_done; /* called at the end of the load of a shape */
  srv_store_load fetch;
  const api_shape_table *shapes; /* scene: the shapes that its records may name; shape: a table with
                                    only the loaded shape */
  const ct_scene *scene;
  api_restored outcome;
  char why[SRV_STORED_SCENE_WHY];
  bool whole; /* `shapes` contains all posted shapes, so that a shape not in it is missing in the
                 store too */
  bool again; /* this load is a second attempt: the first one found damage that a concurrent write
                 may have caused */
  srv_shape_sync
      sync; /* shared store: wait for the synchronisation of the shapes that the scene may name */
} loading;

static void submit_records(loading *load);

/* ---- on a worker ---------------------------------------------------------------------------- */

static void apply_shape_record(loading *load) {
  const srv_store_record *record = &load->fetch.records[0];
  const api_shape_table *after = NULL;
  load->outcome = api_record_apply_shape(load->server->service, NULL, record->bytes, record->length,
                                         &after, load->why);
  if (load->outcome == API_RESTORED) load->shapes = after;
}

static void apply_scene_records(loading *load) {
  for (size_t i = 0; i < load->fetch.count && load->outcome == API_RESTORED; i++) {
    const srv_store_record *record = &load->fetch.records[i];
    const ct_scene *after = NULL;
    load->outcome = api_record_apply(load->shapes, load->scene, record->bytes, record->length,
                                     &after, load->why);
    if (load->outcome != API_RESTORED) break;
    ct_scene_release(load->scene);
    load->scene = after;
    if (ct_scene_revision(after) == record->revision) continue;
    load->outcome = API_RESTORE_DAMAGED;
    snprintf(load->why, sizeof load->why, "the record of revision %llu contains another revision",
             (unsigned long long)record->revision);
  }
}

static void run_load(srv_job *job, long piece, api_scratch *scratch) {
  loading *load = (loading *)job;
  (void)piece;
  (void)scratch;
  load->outcome = API_RESTORED;
  if (load->entry) apply_scene_records(load);
  else apply_shape_record(load);
}

/* ---- on the loop thread --------------------------------------------------------------------- */

static void refuse_waiting_requests(srv_entry *entry, srv_store_status status) {
  for (srv_request *request; (request = srv_request_queue_pop(&entry->loads));) {
    if (status == SRV_STORE_MEMORY) srv_request_refuse_memory(request);
    else if (status == SRV_STORE_FAILED)
      srv_request_refuse(request, API_PROBLEM_STORAGE_FAILED,
                         "The scene could not be read from the store.");
    else
      srv_request_refuse(request, API_PROBLEM_STORE_UNAVAILABLE,
                         "The scene cannot be read from the store now.");
    if (status != SRV_STORE_MEMORY) srv_request_refusal_header(request, "Retry-After", "1");
    request->server->handlers->resume(request, SRV_OUTCOME_REFUSED);
  }
}

/* Sets the sizes of base and changes, which determine when the next compaction is due. */
static void note_record_sizes(srv_entry *entry, const srv_store_load *fetch) {
  srv_stored_scene *kept = entry->kept;
  kept->base_bytes = kept->change_bytes = kept->changes = kept->folded_bytes =
      kept->folded_changes = 0;
  for (size_t i = 0; i < fetch->count; i++) {
    if (fetch->records[i].base)
      kept->base_bytes = fetch->records[i].length, kept->change_bytes = kept->changes = 0;
    else kept->change_bytes += fetch->records[i].length, kept->changes++;
  }
  entry->written_bytes = BYTES_PER_RECORD_BYTE * (kept->base_bytes + kept->change_bytes);
}

/* Marks the scene as corrupt. An older revision in memory is released: it is not the acknowledged
 * one, and the revision after a PUT or DELETE must follow the store's. */
static void mark_scene_corrupt(loading *load) {
  srv_stored_scene *kept = load->entry->kept;
  char text[CT_ID_LENGTH_MAX + SRV_STORED_SCENE_WHY + 8];
  snprintf(kept->why, sizeof kept->why, "%s", load->why);
  snprintf(text, sizeof text, "%s: %s", load->entry->id, kept->why);
  srv_log_event(load->server->log, "sceneCorrupt", text);
  if (load->entry->current) srv_registry_unload(load->server->registry, load->entry);
  kept->presence = SRV_PRESENCE_CORRUPT;
}

/* Applies the result of store and worker to the entry. OK: the scene is loaded, deleted or corrupt;
 * other statuses: the load may be repeated. *full: the scene exceeds --scene-memory. */
static srv_store_status apply_load_result(loading *load, bool *full) {
  srv_entry *entry = load->entry;
  srv_stored_scene *kept = entry->kept;
  srv_store_status status = load->fetch.status;
  if (status == SRV_STORE_OK && load->outcome == API_RESTORE_MEMORY) status = SRV_STORE_MEMORY;
  /* While streams are open the entry remains, so that they get the event of a deletion. */
  bool may_remove = load->server->store->shared || (kept->is_missing && !entry->ring);
  kept->is_missing = false;
  if (status == SRV_STORE_UNKNOWN && may_remove) {
    srv_registry_remove(load->server->registry, entry);
    return SRV_STORE_OK;
  }
  if (status == SRV_STORE_DAMAGED || status == SRV_STORE_UNKNOWN) {
    /* Only this daemon removes scenes from its own store, so a missing key means damage, although
     * each page that is read is verified. */
    snprintf(load->why, sizeof load->why, "%s",
             status == SRV_STORE_DAMAGED ? load->fetch.why : "the store no longer finds its key");
    mark_scene_corrupt(load);
  } else if (status != SRV_STORE_OK) {
    kept->presence = entry->current ? SRV_PRESENCE_HERE : SRV_PRESENCE_STORED;
    return status;
  } else if (load->outcome != API_RESTORED) {
    mark_scene_corrupt(load);
  } else {
    note_record_sizes(entry, &load->fetch);
    srv_lost_writes_check_load(load->server, entry, &load->fetch);
    srv_lost_writes_note_stored(kept, ct_scene_revision(load->scene));
    srv_registry_commit(load->server->registry, entry, load->scene);
    kept->presence = SRV_PRESENCE_HERE;
    *full = srv_server_evict_scenes(load->server);
  }
  return SRV_STORE_OK;
}

static srv_store_status end_scene_load(loading *load, bool *full) {
  srv_entry *entry = load->entry;
  srv_stored_scene *kept = entry->kept;
  /* the scene was deleted or written during the reload: the newer state remains */
  bool is_over = !kept || kept->presence == SRV_PRESENCE_HERE;
  if (kept && is_over) kept->is_missing = false;
  srv_store_status status = is_over ? SRV_STORE_OK : apply_load_result(load, full);
  if (status != SRV_STORE_OK) {
    refuse_waiting_requests(entry, status);
    return status;
  }
  srv_load_continue(load->server, &entry->loads);
  return status;
}

void srv_load_continue(srv_server *server, srv_request_queue *queue) {
  /* Detach the queue first: continued requests may queue for the next load of the same scene. */
  srv_request_queue ready = *queue;
  *queue = (srv_request_queue){0};
  for (srv_request *request; (request = srv_request_queue_pop(&ready));)
    server->handlers->resume(request, SRV_OUTCOME_GOOD);
}

/* Adds a loaded shape to the table. An unreadable shape is logged and not added; scenes that refer
 * to it will be reported as corrupt. True: the load must be repeated. */
static bool end_shape_load(loading *load) {
  srv_server *server = load->server;
  bool good = load->fetch.status == SRV_STORE_OK && load->outcome == API_RESTORED;
  bool again = load->fetch.status == SRV_STORE_UNAVAILABLE ||
               load->fetch.status == SRV_STORE_MEMORY ||
               (load->fetch.status == SRV_STORE_OK && load->outcome == API_RESTORE_MEMORY);
  if (again) return true;
  if (good) {
    const api_shape_table *joined = api_shapes_union(server->shapes, load->shapes);
    if (!joined) return true;
    api_shapes_release(server->shapes);
    server->shapes = joined;
    return false;
  }
  char text[CT_ID_LENGTH_MAX + SRV_STORED_SCENE_WHY + 8];
  snprintf(text, sizeof text, "%s: %s", load->fetch.id,
           load->fetch.status == SRV_STORE_OK ? load->why : load->fetch.why);
  srv_log_event(server->log, "shapeCorrupt", text);
  server->shapes_corrupt++;
  return false;
}

static void end_load(loading *load) {
  srv_server *server = load->server;
  srv_scene_loaded *scene_done = load->scene_done;
  srv_shape_loaded *shape_done = load->shape_done;
  bool again, full = false;
  if (load->entry) {
    again = end_scene_load(load, &full) == SRV_STORE_UNAVAILABLE;
    srv_registry_release(server->registry, load->entry);
  } else {
    again = end_shape_load(load);
  }
  char id[CT_ID_LENGTH_MAX + 1];
  memcpy(id, load->fetch.id, sizeof id);
  srv_store_load_free(&load->fetch);
  ct_scene_release(load->scene);
  api_shapes_release(load->shapes);
  free(load);
  assert(server->background_jobs > 0);
  server->background_jobs--;
  if (shape_done) shape_done(server, id, again);
  else if (scene_done) scene_done(server, again, full);
}

/* Discards the result of the worker, so that the records can be applied again. */
static void discard_load_result(loading *load) {
  ct_scene_release(load->scene);
  api_shapes_release(load->shapes);
  load->scene = NULL;
  load->shapes = NULL;
}

/* Applies the records on a worker, or ends the load if the daemon shuts down. */
static void resume_load(loading *load) {
  load->next = NULL;
  if (!load->server->ending) {
    submit_records(load);
    return;
  }
  load->fetch.status = SRV_STORE_UNAVAILABLE;
  end_load(load);
}

void srv_load_resume(srv_server *server) {
  loading *first = server->shape_waiters;
  server->shape_waiters = NULL;
  while (first) {
    loading *load = first;
    first = load->next;
    resume_load(load);
  }
}

static void on_records_applied(srv_job *job, long piece) {
  loading *load = (loading *)job;
  (void)piece;
  srv_pool_withdraw(load->server->pool, job);
  if (load->entry && load->server->store->shared && load->outcome == API_RESTORE_DAMAGED &&
      !load->again) {
    load->again = true;
    srv_store_load_free(&load->fetch);
    discard_load_result(load);
    srv_store_fetch(load->server->store, &load->fetch);
    return;
  }
  /* the scene may name a shape that is not loaded yet: wait until all shapes are loaded */
  if (load->entry && load->outcome == API_RESTORE_DAMAGED && !load->whole) {
    discard_load_result(load);
    if (load->server->shapes_pending && !load->server->ending) {
      load->next = load->server->shape_waiters;
      load->server->shape_waiters = load;
    } else {
      resume_load(load);
    }
    return;
  }
  end_load(load);
}

static void submit_records(loading *load) {
  srv_server *server = load->server;
  load->whole = !server->shapes_pending || server->store->shared;
  if (load->entry) load->shapes = api_shapes_retain(server->shapes);
  srv_pool_submit(server->pool, &load->job, load->entry ? &load->entry->lane : &server->stateless,
                  false);
  srv_pool_pump(server->pool);
}

static void on_load_shapes_synced(srv_shape_sync *sync, srv_store_status status, const char *why) {
  loading *load = (loading *)((char *)sync - offsetof(loading, sync));
  if (status == SRV_STORE_OK) {
    submit_records(load);
    return;
  }
  load->fetch.status = status;
  snprintf(load->fetch.why, sizeof load->fetch.why, "%s", why);
  end_load(load);
}

/* Called with the records of the load. With a shared store, the shapes are synchronised after the
 * scene was read: all shapes to which the scene refers existed by then. */
static void on_records_fetched(srv_store_load *fetch) {
  loading *load = fetch->cls;
  srv_server *server = load->server;
  if (fetch->status != SRV_STORE_OK || fetch->count == 0) {
    if (fetch->status == SRV_STORE_OK) fetch->status = SRV_STORE_UNKNOWN;
    end_load(load);
    return;
  }
  if (load->entry && server->store->shared) {
    load->sync.done = on_load_shapes_synced;
    srv_shared_sync_shapes(server, &load->sync);
  } else {
    submit_records(load);
  }
}

/* Starts fetching the records of a scene (entry) or shape (entry NULL). NULL: out of memory, or the
 * daemon shuts down. */
static loading *begin_fetch(srv_server *server, srv_entry *entry, const char *id) {
  loading *load = server->ending ? NULL : calloc(1, sizeof *load);
  if (!load) return NULL;
  load->job = (srv_job){.run = run_load, .done = on_records_applied};
  load->server = server;
  load->entry = entry;
  load->fetch.space = entry ? SRV_STORE_SCENES : SRV_STORE_SHAPES;
  load->fetch.done = on_records_fetched;
  load->fetch.cls = load;
  snprintf(load->fetch.id, sizeof load->fetch.id, "%s", id);
  if (entry) srv_registry_retain(server->registry, entry);
  server->background_jobs++;
  srv_store_fetch(server->store, &load->fetch); /* calls on_records_fetched later */
  return load;
}

bool srv_load_scene(srv_server *server, srv_entry *entry, srv_scene_loaded *done) {
  srv_stored_scene *kept = entry->kept;
  assert(kept && kept->presence != SRV_PRESENCE_LOADING);
  kept->presence = SRV_PRESENCE_LOADING;
  loading *load = begin_fetch(server, entry, entry->id);
  if (load) {
    load->scene_done = done;
    return true;
  }
  kept->presence = entry->current ? SRV_PRESENCE_HERE : SRV_PRESENCE_STORED;
  refuse_waiting_requests(entry, SRV_STORE_MEMORY);
  return false;
}

bool srv_load_shape(srv_server *server, const char *id, srv_shape_loaded *done) {
  loading *load = begin_fetch(server, NULL, id);
  if (load) load->shape_done = done;
  return load != NULL;
}
