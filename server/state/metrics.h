/* Metrics of the daemon for GET /metrics, in the Prometheus text format 0.0.4.
 *
 * Counted on the loop thread; the work of a worker is added when its piece ends. The number of
 * series is bounded: routes by their templates, methods and states by fixed lists. */
#ifndef SRV_STATE_METRICS_H
#define SRV_STATE_METRICS_H

#include "store/store.h"

struct srv_server;

/* Bounds of the histograms of work and of loop iterations, without +Inf. */
#define SRV_WORK_BOUNDS 16
#define SRV_ROUND_BOUNDS 10
/* The greater of the two. */
#define SRV_BOUNDS_MAX SRV_WORK_BOUNDS
/* Number of srv_store_status values. */
#define SRV_METRICS_STATUSES 9
#define SRV_METRICS_METHODS 8
/* Classes of status: no reply, then 1xx to 5xx. */
#define SRV_METRICS_CLASSES 6

/* ns, ascending */
extern const uint64_t srv_work_bounds[SRV_WORK_BOUNDS];
extern const uint64_t srv_round_bounds[SRV_ROUND_BOUNDS];
/* The last one, "other", stands for all other methods. */
extern const char *const srv_method_words[SRV_METRICS_METHODS];

typedef struct srv_histogram {
  uint64_t counts[SRV_BOUNDS_MAX + 1]; /* per bucket, not cumulative; last: above all bounds */
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
  uint64_t commits[SRV_METRICS_STATUSES], folds[SRV_METRICS_STATUSES]; /* by srv_store_status */
  uint64_t commit_bytes, fold_bytes;
  uint64_t lost_writes; /* acknowledged writes that the store has lost */
  uint64_t connections; /* accepted since the start */
  uint64_t revisions;   /* committed since the start */
  uint64_t evicted;     /* scenes evicted from memory */
  uint64_t started_s;   /* time of the start, s since the epoch */
} srv_metrics;

void srv_metrics_begin(srv_metrics *metrics);
void srv_metrics_end(srv_metrics *metrics);

/* A request that has ended or whose client has disconnected. */
typedef struct srv_metrics_sample {
  const char *route; /* template; NULL: none matched */
  const char *method;
  int status;          /* 0: no reply was sent */
  uint64_t latency_ns; /* from the end of the request to the beginning of its reply; 0: none */
  uint64_t queue_ns;   /* time in the queue; 0: never started */
} srv_metrics_sample;

void srv_metrics_request(srv_metrics *metrics, const srv_metrics_sample *sample);
/* Records the duration of one iteration of the loop. */
void srv_metrics_round(srv_metrics *metrics, uint64_t ns);

/* Counts a completed write. Call first in the write's `done`. */
void srv_metrics_stored(srv_metrics *metrics, const srv_store_write *write);

/* Formats all metrics, without a terminating zero. free() it. NULL: out of memory. O(routes used so
 * far), independent of the number of scenes. */
char *srv_metrics_text(struct srv_server *server, size_t *length);

#endif
