/* From start to the last scene: which scenes there are, then the posted shapes one by one (a scene may name them), then the scenes.
 *
 * A loading fetches the records of a key from the store and applies them on a worker, in the scene's lane. Requests that need what
 * is being loaded wait in a list, like those that wait for a write, within the same bounds and their own deadlines. */
#include "recover.h"

#include <api/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After the store could not tell, so long until it is asked again. */
#define RETRY_NS 1000000000u
/* Bytes of a request from which a byte of a record may have come: numbers are texts there. */
#define BYTES_PER_RECORD_BYTE 3u

typedef enum phase {
  PHASE_LISTING, /* which scenes are there */
  PHASE_SHAPES,
  PHASE_SCENES /* shapes are there */
} phase;

struct srv_recovery {
  phase phase;
  srv_store_look look;
  bool looked;
  srv_store_entry *shapes; /* to be loaded; owned */
  size_t shape_count, shape_next;
  struct srv_request *waits_first, *waits_last; /* for the phase SCENES */
  char at[CT_ID_LENGTH_MAX + 1];                /* id of the last scene that was looked at in the background */
  bool loading;                                 /* a shape, or a scene in the background */
  uint64_t retry_ns;                            /* when; 0: nothing is to be tried again */
};

/* The loading of one key. */
typedef struct loading {
  srv_job job; /* first: the pool's view */
  srv_server *server;
  srv_entry *entry; /* held; NULL: a shape */
  bool background;
  srv_store_load fetch;
  const api_shape_table *shapes; /* before, then with the shape */
  const ct_scene *scene;
  api_restored outcome;
  char why[SRV_KEPT_WHY];
  bool taken;
} loading;

static void go_on(srv_server *server);

/* ---- who waits ------------------------------------------------------------------------------------------------------------ */

bool srv_recover_has_shapes(const srv_server *server) { return !server->store || server->recovery->phase == PHASE_SCENES; }

/* Lists and documents need no shape. */
static bool needs_shapes(const srv_request *request) {
  api_target target = request->match.target;
  return target != API_TARGET_LIST && (target != API_TARGET_NONE || request->match.takes_body);
}

static bool is_coming(const srv_entry *entry) {
  const srv_kept *kept = entry ? entry->kept : NULL;
  return kept && (kept->presence == SRV_PRESENCE_STORED || kept->presence == SRV_PRESENCE_LOADING);
}

bool srv_recover_holds(const srv_request *request) {
  if (!request->server->store) return false;
  if (!srv_recover_has_shapes(request->server) && needs_shapes(request)) return true;
  return is_coming(request->entry);
}

static void lists_of(srv_request *request, srv_request ***first, srv_request ***last) {
  srv_recovery *recovery = request->server->recovery;
  bool of_scene = srv_recover_has_shapes(request->server);
  *first = of_scene ? &request->entry->kept->waits_first : &recovery->waits_first;
  *last = of_scene ? &request->entry->kept->waits_last : &recovery->waits_last;
}

static void load_scene(srv_server *server, srv_entry *entry, bool background);

void srv_recover_join(srv_request *request) {
  srv_request **first, **last;
  lists_of(request, &first, &last);
  request->next_waiting = NULL;
  if (*last) (*last)->next_waiting = request;
  else *first = request;
  *last = request;
  request->load_queued = true;
  if (srv_recover_has_shapes(request->server) && request->entry->kept->presence == SRV_PRESENCE_STORED)
    load_scene(request->server, request->entry, false);
}

void srv_recover_leave(srv_request *request) {
  srv_request **first, **last, *before = NULL;
  lists_of(request, &first, &last);
  for (srv_request *at = *first; at != request; at = at->next_waiting) before = at;
  if (before) before->next_waiting = request->next_waiting;
  else *first = request->next_waiting;
  if (*last == request) *last = before;
  request->load_queued = false;
}

/* The first of a list, taken out of it. */
static srv_request *pop(srv_request **first, srv_request **last) {
  srv_request *request = *first;
  if (!request) return NULL;
  *first = request->next_waiting;
  if (!*first) *last = NULL;
  request->load_queued = false;
  return request;
}

bool srv_recover_refuses(srv_request *request) {
  const srv_entry *entry = request->entry;
  if (!entry || entry->current || !entry->kept) return false;
  if (request->match.target == API_TARGET_PUT || request->match.target == API_TARGET_DELETE) return false;
  srv_request_refuse(request, API_PROBLEM_CORRUPT, "The scene \"%s\" cannot be read: %s", entry->id, entry->kept->why);
  return true;
}

/* ---- loading: on a worker ---------------------------------------------------------------------------------------------------- */

static long take(srv_job *job) {
  loading *l = (loading *)job;
  if (l->taken) return SRV_NO_PIECE;
  l->taken = true;
  return 0;
}

static void apply_shape(loading *l) {
  const srv_store_record *record = &l->fetch.records[0];
  const api_shape_table *after = NULL;
  l->outcome = api_record_apply_shape(l->server->service, l->shapes, record->bytes, record->length, &after, l->why);
  if (l->outcome != API_RESTORED) return;
  api_shapes_release(l->shapes);
  l->shapes = after;
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

/* ---- loading: on the loop thread --------------------------------------------------------------------------------------------- */

static void refuse_all(srv_kept *kept, srv_store_status status) {
  for (srv_request *request; (request = pop(&kept->waits_first, &kept->waits_last));) {
    if (status == SRV_STORE_MEMORY) srv_job_refuse_memory(request);
    else if (status == SRV_STORE_FAILED)
      srv_request_refuse(request, API_PROBLEM_STORAGE_FAILED, "The scene could not be read from the store.");
    else srv_request_refuse(request, API_PROBLEM_STORE_UNAVAILABLE, "The store has not answered in time.");
    if (status != SRV_STORE_MEMORY) srv_request_refusal_header(request, "Retry-After", "1");
    srv_job_not_loaded(request);
  }
}

/* The records of the key are what is left to weigh when it is written to. */
static void note_records(srv_entry *entry, const srv_store_load *fetch) {
  srv_kept *kept = entry->kept;
  kept->base_bytes = kept->change_bytes = kept->changes = 0;
  for (size_t i = 0; i < fetch->count; i++) {
    if (fetch->records[i].base) kept->base_bytes = fetch->records[i].length, kept->change_bytes = kept->changes = 0;
    else kept->change_bytes += fetch->records[i].length, kept->changes++;
  }
  entry->written_bytes = BYTES_PER_RECORD_BYTE * (kept->base_bytes + kept->change_bytes);
}

static void set_corrupt(loading *l) {
  srv_kept *kept = l->entry->kept;
  char text[CT_ID_LENGTH_MAX + SRV_KEPT_WHY + 8];
  snprintf(kept->why, sizeof kept->why, "%s", l->why);
  snprintf(text, sizeof text, "%s: %s", l->entry->id, kept->why);
  srv_log_event(l->server->log, "sceneCorrupt", text);
  kept->presence = l->entry->current ? SRV_PRESENCE_HERE : SRV_PRESENCE_CORRUPT;
}

/* What the store or the worker has said of the scene. OK: it is settled whether it can be read. */
static srv_store_status settle_scene(loading *l) {
  srv_entry *entry = l->entry;
  srv_kept *kept = entry->kept;
  srv_store_status status = l->fetch.status;
  if (status == SRV_STORE_OK && l->outcome == API_RESTORE_MEMORY) status = SRV_STORE_MEMORY;
  if (status == SRV_STORE_UNKNOWN) {
    srv_registry_remove(l->server->registry, entry);
    return SRV_STORE_OK;
  }
  if (status == SRV_STORE_DAMAGED) {
    snprintf(l->why, sizeof l->why, "%s", l->fetch.why);
    set_corrupt(l);
  } else if (status != SRV_STORE_OK) {
    kept->presence = entry->current ? SRV_PRESENCE_HERE : SRV_PRESENCE_STORED;
    return status;
  } else if (l->outcome != API_RESTORED) {
    set_corrupt(l);
  } else {
    note_records(entry, &l->fetch);
    srv_registry_commit(l->server->registry, entry, l->scene);
    kept->presence = SRV_PRESENCE_HERE;
  }
  return SRV_STORE_OK;
}

static srv_store_status end_scene(loading *l) {
  srv_kept *kept = l->entry->kept;
  srv_request *first = kept->waits_first, *last = kept->waits_last;
  srv_store_status status = settle_scene(l);
  if (status != SRV_STORE_OK) {
    refuse_all(kept, status);
    return status;
  }
  /* What the scene's list was is not the scene's any more: who comes now need not wait. */
  if (l->entry->kept) kept->waits_first = kept->waits_last = NULL;
  for (srv_request *request; (request = pop(&first, &last));) srv_job_loaded(request);
  return status;
}

/* Not now: what comes next is tried again, from the beginning of the list. */
static void come_back(srv_recovery *recovery) {
  recovery->retry_ns = uv_hrtime() + RETRY_NS;
  recovery->at[0] = 0;
}

/* A shape that cannot be read is missing; scenes that name it cannot be read either, and say so. */
static void end_shape(loading *l) {
  srv_server *server = l->server;
  srv_recovery *recovery = server->recovery;
  bool good = l->fetch.status == SRV_STORE_OK && l->outcome == API_RESTORED;
  bool again = l->fetch.status == SRV_STORE_UNAVAILABLE || l->fetch.status == SRV_STORE_MEMORY ||
               (l->fetch.status == SRV_STORE_OK && l->outcome == API_RESTORE_MEMORY);
  if (again) {
    come_back(recovery);
    return;
  }
  recovery->shape_next++;
  if (good) {
    api_shapes_release(server->shapes);
    server->shapes = l->shapes;
    l->shapes = NULL;
    return;
  }
  char text[CT_ID_LENGTH_MAX + SRV_KEPT_WHY + 8];
  snprintf(text, sizeof text, "%s: %s", l->fetch.id, l->fetch.status == SRV_STORE_OK ? l->why : l->fetch.why);
  srv_log_event(server->log, "shapeCorrupt", text);
}

static void end(loading *l) {
  srv_server *server = l->server;
  bool background = l->background;
  if (l->entry) {
    srv_store_status status = end_scene(l);
    if (background && status == SRV_STORE_UNAVAILABLE) come_back(server->recovery);
    srv_registry_release(server->registry, l->entry);
  } else {
    end_shape(l);
  }
  srv_store_load_free(&l->fetch);
  ct_scene_release(l->scene);
  api_shapes_release(l->shapes);
  free(l);
  server->errands--;
  if (!background) return;
  server->recovery->loading = false;
  go_on(server);
}

static void done(srv_job *job, long piece) {
  loading *l = (loading *)job;
  (void)piece;
  srv_pool_withdraw(l->server->pool, job);
  end(l);
}

static void fetched(srv_store_load *fetch) {
  loading *l = fetch->cls;
  srv_server *server = l->server;
  if (fetch->status != SRV_STORE_OK || fetch->count == 0) {
    if (fetch->status == SRV_STORE_OK) fetch->status = SRV_STORE_UNKNOWN;
    end(l);
    return;
  }
  l->shapes = api_shapes_retain(server->shapes);
  srv_pool_submit(server->pool, &l->job, l->entry ? &l->entry->lane : &server->stateless, false);
  srv_pool_pump(server->pool);
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
  if (entry) srv_registry_hold(entry);
  server->errands++;
  if (background) server->recovery->loading = true;
  srv_store_fetch(server->store, &l->fetch);
  return true;
}

static void load_scene(srv_server *server, srv_entry *entry, bool background) {
  srv_kept *kept = entry->kept;
  kept->presence = SRV_PRESENCE_LOADING;
  if (fetch(server, entry, entry->id, background)) return;
  kept->presence = entry->current ? SRV_PRESENCE_HERE : SRV_PRESENCE_STORED;
  refuse_all(kept, SRV_STORE_MEMORY);
}

void srv_recover_reload(srv_server *server, srv_entry *entry, uint64_t revision) {
  if (!entry->kept && revision > 0) {
    srv_kept *kept = calloc(1, sizeof *kept);
    if (!kept) return;
    kept->revision = revision;
    srv_registry_keep(server->registry, entry, kept);
    load_scene(server, entry, false);
  } else if (entry->kept && entry->kept->presence == SRV_PRESENCE_HERE) {
    load_scene(server, entry, false);
  }
}

/* ---- one after the other --------------------------------------------------------------------------------------------------- */

static void look_failed(srv_server *server, const srv_store_look *look) {
  srv_log_event(server->log, "storeNotRead", look->why);
  come_back(server->recovery);
}

static void shapes_listed(srv_store_look *look) {
  srv_server *server = look->cls;
  srv_recovery *recovery = server->recovery;
  recovery->loading = false;
  server->errands--;
  if (look->status != SRV_STORE_OK) {
    look_failed(server, look);
    return;
  }
  recovery->looked = true;
  recovery->shapes = look->entries;
  recovery->shape_count = look->count;
  go_on(server);
}

static void list_shapes(srv_server *server) {
  srv_recovery *recovery = server->recovery;
  recovery->look = (srv_store_look){.space = SRV_STORE_SHAPES, .done = shapes_listed, .cls = server};
  recovery->loading = true;
  server->errands++;
  srv_store_ask(server->store, &recovery->look);
}

static void shapes_are_here(srv_server *server) {
  srv_recovery *recovery = server->recovery;
  recovery->phase = PHASE_SCENES;
  srv_request *first = recovery->waits_first, *last = recovery->waits_last;
  recovery->waits_first = recovery->waits_last = NULL;
  for (srv_request *request; (request = pop(&first, &last));) srv_job_loaded(request);
}

/* The next scene that nobody has asked for yet. */
static void load_next(srv_server *server) {
  srv_recovery *recovery = server->recovery;
  for (srv_entry *entry; (entry = srv_registry_after(server->registry, recovery->at));) {
    memcpy(recovery->at, entry->id, sizeof recovery->at);
    if (!entry->kept || entry->kept->presence != SRV_PRESENCE_STORED) continue;
    load_scene(server, entry, true);
    return;
  }
}

static void go_on(srv_server *server) {
  srv_recovery *recovery = server->recovery;
  if (recovery->loading || recovery->retry_ns || server->ending) return;
  if (recovery->phase == PHASE_SHAPES) {
    if (!recovery->looked) {
      list_shapes(server);
      return;
    }
    if (recovery->shape_next < recovery->shape_count) {
      if (!fetch(server, NULL, recovery->shapes[recovery->shape_next].id, true)) come_back(recovery);
      return;
    }
    shapes_are_here(server);
  }
  if (recovery->phase == PHASE_SCENES && server->drain == SRV_SERVING) load_next(server);
}

void srv_recover_retry(srv_server *server, uint64_t now_ns) {
  srv_recovery *recovery = server->recovery;
  if (!recovery || !recovery->retry_ns || now_ns < recovery->retry_ns) return;
  recovery->retry_ns = 0;
  go_on(server);
}

/* ---- start and end ----------------------------------------------------------------------------------------------------------- */

static void listed(srv_store_look *look) {
  srv_server *server = look->cls;
  server->recovery->looked = true;
}

static bool list_all(srv_server *server, const srv_store_look *look) {
  for (size_t i = 0; i < look->count; i++) {
    srv_kept *kept = calloc(1, sizeof *kept);
    if (!kept) return false;
    kept->presence = SRV_PRESENCE_STORED;
    kept->revision = look->entries[i].revision;
    kept->bodies = look->entries[i].bodies;
    srv_entry *entry = srv_registry_open(server->registry, look->entries[i].id);
    if (!entry) {
      free(kept);
      return false;
    }
    srv_registry_keep(server->registry, entry, kept);
  }
  return true;
}

bool srv_recover_list(srv_server *server) {
  srv_recovery *recovery = server->recovery = calloc(1, sizeof *recovery);
  bool good = recovery != NULL;
  srv_store_look *look = good ? &recovery->look : NULL;
  if (good) {
    *look = (srv_store_look){.space = SRV_STORE_SCENES, .done = listed, .cls = server};
    srv_store_ask(server->store, look);
    while (!recovery->looked) uv_run(server->loop, UV_RUN_ONCE);
    recovery->looked = false;
    if (look->status != SRV_STORE_OK) {
      fprintf(stderr, "contactd: the store cannot be read: %s.\n", look->why);
      return false;
    }
    good = list_all(server, look);
    srv_registry_past(server->registry, look->last_revision);
    free(look->entries);
    recovery->phase = PHASE_SHAPES;
  }
  if (!good) fprintf(stderr, "contactd: start: out of memory.\n");
  return good;
}

void srv_recover_begin(srv_server *server) { go_on(server); }

static void closed(void *cls) { *(bool *)cls = true; }

void srv_recover_end(srv_server *server) {
  if (!server->store) return;
  server->ending = true;
  while (server->errands > 0) uv_run(server->loop, UV_RUN_ONCE);
  bool is_closed = false;
  srv_store_close(server->store, closed, &is_closed);
  while (!is_closed) uv_run(server->loop, UV_RUN_ONCE);
  if (server->recovery) free(server->recovery->shapes);
  free(server->recovery);
  server->store = NULL;
  server->recovery = NULL;
}

/* ---- what /readyz says ---------------------------------------------------------------------------------------------------------
 */

bool srv_recover_ready(srv_request *request) {
  srv_server *server = request->server;
  char why[SRV_STORE_WHY] = "";
  srv_store_status status = SRV_STORE_OK;
  if (!server->store) return true;
  if (!srv_recover_has_shapes(server)) {
    srv_request_refuse(request, API_PROBLEM_RECOVERING, "The posted shapes are being read from the store.");
    srv_request_refusal_header(request, "Retry-After", "1");
    return false;
  }
  /* A store that is full is read from all the same. */
  if (srv_store_healthy(server->store, &status, why) || status == SRV_STORE_FULL) return true;
  bool failed = status == SRV_STORE_FAILED;
  srv_request_refuse(request, failed ? API_PROBLEM_STORAGE_FAILED : API_PROBLEM_STORE_UNAVAILABLE, "No write is taken: %s", why);
  srv_request_refusal_header(request, "Retry-After", failed ? "10" : "1");
  return false;
}

char *srv_recover_document(const srv_server *server, size_t *length) {
  const srv_registry *registry = server->registry;
  size_t corrupt = srv_registry_count_kept(registry, SRV_PRESENCE_CORRUPT);
  size_t loaded = srv_registry_count_kept(registry, SRV_PRESENCE_HERE);
  size_t stored = srv_registry_count_kept(registry, SRV_PRESENCE_STORED) + srv_registry_count_kept(registry, SRV_PRESENCE_LOADING);
  char text[160];
  int n = snprintf(text, sizeof text, "{\"status\":\"ok\",\"scenes\":{\"loaded\":%zu,\"stored\":%zu,\"corrupt\":%zu}}", loaded,
                   stored, corrupt);
  char *copy = malloc((size_t)n + 1);
  if (copy) memcpy(copy, text, (size_t)n + 1);
  *length = (size_t)n;
  return copy;
}
