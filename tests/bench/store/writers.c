/* Clients of a daemon that each write, wait for the reply, and write again: poses of existing
 * scenes, over one persistent connection each. One thread serves all of them by epoll, so that the
 * daemon has the rest of the machine.
 *
 *     writers PORT CLIENTS SCENES BODIES MILLISECONDS DURABILITY
 *
 * Client i writes to scene w-(i modulo SCENES), and moves its first BODIES bodies, b0 and so on, by
 * a metre and back. Prints writes a second|median ms|99th percentile ms|processor time of a write
 * here, us. Any reply except an acknowledgement of this durability ends the program. */
#include "latencies.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS_MOST 64
#define BODIES_MOST 100
#define REQUEST_BYTES 16384
#define REPLY_BYTES 4096

typedef struct client {
  int socket;
  char requests[2][REQUEST_BYTES]; /* there and back */
  size_t lengths[2];
  unsigned turn;
  char reply[REPLY_BYTES];
  size_t replied;
  uint64_t since;
} client;

static client clients[CLIENTS_MOST];
static char promise[64]; /* required in each reply */

static size_t put_request(char out[REQUEST_BYTES], long scene, long bodies, int away) {
  char body[REQUEST_BYTES - 256];
  size_t n = (size_t)snprintf(body, sizeof body, "{\"ids\":[");
  for (long i = 0; i < bodies; i++)
    n += (size_t)snprintf(body + n, sizeof body - n, "%s\"b%ld\"", i ? "," : "", i);
  n += (size_t)snprintf(body + n, sizeof body - n, "],\"positions\":[");
  for (long i = 0; i < bodies; i++)
    n +=
        (size_t)snprintf(body + n, sizeof body - n, "%s[%ld.25,%d,0.5]", i ? "," : "", 2 * i, away);
  n += (size_t)snprintf(body + n, sizeof body - n, "]}");
  return (size_t)snprintf(out, REQUEST_BYTES,
                          "PATCH /v1/scenes/w-%ld/poses HTTP/1.1\r\nHost: "
                          "127.0.0.1\r\nContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\n\r\n%s",
                          scene, n, body);
}

static void open_client(client *c, int port, int poll, uint32_t number) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int on = 1;
  c->socket = socket(AF_INET, SOCK_STREAM, 0);
  if (c->socket < 0 || connect(c->socket, (struct sockaddr *)&address, sizeof address) != 0)
    fail("connect");
  if (setsockopt(c->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) fail("setsockopt");
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};
  if (epoll_ctl(poll, EPOLL_CTL_ADD, c->socket, &event) != 0) fail("epoll_ctl");
}

/* The request fits into the empty buffer of the socket. */
static void run_query(client *c) {
  unsigned which = c->turn++ & 1;
  c->replied = 0;
  c->since = now();
  if (send(c->socket, c->requests[which], c->lengths[which], MSG_NOSIGNAL) !=
      (ssize_t)c->lengths[which])
    fail("send");
}

/* True if the reply is complete; it must be an acknowledgement. */
static bool take(client *c) {
  ssize_t got = recv(c->socket, c->reply + c->replied, sizeof c->reply - 1 - c->replied, 0);
  if (got <= 0) fail("recv");
  c->replied += (size_t)got;
  c->reply[c->replied] = 0;
  char *body = strstr(c->reply, "\r\n\r\n"), *length = strstr(c->reply, "Content-Length: ");
  if (!body || !length || length > body) return false;
  body += 4;
  if (strlen(body) < strtoul(length + 16, NULL, 10)) return false;
  if (strncmp(c->reply, "HTTP/1.1 200 ", 13) == 0 && strstr(body, promise)) return true;
  fprintf(stderr, "writers: %s\n", c->reply);
  exit(EXIT_FAILURE);
}

static void run(int poll, long count, uint64_t until) {
  long busy = count;
  struct epoll_event events[CLIENTS_MOST];
  while (busy) {
    int ready = epoll_wait(poll, events, CLIENTS_MOST, -1);
    if (ready < 0 && errno != EINTR) fail("epoll_wait");
    for (int i = 0; i < ready; i++) {
      client *c = &clients[events[i].data.u32];
      if (!take(c)) continue;
      uint64_t at = now();
      note(at - c->since);
      if (at < until) run_query(c);
      else busy--;
    }
  }
}

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 7) return EXIT_FAILURE;
  long port = atol(argv[1]), count = atol(argv[2]), scenes = atol(argv[3]), bodies = atol(argv[4]),
       milliseconds = atol(argv[5]);
  if (count < 1 || count > CLIENTS_MOST || scenes < 1 || bodies < 1 || bodies > BODIES_MOST)
    return EXIT_FAILURE;
  snprintf(promise, sizeof promise, "\"durability\":\"%s\"", argv[6]);
  int poll = epoll_create1(0);
  if (poll < 0) fail("epoll_create1");
  for (long i = 0; i < count; i++) {
    for (int away = 0; away < 2; away++)
      clients[i].lengths[away] = put_request(clients[i].requests[away], i % scenes, bodies, away);
    open_client(&clients[i], (int)port, poll, (uint32_t)i);
  }
  double processor = processor_seconds();
  uint64_t begin = now();
  for (long i = 0; i < count; i++) run_query(&clients[i]);
  run(poll, count, begin + (uint64_t)milliseconds * 1000000u);
  size_t writes = noted_count;
  measured m = summary(now() - begin);
  printf("%.0f|%.3f|%.3f|%.1f\n", m.rate, m.median_ms, m.late_ms,
         1e6 * (processor_seconds() - processor) / (double)writes);
  return EXIT_SUCCESS;
}
