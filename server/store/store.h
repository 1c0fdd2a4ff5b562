/* Interface of the store, which persists scenes and posted shapes. Implementations: a file
 * (store_sqlite.c) and Redis (store_redis.c). The store handles keys, revisions and bytes;
 * api/record.h defines the content.
 *
 * A key has records in order of revision: one base, then the changes since. Writes are atomic and
 * ordered per key (optimistic concurrency control): each write states the revision that it follows,
 * and the store refuses it if the key is at another revision. Of two daemons that write from the
 * same revision, only one succeeds.
 *
 * All functions are called on the loop thread and answer there; none blocks on disk or network.
 * No bytes are copied: the caller keeps them valid until `done`. */
#ifndef SRV_STORE_STORE_H
#define SRV_STORE_STORE_H

#include <api/api.h>
#include <stdlib.h>
#include <uv.h>

typedef enum srv_store_status {
  SRV_STORE_OK,
  SRV_STORE_CONFLICT, /* the key is not at `before`: another write came first */
  SRV_STORE_IN_USE,   /* REMOVE of a shape that a scene refers to */
  SRV_STORE_UNKNOWN,  /* a scene refers to a missing shape; load of a missing key */
  SRV_STORE_FULL, /* no space (disk, quota, memory of Redis): nothing is written; may be retried */
  SRV_STORE_FAILED,      /* the device failed: no write is accepted until the daemon is restarted */
  SRV_STORE_UNAVAILABLE, /* no answer in time; the write may have been done: check by srv_store_find
                          */
  SRV_STORE_DAMAGED,     /* load: wrong checksum or order of records; write: its table or key is
                            damaged, nothing is written */
  SRV_STORE_MEMORY
} srv_store_status;

typedef enum srv_store_space { SRV_STORE_SCENES, SRV_STORE_SHAPES } srv_store_space;

typedef enum srv_store_operation {
  SRV_STORE_CHANGE,  /* append one record */
  SRV_STORE_BASE,    /* replace all records of the key */
  SRV_STORE_COMPACT, /* replace the records up to `revision` by a base of that revision. Ignores
                      * `before`; before_stamp is the revision's. CONFLICT if the key was deleted or
                      * recreated meanwhile */
  SRV_STORE_REMOVE,
  SRV_STORE_SEEN /* shape in a shared store: note that it was posted again, which prevents its
                    expiry */
} srv_store_operation;

/* Size of a sentence that states a failure's reason. */
#define SRV_STORE_WHY 160

typedef struct srv_store_write {
  struct srv_store_write *next; /* private to the store */
  srv_store_space space;
  char id[CT_ID_LENGTH_MAX + 1];
  srv_store_operation act;
  uint64_t before; /* required revision of the key; 0: it must not exist. Shapes have revision 1 */
  /* Required stamp of `before`; 0: not checked. A store that has lost writes assigns revision
   * numbers again; a revision made by another write is SRV_STORE_CONFLICT. */
  uint64_t before_stamp;
  uint64_t revision; /* new revision of the key; REMOVE: new scenes begin above it */
  uint64_t bodies; /* of the scene, for listings; REMOVE of a shape with before_stamp: bodies of its
                      entry */
  const char *bytes; /* [length] */
  size_t length;
  bool has_shapes;    /* `shapes` replaces the list of shapes that the scene refers to; false:
                         unchanged */
  const char *shapes; /* ids, each ended by a zero; shapes_length bytes */
  size_t shapes_length;
  /* Events for subscribers, if srv_store_distributes_events. The payload is opaque to the store. */
  uint64_t event_count; /* event numbers to assign; 0: no events */
  const char *events;   /* [events_length] payload; NULL: lost, subscribers detect the gap */
  size_t events_length;
  void (*done)(struct srv_store_write *write); /* once, never from within submit */
  void *cls;
  uint64_t submitted_ns; /* uv_hrtime at submission, for metrics.h */
  /* The answer: */
  srv_store_status status;
  uint64_t stamp;   /* unique stamp of this write, set at submission; 0: the store has no stamps */
  uint64_t current; /* CONFLICT: revision of the key; 0: it does not exist */
  uint64_t current_stamp; /* CONFLICT: stamp of `current` */
  uint64_t last_revision; /* CONFLICT, missing scene: greatest revision of deleted scenes; 0: not
                             reported */
  char why[SRV_STORE_WHY];
} srv_store_write;

typedef struct srv_store_record {
  uint64_t revision, stamp;
  bool base;
  char *bytes; /* owned by the load */
  size_t length;
} srv_store_record;

/* All records of a key. */
typedef struct srv_store_load {
  struct srv_store_load *next; /* private to the store */
  srv_store_space space;
  char id[CT_ID_LENGTH_MAX + 1];
  void (*done)(struct srv_store_load *load);
  void *cls;
  srv_store_status status;   /* OK, UNKNOWN, DAMAGED, UNAVAILABLE, FAILED, MEMORY */
  srv_store_record *records; /* [count], a base first; owned by the caller: srv_store_load_free */
  size_t count;
  char why[SRV_STORE_WHY];
} srv_store_load;

/* State of a key as reported by the store. */
typedef struct srv_store_entry {
  char id[CT_ID_LENGTH_MAX + 1];
  uint64_t revision; /* 0: does not exist */
  uint64_t bodies; /* shape: a number that changes when it is posted again or loses its last user */
  uint64_t stamp;  /* of the write that made the revision; 0: the store has no stamps */
} srv_store_entry;

/* The revision of one key (id not empty) or the list of all keys of a space. */
typedef struct srv_store_lookup {
  struct srv_store_lookup *next; /* private to the store */
  srv_store_space space;
  char id[CT_ID_LENGTH_MAX + 1]; /* "": all */
  void (*done)(struct srv_store_lookup *lookup);
  void *cls;
  srv_store_status status;  /* OK, UNAVAILABLE, FAILED, DAMAGED, MEMORY */
  srv_store_entry *entries; /* [count] ascending in id; owned by the caller: free */
  size_t count;
  uint64_t last_revision; /* greatest revision of deleted scenes */
  char why[SRV_STORE_WHY];
} srv_store_lookup;

/* Events of one write, delivered to subscribers. */
typedef struct srv_store_event {
  uint64_t last, count;         /* event numbers: `count` numbers up to `last` */
  uint64_t revision, bodies;    /* state of the scene after the write; revision 0: deleted */
  uint64_t stamp, before_stamp; /* stamps of the write and of its predecessor */
  const char *bytes;            /* [length] payload; NULL: lost */
  size_t length;
} srv_store_event;

/* A subscription to the events of a scene by the writes of all daemons, in one order with the same
 * numbers everywhere. */
typedef struct srv_store_subscription {
  char id[CT_ID_LENGTH_MAX + 1];
  void *cls;
  /* Events from now on have numbers above `after`; earlier ones are not delivered any more.
   * revision, bodies: state of the scene. Called first, and after every gap. */
  void (*on_subscribed)(struct srv_store_subscription *subscription, uint64_t after,
                        uint64_t revision, uint64_t bodies);
  void (*on_event)(struct srv_store_subscription *subscription, const srv_store_event *event);
  /* All events published before srv_store_catch_up returned this ticket have been delivered. */
  void (*on_caught_up)(struct srv_store_subscription *subscription, uint64_t ticket);
  /* The scene was deleted. The subscription has ended; nothing more is called. */
  void (*on_deleted)(struct srv_store_subscription *subscription);
  void *store_state; /* private to the store; NULL: ended */
} srv_store_subscription;

typedef struct srv_store srv_store;

/* The functions of an implementation; the rest of the daemon calls the inline functions below. */
typedef struct srv_store_ops {
  void (*submit)(srv_store *store, srv_store_write *write);
  void (*load)(srv_store *store, srv_store_load *load);
  void (*lookup)(srv_store *store, srv_store_lookup *lookup);
  /* Subscribes; no callback runs from within. False: out of memory. NULL, like the next two
   * functions: the store does not distribute events. */
  bool (*subscribe)(srv_store *store, srv_store_subscription *subscription);
  uint64_t (*catch_up)(srv_store *store, srv_store_subscription *subscription);
  void (*unsubscribe)(srv_store *store, srv_store_subscription *subscription);
  /* False: writes are not accepted now, for the reason in why (SRV_STORE_WHY bytes). Does not wait.
   */
  bool (*healthy)(const srv_store *store, srv_store_status *status, char *why);
  /* Finishes and answers all submissions, then closes and frees the store. Call while the loop
   * runs; done is called on the loop. */
  void (*close)(srv_store *store, void (*done)(void *cls), void *cls);
} srv_store_ops;

struct srv_store {
  const srv_store_ops *ops;
  bool shared;            /* other daemons write too: memory must be compared with the store */
  const char *durability; /* static; in replies of writes: "disk", "redis", "memory" */
  const char *memory_why; /* static; shared store: reason for "memory" */
  /* Reports an event (name and sentence) for the log. May be NULL. */
  void (*report)(void *cls, const char *event, const char *detail);
  void *report_cls;
  /* Bounds of retained events of one scene: writes, and bytes. */
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
/* True if the store delivers the events of all daemons; srv_store_subscription is then the only
 * source of events. */
static inline bool srv_store_distributes_events(const srv_store *store) {
  return store && store->ops->subscribe;
}
static inline bool srv_store_subscribe(srv_store *store, srv_store_subscription *subscription) {
  return store->ops->subscribe(store, subscription);
}
/* Returns a ticket: `on_caught_up` is called with it, or a later one, when all events up to now are
 * delivered. */
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

/* Opens, creates or migrates the store in the folder (contactd.db, and a lock against a second
 * daemon). NULL after one sentence on standard error: missing or read-only folder, locked, newer
 * format, not a store. */
srv_store *srv_store_sqlite_open(uv_loop_t *loop, const char *folder);
#define SRV_STORE_NOT_DURABLE                                                                      \
  "Redis is not configured to make acknowledged writes durable (appendonly yes, appendfsync "      \
  "always, no-appendfsync-on-rewrite no, "                                                         \
  "maxmemory-policy noeviction): the durability is memory"
/* Location of a store in Redis, and the settings that define it (such as "--store"). */
typedef struct srv_store_redis_options {
  const char *url;           /* redis://[user@]host[:port][/database][?commandMs=N] */
  const char *password_file; /* NULL: none; read again for each connection */
  const char *url_given, *password_file_given;
} srv_store_redis_options;

/* Opens the store. Runs the loop until Redis has answered, for at most twice the time limit of a
 * command; an unreachable Redis is reconnected to while the daemon serves. NULL after one sentence
 * on standard error for a permanent fault: wrong password, newer format. */
srv_store *srv_store_redis_open(uv_loop_t *loop, const srv_store_redis_options *from);

#endif
