/* The listening socket: created here, or inherited from the service manager.
 *
 * Socket activation follows sd_listen_fds(3): LISTEN_PID, LISTEN_FDS, descriptors from 3 on.
 * Connections then wait in the kernel while the daemon restarts. Exactly one inherited socket is
 * supported. */
#include "http/http.h"
#include "process/address.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Largest number of connections that the kernel queues until they are accepted. */
#define LISTEN_BACKLOG 1024
/* First inherited descriptor (SD_LISTEN_FDS_START). */
#define INHERITED_FD 3

typedef struct listen_address {
  struct sockaddr_storage address;
  socklen_t length;
} listen_address;

static bool report_listen_failure(const char *what, const char *why) {
  fprintf(stderr, "contactd: %s: %s.\n", what, why);
  return false;
}

/* ---- created socket ------------------------------------------------------------------------- */

static bool open_socket(srv_server *server, listen_address *at) {
  const srv_config *config = server->config;
  char what[96];
  snprintf(what, sizeof what, "--address %s --port %llu", config->address,
           (unsigned long long)config->port);
  int fd = socket(at->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return report_listen_failure(what, strerror(errno));
  server->listen_fd = fd;
  int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  bool good =
      bind(fd, (struct sockaddr *)&at->address, at->length) == 0 && listen(fd, LISTEN_BACKLOG) == 0;
  return good || report_listen_failure(what, strerror(errno));
}

static bool parse_configured_address(const srv_config *config, listen_address *at) {
  if (srv_address_parse(config->address, (uint16_t)config->port, &at->address, &at->length))
    return true;
  char given[SRV_GIVEN_MAX];
  fprintf(stderr, "contactd: %s: '%.64s' is not an IPv4 or IPv6 address.\n",
          srv_config_given(config, "address", given), config->address);
  return false;
}

/* ---- inherited socket ----------------------------------------------------------------------- */

/* Sets *inherited if the environment variables are addressed to this process, and unsets them for
 * child processes. False after one sentence on standard error: more than one socket is passed. */
static bool find_inherited_socket(bool *inherited) {
  const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
  char own[24];
  snprintf(own, sizeof own, "%ld", (long)getpid());
  *inherited = pid && count && strcmp(pid, own) == 0;
  bool good = !*inherited || strcmp(count, "1") == 0;
  if (!good) fprintf(stderr, "contactd: LISTEN_FDS: expected one socket, got '%.16s'.\n", count);
  unsetenv("LISTEN_PID");
  unsetenv("LISTEN_FDS");
  unsetenv("LISTEN_FDNAMES");
  return good;
}

static bool has_socket_option(int fd, int name, int wanted) {
  int value = -1;
  socklen_t length = sizeof value;
  return getsockopt(fd, SOL_SOCKET, name, &value, &length) == 0 && value == wanted;
}

/* Checks that descriptor 3 is a listening TCP socket, and makes it non-blocking. False after one
 * sentence on standard error. */
static bool adopt_inherited_socket(srv_server *server, listen_address *at) {
  int fd = server->listen_fd = INHERITED_FD;
  server->socket_inherited = true;
  bool listens =
      has_socket_option(fd, SO_TYPE, SOCK_STREAM) && has_socket_option(fd, SO_ACCEPTCONN, 1);
  if (!listens ||
      (!has_socket_option(fd, SO_DOMAIN, AF_INET) && !has_socket_option(fd, SO_DOMAIN, AF_INET6)))
    return report_listen_failure("LISTEN_FDS", "descriptor 3 is not a listening TCP socket");
  at->length = sizeof at->address;
  int flags = fcntl(fd, F_GETFL);
  bool good = flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
              fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
              getsockname(fd, (struct sockaddr *)&at->address, &at->length) == 0;
  return good || report_listen_failure("LISTEN_FDS", strerror(errno));
}

/* ---- access and hosts ----------------------------------------------------------------------- */

/* True if only this machine can connect, a token is required, or --insecure was given. False after
 * one sentence on standard error. */
static bool is_access_restricted(const srv_server *server, const listen_address *at) {
  const struct sockaddr *address = (const struct sockaddr *)&at->address;
  if (srv_address_is_loopback(address) || server->auth.required || server->config->insecure)
    return true;
  char text[64], given[SRV_GIVEN_MAX];
  srv_address_text(address, text);
  fprintf(stderr,
          "contactd: %s: %s can be reached from other machines; set --token-file, or --insecure to "
          "serve without a token.\n",
          srv_config_given(server->config, "address", given), text);
  return false;
}

/* True if the text is a valid Host value: a name or an address (IPv6 in brackets), with or without
 * a port. */
static bool is_valid_host(const char *text) {
  size_t length = 0;
  if (*text == '[') {
    length = 1 + strspn(text + 1, "0123456789abcdefABCDEF:.");
    if (length == 1 || text[length++] != ']') return false;
  } else {
    while (isalnum((unsigned char)text[length]) || (text[length] && strchr("-._", text[length])))
      length++;
  }
  if (length == 0 || !text[length]) return length > 0;
  size_t digits = text[length] == ':' ? strspn(text + length + 1, "0123456789") : 0;
  return digits >= 1 && digits <= 5 && !text[length + 1 + digits];
}

static bool report_invalid_host(const srv_config *config, const char *host) {
  char given[SRV_GIVEN_MAX];
  fprintf(stderr, "contactd: %s: '%.64s' is not a valid host name.\n",
          srv_config_given(config, "allow-host", given), host);
  return false;
}

/* Collects the accepted Host values: those of --allow-host, and the listening IPv4 address unless
 * it is 0.0.0.0. Accepting the address is safe, because DNS rebinding cannot make a browser send a
 * numeric Host. False after one sentence on standard error. */
static bool collect_hosts(srv_server *server, const listen_address *at) {
  const srv_words *given = &server->config->allow_hosts;
  const char **names = malloc((given->count + 1) * sizeof *names);
  if (!names) return report_listen_failure("start", "out of memory");
  for (size_t i = 0; i < given->count; i++) names[i] = given->items[i];
  server->hosts = (srv_hosts){names, given->count};
  for (size_t i = 0; i < given->count; i++)
    if (!is_valid_host(names[i])) return report_invalid_host(server->config, names[i]);
  if (at->address.ss_family != AF_INET) return true;
  srv_address_text((const struct sockaddr *)&at->address, server->own_host);
  if (strcmp(server->own_host, "0.0.0.0") != 0) names[server->hosts.count++] = server->own_host;
  return true;
}

bool srv_listen_open(srv_server *server) {
  listen_address at = {0};
  bool inherited = false;
  if (!find_inherited_socket(&inherited)) return false;
  if (inherited)
    return adopt_inherited_socket(server, &at) && is_access_restricted(server, &at) &&
           collect_hosts(server, &at);
  return parse_configured_address(server->config, &at) && is_access_restricted(server, &at) &&
         open_socket(server, &at) && collect_hosts(server, &at);
}

void srv_listen_announce(const srv_server *server) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  char text[64];
  if (getsockname(server->listen_fd, (struct sockaddr *)&address, &length) != 0) return;
  srv_address_text((struct sockaddr *)&address, text);
  bool six = address.ss_family == AF_INET6;
  uint16_t port = six ? ((struct sockaddr_in6 *)&address)->sin6_port
                      : ((struct sockaddr_in *)&address)->sin_port;
  printf(strchr(text, ':') ? "contactd listening on http://[%s]:%u\n"
                           : "contactd listening on http://%s:%u\n",
         text, (unsigned)ntohs(port));
  fflush(stdout);
}
