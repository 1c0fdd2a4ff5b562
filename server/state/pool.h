/* Job queues in front of libuv's thread pool, scheduled round robin: one lane per scene, one for
 * stateless work. Jobs that free memory have turns between those of all lanes.
 *
 * libuv gets at most one running and one waiting piece per worker, so that the other jobs wait
 * here, where they can be counted, refused and withdrawn. A job is split into pieces: `take` (loop
 * thread) selects the next piece, `run` (worker) executes it, `done` (loop thread) is called at its
 * end. Pieces of one job may run concurrently. Lanes, and the jobs of a lane, alternate piece by
 * piece. Independent of requests. */
#ifndef SRV_STATE_POOL_H
#define SRV_STATE_POOL_H

#include <api/api.h>
#include <uv.h>

typedef struct srv_pool srv_pool;
typedef struct srv_lane srv_lane;
typedef struct srv_job srv_job;

#define SRV_NO_PIECE (-1L)

struct srv_job {
  /* Selects the job's next piece and returns its number; SRV_NO_PIECE: there is none now, and the
   * job is removed from its lane. NULL: each submission has a single piece, 0. */
  long (*take)(srv_job *job);
  void (*run)(srv_job *job, long piece, api_scratch *scratch);
  void (*done)(srv_job *job, long piece);
  /* Private to the pool: */
  srv_lane *lane;
  srv_job *next, *previous;
  bool listed;      /* the job is in one of the lists of its lane */
  bool waiting;     /* the job is counted as waiting for its first piece */
  bool active;      /* the first piece of the job has begun, and the job was not withdrawn */
  unsigned running; /* number of pieces of the job that are on workers or in libuv's queue */
};

typedef struct srv_job_list {
  srv_job *first, *last;
} srv_job_list;

/* A queue of jobs. Zero-initialise. Must outlive its jobs. */
struct srv_lane {
  srv_job_list fresh;   /* jobs that have not begun */
  srv_job_list started; /* jobs whose first piece has begun and that have further pieces */
  bool fresh_next;      /* a fresh job is selected next, not a started one */
  size_t most;          /* largest number of jobs that may wait in this lane; 0: the pool's
                           queue_per_scene */
  size_t waiting, active;
  srv_lane *next, *previous; /* neighbours in the ring of lanes with jobs */
  bool listed;
};

/* Creates a pool and sets the size of libuv's thread pool, which must not have been used yet.
 * workers: at most SRV_WORKERS_MAX (config.h). queue and queue_per_scene: largest number of jobs
 * that wait in all lanes, and in one. NULL: out of memory. */
srv_pool *srv_pool_create(uv_loop_t *loop, unsigned workers, size_t queue, size_t queue_per_scene);
/* Frees the pool. No job may be left. */
void srv_pool_destroy(srv_pool *pool);

/* Returns the name of the limit, "queue" or "queuePerScene", that lets no more jobs wait in the
 * lane. NULL: one more job may wait. */
const char *srv_pool_full_limit(const srv_pool *pool, const srv_lane *lane);
/* Counts the job as waiting in the lane without queueing it, for example a write that waits for an
 * earlier one. */
void srv_pool_expect(srv_pool *pool, srv_job *job, srv_lane *lane);
/* Queues a job that has not begun (fresh), or one that continues with another piece. */
void srv_pool_submit(srv_pool *pool, srv_job *job, srv_lane *lane, bool fresh);
/* Queues a job of one piece that only frees memory. Such jobs precede most pieces of the lanes: in
 * a lane they would have one turn in a round, fewer than the writes of other lanes need. */
void srv_pool_submit_release(srv_pool *pool, srv_job *job);
/* Removes the job from its lane and from the counts. `done` is still called for pieces that are
 * running. */
void srv_pool_withdraw(srv_pool *pool, srv_job *job);
/* True if every worker has a piece. */
bool srv_pool_crowded(const srv_pool *pool);

typedef struct srv_pool_figures {
  size_t waiting;   /* number of jobs that wait for their first piece */
  unsigned busy;    /* number of workers that have a piece */
  uint64_t busy_ns; /* total run time of ended pieces, over all workers */
  api_solver_counts solved;
} srv_pool_figures;

void srv_pool_get_figures(const srv_pool *pool, srv_pool_figures *out);
/* Submits pieces to libuv while there are free slots. Must be called after srv_pool_submit and
 * srv_pool_submit_release. */
void srv_pool_pump(srv_pool *pool);

#endif
