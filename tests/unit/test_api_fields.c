/* Typed readers: the values that they accept, and the problem and the pointer of each value that
 * they refuse. */
#include "tests/support/document.h"

/* A small object with one member of each kind of reader. */
typedef struct sample {
  double number, size;
  uint64_t whole;
  ct_vec3 vec;
  bool flag;
  ct_text text, id;
  size_t word, count;
} sample;

static void read_sample(document *d, sample *out) {
  static const char *const words[] = {"auto", "tree", "bruteForce"};
  api_field m[] = {{.name = "number"}, {.name = "size"},
                   {.name = "whole"},  {.name = "vec"},
                   {.name = "flag"},   {.name = "text"},
                   {.name = "id"},     {.name = "word"},
                   {.name = "list"},   {.name = "must", .required = true}};
  api_reader *r = &d->reader;
  api_read_object(r, &d->root, m, sizeof m / sizeof m[0]);
  api_read_number(r, &m[0], -1.0, 1e3, &out->number);
  api_read_size(r, &m[1], &out->size);
  api_read_unsigned(r, &m[2], 1, 100, &out->whole);
  api_read_vec3(r, &m[3], 10.0, &out->vec);
  api_read_bool(r, &m[4], &out->flag);
  api_read_text(r, &m[5], 8, &out->text);
  api_read_id(r, &m[6], &out->id);
  api_read_word(r, &m[7], words, 3, &out->word);
  api_read_array(r, &m[8], 1, 4, &out->count);
}

static void good_values_are_read(void) {
  static const char text[] =
      "{\"number\": 5, \"size\": 1e-9, \"whole\": 7.0, \"vec\": [1, -0.0, 2.5], \"flag\": true, "
      "\"text\": \"12345678\","
      " \"id\": \"a.b~c:d@e-f_9\", \"word\": \"tree\", \"list\": [0, 0], \"must\": null}";
  document d;
  sample s = {0};
  document_init(&d);
  CHECK(document_parse(&d, text, sizeof text - 1));
  read_sample(&d, &s);
  document_expect(&d, "good", NULL, NULL, NULL);
  CHECK_NEAR(s.number, 5, 0);
  CHECK_NEAR(s.size, 1e-9, 0);
  CHECK_INT(s.whole, 7);
  CHECK(s.vec.x == 1 && s.vec.y == 0 && !signbit(s.vec.y) && s.vec.z == 2.5);
  CHECK(s.flag && s.text.length == 8 && s.id.length == 13);
  CHECK_INT(s.word, 1);
  CHECK_INT(s.count, 2);
  document_free(&d);
}

static void absent_members_leave_the_default(void) {
  document d;
  sample s = {.number = 4, .whole = 9, .word = 2, .flag = true};
  document_init(&d);
  CHECK(document_parse(&d, "{\"must\":1}", 10));
  read_sample(&d, &s);
  document_expect(&d, "absent", NULL, NULL, NULL);
  CHECK(s.number == 4 && s.whole == 9 && s.word == 2 && s.flag);
  document_free(&d);
}

static void bad_values_name_problem_and_place(void) {
  static const struct {
    const char *text, *problem, *pointer, *words;
    double limit, actual; /* NAN: not compared */
  } cases[] = {
      {"[]", "wrong-type", "", "Expected an object, got an array", NAN, NAN},
      {"{}", "missing-member", "/must", "required", NAN, NAN},
      {"{\"number\":1000.0000000000001,\"must\":0}", "out-of-range", "/number", "from -1 to 1000",
       1000, 1000.0000000000001},
      {"{\"number\":-1.5,\"must\":0}", "out-of-range", "/number", NULL, -1, -1.5},
      {"{\"number\":1e308,\"must\":0}", "out-of-range", "/number", NULL, 1000, 1e308},
      {"{\"number\":\"1\",\"must\":0}", "wrong-type", "/number", "Expected a number, got a string",
       NAN, NAN},
      {"{\"size\":9.999999999999999e-10,\"must\":0}", "out-of-range", "/size", NULL, 1e-9,
       9.999999999999999e-10},
      {"{\"size\":5e-324,\"must\":0}", "out-of-range", "/size", NULL, 1e-9, 5e-324},
      {"{\"size\":1e-400,\"must\":0}", "out-of-range", "/size", NULL, 1e-9, 0},
      {"{\"size\":0,\"must\":0}", "out-of-range", "/size", NULL, 1e-9, 0},
      {"{\"size\":-1,\"must\":0}", "out-of-range", "/size", NULL, 1e-9, -1},
      {"{\"size\":1000000001,\"must\":0}", "out-of-range", "/size", "from 1e-9 to 1e9", 1e9,
       1000000001},
      {"{\"whole\":1.5,\"must\":0}", "wrong-type", "/whole", "whole number", NAN, 1.5},
      {"{\"whole\":0,\"must\":0}", "out-of-range", "/whole", NULL, 1, 0},
      {"{\"whole\":-3,\"must\":0}", "out-of-range", "/whole", NULL, 1, -3},
      {"{\"whole\":1e300,\"must\":0}", "out-of-range", "/whole", NULL, 100, 1e300},
      {"{\"vec\":[1,2],\"must\":0}", "wrong-type", "/vec", "an array of 3", 3, 2},
      {"{\"vec\":[1,2,3,4],\"must\":0}", "wrong-type", "/vec", NULL, 3, 4},
      {"{\"vec\":{\"x\":1},\"must\":0}", "wrong-type", "/vec",
       "an array of 3 numbers, got an object", NAN, NAN},
      {"{\"vec\":[1,\"2\",3],\"must\":0}", "wrong-type", "/vec/1", "Expected a number", NAN, NAN},
      {"{\"vec\":[1,2,-10.5],\"must\":0}", "out-of-range", "/vec/2", NULL, -10, -10.5},
      {"{\"flag\":1,\"must\":0}", "wrong-type", "/flag", "true or false, got a number", NAN, NAN},
      {"{\"text\":\"123456789\",\"must\":0}", "limit-exceeded", "/text", NULL, 8, 9},
      {"{\"id\":\"\",\"must\":0}", "bad-value", "/id", NULL, NAN, NAN},
      {"{\"id\":\"..\",\"must\":0}", "bad-value", "/id", "has a meaning in paths", NAN, NAN},
      {"{\"id\":\"a\\nb\",\"must\":0}", "bad-value", "/id", "a control character at byte 2", NAN,
       NAN},
      {"{\"id\":\".\",\"must\":0}", "bad-value", "/id", NULL, NAN, NAN},
      {"{\"id\":\"\xc3\xa4\xc2\x85\",\"must\":0}", "bad-value", "/id", "at byte 3", NAN, NAN},
      {"{\"word\":\"tre\",\"must\":0}", "bad-value", "/word",
       "none of the allowed words: auto, tree, bruteForce", NAN, NAN},
      {"{\"word\":2,\"must\":0}", "wrong-type", "/word", NULL, NAN, NAN},
      {"{\"list\":[],\"must\":0}", "missing-member", "/list", "At least 1 element is needed", 1, 0},
      {"{\"list\":[1,2,3,4,5],\"must\":0}", "limit-exceeded", "/list", NULL, 4, 5},
      {"{\"list\":3,\"must\":0}", "wrong-type", "/list", NULL, NAN, NAN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    sample s = {0};
    document_init(&d);
    CHECK(document_parse(&d, cases[i].text, strlen(cases[i].text)));
    read_sample(&d, &s);
    document_expect(&d, cases[i].text, cases[i].problem, cases[i].pointer, cases[i].words);
    CHECK_INT(d.faults.count, 1);
    const api_fault *fault = &d.faults.items[0];
    if (!isnan(cases[i].limit) && (!fault->has_limit || fault->limit != cases[i].limit))
      CHECK_FAIL("%s: limit %g", cases[i].text, fault->limit);
    if (!isnan(cases[i].actual) && (!fault->has_actual || fault->actual != cases[i].actual))
      CHECK_FAIL("%s: actual %g", cases[i].text, fault->actual);
    document_free(&d);
  }
}

static void unknown_members_suggest_the_nearest(void) {
  static const struct {
    const char *member, *suggestion;
  } cases[] = {{"numbre", "number"},
               {"Number", "number"},
               {"NUMBER", "number"},
               {"numbers", "number"},
               {"nmber", "number"},
               {"siez", "size"},
               {"hole", "whole"},
               {"wordd", "word"},
               {"texxt", "text"},
               {"ID", "id"},
               {"zebra", ""},
               {"x", ""},
               {"", ""},
               {"completelyDifferentAndMuchLongerThanAnyKnownName", ""}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[128], pointer[80];
    document d;
    sample s = {0};
    snprintf(text, sizeof text, "{\"must\":1,\"%s\":0}", cases[i].member);
    snprintf(pointer, sizeof pointer, "/%s", cases[i].member);
    document_init(&d);
    CHECK(document_parse(&d, text, strlen(text)));
    read_sample(&d, &s);
    document_expect(&d, text, "unknown-member", pointer,
                    cases[i].suggestion[0] ? "did you mean" : "members: number, size");
    CHECK_TEXT(d.faults.items[0].suggestion, cases[i].suggestion);
    document_free(&d);
  }
}

/* A name with one letter dropped, doubled, changed, swapped or in the other case: the known name is
 * suggested. */
static void every_slip_of_one_letter_is_recognised(void) {
  static const char *const names[] = {"number", "whole", "flag", "text", "word", "list", "size"};
  for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
    size_t length = strlen(names[n]);
    for (size_t at = 0; at < length; at++) {
      for (int kind = 0; kind < 5; kind++) {
        char member[32] = "", text[64];
        snprintf(member, sizeof member, "%s", names[n]);
        if (kind == 0) memmove(member + at, member + at + 1, length - at);
        if (kind == 1) memmove(member + at + 1, member + at, length - at + 1);
        if (kind == 2) member[at] = 'q';
        if (kind == 3 && at + 1 < length)
          member[at] = names[n][at + 1], member[at + 1] = names[n][at];
        if (kind == 4) member[at] = (char)(member[at] - 32);
        if (strcmp(member, names[n]) == 0) continue;
        snprintf(text, sizeof text, "{\"must\":1,\"%s\":0}", member);
        document d;
        sample s = {0};
        document_init(&d);
        CHECK(document_parse(&d, text, strlen(text)));
        read_sample(&d, &s);
        CHECK_TEXT(d.faults.items[0].suggestion, names[n]);
        document_free(&d);
      }
    }
  }
}

static void several_faults_are_told_at_once(void) {
  static const char text[] = "{\"nmuber\":1,\"size\":-1,\"vec\":[\"a\",20,null],\"flag\":\"yes\"}";
  document d;
  sample s = {0};
  document_init(&d);
  CHECK(document_parse(&d, text, sizeof text - 1));
  read_sample(&d, &s);
  static const char *const pointers[] = {"/nmuber", "/must",  "/size", "/vec/0",
                                         "/vec/1",  "/vec/2", "/flag"};
  CHECK_INT(d.faults.count, 7);
  for (size_t i = 0; i < 7; i++) CHECK_TEXT(d.faults.items[i].pointer, pointers[i]);
  CHECK_TEXT(api_problem_get(d.faults.id)->name, "unknown-member");
  document_free(&d);
}

static void a_flood_of_unknown_members_stops_at_20(void) {
  size_t size = 2000000, n = 0;
  char *text = malloc(size);
  if (!text) abort();
  n += (size_t)snprintf(text, size, "{\"must\":0");
  for (int i = 0; i < 100000; i++) n += (size_t)snprintf(text + n, size - n, ",\"numbe%d\":0", i);
  n += (size_t)snprintf(text + n, size - n, "}");
  document d;
  sample s = {0};
  document_init(&d);
  CHECK(document_parse(&d, text, n));
  read_sample(&d, &s);
  CHECK_INT(d.faults.count, 20);
  document_free(&d);
  free(text);
}

static void one_of_takes_exactly_one(void) {
  static const struct {
    const char *text;
    bool required;
    size_t index;
    const char *problem;
  } cases[] = {{"{\"a\":1}", true, 0, NULL},
               {"{\"b\":null}", true, 1, NULL},
               {"{}", false, 2, NULL},
               {"{}", true, 2, "bad-mass"},
               {"{\"a\":1,\"b\":2}", true, 2, "conflicting-members"},
               {"{\"b\":1,\"a\":2}", false, 2, "conflicting-members"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    document d;
    document_init(&d);
    document_parse(&d, cases[i].text, strlen(cases[i].text));
    api_field m[2] = {{.name = "a"}, {.name = "b"}};
    CHECK(api_read_object(&d.reader, &d.root, m, 2));
    CHECK_INT(api_read_one_of(&d.reader, &d.root, m, 2, cases[i].required, API_PROBLEM_BAD_MASS),
              cases[i].index);
    document_expect(&d, cases[i].text, cases[i].problem, "", cases[i].problem ? "a, b" : NULL);
    document_free(&d);
  }
}

static void an_array_of_one_length_only_is_a_matter_of_type(void) {
  document d;
  document_init(&d);
  document_parse(&d, "[1,2,3]", 7);
  size_t count = 9;
  CHECK(!api_read_array(&d.reader, &d.root, 2, 2, &count));
  document_expect(&d, "pair", "wrong-type", "", "an array of 2 elements");
  CHECK_INT(count, 9);
  document_free(&d);
}

/* The bytes of a code point below 2^21 by the bit layout of RFC 3629, including overlong forms. */
static size_t put_utf8(uint32_t code, size_t bytes, char out[4]) {
  static const unsigned char heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
  if (bytes == 1) out[0] = (char)code;
  for (size_t i = bytes; bytes > 1 && i-- > 0; code >>= 6)
    out[i] = (char)(i ? 0x80 | (code & 0x3f) : heads[bytes] | code);
  return bytes;
}

/* Every code point in every length that can encode it, against the definition of the standard. */
static void ids_are_utf8_without_control_characters(void) {
  char text[300];
  memset(text, 'a', sizeof text);
  for (size_t length = 0; length < 300; length++)
    CHECK_INT(api_id_valid((ct_text){text, length}), length >= 1 && length <= 256);
  static const uint32_t ends[] = {0, 0x80, 0x800, 0x10000, 0x200000};
  for (size_t bytes = 1; bytes <= 4; bytes++) {
    for (uint32_t code = 0; code < ends[bytes]; code++) {
      size_t shortest = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      bool unicode = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) && bytes == shortest;
      bool control = code < 0x20 || (code >= 0x7f && code <= 0x9f);
      char id[6] = "a";
      size_t length = 1 + put_utf8(code, bytes, id + 1);
      if (api_id_valid((ct_text){id, length}) != (unicode && !control))
        CHECK_FAIL("U+%04x in %zu bytes", (unsigned)code, bytes);
      if (bytes > 1 && code % 7 == 0)
        CHECK(!api_id_valid((ct_text){id, length - 1})); /* cut short */
    }
  }
  for (int c = 0x80; c < 256; c++) {
    char alone[1] = {(char)c};
    CHECK(!api_id_valid((ct_text){alone, 1}));
  }
  static const char *const good[] = {"/wam1", "base#1", "left finger", " ",  "...", ".a", "a.",
                                     "%2F",   "?",      "\"",          "\\", "~",   "-"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) CHECK(api_id_valid(api_text(good[i])));
  CHECK(!api_id_valid(api_text(".")) && !api_id_valid(api_text("..")));
}

static void the_first_repetition_is_found(void) {
  document d;
  document_init(&d);
  check_random r = {6};
  for (int round = 0; round < 2000; round++) {
    char names[24][3];
    ct_text texts[24];
    size_t count = check_next(&r) % 24, expected = count;
    for (size_t i = 0; i < count; i++) {
      snprintf(names[i], sizeof names[i], "%s%c", check_next(&r) % 2 ? "a" : "",
               (char)('a' + check_next(&r) % 20));
      texts[i] = check_next(&r) % 8 ? api_text(names[i]) : (ct_text){0};
      for (size_t j = 0; j < i && expected == count; j++)
        if (texts[i].length && api_text_equal(texts[i], texts[j])) expected = i;
    }
    CHECK_INT(api_first_duplicate(&d.reader, texts, count), expected);
  }
  document_free(&d);
}

static const check_test tests[] = {
    {"good_values_are_read", good_values_are_read},
    {"absent_members_leave_the_default", absent_members_leave_the_default},
    {"bad_values_name_problem_and_place", bad_values_name_problem_and_place},
    {"unknown_members_suggest_the_nearest", unknown_members_suggest_the_nearest},
    {"every_slip_of_one_letter_is_recognised", every_slip_of_one_letter_is_recognised},
    {"several_faults_are_told_at_once", several_faults_are_told_at_once},
    {"a_flood_of_unknown_members_stops_at_20", a_flood_of_unknown_members_stops_at_20},
    {"one_of_takes_exactly_one", one_of_takes_exactly_one},
    {"an_array_of_one_length_only_is_a_matter_of_type",
     an_array_of_one_length_only_is_a_matter_of_type},
    {"ids_are_utf8_without_control_characters", ids_are_utf8_without_control_characters},
    {"the_first_repetition_is_found", the_first_repetition_is_found}};

CHECK_MAIN(tests)
