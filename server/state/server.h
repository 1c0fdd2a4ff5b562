/* State of the daemon and its parts. Loop thread only: workers access a request's call and its
 * inputs while they run a piece of it, and nothing else. */
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
/* Idle timeout of a connection, s. */
#define SRV_IDLE_SECONDS 30u
/* Period of the sweep for departed clients and expired deadlines, ms. Documented bound: 25 ms. */
#define SRV_SWEEP_MS 10u
/* Period of the reaper (overdue connections, expiry, log, drain), ms. */
#define SRV_REAP_MS 250u

/* References to revisions of more bodies are released on a worker. */
#define SRV_DEFER_BODIES 4096u

typedef enum srv_phase {
  SRV_PHASE_HEAD, /* waiting for a request, or in its head */
  SRV_PHASE_BODY,
  SRV_PHASE_BUSY, /* the daemon works: no deadline for the client */
  SRV_PHASE_SEND
} srv_phase;

/* A client's connection, from accept to close. */
typedef struct srv_connection {
  struct srv_connection *next, *previous;
  int fd;
  srv_peer *peer;
  srv_phase phase;
  uint64_t deadline_ns; /* the socket is shut down after it; 0: none */
  bool half_closed;     /* was half closed at the last reap */
  char client[64];
} srv_connection;

/* LEAVING: requests are served, but /readyz reports the shutdown (drain.c). */
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
  uint64_t woken_ms; /* start of the loop's iteration, uv_now; 0: none yet */
  uv_timer_t watchdog;
  uv_timer_t wake; /* libmicrohttpd's next timeout */
  uv_timer_t sweep, reap;
  uv_signal_t terminate, interrupt;
  bool handles_open;

  srv_notify notify;
  bool ready_sent; /* READY=1 was sent to the service manager */
  srv_metrics metrics;
  const struct srv_request_handlers *handlers; /* request.h */
  srv_log *log;
  srv_auth auth;
  srv_hosts hosts;
  char own_host[64]; /* the listening address, if hosts contains it */
  srv_peers *peers;
  srv_pool *pool;
  srv_registry *registry;
  const api_shape_table *shapes; /* posted shapes; immutable, a change replaces the table */
  /* shared store: greatest revision of deleted scenes, and when reported (lost_writes.h) */
  uint64_t last_deleted, last_deleted_ns;
  size_t naming;  /* uncommitted writes that may refer to shapes of the current or an older table */
  uint64_t named; /* revisions committed by such writes */
  srv_lane stateless;
  srv_store *store;                   /* NULL: scenes are in memory only */
  bool shapes_pending;                /* not all posted shapes of the store are loaded yet */
  struct srv_loading *shape_waiters;  /* loads of scenes that wait for them */
  struct srv_recovery *recovery;      /* loading from the store; NULL: no store */
  struct srv_shape_turn *shape_turns; /* queued writes of shapes */
  bool shape_turn_taken;
  struct srv_shape_expiry *shape_expiry; /* times at which shapes were last used */
  size_t shapes_corrupt;     /* unreadable posted shapes in the store, at the last check */
  struct srv_shared *shared; /* synchronisation with other daemons; NULL: the store is not shared */
  bool store_failed;         /* a permanent failure of the store was logged */
  size_t background_jobs;    /* running compactions and loads; the store is closed after them */
  bool ending;               /* no new background job begins */
  api_scratch *scratch;      /* scratch memory of the loop thread */
  srv_heap heap;

  srv_connection *connections;
  size_t connection_count;
  struct srv_request **suspended; /* requests whose connection is suspended, in no order */
  struct pollfd *polled;
  size_t
      suspended_count; /* at most limits->connections, the size of both arrays; polled is scratch */
  size_t requests;     /* from the end of the head until the request is freed */
  uint64_t body_bytes; /* body buffers of all requests, B */
  uint64_t reply_bytes; /* replies not fully sent, B */
  uint64_t id_prefix, id_next;

  struct srv_stream *streams;              /* event streams */
  size_t stream_count;                     /* at most limits->event_streams */
  struct srv_progress *progresses;         /* progress streams */
  struct srv_ring *idle_first, *idle_last; /* rings without streams, at most event_streams */
  size_t idle_rings;
  uint64_t last_event; /* greatest event number of released rings */

  srv_drain drain;
  uint64_t drain_since_ns, drain_until_ns;
} srv_server;

/* Sets the connection's phase and its deadline; 0 seconds: no deadline. */
static inline void srv_connection_phase(srv_connection *connection, srv_phase phase,
                                        uint64_t now_ns, uint64_t seconds) {
  connection->phase = phase;
  connection->deadline_ns = seconds ? now_ns + seconds * 1000000000u : 0;
}

/* Polls the first `count` sockets of server->polled for clients that have closed their sending side
 * or left; a negative descriptor is skipped. The sweep, the reaper of connections and that of event
 * streams find departed clients here, and nowhere else. False: none of them has left. */
static inline bool srv_server_poll_clients(srv_server *server, size_t count) {
  for (size_t i = 0; i < count; i++) server->polled[i].events = POLLRDHUP;
  return count > 0 && poll(server->polled, count, 0) > 0;
}
/* True if the client of a polled socket has closed its sending side or left. */
static inline bool srv_server_has_left(const srv_server *server, size_t i) {
  return server->polled[i].revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL);
}

/* Runs the loop until an answer has set *done. Before the daemon listens, and at its end. */
static inline void srv_server_wait(srv_server *server, const bool *done) {
  while (!*done) uv_run(server->loop, UV_RUN_ONCE);
}

/* Requests a run of libmicrohttpd before the loop sleeps. */
static inline void srv_server_mark_dirty(srv_server *server) { server->dirty = true; }

/* Evicts unused scenes from memory beyond --scene-memory, if a store has all scenes. False: all
 * fitted before. */
static inline bool srv_server_evict_scenes(srv_server *server) {
  return server->store && srv_registry_evict(server->registry, server->config->scene_memory,
                                             &server->metrics.evicted);
}

/* Releases a reference, on a worker if that may be slow. An srv_release_revision; cls is the
 * server. */
void srv_free_scene_later(void *server, const ct_scene *scene);

/* Submits a write to the store and notes the time. */
static inline void srv_server_submit_write(srv_server *server, srv_store_write *write) {
  write->submitted_ns = uv_hrtime();
  srv_store_submit(server->store, write);
}

#endif
