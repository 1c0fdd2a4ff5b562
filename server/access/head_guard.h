/* The guard: what libmicrohttpd 0.9.75 lets through and must not pass. Looks at a request's head only; knows neither sockets nor
 * libmicrohttpd, so that it can be tested and fuzzed alone. What the library itself hides (bare LF, folded lines, bytes behind a
 * NUL) cannot be seen here; http.c looks for the latter two. */
#ifndef SRV_ACCESS_HEAD_GUARD_H
#define SRV_ACCESS_HEAD_GUARD_H

#include <api/api.h>

/* Header lines of one request. */
#define SRV_HEADERS_MAX 64

/* The headers that matter, gathered by srv_guard_header. Zero-initialise. Values are borrowed. */
typedef struct srv_head {
  const char *host, *origin, *authorization, *content_type, *content_encoding, *content_length, *transfer_encoding;
  const char *accept, *if_match, *if_none_match, *idempotency_key;
  unsigned hosts, lengths, encodings; /* lines of Host, Content-Length, Transfer-Encoding */
  const char *repeated;               /* name of a header that may occur once, and does more often */
  const char *bad_value;              /* name of a header whose value holds a control character */
  const char *hidden;                 /* name of a header whose value goes on behind a zero byte, or in the next line */
  const char *misspelt;               /* name of a header that is nearly that of one which guards a write */
  const char *meant;                  /* a detail that names the latter */
  unsigned lines;
  bool bad_name;
  bool expects; /* an Expect header: the body comes only after a word from here */
} srv_head;

/* Takes one header line. */
void srv_guard_header(srv_head *head, const char *name, size_t name_length, const char *value, size_t value_length);

/* Hosts that may be asked for beside localhost, 127.0.0.1 and [::1]. */
typedef struct srv_hosts {
  const char *const *names;
  size_t count;
} srv_hosts;

typedef struct srv_verdict {
  bool refused, close; /* close: the connection's framing cannot be trusted any more */
  api_problem_id problem;
  const char *header; /* borrowed name of the one that the detail is about, if it is about one */
  const char *detail;
} srv_verdict;

/* Framing, path, Host, Origin and encoding, in this order. uri is the raw target with its query. */
srv_verdict srv_guard_check(const srv_head *head, const char *method, const char *uri, const char *version, const srv_hosts *hosts);

/* Length of the body: true and *length from Content-Length (0 without one), false if the body is chunked. After srv_guard_check. */
bool srv_guard_length(const srv_head *head, uint64_t *length);

#endif
