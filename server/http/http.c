/* Callbacks of libmicrohttpd: check and admit the head, collect or stream the body, send the reply.
 *
 * libmicrohttpd calls the handler once with the head, then with pieces of the body, then without
 * data; after a connection is resumed, again without data. A reply can be queued only in the first
 * call or after the end of the body. A refusal in between therefore reads and discards the rest of
 * the body. */
#include "http/event_stream.h"
#include "scenes/recover.h"

#include <stdlib.h>
#include <string.h>

/* ---- first call: the head ------------------------------------------------------------------- */

/* Iteration over header lines that detects bytes which libmicrohttpd hides.
 *
 * libmicrohttpd 0.9.75 ends a value at its first zero byte and joins folded lines incorrectly.
 * Names and values stay in the receive buffer, with zeros in place of line ends. More bytes than
 * these zeros between a value and the next name therefore mean hidden content. */
typedef struct header_scan {
  srv_head *head;
  const char *name,
      *end;  /* the last line's name, and the end of its value; NULL before the first line */
  bool bare; /* a line ended in a bare LF (one zero), which hides a zero byte right before it */
} header_scan;

static enum MHD_Result record_header(void *cls, enum MHD_ValueKind kind, const char *name,
                                     size_t name_length, const char *value, size_t value_length) {
  header_scan *scan = cls;
  (void)kind;
  srv_guard_header(scan->head, name, name_length, value, value_length);
  if (scan->end == name - 1) scan->bare = true;
  else if (scan->end && scan->end != name - 2) scan->head->hidden = scan->name;
  scan->name = name;
  scan->end = value ? value + value_length : NULL;
  return MHD_YES;
}

static void scan_head(struct MHD_Connection *handle, srv_head *head) {
  header_scan scan = {.head = head};
  MHD_get_connection_values_n(handle, MHD_HEADER_KIND, record_header, &scan);
  /* The empty line follows the last header. A zero byte at the very end of that header's value
   * cannot be distinguished from it. */
  if (scan.end && (scan.end[1] || (!scan.bare && scan.end[2]))) head->hidden = scan.name;
}

/* Sends a reply that needs no body. A short body is read first, so that the connection can be kept;
 * a reply sent before the end of the body closes the connection. */
static enum MHD_Result send_head_reply(srv_request *request, const srv_head *head) {
  uint64_t length = 0;
  bool known = srv_guard_length(head, &length);
  if (!request->close && known && length <= SRV_KEEP_BYTES && !head->expects) {
    request->state = SRV_STATE_SWALLOW;
    srv_connection_phase(request->connection, SRV_PHASE_BODY, uv_hrtime(),
                         request->server->limits->body_seconds);
    return MHD_YES;
  }
  request->close = true;
  return srv_reply_send(request);
}

/* Refuses methods other than GET and HEAD. False: the refusal is the reply. */
static bool allow_only_read(srv_request *request) {
  if (strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0) return true;
  srv_request_refuse(request, API_PROBLEM_METHOD_NOT_ALLOWED, "%s knows GET and HEAD.",
                     request->uri);
  srv_request_refusal_header(request, "Allow", "GET, HEAD");
  return false;
}

/* Answers /livez and /readyz. False: the path is another one. */
static bool answer_probe(srv_request *request) {
  static const char up[] = "{\"status\":\"ok\"}";
  bool ready = strcmp(request->uri, "/readyz") == 0;
  if (!ready && strcmp(request->uri, "/livez") != 0) return false;
  request->has_match = true;
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
    /* The body is static: only refusal.body is freed. */
    static const api_reply reply = {.status = 200,
                                    .content_type = "application/json",
                                    .body = up,
                                    .body_length = sizeof up - 1};
    request->reply = &reply;
  }
  return true;
}

/* Answers /metrics, also under overload and during the drain. False: the path is another one. */
static bool answer_metrics(srv_request *request) {
  if (strcmp(request->uri, "/metrics") != 0) return false;
  request->has_match = true;
  request->match.label = "/metrics";
  if (!allow_only_read(request)) return true;
  request->refusal =
      (api_reply){.status = 200, .content_type = "text/plain; version=0.0.4; charset=utf-8"};
  request->refusal.body = srv_metrics_text(request->server, &request->refusal.body_length);
  request->reply = &request->refusal;
  if (!request->refusal.body) srv_job_refuse_memory(request);
  return true;
}

/* Checks the token. The right one always passes, even from an address that is locked after failures
 * of other clients. False: the refusal is the reply. */
static bool check_token(srv_request *request, const srv_head *head) {
  srv_server *server = request->server;
  if (srv_auth_accepts(&server->auth, head->authorization)) return true;
  uint64_t now_ns = uv_hrtime();
  unsigned wait_seconds = srv_peer_locked(request->connection->peer, now_ns);
  if (wait_seconds) {
    char text[24];
    srv_text_unsigned(text, wait_seconds);
    srv_request_refuse(request, API_PROBLEM_TOO_MANY_REQUESTS,
                       "Too many requests of this address had no valid token.");
    srv_request_refusal_header(request, "Retry-After", text);
    return false;
  }
  srv_peer_fail(request->connection->peer, now_ns);
  srv_request_refuse(request, API_PROBLEM_UNAUTHORIZED,
                     "The request does not bear the daemon's token.");
  srv_request_refusal_header(request, "WWW-Authenticate", "Bearer realm=\"contactd\"");
  return false;
}

/* Matches the head with a route of the API. HEAD is matched as GET if the route has no HEAD.
 * False: the refusal is the reply. */
static bool match_api_route(srv_request *request, const srv_head *head, api_head *out) {
  const api_service *service = request->server->service;
  *out = (api_head){.method = request->method,
                    .path = request->uri,
                    .query = request->query,
                    .content_type = head->content_type,
                    .accept = head->accept,
                    .if_match = head->if_match,
                    .if_none_match = head->if_none_match};
  request->has_match = api_match_head(service, out, &request->match, &request->refusal);
  if (!request->has_match && request->refusal.status == 405 &&
      strcmp(request->method, "HEAD") == 0) {
    api_reply refusal = request->refusal;
    request->refusal = (api_reply){0};
    out->method = "GET";
    request->has_match = api_match_head(service, out, &request->match, &request->refusal);
    if (request->has_match) free((void *)(uintptr_t)refusal.body);
    else {
      free((void *)(uintptr_t)request->refusal.body);
      request->refusal = refusal;
    }
  }
  if (!request->has_match) request->reply = &request->refusal;
  return request->has_match;
}

bool srv_http_call_anew(srv_request *request) {
  if (!request->handle) return false;
  srv_head head = {0};
  api_head api;
  scan_head(request->handle, &head);
  if (match_api_route(request, &head, &api))
    request->call = api_call_create(request->server->service, &api, &request->match);
  return request->call != NULL;
}

/* Checks the announced length and the room in the queues. False: the refusal is the reply. */
static bool admit_announced_body(srv_request *request, const srv_head *head) {
  uint64_t length = 0;
  request->chunked = !srv_guard_length(head, &length);
  request->body_length = length;
  if (!request->match.takes_body && (length > 0 || request->chunked)) {
    srv_request_refuse(request, API_PROBLEM_BAD_REQUEST, "%s of this resource takes no body.",
                       request->method);
    request->close = true;
    return false;
  }
  if (length > request->match.body_max) {
    bool shape =
        request->match.target == API_TARGET_SHAPE_WRITE && request->match.form == API_FORM_JSON;
    srv_request_refuse(request, API_PROBLEM_BODY_TOO_LARGE,
                       "The body has %llu bytes, the limit is %llu.%s", (unsigned long long)length,
                       (unsigned long long)request->match.body_max,
                       shape ? " A file is sent with Content-Type: model/stl or model/obj." : "");
    request->close = true;
    return false;
  }
  return srv_job_admit(request, !request->chunked && length <= SRV_INLINE_BODY);
}

/* Handles the complete head: guard, probes, token, metrics, drain, route, body limits, then the
 * call. */
static enum MHD_Result on_head(srv_request *request, const char *version) {
  srv_server *server = request->server;
  srv_head head = {0};
  request->counted = true;
  server->requests++;
  request->state = SRV_STATE_BODY;
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
    request->close = verdict.close;
    return send_head_reply(request, &head);
  }
  if (answer_probe(request)) return send_head_reply(request, &head);
  if (!check_token(request, &head)) return send_head_reply(request, &head);
  if (answer_metrics(request)) return send_head_reply(request, &head);
  if (server->drain >= SRV_DRAINING) {
    srv_request_refuse(request, API_PROBLEM_DRAINING, "The daemon is shutting down.");
    srv_request_refusal_header(request, "Retry-After", "1");
    return send_head_reply(request, &head);
  }
  api_head api;
  bool good = match_api_route(request, &head, &api) &&
              srv_idempotency_read_key(request, head.idempotency_key);
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

/* Frees the collected body and discards the rest while it arrives. */
static void discard_rest_of_body(srv_request *request) {
  srv_job_cancel(request);
  srv_buffer_clear(request->server, &request->body);
  request->close = true;
  request->state = SRV_STATE_SWALLOW;
}

static void suspend_until_piece_read(srv_request *request) {
  srv_connection_phase(request->connection, SRV_PHASE_BUSY, 0, 0);
  srv_request_suspend(request);
}

/* Bodies other than JSON get the full time again for every 16 MiB. Time in which the daemon
 * suspended the connection does not count. */
static void extend_body_deadline(srv_request *request) {
  uint64_t seconds = request->server->limits->body_seconds * (1 + request->bytes_in / 16777216u);
  srv_connection_phase(request->connection, SRV_PHASE_BODY, request->body_since_ns, seconds);
}

/* Hands a complete piece to a worker, or suspends the connection while a worker still reads the
 * last one. */
static void hand_over_streamed_piece(srv_request *request) {
  if (request->feed_failed) {
    request->body.length = 0;
    return;
  }
  if (request->body.length < SRV_PIECE_BYTES) return;
  if (!srv_job_feeding(request)) srv_job_feed(request);
  else suspend_until_piece_read(request);
}

/* Handles a piece of the body: limits, idempotency fingerprint, buffer, streaming, deadline. */
static enum MHD_Result on_body(srv_request *request, const char *bytes, size_t length) {
  srv_server *server = request->server;
  request->bytes_in += length;
  if (request->state == SRV_STATE_SWALLOW) {
    request->swallowed += length;
    return request->swallowed > SRV_SWALLOW_BYTES ? MHD_NO : MHD_YES;
  }
  if (request->bytes_in > request->match.body_max) {
    srv_request_refuse(request, API_PROBLEM_BODY_TOO_LARGE,
                       "The body is longer than the limit, %llu bytes.",
                       (unsigned long long)request->match.body_max);
    discard_rest_of_body(request);
    return MHD_YES;
  }
  if (request->keyed) srv_idempotency_feed(request, bytes, length);
  if (request->match.streams && request->connection->phase != SRV_PHASE_BODY)
    request->body_since_ns += uv_hrtime() - request->suspended_ns;
  if (request->match.form != API_FORM_JSON) extend_body_deadline(request);
  if (!srv_buffer_append(server, &request->body, bytes, length, (size_t)request->body_length)) {
    srv_request_refuse(request, API_PROBLEM_OUT_OF_MEMORY, "Out of memory for the body.");
    discard_rest_of_body(request);
    return MHD_YES;
  }
  if (request->match.streams) hand_over_streamed_piece(request);
  if (request->match.form != API_FORM_JSON || request->body.length <= SRV_INLINE_BODY)
    return MHD_YES;
  /* Large bodies are scanned for deadlineMs while they arrive, so that no long scan remains at the
   * end. */
  srv_request_scan_deadline(request);
  return MHD_YES;
}

/* Handles the end of the body: begins the call, on the loop thread or on a worker. */
static enum MHD_Result on_body_end(srv_request *request) {
  request->body_ended = true;
  request->body_length = request->bytes_in;
  srv_connection_phase(request->connection, SRV_PHASE_BUSY, 0, 0);
  if (!request->match.streams) {
    srv_job_dispatch(request);
  } else {
    /* If a worker still reads a piece, on_body_piece_read dispatches the request later. */
    bool feeding = srv_job_feeding(request);
    if (!feeding && request->body.length && !request->feed_failed) {
      srv_job_feed(request);
      feeding = srv_job_feeding(request);
    }
    if (feeding) {
      request->state = SRV_STATE_WAIT;
      srv_job_arrived(request);
    } else {
      srv_job_dispatch(request);
    }
  }
  if (request->state == SRV_STATE_READY) return srv_reply_send(request);
  srv_request_suspend(request);
  return MHD_YES;
}

/* ---- callbacks ------------------------------------------------------------------------------ */

/* Receives the raw request target before libmicrohttpd splits it. Returns the request's context. */
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
  if (request->suspended) srv_sweep_remove(server, request);
  request->suspended = false;
  if (request->counted || request->stream) srv_reply_log(request);
  if (request->stream) srv_stream_close(request);
  if (request->connection)
    srv_connection_phase(request->connection, SRV_PHASE_HEAD, uv_hrtime(),
                         SRV_IDLE_SECONDS + server->limits->header_seconds);
  request->handle = NULL;
  request->connection = NULL;
  srv_job_cancel(request);
  srv_request_release(request);
}
