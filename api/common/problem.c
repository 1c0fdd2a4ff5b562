/* Table of problem types, JSON pointers (RFC 6901), collector of errors, problem document (RFC
 * 9457). */
#include "common/problem.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most tokens of a pointer: jsonDepth is at most 512, and a line of NDJSON adds one. Longer
 * pointers are cut. */
#define POINTER_LEVELS_MAX 514

/* Buffer size for the detail of a refusal: sentences around a path or a host, bytes. */
#define REFUSAL_BYTES 768

static const api_problem problems[API_PROBLEM_COUNT] = {
#define X(id, name, status, title, text) {name, status, title, text},
#include <api/problems.def>
#undef X
};

const api_problem *api_problem_get(api_problem_id id) {
  assert((size_t)id < API_PROBLEM_COUNT);
  return &problems[id];
}

bool api_problem_find(const char *name, api_problem_id *id) {
  for (size_t i = 0; i < API_PROBLEM_COUNT; i++) {
    if (strcmp(problems[i].name, name) != 0) continue;
    *id = (api_problem_id)i;
    return true;
  }
  return false;
}

/* ---- JSON pointers -------------------------------------------------------------------------- */

api_pointer api_pointer_member(const api_pointer *parent, const char *name) {
  return api_pointer_member_text(parent, api_text(name));
}

api_pointer api_pointer_member_text(const api_pointer *parent, ct_text name) {
  return (api_pointer){
      .parent = parent, .kind = API_POINTER_MEMBER, .name = name.bytes, .length = name.length};
}

api_pointer api_pointer_index(const api_pointer *parent, size_t index) {
  return (api_pointer){.parent = parent, .kind = API_POINTER_INDEX, .index = index};
}

/* Returns the length of the longest prefix that ends after a whole character and has at most
 * API_ECHO_MAX bytes. */
static size_t echo_length(ct_text text) {
  if (text.length <= API_ECHO_MAX) return text.length;
  size_t length = API_ECHO_MAX;
  while (length && ((unsigned char)text.bytes[length] & 0xc0) == 0x80) length--;
  return length;
}

/* Writes '/' and the escaped token, and returns their length. out has 2 * API_ECHO_MAX + 32
 * bytes. */
static size_t write_token(const api_pointer *node, char *out) {
  assert(node->kind != API_POINTER_ROOT);
  size_t n = 0;
  out[n++] = '/';
  if (node->kind == API_POINTER_INDEX) return n + api_number_unsigned(node->index, out + n);
  size_t length = echo_length((ct_text){node->name, node->length});
  for (size_t i = 0; i < length; i++) {
    char byte = node->name[i];
    if (byte == '~' || byte == '/') {
      out[n++] = '~';
      out[n++] = byte == '~' ? '0' : '1';
    } else {
      out[n++] = byte;
    }
  }
  if (length < node->length) {
    memcpy(out + n, "...", 3);
    n += 3;
  }
  return n;
}

void api_pointer_write(const api_pointer *at, char *out, size_t size) {
  assert(size > 0);
  const api_pointer *nodes[POINTER_LEVELS_MAX];
  size_t count = 0, n = 0;
  for (; at && count < POINTER_LEVELS_MAX; at = at->parent)
    if (at->kind != API_POINTER_ROOT) nodes[count++] = at;
  while (count) {
    char token[2 * API_ECHO_MAX + 32];
    size_t length = write_token(nodes[--count], token);
    if (n + length + 1 > size) break;
    memcpy(out + n, token, length);
    n += length;
  }
  out[n] = 0;
}

/* ---- faults --------------------------------------------------------------------------------- */

/* True for the errors that cut validation short: they are reported alone, because the list of other
 * errors may be incomplete. */
static bool overrides_others(api_problem_id id) {
  return id == API_PROBLEM_OUT_OF_MEMORY || id == API_PROBLEM_DEADLINE_EXCEEDED;
}

static api_fault *add_fault(api_faults *faults, api_problem_id id) {
  api_fault *fault = faults->count < API_FAULTS_MAX && !faults->alone
                         ? &faults->items[faults->count]
                         : &faults->spare;
  bool takes_over = overrides_others(id) && !faults->alone;
  if (faults->count == 0 || takes_over) faults->id = id;
  if (takes_over) {
    faults->alone = true;
    fault = &faults->items[0];
  }
  faults->count++;
  *fault = (api_fault){0};
  return fault;
}

__attribute__((format(printf, 2, 0))) static void
format_detail(api_fault *fault, const char *detail, va_list arguments) {
  int length = vsnprintf(fault->detail, sizeof fault->detail, detail, arguments);
  /* Truncate a too long detail after a whole character. */
  if (length < (int)sizeof fault->detail) return;
  size_t end = sizeof fault->detail - 4;
  while (end && ((unsigned char)fault->detail[end] & 0xc0) == 0x80) end--;
  memcpy(fault->detail + end, "...", 4);
}

api_fault *api_fault_at(api_faults *faults, api_problem_id id, const api_pointer *at,
                        const char *detail, ...) {
  api_fault *fault = add_fault(faults, id);
  va_list arguments;
  va_start(arguments, detail);
  format_detail(fault, detail, arguments);
  va_end(arguments);
  fault->has_pointer = true;
  api_pointer_write(at, fault->pointer, sizeof fault->pointer);
  return fault;
}

api_fault *api_fault_plain(api_faults *faults, api_problem_id id, const char *detail, ...) {
  api_fault *fault = add_fault(faults, id);
  va_list arguments;
  va_start(arguments, detail);
  format_detail(fault, detail, arguments);
  va_end(arguments);
  return fault;
}

void api_fault_limit(api_fault *fault, double limit, double actual) {
  fault->has_limit = isfinite(limit) != 0;
  fault->has_actual = isfinite(actual) != 0;
  fault->limit = limit;
  fault->actual = actual;
}

void api_fault_suggest(api_fault *fault, ct_text word) {
  size_t length = echo_length(word);
  assert(length < sizeof fault->suggestion);
  memcpy(fault->suggestion, word.bytes, length);
  fault->suggestion[length] = 0;
}

/* Replaces the full stop at the end of a text by "; did you mean ...?". */
static void append_suggestion(char *text, size_t size, const char *word) {
  size_t length = strlen(text);
  if (length && text[length - 1] == '.') text[length - 1] = 0;
  api_text_append(text, size, "; did you mean \"%s\"?", word);
}

void api_fault_did_you_mean(api_fault *fault, api_spelling likeness) {
  if (!likeness.best.length) return;
  api_fault_suggest(fault, likeness.best);
  char echo[API_ECHO_MAX + 4];
  append_suggestion(fault->detail, sizeof fault->detail, api_echo(likeness.best, echo));
}

void api_fault_memory(api_faults *faults) {
  api_fault_plain(faults, API_PROBLEM_OUT_OF_MEMORY,
                  "Out of memory for this request; nothing has changed. Retry later, or send a "
                  "smaller request.");
}

void api_fault_cancelled(api_faults *faults) {
  api_fault_plain(faults, API_PROBLEM_DEADLINE_EXCEEDED,
                  "The request was stopped at its deadline; nothing has changed. Increase "
                  "deadlineMs, or send a smaller request.");
}

const char *api_echo(ct_text text, char *out) {
  size_t length = echo_length(text);
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)text.bytes[i];
    out[i] = byte < 0x20 || byte == 0x7f ? '?' : text.bytes[i];
  }
  memcpy(out + length, length < text.length ? "..." : "", length < text.length ? 4 : 1);
  return out;
}

/* ---- documents ------------------------------------------------------------------------------ */

static void open_problem_object(api_buffer *buffer, api_problem_id id, const char *detail) {
  assert(buffer->failed || buffer->length == 0);
  const api_problem *problem = api_problem_get(id);
  api_put_raw(buffer, "{\"type\":\"/problems/");
  api_put_raw(buffer, problem->name);
  api_put_byte(buffer, '"');
  api_put_member_string(buffer, "title", api_text(problem->title));
  api_put_member_unsigned(buffer, "status", (uint64_t)problem->status);
  api_put_member_string(buffer, "detail", api_text(detail));
}

static void put_error(api_buffer *buffer, const api_fault *fault) {
  api_put_item(buffer);
  api_put_byte(buffer, '{');
  api_put_member_string(buffer, "pointer", api_text(fault->pointer));
  api_put_member_string(buffer, "detail", api_text(fault->detail));
  if (fault->has_limit) api_put_member_number(buffer, "limit", fault->limit);
  if (fault->has_actual) api_put_member_number(buffer, "actual", fault->actual);
  if (fault->suggestion[0])
    api_put_member_string(buffer, "suggestion", api_text(fault->suggestion));
  api_put_byte(buffer, '}');
}

void api_put_problem(api_buffer *buffer, const api_faults *faults) {
  assert(api_faults_any(faults));
  open_problem_object(buffer, faults->id, faults->items[0].detail);
  const api_fault *first = &faults->items[0];
  if (!first->has_pointer && first->suggestion[0])
    api_put_member_string(buffer, "suggestion", api_text(first->suggestion));
  size_t count = faults->count < API_FAULTS_MAX ? faults->count : API_FAULTS_MAX, places = 0;
  if (faults->alone) count = 1;
  for (size_t i = 0; i < count; i++) places += faults->items[i].has_pointer;
  if (places) {
    api_put_key(buffer, "errors");
    api_put_byte(buffer, '[');
    for (size_t i = 0; i < count; i++)
      if (faults->items[i].has_pointer) put_error(buffer, &faults->items[i]);
    api_put_byte(buffer, ']');
  }
  api_put_byte(buffer, '}');
}

void api_reply_retry(api_reply *reply) {
  reply->headers[0] = (api_header){.name = "Retry-After", .value = "1"};
  reply->header_count = 1;
}

static void send_refusal(api_reply *reply, api_problem_id id, const char *suggestion,
                         const char *text) {
  api_buffer buffer = {0};
  open_problem_object(&buffer, id, text);
  if (suggestion[0]) api_put_member_string(&buffer, "suggestion", api_text(suggestion));
  api_put_byte(&buffer, '}');
  const api_problem *problem = api_problem_get(id);
  *reply = (api_reply){
      .status = problem->status, .content_type = API_PROBLEM_TYPE, .problem = problem->name};
  if (id == API_PROBLEM_OUT_OF_MEMORY) api_reply_retry(reply);
  reply->body = api_buffer_detach(&buffer, &reply->body_length);
}

void api_refuse(api_reply *reply, api_problem_id id, const char *detail, ...) {
  char text[REFUSAL_BYTES];
  va_list arguments;
  va_start(arguments, detail);
  int length = vsnprintf(text, sizeof text, detail, arguments);
  va_end(arguments);
  send_refusal(reply, id, "", length < 0 ? "" : text);
}

void api_refuse_suggesting(api_reply *reply, api_problem_id id, const char *suggestion,
                           const char *detail, ...) {
  char text[REFUSAL_BYTES];
  va_list arguments;
  va_start(arguments, detail);
  int length = vsnprintf(text, sizeof text, detail, arguments);
  va_end(arguments);
  if (length < 0) text[0] = 0;
  if (suggestion[0]) append_suggestion(text, sizeof text, suggestion);
  send_refusal(reply, id, suggestion, text);
}
