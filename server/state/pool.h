/* Work for libuv's thread pool: our own queues in front of it, one lane per scene and one for stateless requests, served in turn.
 * libuv holds no more items than run and one more per worker, so that what waits can be counted, refused and withdrawn.
 *
 * A job is cut into pieces. take, on the loop thread, names the next piece; run does it on a worker; done, on the loop thread,
 * hears of its end. Pieces of one job may run at once; jobs of a lane, and lanes, take turns piece by piece. Knows nothing of
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
  long (*take)(srv_job *job); /* SRV_NO_PIECE: none now; the job is taken off its lane */
  void (*run)(srv_job *job, long piece, api_scratch *scratch);
  void (*done)(srv_job *job, long piece);
  /* The rest is the pool's. */
  srv_lane *lane;
  srv_job *next, *previous;
  bool listed;      /* in its lane's list */
  bool waiting;     /* counted as waiting for its first piece */
  bool active;      /* has had its first piece, not left yet */
  unsigned running; /* pieces on workers */
};

typedef struct srv_job_list {
  srv_job *first, *last;
} srv_job_list;

/* Zero-initialise. Must outlive its jobs. */
struct srv_lane {
  srv_job_list fresh;   /* not begun */
  srv_job_list started; /* begun, with more to do */
  bool fresh_next;      /* whose turn it is */
  size_t most;          /* jobs that may wait; 0: queue_per_scene */
  size_t waiting, active;
  srv_lane *next, *previous; /* ring of lanes with jobs */
  bool listed;
};

/* workers: at most SRV_WORKERS_MAX of config.h; sets the size of libuv's pool, so nothing may have used that before. queue and
 * queue_per_scene bound the waiting jobs. NULL: out of memory. */
srv_pool *srv_pool_create(uv_loop_t *loop, unsigned workers, size_t queue, size_t queue_per_scene);
/* No job may be left. */
void srv_pool_destroy(srv_pool *pool);

/* May one more job wait in the lane? */
bool srv_pool_has_room(const srv_pool *pool, const srv_lane *lane);
/* Counts the job as waiting in the lane without queueing it yet: a write behind another. */
void srv_pool_expect(srv_pool *pool, srv_job *job, srv_lane *lane);
/* Queues a job that has not begun (fresh), or one that goes on. */
void srv_pool_submit(srv_pool *pool, srv_job *job, srv_lane *lane, bool fresh);
/* Takes the job off its lane and the counts; pieces on workers run on and are heard of by done. */
void srv_pool_withdraw(srv_pool *pool, srv_job *job);
/* Has every worker something to do? */
bool srv_pool_crowded(const srv_pool *pool);
typedef struct srv_pool_figures {
  size_t waiting;   /* jobs that wait for their first piece */
  unsigned busy;    /* workers that have a piece */
  uint64_t busy_ns; /* of pieces that have ended, of all workers */
  api_solver_counts solved;
} srv_pool_figures;

void srv_pool_get_figures(const srv_pool *pool, srv_pool_figures *out);
/* Hands out pieces while libuv may take more. Call after submits. */
void srv_pool_pump(srv_pool *pool);

#endif
