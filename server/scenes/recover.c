/* Recovery in phases: list the scenes, load all posted shapes (scenes may name them), then load the
 * scenes.
 *
 * Requests that need a scene or shape that is not loaded yet wait in a queue, within the limits of
 * the write queues and their own deadlines. A failed read of the store is repeated after a
 * second. */
#include "scenes/recover.h"

#include "scenes/load.h"
#include "scenes/shared_store.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Delay before a failed read of the store is repeated. */
#define RETRY_NS 1000000000u

typedef enum phase {
  PHASE_LISTING, /* the scenes are being listed, before the daemon listens */
  PHASE_SHAPES,  /* the shapes are being listed, then loaded in the background */
  PHASE_SCENES   /* all shapes are loaded; scenes are loaded in the background */
} phase;

struct srv_recovery {
  phase phase;
  srv_store_lookup lookup;
  bool looked;
  srv_store_entry *shapes; /* list of the store's shapes, owned; those before shape_next are loaded
                              or being loaded */
  size_t shape_count, shape_next, shapes_loading;
  srv_request_queue waits;       /* requests that wait until all shapes are loaded */
  char at[CT_ID_LENGTH_MAX + 1]; /* id of the last scene considered for loading in the background */
  char before[CT_ID_LENGTH_MAX + 1]; /* id of the scene considered before the scene `at` */
  bool full;    /* --scene-memory is used up, so background loading has ended */
  bool loading; /* a list or a background load is in progress */
  srv_server *server;
  bool listed;         /* all scenes are listed */
  srv_shape_sync sync; /* shared store: wait for the synchronisation of the shapes */
  uint64_t retry_ns;   /* time of the next attempt after a failure; 0: none */
};

static void continue_recovery(srv_server *server);

/* ---- waiting requests ----------------------------------------------------------------------- */

/* True if requests must wait for the shapes. With a shared store they need not: each call
 * synchronises the shapes itself and is refused on failure (shared_store.h). */
static bool waits_for_shapes(const srv_server *server) {
  return server->shapes_pending && !server->store->shared;
}

static bool is_load_pending(const srv_entry *entry) {
  const srv_stored_scene *kept = entry ? entry->kept : NULL;
  return kept && (kept->presence == SRV_PRESENCE_STORED || kept->presence == SRV_PRESENCE_LOADING);
}

srv_work srv_recover_wait(const srv_request *request) {
  assert(request->server->store);
  if (waits_for_shapes(request->server) && srv_request_needs_shapes(request))
    return SRV_WORK_AWAITS_SHAPES;
  return is_load_pending(request->entry) ? SRV_WORK_AWAITS_SCENE : SRV_WORK_IDLE;
}

static srv_request_queue *get_queue(srv_request *request) {
  bool shapes = request->work == SRV_WORK_AWAITS_SHAPES;
  assert(shapes || request->work == SRV_WORK_AWAITS_SCENE);
  return shapes ? &request->server->recovery->waits : &request->entry->loads;
}

void srv_recover_enqueue(srv_request *request) {
  srv_entry *entry = request->entry;
  srv_request_queue_push(get_queue(request), request);
  if (request->work == SRV_WORK_AWAITS_SCENE && entry->kept->presence == SRV_PRESENCE_STORED)
    (void)srv_load_scene(request->server, entry, NULL);
}

void srv_recover_dequeue(srv_request *request) {
  srv_request_queue_remove(get_queue(request), request);
}

bool srv_recover_refuses(srv_request *request) {
  const srv_entry *entry = request->entry;
  assert(entry && entry->kept);
  if (entry->kept->presence != SRV_PRESENCE_CORRUPT) return false;
  if (request->match.target == API_TARGET_PUT || request->match.target == API_TARGET_DELETE)
    return false;
  srv_request_refuse(request, API_PROBLEM_CORRUPT, "The scene \"%s\" cannot be read: %s", entry->id,
                     entry->kept->why);
  return true;
}

/* Schedules a repetition of the step that failed. */
static void schedule_retry(srv_recovery *recovery) {
  recovery->retry_ns = uv_hrtime() + RETRY_NS;
  memcpy(recovery->at, recovery->before, sizeof recovery->at);
}

void srv_recover_reload(srv_server *server, srv_entry *entry, uint64_t revision, uint64_t stamp) {
  if (!entry->kept && revision > 0) {
    srv_stored_scene *kept = calloc(1, sizeof *kept);
    if (!kept) return;
    kept->revision = revision;
    kept->stamp = stamp;
    srv_registry_set_stored(server->registry, entry, kept);
    (void)srv_load_scene(server, entry, NULL);
  } else if (entry->kept && entry->kept->presence == SRV_PRESENCE_HERE) {
    if (revision > 0) {
      entry->kept->revision = revision;
      entry->kept->stamp = stamp;
    }
    entry->kept->is_missing = revision == 0;
    (void)srv_load_scene(server, entry, NULL);
  }
}

void srv_recover_reload_corrupt(srv_server *server) {
  srv_entry *entry;
  for (size_t i = 0; (entry = srv_registry_at(server->registry, i)); i++) {
    bool corrupt = entry->kept && entry->kept->presence == SRV_PRESENCE_CORRUPT;
    if (corrupt && !entry->writer) entry->kept->presence = SRV_PRESENCE_STORED;
  }
  server->recovery->at[0] = server->recovery->before[0] = 0;
  continue_recovery(server);
}

/* ---- phases --------------------------------------------------------------------------------- */

static void handle_lookup_failure(srv_server *server, const srv_store_lookup *lookup) {
  srv_log_event(server->log, "storeNotRead", lookup->why);
  schedule_retry(server->recovery);
}

static void on_shapes_listed(srv_store_lookup *lookup) {
  srv_server *server = lookup->cls;
  srv_recovery *recovery = server->recovery;
  recovery->loading = false;
  server->background_jobs--;
  if (lookup->status != SRV_STORE_OK) {
    handle_lookup_failure(server, lookup);
    return;
  }
  recovery->looked = true;
  recovery->shapes = lookup->entries;
  recovery->shape_count = lookup->count;
  continue_recovery(server);
}

static void request_shape_list(srv_server *server) {
  srv_recovery *recovery = server->recovery;
  recovery->lookup =
      (srv_store_lookup){.space = SRV_STORE_SHAPES, .done = on_shapes_listed, .cls = server};
  recovery->loading = true;
  server->background_jobs++;
  srv_store_find(server->store, &recovery->lookup);
}

static void finish_shapes_phase(srv_server *server) {
  srv_recovery *recovery = server->recovery;
  recovery->phase = PHASE_SCENES;
  server->shapes_pending = false;
  srv_load_resume(server);
  srv_load_continue(server, &recovery->waits);
}

/* Called when the shapes are synchronised; the synchronisation has already logged the reason of a
 * failure. */
static void on_recovery_shapes_synced(srv_shape_sync *sync, srv_store_status status,
                                      const char *why) {
  srv_recovery *recovery = (srv_recovery *)((char *)sync - offsetof(srv_recovery, sync));
  srv_server *server = recovery->server;
  (void)why;
  recovery->loading = false;
  if (status != SRV_STORE_OK) {
    schedule_retry(recovery);
    return;
  }
  finish_shapes_phase(server);
}

static void begin_shape_sync(srv_server *server) {
  srv_recovery *recovery = server->recovery;
  recovery->sync.done = on_recovery_shapes_synced;
  recovery->loading = true;
  srv_shared_sync_shapes(server, &recovery->sync);
}

static void on_shared_scenes_listed(srv_server *server, bool good) {
  srv_recovery *recovery = server->recovery;
  recovery->loading = false;
  recovery->listed = good;
  if (!good) schedule_retry(recovery);
  continue_recovery(server);
}

/* Requests the list of scenes of a shared store that was unreachable at the start. */
static void request_shared_scene_list(srv_server *server) {
  srv_recovery *recovery = server->recovery;
  recovery->loading = srv_shared_list_scenes(server, on_shared_scenes_listed);
  if (!recovery->loading) schedule_retry(recovery);
}

/* Continues after a scene was loaded in the background. If it was larger than estimated and exceeds
 * --scene-memory, background loading ends. */
static void on_background_scene_loaded(srv_server *server, bool again, bool full) {
  srv_recovery *recovery = server->recovery;
  recovery->loading = false;
  if (full) recovery->full = true;
  if (again) schedule_retry(recovery);
  continue_recovery(server);
}

/* Continues after a shape was loaded. A shape that failed is put back into the list, at the end of
 * the part already started, to be loaded again. */
static void on_listed_shape_loaded(srv_server *server, const char *id, bool again) {
  srv_recovery *recovery = server->recovery;
  assert(recovery->shapes_loading > 0);
  recovery->shapes_loading--;
  if (again) {
    memcpy(recovery->shapes[--recovery->shape_next].id, id, sizeof recovery->shapes->id);
    schedule_retry(recovery);
  }
  continue_recovery(server);
}

void srv_recover_retry(srv_server *server, uint64_t now_ns) {
  srv_recovery *recovery = server->recovery;
  if (!recovery || !recovery->retry_ns || now_ns < recovery->retry_ns) return;
  recovery->retry_ns = 0;
  continue_recovery(server);
}

/* Starts loading the next scene that is not in memory. Background loading ends at the first scene
 * that does not fit: a search for smaller ones would inspect all scenes in one step of the loop. */
static void load_next_scene(srv_server *server) {
  srv_recovery *recovery = server->recovery;
  for (srv_entry *entry;
       !recovery->full && (entry = srv_registry_after(server->registry, recovery->at));) {
    memcpy(recovery->before, recovery->at, sizeof recovery->before);
    memcpy(recovery->at, entry->id, sizeof recovery->at);
    if (!entry->kept || entry->kept->presence != SRV_PRESENCE_STORED) continue;
    recovery->full = !srv_registry_has_space(server->registry, entry, server->config->scene_memory);
    if (recovery->full) return;
    recovery->loading = srv_load_scene(server, entry, on_background_scene_loaded);
    return;
  }
}

/* Loads as many shapes at once as there are workers, plus one that the store reads meanwhile. */
static void load_listed_shapes(srv_server *server) {
  srv_recovery *recovery = server->recovery;
  while (recovery->shape_next < recovery->shape_count &&
         recovery->shapes_loading <= server->config->workers) {
    if (!srv_load_shape(server, recovery->shapes[recovery->shape_next].id,
                        on_listed_shape_loaded)) {
      schedule_retry(recovery);
      return;
    }
    recovery->shape_next++;
    recovery->shapes_loading++;
  }
}

/* Starts the next step of the recovery, unless a step is in progress or waits to be repeated. */
static void continue_recovery(srv_server *server) {
  srv_recovery *recovery = server->recovery;
  if (recovery->loading || recovery->retry_ns || server->ending) return;
  if (recovery->phase == PHASE_SHAPES && server->store->shared) {
    if (recovery->listed) begin_shape_sync(server);
    else request_shared_scene_list(server);
    return;
  }
  if (recovery->phase == PHASE_SHAPES) {
    if (!recovery->looked) {
      request_shape_list(server);
      return;
    }
    load_listed_shapes(server);
    if (recovery->shape_next < recovery->shape_count || recovery->shapes_loading > 0) return;
    finish_shapes_phase(server);
  }
  /* with a shared store, scenes are loaded on first use only */
  if (recovery->phase == PHASE_SCENES && server->drain == SRV_SERVING && !server->store->shared)
    load_next_scene(server);
}

/* ---- start and end -------------------------------------------------------------------------- */

static void on_scenes_listed(srv_store_lookup *lookup) {
  srv_server *server = lookup->cls;
  server->recovery->looked = true;
}

static bool register_listed_scenes(srv_server *server, const srv_store_lookup *lookup) {
  for (size_t i = 0; i < lookup->count; i++) {
    srv_stored_scene *kept = calloc(1, sizeof *kept);
    if (!kept) return false;
    kept->presence = SRV_PRESENCE_STORED;
    kept->revision = lookup->entries[i].revision;
    kept->stamp = lookup->entries[i].stamp;
    kept->bodies = lookup->entries[i].bodies;
    srv_entry *entry = srv_registry_open(server->registry, lookup->entries[i].id);
    if (!entry) {
      free(kept);
      return false;
    }
    srv_registry_set_stored(server->registry, entry, kept);
  }
  return true;
}

/* Requests the list of scenes and waits for it. True also if a shared store is unreachable, which
 * is queried again while the daemon serves. False: the reason is in lookup->why. */
static bool request_scene_list(srv_server *server) {
  srv_recovery *recovery = server->recovery;
  srv_store_lookup *lookup = &recovery->lookup;
  *lookup = (srv_store_lookup){.space = SRV_STORE_SCENES, .done = on_scenes_listed, .cls = server};
  srv_store_find(server->store, lookup);
  srv_server_wait(server, &recovery->looked);
  recovery->looked = false;
  recovery->listed = lookup->status == SRV_STORE_OK;
  return recovery->listed || (server->store->shared && lookup->status == SRV_STORE_UNAVAILABLE);
}

bool srv_recover_list(srv_server *server) {
  srv_recovery *recovery = server->recovery = calloc(1, sizeof *recovery);
  bool good = recovery != NULL;
  server->shapes_pending = true;
  if (good) {
    srv_store_lookup *lookup = &recovery->lookup;
    recovery->server = server;
    if (!request_scene_list(server)) {
      fprintf(stderr, "contactd: the store cannot be read: %s.\n", lookup->why);
      return false;
    }
    good = register_listed_scenes(server, lookup);
    srv_registry_raise_first_revision(server->registry, lookup->last_revision);
    free(lookup->entries);
    recovery->phase = PHASE_SHAPES;
  }
  if (!good) fprintf(stderr, "contactd: start: out of memory.\n");
  return good;
}

void srv_recover_begin(srv_server *server) { continue_recovery(server); }

static void on_store_closed(void *cls) { *(bool *)cls = true; }

void srv_recover_end(srv_server *server) {
  if (!server->store) return;
  server->ending = true;
  /* loads that wait for shapes end as unavailable */
  srv_load_resume(server);
  while (server->background_jobs > 0) uv_run(server->loop, UV_RUN_ONCE);
  bool is_closed = false;
  srv_store_close(server->store, on_store_closed, &is_closed);
  srv_server_wait(server, &is_closed);
  if (server->recovery) free(server->recovery->shapes);
  free(server->recovery);
  server->store = NULL;
  server->recovery = NULL;
}

/* ---- readiness ------------------------------------------------------------------------------ */

static bool refuse_recovering(srv_request *request) {
  srv_request_refuse(request, API_PROBLEM_RECOVERING,
                     "The posted shapes are being read from the store.");
  srv_request_refusal_header(request, "Retry-After", "1");
  return false;
}

/* The scenes in the list are loaded on first use. The content of a shared store is unknown until
 * its shapes are synchronised. */
bool srv_recover_has_listed(const srv_server *server) {
  return !server->shapes_pending || (!server->store->shared && server->recovery->looked);
}

bool srv_recover_ready(srv_request *request) {
  srv_server *server = request->server;
  char why[SRV_STORE_WHY] = "";
  srv_store_status status = SRV_STORE_OK;
  if (!server->store) return true;
  bool healthy = srv_store_healthy(server->store, &status, why) || status == SRV_STORE_FULL;
  if (healthy && !srv_recover_has_listed(server)) return refuse_recovering(request);
  /* a full store still permits reads and deletions */
  if (healthy) return true;
  bool failed = status == SRV_STORE_FAILED;
  srv_request_refuse(request, failed ? API_PROBLEM_STORAGE_FAILED : API_PROBLEM_STORE_UNAVAILABLE,
                     "The store does not accept writes: %s", why);
  srv_request_refusal_header(request, "Retry-After", failed ? "10" : "1");
  return false;
}

bool srv_recover_admits_stream(srv_request *request) {
  if (!request->server->shapes_pending) return true;
  return srv_recover_ready(request) && refuse_recovering(request);
}

char *srv_recover_document(const srv_server *server, size_t *length) {
  const srv_registry *registry = server->registry;
  size_t corrupt = srv_registry_count_presence(registry, SRV_PRESENCE_CORRUPT);
  size_t loaded = srv_registry_count_presence(registry, SRV_PRESENCE_HERE);
  size_t stored = srv_registry_count_presence(registry, SRV_PRESENCE_STORED) +
                  srv_registry_count_presence(registry, SRV_PRESENCE_LOADING);
  const srv_recovery *recovery = server->recovery;
  size_t shapes_stored = recovery->shape_count - recovery->shape_next + recovery->shapes_loading;
  char text[256];
  int n = snprintf(text, sizeof text,
                   "{\"status\":\"ok\",\"scenes\":{\"loaded\":%zu,\"stored\":%zu,\"corrupt\":%zu},"
                   "\"shapes\":{\"loaded\":%zu,\"stored\":%zu,\"corrupt\":%zu}}",
                   loaded, stored, corrupt, api_shapes_count(server->shapes), shapes_stored,
                   server->shapes_corrupt);
  char *copy = malloc((size_t)n + 1);
  if (copy) memcpy(copy, text, (size_t)n + 1);
  *length = (size_t)n;
  return copy;
}
