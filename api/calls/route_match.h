/* URL decoding: matches path segments with the route table, decodes percent-escapes (RFC 3986) and
 * URL parameters. */
#ifndef API_CALLS_ROUTE_MATCH_H
#define API_CALLS_ROUTE_MATCH_H

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

/* Reads the next name=value of *text, a query string, and advances *text. False at the end. NULL is
 * an empty query string. */
bool api_url_next(const char **text, api_url_parameter *out);
bool api_url_named(const api_url_parameter *parameter, const char *name);

#endif
