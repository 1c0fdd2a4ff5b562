/* Scheduling of a call: chooses the thread of each piece and serialises the writes of a scene. Loop
 * thread only.
 *
 * call_inputs.c retains the inputs, work.c runs the pieces on workers, commit.c publishes the
 * result. request.h lists the states of `work` and their transitions. A job is open while the
 * request is in the pool, in a queue, or in the store. It ends in one of two ways: its result is
 * accepted, or the request was cancelled and its result is discarded. A write that was submitted to
 * the store cannot be cancelled. */
#include "jobs/job.h"

#include "scenes/durable_write.h"
#include "scenes/recover.h"
#include "scenes/shared_store.h"
#include "streams/progress_stream.h"

#include <string.h>

/* Work that is estimated to take at most this time, ns, is done on the loop thread, because passing
 * it to a worker and back takes as long. */
#define INLINE_NS 25000.0
/* Scenes up to this number of bodies, and written by requests of up to this many bytes, are read or
 * written on the loop thread. */
#define INLINE_READ_BODIES 16u
#define INLINE_READ_BYTES 16384u
#define INLINE_WRITE_BODIES 1024u
#define INLINE_WRITE_BYTES 1048576u
/* Largest number of contacts of a contact state that are listed or updated on the loop thread, in
 * about 1.5 us each. */
#define INLINE_CONTACTS 16u
/* Largest number of rows and colliders that are searched for users of a shape on the loop
 * thread. */
#define INLINE_COLLIDERS 1024u
/* Largest number of attempts of a call whose write the store refuses as outdated. If all fail,
 * other daemons write faster than this call can run. */
#define ATTEMPTS_MAX 8

/* ---- end of a job --------------------------------------------------------------------------- */

/* Opens the request's job with its first state, and retains the request for it. */
static void open_job(srv_request *request, srv_work work) {
  assert(request->work == SRV_WORK_IDLE);
  srv_request_set_work(request, work);
  assert(srv_request_has_job(request));
  srv_request_retain(request);
}

/* Closes the request's job and releases the request. IDLE: another job of the call follows; ENDED:
 * none. */
static void close_job(srv_request *request, srv_work work) {
  assert(srv_request_has_job(request) && request->job.running == 0);
  assert(work == SRV_WORK_IDLE || work == SRV_WORK_ENDED);
  srv_pool_withdraw(request->server->pool, &request->job);
  srv_request_set_work(request, work);
  srv_request_release(request);
}

static bool begin_or_submit(srv_request *request, bool may_inline);
static void continue_call(srv_request *request);

static void end_creation(srv_request *request) {
  if (request->creates) srv_registry_reserve(request->server->registry, -1);
  request->creates = false;
}

/* Ends the request's write and begins the next one in the scene's queue. A write that cannot begin
 * is answered here, and the one after it gets the slot. */
static void release_write_slot(srv_request *request) {
  srv_inputs_end_shape_use(request);
  end_creation(request);
  if (!srv_request_is_writer(request)) return;
  srv_entry *entry = request->entry;
  entry->writer = NULL;
  for (srv_request *next; !entry->writer && (next = srv_request_queue_pop(&entry->writes));) {
    assert(next->work == SRV_WORK_AWAITS_TURN && next->entry == entry);
    entry->writer = next;
    bool needs_load = next->server->store && srv_recover_must_wait(next);
    if (!needs_load && begin_or_submit(next, false)) break;
    entry->writer = NULL;
    if (needs_load) {
      /* Another daemon has changed the scene meanwhile: its new revision must be loaded before the
       * write. */
      continue_call(next);
      continue;
    }
    srv_request_wake(next, SRV_STATE_READY);
    close_job(next, SRV_WORK_ENDED);
  }
}

/* Ends the work after its result was accepted or discarded. If pieces that will find nothing to do
 * still wait for a worker, the last of them closes the job. */
static void close_or_conclude(srv_request *request) {
  if (request->job.running == 0) close_job(request, SRV_WORK_ENDED);
  else if (request->work != SRV_WORK_CANCELLED) srv_request_set_work(request, SRV_WORK_CONCLUDED);
}

/* Ends a cancelled request, whose result is discarded. */
static void discard_result(srv_request *request) {
  request->ended_ns = uv_hrtime();
  release_write_slot(request);
  close_or_conclude(request);
}

/* Accepts the result of the finished call; a write may first have to be stored. */
static void conclude_result(srv_request *request) {
  srv_pool *pool = request->server->pool;
  assert(request->work == SRV_WORK_BEGINNING || request->work == SRV_WORK_RUNNING);
  if (request->job.running > 0) srv_pool_withdraw(pool, &request->job);
  if (srv_accept_result(request) == SRV_ACCEPTANCE_STORING) {
    /* The store has the write: the job no longer counts as active in the pool. */
    srv_pool_withdraw(pool, &request->job);
    srv_request_set_work(request, SRV_WORK_STORING);
    return;
  }
  release_write_slot(request);
  srv_request_wake(request, SRV_STATE_READY);
  close_or_conclude(request);
}

/* Ends a write after the store's answer. The write remains committed even if the client has left
 * meanwhile. */
static void end_stored_write(srv_request *request) {
  release_write_slot(request);
  if (request->handle && request->state != SRV_STATE_GONE)
    srv_request_wake(request, SRV_STATE_READY);
  close_or_conclude(request);
}

void srv_job_cancel(srv_request *request) {
  switch (request->work) {
  case SRV_WORK_STORING:
  case SRV_WORK_CONCLUDED:
  case SRV_WORK_CANCELLED:
  case SRV_WORK_ENDED:
  case SRV_WORK_FREEING: return;
  case SRV_WORK_IDLE: srv_request_set_work(request, SRV_WORK_ENDED); return;
  case SRV_WORK_AWAITS_TURN:
    srv_request_queue_remove(&request->entry->writes, request);
    close_job(request, SRV_WORK_ENDED);
    return;
  case SRV_WORK_AWAITS_SHAPES:
  case SRV_WORK_AWAITS_SCENE:
    srv_recover_dequeue(request);
    close_job(request, SRV_WORK_ENDED);
    return;
  default: break;
  }
  /* A worker may be running a piece of the call, or one is in libuv's queue. */
  if (request->cancel) ct_cancel_raise(request->cancel);
  if (request->job.running > 0) {
    srv_pool_withdraw(request->server->pool, &request->job);
    srv_request_set_work(request, SRV_WORK_CANCELLED);
    return;
  }
  discard_result(request);
}

bool srv_job_is_overdue(const srv_request *request, uint64_t now_ns) {
  uint64_t deadline_ns = atomic_load_explicit(&request->deadline_ns, memory_order_relaxed);
  return deadline_ns && now_ns >= deadline_ns && request->work != SRV_WORK_STORING;
}

void srv_job_time_out(srv_request *request) {
  uint64_t deadline_ns = atomic_load_explicit(&request->deadline_ns, memory_order_relaxed);
  srv_request_refuse_overdue(request, (deadline_ns - request->arrived_ns) / 1000000u);
  srv_request_wake(request, SRV_STATE_READY);
  srv_job_cancel(request);
}

/* ---- callbacks of the pool ------------------------------------------------------------------ */

/* Returns the number of pieces of the call that may run at once. More would find nothing to do,
 * because one piece runs several ranges. */
static unsigned count_parallel_pieces(const srv_request *request) {
  if (request->match.target == API_TARGET_SNAPSHOT) return 1;
  double pieces = api_call_cost_ns(request->call) / (SRV_SLICE_NS / 4);
  double most = 2.0 * (double)request->server->config->workers;
  return pieces < 2.0 ? 2u : (unsigned)(pieces < most ? pieces : most);
}

/* Selects the next piece of the job for a worker; the function `take` of its srv_job. */
static long select_next_piece(srv_job *job) {
  srv_request *request = (srv_request *)job;
  switch (request->work) {
  case SRV_WORK_QUEUED:
    srv_request_set_work(request, SRV_WORK_BEGINNING);
    return srv_pool_crowded(request->server->pool) ? SRV_PIECE_BEGIN_CROWDED : SRV_PIECE_BEGIN;
  case SRV_WORK_RUNNING:
    if (srv_work_ranges_ended(request) || job->running >= request->pieces_most) return SRV_NO_PIECE;
    /* The running pieces have taken all remaining ranges. */
    if (job->running > 0 &&
        atomic_load_explicit(&request->ranges, memory_order_relaxed) == SRV_RANGES_ASSIGNED)
      return SRV_NO_PIECE;
    return SRV_PIECE_RANGES;
  case SRV_WORK_FEEDING: return job->running == 0 ? SRV_PIECE_FEED : SRV_NO_PIECE;
  case SRV_WORK_FREEING: return job->running == 0 ? SRV_PIECE_FREE : SRV_NO_PIECE;
  default: return SRV_NO_PIECE;
  }
}

/* Sends the progress of a call on a snapshot. True: the call was ended, either because the scene
 * has a newer revision, so that its result could not be committed, or because its deadline has
 * passed. */
static bool report_or_end_snapshot(srv_request *request) {
  srv_progress_feed(request);
  api_call_hint(request->call, request->hint);
  if (request->entry->current != request->input.scene) {
    api_call_set_conflict(request->call);
    request->reply = api_call_reply(request->call);
    srv_request_wake(request, SRV_STATE_READY);
    srv_job_cancel(request);
    return true;
  }
  /* The sweep checks the deadlines of suspended connections only; this connection may be sending
   * lines. */
  bool overdue = !srv_request_is_suspended(request) && srv_job_is_overdue(request, uv_hrtime());
  if (overdue) srv_job_time_out(request);
  return overdue;
}

/* Commits the checkpoint that the call has made, at once or once the store has it. The call does
 * not run meanwhile. */
static void accept_checkpoint(srv_request *request) {
  assert(request->work == SRV_WORK_RUNNING && request->job.running == 0);
  switch (srv_accept_checkpoint(request)) {
  case SRV_ACCEPTANCE_DONE:
    srv_pool_submit(request->server->pool, &request->job, request->lane, false);
    break;
  case SRV_ACCEPTANCE_STORING:
    srv_pool_withdraw(request->server->pool, &request->job);
    srv_request_set_work(request, SRV_WORK_STORING);
    break;
  case SRV_ACCEPTANCE_REFUSED:
    srv_request_wake(request, SRV_STATE_READY);
    srv_job_cancel(request);
    break;
  }
}

/* Called when a worker has ended a piece of the call. The reply may be complete while other pieces
 * still wait for a worker: the reply is then sent, and the job remains open until they have
 * ended. */
static void on_call_piece_done(srv_request *request) {
  switch (request->work) {
  case SRV_WORK_BEGINNING:
    if (srv_work_is_finished(request)) {
      conclude_result(request);
      return;
    }
    srv_request_set_work(request, SRV_WORK_RUNNING);
    request->pieces_most = count_parallel_pieces(request);
    break;
  case SRV_WORK_RUNNING:
    if (srv_work_is_finished(request)) {
      conclude_result(request);
      return;
    }
    if (request->match.target == API_TARGET_SNAPSHOT && report_or_end_snapshot(request)) return;
    break;
  case SRV_WORK_CANCELLED:
    if (request->job.running == 0) discard_result(request);
    return;
  case SRV_WORK_CONCLUDED:
    if (request->job.running == 0) close_job(request, SRV_WORK_ENDED);
    return;
  default: assert(request->work == SRV_WORK_STORING); return;
  }
  if (api_call_has_checkpoint(request->call)) accept_checkpoint(request);
  else srv_pool_submit(request->server->pool, &request->job, request->lane, false);
}

static void on_body_piece_read(srv_request *request);

static void on_piece_done(srv_job *job, long piece) {
  srv_request *request = (srv_request *)job;
  switch (piece) {
  case SRV_PIECE_FEED: on_body_piece_read(request); break;
  case SRV_PIECE_FREE:
    srv_pool_withdraw(request->server->pool, job);
    srv_request_free(request);
    break;
  default: on_call_piece_done(request); break;
  }
}

static void set_job_functions(srv_job *job) {
  job->take = select_next_piece;
  job->run = srv_work_piece;
  job->done = on_piece_done;
}

/* Submits the request's job to the pool, in the state that `work` has. fresh: it has not begun. */
static void submit_job(srv_request *request, bool fresh) {
  set_job_functions(&request->job);
  srv_pool_submit(request->server->pool, &request->job, request->lane, fresh);
  srv_pool_pump(request->server->pool);
}

void srv_job_dispose(srv_request *request) {
  srv_server *server = request->server;
  assert(request->references == 0 && request->work == SRV_WORK_ENDED);
  srv_inputs_end_shape_use(request);
  if (request->progress) srv_progress_free(request->progress);
  request->progress = NULL;
  server->body_bytes -= request->body.capacity + request->fed.capacity;
  server->reply_bytes -= request->reply_bytes;
  if (request->call && srv_inputs_are_slow_to_free(request)) {
    srv_request_set_work(request, SRV_WORK_FREEING);
    set_job_functions(&request->job);
    srv_pool_submit_release(server->pool, &request->job);
    srv_pool_pump(server->pool);
    return;
  }
  srv_work_free(request);
  srv_request_free(request);
}

/* ---- admission and start -------------------------------------------------------------------- */

/* Refuses the request and returns true if no more jobs may wait in the lane. */
static bool refuse_if_full(srv_request *request, const srv_lane *lane) {
  const char *limit = srv_pool_full_limit(request->server->pool, lane);
  if (!limit) return false;
  srv_request_refuse(request, API_PROBLEM_BUSY, "Too many requests wait for a worker (limit %s).",
                     limit);
  srv_request_refusal_header(request, "Retry-After", "1");
  return true;
}

bool srv_job_admit(srv_request *request, bool small) {
  /* The ids of shapes in a streamed body are resolved while it arrives, so the shapes must be
   * loaded. */
  if (request->match.streams && !srv_recover_admits_stream(request)) return false;
  if (small) return true;
  const srv_entry *entry = request->match.scene_id[0] ? srv_registry_find(request->server->registry,
                                                                          request->match.scene_id)
                                                      : NULL;
  return !refuse_if_full(request, entry ? &entry->lane : &request->server->stateless);
}

/* True if the body may scale a posted shape, which rebuilds the shape, so that a short body can
 * cause much work. Searches the unparsed text; a backslash counts as a match, because an escape can
 * spell any name. */
static bool may_scale_shape(const srv_request *request) {
  const srv_buffer *body = &request->body;
  bool names_scale = body->length > 0 && (memmem(body->bytes, body->length, "\"scale\"", 7) ||
                                          memchr(body->bytes, '\\', body->length));
  return names_scale && api_shapes_scale_slowly(request->server->shapes);
}

/* True if the body may contain a cursor and the scene has a large cached query, which would have to
 * be parsed. */
static bool may_continue_large_query(const srv_request *request) {
  if (request->body.length == 0 || request->kept_queries.longest <= SRV_INLINE_BODY) return false;
  return memmem(request->body.bytes, request->body.length, "\"cursor\"", 8) ||
         memchr(request->body.bytes, '\\', request->body.length);
}

/* True if finding the users of a shape, which inspects all colliders of all bodies, is fast enough
 * for the loop thread. */
static bool has_few_colliders(const srv_request *request) {
  return request->scenes_count <= SRV_INLINE_LIST &&
         api_scenes_are_small(request->scenes, request->scenes_count, INLINE_COLLIDERS);
}

/* True if the call may begin on the loop thread: body and scene are so small that parsing takes
 * little time. */
static bool may_begin_inline(const srv_request *request) {
  if (request->body_length > SRV_INLINE_BODY || request->match.streams ||
      may_scale_shape(request) || may_continue_large_query(request))
    return false;
  bool writes = srv_request_writes(request);
  uint32_t bodies = request->input.scene ? ct_scene_count(request->input.scene) : 0;
  if (request->match.target == API_TARGET_EVENTS) return true;
  if (request->match.target == API_TARGET_LIST) return request->scenes_count <= SRV_INLINE_LIST;
  if (srv_inputs_need_all_scenes(request->match.target)) return has_few_colliders(request);
  if (request->input.scene &&
      api_match_contact_count(&request->match, request->input.scene) > INLINE_CONTACTS)
    return false;
  uint64_t bytes = request->input.scene ? request->entry->written_bytes : 0;
  if (bytes > (writes ? INLINE_WRITE_BYTES : INLINE_READ_BYTES)) return false;
  return bodies <= (writes ? INLINE_WRITE_BODIES : INLINE_READ_BODIES);
}

/* Sets the deadline from "deadlineMs" in the unparsed body, because it also limits the wait for a
 * worker. */
static void peek_deadline(srv_request *request) {
  if (request->begun_inline || request->match.form != API_FORM_JSON || request->body.length == 0)
    return;
  srv_request_scan_deadline(request);
  if (!request->deadline_peek.found) return;
  const char *value = request->body.bytes + request->deadline_peek.value;
  size_t left = request->body.length - request->deadline_peek.value;
  uint64_t ms = 0;
  size_t digits = 0;
  while (digits < left && digits < 9 && value[digits] >= '0' && value[digits] <= '9')
    ms = ms * 10 + (uint64_t)(value[digits++] - '0');
  /* numbers in other formats (1e3, 1.5) are left to the API, which parses them when the call
   * begins */
  if (digits == left || digits == 0 || !strchr(",} \t\r\n", value[digits])) return;
  if (ms == 0 || ms > request->server->limits->deadline_max_ms) return;
  atomic_store_explicit(&request->deadline_ns, request->arrived_ns + ms * 1000000u,
                        memory_order_relaxed);
}

/* Ends a request that has no open job: its reply can be sent. */
static void answer_request(srv_request *request) {
  srv_request_set_work(request, SRV_WORK_ENDED);
  srv_request_wake(request, SRV_STATE_READY);
}

/* Ends a call that needed no worker: the next write of the scene begins, and the reply can be
 * sent. */
static void end_inline(srv_request *request) {
  release_write_slot(request);
  answer_request(request);
}

/* Begins the call on the loop thread or submits it to the pool. may_inline: it may begin on the
 * loop thread. False: a refusal is the reply, and the caller ends the request. */
static bool begin_or_submit(srv_request *request, bool may_inline) {
  srv_server *server = request->server;
  const srv_entry *entry = request->entry;
  if (entry && entry->kept && srv_recover_refuses(request)) return false;
  if (request->fingerprint && srv_idempotency_replay(request)) return false;
  if (!srv_inputs_retain(request)) {
    srv_request_refuse_memory(request);
    end_creation(request);
    return false;
  }
  /* a small call begins here, and is finished here if its estimated work is short */
  if (may_inline && may_begin_inline(request)) {
    atomic_store_explicit(&request->started_ns, request->arrived_ns, memory_order_relaxed);
    if (srv_work_inline(request, server->scratch, INLINE_NS)) {
      if (srv_accept_result(request) == SRV_ACCEPTANCE_STORING) open_job(request, SRV_WORK_STORING);
      else end_inline(request);
      return true;
    }
    /* The rest of the work waits for a worker; until then the request counts as queued. */
    atomic_store_explicit(&request->started_ns, 0, memory_order_relaxed);
  }
  /* all other calls are queued for a worker */
  if (may_inline && refuse_if_full(request, request->lane)) {
    end_inline(request);
    return true;
  }
  if (request->work == SRV_WORK_AWAITS_TURN) {
    srv_request_set_work(request, SRV_WORK_QUEUED);
  } else {
    peek_deadline(request);
    open_job(request, SRV_WORK_QUEUED);
  }
  submit_job(request, true);
  return true;
}

/* Appends the write to the scene's queue of writes. */
static void queue_behind_writer(srv_request *request) {
  srv_server *server = request->server;
  srv_entry *entry = request->entry;
  if (refuse_if_full(request, &entry->lane)) {
    answer_request(request);
    return;
  }
  peek_deadline(request);
  srv_pool_expect(server->pool, &request->job, &entry->lane);
  srv_request_queue_push(&entry->writes, request);
  open_job(request, SRV_WORK_AWAITS_TURN);
}

/* Queues the request until its scene or the posted shapes are loaded, as `wait` says. */
static void queue_behind_load(srv_request *request, srv_work wait) {
  srv_server *server = request->server;
  if (refuse_if_full(request, request->lane)) {
    answer_request(request);
    return;
  }
  peek_deadline(request);
  srv_pool_expect(server->pool, &request->job, request->lane);
  open_job(request, wait);
  srv_recover_enqueue(request);
}

/* Finds the scene and its lane, then loads the scene, queues the request, or begins the call. */
static void route_request(srv_request *request) {
  srv_server *server = request->server;
  bool has_inputs =
      request->call && (request->match.target == API_TARGET_NONE || srv_inputs_find_scene(request));
  if (!has_inputs) {
    srv_request_refuse_memory(request);
    answer_request(request);
    return;
  }
  srv_entry *entry = request->entry;
  request->lane = entry ? &entry->lane : &server->stateless;
  if (request->store_revision && !srv_shared_reload_if_older(request)) {
    answer_request(request);
    return;
  }
  srv_work wait = server->store ? srv_recover_wait(request) : SRV_WORK_IDLE;
  if (wait != SRV_WORK_IDLE) {
    queue_behind_load(request, wait);
    return;
  }
  if (entry && srv_request_writes(request)) {
    if (entry->writer) {
      queue_behind_writer(request);
      return;
    }
    entry->writer = request;
  }
  if (begin_or_submit(request, true)) return;
  release_write_slot(request);
  answer_request(request);
}

/* Waits until this daemon has read the changes that other daemons have made to the store. */
static void refresh_from_store(srv_request *request) {
  if (!srv_shared_refresh(request)) {
    srv_request_refuse_memory(request);
    answer_request(request);
    return;
  }
  peek_deadline(request);
  open_job(request, SRV_WORK_REFRESHING);
}

void srv_job_arrived(srv_request *request) {
  request->arrived_ns = uv_hrtime();
  /* Without a query string or a streamed body, the call has no deadline of its own yet. */
  bool has_own = request->call && (request->query || request->match.streams);
  uint64_t ms =
      has_own ? api_call_deadline_ms(request->call) : request->server->limits->deadline_ms;
  atomic_store_explicit(&request->deadline_ns, request->arrived_ns + ms * 1000000u,
                        memory_order_relaxed);
}

void srv_job_dispatch(srv_request *request) {
  assert(request->state == SRV_STATE_WAIT && request->work == SRV_WORK_IDLE);
  /* For a streamed body, the deadline was set before its last pieces were read. */
  if (!atomic_load_explicit(&request->deadline_ns, memory_order_relaxed)) srv_job_arrived(request);
  if (request->reply) answer_request(request); /* refused before the end of its body */
  else if (request->server->shared && srv_shared_needs_refresh(request))
    refresh_from_store(request);
  else route_request(request);
}

/* ---- end of a wait -------------------------------------------------------------------------- */

/* Continues a request whose wait has ended. The extra reference keeps the request from being freed
 * between closing its job and opening the next one. */
static void continue_call(srv_request *request) {
  srv_request_retain(request);
  close_job(request, SRV_WORK_IDLE);
  route_request(request);
  srv_request_release(request);
}

/* Repeats a call, from the request's head and body, whose write the store has refused as outdated.
 * False: it cannot be repeated, and nothing has changed. */
static bool repeat_call(srv_request *request) {
  bool can_repeat = !request->match.streams && request->match.target != API_TARGET_SNAPSHOT;
  if (!can_repeat || request->job.running > 0 || !request->handle ||
      request->state == SRV_STATE_GONE)
    return false;
  if (++request->runs >= ATTEMPTS_MAX) return false;
  srv_inputs_release(request);
  request->begun_inline = false;
  atomic_store_explicit(&request->ranges, SRV_RANGES_LEFT, memory_order_relaxed);
  atomic_store_explicit(&request->started_ns, 0, memory_order_relaxed);
  request->reply = NULL;
  /* If this fails, route_request refuses the request with outOfMemory. */
  (void)request->server->handlers->recreate_call(request);
  release_write_slot(request);
  continue_call(request);
  return true;
}

/* Refuses a write that the store has refused as outdated and that cannot be repeated. */
static void refuse_outdated(srv_request *request) {
  if (request->match.target == API_TARGET_SHAPE_WRITE) {
    srv_request_refuse(
        request, API_PROBLEM_BUSY,
        "The shape was removed while it was posted. Nothing has changed; try again.");
    srv_request_refusal_header(request, "Retry-After", "1");
  } else {
    srv_request_refuse(request, API_PROBLEM_SCENE_MOVED,
                       "Another daemon has written to the scene, which is now at revision %llu. "
                       "%s; try again.",
                       (unsigned long long)request->store_revision,
                       request->checkpoint ? "The last checkpoint is kept" : "Nothing has changed");
  }
}

/* Continues a call whose checkpoint the store has, unless its client has disconnected. */
static void continue_after_checkpoint(srv_request *request) {
  srv_commit_checkpoint(request);
  srv_request_set_work(request, SRV_WORK_RUNNING);
  release_write_slot(request);
  bool has_client = request->handle && request->state != SRV_STATE_GONE;
  if (has_client) submit_job(request, false);
  else srv_job_cancel(request);
}

static void on_write_stored(srv_request *request, srv_outcome outcome) {
  if (outcome == SRV_OUTCOME_GOOD && api_call_has_checkpoint(request->call)) {
    continue_after_checkpoint(request);
    return;
  }
  if (outcome == SRV_OUTCOME_GOOD) srv_commit(request);
  srv_durable_free(request->durable);
  request->durable = NULL;
  if (outcome == SRV_OUTCOME_OUTDATED) {
    if (repeat_call(request)) return;
    refuse_outdated(request);
  }
  end_stored_write(request);
}

static void submit_body_piece(srv_request *request);

static void on_shapes_refreshed(srv_request *request, bool good) {
  if (good) {
    submit_body_piece(request);
    return;
  }
  atomic_store_explicit(&request->feed_failed, true, memory_order_relaxed);
  on_body_piece_read(request);
}

void srv_job_resume(srv_request *request, srv_outcome outcome) {
  switch (request->work) {
  case SRV_WORK_FEEDING: on_shapes_refreshed(request, outcome == SRV_OUTCOME_GOOD); break;
  case SRV_WORK_STORING: on_write_stored(request, outcome); break;
  default:
    assert(request->work == SRV_WORK_REFRESHING || request->work == SRV_WORK_AWAITS_SHAPES ||
           request->work == SRV_WORK_AWAITS_SCENE);
    if (outcome == SRV_OUTCOME_GOOD) {
      continue_call(request);
    } else {
      srv_request_wake(request, SRV_STATE_READY);
      close_job(request, SRV_WORK_ENDED);
    }
    break;
  }
}

/* ---- streamed bodies ------------------------------------------------------------------------ */

static void submit_body_piece(srv_request *request) {
  srv_inputs_retain_shapes(request);
  submit_job(request, false);
}

void srv_job_feed(srv_request *request) {
  assert(request->work == SRV_WORK_IDLE && request->match.streams);
  srv_buffer piece = request->fed;
  request->fed = request->body;
  request->body = piece;
  request->body.length = 0;
  if (!request->entry && !srv_inputs_find_scene(request)) {
    /* the request is refused when its body has ended */
    atomic_store_explicit(&request->feed_failed, true, memory_order_relaxed);
    return;
  }
  request->lane = request->entry ? &request->entry->lane : &request->server->stateless;
  bool needs_refresh = request->server->shared && srv_shared_needs_shape_refresh(request);
  if (needs_refresh && !srv_shared_refresh_shapes(request)) {
    srv_request_refuse_memory(request);
    atomic_store_explicit(&request->feed_failed, true, memory_order_relaxed);
    return;
  }
  open_job(request, SRV_WORK_FEEDING);
  if (!needs_refresh) submit_body_piece(request);
}

static void on_body_piece_read(srv_request *request) {
  request->fed.length = 0;
  if (request->work == SRV_WORK_CANCELLED) {
    close_job(request, SRV_WORK_ENDED);
    return;
  }
  /* The extra reference keeps the request from being freed between closing the job and opening the
   * next one. */
  srv_request_retain(request);
  close_job(request, SRV_WORK_IDLE);
  bool body_ended = request->state == SRV_STATE_WAIT;
  if (request->feed_failed) request->body.length = 0;
  if (request->body.length && (body_ended || request->body.length >= SRV_PIECE_BYTES))
    srv_job_feed(request);
  if (!body_ended) srv_request_resume(request, SRV_STATE_BODY);
  else if (request->work == SRV_WORK_IDLE) srv_job_dispatch(request);
  srv_request_release(request);
}
