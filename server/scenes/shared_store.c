/* Queries a shared store before a call begins.
 *
 * The store answers queries and writes in order, so the data in memory are never older than this
 * daemon's own writes. An outdated scene is marked STORED, and its requests wait for it to be
 * loaded, as after a start.
 *
 * Shapes: one lookup lists all shapes; those missing in memory are loaded one by one, in a turn of
 * the shape writes. Requests that arrive during a lookup wait for the next one. */
#include "scenes/shared_store.h"

#include "process/array.h"
#include "scenes/lost_writes.h"
#include "scenes/shape_turn.h"

#include <api/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --stale-reads: shortest time between two comparisons of a scene with the store in the
 * background. */
#define STALE_CHECK_NS 100000000u
/* Time after which an unreadable shape is read again: its bytes in Redis may have been repaired.
 * Posting the shape again takes effect at once. */
#define BROKEN_RETRY_NS 5000000000u
/* Largest number of loads for one request. More would be needed only if the revisions in the store
 * decreased. */
#define RELOADS_MAX 3

struct srv_shared {
  srv_job job; /* job that applies a shape; must be first: the pool gets this address */
  srv_server *server;
  srv_shape_sync *now, *next; /* now: requests that wait for the running synchronisation of the
                                 shapes; next: requests that wait for the one after it */
  bool running;
  bool found; /* missing shapes were loaded in this synchronisation */
  void (*shapes_found)(srv_server *server);
  srv_store_entry *broken; /* unreadable shapes, sorted by id; owned */
  size_t broken_count, broken_capacity;
  uint64_t broken_ns; /* time at which all unreadable shapes were last read again */
  srv_shape_turn turn;
  srv_store_lookup lookup;
  size_t at;        /* index in lookup.entries: the shapes of all entries before it are loaded or
                       known to be unreadable */
  size_t broken_at; /* index in `broken`: all ids before it are less than the id of
                       lookup.entries[at] */
  bool again;       /* unreadable shapes are read again in this synchronisation */
  srv_store_load load;
  const api_shape_table *before, *after;
  api_restored outcome;
  char why[API_RESTORE_WHY];
};

typedef struct refresh_query {
  srv_server *server;
  srv_request *request;      /* request that waits for the query, as a counted reference; NULL: none
                                does */
  srv_scenes_listed *listed; /* callback for the list of scenes at start; NULL: another query */
  srv_store_lookup lookup;
  uint64_t queried_ns;
  srv_shape_sync sync;
  unsigned waits;
  srv_store_status status;
  char why[SRV_STORE_WHY];
} refresh_query;

srv_shared *srv_shared_create(void (*shapes_found)(srv_server *server)) {
  srv_shared *shared = calloc(1, sizeof *shared);
  if (shared) shared->shapes_found = shapes_found;
  return shared;
}

void srv_shared_destroy(srv_shared *shared) {
  if (shared) free(shared->broken);
  free(shared);
}

/* ---- shapes --------------------------------------------------------------------------------- */

static void begin_sync(srv_shared *shared);

static void end_sync(srv_shared *shared, srv_store_status status, const char *why) {
  srv_shape_sync *all = shared->now;
  shared->now = NULL;
  free(shared->lookup.entries);
  shared->lookup.entries = NULL;
  if (status == SRV_STORE_OK) shared->server->shapes_corrupt = shared->broken_count;
  if (shared->found) shared->shapes_found(shared->server);
  shared->found = false;
  srv_shape_turn_release(shared->server);
  for (srv_shape_sync *sync; (sync = all);) {
    all = sync->next;
    sync->done(sync, status, why);
  }
  shared->running = false;
  shared->server->background_jobs--;
  if (shared->next) begin_sync(shared);
}

static void load_next_missing_shape(srv_shared *shared);

/* ---- unreadable shapes ---------------------------------------------------------------------- */

/* Removes from the list of broken shapes those that were deleted, or posted again, which changes
 * their stamp. */
static void remove_stale_broken(srv_shared *shared) {
  const srv_store_lookup *lookup = &shared->lookup;
  size_t count = shared->broken_count, at = 0;
  shared->broken_count = 0;
  for (size_t i = 0; i < count; i++) {
    const srv_store_entry *entry = &shared->broken[i];
    while (at < lookup->count && strcmp(lookup->entries[at].id, entry->id) < 0) at++;
    if (at < lookup->count && strcmp(lookup->entries[at].id, entry->id) == 0 &&
        lookup->entries[at].stamp == entry->stamp)
      shared->broken[shared->broken_count++] = *entry;
  }
}

/* True if the current entry is in the list of broken shapes. Sets broken_at to its position in the
 * list. */
static bool is_known_broken(srv_shared *shared) {
  const char *id = shared->lookup.entries[shared->at].id;
  while (shared->broken_at < shared->broken_count &&
         strcmp(shared->broken[shared->broken_at].id, id) < 0)
    shared->broken_at++;
  return shared->broken_at < shared->broken_count &&
         strcmp(shared->broken[shared->broken_at].id, id) == 0;
}

/* Adds the current entry to the broken shapes and logs it. False: out of memory. */
static bool add_broken_shape(srv_shared *shared, const char *why) {
  const srv_store_entry *entry = &shared->lookup.entries[shared->at];
  char text[CT_ID_LENGTH_MAX + API_RESTORE_WHY + 8];
  if (!srv_array_reserve(&shared->broken, &shared->broken_capacity, shared->broken_count + 1,
                         sizeof *shared->broken, 16))
    return false;
  assert(shared->broken_at <= shared->broken_count);
  srv_store_entry *place = &shared->broken[shared->broken_at];
  memmove(place + 1, place, (shared->broken_count++ - shared->broken_at) * sizeof *place);
  *place = *entry;
  snprintf(text, sizeof text, "%s: %s", entry->id, why);
  srv_log_event(shared->server->log, "shapeCorrupt", text);
  return true;
}

/* Finishes the current entry and continues with the next one. broken: reason why the shape is
 * unreadable; NULL: it was loaded or deleted. */
static void advance_past_shape(srv_shared *shared, const char *broken) {
  bool known = is_known_broken(shared), good = true;
  if (broken && !known) {
    good = add_broken_shape(shared, broken);
  } else if (!broken && known) {
    srv_store_entry *place = &shared->broken[shared->broken_at];
    memmove(place, place + 1, (--shared->broken_count - shared->broken_at) * sizeof *place);
  }
  srv_store_load_free(&shared->load);
  shared->at++;
  if (good) load_next_missing_shape(shared);
  else end_sync(shared, SRV_STORE_MEMORY, "");
}

/* ---- missing shapes ------------------------------------------------------------------------- */

static void run_shape_record(srv_job *job, long piece, api_scratch *scratch) {
  srv_shared *shared = (srv_shared *)job;
  const srv_store_record *record = &shared->load.records[0];
  (void)piece;
  (void)scratch;
  shared->outcome = api_record_apply_shape(shared->server->service, shared->before, record->bytes,
                                           record->length, &shared->after, shared->why);
}

static void on_shape_applied(srv_job *job, long piece) {
  srv_shared *shared = (srv_shared *)job;
  srv_server *server = shared->server;
  (void)piece;
  srv_pool_withdraw(server->pool, job);
  api_shapes_release(shared->before);
  if (shared->outcome == API_RESTORE_MEMORY) {
    srv_store_load_free(&shared->load);
    end_sync(shared, SRV_STORE_MEMORY, "");
    return;
  }
  if (shared->outcome == API_RESTORED) {
    api_shapes_release(server->shapes);
    server->shapes = shared->after;
    shared->found = true;
  }
  advance_past_shape(shared, shared->outcome == API_RESTORED ? NULL : shared->why);
}

static void on_shape_fetched(srv_store_load *load) {
  srv_shared *shared = load->cls;
  srv_server *server = shared->server;
  if (load->status == SRV_STORE_OK && load->count > 0) {
    shared->before = api_shapes_retain(server->shapes);
    shared->after = NULL;
    shared->job = (srv_job){.run = run_shape_record, .done = on_shape_applied};
    srv_pool_submit(server->pool, &shared->job, &server->stateless, false);
    srv_pool_pump(server->pool);
    return;
  }
  bool is_unreadable = load->status == SRV_STORE_UNKNOWN || load->status == SRV_STORE_DAMAGED ||
                       load->status == SRV_STORE_OK;
  if (is_unreadable) {
    advance_past_shape(shared, load->status == SRV_STORE_DAMAGED ? load->why : NULL);
    return;
  }
  srv_store_load_free(load);
  end_sync(shared, load->status, load->why);
}

static void load_next_missing_shape(srv_shared *shared) {
  srv_server *server = shared->server;
  const srv_store_lookup *lookup = &shared->lookup;
  while (shared->at < lookup->count &&
         (api_shapes_has(server->shapes, lookup->entries[shared->at].id) ||
          (!shared->again && is_known_broken(shared))))
    shared->at++;
  if (shared->at == lookup->count) {
    end_sync(shared, SRV_STORE_OK, "");
    return;
  }
  shared->load =
      (srv_store_load){.space = SRV_STORE_SHAPES, .done = on_shape_fetched, .cls = shared};
  memcpy(shared->load.id, lookup->entries[shared->at].id, sizeof shared->load.id);
  srv_store_fetch(server->store, &shared->load);
}

/* Removes the shapes that other daemons have deleted from the table. Called before every call that
 * may name a shape, hence O(list). False: out of memory. */
static bool drop_deleted_shapes(srv_server *server, const srv_store_lookup *lookup) {
  const char *ids = lookup->count ? lookup->entries->id : NULL;
  const api_shape_table *left =
      api_shapes_intersect(server->shapes, ids, lookup->count, sizeof *lookup->entries);
  if (!left) return false;
  api_shapes_release(server->shapes);
  server->shapes = left;
  return true;
}

static void on_shared_shapes_listed(srv_store_lookup *lookup) {
  srv_shared *shared = lookup->cls;
  if (lookup->status != SRV_STORE_OK) {
    end_sync(shared, lookup->status, lookup->why);
    return;
  }
  if (!drop_deleted_shapes(shared->server, lookup)) {
    end_sync(shared, SRV_STORE_MEMORY, "");
    return;
  }
  uint64_t now_ns = uv_hrtime();
  shared->again = now_ns - shared->broken_ns >= BROKEN_RETRY_NS;
  if (shared->again) shared->broken_ns = now_ns;
  remove_stale_broken(shared);
  shared->at = shared->broken_at = 0;
  load_next_missing_shape(shared);
}

/* Begins the lookup when the turn comes. Requests that arrive from now on wait for the next
 * lookup. */
static void begin_sync_turn(srv_shape_turn *turn) {
  srv_shared *shared = (srv_shared *)((char *)turn - offsetof(srv_shared, turn));
  shared->now = shared->next;
  shared->next = NULL;
  shared->lookup =
      (srv_store_lookup){.space = SRV_STORE_SHAPES, .done = on_shared_shapes_listed, .cls = shared};
  srv_store_find(shared->server->store, &shared->lookup);
}

static void begin_sync(srv_shared *shared) {
  shared->running = true;
  shared->server->background_jobs++;
  shared->turn = (srv_shape_turn){.begin = begin_sync_turn};
  srv_shape_turn_acquire(shared->server, &shared->turn);
}

void srv_shared_sync_shapes(srv_server *server, srv_shape_sync *sync) {
  srv_shared *shared = server->shared;
  shared->server = server;
  sync->next = shared->next;
  shared->next = sync;
  if (!shared->running) begin_sync(shared);
}

/* ---- scenes --------------------------------------------------------------------------------- */

/* Merges the store's state of a scene into the registry. False: out of memory. */
static bool merge_scene_state(srv_server *server, const srv_store_entry *found,
                              const refresh_query *query) {
  srv_registry *registry = server->registry;
  srv_entry *entry = srv_registry_find(registry, found->id);
  srv_lost_writes_check_answer(server, entry, found->revision, query->lookup.last_revision,
                               query->queried_ns);
  if (found->revision == 0) {
    if (entry && (entry->current || entry->kept)) srv_registry_remove(registry, entry);
    return true;
  }
  if (!entry) entry = srv_registry_open(registry, found->id);
  if (!entry) return false;
  srv_stored_scene *kept = entry->kept;
  if (!kept) {
    kept = calloc(1, sizeof *kept);
    if (!kept) return false;
    kept->presence = SRV_PRESENCE_STORED;
    srv_registry_set_stored(registry, entry, kept);
  }
  uint64_t known = entry->current ? ct_scene_revision(entry->current) : kept->revision;
  uint64_t stamp = entry->current ? kept->memory_stamp : kept->stamp;
  bool settled = kept->presence == SRV_PRESENCE_HERE || kept->presence == SRV_PRESENCE_CORRUPT;
  if (settled && (known != found->revision || stamp != found->stamp))
    kept->presence = SRV_PRESENCE_STORED;
  kept->revision = found->revision;
  kept->stamp = found->stamp;
  kept->bodies = found->bodies;
  srv_lost_writes_note_stored(kept, found->revision);
  return true;
}

/* Merges the list of all scenes into the registry; scenes that are not listed were deleted. False:
 * out of memory. */
static bool merge_all_scenes(srv_server *server, const refresh_query *query) {
  const srv_store_lookup *lookup = &query->lookup;
  char id[CT_ID_LENGTH_MAX + 1] = "";
  size_t at = 0;
  for (size_t i = 0; i < lookup->count; i++)
    if (!merge_scene_state(server, &lookup->entries[i], query)) return false;
  for (srv_entry *entry; (entry = srv_registry_after(server->registry, id));) {
    memcpy(id, entry->id, sizeof id);
    while (at < lookup->count && strcmp(lookup->entries[at].id, id) < 0) at++;
    bool there = at < lookup->count && strcmp(lookup->entries[at].id, id) == 0;
    if (there || !(entry->current || entry->kept)) continue;
    srv_lost_writes_check_answer(server, entry, 0, lookup->last_revision, query->queried_ns);
    srv_registry_remove(server->registry, entry);
  }
  return true;
}

bool srv_shared_reload_if_older(srv_request *request) {
  srv_entry *entry = request->entry;
  srv_stored_scene *kept = entry ? entry->kept : NULL;
  if (!request->store_revision || !kept || kept->presence != SRV_PRESENCE_HERE || !entry->current)
    return true;
  uint64_t revision = ct_scene_revision(entry->current);
  if (revision > request->store_revision) return true;
  if (revision == request->store_revision && kept->memory_stamp == request->store_stamp)
    return true;
  if (request->reloads++ < RELOADS_MAX) {
    kept->presence = SRV_PRESENCE_STORED;
    return true;
  }
  srv_request_refuse(request, API_PROBLEM_STORE_UNAVAILABLE,
                     "Revision %llu of the scene cannot be read from the store.",
                     (unsigned long long)request->store_revision);
  srv_request_refusal_header(request, "Retry-After", "1");
  return false;
}

/* ---- queries -------------------------------------------------------------------------------- */

static void refuse_refresh(srv_request *request, srv_store_status status, const char *why) {
  switch (status) {
  case SRV_STORE_MEMORY: srv_request_refuse_memory(request); return;
  case SRV_STORE_DAMAGED:
    srv_request_refuse(request, API_PROBLEM_CORRUPT, "The store is damaged: %s", why);
    return;
  case SRV_STORE_FAILED:
    srv_request_refuse(request, API_PROBLEM_STORAGE_FAILED, "The store cannot be read: %s", why);
    srv_request_refusal_header(request, "Retry-After", "10");
    return;
  default:
    srv_request_refuse(request, API_PROBLEM_STORE_UNAVAILABLE, "The store cannot be read now: %s",
                       why);
    srv_request_refusal_header(request, "Retry-After", "1");
  }
}

static void resume_request(refresh_query *query) {
  srv_request *request = query->request;
  bool good = query->status == SRV_STORE_OK;
  /* In other states, the request was cancelled meanwhile. */
  if (request->work != SRV_WORK_REFRESHING && request->work != SRV_WORK_FEEDING) return;
  if (!good) refuse_refresh(request, query->status, query->why);
  request->server->handlers->resume(request, good ? SRV_OUTCOME_GOOD : SRV_OUTCOME_REFUSED);
}

/* Ends a refresh after its last answer has arrived. */
static void end_refresh(refresh_query *query) {
  srv_request *request = query->request;
  if (request) {
    resume_request(query);
    srv_request_release(request);
  }
  query->server->background_jobs--;
  if (query->listed) query->listed(query->server, query->status == SRV_STORE_OK);
  free(query);
}

static void complete_query(refresh_query *query, srv_store_status status, const char *why) {
  if (status != SRV_STORE_OK && query->status == SRV_STORE_OK) {
    query->status = status;
    snprintf(query->why, sizeof query->why, "%s", why);
  }
  if (--query->waits == 0) end_refresh(query);
}

static void on_scenes_queried(srv_store_lookup *lookup) {
  refresh_query *query = lookup->cls;
  srv_store_status status = lookup->status;
  if (status == SRV_STORE_OK) {
    srv_registry_raise_first_revision(query->server->registry, lookup->last_revision);
    if (query->request && lookup->id[0]) {
      query->request->store_revision = lookup->entries[0].revision;
      query->request->store_stamp = lookup->entries[0].stamp;
    }
    bool noted = lookup->id[0] ? merge_scene_state(query->server, &lookup->entries[0], query)
                               : merge_all_scenes(query->server, query);
    if (!noted) status = SRV_STORE_MEMORY;
    free(lookup->entries);
  }
  complete_query(query, status, lookup->why);
}

static void on_refresh_shapes_synced(srv_shape_sync *sync, srv_store_status status,
                                     const char *why) {
  complete_query((refresh_query *)((char *)sync - offsetof(refresh_query, sync)), status, why);
}

/* Returns the id of the call's scene. NULL: the call has no scene that may exist already. */
static const char *get_scene_id(const srv_request *request) {
  if (request->match.target == API_TARGET_CREATE)
    return request->fingerprint ? request->new_id : NULL;
  return request->match.scene_id[0] && request->match.target != API_TARGET_NONE
             ? request->match.scene_id
             : NULL;
}

/* True for a corrupt scene, which may have lacked a shape that was posted since. */
static bool may_lack_shapes(srv_server *server, const char *scene) {
  const srv_entry *entry = scene ? srv_registry_find(server->registry, scene) : NULL;
  return entry && entry->kept && entry->kept->presence == SRV_PRESENCE_CORRUPT;
}

static refresh_query *create_refresh(srv_server *server, const char *id) {
  refresh_query *query = calloc(1, sizeof *query);
  if (!query) return NULL;
  query->server = server;
  query->queried_ns = uv_hrtime();
  query->lookup =
      (srv_store_lookup){.space = SRV_STORE_SCENES, .done = on_scenes_queried, .cls = query};
  query->sync.done = on_refresh_shapes_synced;
  snprintf(query->lookup.id, sizeof query->lookup.id, "%s", id);
  server->background_jobs++;
  return query;
}

/* Lists and shapes are never stale, since their replies could not report it. */
bool srv_shared_is_stale(const srv_request *request) {
  const srv_server *server = request->server;
  bool reads =
      request->match.target == API_TARGET_READ || request->match.target == API_TARGET_EVENTS;
  return reads && server->store && server->store->shared && server->config->stale_reads;
}

/* Compares a scene with the store in the background (--stale-reads), unless this was done
 * recently. */
static void refresh_in_background(srv_server *server, srv_entry *entry) {
  uint64_t now_ns = uv_hrtime();
  if (now_ns - entry->kept->compared_ns < STALE_CHECK_NS || server->ending) return;
  refresh_query *query = create_refresh(server, entry->id);
  if (!query) return;
  entry->kept->compared_ns = now_ns;
  query->waits = 1;
  srv_store_find(server->store, &query->lookup);
}

bool srv_shared_list_scenes(srv_server *server, srv_scenes_listed *done) {
  refresh_query *query = create_refresh(server, "");
  if (!query) return false;
  query->listed = done;
  query->waits = 1;
  srv_store_find(server->store, &query->lookup);
  return true;
}

bool srv_shared_needs_refresh(srv_request *request) {
  srv_server *server = request->server;
  if (!server->store || !server->store->shared || !request->call) return false;
  const char *scene = get_scene_id(request);
  bool list = request->match.target == API_TARGET_LIST;
  if (!scene && !list && !srv_request_needs_shapes(request)) return false;
  if (!srv_shared_is_stale(request)) return true;
  srv_entry *entry = srv_registry_find(server->registry, request->match.scene_id);
  bool here = entry && entry->kept && entry->kept->presence == SRV_PRESENCE_HERE;
  if (!here || srv_request_needs_shapes(request)) return true;
  refresh_in_background(server, entry);
  return false;
}

bool srv_shared_refresh(srv_request *request) {
  srv_server *server = request->server;
  const char *scene = get_scene_id(request);
  refresh_query *query = create_refresh(server, scene ? scene : "");
  if (!query) return false;
  bool scenes = scene || request->match.target == API_TARGET_LIST;
  bool shapes = srv_request_needs_shapes(request) || may_lack_shapes(server, scene);
  query->request = request;
  srv_request_retain(request);
  query->waits = (unsigned)scenes + (unsigned)shapes;
  if (scenes) srv_store_find(server->store, &query->lookup);
  if (shapes) srv_shared_sync_shapes(server, &query->sync);
  return true;
}

bool srv_shared_needs_shape_refresh(const srv_request *request) {
  const srv_server *server = request->server;
  return server->store && server->store->shared && request->match.streams &&
         srv_request_needs_shapes(request);
}

bool srv_shared_refresh_shapes(srv_request *request) {
  refresh_query *query = create_refresh(request->server, "");
  if (!query) return false;
  query->request = request;
  srv_request_retain(request);
  query->waits = 1;
  srv_shared_sync_shapes(request->server, &query->sync);
  return true;
}
