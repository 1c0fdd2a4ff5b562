/* Calls on the resources of a scene: revisions, preconditions, the state after a failed write,
 * listings. */
#include "tests/support/api_rig.h"

#define BALL(id, x)                                                                                \
  "{\"id\": \"" id "\", \"position\": [" x                                                         \
  ", 0, 0], \"colliders\": [{\"sphere\": {\"radius\": 0.5}}]}"
#define THREE "{\"bodies\": [" BALL("a", "0") ", " BALL("b", "2") ", " BALL("c", "4") "]}"
#define NDJSON "application/x-ndjson"

static rig with_three(void) {
  rig r = rig_open();
  rig_must(&r, "PUT", "/v1/scenes/s", THREE, 201);
  return r;
}

static uint64_t revision_of(rig *r, const char *id) {
  return ct_scene_revision(rig_find(r, id)->current);
}

/* Body of a GET. The caller frees it. */
static char *document(rig *r, const char *path) {
  rig_reply reply = rig_ask(r, "GET", path, NULL);
  CHECK_INT(reply.status, 200);
  json_decref(reply.json);
  return reply.body;
}

static void put_creates_with_201_and_replaces_with_200(void) {
  rig r = rig_open();
  r.first_revision = 41;
  rig_reply reply = rig_ask(&r, "PUT", "/v1/scenes/s", THREE);
  CHECK_INT(reply.status, 201);
  CHECK_TEXT(reply.body, "{\"id\":\"s\",\"revision\":41,\"durability\":\"memory\"}");
  CHECK_TEXT(reply.etag, "\"r41\"");
  CHECK_TEXT(reply.location, "/v1/scenes/s");
  rig_free(&reply);
  reply = rig_ask(&r, "PUT", "/v1/scenes/s", "{}");
  CHECK_INT(reply.status, 200);
  CHECK_TEXT(reply.body, "{\"revision\":42,\"durability\":\"memory\"}");
  rig_free(&reply);
  CHECK_INT(ct_scene_count(rig_find(&r, "s")->current), 0);
  rig_close(&r);
}

static void post_takes_the_id_that_the_server_made(void) {
  rig r = rig_open();
  rig_reply reply = rig_ask(&r, "POST", "/v1/scenes", THREE);
  CHECK_INT(reply.status, 201);
  CHECK_TEXT(reply.location, "/v1/scenes/made");
  CHECK_TEXT(reply.body, "{\"id\":\"made\",\"revision\":1,\"durability\":\"memory\"}");
  rig_free(&reply);
  rig_refused(&r, "POST", "/v1/scenes", "{\"id\": \"own\"}", (rig_fault){422, "bad-value", "/id"});
  rig_close(&r);
}

static void every_write_makes_one_revision(void) {
  static const struct {
    const char *method, *path, *body;
    int status;
  } writes[] = {
      {"PATCH", "/v1/scenes/s", "{\"user\": 1}", 200},
      {"POST", "/v1/scenes/s/bodies", "[" BALL("d", "6") ", " BALL("e", "8") "]", 201},
      {"POST", "/v1/scenes/s/bodies", "[]", 201},
      {"PATCH", "/v1/scenes/s/bodies",
       "[{\"id\": \"d\", \"position\": [7, 0, 0]}, {\"id\": \"e\", \"position\": [9, 0, 0]}]", 200},
      {"PUT", "/v1/scenes/s/bodies/f", BALL("f", "11"), 201},
      {"PUT", "/v1/scenes/s/bodies/f", BALL("f", "12"), 200},
      {"PATCH", "/v1/scenes/s/bodies/f", "{\"position\": [13, 0, 0]}", 200},
      {"PATCH", "/v1/scenes/s/poses", "{\"ids\": [\"a\"], \"positions\": [[0, 1, 0]]}", 200},
      {"PUT", "/v1/scenes/s/filters", "{\"groups\": {}}", 200},
      {"DELETE", "/v1/scenes/s/bodies/f", NULL, 200},
      {"DELETE", "/v1/scenes/s/bodies?id=d&id=e", NULL, 200},
      {"DELETE", "/v1/scenes/s/bodies?prefix=zz", NULL, 200},
      {"PUT", "/v1/scenes/s/poses",
       "{\"ids\": [\"c\", \"b\", \"a\"], \"positions\": [[0,0,0], [2,0,0], [4,0,0]]}", 200},
  };
  rig r = with_three();
  for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++) {
    rig_reply reply = rig_ask(&r, writes[i].method, writes[i].path, writes[i].body);
    char etag[32];
    snprintf(etag, sizeof etag, "\"r%zu\"", i + 2);
    if (reply.status != writes[i].status || revision_of(&r, "s") != i + 2 ||
        strcmp(reply.etag, etag) != 0)
      CHECK_FAIL("%s %s is %d at %s: %s", writes[i].method, writes[i].path, reply.status,
                 reply.etag, reply.body);
    CHECK_INT(json_integer_value(json_object_get(reply.json, "revision")), i + 2);
    CHECK_TEXT(json_string_value(json_object_get(reply.json, "durability")), "memory");
    rig_free(&reply);
  }
  rig_close(&r);
}

static void delete_gives_the_revision_after_the_last(void) {
  rig r = with_three();
  rig_must(&r, "PATCH", "/v1/scenes/s", "{\"user\": 1}", 200);
  rig_reply reply = rig_ask(&r, "DELETE", "/v1/scenes/s", NULL);
  CHECK_INT(reply.status, 200);
  CHECK_TEXT(reply.body, "{\"revision\":3,\"durability\":\"memory\"}");
  rig_free(&reply);
  CHECK_INT(r.scene_count, 0);
  rig_close(&r);
}

static void a_failing_write_changes_nothing(void) {
  static const struct {
    const char *method, *path, *body;
    rig_fault fault;
  } writes[] = {
      {"PUT",
       "/v1/scenes/s",
       "{\"bodies\": [" BALL("x", "0") ", " BALL("x", "1") "]}",
       {422, "duplicate-id", "/bodies/1/id"}},
      {"PUT", "/v1/scenes/s", "{\"bodys\": []}", {422, "unknown-member", "/bodys"}},
      {"PUT", "/v1/scenes/s", "{\"id\": \"t\"}", {422, "bad-value", "/id"}},
      {"PUT", "/v1/scenes/s", "{", {400, "malformed-json", NULL}},
      {"PUT", "/v1/scenes/s", NULL, {400, "malformed-json", NULL}},
      {"PATCH", "/v1/scenes/s", "{\"bodies\": []}", {422, "unknown-member", "/bodies"}},
      {"POST",
       "/v1/scenes/s/bodies",
       "[" BALL("d", "0") ", " BALL("a", "1") "]",
       {409, "id-in-use", "/1/id"}},
      {"POST",
       "/v1/scenes/s/bodies",
       "[" BALL("d", "0") ", " BALL("d", "1") "]",
       {422, "duplicate-id", "/1/id"}},
      {"POST",
       "/v1/scenes/s/bodies",
       "[" BALL("d", "0") ", {\"id\": \"e\"}]",
       {422, "missing-member", NULL}},
      {"POST", "/v1/scenes/s/bodies", "{}", {422, "wrong-type", ""}},
      {"PATCH",
       "/v1/scenes/s/bodies",
       "[{\"id\": \"a\", \"position\": [1, 1, 1]}, {\"id\": \"z\"}]",
       {422, "unknown-id", "/1/id"}},
      {"PATCH",
       "/v1/scenes/s/bodies",
       "[{\"position\": [1, 1, 1]}]",
       {422, "missing-member", "/0/id"}},
      {"DELETE", "/v1/scenes/s/bodies?id=a&id=z", NULL, {422, "unknown-id", NULL}},
      {"DELETE", "/v1/scenes/s/bodies?id=a&id=a", NULL, {422, "duplicate-id", NULL}},
      {"DELETE", "/v1/scenes/s/bodies", NULL, {400, "bad-parameter", NULL}},
      {"DELETE", "/v1/scenes/s/bodies?prefix=", NULL, {400, "bad-parameter", NULL}},
      {"DELETE", "/v1/scenes/s/bodies?prefix=a&prefix=b", NULL, {400, "bad-parameter", NULL}},
      {"DELETE", "/v1/scenes/s/bodies?id=a&prefix=b", NULL, {400, "bad-parameter", NULL}},
      {"DELETE", "/v1/scenes/s/bodies?id=a&ids=b", NULL, {400, "bad-parameter", NULL}},
      {"PUT", "/v1/scenes/s/bodies/a", BALL("b", "0"), {422, "bad-value", "/id"}},
      {"PATCH",
       "/v1/scenes/s/bodies/a",
       "{\"position\": [1, 2]}",
       {422, "wrong-type", "/position"}},
      {"PATCH", "/v1/scenes/s/bodies/z", "{}", {404, "body-not-found", NULL}},
      {"DELETE", "/v1/scenes/s/bodies/z", NULL, {404, "body-not-found", NULL}},
      {"PUT",
       "/v1/scenes/s/poses",
       "{\"ids\": [\"a\"], \"positions\": [[1, 1, 1]]}",
       {422, "missing-member", NULL}},
      {"PATCH",
       "/v1/scenes/s/poses",
       "{\"ids\": [\"a\", \"z\"], \"positions\": [[1, 1, 1], [2, 2, 2]]}",
       {422, "unknown-id", "/ids/1"}},
      {"PUT",
       "/v1/scenes/s/filters",
       "{\"pairs\": [{\"a\": \"a\", \"b\": \"z\", \"collide\": false}]}",
       {422, "unknown-id", "/pairs/0/b"}},
  };
  rig r = with_three();
  char *before = document(&r, "/v1/scenes/s");
  for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++) {
    rig_refused(&r, writes[i].method, writes[i].path, writes[i].body, writes[i].fault);
    char *after = document(&r, "/v1/scenes/s");
    CHECK_TEXT(after, before);
    CHECK_INT(revision_of(&r, "s"), 1);
    free(after);
  }
  free(before);
  rig_close(&r);
}

static void scenes_that_are_not_there_are_404_before_anything_else(void) {
  rig r = rig_open();
  static const char *const calls[][2] = {
      {"GET", "/v1/scenes/s"},         {"DELETE", "/v1/scenes/s?x=1"},
      {"PATCH", "/v1/scenes/s"},       {"GET", "/v1/scenes/s/bodies"},
      {"POST", "/v1/scenes/s/bodies"}, {"GET", "/v1/scenes/s/poses"},
      {"GET", "/v1/scenes/s/filters"}, {"POST", "/v1/scenes/s/query/pairs"},
      {"PUT", "/v1/scenes/s/bodies/b"}};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
    rig_refused(&r, calls[i][0], calls[i][1], "{", (rig_fault){404, "scene-not-found", NULL});
  api_head head = {.method = "POST", .path = "/v1/scenes/s/bodies", .content_type = NDJSON};
  rig_problem(&r, &head, "{]\n", (rig_fault){404, "scene-not-found", NULL});
  rig_close(&r);
}

static void if_match_guards_every_write(void) {
  static const char *const writes[][3] = {{"PUT", "/v1/scenes/s", THREE},
                                          {"PATCH", "/v1/scenes/s", "{}"},
                                          {"DELETE", "/v1/scenes/s", NULL},
                                          {"POST", "/v1/scenes/s/bodies", "[]"},
                                          {"PATCH", "/v1/scenes/s/bodies", "[]"},
                                          {"DELETE", "/v1/scenes/s/bodies?id=a", NULL},
                                          {"PUT", "/v1/scenes/s/bodies/a", BALL("a", "1")},
                                          {"PATCH", "/v1/scenes/s/bodies/a", "{}"},
                                          {"DELETE", "/v1/scenes/s/bodies/a", NULL},
                                          {"PUT", "/v1/scenes/s/poses", "{}"},
                                          {"PATCH", "/v1/scenes/s/poses", "{}"},
                                          {"PUT", "/v1/scenes/s/filters", "{}"}};
  static const char *const stale[] = {"\"r2\"", "W/\"r1\"", "r1",      "\"r1",
                                      "\"\"",   "\"R1\"",   "\"r01\"", ", ,"};
  rig r = with_three();
  for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++) {
    for (size_t t = 0; t < sizeof stale / sizeof stale[0]; t++) {
      api_head head = {.method = writes[i][0], .path = writes[i][1], .if_match = stale[t]};
      const char *body = writes[i][2];
      rig_reply reply = rig_send(&r, &head, body, body ? strlen(body) : 0, 0);
      if (reply.status != 412)
        CHECK_FAIL("%s %s with %s is %d: %s", writes[i][0], writes[i][1], stale[t], reply.status,
                   reply.body);
      CHECK_TEXT(reply.etag, "\"r1\"");
      CHECK(strstr(reply.body, "r1") != NULL);
      rig_free(&reply);
    }
  }
  api_head head = {.method = "PATCH", .path = "/v1/scenes/s", .if_match = "\"r9\", \"r1\""};
  rig_reply reply = rig_send(&r, &head, "{\"user\": 1}", 11, 0);
  CHECK_INT(reply.status, 200);
  rig_free(&reply);
  head.if_match = "*";
  reply = rig_send(&r, &head, "{\"user\": 2}", 11, 0);
  CHECK_INT(reply.status, 200);
  rig_free(&reply);
  rig_close(&r);
}

static void if_none_match_star_only_creates_and_if_match_star_only_replaces(void) {
  rig r = rig_open();
  api_head create = {.method = "PUT", .path = "/v1/scenes/s", .if_none_match = "*"};
  api_head replace = {.method = "PUT", .path = "/v1/scenes/s", .if_match = "*"};
  rig_problem(&r, &replace, THREE, (rig_fault){412, "revision-mismatch", NULL});
  rig_reply reply = rig_send(&r, &create, THREE, strlen(THREE), 0);
  CHECK_INT(reply.status, 201);
  rig_free(&reply);
  rig_problem(&r, &create, THREE, (rig_fault){412, "revision-mismatch", NULL});
  api_head body = {.method = "PUT", .path = "/v1/scenes/s/bodies/a", .if_none_match = "*"};
  rig_problem(&r, &body, BALL("a", "1"), (rig_fault){412, "revision-mismatch", NULL});
  body.path = "/v1/scenes/s/bodies/new";
  reply = rig_send(&r, &body, BALL("new", "1"), strlen(BALL("new", "1")), 0);
  CHECK_INT(reply.status, 201);
  CHECK_TEXT(reply.location, "/v1/scenes/s/bodies/new");
  rig_free(&reply);
  rig_close(&r);
}

static void a_get_of_the_known_revision_is_304_without_a_body(void) {
  static const char *const paths[] = {
      "/v1/scenes/s",       "/v1/scenes/s/bodies",  "/v1/scenes/s/bodies/a",
      "/v1/scenes/s/poses", "/v1/scenes/s/filters", "/v1/scenes/s/filters/effective?a=a&b=b"};
  rig r = with_three();
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    api_head head = {.method = "GET", .path = paths[i], .if_none_match = "\"x\", W/\"r1\""};
    rig_reply reply = rig_send(&r, &head, NULL, 0, 0);
    CHECK_INT(reply.status, 304);
    CHECK_INT(reply.length, 0);
    CHECK_TEXT(reply.etag, "\"r1\"");
    rig_free(&reply);
    head.if_none_match = "\"r0\"";
    reply = rig_send(&r, &head, NULL, 0, 0);
    CHECK_INT(reply.status, 200);
    CHECK_TEXT(reply.etag, "\"r1\"");
    rig_free(&reply);
  }
  rig_close(&r);
}

static void ndjson_in_any_pieces_adds_what_an_array_adds(void) {
  static const char lines[] = BALL("d", "6") "\n\n" BALL("e", "8") "\r\n" BALL("f", "10");
  rig r = with_three();
  rig_must(&r, "PUT", "/v1/scenes/t", THREE, 201);
  rig_must(&r, "POST", "/v1/scenes/t/bodies",
           "[" BALL("d", "6") ", " BALL("e", "8") ", " BALL("f", "10") "]", 201);
  char *wanted = document(&r, "/v1/scenes/t/bodies");
  for (size_t piece = 1; piece < sizeof lines; piece += piece < 8 ? 1 : 37) {
    rig_must(&r, "PUT", "/v1/scenes/s", THREE, rig_find(&r, "s") ? 200 : 201);
    rig_must(&r, "DELETE", "/v1/scenes/s", NULL, 200);
    rig_must(&r, "PUT", "/v1/scenes/s", THREE, 201);
    api_head head = {.method = "POST", .path = "/v1/scenes/s/bodies", .content_type = NDJSON};
    rig_reply reply = rig_send(&r, &head, lines, sizeof lines - 1, piece);
    CHECK_INT(reply.status, 201);
    CHECK_TEXT(reply.body, "{\"count\":3,\"revision\":2,\"durability\":\"memory\"}");
    rig_free(&reply);
    char *got = document(&r, "/v1/scenes/s/bodies");
    CHECK_TEXT(got, wanted);
    free(got);
  }
  free(wanted);
  rig_close(&r);
}

static void a_cancelled_stream_of_patches_changes_nothing(void) {
  static const char line[] = "{\"id\": \"a\", \"position\": [1, 0, 0]}\n";
  rig r = with_three();
  r.cancel = ct_cancel_create();
  ct_cancel_raise(r.cancel);
  api_head head = {.method = "PATCH", .path = "/v1/scenes/s/bodies", .content_type = NDJSON};
  rig_reply reply = rig_send(&r, &head, line, sizeof line - 1, 0);
  CHECK_INT(reply.status, 504);
  CHECK_INT(revision_of(&r, "s"), 1);
  rig_free(&reply);
  ct_cancel_destroy(r.cancel);
  rig_close(&r);
}

static void a_bad_line_fails_the_whole_stream(void) {
  rig r = with_three();
  api_head post = {.method = "POST", .path = "/v1/scenes/s/bodies", .content_type = NDJSON};
  rig_problem(&r, &post,
              BALL("d", "6") "\n{\"id\": \"e\", \"colliders\": [{\"sphere\": {\"radius\": 0}}]}\n",
              (rig_fault){422, "out-of-range", "/1/colliders/0/sphere/radius"});
  rig_problem(&r, &post, BALL("d", "6") "\n" BALL("a", "7"),
              (rig_fault){409, "id-in-use", "/1/id"});
  api_head patch = {.method = "PATCH", .path = "/v1/scenes/s/bodies", .content_type = NDJSON};
  rig_problem(&r, &patch, "{\"id\": \"a\", \"position\": [9, 9, 9]}\n{\"id\": \"z\"}\n",
              (rig_fault){422, "unknown-id", "/1/id"});
  CHECK_INT(revision_of(&r, "s"), 1);
  CHECK_INT(ct_scene_count(rig_find(&r, "s")->current), 3);
  rig_reply reply = rig_send(&r, &patch, "{\"id\": \"a\", \"position\": [9, 9, 9]}", 34, 5);
  CHECK_INT(reply.status, 200);
  rig_free(&reply);
  CHECK_NEAR(ct_scene_pose(rig_find(&r, "s")->current, 0).position.y, 9.0, 0.0);
  rig_close(&r);
}

static void an_empty_stream_is_a_write_of_nothing(void) {
  rig r = with_three();
  api_head head = {.method = "POST", .path = "/v1/scenes/s/bodies", .content_type = NDJSON};
  rig_reply reply = rig_send(&r, &head, "", 0, 0);
  CHECK_INT(reply.status, 201);
  CHECK_TEXT(reply.body, "{\"count\":0,\"revision\":2,\"durability\":\"memory\"}");
  rig_free(&reply);
  rig_close(&r);
}

/* Ids of all pages of a listing, joined by blanks. */
static void page_through(rig *r, const char *path, const char *member, char *out, size_t size) {
  char cursor[256] = "", url[512];
  out[0] = 0;
  for (int page = 0; page < 20; page++) {
    snprintf(url, sizeof url, "%s%s%s", path, cursor[0] ? "&cursor=" : "", cursor);
    rig_reply reply = rig_ask(r, "GET", url, NULL);
    CHECK_INT(reply.status, 200);
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(reply.json, member), i, item) {
      strncat(out, json_string_value(json_object_get(item, "id")), size - strlen(out) - 1);
      strncat(out, " ", size - strlen(out) - 1);
    }
    CHECK_INT(json_integer_value(json_object_get(reply.json, "count")),
              json_array_size(json_object_get(reply.json, member)));
    const char *next = json_string_value(json_object_get(reply.json, "nextCursor"));
    CHECK((next != NULL) == json_is_true(json_object_get(reply.json, "truncated")));
    snprintf(cursor, sizeof cursor, "%s", next ? next : "");
    rig_free(&reply);
    if (!cursor[0]) return;
    /* Writes between pages do not change a listing of bodies. */
    if (strcmp(member, "bodies") == 0 && page == 0)
      rig_must(r, "DELETE", "/v1/scenes/s/bodies?id=b", NULL, 200);
  }
  CHECK_FAIL("%s has no end", path);
}

static void listings_page_in_order(void) {
  rig r = with_three();
  char ids[200];
  rig_must(&r, "PUT", "/v1/scenes/q", "{}", 201);
  rig_must(&r, "PUT", "/v1/scenes/r", "{}", 201);
  rig_must(&r, "PUT", "/v1/scenes/t", "{}", 201);
  page_through(&r, "/v1/scenes?limit=3", "scenes", ids, sizeof ids);
  CHECK_TEXT(ids, "q r s t ");
  page_through(&r, "/v1/scenes?limit=4", "scenes", ids, sizeof ids);
  CHECK_TEXT(ids, "q r s t ");
  page_through(&r, "/v1/scenes/s/bodies?limit=1", "bodies", ids, sizeof ids);
  CHECK_TEXT(ids, "a b c ");
  CHECK_INT(revision_of(&r, "s"), 2);
  rig_close(&r);
}

static void a_listing_whose_revision_is_not_kept_is_410(void) {
  rig r = with_three();
  rig_reply reply = rig_ask(&r, "GET", "/v1/scenes/s/bodies?limit=2", NULL);
  char url[300];
  snprintf(url, sizeof url, "/v1/scenes/s/bodies?cursor=%s",
           json_string_value(json_object_get(reply.json, "nextCursor")));
  rig_free(&reply);
  rig_scene *s = rig_find(&r, "s");
  CHECK_INT(s->kept_count, 1);
  ct_scene_release(s->kept[0]);
  s->kept_count = 0;
  rig_must(&r, "GET", url, NULL, 200);
  rig_must(&r, "PATCH", "/v1/scenes/s", "{\"user\": 1}", 200);
  rig_refused(&r, "GET", url, NULL, (rig_fault){410, "revision-gone", NULL});
  rig_close(&r);
}

static void parameters_are_checked(void) {
  rig r = with_three();
  static const char *const bad[] = {"/v1/scenes?limit=0",
                                    "/v1/scenes?limit=-1",
                                    "/v1/scenes?limit=1e3",
                                    "/v1/scenes?limit=1000001",
                                    "/v1/scenes?limit=99999999999999999999",
                                    "/v1/scenes?limit=",
                                    "/v1/scenes?limit",
                                    "/v1/scenes?limit=1&limit=1",
                                    "/v1/scenes?Limit=1",
                                    "/v1/scenes?limi=1",
                                    "/v1/scenes?=1",
                                    "/v1/scenes?limit%20=1",
                                    "/v1/scenes?limit=%zz",
                                    "/v1/scenes/s?limit=1",
                                    "/v1/scenes/s/filters/effective",
                                    "/v1/scenes/s/filters/effective?a=a",
                                    "/v1/scenes/s/filters/effective?a=a&b=b&b=c",
                                    "/v1/scenes/s/filters/effective?a=a&b=a",
                                    "/v1/scenes/s/filters/effective?a=a&b=.."};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    rig_refused(&r, "GET", bad[i], NULL, (rig_fault){400, "bad-parameter", NULL});
  rig_refused(&r, "GET", "/v1/scenes?cursor=%20", NULL, (rig_fault){422, "bad-cursor", NULL});
  rig_refused(&r, "GET", "/v1/scenes/s/bodies?cursor=", NULL, (rig_fault){422, "bad-cursor", NULL});
  rig_must(&r, "GET", "/v1/scenes?&limit=%31&", NULL, 200);
  rig_must(&r, "GET", "/v1/scenes/s/filters/effective?b=a&a=%62", NULL, 200);
  rig_close(&r);
}

static void scenes_beyond_the_limit_are_refused_and_replacing_is_not(void) {
  api_limits limits = rig_limits();
  limits.scenes = 2;
  rig r = rig_open_with(&limits);
  rig_must(&r, "PUT", "/v1/scenes/a", "{}", 201);
  rig_must(&r, "PUT", "/v1/scenes/b", "{}", 201);
  rig_refused(&r, "PUT", "/v1/scenes/c", "{}", (rig_fault){422, "limit-exceeded", NULL});
  rig_refused(&r, "POST", "/v1/scenes", "{}", (rig_fault){422, "limit-exceeded", NULL});
  rig_must(&r, "PUT", "/v1/scenes/b", "{}", 200);
  rig_close(&r);
}

static void documents_about_the_daemon(void) {
  rig r = rig_open();
  rig_reply reply = rig_ask(&r, "GET", "/v1/limits", NULL);
  json_t *page = json_object_get(json_object_get(reply.json, "limits"), "page");
  CHECK_INT(json_integer_value(json_object_get(page, "value")), 10000);
  CHECK_INT(json_integer_value(json_object_get(reply.json, "workers")), 2);
  rig_free(&reply);
  reply = rig_ask(&r, "GET", "/problems/degenerate-hull", NULL);
  CHECK_INT(json_integer_value(json_object_get(reply.json, "status")), 422);
  CHECK_TEXT(json_string_value(json_object_get(reply.json, "type")), "/problems/degenerate-hull");
  rig_free(&reply);
  reply = rig_ask(&r, "GET", "/openapi.json", NULL);
  CHECK_TEXT(json_string_value(json_object_get(reply.json, "openapi")), "3.1.0");
  rig_free(&reply);
  rig_refused(&r, "GET", "/problems/no-such", NULL, (rig_fault){404, "not-found", NULL});
  rig_close(&r);
}

static const check_test tests[] = {
    {"put_creates_with_201_and_replaces_with_200", put_creates_with_201_and_replaces_with_200},
    {"post_takes_the_id_that_the_server_made", post_takes_the_id_that_the_server_made},
    {"every_write_makes_one_revision", every_write_makes_one_revision},
    {"delete_gives_the_revision_after_the_last", delete_gives_the_revision_after_the_last},
    {"a_failing_write_changes_nothing", a_failing_write_changes_nothing},
    {"scenes_that_are_not_there_are_404_before_anything_else",
     scenes_that_are_not_there_are_404_before_anything_else},
    {"if_match_guards_every_write", if_match_guards_every_write},
    {"if_none_match_star_only_creates_and_if_match_star_only_replaces",
     if_none_match_star_only_creates_and_if_match_star_only_replaces},
    {"a_get_of_the_known_revision_is_304_without_a_body",
     a_get_of_the_known_revision_is_304_without_a_body},
    {"ndjson_in_any_pieces_adds_what_an_array_adds", ndjson_in_any_pieces_adds_what_an_array_adds},
    {"a_cancelled_stream_of_patches_changes_nothing",
     a_cancelled_stream_of_patches_changes_nothing},
    {"a_bad_line_fails_the_whole_stream", a_bad_line_fails_the_whole_stream},
    {"an_empty_stream_is_a_write_of_nothing", an_empty_stream_is_a_write_of_nothing},
    {"listings_page_in_order", listings_page_in_order},
    {"a_listing_whose_revision_is_not_kept_is_410", a_listing_whose_revision_is_not_kept_is_410},
    {"parameters_are_checked", parameters_are_checked},
    {"scenes_beyond_the_limit_are_refused_and_replacing_is_not",
     scenes_beyond_the_limit_are_refused_and_replacing_is_not},
    {"documents_about_the_daemon", documents_about_the_daemon},
};
CHECK_MAIN(tests)
