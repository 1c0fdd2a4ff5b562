/* The course of a call, on the loop thread: what it borrows, where its steps run, in which order the writes of a scene go, what is
 * committed. What a worker does is in work.c.
 *
 * A job is open while the pool or a scene's queue of writes has the request. It ends in exactly one of two ways: conclude() takes
 * the result, or the request was cancelled and the result is dropped. */
#include "progress.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a call borrows ------------------------------------------------------------------------------------------------ */

/* The entry of the scene that the path names, or that the call will create. False: out of memory. */
static bool find_entry(srv_request *request) {
  srv_registry *registry = request->server->registry;
  if (request->entry) return true;
  switch (request->match.target) {
  case API_TARGET_READ:
  case API_TARGET_EVENTS:
  case API_TARGET_SNAPSHOT:
  case API_TARGET_WRITE:
  case API_TARGET_DELETE: request->entry = srv_registry_find(registry, request->match.scene_id); break;
  case API_TARGET_PUT:
    request->entry = srv_registry_open(registry, request->match.scene_id);
    if (!request->entry) return false;
    break;
  case API_TARGET_CREATE:
    if (!srv_registry_new_id(request->new_id)) return false;
    request->entry = srv_registry_open(registry, request->new_id);
    if (!request->entry) return false;
    break;
  default: break;
  }
  if (request->entry) srv_registry_hold(request->entry);
  return true;
}

static bool wants_all_scenes(api_target target) {
  return target == API_TARGET_LIST || target == API_TARGET_SHAPE_READ || target == API_TARGET_SHAPE_WRITE;
}

/* The call names the shapes of this moment: that of its first piece where the body is streamed. */
static void use_shapes(srv_request *request) {
  if (request->has_shapes) return;
  srv_server *server = request->server;
  request->has_shapes = true;
  api_call_use_shapes(request->call, server->shapes);
  request->naming = api_match_names_shapes(&request->match);
  if (request->naming) server->naming++;
}

/* What the call names is committed, or will never be. */
static void end_naming(srv_request *request) {
  if (request->naming) request->server->naming--;
  request->naming = false;
}

/* Retains the revisions that the call sees: those of this moment. False: out of memory. */
static bool fill_input(srv_request *request) {
  srv_server *server = request->server;
  srv_entry *entry = request->entry;
  api_input *input = &request->input;
  *input = (api_input){.body = request->body.bytes, .body_length = request->body.length};
  if (request->match.streams) input->body = NULL, input->body_length = 0;
  request->cancel = ct_cancel_create();
  if (!request->cancel || uv_mutex_init(&request->ranges_lock) != 0) return false;
  request->ranges_lock_made = true;
  input->cancel = request->cancel;
  use_shapes(request);
  request->named_then = server->named;
  input->first_revision = srv_registry_first_revision(server->registry);
  input->scene_count = srv_registry_count(server->registry);
  if (request->match.target == API_TARGET_CREATE) input->new_scene_id = request->new_id;
  if (wants_all_scenes(request->match.target)) {
    if (!srv_registry_list(server->registry, &request->scenes, &request->scenes_count)) return false;
    input->scenes = request->scenes;
    input->scene_count = request->scenes_count;
  }
  if (entry && entry->current) {
    input->scene = ct_scene_retain(entry->current);
    request->revision = ct_scene_revision(entry->current);
  }
  if (entry && entry->pin_count && request->match.target == API_TARGET_READ) {
    request->kept = malloc(entry->pin_count * sizeof *request->kept);
    if (!request->kept) return false;
    for (size_t i = 0; i < entry->pin_count; i++) request->kept[i] = ct_scene_retain(entry->pins[i].scene);
    input->kept = request->kept;
    input->kept_count = entry->pin_count;
  }
  if (entry && !entry->current && request->writes) {
    request->creates = true;
    srv_registry_reserve(server->registry, 1);
  }
  return true;
}

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
  end_naming(request);
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
    if (start(next, false)) break;
    next->holds_slot = false;
    entry->writer = NULL;
    srv_request_wake(next, SRV_STATE_READY);
    close_job(next);
  }
}

/* The shapes that requests see from now on. */
static void commit_shapes(srv_request *request) {
  srv_server *server = request->server;
  const api_shape_table *old = server->shapes;
  bool written = server->naming > 0 || server->named != request->named_then;
  server->shapes = api_call_commit_shapes(request->call, old, written);
  api_shapes_release(old);
}

static void commit(srv_request *request) {
  if (request->match.target == API_TARGET_SHAPE_WRITE) commit_shapes(request);
  srv_registry *registry = request->server->registry;
  srv_entry *entry = request->entry;
  const ct_scene *revision = api_call_new_revision(request->call);
  const ct_scene *pin = api_call_pin(request->call);
  if (entry && revision) {
    if (request->match.target != API_TARGET_WRITE && request->match.target != API_TARGET_SNAPSHOT) entry->written_bytes = 0;
    entry->written_bytes += request->bytes_in;
    srv_registry_commit(registry, entry, revision);
    if (request->naming) request->server->named++;
    request->revision = ct_scene_revision(revision);
  }
  if (entry) srv_stream_publish(request);
  bool succeeded = request->reply->status >= 200 && request->reply->status < 300;
  if (entry && request->match.target == API_TARGET_DELETE && succeeded) srv_registry_remove(registry, entry);
  /* Out of memory: the cursor will be answered 410, as one whose time is over. */
  if (entry && pin) (void)srv_registry_pin(registry, entry, pin, uv_hrtime());
}

/* Counts the reply among those on their way. False: clients that do not read hold too much already. What a write has done is told
 * in any case where that is short; what a longer reply would tell of is not done. */
static bool admit_reply(srv_request *request, const api_reply *reply) {
  srv_server *server = request->server;
  bool full = server->reply_bytes > 0 && server->reply_bytes + reply->body_length > server->limits->replies_bytes;
  bool is_write = request->writes || request->match.target == API_TARGET_SNAPSHOT;
  bool passes = is_write && reply->body_length <= SRV_SHORT_REPLY;
  if (full && !passes) return false;
  request->reply_bytes = reply->body_length;
  server->reply_bytes += request->reply_bytes;
  return true;
}

/* Has the snapshot that the call worked on been overtaken? A write under way counts: it began from the same revision. */
static bool was_overtaken(const srv_request *request) {
  if (request->match.target != API_TARGET_SNAPSHOT || !api_call_new_revision(request->call)) return false;
  return request->entry->current != request->input.scene || request->entry->writer;
}

/* Takes the result of a call that has run to its end, unless its time is over. */
static void conclude(srv_request *request) {
  request->ended_ns = uv_hrtime();
  if (request->match.target == API_TARGET_SNAPSHOT) srv_progress_feed(request);
  if (was_overtaken(request)) api_call_moved(request->call);
  if (request->ended_ns >= atomic_load_explicit(&request->deadline_ns, memory_order_relaxed)) {
    srv_request_refuse(request, API_PROBLEM_DEADLINE_EXCEEDED, "The request was not done after %llu ms; nothing has changed.",
                       (unsigned long long)api_call_deadline_ms(request->call));
  } else if (!admit_reply(request, api_call_reply(request->call))) {
    srv_request_refuse(request, API_PROBLEM_BUSY,
                       "Replies of more than %llu bytes (repliesBytes) are on their way; nothing has changed.",
                       (unsigned long long)request->server->limits->replies_bytes);
    srv_request_refusal_header(request, "Retry-After", "1");
  } else {
    request->reply = api_call_reply(request->call);
    commit(request);
  }
  pass_slot(request);
}

/* The result is taken, or dropped when the request was cancelled; once. */
static void settle(srv_request *request) {
  if (request->settled) return;
  request->settled = true;
  if (!request->cancelled) {
    conclude(request);
    srv_request_wake(request, SRV_STATE_READY);
  } else {
    request->ended_ns = uv_hrtime();
    pass_slot(request);
  }
}

static void end_job(srv_request *request) {
  settle(request);
  close_job(request);
}

void srv_job_cancel(srv_request *request) {
  if (request->cancelled) return;
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
      api_call_moved(request->call);
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
  case SRV_STAGE_TRASH:
    srv_pool_withdraw(request->server->pool, job);
    srv_request_free(request);
    break;
  case SRV_STAGE_NONE: break;
  }
}

static void submit(srv_request *request, srv_stage stage, bool fresh) {
  request->job.take = take_piece;
  request->job.run = srv_work_piece;
  request->job.done = piece_done;
  request->stage = stage;
  request->stage_taken = false;
  srv_pool_submit(request->server->pool, &request->job, request->lane, fresh);
  srv_pool_pump(request->server->pool);
}

/* ---- starts ------------------------------------------------------------------------------------------------------------ */

static void refuse_memory(srv_request *request) {
  srv_request_refuse(request, API_PROBLEM_OUT_OF_MEMORY, "Memory for the request could not be had; nothing has changed.");
}

static void refuse_busy(srv_request *request) {
  srv_request_refuse(request, API_PROBLEM_BUSY, "Too many requests wait for a worker.");
  srv_request_refusal_header(request, "Retry-After", "1");
}

bool srv_job_admit(srv_request *request, bool small) {
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
  if (request->body.length == 0 || !api_shapes_heavy(request->server->shapes)) return false;
  return memmem(request->body.bytes, request->body.length, "\"scale\"", 7) ||
         memchr(request->body.bytes, '\\', request->body.length);
}

/* Who names a shape is found by looking at all colliders of all bodies. */
static bool few_colliders(const srv_request *request) {
  return request->scenes_count <= SRV_INLINE_LIST &&
         api_scenes_within(request->scenes, request->scenes_count, SRV_INLINE_COLLIDERS);
}

/* May begin run on the loop thread? It parses the body and does what is cheap, so both body and scene must be small. */
static bool is_small(const srv_request *request) {
  if (request->body_length > SRV_INLINE_BODY || request->match.streams || may_scale(request)) return false;
  uint32_t bodies = request->input.scene ? ct_scene_count(request->input.scene) : 0;
  if (request->match.target == API_TARGET_EVENTS) return true;
  if (request->match.target == API_TARGET_LIST) return request->scenes_count <= SRV_INLINE_LIST;
  if (wants_all_scenes(request->match.target)) return few_colliders(request);
  if (request->input.scene && api_match_contacts(&request->match, request->input.scene) > SRV_INLINE_CONTACTS) return false;
  uint64_t bytes = request->input.scene ? request->entry->written_bytes : 0;
  if (bytes > (request->writes ? SRV_INLINE_WRITE_BYTES : SRV_INLINE_READ_BYTES)) return false;
  return bodies <= (request->writes ? SRV_INLINE_WRITE_BODIES : SRV_INLINE_READ_BODIES);
}

/* A call that waits for a worker has not been read yet, but its deadline holds: it is looked for in the text. */
static void peek_deadline(srv_request *request) {
  if (request->begun || request->match.form != API_FORM_JSON || request->body.length == 0) return;
  srv_request_peek(request);
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

/* Begins the call here or queues it. False: it could not be begun; the refusal is the reply. When it ends here the state is READY.
 */
static bool start(srv_request *request, bool may_inline) {
  srv_server *server = request->server;
  if (!fill_input(request)) {
    refuse_memory(request);
    if (request->creates) srv_registry_reserve(server->registry, -1);
    request->creates = false;
    return false;
  }
  if (may_inline && is_small(request)) {
    atomic_store_explicit(&request->started_ns, request->arrived_ns, memory_order_relaxed);
    api_step step = srv_work_begin(request);
    if (step == API_STEP_DONE || api_call_cost_ns(request->call) <= SRV_INLINE_NS) {
      if (step == API_STEP_WORK) srv_work_serially(request, server->scratch);
      conclude(request);
      request->state = SRV_STATE_READY;
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
  submit(request, SRV_STAGE_START, true);
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

static void dispatch(srv_request *request) {
  srv_server *server = request->server;
  api_target target = request->match.target;
  request->arrived_ns = uv_hrtime();
  uint64_t ms = request->call ? api_call_deadline_ms(request->call) : server->limits->deadline_ms;
  atomic_store_explicit(&request->deadline_ns, request->arrived_ns + ms * 1000000u, memory_order_relaxed);
  request->state = SRV_STATE_READY;
  if (!request->call || !find_entry(request)) {
    refuse_memory(request);
    return;
  }
  request->lane = request->entry ? &request->entry->lane : &server->stateless;
  request->writes = target == API_TARGET_WRITE || target == API_TARGET_PUT || target == API_TARGET_DELETE ||
                    target == API_TARGET_CREATE || target == API_TARGET_SHAPE_WRITE;
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

void srv_job_dispatch(srv_request *request) {
  dispatch(request);
  if (request->state == SRV_STATE_READY) srv_request_wake(request, SRV_STATE_READY);
}

/* ---- streamed bodies ------------------------------------------------------------------------------------------------------ */

void srv_job_feed(srv_request *request) {
  srv_buffer piece = request->fed;
  request->fed = request->body;
  request->body = piece;
  request->body.length = 0;
  if (!request->entry && !find_entry(request)) {
    /* Said when the body has ended. */
    request->feed_failed = true;
    return;
  }
  request->lane = request->entry ? &request->entry->lane : &request->server->stateless;
  use_shapes(request);
  open_job(request);
  submit(request, SRV_STAGE_FEED, false);
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

/* ---- disposal ---------------------------------------------------------------------------------------------------------- */

/* Does it hold a large revision that others may have let go of? */
static bool holds_large(const srv_request *request) {
  const ct_scene *made = api_call_new_revision(request->call);
  if (made && request->entry->current != made && ct_scene_count(made) > SRV_TRASH_BODIES) return true;
  if (request->scenes_count > SRV_INLINE_LIST) return true;
  for (size_t i = 0; i < request->scenes_count; i++)
    if (ct_scene_count(request->scenes[i].scene) > SRV_TRASH_BODIES) return true;
  for (size_t i = 0; i < request->input.kept_count; i++)
    if (ct_scene_count(request->kept[i]) > SRV_TRASH_BODIES) return true;
  return false;
}

static bool is_heavy(const srv_request *request) {
  if (!request->call) return false;
  const ct_scene *scene = request->input.scene;
  if (holds_large(request)) return true;
  if (request->bytes_in > SRV_TRASH_BYTES_IN || (request->reply && request->reply->body_length > SRV_TRASH_BYTES_OUT)) return true;
  return scene && request->entry->current != scene && ct_scene_count(scene) > SRV_TRASH_BODIES;
}

void srv_job_let_go(srv_request *request) {
  srv_server *server = request->server;
  api_call_destroy(request->call);
  request->call = NULL;
  server->reply_bytes -= request->reply_bytes;
  request->reply_bytes = 0;
  if (request->input.scene) srv_trash_scene(server, request->input.scene);
  request->input.scene = NULL;
}

void srv_job_dispose(srv_request *request) {
  srv_server *server = request->server;
  end_naming(request);
  server->body_bytes -= request->body.capacity + request->fed.capacity;
  server->reply_bytes -= request->reply_bytes;
  if (is_heavy(request)) {
    request->lane = &server->stateless;
    submit(request, SRV_STAGE_TRASH, false);
    return;
  }
  srv_work_free(request);
  srv_request_free(request);
}
