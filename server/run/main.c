/* Entry point of contactd: reads the settings, opens the store, preloads scenes, serves, exits.
 *
 * Exit status: 0 after a drain or a help text, 1 for a failed health check, 2 for invalid settings
 * or a failed start. Each failure writes one sentence to standard error. */
#include "process/health.h"
#include "process/machine.h"
#include "run/run.h"
#include "scenes/preload.h"
#include "scenes/recover.h"
#include "scenes/shape_expiry.h"
#include "scenes/shared_store.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* malloc maps blocks of at least this size separately, B, so that freeing one returns it to the
 * kernel. */
#define LARGE_BLOCK_BYTES 1048576

/* Exit status for invalid settings and for a failed start. */
#define EXIT_SETTINGS 2

/* Logs an event of the store, and updates the durability in replies, which the event may have
 * changed. */
static void log_store_event(void *cls, const char *event, const char *detail) {
  srv_server *server = cls;
  srv_log_event(server->log, event, detail);
  api_service_set_durability(server->service, server->store->durability);
}

/* Opens the store in Redis. False after one sentence on standard error. */
static bool open_shared_store(srv_server *server) {
  const srv_config *config = server->config;
  char url_given[SRV_GIVEN_MAX], file_given[SRV_GIVEN_MAX];
  const srv_store_redis_options options = {
      .url = config->store,
      .password_file = config->store_password_file,
      .url_given = srv_config_given(config, "store", url_given),
      .password_file_given = srv_config_given(config, "store-password-file", file_given)};
  server->store = srv_store_redis_open(server->loop, &options);
  if (!server->store) return false;
  server->store->event_writes_max = config->limits.event_ring;
  server->store->event_bytes_max = config->limits.event_backlog_bytes * API_EVENTS_BACKLOGS;
  server->shared = srv_shared_create(srv_recover_reload_corrupt);
  if (!server->shared) {
    fprintf(stderr, "contactd: start: out of memory.\n");
    return false;
  }
  api_service_set_durability(server->service, server->store->durability);
  srv_store_status status;
  char why[SRV_STORE_WHY];
  /* If Redis is unreachable now, its durability is logged when it connects. */
  if (srv_store_healthy(server->store, &status, why) &&
      strcmp(server->store->durability, "memory") == 0)
    srv_log_event(server->log, "storeNotDurable", server->store->memory_why);
  return true;
}

/* Opens the store that the settings name, if there is one, and reads its list of scenes. False
 * after one sentence on standard error. */
static bool open_configured_store(srv_server *server) {
  const srv_config *config = server->config;
  if (config->store) {
    if (!open_shared_store(server)) return false;
  } else if (strcmp(config->durability, "disk") == 0) {
    server->store = srv_store_sqlite_open(server->loop, config->data);
    if (!server->store) return false;
  } else {
    static const char ignored_data_notice[] =
        "scenes are in memory only; --durability disk also stores them in the folder";
    if (config->data_idle) srv_log_event(server->log, "dataNotUsed", ignored_data_notice);
    return true;
  }
  /* Findings from the opening of the store are reported through this callback later. */
  server->store->report = log_store_event;
  server->store->report_cls = server;
  server->shape_expiry = srv_shape_expiry_create();
  if (server->shape_expiry) return srv_recover_list(server);
  fprintf(stderr, "contactd: start: out of memory.\n");
  return false;
}

/* Starts the daemon, serves until the drain is over, and returns the exit status. */
static int run_server(const srv_config *config, api_service *service) {
  srv_server server;
  bool ready = srv_server_create(&server, config, service) && open_configured_store(&server);
  for (size_t i = 0; ready && i < config->scenes.count; i++)
    ready = srv_preload(&server, config->scenes.items[i]);
  if (ready) ready = srv_server_listen(&server);
  if (ready && server.store) srv_recover_begin(&server);
  if (ready) srv_server_run(&server);
  srv_server_destroy(&server);
  return ready ? EXIT_SUCCESS : EXIT_SETTINGS;
}

int main(int argc, char **argv) {
  srv_config config;
  if (!srv_machine_open_standard()) return EXIT_SETTINGS;
  switch (srv_config_read(&config, argc, argv)) {
  case SRV_CONFIG_SHOWN: return EXIT_SUCCESS;
  case SRV_CONFIG_BAD: return EXIT_SETTINGS;
  case SRV_CONFIG_RUN: break;
  }
  signal(SIGPIPE, SIG_IGN);
  /* At the file size limit, write(2) must fail with EFBIG, which the store reports, instead of
   * ending the daemon. */
  signal(SIGXFSZ, SIG_IGN);
  /* The memory of large replies and bodies is returned to the kernel instead of staying in the
   * heap. */
  mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
  mallopt(M_TRIM_THRESHOLD, LARGE_BLOCK_BYTES);
  if (config.healthcheck) {
    bool ready = srv_health_check(&config);
    srv_config_free(&config);
    return ready ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  int status = EXIT_SETTINGS;
  if (srv_machine_fit_files(&config.limits)) {
    srv_machine_fit_memory(&config.limits);
    if (config.print) {
      bool printed = srv_config_print(&config);
      srv_config_free(&config);
      return printed ? EXIT_SUCCESS : EXIT_SETTINGS;
    }
    api_settings settings = {.limits = config.limits,
                             .durability = config.durability,
                             .workers = (unsigned)config.workers};
    api_service *service = api_service_create(&settings);
    if (service) status = run_server(&config, service);
    else fprintf(stderr, "contactd: start: out of memory.\n");
    if (service) api_service_destroy(service);
  }
  srv_config_free(&config);
  return status;
}
