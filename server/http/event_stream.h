/* Streams of a scene's events (server-sent events): requests whose reply has no end. Loop thread only.
 *
 * A stream keeps its place in the ring of its scene's events, no copies. libmicrohttpd asks for bytes when the client has taken
 * those before; when there are none the connection is suspended until something is published. */
#ifndef SRV_HTTP_EVENT_STREAM_H
#define SRV_HTTP_EVENT_STREAM_H

#include "state/event_ring.h"
#include "state/request.h"

typedef struct srv_stream srv_stream;

/* The request's call has replied that there is a stream: opens it, and the call is let go of. Where it cannot be opened the reply
 * is a refusal. */
void srv_stream_open(srv_request *request);
/* libmicrohttpd's content reader; cls is the request. */
ssize_t srv_stream_read(void *cls, uint64_t position, char *out, size_t most);
/* The connection has ended. */
void srv_stream_close(srv_request *request);
/* Bytes that the stream has handed out. */
uint64_t srv_stream_bytes(const srv_stream *stream);

/* The request's write is committed (its scene may go afterwards): who listens is told. */
void srv_stream_publish(srv_request *request);
/* Clients that have left, and silence that has lasted long enough. To be called some times a second. */
void srv_stream_reap(srv_server *server, uint64_t now_ns);
/* The daemon ends: all are told, and end. */
void srv_stream_shutdown(srv_server *server);
/* Ends those that have not taken their end. */
void srv_stream_disconnect_rest(srv_server *server);
/* Lets go of all rings; no stream is left. */
void srv_stream_destroy(srv_server *server);

#endif
