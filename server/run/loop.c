/* Event loop: creates the server, opens its handles, runs it and destroys it.
 *
 * One libuv loop drives libmicrohttpd through its epoll descriptor. libmicrohttpd runs at most once
 * per iteration, before the loop sleeps, regardless of the number of events. */
#include "http/http.h"
#include "run/run.h"
#include "scenes/recover.h"
#include "scenes/shape_expiry.h"
#include "scenes/shared_store.h"
#include "streams/event_stream.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static bool report_start_failure(const char *what, const char *why) {
  fprintf(stderr, "contactd: %s: %s.\n", what, why);
  return false;
}

/* ---- the loop ------------------------------------------------------------------------------- */

static void on_epoll(uv_poll_t *handle, int status, int events) {
  (void)status;
  (void)events;
  srv_server_mark_dirty(handle->data);
}

static void on_wake(uv_timer_t *handle) { srv_server_mark_dirty(handle->data); }

static void run_http_daemon(srv_server *server) {
  server->dirty = false;
  MHD_run(server->daemon);
  MHD_UNSIGNED_LONG_LONG timeout_ms;
  /* A handler may have resumed another connection, which MHD_get_timeout does not consider. */
  if (server->dirty) uv_timer_start(&server->wake, on_wake, 0, 0);
  else if (MHD_get_timeout(server->daemon, &timeout_ms) == MHD_YES)
    uv_timer_start(&server->wake, on_wake, timeout_ms, 0);
  else uv_timer_stop(&server->wake);
}

/* uv_now is the time at which the loop woke up, which is the start of this iteration. */
static void on_check(uv_check_t *handle) {
  srv_server *server = handle->data;
  server->woken_ms = uv_now(handle->loop);
}

/* Runs libmicrohttpd, and records the duration of the iteration; libuv calls this last before the
 * loop sleeps. */
static void on_prepare(uv_prepare_t *handle) {
  srv_server *server = handle->data;
  if (server->dirty) run_http_daemon(server);
  if (server->drain != SRV_SERVING) srv_drain_check(server);
  /* The check may have ended streams, so that libmicrohttpd must run once more. */
  if (server->dirty) uv_timer_start(&server->wake, on_wake, 0, 0);
  uint64_t now_ms = uv_hrtime() / 1000000u;
  if (server->woken_ms)
    srv_metrics_round(&server->metrics,
                      now_ms > server->woken_ms ? (now_ms - server->woken_ms) * 1000000u : 0);
}

static void on_watchdog(uv_timer_t *handle) {
  srv_server *server = handle->data;
  (void)srv_notify_send(&server->notify, "WATCHDOG=1");
}

/* Sends READY=1 to the service manager once, when the daemon accepts requests. It does not wait for
 * a shared store: an unreachable Redis must not exceed the manager's start timeout, and /readyz
 * reports it. */
static void notify_ready(srv_server *server) {
  bool starts = !srv_recover_has_listed(server) && !server->store->shared;
  if (server->ready_sent || server->drain != SRV_SERVING || starts) return;
  server->ready_sent = srv_notify_send(&server->notify, "READY=1\nSTATUS=Requests are accepted.");
}

static void on_sweep(uv_timer_t *handle) {
  srv_server *server = handle->data;
  srv_sweep_tick(server);
  /* no connection is suspended any more: let the loop sleep */
  if (server->suspended_count == 0) uv_timer_stop(handle);
}

/* Work that is done periodically: overdue connections, expiry, cache eviction, heap trimming, log,
 * drain. */
static void on_reap(uv_timer_t *handle) {
  srv_server *server = handle->data;
  uint64_t now_ns = uv_hrtime();
  srv_connection_reap(server, now_ns);
  srv_stream_reap(server, now_ns);
  srv_registry_expire(server->registry, now_ns);
  srv_recover_retry(server, now_ns);
  (void)srv_server_evict_scenes(server);
  srv_heap_trim_tick(&server->heap, server->pool, &server->stateless,
                     srv_registry_freed_bytes(server->registry), now_ns);
  srv_shape_expiry_tick(server, now_ns);
  srv_log_flush(server->log);
  srv_drain_tick(server, now_ns);
  notify_ready(server);
  /* Run libmicrohttpd even without an event: it may have stopped accepting because descriptors had
   * run out. */
  srv_server_mark_dirty(server);
}

static void on_signal(uv_signal_t *handle, int number) {
  (void)number;
  srv_drain_begin(handle->data);
}

/* Starts the timer that notifies the service manager twice per watchdog interval. False: libuv
 * refused it. */
static bool start_watchdog(srv_server *server) {
  uint64_t ms = server->notify.watchdog_ms / 2;
  return ms == 0 || uv_timer_start(&server->watchdog, on_watchdog, 0, ms) == 0;
}

/* Initialises and starts the handles of the loop. False: libuv refused one. */
static bool open_loop_handles(srv_server *server) {
  uv_loop_t *loop = server->loop;
  int epoll_fd = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  server->epoll.data = server->prepare.data = server->check.data = server->watchdog.data =
      server->wake.data = server->sweep.data = server->reap.data = server->terminate.data =
          server->interrupt.data = server;
  if (uv_poll_init(loop, &server->epoll, epoll_fd) != 0) return false;
  uv_prepare_init(loop, &server->prepare);
  uv_check_init(loop, &server->check);
  uv_timer_init(loop, &server->watchdog);
  uv_timer_init(loop, &server->wake);
  uv_timer_init(loop, &server->sweep);
  uv_timer_init(loop, &server->reap);
  uv_signal_init(loop, &server->terminate);
  uv_signal_init(loop, &server->interrupt);
  server->handles_open = true;
  server->dirty = true;
  return uv_poll_start(&server->epoll, UV_READABLE, on_epoll) == 0 &&
         uv_prepare_start(&server->prepare, on_prepare) == 0 &&
         uv_check_start(&server->check, on_check) == 0 && start_watchdog(server) &&
         /* the first suspended connection starts it again */
         uv_timer_start(&server->sweep, on_sweep, SRV_SWEEP_MS, SRV_SWEEP_MS) == 0 &&
         uv_timer_stop(&server->sweep) == 0 &&
         uv_timer_start(&server->reap, on_reap, SRV_REAP_MS, SRV_REAP_MS) == 0 &&
         uv_signal_start(&server->terminate, on_signal, SIGTERM) == 0 &&
         uv_signal_start(&server->interrupt, on_signal, SIGINT) == 0;
}

static void close_loop_handles(srv_server *server) {
  if (!server->handles_open) return;
  uv_close((uv_handle_t *)&server->epoll, NULL);
  uv_close((uv_handle_t *)&server->prepare, NULL);
  uv_close((uv_handle_t *)&server->check, NULL);
  uv_close((uv_handle_t *)&server->watchdog, NULL);
  uv_close((uv_handle_t *)&server->wake, NULL);
  uv_close((uv_handle_t *)&server->sweep, NULL);
  uv_close((uv_handle_t *)&server->reap, NULL);
  uv_close((uv_handle_t *)&server->terminate, NULL);
  uv_close((uv_handle_t *)&server->interrupt, NULL);
  server->handles_open = false;
}

/* ---- libmicrohttpd -------------------------------------------------------------------------- */

/* Discards libmicrohttpd's messages, which report clients that have disconnected; the request log
 * contains these already. */
__attribute__((format(printf, 2, 0))) static void
discard_http_message(void *cls, const char *format, va_list arguments) {
  (void)cls;
  (void)format;
  (void)arguments;
}

static bool start_http_daemon(srv_server *server) {
  server->daemon = MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, srv_connection_accept,
      server, srv_http_handle, server, MHD_OPTION_EXTERNAL_LOGGER, discard_http_message, NULL,
      MHD_OPTION_LISTEN_SOCKET, server->listen_fd, MHD_OPTION_NOTIFY_COMPLETED, srv_http_completed,
      server, MHD_OPTION_NOTIFY_CONNECTION, srv_connection_notify, server,
      MHD_OPTION_URI_LOG_CALLBACK, srv_http_uri, server, MHD_OPTION_UNESCAPE_CALLBACK,
      srv_http_unescape, NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SRV_CONNECTION_BYTES,
      MHD_OPTION_CONNECTION_TIMEOUT, SRV_IDLE_SECONDS, MHD_OPTION_CONNECTION_LIMIT,
      (unsigned)server->limits->connections, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
  return server->daemon || report_start_failure("libmicrohttpd", "the HTTP daemon did not start");
}

bool srv_server_listen(srv_server *server) {
  if (!srv_listen_open(server) || !start_http_daemon(server)) return false;
  if (!open_loop_handles(server)) return report_start_failure("libuv", "the loop did not start");
  srv_listen_announce(server);
  return true;
}

/* ---- the server ----------------------------------------------------------------------------- */

static const srv_request_handlers handlers = {
    .resume = srv_job_resume, .dispose = srv_job_dispose, .recreate_call = srv_http_recreate_call};

bool srv_server_create(srv_server *server, const srv_config *config, api_service *service) {
  *server = (srv_server){.config = config,
                         .limits = &config->limits,
                         .service = service,
                         .handlers = &handlers,
                         .listen_fd = -1};
  srv_metrics_begin(&server->metrics);
  char given[SRV_GIVEN_MAX];
  srv_config_given(config, "token-file", given);
  if (!srv_notify_open(&server->notify) || !srv_auth_load(&server->auth, config->token_file, given))
    return false;
  if (getrandom(&server->id_prefix, sizeof server->id_prefix, 0) !=
      (ssize_t)sizeof server->id_prefix)
    return report_start_failure("getrandom", strerror(errno));
  server->loop = malloc(sizeof *server->loop);
  if (!server->loop || uv_loop_init(server->loop) != 0) {
    free(server->loop);
    server->loop = NULL;
    return report_start_failure("libuv", "the loop could not be created");
  }
  server->log = srv_log_create(strcmp(config->log, "stderr") == 0   ? SRV_LOG_ALL
                               : strcmp(config->log, "errors") == 0 ? SRV_LOG_ERRORS
                                                                    : SRV_LOG_OFF);
  server->peers = srv_peers_create();
  const srv_cursor_bounds cursors = {(size_t)config->limits.cursors_per_scene,
                                     config->limits.cursor_seconds * 1000000000u,
                                     config->limits.cursors_bytes};
  server->registry = srv_registry_create(&cursors, srv_free_scene_later, server);
  server->pool =
      srv_pool_create(server->loop, (unsigned)config->workers, (size_t)config->limits.queue,
                      (size_t)config->limits.queue_per_scene);
  /* Stateless requests may use half of the queue at most, so that there is space for requests to
   * scenes. */
  server->stateless.most = (size_t)(config->limits.queue + 1) / 2;
  server->scratch = api_scratch_create();
  server->suspended = calloc((size_t)config->limits.connections, sizeof *server->suspended);
  server->polled = calloc((size_t)config->limits.connections, sizeof *server->polled);
  server->shapes = api_shapes_create();
  if (!server->log || !server->peers || !server->registry || !server->pool || !server->shapes ||
      !server->scratch || !server->suspended || !server->polled)
    return report_start_failure("start", "out of memory");
  return true;
}

void srv_server_run(srv_server *server) {
  notify_ready(server);
  uv_run(server->loop, UV_RUN_DEFAULT);
}

void srv_server_destroy(srv_server *server) {
  close_loop_handles(server);
  if (server->daemon) MHD_stop_daemon(server->daemon);
  else if (server->listen_fd >= 0) close(server->listen_fd);
  srv_recover_end(server);
  srv_shape_expiry_destroy(server->shape_expiry);
  srv_shared_destroy(server->shared);
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
  srv_metrics_end(&server->metrics);
  srv_notify_close(&server->notify);
  free(server->suspended);
  free(server->polled);
  free((void *)(uintptr_t)server->hosts.names);
}
