/* One libuv loop drives libmicrohttpd through its epoll descriptor: libmicrohttpd runs at most once per iteration, before the loop
 * sleeps, however many things happened in it. */
#include "address.h"
#include "recover.h"
#include "shelf.h"
#include "stream.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Connections that the kernel keeps for us until they are accepted. */
#define LISTEN_BACKLOG 1024

static bool fail(const char *what, const char *why) {
  fprintf(stderr, "contactd: %s: %s.\n", what, why);
  return false;
}

/* ---- the loop -------------------------------------------------------------------------------------------------------- */

static void on_epoll(uv_poll_t *handle, int status, int events) {
  (void)status;
  (void)events;
  srv_server_touch(handle->data);
}

static void on_wake(uv_timer_t *handle) { srv_server_touch(handle->data); }

static void on_prepare(uv_prepare_t *handle) {
  srv_server *server = handle->data;
  if (!server->dirty) return;
  server->dirty = false;
  MHD_run(server->daemon);
  MHD_UNSIGNED_LONG_LONG timeout_ms;
  /* A handler may have woken another connection, which the timeout does not know of. */
  if (server->dirty) uv_timer_start(&server->wake, on_wake, 0, 0);
  else if (MHD_get_timeout(server->daemon, &timeout_ms) == MHD_YES) uv_timer_start(&server->wake, on_wake, timeout_ms, 0);
  else uv_timer_stop(&server->wake);
}

static void on_reap(uv_timer_t *handle) {
  srv_server *server = handle->data;
  uint64_t now_ns = uv_hrtime();
  srv_connection_reap(server, now_ns);
  srv_stream_reap(server, now_ns);
  srv_registry_expire(server->registry, now_ns);
  srv_recover_retry(server, now_ns);
  srv_shelf_look(server, now_ns);
  srv_log_flush(server->log);
  srv_drain_check(server);
  /* Once without an event: accepting may have stopped for want of a descriptor. */
  srv_server_touch(server);
}

static void on_signal(uv_signal_t *handle, int number) {
  (void)number;
  srv_drain_begin(handle->data);
}

static bool open_handles(srv_server *server) {
  uv_loop_t *loop = server->loop;
  int epoll_fd = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  server->epoll.data = server->prepare.data = server->wake.data = server->sweep.data = server->reap.data = server->terminate.data =
      server->interrupt.data = server;
  if (uv_poll_init(loop, &server->epoll, epoll_fd) != 0) return false;
  uv_prepare_init(loop, &server->prepare);
  uv_timer_init(loop, &server->wake);
  uv_timer_init(loop, &server->sweep);
  uv_timer_init(loop, &server->reap);
  uv_signal_init(loop, &server->terminate);
  uv_signal_init(loop, &server->interrupt);
  server->handles_open = true;
  server->dirty = true;
  return uv_poll_start(&server->epoll, UV_READABLE, on_epoll) == 0 && uv_prepare_start(&server->prepare, on_prepare) == 0 &&
         uv_timer_start(&server->reap, on_reap, SRV_REAP_MS, SRV_REAP_MS) == 0 &&
         uv_signal_start(&server->terminate, on_signal, SIGTERM) == 0 &&
         uv_signal_start(&server->interrupt, on_signal, SIGINT) == 0;
}

static void close_handles(srv_server *server) {
  if (!server->handles_open) return;
  uv_close((uv_handle_t *)&server->epoll, NULL);
  uv_close((uv_handle_t *)&server->prepare, NULL);
  uv_close((uv_handle_t *)&server->wake, NULL);
  uv_close((uv_handle_t *)&server->sweep, NULL);
  uv_close((uv_handle_t *)&server->reap, NULL);
  uv_close((uv_handle_t *)&server->terminate, NULL);
  uv_close((uv_handle_t *)&server->interrupt, NULL);
  server->handles_open = false;
}

/* ---- listening --------------------------------------------------------------------------------------------------------- */

static bool listen_socket(srv_server *server, struct sockaddr_storage *address, socklen_t length) {
  char what[96];
  snprintf(what, sizeof what, "--address %s --port %llu", server->config->address, (unsigned long long)server->config->port);
  int fd = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return fail(what, strerror(errno));
  int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, (struct sockaddr *)address, length) != 0 || listen(fd, LISTEN_BACKLOG) != 0 ||
      getsockname(fd, (struct sockaddr *)address, &length) != 0) {
    int error = errno;
    close(fd);
    return fail(what, strerror(error));
  }
  server->listen_fd = fd;
  return true;
}

/* Paths and queries stay as they were sent: the API decodes each segment once. */
static size_t keep_escapes(void *cls, struct MHD_Connection *handle, char *text) {
  (void)cls;
  (void)handle;
  return strlen(text);
}

/* libmicrohttpd's own messages are about clients that left; the request's line tells that. */
__attribute__((format(printf, 2, 0))) static void drop_message(void *cls, const char *format, va_list arguments) {
  (void)cls;
  (void)format;
  (void)arguments;
}

static bool start_daemon(srv_server *server) {
  server->daemon = MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, srv_connection_accept, server, srv_http_handle, server,
      MHD_OPTION_EXTERNAL_LOGGER, drop_message, NULL, MHD_OPTION_LISTEN_SOCKET, server->listen_fd, MHD_OPTION_NOTIFY_COMPLETED,
      srv_http_completed, server, MHD_OPTION_NOTIFY_CONNECTION, srv_connection_notify, server, MHD_OPTION_URI_LOG_CALLBACK,
      srv_http_uri, server, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      (size_t)SRV_CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, SRV_IDLE_SECONDS, MHD_OPTION_CONNECTION_LIMIT,
      (unsigned)server->limits->connections, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
  return server->daemon || fail("libmicrohttpd", "the HTTP daemon did not start");
}

bool srv_server_listen(srv_server *server) {
  struct sockaddr_storage address;
  socklen_t length;
  if (!srv_address_parse(server->config->address, (uint16_t)server->config->port, &address, &length)) {
    fprintf(stderr, "contactd: --address: '%.64s' is not an IPv4 or IPv6 address.\n", server->config->address);
    return false;
  }
  if (!srv_address_is_loopback((struct sockaddr *)&address) && !server->auth.required && !server->config->insecure) {
    fprintf(stderr,
            "contactd: --address: %.64s can be reached from other machines; give --token-file, or --insecure to do without.\n",
            server->config->address);
    return false;
  }
  if (!listen_socket(server, &address, length) || !start_daemon(server)) return false;
  if (!open_handles(server)) return fail("libuv", "the loop did not start");
  char text[64];
  srv_address_text((struct sockaddr *)&address, text);
  bool six = address.ss_family == AF_INET6;
  uint16_t port = six ? ((struct sockaddr_in6 *)&address)->sin6_port : ((struct sockaddr_in *)&address)->sin_port;
  printf(strchr(text, ':') ? "contactd listening on http://[%s]:%u\n" : "contactd listening on http://%s:%u\n", text,
         (unsigned)ntohs(port));
  fflush(stdout);
  return true;
}

/* ---- the server -------------------------------------------------------------------------------------------------------- */

/* The address itself may be asked for by number, unless it is every address: a page cannot make a browser send that Host. */
static bool collect_hosts(srv_server *server) {
  const srv_words *given = &server->config->allow_hosts;
  const char **names = malloc((given->count + 1) * sizeof *names);
  if (!names) return false;
  for (size_t i = 0; i < given->count; i++) names[i] = given->items[i];
  server->hosts = (srv_hosts){names, given->count};
  const char *address = server->config->address;
  struct sockaddr_storage parsed;
  socklen_t length;
  if (srv_address_parse(address, 0, &parsed, &length) && parsed.ss_family == AF_INET && strcmp(address, "0.0.0.0") != 0)
    names[server->hosts.count++] = address;
  return true;
}

bool srv_server_create(srv_server *server, const srv_config *config, const api_service *service) {
  *server = (srv_server){.config = config, .limits = &config->limits, .service = service, .listen_fd = -1};
  if (!srv_auth_load(&server->auth, config->token_file)) return false;
  if (getrandom(&server->id_prefix, sizeof server->id_prefix, 0) != (ssize_t)sizeof server->id_prefix)
    return fail("getrandom", strerror(errno));
  server->loop = malloc(sizeof *server->loop);
  if (!server->loop || uv_loop_init(server->loop) != 0) {
    free(server->loop);
    server->loop = NULL;
    return fail("libuv", "the loop could not be made");
  }
  server->log = srv_log_create(strcmp(config->log, "stderr") == 0);
  server->peers = srv_peers_create();
  server->registry = srv_registry_create((size_t)config->limits.cursors_per_scene, config->limits.cursor_seconds * 1000000000u,
                                         srv_trash_scene, server);
  server->pool = srv_pool_create(server->loop, (unsigned)config->workers, (size_t)config->limits.queue,
                                 (size_t)config->limits.queue_per_scene);
  /* Half of all places, so that stateless requests leave room to the scenes. */
  server->stateless.most = (size_t)(config->limits.queue + 1) / 2;
  server->scratch = api_scratch_create();
  server->suspended = calloc((size_t)config->limits.connections, sizeof *server->suspended);
  server->polled = calloc((size_t)config->limits.connections, sizeof *server->polled);
  server->shapes = api_shapes_create();
  if (!server->log || !server->peers || !server->registry || !server->pool || !server->shapes || !server->scratch ||
      !server->suspended || !server->polled || !collect_hosts(server))
    return fail("start", "out of memory");
  return true;
}

void srv_server_run(srv_server *server) { uv_run(server->loop, UV_RUN_DEFAULT); }

void srv_server_destroy(srv_server *server) {
  close_handles(server);
  if (server->daemon) MHD_stop_daemon(server->daemon);
  else if (server->listen_fd >= 0) close(server->listen_fd);
  srv_recover_end(server);
  srv_shelf_destroy(server->shelf);
  if (server->loop) {
    uv_run(server->loop, UV_RUN_DEFAULT);
    uv_loop_close(server->loop);
    free(server->loop);
  }
  srv_stream_destroy(server);
  srv_registry_destroy(server->registry);
  api_shapes_release(server->shapes);
  srv_pool_destroy(server->pool);
  srv_peers_destroy(server->peers);
  api_scratch_destroy(server->scratch);
  srv_log_destroy(server->log);
  free(server->suspended);
  free(server->polled);
  free((void *)(uintptr_t)server->hosts.names);
}
