/* Lists the contact events of an advance, continues a contact state, and adds its events to the
 * scene's stream. */
#include "handlers/advance_events.h"

#include <assert.h>

#include "handlers/contact_event_payload.h"
#include "handlers/contact_state.h"
#include "results/contact_state_json.h"
#include "results/result_json.h"

/* Greatest number of events listed in a reply or a progress line; further ones are only counted. */
#define EVENTS_MAX 10000

/* ---- request --------------------------------------------------------------------------------- */

bool api_read_advance_state(api_call *call, const api_field *field, api_advance_events *events) {
  api_reader reader = api_call_reader(call);
  ct_text id;
  if (!api_field_present(field)) return true;
  if (!api_read_id(&reader, field, &id)) return false;
  events->id = api_arena_copy(&call->arena, id.bytes, id.length);
  if (!events->id) {
    api_fault_memory(&call->faults);
    return false;
  }
  events->previous = api_contact_state_find(call->scene, id);
  return events->previous || api_contact_state_may_add(call);
}

ct_status api_advance_events_open(api_call *call, api_advance_events *events,
                                  ct_advance_options *options) {
  events->scene_time = ct_scene_time(call->scene);
  options->contact_events = events->lists || events->id || events->until_contact;
  if (!options->contact_events) return CT_OK;
  events->has_impulses = options->mode != CT_ADVANCE_COMPLIANT;
  events->start = api_contact_event_time(call->scene, events->previous);
  /* The elastic law begins a contact at distance 0, the other modes within their tolerance. */
  bool tolerates = options->mode != CT_ADVANCE_COMPLIANT && options->contact_tolerance > 0.0;
  double epsilon = tolerates ? options->contact_tolerance : CT_CONTACT_EPSILON;
  events->options =
      (ct_contact_event_options){.time = events->start,
                                 .epsilon = ct_min2(epsilon, CT_CONTACT_EPSILON_MAX),
                                 .contacts_max = api_contact_records_max(&call->service->limits),
                                 .cancel = options->cancel};
  events->open =
      api_open_contacts_create(call->scene, events->previous, &events->options, events->start);
  return events->open ? CT_OK : CT_OUT_OF_MEMORY;
}

void api_advance_events_close(api_advance_events *events) {
  ct_scene_release(events->final);
  api_open_contacts_destroy(events->open);
  api_buffer_free(&events->list);
}

/* ---- list ------------------------------------------------------------------------------------ */

static const char *event_word(ct_advance_event_kind kind) {
  static const char *const words[] = {
#define EVENT_WORD(name, word) word,
      CT_ADVANCE_EVENT_MAP(EVENT_WORD)
#undef EVENT_WORD
  };
  assert(kind < CT_ADVANCE_EVENT_COUNT);
  return words[kind];
}

/* An event of the list. */
typedef struct listed_event {
  ct_advance_event_kind kind;
  double time; /* s, from the start */
  const ct_contact_record *record;
  const api_step_change *motion; /* NULL: found by distance, at the start or the end */
} listed_event;

/* Puts the collider of a body that had several colliders when the contact began. */
static void put_listed_collider(api_buffer *out, const char *name, bool several, ct_text id,
                                uint32_t index) {
  if (!several) return;
  if (id.length > 0) api_put_id(out, name, id);
  else api_put_member_unsigned(out, name, index);
}

static void list_event(api_advance_events *events, const listed_event *event) {
  const ct_contact_record *r = event->record;
  api_buffer *out = &events->list;
  if (!events->lists) return;
  if (events->count == EVENTS_MAX) {
    events->omitted++;
    return;
  }
  events->count++;
  api_put_item(out);
  api_put_byte(out, '{');
  api_put_member_number(out, "time", event->time);
  api_put_member_string(out, "event", api_text(event_word(event->kind)));
  api_put_contact_pair(out, r);
  api_put_id(out, "a", r->body_a);
  api_put_id(out, "b", r->body_b);
  put_listed_collider(out, "colliderA", r->several_a, r->name_a, r->collider_a);
  put_listed_collider(out, "colliderB", r->several_b, r->name_b, r->collider_b);
  if (r->surface) api_put_member_bool(out, "surface", true);
  if (event->motion) {
    api_put_member_number(out, "normalVelocity", event->motion->normal_velocity);
    if (event->motion->has_impulse) api_put_member_number(out, "impulse", event->motion->impulse);
  } else if (event->kind == CT_ADVANCE_EVENT_BEGAN) {
    api_put_member_number(out, "normalVelocity", r->normal_velocity);
  }
  api_put_byte(out, '}');
}

/* Lists the contacts that ended and began in a contact event, `time` s after the start, and adds
 * them to the stream. */
static void collect_contact_event(api_call *call, api_advance_events *events, const ct_scene *scene,
                                  double time, const ct_contact_event *event) {
  for (size_t i = 0; i < event->ended_count; i++)
    list_event(events,
               &(listed_event){CT_ADVANCE_EVENT_ENDED, time, &event->ended[i].record, NULL});
  for (size_t i = 0; i < event->began_count; i++)
    list_event(events,
               &(listed_event){CT_ADVANCE_EVENT_BEGAN, time,
                               ct_contact_state_record(event->state, event->began[i]), NULL});
  if (events->id) api_emit_contact_events(call, events->id, scene, event);
}

/* After a checkpoint of the contact state: continues the open contacts from the state of the
 * committed revision. */
static ct_status continue_open_contacts(const api_call *call, api_advance_events *events) {
  if (!events->state) return CT_OK;
  api_open_contacts_destroy(events->open);
  ct_scene_release(events->final);
  events->final = NULL;
  events->state = NULL;
  events->previous = api_contact_state_find(call->scene, api_text(events->id));
  assert(events->previous);
  events->options.time = ct_contact_state_time(events->previous);
  events->open =
      api_open_contacts_create(call->scene, events->previous, &events->options, events->start);
  return events->open ? CT_OK : CT_OUT_OF_MEMORY;
}

ct_status api_advance_events_begin(api_call *call, api_advance_events *events, ct_advance *motion,
                                   ct_workspace *workspace) {
  const ct_contact_event *event;
  if (!events->open || events->has_started) return CT_OK;
  ct_status status = continue_open_contacts(call, events);
  if (status == CT_OK) status = api_open_contacts_begin(events->open, motion, workspace, &event);
  if (status != CT_OK) return status;
  events->has_started = true;
  collect_contact_event(call, events, call->scene, ct_advance_now(motion).time, event);
  return CT_OK;
}

/* Adds an event of a step to the stream, which reports no impacts. */
static void emit_step_event(api_call *call, const api_advance_events *events,
                            const ct_advance_event *event, const ct_contact_record *record,
                            const api_step_change *motion) {
  if (!events->id) return;
  if (event->kind == CT_ADVANCE_EVENT_BEGAN)
    api_emit_motion_began(call, events->id, call->scene, record, motion);
  if (event->kind == CT_ADVANCE_EVENT_ENDED)
    api_emit_motion_ended(call, events->id, events->start + event->time,
                          &(ct_contact_ended){*record, CT_CAUSE_Z1, NAN}, motion);
}

ct_status api_advance_events_step(api_call *call, api_advance_events *events,
                                  const ct_advance *motion) {
  if (!events->open) return CT_OK;
  assert(events->has_started);
  size_t count;
  const ct_advance_event *found = ct_advance_events(motion, &count);
  for (size_t i = 0; i < count; i++) {
    const ct_contact_record *record;
    events->has_begun = events->has_begun || found[i].kind == CT_ADVANCE_EVENT_BEGAN;
    ct_status status = api_open_contacts_apply(events->open, &found[i], &record);
    if (status != CT_OK) return status;
    const api_step_change moved = {found[i].normal_velocity, found[i].impulse,
                                   events->has_impulses};
    list_event(events, &(listed_event){found[i].kind, found[i].time, record, &moved});
    emit_step_event(call, events, &found[i], record, &moved);
  }
  return CT_OK;
}

/* ---- end ------------------------------------------------------------------------------------- */

ct_status api_advance_events_end(api_call *call, api_advance_events *events,
                                 const ct_advance *motion, ct_workspace *workspace) {
  if (!events->open) return CT_OK;
  ct_draft *draft = ct_draft_begin(call->scene);
  ct_status status = draft ? ct_advance_write(motion, draft) : CT_OUT_OF_MEMORY;
  if (status == CT_OK) ct_draft_set_time(draft, events->scene_time + ct_advance_now(motion).time);
  events->final = status == CT_OK ? ct_draft_seal(draft) : NULL;
  if (!events->final) {
    ct_draft_discard(draft);
    return CT_OUT_OF_MEMORY;
  }
  const double time = ct_advance_now(motion).time;
  const ct_contact_event *event;
  status =
      api_open_contacts_end(events->open, events->final, events->start + time, workspace, &event);
  if (status != CT_OK) return status;
  events->state = event->state;
  collect_contact_event(call, events, events->final, time, event);
  return CT_OK;
}

void api_put_advance_events(api_buffer *out, api_advance_events *events) {
  if (!events->lists) return;
  api_put_key(out, "eventList");
  api_put_byte(out, '[');
  api_put_bytes(out, events->list.bytes, events->list.length);
  api_put_byte(out, ']');
  if (events->omitted > 0) api_put_member_unsigned(out, "eventsOmitted", events->omitted);
  if (events->list.failed) out->failed = true;
  events->list.length = events->count = 0;
  events->omitted = 0;
}

void api_put_advance_contacts(api_buffer *out, const api_advance_events *events) {
  if (!events->open) return;
  assert(events->state);
  api_put_key(out, "openContacts");
  api_put_byte(out, '[');
  for (size_t i = 0; i < ct_contact_state_count(events->state); i++) {
    api_put_item(out);
    api_put_unsigned(out, ct_contact_state_record(events->state, i)->pair);
  }
  api_put_byte(out, ']');
  if (events->id) api_put_id(out, "contactState", api_text(events->id));
}

ct_draft *api_advance_events_draft(api_call *call, const api_advance_events *events) {
  assert(events->final && events->state);
  if (events->id && !api_contact_states_fit(call, events->previous, events->state)) return NULL;
  ct_draft *draft = ct_draft_amend(events->final);
  if (!draft) return NULL;
  if (events->id && ct_draft_attach(draft, api_text(events->id), events->state,
                                    &api_contact_state_type) != CT_OK) {
    ct_draft_discard(draft);
    return NULL;
  }
  ct_draft_count_contacts(draft, api_open_contacts_begun(events->open) - events->counted);
  return draft;
}

ct_draft *api_advance_events_checkpoint(api_call *call, api_advance_events *events,
                                        const ct_advance *motion, ct_workspace *workspace,
                                        ct_status *status) {
  if (events->id) {
    *status = api_advance_events_end(call, events, motion, workspace);
    events->has_started = false;
    return *status == CT_OK ? api_advance_events_draft(call, events) : NULL;
  }
  ct_draft *draft = ct_draft_begin(call->scene);
  *status = draft ? ct_advance_write(motion, draft) : CT_OUT_OF_MEMORY;
  if (*status != CT_OK) {
    ct_draft_discard(draft);
    return NULL;
  }
  ct_draft_set_time(draft, events->scene_time + ct_advance_now(motion).time);
  uint64_t begun = events->open ? api_open_contacts_begun(events->open) : 0;
  ct_draft_count_contacts(draft, begun - events->counted);
  events->counted = begun;
  return draft;
}
