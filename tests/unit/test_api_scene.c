/* Scenes: whole documents, settings, insertion, replacement and merge patches. */
#include "documents/body_patch.h"
#include "documents/scene_json.h"
#include "tests/support/document.h"

#define BALL "\"colliders\":[{\"sphere\":{\"radius\":0.5}}]"
#define BODY(id) "{\"id\":\"" id "\",\"position\":[0,0,0],\"rotation\":[0,0,0,1]," BALL "}"

/* A sealed scene from its text, or NULL with faults in d. */
static const ct_scene *make_scene(document *d, const char *text, uint64_t revision) {
  api_scene_document s = {0};
  document_init(d);
  const ct_scene *scene = NULL;
  if (document_parse(d, text, strlen(text)) && api_read_scene(&d->reader, &d->root, &s))
    scene = api_make_scene(&d->reader, NULL, &s, revision);
  api_scene_document_release(&s);
  return scene;
}

static char *scene_text(const ct_scene *scene, const char *id) {
  api_buffer out = {0};
  size_t length;
  api_put_scene(&out, api_text(id), scene);
  return api_buffer_detach(&out, &length);
}

static void scenes_come_back_as_they_were_given(void) {
  static const char *const texts[] = {
      "{\"filters\":{\"groups\":{},\"pairs\":[]},\"bodies\":[]}",
      "{\"id\":\"cell\",\"filters\":{\"groups\":{\"arm\":{\"notCollideWith\":[\"arm\",\"base\"]},"
      "\"base\":{\"notCollideWith\":[]}},"
      "\"pairs\":[{\"a\":\"x\",\"b\":\"y\",\"collide\":false,\"reason\":\"bolted "
      "together\"},{\"a\":\"x\",\"b\":\"z\",\"collide\":true}]},"
      "\"user\":{\"author\":\"me\"},\"bodies\":[" BODY("x") "," BODY("y") "," BODY("z") "]}",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    document d;
    const ct_scene *scene = make_scene(&d, texts[i], 7);
    document_expect(&d, texts[i], NULL, NULL, NULL);
    if (!scene) continue;
    CHECK_INT(ct_scene_revision(scene), 7);
    char *text = scene_text(scene, i ? "cell" : "");
    CHECK_TEXT(text, texts[i]);
    free(text);
    ct_scene_release(scene);
    document_free(&d);
  }
}

static void the_empty_document_is_an_empty_scene(void) {
  document d;
  const ct_scene *scene = make_scene(&d, "{}", 1);
  CHECK(scene && ct_scene_count(scene) == 0 && ct_scene_revision(scene) == 1);
  ct_scene_release(scene);
  document_free(&d);
}

static void bad_scenes_say_why_and_where(void) {
  static const struct {
    const char *text, *problem, *pointer, *words;
  } cases[] = {
      {"[]", "wrong-type", "", NULL},
      {"{\"bodies\":{}}", "wrong-type", "/bodies", NULL},
      {"{\"bodies\":[1]}", "wrong-type", "/bodies/0", NULL},
      {"{\"bodys\":[]}", "unknown-member", "/bodys", "did you mean \"bodies\""},
      {"{\"gravity\":[0,-9.81]}", "wrong-type", "/gravity", NULL},
      {"{\"materials\":{\"..\":{}}}", "bad-value", "/materials/..", NULL},
      {"{\"id\":7}", "wrong-type", "/id", NULL},
      {"{\"id\":\"..\"}", "bad-value", "/id", NULL},
      {"{\"bodies\":[" BODY("a") "," BODY("b") "," BODY("a") "]}", "duplicate-id", "/bodies/2/id",
       "\"a\""},
      {"{\"bodies\":[" BODY("a") ",{\"id\":\"b\",\"colliders\":[{\"box\":{\"size\":[1,1,0]}}]}]}",
       "out-of-range", "/bodies/1/colliders/0/box/size/2", NULL},
      {"{\"filters\":[]}", "wrong-type", "/filters", NULL},
      {"{\"filters\":{\"pairs\":[{\"a\":\"a\",\"b\":\"c\"}]},\"bodies\":[" BODY("a") "]}",
       "unknown-id", "/filters/pairs/0/b", "\"c\""},
      {"{\"filters\":{\"group\":{}}}", "unknown-member", "/filters/group",
       "did you mean \"groups\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    const ct_scene *scene = make_scene(&d, cases[i].text, 1);
    CHECK(!scene);
    document_expect(&d, cases[i].text, cases[i].problem, cases[i].pointer, cases[i].words);
    document_free(&d);
  }
}

static void bodies_beyond_the_limit_are_refused(void) {
  document d;
  api_scene_document s = {0};
  static const char text[] = "{\"bodies\":[" BODY("a") "," BODY("b") "," BODY("c") "]}";
  document_init(&d);
  d.limits.bodies = 2;
  document_parse(&d, text, sizeof text - 1);
  CHECK(!api_read_scene(&d.reader, &d.root, &s));
  document_expect(&d, "three", "limit-exceeded", "/bodies", NULL);
  api_scene_document_release(&s);
  document_free(&d);
  /* In a scene at its limit of bodies. */
  const ct_scene *scene = make_scene(&d, "{\"bodies\":[" BODY("a") "," BODY("b") "]}", 1);
  ct_draft *draft = ct_draft_begin(scene);
  static const char more[] = "[" BODY("c") "]";
  api_body_list list = {0};
  d.limits.bodies = 2;
  CHECK(document_parse(&d, more, sizeof more - 1) && api_read_bodies(&d.reader, &d.root, &list));
  CHECK(!api_add_bodies(&d.reader, NULL, &list, draft));
  document_expect(&d, "full", "limit-exceeded", "/0", "at most 2");
  api_body_list_free(&list);
  ct_draft_discard(draft);
  ct_scene_release(scene);
  document_free(&d);
}

static void an_id_in_use_is_not_a_repeated_one(void) {
  static const struct {
    const char *text, *problem, *pointer;
  } cases[] = {{"[" BODY("c") "," BODY("a") "]", "id-in-use", "/1/id"},
               {"[" BODY("c") "," BODY("c") "]", "duplicate-id", "/1/id"},
               {"[" BODY("a") "]", "id-in-use", "/0/id"},
               {"[" BODY("d") "," BODY("e") "]", NULL, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    const ct_scene *scene = make_scene(&d, "{\"bodies\":[" BODY("a") "," BODY("b") "]}", 1);
    ct_draft *draft = ct_draft_begin(scene);
    api_body_list list = {0};
    CHECK(document_parse(&d, cases[i].text, strlen(cases[i].text)) &&
          api_read_bodies(&d.reader, &d.root, &list));
    api_add_bodies(&d.reader, NULL, &list, draft);
    document_expect(&d, cases[i].text, cases[i].problem, cases[i].pointer, NULL);
    api_body_list_free(&list);
    ct_draft_discard(draft);
    ct_scene_release(scene);
    document_free(&d);
  }
}

/* Applies patches to body `a` of a scene and compares the resulting body. */
static void merge_patches_change_what_they_name(void) {
  static const char base[] = "{\"bodies\":[{\"id\":\"a\",\"position\":[1,2,3],\"rotation\":[0,0,1,"
                             "0],\"motion\":{\"mass\":2,\"centerOfMass\":[0,0,1],"
                             "\"linearVelocity\":[1,0,0]}," BALL
                             ",\"groups\":[\"g\"],\"user\":{\"x\":1,\"y\":{\"z\":2}}}]}";
#define REST "\"groups\":[\"g\"],\"user\":{\"x\":1,\"y\":{\"z\":2}}}"
#define MOTION "\"motion\":{\"mass\":2,\"centerOfMass\":[0,0,1],\"linearVelocity\":[1,0,0]},"
  static const struct {
    const char *patch, *result, *problem, *pointer;
  } cases[] = {
      {"{\"position\":[4,5,6]}",
       "{\"id\":\"a\",\"position\":[4,5,6],\"rotation\":[0,0,1,0]," MOTION BALL "," REST, NULL,
       NULL},
      {"{\"rpy\":[0,0,0]}",
       "{\"id\":\"a\",\"position\":[1,2,3],\"rotation\":[0,0,0,1]," MOTION BALL "," REST, NULL,
       NULL},
      {"{\"matrix\":[1,0,0,0,1,0,0,0,1],\"position\":null}",
       "{\"id\":\"a\",\"position\":[0,0,0],\"rotation\":[0,0,0,1]," MOTION BALL "," REST, NULL,
       NULL},
      {"{\"rotation\":null}",
       "{\"id\":\"a\",\"position\":[1,2,3],\"rotation\":[0,0,0,1]," MOTION BALL "," REST, NULL,
       NULL},
      {"{\"motion\":null}",
       "{\"id\":\"a\",\"position\":[1,2,3],\"rotation\":[0,0,1,0]," BALL "," REST, NULL, NULL},
      {"{\"motion\":{\"mass\":null,\"density\":5,\"linearVelocity\":null}}",
       "{\"id\":\"a\",\"position\":[1,2,3],\"rotation\":[0,0,1,0],\"motion\":{\"density\":5,"
       "\"centerOfMass\":[0,0,1]}," BALL "," REST,
       NULL, NULL},
      {"{\"user\":{\"y\":{\"z\":null,\"w\":[1]}},\"groups\":null}",
       "{\"id\":\"a\",\"position\":[1,2,3],\"rotation\":[0,0,1,0]," MOTION BALL
       ",\"user\":{\"x\":1,\"y\":{\"w\":[1]}}}",
       NULL, NULL},
      {"{\"id\":\"a\",\"colliders\":[{\"plane\":{}}],\"motion\":null,\"user\":null}",
       "{\"id\":\"a\",\"position\":[1,2,3],\"rotation\":[0,0,1,0],\"colliders\":[{\"plane\":{}}],"
       "\"groups\":[\"g\"]}",
       NULL, NULL},
      {"{}", "{\"id\":\"a\",\"position\":[1,2,3],\"rotation\":[0,0,1,0]," MOTION BALL "," REST,
       NULL, NULL},
      {"{\"id\":\"b\"}", NULL, "bad-value", "/id"},
      {"{\"colliders\":null}", NULL, "missing-member", "/colliders"},
      {"{\"colliders\":[]}", NULL, "missing-member", "/colliders"},
      {"{\"motion\":{\"density\":5}}", NULL, "conflicting-members", "/motion"},
      {"{\"motion\":{\"mass\":-2}}", NULL, "bad-mass", "/motion/mass"},
      {"{\"posiiton\":[0,0,0]}", NULL, "unknown-member", "/posiiton"},
      {"{\"rotation\":[0,0,0,1],\"rpy\":[0,0,0]}", NULL, "conflicting-members", ""},
      {"[]", NULL, "wrong-type", ""},
      {"null", NULL, "wrong-type", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    const ct_scene *scene = make_scene(&d, base, 1);
    ct_draft *draft = ct_draft_begin(scene);
    CHECK(document_parse(&d, cases[i].patch, strlen(cases[i].patch)));
    bool good = api_patch_row(&d.reader, &d.root, draft, 0);
    document_expect(&d, cases[i].patch, cases[i].problem, cases[i].pointer, NULL);
    if (good && cases[i].result) {
      const ct_scene *next = ct_draft_seal(draft);
      draft = NULL;
      api_buffer out = {0};
      api_put_row(&out, next, 0);
      api_put_byte(&out, 0);
      CHECK_TEXT(out.bytes, cases[i].result);
      api_buffer_free(&out);
      ct_scene_release(next);
    }
    if (draft) ct_draft_discard(draft);
    ct_scene_release(scene);
    document_free(&d);
  }
}

static void a_patch_finds_its_body_by_id(void) {
  static const struct {
    const char *patch, *problem, *pointer;
  } cases[] = {{"{\"id\":\"b\",\"position\":[9,9,9]}", NULL, NULL},
               {"{\"id\":\"zz\"}", "unknown-id", "/id"},
               {"{\"position\":[0,0,0]}", "missing-member", "/id"},
               {"{\"id\":5}", "wrong-type", "/id"},
               {"5", "wrong-type", ""}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    const ct_scene *scene = make_scene(&d, "{\"bodies\":[" BODY("a") "," BODY("b") "]}", 1);
    ct_draft *draft = ct_draft_begin(scene);
    CHECK(document_parse(&d, cases[i].patch, strlen(cases[i].patch)));
    CHECK_INT(api_patch_body(&d.reader, &d.root, draft), !cases[i].problem);
    document_expect(&d, cases[i].patch, cases[i].problem, cases[i].pointer, NULL);
    if (!cases[i].problem) CHECK_NEAR(ct_draft_pose(draft, 1).position.x, 9, 0);
    ct_draft_discard(draft);
    ct_scene_release(scene);
    document_free(&d);
  }
}

static void settings_are_patched_alone(void) {
  static const char base[] = "{\"filters\":{\"groups\":{\"g\":{\"notCollideWith\":[\"g\"]}},"
                             "\"pairs\":[{\"a\":\"a\",\"b\":\"b\"}]},\"user\":{\"k\":1},"
                             "\"bodies\":[" BODY("a") "," BODY("b") "]}";
  static const struct {
    const char *patch, *settings, *problem, *pointer;
  } cases[] = {
      {"{}",
       "{\"id\":\"s\",\"filters\":{\"groups\":{\"g\":{\"notCollideWith\":[\"g\"]}},\"pairs\":[{"
       "\"a\":\"a\",\"b\":\"b\",\"collide\":"
       "false}]},\"user\":{\"k\":1}}",
       NULL, NULL},
      {"{\"user\":null,\"filters\":null}",
       "{\"id\":\"s\",\"filters\":{\"groups\":{},\"pairs\":[]}}", NULL, NULL},
      {"{\"id\":\"s\",\"user\":{\"k\":null,\"l\":2},\"filters\":{\"pairs\":null,\"groups\":{\"h\":{"
       "\"notCollideWith\":[]}}}}",
       "{\"id\":\"s\",\"filters\":{\"groups\":{\"g\":{\"notCollideWith\":[\"g\"]},\"h\":{"
       "\"notCollideWith\":[]}},\"pairs\":[]},"
       "\"user\":{\"l\":2}}",
       NULL, NULL},
      {"{\"id\":\"t\"}", NULL, "bad-value", "/id"},
      {"{\"bodies\":[]}", NULL, "unknown-member", "/bodies"},
      {"{\"filters\":{\"pairs\":[{\"a\":\"a\",\"b\":\"q\"}]}}", NULL, "unknown-id",
       "/filters/pairs/0/b"},
      {"{\"filters\":{\"groups\":{\"g\":{\"notCollideWith\":null}}}}", NULL, "missing-member",
       "/filters/groups/g/notCollideWith"},
      {"3", NULL, "wrong-type", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    const ct_scene *scene = make_scene(&d, base, 1);
    ct_draft *draft = ct_draft_begin(scene);
    CHECK(document_parse(&d, cases[i].patch, strlen(cases[i].patch)));
    bool good = api_patch_settings(&d.reader, &d.root, api_text("s"), scene, draft);
    CHECK_INT(good, cases[i].settings != NULL);
    document_expect(&d, cases[i].patch, cases[i].problem, cases[i].pointer, NULL);
    if (good) {
      const ct_scene *next = ct_draft_seal(draft);
      draft = NULL;
      api_buffer out = {0};
      api_put_settings(&out, api_text("s"), next);
      api_put_byte(&out, 0);
      CHECK_TEXT(out.bytes, cases[i].settings);
      CHECK_INT(ct_scene_count(next), 2);
      api_buffer_free(&out);
      ct_scene_release(next);
    }
    if (draft) ct_draft_discard(draft);
    ct_scene_release(scene);
    document_free(&d);
  }
}

static void a_put_body_replaces_or_is_new(void) {
  document d;
  const ct_scene *scene = make_scene(&d, "{\"bodies\":[" BODY("a") "," BODY("b") "]}", 1);
  ct_draft *draft = ct_draft_begin(scene);
  static const char *const texts[] = {"{\"id\":\"a\",\"position\":[5,0,0]," BALL "}",
                                      "{\"id\":\"n\"," BALL "}"};
  for (size_t i = 0; i < 2; i++) {
    api_body body = {0};
    bool created = i == 0;
    CHECK(document_parse(&d, texts[i], strlen(texts[i])) &&
          api_read_body(&d.reader, &d.root, NULL, &body));
    CHECK(api_put_body_into(&d.reader, NULL, &body, draft, &created));
    CHECK_INT(created, i == 1);
    api_body_release(&body);
  }
  const ct_scene *next = ct_draft_seal(draft);
  CHECK_INT(ct_scene_count(next), 3);
  CHECK_NEAR(ct_scene_pose(next, 0).position.x, 5, 0);
  CHECK_INT(ct_scene_find(next, api_text("n")), 2);
  ct_scene_release(next);
  ct_scene_release(scene);
  document_free(&d);
}

static const check_test tests[] = {
    {"scenes_come_back_as_they_were_given", scenes_come_back_as_they_were_given},
    {"the_empty_document_is_an_empty_scene", the_empty_document_is_an_empty_scene},
    {"bad_scenes_say_why_and_where", bad_scenes_say_why_and_where},
    {"bodies_beyond_the_limit_are_refused", bodies_beyond_the_limit_are_refused},
    {"an_id_in_use_is_not_a_repeated_one", an_id_in_use_is_not_a_repeated_one},
    {"merge_patches_change_what_they_name", merge_patches_change_what_they_name},
    {"a_patch_finds_its_body_by_id", a_patch_finds_its_body_by_id},
    {"settings_are_patched_alone", settings_are_patched_alone},
    {"a_put_body_replaces_or_is_new", a_put_body_replaces_or_is_new}};

CHECK_MAIN(tests)
