/* Decoding without memory: every allocation of a request fails in turn, once alone and once with
 * all later ones. Each time the answer is out-of-memory and nothing leaks; without a failure the
 * answer is right. The test replaces malloc; a sanitizer brings its own, so there the same sequence
 * runs once without failures. */
#include "documents/body_patch.h"
#include "documents/ndjson.h"
#include "documents/packed_poses_json.h"
#include "tests/support/document.h"
#include "tests/support/failing_malloc.h"

#define HULL "[0,0,0],[1,0,0],[0,1,0],[0,0,1],[1,1,1],[0.2,0.2,0.2]"
#define SCENE                                                                                      \
  "{\"id\":\"s\",\"filters\":{\"groups\":{\"g\":{\"notCollideWith\":[\"g\",\"h\"]}},\"pairs\":[{"  \
  "\"a\":\"a\",\"b\":\"b\","                                                                       \
  "\"reason\":"                                                                                    \
  "\"bolted together, so they always "                                                             \
  "touch\"}]},\"user\":{\"some\":[1.25,true,{\"deep\":null}]},\"bodies\":["                        \
  "{\"id\":\"a\",\"position\":[0.123456789012345,2,3],\"rpy\":[0.1,0.2,0.3],\"motion\":{"          \
  "\"density\":1000,\"linearVelocity\":[1,0,"                                                      \
  "0]},"                                                                                           \
  "\"colliders\":[{\"id\":\"one\",\"box\":{\"size\":[1,2,3]}},{\"capsule\":{\"radiusBottom\":1,"   \
  "\"radiusTop\":1,\"height\":2}}],"                                                               \
  "\"groups\":[\"g\",\"h\"],\"user\":\"a text that is longer than sixteen bytes\"},"               \
  "{\"id\":\"b\",\"colliders\":[{\"convex\":{\"vertices\":[" HULL                                  \
  "]}},{\"cone\":{\"radius\":1,\"height\":1,\"radiusTop\":0}},"                                    \
  "{\"convex\":{\"vertices\":[" HULL "]},\"roundingRadius\":0.05}]},"                              \
  "{\"id\":\"c\",\"colliders\":[{\"convex\":{\"planes\":[[1,0,0,-1],[-1,0,0,-1],[0,1,0,-1],[0,-1," \
  "0,-1],[0,0,1,-1],[0,0,-1,-1]]}}]"                                                               \
  "}]}"
#define POSES                                                                                      \
  "{\"ids\":[\"c\",\"a\"],\"positions\":[[1,2,3],[4,5,6]],\"rotations\":[[0,0,0,1],[0,0,1,0]]}"
#define PATCH "{\"id\":\"a\",\"position\":[7,8,9],\"user\":{\"new\":[1,2,3]}}"
#define LINES PATCH "\n{\"id\":\"b\",\"groups\":[\"x\"]}\n"
#define SETTINGS                                                                                   \
  "{\"user\":{\"other\":2},\"filters\":{\"groups\":{\"z\":{\"notCollideWith\":[\"g\"]}}}}"

/* A sealed scene from the text; NULL with faults. */
static const ct_scene *make(document *d, const char *text) {
  api_scene_document s = {0};
  const ct_scene *scene = NULL;
  if (document_parse(d, text, strlen(text)) && api_read_scene(&d->reader, &d->root, &s))
    scene = api_make_scene(&d->reader, NULL, &s, 1);
  api_scene_document_release(&s);
  return scene;
}

static bool put_scene(const ct_scene *scene, char **text) {
  api_buffer out = {0};
  size_t length;
  api_put_scene(&out, api_text("s"), scene);
  *text = api_buffer_detach(&out, &length);
  return *text != NULL;
}

static bool apply_poses(document *d, ct_draft *draft) {
  api_poses poses = {0};
  return document_parse(d, POSES, sizeof POSES - 1) &&
         api_read_poses(&d->reader, &d->root, &poses) &&
         api_apply_poses(&d->reader, NULL, &poses, false, draft);
}

static bool apply_lines(document *d, ct_draft *draft) {
  static const char text[] = LINES;
  api_ndjson n;
  api_patch_lines patches = {0};
  api_ndjson_init(&n, &d->reader, api_ndjson_patch, &patches);
  bool good = api_ndjson_feed(&n, text, 50) && api_ndjson_feed(&n, text + 50, sizeof text - 51) &&
              api_ndjson_end(&n);
  good = good && api_apply_patch_lines(&d->reader, &patches, draft);
  api_patch_lines_free(&patches);
  api_ndjson_free(&n);
  return good;
}

static bool insert_lines(document *d, ct_draft *draft) {
  static const char text[] =
      "{\"id\":\"n1\",\"colliders\":[{\"sphere\":{\"radius\":1}}]}\n{\"id\":\"n2\",\"colliders\":[{"
      "\"convex\":{\"vertices\":[" HULL "]}}],\"user\":[]}\n";
  api_ndjson n;
  api_body_list list = {0};
  api_ndjson_init(&n, &d->reader, api_ndjson_body, &list);
  bool good = api_ndjson_feed(&n, text, 33) && api_ndjson_feed(&n, text + 33, sizeof text - 34) &&
              api_ndjson_end(&n);
  good = good && api_add_bodies(&d->reader, NULL, &list, draft);
  api_body_list_free(&list);
  api_ndjson_free(&n);
  return good;
}

/* Every kind of write of a client, one after the other. True: all succeeded; *text is then the
 * scene's document. */
static bool whole_life(document *d, char **text) {
  const ct_scene *scene = make(d, SCENE), *next = NULL;
  if (!scene) return false;
  ct_draft *draft = ct_draft_begin(scene);
  bool good = draft != NULL;
  if (!draft) api_fault_memory(&d->faults);
  good = good && apply_poses(d, draft) && apply_lines(d, draft) && insert_lines(d, draft);
  good = good && document_parse(d, PATCH, sizeof PATCH - 1) &&
         api_patch_body(&d->reader, &d->root, draft);
  good = good && document_parse(d, SETTINGS, sizeof SETTINGS - 1) &&
         api_patch_settings(&d->reader, &d->root, api_text("s"), scene, draft);
  if (good) {
    next = ct_draft_seal(draft);
    if (next) draft = NULL;
    good = next && put_scene(next, text);
    if (!good) api_fault_memory(&d->faults);
  }
  if (draft) ct_draft_discard(draft);
  ct_scene_release(next);
  ct_scene_release(scene);
  return good;
}

/* Runs the sequence with failures from allocation `at` on. The document is static because it is too
 * large for the stack. */
static bool attempt(long at, bool rest, char **text) {
  static document d;
  document_init(&d);
  memory.taken = 0;
  memory.fail_at = at;
  memory.rest = rest;
  long start = memory.live;
  memory.counting = true;
  bool good = whole_life(&d, text);
  document_free(&d);
  memory.counting = false;
  long held =
      FAILING_MALLOC ? memory.live - start - (good ? 1 : 0) : 0; /* the text outlives the attempt */
  if (held)
    CHECK_FAIL("allocation %ld%s: %ld blocks are still held", at, rest ? " and all later ones" : "",
               held);
  if (good != !api_faults_any(&d.faults))
    CHECK_FAIL("allocation %ld: %s, %zu faults", at, good ? "done" : "failed", d.faults.count);
  if (!good && d.faults.id != API_PROBLEM_OUT_OF_MEMORY)
    CHECK_FAIL("allocation %ld%s: %s: %s", at, rest ? " and all later ones" : "",
               api_problem_get(d.faults.id)->name, d.faults.items[0].detail);
  return good;
}

static void each_failed_allocation_is_told_and_leaks_nothing(void) {
  char *expected = NULL;
  api_json_start();
  CHECK(attempt(0, false, &expected));
  long total = memory.taken;
  if (FAILING_MALLOC) CHECK(total > 100);
  if (!expected) return;
  CHECK(strstr(expected, "\"n2\"") && strstr(expected, "\"other\":2") &&
        strstr(expected, "[7,8,9]"));
  int survived = 0;
  for (int rest = 0; rest < 2; rest++) {
    for (long at = 1; at <= total; at++) {
      char *text = NULL;
      if (!attempt(at, rest, &text)) continue;
      /* The refused allocation was optional: the answer must be the same. */
      survived++;
      CHECK_TEXT(text, expected);
      free(text);
    }
  }
  fprintf(stderr, "  %ld allocations, %d failures did no harm\n", total, survived);
  free(expected);
}

static const check_test tests[] = {{"each_failed_allocation_is_told_and_leaks_nothing",
                                    each_failed_allocation_is_told_and_leaks_nothing}};

CHECK_MAIN(tests)
