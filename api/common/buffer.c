/* Growable output buffer and its JSON writers (RFC 8259). The layouts of the documents are defined
 * by their own files. */
#include "common/buffer.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

#define FIRST_CAPACITY 1024
/* Greatest nesting that api_put_json writes: one level more than the parser accepts (jsonDepth <=
 * 512). */
#define LEVELS_MAX 513

void api_buffer_free(api_buffer *buffer) {
  free(buffer->bytes);
  *buffer = (api_buffer){0};
}

static bool grow_buffer(api_buffer *buffer, size_t more) {
  size_t needed;
  if (buffer->failed) return false;
  if (__builtin_add_overflow(buffer->length, more, &needed)) {
    buffer->failed = true;
    return false;
  }
  size_t capacity = buffer->capacity ? buffer->capacity : FIRST_CAPACITY;
  while (capacity < needed) capacity = capacity > SIZE_MAX / 2 ? needed : 2 * capacity;
  buffer->failed = !api_array_resize(&buffer->bytes, &buffer->capacity, capacity, 1);
  return !buffer->failed;
}

bool api_buffer_reserve(api_buffer *buffer, size_t more) {
  assert(buffer->length <= buffer->capacity);
  if (!buffer->failed && more <= buffer->capacity - buffer->length) return true;
  return grow_buffer(buffer, more);
}

char *api_buffer_detach(api_buffer *buffer, size_t *length) {
  api_put_byte(buffer, 0);
  if (buffer->failed) {
    api_buffer_free(buffer);
    return NULL;
  }
  char *bytes = buffer->bytes;
  assert(buffer->length > 0);
  *length = buffer->length - 1;
  *buffer = (api_buffer){0};
  return bytes;
}

ct_text api_text(const char *terminated) { return (ct_text){terminated, strlen(terminated)}; }

bool api_text_equal(ct_text a, ct_text b) {
  return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

int api_text_compare(ct_text a, ct_text b) {
  size_t shorter = a.length < b.length ? a.length : b.length;
  int order = shorter ? memcmp(a.bytes, b.bytes, shorter) : 0;
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

void api_text_append(char *text, size_t size, const char *format, ...) {
  size_t length = strlen(text);
  assert(length < size);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + length, size - length, format, arguments);
  va_end(arguments);
}

void api_put_bytes(api_buffer *buffer, const char *bytes, size_t length) {
  assert(bytes || length == 0);
  if (!length || !api_buffer_reserve(buffer, length)) return;
  assert(buffer->length + length <= buffer->capacity);
  memcpy(buffer->bytes + buffer->length, bytes, length);
  buffer->length += length;
}

void api_put_byte(api_buffer *buffer, char byte) {
  if (!api_buffer_reserve(buffer, 1)) return;
  buffer->bytes[buffer->length++] = byte;
}

void api_put_raw(api_buffer *buffer, const char *terminated) {
  api_put_bytes(buffer, terminated, strlen(terminated));
}

/* True if the last byte ends a value, so that a comma must precede the next one. No value ends with
 * '{', '[', ':' or a line end: a string with such a byte ends with a quote. */
static bool follows_value(const api_buffer *buffer) {
  if (buffer->length == 0) return false;
  char last = buffer->bytes[buffer->length - 1];
  return last != '{' && last != '[' && last != ':' && last != '\n';
}

void api_put_item(api_buffer *buffer) {
  if (follows_value(buffer)) api_put_byte(buffer, ',');
}

void api_put_key(api_buffer *buffer, const char *name) {
  size_t length = strlen(name);
  if (!api_buffer_reserve(buffer, length + 4)) return;
  char *out = buffer->bytes + buffer->length;
  if (follows_value(buffer)) *out++ = ',';
  *out++ = '"';
  memcpy(out, name, length);
  out += length;
  *out++ = '"';
  *out++ = ':';
  buffer->length = (size_t)(out - buffer->bytes);
}

void api_put_key_text(api_buffer *buffer, ct_text name) {
  api_put_item(buffer);
  api_put_string(buffer, name);
  api_put_byte(buffer, ':');
}

/* Returns the length of the UTF-8 sequence at the start of bytes[0..length); 0 if it is invalid
 * (RFC 3629: overlong forms and surrogates are invalid). */
static size_t utf8_length(const unsigned char *bytes, size_t length) {
  assert(length > 0);
  unsigned char first = bytes[0];
  size_t need = first < 0x80                    ? 1
                : first >= 0xc2 && first < 0xe0 ? 2
                : first >= 0xe0 && first < 0xf0 ? 3
                : first >= 0xf0 && first < 0xf5 ? 4
                                                : 0;
  if (need > length) return 0;
  for (size_t i = 1; i < need; i++)
    if ((bytes[i] & 0xc0) != 0x80) return 0;
  if ((first == 0xe0 && bytes[1] < 0xa0) || (first == 0xed && bytes[1] > 0x9f)) return 0;
  if ((first == 0xf0 && bytes[1] < 0x90) || (first == 0xf4 && bytes[1] > 0x8f)) return 0;
  return need;
}

/* Puts the JSON escape of a byte that may not stand in a string as it is. */
static void put_escape(api_buffer *buffer, unsigned char byte) {
  static const char hex[] = "0123456789abcdef";
  static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
  const char *found = byte ? strchr(from, byte) : NULL;
  if (found) {
    char two[2] = {'\\', to[found - from]};
    api_put_bytes(buffer, two, 2);
    return;
  }
  char six[6] = {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
  api_put_bytes(buffer, six, 6);
}

void api_put_string(api_buffer *buffer, ct_text text) {
  const unsigned char *bytes = (const unsigned char *)text.bytes;
  api_put_byte(buffer, '"');
  size_t start = 0, i = 0;
  while (i < text.length) {
    unsigned char byte = bytes[i];
    if (byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\') {
      i++;
      continue;
    }
    /* Copy plain bytes and valid UTF-8 sequences as one run; flush the run at a byte that needs an
     * escape. */
    size_t whole = byte >= 0x80 ? utf8_length(bytes + i, text.length - i) : 0;
    if (whole) {
      i += whole;
      continue;
    }
    api_put_bytes(buffer, text.bytes + start, i - start);
    if (byte >= 0x80) api_put_bytes(buffer, "\xef\xbf\xbd", 3);
    else put_escape(buffer, byte);
    start = ++i;
  }
  if (start < text.length) api_put_bytes(buffer, text.bytes + start, text.length - start);
  api_put_byte(buffer, '"');
}

void api_put_number(api_buffer *buffer, double value) {
  if (!api_buffer_reserve(buffer, API_NUMBER_BYTES)) return;
  buffer->length += api_number_format(value, buffer->bytes + buffer->length);
}

void api_put_unsigned(api_buffer *buffer, uint64_t value) {
  if (!api_buffer_reserve(buffer, API_NUMBER_BYTES)) return;
  buffer->length += api_number_unsigned(value, buffer->bytes + buffer->length);
}

void api_put_bool(api_buffer *buffer, bool value) { api_put_raw(buffer, value ? "true" : "false"); }

static void put_number_array(api_buffer *buffer, const double *values, size_t count) {
  if (!api_buffer_reserve(buffer, count * API_NUMBER_BYTES + 2)) return;
  char *out = buffer->bytes + buffer->length;
  *out++ = '[';
  for (size_t i = 0; i < count; i++) {
    if (i) *out++ = ',';
    out += api_number_format(values[i], out);
  }
  *out++ = ']';
  buffer->length = (size_t)(out - buffer->bytes);
  assert(buffer->length <= buffer->capacity);
}

void api_put_vec3(api_buffer *buffer, ct_vec3 value) {
  const double values[3] = {value.x, value.y, value.z};
  put_number_array(buffer, values, 3);
}

void api_put_quat(api_buffer *buffer, ct_quat value) {
  const double values[4] = {value.x, value.y, value.z, value.w};
  put_number_array(buffer, values, 4);
}

/* ---- any value ------------------------------------------------------------------------------ */

/* An open array or object during the traversal, and the next element or member to be written. */
typedef struct level {
  json_t *value;
  size_t index;
  void *member;
} level;

static void put_integer(api_buffer *buffer, json_int_t value) {
  if (value < 0) api_put_byte(buffer, '-');
  api_put_unsigned(buffer, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void put_scalar(api_buffer *buffer, const json_t *value) {
  switch (json_typeof(value)) {
  case JSON_STRING:
    api_put_string(buffer, (ct_text){json_string_value(value), json_string_length(value)});
    break;
  case JSON_INTEGER: put_integer(buffer, json_integer_value(value)); break;
  case JSON_REAL: api_put_number(buffer, json_real_value(value)); break;
  case JSON_TRUE: api_put_raw(buffer, "true"); break;
  case JSON_FALSE: api_put_raw(buffer, "false"); break;
  default:
    assert(json_is_null(value));
    api_put_raw(buffer, "null");
    break;
  }
}

/* Returns the next child of an array or object after putting the comma and the key before it; NULL
 * after the last child. */
static json_t *begin_next_child(api_buffer *buffer, level *top) {
  if (json_is_array(top->value)) {
    json_t *child = json_array_get(top->value, top->index++);
    if (child) api_put_item(buffer);
    return child;
  }
  top->member =
      top->index++ ? json_object_iter_next(top->value, top->member) : json_object_iter(top->value);
  if (!top->member) return NULL;
  api_put_key_text(buffer, api_text(json_object_iter_key(top->member)));
  return json_object_iter_value(top->member);
}

void api_put_json(api_buffer *buffer, const json_t *value) {
  assert(value);
  level levels[LEVELS_MAX];
  size_t depth = 0;
  json_t *current =
      (json_t *)(uintptr_t)value; /* jansson's iterators take non-const; nothing is written */
  for (;;) {
    if (json_is_array(current) || json_is_object(current)) {
      if (depth == LEVELS_MAX) buffer->failed = true;
      if (buffer->failed) return;
      api_put_byte(buffer, json_is_array(current) ? '[' : '{');
      levels[depth++] = (level){.value = current};
    } else {
      put_scalar(buffer, current);
    }
    /* Close containers without further children, then continue with the next child. */
    for (;;) {
      if (depth == 0) return;
      current = begin_next_child(buffer, &levels[depth - 1]);
      if (current) break;
      depth--;
      api_put_byte(buffer, json_is_array(levels[depth].value) ? ']' : '}');
    }
  }
}

/* ---- members -------------------------------------------------------------------------------- */

void api_put_member_string(api_buffer *buffer, const char *name, ct_text value) {
  api_put_key(buffer, name);
  api_put_string(buffer, value);
}

void api_put_member_number(api_buffer *buffer, const char *name, double value) {
  api_put_key(buffer, name);
  api_put_number(buffer, value);
}

void api_put_member_unsigned(api_buffer *buffer, const char *name, uint64_t value) {
  api_put_key(buffer, name);
  api_put_unsigned(buffer, value);
}

void api_put_member_bool(api_buffer *buffer, const char *name, bool value) {
  api_put_key(buffer, name);
  api_put_bool(buffer, value);
}

void api_put_member_vec3(api_buffer *buffer, const char *name, ct_vec3 value) {
  api_put_key(buffer, name);
  api_put_vec3(buffer, value);
}

void api_put_member_quat(api_buffer *buffer, const char *name, ct_quat value) {
  api_put_key(buffer, name);
  api_put_quat(buffer, value);
}
