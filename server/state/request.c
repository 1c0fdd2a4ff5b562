/* The request object: states, reference counts, refusals, body buffers, queues, suspension. */
#include "state/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- states --------------------------------------------------------------------------------- */

#define TO(value) (1u << (value))

const unsigned srv_permitted_states[SRV_STATE_GONE + 1] = {
    [SRV_STATE_HEAD] = TO(SRV_STATE_BODY),
    [SRV_STATE_BODY] = TO(SRV_STATE_BODY) | TO(SRV_STATE_SWALLOW) | TO(SRV_STATE_WAIT) |
                       TO(SRV_STATE_SENT) | TO(SRV_STATE_GONE),
    [SRV_STATE_SWALLOW] = TO(SRV_STATE_SENT),
    [SRV_STATE_WAIT] = TO(SRV_STATE_READY) | TO(SRV_STATE_GONE),
    /* READY: a progress stream may get its result before libmicrohttpd has sent its first lines. */
    [SRV_STATE_READY] = TO(SRV_STATE_READY) | TO(SRV_STATE_SENT),
    /* SENT: a progress stream has more lines to send. */
    [SRV_STATE_SENT] = TO(SRV_STATE_SENT) | TO(SRV_STATE_GONE),
    [SRV_STATE_GONE] = 0};

#define RESULT (TO(SRV_WORK_STORING) | TO(SRV_WORK_CONCLUDED) | TO(SRV_WORK_ENDED))

const unsigned srv_permitted_work[SRV_WORK_FREEING + 1] = {
    [SRV_WORK_IDLE] = TO(SRV_WORK_FEEDING) | TO(SRV_WORK_REFRESHING) | TO(SRV_WORK_AWAITS_SHAPES) |
                      TO(SRV_WORK_AWAITS_SCENE) | TO(SRV_WORK_AWAITS_TURN) | TO(SRV_WORK_QUEUED) |
                      RESULT,
    [SRV_WORK_FEEDING] = TO(SRV_WORK_IDLE) | TO(SRV_WORK_CANCELLED) | TO(SRV_WORK_ENDED),
    [SRV_WORK_REFRESHING] = TO(SRV_WORK_IDLE) | TO(SRV_WORK_ENDED),
    [SRV_WORK_AWAITS_SHAPES] = TO(SRV_WORK_IDLE) | TO(SRV_WORK_ENDED),
    [SRV_WORK_AWAITS_SCENE] = TO(SRV_WORK_IDLE) | TO(SRV_WORK_ENDED),
    [SRV_WORK_AWAITS_TURN] = TO(SRV_WORK_IDLE) | TO(SRV_WORK_QUEUED) | TO(SRV_WORK_ENDED),
    [SRV_WORK_QUEUED] = TO(SRV_WORK_BEGINNING) | TO(SRV_WORK_ENDED),
    [SRV_WORK_BEGINNING] = TO(SRV_WORK_RUNNING) | TO(SRV_WORK_CANCELLED) | RESULT,
    [SRV_WORK_RUNNING] = TO(SRV_WORK_CANCELLED) | RESULT,
    [SRV_WORK_CANCELLED] = TO(SRV_WORK_ENDED),
    [SRV_WORK_STORING] =
        TO(SRV_WORK_CONCLUDED) | TO(SRV_WORK_ENDED) | TO(SRV_WORK_IDLE) | TO(SRV_WORK_RUNNING),
    [SRV_WORK_CONCLUDED] = TO(SRV_WORK_ENDED),
    [SRV_WORK_ENDED] = TO(SRV_WORK_FREEING),
    [SRV_WORK_FREEING] = 0};

/* ---- life ----------------------------------------------------------------------------------- */

static void write_request_id(srv_server *server, char *out) {
  static const char hex[] = "0123456789abcdef";
  uint64_t number = server->id_prefix + server->id_next++;
  for (int i = 15; i >= 0; i--, number >>= 4) out[i] = hex[number & 15];
  out[16] = 0;
}

srv_request *srv_request_create(srv_server *server, struct MHD_Connection *handle,
                                const char *uri) {
  size_t length = strlen(uri) + 1;
  srv_request *request = calloc(1, sizeof *request);
  if (!request) return NULL;
  request->uri = malloc(length);
  if (!request->uri || uv_mutex_init(&request->ranges_lock) != 0) {
    free(request->uri);
    free(request);
    return NULL;
  }
  memcpy(request->uri, uri, length);
  request->server = server;
  request->handle = handle;
  request->references = 1;
  request->deadline_peek.name = "deadlineMs";
  write_request_id(server, request->id);
  return request;
}

void srv_request_release(srv_request *request) {
  assert(request->references > 0);
  if (--request->references == 0) request->server->handlers->dispose(request);
}

void srv_request_free(srv_request *request) {
  srv_server *server = request->server;
  assert(request->references == 0 && !request->stream && !request->progress);
  assert(!srv_request_is_suspended(request) && !srv_request_is_writer(request));
  uint64_t factor = request->bytes_in > SRV_INLINE_BODY ? SRV_HEAP_BYTES_PER_BYTE : 1;
  srv_heap_note_freed(&server->heap, factor * request->bytes_in);
  if (request->entry) {
    srv_registry_release(server->registry, request->entry);
    (void)srv_server_evict_scenes(server);
  }
  free(request->fingerprint);
  ct_cancel_destroy(request->cancel);
  uv_mutex_destroy(&request->ranges_lock);
  free((void *)(uintptr_t)request->refusal.body);
  free(request->uri);
  if (srv_request_is_counted(request)) {
    assert(server->requests > 0);
    server->requests--;
  }
  free(request);
}

/* ---- refusals ------------------------------------------------------------------------------- */

void srv_request_refuse(srv_request *request, api_problem_id problem, const char *detail, ...) {
  char text[384 + API_HINT_MAX]; /* long enough for an id, a reason and a hint */
  va_list arguments;
  va_start(arguments, detail);
  vsnprintf(text, sizeof text, detail, arguments);
  va_end(arguments);
  free((void *)(uintptr_t)request->refusal.body);
  request->refusal = (api_reply){0};
  api_refuse(&request->refusal, problem, "%s", text);
  request->reply = &request->refusal;
}

void srv_request_refusal_header(srv_request *request, const char *name, const char *value) {
  api_reply *reply = &request->refusal;
  if (reply->header_count == sizeof reply->headers / sizeof reply->headers[0]) return;
  api_header *header = &reply->headers[reply->header_count++];
  header->name = name;
  snprintf(header->value, sizeof header->value, "%s", value);
}

/* Size of the text of describe_effect. */
#define EFFECT_MAX 64

/* Writes the effect of a request that fails now: nothing, or its last checkpoint. */
static const char *describe_effect(const srv_request *request, char out[EFFECT_MAX]) {
  if (request->checkpoint)
    snprintf(out, EFFECT_MAX, "revision %llu, its last checkpoint, is kept",
             (unsigned long long)request->checkpoint);
  else snprintf(out, EFFECT_MAX, "nothing has changed");
  return out;
}

void srv_request_refuse_overdue(srv_request *request, uint64_t ms) {
  char effect[EFFECT_MAX];
  srv_request_refuse(request, API_PROBLEM_DEADLINE_EXCEEDED,
                     "The request was not complete after %llu ms; %s.%s", (unsigned long long)ms,
                     describe_effect(request, effect), request->hint);
}

void srv_request_refuse_memory(srv_request *request) {
  char effect[EFFECT_MAX];
  srv_request_refuse(request, API_PROBLEM_OUT_OF_MEMORY, "Out of memory for the request; %s.",
                     describe_effect(request, effect));
}

/* ---- posted shapes -------------------------------------------------------------------------- */

bool srv_request_needs_shapes(const srv_request *request) {
  const srv_buffer *body = &request->body;
  switch (request->match.target) {
  case API_TARGET_SHAPE_LIST:
  case API_TARGET_SHAPE_READ:
  case API_TARGET_SHAPE_WRITE: return true;
  default: break;
  }
  if (request->match.streams)
    return api_match_names_shapes(&request->match) && request->shape_use == SRV_SHAPES_UNSET;
  if (!request->match.takes_body || body->length == 0) return false;
  /* ids of posted shapes begin with "s-"; since an escape can spell any id, a backslash counts
   * too */
  return memmem(body->bytes, body->length, "\"s-", 3) || memchr(body->bytes, '\\', body->length);
}

/* ---- queues --------------------------------------------------------------------------------- */

void srv_request_queue_push(srv_request_queue *queue, srv_request *request) {
  assert(!queue->first == !queue->last && !request->next_waiting);
  if (queue->last) queue->last->next_waiting = request;
  else queue->first = request;
  queue->last = request;
}

srv_request *srv_request_queue_pop(srv_request_queue *queue) {
  srv_request *request = queue->first;
  if (!request) return NULL;
  queue->first = request->next_waiting;
  if (!queue->first) queue->last = NULL;
  request->next_waiting = NULL;
  return request;
}

void srv_request_queue_remove(srv_request_queue *queue, srv_request *request) {
  srv_request *before = NULL;
  for (srv_request *at = queue->first; at != request; at = at->next_waiting) {
    assert(at);
    before = at;
  }
  if (before) before->next_waiting = request->next_waiting;
  else queue->first = request->next_waiting;
  if (queue->last == request) queue->last = before;
  request->next_waiting = NULL;
}

/* ---- suspension and reply ------------------------------------------------------------------- */

void srv_request_suspend(srv_request *request) {
  srv_server *server = request->server;
  if (srv_request_is_suspended(request)) return;
  assert(server->suspended_count < server->limits->connections);
  MHD_suspend_connection(request->handle);
  request->suspended_ns = uv_hrtime();
  server->suspended[server->suspended_count++] = request;
  request->suspended_place = server->suspended_count;
  if (!uv_is_active((uv_handle_t *)&server->sweep)) uv_timer_again(&server->sweep);
}

void srv_request_leave_suspended(srv_request *request) {
  srv_server *server = request->server;
  if (!srv_request_is_suspended(request)) return;
  size_t at = request->suspended_place - 1;
  assert(at < server->suspended_count && server->suspended[at] == request);
  srv_request *last = server->suspended[--server->suspended_count];
  server->suspended[at] = last;
  last->suspended_place = at + 1;
  request->suspended_place = 0;
}
