/* Counts requests, iterations of the event loop, and writes to the store. */
#include "state/metrics.h"

#include "process/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Static_assert(SRV_METRICS_STATUSES == SRV_STORE_MEMORY + 1,
               "a state of the store without a series");

/* Bounds of 1, 2.5 and 5 times powers of ten, ns: from the time of a small query to twice the
 * default deadline. */
const uint64_t srv_work_bounds[SRV_WORK_BOUNDS] = {
    100000,   250000,    500000,    1000000,   2500000,    5000000,    10000000,   25000000,
    50000000, 100000000, 250000000, 500000000, 1000000000, 2500000000, 5000000000, 10000000000};
/* In whole milliseconds, the resolution of uv_now, by which iterations are measured. */
const uint64_t srv_round_bounds[SRV_ROUND_BOUNDS] = {1000000,   2000000,   5000000,   10000000,
                                                     20000000,  50000000,  100000000, 200000000,
                                                     500000000, 1000000000};

const char *const srv_method_words[SRV_METRICS_METHODS] = {"GET",   "HEAD",   "POST",    "PUT",
                                                           "PATCH", "DELETE", "OPTIONS", "other"};

static void observe(srv_histogram *histogram, const uint64_t *bounds, size_t count, uint64_t ns) {
  size_t at = 0;
  while (at < count && ns > bounds[at]) at++;
  histogram->counts[at]++;
  histogram->sum_ns += ns;
}

void srv_metrics_begin(srv_metrics *metrics) {
  *metrics = (srv_metrics){.other = {.label = "none"}, .started_s = (uint64_t)time(NULL)};
}

void srv_metrics_end(srv_metrics *metrics) {
  free(metrics->routes);
  metrics->routes = NULL;
}

/* ---- requests ------------------------------------------------------------------------------- */

/* Finds a route by its label: first by pointer, since labels are static, then by text. NULL: not
 * found. */
static srv_route_figures *find_route(srv_metrics *metrics, const char *label) {
  for (size_t i = 0; i < metrics->route_count; i++)
    if (metrics->routes[i].label == label) return &metrics->routes[i];
  for (size_t i = 0; i < metrics->route_count; i++)
    if (strcmp(metrics->routes[i].label, label) == 0) return &metrics->routes[i];
  return NULL;
}

/* Returns the metrics of a route, which are added if they are new. label NULL, or out of memory:
 * those of requests without a route. */
static srv_route_figures *get_or_add_route(srv_metrics *metrics, const char *label) {
  srv_route_figures *found = label ? find_route(metrics, label) : &metrics->other;
  if (found) return found;
  if (!srv_array_reserve(&metrics->routes, &metrics->route_capacity, metrics->route_count + 1,
                         sizeof *metrics->routes, 16))
    return &metrics->other;
  found = &metrics->routes[metrics->route_count++];
  *found = (srv_route_figures){.label = label};
  return found;
}

static size_t get_method_index(const char *method) {
  size_t which = 0;
  while (which + 1 < SRV_METRICS_METHODS && strcmp(srv_method_words[which], method) != 0) which++;
  return which;
}

void srv_metrics_request(srv_metrics *metrics, const srv_metrics_sample *sample) {
  srv_route_figures *route = get_or_add_route(metrics, sample->route);
  int class = sample->status / 100;
  if (class < 0 || class >= SRV_METRICS_CLASSES) class = 0;
  route->requests[get_method_index(sample->method)][class]++;
  if (sample->latency_ns)
    observe(&route->latency, srv_work_bounds, SRV_WORK_BOUNDS, sample->latency_ns);
  if (sample->queue_ns)
    observe(&metrics->queue_wait, srv_work_bounds, SRV_WORK_BOUNDS, sample->queue_ns);
}

void srv_metrics_round(srv_metrics *metrics, uint64_t ns) {
  observe(&metrics->loop_round, srv_round_bounds, SRV_ROUND_BOUNDS, ns);
}

/* ---- the store ------------------------------------------------------------------------------ */

void srv_metrics_stored(srv_metrics *metrics, const srv_store_write *write) {
  assert(write->status < SRV_METRICS_STATUSES);
  bool fold = write->act == SRV_STORE_COMPACT, ok = write->status == SRV_STORE_OK;
  (fold ? metrics->folds : metrics->commits)[write->status]++;
  if (ok) *(fold ? &metrics->fold_bytes : &metrics->commit_bytes) += write->length;
  observe(fold ? &metrics->fold : &metrics->commit, srv_work_bounds, SRV_WORK_BOUNDS,
          uv_hrtime() - write->submitted_ns);
}
