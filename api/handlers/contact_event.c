/* Handles events of contact states, by POST /v1/scenes/{s}/contactStates/{c} or by a write of poses
 * with contactState: applies new poses and velocities, finds the contacts again, and writes
 * contacts and poses as one revision. The search costs as much as a query over all pairs and
 * therefore runs on a worker. */
#include "handlers/contact_state.h"

#include <assert.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "documents/elastic_json.h"
#include "documents/packed_poses_json.h"
#include "documents/scene_json.h"
#include "execution/cost_estimate.h"
#include "execution/scratch.h"
#include "handlers/contact_event_payload.h"
#include "handlers/scenes.h"
#include "results/contact_state_json.h"
#include "results/method_json.h"

/* Least contact epsilon (hysteresis), m. With 0, the function z1 of touching bodies would stay
 * 0. */
#define CONTACT_EPSILON_MIN DBL_MIN
struct api_contact_event {
  const ct_contact_state *previous; /* borrowed from the call's scene; NULL: the first event */
  const ct_scene *scene; /* the scene with the new poses, still with the previous contact state */
  ct_contact_event_options options;
  ct_contact_event found;
  ct_status status; /* status of the search, set once `complete` */
  bool only_pairs;  /* persisted contacts are listed only by their pair numbers */
  bool of_write;    /* a write of poses caused the event */
  bool handed_out, complete;
  double cost;
};

enum {
  TIME,
  EPSILON,
  METHOD,
  MPR_TOLERANCE,
  MAX_ITERATIONS,
  SUPPORTS,
  PERSISTED,
  POSES,
  DEADLINE,
  COUNT
};

static void destroy_contact_event(api_call *call) {
  api_contact_event *event = call->event;
  if (event->complete && event->status == CT_OK) {
    ct_contact_state_release(event->found.state);
    ct_contact_event_free(&event->found);
  }
  ct_scene_release(event->scene);
  free(event);
}

/* ---- decode --------------------------------------------------------------------------------- */

/* Reads the time, which must not be before that of the state's last event. */
static bool read_event_time(const api_call *call, api_reader *reader, const api_field *field,
                            const ct_contact_state *previous, double *out) {
  double last = previous ? ct_contact_state_time(previous) : 0.0;
  *out = api_contact_event_time(call->scene, previous);
  if (!api_read_number(reader, field, -API_SCENE_TIME_MAX, API_SCENE_TIME_MAX, out)) return false;
  if (!previous || *out >= last) return true;
  char text[API_NUMBER_BYTES];
  text[api_number_format(last, text)] = 0;
  api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_OUT_OF_RANGE, &field->path,
                               "time must not be below that of the last event, %s s.", text),
                  last, *out);
  return false;
}

/* Reads contactEpsilon. The state's first event fixes it; a later event may only repeat the
 * value. */
static bool read_contact_epsilon(api_reader *reader, const api_field *field,
                                 const ct_contact_state *previous, double *out) {
  *out = previous ? ct_contact_state_epsilon(previous) : CT_CONTACT_EPSILON;
  double kept = *out;
  if (!api_read_number(reader, field, CONTACT_EPSILON_MIN, CT_CONTACT_EPSILON_MAX, out))
    return false;
  if (!previous || *out == kept) return true;
  char text[API_NUMBER_BYTES];
  text[api_number_format(kept, text)] = 0;
  api_fault_limit(api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &field->path,
                               "contactEpsilon is fixed at %s m by the state's first event and "
                               "cannot change: omit it, or use another contact state.",
                               text),
                  kept, *out);
  return false;
}

/* Reads the method and its parameters. The state's first event fixes them; a later event may only
 * repeat them. */
static bool read_contact_method(api_reader *reader, const api_field m[COUNT],
                                const ct_contact_state *previous,
                                ct_contact_event_options *options) {
  const api_method_fields fields = {
      .method = &m[METHOD], .tolerance = &m[MPR_TOLERANCE], .iterations = &m[MAX_ITERATIONS]};
  ct_contact_method kept = previous ? ct_contact_state_method(previous) : CT_CONTACT_DISTANCE;
  const ct_mpr_options kept_mpr = previous ? ct_contact_state_mpr(previous) : (ct_mpr_options){0};
  api_method method = {.kind = kept == CT_CONTACT_MPR ? API_METHOD_MPR : API_METHOD_AUTO,
                       .mpr = kept_mpr};
  if (!api_read_auto_or_portal(reader, &fields, &method)) return false;
  options->method = method.kind == API_METHOD_MPR ? CT_CONTACT_MPR : CT_CONTACT_DISTANCE;
  if (options->method == CT_CONTACT_MPR) options->mpr = method.mpr;
  if (!previous) return true;
  if (options->method != kept) {
    api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE, &m[METHOD].path,
                 "method is fixed at \"%s\" by the state's first event and cannot change: omit it, "
                 "or use another contact state.",
                 kept == CT_CONTACT_MPR ? "mpr" : "auto");
    return false;
  }
  bool same =
      kept == CT_CONTACT_DISTANCE || (options->mpr.tolerance == kept_mpr.tolerance &&
                                      options->mpr.iterations_max == kept_mpr.iterations_max);
  if (same) return true;
  char text[API_NUMBER_BYTES];
  text[api_number_format(kept_mpr.tolerance, text)] = 0;
  bool tolerance = options->mpr.tolerance != kept_mpr.tolerance;
  api_fault_at(reader->faults, API_PROBLEM_BAD_VALUE,
               &m[tolerance ? MPR_TOLERANCE : MAX_ITERATIONS].path,
               "mprTolerance %s and maxIterations %u are fixed by the state's first event and "
               "cannot change: omit them, or use another contact state.",
               text, (unsigned)kept_mpr.iterations_max);
  return false;
}

static bool read_persisted_word(api_reader *reader, const api_field *field, bool *only_pairs) {
  static const char *const words[] = {"records", "pairs"};
  size_t which = 0;
  bool good = api_read_word(reader, field, words, 2, &which);
  *only_pairs = which == 1;
  return good;
}

/* Reads the request: the options into `event`, the poses and velocities into `draft`. */
static bool read_contact_event(api_call *call, api_contact_event *event, ct_draft *draft) {
  api_reader reader = api_call_reader(call);
  const api_limits *limits = &call->service->limits;
  api_field root,
      m[COUNT] = {{.name = "time"},         {.name = "contactEpsilon"}, {.name = "method"},
                  {.name = "mprTolerance"}, {.name = "maxIterations"},  {.name = "supportPoints"},
                  {.name = "persisted"},    {.name = "poses"},          {.name = "deadlineMs"}};
  ct_contact_event_options *options = &event->options;
  if (!api_call_parse(call, &root)) return false;
  bool good = api_read_object(&reader, &root, m, COUNT);
  good = api_read_unsigned(&reader, &m[DEADLINE], 1, limits->deadline_max_ms, &call->deadline_ms) &&
         good;
  good = read_event_time(call, &reader, &m[TIME], event->previous, &options->time) && good;
  good = read_contact_epsilon(&reader, &m[EPSILON], event->previous, &options->epsilon) && good;
  good = read_contact_method(&reader, m, event->previous, options) && good;
  good = api_read_bool(&reader, &m[SUPPORTS], &options->supports) && good;
  good = read_persisted_word(&reader, &m[PERSISTED], &event->only_pairs) && good;
  options->contacts_max = api_contact_records_max(limits);
  options->cancel = call->input.cancel;
  api_poses poses;
  if (!api_field_present(&m[POSES])) return good;
  return api_read_poses(&reader, &m[POSES], &poses) &&
         api_apply_poses(&reader, &m[POSES].path, &poses, false, draft) && good;
}

static api_step fail_contact_event(api_call *call, ct_status status) {
  if (status == CT_CANCELLED) api_fault_cancelled(&call->faults);
  else if (status == CT_PAIR_LIMIT)
    api_fault_plain(
        &call->faults, API_PROBLEM_PAIR_LIMIT,
        "The event has more candidate pairs than the limit, %d: exclude pairs by filters.",
        CT_PAIRS_MAX);
  else if (status == CT_LIMIT) api_fault_contact_records(call);
  else api_fault_memory(&call->faults);
  return api_call_fail(call);
}

/* ---- the work ------------------------------------------------------------------------------- */

static double contact_event_cost(const api_call *call) { return call->event->cost; }

static long next_contact_event(api_call *call) {
  api_contact_event *event = call->event;
  if (event->handed_out) return -1;
  event->handed_out = true;
  return 0;
}

static void run_contact_event(api_call *call, long range, api_scratch *scratch) {
  api_contact_event *event = call->event;
  assert(range == 0 && !event->complete);
  (void)range;
  event->status = ct_contact_event_run(event->scene, event->previous, &event->options,
                                       scratch->workspace, &event->found);
  event->complete = true;
}

/* ---- the reply ------------------------------------------------------------------------------ */

/* Puts a list of contact records. True: at least one record has the members cRes and dRes of the
 * elastic law. */
static bool put_contact_records(api_call *call, const char *name, const uint32_t *indices,
                                size_t count) {
  const api_contact_event *event = call->event;
  bool elastic = false;
  assert(event->complete && (indices || count == 0));
  api_put_key(&call->out, name);
  api_put_byte(&call->out, '[');
  for (size_t i = 0; i < count; i++) {
    api_put_item(&call->out);
    elastic = api_put_contact_members(&call->out, event->scene,
                                      ct_contact_state_record(event->found.state, indices[i])) ||
              elastic;
  }
  api_put_byte(&call->out, ']');
  return elastic;
}

static void put_pair_numbers(api_call *call, const char *name, const uint32_t *indices,
                             size_t count) {
  api_put_key(&call->out, name);
  api_put_byte(&call->out, '[');
  for (size_t i = 0; i < count; i++) {
    api_put_item(&call->out);
    api_put_unsigned(&call->out,
                     ct_contact_state_record(call->event->found.state, indices[i])->pair);
  }
  api_put_byte(&call->out, ']');
}

static void put_ended_contacts(api_call *call, const ct_contact_event *found) {
  api_put_key(&call->out, "ended");
  api_put_byte(&call->out, '[');
  for (size_t i = 0; i < found->ended_count; i++) {
    api_put_item(&call->out);
    api_put_ended_contact(&call->out, &found->ended[i]);
  }
  api_put_byte(&call->out, ']');
}

static void put_contact_event(api_call *call) {
  const ct_contact_event *found = &call->event->found;
  api_buffer *out = &call->out;
  api_call_open(call);
  api_put_contact_state(out, api_text(call->match.item_id), found->state);
  bool elastic = put_contact_records(call, "began", found->began, found->began_count);
  if (call->event->only_pairs)
    put_pair_numbers(call, "persisted", found->persisted, found->persisted_count);
  else
    elastic =
        put_contact_records(call, "persisted", found->persisted, found->persisted_count) || elastic;
  put_ended_contacts(call, found);
  if (elastic) api_put_default_elastic(out);
  api_put_key(out, "statistics");
  api_put_byte(out, '{');
  api_put_member_unsigned(out, "narrow", found->narrow);
  api_put_member_unsigned(out, "boxes", found->boxes);
  api_put_byte(out, '}');
}

static void finish_contact_event(api_call *call) {
  api_contact_event *event = call->event;
  if (!event->complete || event->status != CT_OK) {
    fail_contact_event(call, event->complete ? event->status : CT_CANCELLED);
    return;
  }
  if (!api_contact_states_fit(call, event->previous, event->found.state)) {
    api_call_fail(call);
    return;
  }
  if (!api_scene_has_motion(event->scene))
    api_warn(&call->warnings, "noMotion", NULL, 0, API_NO_MOTION_TEXT);
  assert(event->found.state);
  ct_draft *draft = ct_draft_amend(event->scene);
  ct_status status = draft ? ct_draft_attach(draft, api_text(call->match.item_id),
                                             event->found.state, &api_contact_state_type)
                           : CT_OUT_OF_MEMORY;
  if (status != CT_OK) {
    ct_draft_discard(draft);
    fail_contact_event(call, CT_OUT_OF_MEMORY);
    return;
  }
  ct_draft_count_contacts(draft, event->found.began_count);
  bool created = !event->previous && !event->of_write;
  if (created) api_call_location(call, call->match.scene_id, "contactStates", call->match.item_id);
  put_contact_event(call);
  api_emit_contact_events(call, call->match.item_id, event->scene, &event->found);
  api_call_commit(call, draft, created ? 201 : 200);
}

static const api_work_operations contact_event_work = {.cost = contact_event_cost,
                                                       .next = next_contact_event,
                                                       .run = run_contact_event,
                                                       .finish = finish_contact_event,
                                                       .destroy = destroy_contact_event};

/* Seals the poses and leaves the search for contacts as work. Takes the draft. */
static api_step search_contacts(api_call *call, ct_draft *draft) {
  api_contact_event *event = call->event;
  event->scene = ct_draft_seal(draft);
  if (!event->scene) {
    ct_draft_discard(draft);
    return fail_contact_event(call, CT_OUT_OF_MEMORY);
  }
  const ct_query_options distance_query = {.cancel = call->input.cancel};
  ct_status status = api_estimate_contacts_cost(event->scene, event->previous, &distance_query,
                                                CT_QUERY_DISTANCE, &event->cost);
  return status == CT_OK ? API_STEP_WORK : fail_contact_event(call, status);
}

/* Creates the event of the contact state match.item_id. False: a fault was added. */
static bool open_contact_event(api_call *call) {
  api_contact_event *event = call->event = calloc(1, sizeof *event);
  if (!event) {
    api_fault_memory(&call->faults);
    return false;
  }
  call->work = &contact_event_work;
  event->previous = api_contact_state_find(call->scene, api_text(call->match.item_id));
  return event->previous || api_contact_state_may_add(call);
}

api_step api_contact_event_post(api_call *call) {
  const ct_contact_state *previous =
      api_contact_state_find(call->scene, api_text(call->match.item_id));
  ct_draft *draft = api_scene_draft(call, previous != NULL);
  if (!draft) return api_call_fail(call);
  if (open_contact_event(call) && read_contact_event(call, call->event, draft))
    return search_contacts(call, draft);
  ct_draft_discard(draft);
  return api_call_fail(call);
}

/* Reads the contact state and the options of an event that a write of poses causes. */
static bool read_event_of_write(api_call *call, const api_field *state,
                                const api_field *persisted) {
  api_reader reader = api_call_reader(call);
  ct_text id;
  if (!api_read_id(&reader, state, &id)) return false;
  assert(id.length < sizeof call->match.item_id);
  memcpy(call->match.item_id, id.bytes, id.length);
  call->match.item_id[id.length] = 0;
  if (!open_contact_event(call)) return false;
  api_contact_event *event = call->event;
  event->of_write = true;
  event->options = ct_contact_event_options_default();
  event->options.time = api_contact_event_time(call->scene, event->previous);
  event->options.contacts_max = api_contact_records_max(&call->service->limits);
  event->options.cancel = call->input.cancel;
  return read_persisted_word(&reader, persisted, &event->only_pairs);
}

api_step api_contact_event_of_write(api_call *call, ct_draft *draft, const api_field *state,
                                    const api_field *persisted) {
  if (read_event_of_write(call, state, persisted)) return search_contacts(call, draft);
  ct_draft_discard(draft);
  return api_call_fail(call);
}
