/* Event streams of a scene (server-sent events, WHATWG HTML section 9.2): replies that do not end
 * by themselves. Loop thread only.
 *
 * A stream stores its position in the event ring of its scene and copies no events. libmicrohttpd
 * calls the content reader when the client has read the previous bytes. If there is nothing to
 * send, the connection is suspended until the next publication. */
#ifndef SRV_STREAMS_EVENT_STREAM_H
#define SRV_STREAMS_EVENT_STREAM_H

#include "state/event_ring.h"
#include "state/request.h"

typedef struct srv_stream srv_stream;

/* Opens a stream for a request whose call has replied 200; the call is not needed any more. If the
 * stream cannot be opened, a refusal becomes the reply. */
void srv_stream_open(srv_request *request);
/* libmicrohttpd's content reader; cls: the request. */
ssize_t srv_stream_read(void *cls, uint64_t position, char *out, size_t most);
/* Frees the stream of a request whose connection has ended. */
void srv_stream_close(srv_request *request);
/* Returns the number of bytes that the stream has passed to libmicrohttpd. */
uint64_t srv_stream_bytes(const srv_stream *stream);

/* Publishes the events of a committed write to a scene that has a ring. Must be called before a
 * deleted scene is removed from the registry. */
void srv_stream_publish(srv_request *request);
/* Drops streams whose client has disconnected, and sends heartbeats on idle ones. Call a few times
 * a second. */
void srv_stream_reap(srv_server *server, uint64_t now_ns);
/* Ends all streams: each sends the event `shutdown` and ends. */
void srv_stream_shutdown(srv_server *server);
/* Cuts the connections of all streams that are still open. */
void srv_stream_disconnect_rest(srv_server *server);
/* Releases all idle rings. No stream may be open. */
void srv_stream_destroy(srv_server *server);

#endif
