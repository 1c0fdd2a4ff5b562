/* Damaged records: any bytes are answered without a crash. The digest detects changed bytes;
 * changed bytes with a valid digest, as from a faulty writer, give a consistent scene or none. */
#include "common/digest.h"

#include "tests/support/failing_malloc.h"
#include "tests/support/shadow.h"

static const char small[] =
    "{\"filters\":{\"pairs\":[{\"a\":\"a\",\"b\":\"b\",\"collide\":true}]},\"materials\":{\"oak\":{"
    "\"restitution\":0.5}},\"user\":["
    "1],"
    "\"bodies\":[{\"id\":\"a\",\"position\":[0,0,0.5],\"motion\":{\"mass\":1,\"inertiaDiagonal\":["
    "1,1,1],\"linearVelocity\":[1,2,3]"
    "},"
    "\"colliders\":[{\"box\":{\"size\":[1,1,1],\"surfaceIds\":[1,2,3,4,5,6]},\"id\":\"k\","
    "\"material\":\"oak\","
    "\"position\":[0.1,0,0]},{\"cone\":{\"radius\":0."
    "2,"
    "\"height\":1,\"radiusTop\":0},\"margin\":0.01}],\"groups\":[\"g\"],\"user\":{\"x\":1}},{"
    "\"id\":\"b\",\"colliders\":[{"
    "\"plane\":"
    "{}}]},{\"id\":\"c\",\"position\":[9,0,0],\"colliders\":[{\"convex\":{\"vertices\":[[0,0,0],[1,"
    "0,0],[0,1,0],[0,0,1]],"
    "\"surfaceIds\":[4,3,2,1]},\"roundingRadius\":0.01},{\"mesh\":{\"vertices\":[[0,0,0],[1,0,0],["
    "0,1,0]],\"triangles\":[[0,1,2]],"
    "\"normals\":[[0,0,1],[0,0,1],[0,0,1]]},\"id\":\"m\"}]},"
    "{\"id\":\"d\",\"position\":[20,0,0],\"colliders\":[{\"tetmesh\":{\"vertices\":[[0,0,"
    "0],"
    "[1,0,0],[0,1,0],[0,0,1]],\"tetrahedra\":[[0,1,2,3]]},\"id\":\"t\"},"
    "{\"elementmesh\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[1,0,1],[0,1,1],[0,0,2]],"
    "\"elements\":[[0,1,2,3,4,5],[3,4,5,6]]}},"
    "{\"convex\":{\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],"
    "[0.1,0.1,0.1]]}}]}]}";

/* Moves shapes of that scene, so that its record includes their origins. */
static const char moves[] =
    "{\"meshes\":[{\"body\":\"c\",\"collider\":\"m\",\"vertices\":[[0,0,0],[1,0,0.5],[0,1,0]],"
    "\"normals\":[[0,0,1],[0,0,2],[0,0,1]]},"
    "{\"body\":\"d\",\"collider\":\"t\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1.5]]}]}";

/* A scene and a later revision that differs in everything, as records. */
typedef struct sample {
  rig daemon;
  const ct_scene *before, *after;
  api_record base, change, shape;
} sample;

/* Moves vertices of shapes, so that these have origins. */
static void move_shapes(rig *r) {
  rig_must(r, "PATCH", "/v1/scenes/s/vertices", moves, 200);
  const ct_scene *scene = scene_in(r);
  const ct_body *c = ct_scene_body(scene, ct_scene_find(scene, (ct_text){"c", 1}));
  const ct_body *d = ct_scene_body(scene, ct_scene_find(scene, (ct_text){"d", 1}));
  CHECK(ct_mesh_origin(ct_body_collider(c, 1).shape.mesh) != NULL);
  CHECK(ct_elements_origin(ct_body_collider(d, 0).shape.elements) != NULL);
}

/* Replaces the body of a row by another one with the same shapes, to which the record refers. */
static void replace_body(ct_draft *draft, uint32_t row) {
  const ct_body *own = ct_draft_body(draft, row), *body = NULL;
  ct_collider colliders[8];
  ct_body_options options = {.id = ct_body_id(own),
                             .colliders = colliders,
                             .collider_count = ct_body_collider_count(own),
                             .user = {"3", 1}};
  CHECK(options.collider_count <= 8);
  for (size_t i = 0; i < options.collider_count; i++) colliders[i] = ct_body_collider(own, i);
  ct_pose pose = ct_draft_pose(draft, row);
  ct_velocity velocity = ct_draft_velocity(draft, row);
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  CHECK_INT(ct_draft_replace(draft, row, body, &pose, &velocity), CT_OK);
  ct_body_release(body);
}

static sample sample_open(const char *scene) {
  sample s = {.daemon = rig_open()};
  rig *r = &s.daemon;
  r->posted = &s.shape;
  rig_reply posted = rig_ask(r, "POST", "/v1/shapes", "{\"box\":{\"size\":[1,2 ,3]}}");
  CHECK_INT(posted.status, 201);
  r->posted = NULL;
  rig_must(r, "PUT", "/v1/scenes/s", scene, 201);
  if (scene == small) move_shapes(r);
  rig_must(r, "POST", "/v1/scenes/s/contactStates/one", "{\"supportPoints\":true}", 201);
  s.before = ct_scene_retain(scene_in(r));
  CHECK(api_record_base(s.before, &s.base));
  /* One revision with several writes. */
  ct_draft *draft = ct_draft_begin(s.before);
  ct_pose pose = {{1, 2, 3}, {0, 0, 0, 1}};
  ct_velocity velocity = {{4, 5, 6}, {0, 1, 0}};
  uint32_t rows = ct_scene_rows(s.before);
  CHECK_INT(ct_draft_set_pose(draft, 0, &pose), CT_OK);
  CHECK_INT(ct_draft_set_velocity(draft, 0, &velocity), CT_OK);
  replace_body(draft, 2);
  CHECK_INT(ct_draft_remove(draft, rows - 1), CT_OK);
  CHECK_INT(ct_draft_set_user(draft, (ct_text){"[2]", 3}), CT_OK);
  char spelled[96];
  int length = snprintf(spelled, sizeof spelled, "\"%s\",\"scale\":2",
                        json_string_value(json_object_get(posted.json, "id")));
  ct_text note = {spelled, (size_t)length};
  ct_collider collider = {
      .shape = {.kind = CT_KIND_BOX, .box = {{1, 2, 3}}}, .pose = ct_pose_identity(), .note = note};
  ct_body_options options = {.id = {"new", 3}, .colliders = &collider, .collider_count = 1};
  const ct_body *body = NULL;
  CHECK_INT(ct_body_create(&options, &body), CT_OK);
  CHECK_INT(ct_draft_insert(draft, body, &pose, &velocity, NULL), CT_OK);
  ct_body_release(body);
  s.after = ct_draft_seal(draft);
  CHECK(api_record_change(s.before, s.after, &s.change));
  CHECK(!s.change.base && s.change.has_shapes);
  rig_free(&posted);
  return s;
}

static void sample_close(sample *s) {
  api_record_free(&s->base);
  api_record_free(&s->change);
  api_record_free(&s->shape);
  ct_scene_release(s->before);
  ct_scene_release(s->after);
  rig_close(&s->daemon);
}

/* A scene restored from bytes is consistent: it can be encoded, queried, recorded and restored
 * again. */
static void check_holds(rig *daemon, const ct_scene *scene) {
  rig r = rig_open();
  const ct_scene *again = NULL;
  char why[API_RESTORE_WHY];
  api_record record;
  rig_commit(&r, "s", scene);
  rig_reply reply = rig_ask(&r, "GET", "/v1/scenes/s", NULL);
  CHECK_INT(reply.status, 200);
  if (!reply.json) CHECK_FAIL("no JSON: %.200s", reply.body);
  rig_free(&reply);
  reply = rig_ask(&r, "POST", "/v1/scenes/s/query/distance", "{\"maxDistance\":1}");
  CHECK(reply.status < 500);
  rig_free(&reply);
  reply = rig_ask(&r, "POST", "/v1/scenes/s/query/zeroCrossings",
                  "{\"contactState\":\"one\",\"include\":[\"contacts\"]}");
  CHECK(reply.status < 500);
  rig_free(&reply);
  CHECK(api_record_base(scene, &record));
  CHECK_INT(api_record_apply(daemon->shapes, NULL, record.bytes, record.length, &again, why),
            API_RESTORED);
  if (again) check_same(scene, again);
  ct_scene_release(again);
  api_record_free(&record);
  rig_close(&r);
}

/* Applies bytes of a scene (before: for a change) or a shape. */
static api_restored apply(sample *s, const api_record *which, const char *bytes, size_t length,
                          bool look) {
  char why[API_RESTORE_WHY] = "";
  api_restored end;
  if (which == &s->shape) {
    const api_shape_table *table = NULL;
    end = api_record_apply_shape(s->daemon.service, NULL, bytes, length, &table, why);
    CHECK((table != NULL) == (end == API_RESTORED));
    api_shapes_release(table);
  } else {
    const ct_scene *scene = NULL;
    end = api_record_apply(s->daemon.shapes, which == &s->base ? NULL : s->before, bytes, length,
                           &scene, why);
    CHECK((scene != NULL) == (end == API_RESTORED));
    if (scene && look) check_holds(&s->daemon, scene);
    ct_scene_release(scene);
  }
  CHECK((end == API_RESTORED) == (why[0] == 0));
  return end;
}

static void every_byte_counts(void) {
  sample s = sample_open(small);
  const api_record *records[] = {&s.base, &s.change, &s.shape};
  for (size_t k = 0; k < 3; k++) {
    size_t length = records[k]->length;
    char *bytes = malloc(length + 1);
    memcpy(bytes, records[k]->bytes, length);
    bytes[length] = 0;
    CHECK_INT(apply(&s, records[k], bytes, length, true), API_RESTORED);
    CHECK_INT(apply(&s, records[k], bytes, length + 1, false), API_RESTORE_DAMAGED);
    for (size_t i = 0; i < length; i++) {
      CHECK_INT(apply(&s, records[k], bytes, i, false), API_RESTORE_DAMAGED);
      bytes[i] ^= (char)(1u << i % 8);
      api_restored end = apply(&s, records[k], bytes, length, false);
      bool newer =
          i == 8 ? (unsigned char)bytes[i] > API_RECORD_FORMAT : i > 8 && i < 12 && bytes[i];
      CHECK_INT(end, newer ? API_RESTORE_NEWER : API_RESTORE_DAMAGED);
      bytes[i] ^= (char)(1u << i % 8);
    }
    free(bytes);
  }
  sample_close(&s);
}

static void seal_again(char *bytes, size_t length) {
  uint8_t digest[32];
  api_digest_bytes(bytes, length - sizeof digest, digest);
  memcpy(bytes + length - sizeof digest, digest, sizeof digest);
}

/* Changes one byte or four, and corrects the digest. */
static void tamper(sample *s, const api_record *which, size_t *made, size_t *refused) {
  static const uint32_t words[] = {0, 1, 0x7fffffffu, 0xffffffffu};
  size_t length = which->length, end = length - 32;
  char *bytes = malloc(length);
  for (size_t i = 12; i < end; i++) {
    for (size_t k = 0; k < 3; k++) {
      memcpy(bytes, which->bytes, length);
      if (k == 0) bytes[i] ^= (char)(1u << i % 8);
      else if (k == 1) bytes[i] = (char)(bytes[i] + 1);
      else memcpy(bytes + i, &words[i % 4], end - i < 4 ? end - i : 4);
      seal_again(bytes, length);
      api_restored what = apply(s, which, bytes, length, k == 0);
      CHECK(what == API_RESTORED || what == API_RESTORE_DAMAGED);
      ++*(what == API_RESTORED ? made : refused);
    }
  }
  /* Truncated, and longer than its header says. */
  for (size_t i = 16 + 32; i < length; i++) {
    memcpy(bytes, which->bytes, i);
    seal_again(bytes, i);
    CHECK_INT(apply(s, which, bytes, i, false), API_RESTORE_DAMAGED);
  }
  free(bytes);
}

/* Several changed places at once, in a scene with all kinds. */
static void anything_is_answered(void) {
  const char *full = getenv("CONTACTD_FULL");
  int rounds = full && *full ? 100000 : 1500;
  sample s = sample_open(all_kinds);
  check_random r = {99};
  size_t made = 0;
  char *bytes = malloc(s.base.length + s.change.length);
  for (int i = 0; i < rounds; i++) {
    const api_record *which = i % 3 ? &s.base : &s.change;
    size_t length = which->length, edits = 1 + (size_t)check_uniform(&r, 0, 4);
    memcpy(bytes, which->bytes, length);
    for (size_t k = 0; k < edits; k++) {
      size_t at = 12 + (size_t)check_uniform(&r, 0, (double)length - 44),
             from = (size_t)check_uniform(&r, 0, (double)length - 32);
      size_t most = length - 32 - (at > from ? at : from), run = (size_t)check_uniform(&r, 0, 9);
      if (check_uniform(&r, 0, 2) < 1.0) bytes[at] = (char)check_next(&r);
      else memmove(bytes + at, bytes + from, run < most ? run : most);
    }
    seal_again(bytes, length);
    api_restored end = apply(&s, which, bytes, length, i % 8 == 0);
    CHECK(end != API_RESTORE_MEMORY);
    made += end == API_RESTORED;
  }
  CHECK(made > 0);
  free(bytes);
  sample_close(&s);
}

static void bytes_of_any_content_are_answered(void) {
  sample s = sample_open(small);
  size_t made = 0, refused = 0;
  tamper(&s, &s.change, &made, &refused);
  tamper(&s, &s.base, &made, &refused);
  tamper(&s, &s.shape, &made, &refused);
  CHECK(made > 100 && refused > 100);
  sample_close(&s);
}

static void records_of_another_revision_are_refused(void) {
  sample s = sample_open(small);
  const ct_scene *scene = NULL;
  char why[API_RESTORE_WHY] = "";
  CHECK_INT(api_record_apply(s.daemon.shapes, NULL, s.change.bytes, s.change.length, &scene, why),
            API_RESTORE_DAMAGED);
  CHECK_INT(
      api_record_apply(s.daemon.shapes, s.after, s.change.bytes, s.change.length, &scene, why),
      API_RESTORE_DAMAGED);
  CHECK_INT(api_record_apply(s.daemon.shapes, s.before, s.shape.bytes, s.shape.length, &scene, why),
            API_RESTORE_DAMAGED);
  CHECK(scene == NULL && why[0]);
  const api_shape_table *table = NULL;
  CHECK_INT(
      api_record_apply_shape(s.daemon.service, NULL, s.base.bytes, s.base.length, &table, why),
      API_RESTORE_DAMAGED);
  CHECK(table == NULL);
  sample_close(&s);
}

/* Earlier versions accepted such bytes and acknowledged the shape. */
static void a_shape_posted_with_a_zero_byte_behind_a_number_is_read(void) {
  char body[] = "{\"box\":{\"size\":[1,2 ,3]}}";
  size_t length = sizeof body - 1;
  sample s = sample_open(small);
  api_digest before, after;
  CHECK(api_digest_make("json m", body, length, NULL, &before));
  char *at = memmem(s.shape.bytes, s.shape.length, body, length);
  char *id = memmem(s.shape.bytes, s.shape.length, before.id, API_SHAPE_ID_LENGTH);
  CHECK(at && id);
  *strchr(body, ' ') = 0;
  CHECK(api_digest_make("json m", body, length, NULL, &after));
  if (at) memcpy(at, body, length);
  if (id) memcpy(id, after.id, API_SHAPE_ID_LENGTH);
  seal_again(s.shape.bytes, s.shape.length);
  CHECK_INT(apply(&s, &s.shape, s.shape.bytes, s.shape.length, false), API_RESTORED);
  sample_close(&s);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* An operation that runs with allocation n failing. */
typedef bool (*attempt)(sample *s);

static bool try_base(sample *s) {
  api_record record;
  if (!api_record_base(s->before, &record)) return false;
  CHECK_INT(record.length, s->base.length);
  api_record_free(&record);
  return true;
}

static bool try_change(sample *s) {
  api_record record;
  if (!api_record_change(s->before, s->after, &record)) return false;
  CHECK_INT(record.length, s->change.length);
  api_record_free(&record);
  return true;
}

static bool try_apply(sample *s, const ct_scene *before, const api_record *which) {
  const ct_scene *scene = NULL;
  char why[API_RESTORE_WHY];
  api_restored end =
      api_record_apply(s->daemon.shapes, before, which->bytes, which->length, &scene, why);
  CHECK(end == API_RESTORED || end == API_RESTORE_MEMORY);
  if (scene) ct_scene_release(scene);
  return end == API_RESTORED;
}

static bool try_apply_base(sample *s) { return try_apply(s, NULL, &s->base); }
static bool try_apply_change(sample *s) { return try_apply(s, s->before, &s->change); }

static bool try_apply_shape(sample *s) {
  const api_shape_table *table = NULL;
  char why[API_RESTORE_WHY];
  api_restored end =
      api_record_apply_shape(s->daemon.service, NULL, s->shape.bytes, s->shape.length, &table, why);
  CHECK(end == API_RESTORED || end == API_RESTORE_MEMORY);
  api_shapes_release(table);
  return end == API_RESTORED;
}

/* rest: all later allocations fail, too. */
static void fail_each(bool rest) {
  NEEDS_FAILING_MALLOC;
  memory.rest = rest;
  static const attempt attempts[] = {try_base, try_change, try_apply_base, try_apply_change,
                                     try_apply_shape};
  sample s = sample_open(small);
  for (size_t k = 0; k < sizeof attempts / sizeof attempts[0]; k++) {
    bool reached = true, done = false;
    for (long n = 1; reached; n++) {
      long live = memory.live;
      memory.taken = 0;
      memory.fail_at = n;
      memory.counting = true;
      done = attempts[k](&s);
      memory.counting = false;
      reached = memory.taken >= n;
      CHECK_INT(memory.live, live);
      if (!reached) CHECK(n > 3);
    }
    CHECK(done);
  }
  sample_close(&s);
}

static void out_of_memory_is_reported(void) {
  fail_each(false);
  fail_each(true);
}

static const check_test tests[] = {
    {"every_byte_counts", every_byte_counts},
    {"bytes_of_any_content_are_answered", bytes_of_any_content_are_answered},
    {"anything_is_answered", anything_is_answered},
    {"records_of_another_revision_are_refused", records_of_another_revision_are_refused},
    {"a_shape_posted_with_a_zero_byte_behind_a_number_is_read",
     a_shape_posted_with_a_zero_byte_behind_a_number_is_read},
    {"out_of_memory_is_reported", out_of_memory_is_reported},
};

int main(int argc, char **argv) {
  return check_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
