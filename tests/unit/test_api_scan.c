/* Numbers and words of text files. Truth for numbers: the C library in the C locale, which rounds
 * correctly. */
#include <float.h>

#include "import/text_scanner.h"
#include "tests/support/check.h"

static ct_text text(const char *t) { return (ct_text){t, strlen(t)}; }

static void check_number(const char *t) {
  double got = -1.0, expected = strtod(t, NULL);
  if (api_word_read(text(t), &got) != API_WORD_NUMBER) CHECK_FAIL("\"%s\" is not read", t);
  if (memcmp(&got, &(double){expected + 0.0}, sizeof got) != 0)
    CHECK_FAIL("\"%s\" is read as %.17g, should be %.17g", t, got, expected);
}

static void numbers_are_the_nearest_doubles(void) {
  static const char *const list[] = {"0",
                                     "-0",
                                     "+1",
                                     "1.",
                                     ".5",
                                     "-.5e1",
                                     "1e0",
                                     "1E5",
                                     "1e+22",
                                     "1e23",
                                     "123456789012345678",
                                     "9007199254740993",
                                     "9007199254740992.5",
                                     "0.1",
                                     "2.2250738585072011e-308",
                                     "2.2250738585072014e-308",
                                     "4.9406564584124654e-324",
                                     "2.4703282292062327e-324",
                                     "2.4703282292062328e-324",
                                     "1e-400",
                                     "1.7976931348623157e308",
                                     "1.7976931348623158e308",
                                     "000000000000000000000000000001.5",
                                     "0.000000000000000000000000000000000000000000000015",
                                     "123456789012345678901234567890",
                                     "1000000000000000000000000000000000000",
                                     "1.00000000000000011102230246251565404236316680908203124",
                                     "1.00000000000000011102230246251565404236316680908203125",
                                     "1.00000000000000011102230246251565404236316680908203126",
                                     "8.5e-01",
                                     "3.402823466e+38",
                                     "1.401298464e-45"};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) check_number(list[i]);
}

static void random_decimals_are_the_nearest_doubles(void) {
  uint64_t state = 88172645463325252u;
  char line[64];
  for (int i = 0; i < 200000; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    int digits = 1 + (int)(state % 19), point = (int)(state / 64 % 8),
        exponent = (int)(state / 1024 % 700) - 350;
    if (exponent > 280) exponent = 0;
    uint64_t whole = state % 9999999999999999999u;
    for (int d = digits; d < 19; d++) whole /= 10;
    int n = snprintf(line, sizeof line, "%s%llu", state & 1 ? "-" : "", (unsigned long long)whole);
    if (point && n < 40)
      n += snprintf(line + n, sizeof line - (size_t)n, ".%0*llu", point,
                    (unsigned long long)(state >> 40));
    if (state & 2)
      snprintf(line + n, sizeof line - (size_t)n, "%c%d", state & 4 ? 'e' : 'E', exponent);
    check_number(line);
  }
}

static void what_is_no_number_is_told_from_what_is_not_finite(void) {
  static const char *const none[] = {"",     "-",    "+",    ".",   "e5", "1e",  "1e+",  "1,5",
                                     "0x10", "1e5x", "1..2", "--1", "1f", "one", "nano", "i"};
  static const char *const infinite[] = {"nan",   "-NaN",         "inf",
                                         "-Inf",  "Infinity",     "nan(ind)",
                                         "1e309", "-1e999999999", "1.7976931348623159e308"};
  double out = 7.0;
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
    if (api_word_read(text(none[i]), &out) != API_WORD_NO_NUMBER)
      CHECK_FAIL("\"%s\" is a number", none[i]);
  for (size_t i = 0; i < sizeof infinite / sizeof infinite[0]; i++)
    if (api_word_read(text(infinite[i]), &out) != API_WORD_NOT_FINITE)
      CHECK_FAIL("\"%s\" is finite, or none", infinite[i]);
  CHECK(out == 7.0);
}

static void integers_are_whole(void) {
  int64_t out = 0;
  CHECK(api_word_integer(text("12"), &out) && out == 12);
  CHECK(api_word_integer(text("-3"), &out) && out == -3);
  CHECK(api_word_integer(text("4294967296"), &out) && out == 4294967296);
  CHECK(!api_word_integer(text("1.5"), &out) && !api_word_integer(text("1."), &out) &&
        !api_word_integer(text("1e2"), &out));
  CHECK(!api_word_integer(text(""), &out) && !api_word_integer(text("x"), &out));
  CHECK(!api_word_integer(text("99999999999999999999"), &out) &&
        !api_word_integer(text("9223372036854775808"), &out));
}

static void words_end_with_their_line_unless_a_backslash_joins_it(void) {
  static const char lines[] = "a  b\t\\\r\n c\\\nd\r\n\n e";
  api_scanner scan = {lines, lines + sizeof lines - 1, 1};
  ct_text word;
  const char *const first[] = {"a", "b", "c", "d"};
  for (int i = 0; i < 4; i++)
    CHECK(api_scanner_word_on_line(&scan, &word) && api_word_equals(word, first[i]));
  CHECK(!api_scanner_word_on_line(&scan, &word));
  CHECK_INT(scan.line, 3);
  CHECK(api_scanner_next_line(&scan) && !api_scanner_word_on_line(&scan, &word) &&
        api_scanner_next_word(&scan, &word) && api_word_equals(word, "e"));
  CHECK_INT(scan.line, 5);
  CHECK(!api_scanner_next_word(&scan, &word));
}

static const check_test tests[] = {
    {"numbers_are_the_nearest_doubles", numbers_are_the_nearest_doubles},
    {"random_decimals_are_the_nearest_doubles", random_decimals_are_the_nearest_doubles},
    {"what_is_no_number_is_told_from_what_is_not_finite",
     what_is_no_number_is_told_from_what_is_not_finite},
    {"integers_are_whole", integers_are_whole},
    {"words_end_with_their_line_unless_a_backslash_joins_it",
     words_end_with_their_line_unless_a_backslash_joins_it},
};
CHECK_MAIN(tests)
