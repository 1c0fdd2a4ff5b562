/* Scans the words and numbers of text files. */
#include "import/text_scanner.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

/* Greatest number of decimal digits for which every number fits into a 64-bit integer. */
#define DIGITS_EXACT 18
/* Greatest exponent of a power of ten that is exactly a double. An integer up to 2^53, multiplied
 * or divided by such a power, is rounded only once. */
#define POWER_EXACT 22
#define WHOLE_EXACT (UINT64_C(1) << 53)
/* Greatest length of a number, characters: 17 digits identify a double, and at most 770 the
 * midpoint of two neighbouring doubles. */
#define NUMBER_CHARACTERS_MAX 800
/* Exponents are clamped to this value, which is far beyond the range of doubles. */
#define EXPONENT_MOST 100000

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Returns the length of a backslash and the line end after it, or 0 if the text at scan->at is
 * something else. */
static size_t joint(const api_scanner *scan) {
  if (*scan->at != '\\') return 0;
  const char *next = scan->at + 1;
  if (next < scan->end && *next == '\r') next++;
  return next < scan->end && *next == '\n' ? (size_t)(next + 1 - scan->at) : 0;
}

static void scan_word(api_scanner *scan, ct_text *out) {
  const char *start = scan->at;
  while (scan->at < scan->end && *scan->at != '\n' && !is_blank(*scan->at) && !joint(scan))
    scan->at++;
  *out = (ct_text){start, (size_t)(scan->at - start)};
  assert(out->length > 0);
}

bool api_scanner_word_on_line(api_scanner *scan, ct_text *out) {
  assert(scan->at <= scan->end && scan->line > 0);
  while (scan->at < scan->end && *scan->at != '\n') {
    size_t skip = joint(scan);
    if (!skip && !is_blank(*scan->at)) {
      scan_word(scan, out);
      return true;
    }
    if (skip) scan->line++;
    scan->at += skip ? skip : 1;
  }
  return false;
}

bool api_scanner_next_word(api_scanner *scan, ct_text *out) {
  while (!api_scanner_word_on_line(scan, out))
    if (!api_scanner_next_line(scan)) return false;
  return true;
}

bool api_scanner_next_line(api_scanner *scan) {
  ct_text word;
  /* Skip the remaining words of the line, joined lines included. */
  while (api_scanner_word_on_line(scan, &word)) {
  }
  if (scan->at >= scan->end) return false;
  scan->at++;
  scan->line++;
  return true;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

bool api_word_equals(ct_text word, const char *plain) {
  size_t i = 0;
  for (; i < word.length && plain[i]; i++)
    if (lower(word.bytes[i]) != plain[i]) return false;
  return i == word.length && !plain[i];
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* A parsed decimal number: value = digits * 10^exponent. If `digits` cannot hold all digits, the
 * last ones are dropped. */
typedef struct decimal {
  bool negative, any,
      exact; /* any: there is at least one digit; exact: no nonzero digit was dropped */
  uint64_t digits;
  int exponent;
} decimal;

static void append_digit(decimal *d, char c, bool fraction) {
  d->any = true;
  if (d->digits < UINT64_C(1000000000000000000)) {
    d->digits = 10 * d->digits + (uint64_t)(c - '0');
    d->exponent -= fraction;
  } else {
    d->exact = d->exact && c == '0';
    d->exponent += !fraction;
  }
}

/* Parses a decimal number. False: the word is not a decimal number. */
static bool split(ct_text word, decimal *out) {
  const char *at = word.bytes, *end = at + word.length;
  decimal d = {.exact = true};
  if (at < end && (*at == '+' || *at == '-')) d.negative = *at++ == '-';
  for (; at < end && is_digit(*at); at++) append_digit(&d, *at, false);
  if (at < end && *at == '.')
    for (at++; at < end && is_digit(*at); at++) append_digit(&d, *at, true);
  if (!d.any) return false;
  if (at < end && (*at == 'e' || *at == 'E')) {
    bool minus = false;
    int exponent = 0;
    if (++at < end && (*at == '+' || *at == '-')) minus = *at++ == '-';
    if (at == end) return false;
    for (; at < end && is_digit(*at); at++)
      if (exponent < EXPONENT_MOST) exponent = 10 * exponent + (*at - '0');
    d.exponent += minus ? -exponent : exponent;
  }
  *out = d;
  return at == end;
}

/* Converts a decimal word with strtod, which rounds correctly. The text passed to it has no decimal
 * point, so that the locale has no effect. */
static double read_slowly(ct_text word) {
  assert(word.length <= NUMBER_CHARACTERS_MAX);
  char text[NUMBER_CHARACTERS_MAX + 16];
  size_t n = 0, i = 0;
  long exponent = 0;
  bool fraction = false;
  for (; i < word.length && word.bytes[i] != 'e' && word.bytes[i] != 'E'; i++) {
    if (word.bytes[i] == '.') {
      fraction = true;
      continue;
    }
    text[n++] = word.bytes[i];
    exponent -= fraction;
  }
  if (i < word.length) {
    long sign = 1, written = 0;
    if (word.bytes[++i] == '-') sign = -1;
    for (i += word.bytes[i] == '-' || word.bytes[i] == '+'; i < word.length; i++)
      if (written < EXPONENT_MOST) written = 10 * written + (word.bytes[i] - '0');
    exponent += sign * written;
  }
  text[n] = 0;
  api_text_append(text, sizeof text, "e%ld", exponent);
  return strtod(text, NULL);
}

static bool not_finite_word(ct_text word) {
  if (word.length > 0 && (word.bytes[0] == '+' || word.bytes[0] == '-'))
    word = (ct_text){word.bytes + 1, word.length - 1};
  return api_word_equals(word, "nan") || api_word_equals(word, "inf") ||
         api_word_equals(word, "infinity") ||
         (word.length > 3 && api_word_equals((ct_text){word.bytes, 3}, "nan") &&
          word.bytes[3] == '(');
}

api_word_number api_word_read(ct_text word, double *out) {
  static const double powers[POWER_EXACT + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  decimal d;
  if (word.length > NUMBER_CHARACTERS_MAX || !split(word, &d))
    return not_finite_word(word) ? API_WORD_NOT_FINITE : API_WORD_NO_NUMBER;
  double value = 0.0;
  if (d.exact && d.digits <= WHOLE_EXACT && d.exponent >= -POWER_EXACT &&
      d.exponent <= POWER_EXACT) {
    value = d.exponent < 0 ? (double)d.digits / powers[-d.exponent]
                           : (double)d.digits * powers[d.exponent];
    if (d.negative) value = -value;
  } else {
    value = read_slowly(word);
  }
  if (!isfinite(value)) return API_WORD_NOT_FINITE;
  *out = value + 0.0;
  return API_WORD_NUMBER;
}

bool api_word_integer(ct_text word, int64_t *out) {
  decimal d;
  if (word.length > DIGITS_EXACT || word.length == 0 || !split(word, &d) || d.exponent != 0)
    return false;
  if (memchr(word.bytes, '.', word.length) || memchr(word.bytes, 'e', word.length) ||
      memchr(word.bytes, 'E', word.length))
    return false;
  *out = d.negative ? -(int64_t)d.digits : (int64_t)d.digits;
  return true;
}
