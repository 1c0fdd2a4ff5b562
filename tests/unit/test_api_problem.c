/* Problem documents: the table of problems, pointers, the collector, the document; texts. */
#include "tests/support/document.h"

static json_t *rendered(const api_faults *faults) {
  api_buffer out = {0};
  api_put_problem(&out, faults);
  json_t *value =
      out.failed ? NULL : json_loadb(out.bytes, out.length, JSON_REJECT_DUPLICATES, NULL);
  if (!value) CHECK_FAIL("no JSON: %.*s", (int)out.length, out.bytes);
  api_buffer_free(&out);
  return value;
}

static const char *text_at(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "(none)";
}

static void names_are_distinct_kebab_case_and_found(void) {
  for (int i = 0; i < API_PROBLEM_COUNT; i++) {
    const api_problem *problem = api_problem_get((api_problem_id)i);
    CHECK(strspn(problem->name, "abcdefghijklmnopqrstuvwxyz-") == strlen(problem->name));
    CHECK(problem->status >= 400 && problem->status < 600);
    CHECK(problem->title[0] && problem->text[0]);
    api_problem_id found;
    CHECK(api_problem_find(problem->name, &found) && found == (api_problem_id)i);
  }
  api_problem_id found;
  CHECK(!api_problem_find("no-such-problem", &found));
}

static void pointers_are_escaped(void) {
  char out[256];
  api_pointer_write(NULL, out, sizeof out);
  CHECK_TEXT(out, "");
  api_pointer root = {.kind = API_POINTER_ROOT}, a = api_pointer_member(&root, "a/b"),
              b = api_pointer_member(&a, "m~n"), c = api_pointer_index(&b, 12);
  api_pointer_write(&c, out, sizeof out);
  CHECK_TEXT(out, "/a~1b/m~0n/12");
  api_pointer empty = api_pointer_member(NULL, "");
  api_pointer_write(&empty, out, sizeof out);
  CHECK_TEXT(out, "/");
  /* A pointer that does not fit is cut after a whole token. */
  api_pointer_write(&c, out, 8);
  CHECK_TEXT(out, "/a~1b");
}

static void appended_texts_never_exceed_their_array(void) {
  char text[16] = "";
  api_text_append(text, 12, "%s %u", "ab", 7u);
  CHECK_TEXT(text, "ab 7");
  api_text_append(text, 12, "%s", "");
  CHECK_TEXT(text, "ab 7");
  /* Exactly full. */
  api_text_append(text, 12, "%d", 1234567);
  CHECK_TEXT(text, "ab 71234567");
  api_text_append(text, 12, ".");
  CHECK_TEXT(text, "ab 71234567");
  /* The part that fits is kept, and the bytes behind the array are unchanged. */
  memset(text, '#', sizeof text);
  memcpy(text, "123456789", 10);
  api_text_append(text, 12, "%s", "abc");
  CHECK_TEXT(text, "123456789ab");
  CHECK(memcmp(text + 12, "####", 4) == 0);
  text[0] = 0;
  api_text_append(text, 1, "%s", "abc");
  CHECK_TEXT(text, "");
}

static void long_names_are_cut_at_64_bytes(void) {
  char name[1000], out[256], echo[API_ECHO_MAX + 4];
  memset(name, 'x', sizeof name);
  name[sizeof name - 1] = 0;
  api_pointer path = api_pointer_member(NULL, name);
  api_pointer_write(&path, out, sizeof out);
  CHECK_INT(strlen(out), 1 + 64 + 3);
  CHECK_INT(strlen(api_echo(api_text(name), echo)), 67);
  /* It is never cut inside a UTF-8 character. */
  for (size_t i = 0; i + 1 < sizeof name; i += 3) memcpy(name + i, "\xe2\x82\xac", 3);
  name[999] = 0;
  CHECK_INT(strlen(api_echo(api_text(name), echo)), 63 + 3);
  CHECK_TEXT(api_echo(api_text("a\nb\x1b"), echo), "a?b?");
}

static void the_document_has_every_member(void) {
  api_faults faults = {0};
  api_pointer path = api_pointer_member(NULL, "radius");
  api_fault_limit(api_fault_at(&faults, API_PROBLEM_OUT_OF_RANGE, &path, "Must be %s.", "less"),
                  1e9, 2e9);
  api_fault_suggest(api_fault_at(&faults, API_PROBLEM_UNKNOWN_MEMBER, NULL, "What is \"\x01\"?"),
                    api_text("box"));
  json_t *value = rendered(&faults);
  CHECK_TEXT(text_at(value, "type"), "/problems/out-of-range");
  CHECK_TEXT(text_at(value, "title"), "Value out of range");
  CHECK_INT(json_integer_value(json_object_get(value, "status")), 422);
  CHECK_TEXT(text_at(value, "detail"), "Must be less.");
  const json_t *errors = json_object_get(value, "errors"), *first = json_array_get(errors, 0),
               *second = json_array_get(errors, 1);
  CHECK_INT(json_array_size(errors), 2);
  CHECK_TEXT(text_at(first, "pointer"), "/radius");
  CHECK_NEAR(json_number_value(json_object_get(first, "limit")), 1e9, 0);
  CHECK_NEAR(json_number_value(json_object_get(first, "actual")), 2e9, 0);
  CHECK(!json_object_get(first, "suggestion"));
  CHECK_TEXT(text_at(second, "pointer"), "");
  CHECK_TEXT(text_at(second, "suggestion"), "box");
  CHECK(!json_object_get(second, "limit"));
  json_decref(value);
}

static void a_plain_fault_has_no_errors(void) {
  api_faults faults = {0};
  api_fault_plain(&faults, API_PROBLEM_SCENE_NOT_FOUND, "No scene \"%s\".", "x");
  json_t *value = rendered(&faults);
  CHECK_INT(json_integer_value(json_object_get(value, "status")), 404);
  CHECK(!json_object_get(value, "errors"));
  json_decref(value);
}

static void at_most_20_errors_are_kept(void) {
  api_faults faults = {0};
  for (size_t i = 0; i < 50; i++) {
    api_pointer path = api_pointer_index(NULL, i);
    CHECK_INT(api_faults_full(&faults), i >= 20);
    api_fault_at(&faults, i ? API_PROBLEM_OUT_OF_RANGE : API_PROBLEM_WRONG_TYPE, &path,
                 "Fault %zu.", i);
  }
  json_t *value = rendered(&faults);
  CHECK_TEXT(text_at(value, "type"), "/problems/wrong-type");
  const json_t *errors = json_object_get(value, "errors");
  CHECK_INT(json_array_size(errors), 20);
  CHECK_TEXT(text_at(json_array_get(errors, 19), "pointer"), "/19");
  json_decref(value);
}

static void want_of_memory_or_time_is_told_alone(void) {
  for (int full = 0; full < 2; full++) {
    api_faults faults = {0};
    for (size_t i = 0; i < (full ? 30 : 1); i++)
      api_fault_at(&faults, API_PROBLEM_WRONG_TYPE, NULL, "Wrong.");
    size_t count = faults.count;
    api_fault_memory(&faults);
    api_fault_at(&faults, API_PROBLEM_WRONG_TYPE, NULL, "Wrong again.");
    api_fault_cancelled(&faults);
    CHECK_INT(faults.count, count + 3);
    json_t *value = rendered(&faults);
    CHECK_TEXT(text_at(value, "type"), "/problems/out-of-memory");
    CHECK_INT(json_integer_value(json_object_get(value, "status")), 503);
    CHECK(!json_object_get(value, "errors"));
    json_decref(value);
  }
}

static void a_refusal_is_a_problem_document(void) {
  api_reply reply;
  api_refuse(&reply, API_PROBLEM_HOST_NOT_ALLOWED, "Host \"%s\" is %d.", "a\"b\r\n", 7);
  CHECK_INT(reply.status, 421);
  CHECK_TEXT(reply.content_type, "application/problem+json");
  json_t *value = json_loadb(reply.body, reply.body_length, 0, NULL);
  CHECK_TEXT(text_at(value, "type"), "/problems/host-not-allowed");
  CHECK_TEXT(text_at(value, "detail"), "Host \"a\"b\r\n\" is 7.");
  json_decref(value);
  free((char *)(uintptr_t)reply.body);
  CHECK_INT(reply.header_count, 0);
  api_refuse(&reply, API_PROBLEM_OUT_OF_MEMORY, "None.");
  CHECK_INT(reply.header_count, 1);
  CHECK_TEXT(reply.headers[0].name, "Retry-After");
  free((char *)(uintptr_t)reply.body);
}

static void limits_have_defaults_inside_their_ranges(void) {
  api_limits limits;
  api_limits_default(&limits);
  CHECK(!api_limits_fault(&limits));
  CHECK_INT(limits.json_bytes, 16777216);
  CHECK_INT(limits.drain_seconds, 10);
  for (size_t i = 0; i < api_limit_count(); i++) {
    const api_limit *limit = api_limit_get(i);
    CHECK_INT(api_limit_value(&limits, limit), limit->standard);
    uint64_t high = limit->greatest + 1, low = limit->least - 1;
    api_limits bad = limits;
    memcpy((char *)&bad + limit->offset, &high, sizeof high);
    CHECK(api_limits_fault(&bad) == limit);
    if (limit->least == 0) continue;
    bad = limits;
    memcpy((char *)&bad + limit->offset, &low, sizeof low);
    CHECK(api_limits_fault(&bad) == limit);
  }
  limits.page = limits.page_max = 5;
  CHECK(!api_limits_fault(&limits));
  limits.page = 6;
  CHECK(api_limits_fault(&limits) && strcmp(api_limits_fault(&limits)->name, "pageMax") == 0);
}

static void arena_memory_is_zero_aligned_and_bounded(void) {
  api_arena arena;
  api_arena_init(&arena, 1 << 20);
  check_random r = {4};
  for (int round = 0; round < 50; round++) {
    api_arena_mark mark = api_arena_position(&arena);
    for (int i = 0; i < 40; i++) {
      size_t size = check_next(&r) % 2000;
      unsigned char *p = api_arena_alloc(&arena, size);
      CHECK(p && (uintptr_t)p % 16 == 0);
      for (size_t j = 0; j < size; j++)
        if (p[j]) CHECK_FAIL("byte %zu of %zu is not zero", j, size);
      memset(p, 0xff, size);
    }
    if (round % 7) api_arena_rewind(&arena, mark);
  }
  CHECK(arena.bytes <= 1 << 20);
  CHECK(!api_arena_alloc(&arena, 1 << 20));
  CHECK(!api_arena_alloc(&arena, SIZE_MAX));
  CHECK(!api_arena_array(&arena, SIZE_MAX / 2, 3));
  CHECK(api_arena_alloc(&arena, 0));
  api_arena_free(&arena);
  CHECK_INT(arena.bytes, 0);
  CHECK(api_arena_alloc(&arena, 100));
  api_arena_free(&arena);
}

static const check_test tests[] = {
    {"names_are_distinct_kebab_case_and_found", names_are_distinct_kebab_case_and_found},
    {"pointers_are_escaped", pointers_are_escaped},
    {"appended_texts_never_exceed_their_array", appended_texts_never_exceed_their_array},
    {"long_names_are_cut_at_64_bytes", long_names_are_cut_at_64_bytes},
    {"the_document_has_every_member", the_document_has_every_member},
    {"a_plain_fault_has_no_errors", a_plain_fault_has_no_errors},
    {"at_most_20_errors_are_kept", at_most_20_errors_are_kept},
    {"want_of_memory_or_time_is_told_alone", want_of_memory_or_time_is_told_alone},
    {"a_refusal_is_a_problem_document", a_refusal_is_a_problem_document},
    {"limits_have_defaults_inside_their_ranges", limits_have_defaults_inside_their_ranges},
    {"arena_memory_is_zero_aligned_and_bounded", arena_memory_is_zero_aligned_and_bounded}};

CHECK_MAIN(tests)
