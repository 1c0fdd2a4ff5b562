/* JSON text: refusals and their places, bounds on depth, memory and literals, merge patches, and
 * writing of any value. */
#include "tests/support/document.h"

#define MALFORMED "malformed-json"

static void bad_text_is_refused_with_its_place(void) {
  static const struct {
    const char *name, *text, *problem, *words;
  } cases[] = {
      {"empty", "", MALFORMED, "Line 1, column 1 (byte 1)"},
      {"blank", "  \n ", MALFORMED, "Line 2"},
      {"open object", "{\"a\": 1", MALFORMED, "Line 1, column 7 (byte 7)"},
      {"open array", "[1, 2", MALFORMED, "Line 1"},
      {"open string", "{\"a\": \"x", MALFORMED, "Line 1"},
      {"trailing comma", "[1, 2,]", MALFORMED, "Line 1, column 7 (byte 7)"},
      {"third line", "{\n \"a\": 1,\n \"b\": tru\n}", MALFORMED, "Line 3, column 9 (byte 20)"},
      {"after letters of two bytes", "[\"\xc3\xa4\xc3\xb6\", x]", MALFORMED,
       "Line 1, column 8 (byte 10)"},
      {"missing colon", "{\"a\" 1}", MALFORMED, "Line 1"},
      {"single quotes", "{'a': 1}", MALFORMED, "Line 1, column 2 (byte 2)"},
      {"trailing text", "{} {}", MALFORMED, "Line 1"},
      {"comment", "{} // no", MALFORMED, "Line 1"},
      {"NaN", "[NaN]", MALFORMED, "Line 1"},
      {"Infinity", "[Infinity]", MALFORMED, "Line 1"},
      {"minus Infinity", "[-Infinity]", MALFORMED, "Line 1"},
      {"leading zero", "[012]", MALFORMED, "Line 1"},
      {"leading plus", "[+1]", MALFORMED, "Line 1"},
      {"bare point", "[.5]", MALFORMED, "Line 1"},
      {"trailing point", "[5.]", MALFORMED, "Line 1"},
      {"hexadecimal", "[0x10]", MALFORMED, "Line 1"},
      {"raw control character", "[\"a\001b\"]", MALFORMED, "Line 1"},
      {"bad UTF-8", "[\"\xff\"]", MALFORMED, "Line 1"},
      {"overlong UTF-8", "[\"\xc0\xaf\"]", MALFORMED, "Line 1"},
      {"byte order mark", "\xef\xbb\xbf{}", MALFORMED, "Line 1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    document_init(&d);
    document_parse(&d, cases[i].text, strlen(cases[i].text));
    document_expect(&d, cases[i].name, cases[i].problem, "", cases[i].words);
    CHECK_INT(d.faults.count, 1);
    document_free(&d);
  }
}

/* Valid JSON that no double or string can represent is refused at its pointer, with any text around
 * it. */
static void json_that_cannot_be_kept_has_a_pointer(void) {
  static const struct {
    const char *text, *problem, *pointer, *words;
  } cases[] = {
      {"[1e309]", "out-of-range", "/0", "Line 1, column 2 (byte 2): 1e309 is beyond"},
      {"[0,\n-1e400]", "out-of-range", "/1", "Line 2, column 1 (byte 5): -1e400"},
      {"{\"a\":{\"b\":[1,[],{\"c\":12e3456}]}}", "out-of-range", "/a/b/2/c", NULL},
      {"{\"x\": \"[{\\\"\", \"n\\u0061me/~\": [[], 1E999]}", "out-of-range", "/name~1~0/1", NULL},
      {"\"\\ud800\"", "bad-value", "", "\\ud800 is half of a surrogate pair"},
      {"[\"\\ud83d\\ude00\", \"\\ude00\"]", "bad-value", "/1", NULL},
      {"[\"\\\\ud800\", \"\\u0000\"]", "bad-value", "/1", "U+0000 is not allowed"},
      {"{\"a\\u0000\": {}}", "bad-value", "/a\xef\xbf\xbd", NULL},
      {"{\"radius\": 1, \"radius\": 2}", "duplicate-member", "/radius",
       "the name \"radius\" occurs twice"},
      {"{\"a\": 1, \"\\u0061\": 2}", "duplicate-member", "/a", "occurs twice"},
      {"{\"x\": [{\"b\\\"\": 1, \"b\\\"\": 2}]}", "duplicate-member", "/x/0/b\"", "occurs twice"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    document_init(&d);
    document_parse(&d, cases[i].text, strlen(cases[i].text));
    document_expect(&d, cases[i].text, cases[i].problem, cases[i].pointer, cases[i].words);
    CHECK_INT(d.faults.count, 1);
    document_free(&d);
  }
}

/* An integer beyond 64 bits becomes the nearest double, as by strtod. */
static void integers_beyond_64_bits_are_doubles(void) {
  static const char *const texts[] = {
      "9223372036854775808",     "-9223372036854775809",
      "18446744073709551616",    "99999999999999999999",
      "9007199254740993000000",  "123456789012345678901234567890123456789",
      "99999999999999995000000", "-340282366920938463463374607431768211456"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    document d;
    document_init(&d);
    CHECK(document_parse(&d, texts[i], strlen(texts[i])));
    CHECK(json_is_real(d.root.value));
    CHECK_NEAR(json_number_value(d.root.value), strtod(texts[i], NULL), 0);
    document_free(&d);
  }
  for (int digits = 19; digits <= 308; digits++) {
    char text[320];
    for (int k = 0; k < digits; k++) text[k] = (char)('1' + (k * 7 + digits) % 9);
    text[digits] = 0;
    document d;
    document_init(&d);
    CHECK(document_parse(&d, text, (size_t)digits));
    CHECK_NEAR(json_number_value(d.root.value), strtod(text, NULL), 0);
    document_free(&d);
  }
}

static void every_type_may_stand_at_the_top(void) {
  static const char *const texts[] = {"{}", "[]", "\"x\"", "1", "1.5", "true", "null", " 0 "};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    document d;
    document_init(&d);
    CHECK(document_parse(&d, texts[i], strlen(texts[i])));
    document_free(&d);
  }
}

/* Every proper prefix of a document is refused, and none crashes. */
static void every_prefix_is_refused(void) {
  static const char text[] =
      "{\"id\": \"a\\u00e4\\n\", \"n\": [-1.5e-3, 0, {\"t\": true, \"f\": [false, null]}]}";
  for (size_t length = 0; length + 1 < sizeof text - 1; length++) {
    document d;
    document_init(&d);
    document_parse(&d, text, length);
    document_expect(&d, "prefix", MALFORMED, "", NULL);
    document_free(&d);
  }
}

/* A zero byte is invalid anywhere in JSON. Where it stands alone, the fault gives its offset. */
static void zero_bytes_are_refused_everywhere(void) {
  static const char text[] =
      "{\"id\": \"a\\n\", \"n\": [-1.5e-3, 0 , {\"t\": true, \"f\": [false, null]}]}";
  size_t length = sizeof text - 1;
  bool in_text = false;
  for (size_t at = 0; at <= length; at++) {
    char with[sizeof text + 1], words[64];
    memcpy(with, text, at);
    with[at] = 0;
    memcpy(with + at + 1, text + at, length - at);
    snprintf(words, sizeof words, "Line 1, column %zu (byte %zu): a zero byte.", at + 1, at + 1);
    document d;
    document_init(&d);
    document_parse(&d, with, length + 1);
    document_expect(&d, words, MALFORMED, "", in_text ? "Line 1" : words);
    document_free(&d);
    if (text[at] == '"') in_text = !in_text;
  }
}

/* Stored texts may contain zero bytes behind numbers, which older versions accepted: they are still
 * read in the same way. */
static void texts_that_are_kept_may_have_zero_bytes_behind_numbers(void) {
  static const char text[] = "[1\0,[2.5\0, -3\0]]";
  for (int kept = 0; kept < 2; kept++) {
    document d;
    document_init(&d);
    const api_json_options options = {.depth = 4, .memory = UINT64_MAX, .zeros = kept == 1};
    json_t *value = api_json_parse(text, sizeof text - 1, &options, &d.faults);
    CHECK((value != NULL) == (kept == 1));
    json_t *wanted = json_pack("[i,[f,i]]", 1, 2.5, -3);
    if (value) CHECK(json_equal(value, wanted));
    json_decref(wanted);
    json_decref(value);
    document_free(&d);
  }
}

static char *repeat(const char *open, const char *close, size_t count) {
  size_t a = strlen(open), b = strlen(close);
  char *text = malloc((a + b) * count + 1);
  if (!text) abort();
  for (size_t i = 0; i < count; i++) memcpy(text + a * i, open, a);
  for (size_t i = 0; i < count; i++) memcpy(text + a * count + b * i, close, b);
  text[(a + b) * count] = 0;
  return text;
}

static void depth_is_bounded(void) {
  static const size_t depths[] = {1, 31, 32, 33, 34, 2048, 2049, 100000};
  for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
    char *text = repeat("[", "]", depths[i]);
    document d;
    document_init(&d);
    document_parse(&d, text, strlen(text));
    document_expect(&d, "arrays", depths[i] <= 32 ? NULL : "too-deep", "",
                    depths[i] <= 32 ? NULL : "Line 1, column 33 (byte 33)");
    if (depths[i] > 32) CHECK_NEAR(d.faults.items[0].limit, 32, 0);
    document_free(&d);
    free(text);
    text = repeat("{\"a\":", "}", depths[i]);
    document_init(&d);
    document_parse(&d, text, strlen(text));
    document_expect(&d, "objects",
                    depths[i] < 32    ? MALFORMED
                    : depths[i] == 32 ? MALFORMED
                                      : "too-deep",
                    "", NULL);
    document_free(&d);
    free(text);
  }
}

static void brackets_inside_strings_are_no_depth(void) {
  static const char text[] = "[\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[[{{{{\"]";
  document d;
  document_init(&d);
  CHECK(document_parse(&d, text, sizeof text - 1));
  document_free(&d);
}

static void long_number_literals_are_refused(void) {
  char text[1200];
  for (int digits = 1095; digits <= 1105; digits++) {
    snprintf(text, sizeof text, "[0.%0*d]", digits - 2, 1);
    document d;
    document_init(&d);
    document_parse(&d, text, strlen(text));
    document_expect(&d, text, digits <= 1100 ? NULL : "limit-exceeded", "/0",
                    digits <= 1100 ? NULL : "the limit is 1100");
    if (digits > 1100) CHECK_NEAR(d.faults.items[0].actual, digits, 0);
    document_free(&d);
  }
}

/* Documents that jansson would expand to many times their length. */
static void memory_bombs_are_refused_before_they_are_built(void) {
  static const char *const bombs[] = {"[],", "{},", "0,", "\"\",", "{\"a\":0},"};
  for (size_t i = 0; i < sizeof bombs / sizeof bombs[0]; i++) {
    char *inner = repeat(bombs[i], "", 400000 / strlen(bombs[i]));
    size_t length = strlen(inner) + 4;
    char *text = malloc(length + 1);
    if (!text) abort();
    snprintf(text, length + 1, "[%s0]", inner);
    document d;
    document_init(&d);
    d.limits.request_memory_bytes = 4u << 20;
    document_parse(&d, text, strlen(text));
    document_expect(&d, bombs[i], "body-too-large", "", "requestMemoryBytes");
    CHECK(d.faults.items[0].actual > 4 << 20);
    document_free(&d);
    free(text);
    free(inner);
  }
}

/* Bytes allocated by jansson, compared with the estimate. */
static size_t held;
static void *counting_malloc(size_t size) {
  size_t *block = malloc(size + 16);
  if (!block) return NULL;
  block[0] = size;
  held += size + 16; /* malloc's header and rounding */
  return block + 2;
}
static void counting_free(void *pointer) {
  if (!pointer) return;
  size_t *block = (size_t *)pointer - 2;
  held -= block[0] + 16;
  free(block);
}

static void the_estimate_is_not_below_what_the_tree_takes(void) {
  static const char *const parts[] = {"[],",
                                      "{},",
                                      "0,",
                                      "\"\",",
                                      "{\"a\":0},",
                                      "\"0123456789012345678901234567890\",",
                                      "[1,2,3],",
                                      "[[[[]]]],",
                                      "1.25e-7,",
                                      "{\"a\":{\"b\":{\"c\":[]}}},",
                                      "{\"position\":[1,2,3],\"rotation\":[0,0,0,1]},"};
  json_set_alloc_funcs(counting_malloc, counting_free);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    char *inner = repeat(parts[i], "", 100000 / strlen(parts[i]));
    size_t length = strlen(inner) + 4;
    char *text = malloc(length + 1);
    if (!text) abort();
    snprintf(text, length + 1, "[%s0]", inner);
    document d;
    document_init(&d);
    held = 0;
    CHECK(document_parse(&d, text, strlen(text)));
    size_t tree = held;
    /* The estimate is the smallest budget with which the text passes. */
    uint64_t low = 0, high = 1u << 30;
    while (high - low > 1024) {
      uint64_t middle = low + (high - low) / 2;
      api_faults faults = {0};
      api_json_options options = {.depth = 32, .memory = middle};
      json_t *value = api_json_parse(text, strlen(text), &options, &faults);
      if (value) high = middle;
      else low = middle;
      json_decref(value);
    }
    if (high < tree || high > 3 * tree)
      CHECK_FAIL("%s: tree of %zu bytes is estimated at %llu", parts[i], tree,
                 (unsigned long long)high);
    document_free(&d);
    free(text);
    free(inner);
  }
  api_json_start();
}

static void a_cancelled_parse_says_deadline(void) {
  char *text = repeat("[],", "", 100000);
  memcpy(text, "[  ", 3);
  text[strlen(text) - 1] = ']';
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  api_faults faults = {0};
  api_json_options options = {.depth = 32, .memory = UINT64_MAX, .cancel = cancel};
  CHECK(!api_json_parse(text, strlen(text), &options, &faults));
  CHECK_TEXT(api_problem_get(faults.id)->name, "deadline-exceeded");
  ct_cancel_destroy(cancel);
  free(text);
}

/* Examples of RFC 7396, appendix A, and further ones. */
static void merge_patches_follow_the_standard(void) {
  static const struct {
    const char *target, *patch, *result;
  } cases[] = {
      {"{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
      {"{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}"},
      {"{\"a\":\"b\"}", "{\"a\":null}", "{}"},
      {"{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}"},
      {"{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
      {"{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}"},
      {"{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}"},
      {"{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}"},
      {"[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]"},
      {"{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]"},
      {"{\"a\":\"foo\"}", "null", "null"},
      {"{\"a\":\"foo\"}", "\"bar\"", "\"bar\""},
      {"{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}"},
      {"[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}"},
      {"{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}"},
      {"{\"a\":{\"x\":1},\"b\":{\"y\":{\"z\":2}}}", "{\"b\":{\"y\":{\"w\":3}},\"c\":4}",
       "{\"a\":{\"x\":1},\"b\":{\"y\":{\"z\":2,\"w\":3}},\"c\":4}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    json_t *target = json_loads(cases[i].target, JSON_DECODE_ANY, NULL),
           *patch = json_loads(cases[i].patch, JSON_DECODE_ANY, NULL);
    api_buffer before = {0}, after = {0}, result = {0};
    api_put_json(&before, patch);
    CHECK(api_json_merge(&target, patch));
    api_put_json(&result, target);
    api_put_json(&after, patch);
    api_put_byte(&result, 0);
    CHECK_TEXT(result.bytes, cases[i].result);
    CHECK(before.length == after.length && memcmp(before.bytes, after.bytes, before.length) == 0);
    json_decref(target);
    json_decref(patch);
    api_buffer_free(&before);
    api_buffer_free(&after);
    api_buffer_free(&result);
  }
}

static void any_value_is_written_as_it_was_read(void) {
  static const char *const texts[] = {
      "{}",
      "[]",
      "null",
      "true",
      "-1",
      "0.1",
      "9223372036854775807",
      "-9223372036854775808",
      "1e-320",
      "\"\"",
      "[[],{},[{}]]",
      "{\"z\":1,\"a\":[1,2.5,\"x\",null,true,false,{\"b\":{}}],\"\":\"\"}",
      "[\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u007f/\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"]"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    json_t *value = json_loads(texts[i], JSON_DECODE_ANY, NULL);
    api_buffer out = {0};
    api_put_json(&out, value);
    api_put_byte(&out, 0);
    CHECK_TEXT(out.bytes, texts[i]);
    json_decref(value);
    api_buffer_free(&out);
  }
}

static void bytes_that_are_no_text_become_replacement_characters(void) {
  static const struct {
    const char *bytes, *text;
  } cases[] = {{"a\xff"
                "b",
                "\"a\xef\xbf\xbd"
                "b\""},
               {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
               {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
               {"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
               {"\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
               {"\x1b[31m", "\"\\u001b[31m\""}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    api_buffer out = {0};
    api_put_string(&out, api_text(cases[i].bytes));
    api_put_byte(&out, 0);
    CHECK_TEXT(out.bytes, cases[i].text);
    api_buffer_free(&out);
  }
}

static void commas_set_themselves(void) {
  api_buffer out = {0};
  api_put_byte(&out, '{');
  api_put_member_string(&out, "a", api_text("{"));
  api_put_key(&out, "b");
  api_put_byte(&out, '[');
  for (int i = 0; i < 3; i++) {
    api_put_item(&out);
    api_put_unsigned(&out, (uint64_t)i);
  }
  api_put_byte(&out, ']');
  api_put_member_vec3(&out, "v", ct_vec(1, -0.0, 1e-9));
  api_put_member_bool(&out, "t", true);
  api_put_byte(&out, '}');
  size_t length;
  char *text = api_buffer_detach(&out, &length);
  CHECK_TEXT(text, "{\"a\":\"{\",\"b\":[0,1,2],\"v\":[1,0,1e-9],\"t\":true}");
  CHECK_INT(length, strlen(text));
  free(text);
}

static const check_test tests[] = {
    {"bad_text_is_refused_with_its_place", bad_text_is_refused_with_its_place},
    {"json_that_cannot_be_kept_has_a_pointer", json_that_cannot_be_kept_has_a_pointer},
    {"integers_beyond_64_bits_are_doubles", integers_beyond_64_bits_are_doubles},
    {"every_type_may_stand_at_the_top", every_type_may_stand_at_the_top},
    {"every_prefix_is_refused", every_prefix_is_refused},
    {"zero_bytes_are_refused_everywhere", zero_bytes_are_refused_everywhere},
    {"texts_that_are_kept_may_have_zero_bytes_behind_numbers",
     texts_that_are_kept_may_have_zero_bytes_behind_numbers},
    {"depth_is_bounded", depth_is_bounded},
    {"brackets_inside_strings_are_no_depth", brackets_inside_strings_are_no_depth},
    {"long_number_literals_are_refused", long_number_literals_are_refused},
    {"memory_bombs_are_refused_before_they_are_built",
     memory_bombs_are_refused_before_they_are_built},
    {"the_estimate_is_not_below_what_the_tree_takes",
     the_estimate_is_not_below_what_the_tree_takes},
    {"a_cancelled_parse_says_deadline", a_cancelled_parse_says_deadline},
    {"merge_patches_follow_the_standard", merge_patches_follow_the_standard},
    {"any_value_is_written_as_it_was_read", any_value_is_written_as_it_was_read},
    {"bytes_that_are_no_text_become_replacement_characters",
     bytes_that_are_no_text_become_replacement_characters},
    {"commas_set_themselves", commas_set_themselves}};

CHECK_MAIN(tests)
