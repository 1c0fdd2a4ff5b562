/* A round looks through the scenes in memory on a worker and notes which shapes they name; then the first shape that has not been
 * seen for too long is taken out of the store, and so on. The store has the last word: it knows scenes that are not in memory. */
#include "scenes/shape_expiry.h"

#include "scenes/durable_write.h"
#include "scenes/recover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rounds in the time that a shape is kept, and the longest time between two. */
#define ROUNDS 8u
#define ROUND_NS_MOST 3600000000000u
/* A shared store is told of a shape so often in that time, however often it is posted. */
#define TELLINGS 10u

typedef struct seen {
  char id[CT_ID_LENGTH_MAX + 1];
  uint64_t at_ns;
  /* With a shared store. */
  uint64_t stamp, last; /* of its entry, which was so at at_ns or before; stamp 0: not known */
  uint64_t told_ns;     /* when the store was last told; 0: not yet */
} seen;

struct srv_shape_expiry {
  srv_job job; /* of the round; first */
  srv_server *server;
  seen *items; /* ascending in id: the shapes of the last round, and those that the store was told of */
  size_t count;
  uint64_t next_ns, began_ns;
  bool running, taken;
  /* The round. */
  srv_store_lookup look; /* of a shared store */
  uint64_t looked_ns;
  const api_shape_table *shapes;
  api_scene_entry *scenes;
  size_t scenes_count;
  bool *named;
  /* The shape that goes. */
  srv_shape_turn turn;
  srv_store_write write;
};

srv_shape_expiry *srv_shape_expiry_create(void) { return calloc(1, sizeof(srv_shape_expiry)); }

void srv_shape_expiry_destroy(srv_shape_expiry *shelf) {
  if (!shelf) return;
  free(shelf->items);
  free(shelf);
}

static int by_id(const void *a, const void *b) { return strcmp(((const seen *)a)->id, ((const seen *)b)->id); }

static seen *find(const srv_shape_expiry *shelf, const char *id) {
  seen key;
  snprintf(key.id, sizeof key.id, "%s", id);
  return shelf->count ? bsearch(&key, shelf->items, shelf->count, sizeof key, by_id) : NULL;
}

void srv_shape_expiry_renew(srv_server *server, const char *id) {
  seen *item = server->shelf ? find(server->shelf, id) : NULL;
  if (item) item->at_ns = uv_hrtime();
}

static uint64_t age_ns(const srv_server *server) { return server->config->shape_seconds * 1000000000u; }

bool srv_shape_expiry_needs_report(srv_server *server, const char *id) {
  if (!server->shelf || !server->store->shared) return false;
  const seen *item = find(server->shelf, id);
  return !item || !item->told_ns || uv_hrtime() - item->told_ns >= age_ns(server) / TELLINGS;
}

/* NULL: out of memory. */
static seen *add(srv_shape_expiry *shelf, const char *id) {
  seen *items = realloc(shelf->items, (shelf->count + 1) * sizeof *items);
  if (!items) return NULL;
  size_t at = shelf->count++;
  shelf->items = items;
  for (; at > 0 && strcmp(items[at - 1].id, id) > 0; at--) items[at] = items[at - 1];
  items[at] = (seen){.at_ns = uv_hrtime()};
  snprintf(items[at].id, sizeof items[at].id, "%s", id);
  return &items[at];
}

void srv_shape_expiry_reported(srv_server *server, const char *id, uint64_t told_ns) {
  srv_shape_expiry *shelf = server->shelf;
  seen *item = shelf ? find(shelf, id) : NULL;
  if (shelf && !item) item = add(shelf, id); /* without memory it is told again */
  if (!item) return;
  item->at_ns = uv_hrtime();
  item->told_ns = told_ns;
}

/* ---- the shape that goes ----------------------------------------------------------------------------------------------------- */

static void end_expiry_round(srv_shape_expiry *shelf) {
  shelf->running = false;
  shelf->server->errands--;
}

static void take_out_next(srv_shape_expiry *shelf);

static void removed(srv_store_write *write) {
  srv_shape_expiry *shelf = write->cls;
  srv_server *server = shelf->server;
  srv_metrics_stored(server, write);
  seen *item = find(shelf, write->id);
  bool gone = write->status == SRV_STORE_OK || (write->status == SRV_STORE_CONFLICT && write->current == 0);
  const api_shape_table *next = gone ? api_shapes_drop(server->shapes, write->id) : NULL;
  if (next) {
    api_shapes_release(server->shapes);
    server->shapes = next;
    srv_log_event(server->log, "shapeExpired", write->id);
  }
  /* Whatever the store says, it is not asked again at once. That others have seen it the next round finds. */
  item->at_ns = uv_hrtime();
  srv_shape_turn_release(server);
  take_out_next(shelf);
}

static void begin(srv_shape_turn *turn) {
  srv_shape_expiry *shelf = (srv_shape_expiry *)((char *)turn - offsetof(srv_shape_expiry, turn));
  srv_metrics_submit(shelf->server, &shelf->write);
}

/* Others may have posted it a tenth of the time after the store was last told. */
static bool is_old(const srv_server *server, const seen *item, uint64_t now_ns) {
  bool shared = server->store->shared;
  uint64_t most_ns = age_ns(server) + (shared ? age_ns(server) / TELLINGS : 0);
  return now_ns - item->at_ns >= most_ns && (!shared || item->stamp) && api_shapes_has(server->shapes, item->id);
}

static void take_out_next(srv_shape_expiry *shelf) {
  srv_server *server = shelf->server;
  uint64_t now_ns = uv_hrtime();
  const seen *old = NULL;
  for (size_t i = 0; i < shelf->count && !old; i++)
    if (is_old(server, &shelf->items[i], now_ns)) old = &shelf->items[i];
  if (!old || server->ending || server->drain != SRV_SERVING) {
    end_expiry_round(shelf);
    return;
  }
  shelf->write = (srv_store_write){.space = SRV_STORE_SHAPES,
                                   .act = SRV_STORE_REMOVE,
                                   .before = 1,
                                   .before_stamp = old->stamp,
                                   .bodies = old->last,
                                   .revision = 1,
                                   .done = removed,
                                   .cls = shelf};
  memcpy(shelf->write.id, old->id, sizeof shelf->write.id);
  shelf->turn = (srv_shape_turn){.begin = begin};
  srv_shape_turn_acquire(server, &shelf->turn);
}

/* ---- the round --------------------------------------------------------------------------------------------------------------- */

static long take(srv_job *job) {
  srv_shape_expiry *shelf = (srv_shape_expiry *)job;
  if (shelf->taken) return SRV_NO_PIECE;
  shelf->taken = true;
  return 0;
}

static void run(srv_job *job, long piece, api_scratch *scratch) {
  srv_shape_expiry *shelf = (srv_shape_expiry *)job;
  (void)piece;
  (void)scratch;
  api_shapes_mark_used(shelf->shapes, shelf->scenes, shelf->scenes_count, shelf->named);
  srv_registry_list_free(shelf->scenes, shelf->scenes_count);
}

static int by_entry_id(const void *id, const void *entry) { return strcmp(id, ((const srv_store_entry *)entry)->id); }

/* What the store says of the shape, where it is shared: another entry than before was made before the look was answered. */
static void compare(const srv_shape_expiry *shelf, seen *item) {
  const srv_store_lookup *look = &shelf->look;
  const srv_store_entry *entry =
      look->count ? bsearch(item->id, look->entries, look->count, sizeof *look->entries, by_entry_id) : NULL;
  if (!entry || (item->stamp == entry->stamp && item->last == entry->bodies)) return;
  item->stamp = entry->stamp;
  item->last = entry->bodies;
  if (item->at_ns < shelf->looked_ns) item->at_ns = shelf->looked_ns;
}

/* The shapes of the round, with when they were last seen. False: out of memory. */
static bool note(srv_shape_expiry *shelf) {
  size_t count = api_shapes_count(shelf->shapes);
  seen *items = calloc(count + 1, sizeof *items);
  if (!items) return false;
  for (size_t i = 0; i < count; i++) {
    const char *id = api_shapes_id(shelf->shapes, i);
    const seen *before = find(shelf, id);
    items[i] = before ? *before : (seen){.at_ns = shelf->began_ns};
    snprintf(items[i].id, sizeof items[i].id, "%s", id);
    if (shelf->named[i] && items[i].at_ns < shelf->began_ns) items[i].at_ns = shelf->began_ns;
    compare(shelf, &items[i]);
  }
  free(shelf->items);
  shelf->items = items;
  shelf->count = count;
  return true;
}

static void done(srv_job *job, long piece) {
  srv_shape_expiry *shelf = (srv_shape_expiry *)job;
  (void)piece;
  srv_pool_withdraw(shelf->server->pool, job);
  bool noted = note(shelf);
  api_shapes_release(shelf->shapes);
  free(shelf->named);
  free(shelf->look.entries);
  shelf->look = (srv_store_lookup){0};
  if (noted) take_out_next(shelf);
  else end_expiry_round(shelf);
}

static void begin_expiry_round(srv_shape_expiry *shelf) {
  srv_server *server = shelf->server;
  shelf->named = calloc(api_shapes_count(server->shapes) + 1, sizeof *shelf->named);
  if (!shelf->named || !srv_registry_list(server->registry, &shelf->scenes, &shelf->scenes_count)) {
    free(shelf->named);
    free(shelf->look.entries);
    end_expiry_round(shelf);
    return;
  }
  shelf->shapes = api_shapes_retain(server->shapes);
  shelf->job = (srv_job){.take = take, .run = run, .done = done};
  shelf->taken = false;
  shelf->began_ns = uv_hrtime();
  srv_pool_submit(server->pool, &shelf->job, &server->stateless, false);
  srv_pool_pump(server->pool);
}

static void looked(srv_store_lookup *look) {
  srv_shape_expiry *shelf = look->cls;
  shelf->looked_ns = uv_hrtime();
  if (look->status == SRV_STORE_OK && shelf->server->drain == SRV_SERVING) {
    begin_expiry_round(shelf);
    return;
  }
  free(look->entries);
  end_expiry_round(shelf);
}

void srv_shape_expiry_tick(srv_server *server, uint64_t now_ns) {
  srv_shape_expiry *shelf = server->shelf;
  if (!shelf || shelf->running || now_ns < shelf->next_ns || server->drain != SRV_SERVING) return;
  uint64_t round_ns = age_ns(server) / ROUNDS;
  shelf->next_ns = now_ns + (round_ns < ROUND_NS_MOST ? round_ns : ROUND_NS_MOST);
  if (!srv_recover_has_shapes(server) || api_shapes_count(server->shapes) == 0) return;
  shelf->server = server;
  shelf->running = true;
  server->errands++;
  shelf->look = (srv_store_lookup){.space = SRV_STORE_SHAPES, .done = looked, .cls = shelf};
  if (server->store->shared) srv_store_find(server->store, &shelf->look);
  else begin_expiry_round(shelf);
}
