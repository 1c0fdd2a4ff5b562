/* Callbacks of libmicrohttpd: check and admit the head, collect or stream the body, send the reply.
 *
 * libmicrohttpd calls the handler once with the head, then with pieces of the body, then without
 * data; after a connection is resumed, it calls again without data. A reply can be queued only in
 * the first call, or after the end of the body. After a refusal in between, the rest of the body is
 * therefore read and discarded. */
#include "http/http.h"
#include "process/array.h"
#include "process/text.h"
#include "scenes/recover.h"
#include "streams/event_stream.h"

#include <stdlib.h>
#include <string.h>

/* ---- first call: the head ------------------------------------------------------------------- */

/* Iteration over the header lines that detects bytes which libmicrohttpd hides.
 *
 * libmicrohttpd 0.9.75 ends a value at its first zero byte, and joins folded lines incorrectly.
 * Names and values remain in the receive buffer, with zeros in place of line ends. If there are
 * more bytes than these zeros between a value and the next name, a part of the header is hidden. */
typedef struct header_scan {
  srv_header
      lines[SRV_HEADERS_MAX + 1]; /* requests with more lines than SRV_HEADERS_MAX are refused */
  size_t count;
  const char *name,
      *end;           /* name of the last line, and end of its value; NULL before the first line */
  const char *hidden; /* name of a header of which a part is hidden */
  bool bare; /* a line ended in a bare LF (one zero instead of two), which would hide a zero byte
                right before it */
} header_scan;

static enum MHD_Result record_header(void *cls, enum MHD_ValueKind kind, const char *name,
                                     size_t name_length, const char *value, size_t value_length) {
  header_scan *scan = cls;
  (void)kind;
  scan->lines[scan->count] = (srv_header){name, value, name_length, value_length};
  if (scan->end == name - 1) scan->bare = true;
  else if (scan->end && scan->end != name - 2) scan->hidden = scan->name;
  scan->name = name;
  scan->end = value ? value + value_length : NULL;
  return ++scan->count <= SRV_HEADERS_MAX ? MHD_YES : MHD_NO;
}

static void scan_head(struct MHD_Connection *handle, srv_head *head) {
  header_scan scan;
  scan.count = 0;
  scan.name = scan.end = scan.hidden = NULL;
  scan.bare = false;
  MHD_get_connection_values_n(handle, MHD_HEADER_KIND, record_header, &scan);
  assert(scan.count <= SRV_HEADERS_MAX + 1);
  srv_guard_headers(head, scan.lines, scan.count);
  head->hidden = scan.hidden;
  /* The empty line follows the last header. A zero byte at the very end of the last header's value
   * cannot be distinguished from it. */
  bool whole = scan.count <= SRV_HEADERS_MAX;
  if (whole && scan.end && (scan.end[1] || (!scan.bare && scan.end[2]))) head->hidden = scan.name;
}

/* Sends a reply that needs no body. A short body is read first, so that the connection remains
 * open; otherwise the reply is sent before the end of the body, which closes the connection. */
static enum MHD_Result send_head_reply(srv_request *request, const srv_head *head) {
  uint64_t length = 0;
  bool known = srv_guard_length(head, &length);
  if (!request->closes && known && length <= SRV_KEEP_BYTES && !head->expects) {
    srv_request_set_state(request, SRV_STATE_SWALLOW);
    srv_connection_phase(request->connection, SRV_PHASE_BODY, uv_hrtime(),
                         request->server->limits->body_seconds);
    return MHD_YES;
  }
  request->closes = true;
  return srv_reply_send(request);
}

/* True for GET and HEAD. False: other methods are refused, and the refusal is the reply. */
static bool allow_only_read(srv_request *request) {
  if (strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0) return true;
  srv_request_refuse(request, API_PROBLEM_METHOD_NOT_ALLOWED, "%s supports GET and HEAD only.",
                     request->uri);
  srv_request_refusal_header(request, "Allow", "GET, HEAD");
  return false;
}

/* Sets the reply to /livez and /readyz. False: the path is another one. */
static bool answer_probe(srv_request *request) {
  static const char up[] = "{\"status\":\"ok\"}";
  bool ready = strcmp(request->uri, "/readyz") == 0;
  if (!ready && strcmp(request->uri, "/livez") != 0) return false;
  request->match.label = ready ? "/readyz" : "/livez";
  if (!allow_only_read(request)) return true;
  if (ready && request->server->drain != SRV_SERVING) {
    srv_request_refuse(request, API_PROBLEM_DRAINING, "The daemon is shutting down.");
  } else if (ready && !srv_recover_ready(request)) {
    return true;
  } else if (ready && request->server->store) {
    request->refusal = (api_reply){.status = 200, .content_type = "application/json"};
    request->refusal.body = srv_recover_document(request->server, &request->refusal.body_length);
    request->reply = &request->refusal;
  } else {
    /* The body is static and must not be freed, so it is not stored in refusal. */
    static const api_reply reply = {.status = 200,
                                    .content_type = "application/json",
                                    .body = up,
                                    .body_length = sizeof up - 1};
    request->reply = &reply;
  }
  return true;
}

/* Sets the reply to /metrics, also under overload and during the drain. False: the path is another
 * one. */
static bool answer_metrics(srv_request *request) {
  if (strcmp(request->uri, "/metrics") != 0) return false;
  request->match.label = "/metrics";
  if (!allow_only_read(request)) return true;
  request->refusal =
      (api_reply){.status = 200, .content_type = "text/plain; version=0.0.4; charset=utf-8"};
  request->refusal.body = srv_metrics_text(request->server, &request->refusal.body_length);
  request->reply = &request->refusal;
  if (!request->refusal.body) srv_request_refuse_memory(request);
  return true;
}

/* True if the request has the daemon's token, even if its address is locked because of other
 * clients' failures. False: a refusal is the reply. */
static bool check_token(srv_request *request, const srv_head *head) {
  srv_server *server = request->server;
  if (srv_auth_accepts(&server->auth, head->authorization)) return true;
  uint64_t now_ns = uv_hrtime();
  unsigned wait_seconds = srv_peer_locked(request->connection->peer, now_ns);
  if (wait_seconds) {
    char text[24];
    srv_text_unsigned(text, wait_seconds);
    srv_request_refuse(request, API_PROBLEM_TOO_MANY_REQUESTS,
                       "Too many requests from this address had no valid token.");
    srv_request_refusal_header(request, "Retry-After", text);
    return false;
  }
  srv_peer_fail(request->connection->peer, now_ns);
  srv_request_refuse(request, API_PROBLEM_UNAUTHORIZED, "The request lacks the daemon's token.");
  srv_request_refusal_header(request, "WWW-Authenticate", "Bearer realm=\"contactd\"");
  return false;
}

/* Matches the head with a route of the API. HEAD is matched as GET if the route has no HEAD. False:
 * a refusal is the reply. */
static bool match_api_route(srv_request *request, const srv_head *head, api_head *out) {
  const api_service *service = request->server->service;
  *out = (api_head){.method = request->method,
                    .path = request->uri,
                    .query = request->query,
                    .content_type = head->content_type,
                    .accept = head->accept,
                    .if_match = head->if_match,
                    .if_none_match = head->if_none_match};
  bool matches = api_match_head(service, out, &request->match, &request->refusal);
  if (!matches && request->refusal.status == 405 && strcmp(request->method, "HEAD") == 0) {
    api_reply refusal = request->refusal;
    request->refusal = (api_reply){0};
    out->method = "GET";
    matches = api_match_head(service, out, &request->match, &request->refusal);
    free((void *)(uintptr_t)(matches ? refusal.body : request->refusal.body));
    if (!matches) request->refusal = refusal;
  }
  if (matches) {
    assert(request->match.label);
    return true;
  }
  request->match = (api_match){0};
  request->reply = &request->refusal;
  return false;
}

bool srv_http_recreate_call(srv_request *request) {
  assert(request->handle && !request->call);
  srv_head head = {0};
  api_head api;
  scan_head(request->handle, &head);
  if (match_api_route(request, &head, &api))
    request->call = api_call_create(request->server->service, &api, &request->match);
  return request->call != NULL;
}

/* Checks the announced length of the body, and whether the queues have space. False: a refusal is
 * the reply. */
static bool admit_announced_body(srv_request *request, const srv_head *head) {
  uint64_t length = 0;
  bool chunked = !srv_guard_length(head, &length);
  request->body_length = length;
  if (!request->match.takes_body && (length > 0 || chunked)) {
    srv_request_refuse(request, API_PROBLEM_BAD_REQUEST,
                       "%s of this resource must not have a body.", request->method);
    request->closes = true;
    return false;
  }
  if (length > request->match.body_max) {
    const api_match *match = &request->match;
    srv_request_refuse(request, API_PROBLEM_BODY_TOO_LARGE,
                       "The body has %llu bytes, the limit (%s) is %llu.%s",
                       (unsigned long long)length, match->body_limit,
                       (unsigned long long)match->body_max, match->body_hint);
    request->closes = true;
    return false;
  }
  /* A small body that is not streamed needs no queue. */
  bool small = !chunked && length <= SRV_INLINE_BODY;
  return (small && !request->match.streams) || srv_job_admit(request, small);
}

/* With a socket that the service manager keeps open, requests are answered until the drain is over
 * (drain.c). */
static bool refuses_requests(const srv_server *server) {
  return server->drain >= (server->socket_inherited ? SRV_DRAIN_OVER : SRV_DRAINING);
}

/* Handles the complete head: guard, probes, token, metrics, drain, route and body limits, then
 * creates the call. */
static enum MHD_Result on_head(srv_request *request, const char *version) {
  srv_server *server = request->server;
  srv_head head = {0};
  srv_request_set_state(request, SRV_STATE_BODY);
  assert(srv_request_is_counted(request));
  server->requests++;
  request->arrived_ns = uv_hrtime();
  scan_head(request->handle, &head);

  srv_verdict verdict =
      srv_guard_check(&head, request->method, request->uri, version, &server->hosts);
  char *mark = strchr(request->uri, '?');
  if (mark) *mark = 0, request->query = mark + 1;
  if (verdict.refused) {
    if (verdict.header)
      srv_request_refuse(request, verdict.problem, "%.64s: %s", verdict.header, verdict.detail);
    else srv_request_refuse(request, verdict.problem, "%s", verdict.detail);
    request->closes = verdict.close;
    return send_head_reply(request, &head);
  }
  if (answer_probe(request)) return send_head_reply(request, &head);
  if (!check_token(request, &head)) return send_head_reply(request, &head);
  if (answer_metrics(request)) return send_head_reply(request, &head);
  if (refuses_requests(server)) {
    srv_request_refuse(request, API_PROBLEM_DRAINING, "The daemon is shutting down.");
    srv_request_refusal_header(request, "Retry-After", "1");
    return send_head_reply(request, &head);
  }
  api_head api;
  bool good = match_api_route(request, &head, &api) &&
              (!head.idempotency_key || srv_idempotency_read_key(request, head.idempotency_key));
  if (!good || !admit_announced_body(request, &head)) return send_head_reply(request, &head);
  request->call = api_call_create(server->service, &api, &request->match);
  if (!request->call) {
    srv_request_refuse(request, API_PROBLEM_OUT_OF_MEMORY, "Out of memory for the request.");
    return send_head_reply(request, &head);
  }
  request->body_since_ns = uv_hrtime();
  srv_connection_phase(request->connection, SRV_PHASE_BODY, request->body_since_ns,
                       server->limits->body_seconds);
  return MHD_YES;
}

/* ---- the body ------------------------------------------------------------------------------- */

/* Appends bytes to a body's buffer, within the budget of all bodies. expected: announced length of
 * the body, or 0. False: out of memory, or the budget is used up. */
static bool append_to_body(srv_server *server, srv_buffer *buffer, const char *bytes, size_t length,
                           size_t expected) {
  size_t needed = buffer->length + length;
  if (needed > buffer->capacity) {
    /* Doubling limits the memory that a client can reserve without sending: at most as much as it
     * has sent, and never more than it has announced. */
    size_t before = buffer->capacity, capacity = srv_array_capacity(before, needed, 4096);
    if (expected > needed && capacity > expected) capacity = expected;
    uint64_t budget = server->limits->request_memory_bytes;
    if (server->body_bytes - before + capacity > budget) return false;
    if (!srv_array_resize(&buffer->bytes, &buffer->capacity, capacity, 1)) return false;
    server->body_bytes += capacity - before;
  }
  memcpy(buffer->bytes + buffer->length, bytes, length);
  buffer->length = needed;
  return true;
}

static void clear_body(srv_server *server, srv_buffer *buffer) {
  server->body_bytes -= buffer->capacity;
  free(buffer->bytes);
  *buffer = (srv_buffer){0};
}

/* Cancels the call, frees the collected body, and discards the rest of the body as it arrives. */
static void discard_rest_of_body(srv_request *request) {
  srv_job_cancel(request);
  clear_body(request->server, &request->body);
  request->closes = true;
  srv_request_set_state(request, SRV_STATE_SWALLOW);
}

static void suspend_until_piece_read(srv_request *request) {
  srv_connection_phase(request->connection, SRV_PHASE_BUSY, 0, 0);
  srv_request_suspend(request);
}

/* Bodies other than JSON get the full time again for every 16 MiB. The time for which the daemon
 * suspended the connection does not count. */
static void extend_body_deadline(srv_request *request) {
  uint64_t seconds = request->server->limits->body_seconds * (1 + request->bytes_in / 16777216u);
  srv_connection_phase(request->connection, SRV_PHASE_BODY, request->body_since_ns, seconds);
}

/* Passes a complete piece to a worker or, while a worker is still reading the last one, suspends
 * the connection. */
static void hand_over_streamed_piece(srv_request *request) {
  if (request->feed_failed) {
    request->body.length = 0;
    return;
  }
  if (request->body.length < SRV_PIECE_BYTES) return;
  if (request->work != SRV_WORK_FEEDING) srv_job_feed(request);
  else suspend_until_piece_read(request);
}

/* Handles a piece of the body: checks limits, updates the idempotency fingerprint, and collects
 * or streams the piece. */
static enum MHD_Result on_body(srv_request *request, const char *bytes, size_t length) {
  srv_server *server = request->server;
  request->bytes_in += length;
  if (request->state == SRV_STATE_SWALLOW) {
    request->swallowed += length;
    return request->swallowed > SRV_SWALLOW_BYTES ? MHD_NO : MHD_YES;
  }
  if (request->bytes_in > request->match.body_max) {
    const api_match *match = &request->match;
    srv_request_refuse(request, API_PROBLEM_BODY_TOO_LARGE,
                       "The body is longer than the limit (%s), %llu bytes.%s", match->body_limit,
                       (unsigned long long)match->body_max, match->body_hint);
    discard_rest_of_body(request);
    return MHD_YES;
  }
  if (request->fingerprint) srv_idempotency_feed(request, bytes, length);
  if (request->match.streams && request->connection->phase != SRV_PHASE_BODY)
    request->body_since_ns += uv_hrtime() - request->suspended_ns;
  if (request->match.form != API_FORM_JSON) extend_body_deadline(request);
  if (!append_to_body(server, &request->body, bytes, length, (size_t)request->body_length)) {
    srv_request_refuse(request, API_PROBLEM_OUT_OF_MEMORY, "Out of memory for the body.");
    discard_rest_of_body(request);
    return MHD_YES;
  }
  if (request->match.streams) hand_over_streamed_piece(request);
  if (request->match.form != API_FORM_JSON || request->body.length <= SRV_INLINE_BODY)
    return MHD_YES;
  /* Large bodies are scanned for "deadlineMs" while they arrive, so that no long scan remains for
   * the end. */
  srv_request_scan_deadline(request);
  return MHD_YES;
}

/* Handles the end of the body: the call begins, on the loop thread or on a worker. */
static enum MHD_Result on_body_end(srv_request *request) {
  srv_request_set_state(request, SRV_STATE_WAIT);
  request->body_length = request->bytes_in;
  srv_connection_phase(request->connection, SRV_PHASE_BUSY, 0, 0);
  bool has_piece = request->match.streams && request->body.length && !request->feed_failed;
  if (has_piece && request->work != SRV_WORK_FEEDING) srv_job_feed(request);
  /* If a worker is reading a piece, the request is dispatched when it has ended. */
  if (request->work == SRV_WORK_FEEDING) srv_job_arrived(request);
  else srv_job_dispatch(request);
  if (request->state == SRV_STATE_READY) return srv_reply_send(request);
  srv_request_suspend(request);
  return MHD_YES;
}

/* ---- callbacks ------------------------------------------------------------------------------ */

/* Leaves percent escapes in paths and queries unchanged, because the API decodes each segment
 * once. */
size_t srv_http_unescape(void *cls, struct MHD_Connection *handle, char *text) {
  (void)cls;
  (void)handle;
  return strlen(text);
}

/* Receives the raw request target before libmicrohttpd splits it. Returns the new request as
 * context; NULL: out of memory. */
void *srv_http_uri(void *cls, const char *uri, struct MHD_Connection *handle) {
  srv_server *server = cls;
  srv_connection *connection = srv_connection_of(handle);
  if (!connection) return NULL;
  uint64_t now_ns = uv_hrtime();
  if (now_ns + server->limits->header_seconds * 1000000000u < connection->deadline_ns)
    srv_connection_phase(connection, SRV_PHASE_HEAD, now_ns, server->limits->header_seconds);
  srv_request *request = srv_request_create(server, handle, uri ? uri : "");
  if (request) request->connection = connection;
  return request;
}

enum MHD_Result srv_http_handle(void *cls, struct MHD_Connection *handle, const char *url,
                                const char *method, const char *version, const char *upload,
                                size_t *upload_length, void **context) {
  srv_request *request = *context;
  (void)cls;
  (void)handle;
  (void)url;
  if (!request) return MHD_NO; /* out of memory */
  if (request->state == SRV_STATE_HEAD) {
    size_t length = strlen(method);
    if (length >= sizeof request->method) length = sizeof request->method - 1;
    memcpy(request->method, method, length);
    return on_head(request, version);
  }
  if (request->state == SRV_STATE_GONE) return MHD_NO;
  if (*upload_length) {
    size_t length = *upload_length;
    *upload_length = 0;
    return on_body(request, upload, length);
  }
  switch (request->state) {
  case SRV_STATE_BODY: return on_body_end(request);
  case SRV_STATE_SWALLOW:
  case SRV_STATE_READY: return srv_reply_send(request);
  default: return MHD_YES;
  }
}

void srv_http_completed(void *cls, struct MHD_Connection *handle, void **context,
                        enum MHD_RequestTerminationCode code) {
  srv_server *server = cls;
  srv_request *request = *context;
  (void)handle;
  (void)code;
  *context = NULL;
  if (!request) return;
  srv_request_leave_suspended(request);
  if (request->state != SRV_STATE_HEAD) srv_reply_log(request);
  if (request->stream) srv_stream_close(request);
  if (request->connection)
    srv_connection_phase(request->connection, SRV_PHASE_HEAD, uv_hrtime(),
                         SRV_IDLE_SECONDS + server->limits->header_seconds);
  request->handle = NULL;
  request->connection = NULL;
  srv_job_cancel(request);
  srv_request_release(request);
}
