/* Shortest decimal text of doubles: it reads back to the same bits, no shorter text does, and it is
 * the nearest of the shortest texts. */
#include <float.h>
#include <stdio.h>

#include "common/number.h"
#include "common/number_powers.h"
#include "tests/support/check.h"

static double from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t to_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static const char *text_of(double value, char out[API_NUMBER_BYTES + 1]) {
  size_t length = api_number_format(value, out);
  out[length] = 0;
  return out;
}

/* The C library reads and prints correctly rounded numbers and serves as the reference. */
static void check_value(double value) {
  char text[API_NUMBER_BYTES + 1];
  size_t length = api_number_format(value, text);
  text[length] = 0;
  if (length > 25) CHECK_FAIL("%.17g takes %zu bytes", value, length);
  if (to_bits(strtod(text, NULL)) != to_bits(value + 0.0))
    CHECK_FAIL("%.17g is written \"%s\"", value, text);
}

static bool reads_back(uint64_t digits, int exponent, double value) {
  char text[40];
  snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, exponent);
  return strtod(text, NULL) == value;
}

/* The nearest decimal of this many digits: digits * 10^exponent. */
static uint64_t rounded(double value, int precision, int *exponent) {
  char text[40];
  snprintf(text, sizeof text, "%.*e", precision - 1, value);
  uint64_t digits = 0;
  char *c = text;
  for (; *c != 'e'; c++)
    if (*c != '.') digits = 10 * digits + (uint64_t)(*c - '0');
  *exponent = (int)strtol(c + 1, NULL, 10) - (precision - 1);
  return digits;
}

/* The fewest digits that read back; of these the nearest. Above a power of two the spacing of
 * doubles is twice that below, so that a neighbour of the nearest decimal may read back although
 * the nearest does not. */
static void check_shortest(double value) {
  value = fabs(value);
  api_decimal got = api_number_shortest(value);
  for (int precision = 1; precision <= 17; precision++) {
    int exponent;
    uint64_t nearest = rounded(value, precision, &exponent), wanted = 0;
    if (reads_back(nearest, exponent, value)) wanted = nearest;
    else if (reads_back(nearest + 1, exponent, value)) wanted = nearest + 1;
    else if (reads_back(nearest - 1, exponent, value)) wanted = nearest - 1;
    if (!wanted) continue;
    while (wanted % 10 == 0) {
      wanted /= 10;
      exponent++;
    }
    if (got.digits != wanted || got.exponent != exponent)
      CHECK_FAIL("%.17g is %llue%d, should be %llue%d", value, (unsigned long long)got.digits,
                 got.exponent, (unsigned long long)wanted, exponent);
    return;
  }
  CHECK_FAIL("%.17g has no decimal of 17 digits", value);
}

static void random_bit_patterns_read_back(void) {
  check_random r = {1};
  for (int i = 0; i < 1000000; i++) {
    double value = from_bits(check_next(&r));
    if (isfinite(value)) check_value(value);
  }
}

static void random_bit_patterns_are_shortest_and_nearest(void) {
  check_random r = {2};
  for (int i = 0; i < 30000; i++) {
    double value = from_bits(check_next(&r));
    if (isfinite(value) && value != 0.0) check_shortest(value);
  }
}

static void short_decimals_keep_their_digits(void) {
  check_random r = {3};
  for (int i = 0; i < 30000; i++) {
    char text[40];
    int digits = 1 + (int)(check_next(&r) % 15);
    uint64_t whole = check_next(&r) % 1000000000000000u;
    for (int j = digits; j < 15; j++) whole /= 10;
    snprintf(text, sizeof text, "%llue%d", (unsigned long long)whole,
             (int)(check_next(&r) % 40) - 20);
    double value = strtod(text, NULL);
    if (value != 0.0) check_shortest(value);
    check_value(value);
  }
}

static void hard_cases_are_shortest(void) {
  /* Powers of two have unevenly spaced neighbours; the others are the ends of the range and
   * published hard cases. */
  for (int e = -1074; e <= 1023; e++) {
    check_shortest(ldexp(1.0, e));
    check_shortest(nextafter(ldexp(1.0, e), 0.0) > 0.0 ? nextafter(ldexp(1.0, e), 0.0)
                                                       : ldexp(1.0, e));
    check_shortest(nextafter(ldexp(1.0, e), INFINITY));
  }
  static const double cases[] = {DBL_MAX,
                                 DBL_MIN,
                                 4.9406564584124654e-324,
                                 2.2250738585072009e-308,
                                 9007199254740991.0,
                                 9007199254740992.0,
                                 1e22,
                                 1e23,
                                 2e-323,
                                 8.41e21,
                                 9.5367431640625e-7,
                                 5e-324,
                                 4.35,
                                 0.3,
                                 2.98023223876953125e-8,
                                 1.7800590868057611e-307,
                                 299792458.0,
                                 6.62607015e-34};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) check_shortest(cases[i]);
  /* Bolz and Adams list values on which shorter algorithms fail: ties and exact halves. */
  for (uint64_t i = 0; i < 2000; i++) check_shortest(from_bits(UINT64_C(0x4340000000000000) + i));
}

static void layout_is_as_documented(void) {
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0.0, "0"},
               {-0.0, "0"},
               {1.0, "1"},
               {-1.0, "-1"},
               {0.1, "0.1"},
               {1e3, "1000"},
               {123.456, "123.456"},
               {-0.001, "-0.001"},
               {1e-6, "0.000001"},
               {1.5e-6, "0.0000015"},
               {1e-7, "1e-7"},
               {1e-9, "1e-9"},
               {-1.5e-9, "-1.5e-9"},
               {1e9, "1000000000"},
               {1e16, "10000000000000000"},
               {1e17, "1e17"},
               {1e21, "1e21"},
               {1.25e30, "1.25e30"},
               {0.30000000000000004, "0.30000000000000004"},
               {5e-324, "5e-324"},
               {DBL_MAX, "1.7976931348623157e308"}};
  char text[API_NUMBER_BYTES + 1];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    CHECK_TEXT(text_of(cases[i].value, text), cases[i].text);
  text[api_number_unsigned(UINT64_MAX, text)] = 0;
  CHECK_TEXT(text, "18446744073709551615");
  text[api_number_unsigned(0, text)] = 0;
  CHECK_TEXT(text, "0");
}

/* ---- the table of powers, against multi-word integers ---------------------------------------- */

/* 2048 bits, lowest word first: enough for 10^324 times 2^128 and for 2^1024. */
#define WORDS 64
typedef struct wide {
  uint32_t word[WORDS];
} wide;

static void multiply(wide *a, uint32_t by) {
  uint64_t carry = 0;
  for (int i = 0; i < WORDS; i++) {
    carry += (uint64_t)a->word[i] * by;
    a->word[i] = (uint32_t)carry;
    carry >>= 32;
  }
  CHECK_INT(carry, 0);
}

static void divide(wide *a, uint32_t by) {
  uint64_t rest = 0;
  for (int i = WORDS - 1; i >= 0; i--) {
    rest = rest << 32 | a->word[i];
    a->word[i] = (uint32_t)(rest / by);
    rest %= by;
  }
}

static bool bit(const wide *a, int i) { return i >= 0 && (a->word[i / 32] >> (i % 32) & 1); }

/* The top 128 bits, plus one: floor(a * 2^(127 - floor(log2 a))) + 1. */
static void check_row(int k, const wide *a) {
  int top = 32 * WORDS - 1;
  while (top > 0 && !bit(a, top)) top--;
  uint64_t high = 0, low = 0;
  for (int i = 0; i < 64; i++) {
    high = high << 1 | bit(a, top - i);
    low = low << 1 | bit(a, top - 64 - i);
  }
  low++;
  high += low == 0;
  const uint64_t *row = powers[k - POWER_FIRST];
  if (row[0] != high || row[1] != low)
    CHECK_FAIL("10^%d is %016llx %016llx, should be %016llx %016llx", k, (unsigned long long)row[0],
               (unsigned long long)row[1], (unsigned long long)high, (unsigned long long)low);
}

static void the_table_of_powers_is_exact(void) {
  wide a = {{1}};
  for (int k = 0; k <= POWER_LAST; k++) {
    check_row(k, &a);
    if (k < POWER_LAST) multiply(&a, 10);
  }
  /* 2^2047 divided by 10 repeatedly. A floor of a floor is the floor of the quotient. At 10^-292,
   * 2047 - 970 bits are left. */
  wide b = {{0}};
  b.word[WORDS - 1] = UINT32_C(1) << 31;
  for (int k = -1; k >= POWER_FIRST; k--) {
    divide(&b, 10);
    check_row(k, &b);
  }
}

/* ---- digits of Python ------------------------------------------------------------------------ */

/* repr() of Python 3 writes the shortest digits, nearest first (David Gay's conversion). */
static void digits_equal_those_of_python(void) {
  static const char program[] =
      "/usr/bin/python3 -c \"\nimport random, struct\nrandom.seed(5)\nfor i in range(4000):\n"
      "  x = struct.unpack('<d', struct.pack('<Q', random.getrandbits(63)))[0] if i % 2 else "
      "round(random.uniform(-100, 100), i % 12)\n"
      "  if x == x and abs(x) < 1e400 and x and abs(x) != float('inf'): print(x.hex(), "
      "repr(x))\n\"";
  FILE *pipe = popen(program, "r");
  if (!pipe) {
    CHECK_FAIL("python3 cannot be started");
    return;
  }
  char hex[64], repr[64];
  int count = 0;
  while (fscanf(pipe, "%63s %63s", hex, repr) == 2) {
    double value = strtod(hex, NULL);
    api_decimal decimal = api_number_shortest(value);
    char own[24], theirs[64];
    snprintf(own, sizeof own, "%llu", (unsigned long long)decimal.digits);
    size_t n = 0;
    for (const char *c = repr; *c && *c != 'e'; c++)
      if (*c >= '0' && *c <= '9' && (n || *c != '0')) theirs[n++] = *c;
    while (n > 1 && theirs[n - 1] == '0') n--;
    theirs[n] = 0;
    CHECK_TEXT(own, theirs);
    count++;
  }
  pclose(pipe);
  CHECK(count > 3900);
}

static const check_test tests[] = {
    {"random_bit_patterns_read_back", random_bit_patterns_read_back},
    {"random_bit_patterns_are_shortest_and_nearest", random_bit_patterns_are_shortest_and_nearest},
    {"short_decimals_keep_their_digits", short_decimals_keep_their_digits},
    {"hard_cases_are_shortest", hard_cases_are_shortest},
    {"layout_is_as_documented", layout_is_as_documented},
    {"the_table_of_powers_is_exact", the_table_of_powers_is_exact},
    {"digits_equal_those_of_python", digits_equal_those_of_python}};

CHECK_MAIN(tests)
