/* Head guard: the framing rules of RFC 9110 and RFC 9112 against request smuggling, and rules for
 * Host and Origin against DNS rebinding and cross-site requests to a daemon on the loopback. */
#include "access/head_guard.h"

#include <string.h>
#include <strings.h>

/* True if the text is a token (RFC 9110, 5.6.2). */
static bool is_token(const char *text, size_t length) {
  static const char others[] = "!#$%&'*+-.^_`|~";
  if (length == 0) return false;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!word && (c == 0 || !strchr(others, c))) return false;
  }
  return true;
}

static bool has_control(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if ((c < 0x20 && c != '\t') || c == 0x7f) return true;
  }
  return false;
}

static void record_once(srv_head *head, const char *name, const char **member, const char *value) {
  if (*member) head->repeated = name;
  else *member = value;
}

typedef enum known_header {
  HEADER_HOST,
  HEADER_LENGTH,
  HEADER_ENCODING,
  HEADER_ORIGIN,
  HEADER_AUTHORIZATION,
  HEADER_TYPE,
  HEADER_CODING,
  HEADER_MATCH,
  HEADER_NONE_MATCH,
  HEADER_IDEMPOTENCY,
  HEADER_EXPECT,
  HEADER_ACCEPT,
  HEADER_OTHER
} known_header;

static known_header identify_header(const char *name, size_t length) {
  static const struct {
    size_t length;
    const char *name;
  } known[] = {
      [HEADER_HOST] = {4, "Host"},
      [HEADER_LENGTH] = {14, "Content-Length"},
      [HEADER_ENCODING] = {17, "Transfer-Encoding"},
      [HEADER_ORIGIN] = {6, "Origin"},
      [HEADER_AUTHORIZATION] = {13, "Authorization"},
      [HEADER_TYPE] = {12, "Content-Type"},
      [HEADER_CODING] = {16, "Content-Encoding"},
      [HEADER_MATCH] = {8, "If-Match"},
      [HEADER_NONE_MATCH] = {13, "If-None-Match"},
      [HEADER_IDEMPOTENCY] = {15, "Idempotency-Key"},
      [HEADER_EXPECT] = {6, "Expect"},
      [HEADER_ACCEPT] = {6, "Accept"},
  };
  for (int i = 0; i < HEADER_OTHER; i++)
    if (known[i].length == length && strncasecmp(name, known[i].name, length) == 0)
      return (known_header)i;
  return HEADER_OTHER;
}

/* Detects misspelt names of headers that change the effect of a call. `letters` is the largest
 * number of letters that may differ, so that X-Match and Content-Range do not count as misspelt.
 * Returns the message, or NULL if the name resembles none of them or is one of them. */
static const char *describe_misspelling(const char *name, size_t length) {
  static const struct {
    const char *name;
    size_t letters;
    const char *detail;
  } guards[] = {{"If-Match", 1, "The header is not known; did you mean If-Match?"},
                {"If-None-Match", 2, "The header is not known; did you mean If-None-Match?"},
                {"Idempotency-Key", 2, "The header is not known; did you mean Idempotency-Key?"},
                {"Last-Event-ID", 2, "The header is not known; did you mean Last-Event-ID?"},
                {"Content-Type", 2, "The header is not known; did you mean Content-Type?"}};
  for (size_t i = 0; i < sizeof guards / sizeof guards[0]; i++) {
    api_spelling likeness = api_spelling_start(name, length);
    api_spelling_consider(&likeness, guards[i].name, strlen(guards[i].name));
    if (likeness.distance == 0) return NULL;
    if (likeness.distance <= guards[i].letters) return guards[i].detail;
  }
  return NULL;
}

static void note_misspelling(srv_head *head, const char *name, size_t length) {
  if (head->misspelt) return;
  head->meant = describe_misspelling(name, length);
  if (head->meant) head->misspelt = name;
}

static void add_header(srv_head *head, const srv_header *header) {
  const char *name = header->name, *value = header->value;
  size_t name_length = header->name_length, value_length = header->value_length;
  head->lines++;
  if (!is_token(name, name_length)) head->bad_name = true;
  if (!value) value = "", value_length = 0;
  if (has_control(value, value_length)) head->bad_value = name;
  switch (identify_header(name, name_length)) {
  case HEADER_HOST: head->hosts++, head->host = value; break;
  case HEADER_LENGTH: head->lengths++, head->content_length = value; break;
  case HEADER_ENCODING: head->encodings++, head->transfer_encoding = value; break;
  case HEADER_ORIGIN: record_once(head, name, &head->origin, value); break;
  case HEADER_AUTHORIZATION: record_once(head, name, &head->authorization, value); break;
  case HEADER_TYPE: record_once(head, name, &head->content_type, value); break;
  case HEADER_CODING: record_once(head, name, &head->content_encoding, value); break;
  case HEADER_MATCH: record_once(head, name, &head->if_match, value); break;
  case HEADER_NONE_MATCH: record_once(head, name, &head->if_none_match, value); break;
  case HEADER_IDEMPOTENCY: record_once(head, name, &head->idempotency_key, value); break;
  case HEADER_EXPECT: head->expects = true; break;
  case HEADER_ACCEPT:
    if (!head->accept) head->accept = value;
    break;
  case HEADER_OTHER: note_misspelling(head, name, name_length); break;
  }
}

void srv_guard_headers(srv_head *head, const srv_header *headers, size_t count) {
  for (size_t i = 0; i < count; i++) add_header(head, &headers[i]);
}

static srv_verdict accept_head(void) { return (srv_verdict){0}; }

static srv_verdict refuse_malformed(const char *detail) {
  return (srv_verdict){
      .refused = true, .close = true, .problem = API_PROBLEM_BAD_REQUEST, .detail = detail};
}

static srv_verdict refuse_malformed_value(const char *header, const char *detail) {
  srv_verdict verdict = refuse_malformed(detail);
  verdict.header = header;
  return verdict;
}

static srv_verdict check_framing(const srv_head *head, const char *version) {
  if (strcmp(version, "HTTP/1.1") != 0 && strcmp(version, "HTTP/1.0") != 0)
    return refuse_malformed("The HTTP version is not 1.0 or 1.1.");
  if (head->lines > SRV_HEADERS_MAX)
    return (srv_verdict){true, true, API_PROBLEM_HEADERS_TOO_LARGE, NULL,
                         "The request has more than 64 header lines."};
  if (head->bad_name) return refuse_malformed("A header's name contains an invalid character.");
  if (head->bad_value)
    return refuse_malformed_value(head->bad_value,
                                  "The header's value contains a control character.");
  if (head->hidden)
    return refuse_malformed_value(
        head->hidden, "The header's value contains a zero byte, or continues on the next line.");
  if (head->lengths > 1) return refuse_malformed("Content-Length occurs more than once.");
  if (head->encodings > 1) return refuse_malformed("Transfer-Encoding occurs more than once.");
  if (head->lengths && head->encodings)
    return refuse_malformed("Content-Length and Transfer-Encoding contradict each other.");
  if (head->encodings && strcasecmp(head->transfer_encoding, "chunked") != 0)
    return refuse_malformed("The only supported Transfer-Encoding is chunked.");
  if (head->encodings && strcmp(version, "HTTP/1.0") == 0)
    return refuse_malformed("HTTP/1.0 does not support Transfer-Encoding.");
  if (head->lengths) {
    size_t digits = strspn(head->content_length, "0123456789");
    if (digits == 0 || digits > 18 || head->content_length[digits])
      return refuse_malformed("Content-Length is not a number.");
  }
  if (head->repeated)
    return refuse_malformed_value(head->repeated, "The header may occur only once.");
  return accept_head();
}

/* Checks method and request target. Escapes are left unchanged: the API splits the path at '/' and
 * decodes each segment once. */
static srv_verdict check_target(const char *method, const char *uri) {
  if (!is_token(method, strlen(method)))
    return refuse_malformed("The method is not a valid token.");
  if (uri[0] != '/') return refuse_malformed("The request target does not start with a slash.");
  for (const char *c = uri; *c; c++) {
    unsigned char byte = (unsigned char)*c;
    if (byte <= ' ' || byte > '~' || byte == '\\')
      return refuse_malformed("The request target contains an invalid character; write other "
                              "bytes as %XX.");
  }
  return accept_head();
}

/* True if the text is "name" or "name:port", ignoring case. */
static bool is_host(const char *text, const char *name) {
  size_t length = strlen(name);
  if (strncasecmp(text, name, length) != 0) return false;
  if (text[length] == 0) return true;
  if (text[length] != ':') return false;
  size_t digits = strspn(text + length + 1, "0123456789");
  return digits >= 1 && digits <= 5 && text[length + 1 + digits] == 0;
}

static bool is_host_allowed(const char *host, const srv_hosts *hosts) {
  if (is_host(host, "localhost") || is_host(host, "127.0.0.1") || is_host(host, "[::1]"))
    return true;
  for (size_t i = 0; i < hosts->count; i++)
    if (is_host(host, hosts->names[i])) return true;
  return false;
}

/* True if the origin equals the Host, so that the page was served by this daemon; other origins are
 * cross-site. */
static bool is_own_origin(const char *origin, const char *host) {
  if (strncasecmp(origin, "http://", 7) == 0) origin += 7;
  else if (strncasecmp(origin, "https://", 8) == 0) origin += 8;
  else return false;
  return strcasecmp(origin, host) == 0;
}

srv_verdict srv_guard_check(const srv_head *head, const char *method, const char *uri,
                            const char *version, const srv_hosts *hosts) {
  srv_verdict verdict = check_framing(head, version);
  if (!verdict.refused) verdict = check_target(method, uri);
  if (verdict.refused) return verdict;
  if (head->hosts == 0 || !*head->host) return refuse_malformed("The Host header is missing.");
  if (head->hosts > 1) return refuse_malformed("Host occurs more than once.");
  if (!is_host_allowed(head->host, hosts))
    return (srv_verdict){true, false, API_PROBLEM_HOST_NOT_ALLOWED, NULL,
                         "The Host header is neither a loopback name nor an --allow-host."};
  if (head->origin && (strcmp(method, "OPTIONS") == 0 || !is_own_origin(head->origin, head->host)))
    return (srv_verdict){true, false, API_PROBLEM_ORIGIN_DENIED, NULL,
                         "The Origin header names another origin."};
  if (head->content_encoding && *head->content_encoding &&
      strcasecmp(head->content_encoding, "identity") != 0)
    return (srv_verdict){true, false, API_PROBLEM_UNSUPPORTED_MEDIA_TYPE, NULL,
                         "Content-Encoding must be identity or absent."};
  if (head->misspelt)
    return (srv_verdict){true, false, API_PROBLEM_BAD_REQUEST, head->misspelt, head->meant};
  return accept_head();
}
