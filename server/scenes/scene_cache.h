/* LRU cache of scenes in memory, bounded by --scene-memory, if a store has all scenes.
 *
 * Scenes beyond the bound are evicted, least recently used first, and loaded again on their next
 * use. Loop thread only. Each operation is O(1) in the number of scenes. */
#ifndef SRV_SCENES_SCENE_CACHE_H
#define SRV_SCENES_SCENE_CACHE_H

#include "state/request.h"

/* Updated by the registry and by srv_server_weigh_scene. */
typedef struct srv_scene_cache {
  uint64_t bytes; /* size of all scenes in memory that the store has */
  uint64_t gone;  /* total of freed bytes: evicted, deleted or shrunk scenes */
  srv_list_node
      idle; /* head of unused scenes: never requested first, then by the end of their last use */
} srv_scene_cache;

void srv_scene_cache_init(srv_scene_cache *cache);
/* Updates the size of a scene after it was loaded, deleted or changed. */
void srv_scene_cache_weigh(srv_scene_cache *cache, srv_entry *entry);
/* Updates the list of unused scenes after a change of the entry's references. */
void srv_scene_cache_order(srv_scene_cache *cache, srv_entry *entry);

/* The same for the server's registry. */
void srv_server_weigh_scene(srv_server *server, srv_entry *entry);
void srv_server_order_scene(srv_server *server, srv_entry *entry);
/* True if the scene fits in the remaining memory: for background loading. */
bool srv_scene_cache_has_room(const srv_server *server, const srv_entry *entry);
/* Evicts unused scenes until the others fit. False: all fitted before. */
bool srv_scene_cache_evict(srv_server *server);

#endif
