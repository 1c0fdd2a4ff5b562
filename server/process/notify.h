/* What the service manager that started the daemon is told: systemd's protocol of datagrams to the socket NOTIFY_SOCKET
 * (sd_notify(3)), by hand, since its library cannot be linked statically. */
#ifndef SRV_PROCESS_NOTIFY_H
#define SRV_PROCESS_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

typedef struct srv_notify {
  int fd; /* -1: nobody asks */
  struct sockaddr_un address;
  socklen_t length;
  uint64_t watchdog_ms; /* silence after which the daemon is taken for stuck; 0: for ever */
} srv_notify;

/* Reads and unsets the variables. False after one sentence on standard error: they make no sense. */
bool srv_notify_open(srv_notify *notify);
/* Lines of NAME=VALUE. Does not wait. False: the manager has not got it; it may be tried again. True too where nobody asks. */
bool srv_notify_send(const srv_notify *notify, const char *lines);
void srv_notify_close(srv_notify *notify);

#endif
