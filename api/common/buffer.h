/* Growable output buffer with writers of JSON text (RFC 8259). If an allocation fails, `failed` is
 * set and later writes do nothing, so that the owner checks `failed` once at the end. Writers of
 * keys and array elements put a comma first, unless the buffer is empty or ends with '{', '[', ':'
 * or a line end. */
#ifndef API_COMMON_BUFFER_H
#define API_COMMON_BUFFER_H

#include <contact/scene.h>
#include <jansson.h>

#include "common/number.h"

/* A zeroed buffer is empty and ready. */
typedef struct api_buffer {
  char *bytes; /* not NUL-terminated */
  size_t length, capacity;
  bool failed;
} api_buffer;

void api_buffer_free(
    api_buffer *buffer); /* frees the bytes; the buffer is then empty and ready again */
/* Makes room for `more` bytes at bytes + length. False: out of memory, or the buffer had failed
 * before. */
bool api_buffer_reserve(api_buffer *buffer, size_t more);
/* Transfers the bytes, NUL-terminated, to the caller, who frees them with free(); the buffer is
 * then empty. NULL: the buffer has failed. */
char *api_buffer_detach(api_buffer *buffer, size_t *length);

/* Returns a NUL-terminated string as ct_text, which borrows its bytes. */
ct_text api_text(const char *terminated);
bool api_text_equal(ct_text a, ct_text b);
int api_text_compare(ct_text a, ct_text b); /* compares bytes; < 0, 0 or > 0 as strcmp */

/* Appends formatted text to the NUL-terminated text in an array of `size` bytes. The result is
 * truncated to size - 1 bytes, and is NUL-terminated. */
__attribute__((format(printf, 3, 4))) void api_text_append(char *text, size_t size,
                                                           const char *format, ...);

void api_put_bytes(api_buffer *buffer, const char *bytes, size_t length);
void api_put_byte(api_buffer *buffer, char byte);
/* Puts text as it is, without quotes or escapes: "{", "]", "null". */
void api_put_raw(api_buffer *buffer, const char *terminated);

/* Puts the key of a member, "name":, with a comma before it if needed. `name` must not contain a
 * byte that needs an escape. */
void api_put_key(api_buffer *buffer, const char *name);
/* Puts the key of a member with any name, whose bytes are escaped if necessary. */
void api_put_key_text(api_buffer *buffer, ct_text name);
/* Puts the comma before an element of an array, if the element is not the first. */
void api_put_item(api_buffer *buffer);

/* Put a value. Strings are quoted and escaped, and their invalid UTF-8 bytes become U+FFFD. Numbers
 * must be finite. */
void api_put_string(api_buffer *buffer, ct_text text);
void api_put_number(api_buffer *buffer, double value);
void api_put_unsigned(api_buffer *buffer, uint64_t value);
void api_put_bool(api_buffer *buffer, bool value);
void api_put_vec3(api_buffer *buffer, ct_vec3 value); /* [x,y,z] */
void api_put_quat(api_buffer *buffer, ct_quat value); /* [x,y,z,w] */
/* Puts any JSON value as compact text; members keep their order, and numbers have their shortest
 * text. Nesting beyond 513 levels sets `failed`. */
void api_put_json(api_buffer *buffer, const json_t *value);

/* Put a member: its key and its value. */
void api_put_member_string(api_buffer *buffer, const char *name, ct_text value);
void api_put_member_number(api_buffer *buffer, const char *name, double value);
void api_put_member_unsigned(api_buffer *buffer, const char *name, uint64_t value);
void api_put_member_bool(api_buffer *buffer, const char *name, bool value);
void api_put_member_vec3(api_buffer *buffer, const char *name, ct_vec3 value);
void api_put_member_quat(api_buffer *buffer, const char *name, ct_quat value);

#endif
