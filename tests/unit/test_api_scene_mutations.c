/* Randomly damaged documents: each is refused with a problem or accepted; an accepted scene is the
 * same after it is encoded and decoded. */
#include "documents/scene_json.h"
#include "tests/support/document.h"

static const char whole[] = "{\"id\":\"s\",\"filters\":{\"groups\":{\"g\":{\"notCollideWith\":["
                            "\"g\",\"h\"]}},\"pairs\":[{\"a\":\"a\",\"b\":\"b\","
                            "\"collide\":true,"
                            "\"reason\":\"why\"}]},\"user\":{\"some\":[1.25,true,null]},\"bodies\":"
                            "[{\"id\":\"a\",\"position\":[0.1,2e3,-3],\"rpy\":[0.1,0."
                            "2,0.3],"
                            "\"motion\":{\"density\":1000,\"linearVelocity\":[1,0,0]},"
                            "\"colliders\":[{\"id\":\"one\",\"box\":{\"size\":[1,2,3]}},"
                            "{\"capsule\":{\"radius\":1,\"height\":2},\"position\":[0,0,1]}],"
                            "\"groups\":[\"g\"],\"user\":\"x\"},"
                            "{\"id\":\"b\",\"rotation\":[0,0.6,0,0.8],\"colliders\":[{\"convex\":{"
                            "\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[1,1,1]]}}]"
                            "},"
                            "{\"id\":\"c\",\"motion\":{\"mass\":2,\"inertiaDiagonal\":[1,1,1]},"
                            "\"colliders\":[{\"sphere\":{\"radius\":0.5},"
                            "\"matrix\":[[1,0,0],[0,1,0],[0,0,1]]}]},{\"id\":\"d\",\"colliders\":[{"
                            "\"convex\":{\"planes\":[[1,0,0,-1],[-1,0,0,-1],[0,1,0,-"
                            "1],"
                            "[0,-1,0,-1],[0,0,1,-1],[0,0,-1,-1]]}},{\"plane\":{}}]}]}";

/* Replacements for a whole token or more. */
static const char *const pieces[] = {"0",         "-1",
                                     "1e308",     "5e-324",
                                     "1e9",       "-0",
                                     "1e-400",    "null",
                                     "true",      "{}",
                                     "[]",        "\"\"",
                                     "\"a\"",     "[0,0,0]",
                                     ",",         ":",
                                     "{",         "}",
                                     "[",         "]",
                                     "\"",        "\\",
                                     "\x00",      "\xff",
                                     "\\u0000",   "1e400",
                                     "NaN",       "\"id\":\"a\",",
                                     "[[0,0,0]]", "9223372036854775808"};

/* One to three changes: a byte changed, a run dropped, a run doubled, a piece inserted, or a token
 * replaced by a piece. */
static size_t damage(check_random *r, char *text, size_t length) {
  for (uint64_t changes = 1 + check_next(r) % 3; changes; changes--) {
    size_t at = check_next(r) % length, run = check_next(r) % 12;
    if (run > length - at) run = length - at;
    const char *piece = pieces[check_next(r) % (sizeof pieces / sizeof pieces[0])];
    size_t size = strlen(piece);
    switch (check_next(r) % 5) {
    case 0: text[at] = (char)check_next(r); continue;
    case 1: size = 0; break;
    case 2: piece = NULL, size = 2 * run; break;
    case 3: run = 0; break;
    default: run = strcspn(text + at, ",:{}[]\"");
    }
    char kept[64];
    if (!piece) memcpy(kept, text + at, run);
    memmove(text + at + size, text + at + run, length - at - run + 1);
    if (piece) memcpy(text + at, piece, size);
    else memcpy(text + at, kept, run), memcpy(text + at + run, kept, run);
    length = length - run + size;
  }
  return length;
}

/* Replaces one value by another, so that the text stays valid JSON and reaches the typed readers.
 */
static size_t exchange(check_random *r, char *text, size_t length) {
  static const char *const values[] = {
      "0",    "-1",    "2",  "0.5", "1e308", "5e-324", "1e9",     "-0",   "1e-400", "null",
      "true", "false", "{}", "[]",  "\"a\"", "\"b\"",  "\"one\"", "\"\"", "1e-9",   "1e15"};
  size_t at = check_next(r) % length, run;
  while (!strchr(",:[", text[at]) || strchr("{[]", text[at + 1])) at = (at + 1) % length;
  at++;
  run = text[at] == '"' ? 2 + strcspn(text + at + 1, "\"") : strcspn(text + at, ",]}");
  const char *value = values[check_next(r) % (sizeof values / sizeof values[0])];
  memmove(text + at + strlen(value), text + at + run, length - at - run + 1);
  memcpy(text + at, value, strlen(value));
  return length - run + strlen(value);
}

/* A sealed scene, or NULL with faults. */
static const ct_scene *read_scene(document *d, const char *text, size_t length) {
  api_scene_document s = {0};
  const ct_scene *scene = NULL;
  document_init(d);
  if (document_parse(d, text, length) && api_read_scene(&d->reader, &d->root, &s))
    scene = api_make_scene(&d->reader, NULL, &s, 1);
  api_scene_document_release(&s);
  return scene;
}

static void damaged_documents_are_refused_or_read_back(void) {
  check_random r = {51};
  int taken = 0, refused[API_PROBLEM_COUNT] = {0};
  for (int i = 0; i < 30000; i++) {
    char text[2 * sizeof whole];
    memcpy(text, whole, sizeof whole);
    size_t length = sizeof whole - 1;
    if (i) length = i % 3 ? exchange(&r, text, length) : damage(&r, text, length);
    static document d;
    const ct_scene *scene = read_scene(&d, text, length);
    if ((scene != NULL) == api_faults_any(&d.faults))
      CHECK_FAIL("%.*s: neither or both", (int)length, text);
    if (!scene) {
      refused[d.faults.id]++;
      api_buffer out = {0};
      api_put_problem(&out, &d.faults);
      json_t *problem = json_loadb(out.bytes, out.length, 0, NULL);
      if (!problem) CHECK_FAIL("no JSON: %.*s", (int)out.length, out.bytes);
      if (api_problem_get(d.faults.id)->status >= 500)
        CHECK_FAIL("%.*s: %s", (int)length, text, d.faults.items[0].detail);
      json_decref(problem);
      api_buffer_free(&out);
      document_free(&d);
      continue;
    }
    taken++;
    static document e;
    api_buffer once = {0}, twice = {0};
    api_put_scene(&once, api_text("s"), scene);
    const ct_scene *again = read_scene(&e, once.bytes, once.length);
    if (again) api_put_scene(&twice, api_text("s"), again);
    else CHECK_FAIL("%.*s: %s", (int)once.length, once.bytes, e.faults.items[0].detail);
    CHECK(once.length == twice.length && memcmp(once.bytes, twice.bytes, once.length) == 0);
    api_buffer_free(&once);
    api_buffer_free(&twice);
    ct_scene_release(again);
    ct_scene_release(scene);
    document_free(&d);
    document_free(&e);
  }
  /* The damage reaches all parts of the readers. */
  CHECK(taken > 1000);
  static const api_problem_id seen[] = {
      API_PROBLEM_MALFORMED_JSON, API_PROBLEM_UNKNOWN_MEMBER, API_PROBLEM_MISSING_MEMBER,
      API_PROBLEM_WRONG_TYPE,     API_PROBLEM_OUT_OF_RANGE,   API_PROBLEM_BAD_VALUE,
      API_PROBLEM_BAD_ROTATION,   API_PROBLEM_BAD_MASS,       API_PROBLEM_UNKNOWN_ID,
      API_PROBLEM_DUPLICATE_ID,   API_PROBLEM_DEGENERATE_HULL};
  for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
    if (!refused[seen[i]]) CHECK_FAIL("no %s among the refusals", api_problem_get(seen[i])->name);
}

static const check_test tests[] = {
    {"damaged_documents_are_refused_or_read_back", damaged_documents_are_refused_or_read_back}};

CHECK_MAIN(tests)
