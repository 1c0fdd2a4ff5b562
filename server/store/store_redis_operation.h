/* Operations of the store in Redis (store_redis_operation.c), and the state of the store
 * (store_redis.c). Loop thread only. */
#ifndef SRV_STORE_STORE_REDIS_OPERATION_H
#define SRV_STORE_STORE_REDIS_OPERATION_H

#include "store/store_redis.h"

/* Indices of the two connections: for short commands, and for loads and staged parts. */
enum { SRV_REDIS_SHORT, SRV_REDIS_LONG, SRV_REDIS_LINKS };

typedef enum srv_redis_operation_kind {
  SRV_REDIS_WRITE,
  SRV_REDIS_LOOK,
  SRV_REDIS_LOAD
} srv_redis_operation_kind;

/* Permitted transitions: HELD to STAGING or WAITS; STAGING to WAITS; WAITS to SENT; SENT to WAITS
 * for a read whose connection was lost. */
typedef enum srv_redis_operation_phase {
  SRV_REDIS_HELD,    /* waits until an earlier write of the same key has been sent */
  SRV_REDIS_STAGING, /* the parts of a long record are being sent */
  SRV_REDIS_WAITS,   /* waits until the connection is up */
  SRV_REDIS_SENT
} srv_redis_operation_phase;

typedef struct srv_redis_store srv_redis_store;

/* A pending write, lookup or load. */
typedef struct srv_redis_operation {
  struct srv_redis_operation *next,
      *previous; /* neighbours in the list of unanswered operations, in order of submission */
  srv_redis_store *store;
  srv_redis_operation_kind kind;
  srv_redis_operation_phase phase;
  srv_store_write *write; /* write, load or lookup: the one that `kind` names is set */
  srv_store_lookup *lookup;
  srv_store_load *load;
  uint64_t began_ns, deadline_ns;
  unsigned replies; /* number of replies to the operation's last command that have not arrived
                       yet */
  enum {
    SRV_REDIS_REPLIES_COUNT, /* the outstanding replies are handled by the operation */
    SRV_REDIS_REPLIES_LOST,  /* the connection was lost with replies outstanding; when none is left,
                                a write fails and a lookup or load is sent again */
    SRV_REDIS_REPLIES_IGNORED /* the operation has been answered; the last outstanding reply frees
                                 it */
  } reply_state;
  enum {
    SRV_REDIS_BY_TRANSACTION,
    SRV_REDIS_NO_TRANSACTION, /* Redis has refused the transaction for lack of memory, so the script
                                 will be used */
    SRV_REDIS_BY_SCRIPT
  } load_method;
  bool out_of_memory; /* there was no memory to send the command; the next tick answers the
                         operation */
  bool sends_events;  /* the scene's events have subscribers, so that event payloads of any length
                         are sent */
  size_t staged;      /* number of bytes of the record uploaded to the list `stage` so far */
  char stage[64];     /* key of the list in Redis to which the parts of a long record are uploaded
                         before the write; "": the record is sent with the write */
} srv_redis_operation;

/* One of the two connections, and its state. */
typedef struct srv_redis_side {
  srv_redis_store *store;
  srv_redis_connection *link;
  uint64_t down_ns; /* time at which the connection was lost; 0: connected */
  srv_store_status status;
  char why[SRV_STORE_WHY];
} srv_redis_side;

struct srv_redis_store {
  srv_store store; /* must be first: the daemon uses this address */
  uv_loop_t *loop;
  srv_redis_endpoint place;
  srv_redis_resolver *name;
  srv_redis_side sides[SRV_REDIS_LINKS];
  srv_redis_subscriptions *subscriptions; /* NULL: no subscription has been requested yet */
  uv_timer_t timer;
  bool ticks_often; /* the period of the timer is TICK_MS */
  uint64_t tick_ns; /* ticks_often: time of the last tick; 0: the next tick checks all deadlines
                       even if it is late */
  srv_redis_operation *first, *last; /* list of unanswered operations in order of submission */
  unsigned staging;                  /* number of operations that are uploading the parts of a long
                                        record (phase STAGING) */
  uint64_t stage_prefix, stage_next;
  uint64_t stamp; /* stamp of the last write, never 0; starts at a random number, so that the stamps
                     of daemons differ */
  /* Submissions for which there was no memory; the next tick answers them. */
  srv_store_write *writes;
  srv_store_lookup *lookups;
  srv_store_load *loads;
  bool refused;         /* Redis has failed permanently, so waiting is useless */
  uint64_t reported_ns; /* time of the last log line that a connection is lost; 0: connected, or not
                           logged yet */
  srv_store_status reported_status;
  bool durability_reported;
  bool has_file;        /* the append-only file is complete, also while it is being rewritten */
  uint64_t settings_ns; /* time of the last query of Redis' settings */
  enum { SRV_REDIS_OPEN, SRV_REDIS_CLOSING, SRV_REDIS_LINKS_CLOSING } close_state;
  unsigned
      open_links; /* LINKS_CLOSING: number of connections whose handles are still in the loop */
  void (*closed)(void *cls);
  void *closed_cls;
};

/* Returns the side whose connection the operation's next command uses. */
srv_redis_side *srv_redis_operation_side(const srv_redis_operation *o);
/* True if an earlier write of the same key has not been sent yet. */
bool srv_redis_operation_must_wait(const srv_redis_operation *o);
/* Sends the first command of an operation. */
void srv_redis_operation_start(srv_redis_operation *o);
/* Sends the next command of an operation, if its connection is up. by_text: with the script's text
 * instead of its digest. */
void srv_redis_operation_send(srv_redis_operation *o, bool by_text);
/* Answers the operation with a status and a reason. The operation is freed now or, if replies are
 * outstanding, with the last of them. */
void srv_redis_operation_answer(srv_redis_operation *o, srv_store_status status, const char *why);

#endif
