/* Reading of a URL: path segments against the route table, percent-decoding, URL parameters. */
#ifndef API_CALLS_ROUTE_MATCH_H
#define API_CALLS_ROUTE_MATCH_H

#include <api/api.h>

/* Longest value of a URL parameter after decoding: the cursor of a list. */
#define API_URL_VALUE_MAX 800

typedef struct api_url_parameter {
  const char *name; /* raw, name_length bytes */
  size_t name_length;
  char value[API_URL_VALUE_MAX + 1]; /* decoded, terminated */
  size_t value_length;
  bool bad; /* the value could not be decoded, or is too long */
} api_url_parameter;

/* Reads the next name=value of *text (a query string, advanced past it). False at the end. NULL is an empty query string. */
bool api_url_next(const char **text, api_url_parameter *out);
bool api_url_named(const api_url_parameter *parameter, const char *name);

#endif
