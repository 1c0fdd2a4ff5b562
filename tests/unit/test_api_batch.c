/* Batches: mixed queries at one revision, each answered on its own. Truth: the same queries sent
 * one by one. */
#include "tests/support/api_rig.h"

#define THREE                                                                                      \
  "{\"bodies\": [{\"id\": \"a\", \"colliders\": [{\"sphere\": {\"radius\": 1}}]},"                 \
  " {\"id\": \"b\", \"position\": [1.5, 0, 0], \"colliders\": [{\"sphere\": {\"radius\": 1}}]},"   \
  " {\"id\": \"c\", \"position\": [6, 0, 0], \"colliders\": [{\"sphere\": {\"radius\": 1}}]}]}"

static rig with_three(void) {
  rig r = rig_open();
  rig_must(&r, "PUT", "/v1/scenes/s", THREE, 201);
  return r;
}

static int status_at(const rig_reply *reply, size_t i) {
  return (int)rig_number(rig_result(reply, i), "httpStatus");
}

static void answers_are_those_of_the_questions_asked_alone(void) {
  static const char *const questions[][2] = {
      {"overlap", ""},
      {"distance", ", \"clearance\": 3"},
      {"pairs", ", \"broadphase\": \"tree\""},
      {"massProperties", ", \"bodies\": [\"c\", \"a\"]"},
      {"distance", ", \"pairs\": [[\"c\", \"a\"], [\"a\", \"b\"]], \"limit\": 1"},
      {"overlap", ", \"variants\": [{\"ids\": [\"c\"], \"positions\": [[0, 0, 0]]}, {\"ids\": "
                  "[\"b\"], \"positions\": [[9, 0, 0]]}]"},
  };
  enum { COUNT = sizeof questions / sizeof questions[0] };
  rig r = with_three();
  char batch[2000] = "{\"queries\": [";
  for (size_t q = 0; q < COUNT; q++) {
    size_t used = strlen(batch);
    snprintf(batch + used, sizeof batch - used, "%s{\"id\": \"q%zu\", \"kind\": \"%s\"%s}",
             q ? ", " : "", q, questions[q][0], questions[q][1]);
  }
  size_t length = strlen(batch);
  snprintf(batch + length, sizeof batch - length, "]}");
  for (rig_order order = RIG_FORWARD; order <= RIG_SERIAL; order++) {
    r.order = order;
    rig_reply reply = rig_ask(&r, "POST", "/v1/scenes/s/query", batch);
    CHECK_INT(reply.status, 200);
    CHECK_TEXT(reply.etag, "\"r1\"");
    CHECK_INT(rig_number(reply.json, "revision"), 1);
    CHECK_INT(rig_number(reply.json, "count"), COUNT);
    for (size_t q = 0; q < COUNT; q++) {
      char path[64], body[300], id[8];
      snprintf(path, sizeof path, "/v1/scenes/s/query/%s", questions[q][0]);
      snprintf(body, sizeof body, "{%s}", questions[q][1][0] ? questions[q][1] + 2 : "");
      snprintf(id, sizeof id, "q%zu", q);
      rig_reply alone = rig_ask(&r, "POST", path, body);
      json_t *answer = rig_result(&reply, q);
      CHECK_TEXT(json_string_value(json_object_get(answer, "id")), id);
      CHECK_INT(status_at(&reply, q), 200);
      if (!json_equal(json_object_get(answer, "result"), alone.json))
        CHECK_FAIL("question %zu differs from %s", q, alone.body);
      rig_free(&alone);
    }
    rig_free(&reply);
  }
  rig_close(&r);
}

static void a_bad_question_spoils_no_other(void) {
  rig r = with_three();
  rig_reply reply = rig_ask(&r, "POST", "/v1/scenes/s/query",
                            "{\"queries\": [{\"kind\": \"distance\", \"clearence\": 1}, {\"kind\": "
                            "\"overlap\"}, {\"kind\": "
                            "\"volumes\"}, {\"id\": \"x\"}, 7,"
                            " {\"kind\": \"distance\", \"pairs\": [[\"a\", \"z\"]]}, {\"kind\": "
                            "\"overlap\", \"deadlineMs\": 5}, "
                            "{\"id\": \"..\", \"kind\": \"pairs\"}]}");
  static const struct {
    int status;
    const char *type, *pointer;
  } wanted[] = {{422, "/problems/unknown-member", "/queries/0/clearence"},
                {200, NULL, NULL},
                {422, "/problems/bad-value", "/queries/2/kind"},
                {422, "/problems/missing-member", "/queries/3/kind"},
                {422, "/problems/wrong-type", "/queries/4"},
                {422, "/problems/unknown-id", "/queries/5/pairs/0/1"},
                {422, "/problems/unknown-member", "/queries/6/deadlineMs"},
                {422, "/problems/bad-value", "/queries/7/id"}};
  CHECK_INT(reply.status, 200);
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    CHECK_INT(status_at(&reply, i), wanted[i].status);
    json_t *problem = json_object_get(rig_result(&reply, i), "problem");
    CHECK((problem == NULL) == (wanted[i].type == NULL));
    CHECK((problem == NULL) == (json_object_get(rig_result(&reply, i), "result") != NULL));
    if (!problem || !wanted[i].type) continue;
    CHECK_TEXT(json_string_value(json_object_get(problem, "type")), wanted[i].type);
    const char *pointer = json_string_value(
        json_object_get(json_array_get(json_object_get(problem, "errors"), 0), "pointer"));
    CHECK_TEXT(pointer ? pointer : "", wanted[i].pointer);
  }
  rig_free(&reply);
  rig_close(&r);
}

static void poses_of_the_batch_lie_under_those_of_its_questions(void) {
  rig r = with_three();
  rig_reply reply = rig_ask(
      &r, "POST", "/v1/scenes/s/query",
      "{\"poses\": {\"ids\": [\"c\", \"b\"], \"positions\": [[8, 0, 0], [5, 0, 0]]}, \"queries\": ["
      "{\"kind\": \"distance\", \"pairs\": [[\"a\", \"b\"], [\"a\", \"c\"]]},"
      "{\"kind\": \"distance\", \"pairs\": [[\"a\", \"b\"], [\"a\", \"c\"]], \"poses\": {\"ids\": "
      "[\"b\"], "
      "\"positions\": [[4, 0, 0]]}}]}");
  const double wanted[2][2] = {{3, 6}, {2, 6}};
  for (size_t q = 0; q < 2; q++) {
    json_t *results = json_object_get(json_object_get(rig_result(&reply, q), "result"), "results");
    for (size_t p = 0; p < 2; p++)
      CHECK_NEAR(rig_number(json_array_get(results, p), "distance"), wanted[q][p], 0.0);
  }
  rig_free(&reply);
  rig_refused(&r, "POST", "/v1/scenes/s/query",
              "{\"queries\": [], \"poses\": {\"ids\": [\"z\"], \"positions\": [[0, 0, 0]]}}",
              (rig_fault){422, "unknown-id", "/poses/ids/0"});
  rig_close(&r);
}

static void a_cursor_of_a_batch_goes_on_in_the_next(void) {
  rig r = with_three();
  rig_reply first =
      rig_ask(&r, "POST", "/v1/scenes/s/query",
              "{\"queries\": [{\"kind\": \"distance\", \"clearance\": 9, \"limit\": 2}]}");
  json_t *page = json_object_get(rig_result(&first, 0), "result");
  CHECK_INT(rig_number(page, "count"), 2);
  CHECK_INT(rig_find(&r, "s")->kept_count, 1);
  rig_must(&r, "PUT", "/v1/scenes/s", "{}", 200);
  char body[300];
  snprintf(body, sizeof body,
           "{\"queries\": [{\"id\": \"more\", \"kind\": \"distance\", \"clearance\": 9, "
           "\"cursor\": \"%s\"}]}",
           json_string_value(json_object_get(page, "nextCursor")));
  rig_reply second = rig_ask(&r, "POST", "/v1/scenes/s/query", body);
  json_t *rest = json_object_get(rig_result(&second, 0), "result");
  CHECK_INT(rig_number(rest, "revision"), 1);
  CHECK_INT(rig_number(rest, "count"), 1);
  CHECK_INT(rig_number(second.json, "revision"), 2);
  rig_free(&first);
  rig_free(&second);
  rig_close(&r);
}

static void a_stateless_batch_carries_its_geometry(void) {
  rig r = rig_open();
  rig_reply reply =
      rig_ask(&r, "POST", "/v1/query",
              "{\"queries\": [{\"kind\": \"distance\", \"a\": {\"sphere\": {\"radius\": 1}}, "
              "\"b\": {\"sphere\": "
              "{\"radius\": 1}, \"position\": [5, 0, 0]}},"
              " {\"kind\": \"overlap\", \"scene\": " THREE
              "}, {\"kind\": \"pairs\", \"boxes\": [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]]},"
              " {\"kind\": \"overlap\"}]}");
  CHECK_INT(reply.status, 200);
  CHECK(!json_object_get(reply.json, "revision"));
  CHECK_NEAR(
      rig_number(
          json_array_get(
              json_object_get(json_object_get(rig_result(&reply, 0), "result"), "results"), 0),
          "distance"),
      3.0, 0.0);
  CHECK_INT(rig_number(json_object_get(rig_result(&reply, 1), "result"), "count"), 1);
  CHECK_INT(rig_number(json_object_get(rig_result(&reply, 2), "result"), "count"), 1);
  CHECK_INT(status_at(&reply, 3), 422);
  rig_free(&reply);
  rig_refused(&r, "POST", "/v1/query",
              "{\"queries\": [], \"poses\": {\"ids\": [], \"positions\": []}}",
              (rig_fault){422, "conflicting-members", "/poses"});
  rig_close(&r);
}

static void a_batch_itself_is_checked(void) {
  api_limits limits = rig_limits();
  limits.batch = 3;
  rig r = rig_open_with(&limits);
  rig_must(&r, "PUT", "/v1/scenes/s", THREE, 201);
  static const struct {
    const char *body;
    rig_fault fault;
  } rows[] = {{"{}", {422, "missing-member", NULL}},
              {"[]", {422, "wrong-type", ""}},
              {"{\"queries\": {}}", {422, "wrong-type", "/queries"}},
              {"{\"queries\": [], \"query\": 1}", {422, "unknown-member", "/query"}},
              {"{\"queries\": [1, 2, 3, 4]}", {422, "limit-exceeded", "/queries"}},
              {"{\"queries\": [], \"deadlineMs\": 0}", {422, "out-of-range", "/deadlineMs"}}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    rig_refused(&r, "POST", "/v1/scenes/s/query", rows[i].body, rows[i].fault);
  rig_reply reply =
      rig_ask(&r, "POST", "/v1/scenes/s/query", "{\"queries\": [], \"deadlineMs\": 77}");
  CHECK_TEXT(reply.body, "{\"revision\":1,\"count\":0,\"results\":[]}");
  CHECK_INT(reply.deadline_ms, 77);
  rig_free(&reply);
  r.cancel = ct_cancel_create();
  ct_cancel_raise(r.cancel);
  rig_refused(&r, "POST", "/v1/scenes/s/query", "{\"queries\": [{\"kind\": \"overlap\"}]}",
              (rig_fault){504, "deadline-exceeded", NULL});
  ct_cancel_destroy(r.cancel);
  rig_close(&r);
}

static const check_test tests[] = {
    {"answers_are_those_of_the_questions_asked_alone",
     answers_are_those_of_the_questions_asked_alone},
    {"a_bad_question_spoils_no_other", a_bad_question_spoils_no_other},
    {"poses_of_the_batch_lie_under_those_of_its_questions",
     poses_of_the_batch_lie_under_those_of_its_questions},
    {"a_cursor_of_a_batch_goes_on_in_the_next", a_cursor_of_a_batch_goes_on_in_the_next},
    {"a_stateless_batch_carries_its_geometry", a_stateless_batch_carries_its_geometry},
    {"a_batch_itself_is_checked", a_batch_itself_is_checked},
};
CHECK_MAIN(tests)
