/* A loading fetches the records of a key from the store and applies them on a worker, a scene's in its lane. Who waits for a scene
 * is told when it has ended, in the order of their coming. */
#include "scenes/load.h"

#include "scenes/lost_writes.h"
#include "scenes/recover.h"
#include "scenes/scene_cache.h"
#include "scenes/shared_store.h"

#include <api/record.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes of a request from which a byte of a record may have come: numbers are texts there. */
#define BYTES_PER_RECORD_BYTE 3u

/* The loading of one key. */
typedef struct srv_loading {
  srv_job job;              /* first: the pool's view */
  struct srv_loading *next; /* that waits for shapes */
  srv_server *server;
  srv_entry *entry; /* held; NULL: a shape */
  bool background;
  srv_store_load fetch;
  const api_shape_table *shapes; /* that the scene may name; or of the shape alone */
  const ct_scene *scene;
  api_restored outcome;
  char why[SRV_STORED_SCENE_WHY];
  bool taken;
  bool whole;          /* all posted shapes are among those */
  bool again;          /* a second time: what the first has read may have been overtaken */
  srv_shape_sync sync; /* with a shared store: the shapes that the scene may name */
} loading;

static void apply(loading *l);

srv_request *srv_load_pop(srv_request **first, srv_request **last) {
  srv_request *request = *first;
  if (!request) return NULL;
  *first = request->next_waiting;
  if (!*first) *last = NULL;
  request->load_queued = false;
  return request;
}

/* ---- on a worker ---------------------------------------------------------------------------------------------------- */

static long take(srv_job *job) {
  loading *l = (loading *)job;
  if (l->taken) return SRV_NO_PIECE;
  l->taken = true;
  return 0;
}

static void apply_shape(loading *l) {
  const srv_store_record *record = &l->fetch.records[0];
  const api_shape_table *after = NULL;
  l->outcome = api_record_apply_shape(l->server->service, NULL, record->bytes, record->length, &after, l->why);
  if (l->outcome == API_RESTORED) l->shapes = after;
}

static void apply_scene(loading *l) {
  for (size_t i = 0; i < l->fetch.count && l->outcome == API_RESTORED; i++) {
    const srv_store_record *record = &l->fetch.records[i];
    const ct_scene *after = NULL;
    l->outcome = api_record_apply(l->shapes, l->scene, record->bytes, record->length, &after, l->why);
    if (l->outcome != API_RESTORED) break;
    ct_scene_release(l->scene);
    l->scene = after;
    if (ct_scene_revision(after) == record->revision) continue;
    l->outcome = API_RESTORE_DAMAGED;
    snprintf(l->why, sizeof l->why, "the record of revision %llu tells of another one", (unsigned long long)record->revision);
  }
}

static void run(srv_job *job, long piece, api_scratch *scratch) {
  loading *l = (loading *)job;
  (void)piece;
  (void)scratch;
  l->outcome = API_RESTORED;
  if (l->entry) apply_scene(l);
  else apply_shape(l);
}

/* ---- on the loop thread --------------------------------------------------------------------------------------------- */

static void refuse_all(srv_entry *entry, srv_store_status status) {
  for (srv_request *request; (request = srv_load_pop(&entry->loads_first, &entry->loads_last));) {
    if (status == SRV_STORE_MEMORY) srv_job_refuse_memory(request);
    else if (status == SRV_STORE_FAILED)
      srv_request_refuse(request, API_PROBLEM_STORAGE_FAILED, "The scene could not be read from the store.");
    else srv_request_refuse(request, API_PROBLEM_STORE_UNAVAILABLE, "The scene cannot be read from the store now.");
    if (status != SRV_STORE_MEMORY) srv_request_refusal_header(request, "Retry-After", "1");
    srv_job_not_loaded(request);
  }
}

/* The records of the key are what is left to weigh when it is written to. */
static void note_records(srv_entry *entry, const srv_store_load *fetch) {
  srv_stored_scene *kept = entry->kept;
  kept->base_bytes = kept->change_bytes = kept->changes = kept->folded_bytes = kept->folded_changes = 0;
  for (size_t i = 0; i < fetch->count; i++) {
    if (fetch->records[i].base) kept->base_bytes = fetch->records[i].length, kept->change_bytes = kept->changes = 0;
    else kept->change_bytes += fetch->records[i].length, kept->changes++;
  }
  entry->written_bytes = BYTES_PER_RECORD_BYTE * (kept->base_bytes + kept->change_bytes);
}

/* An older revision that is in memory is let go of: it is not what was acknowledged, and a PUT or a DELETE has to follow what the
 * store has. */
static void set_corrupt(loading *l) {
  srv_stored_scene *kept = l->entry->kept;
  char text[CT_ID_LENGTH_MAX + SRV_STORED_SCENE_WHY + 8];
  snprintf(kept->why, sizeof kept->why, "%s", l->why);
  snprintf(text, sizeof text, "%s: %s", l->entry->id, kept->why);
  srv_log_event(l->server->log, "sceneCorrupt", text);
  if (l->entry->current) srv_registry_unload(l->server->registry, l->entry);
  kept->presence = SRV_PRESENCE_CORRUPT;
}

/* What the store or the worker has said of the scene. OK: it is settled whether it can be read. */
static srv_store_status settle_scene(loading *l) {
  srv_entry *entry = l->entry;
  srv_stored_scene *kept = entry->kept;
  srv_store_status status = l->fetch.status;
  if (status == SRV_STORE_OK && l->outcome == API_RESTORE_MEMORY) status = SRV_STORE_MEMORY;
  /* Who listened is told of a deletion, which this would not be. */
  bool may_go = l->server->store->shared || (kept->gone && !entry->ring);
  kept->gone = false;
  if (status == SRV_STORE_UNKNOWN && may_go) {
    srv_registry_remove(l->server->registry, entry);
    return SRV_STORE_OK;
  }
  if (status == SRV_STORE_DAMAGED || status == SRV_STORE_UNKNOWN) {
    /* Nobody else removes scenes from a store that is this daemon's alone: what a reader does not find any more is damaged. Who
     * writes proves each page that it reads. */
    snprintf(l->why, sizeof l->why, "%s", status == SRV_STORE_DAMAGED ? l->fetch.why : "the store does not find its key any more");
    set_corrupt(l);
  } else if (status != SRV_STORE_OK) {
    kept->presence = entry->current ? SRV_PRESENCE_HERE : SRV_PRESENCE_STORED;
    return status;
  } else if (l->outcome != API_RESTORED) {
    set_corrupt(l);
  } else {
    note_records(entry, &l->fetch);
    srv_lost_writes_check_load(l->server, entry, &l->fetch);
    srv_lost_writes_note_stored(kept, ct_scene_revision(l->scene));
    srv_registry_commit(l->server->registry, entry, l->scene);
    kept->presence = SRV_PRESENCE_HERE;
    if (srv_scene_cache_evict(l->server) && l->background) srv_recover_stop_background(l->server);
  }
  return SRV_STORE_OK;
}

static srv_store_status end_scene(loading *l) {
  srv_entry *entry = l->entry;
  srv_stored_scene *kept = entry->kept;
  /* Deleted, or written to, while it was loaded anew: what came after the loading began is newer. */
  bool is_over = !kept || kept->presence == SRV_PRESENCE_HERE;
  if (kept && is_over) kept->gone = false;
  srv_store_status status = is_over ? SRV_STORE_OK : settle_scene(l);
  if (status != SRV_STORE_OK) {
    refuse_all(entry, status);
    return status;
  }
  /* Who comes now need not wait, or waits for the next loading. */
  srv_request *first = entry->loads_first, *last = entry->loads_last;
  entry->loads_first = entry->loads_last = NULL;
  for (srv_request *request; (request = srv_load_pop(&first, &last));) srv_job_loaded(request);
  return status;
}

/* A shape that cannot be read is missing; scenes that name it cannot be read either, and say so. True: it is to be tried again. */
static bool end_shape(loading *l) {
  srv_server *server = l->server;
  bool good = l->fetch.status == SRV_STORE_OK && l->outcome == API_RESTORED;
  bool again = l->fetch.status == SRV_STORE_UNAVAILABLE || l->fetch.status == SRV_STORE_MEMORY ||
               (l->fetch.status == SRV_STORE_OK && l->outcome == API_RESTORE_MEMORY);
  if (again) return true;
  if (good) {
    const api_shape_table *joined = api_shapes_union(server->shapes, l->shapes);
    if (!joined) return true;
    api_shapes_release(server->shapes);
    server->shapes = joined;
    return false;
  }
  char text[CT_ID_LENGTH_MAX + SRV_STORED_SCENE_WHY + 8];
  snprintf(text, sizeof text, "%s: %s", l->fetch.id, l->fetch.status == SRV_STORE_OK ? l->why : l->fetch.why);
  srv_log_event(server->log, "shapeCorrupt", text);
  server->shapes_corrupt++;
  return false;
}

static void end(loading *l) {
  srv_server *server = l->server;
  bool background = l->background, shape = !l->entry, again;
  if (shape) {
    again = end_shape(l);
  } else {
    again = end_scene(l) == SRV_STORE_UNAVAILABLE;
    srv_registry_release(server->registry, l->entry);
  }
  char id[CT_ID_LENGTH_MAX + 1];
  memcpy(id, l->fetch.id, sizeof id);
  srv_store_load_free(&l->fetch);
  ct_scene_release(l->scene);
  api_shapes_release(l->shapes);
  free(l);
  server->errands--;
  if (shape) srv_recover_shape_loaded(server, id, again);
  else if (background) srv_recover_loaded(server, again);
}

/* What has been made of it goes, so that it can be made anew. */
static void unmake(loading *l) {
  l->taken = false;
  ct_scene_release(l->scene);
  api_shapes_release(l->shapes);
  l->scene = NULL;
  l->shapes = NULL;
}

void srv_load_resume(struct srv_loading *first) {
  while (first) {
    loading *l = first;
    first = l->next;
    if (l->server->ending) {
      l->fetch.status = SRV_STORE_UNAVAILABLE;
      end(l);
    } else {
      apply(l);
    }
  }
}

static void done(srv_job *job, long piece) {
  loading *l = (loading *)job;
  (void)piece;
  srv_pool_withdraw(l->server->pool, job);
  if (l->entry && l->server->store->shared && l->outcome == API_RESTORE_DAMAGED && !l->again) {
    l->again = true;
    srv_store_load_free(&l->fetch);
    unmake(l);
    srv_store_fetch(l->server->store, &l->fetch);
    return;
  }
  /* It may have named a shape that was not here yet. */
  if (l->entry && l->outcome == API_RESTORE_DAMAGED && !l->whole) {
    unmake(l);
    l->next = NULL;
    struct srv_loading **awaiting = srv_recover_shape_waiters(l->server);
    if (awaiting) {
      l->next = *awaiting;
      *awaiting = l;
    } else {
      srv_load_resume(l);
    }
    return;
  }
  end(l);
}

static void apply(loading *l) {
  srv_server *server = l->server;
  l->whole = srv_recover_has_shapes(server) || server->store->shared;
  if (l->entry) l->shapes = api_shapes_retain(server->shapes);
  srv_pool_submit(server->pool, &l->job, l->entry ? &l->entry->lane : &server->stateless, false);
  srv_pool_pump(server->pool);
}

static void synced(srv_shape_sync *sync, srv_store_status status, const char *why) {
  loading *l = (loading *)((char *)sync - offsetof(loading, sync));
  if (status == SRV_STORE_OK) {
    apply(l);
    return;
  }
  l->fetch.status = status;
  snprintf(l->fetch.why, sizeof l->fetch.why, "%s", why);
  end(l);
}

/* Shapes that the scene names were there when it was read, and are asked for afterwards. */
static void fetched(srv_store_load *fetch) {
  loading *l = fetch->cls;
  srv_server *server = l->server;
  if (fetch->status != SRV_STORE_OK || fetch->count == 0) {
    if (fetch->status == SRV_STORE_OK) fetch->status = SRV_STORE_UNKNOWN;
    end(l);
    return;
  }
  if (l->entry && server->store->shared) {
    l->sync.done = synced;
    srv_shared_sync_shapes(server, &l->sync);
  } else {
    apply(l);
  }
}

/* False: out of memory, or the daemon ends. */
static bool fetch(srv_server *server, srv_entry *entry, const char *id, bool background) {
  loading *l = server->ending ? NULL : calloc(1, sizeof *l);
  if (!l) return false;
  l->job = (srv_job){.take = take, .run = run, .done = done};
  l->server = server;
  l->entry = entry;
  l->background = background;
  l->fetch.space = entry ? SRV_STORE_SCENES : SRV_STORE_SHAPES;
  l->fetch.done = fetched;
  l->fetch.cls = l;
  snprintf(l->fetch.id, sizeof l->fetch.id, "%s", id);
  if (entry) srv_registry_retain(server->registry, entry);
  server->errands++;
  srv_store_fetch(server->store, &l->fetch);
  return true;
}

bool srv_load_scene(srv_server *server, srv_entry *entry, bool background) {
  srv_stored_scene *kept = entry->kept;
  kept->presence = SRV_PRESENCE_LOADING;
  if (fetch(server, entry, entry->id, background)) return true;
  kept->presence = entry->current ? SRV_PRESENCE_HERE : SRV_PRESENCE_STORED;
  refuse_all(entry, SRV_STORE_MEMORY);
  return false;
}

bool srv_load_shape(srv_server *server, const char *id) { return fetch(server, NULL, id, true); }
