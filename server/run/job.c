/* The course of a call, on the loop thread: where its steps run and in which order the writes of a scene go. What it borrows is in
 * call_inputs.c, what a worker does in work.c, what its result changes in commit.c.
 *
 * A job is open while the pool, a scene's queue of writes, the loading of a scene or the store has the request. It ends in exactly
 * one of two ways: srv_accept_result takes the result, or the request was cancelled and the result is dropped. What the store has
 * been given is not cancelled any more. */
#include "http/progress_stream.h"
#include "scenes/durable_write.h"
#include "scenes/recover.h"
#include "scenes/shared_store.h"

#include <string.h>

/* ---- ends -------------------------------------------------------------------------------------------------------------- */

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

static bool start(srv_request *request, bool may_inline);

/* The write is over: the next in order begins. A write that cannot even begin is answered here and passes the slot on. */
static void pass_slot(srv_request *request) {
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
    bool to_load = srv_recover_must_wait(next);
    if (!to_load && start(next, false)) break;
    next->holds_slot = false;
    entry->writer = NULL;
    if (to_load) {
      /* What others have made of the scene while it queued is not here yet. */
      srv_job_loaded(next);
      continue;
    }
    srv_request_wake(next, SRV_STATE_READY);
    close_job(next);
  }
}

/* The result is taken, or dropped when the request was cancelled; once. */
static void settle(srv_request *request) {
  if (request->settled) return;
  request->settled = true;
  if (request->cancelled) {
    request->ended_ns = uv_hrtime();
    pass_slot(request);
  } else if (srv_accept_result(request)) {
    pass_slot(request);
    srv_request_wake(request, SRV_STATE_READY);
  } else {
    /* It holds no place among those that compute. */
    srv_pool_withdraw(request->server->pool, &request->job);
  }
}

static void end_job(srv_request *request) {
  settle(request);
  if (!request->storing) close_job(request);
}

/* The client may have left in the meantime: what is written is written. Pieces that find nothing may still wait for a worker; the
 * last one closes the job. */
void srv_job_stored(srv_request *request) {
  pass_slot(request);
  if (request->handle && request->state != SRV_STATE_GONE) srv_request_wake(request, SRV_STATE_READY);
  if (request->job.running == 0) close_job(request);
}

void srv_job_cancel(srv_request *request) {
  if (request->cancelled || request->storing) return;
  request->cancelled = true;
  if (request->cancel) ct_cancel_raise(request->cancel);
  if (!request->job_open) return;
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

/* ---- the pool's view ----------------------------------------------------------------------------------------------------- */

/* More pieces at once than this find nothing to do: a piece takes several ranges. */
static unsigned pieces_at_once(const srv_request *request) {
  double pieces = api_call_cost_ns(request->call) / (SRV_SLICE_NS / 4);
  double most = 2.0 * (double)request->server->config->workers;
  return pieces < 2.0 ? 2u : (unsigned)(pieces < most ? pieces : most);
}

static long take_piece(srv_job *job) {
  srv_request *request = (srv_request *)job;
  if (request->stage == SRV_STAGE_RANGES) {
    if (srv_work_ended(request) || job->running >= request->pieces_most) return SRV_NO_PIECE;
    /* Others hold all ranges that are left. */
    if (job->running > 0 && atomic_load_explicit(&request->dry, memory_order_relaxed)) return SRV_NO_PIECE;
    return 0;
  }
  if (request->stage_taken) return SRV_NO_PIECE;
  request->stage_taken = true;
  request->crowded = srv_pool_crowded(request->server->pool);
  return 0;
}

static void feed_done(srv_request *request);

/* A worker has left the ranges. The answer may be there while pieces that will find nothing still wait for a worker: it is sent,
 * and the job stays open for them. */
static void ranges_done(srv_request *request) {
  bool over = srv_work_finished(request) || request->cancelled;
  if (!over && request->match.target == API_TARGET_SNAPSHOT) {
    srv_progress_feed(request);
    api_call_hint(request->call, request->hint);
    /* What it works for cannot be committed any more. */
    if (request->entry->current != request->input.scene) {
      api_call_set_conflict(request->call);
      request->reply = api_call_reply(request->call);
      srv_request_wake(request, SRV_STATE_READY);
      srv_job_cancel(request);
      return;
    }
    /* A connection that waits for its client is not looked at by the sweep. */
    if (!request->suspended && uv_hrtime() >= atomic_load_explicit(&request->deadline_ns, memory_order_relaxed)) {
      srv_request_time_out(request);
      return;
    }
  }
  if (!over) {
    srv_pool_submit(request->server->pool, &request->job, request->lane, false);
    return;
  }
  if (request->job.running == 0) {
    end_job(request);
  } else if (!request->cancelled) {
    srv_pool_withdraw(request->server->pool, &request->job);
    settle(request);
  }
}

static void piece_done(srv_job *job, long piece) {
  srv_request *request = (srv_request *)job;
  (void)piece;
  switch (request->stage) {
  case SRV_STAGE_FEED: feed_done(request); break;
  case SRV_STAGE_START:
    if (request->cancelled || srv_work_finished(request)) {
      end_job(request);
      break;
    }
    request->stage = SRV_STAGE_RANGES;
    request->pieces_most = request->match.target == API_TARGET_SNAPSHOT ? 1 : pieces_at_once(request);
    srv_pool_submit(request->server->pool, job, request->lane, false);
    break;
  case SRV_STAGE_RANGES: ranges_done(request); break;
  case SRV_STAGE_FREE:
    srv_pool_withdraw(request->server->pool, job);
    srv_request_free(request);
    break;
  case SRV_STAGE_NONE: break;
  }
}

void srv_job_submit(srv_request *request, srv_stage stage, bool fresh) {
  request->job.take = take_piece;
  request->job.run = srv_work_piece;
  request->job.done = piece_done;
  request->stage = stage;
  request->stage_taken = false;
  srv_pool_submit(request->server->pool, &request->job, request->lane, fresh);
  srv_pool_pump(request->server->pool);
}

/* ---- starts ------------------------------------------------------------------------------------------------------------ */

void srv_job_refuse_memory(srv_request *request) {
  srv_request_refuse(request, API_PROBLEM_OUT_OF_MEMORY, "Memory for the request could not be had; nothing has changed.");
}

static void refuse_busy(srv_request *request) {
  srv_request_refuse(request, API_PROBLEM_BUSY, "Too many requests wait for a worker.");
  srv_request_refusal_header(request, "Retry-After", "1");
}

bool srv_job_admit(srv_request *request, bool small) {
  /* What a streamed body names is looked up as it arrives. */
  if (request->match.streams && !srv_recover_admits_stream(request)) return false;
  if (small) return true;
  const srv_entry *entry =
      request->match.scene_id[0] ? srv_registry_find(request->server->registry, request->match.scene_id) : NULL;
  if (srv_pool_has_room(request->server->pool, entry ? &entry->lane : &request->server->stateless)) return true;
  refuse_busy(request);
  return false;
}

/* Scaling a shape builds it anew, which a few bytes may ask of a large one: the text is looked at as it stands, and an escape may
 * spell anything. */
static bool may_scale(const srv_request *request) {
  if (request->body.length == 0 || !api_shapes_scale_slowly(request->server->shapes)) return false;
  return memmem(request->body.bytes, request->body.length, "\"scale\"", 7) ||
         memchr(request->body.bytes, '\\', request->body.length);
}

/* A cursor may stand for a query that is kept, and large. */
static bool may_be_large(const srv_request *request) {
  if (request->body.length == 0 || request->kept_queries.longest <= SRV_INLINE_BODY) return false;
  return memmem(request->body.bytes, request->body.length, "\"cursor\"", 8) ||
         memchr(request->body.bytes, '\\', request->body.length);
}

/* Who names a shape is found by looking at all colliders of all bodies. */
static bool few_colliders(const srv_request *request) {
  return request->scenes_count <= SRV_INLINE_LIST &&
         api_scenes_are_small(request->scenes, request->scenes_count, SRV_INLINE_COLLIDERS);
}

/* May begin run on the loop thread? It parses the body and does what is cheap, so both body and scene must be small. */
static bool is_small(const srv_request *request) {
  if (request->body_length > SRV_INLINE_BODY || request->match.streams || may_scale(request) || may_be_large(request)) return false;
  uint32_t bodies = request->input.scene ? ct_scene_count(request->input.scene) : 0;
  if (request->match.target == API_TARGET_EVENTS) return true;
  if (request->match.target == API_TARGET_LIST) return request->scenes_count <= SRV_INLINE_LIST;
  if (srv_inputs_need_all_scenes(request->match.target)) return few_colliders(request);
  if (request->input.scene && api_match_contact_count(&request->match, request->input.scene) > SRV_INLINE_CONTACTS) return false;
  uint64_t bytes = request->input.scene ? request->entry->written_bytes : 0;
  if (bytes > (request->writes ? SRV_INLINE_WRITE_BYTES : SRV_INLINE_READ_BYTES)) return false;
  return bodies <= (request->writes ? SRV_INLINE_WRITE_BODIES : SRV_INLINE_READ_BODIES);
}

/* A call that waits for a worker has not been read yet, but its deadline holds: it is looked for in the text. */
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
  /* 1e3 and 1.5 are left to the API. */
  if (digits == left || digits == 0 || !strchr(",} \t\r\n", value[digits])) return;
  if (ms == 0 || ms > request->server->limits->deadline_max_ms) return;
  atomic_store_explicit(&request->deadline_ns, request->arrived_ns + ms * 1000000u, memory_order_relaxed);
}

/* Begins the call here or queues it. False: it could not be begun; the refusal is the reply. Ended here, its state is READY. */
static bool start(srv_request *request, bool may_inline) {
  srv_server *server = request->server;
  if (srv_recover_refuses(request) || srv_idempotency_replay(request)) return false;
  if (!srv_inputs_retain(request)) {
    srv_job_refuse_memory(request);
    if (request->creates) srv_registry_reserve(server->registry, -1);
    request->creates = false;
    return false;
  }
  if (may_inline && is_small(request)) {
    atomic_store_explicit(&request->started_ns, request->arrived_ns, memory_order_relaxed);
    api_step step = srv_work_begin(request);
    if (step == API_STEP_DONE || api_call_cost_ns(request->call) <= SRV_INLINE_NS) {
      if (step == API_STEP_WORK) srv_work_serially(request, server->scratch);
      srv_durable_record(request);
      if (srv_accept_result(request)) {
        pass_slot(request);
        request->state = SRV_STATE_READY;
      } else {
        request->state = SRV_STATE_WAIT;
        open_job(request);
      }
      return true;
    }
    /* The work waits for a worker: until one takes it the request counts as queued. */
    atomic_store_explicit(&request->started_ns, 0, memory_order_relaxed);
  }
  if (may_inline && !srv_pool_has_room(server->pool, request->lane)) {
    refuse_busy(request);
    pass_slot(request);
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

/* Puts the write behind those before it. */
static void queue_write(srv_request *request) {
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

/* Waits for what has to be loaded before the call can begin. */
static void wait_for_load(srv_request *request) {
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

static void route(srv_request *request) {
  api_target target = request->match.target;
  request->state = SRV_STATE_READY;
  if (!request->call || !srv_inputs_find_scene(request)) {
    srv_job_refuse_memory(request);
    return;
  }
  request->lane = request->entry ? &request->entry->lane : &request->server->stateless;
  request->writes = target == API_TARGET_WRITE || target == API_TARGET_PUT || target == API_TARGET_DELETE ||
                    target == API_TARGET_CREATE || target == API_TARGET_SHAPE_WRITE;
  if (!srv_shared_reload_if_older(request)) return;
  if (srv_recover_must_wait(request)) {
    wait_for_load(request);
    return;
  }
  if (request->writes && request->entry) {
    if (request->entry->writer) {
      queue_write(request);
      return;
    }
    request->entry->writer = request;
    request->holds_slot = true;
  }
  if (!start(request, true)) pass_slot(request);
}

/* What others have written comes first. */
static void wait_for_store(srv_request *request) {
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
  uint64_t ms = request->call ? api_call_deadline_ms(request->call) : request->server->limits->deadline_ms;
  atomic_store_explicit(&request->deadline_ns, request->arrived_ns + ms * 1000000u, memory_order_relaxed);
}

static void dispatch(srv_request *request) {
  /* The last pieces of a streamed body are read in its time. */
  if (!atomic_load_explicit(&request->deadline_ns, memory_order_relaxed)) srv_job_arrived(request);
  if (request->reply) {
    /* Refused before its body had ended. */
    request->state = SRV_STATE_READY;
    return;
  }
  if (srv_shared_needs_refresh(request)) wait_for_store(request);
  else route(request);
}

/* Times that a call is begun anew: with more, others write faster than it ever could. */
#define RUNS_MOST 8

bool srv_job_retry(srv_request *request) {
  bool whole = !request->match.streams && request->match.target != API_TARGET_SNAPSHOT;
  if (!whole || request->job.running > 0 || !request->handle || request->state == SRV_STATE_GONE) return false;
  if (++request->runs >= RUNS_MOST) return false;
  srv_inputs_release(request);
  request->storing = request->settled = request->begun = false;
  atomic_store_explicit(&request->ended, false, memory_order_relaxed);
  atomic_store_explicit(&request->finished, false, memory_order_relaxed);
  atomic_store_explicit(&request->dry, false, memory_order_relaxed);
  atomic_store_explicit(&request->started_ns, 0, memory_order_relaxed);
  request->reply = NULL;
  /* Without a call it is refused for want of memory. */
  (void)srv_http_call_anew(request);
  pass_slot(request);
  srv_job_loaded(request);
  return true;
}

/* The job is opened anew by what follows, before this reference is let go. */
void srv_job_loaded(srv_request *request) {
  srv_request_retain(request);
  close_job(request);
  route(request);
  if (request->state == SRV_STATE_READY) srv_request_wake(request, SRV_STATE_READY);
  srv_request_release(request);
}

void srv_job_not_loaded(srv_request *request) {
  srv_request_wake(request, SRV_STATE_READY);
  close_job(request);
}

void srv_job_dispatch(srv_request *request) {
  dispatch(request);
  if (request->state == SRV_STATE_READY) srv_request_wake(request, SRV_STATE_READY);
}

/* ---- streamed bodies ------------------------------------------------------------------------------------------------------ */

static void feed_piece(srv_request *request) {
  srv_inputs_retain_shapes(request);
  srv_job_submit(request, SRV_STAGE_FEED, false);
}

void srv_job_feed(srv_request *request) {
  srv_buffer piece = request->fed;
  request->fed = request->body;
  request->body = piece;
  request->body.length = 0;
  if (!request->entry && !srv_inputs_find_scene(request)) {
    /* Said when the body has ended. */
    request->feed_failed = true;
    return;
  }
  request->lane = request->entry ? &request->entry->lane : &request->server->stateless;
  bool asks = srv_shared_needs_shape_refresh(request);
  if (asks && !srv_shared_refresh_shapes(request)) {
    srv_job_refuse_memory(request);
    request->feed_failed = true;
    return;
  }
  open_job(request);
  request->stage = SRV_STAGE_FEED;
  if (!asks) feed_piece(request);
}

void srv_job_resume_feed(srv_request *request, bool good) {
  if (good) {
    feed_piece(request);
    return;
  }
  request->piece_failed = true;
  feed_done(request);
}

static void feed_done(srv_request *request) {
  request->fed.length = 0;
  request->feed_failed = request->piece_failed;
  if (request->cancelled) {
    close_job(request);
    return;
  }
  /* The job is opened anew by what follows, before this reference is let go. */
  srv_request_retain(request);
  close_job(request);
  if (request->feed_failed) request->body.length = 0;
  if (request->body.length && (request->body_ended || request->body.length >= SRV_PIECE_BYTES)) srv_job_feed(request);
  if (!request->body_ended) srv_request_wake(request, SRV_STATE_BODY);
  else if (!srv_job_feeding(request)) srv_job_dispatch(request);
  srv_request_release(request);
}
