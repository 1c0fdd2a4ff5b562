/* The daemon's state and its parts. Everything here belongs to the loop thread; workers see only a request's call and its input
 * while a piece of it runs. */
#ifndef SRV_STATE_SERVER_H
#define SRV_STATE_SERVER_H

#include "access/auth.h"
#include "access/head_guard.h"
#include "access/peers.h"
#include "process/config.h"
#include "process/log.h"
#include "process/notify.h"
#include "state/heap_trim.h"
#include "state/metrics.h"
#include "state/pool.h"
#include "state/registry.h"
#include "store/store.h"

#include <microhttpd.h>
#include <poll.h>
#include <uv.h>

/* Memory of one connection for its request's head; a longer head is answered 431. */
#define SRV_CONNECTION_BYTES 32768u
/* A connection that neither sends nor takes a byte for so long is closed, s. */
#define SRV_IDLE_SECONDS 30u
/* Look for clients that have left and deadlines that have passed; both are promised within 25 ms. */
#define SRV_SWEEP_MS 10u
/* Look for connections that are overdue. */
#define SRV_REAP_MS 250u
/* Kept of the open files for the listener, epoll, the log and libuv. */
#define SRV_SPARE_FILES 64u

typedef enum srv_phase {
  SRV_PHASE_HEAD, /* waiting for a request, or in its head */
  SRV_PHASE_BODY,
  SRV_PHASE_BUSY, /* ours to act: no deadline against the client */
  SRV_PHASE_SEND
} srv_phase;

/* A client's connection, from accept to close. */
typedef struct srv_connection {
  struct srv_connection *next, *previous;
  int fd;
  srv_peer *peer;
  srv_phase phase;
  uint64_t deadline_ns; /* the socket is shut down after it; 0: none */
  bool half_closed;     /* seen so in the last round */
  char client[64];
} srv_connection;

/* LEAVING: requests are taken, but /readyz says that the end comes. */
typedef enum srv_drain { SRV_SERVING, SRV_LEAVING, SRV_DRAINING, SRV_DRAIN_OVER } srv_drain;

typedef struct srv_server {
  const srv_config *config;
  const api_limits *limits;
  api_service *service;
  uv_loop_t *loop;
  struct MHD_Daemon *daemon;
  int listen_fd;
  bool dirty; /* libmicrohttpd must be run before the loop sleeps */
  uv_poll_t epoll;
  uv_prepare_t prepare;
  uv_check_t check;
  uint64_t woken_ms; /* when the loop's round began, by its clock; 0: no round yet */
  uv_timer_t watchdog;
  uv_timer_t wake; /* libmicrohttpd's next timeout */
  uv_timer_t sweep, reap;
  uv_signal_t terminate, interrupt;
  bool handles_open;

  srv_notify notify;
  bool told_ready; /* to the service manager */
  srv_metrics metrics;
  srv_log *log;
  srv_auth auth;
  srv_hosts hosts;
  char own_host[64]; /* the address listened on, if it is one of them */
  srv_peers *peers;
  srv_pool *pool;
  srv_registry *registry;
  const api_shape_table *shapes;    /* posted shapes; a change makes another table */
  uint64_t last_gone, last_gone_ns; /* with a shared store: of the scenes that have gone, and when it said so (lost_writes.h) */
  size_t naming;                    /* writes under way that have their shapes and may name them */
  uint64_t named;                   /* revisions that such writes have committed */
  srv_lane stateless;
  srv_store *store;                   /* NULL: memory alone */
  struct srv_recovery *recovery;      /* what comes back from it; NULL likewise */
  struct srv_shape_turn *shape_turns; /* writes of shapes that wait for their turn */
  bool shape_turn_taken;
  struct srv_shape_expiry *shelf; /* when shapes were last seen */
  size_t shapes_corrupt;     /* posted shapes that the store has and that cannot be read, by the last look at them */
  struct srv_shared *shared; /* what others have written; NULL: the store is ours alone */
  bool store_failed;         /* and it has been told */
  size_t errands;            /* foldings and loadings under way; the store outlives them */
  bool ending;               /* no new ones are begun */
  api_scratch *scratch;      /* for what the loop thread computes itself */
  srv_heap heap;

  srv_connection *connections;
  size_t connection_count;
  struct srv_request **suspended; /* requests whose connection is suspended, in no order */
  struct pollfd *polled;
  size_t suspended_count; /* at most limits->connections, the size of both arrays; polled is scratch */
  size_t requests;        /* between the head's end and the last trace */
  uint64_t body_bytes;    /* gathered bodies of all requests */
  uint64_t reply_bytes;   /* replies of calls that are not freed yet */
  uint64_t id_prefix, id_next;

  struct srv_stream *streams;              /* of events */
  size_t stream_count;                     /* at most limits->event_streams */
  struct srv_progress *progresses;         /* replies in lines */
  struct srv_ring *idle_first, *idle_last; /* rings that nobody listens to, as many at most */
  size_t idle_rings;
  uint64_t last_event; /* greatest number of an event in the rings that have gone */

  srv_drain drain;
  uint64_t drain_since_ns, drain_until_ns;
} srv_server;

/* ---- loop.c ---- */

/* Makes the parts that need no socket. False after one sentence on standard error. */
bool srv_server_create(srv_server *server, const srv_config *config, api_service *service);
/* Listens and says so on standard output. False after one sentence on standard error. */
bool srv_server_listen(srv_server *server);
/* Serves until the drain is over. */
void srv_server_run(srv_server *server);
void srv_server_destroy(srv_server *server);
/* libmicrohttpd has something to do before the loop sleeps. */
static inline void srv_server_mark_dirty(srv_server *server) { server->dirty = true; }

/* ---- listen.c ---- */

/* Makes the listening socket, or takes the one that was handed over. False after one sentence on standard error. */
bool srv_listen_open(srv_server *server);
/* Says on standard output where requests are taken. */
void srv_listen_announce(const srv_server *server);

/* ---- drain.c ---- */

void srv_drain_begin(srv_server *server);
/* Called when a request or a stream has ended. */
void srv_drain_check(srv_server *server);
/* Called by the reaper, outside of libmicrohttpd: the same, and what time brings. */
void srv_drain_tick(srv_server *server, uint64_t now_ns);

/* ---- connection.c ---- */

enum MHD_Result srv_connection_accept(void *server, const struct sockaddr *address, socklen_t length);
void srv_connection_notify(void *server, struct MHD_Connection *handle, void **context, enum MHD_ConnectionNotificationCode code);
srv_connection *srv_connection_of(struct MHD_Connection *handle);
/* Sets what is waited for and until when; 0 seconds: for ever. */
void srv_connection_phase(srv_connection *connection, srv_phase phase, uint64_t now_ns, uint64_t seconds);
void srv_connection_reap(srv_server *server, uint64_t now_ns);

/* ---- sweep.c ---- */

/* Watches a request whose connection is suspended. */
void srv_sweep_add(srv_server *server, struct srv_request *request);
void srv_sweep_remove(srv_server *server, struct srv_request *request);

/* ---- preload.c ---- */

/* Loads a scene document at start. False after one sentence on standard error. */
bool srv_preload(srv_server *server, const char *path);

#endif
