/* Calls of requests: admission, scheduling, inputs, work, commit. job.c has the order of steps. */
#ifndef SRV_JOBS_JOB_H
#define SRV_JOBS_JOB_H

#include "state/request.h"

/* Work estimated to take longer is split into ranges for all workers; shorter work stays on one
 * worker. */
#define SRV_SPLIT_NS 500000.0
/* Time slice in which a worker runs ranges of one call before the pool chooses again. */
#define SRV_SLICE_NS 1000000u

/* ---- job.c: loop thread --------------------------------------------------------------------- */

/* True if the request's work can be queued now. False: a refusal is the reply. small: needs no
 * queue. */
bool srv_job_admit(srv_request *request, bool small);
/* Schedules a request with a complete body. Its state becomes READY, or stays WAIT until the work
 * has ended. */
void srv_job_dispatch(srv_request *request);
/* Passes the collected piece of a streamed body to a worker; the first piece waits for the shapes'
 * refresh. */
void srv_job_feed(srv_request *request);
/* Notes the end of the request, from which its deadline counts. */
void srv_job_arrived(srv_request *request);
/* Cancels the work and discards its result. No effect on a write in the store. */
void srv_job_cancel(srv_request *request);
/* Refuses a request whose deadline has passed, and cancels it. */
void srv_job_time_out(srv_request *request);
/* True if the request's deadline has passed and still applies: a write in the store has none. */
bool srv_job_is_overdue(const srv_request *request, uint64_t now_ns);
/* The functions resume and dispose of srv_request_handlers. */
void srv_job_resume(srv_request *request, srv_outcome outcome);
void srv_job_dispose(srv_request *request);

/* ---- call_inputs.c: loop thread ------------------------------------------------------------- */

/* Sets the entry of the scene in the path, or of the scene that the call will create. False: out
 * of memory. */
bool srv_inputs_find_scene(srv_request *request);
/* True if calls of the target read the list of all scenes. */
static inline bool srv_inputs_need_all_scenes(api_target target) {
  return target == API_TARGET_LIST || target == API_TARGET_SHAPE_READ ||
         target == API_TARGET_SHAPE_WRITE;
}
/* Gives the call the current table of shapes; for a streamed body, at its first piece. */
void srv_inputs_retain_shapes(srv_request *request);
/* Notes that the call's references to shapes are committed, or never will be. */
static inline void srv_inputs_end_shape_use(srv_request *request) {
  if (request->shape_use != SRV_SHAPES_NAMED) return;
  assert(request->server->naming > 0);
  request->server->naming--;
  request->shape_use = SRV_SHAPES_SET;
}
/* Retains the current revisions, cursor queries and listings that the call reads. False: out of
 * memory. */
bool srv_inputs_retain(srv_request *request);
/* Releases the call and its inputs, so that the request can be repeated. No piece of it may be
 * running. */
void srv_inputs_release(srv_request *request);
/* Frees the call and its revision; the request remains. The reply must not point into the call. */
void srv_inputs_free_call(srv_request *request);
/* True if freeing the call would block the loop. */
bool srv_inputs_are_slow_to_free(const srv_request *request);

/* ---- idempotency.c: loop thread ------------------------------------------------------------- */

/* Validates the header's value and derives the scene's id. False: the refusal is the reply. */
bool srv_idempotency_read_key(srv_request *request, const char *key);
/* Adds a piece of a keyed request's body to its fingerprint. */
void srv_idempotency_feed(srv_request *request, const char *bytes, size_t length);
/* Fingerprint of the body so far; empty without a key. Owned by the request, valid until the next
 * call. */
ct_text srv_idempotency_origin(srv_request *request);
/* True if the scene of the key exists: the reply is its creation, or a refusal if another body
 * created it. */
bool srv_idempotency_replay(srv_request *request);

/* ---- commit.c: loop thread ------------------------------------------------------------------ */

typedef enum srv_acceptance {
  SRV_ACCEPTANCE_DONE,   /* the reply is set; a successful call is committed */
  SRV_ACCEPTANCE_STORING /* the store must acknowledge the write first, then `resume` is called */
} srv_acceptance;

/* Accepts the result of a finished call, unless its deadline has passed. */
srv_acceptance srv_accept_result(srv_request *request);
/* Makes the call's effects current: revision, shapes, deletion, events, cursors. */
void srv_commit(srv_request *request);

/* ---- work.c: on a worker, or on the loop thread for small calls ----------------------------- */

/* What a piece of a request's job does; the pool passes it from the loop thread to a worker. */
enum {
  SRV_PIECE_FEED,          /* read a piece of a streamed body */
  SRV_PIECE_BEGIN,         /* begin the call; finish it if it is short */
  SRV_PIECE_BEGIN_CROWDED, /* the same, and run the first ranges: all workers are busy */
  SRV_PIECE_RANGES,        /* run ranges for a time slice */
  SRV_PIECE_FREE           /* free the call and its inputs */
};

/* Runs one piece; srv_job.run of the pool. */
void srv_work_piece(srv_job *job, long piece, api_scratch *scratch);
/* Begins the call on the loop thread, and finishes it if the work is estimated to take at most
 * inline_ns. False: the work is left to a worker. */
bool srv_work_inline(srv_request *request, api_scratch *scratch, double inline_ns);
/* Frees the call and its inputs. Any thread. */
void srv_work_free(srv_request *request);

static inline bool srv_work_ranges_ended(const srv_request *request) {
  return atomic_load_explicit(&request->ranges, memory_order_relaxed) >= SRV_RANGES_ENDED;
}
/* True if the reply is complete: then it may be read. */
static inline bool srv_work_is_finished(const srv_request *request) {
  return atomic_load_explicit(&request->ranges, memory_order_acquire) == SRV_RANGES_FINISHED;
}

#endif
