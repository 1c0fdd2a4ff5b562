/* Packed poses: columns, their faults, writing into a draft, what-if overrides. */
#include "documents/packed_poses_json.h"
#include "documents/scene_json.h"
#include "tests/support/document.h"

#define BALL "\"colliders\":[{\"sphere\":{\"radius\":0.5}}]"

/* Bodies a (static), b (dynamic), c (static) at x = 1, 2, 3. */
static const ct_scene *abc(void) {
  static const char text[] =
      "{\"bodies\":[{\"id\":\"a\",\"position\":[1,0,0]," BALL
      "},{\"id\":\"b\",\"position\":[2,0,0],\"motion\":{\"mass\":1,"
      "\"angularVelocity\":[0,0,5]}," BALL "},{\"id\":\"c\",\"position\":[3,0,0]," BALL "}]}";
  document d;
  api_scene_document s = {0};
  document_init(&d);
  CHECK(document_parse(&d, text, sizeof text - 1) && api_read_scene(&d.reader, &d.root, &s));
  const ct_scene *scene = api_make_scene(&d.reader, NULL, &s, 1);
  api_scene_document_release(&s);
  document_free(&d);
  if (!scene) abort();
  return scene;
}

static char *poses_text(const ct_scene *scene) {
  api_buffer out = {0};
  size_t length;
  api_put_poses(&out, scene);
  return api_buffer_detach(&out, &length);
}

static void bad_poses_say_why_and_where(void) {
  static const struct {
    const char *text, *problem, *pointer, *words;
    bool all;
  } cases[] = {
      {"{}", "missing-member", "/ids", NULL, false},
      {"[]", "wrong-type", "", NULL, false},
      {"{\"ids\":[\"a\"]}", "missing-member", "", "one of these columns is required", false},
      {"{\"ids\":\"a\",\"positions\":[]}", "wrong-type", "/ids", NULL, false},
      {"{\"ids\":[1],\"positions\":[[0,0,0]]}", "wrong-type", "/ids/0", NULL, false},
      {"{\"ids\":[\"a\"],\"positions\":[[0,0,0],[1,1,1]]}", "wrong-type", "/positions",
       "array of 1 elements", false},
      {"{\"ids\":[\"a\",\"b\"],\"positions\":[[0,0,0]]}", "wrong-type", "/positions", NULL, false},
      {"{\"ids\":[\"a\"],\"positions\":[[0,0]]}", "wrong-type", "/positions/0", NULL, false},
      {"{\"ids\":[\"a\"],\"positions\":[[0,0,1e10]]}", "out-of-range", "/positions/0/2", NULL,
       false},
      {"{\"ids\":[\"a\"],\"positions\":{}}", "wrong-type", "/positions", NULL, false},
      {"{\"ids\":[\"a\"],\"rotations\":[[0,0,0,2]]}", "bad-rotation", "/rotations/0", NULL, false},
      {"{\"ids\":[\"a\"],\"rotations\":[[0,0,1]]}", "wrong-type", "/rotations/0", NULL, false},
      {"{\"ids\":[\"a\"],\"rotation\":[[0,0,0,1]]}", "unknown-member", "/rotation",
       "did you mean \"rotations\"", false},
      {"{\"ids\":[\"a\",\"q\"],\"positions\":[[0,0,0],[0,0,0]]}", "unknown-id", "/ids/1", "\"q\"",
       false},
      {"{\"ids\":[\"b\",\"a\",\"b\"],\"positions\":[[0,0,0],[0,0,0],[0,0,0]]}", "duplicate-id",
       "/ids/2", "\"b\"", false},
      {"{\"ids\":[\"a\",\"b\"],\"positions\":[[0,0,0],[0,0,0]]}", "missing-member", "/ids",
       "every body", true},
      {"{\"ids\":[\"b\",\"a\"],\"linearVelocities\":[[1,0,0],[1,0,0]]}", "bad-value",
       "/linearVelocities/1", "static", false},
      {"{\"ids\":[\"a\"],\"angularVelocities\":[[0,0,1]]}", "bad-value", "/angularVelocities/0",
       "static", false},
      {"{\"ids\":[\"a\"],\"angularVelocities\":[[0,0,1e12]]}", "out-of-range",
       "/angularVelocities/0/2", NULL, false},
      {"{\"ids\":[\"a\"],\"angularVelocities\":[[0,0,0]]}", NULL, NULL, NULL, false},
      {"{\"ids\":[],\"positions\":[]}", NULL, NULL, NULL, false},
      {"{\"ids\":[\"c\",\"a\",\"b\"],\"positions\":[[0,0,0],[0,0,0],[0,0,0]]}", NULL, NULL, NULL,
       true},
  };
  const ct_scene *scene = abc();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    api_poses poses = {0};
    ct_draft *draft = ct_draft_begin(scene);
    document_init(&d);
    CHECK(document_parse(&d, cases[i].text, strlen(cases[i].text)));
    bool good = api_read_poses(&d.reader, &d.root, &poses) &&
                api_apply_poses(&d.reader, NULL, &poses, cases[i].all, draft);
    CHECK_INT(good, !cases[i].problem);
    document_expect(&d, cases[i].text, cases[i].problem, cases[i].pointer, cases[i].words);
    document_free(&d);
    ct_draft_discard(draft);
  }
  ct_scene_release(scene);
}

static void a_column_that_is_not_there_keeps_the_values(void) {
  static const struct {
    const char *text, *result;
  } cases[] = {
      {"{\"ids\":[\"c\",\"b\"],\"positions\":[[7,8,9],[4,5,6]]}",
       "{\"ids\":[\"a\",\"b\",\"c\"],\"positions\":[[1,0,0],[4,5,6],[7,8,9]],\"rotations\":[[0,0,0,"
       "1],[0,0,0,1],[0,0,0,1]],"
       "\"linearVelocities\":[[0,0,0],[0,0,0],[0,0,0]],\"angularVelocities\":[[0,0,0],[0,0,5],[0,0,"
       "0]]}"},
      {"{\"ids\":[\"a\"],\"rotations\":[[0,0,1,0]]}",
       "{\"ids\":[\"a\",\"b\",\"c\"],\"positions\":[[1,0,0],[2,0,0],[3,0,0]],\"rotations\":[[0,0,1,"
       "0],[0,0,0,1],[0,0,0,1]],"
       "\"linearVelocities\":[[0,0,0],[0,0,0],[0,0,0]],\"angularVelocities\":[[0,0,0],[0,0,5],[0,0,"
       "0]]}"},
      {"{\"ids\":[\"b\"],\"linearVelocities\":[[1,2,3]]}",
       "{\"ids\":[\"a\",\"b\",\"c\"],\"positions\":[[1,0,0],[2,0,0],[3,0,0]],\"rotations\":[[0,0,0,"
       "1],[0,0,0,1],[0,0,0,1]],"
       "\"linearVelocities\":[[0,0,0],[1,2,3],[0,0,0]],\"angularVelocities\":[[0,0,0],[0,0,5],[0,0,"
       "0]]}"},
  };
  const ct_scene *scene = abc();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    api_poses poses = {0};
    ct_draft *draft = ct_draft_begin(scene);
    document_init(&d);
    CHECK(document_parse(&d, cases[i].text, strlen(cases[i].text)));
    CHECK(api_read_poses(&d.reader, &d.root, &poses) &&
          api_apply_poses(&d.reader, NULL, &poses, false, draft));
    const ct_scene *next = ct_draft_seal(draft);
    char *text = poses_text(next);
    CHECK_TEXT(text, cases[i].result);
    free(text);
    ct_scene_release(next);
    document_free(&d);
  }
  ct_scene_release(scene);
}

/* The document of a GET is accepted by PUT, and the next GET returns it unchanged. */
static void poses_come_back_as_they_were_given(void) {
  const ct_scene *scene = abc();
  char *text = poses_text(scene);
  document d;
  api_poses poses = {0};
  ct_draft *draft = ct_draft_begin(scene);
  document_init(&d);
  CHECK(document_parse(&d, text, strlen(text)));
  CHECK(api_read_poses(&d.reader, &d.root, &poses) &&
        api_apply_poses(&d.reader, NULL, &poses, true, draft));
  const ct_scene *next = ct_draft_seal(draft);
  char *again = poses_text(next);
  CHECK_TEXT(again, text);
  free(text);
  free(again);
  ct_scene_release(next);
  ct_scene_release(scene);
  document_free(&d);
}

static void overrides_are_sorted_by_row(void) {
  const ct_scene *scene = abc();
  static const char text[] = "{\"ids\":[\"c\",\"a\"],\"positions\":[[7,8,9],[4,5,6]]}";
  static const char twice[] =
      "{\"ids\":[\"c\",\"a\",\"c\"],\"rotations\":[[0,0,0,1],[0,0,0,1],[0,0,0,1]]}";
  document d;
  api_poses poses = {0};
  ct_override *overrides = NULL;
  size_t count = 0;
  document_init(&d);
  CHECK(document_parse(&d, text, sizeof text - 1) && api_read_poses(&d.reader, &d.root, &poses));
  CHECK(api_override_poses(&d.reader, NULL, &poses, scene, &overrides, &count));
  CHECK_INT(count, 2);
  CHECK(overrides[0].row == 0 && overrides[0].pose.position.x == 4 &&
        overrides[0].pose.rotation.w == 1);
  CHECK(overrides[1].row == 2 && overrides[1].pose.position.z == 9);
  api_pointer at = api_pointer_member(NULL, "poses");
  CHECK(document_parse(&d, twice, sizeof twice - 1) && api_read_poses(&d.reader, &d.root, &poses));
  CHECK(!api_override_poses(&d.reader, &at, &poses, scene, &overrides, &count));
  document_expect(&d, "twice", "duplicate-id", "/poses/ids/2", NULL);
  document_free(&d);
  ct_scene_release(scene);
}

static void static_scenes_have_no_velocities(void) {
  document d;
  api_scene_document s = {0};
  static const char text[] = "{\"bodies\":[{\"id\":\"a\",\"position\":[1,0,0]," BALL "}]}";
  document_init(&d);
  CHECK(document_parse(&d, text, sizeof text - 1) && api_read_scene(&d.reader, &d.root, &s));
  const ct_scene *scene = api_make_scene(&d.reader, NULL, &s, 1);
  char *out = poses_text(scene);
  CHECK_TEXT(out, "{\"ids\":[\"a\"],\"positions\":[[1,0,0]],\"rotations\":[[0,0,0,1]]}");
  free(out);
  ct_scene_release(scene);
  api_scene_document_release(&s);
  document_free(&d);
}

static const check_test tests[] = {
    {"bad_poses_say_why_and_where", bad_poses_say_why_and_where},
    {"a_column_that_is_not_there_keeps_the_values", a_column_that_is_not_there_keeps_the_values},
    {"poses_come_back_as_they_were_given", poses_come_back_as_they_were_given},
    {"overrides_are_sorted_by_row", overrides_are_sorted_by_row},
    {"static_scenes_have_no_velocities", static_scenes_have_no_velocities}};

CHECK_MAIN(tests)
