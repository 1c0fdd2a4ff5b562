/* Health check: one connection, one request, the status line of its reply. */
#include "process/health.h"

#include "process/address.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

/* Time limit of the whole check, ns. */
#define HEALTH_NS 2000000000u

static bool report_health_failure(const char *why) {
  fprintf(stderr, "contactd: --healthcheck: %s.\n", why);
  return false;
}

/* Waits until the socket is ready for one of the events. False: the time limit has passed, or an
 * error; errno is set. */
static bool wait_for(int fd, short events, uint64_t until_ns) {
  for (uint64_t now_ns; (now_ns = uv_hrtime()) < until_ns;) {
    struct pollfd p = {.fd = fd, .events = events};
    int n = poll(&p, 1, (int)((until_ns - now_ns) / 1000000u) + 1);
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return false;
  }
  errno = ETIMEDOUT;
  return false;
}

static bool connect_to(int fd, const struct sockaddr *address, socklen_t length,
                       uint64_t until_ns) {
  if (connect(fd, address, length) == 0) return true;
  if (errno != EINPROGRESS || !wait_for(fd, POLLOUT, until_ns)) return false;
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return false;
  errno = error;
  return error == 0;
}

/* Sends the request, which always fits into an empty socket buffer, and reads the first `size`
 * bytes of the reply, which may arrive in pieces. */
static bool query_status_line(int fd, uint64_t until_ns, char *line, size_t size) {
  static const char request[] =
      "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  if (send(fd, request, sizeof request - 1, MSG_NOSIGNAL) != (ssize_t)(sizeof request - 1))
    return false;
  size_t n = 0;
  while (n < size && wait_for(fd, POLLIN, until_ns)) {
    ssize_t got = recv(fd, line + n, size - n, 0);
    if (got == 0) errno = ECONNRESET;
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return false;
    n += (size_t)got;
  }
  return n == size;
}

bool srv_health_check(const srv_config *config) {
  uint64_t until_ns = uv_hrtime() + HEALTH_NS;
  struct sockaddr_storage address;
  socklen_t length;
  if (config->port == 0) return report_health_failure("--port must not be 0");
  if (!srv_address_parse(config->address, (uint16_t)config->port, &address, &length))
    return report_health_failure("--address must be an IPv4 or IPv6 address");
  struct sockaddr_in *four = (struct sockaddr_in *)&address;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;
  if (address.ss_family == AF_INET && four->sin_addr.s_addr == htonl(INADDR_ANY))
    four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (address.ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr))
    six->sin6_addr = in6addr_loopback;
  int fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return report_health_failure(strerror(errno));
  static const char good[] = "HTTP/1.1 200 ";
  char line[sizeof good - 1];
  bool has_reply = connect_to(fd, (struct sockaddr *)&address, length, until_ns) &&
                   query_status_line(fd, until_ns, line, sizeof line);
  int error = errno;
  close(fd);
  if (!has_reply) return report_health_failure(strerror(error));
  return memcmp(line, good, sizeof line) == 0 || report_health_failure("the daemon is not ready");
}
