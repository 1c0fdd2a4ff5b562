/* NDJSON: any split of the text gives the same bodies or the same fault; faults name record and
 * line; memory is that of the bodies. */
#include "documents/ndjson.h"

#include <unistd.h>

#include "tests/support/document.h"

#define BALL "\"colliders\":[{\"sphere\":{\"radius\":0.5}}]"
#define BODY(id) "{\"id\":\"" id "\",\"position\":[0,0,0],\"rotation\":[0,0,0,1]," BALL "}"

/* Feeds the text in pieces of `piece` bytes (0: pieces of random length). */
static bool feed(api_ndjson *n, const char *text, size_t length, size_t piece, check_random *r) {
  size_t at = 0;
  while (at < length) {
    size_t size = piece ? piece : 1 + check_next(r) % 40;
    if (size > length - at) size = length - at;
    if (!api_ndjson_feed(n, text + at, size)) return false;
    at += size;
  }
  return api_ndjson_end(n);
}

static void check_bodies(const char *text, size_t length, size_t piece, check_random *r,
                         const char *const *ids, size_t count) {
  document d;
  api_ndjson n;
  api_body_list list = {0};
  document_init(&d);
  api_ndjson_init(&n, &d.reader, api_ndjson_body, &list);
  CHECK(feed(&n, text, length, piece, r));
  document_expect(&d, "lines", NULL, NULL, NULL);
  CHECK_INT(list.count, count);
  CHECK_INT(n.records, count);
  for (size_t i = 0; i < list.count && i < count; i++)
    CHECK(api_text_equal(ct_body_id(list.items[i].body), api_text(ids[i])));
  api_ndjson_free(&n);
  api_body_list_free(&list);
  document_free(&d);
}

static void any_cut_gives_the_same_bodies(void) {
  static const char *const ids[] = {"a", "b", "c", "d"};
  static const char *const texts[] = {
      BODY("a") "\n" BODY("b") "\n" BODY("c") "\n" BODY("d") "\n",
      BODY("a") "\n" BODY("b") "\n" BODY("c") "\n" BODY("d"),
      "\n\n" BODY("a") "\r\n   \n" BODY("b") "\n\n\t" BODY("c") "  \n" BODY("d") "\n \n\n"};
  check_random r = {41};
  for (size_t i = 0; i < 3; i++) {
    size_t length = strlen(texts[i]);
    for (size_t piece = 1; piece <= length; piece++)
      check_bodies(texts[i], length, piece, &r, ids, 4);
    for (int round = 0; round < 200; round++) check_bodies(texts[i], length, 0, &r, ids, 4);
  }
}

static void a_body_without_a_line_is_refused(void) {
  static const char *const texts[] = {"", "\n", " \r\n\n\t"};
  for (size_t i = 0; i < 3; i++) {
    document d;
    api_ndjson n;
    api_body_list list = {0};
    document_init(&d);
    api_ndjson_init(&n, &d.reader, api_ndjson_body, &list);
    CHECK(api_ndjson_feed(&n, texts[i], strlen(texts[i])) && !api_ndjson_end(&n));
    document_expect(&d, "nothing", "malformed-json", NULL, "send one JSON value per line");
    api_ndjson_free(&n);
    api_body_list_free(&list);
    document_free(&d);
  }
}

static void faults_name_record_and_line(void) {
  static const struct {
    const char *text, *problem, *pointer, *words;
    size_t taken;
  } cases[] = {
      {BODY("a") "\n\n{\"id\":\"b\",\"colliders\":[{\"sphere\":{\"radius\":-1}}]}\n" BODY("c") "\n",
       "out-of-range", "/1/colliders/0/sphere/radius", "(line 3)", 1},
      {BODY("a") "\n" BODY("b") "\n{\"id\": tru}\n", "malformed-json", "/2",
       "Line 3, column 10 (byte 10)", 2},
      {"[1]\n", "wrong-type", "/0", "(line 1)", 0},
      {"\n\n\n7", "wrong-type", "/0", "(line 4)", 0},
      {"{\n\"id\":\"a\"}\n", "malformed-json", "/0", "Line 1", 0},
      {BODY("a") BODY("b") "\n", "malformed-json", "/0", "--data-binary", 0},
      {BODY("a") "\n{\"id\":\"b\",\"colour\":1,\"size\":2}\n", "unknown-member", "/1/colour",
       "(line 2)", 1},
      {BODY("a") "\n[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n", "too-deep", "/1", "Line 2, column 33", 1},
      {BODY("a") "\n\xef\xbb\xbf" BODY("b") "\n", "malformed-json", "/1", "Line 2", 1},
  };
  check_random r = {42};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (size_t piece = 0; piece < 60; piece++) {
      document d;
      api_ndjson n;
      api_body_list list = {0};
      document_init(&d);
      api_ndjson_init(&n, &d.reader, api_ndjson_body, &list);
      CHECK(!feed(&n, cases[i].text, strlen(cases[i].text), piece, &r));
      CHECK(!api_ndjson_feed(&n, "{}", 2) && !api_ndjson_end(&n));
      document_expect(&d, cases[i].text, cases[i].problem, cases[i].pointer, cases[i].words);
      CHECK_INT(list.count, cases[i].taken);
      api_ndjson_free(&n);
      api_body_list_free(&list);
      document_free(&d);
    }
  }
}

static void long_lines_are_refused_before_they_end(void) {
  char line[700];
  memset(line, ' ', sizeof line);
  for (size_t length = 254; length < 260; length++) {
    for (int ended = 0; ended < 2; ended++) {
      document d;
      api_ndjson n;
      api_body_list list = {0};
      document_init(&d);
      d.limits.line_bytes = 256;
      api_ndjson_init(&n, &d.reader, api_ndjson_body, &list);
      line[length] = ended ? '\n' : ' ';
      bool good =
          api_ndjson_feed(&n, "\n", 1) && api_ndjson_feed(&n, line, length + (ended ? 1 : 0));
      CHECK_INT(good, length <= 256);
      document_expect(&d, "line", good ? NULL : "body-too-large", "/0",
                      "Line 2 has more than 256 bytes");
      line[length] = ' ';
      api_ndjson_free(&n);
      api_body_list_free(&list);
      document_free(&d);
    }
  }
}

static void bodies_are_limited_in_number_and_memory(void) {
  document d;
  api_ndjson n;
  api_body_list list = {0};
  static const char text[] = BODY("a") "\n" BODY("b") "\n" BODY("c") "\n";
  document_init(&d);
  d.limits.bodies = 2;
  api_ndjson_init(&n, &d.reader, api_ndjson_body, &list);
  CHECK(!api_ndjson_feed(&n, text, sizeof text - 1));
  document_expect(&d, "three", "limit-exceeded", "/2", "At most 2");
  api_ndjson_free(&n);
  api_body_list_free(&list);
  document_free(&d);

  document_init(&d);
  d.limits.request_memory_bytes = 1u << 20;
  api_ndjson_init(&n, &d.reader, api_ndjson_body, &list);
  size_t lines = 0;
  while (lines < 100000 && api_ndjson_feed(&n, BODY("a") "\n", sizeof BODY("a"))) lines++;
  document_expect(&d, "memory", "body-too-large", NULL, "requestMemoryBytes");
  CHECK(lines > 1000 && lines < 10000);
  api_ndjson_free(&n);
  api_body_list_free(&list);
  document_free(&d);
}

static const ct_scene *scene_of(const char *text) {
  document d;
  api_scene_document s = {0};
  document_init(&d);
  CHECK(document_parse(&d, text, strlen(text)) && api_read_scene(&d.reader, &d.root, &s));
  const ct_scene *scene = api_make_scene(&d.reader, NULL, &s, 1);
  api_scene_document_release(&s);
  document_free(&d);
  if (!scene) abort();
  return scene;
}

static void patches_are_kept_and_applied_in_order(void) {
  static const struct {
    const char *text, *problem, *pointer, *words;
    bool early; /* found while the lines arrive */
  } cases[] = {
      {"{\"id\":\"b\",\"position\":[1,0,0]}\n\n{\"id\":\"b\",\"position\":[2,0,0]}\n", NULL, NULL,
       NULL, false},
      {"{\"id\":\"b\"}\n\n{\"id\":\"zz\"}\n", "unknown-id", "/1/id", "(line 3)", false},
      {"{\"id\":\"b\"}\n{\"id\":\"a\",\"motion\":{\"mass\":-1}}\n", "bad-mass", "/1/motion/mass",
       "(line 2)", false},
      {"{\"id\":\"b\"}\n{\"position\":[0,0,0]}\n", "missing-member", "/1/id", "(line 2)", true},
      {"[]\n", "wrong-type", "/0", "(line 1)", true},
      {"{\"id\":\"b\"\n", "malformed-json", "/0", "Line 1", true},
  };
  check_random r = {43};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    api_ndjson n;
    api_patch_lines patches = {0};
    const ct_scene *scene = scene_of("{\"bodies\":[" BODY("a") "," BODY("b") "]}");
    ct_draft *draft = ct_draft_begin(scene);
    document_init(&d);
    api_ndjson_init(&n, &d.reader, api_ndjson_patch, &patches);
    bool good = feed(&n, cases[i].text, strlen(cases[i].text), 7, &r);
    CHECK_INT(good, !cases[i].early);
    good = good && api_apply_patch_lines(&d.reader, &patches, draft);
    CHECK_INT(good, !cases[i].problem);
    document_expect(&d, cases[i].text, cases[i].problem, cases[i].pointer, cases[i].words);
    if (good) CHECK_NEAR(ct_draft_pose(draft, 1).position.x, 2, 0);
    ct_draft_discard(draft);
    ct_scene_release(scene);
    api_patch_lines_free(&patches);
    api_ndjson_free(&n);
    document_free(&d);
  }
}

static void a_cancelled_stream_stops(void) {
  document d;
  api_ndjson n;
  api_body_list list = {0};
  document_init(&d);
  ct_cancel *cancel = ct_cancel_create();
  d.reader.cancel = cancel;
  api_ndjson_init(&n, &d.reader, api_ndjson_body, &list);
  CHECK(api_ndjson_feed(&n, BODY("a") "\n", sizeof BODY("a")));
  ct_cancel_raise(cancel);
  CHECK(!api_ndjson_feed(&n, BODY("b") "\n", sizeof BODY("b")));
  CHECK_TEXT(api_problem_get(d.faults.id)->name, "deadline-exceeded");
  api_ndjson_free(&n);
  api_body_list_free(&list);
  ct_cancel_destroy(cancel);
  document_free(&d);
}

/* Sanitizers multiply memory, so this test needs a build without one. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MEASURES_MEMORY 1
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef MEASURES_MEMORY
#endif
#endif
#endif

#ifdef MEASURES_MEMORY
static size_t resident_peak(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[200];
  size_t kib = 0;
  while (file && fgets(line, sizeof line, file)) sscanf(line, "VmHWM: %zu", &kib);
  if (file) fclose(file);
  return 1024 * kib;
}

/* The text is generated piece by piece and not stored: memory grows by the decoder and the sealed
 * scene only. */
static void a_hundred_thousand_lines_take_four_times_their_text_at_most(void) {
  size_t before = resident_peak(), bytes = 0;
  document d;
  api_ndjson n;
  api_body_list list = {0};
  document_init(&d);
  api_ndjson_init(&n, &d.reader, api_ndjson_body, &list);
  for (int i = 0; i < 100000; i++) {
    char line[256];
    int length =
        snprintf(line, sizeof line,
                 "{\"id\":\"part-%06d\",\"position\":[%.3f,%.3f,%.3f],\"rotation\":[0,0,0.6,0.8],"
                 "\"colliders\":[{\"box\":{\"size\":[0.1,0.2,0.3]}}],\"groups\":[\"parts\"]}\n",
                 i, i * 0.37, i * 0.11, i * 0.013);
    bytes += (size_t)length;
    if (!api_ndjson_feed(&n, line, (size_t)length)) break;
  }
  CHECK(api_ndjson_end(&n));
  CHECK_INT(list.count, 100000);
  size_t decoded = resident_peak();
  const ct_scene *empty = ct_scene_create(0);
  ct_draft *draft = ct_draft_begin(empty);
  CHECK(api_add_bodies(&d.reader, NULL, &list, draft));
  const ct_scene *scene = ct_draft_seal(draft);
  size_t sealed = resident_peak();
  fprintf(stderr, "  %zu bytes of text: %.2f times as much when decoded, %.2f when sealed\n", bytes,
          (double)(decoded - before) / (double)bytes, (double)(sealed - before) / (double)bytes);
  CHECK(bytes / 100000 > 140 && bytes / 100000 < 160);
  CHECK(sealed - before <= 4 * bytes);
  ct_scene_release(scene);
  ct_scene_release(empty);
  api_ndjson_free(&n);
  api_body_list_free(&list);
  document_free(&d);
}
#endif

static const check_test tests[] = {
#ifdef MEASURES_MEMORY
    {"a_hundred_thousand_lines_take_four_times_their_text_at_most",
     a_hundred_thousand_lines_take_four_times_their_text_at_most},
#endif
    {"any_cut_gives_the_same_bodies", any_cut_gives_the_same_bodies},
    {"a_body_without_a_line_is_refused", a_body_without_a_line_is_refused},
    {"faults_name_record_and_line", faults_name_record_and_line},
    {"long_lines_are_refused_before_they_end", long_lines_are_refused_before_they_end},
    {"bodies_are_limited_in_number_and_memory", bodies_are_limited_in_number_and_memory},
    {"patches_are_kept_and_applied_in_order", patches_are_kept_and_applied_in_order},
    {"a_cancelled_stream_stops", a_cancelled_stream_stops}};

CHECK_MAIN(tests)
