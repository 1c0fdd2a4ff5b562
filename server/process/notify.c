/* Notifications to the service manager (sd_notify(3)). */
#include "process/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool report_variable_failure(const char *variable, const char *text, const char *why) {
  fprintf(stderr, "contactd: %s: '%.108s' %s.\n", variable, text, why);
  return false;
}

/* Parses a decimal number. False: the text is not one. */
static bool read_decimal(const char *text, uint64_t *out) {
  char *end = NULL;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  *out = value;
  return *text >= '0' && *text <= '9' && *end == 0 && errno == 0;
}

/* Reads the watchdog's timeout, unless WATCHDOG_PID is another process. False after one sentence on
 * standard error. */
static bool read_watchdog(srv_notify *notify) {
  const char *time = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
  uint64_t us = 0, process = 0;
  if (!time) return true;
  if (!read_decimal(time, &us) || us == 0)
    return report_variable_failure("WATCHDOG_USEC", time, "is not a number of microseconds");
  if (pid && !read_decimal(pid, &process))
    return report_variable_failure("WATCHDOG_PID", pid, "is not a process id");
  if (!pid || process == (uint64_t)getpid()) notify->watchdog_ms = us < 2000 ? 2 : us / 1000;
  return true;
}

/* Parses the socket's address, which is a path or, if it begins with '@', an abstract name. False
 * after one sentence on standard error. */
static bool read_socket(srv_notify *notify, const char *path) {
  size_t length = strlen(path);
  if ((*path != '/' && *path != '@') || length < 2 || length >= sizeof notify->address.sun_path)
    return report_variable_failure("NOTIFY_SOCKET", path,
                                   "is neither a socket's path nor an abstract name");
  notify->address.sun_family = AF_UNIX;
  memcpy(notify->address.sun_path, path, length);
  if (*path == '@') notify->address.sun_path[0] = 0;
  notify->length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  return notify->fd >= 0 || report_variable_failure("NOTIFY_SOCKET", path, strerror(errno));
}

bool srv_notify_open(srv_notify *notify) {
  *notify = (srv_notify){.fd = -1};
  const char *path = getenv("NOTIFY_SOCKET");
  bool good = !path || !*path || (read_socket(notify, path) && read_watchdog(notify));
  unsetenv("NOTIFY_SOCKET");
  unsetenv("WATCHDOG_USEC");
  unsetenv("WATCHDOG_PID");
  return good;
}

bool srv_notify_send(const srv_notify *notify, const char *lines) {
  if (notify->fd < 0) return true;
  size_t length = strlen(lines);
  const struct sockaddr *address = (const struct sockaddr *)(const void *)&notify->address;
  return sendto(notify->fd, lines, length, MSG_NOSIGNAL, address, notify->length) ==
         (ssize_t)length;
}

void srv_notify_close(srv_notify *notify) {
  if (notify->fd >= 0) close(notify->fd);
  notify->fd = -1;
}
