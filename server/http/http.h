/* Callbacks of libmicrohttpd, connections, replies and the listening socket. Loop thread only. */
#ifndef SRV_HTTP_HTTP_H
#define SRV_HTTP_HTTP_H

#include "jobs/job.h"

/* ---- http.c --------------------------------------------------------------------------------- */

enum MHD_Result srv_http_handle(void *server, struct MHD_Connection *handle, const char *url,
                                const char *method, const char *version, const char *upload,
                                size_t *upload_length, void **context);
/* Creates the call of a request that is repeated, from its head. False: out of memory. */
bool srv_http_recreate_call(srv_request *request);
size_t srv_http_unescape(void *server, struct MHD_Connection *handle, char *text);
void *srv_http_uri(void *server, const char *uri, struct MHD_Connection *handle);
void srv_http_completed(void *server, struct MHD_Connection *handle, void **context,
                        enum MHD_RequestTerminationCode code);

/* ---- reply.c -------------------------------------------------------------------------------- */

/* Queues the request's reply for sending. MHD_NO: out of memory, and the connection is cut. */
enum MHD_Result srv_reply_send(srv_request *request);
/* Writes the request's log line and counts it in the metrics. */
void srv_reply_log(srv_request *request);

/* ---- connection.c --------------------------------------------------------------------------- */

enum MHD_Result srv_connection_accept(void *server, const struct sockaddr *address,
                                      socklen_t length);
void srv_connection_notify(void *server, struct MHD_Connection *handle, void **context,
                           enum MHD_ConnectionNotificationCode code);
/* Returns the connection of a handle. NULL: there was no memory for it when it was opened. */
static inline srv_connection *srv_connection_of(struct MHD_Connection *handle) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}
/* Shuts down connections whose deadline has passed or whose client has disconnected. */
void srv_connection_reap(srv_server *server, uint64_t now_ns);

/* ---- listen.c ------------------------------------------------------------------------------- */

/* Creates the listening socket, or adopts the inherited one. False after one sentence on standard
 * error. */
bool srv_listen_open(srv_server *server);
/* Prints the listening address on standard output. */
void srv_listen_announce(const srv_server *server);

#endif
