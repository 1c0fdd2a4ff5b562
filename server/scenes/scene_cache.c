/* What a scene in memory takes is known without looking through it: each revision keeps the sum of its bodies (ct_scene_weight). Of
 * one that is not, it is estimated from the number of bodies, which is all that the list of a store tells. */
#include "scenes/scene_cache.h"

#include "state/event_ring.h"

#include <stddef.h>

/* Of a body of one collider of few numbers. */
#define BODY_BYTES 600u

static uint64_t bytes_of(const srv_entry *entry) {
  return entry->current ? ct_scene_weight(entry->current) : entry->kept->bodies * BODY_BYTES;
}

/* ---- the sum and the list ------------------------------------------------------------------------------------------------- */

void srv_scene_cache_init(srv_scene_cache *residents) { residents->idle = (srv_list_node){&residents->idle, &residents->idle}; }

void srv_scene_cache_weigh(srv_scene_cache *residents, srv_entry *entry) {
  uint64_t weight = entry->current && entry->kept ? bytes_of(entry) : 0;
  if (weight < entry->weight) residents->gone += entry->weight - weight;
  residents->bytes += weight - entry->weight;
  entry->weight = weight;
  srv_scene_cache_order(residents, entry);
}

static void unlink_idle(srv_entry *entry) {
  srv_list_node *link = &entry->idle;
  if (!link->after) return;
  link->before->after = link->after;
  link->after->before = link->before;
  *link = (srv_list_node){0};
}

/* Of those that hold the entry: streams of events that come from a store need no scene. */
static unsigned listeners(const srv_entry *entry) { return entry->ring && entry->ring->fed ? entry->ring->listeners : 0; }

/* Does nobody need it in memory? Nobody who needs the scene holds the entry, no cursor an earlier revision. */
static bool is_idle(const srv_entry *entry) {
  return entry->current && entry->kept && entry->uses == listeners(entry) && entry->pin_count == 0;
}

/* One that is idle already keeps its place. */
void srv_scene_cache_order(srv_scene_cache *residents, srv_entry *entry) {
  srv_list_node *link = &entry->idle;
  if (!is_idle(entry)) {
    unlink_idle(entry);
    return;
  }
  if (link->after) return;
  link->before = entry->used ? residents->idle.before : &residents->idle;
  link->after = link->before->after;
  link->before->after = link->after->before = link;
}

void srv_server_weigh_scene(srv_server *server, srv_entry *entry) {
  srv_scene_cache_weigh(srv_registry_scene_cache(server->registry), entry);
}

void srv_server_order_scene(srv_server *server, srv_entry *entry) {
  srv_scene_cache_order(srv_registry_scene_cache(server->registry), entry);
}

/* ---- the bound ------------------------------------------------------------------------------------------------------------ */

bool srv_scene_cache_has_room(const srv_server *server, const srv_entry *entry) {
  return srv_registry_scene_cache(server->registry)->bytes + bytes_of(entry) <= server->config->scene_memory;
}

bool srv_scene_cache_evict(srv_server *server) {
  if (!server->store) return false;
  srv_scene_cache *residents = srv_registry_scene_cache(server->registry);
  bool full = residents->bytes > server->config->scene_memory;
  while (residents->bytes > server->config->scene_memory && residents->idle.after != &residents->idle) {
    srv_entry *entry = (srv_entry *)((char *)residents->idle.after - offsetof(srv_entry, idle));
    /* One that is older than what the store has goes like any other: it may never be asked for here again. */
    srv_registry_unload(server->registry, entry);
    entry->used = false;
    server->metrics.let_go++;
  }
  return full;
}
