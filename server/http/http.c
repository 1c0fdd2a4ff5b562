/* libmicrohttpd's callbacks: the head is checked and admitted, the body gathered or streamed, the reply sent.
 *
 * The handler is called once with the head, then with pieces of the body, then with none; after a suspended connection was resumed,
 * again with none. A reply can be queued only in the first call or after the body's end, so a refusal in between lets the rest of
 * the body pass. */
#include "http/event_stream.h"
#include "scenes/recover.h"

#include <stdlib.h>
#include <string.h>

/* ---- first call: the head -------------------------------------------------------------------------------------------------- */

/* A head while its lines are taken. libmicrohttpd 0.9.75 takes a value to end at its first zero byte, and joins a line that goes on
 * in the next wrongly. Names and values stay where they were received, with zeros in place of the line's end: so what lies between
 * a value and the next name tells that there was more. */
typedef struct taken_head {
  srv_head *head;
  const char *name, *end; /* the last line's name, and the end of its value; NULL before the first line */
  bool bare;              /* a line ended in a bare LF, for which one zero stands; it hides a zero byte right before it */
} taken_head;

static enum MHD_Result take_header(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_length, const char *value,
                                   size_t value_length) {
  taken_head *taken = cls;
  (void)kind;
  srv_guard_header(taken->head, name, name_length, value, value_length);
  if (taken->end == name - 1) taken->bare = true;
  else if (taken->end && taken->end != name - 2) taken->head->hidden = taken->name;
  taken->name = name;
  taken->end = value ? value + value_length : NULL;
  return MHD_YES;
}

static void take_head(struct MHD_Connection *handle, srv_head *head) {
  taken_head taken = {.head = head};
  MHD_get_connection_values_n(handle, MHD_HEADER_KIND, take_header, &taken);
  /* Behind the last line stands the empty one: a zero byte at the value's very end, or more than two in a row, cannot be told from
   * it. */
  if (taken.end && (taken.end[1] || (!taken.bare && taken.end[2]))) head->hidden = taken.name;
}

/* The reply is there without the body. It is sent after a body that is short enough to be read; a reply sent before the body has
 * ended ends the connection. */
static enum MHD_Result answer_head(srv_request *request, const srv_head *head) {
  uint64_t length = 0;
  bool known = srv_guard_length(head, &length);
  if (!request->close && known && length <= SRV_KEEP_BYTES && !head->expects) {
    request->state = SRV_STATE_SWALLOW;
    srv_connection_phase(request->connection, SRV_PHASE_BODY, uv_hrtime(), request->server->limits->body_seconds);
    return MHD_YES;
  }
  request->close = true;
  return srv_reply_send(request);
}

/* False: the refusal is the reply. */
static bool asks_to_read(srv_request *request) {
  if (strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0) return true;
  srv_request_refuse(request, API_PROBLEM_METHOD_NOT_ALLOWED, "%s knows GET and HEAD.", request->uri);
  srv_request_refusal_header(request, "Allow", "GET, HEAD");
  return false;
}

/* The daemon's own two documents. False: the path is another one. */
static bool answer_probe(srv_request *request) {
  static const char up[] = "{\"status\":\"ok\"}";
  bool ready = strcmp(request->uri, "/readyz") == 0;
  if (!ready && strcmp(request->uri, "/livez") != 0) return false;
  request->has_match = true;
  request->match.label = ready ? "/readyz" : "/livez";
  if (!asks_to_read(request)) return true;
  if (ready && request->server->drain != SRV_SERVING) {
    srv_request_refuse(request, API_PROBLEM_DRAINING, "The daemon is shutting down.");
  } else if (ready && !srv_recover_ready(request)) {
    return true;
  } else if (ready && request->server->store) {
    request->refusal = (api_reply){.status = 200, .content_type = "application/json"};
    request->refusal.body = srv_recover_document(request->server, &request->refusal.body_length);
    request->reply = &request->refusal;
  } else {
    /* The bytes are static; only what is in refusal.body is freed. */
    static const api_reply reply = {.status = 200, .content_type = "application/json", .body = up, .body_length = sizeof up - 1};
    request->reply = &reply;
  }
  return true;
}

/* Of use most of all while the daemon has too much to do, or ends. False: the path is another one. */
static bool answer_metrics(srv_request *request) {
  if (strcmp(request->uri, "/metrics") != 0) return false;
  request->has_match = true;
  request->match.label = "/metrics";
  if (!asks_to_read(request)) return true;
  request->refusal = (api_reply){.status = 200, .content_type = "text/plain; version=0.0.4; charset=utf-8"};
  request->refusal.body = srv_metrics_text(request->server, &request->refusal.body_length);
  request->reply = &request->refusal;
  if (!request->refusal.body) srv_job_refuse_memory(request);
  return true;
}

/* False: the refusal is the reply. The right token always passes: others behind the same address may have failed. */
static bool authorize(srv_request *request, const srv_head *head) {
  srv_server *server = request->server;
  if (srv_auth_accepts(&server->auth, head->authorization)) return true;
  uint64_t now_ns = uv_hrtime();
  unsigned wait_seconds = srv_peer_locked(request->connection->peer, now_ns);
  if (wait_seconds) {
    char text[24];
    srv_text_unsigned(text, wait_seconds);
    srv_request_refuse(request, API_PROBLEM_TOO_MANY_REQUESTS, "Too many requests of this address had no valid token.");
    srv_request_refusal_header(request, "Retry-After", text);
    return false;
  }
  srv_peer_fail(request->connection->peer, now_ns);
  srv_request_refuse(request, API_PROBLEM_UNAUTHORIZED, "The request does not bear the daemon's token.");
  srv_request_refusal_header(request, "WWW-Authenticate", "Bearer realm=\"contactd\"");
  return false;
}

/* HEAD is answered as GET where the API has no HEAD of its own. */
static bool match_route(srv_request *request, const srv_head *head, api_head *out) {
  const api_service *service = request->server->service;
  *out = (api_head){.method = request->method,
                    .path = request->uri,
                    .query = request->query,
                    .content_type = head->content_type,
                    .accept = head->accept,
                    .if_match = head->if_match,
                    .if_none_match = head->if_none_match};
  request->has_match = api_match_head(service, out, &request->match, &request->refusal);
  if (!request->has_match && request->refusal.status == 405 && strcmp(request->method, "HEAD") == 0) {
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
  take_head(request->handle, &head);
  if (match_route(request, &head, &api)) request->call = api_call_create(request->server->service, &api, &request->match);
  return request->call != NULL;
}

/* Size of the announced body, and room in the queues. False: the refusal is the reply. */
static bool admit_body(srv_request *request, const srv_head *head) {
  uint64_t length = 0;
  request->chunked = !srv_guard_length(head, &length);
  request->body_length = length;
  if (!request->match.takes_body && (length > 0 || request->chunked)) {
    srv_request_refuse(request, API_PROBLEM_BAD_REQUEST, "%s of this resource takes no body.", request->method);
    request->close = true;
    return false;
  }
  if (length > request->match.body_max) {
    bool shape = request->match.target == API_TARGET_SHAPE_WRITE && request->match.form == API_FORM_JSON;
    srv_request_refuse(request, API_PROBLEM_BODY_TOO_LARGE, "The body has %llu bytes, the limit is %llu.%s",
                       (unsigned long long)length, (unsigned long long)request->match.body_max,
                       shape ? " A file is sent with Content-Type: model/stl or model/obj." : "");
    request->close = true;
    return false;
  }
  return srv_job_admit(request, !request->chunked && length <= SRV_INLINE_BODY);
}

static enum MHD_Result on_head(srv_request *request, const char *version) {
  srv_server *server = request->server;
  srv_head head = {0};
  request->counted = true;
  server->requests++;
  request->state = SRV_STATE_BODY;
  request->arrived_ns = uv_hrtime();
  take_head(request->handle, &head);

  srv_verdict verdict = srv_guard_check(&head, request->method, request->uri, version, &server->hosts);
  char *mark = strchr(request->uri, '?');
  if (mark) *mark = 0, request->query = mark + 1;
  if (verdict.refused) {
    if (verdict.header) srv_request_refuse(request, verdict.problem, "%.64s: %s", verdict.header, verdict.detail);
    else srv_request_refuse(request, verdict.problem, "%s", verdict.detail);
    request->close = verdict.close;
    return answer_head(request, &head);
  }
  if (answer_probe(request)) return answer_head(request, &head);
  if (!authorize(request, &head)) return answer_head(request, &head);
  if (answer_metrics(request)) return answer_head(request, &head);
  if (server->drain >= SRV_DRAINING) {
    srv_request_refuse(request, API_PROBLEM_DRAINING, "The daemon is shutting down.");
    srv_request_refusal_header(request, "Retry-After", "1");
    return answer_head(request, &head);
  }
  api_head api;
  bool good = match_route(request, &head, &api) && srv_idempotency_read_key(request, head.idempotency_key);
  if (!good || !admit_body(request, &head)) return answer_head(request, &head);
  request->call = api_call_create(server->service, &api, &request->match);
  if (!request->call) {
    srv_request_refuse(request, API_PROBLEM_OUT_OF_MEMORY, "Memory for the request could not be had.");
    return answer_head(request, &head);
  }
  request->body_since_ns = uv_hrtime();
  srv_connection_phase(request->connection, SRV_PHASE_BODY, request->body_since_ns, server->limits->body_seconds);
  return MHD_YES;
}

/* ---- the body -------------------------------------------------------------------------------------------------------------- */

/* What has been gathered is of no use; the rest passes. */
static void swallow(srv_request *request) {
  srv_job_cancel(request);
  srv_buffer_clear(request->server, &request->body);
  request->close = true;
  request->state = SRV_STATE_SWALLOW;
}

static void wait_suspended(srv_request *request) {
  srv_connection_phase(request->connection, SRV_PHASE_BUSY, 0, 0);
  srv_request_suspend(request);
}

/* Anything but JSON may take as long again for every 16 MiB; the time that it waits for us is not the client's. */
static void extend_body_time(srv_request *request) {
  uint64_t seconds = request->server->limits->body_seconds * (1 + request->bytes_in / 16777216u);
  srv_connection_phase(request->connection, SRV_PHASE_BODY, request->body_since_ns, seconds);
}

static void take_streamed(srv_request *request) {
  if (request->feed_failed) {
    request->body.length = 0;
    return;
  }
  if (request->body.length < SRV_PIECE_BYTES) return;
  if (!srv_job_feeding(request)) srv_job_feed(request);
  else wait_suspended(request);
}

static enum MHD_Result on_body(srv_request *request, const char *bytes, size_t length) {
  srv_server *server = request->server;
  request->bytes_in += length;
  if (request->state == SRV_STATE_SWALLOW) {
    request->swallowed += length;
    return request->swallowed > SRV_SWALLOW_BYTES ? MHD_NO : MHD_YES;
  }
  if (request->bytes_in > request->match.body_max) {
    srv_request_refuse(request, API_PROBLEM_BODY_TOO_LARGE, "The body is longer than the limit, %llu bytes.",
                       (unsigned long long)request->match.body_max);
    swallow(request);
    return MHD_YES;
  }
  if (request->keyed) srv_idempotency_feed(request, bytes, length);
  if (request->match.streams && request->connection->phase != SRV_PHASE_BODY)
    request->body_since_ns += uv_hrtime() - request->suspended_ns;
  if (request->match.form != API_FORM_JSON) extend_body_time(request);
  if (!srv_buffer_append(server, &request->body, bytes, length, (size_t)request->body_length)) {
    srv_request_refuse(request, API_PROBLEM_OUT_OF_MEMORY, "Memory for the body could not be had.");
    swallow(request);
    return MHD_YES;
  }
  if (request->match.streams) take_streamed(request);
  if (request->match.form != API_FORM_JSON || request->body.length <= SRV_INLINE_BODY) return MHD_YES;
  /* A large body is looked through as it comes, so that its end costs no more than a piece. */
  srv_request_scan_deadline(request);
  return MHD_YES;
}

/* The body has ended: the call begins, here or on a worker. */
static enum MHD_Result on_body_end(srv_request *request) {
  request->body_ended = true;
  request->body_length = request->bytes_in;
  srv_connection_phase(request->connection, SRV_PHASE_BUSY, 0, 0);
  if (!request->match.streams) {
    srv_job_dispatch(request);
  } else {
    /* feed_done goes on from here when a piece is still being read. */
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

/* ---- callbacks ------------------------------------------------------------------------------------------------------------- */

/* The raw target, before libmicrohttpd cuts it up. What is returned becomes the request's context. */
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

enum MHD_Result srv_http_handle(void *cls, struct MHD_Connection *handle, const char *url, const char *method, const char *version,
                                const char *upload, size_t *upload_length, void **context) {
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

void srv_http_completed(void *cls, struct MHD_Connection *handle, void **context, enum MHD_RequestTerminationCode code) {
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
    srv_connection_phase(request->connection, SRV_PHASE_HEAD, uv_hrtime(), SRV_IDLE_SECONDS + server->limits->header_seconds);
  request->handle = NULL;
  request->connection = NULL;
  srv_job_cancel(request);
  srv_request_release(request);
}
