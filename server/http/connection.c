/* Connections from accept to close: how many an address may have, and how long a client may take. libmicrohttpd only knows a time
 * of silence, which a client that sends a byte now and then never reaches. */
#include "process/address.h"
#include "state/server.h"

#include <stdlib.h>
#include <sys/ioctl.h>

static uint64_t after(uint64_t now_ns, uint64_t seconds) { return now_ns + seconds * 1000000000u; }

enum MHD_Result srv_connection_accept(void *cls, const struct sockaddr *address, socklen_t length) {
  srv_server *server = cls;
  (void)length;
  if (srv_address_is_loopback(address)) return MHD_YES;
  return srv_peer_connections(server->peers, address) < server->limits->connections_per_address ? MHD_YES : MHD_NO;
}

static void opened(srv_server *server, struct MHD_Connection *handle, void **context) {
  const union MHD_ConnectionInfo *fd = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD);
  const union MHD_ConnectionInfo *address = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  srv_connection *connection = calloc(1, sizeof *connection);
  *context = connection;
  if (!connection || !fd || !address || !address->client_addr) {
    free(connection);
    *context = NULL;
    return;
  }
  uint64_t now_ns = uv_hrtime();
  connection->peer = srv_peer_join(server->peers, address->client_addr, now_ns);
  if (!connection->peer) {
    free(connection);
    *context = NULL;
    return;
  }
  connection->fd = fd->connect_fd;
  srv_address_text(address->client_addr, connection->client);
  srv_connection_phase(connection, SRV_PHASE_HEAD, now_ns, server->limits->header_seconds);
  connection->next = server->connections;
  if (connection->next) connection->next->previous = connection;
  server->connections = connection;
  server->connection_count++;
  server->metrics.connections++;
}

static void closed(srv_server *server, void **context) {
  srv_connection *connection = *context;
  *context = NULL;
  if (!connection) return;
  if (connection->previous) connection->previous->next = connection->next;
  else server->connections = connection->next;
  if (connection->next) connection->next->previous = connection->previous;
  srv_peer_leave(server->peers, connection->peer);
  free(connection);
  /* libmicrohttpd listens again only in the run after the one in which it fell below its limit. */
  if (server->connection_count-- >= server->limits->connections) srv_server_mark_dirty(server);
}

void srv_connection_notify(void *cls, struct MHD_Connection *handle, void **context, enum MHD_ConnectionNotificationCode code) {
  if (code == MHD_CONNECTION_NOTIFY_STARTED) opened(cls, handle, context);
  else closed(cls, context);
}

srv_connection *srv_connection_of(struct MHD_Connection *handle) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

void srv_connection_phase(srv_connection *connection, srv_phase phase, uint64_t now_ns, uint64_t seconds) {
  connection->phase = phase;
  connection->deadline_ns = seconds ? after(now_ns, seconds) : 0;
}

/* Closes connections whose client has closed its side in the middle of a request: libmicrohttpd 0.9.75 does not notice when the
 * last bytes and the end arrive together. What has not been read yet is waited for, and a round more for what was read just now. */
static void reap_half_closed(srv_server *server) {
  size_t count = 0;
  for (srv_connection *connection = server->connections; connection; connection = connection->next) {
    bool ours = connection->phase == SRV_PHASE_HEAD || connection->phase == SRV_PHASE_BODY;
    server->polled[count++] = (struct pollfd){.fd = ours ? connection->fd : -1, .events = POLLRDHUP};
  }
  if (count == 0 || poll(server->polled, count, 0) <= 0) return;
  count = 0;
  for (srv_connection *connection = server->connections; connection; connection = connection->next) {
    int unread = 0;
    bool ended = server->polled[count++].revents & (POLLRDHUP | POLLHUP | POLLERR);
    if (ended && ioctl(connection->fd, FIONREAD, &unread) == 0 && unread > 0) ended = false;
    if (ended && connection->half_closed) shutdown(connection->fd, SHUT_RDWR);
    connection->half_closed = ended;
  }
}

void srv_connection_reap(srv_server *server, uint64_t now_ns) {
  reap_half_closed(server);
  for (srv_connection *connection = server->connections; connection; connection = connection->next) {
    if (!connection->deadline_ns || now_ns < connection->deadline_ns) continue;
    connection->deadline_ns = 0;
    shutdown(connection->fd, SHUT_RDWR);
    srv_log_event(server->log,
                  connection->phase == SRV_PHASE_HEAD   ? "headLate"
                  : connection->phase == SRV_PHASE_BODY ? "bodyLate"
                                                        : "replyNotTaken",
                  connection->client);
  }
}
