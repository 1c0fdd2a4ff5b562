/* Job queues in front of libuv's thread pool, scheduled round robin: one lane per scene, one for
 * stateless work.
 *
 * libuv has at most one running and one waiting piece per worker, so that waiting jobs can be
 * counted, refused and withdrawn here. A job is split into pieces: `take` (loop thread) selects the
 * next piece, `run` (worker) executes it, `done` (loop thread) is called at its end. Pieces of one
 * job may run concurrently. Jobs of a lane, and lanes, alternate piece by piece. Independent of
 * requests. */
#ifndef SRV_STATE_POOL_H
#define SRV_STATE_POOL_H

#include <api/api.h>
#include <uv.h>

typedef struct srv_pool srv_pool;
typedef struct srv_lane srv_lane;
typedef struct srv_job srv_job;

#define SRV_NO_PIECE (-1L)

struct srv_job {
  /* Selects the next piece; SRV_NO_PIECE: none now, the job is removed from its lane. NULL: each
   * submission has one piece, 0. */
  long (*take)(srv_job *job);
  void (*run)(srv_job *job, long piece, api_scratch *scratch);
  void (*done)(srv_job *job, long piece);
  /* Private to the pool: */
  srv_lane *lane;
  srv_job *next, *previous;
  bool listed;      /* in its lane's list */
  bool waiting;     /* counted as waiting for its first piece */
  bool active;      /* its first piece has begun, and it is not withdrawn */
  unsigned running; /* pieces on workers */
};

typedef struct srv_job_list {
  srv_job *first, *last;
} srv_job_list;

/* Zero-initialise. Must outlive its jobs. */
struct srv_lane {
  srv_job_list fresh;   /* jobs that have not begun */
  srv_job_list started; /* jobs that have begun and have more pieces */
  bool fresh_next;      /* which list is served next */
  size_t most;          /* jobs that may wait; 0: queue_per_scene */
  size_t waiting, active;
  srv_lane *next, *previous; /* ring of lanes with jobs */
  bool listed;
};

/* workers: at most SRV_WORKERS_MAX (config.h). Sets the size of libuv's pool, which must be unused
 * so far. queue and queue_per_scene bound the waiting jobs of all lanes and of one. NULL: out of
 * memory. */
srv_pool *srv_pool_create(uv_loop_t *loop, unsigned workers, size_t queue, size_t queue_per_scene);
/* No job may be left. */
void srv_pool_destroy(srv_pool *pool);

/* True if one more job may wait in the lane. */
bool srv_pool_has_space(const srv_pool *pool, const srv_lane *lane);
/* Counts the job as waiting in the lane without queueing it: for a write behind another one. */
void srv_pool_expect(srv_pool *pool, srv_job *job, srv_lane *lane);
/* Queues a job that has not begun (fresh), or one that continues. */
void srv_pool_submit(srv_pool *pool, srv_job *job, srv_lane *lane, bool fresh);
/* Removes the job from its lane and the counts. Running pieces still end with a call of `done`. */
void srv_pool_withdraw(srv_pool *pool, srv_job *job);
/* True if every worker has a piece. */
bool srv_pool_crowded(const srv_pool *pool);

typedef struct srv_pool_figures {
  size_t waiting;   /* jobs that wait for their first piece */
  unsigned busy;    /* workers that have a piece */
  uint64_t busy_ns; /* run time of ended pieces, sum over all workers */
  api_solver_counts solved;
} srv_pool_figures;

void srv_pool_get_figures(const srv_pool *pool, srv_pool_figures *out);
/* Submits pieces to libuv while it has free slots. Call after srv_pool_submit. */
void srv_pool_pump(srv_pool *pool);

#endif
