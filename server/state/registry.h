/* Scenes by id: the current revision, the revisions kept for cursors, the lane of the scene's work and the order of its writes.
 * Loop thread only; the revisions themselves are immutable and may be read anywhere. */
#ifndef SRV_STATE_REGISTRY_H
#define SRV_STATE_REGISTRY_H

#include "state/cursor_query.h"
#include "state/pool.h"

#include <api/api.h>

typedef struct srv_registry srv_registry;
struct srv_request;

typedef struct srv_pin {
  const ct_scene *scene;
  uint64_t expires_ns;
} srv_pin;

typedef enum srv_presence {
  SRV_PRESENCE_STORED,  /* to be loaded; what may be current is older */
  SRV_PRESENCE_LOADING, /* being loaded, for the first time or anew */
  SRV_PRESENCE_HERE,    /* current is what the store has */
  SRV_PRESENCE_CORRUPT  /* cannot be loaded */
} srv_presence;

/* Room for a sentence that tells why a scene cannot be loaded. */
#define SRV_STORED_SCENE_WHY 160

/* What a store keeps of a scene, as far as it is known here. */
typedef struct srv_stored_scene {
  srv_presence presence;
  uint64_t revision, bodies; /* while the scene is not in memory */
  uint64_t stamp;            /* of that revision (store.h) */
  uint64_t held, held_stamp; /* the revision that is in memory, or was last */
  char why[SRV_STORED_SCENE_WHY]; /* CORRUPT */
  /* Records of the store: the base, and the changes since it. */
  uint64_t base_bytes, change_bytes, changes;
  uint64_t known, known_ns; /* with a shared store: the revision that it had last, and when it said so (lost_writes.h) */
  uint64_t compared_ns;     /* with a shared store, by who does not wait for it */
  bool gone;                /* being loaded anew: a write was told that the store has no such scene */
  bool folding;
  uint64_t folded_bytes, folded_changes; /* of the changes, those that the base in the making takes in */
  uint64_t fold_bytes;                   /* a base is made when the changes weigh more; 0: as usual */
} srv_stored_scene;

/* Of a list in a ring; without neighbours: in none. */
typedef struct srv_list_node {
  struct srv_list_node *before, *after;
} srv_list_node;

typedef struct srv_entry {
  char id[CT_ID_LENGTH_MAX + 1];
  const ct_scene *current; /* NULL: no scene now, or none in memory */
  srv_stored_scene *kept;  /* owned; NULL: no store has it. Neither: there is no scene, and the entry only orders writes */
  uint64_t written_bytes;  /* of all request bodies since the scene was last put: a bound on how large its document is */
  srv_pin *pins;           /* oldest first */
  size_t pin_count;
  srv_cursor_queries queries; /* whose cursors name a revision */
  srv_lane lane;
  struct srv_request *writer;                     /* holds the write slot */
  struct srv_request *writes_first, *writes_last; /* wait for it, in order */
  struct srv_request *loads_first, *loads_last;   /* wait for its loading, in order */
  unsigned uses;                                  /* requests that hold the entry */
  bool used;                                      /* one of them was somebody's request */
  bool given;                                     /* a file of --scene had its id */
  uint64_t weight;                                /* bytes that are counted for it (scene_cache.h) */
  srv_list_node idle;                             /* among those that nobody uses */
  struct srv_ring *ring;                          /* events; NULL: nobody listens, or has of late */
} srv_entry;

/* Takes over a reference and lets it go. */
typedef void srv_release_revision(void *cls, const ct_scene *scene);

/* How much is kept for cursors. */
typedef struct srv_cursor_bounds {
  size_t per_scene; /* revisions, and queries */
  uint64_t keep_ns;
  uint64_t query_bytes; /* of all scenes */
} srv_cursor_bounds;

/* let_go gets the revisions that were kept for cursors, but for those of the registry's end. NULL: out of memory. */
srv_registry *srv_registry_create(const srv_cursor_bounds *cursors, srv_release_revision *let_go, void *cls);
void srv_registry_destroy(srv_registry *registry);

/* Scenes that exist, in memory or in the store, and creations under way. */
size_t srv_registry_count(const srv_registry *registry);
/* A creation begins (+1) or ends (-1): counted until the scene is there or has failed. */
void srv_registry_reserve(srv_registry *registry, int by);
/* NULL: no entry. O(log n) */
srv_entry *srv_registry_find(srv_registry *registry, const char *id);
/* Finds or makes an entry without a scene. NULL: out of memory. */
srv_entry *srv_registry_open(srv_registry *registry, const char *id);
/* The first entry whose id follows. NULL: there is none. O(log n) */
srv_entry *srv_registry_after(srv_registry *registry, const char *id);
/* The entry of this place in the order of ids; NULL: there are not so many. */
srv_entry *srv_registry_at(const srv_registry *registry, size_t index);
/* A store has the scene of the entry, which has not been known to be kept: kept becomes the entry's. */
void srv_registry_set_stored(srv_registry *registry, srv_entry *entry, srv_stored_scene *kept);
/* Scenes of a presence. O(n) */
size_t srv_registry_count_presence(const srv_registry *registry, srv_presence presence);
/* What is counted of those in memory, kept up to date by each function here that changes it. */
struct srv_scene_cache *srv_registry_scene_cache(srv_registry *registry);
/* Scenes in memory, and their bodies at their current revisions. */
size_t srv_registry_loaded(const srv_registry *registry);
uint64_t srv_registry_bodies(const srv_registry *registry);
/* An entry is freed when nothing holds it and it has no scene. */
void srv_registry_retain(srv_registry *registry, srv_entry *entry);
void srv_registry_release(srv_registry *registry, srv_entry *entry);

/* Makes a revision (retained here) current. */
void srv_registry_commit(srv_registry *registry, srv_entry *entry, const ct_scene *scene);
/* The scene goes, with what was kept for its cursors. */
void srv_registry_remove(srv_registry *registry, srv_entry *entry);
/* The current revision goes from memory; the store has it, or a later one. */
void srv_registry_unload(srv_registry *registry, srv_entry *entry);
/* Number of the first revision of a new scene: above the last one of any scene that has gone. */
uint64_t srv_registry_first_revision(const srv_registry *registry);
/* Scenes that have gone in an earlier life had revisions up to this one. */
void srv_registry_raise_first_revision(srv_registry *registry, uint64_t last_revision);
/* Keeps a revision for a cursor. False: out of memory. */
bool srv_registry_pin(srv_registry *registry, srv_entry *entry, const ct_scene *scene, uint64_t now_ns);
/* Keeps a query, whose revision is pinned, so that its cursor alone continues it. */
void srv_registry_keep_query(srv_registry *registry, srv_entry *entry, const api_kept_query *query, uint64_t now_ns);
/* Lets go of all that were kept for the scene's cursors. */
void srv_registry_unpin(srv_registry *registry, srv_entry *entry);
/* Lets go of revisions whose time is over. */
void srv_registry_expire(srv_registry *registry, uint64_t now_ns);

/* All scenes, those in memory retained, in ascending order of id, as one block: free with srv_registry_list_free. False: out of
 * memory. */
bool srv_registry_list(srv_registry *registry, api_scene_entry **out, size_t *count);
void srv_registry_list_free(api_scene_entry *list, size_t count);

/* Copies the id of the scene that is most like the given one into out; "" where none is near. O(API_SPELLING_CANDIDATES) */
void srv_registry_nearest_id(const srv_registry *registry, const char *id, char out[CT_ID_LENGTH_MAX + 1]);

/* An id that nobody can guess. False: no random numbers to be had. */
bool srv_registry_new_id(char out[CT_ID_LENGTH_MAX + 1]);

#endif
