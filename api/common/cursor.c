/* Writes and reads cursor text; computes the FNV-1a hash that binds a cursor to its request. */
#include "common/cursor.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int hash_dumped_bytes(const char *bytes, size_t length, void *context) {
  uint64_t *hash = context;
  *hash = api_hash_bytes(*hash, bytes, length);
  return 0;
}

bool api_hash_request(uint64_t *hash, const json_t *object) {
  assert(json_is_object(object));
  static const char *const skipped[] = {"cursor", "limit", "deadlineMs", "id", "kind"};
  uint64_t sum = 0;
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, name, value) {
    /* Leave out the members that may differ between pages. */
    bool skip = false;
    for (size_t i = 0; i < sizeof skipped / sizeof skipped[0]; i++)
      skip = skip || strcmp(name, skipped[i]) == 0;
    if (skip) continue;
    uint64_t member = api_hash_bytes(api_hash_start(), name, strlen(name) + 1);
    if (json_dump_callback(value, hash_dumped_bytes, &member,
                           JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY) != 0)
      return false;
    /* The sum of the members' hashes does not depend on the order of the members. */
    sum += member;
  }
  *hash = api_hash_bytes(*hash, &sum, sizeof sum);
  return true;
}

static uint64_t hash_cursor(const api_cursor *cursor, uint64_t request_hash) {
  const uint64_t fields[] = {request_hash,  cursor->revision, cursor->variant, cursor->item,
                             cursor->after, cursor->part,     cursor->total,   cursor->limit};
  return api_hash_bytes(api_hash_start(), fields, sizeof fields);
}

void api_cursor_write(const api_cursor *cursor, uint64_t request_hash,
                      char out[API_CURSOR_LENGTH_MAX + 1]) {
  int length =
      snprintf(out, API_CURSOR_LENGTH_MAX + 1,
               "%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%" PRIx32 "-%" PRIx32 "-%" PRIx64 "-%" PRIx64
               "-%016" PRIx64,
               cursor->revision, cursor->variant, cursor->item, cursor->after, cursor->part,
               cursor->total, cursor->limit, hash_cursor(cursor, request_hash));
  assert(length > 0 && length <= API_CURSOR_LENGTH_MAX);
  (void)length;
}

/* Reads a field of 1 to `digits` hexadecimal digits that ends at `mark`, and advances *text past
 * it. */
static bool read_hex_field(const char **text, char mark, int digits, uint64_t *out) {
  assert(digits > 0 && digits <= 16);
  static const char hex_digits[] = "0123456789abcdef";
  uint64_t value = 0;
  int count = 0;
  for (; **text && **text != mark; (*text)++) {
    const char *digit = strchr(hex_digits, **text);
    if (!digit || ++count > digits) return false;
    value = value * 16 + (uint64_t)(digit - hex_digits);
  }
  if (**text != mark || count == 0) return false;
  if (mark) (*text)++;
  *out = value;
  return true;
}

/* Number of fields in a cursor's text; the last one is the hash. */
#define FIELDS 8
static bool read_cursor_fields(const char *text, size_t length, uint64_t field[FIELDS]) {
  char copy[API_CURSOR_LENGTH_MAX + 1];
  if (length > API_CURSOR_LENGTH_MAX) return false;
  memcpy(copy, text, length);
  copy[length] = 0;
  const char *at = copy;
  for (int i = 0; i < FIELDS; i++)
    if (!read_hex_field(&at, i + 1 < FIELDS ? '-' : '\0', i == 3 || i == 4 ? 8 : 16, &field[i]))
      return false;
  return true;
}

bool api_cursor_has_form(const char *text, size_t length) {
  uint64_t field[FIELDS];
  return read_cursor_fields(text, length, field);
}

bool api_cursor_read(const char *text, size_t length, uint64_t request_hash, api_cursor *out) {
  uint64_t field[FIELDS];
  if (!read_cursor_fields(text, length, field)) return false;
  api_cursor cursor = {field[0],           field[1], field[2], (uint32_t)field[3],
                       (uint32_t)field[4], field[5], field[6]};
  if (field[7] != hash_cursor(&cursor, request_hash)) return false;
  *out = cursor;
  return true;
}

static uint64_t hash_list_position(const char *id, size_t length, uint64_t list_hash) {
  uint64_t hash = api_hash_bytes(api_hash_start(), &list_hash, sizeof list_hash);
  return api_hash_bytes(hash, id, length);
}

static bool is_plain_cursor_byte(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

void api_list_cursor_write(const char *id, uint64_t list_hash,
                           char out[API_LIST_CURSOR_LENGTH_MAX + 1]) {
  size_t length = strlen(id), used = 0;
  assert(length <= CT_ID_LENGTH_MAX);
  for (size_t i = 0; i < length; i++) {
    if (is_plain_cursor_byte(id[i])) out[used++] = id[i];
    else used += (size_t)snprintf(out + used, 4, "~%02x", (unsigned char)id[i]);
  }
  assert(used + 17 <= API_LIST_CURSOR_LENGTH_MAX);
  snprintf(out + used, 18, "-%016" PRIx64, hash_list_position(id, length, list_hash));
}

/* Decodes the id part of a list cursor. False: the text is invalid. */
static bool decode_list_position(const char *text, size_t length, char out[CT_ID_LENGTH_MAX + 1],
                                 size_t *id_length) {
  size_t used = 0;
  for (size_t i = 0; i < length; used++) {
    uint64_t byte = (unsigned char)text[i];
    const char *digits = text + i + 1;
    char pair[3] = {0};
    if (used == CT_ID_LENGTH_MAX) return false;
    if (text[i] == '~') {
      if (i + 2 >= length) return false;
      memcpy(pair, digits, 2);
      digits = pair;
      if (!read_hex_field(&digits, '\0', 2, &byte) || byte == 0) return false;
      i += 2;
    } else if (!is_plain_cursor_byte(text[i])) {
      return false;
    }
    out[used] = (char)byte;
    i++;
  }
  assert(used <= CT_ID_LENGTH_MAX);
  out[used] = 0;
  *id_length = used;
  return used > 0;
}

bool api_list_cursor_read(const char *text, uint64_t list_hash, char out[CT_ID_LENGTH_MAX + 1]) {
  const char *mark = strrchr(text, '-');
  char id[CT_ID_LENGTH_MAX + 1];
  size_t length;
  uint64_t hash;
  if (!mark || strlen(mark) != 17 ||
      !decode_list_position(text, (size_t)(mark - text), id, &length))
    return false;
  mark++;
  if (!read_hex_field(&mark, '\0', 16, &hash) || hash != hash_list_position(id, length, list_hash))
    return false;
  memcpy(out, id, length + 1);
  return true;
}
