/* Routing: the route, method, id and content type of a request's head. Truth: the table of paths in
 * the documentation. */
#include "tests/support/api_rig.h"

/* Status of matching alone; 0 if the request matches. */
static int refusal(const api_head *head, char *allow) {
  rig r = rig_open();
  api_match match;
  api_reply reply = {0};
  int status = api_match_head(r.service, head, &match, &reply) ? 0 : reply.status;
  if (allow) allow[0] = 0;
  for (size_t i = 0; allow && i < reply.header_count; i++)
    if (strcmp(reply.headers[i].name, "Allow") == 0)
      snprintf(allow, 160, "%s", reply.headers[i].value);
  free((void *)(uintptr_t)reply.body);
  rig_close(&r);
  return status;
}

static int status_of(const char *method, const char *path) {
  api_head head = {.method = method, .path = path};
  return refusal(&head, NULL);
}

static void every_path_of_the_api_is_found(void) {
  static const char *const heads[][2] = {
      {"GET", "/v1/scenes"},
      {"POST", "/v1/scenes"},
      {"GET", "/v1/scenes/x"},
      {"HEAD", "/v1/scenes/x"},
      {"PUT", "/v1/scenes/x"},
      {"PATCH", "/v1/scenes/x"},
      {"DELETE", "/v1/scenes/x"},
      {"GET", "/v1/scenes/x/bodies"},
      {"POST", "/v1/scenes/x/bodies"},
      {"PATCH", "/v1/scenes/x/bodies"},
      {"DELETE", "/v1/scenes/x/bodies"},
      {"GET", "/v1/scenes/x/bodies/y"},
      {"PUT", "/v1/scenes/x/bodies/y"},
      {"PATCH", "/v1/scenes/x/bodies/y"},
      {"DELETE", "/v1/scenes/x/bodies/y"},
      {"GET", "/v1/scenes/x/poses"},
      {"PUT", "/v1/scenes/x/poses"},
      {"PATCH", "/v1/scenes/x/poses"},
      {"GET", "/v1/scenes/x/filters"},
      {"PUT", "/v1/scenes/x/filters"},
      {"GET", "/v1/scenes/x/filters/effective"},
      {"POST", "/v1/scenes/x/query"},
      {"POST", "/v1/scenes/x/query/pairs"},
      {"POST", "/v1/scenes/x/query/overlap"},
      {"POST", "/v1/scenes/x/query/distance"},
      {"POST", "/v1/scenes/x/query/massProperties"},
      {"POST", "/v1/query"},
      {"POST", "/v1/query/pairs"},
      {"POST", "/v1/query/overlap"},
      {"POST", "/v1/query/distance"},
      {"POST", "/v1/query/massProperties"},
      {"POST", "/v1/scenes/x/query/sweep"},
      {"POST", "/v1/scenes/x/query/timeline"},
      {"POST", "/v1/query/sweep"},
      {"POST", "/v1/query/timeline"},
      {"GET", "/v1/limits"},
      {"GET", "/v1/version"},
      {"GET", "/openapi.json"},
      {"GET", "/problems/bad-id"},
  };
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
    if (status_of(heads[i][0], heads[i][1]) != 0)
      CHECK_FAIL("%s %s is not found", heads[i][0], heads[i][1]);
}

static void other_paths_are_404(void) {
  static const char *const paths[] = {"/",
                                      "",
                                      "v1/scenes",
                                      "/v1",
                                      "/v1/",
                                      "/v1/scenes/",
                                      "/v2/scenes",
                                      "/v1/scenes/x/",
                                      "/v1/scenes/x/bodies/",
                                      "/v1/scenes/x/bodies/y/z",
                                      "/v1/Scenes",
                                      "/v1/limits/",
                                      "/v1/query/sweeps",
                                      "/v1/scenes/x/query/volumes",
                                      "/openapi.jsonx",
                                      "/a/b/c/d/e/f/g/h/i",
                                      "/v1/scenes%2Fx",
                                      "/problems/.."};
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    int status = status_of("GET", paths[i]);
    if (status != 404) CHECK_FAIL("GET %s is %d, should be 404", paths[i], status);
  }
}

static void a_wrong_method_is_405_and_allow_lists_all_that_are_known(void) {
  char allow[160];
  CHECK_INT(refusal(&(api_head){.method = "POST", .path = "/v1/scenes/x"}, allow), 405);
  CHECK_TEXT(allow, "GET, HEAD, PUT, PATCH, DELETE");
  CHECK_INT(refusal(&(api_head){.method = "PUT", .path = "/v1/scenes"}, allow), 405);
  CHECK_TEXT(allow, "GET, HEAD, POST");
  CHECK_INT(refusal(&(api_head){.method = "get", .path = "/v1/limits"}, allow), 405);
  CHECK_TEXT(allow, "GET, HEAD");
  CHECK_INT(refusal(&(api_head){.method = "PUT", .path = "/v1/scenes/x/events"}, allow), 405);
  CHECK_TEXT(allow, "GET, HEAD");
  CHECK_INT(refusal(&(api_head){.method = "GET", .path = "/v1/query/distance"}, allow), 405);
  CHECK_TEXT(allow, "POST");
}

static void ids_are_decoded_once_and_judged_after_that(void) {
  rig r = rig_open();
  api_match match;
  api_reply reply = {0};
  api_head head = {.method = "GET", .path = "/v1/%73cenes/a%2Db%7e/bodies/%5F%3a%40"};
  CHECK(api_match_head(r.service, &head, &match, &reply));
  CHECK_TEXT(match.scene_id, "a-b~");
  CHECK_TEXT(match.item_id, "_:@");
  CHECK_TEXT(match.label, "/v1/scenes/{s}/bodies/{b}");
  CHECK(!match.takes_body);
  rig_close(&r);
  static const char *const bad[] = {"a%00", "a%0",    "a%",  "%zz",       "%2e",
                                    "..",   "%2E%2e", "%C3", "%c0%af",    "%1f",
                                    "%7F",  "%C2%85", "%80", "%ED%A0%80", "%F5%80%80%80"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char path[64];
    snprintf(path, sizeof path, "/v1/scenes/%s", bad[i]);
    int status = status_of("GET", path);
    if (status != 400) CHECK_FAIL("%s is %d, should be 400", path, status);
  }
}

static void a_decoded_slash_is_a_character_of_its_id(void) {
  rig r = rig_open();
  static const struct {
    const char *path, *scene, *item;
  } cases[] = {{"/v1/scenes/%2Fwam1/bodies/base%231", "/wam1", "base#1"},
               {"/v1/scenes/left%20finger/bodies/a+b,c;d=e", "left finger", "a+b,c;d=e"},
               {"/v1/scenes/%252F/bodies/%25", "%2F", "%"},
               {"/v1/scenes/%F0%9F%A4%96/bodies/\xc3\xa9", "\xf0\x9f\xa4\x96", "\xc3\xa9"},
               {"/v1/scenes/.../bodies/.a", "...", ".a"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    api_match match;
    api_reply reply = {0};
    api_head head = {.method = "GET", .path = cases[i].path};
    CHECK(api_match_head(r.service, &head, &match, &reply));
    CHECK_TEXT(match.scene_id, cases[i].scene);
    CHECK_TEXT(match.item_id, cases[i].item);
  }
  rig_close(&r);
}

static void an_id_has_at_most_256_bytes(void) {
  char path[400] = "/v1/scenes/";
  size_t start = strlen(path);
  memset(path + start, 'x', 257);
  path[start + 256] = 0;
  CHECK_INT(status_of("GET", path), 0);
  path[start + 256] = 'x';
  CHECK_INT(status_of("GET", path), 400);
}

static int typed(const char *method, const char *path, const char *type, bool *streams) {
  rig r = rig_open();
  api_match match;
  api_reply reply = {0};
  api_head head = {.method = method, .path = path, .content_type = type};
  int status = api_match_head(r.service, &head, &match, &reply) ? 0 : reply.status;
  if (streams) *streams = match.streams;
  free((void *)(uintptr_t)reply.body);
  rig_close(&r);
  return status;
}

static void content_types_that_mean_json_are_taken(void) {
  static const char *const good[] = {NULL,
                                     "",
                                     "application/json",
                                     "Application/JSON; charset=utf-8",
                                     "application/merge-patch+json",
                                     " application/json ",
                                     "text/plain;charset=UTF-8",
                                     "application/x-www-form-urlencoded"};
  static const char *const bad[] = {
      "text/html", "application/xml",      "application/jsonx",
      "+json",     "application/x-ndjson", "multipart/form-data; boundary=x"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
    CHECK_INT(typed("PUT", "/v1/scenes/x", good[i], NULL), 0);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    CHECK_INT(typed("PUT", "/v1/scenes/x", bad[i], NULL), 415);
}

static void ndjson_streams_into_bulk_calls_only(void) {
  bool streams;
  CHECK_INT(typed("POST", "/v1/scenes/x/bodies", "application/x-ndjson", &streams), 0);
  CHECK(streams);
  CHECK_INT(typed("PATCH", "/v1/scenes/x/bodies", "Application/X-NDJSON; charset=utf-8", &streams),
            0);
  CHECK(streams);
  CHECK_INT(typed("POST", "/v1/scenes/x/bodies", "application/json", &streams), 0);
  CHECK(!streams);
  CHECK_INT(typed("POST", "/v1/scenes/x/query/pairs", "application/x-ndjson", NULL), 415);
  CHECK_INT(typed("PUT", "/v1/scenes/x/poses", "application/x-ndjson", NULL), 415);
  /* A method without a body ignores the content type. */
  CHECK_INT(typed("GET", "/v1/scenes/x/bodies", "text/html", NULL), 0);
}

static const check_test tests[] = {
    {"every_path_of_the_api_is_found", every_path_of_the_api_is_found},
    {"other_paths_are_404", other_paths_are_404},
    {"a_wrong_method_is_405_and_allow_lists_all_that_are_known",
     a_wrong_method_is_405_and_allow_lists_all_that_are_known},
    {"ids_are_decoded_once_and_judged_after_that", ids_are_decoded_once_and_judged_after_that},
    {"a_decoded_slash_is_a_character_of_its_id", a_decoded_slash_is_a_character_of_its_id},
    {"an_id_has_at_most_256_bytes", an_id_has_at_most_256_bytes},
    {"content_types_that_mean_json_are_taken", content_types_that_mean_json_are_taken},
    {"ndjson_streams_into_bulk_calls_only", ndjson_streams_into_bulk_calls_only},
};
CHECK_MAIN(tests)
