/* Text of URLs: percent-encoding (RFC 3986) and the parameters after '?'. */
#ifndef API_CALLS_URL_H
#define API_CALLS_URL_H

#include <api/api.h>

/* Longest decoded value of a URL parameter: the cursor of a list, bytes. */
#define API_URL_VALUE_MAX 800

typedef struct api_url_parameter {
  const char *name; /* not decoded, name_length bytes */
  size_t name_length;
  char value[API_URL_VALUE_MAX + 1]; /* decoded, terminated */
  size_t value_length;
  bool bad; /* the value is too long or has an invalid escape or a NUL */
} api_url_parameter;

/* Percent-decodes once. Returns the length written to out (not terminated); -1: invalid escape, or
 * more than capacity bytes. */
long api_url_decode(const char *bytes, size_t length, char *out, size_t capacity);

/* Reads the next name=value of *text, a query string, and advances *text. False at the end. NULL is
 * an empty query string. */
bool api_url_next(const char **text, api_url_parameter *out);
bool api_url_named(const api_url_parameter *parameter, const char *name);
/* Reads a whole number from 1 to `most`; otherwise false. */
bool api_url_milliseconds(const api_url_parameter *parameter, uint64_t most, uint64_t *out);
/* Sets *deadline_ms to the parameter deadlineMs if the query string has a valid one. */
void api_url_deadline(const char *query, uint64_t most, uint64_t *deadline_ms);

#endif
