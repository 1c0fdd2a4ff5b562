/* Growing output for JSON text. A failed allocation sticks: later puts do nothing and the owner asks `failed` once at the end.
 * Commas set themselves: api_put_key and api_put_item put one unless the buffer is empty or its last byte opens an object or an
 * array or ends a line. */
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
/* Room for `more` bytes at bytes + length; false: failed. */
bool api_buffer_reserve(api_buffer *buffer, size_t more);
/* Hands the bytes to the caller, terminated with NUL, to be freed with free(); the buffer is empty after it. NULL: failed. */
char *api_buffer_detach(api_buffer *buffer, size_t *length);

/* A string literal's or any text's bytes as ct_text. */
ct_text api_text(const char *terminated);
bool api_text_equal(ct_text a, ct_text b);
int api_text_compare(ct_text a, ct_text b); /* by bytes: <0, 0, >0 */

void api_put_bytes(api_buffer *buffer, const char *bytes, size_t length);
void api_put_byte(api_buffer *buffer, char byte);
/* Raw text as it is: "{", "]", "null". */
void api_put_raw(api_buffer *buffer, const char *terminated);

/* `name` must need no escapes. Puts ,"name": or "name": */
void api_put_key(api_buffer *buffer, const char *name);
/* A key that is not known to be plain. */
void api_put_key_text(api_buffer *buffer, ct_text name);
/* Puts a comma where an array's next element needs one. */
void api_put_item(api_buffer *buffer);

/* Values. Strings are quoted and escaped; bytes that are not UTF-8 become U+FFFD. Numbers must be finite. */
void api_put_string(api_buffer *buffer, ct_text text);
void api_put_number(api_buffer *buffer, double value);
void api_put_unsigned(api_buffer *buffer, uint64_t value);
void api_put_bool(api_buffer *buffer, bool value);
void api_put_vec3(api_buffer *buffer, ct_vec3 value); /* [x,y,z] */
void api_put_quat(api_buffer *buffer, ct_quat value); /* [x,y,z,w] */
/* Compact text of any JSON value; members keep their order, numbers are shortest text. Nesting beyond 512 levels: failed. */
void api_put_json(api_buffer *buffer, const json_t *value);

/* Key and value. */
void api_put_member_string(api_buffer *buffer, const char *name, ct_text value);
void api_put_member_number(api_buffer *buffer, const char *name, double value);
void api_put_member_unsigned(api_buffer *buffer, const char *name, uint64_t value);
void api_put_member_bool(api_buffer *buffer, const char *name, bool value);
void api_put_member_vec3(api_buffer *buffer, const char *name, ct_vec3 value);
void api_put_member_quat(api_buffer *buffer, const char *name, ct_quat value);

#endif
