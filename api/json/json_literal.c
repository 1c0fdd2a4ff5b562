/* Classifies literals (RFC 8259, sections 6 and 7). The parser decides whether a text is JSON. */
#include "json/json_literal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An integer of this many characters fits 64 bits. */
#define SHORT_INTEGER 18
/* A number of this many characters without exponent fits a double; so does one of SHORT_REAL - 99
 * characters with an exponent of two digits. */
#define SHORT_REAL 300
/* Digits of an exponent for which SHORT_REAL - 99 characters fit a double. */
#define SHORT_EXPONENT 2

static bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

static size_t skip_digits(const char *bytes, size_t length, size_t at) {
  while (at < length && is_ascii_digit(bytes[at])) at++;
  return at;
}

/* Splits a number by the grammar of RFC 8259. False: not a number. */
static bool split_number(const char *bytes, size_t length, bool *integer, size_t *exponent_digits) {
  size_t at = length && bytes[0] == '-', whole = at;
  at = skip_digits(bytes, length, at);
  if (at == whole || (bytes[whole] == '0' && at > whole + 1)) return false;
  *integer = at == length;
  *exponent_digits = 0;
  if (at < length && bytes[at] == '.') {
    size_t fraction = ++at;
    at = skip_digits(bytes, length, at);
    if (at == fraction) return false;
  }
  if (at < length && (bytes[at] == 'e' || bytes[at] == 'E')) {
    at++;
    if (at < length && (bytes[at] == '+' || bytes[at] == '-')) at++;
    size_t exponent = at;
    at = skip_digits(bytes, length, at);
    *exponent_digits = at - exponent;
    if (at == exponent) return false;
  }
  return at == length;
}

api_literal api_literal_number(const char *bytes, size_t length, double *value) {
  bool integer;
  size_t exponent_digits;
  *value = 0.0;
  if (length <= SHORT_EXPONENT + 1 || !split_number(bytes, length, &integer, &exponent_digits))
    return API_LITERAL_PLAIN;
  if (integer ? length <= SHORT_INTEGER
              : exponent_digits <= SHORT_EXPONENT && length <= SHORT_REAL - 99)
    return API_LITERAL_PLAIN;
  if (length > API_NUMBER_LITERAL_MAX) return API_LITERAL_LONG;
  char text[API_NUMBER_LITERAL_MAX + 1];
  memcpy(text, bytes, length);
  text[length] = 0;
  *value = strtod(text, NULL);
  if (!isfinite(*value)) return API_LITERAL_BEYOND;
  if (!integer) return API_LITERAL_PLAIN;
  errno = 0;
  (void)strtoll(text, NULL, 10);
  return errno == ERANGE ? API_LITERAL_WIDE : API_LITERAL_PLAIN;
}

/* An integer beyond 64 bits has at least 19 digits. 17 digits with an exponent are not longer and
 * read back to the same double. */
void api_literal_replace_number(char *bytes, size_t length, api_literal kind, double value) {
  char digits[32], text[32];
  size_t used = 1;
  if (kind == API_LITERAL_WIDE) {
    snprintf(digits, sizeof digits, "%.16e", fabs(value)); /* d.dddddddddddddddde+xx */
    long exponent = strtol(digits + 19, NULL, 10);
    used = (size_t)snprintf(text, sizeof text, "%s%c%.16se%ld", value < 0.0 ? "-" : "", digits[0],
                            digits + 2, exponent - 16);
  } else {
    text[0] = '0';
  }
  if (used > length) return;
  memcpy(bytes, text, used);
  memset(bytes + used, ' ', length - used);
}

static int parse_hex_digit(char c) {
  if (is_ascii_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* The code unit of an escape \uXXXX, or -1. */
static long read_code_unit(const char *bytes, size_t length) {
  if (length < API_ESCAPE_BYTES || bytes[0] != '\\' || bytes[1] != 'u') return -1;
  long code = 0;
  for (size_t i = 2; i < API_ESCAPE_BYTES; i++) {
    int digit = parse_hex_digit(bytes[i]);
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

api_literal api_literal_escape(const char *bytes, size_t length, size_t *taken) {
  long code = read_code_unit(bytes, length);
  *taken = code < 0 ? 2 : API_ESCAPE_BYTES;
  if (code == 0) return API_LITERAL_NUL;
  if (code < 0xd800 || code > 0xdfff) return API_LITERAL_PLAIN;
  if (code >= 0xdc00) return API_LITERAL_SURROGATE;
  long low = read_code_unit(bytes + API_ESCAPE_BYTES, length - API_ESCAPE_BYTES);
  if (low < 0xdc00 || low > 0xdfff) return API_LITERAL_SURROGATE;
  *taken = 2 * API_ESCAPE_BYTES;
  return API_LITERAL_PLAIN;
}

void api_literal_replace_escape(char *bytes) { memcpy(bytes, "\\ufffd", API_ESCAPE_BYTES); }
