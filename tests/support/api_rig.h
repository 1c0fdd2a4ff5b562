/* A daemon without HTTP for tests of the API: a registry of a few scenes, calls that run to their
 * end in this thread, ranges in any order. One translation unit, one rig at a time. */
#ifndef TESTS_API_RIG_H
#define TESTS_API_RIG_H

#include <api/api.h>
#include <api/record.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

#define RIG_SCENES 8
#define RIG_KEPT 8

typedef struct rig_scene {
  char id[CT_ID_LENGTH_MAX + 1];
  const ct_scene *current;
  const ct_scene *kept[RIG_KEPT];
  size_t kept_count;
} rig_scene;

/* The order of ranges: as handed out, or all available ranges from the last to the first. */
typedef enum rig_order { RIG_FORWARD, RIG_BACKWARD, RIG_SERIAL } rig_order;

typedef struct rig {
  api_service *service;
  api_scratch *scratch;
  ct_cancel *cancel;            /* raised by a test, or NULL */
  rig_scene scenes[RIG_SCENES]; /* in ascending order of id */
  size_t scene_count;
  const api_shape_table *shapes; /* NULL until a shape is posted */
  bool written;                  /* passed to a commit of shapes: bodies are being written */
  uint64_t first_revision;
  rig_order order;
  size_t ranges;      /* run by the last call */
  double cost_ns;     /* estimated cost of the last call that left work */
  bool *counting;     /* set while a call runs, for tests that count allocations; may be NULL */
  api_record *posted; /* receives the record of a posted shape; may be NULL */
} rig;

typedef struct rig_reply {
  int status;
  char *body; /* null-terminated */
  size_t length;
  json_t *json; /* NULL if the body is not JSON */
  char etag[64], allow[160], location[API_LOCATION_BYTES];
  uint64_t deadline_ms;
  bool tells_when; /* the reply has Retry-After */
} rig_reply;

static inline api_limits rig_limits(void) {
  api_limits limits;
#define RIG_LIMIT(member, name, standard, least, greatest, unit, text) limits.member = standard;
  API_LIMIT_MAP(RIG_LIMIT)
#undef RIG_LIMIT
  return limits;
}

static inline rig rig_open_with(const api_limits *limits) {
  api_settings settings = {.limits = *limits, .durability = "memory", .workers = 2};
  return (rig){.service = api_service_create(&settings),
               .scratch = api_scratch_create(),
               .first_revision = 1};
}

static inline rig rig_open(void) {
  api_limits limits = rig_limits();
  return rig_open_with(&limits);
}

static inline void rig_close(rig *r) {
  for (size_t i = 0; i < r->scene_count; i++) {
    ct_scene_release(r->scenes[i].current);
    for (size_t k = 0; k < r->scenes[i].kept_count; k++) ct_scene_release(r->scenes[i].kept[k]);
  }
  api_shapes_release(r->shapes);
  api_scratch_destroy(r->scratch);
  api_service_destroy(r->service);
}

static inline rig_scene *rig_find(rig *r, const char *id) {
  for (size_t i = 0; i < r->scene_count; i++)
    if (strcmp(r->scenes[i].id, id) == 0) return &r->scenes[i];
  return NULL;
}

/* Makes a revision the current one of an id. */
static inline void rig_commit(rig *r, const char *id, const ct_scene *scene) {
  rig_scene *s = rig_find(r, id);
  if (s) {
    ct_scene_release(s->current);
  } else {
    size_t at = 0;
    while (at < r->scene_count && strcmp(r->scenes[at].id, id) < 0) at++;
    memmove(r->scenes + at + 1, r->scenes + at, (r->scene_count - at) * sizeof *r->scenes);
    r->scene_count++;
    s = &r->scenes[at];
    memset(s, 0, sizeof *s);
    snprintf(s->id, sizeof s->id, "%s", id);
  }
  s->current = ct_scene_retain(scene);
}

static inline void rig_remove(rig *r, const char *id) {
  rig_scene *s = rig_find(r, id);
  ct_scene_release(s->current);
  for (size_t k = 0; k < s->kept_count; k++) ct_scene_release(s->kept[k]);
  size_t at = (size_t)(s - r->scenes);
  memmove(s, s + 1, (r->scene_count - at - 1) * sizeof *s);
  r->scene_count--;
}

static inline void rig_count(rig *r, bool on) {
  if (r->counting) *r->counting = on;
}

static inline void rig_run(rig *r, api_call *call) {
  r->ranges = 0;
  if (r->order == RIG_SERIAL) {
    CHECK(api_call_run_serially(call, r->scratch));
    return;
  }
  for (;;) {
    long given[256];
    size_t count = 0;
    size_t most = r->order == RIG_BACKWARD ? 256 : 1;
    for (long range; count < most && (range = api_call_next(call)) >= 0;) given[count++] = range;
    if (count == 0) break;
    for (size_t i = 0; i < count; i++) {
      size_t which = r->order == RIG_BACKWARD ? count - 1 - i : i;
      api_call_run(call, given[which], r->scratch);
      api_call_done(call, given[which]);
    }
    r->ranges += count;
  }
  api_call_finish(call);
}

static inline void rig_header(rig_reply *out, const api_reply *reply) {
  snprintf(out->location, sizeof out->location, "%s", reply->location);
  for (size_t i = 0; i < reply->header_count; i++) {
    const api_header *h = &reply->headers[i];
    if (strcmp(h->name, "ETag") == 0) snprintf(out->etag, sizeof out->etag, "%s", h->value);
    if (strcmp(h->name, "Allow") == 0) snprintf(out->allow, sizeof out->allow, "%s", h->value);
    if (strcmp(h->name, "Retry-After") == 0) out->tells_when = true;
  }
}

static inline rig_reply rig_take(const api_reply *reply) {
  rig_reply out = {.status = reply->status, .length = reply->body_length};
  out.body = malloc(reply->body_length + 1);
  if (reply->body_length) memcpy(out.body, reply->body, reply->body_length);
  out.body[reply->body_length] = 0;
  out.json = json_loadb(out.body, out.length, JSON_DECODE_ANY, NULL);
  rig_header(&out, reply);
  return out;
}

static inline void rig_free(rig_reply *reply) {
  free(reply->body);
  json_decref(reply->json);
}

static inline void rig_commit_shapes(rig *r, api_call *call) {
  const api_shape_table *old = r->shapes;
  r->shapes = api_call_commit_shapes(call, old, r->written);
  api_shapes_release(old);
}

/* Applies the outcome of a call to the registry, as the server does. */
static inline void rig_outcome(rig *r, const api_match *match, api_call *call, const char *new_id) {
  int status = api_call_reply(call)->status;
  const char *id = match->target == API_TARGET_CREATE ? new_id : match->scene_id;
  if (api_call_new_revision(call)) rig_commit(r, id, api_call_new_revision(call));
  if (match->target == API_TARGET_DELETE && status >= 200 && status < 300) rig_remove(r, id);
  rig_scene *s = rig_find(r, id);
  if (api_call_pin(call) && s && s->kept_count < RIG_KEPT)
    s->kept[s->kept_count++] = ct_scene_retain(api_call_pin(call));
}

/* One request. head->path may carry a query after '?'. A streamed body is fed in pieces of `piece`
 * bytes (0: all at once). */
static inline rig_reply rig_send(rig *r, const api_head *sent, const char *body, size_t length,
                                 size_t piece) {
  char path[API_LOCATION_BYTES + 1024];
  snprintf(path, sizeof path, "%s", sent->path);
  api_head head = *sent;
  char *mark = strchr(path, '?');
  if (mark) *mark = 0;
  head.path = path;
  if (mark) head.query = mark + 1;
  api_match match;
  api_reply refusal = {0};
  if (!api_match_head(r->service, &head, &match, &refusal)) {
    rig_reply out = rig_take(&refusal);
    free((void *)(uintptr_t)refusal.body);
    return out;
  }
  rig_count(r, true);
  api_call *call = api_call_create(r->service, &head, &match);
  if (!call) {
    rig_count(r, false);
    /* The same refusal as by the daemon. */
    return (rig_reply){.status = 503, .body = calloc(1, 1), .tells_when = true};
  }
  api_call_set_shapes(call, r->shapes);
  if (match.streams)
    for (size_t at = 0; at < length; at += piece ? piece : length)
      if (!api_call_feed(call, body + at, piece && length - at > piece ? piece : length - at))
        break;
  api_scene_entry entries[RIG_SCENES];
  for (size_t i = 0; i < r->scene_count; i++)
    entries[i] = (api_scene_entry){.id = r->scenes[i].id, .scene = r->scenes[i].current};
  rig_scene *s = match.scene_id[0] ? rig_find(r, match.scene_id) : NULL;
  api_input input = {.body = match.streams ? NULL : body,
                     .body_length = match.streams ? 0 : length,
                     .scene = s ? s->current : NULL,
                     .kept = s ? s->kept : NULL,
                     .kept_count = s ? s->kept_count : 0,
                     .first_revision = r->first_revision,
                     .new_scene_id = "made",
                     .scenes = entries,
                     .scene_count = r->scene_count,
                     .cancel = r->cancel};
  if (api_call_begin(call, &input) == API_STEP_WORK) {
    r->cost_ns = api_call_cost_ns(call);
    rig_run(r, call);
  }
  if (match.target == API_TARGET_SHAPE_WRITE && r->posted) CHECK(api_record_shape(call, r->posted));
  if (match.target == API_TARGET_SHAPE_WRITE) rig_commit_shapes(r, call);
  rig_count(r, false);
  rig_reply out = rig_take(api_call_reply(call));
  out.deadline_ms = api_call_deadline_ms(call);
  rig_outcome(r, &match, call, "made");
  api_call_destroy(call);
  return out;
}

static inline rig_reply rig_ask(rig *r, const char *method, const char *path, const char *body) {
  api_head head = {.method = method, .path = path};
  return rig_send(r, &head, body, body ? strlen(body) : 0, 0);
}

/* Sends, checks the status and discards the reply. */
static inline void rig_must(rig *r, const char *method, const char *path, const char *body,
                            int status) {
  rig_reply reply = rig_ask(r, method, path, body);
  if (reply.status != status)
    CHECK_FAIL("%s %s is %d, should be %d: %.300s", method, path, reply.status, status, reply.body);
  rig_free(&reply);
}

/* An expected problem; pointer NULL: any. */
typedef struct rig_fault {
  int status;
  const char *name;
  const char *pointer;
} rig_fault;

/* Checks the status, the type, and that one error has the pointer. */
static inline void rig_problem(rig *r, const api_head *head, const char *body, rig_fault expected) {
  rig_reply reply = rig_send(r, head, body, body ? strlen(body) : 0, 0);
  const char *type = json_string_value(json_object_get(reply.json, "type"));
  if (reply.status != expected.status || !type || strncmp(type, "/problems/", 10) != 0 ||
      strcmp(type + 10, expected.name) != 0)
    CHECK_FAIL("%s %s %s is %d, should be %d %s: %.300s", head->method, head->path,
               body ? body : "", reply.status, expected.status, expected.name, reply.body);
  bool found = expected.pointer == NULL;
  size_t i;
  json_t *error;
  json_array_foreach(json_object_get(reply.json, "errors"), i, error) {
    const char *at = json_string_value(json_object_get(error, "pointer"));
    found = found || (at && strcmp(at, expected.pointer) == 0);
  }
  if (!found)
    CHECK_FAIL("%s %s has no error at %s: %.300s", head->method, head->path, expected.pointer,
               reply.body);
  rig_free(&reply);
}

static inline void rig_refused(rig *r, const char *method, const char *path, const char *body,
                               rig_fault expected) {
  api_head head = {.method = method, .path = path};
  rig_problem(r, &head, body, expected);
}

/* result i of a reply */
static inline json_t *rig_result(const rig_reply *reply, size_t i) {
  return json_array_get(json_object_get(reply->json, "results"), i);
}

static inline double rig_number(json_t *object, const char *name) {
  json_t *value = json_object_get(object, name);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

#endif
