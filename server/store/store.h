/* Where scenes and posted shapes outlive the daemon. The store knows keys, revisions and bytes; what the bytes tell is the API's
 * (api/record.h). One interface, two implementations: a file (store_sqlite.c) and Redis (store_redis.c).
 *
 * The bytes of a key are records in order of revision: one base, then the changes since. Writes are whole or not at all, in order
 * for each key, and each names the revision that it follows: the store refuses one whose key has moved on, so of two daemons that
 * wrote from the same revision only one wins. Everything here is called on the loop thread, and answers come there; what waits for
 * disk or network does so elsewhere. Nothing is copied: who submits keeps the bytes until done. */
#ifndef SRV_STORE_STORE_H
#define SRV_STORE_STORE_H

#include "process/config.h"

#include <uv.h>

typedef enum srv_store_status {
  SRV_STORE_OK,
  SRV_STORE_CONFLICT,    /* the key is not at `before`: somebody else has written */
  SRV_STORE_IN_USE,      /* REMOVE of a shape that a scene names */
  SRV_STORE_UNKNOWN,     /* a scene names a shape that is not there; LOAD of a key that is not there */
  SRV_STORE_FULL,        /* no room (disk, quota, memory of Redis): nothing is written, and it may be tried again */
  SRV_STORE_FAILED,      /* the device failed: no write is taken any more until the daemon has been started anew */
  SRV_STORE_UNAVAILABLE, /* no answer in time; whether the write is there is not known: ask srv_store_lookup first */
  SRV_STORE_DAMAGED,     /* LOAD: a checksum or the order of records is wrong; a write: its place is damaged, nothing is written */
  SRV_STORE_MEMORY
} srv_store_status;

typedef enum srv_store_space { SRV_STORE_SCENES, SRV_STORE_SHAPES } srv_store_space;

typedef enum srv_store_operation {
  SRV_STORE_CHANGE,  /* one record more */
  SRV_STORE_BASE,    /* the record takes the place of all that the key has */
  SRV_STORE_COMPACT, /* a base of revision `revision`, made while the key went on: takes the place of records up to that revision;
                      * `before` is not looked at, and a key that has gone, or lives another life, is SRV_STORE_CONFLICT;
                      * before_stamp is the revision's */
  SRV_STORE_REMOVE,
  SRV_STORE_SEEN /* of a shape, by a shared store: somebody has posted it again, which who would remove it finds */
} srv_store_operation;

/* Room for a sentence that tells what is wrong. */
#define SRV_STORE_WHY 160

typedef struct srv_store_write {
  struct srv_store_write *next; /* the store's */
  srv_store_space space;
  char id[CT_ID_LENGTH_MAX + 1];
  srv_store_operation act;
  uint64_t before; /* revision that the key must be at; 0: it must not be there. Shapes have revision 1 */
  /* Stamp of `before`, where the store gives stamps: a store that has gone back in time gives a number again, and a revision that
   * another write has made is SRV_STORE_CONFLICT. 0: the number alone is looked at. */
  uint64_t before_stamp;
  uint64_t revision; /* that it is at afterwards; REMOVE: numbers of new scenes stay above it */
  uint64_t bodies;   /* of the scene; kept beside the revision for listings. REMOVE of a shape with before_stamp: the entry's */
  const char *bytes; /* [length] */
  size_t length;
  bool has_shapes;    /* the scene names these shapes from now on; false: as before */
  const char *shapes; /* ids, each ended by a zero; shapes_length bytes */
  size_t shapes_length;
  /* What those hear who listen to the scene, where srv_store_distributes_events; the store does not look into the bytes. */
  uint64_t told_count; /* numbers of events that it takes; 0: nothing is told */
  const char *told;    /* [told_length]; none: it is lost, and who listens finds that it is missing */
  size_t told_length;
  void (*done)(struct srv_store_write *write); /* once, never from within submit */
  void *cls;
  uint64_t submitted_ns; /* of uv_hrtime; for who counts (metrics.h) */
  /* The answer. */
  srv_store_status status;
  uint64_t stamp;         /* of the revision, as soon as it is submitted: no other write has it; 0: the store gives none */
  uint64_t current;       /* MOVED: revision that the key is at; 0: it is not there */
  uint64_t current_stamp; /* of that */
  uint64_t last_revision; /* MOVED of a scene that is not there: numbers of new scenes are above this one; 0: not told */
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
  struct srv_store_load *next; /* the store's */
  srv_store_space space;
  char id[CT_ID_LENGTH_MAX + 1];
  void (*done)(struct srv_store_load *load);
  void *cls;
  srv_store_status status;   /* OK, UNKNOWN, DAMAGED, UNAVAILABLE, FAILED, MEMORY */
  srv_store_record *records; /* [count], a base first; owned by the caller: srv_store_load_free */
  size_t count;
  char why[SRV_STORE_WHY];
} srv_store_load;

/* What is in the store of a key, by the store's own word. */
typedef struct srv_store_entry {
  char id[CT_ID_LENGTH_MAX + 1];
  uint64_t revision; /* 0: not there */
  uint64_t bodies;   /* of a shape: another number since it was last posted again, or a scene that was the last to name it let go */
  uint64_t stamp;    /* of the write that made the revision; 0: the store gives none */
} srv_store_entry;

/* The revision of one key (id not empty) or the list of all keys of a space. */
typedef struct srv_store_lookup {
  struct srv_store_lookup *next; /* the store's */
  srv_store_space space;
  char id[CT_ID_LENGTH_MAX + 1]; /* "": all */
  void (*done)(struct srv_store_lookup *look);
  void *cls;
  srv_store_status status;  /* OK, UNAVAILABLE, FAILED, DAMAGED, MEMORY */
  srv_store_entry *entries; /* [count] ascending in id; owned by the caller: free */
  size_t count;
  uint64_t last_revision; /* greatest of the scenes that have gone */
  char why[SRV_STORE_WHY];
} srv_store_lookup;

/* What a write has told. */
typedef struct srv_store_event {
  uint64_t last, count;         /* numbers of its events: `count` up to `last` */
  uint64_t revision, bodies;    /* of the scene after it; revision 0: it has gone */
  uint64_t stamp, before_stamp; /* of the write, and of the one that it followed */
  const char *bytes;            /* [length]; none: lost */
  size_t length;
} srv_store_event;

/* Who hears what is told of a scene by the writes of all daemons: one order, the same numbers everywhere. */
typedef struct srv_store_subscription {
  char id[CT_ID_LENGTH_MAX + 1];
  void *cls;
  /* What is told from now on has numbers above `after`, and of what had others nothing more can be heard. The scene stands as
   * given. Called first, and whenever something was missed. */
  void (*begun)(struct srv_store_subscription *listen, uint64_t after, uint64_t revision, uint64_t bodies);
  void (*told)(struct srv_store_subscription *listen, const srv_store_event *told);
  /* All is told that had been when the ticket was given out. */
  void (*level)(struct srv_store_subscription *listen, uint64_t ticket);
  /* The scene has gone. The store has let go, and calls nothing more. */
  void (*gone)(struct srv_store_subscription *listen);
  void *ear; /* the store's; NULL: it has let go */
} srv_store_subscription;

typedef struct srv_store srv_store;

/* The functions of an implementation; the rest of the daemon calls the inline functions below. */
typedef struct srv_store_ops {
  void (*submit)(srv_store *store, srv_store_write *write);
  void (*load)(srv_store *store, srv_store_load *load);
  void (*look)(srv_store *store, srv_store_lookup *look);
  /* NULL, as the next two: nobody else writes, and writes tell nothing here. Begins to listen; nothing is called from within.
   * False: out of memory. */
  bool (*listen)(srv_store *store, srv_store_subscription *listen);
  uint64_t (*level)(srv_store *store, srv_store_subscription *listen);
  void (*unlisten)(srv_store *store, srv_store_subscription *listen);
  /* False: writes are not taken now; why (SRV_STORE_WHY bytes) tells. Does not wait. */
  bool (*healthy)(const srv_store *store, srv_store_status *status, char *why);
  /* What is submitted is finished, and told; then the store is closed and freed. To be called while the loop still runs; done comes
   * on the loop. */
  void (*close)(srv_store *store, void (*done)(void *cls), void *cls);
} srv_store_ops;

struct srv_store {
  const srv_store_ops *ops;
  bool shared;            /* other daemons write, too: what is in memory must be compared with the store */
  const char *durability; /* word in the replies of writes: "disk", "redis", "memory"; of static life */
  const char *memory_why; /* of a shared store: a sentence that tells why the word is "memory"; of static life */
  /* Is told what somebody should know: an event's name and a sentence. NULL: nobody is. */
  void (*tell)(void *cls, const char *event, const char *detail);
  void *tell_cls;
  /* Kept of what a scene's writes have told: so many of them, and bytes. */
  uint64_t told_most, told_bytes_most;
};

static inline void srv_store_submit(srv_store *store, srv_store_write *write) { store->ops->submit(store, write); }
static inline void srv_store_fetch(srv_store *store, srv_store_load *load) { store->ops->load(store, load); }
static inline void srv_store_find(srv_store *store, srv_store_lookup *look) { store->ops->look(store, look); }
/* Do the writes of all daemons reach who listens here? Then events come by srv_store_subscription alone. */
static inline bool srv_store_distributes_events(const srv_store *store) { return store && store->ops->listen; }
static inline bool srv_store_subscribe(srv_store *store, srv_store_subscription *listen) {
  return store->ops->listen(store, listen);
}
/* A ticket: `level` is called with it, or a later one, when all is told that has been until now. */
static inline uint64_t srv_store_catch_up(srv_store *store, srv_store_subscription *listen) {
  return store->ops->level(store, listen);
}
static inline void srv_store_unsubscribe(srv_store *store, srv_store_subscription *listen) { store->ops->unlisten(store, listen); }
static inline bool srv_store_healthy(const srv_store *store, srv_store_status *status, char *why) {
  return store->ops->healthy(store, status, why);
}
static inline void srv_store_close(srv_store *store, void (*done)(void *cls), void *cls) { store->ops->close(store, done, cls); }
void srv_store_load_free(srv_store_load *load);

/* Opens, makes or migrates the store in the folder (file contactd.db, and a lock that a second daemon finds). NULL after one
 * sentence on standard error: no such folder, not ours to write, locked, a newer format, not a store. */
srv_store *srv_store_sqlite_open(uv_loop_t *loop, const char *folder);
#define SRV_STORE_NOT_DURABLE                                                                                                      \
  "Redis does not promise to keep what it acknowledges (appendonly yes, appendfsync always, no-appendfsync-on-rewrite no, "        \
  "maxmemory-policy noeviction): the durability is memory"
/* Where a store in Redis is, and how that was given: "--store", say. */
typedef struct srv_store_redis_options {
  const char *url;           /* redis://[user@]host[:port][/database][?commandMs=N] */
  const char *password_file; /* NULL: none; read again for each connection */
  const char *url_given, *password_file_given;
} srv_store_redis_options;

/* Room for a URL that is shown. */
#define SRV_STORE_URL_MAX 512
/* The URL without the password that somebody may have put into it; cut at its end, if it is long. */
const char *srv_store_redis_hide_password(const char *url, char out[SRV_STORE_URL_MAX]);

/* Opens the store. Runs the loop until Redis has answered, at most twice the time of an answer: a Redis that is away is waited for
 * while the daemon serves. NULL after one sentence on standard error: what no waiting mends, as a wrong password or a store of a
 * newer format. */
srv_store *srv_store_redis_open(uv_loop_t *loop, const srv_store_redis_options *from);

#endif
