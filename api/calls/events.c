/* Collects the events of a write and hands them to the server when it is committed; handles
 * subscriptions to a scene's events. */
#include "calls/events.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "calls/call.h"
#include "common/array.h"
#include "results/contact_state_json.h"

void api_events_free(api_event_list *list) {
  assert(list->count <= list->capacity);
  for (size_t i = 0; i < list->count; i++) free((void *)(uintptr_t)list->items[i].data);
  free(list->items);
  *list = (api_event_list){0};
}

/* Discards all events and sets `lost`: the server then informs every subscriber that events are
 * missing. */
static void discard_events(api_event_list *list) {
  api_events_free(list);
  list->lost = true;
}

/* Inserts an event at index `at` and takes ownership of its data. If memory runs out, all events
 * are discarded. */
static void insert_event(api_event_list *list, size_t at, api_event event) {
  if (!api_array_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items)) {
    free((void *)(uintptr_t)event.data);
    discard_events(list);
    return;
  }
  assert(at <= list->count && list->count < list->capacity);
  memmove(list->items + at + 1, list->items + at, (list->count - at) * sizeof *list->items);
  list->items[at] = event;
  list->count++;
  list->bytes += event.length;
}

/* Returns the last event if it belongs to the contact state, else NULL. */
static const api_event *find_last_event(const api_event_list *list, const char *contact_state) {
  assert(contact_state);
  const api_event *last = list->count ? &list->items[list->count - 1] : NULL;
  return last && strcmp(last->contact_state, contact_state) == 0 ? last : NULL;
}

/* Name of the event that replaces the events of a contact state. Its data equal those of the
 * `revision` event and are added by insert_write_event. */
static const char reset_name[] = "reset";

void api_call_drop_events(api_call *call, const char *contact_state) {
  api_event_list *list = &call->events;
  assert(!list->opened);
  for (const api_event *last; (last = find_last_event(list, contact_state)); list->count--) {
    assert(last->length <= list->bytes);
    list->bytes -= last->length;
    free((void *)(uintptr_t)last->data);
  }
  if (!list->lost)
    insert_event(list, list->count,
                 (api_event){.name = reset_name, .contact_state = contact_state});
}

bool api_call_add_event(api_call *call, const char *name, const char *contact_state,
                        api_buffer *data) {
  api_event_list *list = &call->events;
  const api_limits *limits = &call->service->limits;
  const api_event *last = find_last_event(list, contact_state);
  assert(!list->opened);
  bool missed = list->lost || (last && last->name == reset_name);
  /* The event of the write itself, which is inserted later, counts too. */
  bool many = list->count + 1 >= limits->event_ring ||
              list->bytes + data->length > limits->event_backlog_bytes * API_EVENTS_BACKLOGS;
  if (missed || many || data->failed) {
    api_buffer_free(data);
    if (!missed) api_call_drop_events(call, contact_state);
    return false;
  }
  api_event event = {.name = name, .contact_state = contact_state};
  event.data = api_buffer_detach(data, &event.length);
  if (event.data) insert_event(list, list->count, event);
  else api_call_drop_events(call, contact_state);
  return event.data != NULL;
}

/* ---- the write itself ----------------------------------------------------------------------- */

static void open_event_data(api_buffer *out, const char *scene_id, uint64_t revision) {
  api_put_byte(out, '{');
  api_put_member_string(out, "scene", api_text(scene_id));
  api_put_member_unsigned(out, "revision", revision);
}

char *api_event_revision(const char *scene_id, uint64_t revision, uint64_t bodies, size_t *length) {
  api_buffer out = {0};
  open_event_data(&out, scene_id, revision);
  api_put_member_unsigned(&out, "bodies", bodies);
  api_put_byte(&out, '}');
  return api_buffer_detach(&out, length);
}

/* Returns the data of `deleted`: scene id and the revision that follows the deleted one. The
 * revision is known even if the scene cannot be loaded. */
static char *write_deletion_data(const api_call *call, size_t *length) {
  api_buffer out = {0};
  uint64_t was =
      call->input.scene ? ct_scene_revision(call->input.scene) : call->input.lost_revision;
  open_event_data(&out, call->match.scene_id, was + 1);
  api_put_byte(&out, '}');
  return api_buffer_detach(&out, length);
}

static bool is_deletion(const api_call *call) {
  return call->match.target == API_TARGET_DELETE && call->reply.status >= 200 &&
         call->reply.status < 300;
}

static char *write_revision_data(const api_call *call, size_t *length) {
  assert(call->next);
  const char *id =
      call->match.target == API_TARGET_CREATE ? call->input.new_scene_id : call->match.scene_id;
  return api_event_revision(id, ct_scene_revision(call->next), ct_scene_count(call->next), length);
}

/* Inserts the event of the write itself at index 0 and sets the data of each `reset`. */
static void insert_write_event(api_call *call) {
  api_event_list *list = &call->events;
  assert(!list->opened);
  api_event event = {.name = call->next ? "revision" : "deleted"};
  event.data = call->next ? write_revision_data(call, &event.length)
                          : write_deletion_data(call, &event.length);
  bool good = event.data != NULL;
  if (good) insert_event(list, 0, event);
  for (size_t i = 0; good && i < list->count; i++) {
    api_event *reset = &list->items[i];
    if (!reset->data) reset->data = write_revision_data(call, &reset->length);
    good = reset->data != NULL;
  }
  if (!good) discard_events(list);
  list->opened = true;
}

const api_event *api_call_events(api_call *call, size_t *count, bool *whole) {
  api_event_list *list = &call->events;
  *count = 0;
  *whole = true;
  if (!call->next && !is_deletion(call)) return NULL;
  if (!list->opened) insert_write_event(call);
  *count = list->count;
  *whole = !list->lost;
  return list->items;
}

/* ---- listening ------------------------------------------------------------------------------ */

const char *api_call_contact_state(const api_call *call) { return call->contact_state; }

/* A subscriber that resumes may name a deleted contact state, to receive its `ended` events. */
api_step api_events_get(api_call *call) {
  assert(call->scene);
  const char *text = call->query;
  api_url_parameter parameter;
  for (bool seen = false; api_url_next(&text, &parameter); seen = true) {
    if (seen || !api_id_valid((ct_text){parameter.value, parameter.value_length})) {
      api_fault_plain(
          &call->faults, API_PROBLEM_BAD_PARAMETER,
          "The URL parameter contactState must be the id of a contact state, and occur only once.");
      return api_call_fail(call);
    }
    memcpy(call->contact_state, parameter.value, parameter.value_length + 1);
  }
  ct_text state = api_text(call->contact_state);
  if (state.length && !call->input.resumes && !api_contact_state_find(call->scene, state)) {
    memcpy(call->match.item_id, state.bytes, state.length + 1);
    return api_call_not_found(call, API_PROBLEM_CONTACT_STATE_NOT_FOUND);
  }
  call->reply.status = 200;
  call->reply.content_type = "text/event-stream";
  return API_STEP_DONE;
}
