/* Notifications to the service manager by the protocol of sd_notify(3): datagrams to the socket
 * NOTIFY_SOCKET. Implemented here because libsystemd cannot be linked statically. */
#ifndef SRV_PROCESS_NOTIFY_H
#define SRV_PROCESS_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

typedef struct srv_notify {
  int fd; /* -1: no service manager */
  struct sockaddr_un address;
  socklen_t length;
  uint64_t watchdog_ms; /* the manager's watchdog timeout; 0: none */
} srv_notify;

/* Reads the environment variables of the protocol and unsets them. False after one sentence on
 * standard error: a value is invalid. */
bool srv_notify_open(srv_notify *notify);
/* Sends lines NAME=VALUE without waiting. False: not delivered, may be tried again. True also if
 * there is no service manager. */
bool srv_notify_send(const srv_notify *notify, const char *lines);
void srv_notify_close(srv_notify *notify);

#endif
