/* Operations of the store in Redis (store_redis_operation.c) and the store's own state
 * (store_redis.c). Loop thread only. */
#ifndef SRV_STORE_STORE_REDIS_OPERATION_H
#define SRV_STORE_STORE_REDIS_OPERATION_H

#include "store/store_redis.h"

/* The two connections: for short commands, and for loads and staged parts. */
enum { SRV_REDIS_SHORT, SRV_REDIS_LONG, SRV_REDIS_LINKS };

typedef enum srv_redis_operation_kind {
  SRV_REDIS_WRITE,
  SRV_REDIS_LOOK,
  SRV_REDIS_LOAD
} srv_redis_operation_kind;

/* Permitted transitions: HELD -> STAGING or WAITS; STAGING -> WAITS; WAITS -> SENT; SENT -> WAITS
 * for a read whose connection was lost. */
typedef enum srv_redis_operation_phase {
  SRV_REDIS_HELD,    /* an earlier write of the same key is not sent yet */
  SRV_REDIS_STAGING, /* parts of a long record are sent */
  SRV_REDIS_WAITS,   /* waits for the connection */
  SRV_REDIS_SENT
} srv_redis_operation_phase;

typedef struct srv_redis_store srv_redis_store;

/* A write, a lookup or a load. */
typedef struct srv_redis_operation {
  struct srv_redis_operation *next, *previous; /* unanswered operations, in order of submission */
  srv_redis_store *store;
  srv_redis_operation_kind kind;
  srv_redis_operation_phase phase;
  srv_store_write *write; /* one of these three is set, according to `kind` */
  srv_store_lookup *lookup;
  srv_store_load *load;
  uint64_t began_ns, deadline_ns;
  unsigned replies; /* outstanding replies to the last command */
  enum {
    SRV_REDIS_REPLIES_COUNT,  /* the outstanding replies belong to the operation */
    SRV_REDIS_REPLIES_LOST,   /* the connection was lost before the last of them */
    SRV_REDIS_REPLIES_IGNORED /* the operation is answered; the last reply frees it */
  } reply_state;
  enum {
    SRV_REDIS_BY_TRANSACTION,
    SRV_REDIS_NO_TRANSACTION, /* Redis has refused the transaction for lack of memory */
    SRV_REDIS_BY_SCRIPT
  } load_method;
  bool out_of_memory; /* no memory to send the command: answered by the next tick */
  bool sends_events;  /* there are subscribers: events of any length are sent */
  size_t staged;      /* bytes staged so far */
  char stage[64];     /* key of the staged parts; "": the bytes are sent with the write */
} srv_redis_operation;

/* One of the two connections. */
typedef struct srv_redis_side {
  srv_redis_store *store;
  srv_redis_connection *link;
  uint64_t down_ns; /* time of the loss; 0: connected */
  srv_store_status status;
  char why[SRV_STORE_WHY];
} srv_redis_side;

struct srv_redis_store {
  srv_store store; /* first: the daemon's view */
  uv_loop_t *loop;
  srv_redis_endpoint place;
  srv_redis_resolver *name;
  srv_redis_side sides[SRV_REDIS_LINKS];
  srv_redis_subscriptions *subscriptions; /* NULL: none was requested yet */
  uv_timer_t timer;
  bool ticks_often; /* the timer is at TICK_MS */
  uint64_t tick_ns; /* ticks_often: time of the last tick; 0: the next one checks all deadlines */
  srv_redis_operation *first, *last; /* unanswered, in order of submission */
  unsigned staging;                  /* operations in the phase STAGING */
  uint64_t stage_prefix, stage_next;
  uint64_t
      stamp; /* of the last write; starts at a random number, so that daemons differ; never 0 */
  /* Submissions without memory for an operation: answered by the next tick. */
  srv_store_write *writes;
  srv_store_lookup *lookups;
  srv_store_load *loads;
  bool refused;         /* Redis has failed permanently: waiting does not help */
  uint64_t reported_ns; /* time of the last log line of a loss; 0: connected, or not logged */
  srv_store_status reported_status;
  bool durability_reported;
  bool has_file;        /* the append-only file is complete, also while it is rewritten */
  uint64_t settings_ns; /* time of the last query of Redis' settings */
  enum { SRV_REDIS_OPEN, SRV_REDIS_CLOSING, SRV_REDIS_LINKS_CLOSING } close_state;
  unsigned open_links; /* LINKS_CLOSING: connections whose handles are still in the loop */
  void (*closed)(void *cls);
  void *closed_cls;
};

/* The connection of the operation's next command. */
srv_redis_side *srv_redis_operation_side(const srv_redis_operation *o);
/* True if an earlier write of the key is not sent yet. */
bool srv_redis_operation_must_wait(const srv_redis_operation *o);
/* Sends the operation's first command. */
void srv_redis_operation_start(srv_redis_operation *o);
/* Sends the operation's next command, if its connection is up. by_text: sends the script's text
 * instead of its digest. */
void srv_redis_operation_send(srv_redis_operation *o, bool by_text);
/* Answers the operation with a status and a reason. It is freed, now or with its last reply. */
void srv_redis_operation_answer(srv_redis_operation *o, srv_store_status status, const char *why);

#endif
