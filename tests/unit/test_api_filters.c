/* Filters: documents, their faults, and the reason that is reported for a skipped pair. */
#include "documents/scene_json.h"
#include "tests/support/document.h"

#define BALL "\"colliders\":[{\"sphere\":{\"radius\":0.5}}]"

static void bad_filters_say_why_and_where(void) {
  static const struct {
    const char *text, *problem, *pointer, *words;
  } cases[] = {
      {"{}", NULL, NULL, NULL},
      {"{\"groups\":{},\"pairs\":[]}", NULL, NULL, NULL},
      {"{\"groups\":{\"g\":{\"notCollideWith\":[\"g\",\"h\"]}},\"pairs\":[{\"a\":\"x\",\"b\":\"y\","
       "\"collide\":true,\"reason\":"
       "\"\"}]}",
       NULL, NULL, NULL},
      {"[]", "wrong-type", "", NULL},
      {"{\"groups\":[]}", "wrong-type", "/groups", "Expected an object"},
      {"{\"groups\":null}", "wrong-type", "/groups", NULL},
      {"{\"groups\":{\"g\":[]}}", "wrong-type", "/groups/g", NULL},
      {"{\"groups\":{\"g\":{}}}", "missing-member", "/groups/g/notCollideWith", NULL},
      {"{\"groups\":{\"g\":{\"collideWith\":[]}}}", "unknown-member", "/groups/g/collideWith",
       NULL},
      {"{\"groups\":{\"g\":{\"notcollidewith\":[]}}}", "unknown-member", "/groups/g/notcollidewith",
       "did you mean \"notCollideWith\""},
      {"{\"groups\":{\"g\":{\"notCollideWith\":\"h\"}}}", "wrong-type", "/groups/g/notCollideWith",
       NULL},
      {"{\"groups\":{\"g\":{\"notCollideWith\":[\"h\",3]}}}", "wrong-type",
       "/groups/g/notCollideWith/1", NULL},
      {"{\"groups\":{\"g\":{\"notCollideWith\":[\"h\\u0001h\"]}}}", "bad-value",
       "/groups/g/notCollideWith/0", NULL},
      {"{\"groups\":{\"a/b~c\\u001f\":{\"notCollideWith\":[]}}}", "bad-value",
       "/groups/a~1b~0c\x1f", NULL},
      {"{\"pairs\":{}}", "wrong-type", "/pairs", NULL},
      {"{\"pairs\":[[\"x\",\"y\"]]}", "wrong-type", "/pairs/0", NULL},
      {"{\"pairs\":[{\"a\":\"x\"}]}", "missing-member", "/pairs/0/b", NULL},
      {"{\"pairs\":[{\"a\":\"x\",\"b\":1}]}", "wrong-type", "/pairs/0/b", NULL},
      {"{\"pairs\":[{\"a\":\"x\",\"b\":\"x\"}]}", "bad-value", "/pairs/0/b", "two different"},
      {"{\"pairs\":[{\"a\":\"x\",\"b\":\"y\",\"collide\":\"no\"}]}", "wrong-type",
       "/pairs/0/collide", NULL},
      {"{\"pairs\":[{\"a\":\"x\",\"b\":\"y\",\"reason\":1}]}", "wrong-type", "/pairs/0/reason",
       NULL},
      {"{\"pairs\":[{\"a\":\"x\",\"b\":\"y\",\"why\":\"\"}]}", "unknown-member", "/pairs/0/why",
       NULL},
      {"{\"pairs\":[{\"a\":\"x\",\"b\":\"y\"},{\"a\":\"x\",\"b\":\"z\"},{\"a\":\"y\",\"b\":\"x\"}]"
       "}",
       "duplicate-id", "/pairs/2", NULL},
      {"{\"pairs\":[{\"a\":\"x\",\"b\":\"y\"},{\"a\":\"x\",\"b\":\"y\"},{\"a\":\"x\",\"b\":\"y\"}]"
       "}",
       "duplicate-id", "/pairs/1", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    ct_filters filters = {0};
    document_init(&d);
    CHECK(document_parse(&d, cases[i].text, strlen(cases[i].text)));
    CHECK_INT(api_read_filters(&d.reader, &d.root, &filters), !cases[i].problem);
    document_expect(&d, cases[i].text, cases[i].problem, cases[i].pointer, cases[i].words);
    document_free(&d);
  }
}

static void a_reason_is_limited(void) {
  char text[400];
  for (int extra = 0; extra < 2; extra++) {
    snprintf(text, sizeof text, "{\"pairs\":[{\"a\":\"x\",\"b\":\"y\",\"reason\":\"%0*d\"}]}",
             256 + extra, 0);
    document d;
    ct_filters filters = {0};
    document_init(&d);
    CHECK(document_parse(&d, text, strlen(text)));
    api_read_filters(&d.reader, &d.root, &filters);
    document_expect(&d, "reason", extra ? "limit-exceeded" : NULL, "/pairs/0/reason", NULL);
    document_free(&d);
  }
}

static void a_verdict_says_who_decided(void) {
  static const char text[] =
      "{\"filters\":{\"groups\":{\"arm\":{\"notCollideWith\":[\"arm\"]},\"tool\":{"
      "\"notCollideWith\":[\"table\"]}},"
      "\"pairs\":[{\"a\":\"l1\",\"b\":\"l2\",\"collide\":true,\"reason\":\"may "
      "touch\"},{\"a\":\"t\",\"b\":\"l1\"}]},\"bodies\":["
      "{\"id\":\"l1\",\"groups\":[\"arm\"]," BALL
      "},{\"id\":\"l2\",\"groups\":[\"x\",\"arm\"]," BALL
      "},{\"id\":\"l3\",\"groups\":[\"arm\"]," BALL "},"
      "{\"id\":\"t\",\"groups\":[\"table\"]," BALL "},{\"id\":\"g\",\"groups\":[\"tool\"]," BALL
      "},{\"id\":\"p\"," BALL "}]}";
  static const struct {
    const char *a, *b, *reply;
  } cases[] = {
      {"l1", "l2",
       "{\"a\":\"l1\",\"b\":\"l2\",\"collide\":true,\"decidedBy\":\"pair\",\"reason\":\"may "
       "touch\"}"},
      {"l2", "l1",
       "{\"a\":\"l2\",\"b\":\"l1\",\"collide\":true,\"decidedBy\":\"pair\",\"reason\":\"may "
       "touch\"}"},
      {"l1", "t", "{\"a\":\"l1\",\"b\":\"t\",\"collide\":false,\"decidedBy\":\"pair\"}"},
      {"l1", "l3",
       "{\"a\":\"l1\",\"b\":\"l3\",\"collide\":false,\"decidedBy\":\"groups\",\"groups\":[\"arm\","
       "\"arm\"]}"},
      {"l3", "l2",
       "{\"a\":\"l3\",\"b\":\"l2\",\"collide\":false,\"decidedBy\":\"groups\",\"groups\":[\"arm\","
       "\"arm\"]}"},
      {"t", "g",
       "{\"a\":\"t\",\"b\":\"g\",\"collide\":false,\"decidedBy\":\"groups\",\"groups\":[\"table\","
       "\"tool\"]}"},
      {"g", "t",
       "{\"a\":\"g\",\"b\":\"t\",\"collide\":false,\"decidedBy\":\"groups\",\"groups\":[\"tool\","
       "\"table\"]}"},
      {"p", "t", "{\"a\":\"p\",\"b\":\"t\",\"collide\":true,\"decidedBy\":\"default\"}"},
      {"l1", "g", "{\"a\":\"l1\",\"b\":\"g\",\"collide\":true,\"decidedBy\":\"default\"}"},
  };
  document d;
  api_scene_document s = {0};
  document_init(&d);
  CHECK(document_parse(&d, text, sizeof text - 1) && api_read_scene(&d.reader, &d.root, &s));
  const ct_scene *scene = api_make_scene(&d.reader, NULL, &s, 1);
  document_expect(&d, "scene", NULL, NULL, NULL);
  for (size_t i = 0; scene && i < sizeof cases / sizeof cases[0]; i++) {
    api_buffer out = {0};
    api_put_effective(&out, scene, ct_scene_find(scene, api_text(cases[i].a)),
                      ct_scene_find(scene, api_text(cases[i].b)));
    api_put_byte(&out, 0);
    CHECK_TEXT(out.bytes, cases[i].reply);
    api_buffer_free(&out);
  }
  ct_scene_release(scene);
  api_scene_document_release(&s);
  document_free(&d);
}

static const check_test tests[] = {{"bad_filters_say_why_and_where", bad_filters_say_why_and_where},
                                   {"a_reason_is_limited", a_reason_is_limited},
                                   {"a_verdict_says_who_decided", a_verdict_says_who_decided}};

CHECK_MAIN(tests)
