/* The bearer token: read from a file at the start, compared in constant time. */
#ifndef SRV_ACCESS_AUTH_H
#define SRV_ACCESS_AUTH_H

#include <stdbool.h>
#include <stddef.h>

#define SRV_TOKEN_MAX 256

typedef struct srv_auth {
  bool required;
  size_t length;
  unsigned char token[SRV_TOKEN_MAX]; /* zero-padded */
} srv_auth;

/* Reads the token from the file `path`; NULL: no token is required. False after one sentence on
 * standard error that begins with `given`: the file is missing, readable by others, or does not
 * contain a token. */
bool srv_auth_load(srv_auth *auth, const char *path, const char *given);
/* True if the header's value `authorization` (NULL: no header) is "Bearer" and the token. The time
 * is independent of the number of correct characters. */
bool srv_auth_matches(const srv_auth *auth, const char *authorization);
/* As srv_auth_matches; also true if no token is required. */
static inline bool srv_auth_accepts(const srv_auth *auth, const char *authorization) {
  return !auth->required || srv_auth_matches(auth, authorization);
}

#endif
