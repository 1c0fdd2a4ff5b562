/* Metrics of the daemon for GET /metrics, in the Prometheus text format 0.0.4.
 *
 * Metrics are counted on the loop thread; the work of a worker is added when its piece ends. The
 * number of series is bounded: routes are counted by their templates, methods and statuses by fixed
 * lists. */
#ifndef SRV_STATE_METRICS_H
#define SRV_STATE_METRICS_H

#include "store/store.h"

struct srv_server;

/* Number of bounds of the histograms of work and of loop iterations, without +Inf. */
#define SRV_WORK_BOUNDS 16
#define SRV_ROUND_BOUNDS 10
/* The larger of the two numbers of bounds. */
#define SRV_BOUNDS_MAX SRV_WORK_BOUNDS
/* Number of values of srv_store_status, by which writes are counted. */
#define SRV_METRICS_STATUSES 9
#define SRV_METRICS_METHODS 8
/* Number of classes of HTTP status: no reply, then 1xx to 5xx. */
#define SRV_METRICS_CLASSES 6

/* Bounds of the histograms, ns, ascending. */
extern const uint64_t srv_work_bounds[SRV_WORK_BOUNDS];
extern const uint64_t srv_round_bounds[SRV_ROUND_BOUNDS];
/* Methods that are counted; the last one, "other", stands for all remaining methods. */
extern const char *const srv_method_words[SRV_METRICS_METHODS];

typedef struct srv_histogram {
  uint64_t counts[SRV_BOUNDS_MAX + 1]; /* number of values per bucket, not cumulative; the last
                                          bucket is above all bounds */
  uint64_t sum_ns;
} srv_histogram;

/* Metrics of one route. */
typedef struct srv_route_figures {
  const char *label; /* static */
  uint64_t requests[SRV_METRICS_METHODS][SRV_METRICS_CLASSES];
  srv_histogram latency;
} srv_route_figures;

typedef struct srv_metrics {
  srv_route_figures *routes; /* [route_count], in order of first use */
  size_t route_count, route_capacity;
  srv_route_figures other; /* requests without a matching route */
  srv_histogram queue_wait, loop_round, commit, fold;
  uint64_t commits[SRV_METRICS_STATUSES],
      folds[SRV_METRICS_STATUSES]; /* writes and compactions by srv_store_status */
  uint64_t commit_bytes, fold_bytes;
  uint64_t lost_writes; /* acknowledged writes that the store has lost */
  uint64_t connections; /* connections accepted since the start */
  uint64_t revisions;   /* revisions committed since the start */
  uint64_t evicted;     /* scenes evicted from memory since the start */
  uint64_t started_s;   /* time of the start, s since the epoch */
} srv_metrics;

void srv_metrics_begin(srv_metrics *metrics);
void srv_metrics_end(srv_metrics *metrics);

/* A request that has ended, or whose client has disconnected, to be counted. */
typedef struct srv_metrics_sample {
  const char *route; /* template; NULL: none matched */
  const char *method;
  int status;          /* 0: no reply was sent */
  uint64_t latency_ns; /* from the end of the request to the start of its reply; 0: no reply */
  uint64_t queue_ns;   /* time for which the request was queued; 0: its work never started */
} srv_metrics_sample;

void srv_metrics_request(srv_metrics *metrics, const srv_metrics_sample *sample);
/* Records the duration of one iteration of the event loop. */
void srv_metrics_round(srv_metrics *metrics, uint64_t ns);

/* Counts a completed write to the store. Must be called first in the write's `done`. */
void srv_metrics_stored(srv_metrics *metrics, const srv_store_write *write);

/* Formats all metrics, without a terminating zero; free() the text. NULL: out of memory. O(routes
 * used so far), independent of the number of scenes. */
char *srv_metrics_text(struct srv_server *server, size_t *length);

#endif
