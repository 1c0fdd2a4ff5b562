/* Progress streams: a buffer of lines between a running call and a client that may read slowly.
 *
 * Lines that would make the unread bytes exceed eventBacklogBytes are discarded, except for the
 * last line. */
#include "streams/progress_stream.h"

#include "process/array.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct srv_progress {
  srv_progress *next, *previous;
  srv_request *request;
  char *bytes; /* unread lines: bytes[taken] to bytes[length - 1] */
  size_t length, capacity, taken;
  const char
      *last; /* unsent part of the last line, which is in the body of the reply or in `made` */
  size_t last_left;
  char *made;
  uint64_t given; /* number of bytes passed to libmicrohttpd */
  bool begun;     /* libmicrohttpd has the head of the reply */
  bool ended;     /* the last line is set, or there was no memory for it */
};

static const api_reply line_reply = {.status = 200, .content_type = "application/x-ndjson"};

uint64_t srv_progress_bytes(const srv_progress *progress) { return progress->given; }

void srv_progress_free(srv_progress *progress) {
  if (progress->previous) progress->previous->next = progress->next;
  else progress->request->server->progresses = progress->next;
  if (progress->next) progress->next->previous = progress->previous;
  free(progress->bytes);
  free(progress->made);
  free(progress);
}

/* Appends lines to the unread ones. False: out of memory. */
static bool append_lines(srv_progress *progress, const char *bytes, size_t length) {
  if (progress->taken > 0) {
    progress->length -= progress->taken;
    memmove(progress->bytes, progress->bytes + progress->taken, progress->length);
    progress->taken = 0;
  }
  size_t needed = progress->length + length;
  if (!srv_array_reserve(&progress->bytes, &progress->capacity, needed, 1, 4096)) return false;
  memcpy(progress->bytes + progress->length, bytes, length);
  progress->length = needed;
  return true;
}

static srv_progress *create_progress(srv_request *request) {
  srv_server *server = request->server;
  srv_progress *progress = request->progress = calloc(1, sizeof *progress);
  if (!progress) return NULL;
  request->reply_kind = SRV_REPLY_PROGRESS;
  progress->request = request;
  progress->next = server->progresses;
  if (progress->next) progress->next->previous = progress;
  server->progresses = progress;
  return progress;
}

void srv_progress_feed(srv_request *request) {
  size_t length = 0;
  const char *lines = api_call_progress_lines(request->call, &length);
  if (!lines) return;
  srv_progress *progress = request->progress ? request->progress : create_progress(request);
  if (!progress) return; /* out of memory: the result will be sent without progress lines */
  /* If the client has read everything, a line of any length is queued. */
  size_t left = progress->length - progress->taken;
  if (left > 0 && left + length > request->server->limits->event_backlog_bytes) return;
  if (!append_lines(progress, lines, length)) return;
  if (!progress->begun) request->reply = &line_reply;
  srv_request_resume(request, progress->begun ? SRV_STATE_SENT : SRV_STATE_READY);
}

/* As long as the call runs, the client has no deadline, and the drain does not cut its connection
 * (SRV_PHASE_BUSY). */
void srv_progress_begin(srv_request *request) {
  srv_progress *progress = request->progress;
  assert(!progress->begun && request->state == SRV_STATE_SENT);
  progress->begun = true;
  srv_connection_phase(request->connection, SRV_PHASE_BUSY, 0, 0);
  if (progress->ended)
    srv_request_expect_reader(request, progress->length - progress->taken + progress->last_left);
}

/* Sets the last line. A result already is one line, and exists as long as its call; a problem
 * document is converted. */
static void set_last_line(srv_request *request, srv_progress *progress) {
  const api_reply *reply = request->reply;
  if (reply->status >= 200 && reply->status < 300) {
    progress->last = reply->body;
    progress->last_left = reply->body_length;
    return;
  }
  progress->last = progress->made = api_reply_line(reply, &progress->last_left);
  /* Out of memory: the client detects by the missing last line that the reply is incomplete. */
  if (!progress->made) progress->last_left = 0;
}

srv_state srv_progress_end(srv_request *request) {
  srv_progress *progress = request->progress;
  srv_state state = progress->begun ? SRV_STATE_SENT : SRV_STATE_READY;
  if (progress->ended) return state;
  progress->ended = true;
  set_last_line(request, progress);
  request->reply = &line_reply;
  if (progress->begun)
    srv_request_expect_reader(request, progress->length - progress->taken + progress->last_left);
  return state;
}

/* Copies up to `most` unread bytes to out, first of progress lines, then of the last line. Returns
 * their number. */
static size_t copy_unread(srv_progress *progress, char *out, size_t most) {
  assert(progress->taken <= progress->length && progress->length <= progress->capacity);
  size_t left = progress->length - progress->taken, part = left < most ? left : most;
  if (part > 0) memcpy(out, progress->bytes + progress->taken, part);
  progress->taken += part;
  if (part > 0 || progress->last_left == 0) return part;
  part = progress->last_left < most ? progress->last_left : most;
  memcpy(out, progress->last, part);
  progress->last += part;
  progress->last_left -= part;
  return part;
}

ssize_t srv_progress_read(void *cls, uint64_t position, char *out, size_t most) {
  srv_request *request = cls;
  srv_progress *progress = request->progress;
  (void)position;
  /* After END_WITH_ERROR, libmicrohttpd 0.9.75 keeps the descriptor open until the idle timeout. */
  if (request->state == SRV_STATE_GONE) {
    shutdown(request->connection->fd, SHUT_RDWR);
    return MHD_CONTENT_READER_END_OF_STREAM;
  }
  size_t part = copy_unread(progress, out, most);
  progress->given += part;
  if (part > 0) return (ssize_t)part;
  if (progress->ended) return MHD_CONTENT_READER_END_OF_STREAM;
  srv_request_suspend(request);
  return 0;
}

void srv_progress_for_each(srv_server *server, void (*act)(srv_request *request)) {
  for (srv_progress *progress = server->progresses; progress; progress = progress->next) {
    srv_request *request = progress->request;
    bool has_client = request->connection && request->state != SRV_STATE_GONE;
    if (!progress->ended && has_client) act(request);
  }
}
