/* Events that a write sends to the subscribers of its scene: their names, data and order. */
#include "calls/call.h"
#include "tests/support/api_rig.h"
#include "tests/support/failing_malloc.h"

#define BALL(id) "{\"id\":\"" id "\",\"colliders\":[{\"sphere\":{\"radius\":0.5}}]}"

/* A call in progress with its match, to which a test may add events. */
typedef struct begun {
  api_match match;
  api_call *call;
} begun;

static begun begin(rig *r, const char *method, const char *path, const char *body) {
  begun b = {0};
  api_reply refusal = {0};
  api_head head = {.method = method, .path = path};
  bool matched = api_match_head(r->service, &head, &b.match, &refusal);
  CHECK(matched);
  if (!matched) abort();
  b.call = api_call_create(r->service, &head, &b.match);
  rig_scene *s = b.match.scene_id[0] ? rig_find(r, b.match.scene_id) : NULL;
  api_input input = {.body = body,
                     .body_length = body ? strlen(body) : 0,
                     .scene = s ? s->current : NULL,
                     .first_revision = 1,
                     .new_scene_id = "made"};
  rig_count(r, true);
  CHECK_INT(api_call_begin(b.call, &input), API_STEP_DONE);
  rig_count(r, false);
  return b;
}

/* "name@contactState data" of each event, one line each; "!" at the end if events are missing. */
static const char *reported(begun *b) {
  static char text[4096];
  size_t count = 0, used = 0;
  bool whole = false;
  const api_event *events = api_call_events(b->call, &count, &whole);
  text[0] = 0;
  for (size_t i = 0; i < count; i++) {
    const api_event *e = &events[i];
    used += (size_t)snprintf(text + used, sizeof text - used, "%s@%s %.*s\n", e->name,
                             e->contact_state ? e->contact_state : "", (int)e->length, e->data);
  }
  if (!whole) snprintf(text + used, sizeof text - used, "!");
  return text;
}

static rig cell(void) {
  rig r = rig_open();
  rig_must(&r, "PUT", "/v1/scenes/cell", "{\"bodies\":[" BALL("a") "," BALL("b") "]}", 201);
  return r;
}

static void every_write_tells_its_revision(void) {
  static const struct {
    const char *method, *path, *body, *reported;
  } cases[] = {
      {"PUT", "/v1/scenes/cell", "{}",
       "revision@ {\"scene\":\"cell\",\"revision\":2,\"bodies\":0}\n"},
      {"PUT", "/v1/scenes/new", "{\"bodies\":[" BALL("a") "]}",
       "revision@ {\"scene\":\"new\",\"revision\":1,\"bodies\":1}\n"},
      {"POST", "/v1/scenes", "{}", "revision@ {\"scene\":\"made\",\"revision\":1,\"bodies\":0}\n"},
      {"PATCH", "/v1/scenes/cell", "{\"user\":{}}",
       "revision@ {\"scene\":\"cell\",\"revision\":2,\"bodies\":2}\n"},
      {"PUT", "/v1/scenes/cell/bodies/c", BALL("c"),
       "revision@ {\"scene\":\"cell\",\"revision\":2,\"bodies\":3}\n"},
      {"DELETE", "/v1/scenes/cell/bodies/a", NULL,
       "revision@ {\"scene\":\"cell\",\"revision\":2,\"bodies\":1}\n"},
      {"PATCH", "/v1/scenes/cell/poses", "{\"ids\":[\"a\"],\"positions\":[[1,2,3]]}",
       "revision@ {\"scene\":\"cell\",\"revision\":2,\"bodies\":2}\n"},
      {"DELETE", "/v1/scenes/cell", NULL, "deleted@ {\"scene\":\"cell\",\"revision\":2}\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rig r = cell();
    begun b = begin(&r, cases[i].method, cases[i].path, cases[i].body);
    CHECK_TEXT(reported(&b), cases[i].reported);
    CHECK_TEXT(reported(&b), cases[i].reported); /* the second call returns the same text */
    api_call_destroy(b.call);
    rig_close(&r);
  }
}

static void what_writes_nothing_tells_nothing(void) {
  rig r = cell();
  static const struct {
    const char *method, *path, *body;
  } cases[] = {{"GET", "/v1/scenes/cell", NULL},
               {"PUT", "/v1/scenes/cell", "{\"bodies\":7}"},
               {"PATCH", "/v1/scenes/cell/poses", "{\"ids\":[\"z\"],\"positions\":[[1,2,3]]}"},
               {"DELETE", "/v1/scenes/other", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    begun b = begin(&r, cases[i].method, cases[i].path, cases[i].body);
    CHECK_TEXT(reported(&b), "");
    api_call_destroy(b.call);
  }
  rig_close(&r);
}

static void add_to(begun *b, const char *name, const char *contact_state, const char *text,
                   bool fits) {
  api_buffer data = {0};
  api_put_raw(&data, text);
  CHECK_INT(api_call_add_event(b->call, name, contact_state, &data), fits);
  CHECK_INT(data.length, 0);
}

static void add(begun *b, const char *name, const char *contact_state, const char *text) {
  add_to(b, name, contact_state, text, true);
}

static void added_events_follow_the_revision_in_their_order(void) {
  rig r = cell();
  begun b = begin(&r, "PATCH", "/v1/scenes/cell", "{\"user\":{}}");
  for (int i = 0; i < 5; i++)
    add(&b, i < 2 ? "ended" : "began", "drops", (const char *[]){"{}", "[1]", "2", "3", "4"}[i]);
  CHECK_TEXT(reported(&b),
             "revision@ {\"scene\":\"cell\",\"revision\":2,\"bodies\":2}\n"
             "ended@drops {}\nended@drops [1]\nbegan@drops 2\nbegan@drops 3\nbegan@drops 4\n");
  api_call_destroy(b.call);
  rig_close(&r);
}

#define REVISION "{\"scene\":\"cell\",\"revision\":2,\"bodies\":0}"

/* A write with more events than the ring's limits allow: a reset replaces the events of the contact
 * state; the write's own event stays. */
static void more_than_is_ever_kept_is_a_reset_for_those_who_name_the_state(void) {
  static const struct {
    uint64_t ring, backlog;
    int fit;
  } cases[] = {{3, 4096, 2}, {1, 4096, 0}, {2, 4096, 1}, {1000, 4096, 16}};
  char text[1025];
  memset(text, '1', 1024);
  text[1024] = 0;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (int extra = 0; extra < 3; extra++) {
      api_limits limits = rig_limits();
      limits.event_ring = cases[i].ring;
      limits.event_backlog_bytes = cases[i].backlog;
      rig r = rig_open_with(&limits);
      rig_must(&r, "PUT", "/v1/scenes/cell", "{}", 201);
      begun b = begin(&r, "PATCH", "/v1/scenes/cell", "{\"user\":{}}");
      for (int n = 0; n < cases[i].fit + extra; n++)
        add_to(&b, "began", "drops", text, n < cases[i].fit);
      size_t count;
      bool whole;
      const api_event *events = api_call_events(b.call, &count, &whole);
      CHECK(whole);
      CHECK_INT(count, extra == 0 ? cases[i].fit + 1 : 2);
      CHECK_TEXT(events[0].name, "revision");
      if (extra > 0) CHECK_TEXT(reported(&b), "revision@ " REVISION "\nreset@drops " REVISION "\n");
      api_call_destroy(b.call);
      rig_close(&r);
    }
  }
}

static void what_one_state_has_too_much_of_leaves_the_others_theirs(void) {
  api_limits limits = rig_limits();
  limits.event_ring = 4;
  rig r = rig_open_with(&limits);
  rig_must(&r, "PUT", "/v1/scenes/cell", "{}", 201);
  begun b = begin(&r, "PATCH", "/v1/scenes/cell", "{\"user\":{}}");
  add(&b, "ended", "first", "1");
  for (int n = 0; n < 9; n++) add_to(&b, "ended", "second", "2", n < 2);
  add(&b, "ended", "third", "3");
  for (int n = 0; n < 9; n++) add_to(&b, "ended", "fourth", "4", false);
  CHECK_TEXT(reported(&b), "revision@ " REVISION "\nended@first 1\nreset@second " REVISION
                           "\nended@third 3\nreset@fourth " REVISION "\n");
  api_call_destroy(b.call);
  rig_close(&r);
}

static void an_event_that_memory_lacked_for_is_told_as_missing(void) {
  rig r = cell();
  begun b = begin(&r, "PATCH", "/v1/scenes/cell", "{\"user\":{}}");
  api_buffer failed = {.failed = true};
  add(&b, "began", "drops", "{}");
  CHECK(!api_call_add_event(b.call, "began", "drops", &failed));
  static const char two[] = "{\"scene\":\"cell\",\"revision\":2,\"bodies\":2}";
  char expected[256];
  snprintf(expected, sizeof expected, "revision@ %s\nreset@drops %s\n", two, two);
  CHECK_TEXT(reported(&b), expected);
  api_call_destroy(b.call);
  rig_close(&r);
}

static void a_write_that_failed_tells_nothing_of_what_was_added(void) {
  rig r = cell();
  begun b = begin(&r, "PUT", "/v1/scenes/cell/poses", "{}");
  add(&b, "began", "drops", "{}");
  CHECK_TEXT(reported(&b), "");
  api_call_destroy(b.call);
  rig_close(&r);
}

#define MOVER(id, x)                                                                               \
  "{\"id\":\"" id "\",\"position\":[" x                                                            \
  ",0,0.25],\"motion\":{\"mass\":1},\"colliders\":[{\"sphere\":{\"radius\":0.5}}]}"
#define OVER_A_FLOOR                                                                               \
  "{\"bodies\":[{\"id\":\"floor\",\"colliders\":[{\"plane\":{}}]}," MOVER("p", "0") "," MOVER(     \
      "q", "9") "]}"

static rig with_states(void) {
  rig r = rig_open();
  rig_must(&r, "PUT", "/v1/scenes/cell", OVER_A_FLOOR, 201);
  rig_must(&r, "POST", "/v1/scenes/cell/contactStates/held", "{}", 201);
  rig_must(&r, "POST", "/v1/scenes/cell/contactStates/other", "{}", 201);
  return r;
}

/* Runs the write with allocation n failing. False: it made fewer allocations. */
static bool tell_short_of_memory(const char *method, const char *path, long n, const char *usual) {
  rig r = with_states();
  r.counting = &memory.counting;
  memory.taken = 0;
  memory.fail_at = n;
  begun b = begin(&r, method, path, *method == 'P' ? "{}" : NULL);
  rig_count(&r, true);
  const char *text = reported(&b);
  rig_count(&r, false);
  memory.fail_at = 0;
  bool reached = memory.taken >= n, missing = text[0] && text[strlen(text) - 1] == '!';
  if (api_call_reply(b.call)->status >= 300) CHECK_TEXT(text, "");
  else if (strstr(text, "reset@held")) CHECK(!strstr(text, "ended@held"));
  else if (!missing && !strstr(text, "reset@other")) CHECK_TEXT(text, usual);
  api_call_destroy(b.call);
  rig_close(&r);
  return reached;
}

/* Pair numbers continue after a state has been deleted. */
static void contacts_of_a_state_that_goes_end_in_order_or_are_told_as_missing(void) {
#define ENDED(state, pair, id, number)                                                             \
  "ended@" state " {\"scene\":\"cell\",\"revision\":4,\"contactState\":\"" state                   \
  "\",\"time\":0,\"contact\":{\"pair\":" pair ",\"pairId\":\"0-" number                            \
  "/0/0\",\"a\":\"floor\",\"b\":\"" id                                                             \
  "\",\"begun\":0,\"cause\":\"state\",\"normalVelocity\":0}}\n"
#define WRITTEN(bodies) "revision@ {\"scene\":\"cell\",\"revision\":4,\"bodies\":" bodies "}\n"
  static const struct {
    const char *method, *path, *reported;
  } cases[] = {
      {"DELETE", "/v1/scenes/cell/contactStates/held",
       WRITTEN("3") ENDED("held", "1", "p", "1") ENDED("held", "2", "q", "2")},
      {"PUT", "/v1/scenes/cell",
       WRITTEN("0") ENDED("held", "1", "p", "1") ENDED("held", "2", "q", "2")
           ENDED("other", "3", "p", "1") ENDED("other", "4", "q", "2")},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rig r = with_states();
    begun b = begin(&r, cases[i].method, cases[i].path, *cases[i].method == 'P' ? "{}" : NULL);
    CHECK_TEXT(reported(&b), cases[i].reported);
    CHECK_INT(ct_scene_contacts_begun(api_call_new_revision(b.call)), 4);
    api_call_destroy(b.call);
    rig_close(&r);
    long live = memory.live, n = 1;
    while (FAILING_MALLOC && n < 1000 &&
           tell_short_of_memory(cases[i].method, cases[i].path, n, cases[i].reported))
      n++;
    CHECK(!FAILING_MALLOC || (n > 8 && n < 1000));
    CHECK_INT(memory.live, live);
  }
}

static const check_test tests[] = {
    {"every_write_tells_its_revision", every_write_tells_its_revision},
    {"what_writes_nothing_tells_nothing", what_writes_nothing_tells_nothing},
    {"added_events_follow_the_revision_in_their_order",
     added_events_follow_the_revision_in_their_order},
    {"more_than_is_ever_kept_is_a_reset_for_those_who_name_the_state",
     more_than_is_ever_kept_is_a_reset_for_those_who_name_the_state},
    {"what_one_state_has_too_much_of_leaves_the_others_theirs",
     what_one_state_has_too_much_of_leaves_the_others_theirs},
    {"an_event_that_memory_lacked_for_is_told_as_missing",
     an_event_that_memory_lacked_for_is_told_as_missing},
    {"contacts_of_a_state_that_goes_end_in_order_or_are_told_as_missing",
     contacts_of_a_state_that_goes_end_in_order_or_are_told_as_missing},
    {"a_write_that_failed_tells_nothing_of_what_was_added",
     a_write_that_failed_tells_nothing_of_what_was_added}};

CHECK_MAIN(tests)
