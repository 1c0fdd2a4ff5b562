/* The minimal server with the same libraries: libmicrohttpd receives a request, jansson parses its
 * body, and a constant answer is sent. It is the yardstick for the cost of a small stateless query;
 * there is no geometry. Prints "bare listening on http://127.0.0.1:PORT" and ends when its standard
 * input closes. */
#include <arpa/inet.h>
#include <jansson.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As long as the answer to the query that this server is compared with. */
static const char answer[] = "{\"kind\":\"distance\",\"count\":1,\"total\":1,\"complete\":true,"
                             "\"results\":[{\"a\":\"a\",\"b\":\"b\","
                             "\"distance\":-0.09999999999999998,\"lowerBound\":-0."
                             "09999999999999998,\"upperBound\":-0.09999999999999998,"
                             "\"normal\":[1,0,0],\"pointA\":[0.5,0,0],\"pointB\":[0.4,0,0],"
                             "\"position\":[0.45,0,0],\"relation\":\"penetrating\","
                             "\"depthKind\":\"minimal\",\"status\":\"ok\"}]}";

#define BODY_BYTES_MAX 4096

typedef struct request {
  size_t length;
  char body[BODY_BYTES_MAX];
} request;

static enum MHD_Result reply(struct MHD_Connection *connection, unsigned status, const char *text) {
  struct MHD_Response *response = MHD_create_response_from_buffer(
      strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
  if (!response) return MHD_NO;
  MHD_add_response_header(response, "Content-Type", "application/json");
  enum MHD_Result result = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return result;
}

/* The signature is given by libmicrohttpd. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *length, void **state) {
  (void)context, (void)url, (void)method, (void)version;
  request *r = *state;
  if (!r) {
    *state = r = malloc(sizeof *r);
    if (!r) return MHD_NO;
    r->length = 0;
    return MHD_YES;
  }
  if (*length) {
    if (r->length + *length > BODY_BYTES_MAX) return MHD_NO;
    memcpy(r->body + r->length, data, *length);
    r->length += *length;
    *length = 0;
    return MHD_YES;
  }
  json_error_t error;
  json_t *tree = json_loadb(r->body, r->length, JSON_REJECT_DUPLICATES, &error);
  enum MHD_Result result =
      reply(connection, tree ? MHD_HTTP_OK : MHD_HTTP_BAD_REQUEST, tree ? answer : "{}");
  json_decref(tree);
  return result;
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code) {
  (void)context, (void)connection, (void)code;
  free(*state);
  *state = NULL;
}

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, on_request, NULL, MHD_OPTION_NOTIFY_COMPLETED,
      on_completed, NULL, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_END);
  if (!daemon) return 1;
  printf("bare listening on http://127.0.0.1:%d\n",
         (int)MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
  fflush(stdout);
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
  MHD_stop_daemon(daemon);
  return 0;
}
