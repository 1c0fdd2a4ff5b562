/* Matches a request's head with a row of the route table, or refuses it with the reason. The raw
 * path is split at '/', then each segment is percent-decoded once (RFC 3986). A trailing slash
 * makes a different path, which no route has. */
#include "routes/routes.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "calls/service.h"
#include "calls/url.h"
#include "json/fields.h"

/* Deepest template: /v1/scenes/{s}/filters/effective. */
#define SEGMENTS_MAX 6

typedef struct segment {
  char text[CT_ID_LENGTH_MAX + 1];
  size_t length;
  bool bad; /* invalid escape, a NUL, or longer than any id or fixed segment */
} segment;

typedef struct split_path {
  segment items[SEGMENTS_MAX];
  size_t count;
} split_path;

/* Decodes a segment into CT_ID_LENGTH_MAX bytes. Returns its length; -1: invalid or too long. */
static long decode_segment(const char *bytes, size_t length, char *out) {
  if (length > CT_ID_LENGTH_MAX || memchr(bytes, '%', length))
    return api_url_decode(bytes, length, out, CT_ID_LENGTH_MAX);
  memcpy(out, bytes, length); /* most segments have no escape */
  return (long)length;
}

/* Splits and decodes a path. False: no route can match (not absolute, a trailing slash, or too many
 * segments). */
static bool split_decoded(const char *path, split_path *out) {
  out->count = 0;
  if (path[0] != '/' || path[strlen(path) - 1] == '/') return false;
  while (*path == '/') {
    if (out->count == SEGMENTS_MAX) return false;
    size_t length = strcspn(++path, "/");
    segment *s = &out->items[out->count++];
    long decoded = decode_segment(path, length, s->text);
    s->bad = decoded < 0 || memchr(s->text, 0, (size_t)decoded) != NULL;
    s->length = s->bad ? 0 : (size_t)decoded;
    assert(s->length <= CT_ID_LENGTH_MAX);
    s->text[s->length] = 0;
    path += length;
  }
  return true;
}

/* True if the template matches. {..} matches any segment; ids are validated once the method is
 * known. */
static bool matches_template(const char *template, const split_path *path) {
  size_t index = 0;
  while (*template == '/') {
    template ++;
    if (index == path->count) return false;
    const segment *s = &path->items[index++];
    if (*template == '{') {
      while (*template && *template != '/') template ++;
      continue;
    }
    /* A percent-encoded slash is part of its segment, not a separator. */
    size_t length = strcspn(template, "/");
    if (s->bad || s->length != length || memcmp(s->text, template, length) != 0) return false;
    template += length;
  }
  return index == path->count;
}

/* Refuses the method, with an Allow header (RFC 9110, section 10.2.1) of all routes that match the
 * path. GET implies HEAD. */
static void refuse_method(const split_path *path, const char *method, api_reply *refusal) {
  api_header allowed = {.name = "Allow"}, *allow = &allowed;
  api_spelling likeness = api_spelling_start(method, strlen(method));
  size_t used = 0;
  for (size_t i = 0; i < api_route_count; i++) {
    const char *known = api_routes[i].method;
    if (!matches_template(api_routes[i].path, path) || strcmp(known, "HEAD") == 0) continue;
    api_spelling_consider(&likeness, known, strlen(known));
    if (strcmp(known, "GET") == 0) known = "GET, HEAD";
    size_t length = strlen(known);
    if (used + length + 3 > sizeof allow->value) continue;
    if (used > 0) {
      memcpy(allow->value + used, ", ", 2);
      used += 2;
    }
    memcpy(allow->value + used, known, length);
    used += length;
  }
  assert(used < sizeof allow->value);
  allow->value[used] = 0;
  char nearest[16] = "";
  if (likeness.best.length < sizeof nearest)
    memcpy(nearest, likeness.best.bytes ? likeness.best.bytes : "", likeness.best.length);
  char echo[API_ECHO_MAX + 4];
  api_refuse_suggesting(refusal, API_PROBLEM_METHOD_NOT_ALLOWED, nearest,
                        "The resource does not support the method %.32s; it supports %s.",
                        api_echo(api_text(method), echo), allowed.value);
  assert(refusal->header_count < sizeof refusal->headers / sizeof refusal->headers[0]);
  refusal->headers[refusal->header_count++] = allowed;
}

static void refuse_path_id(const segment *s, size_t number, api_reply *refusal) {
  char why[64];
  const char *fault =
      s->bad ? "is longer, has a zero byte, or a % that no two hexadecimal digits follow"
             : api_id_fault((ct_text){s->text, s->length}, why);
  api_refuse(refusal, API_PROBLEM_BAD_ID,
             "Segment %zu of the path %s; " API_ID_RULE ". Other bytes than letters, digits and "
             "- . _ ~ stand in paths as %%XX, a slash as %%2F.",
             number, fault);
}

/* Copies the ids from the path. False: an invalid id. */
static bool copy_path_ids(const split_path *path, api_match *match, api_reply *refusal) {
  assert(match->route && path->count > 0 && path->count <= SEGMENTS_MAX);
  const char *template = match->route->path;
  for (size_t i = 0; i < path->count; i++) {
    size_t length = strcspn(++template, "/");
    if (template[0] == '{') {
      const segment *s = &path->items[i];
      bool problem_name = template[1] == 'n';
      if (s->bad || !api_id_valid((ct_text){s->text, s->length})) {
        if (problem_name) api_refuse(refusal, API_PROBLEM_NOT_FOUND, "No problem has this name.");
        else refuse_path_id(s, i + 1, refusal);
        return false;
      }
      memcpy(template[1] == 's' ? match->scene_id : match->item_id, s->text, s->length + 1);
    }
    template += length;
  }
  return true;
}

/* True if the media type, without its parameters, equals `name`. */
static bool is_media_type(const char *type, size_t length, const char *name) {
  return strlen(name) == length && strncasecmp(type, name, length) == 0;
}

static bool is_json_media_type(const char *type, size_t length) {
  static const char suffix[] = "+json";
  return length == 0 || is_media_type(type, length, "application/json") ||
         is_media_type(type, length, "text/plain") ||
         is_media_type(type, length, "application/x-www-form-urlencoded") ||
         (length > sizeof suffix &&
          strncasecmp(type + length - (sizeof suffix - 1), suffix, sizeof suffix - 1) == 0);
}

/* Accepted content types beside application/json, for a refusal. */
static const char *describe_intake(api_intake intake) {
  switch (intake) {
  case API_INTAKE_BULK: return " or application/x-ndjson";
  case API_INTAKE_SHAPE: return ", model/stl for an STL file or model/obj for an OBJ file";
  default: return "";
  }
}

/* Finds the body form of a media type. False: the route does not accept the type. */
static bool find_body_form(api_intake intake, const char *type, size_t length, api_form *out) {
  *out = API_FORM_JSON;
  if (intake == API_INTAKE_BULK && is_media_type(type, length, "application/x-ndjson"))
    *out = API_FORM_NDJSON;
  else if (intake == API_INTAKE_SHAPE && is_media_type(type, length, "model/stl"))
    *out = API_FORM_STL;
  else if (intake == API_INTAKE_SHAPE && is_media_type(type, length, "model/obj"))
    *out = API_FORM_OBJ;
  else return is_json_media_type(type, length);
  return true;
}

static void set_body_limit(const api_limits *limits, api_intake intake, api_match *match) {
  match->body_hint = "";
  switch (match->form) {
  case API_FORM_NDJSON:
    match->body_limit = "ndjsonBytes";
    match->body_max = limits->ndjson_bytes;
    break;
  case API_FORM_STL:
  case API_FORM_OBJ:
    match->body_limit = "shapeBytes";
    match->body_max = limits->shape_bytes;
    break;
  default:
    match->body_limit = "jsonBytes";
    match->body_max = limits->json_bytes;
    if (intake == API_INTAKE_BULK)
      match->body_hint = " More bodies are sent with Content-Type: application/x-ndjson.";
    else if (intake == API_INTAKE_SHAPE)
      match->body_hint = " A file is sent with Content-Type: model/stl or model/obj.";
    else if (match->target == API_TARGET_PUT || match->target == API_TARGET_CREATE)
      match->body_hint = " More bodies are added by POST to the scene's /bodies.";
  }
}

static bool match_body(const api_service *service, const char *content_type, api_match *match,
                       api_reply *refusal) {
  assert(match->route);
  api_intake intake = match->route->body;
  match->takes_body = intake != API_INTAKE_NONE;
  if (!match->takes_body) return true;
  const char *type = content_type ? content_type + strspn(content_type, " \t") : "";
  if (!find_body_form(intake, type, strcspn(type, "; \t,"), &match->form)) {
    api_refuse(refusal, API_PROBLEM_UNSUPPORTED_MEDIA_TYPE, "This call accepts application/json%s.",
               describe_intake(intake));
    return false;
  }
  match->streams = match->form == API_FORM_NDJSON;
  set_body_limit(&service->limits, intake, match);
  return true;
}

/* ---- suggestions for unknown paths ---------------------------------------------------------- */

/* Buffer of a suggested path, NUL included. */
#define PATH_HINT_BYTES 400
/* Maximal number of segments: one more than any template has. */
#define RAW_SEGMENTS_MAX 7

typedef struct raw_path {
  ct_text items[RAW_SEGMENTS_MAX];
  size_t count;
} raw_path;

/* Splits at slashes; ignores empty segments. Too many segments: none. */
static raw_path split_undecoded(const char *path, bool versioned) {
  raw_path out = {0};
  if (versioned) out.items[out.count++] = (ct_text){"v1", 2};
  while (*path) {
    path += strspn(path, "/");
    size_t length = strcspn(path, "/");
    if (length && out.count == RAW_SEGMENTS_MAX) return (raw_path){0};
    if (length) out.items[out.count++] = (ct_text){path, length};
    path += length;
  }
  return out;
}

/* Sum of edit distances of the fixed segments; a difference in case counts 1. SIZE_MAX: not
 * similar. */
static size_t sum_segment_distances(const raw_path *given, const raw_path *template) {
  size_t sum = 0;
  if (given->count != template->count) return SIZE_MAX;
  for (size_t i = 0; i < given->count; i++) {
    ct_text word = given->items[i], known = template->items[i];
    if (known.bytes[0] == '{' ||
        (word.length == known.length && memcmp(word.bytes, known.bytes, word.length) == 0))
      continue;
    api_spelling likeness = api_spelling_start(word.bytes, word.length);
    api_spelling_consider(&likeness, known.bytes, known.length);
    if (!likeness.best.length) return SIZE_MAX;
    sum += likeness.distance ? likeness.distance : 1;
  }
  return sum;
}

static void write_suggested_path(const raw_path *given, const raw_path *template,
                                 char out[PATH_HINT_BYTES]) {
  assert(given->count == template->count);
  size_t used = 0;
  for (size_t i = 0; i < template->count; i++) {
    ct_text part = template->items[i].bytes[0] == '{' ? given->items[i] : template->items[i];
    if (used + part.length + 2 > PATH_HINT_BYTES) {
      used = 0;
      break;
    }
    out[used++] = '/';
    memcpy(out + used, part.bytes, part.length);
    used += part.length;
  }
  out[used] = 0;
}

/* Makes the route's path the suggestion if it is nearer than the best one so far. */
static void consider_route(const raw_path *given, const char *path, size_t *best,
                           char out[PATH_HINT_BYTES]) {
  raw_path template = split_undecoded(path, false);
  size_t distance = sum_segment_distances(given, &template);
  if (distance >= *best) return;
  *best = distance;
  write_suggested_path(given, &template, out);
}

/* Writes the path of the nearest route, with the given ids; "" if none is near. A near route has
 * the same number of segments and similar fixed segments; a missing "/v1" and trailing slashes are
 * ignored. */
static void suggest_path(const char *path, char out[PATH_HINT_BYTES]) {
  static const char *const of_server[] = {"/livez", "/readyz", "/metrics"};
  size_t best = SIZE_MAX;
  out[0] = 0;
  for (int versioned = 0; versioned < 2; versioned++) {
    raw_path given = split_undecoded(path, versioned);
    for (size_t i = 0; i < api_route_count && given.count; i++)
      consider_route(&given, api_routes[i].path, &best, out);
    for (size_t i = 0; i < sizeof of_server / sizeof of_server[0] && given.count; i++)
      consider_route(&given, of_server[i], &best, out);
  }
}

/* ---- matching ------------------------------------------------------------------------------- */

bool api_match_head(const api_service *service, const api_head *head, api_match *match,
                    api_reply *refusal) {
  split_path path;
  memset(match, 0, sizeof *match);
  bool known = false;
  if (split_decoded(head->path, &path)) {
    for (size_t i = 0; i < api_route_count && !match->route; i++) {
      if (!matches_template(api_routes[i].path, &path)) continue;
      known = true;
      if (strcmp(api_routes[i].method, head->method) == 0) match->route = &api_routes[i];
    }
  }
  if (!known) {
    char hint[PATH_HINT_BYTES];
    suggest_path(head->path, hint);
    api_refuse_suggesting(refusal, API_PROBLEM_NOT_FOUND, hint,
                          hint[0] ? "No route has this path."
                                  : "No route has this path. GET /openapi.json lists all routes; "
                                    "the guide, api/README.md, explains them.");
    return false;
  }
  if (!match->route) {
    refuse_method(&path, head->method, refusal);
    return false;
  }
  match->target = match->route->target;
  match->label = match->route->path;
  return copy_path_ids(&path, match, refusal) &&
         match_body(service, head->content_type, match, refusal);
}

bool api_match_names_shapes(const api_match *match) {
  if (match->target == API_TARGET_CREATE || match->target == API_TARGET_PUT) return true;
  if (match->target != API_TARGET_WRITE || !match->takes_body) return false;
  return !strstr(match->label, "/poses") && !strstr(match->label, "/filters");
}
