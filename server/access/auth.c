/* Bearer token. It is compared in constant time: tokens are zero-padded to one size, so that the
 * time depends neither on their content nor on their length. */
#include "access/auth.h"

#include "process/file.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Least length of a token, B, since shorter ones could be guessed. */
#define TOKEN_MIN 8

static bool report_token_failure(const char *given, const char *path, const char *why) {
  fprintf(stderr, "contactd: %s: %s: %s.\n", given, path, why);
  return false;
}

bool srv_auth_load(srv_auth *auth, const char *path, const char *given) {
  *auth = (srv_auth){0};
  if (!path) return true;
  char bytes[SRV_TOKEN_MAX + 3];
  unsigned mode = 0;
  size_t length = 0;
  const char *why = NULL;
  int fd = srv_file_open(path, &mode, NULL, &why);
  if (fd < 0) return report_token_failure(given, path, why);
  if (mode & (S_IROTH | S_IWOTH | S_IWGRP)) why = "others can read or write it; chmod 600 it";
  while (!why && length < sizeof bytes) {
    ssize_t n = read(fd, bytes + length, sizeof bytes - length);
    if (n < 0 && errno != EINTR) why = strerror(errno);
    if (n == 0) break;
    if (n > 0) length += (size_t)n;
  }
  close(fd);
  if (why) return report_token_failure(given, path, why);
  while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r')) length--;
  if (length < TOKEN_MIN || length > SRV_TOKEN_MAX)
    return report_token_failure(given, path, "the token must be one line of 8 to 256 characters");
  for (size_t i = 0; i < length; i++)
    if (bytes[i] <= ' ' || bytes[i] > '~')
      return report_token_failure(
          given, path, "the token must consist of printable ASCII characters without blanks");
  memcpy(auth->token, bytes, length);
  auth->length = length;
  auth->required = true;
  return true;
}

bool srv_auth_matches(const srv_auth *auth, const char *authorization) {
  assert(auth->required && auth->length > 0 && auth->length <= SRV_TOKEN_MAX);
  if (!authorization || strncasecmp(authorization, "Bearer ", 7) != 0) return false;
  const char *given = authorization + 7;
  while (*given == ' ') given++;
  size_t length = strlen(given);
  unsigned char padded[SRV_TOKEN_MAX] = {0};
  memcpy(padded, given, length < sizeof padded ? length : sizeof padded);
  volatile unsigned char difference = 0;
  for (size_t i = 0; i < sizeof padded; i++)
    difference = (unsigned char)(difference | (padded[i] ^ auth->token[i]));
  return (difference == 0) & (length == auth->length);
}
