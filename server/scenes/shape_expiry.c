/* Expiry of shapes in rounds: a worker searches the scenes in memory for users of shapes, then
 * expired shapes are removed one by one. The store makes the final decision, since it also has the
 * scenes that are not in memory. */
#include "scenes/shape_expiry.h"

#include "process/array.h"
#include "scenes/shape_turn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of rounds per --shape-seconds, and longest time between two rounds. */
#define ROUNDS_PER_LIFETIME 8u
#define ROUND_NS_MAX 3600000000000u
/* Largest number of reports of a shape's use to a shared store per --shape-seconds. */
#define REPORTS_PER_LIFETIME 10u

typedef struct shape_use {
  char id[CT_ID_LENGTH_MAX + 1];
  uint64_t at_ns;
  /* Shared store only: */
  uint64_t stamp, last; /* stamp and last use of the store's entry, as read at at_ns or earlier;
                           stamp 0: unknown */
  uint64_t reported_ns; /* time of the last report to the store; 0: none */
} shape_use;

struct srv_shape_expiry {
  srv_job job; /* job of the round; must be first: the pool gets this address */
  srv_server *server;
  shape_use *items; /* sorted by id: shapes of the last round, and shapes reported since */
  size_t count, capacity;
  uint64_t next_ns, began_ns;
  bool running;
  /* The current round: */
  srv_store_lookup lookup; /* entries of a shared store */
  uint64_t looked_ns;
  const api_shape_table *shapes;
  api_scene_entry *scenes;
  size_t scenes_count;
  bool *named;
  /* The shape being removed: */
  srv_shape_turn turn;
  srv_store_write write;
};

srv_shape_expiry *srv_shape_expiry_create(void) { return calloc(1, sizeof(srv_shape_expiry)); }

void srv_shape_expiry_destroy(srv_shape_expiry *expiry) {
  if (!expiry) return;
  free(expiry->items);
  free(expiry);
}

static int compare_use_ids(const void *a, const void *b) {
  return strcmp(((const shape_use *)a)->id, ((const shape_use *)b)->id);
}

static shape_use *find_shape_use(const srv_shape_expiry *expiry, const char *id) {
  shape_use key;
  snprintf(key.id, sizeof key.id, "%s", id);
  return expiry->count ? bsearch(&key, expiry->items, expiry->count, sizeof key, compare_use_ids)
                       : NULL;
}

void srv_shape_expiry_renew(srv_server *server, const char *id) {
  shape_use *item = server->shape_expiry ? find_shape_use(server->shape_expiry, id) : NULL;
  if (item) item->at_ns = uv_hrtime();
}

static uint64_t get_lifetime_ns(const srv_server *server) {
  return server->config->shape_seconds * 1000000000u;
}

bool srv_shape_expiry_needs_report(srv_server *server, const char *id) {
  if (!server->shape_expiry || !server->store->shared) return false;
  const shape_use *item = find_shape_use(server->shape_expiry, id);
  return !item || !item->reported_ns ||
         uv_hrtime() - item->reported_ns >= get_lifetime_ns(server) / REPORTS_PER_LIFETIME;
}

/* Adds a shape with the present time as its last use. NULL: out of memory. */
static shape_use *add_shape_use(srv_shape_expiry *expiry, const char *id) {
  if (!srv_array_reserve(&expiry->items, &expiry->capacity, expiry->count + 1,
                         sizeof *expiry->items, 16))
    return NULL;
  size_t at = expiry->count++;
  shape_use *items = expiry->items;
  for (; at > 0 && strcmp(items[at - 1].id, id) > 0; at--) items[at] = items[at - 1];
  items[at] = (shape_use){.at_ns = uv_hrtime()};
  snprintf(items[at].id, sizeof items[at].id, "%s", id);
  return &items[at];
}

void srv_shape_expiry_reported(srv_server *server, const char *id, uint64_t reported_ns) {
  srv_shape_expiry *expiry = server->shape_expiry;
  shape_use *item = expiry ? find_shape_use(expiry, id) : NULL;
  if (expiry && !item)
    item = add_shape_use(expiry, id); /* out of memory: the use will be reported again */
  if (!item) return;
  item->at_ns = uv_hrtime();
  item->reported_ns = reported_ns;
}

/* ---- removal -------------------------------------------------------------------------------- */

static void end_expiry_round(srv_shape_expiry *expiry) {
  expiry->running = false;
  expiry->server->background_jobs--;
}

static void remove_next_expired(srv_shape_expiry *expiry);

static void on_shape_removed(srv_store_write *write) {
  srv_shape_expiry *expiry = write->cls;
  srv_server *server = expiry->server;
  srv_metrics_stored(&server->metrics, write);
  shape_use *item = find_shape_use(expiry, write->id);
  bool is_removed =
      write->status == SRV_STORE_OK || (write->status == SRV_STORE_CONFLICT && write->current == 0);
  const api_shape_table *next = is_removed ? api_shapes_drop(server->shapes, write->id) : NULL;
  if (next) {
    api_shapes_release(server->shapes);
    server->shapes = next;
    srv_log_event(server->log, "shapeExpired", write->id);
  }
  /* Renewed after any answer, so that the removal is not repeated at once. The next round finds
   * uses by other daemons. */
  item->at_ns = uv_hrtime();
  srv_shape_turn_release(server);
  remove_next_expired(expiry);
}

static void begin_removal(srv_shape_turn *turn) {
  srv_shape_expiry *expiry = (srv_shape_expiry *)((char *)turn - offsetof(srv_shape_expiry, turn));
  srv_server_submit_write(expiry->server, &expiry->write);
}

/* True if the shape has been unused for its lifetime. With a shared store a tenth is added, because
 * other daemons may have used the shape that long after their last report. */
static bool has_expired(const srv_server *server, const shape_use *item, uint64_t now_ns) {
  bool shared = server->store->shared;
  uint64_t most_ns =
      get_lifetime_ns(server) + (shared ? get_lifetime_ns(server) / REPORTS_PER_LIFETIME : 0);
  return now_ns - item->at_ns >= most_ns && (!shared || item->stamp) &&
         api_shapes_has(server->shapes, item->id);
}

static void remove_next_expired(srv_shape_expiry *expiry) {
  srv_server *server = expiry->server;
  uint64_t now_ns = uv_hrtime();
  const shape_use *old = NULL;
  for (size_t i = 0; i < expiry->count && !old; i++)
    if (has_expired(server, &expiry->items[i], now_ns)) old = &expiry->items[i];
  if (!old || server->ending || server->drain != SRV_SERVING) {
    end_expiry_round(expiry);
    return;
  }
  expiry->write = (srv_store_write){.space = SRV_STORE_SHAPES,
                                    .act = SRV_STORE_REMOVE,
                                    .before = 1,
                                    .before_stamp = old->stamp,
                                    .bodies = old->last,
                                    .revision = 1,
                                    .done = on_shape_removed,
                                    .cls = expiry};
  memcpy(expiry->write.id, old->id, sizeof expiry->write.id);
  expiry->turn = (srv_shape_turn){.begin = begin_removal};
  srv_shape_turn_acquire(server, &expiry->turn);
}

/* ---- the round ------------------------------------------------------------------------------ */

static void run_usage_search(srv_job *job, long piece, api_scratch *scratch) {
  srv_shape_expiry *expiry = (srv_shape_expiry *)job;
  (void)piece;
  (void)scratch;
  api_shapes_mark_used(expiry->shapes, expiry->scenes, expiry->scenes_count, expiry->named);
  srv_registry_list_free(expiry->scenes, expiry->scenes_count);
}

static int compare_entry_id(const void *id, const void *entry) {
  return strcmp(id, ((const srv_store_entry *)entry)->id);
}

/* Merges the shared store's entry of a shape. If the entry has changed, the shape was used before
 * the lookup was answered. */
static void merge_store_use(const srv_shape_expiry *expiry, shape_use *item) {
  const srv_store_lookup *lookup = &expiry->lookup;
  const srv_store_entry *entry = lookup->count ? bsearch(item->id, lookup->entries, lookup->count,
                                                         sizeof *lookup->entries, compare_entry_id)
                                               : NULL;
  if (!entry || (item->stamp == entry->stamp && item->last == entry->bodies)) return;
  item->stamp = entry->stamp;
  item->last = entry->bodies;
  if (item->at_ns < expiry->looked_ns) item->at_ns = expiry->looked_ns;
}

/* Updates the times of last use of all shapes after a round. False: out of memory. */
static bool update_shape_uses(srv_shape_expiry *expiry) {
  size_t count = api_shapes_count(expiry->shapes);
  shape_use *items = calloc(count + 1, sizeof *items);
  if (!items) return false;
  for (size_t i = 0; i < count; i++) {
    const char *id = api_shapes_id(expiry->shapes, i);
    const shape_use *before = find_shape_use(expiry, id);
    items[i] = before ? *before : (shape_use){.at_ns = expiry->began_ns};
    snprintf(items[i].id, sizeof items[i].id, "%s", id);
    if (expiry->named[i] && items[i].at_ns < expiry->began_ns) items[i].at_ns = expiry->began_ns;
    merge_store_use(expiry, &items[i]);
  }
  free(expiry->items);
  expiry->items = items;
  expiry->count = count;
  expiry->capacity = count + 1;
  return true;
}

static void on_usage_searched(srv_job *job, long piece) {
  srv_shape_expiry *expiry = (srv_shape_expiry *)job;
  (void)piece;
  srv_pool_withdraw(expiry->server->pool, job);
  bool noted = update_shape_uses(expiry);
  api_shapes_release(expiry->shapes);
  free(expiry->named);
  free(expiry->lookup.entries);
  expiry->lookup = (srv_store_lookup){0};
  if (noted) remove_next_expired(expiry);
  else end_expiry_round(expiry);
}

static void begin_expiry_round(srv_shape_expiry *expiry) {
  srv_server *server = expiry->server;
  expiry->named = calloc(api_shapes_count(server->shapes) + 1, sizeof *expiry->named);
  if (!expiry->named ||
      !srv_registry_list(server->registry, &expiry->scenes, &expiry->scenes_count)) {
    free(expiry->named);
    free(expiry->lookup.entries);
    end_expiry_round(expiry);
    return;
  }
  expiry->shapes = api_shapes_retain(server->shapes);
  expiry->job = (srv_job){.run = run_usage_search, .done = on_usage_searched};
  expiry->began_ns = uv_hrtime();
  srv_pool_submit(server->pool, &expiry->job, &server->stateless, false);
  srv_pool_pump(server->pool);
}

static void on_store_shapes_listed(srv_store_lookup *lookup) {
  srv_shape_expiry *expiry = lookup->cls;
  expiry->looked_ns = uv_hrtime();
  if (lookup->status == SRV_STORE_OK && expiry->server->drain == SRV_SERVING) {
    begin_expiry_round(expiry);
    return;
  }
  free(lookup->entries);
  end_expiry_round(expiry);
}

void srv_shape_expiry_tick(srv_server *server, uint64_t now_ns) {
  srv_shape_expiry *expiry = server->shape_expiry;
  if (!expiry || expiry->running || now_ns < expiry->next_ns || server->drain != SRV_SERVING)
    return;
  uint64_t round_ns = get_lifetime_ns(server) / ROUNDS_PER_LIFETIME;
  expiry->next_ns = now_ns + (round_ns < ROUND_NS_MAX ? round_ns : ROUND_NS_MAX);
  if (server->shapes_pending || api_shapes_count(server->shapes) == 0) return;
  expiry->server = server;
  expiry->running = true;
  server->background_jobs++;
  expiry->lookup =
      (srv_store_lookup){.space = SRV_STORE_SHAPES, .done = on_store_shapes_listed, .cls = expiry};
  if (server->store->shared) srv_store_find(server->store, &expiry->lookup);
  else begin_expiry_round(expiry);
}
