/* Prometheus' text format, 0.0.4 ("Exposition formats", prometheus.io): HELP and TYPE of each family, then its series. Times are
 * counted in ns and told in seconds, to the last digit, so that nothing depends on how numbers are rounded. Labels hold words of
 * ours alone, so nothing is escaped. */
#include "state/metrics_bounds.h"
#include "state/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

typedef struct text {
  char *bytes;
  size_t length, capacity;
  bool failed;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *out, const char *format, ...) {
  for (;;) {
    va_list arguments;
    va_start(arguments, format);
    size_t room = out->capacity - out->length;
    int length = out->failed ? -1 : vsnprintf(out->bytes ? out->bytes + out->length : NULL, room, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    if ((size_t)length < room) {
      out->length += (size_t)length;
      return;
    }
    size_t capacity = 2 * out->capacity + (size_t)length + 16384;
    char *grown = realloc(out->bytes, capacity);
    if (!grown) {
      out->failed = true;
      return;
    }
    out->bytes = grown;
    out->capacity = capacity;
  }
}

static void family(text *out, const char *name, const char *type, const char *help) {
  put(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

typedef unsigned long long number;

static void gauge(text *out, const char *name, const char *help, uint64_t value) {
  family(out, name, "gauge", help);
  put(out, "%s %llu\n", name, (number)value);
}

static void counter(text *out, const char *name, const char *help, uint64_t value) {
  family(out, name, "counter", help);
  put(out, "%s %llu\n", name, (number)value);
}

static void counter_ns(text *out, const char *name, const char *help, uint64_t ns) {
  family(out, name, "counter", help);
  put(out, "%s %llu.%09llu\n", name, (number)(ns / 1000000000), (number)(ns % 1000000000));
}

/* 100000 becomes "0.0001". */
static const char *seconds(uint64_t ns, char *out, size_t size) {
  int length = snprintf(out, size, "%llu.%09llu", (number)(ns / 1000000000), (number)(ns % 1000000000));
  while (length > 0 && out[length - 1] == '0') length--;
  if (length > 0 && out[length - 1] == '.') length--;
  out[length] = 0;
  return out;
}

/* label: "route=\"/livez\"", or "". */
static void histogram(text *out, const char *name, const char *label, const srv_histogram *figures, bool of_rounds) {
  const uint64_t *bounds = of_rounds ? srv_round_bounds : srv_work_bounds;
  size_t count = of_rounds ? SRV_ROUND_BOUNDS : SRV_WORK_BOUNDS;
  const char *comma = *label ? "," : "", *open = *label ? "{" : "", *close = *label ? "}" : "";
  char bound[32];
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += figures->counts[i];
    put(out, "%s_bucket{%s%sle=\"%s\"} %llu\n", name, label, comma, seconds(bounds[i], bound, sizeof bound), (number)sum);
  }
  sum += figures->counts[count];
  put(out, "%s_bucket{%s%sle=\"+Inf\"} %llu\n", name, label, comma, (number)sum);
  put(out, "%s_sum%s%s%s %llu.%09llu\n", name, open, label, close, (number)(figures->sum_ns / 1000000000),
      (number)(figures->sum_ns % 1000000000));
  put(out, "%s_count%s%s%s %llu\n", name, open, label, close, (number)sum);
}

/* ---- families -------------------------------------------------------------------------------------------------------- */

static void put_route_counts(text *out, const srv_route_figures *route) {
  static const char *const classes[SRV_METRICS_CLASSES] = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};
  for (size_t m = 0; m < SRV_METRICS_METHODS; m++)
    for (size_t c = 0; c < SRV_METRICS_CLASSES; c++)
      if (route->requests[m][c])
        put(out, "contactd_requests_total{route=\"%s\",method=\"%s\",status=\"%s\"} %llu\n", route->label, srv_method_words[m],
            classes[c], (number)route->requests[m][c]);
}

static void put_route_times(text *out, const srv_route_figures *route) {
  char label[128];
  snprintf(label, sizeof label, "route=\"%s\"", route->label);
  histogram(out, "contactd_request_seconds", label, &route->latency, false);
}

static void put_requests(text *out, const srv_server *server) {
  const srv_metrics *m = &server->metrics;
  family(out, "contactd_requests_total", "counter", "Requests by route, method and class of status; none: the client had left.");
  put_route_counts(out, &m->other);
  for (size_t i = 0; i < m->route_count; i++) put_route_counts(out, &m->routes[i]);
  family(out, "contactd_request_seconds", "histogram", "From the end of a request to the beginning of its reply.");
  put_route_times(out, &m->other);
  for (size_t i = 0; i < m->route_count; i++) put_route_times(out, &m->routes[i]);
  gauge(out, "contactd_requests_active", "Requests under way, streams of events left out.", server->requests);
  gauge(out, "contactd_connections", "Open connections.", server->connection_count);
  counter(out, "contactd_connections_total", "Connections accepted.", m->connections);
  gauge(out, "contactd_event_streams", "Open streams of events.", server->stream_count);
}

static void put_work(text *out, srv_server *server) {
  const srv_metrics *m = &server->metrics;
  srv_pool_figures pool;
  srv_pool_get_figures(server->pool, &pool);
  gauge(out, "contactd_queue_depth", "Requests that wait for a worker.", pool.waiting);
  family(out, "contactd_queue_wait_seconds", "histogram", "How long requests that a worker took up had waited.");
  histogram(out, "contactd_queue_wait_seconds", "", &m->queue_wait, false);
  gauge(out, "contactd_workers", "Threads that compute.", server->config->workers);
  gauge(out, "contactd_workers_busy", "Workers that have something to do.", pool.busy);
  counter_ns(out, "contactd_worker_busy_seconds_total", "Time that workers have worked, of pieces that have ended.", pool.busy_ns);
  family(out, "contactd_loop_round_seconds", "histogram",
         "Length of the rounds of the loop, in ms: what arrives in one waits until it ends.");
  histogram(out, "contactd_loop_round_seconds", "", &m->loop_round, true);
  struct timespec used = {0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  counter_ns(out, "contactd_loop_cpu_seconds_total", "Processor time of the loop's thread.",
             (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec);
  const api_solver_counts here = api_scratch_solver_counts(server->scratch);
  counter(out, "contactd_solver_problems_total", "Contact problems solved: islands, raw problems, steps of a motion.",
          pool.solved.problems + here.problems);
  counter(out, "contactd_solver_iterations_total", "Iterations of their solvers.", pool.solved.iterations + here.iterations);
  counter(out, "contactd_solver_failures_total", "Contact problems that were left above the tolerance.",
          pool.solved.failures + here.failures);
}

static void put_state(text *out, const srv_server *server) {
  gauge(out, "contactd_scenes", "Scenes that exist.", srv_registry_count(server->registry));
  gauge(out, "contactd_scenes_loaded", "Those of them that are in memory.", srv_registry_loaded(server->registry));
  counter(out, "contactd_scenes_let_go_total", "Scenes that made room in memory for others; the store has them.",
          server->metrics.let_go);
  gauge(out, "contactd_bodies", "Bodies of the scenes in memory.", srv_registry_bodies(server->registry));
  counter(out, "contactd_revisions_total", "Revisions committed.", server->metrics.revisions);
  gauge(out, "contactd_shapes", "Posted shapes.", api_shapes_count(server->shapes));
  gauge(out, "contactd_shapes_bytes", "Memory of posted shapes.", api_shapes_memory(server->shapes));
  gauge(out, "contactd_request_bodies_bytes", "Memory of request bodies.", server->body_bytes);
  gauge(out, "contactd_replies_bytes", "Replies on their way to clients.", server->reply_bytes);
  counter(out, "contactd_log_lines_dropped_total", "Lines of the log that its reader was too slow for.",
          srv_log_dropped(server->log));
}

static const char *const store_words[SRV_METRICS_STATUSES] = {[SRV_STORE_OK] = "ok",
                                                              [SRV_STORE_CONFLICT] = "moved",
                                                              [SRV_STORE_IN_USE] = "named",
                                                              [SRV_STORE_UNKNOWN] = "unknown",
                                                              [SRV_STORE_FULL] = "full",
                                                              [SRV_STORE_FAILED] = "failed",
                                                              [SRV_STORE_UNAVAILABLE] = "unavailable",
                                                              [SRV_STORE_DAMAGED] = "damaged",
                                                              [SRV_STORE_MEMORY] = "memory"};

static void put_outcomes(text *out, const char *name, const char *help, const uint64_t *counts) {
  family(out, name, "counter", help);
  for (size_t i = 0; i < SRV_METRICS_STATUSES; i++) put(out, "%s{status=\"%s\"} %llu\n", name, store_words[i], (number)counts[i]);
}

static void put_store(text *out, const srv_server *server) {
  const srv_metrics *m = &server->metrics;
  if (!server->store) return;
  srv_store_status status;
  char why[SRV_STORE_WHY];
  gauge(out, "contactd_store_healthy", "1: the store takes writes.", srv_store_healthy(server->store, &status, why));
  gauge(out, "contactd_shapes_corrupt", "Posted shapes that cannot be read from the store.", server->shapes_corrupt);
  put_outcomes(out, "contactd_store_commits_total", "Writes of scenes and shapes to the store, by outcome.", m->commits);
  family(out, "contactd_store_commit_seconds", "histogram", "From a write's submission to the store's answer.");
  histogram(out, "contactd_store_commit_seconds", "", &m->commit, false);
  counter(out, "contactd_store_commit_bytes_total", "Bytes of records committed.", m->commit_bytes);
  if (server->store->shared)
    counter(out, "contactd_store_lost_writes_total",
            "Revisions that were acknowledged and that the store has lost; a scene that has vanished, or was written over, counts "
            "once.",
            m->lost_writes);
  put_outcomes(out, "contactd_store_folds_total", "Bases written in the background, by outcome.", m->folds);
  family(out, "contactd_store_fold_seconds", "histogram", "From a base's submission to the store's answer.");
  histogram(out, "contactd_store_fold_seconds", "", &m->fold, false);
  counter(out, "contactd_store_fold_bytes_total", "Bytes of bases written in the background.", m->fold_bytes);
}

/* Of the kernel: names and meanings as Prometheus' own clients have them. */
static void put_process(text *out, const srv_server *server) {
  unsigned long pages[2] = {0, 0};
  FILE *file = fopen("/proc/self/statm", "re");
  if (file) {
    if (fscanf(file, "%lu %lu", &pages[0], &pages[1]) != 2) pages[0] = pages[1] = 0;
    fclose(file);
  }
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  gauge(out, "process_virtual_memory_bytes", "Virtual memory size in bytes.", pages[0] * page);
  gauge(out, "process_resident_memory_bytes", "Resident memory size in bytes.", pages[1] * page);
  struct rusage usage = {0};
  getrusage(RUSAGE_SELF, &usage);
  counter_ns(out, "process_cpu_seconds_total", "Total user and system CPU time spent in seconds.",
             (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
                 (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u);
  gauge(out, "process_start_time_seconds", "Start time of the process since unix epoch in seconds.", server->metrics.started_s);
}

static void put_limits(text *out, const api_limits *limits) {
  family(out, "contactd_limit", "gauge", "The daemon's limits, as /v1/limits tells them.");
#define PUT_LIMIT(member, name, standard, least, greatest, unit, about)                                                            \
  put(out, "contactd_limit{name=\"" name "\"} %llu\n", (number)limits->member);
  API_LIMIT_MAP(PUT_LIMIT)
#undef PUT_LIMIT
}

char *srv_metrics_text(srv_server *server, size_t *length) {
  text out = {0};
  family(&out, "contactd_build_info", "gauge", "1, with what is running.");
  put(&out, "contactd_build_info{version=\"%s\",durability=\"%s\"} 1\n", CONTACTD_VERSION,
      server->store ? server->store->durability : "memory");
  put_requests(&out, server);
  put_work(&out, server);
  put_state(&out, server);
  put_store(&out, server);
  put_process(&out, server);
  put_limits(&out, server->limits);
  if (out.failed) {
    free(out.bytes);
    return NULL;
  }
  *length = out.length;
  return out.bytes;
}
