/* Scheduling of a call: chooses the thread of each stage and serialises the writes of a scene. Loop
 * thread only.
 *
 * call_inputs.c retains the inputs, work.c runs the stages on workers, commit.c publishes the
 * result.
 *
 * A job is open while the request is in the pool, in a scene's write queue, waiting for a scene to
 * load, or in the store. It ends in one of two ways: srv_accept_result accepts the result, or the
 * request was cancelled and the result is discarded. A write submitted to the store cannot be
 * cancelled. */
#include "http/progress_stream.h"
#include "scenes/durable_write.h"
#include "scenes/recover.h"
#include "scenes/shared_store.h"

#include <string.h>

/* ---- end of a job --------------------------------------------------------------------------- */

static void open_job(srv_request *request) {
  request->job_open = true;
  srv_request_retain(request);
}

static void close_job(srv_request *request) {
  srv_pool_withdraw(request->server->pool, &request->job);
  request->job_open = false;
  request->stage = SRV_STAGE_NONE;
  srv_request_release(request);
}

static bool begin_or_submit(srv_request *request, bool may_inline);

/* Ends the request's write and begins the next one in the scene's queue. A write that fails to
 * begin is answered here, and the slot goes to the one after it. */
static void release_write_slot(srv_request *request) {
  srv_inputs_end_shape_use(request);
  if (request->creates) srv_registry_reserve(request->server->registry, -1);
  request->creates = false;
  if (!request->holds_slot) return;
  request->holds_slot = false;
  srv_entry *entry = request->entry;
  entry->writer = NULL;
  while (entry->writes_first && !entry->writer) {
    srv_request *next = entry->writes_first;
    entry->writes_first = next->next_write;
    if (!entry->writes_first) entry->writes_last = NULL;
    next->write_queued = false;
    entry->writer = next;
    next->holds_slot = true;
    bool needs_load = srv_recover_must_wait(next);
    if (!needs_load && begin_or_submit(next, false)) break;
    next->holds_slot = false;
    entry->writer = NULL;
    if (needs_load) {
      /* Another daemon has changed the scene meanwhile: the new revision must be loaded first. */
      srv_job_loaded(next);
      continue;
    }
    srv_request_wake(next, SRV_STATE_READY);
    close_job(next);
  }
}

/* Accepts the result, or discards it if the request was cancelled. Only the first call has an
 * effect. */
static void conclude_result(srv_request *request) {
  if (request->settled) return;
  request->settled = true;
  if (request->cancelled) {
    request->ended_ns = uv_hrtime();
    release_write_slot(request);
  } else if (srv_accept_result(request)) {
    release_write_slot(request);
    srv_request_wake(request, SRV_STATE_READY);
  } else {
    /* The store has the write: the job no longer counts as computing. */
    srv_pool_withdraw(request->server->pool, &request->job);
  }
}

static void end_job(srv_request *request) {
  conclude_result(request);
  if (!request->storing) close_job(request);
}

/* The client may have left meanwhile; the write stays committed. Pieces without work may still wait
 * for a worker: the last one closes the job. */
void srv_job_stored(srv_request *request) {
  release_write_slot(request);
  if (request->handle && request->state != SRV_STATE_GONE)
    srv_request_wake(request, SRV_STATE_READY);
  if (request->job.running == 0) close_job(request);
}

void srv_job_cancel(srv_request *request) {
  if (request->cancelled || request->storing) return;
  request->cancelled = true;
  if (request->cancel) ct_cancel_raise(request->cancel);
  if (!request->job_open) return;
  /* remove the request from the queue that contains it, if any */
  if (request->write_queued) {
    srv_entry *entry = request->entry;
    srv_request *before = NULL;
    for (srv_request *at = entry->writes_first; at != request; at = at->next_write) before = at;
    if (before) before->next_write = request->next_write;
    else entry->writes_first = request->next_write;
    if (entry->writes_last == request) entry->writes_last = before;
    request->write_queued = false;
    close_job(request);
  } else if (request->load_queued) {
    srv_recover_dequeue(request);
    close_job(request);
  } else if (request->job.running == 0) {
    end_job(request);
  } else {
    srv_pool_withdraw(request->server->pool, &request->job);
  }
}

/* ---- callbacks of the pool ------------------------------------------------------------------ */

/* Number of pieces that may run at once. More would find no work: one piece runs several ranges. */
static unsigned count_parallel_pieces(const srv_request *request) {
  double pieces = api_call_cost_ns(request->call) / (SRV_SLICE_NS / 4);
  double most = 2.0 * (double)request->server->config->workers;
  return pieces < 2.0 ? 2u : (unsigned)(pieces < most ? pieces : most);
}

static long select_next_piece(srv_job *job) {
  srv_request *request = (srv_request *)job;
  if (request->stage == SRV_STAGE_RANGES) {
    if (srv_work_ended(request) || job->running >= request->pieces_most) return SRV_NO_PIECE;
    /* Running pieces have all remaining ranges. */
    if (job->running > 0 && atomic_load_explicit(&request->dry, memory_order_relaxed))
      return SRV_NO_PIECE;
    return 0;
  }
  if (request->stage_taken) return SRV_NO_PIECE;
  request->stage_taken = true;
  request->crowded = srv_pool_crowded(request->server->pool);
  return 0;
}

static void on_body_piece_read(srv_request *request);

/* A worker's slice of ranges has ended. The reply may be complete while pieces without work still
 * wait for a worker: the reply is sent, and the job stays open until they have run. */
static void on_range_slice_done(srv_request *request) {
  bool ended = srv_work_finished(request) || request->cancelled;
  if (!ended && request->match.target == API_TARGET_SNAPSHOT) {
    srv_progress_feed(request);
    api_call_hint(request->call, request->hint);
    /* The scene has a newer revision: the result can no longer be committed. */
    if (request->entry->current != request->input.scene) {
      api_call_set_conflict(request->call);
      request->reply = api_call_reply(request->call);
      srv_request_wake(request, SRV_STATE_READY);
      srv_job_cancel(request);
      return;
    }
    /* The sweep only checks deadlines of suspended connections; this one is sending lines. */
    if (!request->suspended &&
        uv_hrtime() >= atomic_load_explicit(&request->deadline_ns, memory_order_relaxed)) {
      srv_request_time_out(request);
      return;
    }
  }
  if (!ended) {
    srv_pool_submit(request->server->pool, &request->job, request->lane, false);
    return;
  }
  if (request->job.running == 0) {
    end_job(request);
  } else if (!request->cancelled) {
    srv_pool_withdraw(request->server->pool, &request->job);
    conclude_result(request);
  }
}

static void on_piece_done(srv_job *job, long piece) {
  srv_request *request = (srv_request *)job;
  (void)piece;
  switch (request->stage) {
  case SRV_STAGE_FEED: on_body_piece_read(request); break;
  case SRV_STAGE_START:
    if (request->cancelled || srv_work_finished(request)) {
      end_job(request);
      break;
    }
    request->stage = SRV_STAGE_RANGES;
    request->pieces_most =
        request->match.target == API_TARGET_SNAPSHOT ? 1 : count_parallel_pieces(request);
    srv_pool_submit(request->server->pool, job, request->lane, false);
    break;
  case SRV_STAGE_RANGES: on_range_slice_done(request); break;
  case SRV_STAGE_FREE:
    srv_pool_withdraw(request->server->pool, job);
    srv_request_free(request);
    break;
  case SRV_STAGE_NONE: break;
  }
}

void srv_job_submit(srv_request *request, srv_stage stage, bool fresh) {
  request->job.take = select_next_piece;
  request->job.run = srv_work_piece;
  request->job.done = on_piece_done;
  request->stage = stage;
  request->stage_taken = false;
  srv_pool_submit(request->server->pool, &request->job, request->lane, fresh);
  srv_pool_pump(request->server->pool);
}

/* ---- admission and start -------------------------------------------------------------------- */

void srv_job_refuse_memory(srv_request *request) {
  srv_request_refuse(request, API_PROBLEM_OUT_OF_MEMORY,
                     "Out of memory for the request; nothing has changed.");
}

static void refuse_busy(srv_request *request) {
  srv_request_refuse(request, API_PROBLEM_BUSY, "Too many requests wait for a worker.");
  srv_request_refusal_header(request, "Retry-After", "1");
}

bool srv_job_admit(srv_request *request, bool small) {
  /* Shape ids in a streamed body are resolved while it arrives. */
  if (request->match.streams && !srv_recover_admits_stream(request)) return false;
  if (small) return true;
  const srv_entry *entry = request->match.scene_id[0] ? srv_registry_find(request->server->registry,
                                                                          request->match.scene_id)
                                                      : NULL;
  if (srv_pool_has_room(request->server->pool, entry ? &entry->lane : &request->server->stateless))
    return true;
  refuse_busy(request);
  return false;
}

/* True if the body may scale a posted shape. Scaling rebuilds the shape, so a short body can cost a
 * lot. Searches the raw text; a backslash counts as a match, because an escape can spell any name.
 */
static bool may_scale_shape(const srv_request *request) {
  if (request->body.length == 0 || !api_shapes_scale_slowly(request->server->shapes)) return false;
  return memmem(request->body.bytes, request->body.length, "\"scale\"", 7) ||
         memchr(request->body.bytes, '\\', request->body.length);
}

/* True if the body may contain a cursor, and the longest cached query of the scene is large. */
static bool may_continue_large_query(const srv_request *request) {
  if (request->body.length == 0 || request->kept_queries.longest <= SRV_INLINE_BODY) return false;
  return memmem(request->body.bytes, request->body.length, "\"cursor\"", 8) ||
         memchr(request->body.bytes, '\\', request->body.length);
}

/* Finding the users of a shape inspects all colliders of all bodies. */
static bool has_few_colliders(const srv_request *request) {
  return request->scenes_count <= SRV_INLINE_LIST &&
         api_scenes_are_small(request->scenes, request->scenes_count, SRV_INLINE_COLLIDERS);
}

/* True if the call may begin on the loop thread: body and scene are small, so parsing is short. */
static bool may_begin_inline(const srv_request *request) {
  if (request->body_length > SRV_INLINE_BODY || request->match.streams ||
      may_scale_shape(request) || may_continue_large_query(request))
    return false;
  uint32_t bodies = request->input.scene ? ct_scene_count(request->input.scene) : 0;
  if (request->match.target == API_TARGET_EVENTS) return true;
  if (request->match.target == API_TARGET_LIST) return request->scenes_count <= SRV_INLINE_LIST;
  if (srv_inputs_need_all_scenes(request->match.target)) return has_few_colliders(request);
  if (request->input.scene &&
      api_match_contact_count(&request->match, request->input.scene) > SRV_INLINE_CONTACTS)
    return false;
  uint64_t bytes = request->input.scene ? request->entry->written_bytes : 0;
  if (bytes > (request->writes ? SRV_INLINE_WRITE_BYTES : SRV_INLINE_READ_BYTES)) return false;
  return bodies <= (request->writes ? SRV_INLINE_WRITE_BODIES : SRV_INLINE_READ_BODIES);
}

/* Sets the deadline from the unparsed body: deadlineMs also bounds the wait for a worker. */
static void peek_deadline(srv_request *request) {
  if (request->begun || request->match.form != API_FORM_JSON || request->body.length == 0) return;
  srv_request_scan_deadline(request);
  if (!request->deadline_peek.found) return;
  const char *value = request->body.bytes + request->deadline_peek.value;
  size_t left = request->body.length - request->deadline_peek.value;
  uint64_t ms = 0;
  size_t digits = 0;
  while (digits < left && digits < 9 && value[digits] >= '0' && value[digits] <= '9')
    ms = ms * 10 + (uint64_t)(value[digits++] - '0');
  /* other number formats (1e3, 1.5) are parsed by the API later */
  if (digits == left || digits == 0 || !strchr(",} \t\r\n", value[digits])) return;
  if (ms == 0 || ms > request->server->limits->deadline_max_ms) return;
  atomic_store_explicit(&request->deadline_ns, request->arrived_ns + ms * 1000000u,
                        memory_order_relaxed);
}

/* Begins the call on the loop thread or submits it to the pool. False: refused; the refusal is the
 * reply. A call that ends here leaves the state READY. */
static bool begin_or_submit(srv_request *request, bool may_inline) {
  srv_server *server = request->server;
  if (srv_recover_refuses(request) || srv_idempotency_replay(request)) return false;
  if (!srv_inputs_retain(request)) {
    srv_job_refuse_memory(request);
    if (request->creates) srv_registry_reserve(server->registry, -1);
    request->creates = false;
    return false;
  }
  /* small calls: begin here, and finish here if the estimated work is short */
  if (may_inline && may_begin_inline(request)) {
    atomic_store_explicit(&request->started_ns, request->arrived_ns, memory_order_relaxed);
    api_step step = srv_work_begin(request);
    if (step == API_STEP_DONE || api_call_cost_ns(request->call) <= SRV_INLINE_NS) {
      if (step == API_STEP_WORK) srv_work_serially(request, server->scratch);
      srv_durable_record(request);
      if (srv_accept_result(request)) {
        release_write_slot(request);
        request->state = SRV_STATE_READY;
      } else {
        request->state = SRV_STATE_WAIT;
        open_job(request);
      }
      return true;
    }
    /* The work waits for a worker; until it starts there, the request counts as queued. */
    atomic_store_explicit(&request->started_ns, 0, memory_order_relaxed);
  }
  /* all others: queue for a worker */
  if (may_inline && !srv_pool_has_room(server->pool, request->lane)) {
    refuse_busy(request);
    release_write_slot(request);
    request->state = SRV_STATE_READY;
    return true;
  }
  request->state = SRV_STATE_WAIT;
  if (!request->job_open) {
    peek_deadline(request);
    open_job(request);
  }
  srv_job_submit(request, SRV_STAGE_START, true);
  return true;
}

/* Appends the write to the scene's queue. */
static void queue_behind_writer(srv_request *request) {
  srv_server *server = request->server;
  srv_entry *entry = request->entry;
  if (!srv_pool_has_room(server->pool, &entry->lane)) {
    refuse_busy(request);
    request->state = SRV_STATE_READY;
    return;
  }
  peek_deadline(request);
  srv_pool_expect(server->pool, &request->job, &entry->lane);
  request->next_write = NULL;
  if (entry->writes_last) entry->writes_last->next_write = request;
  else entry->writes_first = request;
  entry->writes_last = request;
  request->write_queued = true;
  request->state = SRV_STATE_WAIT;
  open_job(request);
}

/* Queues the request until its scene, or the posted shapes, are loaded. */
static void queue_behind_load(srv_request *request) {
  srv_server *server = request->server;
  if (!srv_pool_has_room(server->pool, request->lane)) {
    refuse_busy(request);
    request->state = SRV_STATE_READY;
    return;
  }
  peek_deadline(request);
  srv_pool_expect(server->pool, &request->job, request->lane);
  request->state = SRV_STATE_WAIT;
  open_job(request);
  srv_recover_enqueue(request);
}

/* Finds the scene and its lane, then loads, queues or begins the call. */
static void route_request(srv_request *request) {
  api_target target = request->match.target;
  request->state = SRV_STATE_READY;
  if (!request->call || !srv_inputs_find_scene(request)) {
    srv_job_refuse_memory(request);
    return;
  }
  request->lane = request->entry ? &request->entry->lane : &request->server->stateless;
  request->writes = target == API_TARGET_WRITE || target == API_TARGET_PUT ||
                    target == API_TARGET_DELETE || target == API_TARGET_CREATE ||
                    target == API_TARGET_SHAPE_WRITE;
  if (!srv_shared_reload_if_older(request)) return;
  if (srv_recover_must_wait(request)) {
    queue_behind_load(request);
    return;
  }
  if (request->writes && request->entry) {
    if (request->entry->writer) {
      queue_behind_writer(request);
      return;
    }
    request->entry->writer = request;
    request->holds_slot = true;
  }
  if (!begin_or_submit(request, true)) release_write_slot(request);
}

/* Waits until the changes that other daemons have made to the store are known here. */
static void refresh_from_store(srv_request *request) {
  if (!srv_shared_refresh(request)) {
    srv_job_refuse_memory(request);
    request->state = SRV_STATE_READY;
    return;
  }
  peek_deadline(request);
  request->state = SRV_STATE_WAIT;
  open_job(request);
}

void srv_job_arrived(srv_request *request) {
  request->arrived_ns = uv_hrtime();
  uint64_t ms =
      request->call ? api_call_deadline_ms(request->call) : request->server->limits->deadline_ms;
  atomic_store_explicit(&request->deadline_ns, request->arrived_ns + ms * 1000000u,
                        memory_order_relaxed);
}

static void dispatch_request(srv_request *request) {
  /* For a streamed body, the time began before its last pieces were read. */
  if (!atomic_load_explicit(&request->deadline_ns, memory_order_relaxed)) srv_job_arrived(request);
  if (request->reply) {
    /* Refused before its body had ended. */
    request->state = SRV_STATE_READY;
    return;
  }
  if (srv_shared_needs_refresh(request)) refresh_from_store(request);
  else route_request(request);
}

/* Attempts of a call whose write the store refuses as outdated. Beyond it, other daemons write
 * faster than this call can run. */
#define ATTEMPTS_MAX 8

bool srv_job_retry(srv_request *request) {
  bool can_repeat = !request->match.streams && request->match.target != API_TARGET_SNAPSHOT;
  if (!can_repeat || request->job.running > 0 || !request->handle ||
      request->state == SRV_STATE_GONE)
    return false;
  if (++request->runs >= ATTEMPTS_MAX) return false;
  srv_inputs_release(request);
  request->storing = request->settled = request->begun = false;
  atomic_store_explicit(&request->ended, false, memory_order_relaxed);
  atomic_store_explicit(&request->finished, false, memory_order_relaxed);
  atomic_store_explicit(&request->dry, false, memory_order_relaxed);
  atomic_store_explicit(&request->started_ns, 0, memory_order_relaxed);
  request->reply = NULL;
  /* If this fails, route_request refuses the request with outOfMemory. */
  (void)srv_http_call_anew(request);
  release_write_slot(request);
  srv_job_loaded(request);
  return true;
}

/* The extra reference keeps the request alive between closing the job and opening the next one. */
void srv_job_loaded(srv_request *request) {
  srv_request_retain(request);
  close_job(request);
  route_request(request);
  if (request->state == SRV_STATE_READY) srv_request_wake(request, SRV_STATE_READY);
  srv_request_release(request);
}

void srv_job_not_loaded(srv_request *request) {
  srv_request_wake(request, SRV_STATE_READY);
  close_job(request);
}

void srv_job_dispatch(srv_request *request) {
  dispatch_request(request);
  if (request->state == SRV_STATE_READY) srv_request_wake(request, SRV_STATE_READY);
}

/* ---- streamed bodies ------------------------------------------------------------------------ */

static void submit_body_piece(srv_request *request) {
  srv_inputs_retain_shapes(request);
  srv_job_submit(request, SRV_STAGE_FEED, false);
}

void srv_job_feed(srv_request *request) {
  srv_buffer piece = request->fed;
  request->fed = request->body;
  request->body = piece;
  request->body.length = 0;
  if (!request->entry && !srv_inputs_find_scene(request)) {
    /* refused when the body has ended */
    request->feed_failed = true;
    return;
  }
  request->lane = request->entry ? &request->entry->lane : &request->server->stateless;
  bool needs_refresh = srv_shared_needs_shape_refresh(request);
  if (needs_refresh && !srv_shared_refresh_shapes(request)) {
    srv_job_refuse_memory(request);
    request->feed_failed = true;
    return;
  }
  open_job(request);
  request->stage = SRV_STAGE_FEED;
  if (!needs_refresh) submit_body_piece(request);
}

void srv_job_resume_feed(srv_request *request, bool shapes_ready) {
  if (shapes_ready) {
    submit_body_piece(request);
    return;
  }
  request->piece_failed = true;
  on_body_piece_read(request);
}

static void on_body_piece_read(srv_request *request) {
  request->fed.length = 0;
  request->feed_failed = request->piece_failed;
  if (request->cancelled) {
    close_job(request);
    return;
  }
  /* The extra reference keeps the request alive between closing the job and opening the next one.
   */
  srv_request_retain(request);
  close_job(request);
  if (request->feed_failed) request->body.length = 0;
  if (request->body.length && (request->body_ended || request->body.length >= SRV_PIECE_BYTES))
    srv_job_feed(request);
  if (!request->body_ended) srv_request_wake(request, SRV_STATE_BODY);
  else if (!srv_job_feeding(request)) srv_job_dispatch(request);
  srv_request_release(request);
}
