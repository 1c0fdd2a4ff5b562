/* State of the daemon and its parts. Loop thread only. Workers access the call of a request and the
 * call's inputs while they run a piece of it, and nothing else. */
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

/* Size of a connection's buffer for the head of a request; a longer head is answered 431. */
#define SRV_CONNECTION_BYTES 32768u
/* Time after which an idle connection is closed, s. */
#define SRV_IDLE_SECONDS 30u
/* Period of the sweep for disconnected clients and expired deadlines, ms. The documentation
 * promises 25 ms. */
#define SRV_SWEEP_MS 10u
/* Period of the reaper, which handles overdue connections, expiry, log and drain, ms. */
#define SRV_REAP_MS 250u

/* References to revisions with more bodies than this are released on a worker. */
#define SRV_DEFER_BODIES 4096u

typedef enum srv_phase {
  SRV_PHASE_HEAD, /* waiting for a request, or receiving its head */
  SRV_PHASE_BODY,
  SRV_PHASE_BUSY, /* the daemon works: the client has no deadline */
  SRV_PHASE_SEND
} srv_phase;

/* A client's connection, from accept to close. */
typedef struct srv_connection {
  struct srv_connection *next, *previous;
  int fd;
  srv_peer *peer;
  srv_phase phase;
  uint64_t deadline_ns; /* time at which the socket is shut down unless the present phase ends
                           earlier; 0: none */
  bool half_closed;     /* the client had closed its sending side at the last reap */
  char client[64];
} srv_connection;

/* State of the shutdown. LEAVING: requests are served, but /readyz reports the shutdown
 * (drain.c). */
typedef enum srv_drain { SRV_SERVING, SRV_LEAVING, SRV_DRAINING, SRV_DRAIN_OVER } srv_drain;

typedef struct srv_server {
  const srv_config *config;
  const api_limits *limits;
  api_service *service;
  uv_loop_t *loop;
  struct MHD_Daemon *daemon;
  int listen_fd;
  bool socket_inherited; /* the service manager passed listen_fd and keeps it open */
  bool dirty;            /* libmicrohttpd must be run before the loop sleeps */
  uv_poll_t epoll;
  uv_prepare_t prepare;
  uv_check_t check;
  uint64_t woken_ms; /* start of the loop's present iteration, by uv_now; 0: none yet */
  uv_timer_t watchdog;
  uv_timer_t wake; /* next timeout of libmicrohttpd */
  uv_timer_t sweep, reap;
  uv_signal_t terminate, interrupt;
  bool handles_open;

  srv_notify notify;
  bool ready_sent; /* READY=1 has been sent to the service manager */
  srv_metrics metrics;
  const struct srv_request_handlers *handlers; /* request.h */
  srv_log *log;
  srv_auth auth;
  srv_hosts hosts;
  char own_host[64]; /* listening address, if `hosts` contains it */
  srv_peers *peers;
  srv_pool *pool;
  srv_registry *registry;
  const api_shape_table *shapes; /* posted shapes; immutable, a change replaces the table */
  /* shared store: greatest revision of deleted scenes, and the time of that report
   * (lost_writes.h) */
  uint64_t last_deleted, last_deleted_ns;
  size_t naming; /* number of uncommitted writes that may refer to shapes of the current table or an
                    older one */
  uint64_t named; /* number of revisions committed by writes that may refer to posted shapes */
  srv_lane stateless;
  srv_store *store;                   /* NULL: scenes are only in memory */
  bool shapes_pending;                /* not all posted shapes of the store have been loaded yet */
  struct srv_loading *shape_waiters;  /* loads of scenes that wait until the shapes are loaded */
  struct srv_recovery *recovery;      /* loading from the store at start; NULL: no store */
  struct srv_shape_turn *shape_turns; /* queued writes of shapes */
  bool shape_turn_taken;
  struct srv_shape_expiry *shape_expiry; /* times at which posted shapes were last used */
  size_t shapes_corrupt; /* number of unreadable posted shapes in the store, at the last check */
  struct srv_shared *shared; /* synchronisation with other daemons; NULL: the store is not shared */
  bool store_failed;         /* a permanent failure of the store has been logged */
  size_t background_jobs;    /* number of running background jobs (compactions, loads); the store is
                                closed after they have ended */
  bool ending;               /* no new background job may begin */
  api_scratch *scratch;      /* scratch memory of the loop thread */
  srv_heap heap;

  srv_connection *connections;
  size_t connection_count;
  struct srv_request **suspended; /* requests whose connection is suspended, in any order */
  struct pollfd *polled;
  size_t suspended_count; /* number of suspended requests, at most limits->connections, which is the
                             size of `suspended` and of the scratch array `polled` */
  size_t requests;        /* number of requests from the end of their head until they are freed */
  uint64_t body_bytes;    /* size of the body buffers of all requests, B */
  uint64_t reply_bytes;   /* size of the replies that are not sent completely, B */
  uint64_t id_prefix, id_next;

  struct srv_stream *streams;      /* list of event streams */
  size_t stream_count;             /* number of event streams, at most limits->event_streams */
  struct srv_progress *progresses; /* list of progress streams */
  struct srv_ring *idle_first,
      *idle_last; /* list of the rings without streams, at most limits->event_streams */
  size_t idle_rings;
  uint64_t last_event; /* greatest number of an event in the event rings that were freed, so that
                          later rings start above it */

  srv_drain drain;
  uint64_t drain_since_ns, drain_until_ns;
} srv_server;

/* Sets the connection's phase and its deadline in `seconds`; 0: no deadline. */
static inline void srv_connection_phase(srv_connection *connection, srv_phase phase,
                                        uint64_t now_ns, uint64_t seconds) {
  connection->phase = phase;
  connection->deadline_ns = seconds ? now_ns + seconds * 1000000000u : 0;
}

/* Polls the first `count` sockets of server->polled for clients that have closed their sending side
 * or disconnected; negative descriptors are skipped. Used by the sweep, by the reaper of
 * connections, and by that of event streams. False: no client has left. */
static inline bool srv_server_poll_clients(srv_server *server, size_t count) {
  for (size_t i = 0; i < count; i++) server->polled[i].events = POLLRDHUP;
  return count > 0 && poll(server->polled, count, 0) > 0;
}
/* True if the client of polled socket i has closed its sending side or disconnected. */
static inline bool srv_server_has_left(const srv_server *server, size_t i) {
  return server->polled[i].revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL);
}

/* Runs the loop until a callback has set *done. Only before the daemon listens, and at its end. */
static inline void srv_server_wait(srv_server *server, const bool *done) {
  while (!*done) uv_run(server->loop, UV_RUN_ONCE);
}

/* Requests that libmicrohttpd is run before the loop sleeps. */
static inline void srv_server_mark_dirty(srv_server *server) { server->dirty = true; }

/* If there is a store, evicts unused scenes from memory until the others fit into --scene-memory.
 * False: all scenes fitted, and none was evicted. */
static inline bool srv_server_evict_scenes(srv_server *server) {
  return server->store && srv_registry_evict(server->registry, server->config->scene_memory,
                                             &server->metrics.evicted);
}

/* Releases a reference to a revision; on a worker if that may take long. An srv_release_revision
 * whose cls is the server. */
void srv_free_scene_later(void *server, const ct_scene *scene);

/* Submits a write to the store and notes the time. */
static inline void srv_server_submit_write(srv_server *server, srv_store_write *write) {
  write->submitted_ns = uv_hrtime();
  srv_store_submit(server->store, write);
}

#endif
