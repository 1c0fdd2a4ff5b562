/* Connections from accept to close: limit per address, deadlines per phase.
 *
 * libmicrohttpd only has an idle timeout, which a client that sends a byte now and then never
 * reaches (slowloris). The deadlines here apply to each head, body and reply as a whole. */
#include "http/http.h"
#include "process/address.h"

#include <stdlib.h>
#include <sys/ioctl.h>

enum MHD_Result srv_connection_accept(void *cls, const struct sockaddr *address, socklen_t length) {
  srv_server *server = cls;
  (void)length;
  if (srv_address_is_loopback(address)) return MHD_YES;
  return srv_peer_connections(server->peers, address) < server->limits->connections_per_address
             ? MHD_YES
             : MHD_NO;
}

static void on_connection_opened(srv_server *server, struct MHD_Connection *handle,
                                 void **context) {
  const union MHD_ConnectionInfo *fd =
      MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD);
  const union MHD_ConnectionInfo *address =
      MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
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

static void on_connection_closed(srv_server *server, void **context) {
  srv_connection *connection = *context;
  *context = NULL;
  if (!connection) return;
  if (connection->previous) connection->previous->next = connection->next;
  else server->connections = connection->next;
  if (connection->next) connection->next->previous = connection->previous;
  srv_peer_leave(server->peers, connection->peer);
  free(connection);
  /* At its connection limit libmicrohttpd stops accepting; it starts again only in an MHD_run after
   * a connection has closed. */
  if (server->connection_count-- >= server->limits->connections) srv_server_mark_dirty(server);
}

void srv_connection_notify(void *cls, struct MHD_Connection *handle, void **context,
                           enum MHD_ConnectionNotificationCode code) {
  if (code == MHD_CONNECTION_NOTIFY_STARTED) on_connection_opened(cls, handle, context);
  else on_connection_closed(cls, context);
}

/* Shuts down connections whose client has closed its sending side within a request. libmicrohttpd
 * 0.9.75 misses the end of input if it arrives together with the last bytes. Unread bytes are
 * processed first, and a connection must be found half closed in two successive calls, so that
 * bytes just read have been processed too. */
static void shut_down_half_closed(srv_server *server) {
  size_t count = 0;
  for (srv_connection *connection = server->connections; connection;
       connection = connection->next) {
    bool is_receiving = connection->phase == SRV_PHASE_HEAD || connection->phase == SRV_PHASE_BODY;
    server->polled[count++].fd = is_receiving ? connection->fd : -1;
  }
  if (!srv_server_poll_clients(server, count)) return;
  count = 0;
  for (srv_connection *connection = server->connections; connection;
       connection = connection->next) {
    int unread = 0;
    bool has_ended = srv_server_has_left(server, count++);
    if (has_ended && ioctl(connection->fd, FIONREAD, &unread) == 0 && unread > 0) has_ended = false;
    if (has_ended && connection->half_closed) shutdown(connection->fd, SHUT_RDWR);
    connection->half_closed = has_ended;
  }
}

void srv_connection_reap(srv_server *server, uint64_t now_ns) {
  shut_down_half_closed(server);
  for (srv_connection *connection = server->connections; connection;
       connection = connection->next) {
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
