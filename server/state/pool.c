/* Round-robin scheduler over lanes of jobs.
 *
 * Slots are the work items that libuv may have: for each worker, one that runs and one that waits.
 * The waiting one saves a round trip to the loop, for which the worker would be idle for about 80
 * us. Each slot has its own uv_work_t and scratch memory. */
#include "state/pool.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* Largest number of active jobs per worker. An active job may own JSON trees and results, so this
 * limits memory. */
#define ACTIVE_PER_WORKER 4u

/* Number of slots per worker: for the running piece and the next one. */
#define SLOTS_PER_WORKER 2u

/* Jobs that free memory, between two other pieces. A write that needs only one piece leaves a call,
 * a replaced revision and an evicted one to free; with fewer turns unfreed memory would grow as
 * long as clients write. */
#define RELEASES_PER_PIECE 3u

typedef struct slot {
  uv_work_t work;
  srv_pool *pool;
  api_scratch *scratch;
  srv_job *job;
  long piece;
  uint64_t run_ns; /* run time of the piece; written by the worker, read by the loop thread after
                      the piece has ended */
  api_solver_counts
      solved; /* total of the scratch memory's solver counts when its last piece ended */
  struct slot *next_free;
} slot;

struct srv_pool {
  uv_loop_t *loop;
  unsigned slot_count;
  size_t queue, queue_per_scene;
  size_t waiting, active, active_max;
  srv_lane *turn;          /* the lane that is served next, in the ring of lanes */
  srv_lane releases;       /* jobs that free memory; not in the ring */
  unsigned releases_begun; /* number of releasing jobs begun since the last piece of a lane of the
                              ring */
  slot *free_slots;
  unsigned taken; /* number of slots in use */
  uint64_t busy_ns;
  slot slots[];
};

static void destroy_slots(srv_pool *pool) {
  for (unsigned i = 0; i < pool->slot_count; i++) api_scratch_destroy(pool->slots[i].scratch);
  free(pool);
}

srv_pool *srv_pool_create(uv_loop_t *loop, unsigned workers, size_t queue, size_t queue_per_scene) {
  char text[16];
  snprintf(text, sizeof text, "%u", workers);
  setenv("UV_THREADPOOL_SIZE", text, 1);
  assert(workers > 0 && queue > 0);
  unsigned slots = workers * SLOTS_PER_WORKER;
  srv_pool *pool = calloc(1, sizeof *pool + slots * sizeof pool->slots[0]);
  if (!pool) return NULL;
  pool->loop = loop;
  pool->queue = queue;
  pool->queue_per_scene = queue_per_scene;
  pool->active_max = (size_t)workers * ACTIVE_PER_WORKER + ACTIVE_PER_WORKER;
  for (unsigned i = 0; i < slots; i++) {
    slot *s = &pool->slots[i];
    pool->slot_count = i + 1;
    s->pool = pool;
    s->work.data = s;
    s->scratch = api_scratch_create();
    if (!s->scratch) {
      destroy_slots(pool);
      return NULL;
    }
    s->next_free = pool->free_slots;
    pool->free_slots = s;
  }
  return pool;
}

void srv_pool_destroy(srv_pool *pool) {
  if (pool) destroy_slots(pool);
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void append_job(srv_job_list *list, srv_job *job) {
  assert(!job->listed);
  job->next = NULL;
  job->previous = list->last;
  if (list->last) list->last->next = job;
  else list->first = job;
  list->last = job;
  job->listed = true;
}

static void remove_job(srv_job_list *list, srv_job *job) {
  assert(job->listed && list->first);
  if (job->previous) job->previous->next = job->next;
  else list->first = job->next;
  if (job->next) job->next->previous = job->previous;
  else list->last = job->previous;
  job->listed = false;
}

static void add_lane(srv_pool *pool, srv_lane *lane) {
  if (lane->listed) return;
  lane->listed = true;
  if (!pool->turn) {
    lane->next = lane->previous = lane;
    pool->turn = lane;
    return;
  }
  /* Insert the lane before the one served next, that is at the end of the round. */
  lane->next = pool->turn;
  lane->previous = pool->turn->previous;
  lane->previous->next = lane;
  lane->next->previous = lane;
}

static void remove_lane_if_empty(srv_pool *pool, srv_lane *lane) {
  if (!lane->listed || lane->fresh.first || lane->started.first) return;
  lane->listed = false;
  if (lane->next == lane) {
    pool->turn = NULL;
    return;
  }
  lane->previous->next = lane->next;
  lane->next->previous = lane->previous;
  if (pool->turn == lane) pool->turn = lane->next;
}

/* ---- jobs ----------------------------------------------------------------------------------- */

const char *srv_pool_full_limit(const srv_pool *pool, const srv_lane *lane) {
  if (pool->waiting >= pool->queue) return "queue";
  if (lane->most) return lane->waiting < lane->most ? NULL : "queue";
  return lane->waiting < pool->queue_per_scene ? NULL : "queuePerScene";
}

void srv_pool_expect(srv_pool *pool, srv_job *job, srv_lane *lane) {
  if (job->waiting) return;
  job->waiting = true;
  job->lane = lane;
  lane->waiting++;
  pool->waiting++;
}

static void end_waiting(srv_pool *pool, srv_job *job) {
  if (!job->waiting) return;
  assert(job->lane->waiting > 0 && pool->waiting > 0);
  job->waiting = false;
  job->lane->waiting--;
  pool->waiting--;
}

void srv_pool_submit(srv_pool *pool, srv_job *job, srv_lane *lane, bool fresh) {
  if (job->listed) return;
  if (fresh) srv_pool_expect(pool, job, lane);
  job->lane = lane;
  append_job(fresh ? &lane->fresh : &lane->started, job);
  add_lane(pool, lane);
}

void srv_pool_submit_release(srv_pool *pool, srv_job *job) {
  if (job->listed) return;
  assert(!job->waiting);
  job->lane = &pool->releases;
  append_job(&pool->releases.started, job);
}

void srv_pool_withdraw(srv_pool *pool, srv_job *job) {
  if (!job->lane) return;
  if (job->listed) remove_job(job->waiting ? &job->lane->fresh : &job->lane->started, job);
  end_waiting(pool, job);
  if (job->active) {
    assert(job->lane->active > 0 && pool->active > 0);
    job->active = false;
    job->lane->active--;
    pool->active--;
  }
  remove_lane_if_empty(pool, job->lane);
  job->lane = NULL;
}

bool srv_pool_crowded(const srv_pool *pool) {
  return pool->taken >= pool->slot_count / SLOTS_PER_WORKER;
}

/* ---- pieces --------------------------------------------------------------------------------- */

static void on_work(uv_work_t *work) {
  slot *s = work->data;
  uint64_t begun_ns = uv_hrtime();
  s->job->run(s->job, s->piece, s->scratch);
  s->run_ns = uv_hrtime() - begun_ns;
}

static void on_worked(uv_work_t *work, int status) {
  slot *s = work->data;
  srv_pool *pool = s->pool;
  srv_job *job = s->job;
  long piece = s->piece;
  (void)status; /* work is never cancelled through libuv */
  s->job = NULL;
  s->next_free = pool->free_slots;
  pool->free_slots = s;
  assert(pool->taken > 0 && job->running > 0);
  pool->taken--;
  pool->busy_ns += s->run_ns;
  s->solved = api_scratch_solver_counts(s->scratch);
  job->running--;
  job->done(job, piece);
  srv_pool_pump(pool);
}

static bool may_begin_fresh_job(const srv_pool *pool, const srv_lane *lane) {
  return lane->fresh.first && pool->active < pool->active_max &&
         lane->active <= pool->active_max / 2;
}

/* Selects the lane's next job; started and fresh jobs alternate. NULL: none may run now. */
static srv_job *select_job(const srv_pool *pool, srv_lane *lane) {
  bool fresh = may_begin_fresh_job(pool, lane) && (lane->fresh_next || !lane->started.first);
  lane->fresh_next = !fresh;
  return fresh ? lane->fresh.first : lane->started.first;
}

/* Submits the next piece of the job to libuv. False: the job has no piece now and was removed from
 * its lane. */
static bool submit_piece(srv_pool *pool, srv_job *job) {
  srv_lane *lane = job->lane;
  remove_job(job->waiting ? &lane->fresh : &lane->started, job);
  if (job->waiting) {
    end_waiting(pool, job);
    job->active = true;
    lane->active++;
    pool->active++;
  }
  long piece = job->take ? job->take(job) : 0;
  if (piece == SRV_NO_PIECE) return false;
  assert(pool->free_slots && pool->taken < pool->slot_count);
  slot *s = pool->free_slots;
  pool->free_slots = s->next_free;
  pool->taken++;
  s->job = job;
  s->piece = piece;
  job->running++;
  if (job->take) append_job(&lane->started, job);
  uv_queue_work(pool->loop, &s->work, on_work, on_worked);
  return true;
}

/* Submits a piece of the next lane of the ring whose job has one. False: a full round has none. */
static bool submit_next_of_ring(srv_pool *pool) {
  const srv_lane *first_idle = NULL;
  for (srv_lane *lane; (lane = pool->turn) && lane != first_idle;) {
    srv_job *job = select_job(pool, lane);
    pool->turn = lane->next;
    if (!job) {
      if (!first_idle) first_idle = lane;
      continue;
    }
    bool submitted = submit_piece(pool, job);
    remove_lane_if_empty(pool, lane);
    if (submitted) return true;
    first_idle = NULL; /* the job has left its lane: a full round begins again */
  }
  return false;
}

void srv_pool_pump(srv_pool *pool) {
  while (pool->free_slots) {
    srv_job *release = pool->releases.started.first;
    bool ring_is_next = !release || pool->releases_begun >= RELEASES_PER_PIECE;
    if (ring_is_next && submit_next_of_ring(pool)) {
      pool->releases_begun = 0;
      continue;
    }
    if (!release) return;
    if (submit_piece(pool, release)) pool->releases_begun++;
  }
}

/* ---- figures -------------------------------------------------------------------------------- */

void srv_pool_get_figures(const srv_pool *pool, srv_pool_figures *out) {
  unsigned workers = pool->slot_count / SLOTS_PER_WORKER;
  *out = (srv_pool_figures){.waiting = pool->waiting,
                            .busy = pool->taken < workers ? pool->taken : workers,
                            .busy_ns = pool->busy_ns};
  for (unsigned i = 0; i < pool->slot_count; i++) {
    const api_solver_counts *solved = &pool->slots[i].solved;
    out->solved.problems += solved->problems;
    out->solved.iterations += solved->iterations;
    out->solved.failures += solved->failures;
  }
}
