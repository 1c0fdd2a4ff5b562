/* Growable output buffer with writers of JSON text (RFC 8259). A failed allocation sets `failed`:
 * later writes do nothing, and the owner checks it once at the end. api_put_key and api_put_item
 * add commas: unless the buffer is empty, or its last byte is '{', '[', ':' or a line end. */
#ifndef API_COMMON_BUFFER_H
#define API_COMMON_BUFFER_H

#include <contact/scene.h>
#include <jansson.h>

#include "common/number.h"

/* A zeroed buffer is empty and ready. */
typedef struct api_buffer {
  char *bytes; /* not terminated */
  size_t length, capacity;
  bool failed;
} api_buffer;

void api_buffer_free(api_buffer *buffer); /* empty and ready again */
/* Makes room for `more` bytes at bytes + length. False: failed. */
bool api_buffer_reserve(api_buffer *buffer, size_t more);
/* Transfers the bytes to the caller, NUL-terminated, to be freed with free(); the buffer is then
 * empty. NULL: failed. */
char *api_buffer_detach(api_buffer *buffer, size_t *length);

/* A NUL-terminated string as ct_text; borrowed. */
ct_text api_text(const char *terminated);
bool api_text_equal(ct_text a, ct_text b);
int api_text_compare(ct_text a, ct_text b); /* byte order: <0, 0, >0 */

void api_put_bytes(api_buffer *buffer, const char *bytes, size_t length);
void api_put_byte(api_buffer *buffer, char byte);
/* Text without quotes or escapes: "{", "]", "null". */
void api_put_raw(api_buffer *buffer, const char *terminated);

/* Puts ,"name": or "name": . `name` must contain no byte that needs an escape. */
void api_put_key(api_buffer *buffer, const char *name);
/* The same for any name; escapes it. */
void api_put_key_text(api_buffer *buffer, ct_text name);
/* Puts a comma if the next element of an array needs one. */
void api_put_item(api_buffer *buffer);

/* Values. Strings are quoted and escaped; invalid UTF-8 bytes become U+FFFD. Numbers must be
 * finite. */
void api_put_string(api_buffer *buffer, ct_text text);
void api_put_number(api_buffer *buffer, double value);
void api_put_unsigned(api_buffer *buffer, uint64_t value);
void api_put_bool(api_buffer *buffer, bool value);
void api_put_vec3(api_buffer *buffer, ct_vec3 value); /* [x,y,z] */
void api_put_quat(api_buffer *buffer, ct_quat value); /* [x,y,z,w] */
/* Compact text of any JSON value; members keep their order, numbers have their shortest text.
 * Nesting beyond 513 levels: failed. */
void api_put_json(api_buffer *buffer, const json_t *value);

/* Key and value. */
void api_put_member_string(api_buffer *buffer, const char *name, ct_text value);
void api_put_member_number(api_buffer *buffer, const char *name, double value);
void api_put_member_unsigned(api_buffer *buffer, const char *name, uint64_t value);
void api_put_member_bool(api_buffer *buffer, const char *name, bool value);
void api_put_member_vec3(api_buffer *buffer, const char *name, ct_vec3 value);
void api_put_member_quat(api_buffer *buffer, const char *name, ct_quat value);

#endif
