/* Scene cache: doubly linked LRU list with running totals.
 *
 * The size of a scene in memory is known in O(1): each revision stores the sum over its bodies
 * (ct_scene_weight). Otherwise it is estimated from the number of bodies, which the store's list
 * contains. */
#include "scenes/scene_cache.h"

#include "state/event_ring.h"

#include <stddef.h>

/* Estimated size of a body with one simple collider, B. */
#define BODY_BYTES 600u

static uint64_t estimate_scene_bytes(const srv_entry *entry) {
  return entry->current ? ct_scene_weight(entry->current) : entry->kept->bodies * BODY_BYTES;
}

/* ---- the sum and the list ------------------------------------------------------------------- */

void srv_scene_cache_init(srv_scene_cache *cache) {
  cache->idle = (srv_list_node){&cache->idle, &cache->idle};
}

void srv_scene_cache_weigh(srv_scene_cache *cache, srv_entry *entry) {
  uint64_t weight = entry->current && entry->kept ? estimate_scene_bytes(entry) : 0;
  if (weight < entry->weight) cache->gone += entry->weight - weight;
  cache->bytes += weight - entry->weight;
  entry->weight = weight;
  srv_scene_cache_order(cache, entry);
}

static void unlink_idle(srv_entry *entry) {
  srv_list_node *link = &entry->idle;
  if (!link->after) return;
  link->before->after = link->after;
  link->after->before = link->before;
  *link = (srv_list_node){0};
}

/* References to the entry by streams that a shared store feeds; these do not need the scene in
 * memory. */
static unsigned count_store_listeners(const srv_entry *entry) {
  return entry->ring && entry->ring->fed ? entry->ring->listeners : 0;
}

/* True if the scene is in memory but unused: no reference that needs it, no revision pinned by a
 * cursor. */
static bool is_idle(const srv_entry *entry) {
  return entry->current && entry->kept && entry->uses == count_store_listeners(entry) &&
         entry->pin_count == 0;
}

/* A scene that is in the list already keeps its place. */
void srv_scene_cache_order(srv_scene_cache *cache, srv_entry *entry) {
  srv_list_node *link = &entry->idle;
  if (!is_idle(entry)) {
    unlink_idle(entry);
    return;
  }
  if (link->after) return;
  link->before = entry->used ? cache->idle.before : &cache->idle;
  link->after = link->before->after;
  link->before->after = link->after->before = link;
}

void srv_server_weigh_scene(srv_server *server, srv_entry *entry) {
  srv_scene_cache_weigh(srv_registry_scene_cache(server->registry), entry);
}

void srv_server_order_scene(srv_server *server, srv_entry *entry) {
  srv_scene_cache_order(srv_registry_scene_cache(server->registry), entry);
}

/* ---- the bound ------------------------------------------------------------------------------ */

bool srv_scene_cache_has_room(const srv_server *server, const srv_entry *entry) {
  return srv_registry_scene_cache(server->registry)->bytes + estimate_scene_bytes(entry) <=
         server->config->scene_memory;
}

bool srv_scene_cache_evict(srv_server *server) {
  if (!server->store) return false;
  srv_scene_cache *cache = srv_registry_scene_cache(server->registry);
  bool full = cache->bytes > server->config->scene_memory;
  while (cache->bytes > server->config->scene_memory && cache->idle.after != &cache->idle) {
    srv_entry *entry = (srv_entry *)((char *)cache->idle.after - offsetof(srv_entry, idle));
    /* Outdated revisions are evicted too: this daemon may never be queried for them again. */
    srv_registry_unload(server->registry, entry);
    entry->used = false;
    server->metrics.let_go++;
  }
  return full;
}
