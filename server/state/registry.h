/* Registry of scenes by id: current revision, revisions pinned by cursors, lane of the scene's
 * work, write queue. Loop thread only; the revisions themselves are immutable and may be read by
 * any thread. */
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
  SRV_PRESENCE_STORED,  /* must be loaded; a current revision is outdated */
  SRV_PRESENCE_LOADING, /* being loaded, for the first time or again */
  SRV_PRESENCE_HERE,    /* the current revision is the store's */
  SRV_PRESENCE_CORRUPT  /* cannot be loaded */
} srv_presence;

/* Size of the reason why a scene cannot be loaded. */
#define SRV_STORED_SCENE_WHY 160

/* State of a scene in the store, as known to this daemon. */
typedef struct srv_stored_scene {
  srv_presence presence;
  uint64_t revision, bodies;              /* while the scene is not in memory */
  uint64_t stamp;                         /* stamp of that revision (store.h) */
  uint64_t memory_revision, memory_stamp; /* revision in memory, or last in memory, and its stamp */
  char why[SRV_STORED_SCENE_WHY];         /* CORRUPT */
  /* Sizes of the store's records: the base, and the changes since. */
  uint64_t base_bytes, change_bytes, changes;
  uint64_t known,
      known_ns;         /* shared store: its last reported revision, and the time (lost_writes.h) */
  uint64_t compared_ns; /* shared store: last background comparison, for --stale-reads */
  bool is_missing; /* being reloaded, because the store answered a write that the scene does not
                      exist */
  bool folding;    /* a compaction is running */
  uint64_t folded_bytes, folded_changes; /* changes that the running compaction replaces */
  uint64_t fold_bytes;                   /* size of changes that starts a compaction; 0: default */
} srv_stored_scene;

/* Node of a circular list. NULL neighbours: in no list. */
typedef struct srv_list_node {
  struct srv_list_node *before, *after;
} srv_list_node;

/* Requests that wait, in order of arrival (request.h). */
typedef struct srv_request_queue {
  struct srv_request *first, *last;
} srv_request_queue;

typedef struct srv_entry {
  char id[CT_ID_LENGTH_MAX + 1];
  const ct_scene *current; /* NULL: no scene, or not in memory */
  srv_stored_scene
      *kept; /* owned; NULL: not in a store. Both NULL: no scene, the entry only orders writes */
  uint64_t written_bytes; /* request bodies since the last PUT: bounds the size of the scene's
                             document */
  srv_pin *pins;          /* oldest first */
  size_t pin_count;
  srv_cursor_queries queries; /* cached queries of cursors */
  srv_lane lane;
  struct srv_request *writer; /* owns the write slot */
  srv_request_queue writes;   /* for the slot */
  srv_request_queue loads;    /* for the scene's loading */
  unsigned uses;              /* references by requests and background jobs */
  bool used;                  /* a client's request has used the entry */
  bool given;                 /* a file of --scene has its id */
  uint64_t weight;            /* bytes counted for it by the cache */
  srv_list_node idle;         /* in the cache's list of unused scenes */
  struct srv_ring *ring;      /* events; NULL: no stream now or recently */
} srv_entry;

/* Takes over a reference and releases it. */
typedef void srv_release_revision(void *cls, const ct_scene *scene);

/* Bounds of revisions and queries retained for cursors. */
typedef struct srv_cursor_bounds {
  size_t per_scene; /* revisions, and also queries, of one scene */
  uint64_t keep_ns;
  uint64_t query_bytes; /* of all scenes */
} srv_cursor_bounds;

/* release frees pinned and unloaded revisions, except in srv_registry_destroy. NULL: out of
 * memory. */
srv_registry *srv_registry_create(const srv_cursor_bounds *cursors, srv_release_revision *release,
                                  void *cls);
void srv_registry_destroy(srv_registry *registry);

/* Number of scenes in memory or in the store, plus creations in progress. */
size_t srv_registry_count(const srv_registry *registry);
/* A creation begins (+1) or ends (-1): counted until the scene exists or its creation failed. */
void srv_registry_reserve(srv_registry *registry, int by);
/* NULL: no entry. O(log n) */
srv_entry *srv_registry_find(srv_registry *registry, const char *id);
/* Finds the entry of an id, or creates one without a scene. NULL: out of memory. */
srv_entry *srv_registry_open(srv_registry *registry, const char *id);
/* First entry with a greater id. NULL: none. O(log n) */
srv_entry *srv_registry_after(srv_registry *registry, const char *id);
/* Entry at an index in the order of ids. NULL: index out of range. */
srv_entry *srv_registry_at(const srv_registry *registry, size_t index);
/* Notes that the store has the entry's scene. Takes over kept; entry->kept must be NULL. */
void srv_registry_set_stored(srv_registry *registry, srv_entry *entry, srv_stored_scene *kept);
/* Number of scenes with a presence. O(n) */
size_t srv_registry_count_presence(const srv_registry *registry, srv_presence presence);
/* Scenes in memory, and their bodies at their current revisions. */
size_t srv_registry_loaded(const srv_registry *registry);
uint64_t srv_registry_bodies(const srv_registry *registry);
/* An entry is freed when it has neither references nor a scene. */
void srv_registry_retain(srv_registry *registry, srv_entry *entry);
void srv_registry_release(srv_registry *registry, srv_entry *entry);

/* Updates the size of a scene after it was loaded, deleted or changed. Called by every function of
 * the registry, like the next one. */
void srv_registry_weigh(srv_registry *registry, srv_entry *entry);
/* Updates the list of unused scenes after a change of the entry's references. */
void srv_registry_order(srv_registry *registry, srv_entry *entry);
/* True if the scene fits into the rest of bytes_max: for background loading. */
bool srv_registry_has_space(const srv_registry *registry, const srv_entry *entry,
                            uint64_t bytes_max);
/* Evicts unused scenes that the store has, least recently used first, until the others fit into
 * bytes_max. They are loaded again on their next use. Adds their number to *evicted. False: all
 * fitted before. */
bool srv_registry_evict(srv_registry *registry, uint64_t bytes_max, uint64_t *evicted);
/* Total of bytes freed by evicted, deleted and shrunk scenes. */
uint64_t srv_registry_freed_bytes(const srv_registry *registry);

/* Makes a revision current; retains it. */
void srv_registry_commit(srv_registry *registry, srv_entry *entry, const ct_scene *scene);
/* Deletes the scene and everything retained for its cursors. */
void srv_registry_remove(srv_registry *registry, srv_entry *entry);
/* Releases the current revision from memory. The store must have it or a later one. */
void srv_registry_unload(srv_registry *registry, srv_entry *entry);
/* Number of a new scene's first revision: above the last revision of every deleted scene. */
uint64_t srv_registry_first_revision(const srv_registry *registry);
/* Raises srv_registry_first_revision above last_revision, which deleted scenes of the store have
 * used. */
void srv_registry_raise_first_revision(srv_registry *registry, uint64_t last_revision);
/* Pins a revision for a cursor. False: out of memory. */
bool srv_registry_pin(srv_registry *registry, srv_entry *entry, const ct_scene *scene,
                      uint64_t now_ns);
/* Caches a query of a pinned revision, so that its cursor alone continues it. */
void srv_registry_keep_query(srv_registry *registry, srv_entry *entry, const api_kept_query *query,
                             uint64_t now_ns);
/* Releases all revisions and queries retained for the scene's cursors. */
void srv_registry_unpin(srv_registry *registry, srv_entry *entry);
/* Releases expired revisions and queries of all scenes. */
void srv_registry_expire(srv_registry *registry, uint64_t now_ns);

/* Lists all scenes in ascending order of id, as one block; retains revisions in memory. Free with
 * srv_registry_list_free. False: out of memory. */
bool srv_registry_list(srv_registry *registry, api_scene_entry **out, size_t *count);
void srv_registry_list_free(api_scene_entry *list, size_t count);

/* Copies the most similar scene id to out; "": none is similar. O(API_SPELLING_CANDIDATES) */
void srv_registry_nearest_id(const srv_registry *registry, const char *id,
                             char out[CT_ID_LENGTH_MAX + 1]);

/* Generates an unguessable id (128 random bits). False: getrandom failed. */
bool srv_registry_new_id(char out[CT_ID_LENGTH_MAX + 1]);

#endif
