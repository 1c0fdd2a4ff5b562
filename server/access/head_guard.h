/* Head guard: refuses heads of requests that libmicrohttpd 0.9.75 accepts, but that must not be
 * processed.
 *
 * It only inspects the head, and is independent of sockets and of libmicrohttpd, so that it can be
 * tested and fuzzed alone. Input that the library hides (bare LF, folded lines, bytes after a NUL)
 * is not visible here; http.c detects the latter two. */
#ifndef SRV_ACCESS_HEAD_GUARD_H
#define SRV_ACCESS_HEAD_GUARD_H

#include <api/api.h>

/* Largest number of header lines of a request. */
#define SRV_HEADERS_MAX 64

/* The headers that matter, collected by srv_guard_headers. Zero-initialise. Values are not
 * copied. */
typedef struct srv_head {
  const char *host, *origin, *authorization, *content_type, *content_encoding, *content_length,
      *transfer_encoding;
  const char *accept, *if_match, *if_none_match, *idempotency_key;
  unsigned hosts, lengths,
      encodings;         /* numbers of lines with Host, Content-Length and Transfer-Encoding */
  const char *repeated;  /* name of a header that may occur only once but is repeated, or NULL */
  const char *bad_value; /* name of a header with a control character in its value, or NULL */
  const char
      *hidden; /* name of a header of which a part is hidden, after a NUL or by folding, or NULL */
  const char *misspelt; /* name of an unknown header that resembles one that changes the effect of a
                           call, or NULL */
  const char *meant;    /* message that suggests the correct name, for `misspelt` */
  unsigned lines;
  bool bad_name;
  bool expects; /* there is an Expect header: the client waits for 100 Continue */
} srv_head;

/* A header line; its texts are not copied. value NULL: empty. */
typedef struct srv_header {
  const char *name, *value;
  size_t name_length, value_length;
} srv_header;

/* Adds header lines to a head. */
void srv_guard_headers(srv_head *head, const srv_header *headers, size_t count);

/* Host values that are accepted in addition to localhost, 127.0.0.1 and [::1]. */
typedef struct srv_hosts {
  const char *const *names;
  size_t count;
} srv_hosts;

typedef struct srv_verdict {
  bool refused, close; /* the request is refused; the connection must be closed, because its framing
                          cannot be trusted any more */
  api_problem_id problem;
  const char *header; /* name of the header at fault, not copied, or NULL */
  const char *detail;
} srv_verdict;

/* Checks framing, path, Host, Origin and encoding, in this order. uri: the raw request target with
 * its query. */
srv_verdict srv_guard_check(const srv_head *head, const char *method, const char *uri,
                            const char *version, const srv_hosts *hosts);

/* Sets *length to the value of Content-Length, 0 without one. False: the body is chunked. Must be
 * called after srv_guard_check. */
static inline bool srv_guard_length(const srv_head *head, uint64_t *length) {
  *length = 0;
  if (head->transfer_encoding) return false;
  for (const char *c = head->content_length; c && *c; c++)
    *length = *length * 10 + (uint64_t)(*c - '0');
  return true;
}

#endif
