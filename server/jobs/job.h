/* Calls of requests: admission, scheduling, inputs, work on workers, commit. job.c calls the
 * functions of the other files. */
#ifndef SRV_JOBS_JOB_H
#define SRV_JOBS_JOB_H

#include "state/request.h"

/* Work that is estimated to take longer is split into ranges for all workers; shorter work is done
 * by one worker. */
#define SRV_SPLIT_NS 500000.0
/* Time for which a worker runs ranges of one call before the pool selects the next piece. */
#define SRV_SLICE_NS 1000000u

/* ---- job.c: loop thread --------------------------------------------------------------------- */

/* True if the request's work can be queued now. False: a refusal is the reply. small: the body is
 * so small that the work may need no queue. */
bool srv_job_admit(srv_request *request, bool small);
/* Schedules a request whose body is complete. Its state becomes READY, or remains WAIT until its
 * work has ended. */
void srv_job_dispatch(srv_request *request);
/* Passes the collected piece of a streamed body to a worker. The first piece may have to wait until
 * the posted shapes are synchronised with a shared store. */
void srv_job_feed(srv_request *request);
/* Notes the time at which the request was received completely; its deadline counts from then on. */
void srv_job_arrived(srv_request *request);
/* Cancels the request's work and discards its result. Has no effect on a write that was submitted
 * to the store. */
void srv_job_cancel(srv_request *request);
/* Refuses a request whose deadline has passed, and cancels its work. */
void srv_job_time_out(srv_request *request);
/* True if the request's deadline has passed. Never for a write that was submitted to the store. */
bool srv_job_is_overdue(const srv_request *request, uint64_t now_ns);
/* Functions `resume` and `dispose` of srv_request_handlers. */
void srv_job_resume(srv_request *request, srv_outcome outcome);
void srv_job_dispose(srv_request *request);

/* ---- call_inputs.c: loop thread ------------------------------------------------------------- */

/* Sets request->entry to the scene in the path, or to the one that the call will create; NULL for
 * an unknown scene. False: out of memory. */
bool srv_inputs_find_scene(srv_request *request);
/* True if calls of the target read the list of all scenes. */
static inline bool srv_inputs_need_all_scenes(api_target target) {
  return target == API_TARGET_LIST || target == API_TARGET_SHAPE_READ ||
         target == API_TARGET_SHAPE_WRITE;
}
/* Sets the table of posted shapes that the call uses to the current one. For a streamed body,
 * called before its first piece. */
void srv_inputs_retain_shapes(srv_request *request);
/* Notes that the call's references to shapes have been committed or will never be. */
static inline void srv_inputs_end_shape_use(srv_request *request) {
  if (request->shape_use != SRV_SHAPES_NAMED) return;
  assert(request->server->naming > 0);
  request->server->naming--;
  request->shape_use = SRV_SHAPES_SET;
}
/* Retains the current revisions, cursor queries and listings that the call reads, and sets
 * request->input. False: out of memory. */
bool srv_inputs_retain(srv_request *request);
/* Releases the call and its inputs, so that the request can be repeated. No worker may be running a
 * piece of it. */
void srv_inputs_release(srv_request *request);
/* Frees the call and its new revision; the request remains. The reply must not point into the
 * call. */
void srv_inputs_free_call(srv_request *request);
/* True if freeing the call would block the loop. */
bool srv_inputs_are_slow_to_free(const srv_request *request);

/* ---- idempotency.c: loop thread ------------------------------------------------------------- */

/* Validates the value of Idempotency-Key and derives the scene's id from it; requests other than
 * POST /v1/scenes must not have one. False: a refusal is the reply. */
bool srv_idempotency_read_key(srv_request *request, const char *key);
/* Adds a piece of the body to the fingerprint of a request with a key. */
void srv_idempotency_feed(srv_request *request, const char *bytes, size_t length);
/* Returns the SHA-256 of the body received so far; empty without a key. Owned by the request, valid
 * until the next call of this function. */
ct_text srv_idempotency_origin(srv_request *request);
/* True if the scene of the key exists already. The reply is then that of its creation, or a refusal
 * if it was created from another body. */
bool srv_idempotency_replay(srv_request *request);

/* ---- commit.c: loop thread ------------------------------------------------------------------ */

typedef enum srv_acceptance {
  SRV_ACCEPTANCE_DONE, /* the reply is set; a successful call is committed */
  /* the store must acknowledge the write first; then the handler `resume` is called */
  SRV_ACCEPTANCE_STORING,
  SRV_ACCEPTANCE_REFUSED /* of a checkpoint: the reply is a problem, and the call ends */
} srv_acceptance;

/* Accepts the result of a finished call, unless its deadline has passed or its reply is refused. */
srv_acceptance srv_accept_result(srv_request *request);
/* Makes the effects of the call current: revision, shapes, deletion, events, cursors. */
void srv_commit(srv_request *request);
/* Accepts the checkpoint of a call on a snapshot: commits it, submits it to the store, or refuses
 * the call. */
srv_acceptance srv_accept_checkpoint(srv_request *request);
/* Makes the checkpoint of a call on a snapshot current, publishes its events, and lets the call
 * continue on it. */
void srv_commit_checkpoint(srv_request *request);

/* ---- work.c: on a worker, or on the loop thread for small calls ----------------------------- */

/* Kinds of pieces of a request's job. The pool passes the kind from the loop thread to a worker. */
enum {
  SRV_PIECE_FEED,          /* read a piece of a streamed body */
  SRV_PIECE_BEGIN,         /* begin the call; finish it if it is short */
  SRV_PIECE_BEGIN_CROWDED, /* the same, and also run the first ranges, because all workers are busy
                            */
  SRV_PIECE_RANGES,        /* run ranges for a time slice */
  SRV_PIECE_FREE           /* free the call and its inputs */
};

/* Runs one piece of a request's job; the function `run` of its srv_job. */
void srv_work_piece(srv_job *job, long piece, api_scratch *scratch);
/* Begins the call on the loop thread, and finishes it if its work is estimated to take at most
 * inline_ns. False: the rest is left to a worker. */
bool srv_work_inline(srv_request *request, api_scratch *scratch, double inline_ns);
/* Frees the call and its inputs. May be called on any thread. */
void srv_work_free(srv_request *request);

static inline bool srv_work_ranges_ended(const srv_request *request) {
  return atomic_load_explicit(&request->ranges, memory_order_relaxed) >= SRV_RANGES_ENDED;
}
/* True if the reply is complete, so that it may be read by the loop thread. */
static inline bool srv_work_is_finished(const srv_request *request) {
  return atomic_load_explicit(&request->ranges, memory_order_acquire) == SRV_RANGES_FINISHED;
}

#endif
