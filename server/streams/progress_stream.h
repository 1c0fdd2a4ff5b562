/* Progress streams: replies in lines (NDJSON) that report the progress of a running call, then its
 * result. Loop thread only.
 *
 * The reply begins with the first line. As long as there is no line to send, the connection is
 * suspended and watched like those of other waiting requests: if the client disconnects, the work
 * is cancelled. Progress lines that would exceed the limit of unread bytes are discarded; the last
 * line, the result, is always sent. */
#ifndef SRV_STREAMS_PROGRESS_STREAM_H
#define SRV_STREAMS_PROGRESS_STREAM_H

#include "state/request.h"

typedef struct srv_progress srv_progress;

/* Queues the progress lines that the call has written since the last time. The first line begins
 * the reply. */
void srv_progress_feed(srv_request *request);
/* Must be called when libmicrohttpd has the head of the reply. */
void srv_progress_begin(srv_request *request);
/* Makes the request's reply the last line. Returns the request's new state. */
srv_state srv_progress_end(srv_request *request);
/* libmicrohttpd's content reader; cls: the request. */
ssize_t srv_progress_read(void *cls, uint64_t position, char *out, size_t most);
/* Returns the number of bytes that the stream has passed to libmicrohttpd. */
uint64_t srv_progress_bytes(const srv_progress *progress);
void srv_progress_free(srv_progress *progress);
/* Calls `act` for the request of each progress stream that has no last line yet and whose client is
 * connected, even if its connection is not suspended because the client reads slowly. */
void srv_progress_for_each(srv_server *server, void (*act)(srv_request *request));

/* Sets the request's state, and resumes its connection if that is suspended. READY: the reply is
 * complete; on a progress stream it becomes the last line. */
static inline void srv_request_wake(srv_request *request, srv_state state) {
  if (request->progress && state == SRV_STATE_READY) state = srv_progress_end(request);
  srv_request_resume(request, state);
}

#endif
