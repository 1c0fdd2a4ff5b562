/* Progress streams: replies in lines (NDJSON) that report a running call, then its result.
 * Loop thread only.
 *
 * The reply begins with the first line. While there is no line to send, the connection is suspended
 * and swept like those of other waiting requests: a disconnect cancels the work. Beyond a bound of
 * unread bytes, progress lines are discarded; the last line, the result, is always sent. */
#ifndef SRV_STREAMS_PROGRESS_STREAM_H
#define SRV_STREAMS_PROGRESS_STREAM_H

#include "state/request.h"

typedef struct srv_progress srv_progress;

/* Queues the progress lines that the call has written since the last time. The first lines begin
 * the reply. */
void srv_progress_feed(srv_request *request);
/* Notes that libmicrohttpd has the reply's head. */
void srv_progress_begin(srv_request *request);
/* Makes the request's reply the last line. Returns the request's new state. */
srv_state srv_progress_end(srv_request *request);
/* libmicrohttpd's content reader; cls is the request. */
ssize_t srv_progress_read(void *cls, uint64_t position, char *out, size_t most);
/* Bytes that the stream has passed to libmicrohttpd. */
uint64_t srv_progress_bytes(const srv_progress *progress);
void srv_progress_free(srv_progress *progress);
/* Calls act for the request of each progress stream that has no last line yet and whose client
 * is connected, even if the connection is not suspended because the client reads slowly. */
void srv_progress_for_each(srv_server *server, void (*act)(srv_request *request));

/* Sets the state and resumes the connection if it is suspended. READY: the reply is complete; on a
 * progress stream it becomes the last line. */
static inline void srv_request_wake(srv_request *request, srv_state state) {
  if (request->progress && state == SRV_STATE_READY) state = srv_progress_end(request);
  srv_request_resume(request, state);
}

#endif
