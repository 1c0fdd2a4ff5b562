/* Location of Redis from --store, and its password from a file: passwords on the command line would
 * be visible to all users of the machine, and those in the environment would be inherited by child
 * processes. */
#include "process/address.h"
#include "process/file.h"
#include "store/store_redis.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Largest length of a password, B. */
#define PASSWORD_MAX 1024

static bool write_url_reason(char *why, const char *what) {
  snprintf(why, SRV_STORE_WHY, "%s", what);
  return false;
}

/* Parses a text of decimal digits only, with a value of at most `most`. */
static bool parse_url_number(const char *text, unsigned most, unsigned *out) {
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

/* Parses host[:port]; an IPv6 address is in brackets. False: the reason is in why. */
static bool parse_host(srv_redis_endpoint *place, char *text, char *why) {
  char *port = NULL, *host = text;
  if (*text == '[') {
    char *end = strchr(text, ']');
    if (!end || (end[1] && end[1] != ':'))
      return write_url_reason(why, "the address in brackets lacks its closing bracket");
    host++;
    *end = 0;
    if (end[1]) port = end + 2;
  } else if ((port = strchr(text, ':'))) {
    *port++ = 0;
  }
  unsigned number = 6379;
  if (!*host) return write_url_reason(why, "it names no host");
  if (strlen(host) >= sizeof place->host)
    return write_url_reason(why, "the host's name has more than 255 characters");
  if (port && (!parse_url_number(port, 65535, &number) || number == 0))
    return write_url_reason(why, "the port is not a number from 1 to 65535");
  memcpy(place->host, host, strlen(host) + 1);
  snprintf(place->port, sizeof place->port, "%u", number);
  return true;
}

static bool parse_url(srv_redis_endpoint *place, const char *url, char *why) {
  static const char scheme[] = "redis://";
  char text[400];
  if (strncmp(url, scheme, sizeof scheme - 1) != 0)
    return write_url_reason(why, "it does not begin with redis://");
  for (const char *c = url; *c; c++)
    if (*c <= ' ' || *c > '~')
      return write_url_reason(why, "it must consist of printable ASCII characters without spaces");
  if ((size_t)snprintf(text, sizeof text, "%s", url + sizeof scheme - 1) >= sizeof text)
    return write_url_reason(why, "it has more than 407 characters");
  char *query = strchr(text, '?');
  unsigned ms = 0;
  if (query) {
    *query = 0;
    if (strncmp(query + 1, "commandMs=", 10) != 0 || !parse_url_number(query + 11, 60000, &ms) ||
        ms < 100)
      return write_url_reason(
          why, "the part after the question mark must be commandMs=N, with N from 100 to 60000");
    place->command_ns = ms * UINT64_C(1000000);
  }
  char *rest = text, *at = strrchr(text, '@'), *database = NULL;
  if (at) {
    *at = 0;
    rest = at + 1;
    if (strchr(text, ':'))
      return write_url_reason(
          why, "the password must be given by --store-password-file, not in the URL");
    if (!*text || strlen(text) >= sizeof place->user)
      return write_url_reason(why, "the user's name must have 1 to 63 characters");
    memcpy(place->user, text, strlen(text) + 1);
  }
  if ((database = strchr(rest, '/'))) *database++ = 0;
  if (database && *database && !parse_url_number(database, 65535, &place->database))
    return write_url_reason(why, "the database must be a number from 0 to 65535");
  return parse_host(place, rest, why);
}

void srv_redis_endpoint_free(srv_redis_endpoint *place) {
  if (place->password) explicit_bzero(place->password, strlen(place->password));
  free(place->password);
  place->password = NULL;
}

/* Strips line ends at the end, and checks the password. Returns the fault, or NULL. */
static const char *check_password(const char *bytes, size_t *length) {
  while (*length && (bytes[*length - 1] == '\n' || bytes[*length - 1] == '\r')) (*length)--;
  if (*length == 0) return "it is empty";
  if (*length > PASSWORD_MAX) return "the password has more than 1024 bytes";
  for (size_t i = 0; i < *length; i++)
    if ((unsigned char)bytes[i] < ' ' || bytes[i] == 0x7f)
      return "the password must be one line without control characters";
  return NULL;
}

/* Reads the password from its file. False: the reason is in *why. */
static bool read_password(srv_redis_endpoint *place, const char **why) {
  char bytes[PASSWORD_MAX + 3];
  size_t length = 0;
  ssize_t n = 1;
  int fd = srv_file_open(place->password_file, NULL, NULL, why);
  if (fd < 0) return false;
  while (n > 0 && length < sizeof bytes) {
    n = read(fd, bytes + length, sizeof bytes - length);
    if (n > 0) length += (size_t)n;
    else if (n < 0 && errno == EINTR) n = 1;
  }
  *why = n < 0 ? strerror(errno) : check_password(bytes, &length);
  close(fd);
  char *password = *why ? NULL : strndup(bytes, length);
  explicit_bzero(bytes, sizeof bytes);
  if (!*why && !password) *why = "out of memory";
  if (!password) return false;
  srv_redis_endpoint_free(place);
  place->password = password;
  return true;
}

void srv_redis_endpoint_reload_password(srv_redis_endpoint *place) {
  const char *why = NULL;
  if (place->password_file) (void)read_password(place, &why);
}

bool srv_redis_endpoint_read(srv_redis_endpoint *place, const srv_store_redis_options *from) {
  *place = (srv_redis_endpoint){.command_ns = SRV_REDIS_COMMAND_NS,
                                .password_file = from->password_file};
  char text[SRV_STORE_WHY], shown[SRV_ADDRESS_URL_MAX];
  bool good = parse_url(place, from->url, text);
  if (good && place->user[0] && !from->password_file)
    good = write_url_reason(text, "a user needs --store-password-file");
  if (!good)
    fprintf(stderr, "contactd: %s: %s: %s.\n", from->url_given,
            srv_address_hide_password(from->url, shown), text);
  const char *why = NULL;
  if (!good || !from->password_file || read_password(place, &why)) return good;
  fprintf(stderr, "contactd: %s: %.400s: %s.\n", from->password_file_given, from->password_file,
          why);
  return false;
}
