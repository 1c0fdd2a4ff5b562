/* Records as bytes: little-endian numbers, doubles by their bits, texts after their lengths. After
 * a failure, a buffer ignores all further writes, and a cursor reads only zeros. */
#ifndef API_RECORDS_RECORD_BYTES_H
#define API_RECORDS_RECORD_BYTES_H

#include <string.h>

#include "common/buffer.h"

typedef enum api_record_kind {
  API_RECORD_SHAPE,
  API_RECORD_BASE,
  API_RECORD_CHANGE,
  API_RECORD_KIND_COUNT
} api_record_kind;

/* Length of mark, format and kind, which precede the content of a record. The SHA-256 of these
 * bytes and the content follows the content. */
#define API_RECORD_HEAD 16
#define API_RECORD_TAIL 32

/* ---- writing -------------------------------------------------------------------------------- */

void api_record_open(api_buffer *out, api_record_kind kind);
/* Appends the SHA-256 digest of the record's bytes, which completes the record. */
void api_record_close(api_buffer *out);

void api_record_put_u8(api_buffer *out, unsigned value);
void api_record_put_u32(api_buffer *out, uint32_t value);
void api_record_put_u64(api_buffer *out, uint64_t value);
void api_record_put_f64(api_buffer *out, double value);
void api_record_put_doubles(api_buffer *out, const double *values, size_t count);
void api_record_put_words(api_buffer *out, const uint32_t *values, size_t count);
void api_record_put_text(api_buffer *out, ct_text text);

static inline void api_record_put_vec3(api_buffer *out, ct_vec3 v) {
  api_record_put_doubles(out, (const double[3]){v.x, v.y, v.z}, 3);
}
static inline void api_record_put_quat(api_buffer *out, ct_quat q) {
  api_record_put_doubles(out, (const double[4]){q.x, q.y, q.z, q.w}, 4);
}
static inline void api_record_put_pose(api_buffer *out, const ct_pose *pose) {
  api_record_put_vec3(out, pose->position);
  api_record_put_quat(out, pose->rotation);
}

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct api_record_cursor {
  const unsigned char *at, *end;
  bool failed;     /* bytes were missing or invalid; stays set */
  unsigned format; /* number of the record's format */
} api_record_cursor;

typedef enum api_record_opened {
  API_RECORD_GOOD,
  API_RECORD_BROKEN,
  API_RECORD_NEWER
} api_record_opened;

/* Opens a record after verifying its head and digest. The cursor covers the content, between head
 * and digest. */
api_record_opened api_record_read(const char *bytes, size_t length, api_record_kind *kind,
                                  api_record_cursor *out);

static inline size_t api_record_bytes_left(const api_record_cursor *in) {
  return in->failed ? 0 : (size_t)(in->end - in->at);
}
unsigned api_record_get_u8(api_record_cursor *in);
uint32_t api_record_get_u32(api_record_cursor *in);
uint64_t api_record_get_u64(api_record_cursor *in);
double api_record_get_f64(api_record_cursor *in);
/* Reads a 32-bit number of items, each of which takes at least `each` bytes of the record. 0 and a
 * failed cursor if fewer bytes are left. */
size_t api_record_get_count(api_record_cursor *in, size_t each);
void api_record_get_doubles(api_record_cursor *in, double *values, size_t count);
void api_record_get_words(api_record_cursor *in, uint32_t *values, size_t count);
/* Reads a text, borrowed from the record. A text of more than `most` bytes makes the cursor
 * fail. */
ct_text api_record_get_text(api_record_cursor *in, size_t most);
/* Reads a bool: a byte that must be 0 or 1. */
bool api_record_get_bool(api_record_cursor *in);
ct_vec3 api_record_get_vec3(api_record_cursor *in);
ct_quat api_record_get_quat(api_record_cursor *in);
ct_pose api_record_get_pose(api_record_cursor *in);

#endif
