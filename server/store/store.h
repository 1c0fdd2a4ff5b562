/* Interface of the store, which persists scenes and posted shapes. Implementations: a file
 * (store_sqlite.c) and Redis (store_redis.c). The store handles keys, revisions and bytes;
 * api/record.h defines the content.
 *
 * A key, the id of a scene or shape, has records in order of revision: one base, then the changes
 * since. Writes are atomic and ordered per key (optimistic concurrency control): each write states
 * the revision that it follows, and the store refuses it if the key is at another revision. Of two
 * daemons that write from the same revision, only one succeeds.
 *
 * All functions are called on the loop thread and answer there; none blocks on disk or network. No
 * bytes are copied: the caller keeps them valid until `done`. */
#ifndef SRV_STORE_STORE_H
#define SRV_STORE_STORE_H

#include <api/api.h>
#include <stdlib.h>
#include <uv.h>

typedef enum srv_store_status {
  SRV_STORE_OK,
  SRV_STORE_CONFLICT, /* the key is not at revision `before`, because another write came first */
  SRV_STORE_IN_USE,   /* REMOVE of a shape to which a scene refers */
  SRV_STORE_UNKNOWN, /* write: a scene refers to a shape that does not exist; load: the key does not
                        exist */
  SRV_STORE_FULL, /* no space (disk, quota, memory of Redis): nothing was written; may be retried */
  SRV_STORE_FAILED,      /* the device failed: no write is accepted until the daemon is restarted */
  SRV_STORE_UNAVAILABLE, /* no answer in time; a write may have been done, which srv_store_find can
                            determine */
  SRV_STORE_DAMAGED, /* load: checksum or order of the records is wrong; write: the key or its table
                        is damaged, and nothing was written */
  SRV_STORE_MEMORY
} srv_store_status;

typedef enum srv_store_space { SRV_STORE_SCENES, SRV_STORE_SHAPES } srv_store_space;

typedef enum srv_store_operation {
  SRV_STORE_CHANGE,  /* append one record */
  SRV_STORE_BASE,    /* replace all records of the key */
  SRV_STORE_COMPACT, /* replace the records up to `revision` by a base of that revision. `before` is
                        ignored; before_stamp is the stamp of `revision`. CONFLICT if the key was
                        deleted or created again meanwhile */
  SRV_STORE_REMOVE,
  SRV_STORE_SEEN /* shape in a shared store: record that it was posted again, which prevents its
                    expiry */
} srv_store_operation;

/* Size of a sentence that states the reason of a failure. */
#define SRV_STORE_WHY 160

typedef struct srv_store_write {
  struct srv_store_write *next; /* private to the store */
  srv_store_space space;
  char id[CT_ID_LENGTH_MAX + 1];
  srv_store_operation act;
  uint64_t before; /* revision that the scene must have before the write, or the write is refused
                      with CONFLICT; 0: it must not exist. Shapes have revision 1 */
  /* Required stamp of revision `before`; 0: not checked. A store that has lost writes assigns
   * revision numbers again: if another write has made the revision, the answer is
   * SRV_STORE_CONFLICT. */
  uint64_t before_stamp;
  uint64_t revision; /* revision of the scene after the write; REMOVE: a number that the first
                        revisions of new scenes will exceed */
  uint64_t bodies;   /* number of bodies of the scene, for listings; REMOVE of a shape with
                        before_stamp: `bodies` of its entry */
  const char *bytes; /* [length] the record */
  size_t length;
  bool has_shapes; /* true: `shapes` replaces the list of shapes to which the scene refers; false:
                      the list is unchanged */
  const char *shapes; /* [shapes_length] ids, each with a terminating zero */
  size_t shapes_length;
  /* Events for subscribers, if srv_store_distributes_events. The store does not interpret the
   * payload. */
  uint64_t event_count; /* number of events of the write, for which the store assigns as many
                           consecutive numbers; 0: none */
  const char *events; /* [events_length] payload; NULL: not available, subscribers detect the gap */
  size_t events_length;
  void (*done)(struct srv_store_write
                   *write); /* called once with the answer, never from within the submission */
  void *cls;
  uint64_t submitted_ns; /* time of the submission by uv_hrtime, for metrics.h */
  /* The answer: */
  srv_store_status status;
  uint64_t
      stamp; /* unique stamp of this write, set at the submission; 0: the store has no stamps */
  uint64_t current;       /* CONFLICT: present revision of the scene or shape; 0: it does not
                             exist */
  uint64_t current_stamp; /* CONFLICT: stamp of revision `current` */
  uint64_t last_revision; /* CONFLICT, or scene that does not exist: greatest revision of deleted
                             scenes; 0: not reported */
  char why[SRV_STORE_WHY];
} srv_store_write;

typedef struct srv_store_record {
  uint64_t revision, stamp;
  bool base;
  char *bytes; /* [length] owned by the load */
  size_t length;
} srv_store_record;

/* Reads all records of a key. */
typedef struct srv_store_load {
  struct srv_store_load *next; /* private to the store */
  srv_store_space space;
  char id[CT_ID_LENGTH_MAX + 1];
  void (*done)(struct srv_store_load *load);
  void *cls;
  srv_store_status status;   /* answer: OK, UNKNOWN, DAMAGED, UNAVAILABLE, FAILED or MEMORY */
  srv_store_record *records; /* [count] the base record, then the records of changes in order; the
                                caller frees them by srv_store_load_free */
  size_t count;
  char why[SRV_STORE_WHY];
} srv_store_load;

/* State of a key, as the store reports it. */
typedef struct srv_store_entry {
  char id[CT_ID_LENGTH_MAX + 1];
  uint64_t revision; /* 0: the key does not exist */
  uint64_t bodies;   /* number of bodies; of a shape: a number that changes when the shape is posted
                        again or loses its last user */
  uint64_t stamp;    /* stamp of the write that made the revision; 0: the store has no stamps */
} srv_store_entry;

/* Reads the state of one key (if id is not empty) or of all keys of a space. */
typedef struct srv_store_lookup {
  struct srv_store_lookup *next; /* private to the store */
  srv_store_space space;
  char id[CT_ID_LENGTH_MAX + 1]; /* "": all keys */
  void (*done)(struct srv_store_lookup *lookup);
  void *cls;
  srv_store_status status;  /* answer: OK, UNAVAILABLE, FAILED, DAMAGED or MEMORY */
  srv_store_entry *entries; /* [count] in ascending order of ids; the caller frees the array */
  size_t count;
  uint64_t last_revision; /* greatest revision of deleted scenes */
  char why[SRV_STORE_WHY];
} srv_store_lookup;

/* The events of one write, as delivered to subscribers. */
typedef struct srv_store_event {
  uint64_t last, count; /* number of the last event of the write, and number of its events, which
                           have the consecutive numbers last - count + 1 to last */
  uint64_t revision, bodies; /* revision and number of bodies of the scene after the write; revision
                                0: the write deleted it */
  uint64_t stamp, before_stamp; /* stamp of the write, and stamp of the scene's previous write */
  const char *bytes;            /* [length] payload; NULL: not available */
  size_t length;
} srv_store_event;

/* A subscription to the events of a scene from the writes of all daemons. All daemons receive the
 * events in the same order with the same numbers. */
typedef struct srv_store_subscription {
  char id[CT_ID_LENGTH_MAX + 1];
  void *cls;
  /* Called first, and after every gap: events from now on have numbers above `after`, and earlier
   * ones will not be delivered. revision, bodies: state of the scene. */
  void (*on_subscribed)(struct srv_store_subscription *subscription, uint64_t after,
                        uint64_t revision, uint64_t bodies);
  void (*on_event)(struct srv_store_subscription *subscription, const srv_store_event *event);
  /* All events that were published before srv_store_catch_up returned this ticket have been
   * delivered. */
  void (*on_caught_up)(struct srv_store_subscription *subscription, uint64_t ticket);
  /* The scene was deleted and the subscription has ended; no function is called any more. */
  void (*on_deleted)(struct srv_store_subscription *subscription);
  void *store_state; /* private to the store; NULL: the subscription has ended */
} srv_store_subscription;

typedef struct srv_store srv_store;

/* The functions of an implementation; the rest of the daemon calls the inline functions below. */
typedef struct srv_store_ops {
  void (*submit)(srv_store *store, srv_store_write *write);
  void (*load)(srv_store *store, srv_store_load *load);
  void (*lookup)(srv_store *store, srv_store_lookup *lookup);
  /* Starts a subscription; no callback is called from within. False: out of memory. The pointer is
   * NULL, as are the next two, if the store does not distribute events. */
  bool (*subscribe)(srv_store *store, srv_store_subscription *subscription);
  uint64_t (*catch_up)(srv_store *store, srv_store_subscription *subscription);
  void (*unsubscribe)(srv_store *store, srv_store_subscription *subscription);
  /* False: writes are not accepted now, for the reason in why[SRV_STORE_WHY]. Does not wait. */
  bool (*healthy)(const srv_store *store, srv_store_status *status, char *why);
  /* Finishes and answers all submissions, then closes and frees the store. Must be called while the
   * loop runs; `done` is called on the loop. */
  void (*close)(srv_store *store, void (*done)(void *cls), void *cls);
} srv_store_ops;

struct srv_store {
  const srv_store_ops *ops;
  bool
      shared; /* other daemons write to the store too, so data in memory must be compared with it */
  const char *durability; /* static text for replies to writes: "disk", "redis" or "memory" */
  const char *memory_why; /* static text; shared store: reason why the durability is "memory" */
  /* Reports an event (a name and a sentence) for the log. May be NULL. */
  void (*report)(void *cls, const char *event, const char *detail);
  void *report_cls;
  /* Limits of the retained events of one scene: number of writes, and bytes. */
  uint64_t event_writes_max, event_bytes_max;
};

static inline void srv_store_submit(srv_store *store, srv_store_write *write) {
  store->ops->submit(store, write);
}
static inline void srv_store_fetch(srv_store *store, srv_store_load *load) {
  store->ops->load(store, load);
}
static inline void srv_store_find(srv_store *store, srv_store_lookup *lookup) {
  store->ops->lookup(store, lookup);
}
/* True if the store delivers the events of all daemons; events then come from subscriptions
 * only. */
static inline bool srv_store_distributes_events(const srv_store *store) {
  return store && store->ops->subscribe;
}
static inline bool srv_store_subscribe(srv_store *store, srv_store_subscription *subscription) {
  return store->ops->subscribe(store, subscription);
}
/* Returns a ticket. on_caught_up is called with it, or with a later one, when all events published
 * up to now have been delivered. */
static inline uint64_t srv_store_catch_up(srv_store *store, srv_store_subscription *subscription) {
  return store->ops->catch_up(store, subscription);
}
static inline void srv_store_unsubscribe(srv_store *store, srv_store_subscription *subscription) {
  store->ops->unsubscribe(store, subscription);
}
static inline bool srv_store_healthy(const srv_store *store, srv_store_status *status, char *why) {
  return store->ops->healthy(store, status, why);
}
static inline void srv_store_close(srv_store *store, void (*done)(void *cls), void *cls) {
  store->ops->close(store, done, cls);
}
/* Frees the records of a load. */
static inline void srv_store_load_free(srv_store_load *load) {
  for (size_t i = 0; i < load->count; i++) free(load->records[i].bytes);
  free(load->records);
  load->records = NULL;
  load->count = 0;
}

/* Opens, creates or migrates the store in the folder: contactd.db, and a lock file against a second
 * daemon. NULL after one sentence on standard error: the folder is missing or read-only, locked, of
 * a newer format, or not a store. */
srv_store *srv_store_sqlite_open(uv_loop_t *loop, const char *folder);
#define SRV_STORE_NOT_DURABLE                                                                      \
  "Redis is not configured to make acknowledged writes durable (appendonly yes, appendfsync "      \
  "always, no-appendfsync-on-rewrite no, "                                                         \
  "maxmemory-policy noeviction): the durability is memory"
/* Location of a store in Redis; the members *_given name the settings from which it comes, such as
 * "--store". */
typedef struct srv_store_redis_options {
  const char *url;           /* redis://[user@]host[:port][/database][?commandMs=N] */
  const char *password_file; /* NULL: none; the file is read again for each connection */
  const char *url_given, *password_file_given;
} srv_store_redis_options;

/* Opens the store in Redis. Runs the loop until Redis has answered, for at most twice the time
 * limit of a command; if Redis is unreachable, connecting is retried while the daemon serves. NULL
 * after one sentence on standard error for a permanent fault: wrong password, newer format. */
srv_store *srv_store_redis_open(uv_loop_t *loop, const srv_store_redis_options *from);

#endif
