/* Where Redis is, from the text of --store, and its password, from a file: a password on the command line can be read by everybody
 * on the machine, and one in the environment is inherited. */
#include "store_redis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest password that is read. */
#define PASSWORD_MOST 1024

static bool fail(char *why, const char *what) {
  snprintf(why, SRV_STORE_WHY, "%s", what);
  return false;
}

/* Decimal digits up to the end. */
static bool read_number(const char *text, unsigned most, unsigned *out) {
  unsigned value = 0;
  if (!*text) return false;
  for (; *text; text++) {
    if (*text < '0' || *text > '9') return false;
    value = value * 10 + (unsigned)(*text - '0');
    if (value > most) return false;
  }
  *out = value;
  return true;
}

/* host[:port], where an IPv6 address stands in brackets. */
static bool read_host(srv_redis_place *place, char *text, char *why) {
  char *port = NULL, *host = text;
  if (*text == '[') {
    char *end = strchr(text, ']');
    if (!end || (end[1] && end[1] != ':')) return fail(why, "the address in brackets does not end");
    host++;
    *end = 0;
    if (end[1]) port = end + 2;
  } else if ((port = strchr(text, ':'))) {
    *port++ = 0;
  }
  unsigned number = 6379;
  if (!*host || strlen(host) >= sizeof place->host) return fail(why, "it names no host");
  if (port && (!read_number(port, 65535, &number) || number == 0)) return fail(why, "the port is no number from 1 to 65535");
  memcpy(place->host, host, strlen(host) + 1);
  snprintf(place->port, sizeof place->port, "%u", number);
  return true;
}

static bool read_url(srv_redis_place *place, const char *url, char *why) {
  static const char scheme[] = "redis://";
  char text[400];
  if (strncmp(url, scheme, sizeof scheme - 1) != 0) return fail(why, "it does not begin with redis://");
  if ((size_t)snprintf(text, sizeof text, "%s", url + sizeof scheme - 1) >= sizeof text) return fail(why, "it is too long");
  char *query = strchr(text, '?');
  unsigned ms = 0;
  if (query) {
    *query = 0;
    if (strncmp(query + 1, "commandMs=", 10) != 0 || !read_number(query + 11, 60000, &ms) || ms < 100)
      return fail(why, "behind the question mark stands commandMs=N, with N from 100 to 60000");
    place->command_ns = ms * UINT64_C(1000000);
  }
  char *rest = text, *at = strchr(text, '@'), *database = NULL;
  if (at) {
    *at = 0;
    rest = at + 1;
    if (strchr(text, ':')) return fail(why, "a password is not given here but by --store-password-file");
    if (!*text || strlen(text) >= sizeof place->user) return fail(why, "the user's name is empty or too long");
    memcpy(place->user, text, strlen(text) + 1);
  }
  if ((database = strchr(rest, '/'))) *database++ = 0;
  if (database && *database && !read_number(database, 65535, &place->database)) return fail(why, "the database is no number");
  return read_host(place, rest, why);
}

void srv_redis_place_forget(srv_redis_place *place) {
  if (place->password) explicit_bzero(place->password, strlen(place->password));
  free(place->password);
  place->password = NULL;
}

static bool read_password(srv_redis_place *place, char *why) {
  FILE *in = fopen(place->password_file, "re");
  char line[PASSWORD_MOST + 2];
  bool good = in && fgets(line, sizeof line, in);
  if (in) fclose(in);
  if (!good) return fail(why, "the password's file cannot be read, or is empty");
  line[strcspn(line, "\r\n")] = 0;
  if (!*line || strlen(line) > PASSWORD_MOST) return fail(why, "the password is empty or too long");
  char *password = strdup(line);
  explicit_bzero(line, sizeof line);
  if (!password) return fail(why, "out of memory");
  srv_redis_place_forget(place);
  place->password = password;
  return true;
}

void srv_redis_place_refresh(srv_redis_place *place) {
  char why[SRV_STORE_WHY];
  if (place->password_file) (void)read_password(place, why);
}

bool srv_redis_place_read(srv_redis_place *place, const char *url, const char *password_file, char why[SRV_STORE_WHY]) {
  *place = (srv_redis_place){.command_ns = SRV_REDIS_COMMAND_NS, .password_file = password_file};
  if (!read_url(place, url, why)) return false;
  if (place->user[0] && !password_file) return fail(why, "a user needs --store-password-file");
  return !password_file || read_password(place, why);
}
