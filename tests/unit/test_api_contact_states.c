/* Contact states through the API in process: a failed call changes no pose and no contact, answers
 * do not depend on the order of ranges, long ids fit. */
#include "tests/support/api_rig.h"
#include "tests/support/failing_malloc.h"

#define BALL(id, x)                                                                                \
  "{\"id\": \"" id "\", \"position\": [" x                                                         \
  ", 0, 0.25], \"motion\": {\"mass\": 1}, \"colliders\": [{\"sphere\": {\"radius\": 0.5}}]}"
#define SCENE                                                                                      \
  "{\"bodies\": [{\"id\": \"floor\", \"colliders\": [{\"plane\": {}}]}, " BALL(                    \
      "a", "0") ", " BALL("b", "4") "]}"
#define STATE "/v1/scenes/s/contactStates/held"
/* One contact ends, one persists, one begins; supports of two convex bodies are included. */
#define EVENT                                                                                      \
  "{\"time\": 1, \"supportPoints\": true, \"poses\": {\"ids\": [\"a\"], \"positions\": [[3.5, 0, " \
  "2]], "                                                                                          \
  "\"linearVelocities\": [[0, 0, -1]]}}"
#define TURNS                                                                                      \
  "{\"contactState\": \"held\", \"include\": [\"contacts\"], \"poses\": {\"ids\": [\"b\"], "       \
  "\"positions\": [[4, 0, 1]]}, "                                                                  \
  "\"variants\": [{\"ids\": [\"a\"], \"positions\": [[3.5, 0, 0.5]]}, {\"ids\": [\"a\"], "         \
  "\"positions\": [[0, 0, 3]]}]}"

typedef struct request {
  const char *method, *path, *body;
} request;

static const request requests[] = {
    {"POST", STATE, EVENT},
    {"POST", "/v1/scenes/s/contactStates/new", NULL},
    {"GET", STATE, NULL},
    {"GET", "/v1/scenes/s/contactStates", NULL},
    {"DELETE", STATE, NULL},
    {"POST", "/v1/scenes/s/query/zeroCrossings", TURNS},
    {"POST", "/v1/scenes/s/query/zeroCrossings",
     "{\"contactState\": \"held\", \"evaluation\": \"sample\"}"},
    {"POST", "/v1/scenes/s/query",
     "{\"queries\": [{\"kind\": \"zeroCrossings\", \"contactState\": \"held\"}]}"},
};

static rig open_scene(void) {
  rig r = rig_open();
  rig_must(&r, "PUT", "/v1/scenes/s", SCENE, 201);
  rig_must(&r, "POST", STATE, "{}", 201);
  return r;
}

/* Poses, contacts and states as one text. */
static char *all_of(rig *r) {
  static const char *const paths[] = {"/v1/scenes/s/poses", STATE, "/v1/scenes/s/contactStates"};
  const size_t room = 65536;
  char *text = calloc(1, room);
  size_t used = 0;
  for (size_t i = 0; i < 3; i++) {
    rig_reply reply = rig_ask(r, "GET", paths[i], NULL);
    used += (size_t)snprintf(text + used, room - used, "%s", reply.body);
    rig_free(&reply);
  }
  return text;
}

/* Runs the request with allocation n failing. False: the request made fewer allocations. */
static bool try_one(const request *q, long n, const rig_reply *usual) {
  rig r = open_scene();
  char *before = all_of(&r);
  memory.taken = 0;
  memory.fail_at = n;
  r.counting = &memory.counting;
  rig_reply reply = rig_ask(&r, q->method, q->path, q->body);
  r.counting = NULL;
  memory.fail_at = 0;
  bool reached = memory.taken >= n;
  char *after = all_of(&r);
  bool reported = reply.status == 503 || strstr(reply.body, "/problems/out-of-memory");
  if (!reported && (reply.status != usual->status || strcmp(reply.body, usual->body) != 0))
    CHECK_FAIL("%s %s, failure %ld: %d %.200s", q->method, q->path, n, reply.status, reply.body);
  if (reported && strcmp(before, after) != 0)
    CHECK_FAIL("%s %s, failure %ld: the scene has changed", q->method, q->path, n);
  free(before);
  free(after);
  rig_free(&reply);
  rig_close(&r);
  return reached;
}

static void fail_each(bool all_after) {
  NEEDS_FAILING_MALLOC;
  memory.rest = all_after;
  for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
    rig r = open_scene();
    rig_reply usual = rig_ask(&r, requests[i].method, requests[i].path, requests[i].body);
    CHECK(usual.status < 300);
    rig_close(&r);
    long start = memory.live, n = 1;
    while (n < 5000 && try_one(&requests[i], n, &usual)) n++;
    CHECK(n > 1 && n < 5000);
    CHECK_INT(memory.live - start, 0);
    rig_free(&usual);
  }
}

static void memory_that_fails_once_changes_nothing_and_loses_nothing(void) { fail_each(false); }
static void memory_that_fails_from_then_on_changes_nothing_and_loses_nothing(void) {
  fail_each(true);
}

static void an_event_that_is_stopped_changes_nothing(void) {
  rig r = open_scene();
  char *before = all_of(&r);
  r.cancel = ct_cancel_create();
  ct_cancel_raise(r.cancel);
  rig_refused(&r, "POST", STATE, EVENT, (rig_fault){504, "deadline-exceeded", NULL});
  rig_refused(&r, "POST", "/v1/scenes/s/query/zeroCrossings", TURNS,
              (rig_fault){504, "deadline-exceeded", NULL});
  char *after = all_of(&r);
  CHECK(strcmp(before, after) == 0);
  free(before);
  free(after);
  ct_cancel_destroy(r.cancel);
  rig_close(&r);
}

/* Sixty variants of the scene, in ranges that run from the last to the first. */
static void answers_do_not_depend_on_the_order_of_ranges(void) {
  char body[8192];
  size_t used = (size_t)snprintf(body, sizeof body, "{\"contactState\": \"held\", \"variants\": [");
  for (int i = 0; i < 60; i++)
    used += (size_t)snprintf(body + used, sizeof body - used,
                             "%s{\"ids\": [\"a\"], \"positions\": [[%d.5, 0, 0.%d]]}",
                             i ? ", " : "", i % 7, 1 + i % 9);
  snprintf(body + used, sizeof body - used, "]}");
  rig r = open_scene();
  rig_reply forward = rig_ask(&r, "POST", "/v1/scenes/s/query/zeroCrossings", body);
  r.order = RIG_BACKWARD;
  rig_reply backward = rig_ask(&r, "POST", "/v1/scenes/s/query/zeroCrossings", body);
  CHECK_INT(forward.status, 200);
  CHECK(strcmp(forward.body, backward.body) == 0);
  CHECK_INT((long)json_array_size(json_object_get(forward.json, "results")), 60);
  rig_free(&forward);
  rig_free(&backward);
  rig_close(&r);
}

/* The estimated cost of an event decides where it runs: low for a small event, which runs inline,
 * and high for a large one. */
static void an_event_tells_what_it_will_cost(void) {
  rig r = open_scene();
  rig_must(&r, "POST", STATE, "{}", 200);
  CHECK(r.cost_ns > 0.0 && r.cost_ns < 25000.0);
  size_t room = 300000, used = 0;
  char *body = malloc(room);
  used += (size_t)snprintf(body, room, "[");
  for (int i = 0; i < 1000; i++)
    used += (size_t)snprintf(body + used, room - used,
                             "%s{\"id\": \"c%d\", \"position\": [%d, 9, 0], \"motion\": {\"mass\": "
                             "1}, \"colliders\": [{\"box\": "
                             "{\"size\": [2, 2, 2]}}]}",
                             i ? ", " : "", i, i);
  snprintf(body + used, room - used, "]");
  rig_must(&r, "POST", "/v1/scenes/s/bodies", body, 201);
  rig_must(&r, "POST", STATE, "{}", 200);
  CHECK(r.cost_ns > 500000.0);
  free(body);
  rig_close(&r);
}

#define PART "{\"sphere\": {\"radius\": 0.5}}"
#define PARTS PART ", " PART ", " PART ", " PART ", " PART ", " PART
#define CLUSTER(id, x)                                                                             \
  "{\"id\": \"" id "\", \"position\": [" x                                                         \
  ", 0, 0], \"motion\": {\"mass\": 1}, \"colliders\": [" PARTS "]}"

/* The cost of an event includes all contacts of the state, even if their bodies are far apart by
 * then. After this event the state has no contacts. */
static void contacts_that_have_come_far_apart_are_part_of_the_cost(void) {
  rig r = rig_open();
  rig_must(&r, "PUT", "/v1/scenes/s",
           "{\"bodies\": [" CLUSTER("a", "0") ", " CLUSTER("b", "0.1") "]}", 201);
  rig_must(&r, "POST", STATE, "{}", 201);
  rig_must(
      &r, "POST", "/v1/scenes/s/query/zeroCrossings",
      "{\"contactState\": \"held\", \"poses\": {\"ids\": [\"a\"], \"positions\": [[50, 0, 0]]}}",
      200);
  CHECK(r.cost_ns > 50000.0);
  rig_must(&r, "POST", STATE, "{\"poses\": {\"ids\": [\"a\"], \"positions\": [[50, 0, 0]]}}", 200);
  CHECK(r.cost_ns > 50000.0);
  rig_must(&r, "POST", STATE, "{}", 200);
  CHECK(r.cost_ns > 0.0 && r.cost_ns < 5000.0);
  rig_close(&r);
}

/* 36 contacts of six balls with six others, about 400 bytes each, in each state. An event that
 * would exceed the limit changes nothing. The same state can be written again in its own place, and
 * a state without contacts frees memory. */
static void what_states_hold_is_bounded_in_bytes(void) {
  const char *const other = "/v1/scenes/s/contactStates/other";
  const char *const apart = "{\"poses\": {\"ids\": [\"a\"], \"positions\": [[50, 0, 0]]}}";
  const char *const back = "{\"poses\": {\"ids\": [\"a\"], \"positions\": [[0, 0, 0]]}}";
  api_limits limits = rig_limits();
  limits.contact_states_bytes = 20000;
  rig r = rig_open_with(&limits);
  rig_must(&r, "PUT", "/v1/scenes/s",
           "{\"bodies\": [" CLUSTER("a", "0") ", " CLUSTER("b", "0.1") "]}", 201);
  rig_must(&r, "POST", STATE, "{}", 201);
  char *before = all_of(&r);
  rig_refused(&r, "POST", other, "{}", (rig_fault){422, "limit-exceeded", NULL});
  char *after = all_of(&r);
  CHECK(strcmp(before, after) == 0);
  free(before);
  free(after);
  rig_must(&r, "POST", STATE, "{}", 200);
  rig_must(&r, "POST", other, apart, 201);
  rig_must(&r, "POST", STATE, "{}", 200);
  rig_must(&r, "POST", other, back, 200);
  before = all_of(&r);
  rig_refused(&r, "POST", STATE, "{}", (rig_fault){422, "limit-exceeded", NULL});
  after = all_of(&r);
  CHECK(strcmp(before, after) == 0);
  free(before);
  free(after);
  rig_close(&r);
}

/* Each byte of both ids is three bytes in the path. */
static void the_place_of_a_new_state_is_whole_for_the_longest_ids(void) {
  char scene[3 * CT_ID_LENGTH_MAX + 1], state[3 * CT_ID_LENGTH_MAX + 1], path[API_LOCATION_BYTES];
  for (size_t i = 0; i < CT_ID_LENGTH_MAX; i++) {
    memcpy(scene + 3 * i, "%2F", 4);
    memcpy(state + 3 * i, i % 2 ? "%BC" : "%C3", 4);
  }
  rig r = rig_open();
  snprintf(path, sizeof path, "/v1/scenes/%s", scene);
  rig_must(&r, "PUT", path, SCENE, 201);
  snprintf(path, sizeof path, "/v1/scenes/%s/contactStates/%s", scene, state);
  rig_reply reply = rig_ask(&r, "POST", path, "{}");
  CHECK_INT(reply.status, 201);
  CHECK(strcmp(reply.location, path) == 0);
  rig_free(&reply);
  snprintf(path, sizeof path, "/v1/scenes/%s/bodies/%s", scene, state);
  reply = rig_ask(&r, "PUT", path, "{\"colliders\": [{\"sphere\": {\"radius\": 1}}]}");
  CHECK_INT(reply.status, 201);
  CHECK(strcmp(reply.location, path) == 0);
  rig_free(&reply);
  rig_close(&r);
}

static const check_test tests[] = {
    {"memory_that_fails_once_changes_nothing_and_loses_nothing",
     memory_that_fails_once_changes_nothing_and_loses_nothing},
    {"memory_that_fails_from_then_on_changes_nothing_and_loses_nothing",
     memory_that_fails_from_then_on_changes_nothing_and_loses_nothing},
    {"an_event_that_is_stopped_changes_nothing", an_event_that_is_stopped_changes_nothing},
    {"answers_do_not_depend_on_the_order_of_ranges", answers_do_not_depend_on_the_order_of_ranges},
    {"an_event_tells_what_it_will_cost", an_event_tells_what_it_will_cost},
    {"contacts_that_have_come_far_apart_are_part_of_the_cost",
     contacts_that_have_come_far_apart_are_part_of_the_cost},
    {"what_states_hold_is_bounded_in_bytes", what_states_hold_is_bounded_in_bytes},
    {"the_place_of_a_new_state_is_whole_for_the_longest_ids",
     the_place_of_a_new_state_is_whole_for_the_longest_ids},
};
CHECK_MAIN(tests)
