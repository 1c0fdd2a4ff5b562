/* The bearer token: read from a file at start, compared in constant time. */
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

/* Reads the token of `path` (NULL: none is asked for); false after one sentence on standard error, which begins with `given`:
 * absent, readable by others, or not a token. */
bool srv_auth_load(srv_auth *auth, const char *path, const char *given);
/* True if no token is asked for, or `authorization` (NULL: no such header) is "Bearer" and the token. The time does not depend on
 * how much of the token is right. */
bool srv_auth_accepts(const srv_auth *auth, const char *authorization);

#endif
