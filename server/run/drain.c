/* The end. SIGTERM or SIGINT has /readyz say so, while requests are taken for leaveSeconds as before: who sends them here learns
 * of it before one is refused. Then new work is refused and running work finishes. The second signal ends at once. */
#include "http/event_stream.h"
#include "http/progress_stream.h"

#include <errno.h>
#include <unistd.h>

/* Connections that the kernel has accepted for us, or whose request is on its way, are still answered for this long. */
#define DRAIN_GRACE_NS 50000000u
/* Workers see that they are cancelled within milliseconds; after this the end does not wait for them. */
#define DRAIN_STUCK_NS 2000000000u
/* What those who waited are told then may take so long. */
#define DRAIN_LAST_NS 1000000000u
/* Streams have so long to take their last event; then they are cut, and after as long again the end does not wait for them. */
#define DRAIN_STREAMS_NS 250000000u
/* Connections taken out of the kernel's queue when listening ends. */
#define DRAIN_ACCEPTS_MAX 4096

/* Closing the listening socket would reset connections in its queue, so they are taken first. */
static void stop_listening(srv_server *server) {
  int fd = MHD_quiesce_daemon(server->daemon);
  if (fd < 0) return;
  for (int i = 0; i < DRAIN_ACCEPTS_MAX; i++) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int client = accept4(fd, (struct sockaddr *)&address, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (client < 0) break;
    /* One that is refused, as too many of its address, is closed; those behind it are not concerned. */
    (void)MHD_add_connection(server->daemon, client, (struct sockaddr *)&address, length);
  }
  close(fd);
  server->listen_fd = -1;
  srv_server_mark_dirty(server);
}

static void stop_taking(srv_server *server, uint64_t now_ns) {
  server->drain = SRV_DRAINING;
  server->drain_since_ns = now_ns;
  server->drain_until_ns = now_ns + server->limits->drain_seconds * 1000000000u;
  srv_log_event(server->log, "draining", "no new requests are taken");
  if (server->limits->leave_seconds > 0) (void)srv_notify_send(&server->notify, "STATUS=No new requests are taken.");
  /* A balancer that is refused when it asks /readyz takes the daemon for dead, and may cut what runs here. */
  if (server->limits->leave_seconds == 0) stop_listening(server);
  srv_stream_shutdown(server);
  uv_timer_set_repeat(&server->reap, SRV_SWEEP_MS);
  uv_timer_again(&server->reap);
}

void srv_drain_begin(srv_server *server) {
  if (server->drain != SRV_SERVING) {
    srv_log_event(server->log, "killed", "second signal");
    srv_log_destroy(server->log);
    _exit(1);
  }
  server->drain = SRV_LEAVING;
  server->drain_since_ns = uv_hrtime();
  bool leaves = server->limits->leave_seconds > 0;
  (void)srv_notify_send(&server->notify, leaves ? "STOPPING=1\nSTATUS=The daemon leaves; requests are still taken."
                                                : "STOPPING=1\nSTATUS=No new requests are taken.");
  if (leaves) srv_log_event(server->log, "leaving", "/readyz says so; requests are still taken");
  srv_drain_tick(server, server->drain_since_ns);
}

/* One that can still be told that nothing has changed; NULL: none. What the store has been given is waited for. */
static srv_request *find_waiting(const srv_server *server) {
  for (size_t i = server->suspended_count; i-- > 0;)
    if (!server->suspended[i]->storing) return server->suspended[i];
  return NULL;
}

/* What waits is answered, what runs is cancelled. */
static void answer_waiting(srv_server *server) {
  for (srv_request *request; (request = find_waiting(server));) {
    srv_request_refuse(request, API_PROBLEM_DRAINING, "The daemon is shutting down; nothing has changed.");
    srv_request_refusal_header(request, "Retry-After", "1");
    if (!request->body_ended) shutdown(request->connection->fd, SHUT_RDWR);
    srv_request_wake(request, request->body_ended ? SRV_STATE_READY : SRV_STATE_GONE);
    srv_job_cancel(request);
  }
}

static void cut_connections(srv_server *server) {
  for (srv_connection *connection = server->connections; connection; connection = connection->next)
    if (connection->phase == SRV_PHASE_BODY || connection->phase == SRV_PHASE_SEND) shutdown(connection->fd, SHUT_RDWR);
}

/* Time is over: uploads and replies under way are cut, before anything is said to those who wait, since that is to be sent. */
static void give_up(srv_server *server) {
  server->drain = SRV_DRAIN_OVER;
  cut_connections(server);
  answer_waiting(server);
  srv_progress_shutdown(server);
}

static bool streams_ended(srv_server *server, uint64_t waited_ns) {
  if (server->stream_count > 0 && waited_ns >= DRAIN_STREAMS_NS) srv_stream_disconnect_rest(server);
  return server->stream_count == 0 || waited_ns >= 2 * DRAIN_STREAMS_NS;
}

void srv_drain_check(srv_server *server) {
  if (server->drain < SRV_DRAINING) return;
  uint64_t now_ns = uv_hrtime(), waited_ns = now_ns - server->drain_since_ns;
  bool streams = streams_ended(server, waited_ns);
  if (server->requests == 0 && streams && waited_ns >= DRAIN_GRACE_NS) {
    if (server->listen_fd < 0) uv_stop(server->loop);
    return;
  }
  if (server->drain == SRV_DRAINING && now_ns >= server->drain_until_ns && server->requests > 0) give_up(server);
  /* Who has not taken what was said then. */
  if (server->drain == SRV_DRAIN_OVER && now_ns >= server->drain_until_ns + DRAIN_LAST_NS) cut_connections(server);
  if (server->drain == SRV_DRAIN_OVER && now_ns >= server->drain_until_ns + DRAIN_STUCK_NS) {
    srv_log_event(server->log, "killed", "requests did not end in time");
    srv_log_destroy(server->log);
    _exit(1);
  }
}

void srv_drain_tick(srv_server *server, uint64_t now_ns) {
  uint64_t leave_ns = server->limits->leave_seconds * 1000000000u;
  if (server->drain == SRV_LEAVING && now_ns - server->drain_since_ns >= leave_ns) stop_taking(server, now_ns);
  /* Who was listened to until now has as long again to say what is on its way. */
  bool idle = server->drain >= SRV_DRAINING && server->requests == 0 && streams_ended(server, now_ns - server->drain_since_ns);
  if (idle && server->listen_fd >= 0) {
    server->drain_since_ns = now_ns;
    stop_listening(server);
  }
  srv_drain_check(server);
}
