/* contactd: settings, the machine's limits, start, end. */
#include "request.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Exit status for settings that cannot be served. */
#define EXIT_SETTINGS 2

/* A request may use at most a quarter of what the control group allows the process. */
static void fit_memory(api_limits *limits) {
  static const char *const files[] = {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    FILE *file = fopen(files[i], "r");
    if (!file) continue;
    unsigned long long bytes = 0;
    /* "max" is no number: no limit. */
    if (fscanf(file, "%llu", &bytes) == 1 && bytes / 4 < limits->request_memory_bytes) limits->request_memory_bytes = bytes / 4;
    fclose(file);
  }
}

/* Open files for every connection; fewer connections when the hard limit forbids it. */
static bool fit_files(api_limits *limits) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return true;
  rlim_t wanted = (rlim_t)limits->connections + SRV_SPARE_FILES;
  if (files.rlim_cur >= wanted) return true;
  files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
  if (files.rlim_cur <= SRV_SPARE_FILES || setrlimit(RLIMIT_NOFILE, &files) != 0) {
    fprintf(stderr, "contactd: the limit of open files, %llu, leaves no room for connections.\n",
            (unsigned long long)files.rlim_cur);
    return false;
  }
  if (files.rlim_cur < wanted) {
    limits->connections = (uint64_t)files.rlim_cur - SRV_SPARE_FILES;
    fprintf(stderr, "contactd: connections are limited to %llu by the limit of open files.\n",
            (unsigned long long)limits->connections);
  }
  return true;
}

static int serve(const srv_config *config, const api_service *service) {
  srv_server server;
  bool ready = srv_server_create(&server, config, service);
  for (size_t i = 0; ready && i < config->scenes.count; i++) ready = srv_preload(&server, config->scenes.items[i]);
  if (ready) ready = srv_server_listen(&server);
  if (ready) srv_server_run(&server);
  srv_server_destroy(&server);
  return ready ? EXIT_SUCCESS : EXIT_SETTINGS;
}

int main(int argc, char **argv) {
  srv_config config;
  switch (srv_config_read(&config, argc, argv)) {
  case SRV_CONFIG_SHOWN: return EXIT_SUCCESS;
  case SRV_CONFIG_BAD: return EXIT_SETTINGS;
  case SRV_CONFIG_RUN: break;
  }
  signal(SIGPIPE, SIG_IGN);
  int status = EXIT_SETTINGS;
  if (fit_files(&config.limits)) {
    fit_memory(&config.limits);
    api_settings settings = {.limits = config.limits, .durability = config.durability, .workers = (unsigned)config.workers};
    api_service *service = api_service_create(&settings);
    if (service) status = serve(&config, service);
    else fprintf(stderr, "contactd: start: out of memory.\n");
    if (service) api_service_destroy(service);
  }
  srv_config_free(&config);
  return status;
}
