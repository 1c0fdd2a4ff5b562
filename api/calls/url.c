/* Decodes percent-escapes and splits the parameters of a URL. */
#include "calls/url.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int hex_digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

long api_url_decode(const char *bytes, size_t length, char *out, size_t capacity) {
  size_t used = 0;
  for (size_t i = 0; i < length; i++) {
    char c = bytes[i];
    if (c == '%') {
      int high = i + 2 < length ? hex_digit_value(bytes[i + 1]) : -1;
      int low = high >= 0 ? hex_digit_value(bytes[i + 2]) : -1;
      if (low < 0) return -1;
      c = (char)(high * 16 + low);
      i += 2;
    }
    if (used == capacity) return -1;
    out[used++] = c;
  }
  assert(used <= capacity && used <= length);
  return (long)used;
}

bool api_url_next(const char **text, api_url_parameter *out) {
  const char *at = *text;
  while (at && *at == '&') at++;
  if (!at || !*at) return false;
  size_t length = strcspn(at, "&");
  const char *equals = memchr(at, '=', length);
  *out = (api_url_parameter){.name = at, .name_length = equals ? (size_t)(equals - at) : length};
  if (equals) {
    long decoded =
        api_url_decode(equals + 1, length - out->name_length - 1, out->value, API_URL_VALUE_MAX);
    out->bad = decoded < 0 || memchr(out->value, 0, (size_t)decoded) != NULL;
    out->value_length = out->bad ? 0 : (size_t)decoded;
  }
  assert(out->value_length <= API_URL_VALUE_MAX);
  out->value[out->value_length] = 0;
  *text = at + length;
  return true;
}

bool api_url_named(const api_url_parameter *parameter, const char *name) {
  return strlen(name) == parameter->name_length &&
         memcmp(name, parameter->name, parameter->name_length) == 0;
}

bool api_url_milliseconds(const api_url_parameter *parameter, uint64_t most, uint64_t *out) {
  size_t length = parameter->value_length;
  assert(length <= API_URL_VALUE_MAX && parameter->value[length] == 0);
  if (length == 0 || length > 9 || strspn(parameter->value, "0123456789") != length) return false;
  uint64_t value = strtoull(parameter->value, NULL, 10);
  if (value < 1 || value > most) return false;
  *out = value;
  return true;
}

void api_url_deadline(const char *query, uint64_t most, uint64_t *deadline_ms) {
  api_url_parameter parameter;
  while (api_url_next(&query, &parameter))
    if (api_url_named(&parameter, "deadlineMs"))
      (void)api_url_milliseconds(&parameter, most, deadline_ms);
}
