/* Which scenes are in memory, where a store has them all: as many as --scene-memory has room for. What is more is let go of, those
 * used longest ago first, and loaded on its next use. Loop thread only; each step takes the same time however many scenes there
 * are. */
#ifndef SRV_SCENES_SCENE_CACHE_H
#define SRV_SCENES_SCENE_CACHE_H

#include "state/request.h"

/* Kept up to date by the registry, and by who notes what a scene's records weigh. */
typedef struct srv_scene_cache {
  uint64_t bytes; /* of all scenes in memory that a store has */
  uint64_t gone;  /* of those that have gone, or become smaller, so far */
  srv_list_node idle; /* head of those that nobody uses: never used by a request first, then by the end of their last use */
} srv_scene_cache;

void srv_scene_cache_init(srv_scene_cache *residents);
/* The scene has come, gone or changed, or its records have. */
void srv_scene_cache_weigh(srv_scene_cache *residents, srv_entry *entry);
/* Somebody uses the entry, or does no longer. */
void srv_scene_cache_order(srv_scene_cache *residents, srv_entry *entry);

/* As those. */
void srv_server_weigh_scene(srv_server *server, srv_entry *entry);
void srv_server_order_scene(srv_server *server, srv_entry *entry);
/* Is there room for one scene more that nobody has asked for? */
bool srv_scene_cache_has_room(const srv_server *server, const srv_entry *entry);
/* Lets go of scenes until there is room for the others, as far as nobody uses them. False: all had room. */
bool srv_scene_cache_evict(srv_server *server);

#endif
