/* A redis-server of the test: a free loopback port, a temporary folder, every reply after the write
 * is on disk; stopped with the test. */
#ifndef TESTS_REDIS_SERVER_H
#define TESTS_REDIS_SERVER_H

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define REDIS_DATABASES "200"

static pid_t redis_pid;
static int redis_port;
static char redis_folder[64];

static inline int redis_free_port(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) != 0) abort();
  getsockname(fd, (struct sockaddr *)&address, &length);
  close(fd);
  return ntohs(address.sin_port);
}

static inline void redis_stop(void) {
  char command[200];
  if (!redis_pid) return;
  kill(redis_pid, SIGKILL);
  waitpid(redis_pid, NULL, 0);
  redis_pid = 0;
  snprintf(command, sizeof command, "rm -rf '%s'", redis_folder);
  if (system(command) != 0) fprintf(stderr, "%s is left\n", redis_folder);
}

/* extra: one option of redis-server and its value, or NULL. */
static inline void redis_start(const char *option, const char *value) {
  char port[16];
  snprintf(redis_folder, sizeof redis_folder, "%s/redis-XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(redis_folder)) abort();
  redis_port = redis_free_port();
  snprintf(port, sizeof port, "%d", redis_port);
  redis_pid = fork();
  if (redis_pid == 0) {
    if (!freopen("/dev/null", "w", stdout)) abort();
    execlp("redis-server", "redis-server", "--port", port, "--bind", "127.0.0.1", "--dir",
           redis_folder, "--save", "", "--appendonly", "yes", "--appendfsync", "always",
           "--databases", REDIS_DATABASES, option, value, NULL);
    perror("redis-server");
    _exit(127);
  }
  atexit(redis_stop);
}

#endif
