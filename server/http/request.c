/* The request object: reference counts, refusals, body buffers, suspension of its connection. */
#include "http/progress_stream.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  if (!request->uri) {
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

void srv_request_retain(srv_request *request) { request->references++; }

void srv_request_release(srv_request *request) {
  assert(request->references > 0);
  if (--request->references == 0) srv_job_dispose(request);
}

void srv_request_free(srv_request *request) {
  srv_server *server = request->server;
  srv_heap_note_freed(&server->heap, request->bytes_in);
  if (request->entry) {
    srv_registry_release(server->registry, request->entry);
    (void)srv_server_evict_scenes(server);
  }
  srv_idempotency_free(request);
  ct_cancel_destroy(request->cancel);
  if (request->ranges_lock_made) uv_mutex_destroy(&request->ranges_lock);
  free((void *)(uintptr_t)request->refusal.body);
  srv_progress_free(request->progress);
  free(request->uri);
  if (request->counted) {
    server->requests--;
    if (server->drain != SRV_SERVING) srv_drain_check(server);
  }
  free(request);
}

void srv_request_refuse(srv_request *request, api_problem_id problem, const char *detail, ...) {
  char text[384 + API_HINT_MAX]; /* an id, a reason, a hint */
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

/* ---- buffers -------------------------------------------------------------------------------- */

bool srv_buffer_append(srv_server *server, srv_buffer *buffer, const char *bytes, size_t length,
                       size_t expected) {
  size_t needed = buffer->length + length;
  if (needed > buffer->capacity) {
    /* Doubling bounds the memory that a client can reserve without sending: at most the bytes
     * received again, and never more than it has announced. */
    size_t capacity = buffer->capacity ? buffer->capacity * 2 : 4096;
    if (expected > needed && capacity > expected) capacity = expected;
    if (capacity < needed) capacity = needed;
    uint64_t budget = server->limits->request_memory_bytes;
    if (server->body_bytes - buffer->capacity + capacity > budget) return false;
    char *grown = realloc(buffer->bytes, capacity);
    if (!grown) return false;
    server->body_bytes += capacity - buffer->capacity;
    buffer->bytes = grown;
    buffer->capacity = capacity;
  }
  memcpy(buffer->bytes + buffer->length, bytes, length);
  buffer->length = needed;
  return true;
}

void srv_buffer_clear(srv_server *server, srv_buffer *buffer) {
  server->body_bytes -= buffer->capacity;
  free(buffer->bytes);
  *buffer = (srv_buffer){0};
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
    return api_match_names_shapes(&request->match) && !request->has_shapes;
  if (!request->match.takes_body || body->length == 0) return false;
  /* ids of posted shapes begin with "s-"; an escape sequence can spell any id */
  return memmem(body->bytes, body->length, "\"s-", 3) || memchr(body->bytes, '\\', body->length);
}

/* ---- suspension ----------------------------------------------------------------------------- */

void srv_request_suspend(srv_request *request) {
  if (request->suspended) return;
  MHD_suspend_connection(request->handle);
  request->suspended_ns = uv_hrtime();
  request->suspended = true;
  srv_sweep_add(request->server, request);
}

void srv_request_wake(srv_request *request, srv_state state) {
  if (request->progress && state == SRV_STATE_READY) state = srv_progress_end(request);
  srv_request_resume(request, state);
}

void srv_request_resume(srv_request *request, srv_state state) {
  request->state = state;
  if (!request->suspended) return;
  srv_sweep_remove(request->server, request);
  request->suspended = false;
  MHD_resume_connection(request->handle);
  srv_server_mark_dirty(request->server);
}
