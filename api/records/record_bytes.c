/* Encodes and decodes numbers by shifts, so that they are little-endian on every machine. */
#include "records/record_bytes.h"

#include <assert.h>

#include <api/record.h>

#include "common/digest.h"

static const char mark[8] = {'c', 't', 'r', 'e', 'c', 'o', 'r', 'd'};

/* ---- writing -------------------------------------------------------------------------------- */

/* Appends `bytes` uninitialised bytes and returns their address. NULL: the buffer has failed. */
static unsigned char *room(api_buffer *out, size_t bytes) {
  if (!api_buffer_reserve(out, bytes)) return NULL;
  unsigned char *at = (unsigned char *)out->bytes + out->length;
  out->length += bytes;
  return at;
}

static void store(unsigned char *at, uint64_t value, unsigned bytes) {
  assert(bytes <= sizeof value);
  for (unsigned i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t load_integer(const unsigned char *at, unsigned bytes) {
  assert(bytes <= sizeof(uint64_t));
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)at[i] << (8 * i);
  return value;
}

void api_record_put_u8(api_buffer *out, unsigned value) {
  unsigned char *at = room(out, 1);
  if (at) *at = (unsigned char)value;
}

void api_record_put_u32(api_buffer *out, uint32_t value) {
  unsigned char *at = room(out, 4);
  if (at) store(at, value, 4);
}

void api_record_put_u64(api_buffer *out, uint64_t value) {
  unsigned char *at = room(out, 8);
  if (at) store(at, value, 8);
}

void api_record_put_f64(api_buffer *out, double value) { api_record_put_doubles(out, &value, 1); }

void api_record_put_doubles(api_buffer *out, const double *values, size_t count) {
  unsigned char *at = room(out, 8 * count);
  for (size_t i = 0; at && i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    store(at + 8 * i, bits, 8);
  }
}

void api_record_put_words(api_buffer *out, const uint32_t *values, size_t count) {
  unsigned char *at = room(out, 4 * count);
  for (size_t i = 0; at && i < count; i++) store(at + 4 * i, values[i], 4);
}

void api_record_put_text(api_buffer *out, ct_text text) {
  if (text.length > UINT32_MAX) out->failed = true;
  api_record_put_u32(out, (uint32_t)text.length);
  if (text.length) api_put_bytes(out, text.bytes, text.length);
}

void api_record_open(api_buffer *out, api_record_kind kind) {
  assert(out->length == 0 && kind < API_RECORD_KIND_COUNT);
  api_put_bytes(out, mark, sizeof mark);
  api_record_put_u32(out, API_RECORD_FORMAT);
  api_record_put_u32(out, (uint32_t)kind);
}

void api_record_close(api_buffer *out) {
  assert(out->failed || out->length >= API_RECORD_HEAD);
  unsigned char *at = room(out, API_RECORD_TAIL);
  if (at) api_digest_bytes(out->bytes, out->length - API_RECORD_TAIL, at);
}

/* ---- reading -------------------------------------------------------------------------------- */

api_record_opened api_record_read(const char *bytes, size_t length, api_record_kind *kind,
                                  api_record_cursor *out) {
  const unsigned char *at = (const unsigned char *)bytes;
  if (length < API_RECORD_HEAD || memcmp(bytes, mark, sizeof mark) != 0) return API_RECORD_BROKEN;
  uint32_t format = (uint32_t)load_integer(at + 8, 4), found = (uint32_t)load_integer(at + 12, 4);
  if (format > API_RECORD_FORMAT) return API_RECORD_NEWER;
  if (format == 0 || found >= API_RECORD_KIND_COUNT || length < API_RECORD_HEAD + API_RECORD_TAIL)
    return API_RECORD_BROKEN;
  unsigned char digest[API_RECORD_TAIL];
  api_digest_bytes(bytes, length - API_RECORD_TAIL, digest);
  if (memcmp(digest, at + length - API_RECORD_TAIL, sizeof digest) != 0) return API_RECORD_BROKEN;
  *kind = (api_record_kind)found;
  *out = (api_record_cursor){at + API_RECORD_HEAD, at + length - API_RECORD_TAIL, false, format};
  return API_RECORD_GOOD;
}

/* Returns the address of the next `bytes` bytes and advances the cursor past them. NULL: fewer
 * bytes are left, and the cursor has failed. */
static const unsigned char *advance_cursor(api_record_cursor *in, size_t bytes) {
  assert(in->at <= in->end);
  if (in->failed || bytes > (size_t)(in->end - in->at)) {
    in->failed = true;
    return NULL;
  }
  const unsigned char *at = in->at;
  in->at += bytes;
  return at;
}

static uint64_t get(api_record_cursor *in, unsigned bytes) {
  const unsigned char *at = advance_cursor(in, bytes);
  return at ? load_integer(at, bytes) : 0;
}

unsigned api_record_get_u8(api_record_cursor *in) { return (unsigned)get(in, 1); }
uint32_t api_record_get_u32(api_record_cursor *in) { return (uint32_t)get(in, 4); }
uint64_t api_record_get_u64(api_record_cursor *in) { return get(in, 8); }

double api_record_get_f64(api_record_cursor *in) {
  double value;
  api_record_get_doubles(in, &value, 1);
  return value;
}

size_t api_record_get_count(api_record_cursor *in, size_t each) {
  assert(each > 0);
  size_t count = api_record_get_u32(in);
  if (count > api_record_bytes_left(in) / each) in->failed = true;
  return in->failed ? 0 : count;
}

void api_record_get_doubles(api_record_cursor *in, double *values, size_t count) {
  const unsigned char *at = advance_cursor(in, 8 * count);
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = at ? load_integer(at + 8 * i, 8) : 0;
    memcpy(&values[i], &bits, sizeof bits);
  }
}

void api_record_get_words(api_record_cursor *in, uint32_t *values, size_t count) {
  const unsigned char *at = advance_cursor(in, 4 * count);
  for (size_t i = 0; i < count; i++) values[i] = at ? (uint32_t)load_integer(at + 4 * i, 4) : 0;
}

ct_text api_record_get_text(api_record_cursor *in, size_t most) {
  size_t length = api_record_get_count(in, 1);
  if (length > most) in->failed = true;
  const unsigned char *at = advance_cursor(in, length);
  return at ? (ct_text){(const char *)at, length} : (ct_text){NULL, 0};
}

bool api_record_get_bool(api_record_cursor *in) {
  unsigned value = api_record_get_u8(in);
  if (value > 1) in->failed = true;
  return value == 1;
}

ct_vec3 api_record_get_vec3(api_record_cursor *in) {
  double v[3];
  api_record_get_doubles(in, v, 3);
  return ct_vec(v[0], v[1], v[2]);
}

ct_quat api_record_get_quat(api_record_cursor *in) {
  double v[4];
  api_record_get_doubles(in, v, 4);
  return (ct_quat){v[0], v[1], v[2], v[3]};
}

ct_pose api_record_get_pose(api_record_cursor *in) {
  ct_vec3 position = api_record_get_vec3(in);
  return (ct_pose){position, api_record_get_quat(in)};
}
