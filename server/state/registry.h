/* Registry of scenes by id: for each scene its current revision, the revisions pinned by cursors,
 * the lane of its work and its queue of writes. Loop thread only; revisions are immutable and may
 * be read by any thread. */
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
  SRV_PRESENCE_STORED,  /* must be loaded; a revision in memory is outdated */
  SRV_PRESENCE_LOADING, /* being loaded, for the first time or again */
  SRV_PRESENCE_HERE,    /* the revision in memory is the store's */
  SRV_PRESENCE_CORRUPT  /* the store's records cannot be loaded */
} srv_presence;

/* Size of the text that states why a scene cannot be loaded. */
#define SRV_STORED_SCENE_WHY 160

/* What this daemon has last read or written of a scene in the store. */
typedef struct srv_stored_scene {
  srv_presence presence;
  uint64_t revision,
      bodies; /* revision and number of bodies in the store, for a scene that is not in memory */
  uint64_t stamp;                         /* stamp of `revision` (store.h) */
  uint64_t memory_revision, memory_stamp; /* revision of the scene that is, or was last, in memory,
                                             and the stamp of that revision */
  char why[SRV_STORED_SCENE_WHY];         /* CORRUPT: why the scene cannot be loaded */
  /* Size of the scene's base record in the store, B; total size of the records of changes that
   * follow the base, B; number of these records. */
  uint64_t base_bytes, change_bytes, changes;
  uint64_t known, known_ns; /* shared store: revision that the store reported last for the scene,
                               and time of that report (lost_writes.h) */
  uint64_t
      compared_ns; /* shared store: time of the last comparison in the background (--stale-reads) */
  bool is_missing; /* the scene is being reloaded, because the store's answer to a write was that
                      the scene does not exist */
  bool folding;    /* a compaction is running */
  uint64_t folded_bytes, folded_changes; /* total size (B) and number of the records of changes that
                                            the running compaction replaces by a base */
  uint64_t fold_bytes; /* total size (B) of the records of changes at which a compaction starts; 0:
                          default */
} srv_stored_scene;

/* Node of a circular list. Its neighbours are NULL if it is in no list. */
typedef struct srv_list_node {
  struct srv_list_node *before, *after;
} srv_list_node;

/* Queue of waiting requests in order of arrival (request.h). */
typedef struct srv_request_queue {
  struct srv_request *first, *last;
} srv_request_queue;

typedef struct srv_entry {
  char id[CT_ID_LENGTH_MAX + 1];
  const ct_scene *current; /* revision in memory; NULL: there is no scene, or it is not in memory */
  srv_stored_scene *kept;  /* state of the scene in the store, owned; NULL: the store has no such
                              scene. If `current` is NULL too, no scene has this id, and the entry
                              only orders writes */
  uint64_t written_bytes; /* total size (B) of the bodies of the requests that wrote the scene since
                             its last PUT: an upper bound of the size of the scene's JSON
                             document */
  srv_pin *pins;          /* revisions pinned by cursors, oldest first */
  size_t pin_count;
  srv_cursor_queries queries; /* cached queries of cursors */
  srv_lane lane;
  struct srv_request *writer; /* request that has the write slot */
  srv_request_queue writes;   /* writes that wait for the slot */
  srv_request_queue loads;    /* requests that wait until the scene is loaded */
  unsigned uses;              /* number of references to this entry by requests, event streams and
                                 background jobs */
  bool used;                  /* some client's request has used the scene since this entry was
                                 made */
  bool given;                 /* the scene was given by a file of --scene */
  uint64_t weight;            /* memory of the scene (B) that the cache has added to its total */
  srv_list_node idle;         /* node in the cache's list of unused scenes */
  struct srv_ring *ring;      /* ring of the scene's latest events; NULL: no client reads the
                                 scene's events, and none did recently */
} srv_entry;

/* Callback that takes over a reference to a revision and releases it. */
typedef void srv_release_revision(void *cls, const ct_scene *scene);

/* Limits of the revisions and queries retained for cursors. */
typedef struct srv_cursor_bounds {
  size_t per_scene; /* largest number of revisions, and of queries, of one scene */
  uint64_t keep_ns;
  uint64_t query_bytes; /* largest size of the queries of all scenes, B */
} srv_cursor_bounds;

/* Creates a registry. release: called to release pinned and unloaded revisions, except in
 * srv_registry_destroy. NULL: out of memory. */
srv_registry *srv_registry_create(const srv_cursor_bounds *cursors, srv_release_revision *release,
                                  void *cls);
void srv_registry_destroy(srv_registry *registry);

/* Returns the number of scenes, in memory or in the store, plus the creations in progress. */
size_t srv_registry_count(const srv_registry *registry);
/* Counts the start (+1) or end (-1) of a creation, which is in progress until the scene exists or
 * the creation has failed. */
void srv_registry_reserve(srv_registry *registry, int by);
/* Finds the entry of an id. NULL: there is none. O(log n) */
srv_entry *srv_registry_find(srv_registry *registry, const char *id);
/* Finds the entry of an id, or creates one without a scene. NULL: out of memory. */
srv_entry *srv_registry_open(srv_registry *registry, const char *id);
/* Returns the entry with the lowest id above `id`. NULL: there is none. O(log n) */
srv_entry *srv_registry_after(srv_registry *registry, const char *id);
/* Returns the entry at an index in the order of ids. NULL: the index is out of range. */
srv_entry *srv_registry_at(const srv_registry *registry, size_t index);
/* Records that the store has the entry's scene. Takes over kept; entry->kept must be NULL. */
void srv_registry_set_stored(srv_registry *registry, srv_entry *entry, srv_stored_scene *kept);
/* Returns the number of scenes with a presence. O(n) */
size_t srv_registry_count_presence(const srv_registry *registry, srv_presence presence);
/* Return the number of scenes in memory, and the number of bodies in their current revisions. */
size_t srv_registry_loaded(const srv_registry *registry);
uint64_t srv_registry_bodies(const srv_registry *registry);
/* Count the references to an entry. The entry is freed when it has neither references nor a
 * scene. */
void srv_registry_retain(srv_registry *registry, srv_entry *entry);
void srv_registry_release(srv_registry *registry, srv_entry *entry);

/* Updates the size that the cache counts for a scene, after it was loaded, deleted or changed. The
 * functions of the registry call it themselves, as they do srv_registry_order. */
void srv_registry_weigh(srv_registry *registry, srv_entry *entry);
/* Updates the cache's list of unused scenes, after the entry's references have changed. */
void srv_registry_order(srv_registry *registry, srv_entry *entry);
/* True if the scene fits into the part of bytes_max that other scenes leave. For background
 * loading. */
bool srv_registry_has_space(const srv_registry *registry, const srv_entry *entry,
                            uint64_t bytes_max);
/* Evicts unused scenes that the store has from memory, least recently used first, until the others
 * fit into bytes_max; they are loaded again on their next use. Adds their number to *evicted.
 * False: all scenes fitted, and none was evicted. */
bool srv_registry_evict(srv_registry *registry, uint64_t bytes_max, uint64_t *evicted);
/* Returns the size of all scenes in memory that the store has, as srv_registry_evict counts it. */
uint64_t srv_registry_bytes(const srv_registry *registry);
/* Returns the total of bytes freed by evicting, deleting and shrinking scenes. */
uint64_t srv_registry_freed_bytes(const srv_registry *registry);

/* Makes a revision the scene's current one, and retains it. */
void srv_registry_commit(srv_registry *registry, srv_entry *entry, const ct_scene *scene);
/* Deletes the scene and everything that is retained for its cursors. */
void srv_registry_remove(srv_registry *registry, srv_entry *entry);
/* Releases the scene's current revision from memory. The store must have it or a later one. */
void srv_registry_unload(srv_registry *registry, srv_entry *entry);
/* Returns the number of a new scene's first revision, which is above the last revision of every
 * deleted scene. */
uint64_t srv_registry_first_revision(const srv_registry *registry);
/* Lets new scenes begin with a revision above last_revision, the last one of a scene deleted from
 * the store, so that no revision number is used twice. */
void srv_registry_raise_first_revision(srv_registry *registry, uint64_t last_revision);
/* Pins a revision for a cursor. False: out of memory. */
bool srv_registry_pin(srv_registry *registry, srv_entry *entry, const ct_scene *scene,
                      uint64_t now_ns);
/* Caches a query of a pinned revision, so that it can be continued by its cursor alone. */
void srv_registry_keep_query(srv_registry *registry, srv_entry *entry, const api_kept_query *query,
                             uint64_t now_ns);
/* Releases all revisions and queries that are retained for the scene's cursors. */
void srv_registry_unpin(srv_registry *registry, srv_entry *entry);
/* Releases the expired revisions and queries of all scenes. */
void srv_registry_expire(srv_registry *registry, uint64_t now_ns);

/* Lists all scenes in ascending order of ids, in one block, and retains the revisions in memory.
 * The list must be freed by srv_registry_list_free. False: out of memory. */
bool srv_registry_list(srv_registry *registry, api_scene_entry **out, size_t *count);
void srv_registry_list_free(api_scene_entry *list, size_t count);

/* Copies the scene id that is most similar to `id` to out; "": none is similar.
 * O(API_SPELLING_CANDIDATES) */
void srv_registry_nearest_id(const srv_registry *registry, const char *id,
                             char out[CT_ID_LENGTH_MAX + 1]);

/* Generates an id that cannot be guessed (128 random bits). False: getrandom failed. */
bool srv_registry_new_id(char out[CT_ID_LENGTH_MAX + 1]);

#endif
