/* Validates ids; decodes UTF-8 (RFC 3629); percent-encodes ids (RFC 3986, section 2.1). */
#include "common/id_text.h"

#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

_Static_assert(CT_ID_LENGTH_MAX == 256, "API_ID_RULE and the texts of errors name the limit");

size_t api_utf8_next(const char *bytes, size_t length, uint32_t *code) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (length == 0) return 0;
  unsigned char first = (unsigned char)bytes[0];
  size_t count = first < 0x80       ? 1
                 : first >> 5 == 6  ? 2
                 : first >> 4 == 14 ? 3
                 : first >> 3 == 30 ? 4
                                    : 0;
  if (count == 0 || count > length) return 0;
  uint32_t value = count == 1 ? first : first & (0x7fu >> count);
  for (size_t i = 1; i < count; i++) {
    unsigned char next = (unsigned char)bytes[i];
    if (next >> 6 != 2) return 0;
    value = value << 6 | (next & 0x3fu);
  }
  /* RFC 3629 excludes overlong forms, surrogates, and code points above U+10FFFF. */
  if (value < least[count] || (value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff) return 0;
  *code = value;
  return count;
}

/* True if the character has the Unicode general category Cc (control). */
static bool is_control(uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

static bool is_dot_segment(ct_text text) {
  return (text.length == 1 || text.length == 2) && text.bytes[0] == '.' &&
         text.bytes[text.length - 1] == '.';
}

/* Returns the offset of the first byte that is not allowed in an id, text.length if there is none.
 * *control: true if a control character begins at that offset, false if invalid UTF-8 does. */
static size_t find_invalid_byte(ct_text text, bool *control) {
  uint32_t code = 0;
  *control = false;
  for (size_t at = 0, count; at < text.length; at += count) {
    count = api_utf8_next(text.bytes + at, text.length - at, &code);
    *control = count > 0 && is_control(code);
    if (count == 0 || *control) return at;
  }
  return text.length;
}

bool api_id_valid(ct_text text) {
  bool control;
  if (text.length < 1 || text.length > CT_ID_LENGTH_MAX || is_dot_segment(text)) return false;
  return find_invalid_byte(text, &control) == text.length;
}

const char *api_id_fault(ct_text text, char out[64]) {
  assert(!api_id_valid(text));
  bool control;
  if (text.length == 0) return "is empty";
  if (is_dot_segment(text)) return "has a meaning in paths";
  size_t at = find_invalid_byte(text, &control);
  if (at < text.length)
    snprintf(out, 64, "has %s at byte %zu", control ? "a control character" : "no UTF-8", at + 1);
  else snprintf(out, 64, "has %zu bytes", text.length);
  return out;
}

bool api_id_of_json(const char *bytes, size_t length, char out[CT_ID_LENGTH_MAX + 1]) {
  /* A JSON string has at most six characters per byte (\u00xx), and two quotes. */
  if (length > 6 * CT_ID_LENGTH_MAX + 2) return false;
  json_t *value = json_loadb(bytes, length, JSON_DECODE_ANY, NULL);
  ct_text text = {json_string_value(value), json_string_length(value)};
  bool good = text.bytes && api_id_valid(text);
  if (good) memcpy(out, text.bytes, text.length + 1);
  json_decref(value);
  return good;
}

/* True if the character stays unescaped in a path segment. */
static bool is_plain_in_path(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         (c && strchr("-._~:@", c));
}

const char *api_id_encode(const char *id, char out[API_ID_ENCODED_BYTES]) {
  static const char hex[] = "0123456789ABCDEF";
  size_t used = 0;
  for (; *id && used + 4 <= API_ID_ENCODED_BYTES; id++) {
    unsigned char byte = (unsigned char)*id;
    if (is_plain_in_path(*id)) {
      out[used++] = *id;
      continue;
    }
    out[used++] = '%';
    out[used++] = hex[byte >> 4];
    out[used++] = hex[byte & 15];
  }
  assert(!*id && used < API_ID_ENCODED_BYTES);
  out[used] = 0;
  return out;
}
