/* Pieces of a request on a worker: begin the call, run its ranges, assemble the reply, free the
 * call.
 *
 * Several workers may run ranges of one request. They share only the members under ranges_lock;
 * ranges are independent of each other. The loop thread reads completion from `ranges`. */
#include "jobs/job.h"
#include "scenes/durable_write.h"

#include <assert.h>
#include <stdlib.h>

/* Begins the call and sets its deadline. */
static api_step begin_call(srv_request *request) {
  api_step step = api_call_begin(request->call, &request->input);
  uint64_t ms = api_call_deadline_ms(request->call);
  if (ms == 0) ms = request->server->limits->deadline_ms;
  atomic_store_explicit(&request->deadline_ns, request->arrived_ns + ms * 1000000u,
                        memory_order_relaxed);
  return step;
}

bool srv_work_inline(srv_request *request, api_scratch *scratch, double inline_ns) {
  assert(!request->begun_inline && !srv_request_has_job(request));
  api_step step = begin_call(request);
  if (step == API_STEP_WORK && api_call_cost_ns(request->call) > inline_ns) {
    request->begun_inline = true;
    return false;
  }
  /* A cancelled call stays unfinished: its reply is never sent. */
  if (step == API_STEP_WORK) (void)api_call_run_serially(request->call, scratch);
  if (request->server->store) srv_durable_record(request);
  return true;
}

/* The release store publishes the reply to the loop thread, which loads `ranges` with acquire
 * order. */
static void mark_finished(srv_request *request) {
  atomic_store_explicit(&request->ranges, SRV_RANGES_FINISHED, memory_order_release);
}

/* Runs ranges until none is left or the time slice is over. The worker that finds no range left and
 * no other worker active assembles the reply. */
static void run_ranges(srv_request *request, api_scratch *scratch) {
  uint64_t until_ns = uv_hrtime() + SRV_SLICE_NS;
  long range = 0;
  bool over = false, cancelled = false, has_checkpoint = false;
  uv_mutex_lock(&request->ranges_lock);
  request->at_work++;
  while (!over && !srv_work_ranges_ended(request) &&
         !(cancelled = ct_cancel_raised(request->cancel))) {
    range = api_call_next(request->call);
    if (range < 0) break;
    uv_mutex_unlock(&request->ranges_lock);
    api_call_run(request->call, range, scratch);
    has_checkpoint = api_call_has_checkpoint(request->call);
    over = has_checkpoint || uv_hrtime() >= until_ns;
    uv_mutex_lock(&request->ranges_lock);
    api_call_done(request->call, range);
  }
  assert(request->at_work > 0);
  request->at_work--;
  bool has_ended = srv_work_ranges_ended(request);
  bool last = range < 0 && !cancelled && request->at_work == 0 && !has_ended;
  if (!has_ended)
    atomic_store_explicit(&request->ranges,
                          last        ? SRV_RANGES_ENDED
                          : range < 0 ? SRV_RANGES_ASSIGNED
                                      : SRV_RANGES_LEFT,
                          memory_order_relaxed);
  uv_mutex_unlock(&request->ranges_lock);
  if (has_checkpoint && request->server->store) srv_durable_record(request);
  if (!last) return;
  api_call_finish(request->call);
  if (request->server->store) srv_durable_record(request);
  mark_finished(request);
}

/* Begins the call. Finishes short work here; runs the first slice of long work if all workers are
 * busy. */
static void run_first_piece(srv_request *request, api_scratch *scratch, bool crowded) {
  atomic_store_explicit(&request->started_ns, uv_hrtime(), memory_order_relaxed);
  api_step step = request->begun_inline ? API_STEP_WORK : begin_call(request);
  if (step == API_STEP_WORK && api_call_cost_ns(request->call) > SRV_SPLIT_NS) {
    if (crowded) run_ranges(request, scratch);
    return;
  }
  /* A cancelled call stays unfinished: its reply is never sent. */
  if (step == API_STEP_WORK) (void)api_call_run_serially(request->call, scratch);
  if (request->server->store) srv_durable_record(request);
  mark_finished(request);
}

void srv_work_free(srv_request *request) {
  if (request->call) api_call_destroy(request->call);
  request->call = NULL;
  free(request->body.bytes);
  free(request->fed.bytes);
  if (request->input.scene) ct_scene_release(request->input.scene);
  for (size_t i = 0; i < request->input.kept_count; i++) ct_scene_release(request->kept[i]);
  free(request->kept);
  srv_cursor_queries_release(&request->kept_queries);
  srv_durable_free(request->durable);
  if (request->scenes) srv_registry_list_free(request->scenes, request->scenes_count);
}

void srv_work_piece(srv_job *job, long piece, api_scratch *scratch) {
  srv_request *request = (srv_request *)job;
  /* Cancelled while the piece waited for a worker: the result would be discarded. */
  if (piece != SRV_PIECE_FREE && ct_cancel_raised(request->cancel)) return;
  switch (piece) {
  case SRV_PIECE_FEED:
    if (!api_call_feed(request->call, request->fed.bytes, request->fed.length))
      atomic_store_explicit(&request->feed_failed, true, memory_order_relaxed);
    break;
  case SRV_PIECE_BEGIN:
  case SRV_PIECE_BEGIN_CROWDED:
    run_first_piece(request, scratch, piece == SRV_PIECE_BEGIN_CROWDED);
    break;
  case SRV_PIECE_RANGES: run_ranges(request, scratch); break;
  case SRV_PIECE_FREE: srv_work_free(request); break;
  default: assert(false); break;
  }
}
