/* Metrics in the Prometheus text format 0.0.4 ("Exposition formats", prometheus.io): for each
 * family HELP and TYPE, then its series.
 *
 * Times are counted in ns and written in seconds with all digits, so that no value is rounded.
 * Label values are constants of the daemon and need no escaping. */
#include "process/array.h"
#include "state/server.h"

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

__attribute__((format(printf, 2, 3))) static void append_text(text *out, const char *format, ...) {
  for (;;) {
    va_list arguments;
    va_start(arguments, format);
    size_t room = out->capacity - out->length;
    int length = out->failed ? -1
                             : vsnprintf(out->bytes ? out->bytes + out->length : NULL, room, format,
                                         arguments);
    va_end(arguments);
    if (length < 0) return;
    if ((size_t)length < room) {
      out->length += (size_t)length;
      return;
    }
    out->failed =
        !srv_array_reserve(&out->bytes, &out->capacity, out->length + (size_t)length + 1, 1, 16384);
  }
}

static void append_family(text *out, const char *name, const char *type, const char *help) {
  append_text(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

typedef unsigned long long number;

static void append_gauge(text *out, const char *name, const char *help, uint64_t value) {
  append_family(out, name, "gauge", help);
  append_text(out, "%s %llu\n", name, (number)value);
}

static void append_counter(text *out, const char *name, const char *help, uint64_t value) {
  append_family(out, name, "counter", help);
  append_text(out, "%s %llu\n", name, (number)value);
}

static void append_counter_ns(text *out, const char *name, const char *help, uint64_t ns) {
  append_family(out, name, "counter", help);
  append_text(out, "%s %llu.%09llu\n", name, (number)(ns / 1000000000), (number)(ns % 1000000000));
}

/* Formats a time in seconds without trailing zeros: 100000 becomes "0.0001". */
static const char *format_seconds(uint64_t ns, char *out, size_t size) {
  int length =
      snprintf(out, size, "%llu.%09llu", (number)(ns / 1000000000), (number)(ns % 1000000000));
  while (length > 0 && out[length - 1] == '0') length--;
  if (length > 0 && out[length - 1] == '.') length--;
  out[length] = 0;
  return out;
}

/* Appends a histogram: cumulative buckets, sum and count. label: labels of the series, such as
 * "route=\"/livez\"", or "". */
static void append_histogram(text *out, const char *name, const char *label,
                             const srv_histogram *figures, bool of_rounds) {
  const uint64_t *bounds = of_rounds ? srv_round_bounds : srv_work_bounds;
  size_t count = of_rounds ? SRV_ROUND_BOUNDS : SRV_WORK_BOUNDS;
  const char *comma = *label ? "," : "", *open = *label ? "{" : "", *close = *label ? "}" : "";
  char bound[32];
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += figures->counts[i];
    append_text(out, "%s_bucket{%s%sle=\"%s\"} %llu\n", name, label, comma,
                format_seconds(bounds[i], bound, sizeof bound), (number)sum);
  }
  sum += figures->counts[count];
  append_text(out, "%s_bucket{%s%sle=\"+Inf\"} %llu\n", name, label, comma, (number)sum);
  append_text(out, "%s_sum%s%s%s %llu.%09llu\n", name, open, label, close,
              (number)(figures->sum_ns / 1000000000), (number)(figures->sum_ns % 1000000000));
  append_text(out, "%s_count%s%s%s %llu\n", name, open, label, close, (number)sum);
}

/* ---- families ------------------------------------------------------------------------------- */

static void append_route_counts(text *out, const srv_route_figures *route) {
  static const char *const classes[SRV_METRICS_CLASSES] = {"none", "1xx", "2xx",
                                                           "3xx",  "4xx", "5xx"};
  for (size_t m = 0; m < SRV_METRICS_METHODS; m++)
    for (size_t c = 0; c < SRV_METRICS_CLASSES; c++)
      if (route->requests[m][c])
        append_text(out, "contactd_requests_total{route=\"%s\",method=\"%s\",status=\"%s\"} %llu\n",
                    route->label, srv_method_words[m], classes[c], (number)route->requests[m][c]);
}

static void append_route_times(text *out, const srv_route_figures *route) {
  char label[128];
  snprintf(label, sizeof label, "route=\"%s\"", route->label);
  append_histogram(out, "contactd_request_seconds", label, &route->latency, false);
}

static void append_requests(text *out, const srv_server *server) {
  const srv_metrics *m = &server->metrics;
  append_family(
      out, "contactd_requests_total", "counter",
      "Requests by route, method and class of status; none: the client had disconnected.");
  append_route_counts(out, &m->other);
  for (size_t i = 0; i < m->route_count; i++) append_route_counts(out, &m->routes[i]);
  append_family(out, "contactd_request_seconds", "histogram",
                "From the end of a request to the beginning of its reply.");
  append_route_times(out, &m->other);
  for (size_t i = 0; i < m->route_count; i++) append_route_times(out, &m->routes[i]);
  append_gauge(out, "contactd_requests_active", "Requests being processed, without event streams.",
               server->requests);
  append_gauge(out, "contactd_connections", "Open connections.", server->connection_count);
  append_counter(out, "contactd_connections_total", "Connections accepted.", m->connections);
  append_gauge(out, "contactd_event_streams", "Open event streams.", server->stream_count);
}

static void append_work(text *out, srv_server *server) {
  const srv_metrics *m = &server->metrics;
  srv_pool_figures pool;
  srv_pool_get_figures(server->pool, &pool);
  append_gauge(out, "contactd_queue_depth", "Requests that wait for a worker.", pool.waiting);
  append_family(out, "contactd_queue_wait_seconds", "histogram",
                "Time that requests waited for a worker.");
  append_histogram(out, "contactd_queue_wait_seconds", "", &m->queue_wait, false);
  append_gauge(out, "contactd_workers", "Worker threads.", server->config->workers);
  append_gauge(out, "contactd_workers_busy", "Workers that are busy.", pool.busy);
  append_counter_ns(out, "contactd_worker_busy_seconds_total",
                    "Time that workers were busy, counted when a piece of work ends.",
                    pool.busy_ns);
  append_family(out, "contactd_loop_round_seconds", "histogram",
                "Duration of an iteration of the event loop: input that arrives meanwhile waits "
                "for its end.");
  append_histogram(out, "contactd_loop_round_seconds", "", &m->loop_round, true);
  struct timespec used = {0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  append_counter_ns(out, "contactd_loop_cpu_seconds_total", "CPU time of the loop thread.",
                    (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec);
  const api_solver_counts here = api_scratch_solver_counts(server->scratch);
  append_counter(out, "contactd_solver_problems_total",
                 "Contact problems solved: islands, raw problems, steps of a motion.",
                 pool.solved.problems + here.problems);
  append_counter(out, "contactd_solver_iterations_total",
                 "Solver iterations of all contact problems.",
                 pool.solved.iterations + here.iterations);
  append_counter(out, "contactd_solver_failures_total",
                 "Contact problems that did not converge to the tolerance.",
                 pool.solved.failures + here.failures);
}

static void append_state(text *out, const srv_server *server) {
  append_gauge(out, "contactd_scenes", "Scenes that exist.", srv_registry_count(server->registry));
  append_gauge(out, "contactd_scenes_loaded", "Scenes in memory.",
               srv_registry_loaded(server->registry));
  append_counter(out, "contactd_scenes_let_go_total",
                 "Scenes evicted from memory; the store has them.", server->metrics.evicted);
  append_gauge(out, "contactd_bodies", "Bodies of the scenes in memory.",
               srv_registry_bodies(server->registry));
  append_counter(out, "contactd_revisions_total", "Revisions committed.",
                 server->metrics.revisions);
  append_gauge(out, "contactd_shapes", "Posted shapes.", api_shapes_count(server->shapes));
  append_gauge(out, "contactd_shapes_bytes", "Memory of posted shapes.",
               api_shapes_memory(server->shapes));
  append_gauge(out, "contactd_request_bodies_bytes", "Memory of request bodies.",
               server->body_bytes);
  append_gauge(out, "contactd_replies_bytes", "Bytes of unsent replies.", server->reply_bytes);
  append_counter(out, "contactd_log_lines_dropped_total",
                 "Log lines dropped because the log's reader was too slow.",
                 srv_log_dropped(server->log));
}

static const char *const store_words[SRV_METRICS_STATUSES] = {[SRV_STORE_OK] = "ok",
                                                              [SRV_STORE_CONFLICT] = "moved",
                                                              [SRV_STORE_IN_USE] = "named",
                                                              [SRV_STORE_UNKNOWN] = "unknown",
                                                              [SRV_STORE_FULL] = "full",
                                                              [SRV_STORE_FAILED] = "failed",
                                                              [SRV_STORE_UNAVAILABLE] =
                                                                  "unavailable",
                                                              [SRV_STORE_DAMAGED] = "damaged",
                                                              [SRV_STORE_MEMORY] = "memory"};

static void append_outcomes(text *out, const char *name, const char *help, const uint64_t *counts) {
  append_family(out, name, "counter", help);
  for (size_t i = 0; i < SRV_METRICS_STATUSES; i++)
    append_text(out, "%s{status=\"%s\"} %llu\n", name, store_words[i], (number)counts[i]);
}

static void append_store(text *out, const srv_server *server) {
  const srv_metrics *m = &server->metrics;
  if (!server->store) return;
  srv_store_status status;
  char why[SRV_STORE_WHY];
  append_gauge(out, "contactd_store_healthy",
               "1: the store is connected and has not failed; a full store counts as healthy.",
               srv_store_healthy(server->store, &status, why));
  append_gauge(out, "contactd_scenes_bytes",
               "Estimated memory of the scenes in memory, as --scene-memory counts it.",
               srv_registry_bytes(server->registry));
  append_gauge(out, "contactd_scenes_corrupt", "Scenes that cannot be read from the store.",
               srv_registry_count_presence(server->registry, SRV_PRESENCE_CORRUPT));
  append_gauge(out, "contactd_shapes_corrupt", "Posted shapes that cannot be read from the store.",
               server->shapes_corrupt);
  append_outcomes(out, "contactd_store_commits_total",
                  "Writes of scenes and shapes to the store, by outcome.", m->commits);
  append_family(out, "contactd_store_commit_seconds", "histogram",
                "From a write's submission to the store's answer.");
  append_histogram(out, "contactd_store_commit_seconds", "", &m->commit, false);
  append_counter(out, "contactd_store_commit_bytes_total", "Bytes of records committed.",
                 m->commit_bytes);
  if (server->store->shared)
    append_counter(out, "contactd_store_lost_writes_total",
                   "Acknowledged revisions that the store has lost; a scene that is missing or was "
                   "overwritten counts once.",
                   m->lost_writes);
  append_outcomes(out, "contactd_store_folds_total", "Bases written in the background, by outcome.",
                  m->folds);
  append_family(out, "contactd_store_fold_seconds", "histogram",
                "From a base's submission to the store's answer.");
  append_histogram(out, "contactd_store_fold_seconds", "", &m->fold, false);
  append_counter(out, "contactd_store_fold_bytes_total",
                 "Bytes of bases written in the background.", m->fold_bytes);
}

/* Appends the metrics of the process as the kernel reports them, with the names and meanings of the
 * official Prometheus clients. */
static void append_process(text *out, const srv_server *server) {
  unsigned long pages[2] = {0, 0};
  FILE *file = fopen("/proc/self/statm", "re");
  if (file) {
    if (fscanf(file, "%lu %lu", &pages[0], &pages[1]) != 2) pages[0] = pages[1] = 0;
    fclose(file);
  }
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  append_gauge(out, "process_virtual_memory_bytes", "Virtual memory size in bytes.",
               pages[0] * page);
  append_gauge(out, "process_resident_memory_bytes", "Resident memory size in bytes.",
               pages[1] * page);
  struct rusage usage = {0};
  getrusage(RUSAGE_SELF, &usage);
  append_counter_ns(out, "process_cpu_seconds_total",
                    "Total user and system CPU time spent in seconds.",
                    (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
                        (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u);
  append_gauge(out, "process_start_time_seconds",
               "Start time of the process since unix epoch in seconds.", server->metrics.started_s);
}

static void append_limits(text *out, const api_limits *limits) {
  append_family(out, "contactd_limit", "gauge", "The daemon's limits, as listed by /v1/limits.");
#define PUT_LIMIT(member, name, standard, least, greatest, unit, about)                            \
  append_text(out, "contactd_limit{name=\"" name "\"} %llu\n", (number)limits->member);
  API_LIMIT_MAP(PUT_LIMIT)
#undef PUT_LIMIT
}

char *srv_metrics_text(srv_server *server, size_t *length) {
  text out = {0};
  append_family(&out, "contactd_build_info", "gauge",
                "Always 1; the labels are the version and the durability.");
  append_text(&out, "contactd_build_info{version=\"%s\",durability=\"%s\"} 1\n", CONTACTD_VERSION,
              server->store ? server->store->durability : "memory");
  append_requests(&out, server);
  append_work(&out, server);
  append_state(&out, server);
  append_store(&out, server);
  append_process(&out, server);
  append_limits(&out, server->limits);
  if (out.failed) {
    free(out.bytes);
    return NULL;
  }
  *length = out.length;
  return out.bytes;
}
