/* Graceful shutdown (drain) after SIGTERM or SIGINT.
 *
 * LEAVING: for leaveSeconds /readyz reports the shutdown while requests are still served, so that
 * load balancers stop sending requests before one is refused. DRAINING: new requests are refused,
 * running ones may finish within drainSeconds. DRAIN_OVER: the remaining ones are cancelled. A
 * second signal ends the process at once.
 *
 * A socket that the service manager passed stays open: new connections wait in its queue for the
 * next process, and no request is refused in DRAINING; those on open connections are answered, and
 * their connections closed. */
#include "jobs/job.h"
#include "run/run.h"
#include "streams/event_stream.h"
#include "streams/progress_stream.h"

#include <errno.h>
#include <unistd.h>

/* Time for which connections in the kernel's queue, and requests on their way, are still
 * answered. */
#define DRAIN_GRACE_NS 50000000u
/* Workers detect a cancellation within milliseconds; after this time the process exits without
 * waiting for them. */
#define DRAIN_STUCK_NS 2000000000u
/* Time for sending the refusals of cancelled requests. */
#define DRAIN_LAST_NS 1000000000u
/* Time for clients to read the last event of a stream. Streams are cut after it, and no longer
 * waited for after twice this time. */
#define DRAIN_STREAMS_NS 250000000u
/* Largest number of connections that are accepted from the kernel's queue when listening ends. */
#define DRAIN_ACCEPTS_MAX 4096

/* Accepts the connections in the queue of a socket that is about to be closed, which would reset
 * them. */
static void accept_queued_connections(srv_server *server, int fd) {
  for (int i = 0; i < DRAIN_ACCEPTS_MAX; i++) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int client = accept4(fd, (struct sockaddr *)&address, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (client < 0) break;
    /* libmicrohttpd closes a connection that it refuses (too many from its address); the others are
     * still accepted. */
    (void)MHD_add_connection(server->daemon, client, (struct sockaddr *)&address, length);
  }
}

static void stop_listening(srv_server *server) {
  int fd = MHD_quiesce_daemon(server->daemon);
  if (fd < 0) return;
  if (!server->socket_inherited) accept_queued_connections(server, fd);
  close(fd);
  server->listen_fd = -1;
  srv_server_mark_dirty(server);
}

/* Enters DRAINING: from now on new requests are refused. */
static void begin_refusing(srv_server *server, uint64_t now_ns) {
  server->drain = SRV_DRAINING;
  server->drain_since_ns = now_ns;
  server->drain_until_ns = now_ns + server->limits->drain_seconds * 1000000000u;
  srv_log_event(server->log, "draining", "no new requests are accepted");
  if (server->limits->leave_seconds > 0)
    (void)srv_notify_send(&server->notify, "STATUS=No new requests are accepted.");
  /* With leaveSeconds, listening continues: a load balancer that cannot connect to /readyz
   * considers the daemon dead and may cut running requests. */
  if (server->limits->leave_seconds == 0 || server->socket_inherited) stop_listening(server);
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
  bool grants_leave = server->limits->leave_seconds > 0;
  (void)srv_notify_send(
      &server->notify,
      grants_leave ? "STOPPING=1\nSTATUS=The daemon is shutting down; requests are still accepted."
                   : "STOPPING=1\nSTATUS=No new requests are accepted.");
  if (grants_leave)
    srv_log_event(server->log, "leaving", "/readyz is 503; requests are still accepted");
  srv_drain_tick(server, server->drain_since_ns);
}

/* Returns a suspended request that has no write in the store and can therefore be refused. NULL:
 * there is none. */
static srv_request *find_cancellable_request(const srv_server *server) {
  for (size_t i = server->suspended_count; i-- > 0;)
    if (server->suspended[i]->work != SRV_WORK_STORING) return server->suspended[i];
  return NULL;
}

/* Refuses a request and cancels its work. A request whose body has not ended cannot be answered, so
 * its connection is cut. */
static void refuse_request(srv_request *request) {
  bool receives = request->state == SRV_STATE_BODY;
  if (request->work == SRV_WORK_STORING) return;
  srv_request_refuse(request, API_PROBLEM_DRAINING,
                     "The daemon is shutting down; nothing has changed.");
  srv_request_refusal_header(request, "Retry-After", "1");
  if (receives) shutdown(request->connection->fd, SHUT_RDWR);
  srv_request_wake(request, receives ? SRV_STATE_GONE : SRV_STATE_READY);
  srv_job_cancel(request);
}

/* Refuses all suspended requests and cancels their work. */
static void refuse_suspended_requests(srv_server *server) {
  for (srv_request *request; (request = find_cancellable_request(server));) refuse_request(request);
}

static void shut_down_active_sockets(srv_server *server) {
  for (srv_connection *connection = server->connections; connection; connection = connection->next)
    if (connection->phase == SRV_PHASE_BODY || connection->phase == SRV_PHASE_SEND)
      shutdown(connection->fd, SHUT_RDWR);
}

/* Ends the drain: cancels all remaining requests. Connections that receive a body or send a reply
 * are cut first, because the refusals must still be sent. */
static void cancel_remaining_requests(srv_server *server) {
  server->drain = SRV_DRAIN_OVER;
  shut_down_active_sockets(server);
  refuse_suspended_requests(server);
  srv_progress_for_each(server, refuse_request);
}

static bool have_streams_ended(srv_server *server, uint64_t waited_ns) {
  if (server->stream_count > 0 && waited_ns >= DRAIN_STREAMS_NS) srv_stream_disconnect_rest(server);
  return server->stream_count == 0 || waited_ns >= 2 * DRAIN_STREAMS_NS;
}

void srv_drain_check(srv_server *server) {
  if (server->drain < SRV_DRAINING) return;
  uint64_t now_ns = uv_hrtime(), waited_ns = now_ns - server->drain_since_ns;
  bool streams = have_streams_ended(server, waited_ns);
  if (server->requests == 0 && streams && waited_ns >= DRAIN_GRACE_NS) {
    if (server->listen_fd < 0) uv_stop(server->loop);
    return;
  }
  if (server->drain == SRV_DRAINING && now_ns >= server->drain_until_ns && server->requests > 0)
    cancel_remaining_requests(server);
  /* cut clients that have not read their refusal */
  if (server->drain == SRV_DRAIN_OVER && now_ns >= server->drain_until_ns + DRAIN_LAST_NS)
    shut_down_active_sockets(server);
  if (server->drain == SRV_DRAIN_OVER && now_ns >= server->drain_until_ns + DRAIN_STUCK_NS) {
    srv_log_event(server->log, "killed", "requests did not end in time");
    srv_log_destroy(server->log);
    _exit(1);
  }
}

void srv_drain_tick(srv_server *server, uint64_t now_ns) {
  uint64_t leave_ns = server->limits->leave_seconds * 1000000000u;
  if (server->drain == SRV_LEAVING && now_ns - server->drain_since_ns >= leave_ns)
    begin_refusing(server, now_ns);
  /* Listening has continued: when all requests have ended, the socket is closed, and requests on
   * their way get another grace period. */
  bool idle = server->drain >= SRV_DRAINING && server->requests == 0 &&
              have_streams_ended(server, now_ns - server->drain_since_ns);
  if (idle && server->listen_fd >= 0) {
    server->drain_since_ns = now_ns;
    stop_listening(server);
  }
  srv_drain_check(server);
}
