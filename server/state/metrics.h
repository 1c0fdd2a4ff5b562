/* Figures of the daemon's work for GET /metrics, in Prometheus' text format 0.0.4. Counted where things happen, on the loop thread;
 * what a worker did is added when its piece has ended. Series are bounded: routes by their templates, methods and states by lists.
 */
#ifndef SRV_STATE_METRICS_H
#define SRV_STATE_METRICS_H

#include <stddef.h>
#include <stdint.h>

struct srv_request;
struct srv_server;
struct srv_store_write;

/* At most so many bounds of a histogram, without the infinite one. */
#define SRV_BOUNDS_MAX 16
/* States of SRV_STORE_* */
#define SRV_METRICS_STATUSES 9
#define SRV_METRICS_METHODS 8
/* No reply, then 1xx to 5xx. */
#define SRV_METRICS_CLASSES 6

typedef struct srv_histogram {
  uint64_t counts[SRV_BOUNDS_MAX + 1]; /* each alone; the last: above all bounds */
  uint64_t sum_ns;
} srv_histogram;

/* Requests of one route. */
typedef struct srv_route_figures {
  const char *label; /* static */
  uint64_t requests[SRV_METRICS_METHODS][SRV_METRICS_CLASSES];
  srv_histogram latency;
} srv_route_figures;

typedef struct srv_metrics {
  srv_route_figures *routes; /* [route_count], in the order in which they were first asked */
  size_t route_count, route_capacity;
  srv_route_figures other; /* no route matched */
  srv_histogram queue_wait, loop_round, commit, fold;
  uint64_t commits[SRV_METRICS_STATUSES], folds[SRV_METRICS_STATUSES]; /* by srv_store_status */
  uint64_t commit_bytes, fold_bytes;
  uint64_t lost_writes; /* acknowledged once, and not in the store any more */
  uint64_t connections; /* ever */
  uint64_t revisions;   /* committed */
  uint64_t let_go;      /* scenes that made room for others */
  uint64_t started_s;   /* of the clock */
} srv_metrics;

void srv_metrics_begin(srv_metrics *metrics);
void srv_metrics_end(srv_metrics *metrics);

/* The request has ended, or its client has left. queue_ns: 0, or what passed until a worker took it up. */
void srv_metrics_request(struct srv_request *request, uint64_t queue_ns);
/* The loop goes to sleep after a round that took so long. */
void srv_metrics_round(srv_metrics *metrics, uint64_t ns);

/* Submits a write to the server's store, and notes when. */
void srv_metrics_submit(struct srv_server *server, struct srv_store_write *write);
/* To be called first in the write's `done`. */
void srv_metrics_stored(struct srv_server *server, const struct srv_store_write *write);

/* The text, without a closing zero. free() it; NULL: out of memory. O(routes asked so far), no matter how many scenes. */
char *srv_metrics_text(struct srv_server *server, size_t *length);

#endif
