/* Sends an api_reply through libmicrohttpd, with common headers and the body by reference. Logs
 * completed requests. */
#include "http/http.h"
#include "process/text.h"
#include "scenes/shared_store.h"
#include "streams/event_stream.h"
#include "streams/progress_stream.h"

#include <string.h>

/* Block size of libmicrohttpd's content readers, for streams. */
#define STREAM_BLOCK_BYTES 4096u

static void on_reply_freed(void *cls) { srv_request_release(cls); }

/* Computes for how long the request was queued, and for how long it ran on workers. False: its work
 * did not both begin and end; a worker may begin a request just when its deadline cancels it. Work
 * that goes on when its deadline has cancelled it counts until the reply. */
static bool get_work_times(const srv_request *request, uint64_t *queue_ns, uint64_t *run_ns) {
  uint64_t started = atomic_load_explicit(&request->started_ns, memory_order_relaxed);
  *queue_ns = started ? started - request->arrived_ns : 0;
  uint64_t ended_ns = request->ended_ns ? request->ended_ns : request->replied_ns;
  *run_ns = started && ended_ns > started ? ended_ns - started : 0;
  return started && request->ended_ns;
}

static size_t write_server_timing(char *out, uint64_t queue_ns, uint64_t run_ns) {
  size_t n = 0;
  memcpy(out, "queue;dur=", 10);
  n += 10;
  n += srv_text_ms(out + n, queue_ns);
  memcpy(out + n, ", run;dur=", 10);
  n += 10;
  return n + srv_text_ms(out + n, run_ns);
}

static bool add_reply_headers(const srv_request *request, struct MHD_Response *response) {
  const api_reply *reply = request->reply;
  bool ok = MHD_add_response_header(response, "X-Request-Id", request->id) == MHD_YES;
  if (reply->content_type)
    ok &= MHD_add_response_header(response, "Content-Type", reply->content_type) == MHD_YES;
  for (size_t i = 0; i < reply->header_count; i++)
    ok &= MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value) ==
          MHD_YES;
  if (reply->location[0])
    ok &= MHD_add_response_header(response, "Location", reply->location) == MHD_YES;
  if (request->server->shared && srv_shared_is_stale(request))
    ok &= MHD_add_response_header(response, "X-Stale-Reads", "1") == MHD_YES;
  uint64_t queue_ns, run_ns;
  if (get_work_times(request, &queue_ns, &run_ns)) {
    char timing[72];
    write_server_timing(timing, queue_ns, run_ns);
    ok &= MHD_add_response_header(response, "Server-Timing", timing) == MHD_YES;
  }
  ok &= MHD_add_response_header(response, "X-Content-Type-Options", "nosniff") == MHD_YES;
  ok &= MHD_add_response_header(response, "Cache-Control", "no-store") == MHD_YES;
  if (request->closes || request->server->drain != SRV_SERVING)
    ok &= MHD_add_response_header(response, "Connection", "close") == MHD_YES;
  return ok;
}

/* Creates libmicrohttpd's response. The body belongs to the call or the refusal, so the response
 * retains the request until it has been sent. */
static struct MHD_Response *create_response(srv_request *request) {
  const api_reply *reply = request->reply;
  if (request->reply_kind != SRV_REPLY_WHOLE)
    return MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES,
        request->reply_kind == SRV_REPLY_EVENTS ? srv_stream_read : srv_progress_read, request,
        on_reply_freed);
  return MHD_create_response_from_buffer_with_free_callback_cls(
      reply->body_length, (void *)(uintptr_t)(reply->body ? reply->body : ""), on_reply_freed,
      request);
}

/* True for a successful GET of events; HEAD opens no stream. */
static bool opens_event_stream(const srv_request *request) {
  return request->match.target == API_TARGET_EVENTS && request->reply->status == 200 &&
         strcmp(request->method, "GET") == 0;
}

/* Opens the stream, and frees the call, which would otherwise retain the revision that it has
 * read. */
static void open_event_stream(srv_request *request) {
  srv_stream_open(request);
  if (request->reply_kind == SRV_REPLY_EVENTS) srv_inputs_free_call(request);
}

enum MHD_Result srv_reply_send(srv_request *request) {
  if (!request->reply || request->reply->status == 0) return MHD_NO;
  if (opens_event_stream(request)) open_event_stream(request);
  const api_reply *reply = request->reply;
  struct MHD_Response *response = create_response(request);
  if (!response) return MHD_NO;
  srv_request_retain(request);
  enum MHD_Result result = MHD_NO;
  if (add_reply_headers(request, response))
    result = MHD_queue_response(request->handle, (unsigned)reply->status, response);
  MHD_destroy_response(response);
  if (result != MHD_YES) return MHD_NO;
  srv_request_set_state(request, SRV_STATE_SENT);
  request->replied_ns = uv_hrtime();
  /* Event streams limit their backlog and their time themselves. */
  switch (request->reply_kind) {
  case SRV_REPLY_WHOLE: srv_request_expect_reader(request, reply->body_length); break;
  case SRV_REPLY_EVENTS: break;
  case SRV_REPLY_PROGRESS: srv_progress_begin(request); break;
  }
  return result;
}

void srv_reply_log(srv_request *request) {
  uint64_t queue_ns, run_ns;
  get_work_times(request, &queue_ns, &run_ns);
  bool sent = request->state == SRV_STATE_SENT;
  const srv_metrics_sample sample = {.route = request->match.label,
                                     .method = request->method,
                                     .status = sent ? request->reply->status : 0,
                                     .latency_ns = sent && request->replied_ns > request->arrived_ns
                                                       ? request->replied_ns - request->arrived_ns
                                                       : 0,
                                     .queue_ns = queue_ns};
  srv_metrics_request(&request->server->metrics, &sample);
  bool head = strcmp(request->method, "HEAD") == 0;
  srv_log_entry entry = {
      .id = request->id,
      .method = request->method,
      .path = request->uri,
      .client = request->connection ? request->connection->client : "",
      .route = sample.route,
      .scene = request->match.label && request->match.scene_id[0] ? request->match.scene_id : NULL,
      .revision = request->revision,
      .status = sample.status,
      .problem = sent ? request->reply->problem : NULL,
      .bytes_in = request->bytes_in,
      .bytes_out = request->stream     ? srv_stream_bytes(request->stream)
                   : request->progress ? srv_progress_bytes(request->progress)
                   : sent && !head     ? request->reply->body_length
                                       : 0,
      .queue_ns = queue_ns,
      .run_ns = run_ns,
  };
  if (!entry.scene && request->new_id[0]) entry.scene = request->new_id;
  srv_log_request(request->server->log, &entry);
}
