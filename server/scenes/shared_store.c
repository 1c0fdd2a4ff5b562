/* Asking a shared store before a call begins. The answers of the store come in order with those of its writes, so memory is never
 * behind what this daemon itself has been told. A scene that is found to be older is marked as one that is to be loaded, and its
 * requests wait for that like those of a daemon that has just begun.
 *
 * Shapes: one look at a time lists all; missing ones are loaded one after the other, in a turn among the writes of shapes. Who
 * comes while a look is under way waits for the next one. */
#include "scenes/shared_store.h"

#include "scenes/durable_write.h"
#include "scenes/lost_writes.h"
#include "scenes/recover.h"

#include <api/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With --stale-reads: a scene that is read is compared with the store so often. */
#define STALE_NS 100000000u
/* A shape that cannot be read is not read again before, unless it is posted anew: somebody may have mended what Redis has of it. */
#define BROKEN_NS 5000000000u
/* Loadings for one request: with more, the store goes back in time. */
#define RELOADS_MOST 3

struct srv_shared {
  srv_job job; /* first: applies a shape */
  srv_server *server;
  srv_shape_sync *now, *next; /* who waits for the look that is under way, and for the one after it */
  bool running;
  bool found;              /* shapes that were not here */
  srv_store_entry *broken; /* that cannot be read, ascending in id; owned */
  size_t broken_count, broken_room;
  uint64_t broken_ns; /* when all of them were last read */
  srv_shape_turn turn;
  srv_store_lookup look;
  size_t at;        /* of the look's entries, those before are here, or broken */
  size_t broken_at; /* of the broken ones: those before are before `at`, too */
  bool anew;        /* the broken ones are read, too */
  srv_store_load load;
  const api_shape_table *before, *after;
  api_restored outcome;
  char why[API_RESTORE_WHY];
  bool taken;
};

typedef struct asking {
  srv_server *server;
  srv_request *request; /* a reference; NULL: no request waits */
  bool feeds;           /* the first piece of its body waits */
  bool lists;           /* the start waits */
  srv_store_lookup look;
  uint64_t asked_ns;
  srv_shape_sync sync;
  unsigned waits;
  srv_store_status status;
  char why[SRV_STORE_WHY];
} asking;

srv_shared *srv_shared_create(void) { return calloc(1, sizeof(srv_shared)); }

void srv_shared_destroy(srv_shared *shared) {
  if (shared) free(shared->broken);
  free(shared);
}

/* ---- shapes ---------------------------------------------------------------------------------------------------------- */

static void begin_sync(srv_shared *shared);

static void end_sync(srv_shared *shared, srv_store_status status, const char *why) {
  srv_shape_sync *all = shared->now;
  shared->now = NULL;
  free(shared->look.entries);
  shared->look.entries = NULL;
  if (status == SRV_STORE_OK) shared->server->shapes_corrupt = shared->broken_count;
  if (shared->found) srv_recover_reload_corrupt(shared->server);
  shared->found = false;
  srv_shape_turn_release(shared->server);
  for (srv_shape_sync *sync; (sync = all);) {
    all = sync->next;
    sync->done(sync, status, why);
  }
  shared->running = false;
  shared->server->errands--;
  if (shared->next) begin_sync(shared);
}

static void load_next(srv_shared *shared);

/* ---- shapes that cannot be read: they are missing, and scenes that name them say so ---------------------------------- */

/* Those that have gone, or have been posted anew, which gives them another stamp, are none any more. */
static void forget_broken(srv_shared *shared) {
  const srv_store_lookup *look = &shared->look;
  size_t count = shared->broken_count, at = 0;
  shared->broken_count = 0;
  for (size_t i = 0; i < count; i++) {
    const srv_store_entry *entry = &shared->broken[i];
    while (at < look->count && strcmp(look->entries[at].id, entry->id) < 0) at++;
    if (at < look->count && strcmp(look->entries[at].id, entry->id) == 0 && look->entries[at].stamp == entry->stamp)
      shared->broken[shared->broken_count++] = *entry;
  }
}

/* Is the look's entry that has come known as one? Its place is broken_at. */
static bool is_broken(srv_shared *shared) {
  const char *id = shared->look.entries[shared->at].id;
  while (shared->broken_at < shared->broken_count && strcmp(shared->broken[shared->broken_at].id, id) < 0) shared->broken_at++;
  return shared->broken_at < shared->broken_count && strcmp(shared->broken[shared->broken_at].id, id) == 0;
}

/* False: out of memory. */
static bool add_broken(srv_shared *shared, const char *why) {
  const srv_store_entry *entry = &shared->look.entries[shared->at];
  char text[CT_ID_LENGTH_MAX + API_RESTORE_WHY + 8];
  if (shared->broken_count == shared->broken_room) {
    size_t room = shared->broken_room ? 2 * shared->broken_room : 16;
    srv_store_entry *broken = realloc(shared->broken, room * sizeof *broken);
    if (!broken) return false;
    shared->broken = broken;
    shared->broken_room = room;
  }
  srv_store_entry *place = &shared->broken[shared->broken_at];
  memmove(place + 1, place, (shared->broken_count++ - shared->broken_at) * sizeof *place);
  *place = *entry;
  snprintf(text, sizeof text, "%s: %s", entry->id, why);
  srv_log_event(shared->server->log, "shapeCorrupt", text);
  return true;
}

/* The look's entry that has come is read. broken: why it cannot be; NULL: it can, or has gone. */
static void go_past(srv_shared *shared, const char *broken) {
  bool known = is_broken(shared), good = true;
  if (broken && !known) {
    good = add_broken(shared, broken);
  } else if (!broken && known) {
    srv_store_entry *place = &shared->broken[shared->broken_at];
    memmove(place, place + 1, (--shared->broken_count - shared->broken_at) * sizeof *place);
  }
  srv_store_load_free(&shared->load);
  shared->at++;
  if (good) load_next(shared);
  else end_sync(shared, SRV_STORE_MEMORY, "");
}

/* ---- those that are not here ----------------------------------------------------------------------------------------- */

static long take(srv_job *job) {
  srv_shared *shared = (srv_shared *)job;
  if (shared->taken) return SRV_NO_PIECE;
  shared->taken = true;
  return 0;
}

static void run(srv_job *job, long piece, api_scratch *scratch) {
  srv_shared *shared = (srv_shared *)job;
  const srv_store_record *record = &shared->load.records[0];
  (void)piece;
  (void)scratch;
  shared->outcome = api_record_apply_shape(shared->server->service, shared->before, record->bytes, record->length, &shared->after,
                                           shared->why);
}

static void applied(srv_job *job, long piece) {
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
  go_past(shared, shared->outcome == API_RESTORED ? NULL : shared->why);
}

static void fetched(srv_store_load *load) {
  srv_shared *shared = load->cls;
  srv_server *server = shared->server;
  if (load->status == SRV_STORE_OK && load->count > 0) {
    shared->before = api_shapes_retain(server->shapes);
    shared->after = NULL;
    shared->taken = false;
    shared->job = (srv_job){.take = take, .run = run, .done = applied};
    srv_pool_submit(server->pool, &shared->job, &server->stateless, false);
    srv_pool_pump(server->pool);
    return;
  }
  bool gone = load->status == SRV_STORE_UNKNOWN || load->status == SRV_STORE_DAMAGED || load->status == SRV_STORE_OK;
  if (gone) {
    go_past(shared, load->status == SRV_STORE_DAMAGED ? load->why : NULL);
    return;
  }
  srv_store_load_free(load);
  end_sync(shared, load->status, load->why);
}

static void load_next(srv_shared *shared) {
  srv_server *server = shared->server;
  const srv_store_lookup *look = &shared->look;
  while (shared->at < look->count &&
         (api_shapes_has(server->shapes, look->entries[shared->at].id) || (!shared->anew && is_broken(shared))))
    shared->at++;
  if (shared->at == look->count) {
    end_sync(shared, SRV_STORE_OK, "");
    return;
  }
  shared->load = (srv_store_load){.space = SRV_STORE_SHAPES, .done = fetched, .cls = shared};
  memcpy(shared->load.id, look->entries[shared->at].id, sizeof shared->load.id);
  srv_store_fetch(server->store, &shared->load);
}

/* Shapes that others have deleted go. Every call that may name a shape comes by here: it takes no longer than the list is. False:
 * out of memory. */
static bool drop_gone(srv_server *server, const srv_store_lookup *look) {
  const char *ids = look->count ? look->entries->id : NULL;
  const api_shape_table *left = api_shapes_intersect(server->shapes, ids, look->count, sizeof *look->entries);
  if (!left) return false;
  api_shapes_release(server->shapes);
  server->shapes = left;
  return true;
}

static void listed(srv_store_lookup *look) {
  srv_shared *shared = look->cls;
  if (look->status != SRV_STORE_OK) {
    end_sync(shared, look->status, look->why);
    return;
  }
  if (!drop_gone(shared->server, look)) {
    end_sync(shared, SRV_STORE_MEMORY, "");
    return;
  }
  uint64_t now_ns = uv_hrtime();
  shared->anew = now_ns - shared->broken_ns >= BROKEN_NS;
  if (shared->anew) shared->broken_ns = now_ns;
  forget_broken(shared);
  shared->at = shared->broken_at = 0;
  load_next(shared);
}

/* Who comes from now on waits for the next look. */
static void have_turn(srv_shape_turn *turn) {
  srv_shared *shared = (srv_shared *)((char *)turn - offsetof(srv_shared, turn));
  shared->now = shared->next;
  shared->next = NULL;
  shared->look = (srv_store_lookup){.space = SRV_STORE_SHAPES, .done = listed, .cls = shared};
  srv_store_find(shared->server->store, &shared->look);
}

static void begin_sync(srv_shared *shared) {
  shared->running = true;
  shared->server->errands++;
  shared->turn = (srv_shape_turn){.begin = have_turn};
  srv_shape_turn_acquire(shared->server, &shared->turn);
}

void srv_shared_sync_shapes(srv_server *server, srv_shape_sync *sync) {
  srv_shared *shared = server->shared;
  shared->server = server;
  sync->next = shared->next;
  shared->next = sync;
  if (!shared->running) begin_sync(shared);
}

/* ---- scenes ---------------------------------------------------------------------------------------------------------- */

/* Memory is told what the store has of a scene. False: out of memory. */
static bool note_scene(srv_server *server, const srv_store_entry *found, const asking *a) {
  srv_registry *registry = server->registry;
  srv_entry *entry = srv_registry_find(registry, found->id);
  srv_lost_writes_check_answer(server, entry, found->revision, a->look.last_revision, a->asked_ns);
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
  uint64_t stamp = entry->current ? kept->held_stamp : kept->stamp;
  bool settled = kept->presence == SRV_PRESENCE_HERE || kept->presence == SRV_PRESENCE_CORRUPT;
  if (settled && (known != found->revision || stamp != found->stamp)) kept->presence = SRV_PRESENCE_STORED;
  kept->revision = found->revision;
  kept->stamp = found->stamp;
  kept->bodies = found->bodies;
  srv_lost_writes_note_stored(kept, found->revision);
  return true;
}

/* Scenes that are not in the list have gone. */
static bool note_all(srv_server *server, const asking *a) {
  const srv_store_lookup *look = &a->look;
  char id[CT_ID_LENGTH_MAX + 1] = "";
  size_t at = 0;
  for (size_t i = 0; i < look->count; i++)
    if (!note_scene(server, &look->entries[i], a)) return false;
  for (srv_entry *entry; (entry = srv_registry_after(server->registry, id));) {
    memcpy(id, entry->id, sizeof id);
    while (at < look->count && strcmp(look->entries[at].id, id) < 0) at++;
    bool there = at < look->count && strcmp(look->entries[at].id, id) == 0;
    if (there || !(entry->current || entry->kept)) continue;
    srv_lost_writes_check_answer(server, entry, 0, look->last_revision, a->asked_ns);
    srv_registry_remove(server->registry, entry);
  }
  return true;
}

bool srv_shared_reload_if_older(srv_request *request) {
  srv_entry *entry = request->entry;
  srv_stored_scene *kept = entry ? entry->kept : NULL;
  if (!request->store_revision || !kept || kept->presence != SRV_PRESENCE_HERE || !entry->current) return true;
  uint64_t revision = ct_scene_revision(entry->current);
  if (revision > request->store_revision) return true;
  if (revision == request->store_revision && kept->held_stamp == request->store_stamp) return true;
  if (request->reloads++ < RELOADS_MOST) {
    kept->presence = SRV_PRESENCE_STORED;
    return true;
  }
  srv_request_refuse(request, API_PROBLEM_STORE_UNAVAILABLE, "Revision %llu of the scene cannot be read from the store.",
                     (unsigned long long)request->store_revision);
  srv_request_refusal_header(request, "Retry-After", "1");
  return false;
}

/* ---- asking ---------------------------------------------------------------------------------------------------------- */

static void refuse(srv_request *request, srv_store_status status, const char *why) {
  switch (status) {
  case SRV_STORE_MEMORY: srv_job_refuse_memory(request); return;
  case SRV_STORE_DAMAGED: srv_request_refuse(request, API_PROBLEM_CORRUPT, "The store is damaged: %s", why); return;
  case SRV_STORE_FAILED:
    srv_request_refuse(request, API_PROBLEM_STORAGE_FAILED, "The store cannot be asked: %s", why);
    srv_request_refusal_header(request, "Retry-After", "10");
    return;
  default:
    srv_request_refuse(request, API_PROBLEM_STORE_UNAVAILABLE, "The store cannot be asked now: %s", why);
    srv_request_refusal_header(request, "Retry-After", "1");
  }
}

static void go_on(asking *a) {
  srv_request *request = a->request;
  bool good = a->status == SRV_STORE_OK;
  if (request->cancelled) return;
  if (!good) refuse(request, a->status, a->why);
  if (a->feeds) srv_job_resume_feed(request, good);
  else if (good) srv_job_loaded(request);
  else srv_job_not_loaded(request);
}

/* The last answer is there. */
static void end_refresh(asking *a) {
  srv_request *request = a->request;
  if (request) {
    go_on(a);
    srv_request_release(request);
  }
  a->server->errands--;
  if (a->lists) srv_recover_listed(a->server, a->status == SRV_STORE_OK);
  free(a);
}

static void note(asking *a, srv_store_status status, const char *why) {
  if (status != SRV_STORE_OK && a->status == SRV_STORE_OK) {
    a->status = status;
    snprintf(a->why, sizeof a->why, "%s", why);
  }
  if (--a->waits == 0) end_refresh(a);
}

static void looked(srv_store_lookup *look) {
  asking *a = look->cls;
  srv_store_status status = look->status;
  if (status == SRV_STORE_OK) {
    srv_registry_raise_first_revision(a->server->registry, look->last_revision);
    if (a->request && look->id[0]) {
      a->request->store_revision = look->entries[0].revision;
      a->request->store_stamp = look->entries[0].stamp;
    }
    bool noted = look->id[0] ? note_scene(a->server, &look->entries[0], a) : note_all(a->server, a);
    if (!noted) status = SRV_STORE_MEMORY;
    free(look->entries);
  }
  note(a, status, look->why);
}

static void synced(srv_shape_sync *sync, srv_store_status status, const char *why) {
  note((asking *)((char *)sync - offsetof(asking, sync)), status, why);
}

/* The id of the scene that the call is about; NULL: none that may be there already. */
static const char *scene_of(const srv_request *request) {
  if (request->match.target == API_TARGET_CREATE) return request->keyed ? request->new_id : NULL;
  return request->match.scene_id[0] && request->match.target != API_TARGET_NONE ? request->match.scene_id : NULL;
}

/* A scene that cannot be read may have lacked a shape that somebody has posted since. */
static bool may_lack_shapes(srv_server *server, const char *scene) {
  const srv_entry *entry = scene ? srv_registry_find(server->registry, scene) : NULL;
  return entry && entry->kept && entry->kept->presence == SRV_PRESENCE_CORRUPT;
}

static asking *create_refresh(srv_server *server, const char *id) {
  asking *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->server = server;
  a->asked_ns = uv_hrtime();
  a->look = (srv_store_lookup){.space = SRV_STORE_SCENES, .done = looked, .cls = a};
  a->sync.done = synced;
  snprintf(a->look.id, sizeof a->look.id, "%s", id);
  server->errands++;
  return a;
}

/* Lists and shapes are never old: nothing would say that they are. */
bool srv_shared_is_stale(const srv_request *request) {
  const srv_server *server = request->server;
  bool reads = request->match.target == API_TARGET_READ || request->match.target == API_TARGET_EVENTS;
  return reads && server->store && server->store->shared && server->config->stale_reads;
}

/* Nobody waits for what this finds. */
static void compare_later(srv_server *server, srv_entry *entry) {
  uint64_t now_ns = uv_hrtime();
  if (now_ns - entry->kept->compared_ns < STALE_NS || server->ending) return;
  asking *a = create_refresh(server, entry->id);
  if (!a) return;
  entry->kept->compared_ns = now_ns;
  a->waits = 1;
  srv_store_find(server->store, &a->look);
}

bool srv_shared_list_scenes(srv_server *server) {
  asking *a = create_refresh(server, "");
  if (!a) return false;
  a->lists = true;
  a->waits = 1;
  srv_store_find(server->store, &a->look);
  return true;
}

bool srv_shared_needs_refresh(srv_request *request) {
  srv_server *server = request->server;
  if (!server->store || !server->store->shared || !request->call) return false;
  const char *scene = scene_of(request);
  bool list = request->match.target == API_TARGET_LIST;
  if (!scene && !list && !srv_request_needs_shapes(request)) return false;
  if (!srv_shared_is_stale(request)) return true;
  srv_entry *entry = srv_registry_find(server->registry, request->match.scene_id);
  bool here = entry && entry->kept && entry->kept->presence == SRV_PRESENCE_HERE;
  if (!here || srv_request_needs_shapes(request)) return true;
  compare_later(server, entry);
  return false;
}

bool srv_shared_refresh(srv_request *request) {
  srv_server *server = request->server;
  const char *scene = scene_of(request);
  asking *a = create_refresh(server, scene ? scene : "");
  if (!a) return false;
  bool scenes = scene || request->match.target == API_TARGET_LIST;
  bool shapes = srv_request_needs_shapes(request) || may_lack_shapes(server, scene);
  a->request = request;
  srv_request_retain(request);
  a->waits = (unsigned)scenes + (unsigned)shapes;
  if (scenes) srv_store_find(server->store, &a->look);
  if (shapes) srv_shared_sync_shapes(server, &a->sync);
  return true;
}

bool srv_shared_needs_shape_refresh(const srv_request *request) {
  const srv_server *server = request->server;
  return server->store && server->store->shared && request->match.streams && srv_request_needs_shapes(request);
}

bool srv_shared_refresh_shapes(srv_request *request) {
  asking *a = create_refresh(request->server, "");
  if (!a) return false;
  a->request = request;
  a->feeds = true;
  srv_request_retain(request);
  a->waits = 1;
  srv_shared_sync_shapes(request->server, &a->sync);
  return true;
}
